"""Functions and error messages of the samplers that Numba compiles."""

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
    """Copy an array into another of its shape.

    For ``target[:] = source`` Numba compiles what it would say of shapes that differ as well: two seconds of each first fit.
    """
    for i in range(source.size):
        target.flat[i] = source.flat[i]


def shapes_differ(ours: Any, theirs: Any) -> None:
    """Stand for the error of machine code about an array that is assigned to one of another shape."""
    raise NotImplementedError


@overload(shapes_differ)  # type: ignore[untyped-decorator]
def _in_one_sentence(ours: Any, theirs: Any) -> Callable[[Any, Any], None]:
    def say(ours: Any, theirs: Any) -> None:
        raise ValueError("cannot assign slice from input of different size")

    return say


@contextmanager
def short_errors() -> Iterator[None]:
    """Let errors of machine code about shapes be a fixed sentence: to compile a sentence with the shapes takes seconds.

    The sentence is Numba's for machines that cannot put a text together. No model of this package raises such an error.
    """
    with_shapes = getattr(arrayobj, "raise_with_shape_context", None)
    arrayobj.raise_with_shape_context = shapes_differ
    try:
        yield
    finally:
        arrayobj.raise_with_shape_context = with_shapes
