"""Counts of records of an equivalence class whose value is near the target's value.

The functions take arrays. A class is an integer code of the key variables. A value is a number or the code of a
category. "Near" means within an interval; the interval of a category contains only its own code.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from synthlab._typing import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, slots=True, eq=False)
class Values:
    """Classes, values and intervals of the n records of one dataset.

    codes : (n,) class of each record. keys : (n, k) code of each key variable. value, lower, upper : (n,)
    the value and the interval of values that count as correct. closed : whether the interval includes its ends.
    count : (n,) number of records that each row stands for; None means 1.
    """

    codes: IntArray
    keys: IntArray
    value: FloatArray
    lower: FloatArray
    upper: FloatArray
    closed: bool
    count: IntArray | None = None

    def take(self, rows: IntArray | BoolArray) -> Values:
        """Return the selected records."""
        ends = (self.lower[rows], self.upper[rows], self.closed)
        count = None if self.count is None else self.count[rows]
        return Values(self.codes[rows], self.keys[rows], self.value[rows], *ends, count)

    @property
    def counts(self) -> IntArray:
        """Number of records that each row stands for, shape (n,)."""
        return np.ones(len(self.codes), dtype=np.int64) if self.count is None else self.count


def class_size(codes: IntArray, release: Values) -> IntArray:
    """Return the number of released records in each of the classes `codes`."""
    if release.count is None:
        ordered = np.sort(release.codes)
        before = np.arange(ordered.size + 1)
    else:
        ordered, before = _ranked(release.codes, release.count)
    first, last = (np.searchsorted(ordered, codes, side=side) for side in ("left", "right"))
    return (before[last] - before[first]).astype(np.int64)


def count_near(codes: IntArray, lower: FloatArray, upper: FloatArray, release: Values) -> IntArray:
    """Return the number of released records of class ``codes[i]`` in interval i."""
    return sums_near(codes, lower, upper, release, release.counts[:, None])[:, 0]


def sums_near(codes: IntArray, lower: FloatArray, upper: FloatArray, release: Values, counts: IntArray) -> IntArray:
    """Sum `counts` over the released records of class ``codes[i]`` in interval i.

    `counts` has shape (released, k) and the result has shape (len(codes), k). The class and the rank of the value are
    combined into one sorted integer, so that each target needs two binary searches.
    """
    known = ~np.isnan(release.value)
    distinct = np.unique(release.value[known])
    first = np.searchsorted(distinct, lower, side="left" if release.closed else "right")
    last = np.searchsorted(distinct, upper, side="right" if release.closed else "left")
    width = distinct.size + 1
    place = release.codes[known] * width + np.searchsorted(distinct, release.value[known])
    order = np.argsort(place)
    place = place[order]
    before = np.zeros((order.size + 1, counts.shape[1]), dtype=np.int64)
    np.cumsum(counts[known][order], axis=0, out=before[1:])
    low, high = (before[np.searchsorted(place, codes * width + end)] for end in (first, last))
    return np.asarray(np.maximum(high - low, 0), dtype=np.int64)


def nearest_classes(keys: IntArray, release: Values) -> tuple[IntArray, IntArray]:
    """Return the released classes that differ from each row in the fewest keys.

    Parameters
    ----------
    keys : (t, k)
        Codes of the key variables of the targets; a negative code equals no other code.

    Returns
    -------
    target, codes : (p,) each
        Pairs of a row of `keys` and a class, with all classes at the smallest distance.
    """
    classes, first = np.unique(release.codes, return_index=True)
    released = release.keys[first]
    patterns, inverse = np.unique(keys, axis=0, return_inverse=True)
    inverse = inverse.reshape(-1)
    nearest = []
    for pattern in patterns:
        distance = ((released != pattern) | (pattern < 0)).sum(axis=1)
        nearest.append(classes[distance == distance.min()])
    sizes = np.array([nearest[p].size for p in inverse], dtype=np.int64)
    target = np.repeat(np.arange(len(keys)), sizes)
    return target, np.concatenate([nearest[p] for p in inverse]) if len(keys) else np.empty(0, dtype=np.int64)


def class_scores(targets: Values, release: Values) -> tuple[FloatArray, BoolArray]:
    """Return the share of each target's class near its value, and whether it is empty."""
    size = class_size(targets.codes, release)
    near = count_near(targets.codes, targets.lower, targets.upper, release)
    return np.divide(near, size, out=np.zeros(size.shape), where=size > 0), size == 0


def nearest_scores(targets: Values, release: Values) -> FloatArray:
    """Return the share of records near the target's value in the nearest classes."""
    pair, codes = nearest_classes(targets.keys, release)
    near = count_near(codes, targets.lower[pair], targets.upper[pair], release)
    total = np.bincount(pair, weights=class_size(codes, release), minlength=len(targets.codes))
    return np.bincount(pair, weights=near, minlength=len(targets.codes)) / total


def marginal_scores(targets: Values, release: Values) -> FloatArray:
    """Return the share of all released records that are near the target's value."""
    nothing = np.zeros(len(release.codes), dtype=np.int64)
    everyone = replace(release, codes=nothing)
    near = count_near(np.zeros(len(targets.codes), dtype=np.int64), targets.lower, targets.upper, everyone)
    return np.asarray(near / release.counts.sum(), dtype=np.float64)


def best_constant(targets: Values) -> float:
    """Return the largest share of targets for whom one constant answer is correct; 0 without targets."""
    people = targets.counts
    there = ~np.isnan(targets.lower)
    upper = np.where(np.isnan(targets.upper), np.inf, targets.upper)
    (starts, begun), (ends, ended) = (_ranked(values[there], people[there]) for values in (targets.lower, upper))
    # The number of overlapping intervals is largest at the start of an interval (just above it for open intervals).
    over = ended[np.searchsorted(ends, starts, side="left" if targets.closed else "right")]
    most = begun[np.searchsorted(starts, starts, side="right")] - over
    return float(most.max(initial=0) / max(int(people.sum()), 1))


def _ranked(values: Any, counts: IntArray) -> tuple[Any, IntArray]:
    """Return the sorted values and the cumulative counts before each, shape (n + 1,)."""
    order = np.argsort(values)
    return values[order], np.concatenate([[0], np.cumsum(counts[order])])


def disclosive(release: Values, threshold: float) -> Values:
    """Return the released records whose WEAP is at least `threshold`."""
    share, _ = class_scores(release, release)
    return release.take(share >= threshold - 1e-12)
