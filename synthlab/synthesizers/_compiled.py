"""Functions that Numba compiles, with their types kept."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

from synthlab._typing import FloatArray

C = TypeVar("C", bound=Callable[..., Any])


def compiled(function: C) -> C:
    """Compile a function when it is first called; it is kept on disk, and runs without the interpreter's lock."""
    return cast(C, numba.njit(cache=True, nogil=True)(function))


@compiled
def copy_into(target: FloatArray, source: FloatArray) -> None:
    """Copy an array into another of its shape.

    For ``target[:] = source`` Numba compiles what it would say of shapes that differ as well: two seconds of each first fit.
    """
    for i in range(source.size):
        target.flat[i] = source.flat[i]
