"""Compiled steps of `range_counting`.

A box is a row of integers: the number of the box, start and stop of its node, and the run [first, last) in the node for
each remaining variable.
"""

from __future__ import annotations

import numpy as np

from synthlab._system.compiled import compiled
from synthlab._typing import IntArray


@compiled
def narrowest(first: IntArray, last: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """Return the first variable with the shortest run, and this run; (0, 0) if it is empty."""
    size, k = first.shape
    best = np.zeros(size, dtype=np.int64)
    begin, end = np.zeros_like(best), np.zeros_like(best)
    for i in range(size):
        for j in range(1, k):
            if last[i, j] - first[i, j] < last[i, best[i]] - first[i, best[i]]:
                best[i] = j
        if first[i, best[i]] < last[i, best[i]]:
            begin[i], end[i] = first[i, best[i]], last[i, best[i]]
    return best, begin, end


@compiled
def numbered(orders: IntArray) -> tuple[IntArray, IntArray]:
    """Return orders and ranks in all other variables, for records numbered by the first."""
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


@compiled
def halved(
    lists: IntArray, starts: IntArray, stops: IntArray, leaf: int
) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """Divide each node; return lists, counts of left-half records before each place, halves."""
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


@compiled
def followed(rows: IntArray, lefts: IntArray) -> tuple[IntArray, IntArray]:
    """Return the rows of the halves that each box cuts, and of the halves that it contains."""
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
                # All records of the left half are before the end of the node.
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


@compiled
def scan_small_nodes(
    rows: IntArray,
    rank: IntArray,
    box: IntArray,
    record: IntArray,
    weight: IntArray,
    out: IntArray,
    cover: bool,
    leaf: int,
) -> IntArray:
    """Scan the records of the boxes in small nodes, and return the other rows."""
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


@compiled
def swept(
    rows: IntArray, order: IntArray, record: IntArray, starts: IntArray, stops: IntArray, weight: IntArray, out: IntArray,
    cover: bool,
) -> None:  # fmt: skip
    """Count boxes with two remaining variables in one sweep along the first.

    A tree contains sums over the second variable, `order`.
    """
    n = order.size
    place = np.empty(n, dtype=order.dtype)
    for v in range(starts.size):
        for p in range(starts[v], stops[v]):
            place[order[p]] = p
    # The ends of a box in the first variable: after its last record, and after the record before its first.
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
        start, stop = int(starts[v]), int(stops[v])
        size = stop - start
        low, high = begin[start + 1], begin[stop + 1] if stop < n else ends.shape[0]
        if low == high:
            continue
        for step in range(size):
            p = stop - 1 - step if cover else start + step
            last = begin[p + 2] if p + 2 <= n else ends.shape[0]
            at = int(place[p]) - start
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


@compiled
def without_first(
    lists: IntArray, rank: IntArray, record: IntArray, starts: IntArray, stops: IntArray
) -> tuple[IntArray, IntArray, IntArray]:
    """Return lists, ranks and records renumbered by the second variable, without the first."""
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
