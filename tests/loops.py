"""Loop over cases inside one test and report every case that fails."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any

import pytest


def every(names: str | tuple[str, ...], cases: Iterable[Any] | Callable[[], Iterable[Any]]) -> Callable[..., Any]:
    """Call a test once per case, as `pytest.mark.parametrize` does, but as one item that reports all failures.

    Parameters
    ----------
    names : str or tuple of str
        Names of the arguments of a case, as for `pytest.mark.parametrize`.
    cases : iterable, or function that returns one
        Values of the arguments. A function is called when the test runs, not when tests are collected.
    """
    given = tuple(name.strip() for name in names.split(",")) if isinstance(names, str) else names

    def decorate(test: Callable[..., Any]) -> Callable[..., Any]:
        parameters = inspect.signature(test).parameters

        @functools.wraps(test)
        def loop(**fixtures: Any) -> None:
            number = 0
            failures: list[Exception] = []
            for number, case in enumerate(cases() if callable(cases) else cases, 1):
                values = _values(case, len(given))
                try:
                    test(**fixtures, **dict(zip(given, values, strict=True)))
                except pytest.fail.Exception as error:  # pytest.raises where nothing was raised
                    failures.append(AssertionError(str(error)).with_traceback(error.__traceback__))
                except Exception as error:  # noqa: BLE001 - a case may fail in any way
                    failures.append(error)
                else:
                    continue
                failures[-1].add_note(f"case {number}: {_shown(values)}")
            assert number, "there are no cases"
            if failures:
                raise ExceptionGroup(f"{len(failures)} of {number} cases failed", failures)

        del loop.__wrapped__  # type: ignore[attr-defined]  # pytest would look for the arguments of the test inside
        loop.__signature__ = inspect.Signature([p for name, p in parameters.items() if name not in given])  # type: ignore[attr-defined]
        return loop

    return decorate


def _values(case: Any, number: int) -> tuple[Any, ...]:
    """Return the arguments of a case, which may be a `pytest.param`."""
    if hasattr(case, "marks"):
        return tuple(case.values)
    return (case,) if number == 1 else tuple(case)


def _shown(values: tuple[Any, ...]) -> str:
    text = ", ".join(map(repr, values))
    return text if len(text) < 300 else text[:300] + "..."
