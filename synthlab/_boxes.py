"""The records in each of many boxes, in two or more variables: records are halved, not looked at one by one.

Everything is in ranks. Records are sorted by each variable inside their block, so that the interval of a box is a run of
sorted records; open ends, ties and missing values are settled before. A node is a stretch [start, stop) that holds the
same records in every sorted list, at first a block. It is halved at the middle of the first variable, and the other lists
keep their order inside the halves, so that the run of a box in a half is found by counting. A half that lies wholly within
the box in the first variable leaves a question with one variable less, answered in the same way; with one variable left
the answer is the length of a run. A box has at most two halves a level that it cuts, and two that it holds: levels^(k - 1)
steps in k variables. Small nodes are looked at record by record.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import factorial
from threading import Lock
from typing import Any

import numba
import numpy as np

from synthlab._parallel import each
from synthlab._typing import BoolArray, FloatArray, IntArray

LEAF = 16  # records of a node that is not halved
STEP = 2  # what a record or a box costs on a level, in candidates looked at
CHUNK = 2**19  # boxes followed at once


def halving_pays(records: IntArray, boxes: IntArray, candidates: IntArray, k: int) -> BoolArray:
    """Say for each block whether halving it costs less than looking at every candidate of its boxes.

    The candidates of a box are the records within the interval that holds the fewest; looking costs 1 for each. Halving
    costs ``STEP * (records + boxes) * levels ** (k - 1) / (k - 1)!``, with ``levels = log2(records / LEAF)``, at least 1.
    """
    levels = np.maximum(1.0, np.log2(np.maximum(records, 1) / LEAF))
    return np.asarray(candidates > STEP * (records + boxes) * levels ** (k - 1) / factorial(k - 1))


@dataclass(frozen=True, slots=True, eq=False)
class Runs:
    """Boxes among sorted records: the block [start, stop) of each, and (boxes, k) runs [first, last) in each order."""

    start: IntArray
    stop: IntArray
    first: IntArray
    last: IntArray

    def take(self, rows: IntArray | BoolArray) -> Runs:
        """Return some of the boxes."""
        return Runs(self.start[rows], self.stop[rows], self.first[rows], self.last[rows])

    def narrowest(self) -> tuple[IntArray, IntArray, IntArray]:
        """Return for each box the variable whose interval holds the fewest records, and its run; (0, 0) if one holds none."""
        size = self.last - self.first
        best = size.argmin(axis=1)
        rows = np.arange(best.size)
        some = size[rows, best] > 0
        return best, np.where(some, self.first[rows, best], 0), np.where(some, self.last[rows, best], 0)

    def halving_pays(self, n: int) -> BoolArray:
        """Say for each box whether its block of the n records is cheaper halved than scanned; see `halving_pays`."""
        _, first, last = self.narrowest()
        boxes = np.bincount(self.start, minlength=n)[self.start]
        candidates = np.bincount(self.start, weights=last - first, minlength=n)[self.start]
        return halving_pays(self.stop - self.start, boxes, candidates, self.first.shape[1])


def count_inside(orders: IntArray, runs: Runs) -> IntArray:
    """Return the number of records in each box; `orders` (k, n) are the records by block and by each variable."""
    return _visit(orders, runs, np.empty(0, dtype=np.int32), False)


def sum_inside(orders: IntArray, runs: Runs, share: FloatArray) -> FloatArray:
    """Return the sum of `share` (n,) over the records in each box.

    Shares are added as whole numbers of units, 2^-61 of their sum or a little more: whatever the order, the sum is the same.
    """
    unit = 61 - int(np.frexp(np.abs(share).sum())[1])
    total = _visit(orders, runs, np.rint(np.ldexp(share, unit)).astype(np.int64), False)
    return np.asarray(np.ldexp(total.astype(np.float64), -unit))


def count_covering(orders: IntArray, runs: Runs) -> IntArray:
    """Return the number of boxes that hold each record, (n,)."""
    return _visit(orders, runs, np.empty(0, dtype=np.int32), True)


@dataclass(frozen=True, slots=True, eq=False)
class _Points:
    """The records of the nodes of a level, numbered by their place in the order of the first variable left.

    lists : (v, n) those numbers in the order of each of the v other variables left; rank : (n, v) where each was at the
    outset in those orders; record : (n,) which it is. starts, stops : the nodes.
    """

    lists: IntArray
    rank: IntArray
    record: IntArray
    starts: IntArray
    stops: IntArray


def _visit(orders: IntArray, runs: Runs, weight: IntArray, cover: bool) -> IntArray:
    """Add up the records in each box, by `weight` if that is not empty, or with `cover` the boxes round each record."""
    k, n = orders.shape
    out = np.zeros(n if cover else runs.start.size, dtype=np.int64)
    kind: Any = np.int32 if max(n, runs.start.size) < 2**31 else np.int64
    some = np.flatnonzero((runs.first < runs.last).all(axis=1))
    # Boxes near each other in the first variable take the same ways.
    some = some[np.argsort(runs.first[some, 0])]
    orders = orders.astype(kind)
    starts, which = np.unique(runs.start[some], return_index=True)
    points = _Points(*_numbered(orders), orders[0], starts.astype(kind), runs.stop[some][which].astype(kind))
    box = np.stack([runs.first, runs.last], axis=2).reshape(-1, 2 * k).astype(kind)
    lock = Lock()

    def follow(part: IntArray) -> None:
        # Each box has a count of its own, which one thread adds to; a record is covered by boxes of several.
        own = np.zeros_like(out) if cover else out
        rows = np.column_stack([part, runs.start[part], runs.stop[part], box[part]]).astype(kind)
        _divide(rows, points, box, weight, own, cover)
        if cover:
            with lock:
                np.add(out, own, out=out)

    parts = [some[begin : begin + CHUNK] for begin in range(0, some.size, CHUNK)]
    if len(parts) > 1:
        each(follow, parts, prefer="threads")
    elif parts:
        follow(parts[0])
    return out


def _divide(rows: IntArray, points: _Points, box: IntArray, weight: IntArray, out: IntArray, cover: bool) -> None:
    """Follow boxes, one a row: which, its node, and its runs there in each variable left."""
    while len(points.lists) > 1:
        if (points.stops - points.starts).min() <= LEAF:
            rows = _look(rows, points.rank, box, points.record, weight, out, cover, LEAF)
        if not rows.size:
            return
        lists, lefts, starts, stops = _halved(points.lists, points.starts, points.stops, LEAF)
        points = _Points(lists, points.rank, points.record, starts, stops)
        rows, held = _followed(rows, lefts)
        if held.size:
            fewer = _without_first(lists, points.rank, points.record, starts, stops)
            _divide(held, _Points(*fewer, starts, stops), box, weight, out, cover)
    _swept(rows, points.lists[0], points.record, points.starts, points.stops, weight, out, cover)


@numba.njit(cache=True, nogil=True)
def _numbered(orders: IntArray) -> tuple[IntArray, IntArray]:
    """Return the orders of all variables but the first, and the ranks in them, of the records numbered by the first."""
    k, n = orders.shape
    place = np.empty(n, dtype=orders.dtype)
    for p in range(n):
        place[orders[0, p]] = p
    lists = np.empty((k - 1, n), dtype=orders.dtype)
    rank = np.empty((n, k - 1), dtype=orders.dtype)
    for j in range(k - 1):
        for p in range(n):
            lists[j, p] = place[orders[j + 1, p]]
            rank[lists[j, p], j] = p
    return lists, rank


@numba.njit(cache=True, nogil=True)
def _halved(
    lists: IntArray, starts: IntArray, stops: IntArray, leaf: int
) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """Return the lists with every node halved, how many of the node's left half come before each place, and the halves."""
    after, lefts = np.empty_like(lists), np.empty_like(lists)
    begins, ends = np.empty(2 * starts.size, dtype=starts.dtype), np.empty(2 * starts.size, dtype=starts.dtype)
    nodes = 0
    for v in range(starts.size):
        start, stop = starts[v], stops[v]
        if stop - start <= leaf:
            continue
        middle = (start + stop) // 2
        for j in range(lists.shape[0]):
            left, right = start, middle
            for p in range(start, stop):
                lefts[j, p] = left - start
                if lists[j, p] < middle:
                    after[j, left] = lists[j, p]
                    left += 1
                else:
                    after[j, right] = lists[j, p]
                    right += 1
        begins[nodes], ends[nodes], begins[nodes + 1], ends[nodes + 1] = start, middle, middle, stop
        nodes += 2
    return after, lefts, begins[:nodes], ends[:nodes]


@numba.njit(cache=True, nogil=True)
def _followed(rows: IntArray, lefts: IntArray) -> tuple[IntArray, IntArray]:
    """Return the rows of the halves that each box cuts, and, without the first variable, of those it holds in it."""
    size, width = rows.shape
    cut = np.empty((2 * size, width), dtype=rows.dtype)
    held = np.empty((2 * size, width - 2), dtype=rows.dtype)
    cuts, holds = 0, 0
    for r in range(size):
        start, stop = rows[r, 1], rows[r, 2]
        middle = (start + stop) // 2
        for right in range(2):
            begin, end = (middle, stop) if right else (start, middle)
            first, last = max(rows[r, 3], begin), min(rows[r, 4], end)
            if first >= last:
                continue
            there = True
            for j in range(5, width, 2):
                a, b = rows[r, j], rows[r, j + 1]
                # At the end of the node lies all of its left half.
                before = lefts[j // 2 - 2, a]
                until = lefts[j // 2 - 2, b] if b < stop else middle - start
                if right:
                    a, b = middle + (a - start) - before, middle + (b - start) - until
                else:
                    a, b = start + before, start + until
                there = there and a < b
                cut[cuts, j], cut[cuts, j + 1] = a, b
            if not there:
                continue
            if first > begin or last < end:
                cut[cuts, 0], cut[cuts, 1], cut[cuts, 2] = rows[r, 0], begin, end
                cut[cuts, 3], cut[cuts, 4] = first, last
                cuts += 1
            else:
                held[holds, 0], held[holds, 1], held[holds, 2] = rows[r, 0], begin, end
                for j in range(5, width):
                    held[holds, j - 2] = cut[cuts, j]
                holds += 1
    return cut[:cuts], held[:holds]


@numba.njit(cache=True, nogil=True)
def _look(
    rows: IntArray, rank: IntArray, box: IntArray, record: IntArray, weight: IntArray, out: IntArray, cover: bool, leaf: int
) -> IntArray:
    """Look at the records of the boxes in small nodes, and return the other rows."""
    rest, others = np.empty_like(rows), 0
    k, left = box.shape[1] // 2, rank.shape[1]
    for r in range(rows.shape[0]):
        if rows[r, 2] - rows[r, 1] > leaf:
            rest[others] = rows[r]
            others += 1
            continue
        which = rows[r, 0]
        for p in range(rows[r, 3], rows[r, 4]):
            inside = True
            for j in range(left):
                at = 2 * (k - left + j)
                inside = inside and rank[p, j] >= box[which, at] and rank[p, j] < box[which, at + 1]
            if inside:
                if cover:
                    out[record[p]] += 1
                else:
                    out[which] += weight[record[p]] if weight.size else 1
    return rest[:others]


@numba.njit(cache=True, nogil=True)
def _swept(
    rows: IntArray, order: IntArray, record: IntArray, starts: IntArray, stops: IntArray, weight: IntArray, out: IntArray,
    cover: bool,
) -> None:  # fmt: skip
    """Answer boxes that have two variables left: go along the first, with a tree of sums over `order`, the second."""
    n = order.size
    place = np.empty(n, dtype=order.dtype)
    for v in range(starts.size):
        for p in range(starts[v], stops[v]):
            place[order[p]] = p
    # The ends of a box: after its last record in the first variable, and after the one before its first.
    begin = np.zeros(n + 1, dtype=np.int64)
    for r in range(rows.shape[0]):
        begin[rows[r, 4]] += 1
        if rows[r, 3] > rows[r, 1]:
            begin[rows[r, 3]] += 1
    for p in range(n):
        begin[p + 1] += begin[p]
    ends = np.empty((begin[n], 3), dtype=rows.dtype)
    for r in range(rows.shape[0] - 1, -1, -1):
        for side in range(2):
            p = rows[r, 4 - side]
            if p > rows[r, 1]:
                begin[p] -= 1
                e = begin[p]
                ends[e, 0], ends[e, 1], ends[e, 2] = -1 - rows[r, 0] if side else rows[r, 0], rows[r, 5], rows[r, 6]
    tree = np.zeros(n + 1, dtype=weight.dtype)
    for v in range(starts.size):
        start, stop = np.int64(starts[v]), np.int64(stops[v])
        size = stop - start
        low, high = begin[start + 1], begin[stop + 1] if stop < n else ends.shape[0]
        if low == high:
            continue
        for step in range(size):
            p = stop - 1 - step if cover else start + step
            last = begin[p + 2] if p + 2 <= n else ends.shape[0]
            at = np.int64(place[p]) - start
            if cover:
                for e in range(begin[p + 1], last):
                    sign = 1 if ends[e, 0] >= 0 else -1
                    i = ends[e, 1] - start + 1
                    while i <= size:
                        tree[start + i] += sign
                        i += i & -i
                    i = ends[e, 2] - start + 1
                    while i <= size:
                        tree[start + i] -= sign
                        i += i & -i
                i, total = at + 1, np.int64(0)
                while i > 0:
                    total += tree[start + i]
                    i -= i & -i
                out[record[p]] += total
            else:
                amount = weight[record[p]] if weight.size else weight.dtype.type(1)
                i = at + 1
                while i <= size:
                    tree[start + i] += amount
                    i += i & -i
                for e in range(begin[p + 1], last):
                    i, j, total = ends[e, 1] - start, ends[e, 2] - start, np.int64(0)
                    while j > i:
                        total += tree[start + j]
                        j -= j & -j
                    while i > j:
                        total -= tree[start + i]
                        i -= i & -i
                    if ends[e, 0] >= 0:
                        out[ends[e, 0]] += total
                    else:
                        out[-1 - ends[e, 0]] -= total


@numba.njit(cache=True, nogil=True)
def _without_first(
    lists: IntArray, rank: IntArray, record: IntArray, starts: IntArray, stops: IntArray
) -> tuple[IntArray, IntArray, IntArray]:
    """Return lists, ranks and records numbered by the second variable, the first one being done with."""
    v, n = lists.shape
    place = np.empty(n, dtype=lists.dtype)
    fewer, ranks = np.empty((v - 1, n), dtype=lists.dtype), np.empty((n, v - 1), dtype=rank.dtype)
    records = np.empty_like(record)
    for node in range(starts.size):
        for p in range(starts[node], stops[node]):
            number = lists[0, p]
            place[number] = p
            records[p] = record[number]
            for j in range(v - 1):
                ranks[p, j] = rank[number, j + 1]
        for j in range(v - 1):
            for p in range(starts[node], stops[node]):
                fewer[j, p] = place[lists[j + 1, p]]
    return fewer, ranks, records
