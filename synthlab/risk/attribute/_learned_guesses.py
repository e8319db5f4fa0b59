"""Models that learn a confidential value from what an intruder sees: forests, a ridge regression, and one factor."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._typing import BoolArray, Columns, FloatArray, IntArray
from synthlab.matching.kernel import block_codes

if TYPE_CHECKING:
    from sklearn.tree import DecisionTreeRegressor

SEEDS = 2**31 - 1  # scikit-learn draws the seeds of trees below
TREES, LEAF, LEAF_OF_RELEASED = 30, 2, 5  # trees of a forest, and the smallest leaves
MANY_VALUES = 20  # a number with more values is an amount
FEATURES = 30  # columns of a forest or regression, chosen in the training half
OUTPUTS = 30  # most frequent categories that a model distinguishes
BINS = 16
LARGEST = 1e150  # squares do not overflow
HALVES = (0, 1)


@dataclass(frozen=True, slots=True, eq=False)
class Coded:
    """One column of the confidential data (row 0) and of m datasets (rows 1..m) as numbers.

    A missing amount is NaN; a missing category has a code of its own. A guess is right within `radius` (amounts) or if it is
    equal (radius 0).
    """

    values: FloatArray
    amount: bool
    radius: float

    @property
    def released(self) -> FloatArray:
        """The values of the m datasets."""
        return self.values[1:]

    def is_right(self, guess: FloatArray, truth: FloatArray) -> BoolArray:
        """Return whether each guess is within the radius of the truth; a missing value equals a missing value."""
        width = _checks.half_width(self.radius, truth, "relative") + 1e-9 * np.abs(truth)
        return (np.abs(guess - truth) <= width) | (np.isnan(guess) & np.isnan(truth))


def coded(frames: Sequence[Columns], column: str, radius: float | None) -> Coded:
    """Return a column of all files as numbers in which equal values have equal numbers.

    Numbers and dates keep their order; other categories are numbered by their frequency. `radius` is the radius that the
    caller gives for this column; by default it is 10% for numbers with more than 20 values.
    """
    columns = [frame[column] for frame in frames]
    measured = all(_checks.is_measured(one) for one in columns)
    numbers = [_checks.measurements(one) for one in columns] if measured else []
    number = measured and _checks.kind_of(columns[0]) == "number"
    if radius is None and number and columns[0].nunique() > MANY_VALUES:
        radius = 0.1
    if measured and radius is not None:
        values = _checks.without_rounding_errors(np.concatenate(numbers))
        return Coded(np.clip(values, -LARGEST, LARGEST).reshape(len(frames), -1), True, radius)
    codes = np.concatenate(block_codes(list(frames), [column], "category"))
    if measured:
        values = _checks.without_rounding_errors(np.concatenate(numbers))
        codes = np.unique(values, return_inverse=True)[1] if not number or _is_exact(columns) else codes
    else:
        codes = (-np.bincount(codes)).argsort(kind="stable").argsort(kind="stable")[codes]
    return Coded(codes.astype(np.float64).reshape(len(frames), -1), False, 0.0)


def _is_exact(columns: Sequence[pd.Series]) -> bool:
    return not any(_checks.is_whole(one.dtype) and _checks.beyond_float(one) for one in columns)


def summaries(column: Coded, datasets: int) -> FloatArray:
    """Return what the first datasets say together about each person: mode and votes; mean, median and geometric mean.

    The columns are those of an array of shape (n, 2 or 5); with one dataset, its value.
    """
    values = column.released[:datasets].T
    if datasets == 1:
        return values
    votes = np.stack(
        [np.sum((values == one[:, None]) | (np.isnan(values) & np.isnan(one)[:, None]), 1) for one in values.T]
    )
    mode = values[np.arange(len(values)), votes.argmax(0)]
    found = [mode, votes.max(0)]
    if column.amount:
        masked = np.ma.masked_invalid(values)
        geometric = np.exp(np.log(np.maximum(masked, 1e-9)).mean(1))
        found += [
            one.filled(np.nan)
            for one in (masked.mean(1), np.ma.masked_invalid(pd.DataFrame(values).median(axis=1)), geometric)
        ]
    return np.column_stack(found).astype(np.float64)


def ranks(columns: FloatArray) -> FloatArray:
    """Return the dense rank of each value in its column; missing values are the last."""
    return np.column_stack([np.unique(one, return_inverse=True)[1] for one in columns.T]).astype(np.float64)


def forest_guess(
    features: FloatArray, column: Coded, truth: FloatArray, train: IntArray, test: IntArray, seed: int
) -> FloatArray:
    """Return the value around which a forest sees most weight, for each person of `test`.

    `features` are ranks. Each tree gives weight 1 to the training people in the leaf.
    """
    from scipy.sparse import csr_matrix

    values, member = np.unique(truth[train], return_inverse=True)
    target = _outputs(column, truth[train])
    kept = most_related(features[train], target)
    trees = grown(features[train][:, kept], target, LEAF, seed)
    first = np.cumsum([0, *(tree.tree_.node_count for tree in trees)])
    leaves = [
        np.column_stack([tree.apply(features[rows][:, kept]) for tree in trees]) + first[:-1] for rows in (train, test)
    ]
    size = np.bincount(leaves[0].ravel(), minlength=first[-1])
    shares = csr_matrix(
        (1 / size[leaves[0].ravel()], (leaves[0].ravel(), np.repeat(member, TREES))), shape=(first[-1], values.size)
    )
    visited = csr_matrix(
        (np.ones(leaves[1].size), (np.repeat(np.arange(test.size), TREES), leaves[1].ravel())),
        shape=(test.size, first[-1]),
    )
    weight = np.asarray((visited @ shares).todense())
    if column.amount:
        weight = _within(weight, values, column.radius)
    return np.asarray(values[np.round(weight, 9).argmax(1)])  # rounded: ties do not depend on the processor


def _within(weight: FloatArray, values: FloatArray, radius: float) -> FloatArray:
    """Return the weight within the radius of each of the sorted values, of which the last may be missing."""
    present = values[~np.isnan(values)]
    width = _checks.half_width(radius, present, "relative")
    total = np.column_stack([np.zeros(len(weight)), weight[:, : present.size].cumsum(1)])
    low, high = np.searchsorted(present, present - width), np.searchsorted(present, present + width, "right")
    return np.column_stack([total[:, high] - total[:, low], weight[:, present.size :]])


def _outputs(column: Coded, truth: FloatArray) -> FloatArray:
    """Return the mid-ranks of amounts, or indicators of the most frequent categories."""
    if column.amount:
        return np.asarray(pd.Series(truth).rank(na_option="top"), dtype=np.float64)
    values, counts = np.unique(truth, return_counts=True)
    frequent = values[(-counts).argsort(kind="stable")[:OUTPUTS]]
    return np.asarray(truth[:, None] == frequent, dtype=np.float64)


def most_related(features: FloatArray, target: FloatArray) -> IntArray:
    """Return the positions of at most 30 features (ranks) that explain most of the target, each on its own."""
    p = features.shape[1]
    if p <= FEATURES:
        return np.arange(p)
    target = target.reshape(len(target), -1) - target.mean(axis=0)
    explained = np.empty(p)
    for place, one in enumerate(features.T):
        codes = np.unique(one, return_inverse=True)[1]
        if codes.max() >= BINS:
            codes = np.unique(pd.Series(one).rank(pct=True).mul(BINS).to_numpy().astype(int), return_inverse=True)[1]
        sums = np.zeros((codes.max() + 1, target.shape[1]))
        np.add.at(sums, codes, target)
        explained[place] = ((sums**2).sum(1) / np.bincount(codes)).sum() / np.sqrt(sums.shape[0])
    return np.sort((-explained).argsort(kind="stable")[:FEATURES])


def predicted_release(known: FloatArray, released: FloatArray, part: IntArray, seed: int) -> FloatArray:
    """Return the released value that the records of other people predict from the known variables.

    `known` and `released` are ranks. The people of each part are predicted by those of the other part.
    """
    found = np.empty(len(known))
    for k in HALVES:
        others, own = np.flatnonzero(part != k), np.flatnonzero(part == k)
        kept = most_related(known[others], released[others])
        trees = grown(known[others][:, kept], released[others], LEAF_OF_RELEASED, seed)
        found[own] = np.mean([tree.predict(known[own][:, kept]) for tree in trees], axis=0)
    return found


def grown(features: FloatArray, target: FloatArray, leaf: int, seed: int) -> list[DecisionTreeRegressor]:
    """Return the trees of a random forest.

    The trees equal those of `sklearn.ensemble.RandomForestRegressor` with the same seed. That class copies the warning filters
    of the process, which another thread may be changing.
    """
    from sklearn.tree import DecisionTreeRegressor

    draw, (n, _) = np.random.RandomState(seed), features.shape  # the generator of scikit-learn
    trees = [
        DecisionTreeRegressor(min_samples_leaf=leaf, max_features=0.5, random_state=draw.randint(SEEDS))
        for _ in range(TREES)
    ]
    outputs = target[:, 0] if target.ndim > 1 and target.shape[1] == 1 else target
    for tree in trees:
        people = np.random.RandomState(tree.random_state).randint(0, n, n, dtype=np.int32)
        tree.fit(features, outputs, sample_weight=np.bincount(people, minlength=n).astype(np.float64))
    return trees


def linear_guess(known: FloatArray, column: Coded, truth: FloatArray, train: IntArray, test: IntArray) -> FloatArray:
    """Return the guesses of a ridge regression on the known values, their logarithms, ranks and indicators."""
    kept = most_related(ranks(known[train]), _outputs(column, truth[train]))
    design = _ridge_design(known[:, kept])
    if not column.amount:
        values, counts = np.unique(truth[train], return_counts=True)
        frequent = values[(-counts).argsort(kind="stable")[:OUTPUTS]]
        scores = _ridge(design[train], (truth[train][:, None] == frequent).astype(np.float64), design[test])
        return np.asarray(frequent[np.round(scores, 9).argmax(1)])
    present = train[~np.isnan(truth[train])]
    if not present.size:
        return np.full(test.size, np.nan)
    if (truth[present] > 0).all():
        logs = _ridge(design[present], np.log(truth[present]), design[test])
        return np.exp(np.clip(logs, -50, 50))
    return _ridge(design[present], truth[present], design[test])


def _ridge_design(known: FloatArray) -> FloatArray:
    """Return standardized columns: values, logarithms, ranks, and indicators of missing values and of few values."""
    lost = np.isnan(known)
    parts = []
    for one, absent in zip(known.T, lost.T, strict=True):
        values = np.where(absent, np.median(one[~absent]) if not absent.all() else 0.0, one)
        distinct = np.unique(values)
        parts += [values, np.sign(values) * np.log1p(np.abs(values)), values.argsort(kind="stable").argsort()]
        parts += [values == value for value in distinct[1:]] if 2 < distinct.size <= MANY_VALUES else []
        parts += [absent] if absent.any() else []
    design = np.column_stack(parts).astype(np.float64)
    design -= design.mean(0)
    spread = design.std(0)
    return np.asarray(design[:, spread > 0] / spread[spread > 0])


def _ridge(design: FloatArray, target: FloatArray, new: FloatArray) -> FloatArray:
    """Return predictions of a ridge regression with penalty 1."""
    center, mean = design.mean(0), target.mean(0)
    centered = design - center
    slopes = np.linalg.solve(centered.T @ centered + np.eye(design.shape[1]), centered.T @ (target - mean))
    return np.asarray((new - center) @ slopes + mean)


def direct_guess(seen: FloatArray, column: Coded, truth: FloatArray, train: IntArray, test: IntArray) -> FloatArray:
    """Return the released value times one factor: the column of `seen` that is right most often in the training half."""
    best, found = -1.0, seen[test, 0]
    for one in seen.T:
        usable = (one[train] != 0) & (truth[train] != 0) & np.isfinite(one[train]) & np.isfinite(truth[train])
        factors = [1.0]
        if column.amount and usable.any():
            factors.append(float(np.median(truth[train][usable] / one[train][usable])))
        for factor in factors:
            right = float(column.is_right(factor * one[train], truth[train]).mean())
            if right > best:
                best, found = right, factor * one[test]
    return np.asarray(found)
