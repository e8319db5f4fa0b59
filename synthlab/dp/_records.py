"""Interpretation of confidential values, record by record.

A private answer has noise, but an error, a warning or a dtype does not. Therefore no function here raises, warns or
branches because of the data: it maps each value to one result, independently of the other records. In particular, the
dtype has no effect, because other records can change it (one missing value turns whole numbers into floats). The
arguments are checked separately by `check_column`, `declared` and `cell_for_others`, which use only the type of the
container and the declared values.
"""

from __future__ import annotations

import numbers
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._typing import BoolArray, FloatArray, IntArray
from synthlab._warnings import library_warnings
from synthlab.exceptions import InputError

MOST_CATEGORIES = 2_000_000
TRUTH = object()


@contextmanager
def silence() -> Iterator[None]:
    """Suppress warnings while records are processed: a warning would be an answer without noise."""
    with library_warnings("ignore"), np.errstate(all="ignore"):
        yield


def attempt(function: Callable[[Any], Any], value: Any, otherwise: Any) -> Any:
    """Return ``function(value)``, or `otherwise` if the call fails."""
    try:
        return function(value)
    except Exception:  # noqa: BLE001 - a cell can hold anything, and whether it fails is confidential
        return otherwise


def check_column(confidential: Any, name: str = "confidential") -> None:
    """Raise `InputError` unless the argument holds one value per record; its values are not read."""
    if isinstance(confidential, str | bytes) or not isinstance(
        confidential, pd.Series | pd.Index | np.ndarray | Sequence
    ):
        raise InputError(f"{name}: must be one value per record, got {type(confidential).__name__}")
    if isinstance(confidential, np.ndarray) and confidential.ndim != 1:
        raise InputError(f"{name}: must be one value per record, got an array of {confidential.ndim} dimensions")


def records_of(confidential: Any, masks: Sequence[BoolArray] = ()) -> Any:
    """Return an array with the values of all records, or of the records in the part selected by the masks.

    For a part, the caller can pass the whole column or only the values of the part. If the size matches neither, the
    first values are used and the others are dropped, because an error would reveal the number of records in the part.
    """
    with silence():
        values = _array(confidential)
    for mask in masks:
        values = values[mask] if values.size == mask.size else values
    return values[: int(masks[-1].sum())] if masks else values


def _array(confidential: Any) -> Any:
    size = len(confidential)
    if isinstance(confidential, np.ma.MaskedArray):
        there = ~np.ma.getmaskarray(confidential)
        values = np.full(size, None, dtype=object)
        values[there] = np.fromiter(confidential.data[there], dtype=object, count=int(there.sum()))
        return values
    dtype = getattr(confidential, "dtype", None)
    if isinstance(dtype, np.dtype) and dtype.kind in "biuf":
        return np.asarray(confidential)
    if isinstance(confidential, pd.Series | pd.Index):
        whole = attempt(lambda column: np.asarray(column, dtype=object), confidential, None)
        if whole is not None:
            return whole
        at = confidential.iloc if isinstance(confidential, pd.Series) else confidential
        return np.fromiter((attempt(at.__getitem__, i, None) for i in range(size)), dtype=object, count=size)
    # Not pd.Series(list), in which a missing value turns the whole numbers of other records into floats.
    return np.fromiter(confidential, dtype=object, count=size)


def numbers_of(values: Any) -> FloatArray:
    """Return each value as a number; NaN for missing values, text, dates, complex numbers and lists."""
    with silence():
        if values.dtype.kind in "biuf":
            return np.asanyarray(values.astype(np.float64))
        found = (attempt(_number, value, np.nan) for value in values.tolist())
        return np.fromiter(found, dtype=np.float64, count=values.size)


def _number(value: Any) -> float:
    """Return one value as a number, or NaN; an int too large for a float is infinite."""
    numeric: bool = isinstance(value, numbers.Real | Decimal | np.bool_) and not isinstance(value, np.timedelta64)
    try:
        return float(value) if numeric else np.nan
    except OverflowError:
        return np.inf if value > 0 else -np.inf


def finite(answer: Any) -> FloatArray:
    """Return an answer computed from the records as numbers; values that are not finite numbers become 0."""
    with silence():
        given = answer if type(answer) is np.ndarray and answer.dtype.kind in "biuf" else _nested(answer)
        numbers_ = numbers_of(given.ravel()).reshape(given.shape)
    return np.where(np.isfinite(numbers_), numbers_, 0.0)


def _nested(answer: Any) -> Any:
    if isinstance(answer, np.ma.MaskedArray):
        answer = np.ma.filled(answer.astype(object), np.nan)
    made = attempt(lambda value: np.array(value, dtype=object), answer, None)
    return np.array(None, dtype=object) if made is None else made


def truths_of(values: Any) -> BoolArray:
    """Return whether each value is True or the number 1."""
    return np.asarray(numbers_of(values) == 1.0)


def places_of(values: Any, names: Sequence[Any]) -> IntArray:
    """Return the position of each value among the declared names; -1 for other values."""
    places = {_key(name): place for place, name in enumerate(names)}
    with silence():
        found = (attempt(lambda value: places.get(_key(value), -1), value, -1) for value in values.tolist())
        return np.fromiter(found, dtype=np.int64, count=values.size)


def _key(value: Any) -> Any:
    """Return the lookup key of a value: True differs from 1, and NumPy dates and durations equal those of pandas."""
    if isinstance(value, bool | np.bool_):
        return TRUTH, bool(value)
    if isinstance(value, np.timedelta64):
        return pd.Timedelta(value)
    return pd.Timestamp(value) if isinstance(value, np.datetime64) else value


def declared(categories: Any, name: str) -> tuple[Any, ...]:
    """Return the declared categories; raise `InputError` unless they are distinct and not missing."""
    if isinstance(categories, str) or not isinstance(categories, Sequence | np.ndarray | pd.Index):
        raise InputError(f"{name}={_checks.shown(categories)}: must be a sequence of every value that may occur")
    if isinstance(categories, np.ndarray) and categories.ndim != 1:
        raise InputError(f"{name}: must be a sequence of values, got shape {categories.shape}")
    if not 0 < len(categories) <= MOST_CATEGORIES:
        raise InputError(f"{name}: must be at least one value, and at most {MOST_CATEGORIES:,}")
    # An index converts an array of datetime64 to Timestamps, not to whole numbers.
    names = tuple(pd.Index(categories).tolist() if isinstance(categories, np.ndarray | pd.Index) else categories)
    _checks.check_values(pd.Series(names, dtype=object), name)
    for text in (v for v in names if isinstance(v, str)):
        _checks.check_text(text, name)
    if any(map(is_missing, names)):
        raise InputError(
            f"{name}: must not contain a missing value; missing values are treated like values that are not declared"
        )
    if len(set(map(_key, names))) < len(names):
        raise InputError(f"{name}: must contain at least one value, and each value only once")
    return names


def cell_for_others(other: Any, names: Sequence[Any], name: str = "other") -> None:
    """Raise `InputError` unless `other` is None or a name that is not in `names`."""
    if other is None:
        return
    if callable(other) or not attempt(lambda value: isinstance(hash(value), int), other, False) or is_missing(other):
        raise InputError(f"{name}: must be one hashable value that is not missing")
    if isinstance(other, str):
        _checks.check_text(other, name)
    if _key(other) in set(map(_key, names)):
        raise InputError(f"{name}={_checks.shown(other)}: must not be one of the categories")


def is_missing(value: Any) -> bool:
    """Return whether a value is missing."""
    return bool(pd.api.types.is_scalar(value) and pd.isna(value))


def numbers_array(value: Any, name: str) -> FloatArray:
    """Return an array of finite numbers; errors show none of its values."""
    _checks.check_unmasked(value, name)
    given = attempt(np.asarray, value, None)
    if value is None or given is None or given.dtype.kind not in "iufO":
        raise InputError(f"{name}: must be a finite number or an array of them, got {type(value).__name__}")
    found = numbers_of(given.ravel()).reshape(given.shape)
    if not np.isfinite(found).all():
        raise InputError(f"{name}: must be finite, and {int((~np.isfinite(found)).sum()):,} of {found.size:,} are not")
    return found
