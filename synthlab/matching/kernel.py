"""Matching kernel: counts of the records in the block and the box (or ball) of each target.

Records are blocked on the variables compared by value (one integer code per record). Within a block, records are sorted on
each variable that is compared within an interval. The ends of the targets' intervals are sorted too, and merging both lists
gives the records in each interval. With at most one such variable the cost is O(n log n) for the whole file. With k such
variables, either the blocks are divided (`range_counting`, O(n log^(k - 1) n)), or the most selective variable is scanned and
the others are compared, whichever is cheaper (`halving_pays`). Balls are scanned, at a cost of at most n times the
largest block.

The functions take arrays.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from synthlab._system.compiled import compiled
from synthlab._typing import BoolArray, FloatArray, IntArray
from synthlab.matching import range_counting
from synthlab.matching.factorize import block_codes as block_codes, record_counts as record_counts
from synthlab.matching.range_counting import Runs


@dataclass(frozen=True, slots=True, eq=False)
class Intervals:
    """Ends and centers of the intervals of the targets, for k variables.

    lower, upper : (n_targets, k). closed : whether the intervals include their ends. With `scaled`, the box is replaced by
    the ball sum_j ((z_j - centre_j) / half_width_j)^2 <= 1 (< 1 if open), and lower and upper are its extent.
    """

    lower: FloatArray
    upper: FloatArray
    centre: FloatArray
    half_width: FloatArray
    closed: bool
    scaled: bool = False

    def reach(self) -> tuple[FloatArray, FloatArray]:
        """Return the ends of the search intervals, slightly wider than a ball.

        The extent y + d of a ball and the relative distance abs(z - y) / d have different rounding errors. Records at the
        edge must be candidates, because the distance decides whether they match.
        """
        if not self.scaled:
            return self.lower, self.upper
        slack = 1e-15 * (np.abs(self.centre) + self.half_width)
        return self.lower - slack, self.upper + slack

    def take(self, rows: IntArray) -> Intervals:
        """Return the intervals of a subset of the targets."""
        ends = (self.lower[rows], self.upper[rows], self.centre[rows], self.half_width[rows])
        return Intervals(*ends, self.closed, self.scaled)


def match_counts(
    target_codes: IntArray, targets: IntArray, codes: IntArray, values: FloatArray, intervals: Intervals | None,
    ends: IntArray | None = None,
) -> tuple[IntArray, BoolArray]:  # fmt: skip
    """Count the records that match each target, and return whether its own record matches.

    Parameters
    ----------
    target_codes : (n,) block codes of the confidential records
    targets : (t,) row positions of the targets
    codes : (n,) block codes of the released records
    values : (n, k) values of the k interval variables in the released records
    intervals : intervals of the targets, (t, k); None if k = 0
    ends : `ends_in_order` of the targets, if already computed for another dataset

    Returns
    -------
    count : (t,) number of matching released records
    own : (t,) whether released record ``targets[i]`` matches
    """
    key = target_codes[targets]
    if intervals is None:
        starts, stops = _blocks(np.sort(codes), key)
        return stops - starts, codes[targets] == key
    own = (codes[targets] == key) & _inside(values[targets], intervals)
    orders, runs = sort_and_search(codes, values, key, intervals, ends, kind="quicksort")
    if values.shape[1] == 1:
        return np.maximum(runs.last - runs.first, 0)[:, 0], own
    halved, scanned = divide_or_scan(runs, codes.size, intervals)
    count = np.zeros(key.size, dtype=np.int64)
    if halved.size:
        count[halved] = range_counting.count_inside(orders, runs.take(halved))
    if scanned.size:
        stacked = np.stack([values[order] for order in orders])
        _count_many(
            count, scanned, stacked, *runs.narrowest(), intervals.lower, intervals.upper,
            intervals.centre, intervals.half_width, intervals.closed, intervals.scaled,
        )  # fmt: skip
    return count, own


def sort_and_search(
    codes: IntArray, values: FloatArray, key: IntArray, intervals: Intervals, ends: IntArray | None = None,
    kind: Literal["quicksort", "stable"] = "stable",
) -> tuple[IntArray, Runs]:  # fmt: skip
    """Return the records sorted by block and each variable, (k, n), and the runs of intervals.

    A run contains the records of the block `key` whose value is in the interval. Records with equal values are in row order if
    `kind` is "stable", and otherwise in arbitrary order.
    """
    orders = _by_block(codes, values.T, kind)
    starts, stops = _blocks(codes[orders[0]], key)
    columns = np.stack([values[order, j] for j, order in enumerate(orders)])
    ends = ends_in_order(key, intervals) if ends is None else ends
    return orders, Runs(starts, stops, *_searched(columns, starts, stops, ends, *intervals.reach(), intervals.closed))


def ends_in_order(key: IntArray, intervals: Intervals) -> IntArray:
    """Return targets sorted by block and lower end, then by block and upper end, (2 k, t)."""
    return _by_block(key, np.concatenate([end.T for end in intervals.reach()]), "quicksort")


def _by_block(codes: IntArray, columns: FloatArray, kind: Literal["quicksort", "stable"]) -> IntArray:
    """Return the rows sorted by code and each column."""
    orders = [np.argsort(column, kind=kind) for column in columns]
    if codes.size and codes.min() < codes.max():
        small = codes.astype(np.uint16) if codes.min() >= 0 and codes.max() < 2**16 else codes  # sorted in O(n)
        orders = [order[np.argsort(small[order], kind="stable")] for order in orders]
    return np.stack(orders)


def divide_or_scan(runs: Runs, n: int, intervals: Intervals) -> tuple[IntArray, IntArray]:
    """Return the targets for which dividing the block is cheaper, and those to scan."""
    if intervals.scaled:
        return np.empty(0, dtype=np.int64), np.arange(runs.start.size)
    pays = runs.halving_pays(n)
    return np.flatnonzero(pays), np.flatnonzero(~pays)


@compiled
def _blocks(codes: IntArray, key: IntArray) -> tuple[IntArray, IntArray]:
    """Return start and stop of the run of each key in the sorted codes; (0, 0) if absent."""
    starts, stops = np.zeros(key.size, dtype=np.int64), np.zeros(key.size, dtype=np.int64)
    lowest, span = codes[0], codes[-1] - codes[0] + 1
    if span > 4 * codes.size:
        first, last = np.searchsorted(codes, key), np.searchsorted(codes, key, side="right")
        for i in range(key.size):
            if first[i] < last[i]:
                starts[i], stops[i] = first[i], last[i]
        return starts, stops
    run = np.zeros((span, 2), dtype=np.int64)  # faster than a search if the codes are dense
    for place in range(codes.size):
        code = codes[place] - lowest
        if run[code, 1] == 0:
            run[code, 0] = place
        run[code, 1] = place + 1
    for i in range(key.size):
        code = key[i] - lowest
        if 0 <= code < span:
            starts[i], stops[i] = run[code]
    return starts, stops


def _inside(values: FloatArray, intervals: Intervals) -> BoolArray:
    """Return whether values[i] is in interval i, for each row i."""
    if intervals.scaled:
        return np.asarray(_ball_distance(values, intervals.centre, intervals.half_width, intervals.closed))
    if intervals.closed:
        inside = (values >= intervals.lower) & (values <= intervals.upper)
    else:
        inside = (values > intervals.lower) & (values < intervals.upper)
    return np.asarray(inside.all(axis=1), dtype=bool)


@compiled
def _ball_distance(values: FloatArray, centre: FloatArray, half_width: FloatArray, closed: bool) -> BoolArray:
    inside: BoolArray = np.zeros(values.shape[0], dtype=np.bool_)
    for i in range(values.shape[0]):
        inside[i] = _in_ball(values[i], centre[i], half_width[i], closed)
    return inside


@compiled
def _in_ball(point: FloatArray, centre: FloatArray, half_width: FloatArray, closed: bool) -> bool:
    distance = 0.0
    for j in range(point.shape[0]):
        gap = abs(point[j] - centre[j])
        if not gap >= 0.0:
            return False
        if half_width[j] > 0.0:
            distance += (gap / half_width[j]) ** 2
        elif gap > 0.0 or not closed:
            return False
    return distance <= 1.0 if closed else distance < 1.0


@compiled
def _searched(
    columns: FloatArray, starts: IntArray, stops: IntArray, ends: IntArray, lower: FloatArray, upper: FloatArray,
    closed: bool,
) -> tuple[IntArray, IntArray]:  # fmt: skip
    """Return the positions [first, last) of each interval in its block, (targets, k)."""
    # NaN is sorted last in its block and fails every comparison, so that it is in no run.
    k = columns.shape[0]
    first, last = np.zeros(lower.shape, dtype=np.int64), np.zeros(lower.shape, dtype=np.int64)
    for j in range(k):
        _merge_ends(columns[j], starts, stops, ends[j], lower[:, j], not closed, first[:, j])
        _merge_ends(columns[j], starts, stops, ends[k + j], upper[:, j], closed, last[:, j])
        for i in range(starts.size):
            # An interval with a NaN end, or with lower > upper, is empty.
            if not lower[i, j] <= upper[i, j]:
                first[i, j] = last[i, j] = 0
            last[i, j] = max(first[i, j], last[i, j])
    return first, last


@compiled
def _merge_ends(
    column: FloatArray,
    starts: IntArray,
    stops: IntArray,
    order: IntArray,
    ends: FloatArray,
    strictly: bool,
    found: IntArray,
) -> None:
    """Find the first position in each block with value >= the end (> if `strictly`).

    The ends must be sorted by `order`.
    """
    at = 0
    for t in range(order.size):
        i = order[t]
        if starts[i] == stops[i]:
            continue
        at, end = max(at, starts[i]), ends[i]
        while at < stops[i] and (column[at] < end or (strictly and column[at] == end)):
            at += 1
        found[i] = at


@compiled
def _count_many(
    count: IntArray, which: IntArray, stacked: FloatArray, best: IntArray, first: IntArray, last: IntArray, lower: FloatArray, upper: FloatArray,
    centre: FloatArray, half_width: FloatArray, closed: bool, scaled: bool,
) -> None:  # fmt: skip
    """Count the matches of the targets `which` among their candidates.

    The candidates are the records [first, last) in the order of variable `best`.
    """
    for i in which:
        found = 0
        for h in range(first[i], last[i]):
            if scaled:
                found += _in_ball(stacked[best[i], h], centre[i], half_width[i], closed)
            else:
                found += _in_box(stacked[best[i], h], lower[i], upper[i], closed)
        count[i] = found


@compiled
def _in_box(point: FloatArray, lower: FloatArray, upper: FloatArray, closed: bool) -> bool:
    for j in range(point.size):
        if closed:
            if not (point[j] >= lower[j] and point[j] <= upper[j]):
                return False
        elif not (point[j] > lower[j] and point[j] < upper[j]):
            return False
    return True
