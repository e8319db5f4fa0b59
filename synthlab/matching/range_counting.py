"""The records in each of many boxes, in two or more variables: records are halved, not looked at one by one.

Everything is in ranks. Records are sorted by each variable inside their block, so that the interval of a box is a run of
sorted records; open ends, ties and missing values are settled before. A node is a stretch [start, stop) that holds the
same records in every sorted list, at first a block. With three variables and more it is halved at the middle of the first
one, and the other lists keep their order inside the halves, so that the run of a box in a half is found by counting. A
half that lies wholly within the box in the first variable leaves a question with one variable less. With two variables
left all boxes are answered in one way along the first, with a tree of sums over the second. A box has at most two halves
a level that it cuts, and two that it holds: levels^(k - 1) steps in k variables. Small nodes are looked at record by record.
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

LEAF = 16  # records of a node that is not halved
STEP = 4  # what a record or a box costs on a level, in candidates looked at
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
        best, first, last = narrowest(self.first, self.last)
        return best, first, last

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
    lists, rank = numbered(orders)
    points = _Points(lists, rank, orders[0], starts.astype(kind), runs.stop[some][which].astype(kind))
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
        parallel_map(follow, parts, prefer="threads")
    elif parts:
        follow(parts[0])
    return out


def _divide(rows: IntArray, points: _Points, box: IntArray, weight: IntArray, out: IntArray, cover: bool) -> None:
    """Follow boxes, one a row: which, its node, and its runs there in each variable left."""
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
