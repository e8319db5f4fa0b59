"""Classification trees with the same columns and many labels: the columns are sorted once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt

from synthlab._system.compiled import compiled
from synthlab._typing import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, slots=True, eq=False)
class Presorted:
    """Columns of a tree: the order of the records in columns of more than two values, and indicators of the others.

    Attributes
    ----------
    order : numpy.ndarray of int, shape (k, N)
        Positions of the records in increasing order of each column.
    rank : numpy.ndarray of int, shape (k, N)
        Rank of each record in each column; equal values have equal ranks.
    indicator : numpy.ndarray of bool, shape (N, l)
        Whether a record has the larger value of a column with two values.
    priority : numpy.ndarray of int, shape (k + l,)
        Among equally good splits, a tree takes the column with the lowest number.
    """

    order: npt.NDArray[np.int32]
    rank: npt.NDArray[np.int32]
    indicator: BoolArray
    priority: IntArray

    @classmethod
    def of(cls, columns: FloatArray, rng: np.random.Generator) -> Self:
        """Sort the columns, shape (N, columns); the priority is random."""
        low, high = columns.min(axis=0), columns.max(axis=0)
        two = ((columns == low) | (columns == high)).all(axis=0)
        # The first, constant row is never split and lists the records of each node.
        measured = np.vstack([np.zeros(len(columns)), columns.T[~two]])
        order = np.argsort(measured, axis=1, kind="stable").astype(np.int32)
        values = np.take_along_axis(measured, order, axis=1)
        steps = np.zeros(values.shape, dtype=np.int32)
        steps[:, 1:] = values[:, 1:] != values[:, :-1]
        rank = np.empty_like(order)
        np.put_along_axis(rank, order, np.cumsum(steps, axis=1, dtype=np.int32), axis=1)
        indicator = np.ascontiguousarray(columns[:, two] > low[two])
        return cls(order, rank, indicator, rng.permutation(len(order) + indicator.shape[1]))

    def shares(self, label: FloatArray, weights: FloatArray, min_leaf: int) -> FloatArray:
        """Return the share of label 1 in each record's leaf, for a tree with the smallest Gini impurity, shape (N,)."""
        return _shares(self.order.copy(), self.rank, self.indicator, self.priority, label * weights, weights, min_leaf)


@compiled
def _shares(
    order: npt.NDArray[np.int32],
    rank: npt.NDArray[np.int32],
    indicator: BoolArray,
    priority: IntArray,
    weighted: FloatArray,
    weights: FloatArray,
    min_leaf: int,
) -> FloatArray:
    measured, n = order.shape
    share = np.empty(n)
    begins, ends = np.zeros(n + 1, dtype=np.int64), np.full(n + 1, n, dtype=np.int64)
    goes_left, right = np.empty(n, dtype=np.bool_), np.empty(n, dtype=order.dtype)
    waiting = 1
    while waiting:
        waiting -= 1
        begin, end = begins[waiting], ends[waiting]
        ones, total = 0.0, 0.0
        for record in order[0, begin:end]:
            ones += weighted[record]
            total += weights[record]
        column, cut, largest = -1, 0, -np.inf
        if end - begin >= 2 * min_leaf and 0.0 < ones < total:
            for j in range(1, measured):
                row, ranks = order[j], rank[j]
                left_ones, left, following = 0.0, 0.0, ranks[row[begin]]
                if following == ranks[row[end - 1]]:
                    continue
                for i in range(begin, end - min_leaf):
                    record, current = row[i], following
                    left_ones += weighted[record]
                    left += weights[record]
                    following = ranks[row[i + 1]]
                    if current != following and i + 1 - begin >= min_leaf:
                        purity = _purity(left_ones, left, ones, total)
                        if purity > largest or (purity == largest and priority[j] < priority[column]):
                            column, cut, largest = j, i + 1, purity
            counts, sums = _of_indicators(order[0, begin:end], indicator, weighted, weights)
            for j in range(counts.size):
                if min_leaf <= counts[j] <= end - begin - min_leaf:
                    purity = _purity(sums[0, j], sums[1, j], ones, total)
                    place = measured + j
                    if purity > largest or (purity == largest and priority[place] < priority[column]):
                        column, cut, largest = place, end - counts[j], purity
        if largest == -np.inf:
            share[order[0, begin:end]] = ones / total if total > 0.0 else 0.0
            continue
        if column < measured:
            for i in range(begin, end):
                goes_left[order[column, i]] = i < cut
        else:
            for record in order[0, begin:end]:
                goes_left[record] = not indicator[record, column - measured]
        for j in range(measured):
            _divide(order[j, begin:end], goes_left, right)
        begins[waiting], ends[waiting] = begin, cut
        begins[waiting + 1], ends[waiting + 1] = cut, end
        waiting += 2
    return share


@compiled
def _purity(some_ones: float, some: float, ones: float, total: float) -> float:
    """Return the weighted purity of a split (Gini), or minus infinity if one side has no weight."""
    other_ones, other = ones - some_ones, total - some
    if not (some > 0.0 and other > 0.0):
        return -np.inf
    return (some_ones**2 + (some - some_ones) ** 2) / some + (other_ones**2 + (other - other_ones) ** 2) / other


@compiled
def _of_indicators(
    records: npt.NDArray[np.int32], indicator: BoolArray, weighted: FloatArray, weights: FloatArray
) -> tuple[IntArray, FloatArray]:
    """Return the number of records with each indicator, and their weights with label 1 and in all, shape (2, l)."""
    size = indicator.shape[1]
    counts, sums = np.zeros(size, dtype=np.int64), np.zeros((2, size))
    for record in records:
        one, weight = weighted[record], weights[record]
        for j in range(size):
            if indicator[record, j]:
                counts[j] += 1
                sums[0, j] += one
                sums[1, j] += weight
    return counts, sums


@compiled
def _divide(row: npt.NDArray[np.int32], goes_left: BoolArray, right: npt.NDArray[np.int32]) -> None:
    """Move the records of the left node to the front, in place, in the same order."""
    left, moved = 0, 0
    for i in range(row.size):
        if goes_left[row[i]]:
            row[left] = row[i]
            left += 1
        else:
            right[moved] = row[i]
            moved += 1
    for i in range(moved):
        row[left + i] = right[i]
