"""Integer codes of records that are compared by value, independent of dtypes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._typing import BoolArray, Columns, IntArray


DENSE = 2**20  # largest range of codes that are not numbered again


def block_codes(frames: Sequence[Columns], columns: Sequence[str], missing: str = "raise") -> list[IntArray]:
    """Return one code per record of each frame; equal codes mean equal values in `columns`.

    Codes are comparable across frames. Numbers are equal if their exact values are equal, independent of their dtypes, or if
    they differ only by the rounding error of a computation, such as 3.3 and 1.1 + 2.2. With ``missing="never"`` a record with a missing value gets a unique negative code, which differs between frames, so that it
    matches no record.
    """
    columns = list(columns)
    source = _sources(frames, columns)
    kept = [frame for number, frame in enumerate(frames) if source[number] == number]
    sizes = [len(f) for f in kept]
    codes = np.zeros(sum(sizes), dtype=np.int64)
    lost = np.zeros(codes.size, dtype=bool)
    largest = 1
    for number, column in enumerate(columns, start=1):
        code, absent, levels = _value_codes([f[column] for f in kept])
        lost |= absent
        code[absent] = levels
        codes = codes * np.int64(levels + 1) + code
        largest *= levels + 1
        # Factorizing keeps the codes below n, so that the product cannot overflow.
        if number == len(columns) or largest > DENSE:
            codes = pd.factorize(codes)[0].astype(np.int64)
            largest = codes.size
    ends = np.cumsum(sizes)[:-1]
    place = {number: position for position, number in enumerate(sorted(set(source)))}
    parts, absences = np.split(codes, ends), np.split(lost, ends)
    found = [parts[place[number]] for number in source]
    if missing == "never" and lost.any():
        begins = np.cumsum([0, *map(len, frames)])
        for number, begin in enumerate(begins[:-1]):
            absent = absences[place[source[number]]]
            found[number] = np.where(absent, -1 - begin - np.arange(absent.size), found[number])
    return found


def _sources(frames: Sequence[Columns], columns: Sequence[str]) -> list[int]:
    """Return, for each frame, 0 if its columns equal those of the first frame, else its index.

    Known variables are released unchanged, so that most frames can reuse the codes of the first frame.
    """
    return [0 if number == 0 or all_equal(frames[0], [f], columns) else number for number, f in enumerate(frames)]


def all_equal(frame: Columns, others: Iterable[Columns], columns: Sequence[str]) -> bool:
    """Return whether the columns of all frames have equal values and dtypes; False for objects, which are not compared."""
    first = [frame[column] for column in columns]
    if any(series.dtype == object for series in first):
        return False
    return all(
        other is frame
        or (len(other) == len(frame) and all(_equal(own, other[c]) for own, c in zip(first, columns, strict=True)))
        for other in others
    )


def _equal(own: pd.Series, other: pd.Series) -> bool:
    if own.dtype != other.dtype:
        return False
    if isinstance(own.dtype, np.dtype) and own.dtype.kind in "biuf":
        return np.array_equal(own.to_numpy(), other.to_numpy(), equal_nan=own.dtype.kind == "f")
    return bool(own.array.equals(other.array))


def _value_codes(columns: Sequence[pd.Series]) -> tuple[IntArray, BoolArray, int]:
    """Return value codes 0..levels - 1 (-1 if missing), the missing mask, and the levels."""
    plain = [_without_categories(series) for series in columns]
    lost = np.concatenate([_checks.missing_mask(series) for series in plain])
    values = _as_numbers(plain)
    if values is None:
        values = np.concatenate([_as_objects(series) for series in plain])
    if values.dtype.kind in "iu" and values.size and int(values.max()) - int(values.min()) < min(DENSE, values.size):
        lowest, levels = values.min(), int(values.max()) - int(values.min()) + 1
        return np.where(lost, -1, values - lowest).astype(np.int64), lost, levels
    code, uniques = pd.factorize(values, use_na_sentinel=True)
    same, levels = _without_rounding_errors(uniques)
    # Index -1, a missing value, refers to the last element.
    return np.append(same, -1)[code], lost, levels


def _without_rounding_errors(values: Any) -> tuple[IntArray, int]:
    """Return one code per distinct value, which is equal for numbers that differ only by rounding errors; and the codes."""
    floats = np.arange(len(values)) if values.dtype.kind == "f" else np.zeros(0, dtype=np.int64)
    if values.dtype == object:
        floats = np.array([place for place, value in enumerate(values) if isinstance(value, float)], dtype=np.int64)
    found = values[floats].astype(np.float64)
    short = _checks.without_rounding_errors(found)
    if (short == found).all():
        return np.arange(len(values)), len(values)
    values = values.copy()
    values[floats] = short
    code, uniques = pd.factorize(values)
    return code.astype(np.int64), len(uniques)


def _without_categories(series: pd.Series) -> pd.Series:
    if not isinstance(series.dtype, pd.CategoricalDtype):
        return series
    values, codes = _checks.categories_of(series), series.cat.codes.to_numpy()
    if (codes >= 0).all():
        return values.iloc[codes]
    if _checks.is_whole(values.dtype):
        values = values.astype("UInt64" if pd.api.types.is_unsigned_integer_dtype(values.dtype) else "Int64")
    elif not pd.api.types.is_float_dtype(values.dtype):
        values = values.astype(object)
    return values.reset_index(drop=True).reindex(np.where(codes < 0, len(values), codes))


def _as_numbers(columns: Sequence[pd.Series]) -> Any:
    """Return all values in one exact numeric array, or None if no numeric dtype is exact.

    A missing value is 0 or NaN.
    """
    whole = [_checks.is_whole(series.dtype) for series in columns]
    if not all(whole):
        floats = [pd.api.types.is_float_dtype(series.dtype) for series in columns]
        exact = (f or (w and not _checks.beyond_float(s)) for s, f, w in zip(columns, floats, whole, strict=True))
        return np.concatenate([_checks.as_float(series) for series in columns]) if all(exact) else None
    present = [series.fillna(0) if series.hasnans else series for series in columns]
    unsigned = [pd.api.types.is_unsigned_integer_dtype(series.dtype) for series in present]
    if all(unsigned):
        return np.concatenate([series.to_numpy(dtype=np.uint64) for series in present])
    if any(u and series.max() > np.iinfo(np.int64).max for series, u in zip(present, unsigned, strict=True)):
        return None
    return np.concatenate([series.to_numpy(dtype=np.int64) for series in present])


def _as_objects(series: pd.Series) -> Any:
    """Return the values as Python objects, which compare numbers of all types exactly."""
    values = series.astype(object).to_numpy()
    if any(issubclass(kind, np.generic) for kind in set(map(type, values))):
        values = np.array([v.item() if isinstance(v, np.generic) else v for v in values] + [None], dtype=object)[:-1]
    return values
