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


@dataclass(frozen=True, slots=True, eq=False)
class SortedEnds:
    """Ends of the intervals of t targets, sorted within blocks.

    by_value : (k, t) targets sorted by block and center. orders : (2 k, t) targets sorted by block and lower end, then by block
    and upper end. ends : (2 k, t) these ends. keys, cuts : block codes, and the start of each block (followed by t). block :
    (t,) position in `keys` of the block of each target.
    """

    by_value: IntArray
    orders: IntArray
    ends: FloatArray
    keys: IntArray
    cuts: IntArray
    block: IntArray


def match_counts(
    target_codes: IntArray, targets: IntArray, codes: IntArray, values: FloatArray, intervals: Intervals | None,
    ends: SortedEnds | None = None, orders: IntArray | None = None,
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
    orders : (k, n) records sorted by block and each variable, if already computed

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
    orders, runs = sort_and_search(codes, values, key, intervals, ends, orders, kind="quicksort")
    if values.shape[1] == 1:
        return (runs.last - runs.first)[:, 0], own
    halved, scanned = divide_or_scan(runs, codes.size, intervals)
    count = np.zeros(key.size, dtype=np.int64)
    if halved.size:
        count[halved] = range_counting.count_inside(orders, runs.take(halved))
    if scanned.size and intervals.scaled:
        stacked = np.stack([values[order] for order in orders])
        ball = (intervals.centre, intervals.half_width, intervals.closed)
        _count_in_balls(count, scanned, stacked, *runs.narrowest(), *ball)
    elif scanned.size:
        ranked = range_counting.ranks(orders)
        ends_as_ranks = (one.astype(ranked.dtype) for one in (runs.first, runs.last))
        _count_in_boxes(count, scanned, ranked, *runs.narrowest(), *ends_as_ranks)
    return count, own


def sort_and_search(
    codes: IntArray, values: FloatArray, key: IntArray, intervals: Intervals, ends: SortedEnds | None = None,
    orders: IntArray | None = None, kind: Literal["quicksort", "stable"] = "stable",
) -> tuple[IntArray, Runs]:  # fmt: skip
    """Return the records sorted by block and each variable, (k, n), and the runs of intervals.

    A run contains the records of the block `key` whose value is in the interval. Records with equal values are in row order if
    `kind` is "stable", and otherwise in arbitrary order.
    """
    orders = _by_block(codes, values.T, kind) if orders is None else orders
    ends = ends_in_order(key, intervals) if ends is None else ends
    starts, stops = _blocks(codes[orders[0]], ends.keys)
    columns = np.stack([values[order, j] for j, order in enumerate(orders)])
    first, last = _searched(
        columns, starts, stops, ends.cuts, ends.orders, ends.ends, *intervals.reach(), intervals.closed
    )
    return orders, Runs(starts[ends.block], stops[ends.block], first, last)


def ends_in_order(key: IntArray, intervals: Intervals) -> SortedEnds:
    """Return the targets sorted by block and by each end of their intervals.

    The ends usually have the order of the centers. Only the other ends are sorted.
    """
    by_value = _by_block(key, intervals.centre.T, "quicksort")
    sorted_key = key[by_value[0]]
    cuts = np.concatenate([[0], np.flatnonzero(np.diff(sorted_key)) + 1, [key.size]])
    block = np.empty(key.size, dtype=np.int64)
    block[by_value[0]] = np.repeat(np.arange(cuts.size - 1), np.diff(cuts))
    orders, ends = [], []
    for columns in intervals.reach():
        for order, column in zip(by_value, columns.T, strict=True):
            if not _ascending(column[order], cuts):
                (order,) = _by_block(key, column[None], "quicksort")
            orders.append(order)
            ends.append(column[order])
    return SortedEnds(by_value, np.stack(orders), np.stack(ends), sorted_key[cuts[:-1]], cuts, block)


@compiled
def _ascending(column: FloatArray, cuts: IntArray) -> bool:
    """Return whether the values of each block are sorted, with NaN last."""
    for b in range(cuts.size - 1):
        for p in range(cuts[b] + 1, cuts[b + 1]):
            if not (column[p] >= column[p - 1] or np.isnan(column[p])):
                return False
    return True


def _by_block(codes: IntArray, columns: FloatArray, kind: Literal["quicksort", "stable"]) -> IntArray:
    """Return the rows sorted by code and each column."""
    orders = np.stack([np.argsort(column, kind=kind) for column in columns])
    lowest, highest = (codes.min(), codes.max()) if codes.size else (0, 0)
    if highest - lowest > 4 * codes.size:
        return np.stack([order[np.argsort(codes[order], kind="stable")] for order in orders])
    return orders if lowest == highest else _grouped(orders, codes, lowest, highest - lowest + 1)


@compiled
def _grouped(orders: IntArray, codes: IntArray, lowest: int, span: int) -> IntArray:
    """Sort each order by code and keep the order within equal codes."""
    small = (codes - lowest).astype(np.int32)
    begin = np.zeros(span + 1, dtype=np.int64)
    for code in small:
        begin[code + 1] += 1
    for code in range(span):
        begin[code + 1] += begin[code]
    grouped = np.empty_like(orders)
    for j in range(orders.shape[0]):
        place = begin.copy()
        for row in orders[j]:
            code = small[row]
            grouped[j, place[code]] = row
            place[code] += 1
    return grouped


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
    columns: FloatArray, starts: IntArray, stops: IntArray, cuts: IntArray, orders: IntArray, ends: FloatArray,
    lower: FloatArray, upper: FloatArray, closed: bool,
) -> tuple[IntArray, IntArray]:  # fmt: skip
    """Return the positions [first, last) of each interval in its block, (targets, k)."""
    # NaN is sorted last in its block and fails every comparison, so that it is in no run.
    k = columns.shape[0]
    found = np.zeros((lower.shape[0], k, 2), dtype=np.int64)
    for j in range(k):
        for side in range(2):
            # The first position in the block with value >= the end (> if `strictly`).
            strictly, column, end, order = closed == (side == 1), columns[j], ends[side * k + j], orders[side * k + j]
            for b in range(starts.size):
                at, stop = starts[b], stops[b]
                for t in range(cuts[b], cuts[b + 1]):
                    while at < stop and (column[at] < end[t] or (strictly and column[at] == end[t])):
                        at += 1
                    found[order[t], j, side] = at
        for i in range(lower.shape[0]):
            # An interval with a NaN end, or with lower > upper, is empty.
            if not lower[i, j] <= upper[i, j]:
                found[i, j, 0] = found[i, j, 1] = 0
            found[i, j, 1] = max(found[i, j, 0], found[i, j, 1])
    return found[:, :, 0], found[:, :, 1]


@compiled
def _count_in_balls(
    count: IntArray, which: IntArray, stacked: FloatArray, best: IntArray, first: IntArray, last: IntArray,
    centre: FloatArray, half_width: FloatArray, closed: bool,
) -> None:  # fmt: skip
    """Count the matches of the targets `which` among their candidates.

    The candidates are the records [first, last) in the order of variable `best`.
    """
    for i in which:
        found = 0
        for h in range(first[i], last[i]):
            found += _in_ball(stacked[best[i], h], centre[i], half_width[i], closed)
        count[i] = found


@compiled
def _count_in_boxes(
    count: IntArray, which: IntArray, ranked: IntArray, best: IntArray, first: IntArray, last: IntArray,
    firsts: IntArray, lasts: IntArray,
) -> None:  # fmt: skip
    """Count the matches of the targets `which` among their candidates, see `_count_in_balls`.

    `ranked`, (k, k, n), contains the ranks in each variable of the records in the order of each variable.
    """
    k, chunk = ranked.shape[0], 512
    inside = np.empty(chunk, dtype=np.uint8)
    for i in which:
        found = 0
        for begin in range(first[i], last[i], chunk):
            size = min(chunk, last[i] - begin)
            inside[:size] = 1
            for j in range(k):
                if j != best[i]:
                    ranks = ranked[best[i], j, begin : begin + size]
                    low, high = firsts[i, j], lasts[i, j]
                    for h in range(size):
                        inside[h] &= (ranks[h] >= low) & (ranks[h] < high)
            for h in range(size):
                found += inside[h]
        count[i] = found
