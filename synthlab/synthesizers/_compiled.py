"""Functions and error messages for samplers compiled by Numba."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from numba.extending import overload
from numba.np import arrayobj

from synthlab._system.compiled import compiled
from synthlab._typing import FloatArray


@compiled
def copy_into(target: FloatArray, source: FloatArray) -> None:
    """Copy an array into another array of the same shape.

    For ``target[:] = source`` Numba also compiles the error message for different shapes, which takes two seconds in
    each first fit.
    """
    for i in range(source.size):
        target.flat[i] = source.flat[i]


def shapes_differ(ours: Any, theirs: Any) -> None:
    """Represent the error of compiled code for an assignment between different shapes."""
    raise NotImplementedError


@overload(shapes_differ)  # type: ignore[untyped-decorator]
def _in_one_sentence(ours: Any, theirs: Any) -> Callable[[Any, Any], None]:
    def say(ours: Any, theirs: Any) -> None:
        raise ValueError("cannot assign slice from input of different size")

    return say


@contextmanager
def short_errors() -> Iterator[None]:
    """Replace the shape errors of compiled code by a fixed message.

    Compiling a message with the shapes takes seconds. The fixed message is the one that Numba uses on targets without
    string formatting. No model of this package raises such an error.
    """
    with_shapes = getattr(arrayobj, "raise_with_shape_context", None)
    arrayobj.raise_with_shape_context = shapes_differ
    try:
        yield
    finally:
        arrayobj.raise_with_shape_context = with_shapes
