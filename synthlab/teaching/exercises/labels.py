"""Labels of the values of an answer, and conversions of a result to its documented form."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from synthlab._typing import BoolArray, FloatArray, IntArray


def label_values(values: Any, *axes: Sequence[str]) -> Any:
    """Return a mapping from labels to values.

    Parameters
    ----------
    values : array_like
        What a student's function returns.
    *axes : sequence of str
        The labels of each axis. The labels of a value are joined by a comma.

    Returns
    -------
    mapping, or the values themselves
        A missing answer is returned unchanged. An answer of another shape becomes a mapping that contains only the number of
        its values, which is NaN if the answer is not an array of numbers.

    Examples
    --------
    >>> from synthlab.teaching.exercises.labels import label_values
    >>> label_values([0.5, 1.0], ["Ann", "Bob"])
    {'number of values': 2.0, 'Ann': 0.5, 'Bob': 1.0}
    """
    if values is None or values is ...:
        return values
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        return {"number of values": np.nan}
    named: dict[str, float] = {"number of values": float(array.size)}
    if array.shape != tuple(len(axis) for axis in axes):
        return named
    names = (", ".join(parts) for parts in itertools.product(*axes))
    return named | dict(zip(names, array.ravel().tolist(), strict=True))


def labeled(call: str, given: Any, labels: Sequence[str]) -> dict[str, Any]:
    """Return the values of one call by label, or only their number if it is wrong.

    Parameters
    ----------
    call : str
        Description of the call, for example ``"six people"``.
    given : any
        What the student's function returned: a sequence with one value per label.
    labels : sequence of str
        Descriptions of the values.
    """
    if given is None or given is ...:
        return {call: None}
    number = f"{call}: number of results"
    if isinstance(given, str) or (not isinstance(given, Sequence | Mapping) and np.ndim(given) == 0):
        return {number: 1}
    values = list(given.values()) if isinstance(given, Mapping) else list(given)
    if len(values) != len(labels):
        return {number: len(values)}
    return {number: len(values)} | {f"{call}: {label}": value for label, value in zip(labels, values, strict=True)}


def generator_use(call: Callable[[np.random.Generator], Any]) -> dict[str, Any]:
    """Return whether a function uses its generator, and only it.

    Parameters
    ----------
    call : callable
        Call of the student's function with a generator.
    """
    first, again, other = (np.asarray(call(np.random.default_rng(seed)), dtype=np.float64) for seed in (1, 1, 2))
    return {
        "the same numbers from equal generators (1 if so; use only `rng`)": float(np.array_equal(first, again)),
        "the same numbers from different generators (1 if so; use `rng`)": float(np.array_equal(first, other)),
    }


def as_number(result: Any, *_: Any, **__: Any) -> float:
    """Return a result that is one number."""
    return float(np.asarray(result, dtype=np.float64).item())


def as_booleans(result: Any, *_: Any, **__: Any) -> BoolArray:
    """Return a result that is an array of True and False."""
    return np.asarray(result, dtype=np.float64).astype(bool)


def as_integers(result: Any, *_: Any, **__: Any) -> IntArray:
    """Return a result that is an array of whole numbers."""
    return np.asarray(result, dtype=np.float64).astype(np.int64)


def as_numbers(result: Any, *_: Any, **__: Any) -> tuple[float, ...]:
    """Return a result of several numbers, which can be the values of a dict."""
    values = result.values() if isinstance(result, Mapping) else result
    return tuple(as_number(value) for value in values)


def as_arrays(result: Any, *_: Any, **__: Any) -> tuple[FloatArray, ...]:
    """Return a result of several arrays, which can be the values of a dict."""
    values = result.values() if isinstance(result, Mapping) else result
    return tuple(np.asarray(value, dtype=np.float64) for value in values)
