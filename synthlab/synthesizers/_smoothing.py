"""Kernel smoothing of numbers drawn from the leaves of trees."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._typing import BoolArray, FloatArray, IntArray
from synthlab.synthesizers._missing import THERE, Kinds
from synthlab.synthesizers._rounding import FRACTIONS, NONE, Calendar, Rounding, grid_of, nearest, rounding_of

FEW = 20  # a variable with at most this many distinct numbers is not smoothed
FARTHEST = 40  # the bandwidth is limited by at most this many numbers on each side
SHARED = 10  # a number that at least this many records have is not smoothed
GAP = 4.0  # a gap is wide if it exceeds this many times the range of the neighboring numbers
SPIKE = 10  # a spike is a number that this many times as many records have as a usual number
NEIGHBORS = 10  # number of neighboring distinct numbers to which a gap is compared
MANY = 4  # largest number of distinct numbers that are isolated together
REPEATED = tuple(int(digit * length) for digit in "6789" for length in range(1, 8))  # 6, 66, ..., 9999999
BEFORE = tuple(10**power - k for power in range(2, 8) for k in (2, 3, 4))  # 98, 97, 96, 998, ...
LOW_CODES = frozenset(-float(code) for code in (*range(1, 10), *REPEATED, *BEFORE))
HIGH_CODES = frozenset(-float(code) for code in (*REPEATED, *BEFORE) if code > 9)  # with the sign reversed


def bandwidth(values: FloatArray) -> float:
    """Return the bandwidth by Silverman's rule of thumb; 0 for equal values."""
    if values.size < 2:
        return 0.0
    quartiles = np.quantile(values, [0.25, 0.75])
    spreads = [s for s in (values.std(ddof=1), (quartiles[1] - quartiles[0]) / 1.34) if s > 0]
    return float(0.9 * min(spreads) * values.size**-0.2) if spreads else 0.0


def bandwidths(values: FloatArray, start: IntArray) -> FloatArray:
    """Return `bandwidth` for each group ``values[start[l]:start[l + 1]]``."""
    size = np.diff(start)
    result = np.zeros(size.size)
    some = np.flatnonzero(size > 1)
    if some.size == 0:
        return result
    group = np.repeat(np.arange(size.size), size)
    ordered = values[np.lexsort((values, group))]
    first = start[:-1][size > 0]
    count = size[size > 0]
    mean = np.repeat(np.add.reduceat(ordered, first) / count, count)
    variance = np.zeros(size.size)
    variance[size > 0] = np.add.reduceat(np.square(ordered - mean), first) / np.maximum(count - 1, 1)
    deviation = np.sqrt(variance[some])
    lower, upper = (_quantile(ordered, start[some], size[some], q) for q in (0.25, 0.75))
    middle = (upper - lower) / 1.34
    spread = np.where(middle > 0, np.minimum(deviation, middle), deviation)
    result[some] = 0.9 * spread * size[some] ** -0.2
    return result


def _quantile(ordered: FloatArray, start: IntArray, size: IntArray, q: float) -> FloatArray:
    place = q * (size - 1)
    low = np.floor(place).astype(np.int64)
    left, right = ordered[start + low], ordered[start + np.minimum(low + 1, size - 1)]
    return np.asarray(left + (right - left) * (place - low), dtype=np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class Mover:
    """Rule for smoothing the rare numbers of one variable.

    Parameters
    ----------
    values : ndarray of shape (n,)
        The confidential numbers.
    rare : ndarray of bool, shape (n,)
        Whether the number of each record is rare, and therefore smoothed.
    unique : ndarray of bool, shape (n,)
        Whether no other record has the number of a record.
    near : ndarray of shape (n,)
        Half the range of the neighboring rare numbers around the number of a record, `reach` on each side; the largest
        bandwidth of its kernel.
    low, high : ndarray of shape (n,)
        Smallest and largest rare numbers on the same side of all gaps; smoothed numbers lie between them.
    width : float
        Bandwidth of all rare numbers, for leaves without a positive bandwidth.
    rounding : Rounding
        The grid and the round numbers of the variable.
    isolated : bool
        Whether some repeated numbers other than 0 lie far from all others and are therefore not smoothed.
    """

    values: FloatArray = field(repr=False)
    rare: BoolArray = field(repr=False)
    unique: BoolArray = field(repr=False)
    near: FloatArray = field(repr=False)
    low: FloatArray = field(repr=False)
    high: FloatArray = field(repr=False)
    width: float
    rounding: Rounding
    isolated: bool

    @classmethod
    def of(cls, series: pd.Series, kinds: Kinds | None, calendar: Calendar | None = None) -> Mover | None:
        """Return the rule for a confidential column, or None if no number is smoothed.

        `kinds` are the kinds of missing values of the column, and `calendar` is the meaning of its numbers if they are
        dates.
        """
        if pd.api.types.is_bool_dtype(series.dtype):
            return None
        values = _checks.as_float(series) if kinds is None else kinds.filled(series)
        there = np.ones(values.size, dtype=bool) if kinds is None else kinds.read(series) == THERE
        distinct, place, count = np.unique(values[there], return_inverse=True, return_counts=True)
        if distinct.size <= FEW:
            return None
        groups = separate(distinct, count)
        alone = groups.isolated[place]
        rare, unique = np.zeros(values.size, dtype=bool), np.zeros(values.size, dtype=bool)
        rare[there] = (count < SHARED)[place] & ~alone
        unique[there] = (count == 1)[place]
        if not rare.any():
            return None
        low, high, near = np.zeros(values.size), np.zeros(values.size), np.zeros(values.size)
        part = np.zeros(values.size, dtype=np.int64)
        part[there] = groups.number[place]
        for number in np.unique(part[rare]):
            here = rare & (part == number)
            near[here] = _half_widths(values[here], reach(values.size))
            low[here], high[here] = values[here].min(), values[here].max()
        usual = there.copy()
        usual[there] = ~alone
        moved = values[rare]
        rounding = rounding_of(values, rare, near, usual, series.dtype, calendar)
        return cls(values, rare, unique, near, low, high, bandwidth(moved), rounding, bool(values[there][alone].any()))

    def move(
        self, donors: IntArray, leaf: IntArray, start: IntArray, records: IntArray, noise: FloatArray
    ) -> FloatArray:
        """Return the numbers of the donors, with rare ones smoothed.

        The bandwidth is that of the rare numbers of the leaf. A number is rounded to the largest round unit of which
        the number of its donor is a multiple, with a bandwidth of at least this unit.
        """
        kept = self.rare[records]
        before = np.concatenate([[0], np.cumsum(kept)])
        width = bandwidths(self.values[records[kept]], before[start])
        width = np.where(width > 0, width, self.width)
        scale = np.minimum(width[leaf], self.near[donors])
        result, rare = self.values[donors], self.rare[donors]
        level = np.where(rare, self.rounding.level[donors], NONE)
        rest = rare & (level == NONE)
        result[rest] = self._on_grid(donors[rest], (result + scale * noise)[rest])
        for number, one in enumerate(self.rounding.levels):
            here = np.flatnonzero(level == number)
            who = donors[here]
            moved = self._reflected(who, result[here] + np.maximum(scale[here], one.width) * noise[here])
            unwanted = np.where(self.unique[who], self.values[who], np.nan)
            lowest, highest = self._limits(who)
            found = nearest(one, moved, lowest, highest, unwanted)
            result[here] = np.where(np.isnan(found), self._on_grid(who, moved), found)
        return self._as_in_file(result)

    def _as_in_file(self, values: FloatArray) -> FloatArray:
        """Return numbers on a grid without finite decimals with the digits of equal numbers in the file."""
        scale = self.rounding.scale
        if scale is None or scale not in FRACTIONS:
            return values
        distinct = np.unique(self.values)
        place = np.clip(np.searchsorted(distinct, values - 0.5 / scale), 0, distinct.size - 1)
        return np.where(np.abs(distinct[place] - values) < 1e-6, distinct[place], values)

    def _reflected(self, donors: IntArray, values: FloatArray) -> FloatArray:
        """Return numbers reflected at the smallest and the largest rare number around the donors."""
        low, span = self.low[donors], (self.high - self.low)[donors]
        width = np.where(span > 0, span, 1.0)
        inside = low + width - np.abs((values - low) % (2 * width) - width)
        return np.where(span > 0, inside, low)

    def _limits(self, donors: IntArray) -> tuple[FloatArray, FloatArray]:
        """Return the smallest and the largest number that can be released; on a grid, not the extremes."""
        low, high = self.low[donors], self.high[donors]
        scale = self.rounding.scale
        if scale is None:
            return low, high
        step = self.rounding.step / scale
        wide = np.rint((high - low) / step) > 1
        rare = self.values[self.rare]
        lowest = np.where(wide & (low == rare.min()), low + step / 2, low)
        return lowest, np.where(wide & (high == rare.max()), high - step / 2, high)

    def _on_grid(self, donors: IntArray, values: FloatArray) -> FloatArray:
        """Return reflected numbers; on a grid, strictly between the smallest and the largest rare number."""
        inside = self._reflected(donors, values)
        scale, step = self.rounding.scale, self.rounding.step
        if scale is None:
            return inside
        lowest, highest = self._limits(donors)
        origin = np.rint(self.low[donors] * scale)
        place = np.rint((inside * scale - origin) / step)
        first = np.ceil((lowest * scale - origin) / step - 1e-6)
        last = np.floor((highest * scale - origin) / step + 1e-6)
        return np.asarray((origin + np.clip(place, first, last) * step) / scale, dtype=np.float64)


@dataclass(frozen=True, slots=True)
class Groups:
    """Groups of the distinct numbers of a variable, separated by wide gaps.

    Parameters
    ----------
    number : ndarray of int, shape (d,)
        Number of the group of each distinct number.
    isolated : ndarray of bool, shape (d,)
        Whether a distinct number belongs to a small group of repeated numbers, such as undeclared missing codes.
    """

    number: IntArray
    isolated: BoolArray


def separate(distinct: FloatArray, count: IntArray) -> Groups:
    """Return groups of the distinct numbers.

    A gap separates two numbers if it is more than 4 times as wide as the range of the 10 nearest distinct numbers on
    one side; beside a number with very many records, such as 0, once is enough. Numbers are isolated if at most 4 of them lie between two gaps (or a gap and the end) and they are
    repeated, or if they look like codes for missing values. A few numbers that are not repeated, such as one very
    large income, are not separated, because they would then be released unchanged.
    """
    ends = _codes_at_ends(distinct, count)
    isolated = ends.copy()
    middle = np.flatnonzero(~ends)
    values, records = distinct[middle], count[middle]
    gap = np.diff(values)
    reach = np.full(values.size, np.inf)
    reach[NEIGHBORS - 1 :] = values[NEIGHBORS - 1 :] - values[: values.size - NEIGHBORS + 1]
    right = np.full(values.size, np.inf)
    right[: values.size - NEIGHBORS + 1] = values[NEIGHBORS - 1 :] - values[: values.size - NEIGHBORS + 1]
    spike = records >= max(SHARED, SPIKE * float(np.median(records)))
    times = np.where(spike[:-1] | spike[1:], 1.0, GAP)  # a gap beside a spike, such as 0, can be narrower
    cuts = np.flatnonzero(gap > times * np.minimum(reach[:-1], right[1:])) + 1
    edges: list[int] = [0, *cuts.tolist(), values.size]
    place = 0
    while place < len(edges) - 1 and len(edges) > 2:
        first, last = edges[place], edges[place + 1]
        size, total = last - first, int(records[first:last].sum())
        if size > MANY or (total >= 3 and records[first:last].min() >= 2):
            place += 1
            continue
        left = gap[first - 1] if first else np.inf
        following = gap[last - 1] if last < values.size else np.inf
        edges.remove(first if left <= following else last)
        place = max(place - 1, 0)
    number = np.zeros(distinct.size, dtype=np.int64)
    for group, (first, last) in enumerate(pairwise(edges)):
        number[middle[first:last]] = group
        isolated[middle[first:last]] = last - first <= MANY and len(edges) > 2
    return Groups(number, isolated)


def _codes_at_ends(distinct: FloatArray, count: IntArray) -> BoolArray:
    """Return which distinct numbers look like codes for missing values: at most 4 at each end."""
    found = np.zeros(distinct.size, dtype=bool)
    found[: _leading_codes(distinct, count, LOW_CODES)] = True
    found[distinct.size - _leading_codes(-distinct[::-1], count[::-1], HIGH_CODES) :] = True
    return found


def _leading_codes(values: FloatArray, count: IntArray, usual: frozenset[float]) -> int:
    """Return how many of the first numbers look like codes, by their values or because they are repeated.

    The usual codes are negative numbers before numbers >= 0, or numbers such as 999 beyond a wide gap.
    """
    for size in range(MANY, 0, -1):
        rest, records = values[size : size + NEIGHBORS], count[size : size + NEIGHBORS]
        gap, spacing = rest[0] - values[size - 1], np.diff(rest)
        wide = gap >= GAP * spacing.max()
        if usual is LOW_CODES:
            wide = rest[0] >= 0 and max(gap, np.median(spacing)) >= 5
        if wide and usual.issuperset(values[:size].tolist()):
            return size
        least = count[:size].min()
        if least >= 2 and count[:size].sum() >= 3 and least >= 3 * records.mean() and gap >= 2 * spacing.max():
            return size
    return 0


def reach(n: int) -> int:
    """Return how many rare numbers on each side limit the bandwidth in a file of n records.

    A released number then often has other neighbors than the number of its donor. With a limit of 5 in every file, many
    people are closer to released records than to other people, even if the leaves are large.
    """
    return max(SHARED // 2, round(math.sqrt(min(n, FARTHEST**2))))


def _half_widths(values: FloatArray, reach: int) -> FloatArray:
    """Return half the distance between two numbers, `reach` rare numbers below and `reach` above.

    At the ends, the smallest or largest number is used instead.
    """
    order = np.argsort(values, kind="stable")
    ordered, place = values[order], np.arange(values.size)
    span = ordered[np.minimum(place + reach, values.size - 1)] - ordered[np.maximum(place - reach, 0)]
    result = np.empty(values.size)
    result[order] = span / 2
    return result


def decimals_of(series: pd.Series) -> int | None:
    """Return the number of decimals of a column, or None if it is above 6."""
    if series.empty:
        return None
    scale = grid_of(np.unique(_checks.as_float(series)), series.dtype)[0]
    decimals = None if scale is None else round(np.log10(scale))
    return decimals if decimals is not None and scale == 10.0**decimals else None
