"""Answers to the exercises of lecture 13."""

from __future__ import annotations

import numpy as np

from tests.course.answers import right, wrong


def weights_of(f, c=1.0, g=0.0):
    return np.clip(c * (1 - (f - f.min()) / (f.max() - f.min())) + g, 0, 1)


@right("13.lipschitz")
def sorted_draws(log, keep, c=1.0, g=0.0):
    size = np.abs(log)
    return weights_of(size[np.argsort(size.max(axis=1))[:keep]].max(axis=0), c, g)


@right("13.lipschitz")
def draws_below_a_quantile(log, keep, c=1.0, g=0.0):
    worst = np.abs(log).max(axis=1)
    return weights_of(np.abs(log)[worst <= np.quantile(worst, keep / len(worst))].max(axis=0), c, g)


@right("13.lipschitz")
def list_of_weights(log, keep, c=1.0, g=0.0):
    rows = sorted((sorted([abs(x) for x in row])[-1], [abs(x) for x in row]) for row in log.tolist())[:keep]
    f = [max(row[i] for _, row in rows) for i in range(len(rows[0][1]))]
    far = [(x - min(f)) / (max(f) - min(f)) for x in f]
    return [min(1, max(0, c * (1 - x) + g)) for x in far]


@right("13.lipschitz")
def changes_its_argument(log, keep, c=1.0, g=0.0):
    np.abs(log, out=log)
    return weights_of(log[np.argsort(log.max(axis=1))[:keep]].max(axis=0), c, g)


@wrong("13.lipschitz")
def inverse_sensitivity(log, keep, c=1.0, g=0.0):
    return 1 / np.abs(log).max(axis=0)


@wrong("13.lipschitz")
def one_weight_for_each_draw(log, keep, c=1.0, g=0.0):
    return weights_of(np.sort(np.abs(log).max(axis=1))[:keep], c, g)


@wrong("13.lipschitz")
def draws_with_the_largest_maximum(log, keep, c=1.0, g=0.0):
    size = np.abs(log)
    return weights_of(size[np.argsort(-size.max(axis=1))[:keep]].max(axis=0), c, g)


@right("13.epsilon")
def sorted_maxima(log, weights, keep):
    return 2 * np.sort((weights * np.abs(log)).max(axis=1))[keep - 1]


@right("13.epsilon")
def largest_of_the_kept_draws(log, weights, keep):
    weighted = np.abs(weights * log)
    return 2 * weighted[np.argsort(weighted.max(axis=1))[:keep]].max()


@right("13.epsilon")
def sorted_lists(log, weights, keep):
    return 2 * sorted(max(abs(w * x) for w, x in zip(weights, row, strict=True)) for row in log)[keep - 1]


@wrong("13.epsilon")
def maxima_of_the_records(log, weights, keep):
    return 2 * np.sort((weights * np.abs(log)).max(axis=0))[keep - 1]


@wrong("13.epsilon")
def product_of_matrices(log, weights, keep):
    return 2 * np.abs(weights @ log.T).max()


@wrong("13.epsilon")
def all_kept_maxima(log, weights, keep):
    return 2 * np.sort((weights * np.abs(log)).max(axis=1))[:keep]
