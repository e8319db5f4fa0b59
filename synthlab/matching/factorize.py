"""Integer codes of records that are compared by value, independent of dtypes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._system.compiled import compiled
from synthlab._typing import BoolArray, Columns, IntArray

DENSE = 2**20  # largest range of codes that are numbered by a table
_TABLE: ContextVar[dict[Any, Any] | None] = ContextVar("_TABLE", default=None)  # codes of the columns of `coded_once`


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
            codes = _renumbered(codes, largest) if largest <= DENSE else pd.factorize(codes)[0].astype(np.int64)
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


def record_counts(codes: Sequence[IntArray], counts: Sequence[IntArray] | None = None) -> list[IntArray]:
    """Return the number of records with each code, one array per file, of one length.

    A negative code equals no code and is not counted; index -1 is always 0. `counts` gives the number of records that each row
    stands for; None means 1.
    """
    size = 2 + max(int(some.max(initial=0)) for some in codes)
    found = []
    for number, some in enumerate(codes):
        weights = None if counts is None else counts[number][some >= 0]
        found.append(np.bincount(some[some >= 0], weights=weights, minlength=size).astype(np.int64))
    return found


@compiled
def _renumbered(codes: IntArray, span: int) -> IntArray:
    """Number codes below `span` in the order in which they occur."""
    number, found, levels = np.full(span, -1, dtype=np.int64), np.empty_like(codes), 0
    for i in range(codes.size):
        if number[codes[i]] < 0:
            number[codes[i]] = levels
            levels += 1
        found[i] = number[codes[i]]
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


@contextmanager
def coded_once(frames: Iterable[pd.DataFrame]) -> Iterator[None]:
    """Code each column of these frames at most once while the context is active. The frames must not be changed in it."""
    keys = (_memory(frame[column]) for frame in frames for column in frame.columns)
    token = _TABLE.set({key: None for key in keys if key is not None})
    try:
        yield
    finally:
        _TABLE.reset(token)


def _memory(series: pd.Series) -> tuple[object, ...] | None:
    """Return where the values of a column are stored, so that views of the same values are recognized."""
    values = series.array
    if isinstance(series.dtype, np.dtype):
        array = series.to_numpy()
        return array.__array_interface__["data"][0], array.strides, array.shape, array.dtype.str
    chunks = getattr(getattr(values, "_pa_array", None), "chunks", None)
    if chunks is None:
        return None
    parts = ((chunk.offset, len(chunk), *(b.address if b else 0 for b in chunk.buffers())) for chunk in chunks)
    return str(series.dtype), *parts


def _dictionary(series: pd.Series) -> tuple[IntArray, BoolArray, pd.Series]:
    """Return the position of each value in a series of distinct values, the missing mask, and the distinct values.

    The position of a missing value is not defined.
    """
    table = _TABLE.get()
    key = None if table is None else _memory(series)
    if table is None or key not in table:
        return _encoded(series)
    codes: tuple[IntArray, BoolArray, pd.Series] | None = table[key]
    if codes is None:
        codes = table[key] = _encoded(series)
    return codes


def _encoded(series: pd.Series) -> tuple[IntArray, BoolArray, pd.Series]:
    lost = _checks.missing_mask(series)
    if isinstance(series.dtype, pd.CategoricalDtype):
        return series.cat.codes.to_numpy().astype(np.int32), lost, _checks.categories_of(series)
    if isinstance(series.dtype, np.dtype) and series.dtype.kind in "iu" and len(series):
        values = series.to_numpy()
        lowest, highest = values.min(), values.max()
        if int(highest) - int(lowest) < min(DENSE, values.size):
            levels = np.arange(int(highest) - int(lowest) + 1).astype(values.dtype) + lowest
            return (values - lowest).astype(np.int32), lost, pd.Series(levels)
    texts = pd.Series(_as_objects(series), dtype=object) if series.dtype == object else series
    code, distinct = pd.factorize(texts, use_na_sentinel=True)
    return code.astype(np.int32), lost, pd.Series(distinct, dtype=distinct.dtype)


def _value_codes(columns: Sequence[pd.Series]) -> tuple[IntArray, BoolArray, int]:
    """Return value codes 0..levels - 1 (undefined if missing), the missing mask, and the levels."""
    parts = [_dictionary(series) for series in columns]
    distinct = [levels for _, _, levels in parts]
    values = _as_numbers(distinct)
    if values is None:
        values = np.concatenate([_as_objects(series) for series in distinct])
    code, uniques = pd.factorize(values)
    same, levels = _without_rounding_errors(uniques)
    begins = np.cumsum([0, *map(len, distinct)])
    own = [np.append(same[code[begin : begin + len(d)]], 0) for begin, d in zip(begins, distinct, strict=False)]
    codes = [place[positions] for place, (positions, _, _) in zip(own, parts, strict=True)]
    return np.concatenate(codes), np.concatenate([lost for _, lost, _ in parts]), levels


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
    largest = [int(series.max()) if u and len(series) else 0 for series, u in zip(present, unsigned, strict=True)]
    if max(largest) > np.iinfo(np.int64).max:
        return None
    return np.concatenate([series.to_numpy(dtype=np.int64) for series in present])


def _as_objects(series: pd.Series) -> Any:
    """Return the values as Python objects, which compare numbers of all types exactly."""
    values = series.astype(object).to_numpy()
    if any(issubclass(kind, np.generic) for kind in set(map(type, values))):
        values = np.array([v.item() if isinstance(v, np.generic) else v for v in values] + [None], dtype=object)[:-1]
    return values
