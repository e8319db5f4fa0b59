"""Counts and sums of records in boxes of two or more variables, by divide and conquer.

The algorithm uses ranks. Records are sorted by each variable within their block, so that the interval of a box is a run of
sorted records; open ends, ties and missing values are resolved before. A node is a range [start, stop) that contains the same
records in every sorted list; the first nodes are the blocks. With three or more variables, a node is divided at the middle of
the first variable. The other lists keep their order within the halves, so that the run of a box in a half is found by counting.
If a half is completely within the box in the first variable, the problem has one fewer variable. With two remaining variables,
all boxes are counted in one sweep along the first variable, with a tree of sums over the second. On each level, a box cuts
at most two halves and contains at most two halves, so that k variables require levels^(k - 1) steps. Small nodes are
scanned.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import factorial
from threading import Lock
from typing import Any

import numpy as np

from synthlab._system.parallel import parallel_map
from synthlab._typing import BoolArray, FloatArray, IntArray
from synthlab.matching.range_counting_kernels import (
    followed,
    halved,
    narrowest,
    numbered,
    scan_small_nodes,
    swept,
    without_first,
)

LEAF = 16  # maximum number of records of a node that is not divided
STEP = 4  # cost of a record or a box per level, relative to the cost of scanning one candidate
CHUNK = 2**19  # boxes processed at a time


def halving_pays(records: IntArray, boxes: IntArray, candidates: IntArray, k: int) -> BoolArray:
    """Return for each block whether dividing it costs less than scanning all candidates.

    The candidates of a box are the records within its most selective interval; scanning costs 1 for each. Dividing costs
    ``STEP * (records + boxes) * levels ** (k - 1) / (k - 1)!``, where ``levels = log2(records / LEAF)``, at least 1.
    """
    levels = np.maximum(1.0, np.log2(np.maximum(records, 1) / LEAF))
    return np.asarray(candidates > STEP * (records + boxes) * levels ** (k - 1) / factorial(k - 1))


@dataclass(frozen=True, slots=True, eq=False)
class Runs:
    """Blocks [start, stop) of boxes, and their (boxes, k) runs [first, last) in each order."""

    start: IntArray
    stop: IntArray
    first: IntArray
    last: IntArray

    def take(self, rows: IntArray | BoolArray) -> Runs:
        """Return the selected boxes."""
        return Runs(self.start[rows], self.stop[rows], self.first[rows], self.last[rows])

    def narrowest(self) -> tuple[IntArray, IntArray, IntArray]:
        """Return the most selective variable of each box and its run, or (0, 0) if the run is empty."""
        best, first, last = narrowest(self.first, self.last)
        return best, first, last

    def halving_pays(self, n: int) -> BoolArray:
        """Return for each box whether dividing its block is cheaper, see `halving_pays`."""
        _, first, last = self.narrowest()
        boxes = np.bincount(self.start, minlength=n)
        starts = np.flatnonzero(boxes)
        candidates = np.bincount(self.start, weights=last - first, minlength=n)[starts]
        records, pays = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=bool)
        records[self.start] = self.stop - self.start
        pays[starts] = halving_pays(records[starts], boxes[starts], candidates, self.first.shape[1])
        return pays[self.start]


def ranks(orders: IntArray) -> IntArray:
    """Return the ranks in each variable of the records in the order of each variable, (k, k, n)."""
    rank = np.empty(orders.shape, dtype=np.int32 if orders.shape[1] < 2**31 else np.int64)
    for place, order in zip(rank, orders, strict=True):
        place[order] = np.arange(order.size)
    return np.stack([rank[:, order] for order in orders])


def count_inside(orders: IntArray, runs: Runs) -> IntArray:
    """Return the number of records in each box.

    `orders`, (k, n), contains the records sorted by block and each variable.
    """
    return _visit(orders, runs, np.empty(0, dtype=np.int32), False)


def sum_inside(orders: IntArray, runs: Runs, share: FloatArray) -> FloatArray:
    """Return the sum of `share` (n,) over the records in each box.

    Shares are rounded to integer multiples of a unit of about 2^-61 of their sum, so that the result does not depend on the
    order of summation.
    """
    unit = 61 - int(np.frexp(np.abs(share).sum())[1])
    total = _visit(orders, runs, np.rint(np.ldexp(share, unit)).astype(np.int64), False)
    return np.asarray(np.ldexp(total.astype(np.float64), -unit))


def count_covering(orders: IntArray, runs: Runs) -> IntArray:
    """Return the number of boxes that contain each record, (n,)."""
    return _visit(orders, runs, np.empty(0, dtype=np.int32), True)


@dataclass(frozen=True, slots=True, eq=False)
class _Points:
    """Records of the nodes of a level, numbered by their order in the first remaining variable.

    lists : (v, n) these numbers in the order of each of the v other remaining variables; rank : (n, v) initial rank of each
    record in these orders; record : (n,) row of the record; starts, stops : the nodes.
    """

    lists: IntArray
    rank: IntArray
    record: IntArray
    starts: IntArray
    stops: IntArray


def _visit(orders: IntArray, runs: Runs, weight: IntArray, cover: bool) -> IntArray:
    """Return the (weighted) count of records in each box; with `cover`, of boxes around records."""
    k, n = orders.shape
    out = np.zeros(n if cover else runs.start.size, dtype=np.int64)
    kind: Any = np.int32 if max(n, runs.start.size) < 2**31 else np.int64
    some = np.flatnonzero((runs.first < runs.last).all(axis=1))
    # Sort the boxes by the first variable, because nearby boxes visit the same nodes.
    some = some[np.argsort(runs.first[some, 0])]
    orders = orders.astype(kind)
    starts, which = np.unique(runs.start[some], return_index=True)
    lists, rank = numbered(orders)
    points = _Points(lists, rank, orders[0], starts.astype(kind), runs.stop[some][which].astype(kind))
    box = np.stack([runs.first, runs.last], axis=2).reshape(-1, 2 * k).astype(kind)
    lock = Lock()

    def follow(part: IntArray) -> None:
        # Only one thread updates the count of a box, but several threads can update the count of a record.
        own = np.zeros_like(out) if cover else out
        rows = np.column_stack([part, runs.start[part], runs.stop[part], box[part]]).astype(kind)
        _divide(rows, points, box, weight, own, cover)
        if cover:
            with lock:
                np.add(out, own, out=out)

    parts = [some[begin : begin + CHUNK] for begin in range(0, some.size, CHUNK)]
    if len(parts) > 1:
        parallel_map(follow, parts, prefer="threads")
    elif parts:
        follow(parts[0])
    return out


def _divide(rows: IntArray, points: _Points, box: IntArray, weight: IntArray, out: IntArray, cover: bool) -> None:
    """Divide nodes recursively; each row contains a box, its node, and its runs in the node."""
    while len(points.lists) > 1:
        if (points.stops - points.starts).min() <= LEAF:
            rows = scan_small_nodes(rows, points.rank, box, points.record, weight, out, cover, LEAF)
        if not rows.size:
            return
        lists, lefts, starts, stops = halved(points.lists, points.starts, points.stops, LEAF)
        points = _Points(lists, points.rank, points.record, starts, stops)
        rows, held = followed(rows, lefts)
        if held.size:
            fewer, rank, record = without_first(lists, points.rank, points.record, starts, stops)
            _divide(held, _Points(fewer, rank, record, starts, stops), box, weight, out, cover)
    swept(rows, points.lists[0], points.record, points.starts, points.stops, weight, out, cover)
