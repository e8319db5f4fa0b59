"""Trees whose leaves contain confidential records as donors, and their predictors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from synthlab import _checks
from synthlab._typing import FloatArray, IntArray
from synthlab._warnings import library_warnings
from synthlab.exceptions import InputError
from synthlab.synthesizers._design import check_complete
from synthlab.synthesizers._levels import Levels
from synthlab.synthesizers._missing import Kinds

Predictors: TypeAlias = npt.NDArray[np.float32]  # scikit-learn trees use 32 bits


@dataclass(frozen=True, slots=True, eq=False)
class Splits:
    """Splits of a tree: a record goes to `left` if its `feature` is at most `threshold`.

    All arrays have one entry per node; `left` and `right` are -1 in a leaf.
    """

    feature: IntArray
    threshold: FloatArray
    left: IntArray
    right: IntArray

    def is_consistent(self) -> bool:
        """Return whether every path ends in a leaf: the nodes below a node have larger numbers."""
        nodes = np.arange(self.left.size)
        split = self.left >= 0
        below = np.stack([self.left, self.right])[:, split] if self.left.shape == self.right.shape else np.empty(0)
        return bool(
            nodes.size
            and all(one.shape == nodes.shape for one in (self.feature, self.threshold, self.left, self.right))
            and (below > nodes[split]).all()
            and (below < nodes.size).all()
        )

    def apply(self, matrix: Predictors) -> IntArray:
        """Return the node number of the leaf of each row."""
        node = np.zeros(len(matrix), dtype=np.int64)
        rows = np.flatnonzero(self.left[node] >= 0)
        while rows.size:
            at = node[rows]
            below = matrix[rows, self.feature[at]] <= self.threshold[at]
            node[rows] = np.where(below, self.left[at], self.right[at])
            rows = rows[self.left[node[rows]] >= 0]
        return node


@dataclass(frozen=True, slots=True, eq=False)
class Tree:
    """Fitted tree with the confidential records of its leaves.

    The records of leaf number l are ``records[start[l]:start[l + 1]]``; `leaves` are the identifiers of the leaves in
    the tree. `splits` is None if there are no predictors.
    """

    splits: Splits | None
    leaves: IntArray
    start: IntArray
    records: IntArray

    def is_consistent(self) -> bool:
        """Return whether the splits end in leaves, and the leaves divide the records."""
        return bool(
            (self.splits is None or self.splits.is_consistent())
            and self.start.shape == (self.leaves.size + 1,)
            and (np.diff(self.start) > 0).all()
            and self.start[0] == 0
            and self.start[-1] == self.records.size
            and self.records.min() >= 0
        )

    def donors(self, matrix: Predictors, weights: FloatArray, rng: np.random.Generator) -> tuple[IntArray, IntArray]:
        """Draw a record of the same leaf for each row; return records and leaf numbers."""
        if self.splits is None:
            leaf = np.zeros(len(matrix), dtype=np.int64)
        else:
            leaf = np.searchsorted(self.leaves, self.splits.apply(matrix))
        cumulative = np.concatenate([[0.0], np.cumsum(weights[self.records])])
        low, high = cumulative[self.start[leaf]], cumulative[self.start[leaf + 1]]
        place = np.searchsorted(cumulative, low + rng.random(leaf.size) * (high - low), side="right") - 1
        return self.records[np.clip(place, self.start[leaf], self.start[leaf + 1] - 1)], leaf


class Columns:
    """Columns of a frame as predictors of trees, each computed once.

    Numbers are used directly, with indicators of missing values; categories are represented by indicators.
    """

    def __init__(self, frame: pd.DataFrame, levels: Mapping[str, Levels], kinds: Mapping[str, Kinds]) -> None:
        self._frame, self._levels, self._kinds = frame, levels, kinds
        self._made: dict[str, Predictors] = {}

    def matrix(self, names: Sequence[str]) -> Predictors:
        """Return the matrix of the named columns, shape (n, columns)."""
        return np.hstack([np.empty((len(self._frame), 0), dtype=np.float32), *map(self._of, names)])

    def replace(self, name: str, values: pd.Series) -> None:
        """Replace the values of a column."""
        self._made[name] = self._numbers(name, values.to_frame(name))

    def _of(self, name: str) -> Predictors:
        if name not in self._made:
            if name not in self._frame.columns:
                raise InputError(f"data: variable {name!r} is absent")
            self._made[name] = self._numbers(name, self._frame)
        return self._made[name]

    def _numbers(self, name: str, frame: pd.DataFrame) -> Predictors:
        if name in self._levels:
            levels = self._levels[name]
            return np.eye(len(levels), dtype=np.float32)[levels.codes(frame)]
        if name in self._kinds:
            kinds = self._kinds[name]
            return np.column_stack([kinds.filled(frame[name]), kinds.indicators(frame)]).astype(np.float32)
        check_complete(frame, name, "data")
        return _checks.as_float(frame[name]).astype(np.float32)[:, None]


def grow(
    matrix: Predictors, y: FloatArray | IntArray, numbers: bool, weights: FloatArray, min_leaf: int, seed: int
) -> Tree:
    """Fit the tree of one variable, and return it with the records of its leaves."""
    used = np.flatnonzero(weights > 0)
    if matrix.shape[1] == 0:
        return Tree(None, np.zeros(1, dtype=np.int64), np.array([0, used.size]), used)
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    kind = DecisionTreeRegressor if numbers else DecisionTreeClassifier
    model = kind(min_samples_leaf=min_leaf, random_state=seed)
    # Scikit-learn warns if there are more levels than half of the records, which is not a problem here.
    many = not numbers and 2 * np.unique(y[used]).size >= used.size
    silence = library_warnings("ignore", UserWarning, "The number of unique classes is greater")
    with silence if many else nullcontext():
        model.fit(matrix[used], y[used], sample_weight=weights[used])
    tree = model.tree_
    leaf = tree.apply(matrix[used])
    order = np.argsort(leaf, kind="stable")
    leaves, start = np.unique(leaf[order], return_index=True)
    nodes = (tree.feature, tree.threshold, tree.children_left, tree.children_right)
    splits = Splits(*(np.array(values) for values in nodes))
    return Tree(splits, leaves.astype(np.int64), np.append(start, used.size).astype(np.int64), used[order])
