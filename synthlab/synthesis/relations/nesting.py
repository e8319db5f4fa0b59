"""Codes that are nested in other codes, such as districts in provinces, and other functions of one column."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._typing import BoolArray, FloatArray, IntArray
from synthlab.synthesis import _variable_types
from synthlab.synthesis._nominal import is_nominal
from synthlab.synthesis.relations.values import Values

CODED = (_variable_types.CATEGORY, _variable_types.TRUTH, _variable_types.NUMBER)
REPEATS = 50  # smallest number of records whose code occurs in an earlier record
EVENLY = 0.5  # share of the runs of a random arrangement, from which the codes are in no order
GROUPED = 0.7  # largest number of groups per code; with more, the other column is another notation of the number
DIGITS = 3  # smallest number of digits of codes whose first digits are the code of a group


def codes_of(series: pd.Series) -> IntArray:
    """Return the number of the level of each record; -1 where it is missing."""
    return np.asarray(pd.factorize(series)[0], dtype=np.int64)


def levels_of(values: Values, column: str) -> IntArray:
    """Return the number of the level of each record of a column; numbers are equal up to rounding errors."""
    numbers = values.numbers.get(column)
    return codes_of(values.frame[column] if numbers is None else pd.Series(numbers))


def agrees(keys: IntArray, levels: IntArray) -> tuple[BoolArray, BoolArray]:
    """Return which records have a key and a level, and which have the most frequent level of their key.

    >>> import numpy as np
    >>> agrees(np.array([0, 0, 0, 1, -1]), np.array([5, 5, 6, -1, 5]))[1].tolist()
    [True, True, False, False, False]
    """
    both = (keys >= 0) & (levels >= 0)
    holds = np.zeros(len(keys), dtype=bool)
    if not both.any():
        return both, holds
    width = int(levels.max()) + 1
    found, place, count = np.unique(keys[both] * width + levels[both], return_inverse=True, return_counts=True)
    order = np.lexsort((-count, found // width))
    usual = np.zeros(len(found), dtype=bool)
    usual[order[np.unique(found[order] // width, return_index=True)[1]]] = True
    holds[np.flatnonzero(both)] = usual[place]
    return both, holds


def nested_pairs(values: Values, rows: IntArray) -> Iterator[tuple[str, str, bool]]:
    """Yield pairs of columns (a, b) in which each value of a occurs with only one value of b in some records.

    The last item is whether the reverse holds too.
    """
    names = [c for c in values.frame.columns if values.role[c] in CODED]
    if not names:
        return
    table = np.stack([levels_of(values, c)[np.sort(rows)] for c in names], axis=1)
    counts = [np.unique(column[column >= 0]).size for column in table.T]
    determined: dict[int, set[int]] = {}
    for place in range(len(names)):
        known = np.flatnonzero(table[:, place] >= 0)
        if counts[place] < 2 or known.size - counts[place] < min(REPEATS, known.size // 2):
            continue
        order = known[np.argsort(table[known, place], kind="stable")]
        first = np.flatnonzero(np.diff(table[order, place], prepend=-1))
        sorted_ = table[order]
        high = np.maximum.reduceat(sorted_, first, axis=0)
        low = np.minimum.reduceat(np.where(sorted_ < 0, np.iinfo(np.int64).max, sorted_), first, axis=0)
        single = ((high < 0) | (high == low)).all(axis=0)
        determined[place] = {
            i for i in np.flatnonzero(single).tolist() if i != place and 2 <= counts[i] <= counts[place]
        }
    for place, others in determined.items():
        for other in sorted(others, key=lambda i: (-counts[i], i)):
            yield names[place], names[other], place in determined.get(other, ())


def nominal_sources(pairs: Sequence[tuple[str, str]], values: Values) -> frozenset[str]:
    """Return the numbers that are codes, because each of them occurs with one value of another column.

    A number that the other column divides into a few intervals, such as an age and its age group, is a measurement,
    unless its form is that of a code: the first digits of codes of equal length are the code of the group.
    """
    found = set()
    for source, result in pairs:
        if values.role[source] != _variable_types.NUMBER or source not in values.numbers:
            continue
        known = values.frame[[source, result]].dropna()
        numbers = _checks.as_float(known[source])
        if not (numbers == np.rint(numbers)).all() or numbers.min(initial=0.0) < 0:
            continue
        distinct, first = np.unique(numbers, return_index=True)
        groups = codes_of(known[result])[first]
        grouped = np.unique(groups).size <= GROUPED * distinct.size
        if _is_scattered(groups) or (
            grouped and (_has_group_digits(distinct, groups) or is_nominal(values.frame[source]))
        ):
            found.add(source)
    return frozenset(found)


def _is_scattered(groups: IntArray) -> bool:
    """Return whether groups do not divide sorted numbers into few intervals."""
    levels, counts = np.unique(groups, return_counts=True)
    runs = 1 + int((np.diff(groups) != 0).sum())
    expected = 1 + groups.size * (1 - np.square(counts / groups.size).sum())
    return bool(runs > levels.size and runs >= EVENLY * expected)


def _has_group_digits(distinct: FloatArray, groups: IntArray) -> bool:
    """Return whether the first digits of codes determine the group, and are determined by it.

    The codes have at least 3 digits, all the same number of them, or are numbered from the start of each group.
    """
    whole = distinct.astype(np.int64)
    length = {len(str(code)) for code in (whole[0], whole[-1])}
    for divisor in (10, 100, 1_000, 10_000, 100_000):
        heads = whole // divisor
        starts = np.flatnonzero(np.diff(groups, prepend=-1))
        if starts.size != np.unique(groups).size or heads[-1] == 0:
            break
        if not np.array_equal(np.flatnonzero(np.diff(heads, prepend=-1)), starts):
            continue
        if len(length) == 1 and length.copy().pop() >= DIGITS and divisor > 1:
            rests = whole % divisor
            return divisor == 10 or _are_counted(rests, starts, divisor)
        return divisor >= 100 and _are_counted(whole % divisor, starts, divisor)
    return False


def _are_counted(rests: IntArray, starts: IntArray, divisor: int) -> bool:
    """Return whether the last digits are mostly small, as if the codes of each group were counted from 0 or 1."""
    sizes = [stop - start for start, stop in pairwise([*starts.tolist(), rests.size])]
    largest = np.maximum.reduceat(rests, starts)
    return bool(np.median(largest) <= divisor / 2 or np.median(np.array(sizes) / (largest + 1)) >= EVENLY)
