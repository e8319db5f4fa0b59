"""Detection of undeclared codes of missing values, such as -9, 999998 or 9999-12-31."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import pandas as pd

from synthlab._checks._value_types import kind_of
from synthlab._typing import FloatArray, IntArray

SHAPES = re.compile(r"-[1-9]|-?(?:9+[6-9]|88+|77+|66+)")  # -1, ..., -9, 88, 998, -99, 999998, ...
FEWEST_OTHER = 10  # smallest number of records with other values
MOST_CODES = 4  # largest number of codes on one side
FAR = 10  # a gap this many times the largest gap between other values is far
DATES = ("0001-01-01", "1800-01-01", "1900-01-01", "2099-12-31", "2999-12-31", "9999-01-01", "9999-12-31")


def undeclared_codes(series: pd.Series, declared: Sequence[float] = ()) -> list[float] | list[str]:
    """Return repeated values of a column far from all others that look like codes; ignore declared codes.

    A value looks like a code if it occurs at least twice, has a typical form (-9, 99, 998, 9999-12-31, ...), and is
    farther from the other values than their range, or than 10 times the largest gap between them. A code of -7 or less
    is also reported if all other values are nonnegative.

    Examples
    --------
    >>> undeclared_codes(pd.Series([5, 12, 7, 30, 31, 22] * 3 + [-9, -9, 999, 999]))
    [-9, 999]
    >>> undeclared_codes(pd.Series(["1960-05-01"] * 20)), undeclared_codes(pd.Series([-1, 0, 1, 2] * 10))
    ([], [])
    """
    series = series[~series.isin(list(declared))] if len(declared) else series
    kind = kind_of(series)
    if kind == "date" and series.dtype.kind == "M":
        return _dates(series)
    if kind != "number" or isinstance(series.dtype, pd.CategoricalDtype) or series.dtype.kind not in "iuf":
        return []
    if not (_looks_like_code(series.min()) or _looks_like_code(series.max())):
        return []
    counts = series.value_counts().sort_index()
    values, often = counts.index.to_numpy(dtype=float), counts.to_numpy().astype(np.int64)
    below, above = _possible_codes(values, often, -1), _possible_codes(values[::-1], often[::-1], 1)
    low = next((i for i in range(below, 0, -1) if _far(values[i - 1], values[i:], often[i:])), 0)
    rest, times = values[low:], often[low:]
    high = next((i for i in range(above, 0, -1) if _far(rest[-i], rest[:-i], times[:-i])), 0)
    codes: list[float] = [int(value) for value in (*values[:low], *rest[len(rest) - high :])]
    return codes


def _looks_like_code(value: float) -> bool:
    return abs(value) < 1e15 and float(value).is_integer() and SHAPES.fullmatch(f"{value:.0f}") is not None


def _possible_codes(values: FloatArray, often: IntArray, sign: int) -> int:
    """Return how many of the first values can be codes of this sign."""
    for place, (value, times) in enumerate(zip(values[:MOST_CODES], often[:MOST_CODES], strict=True)):
        if times < 2 or value * sign <= 0 or not _looks_like_code(value):
            return place
    return min(MOST_CODES, len(values))


def _far(code: float, rest: FloatArray, often: IntArray) -> bool:
    """Return whether a possible code is far from all other values, which ascend."""
    if len(rest) < 2 or often.sum() < FEWEST_OTHER:
        return False
    gap = rest[0] - code if code < rest[0] else code - rest[-1]
    if gap > rest[-1] - rest[0] or gap > FAR * np.diff(rest).max():
        return True
    return code <= -7 and bool(rest[0] >= 0)


def _dates(series: pd.Series) -> list[str]:
    counts = series.value_counts()
    days = pd.DatetimeIndex(counts.index).strftime("%Y-%m-%d")
    known = days.isin(DATES) & (counts.to_numpy() >= 2)
    rest = counts.index[~days.isin(DATES)]
    if not known.any() or counts[~known].sum() < FEWEST_OTHER or len(rest) < 2:
        return []
    low, high = rest.min(), rest.max()
    least = max(high - low, pd.Timedelta(days=365))
    return sorted(
        day
        for day, date, one in zip(days, counts.index, known, strict=True)
        if one and (low - date >= least or date - high >= least)
    )
