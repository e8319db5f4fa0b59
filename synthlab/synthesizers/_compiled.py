"""Functions that Numba compiles, with their types kept."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

C = TypeVar("C", bound=Callable[..., Any])


def compiled(function: C) -> C:
    """Compile a function when it is first called; it is kept on disk, and runs without the interpreter's lock."""
    return cast(C, numba.njit(cache=True, nogil=True)(function))
