"""Predictions from the nearest neighbors, with the neighbors that the R package FNN chooses among equally distant ones.

FNN uses the k-d tree of the library ANN (Arya and Mount), which cuts the space at sliding midpoints. For 1,827 of the
5,133 consumer units, the third and the fourth nearest record are equally far away, so the mean squared error depends on
the order in which the tree visits them. This module builds the same tree and visits it in the same order.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable
from dataclasses import dataclass
from operator import itemgetter

import numpy as np

from synthlab._typing import FloatArray, IntArray

SAME_LENGTH = 0.999  # sides of a box with at least this share of the longest side count as longest


@dataclass(frozen=True, slots=True)
class Node:
    """Cut of a box at ``value`` of ``dimension``; ``low`` and ``high`` are its ends in this dimension.

    A node without children is a leaf with the record ``row``.
    """

    row: int = -1
    dimension: int = -1
    value: float = 0.0
    low: float = 0.0
    high: float = 0.0
    children: tuple[Node, Node] | None = None


def predict(train: FloatArray, response: FloatArray, query: FloatArray, neighbors: int = 3) -> FloatArray:
    """Return the mean response of the nearest neighbors of every query, in the order of the tree of ANN.

    Parameters
    ----------
    train : numpy.ndarray, shape (n, d)
        Predictors of the records; distances are Euclidean.
    response : numpy.ndarray, shape (n,)
        Response of the records.
    query : numpy.ndarray, shape (q, d)
        Predictors of the records to predict.
    neighbors : int
        Number of neighbors.
    """
    low, high = train.min(axis=0), train.max(axis=0)
    root = _build(train, np.arange(len(train)), low.copy(), high.copy())
    found = np.empty(len(query))
    for place, point in enumerate(query):
        outside = np.maximum(low - point, 0) + np.maximum(point - high, 0)
        best = [(np.inf, -1)] * neighbors
        _search(root, train, point, float(outside @ outside), best)
        found[place] = np.mean([response[row] for _, row in best])
    return found


def _build(train: FloatArray, rows: IntArray, low: FloatArray, high: FloatArray) -> Node:
    """Return the tree of some records in a box; `rows` is rearranged, and the box is restored."""
    if rows.size == 1:
        return Node(row=int(rows[0]))
    dimension, value, count = _cut(train, rows, low, high)
    ends = low[dimension], high[dimension]
    high[dimension] = value
    lower = _build(train, rows[:count], low, high)
    high[dimension], low[dimension] = ends[1], value
    upper = _build(train, rows[count:], low, high)
    low[dimension] = ends[0]
    return Node(-1, dimension, value, float(ends[0]), float(ends[1]), (lower, upper))


def _cut(train: FloatArray, rows: IntArray, low: FloatArray, high: FloatArray) -> tuple[int, float, int]:
    """Return the dimension and value of a cut, and the number of records below it; rearrange the records."""
    sides, points = high - low, train[rows]
    spread = np.where(sides >= SAME_LENGTH * sides.max(), np.ptp(points, axis=0), -1.0)
    dimension = int(np.argmax(spread))
    column = points[:, dimension]
    middle, least, most = (low[dimension] + high[dimension]) / 2, column.min(), column.max()
    value = float(np.clip(middle, least, most))
    below = _partition(train[:, dimension], rows, 0, lambda x: x < value)
    equal = _partition(train[:, dimension], rows, below, lambda x: x <= value)
    if middle < least:
        return dimension, value, 1
    if middle > most:
        return dimension, value, rows.size - 1
    return dimension, value, int(np.clip(rows.size // 2, below, equal))


def _partition(column: FloatArray, rows: IntArray, first: int, is_low: Callable[[float], bool]) -> int:
    """Move the low records from position `first` on to the front by exchanges from both ends; return their end."""
    left, right = first, rows.size - 1
    while True:
        while left < rows.size and is_low(column[rows[left]]):
            left += 1
        while right >= first and not is_low(column[rows[right]]):
            right -= 1
        if left > right:
            return left
        rows[left], rows[right] = rows[right], rows[left]
        left, right = left + 1, right - 1


def _search(node: Node, train: FloatArray, point: FloatArray, distance: float, best: list[tuple[float, int]]) -> None:
    """Update the nearest records; a record that is as far as the last one of them does not replace it."""
    if node.children is None:
        gap = train[node.row] - point
        own = float(gap @ gap)
        if own < best[-1][0]:
            best.pop()
            insort(best, (own, node.row), key=itemgetter(0))
        return
    at = point[node.dimension]
    gap = float(at - node.value)
    near, far = node.children if gap < 0 else node.children[::-1]
    _search(near, train, point, distance, best)
    outside = max(node.low - at if gap < 0 else at - node.high, 0.0)
    distance += gap * gap - outside * outside
    if distance < best[-1][0]:
        _search(far, train, point, distance, best)
