"""Confidential values, one a record: what each of them is, by a rule that looks at no other record.

A private answer has noise; an error, a warning, a dtype or a skipped check has none. So nothing here raises, warns or
takes another way because of the data: every function is a map from one value to one result, whatever the value is, and
a dtype, which other records may have changed (a missing value makes whole numbers floats), decides nothing. What can
be wrong with the arguments is checked apart, by `check_column`, `declared` and `cell_for_others`, which look at the
kind of container and at what was declared alone.
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
    """Keep back the warnings of what is done to the records: each would be an answer without noise."""
    with library_warnings("ignore"), np.errstate(all="ignore"):
        yield


def attempt(function: Callable[[Any], Any], value: Any, otherwise: Any) -> Any:
    """Return ``function(value)``, or `otherwise` where a value is such that it fails."""
    try:
        return function(value)
    except Exception:  # noqa: BLE001 - a cell can hold anything, and whether it fails is confidential
        return otherwise


def check_column(confidential: Any, name: str = "confidential") -> None:
    """Raise unless the argument is a container of one value a record; its values are not looked at."""
    if isinstance(confidential, str | bytes) or not isinstance(
        confidential, pd.Series | pd.Index | np.ndarray | Sequence
    ):
        raise InputError(f"{name}: must be one value a record, got {type(confidential).__name__}")
    if isinstance(confidential, np.ndarray) and confidential.ndim != 1:
        raise InputError(f"{name}: must be one value a record, got an array of {confidential.ndim} dimensions")


def records_of(confidential: Any, masks: Sequence[BoolArray] = ()) -> Any:
    """Return an array with the values of the records, or of those in a part, which the masks lead to.

    A part may be given the whole column, from which its rows are taken, or the values of its own records. Where the
    sizes fit neither, the first values are those of the part and what is over is dropped: an error would tell how many
    records a part has.
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
    # Not pd.Series(list): there a missing value turns the whole numbers of other records into floats.
    return np.fromiter(confidential, dtype=object, count=size)


def numbers_of(values: Any) -> FloatArray:
    """Return each value as a number; NaN for what is none: missing, text, a date, a complex number, a list."""
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
    """Return what was computed from the records as numbers, 0 in place of each that is no finite number."""
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
    """Return for each value whether it is true: a bool, or the number 1."""
    return np.asarray(numbers_of(values) == 1.0)


def places_of(values: Any, names: Sequence[Any]) -> IntArray:
    """Return the position of each value among the declared names; -1 for a value that is none of them."""
    places = {_key(name): place for place, name in enumerate(names)}
    with silence():
        found = (attempt(lambda value: places.get(_key(value), -1), value, -1) for value in values.tolist())
        return np.fromiter(found, dtype=np.int64, count=values.size)


def _key(value: Any) -> Any:
    """Return what a value is looked up by: True is not 1, and a date or duration of NumPy is that of pandas."""
    if isinstance(value, bool | np.bool_):
        return TRUTH, bool(value)
    if isinstance(value, np.timedelta64):
        return pd.Timedelta(value)
    return pd.Timestamp(value) if isinstance(value, np.datetime64) else value


def declared(categories: Any, name: str) -> tuple[Any, ...]:
    """Return the declared categories, distinct and none of them missing."""
    if isinstance(categories, str) or not isinstance(categories, Sequence | np.ndarray | pd.Index):
        raise InputError(f"{name}={_checks.shown(categories)}: must be a sequence of every value that may occur")
    if isinstance(categories, np.ndarray) and categories.ndim != 1:
        raise InputError(f"{name}: must be a sequence of values, got shape {categories.shape}")
    if not 0 < len(categories) <= MOST_CATEGORIES:
        raise InputError(f"{name}: must be at least one value, and at most {MOST_CATEGORIES:,}")
    # Through an index, an array of datetime64 becomes Timestamps, not whole numbers.
    names = tuple(pd.Index(categories).tolist() if isinstance(categories, np.ndarray | pd.Index) else categories)
    _checks.check_values(pd.Series(names, dtype=object), name)
    for text in (v for v in names if isinstance(v, str)):
        _checks.check_text(text, name)
    if any(map(is_missing, names)):
        raise InputError(f"{name}: holds a missing value, which is no category; a missing value is one not declared")
    if len(set(map(_key, names))) < len(names):
        raise InputError(f"{name}: must be at least one value, and none of them twice")
    return names


def cell_for_others(other: Any, names: Sequence[Any], name: str = "other") -> None:
    """Raise unless `other` is None, or a name of its own for what is none of `names`."""
    if other is None:
        return
    if callable(other) or not attempt(lambda value: isinstance(hash(value), int), other, False) or is_missing(other):
        raise InputError(f"{name}: must be one value that can be looked up, and not a missing one")
    if isinstance(other, str):
        _checks.check_text(other, name)
    if _key(other) in set(map(_key, names)):
        raise InputError(f"{name}={_checks.shown(other)}: is one of the categories")


def is_missing(value: Any) -> bool:
    """Say whether one value is missing."""
    return bool(pd.api.types.is_scalar(value) and pd.isna(value))


def numbers_array(value: Any, name: str) -> FloatArray:
    """Return an array of finite numbers, or raise and show none of its values."""
    _checks.check_unmasked(value, name)
    given = attempt(np.asarray, value, None)
    if value is None or given is None or given.dtype.kind not in "iufO":
        raise InputError(f"{name}: must be a finite number or an array of them, got {type(value).__name__}")
    found = numbers_of(given.ravel()).reshape(given.shape)
    if not np.isfinite(found).all():
        raise InputError(f"{name}: must be finite, and {int((~np.isfinite(found)).sum()):,} of {found.size:,} are not")
    return found
