"""Checks of vectors, weights, parameters and positions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

import numpy as np

from synthlab._checks._messages import described, first_of, is_word, shown
from synthlab._typing import FloatArray, IntArray
from synthlab.exceptions import InputError

_Array = TypeVar("_Array", bound=np.ndarray[Any, Any])
_Value = TypeVar("_Value")


def check_targets(targets: object, n: int) -> IntArray:
    """Return the row positions of the targets; by default of all records."""
    where = "row positions of confidential"
    return np.arange(n) if targets is None else check_positions(targets, n, "targets", "record", where)


def check_positions(value: object, n: int, name: str, what: str, where: str = "positions") -> IntArray:
    """Return distinct positions among n things.

    The value is a boolean mask or a list of positions.
    """
    array = positions_array(value, name, what, where)
    if array.dtype == bool:
        if array.size != n:
            raise InputError(f"{name}: the boolean mask has {array.size} values, there are {n} {what}s")
        if not array.any():
            raise InputError(f"{name}: the boolean mask selects no {what}")
        return np.flatnonzero(array)
    if array.min() < 0 or array.max() >= n:
        raise InputError(f"{name}: {where} must lie in [0, {n - 1}]; {first_of((array < 0) | (array >= n))}, do not")
    if np.unique(array).size < array.size:
        raise InputError(f"{name}: names a {what} twice; name each {what} once")
    return np.array(array, dtype=np.int64)


def positions_array(value: object, name: str, what: str, where: str = "row positions") -> Any:
    """Return a boolean mask or a list of ints as a read-only array."""
    check_unmasked(value, name)
    try:
        array = np.array(value)
    except ValueError:  # lists of several lengths
        array = np.empty(0)
    if array.ndim != 1 or array.size == 0:
        raise InputError(f"{name}: must be a non-empty list of {where}, or a boolean mask with one value per {what}")
    if array.dtype != bool and not np.issubdtype(array.dtype, np.integer):
        raise InputError(f"{name}: must be ints or a boolean mask, got {array.dtype}")
    return read_only(array)


def check_unmasked(values: object, name: str) -> None:
    """Raise an error if values of an array, or of arrays in a list, are masked.

    An ordinary array would contain the values under the mask.
    """
    parts = values if isinstance(values, list | tuple) else [values]
    masked = sum(int(np.ma.getmaskarray(part).sum()) for part in parts if isinstance(part, np.ma.MaskedArray))
    if masked:
        raise InputError(f"{name}: {masked} values are masked; fill them, or omit them (array.compressed())")


def check_array(values: object, name: str, allowed: str = "numbers") -> FloatArray:
    """Return real numbers as float64; `allowed` describes them in the message."""
    check_unmasked(values, name)
    try:
        if isinstance(values, bool | np.bool_):
            raise TypeError
        given = np.asarray(values)
        text = given.dtype == object and any(isinstance(v, str) for v in given.flat)
        # NumPy would convert text, dates, complex numbers and None to floats.
        if values is None or text or given.dtype.kind not in "biufO":
            raise TypeError
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        if is_word(values):
            raise InputError(f"{name}={shown(values)}: must be {allowed}") from None
        raise InputError(f"{name}: must be {allowed}, got {described(values)}") from None


def dimensions(value: object) -> int:
    """Return the number of dimensions of an array or nested lists; 1 if ragged."""
    try:
        return int(np.ndim(value))  # type: ignore[arg-type]
    except ValueError:
        return 1


def check_vector(values: object, name: str) -> FloatArray:
    """Return a vector of finite numbers as float64."""
    if is_word(values):  # a vector contains data, so a single value must not be shown either
        raise InputError(f"{name}: must be a vector of finite numbers, got {described(values)}")
    array = check_array(values, name, "a vector of finite numbers")
    if array.ndim != 1 or not np.isfinite(array).all():
        odd = int(array.size - np.isfinite(array).sum())
        raise InputError(
            f"{name}: must be a vector of finite numbers, got shape {array.shape}, {odd} of them not finite"
        )
    return array


def check_weights(weights: object, n: int, name: str = "weights") -> FloatArray:
    """Return n finite record weights >= 0, with at least one positive weight."""
    array = check_vector(weights, name)
    if array.shape != (n,):
        raise InputError(f"{name}: must have shape ({n},), one weight per record, got {array.shape}")
    if n and array.min() < 0:
        raise InputError(f"{name}: must be >= 0; {first_of(array < 0)}, are not")
    if not array.any():
        raise InputError(f"{name}: all weights are zero, so no record would inform the model")
    with np.errstate(over="ignore"):
        if not np.isfinite(array.sum()):
            raise InputError(f"{name}: add up to more than the largest float; divide them by the largest of them value")
    return array


def read_only(array: _Array) -> _Array:
    """Mark an array as read-only and return it."""
    array.setflags(write=False)
    return array


class ReadOnlyMapping(Mapping[str, _Value]):
    """Mapping that cannot be changed. Unlike `types.MappingProxyType`, it can be pickled and copied."""

    __slots__ = ("_content",)

    def __init__(self, content: Mapping[str, _Value]) -> None:
        self._content = dict(content)

    def __getitem__(self, key: str) -> _Value:
        return self._content[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._content)

    def __len__(self) -> int:
        return len(self._content)

    def __repr__(self) -> str:
        return repr(self._content)


def check_not_truth(value: object, name: str) -> None:
    """Raise an error for a bool, or a list or array of bools.

    A column of bools is allowed, because its values count as 0 and 1.
    """
    several = value if isinstance(value, list | tuple) else [value]
    if any(isinstance(v, bool | np.bool_) or (isinstance(v, np.ndarray) and v.dtype.kind == "b") for v in several):
        raise InputError(f"{name}: must be a number or an array of numbers, not a bool")


def check_parameter(
    value: object, name: str, *, low: float = -np.inf, high: float = np.inf, open_low: bool = False
) -> FloatArray:
    """Return a finite number or array above `low` and below `high` as read-only float64."""
    if value is None:
        raise InputError(f"{name}: must be given; use a number or an array of numbers")
    check_not_truth(value, name)
    array = check_array(value, name, "a number or an array of numbers").copy()
    bad = ~np.isfinite(array) | (array < low) | ((array == low) if open_low else False) | (array >= high)
    if bad.any():
        left = "(" if open_low or low == -np.inf else "["
        which = f"={float(array):g}:" if array.ndim == 0 else f": {first_of(bad)};"
        raise InputError(f"{name}{which} must be finite and in {left}{low:g}, {high:g})")
    return read_only(array)
