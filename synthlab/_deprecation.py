"""Deprecation of public functions and classes: one decorator for the policy in CONTRIBUTING.md."""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable
from typing import Any, TypeVar

from synthlab._warnings import warn
from synthlab.exceptions import SynthlabWarning

Decorated = TypeVar("Decorated", bound=Callable[..., Any])


class SynthlabDeprecationWarning(SynthlabWarning, FutureWarning):
    """A public name will be removed in the next minor version."""


def deprecated(replacement: str, *, removal: str, argument: str | None = None) -> Callable[[Decorated], Decorated]:
    """Return a decorator that warns when a deprecated function, or one of its arguments, is used.

    Parameters
    ----------
    replacement : str
        What to use instead, for example ``"sl.identification_risk"``.
    removal : str
        Version that removes the name, for example ``"0.3.0"``. It must be a minor version.
    argument : str, optional
        Deprecated argument. Default: the function itself is deprecated.

    Raises
    ------
    ValueError
        `removal` is not a minor version, or the function does not have the argument.
    """
    if not re.fullmatch(r"\d+\.\d+\.0", removal):
        raise ValueError(f"removal={removal!r}: must be a minor version such as '0.3.0'")

    def decorate(function: Decorated) -> Decorated:
        signature = inspect.signature(function)
        if argument is not None and argument not in signature.parameters:
            raise ValueError(f"argument={argument!r}: {function.__name__} does not have this argument")
        name = function.__name__ if argument is None else f"the argument {argument!r} of {function.__name__}"

        @functools.wraps(function)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            if argument is None or argument in signature.bind_partial(*args, **kwargs).arguments:
                warn(
                    f"{name} is deprecated and will be removed in version {removal}; use {replacement}",
                    SynthlabDeprecationWarning,
                )
            return function(*args, **kwargs)

        return wrapper  # type: ignore[return-value]

    return decorate
