"""Null values of pMSE, for datasets that differ only by chance."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

import numpy as np

from synthlab import _rng
from synthlab._typing import FloatArray
from synthlab.release import Release
from synthlab.utility._classifiers import Classifier, make_classifier
from synthlab.utility._design import Stacked
from synthlab.utility._orthogonal_columns import Independent


def mean_square(probability: FloatArray, c: float, weights: FloatArray | None = None) -> float:
    """Return pMSE, the mean squared deviation of the probabilities from c."""
    square = (probability - c) ** 2
    return float(np.mean(square) if weights is None else np.average(square, weights=weights))


def unchanged_parameters(stacked: Stacked, design: Independent, null_parameters: str) -> int:
    """Return the number of parameters, including the constant, without variables changed by the release."""
    if null_parameters == "all" or stacked.changed.all():
        return 1
    return design.rank(~stacked.changed)


def permuted(stacked: Stacked, classifier: Classifier, permutations: int, rng: np.random.Generator) -> FloatArray:
    """Return pMSE under shuffled labels, on the scale of the analytic null."""
    c = float(stacked.label.mean())
    values = np.empty(permutations)
    for draw in range(permutations):
        if stacked.paired:
            half = stacked.label.size // 2
            swap = rng.random(half) < 0.5
            label = np.concatenate([swap, ~swap]).astype(np.float64)
        else:
            label = rng.permutation(stacked.label)
        values[draw] = mean_square(classifier.predict(label), c, classifier.weights) * (1 - c)
    return values


def paired(
    release: Release, build: Callable[..., Stacked], model: str, min_leaf: int, rng: np.random.Generator, c: float
) -> FloatArray:
    """Return pMSE of every pair of synthetic datasets, on the scale of the analytic null."""
    values = []
    for first, second in combinations(release, 2):
        stacked = build(first, second)
        probability = make_classifier(stacked, model, min_leaf, _rng.integer_seed(rng)).predict(stacked.label)
        values.append(mean_square(probability, 0.5) * 8 * (c * (1 - c)) ** 2)
    return np.array(values)


def spread(values: FloatArray) -> FloatArray:
    """Return the standard deviation of each row; NaN for a single value."""
    return values.std(axis=1, ddof=1) if values.shape[1] > 1 else np.full(len(values), np.nan)
