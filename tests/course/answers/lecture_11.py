"""Answers to the exercises of lecture 11."""

from __future__ import annotations

import numpy as np

from tests.course.answers import right, wrong


def beyond(y, z, r):
    return np.abs(z - y[:, None]) > r * np.abs(y)[:, None]


@right("11.identification")
def share_outside_times_own(y, files, r):
    return np.mean([beyond(y, z, r).mean(axis=1) * ~beyond(y, z, r).diagonal() for z in files], axis=0)


@right("11.identification")
def loop_over_records(y, files, r):
    risk = [0.0] * len(y)
    for z in files:
        for i, value in enumerate(y):
            inside = [abs(x - value) <= r * abs(value) for x in z]
            risk[i] += inside[i] * (len(y) - sum(inside)) / len(y) / len(files)
    return risk


@right("11.identification")
def three_dimensions(y, files, r):
    inside = np.abs(np.stack(files)[:, None, :] - y[:, None]) <= r * np.abs(y)[:, None]
    return ((1 - inside.mean(axis=2)) * inside.diagonal(axis1=1, axis2=2)).mean(axis=0)


@wrong("11.identification")
def own_value_only(y, files, r):
    return np.mean([~beyond(y, z, r).diagonal() for z in files], axis=0)


def weights_of(y, r):
    outside = beyond(y, y, r).astype(float)
    both = outside @ outside.T / len(y)
    np.fill_diagonal(both, 0)
    return 1 - outside.mean(axis=1), 1 - both.sum(axis=1) / (len(y) - 1)


@right("11.weights")
def matrix_product(y, r):
    return weights_of(y, r)


@right("11.weights")
def pairs_of_people(y, r):
    outside = beyond(y, y, r)
    others = [[j for j in range(len(y)) if j != i] for i in range(len(y))]
    pairwise = [1 - np.mean([(outside[i] & outside[j]).mean() for j in others[i]]) for i in range(len(y))]
    return [1 - outside.mean(axis=1), pairwise]


@right("11.weights")
def array_of_two_rows(y, r):
    return np.array(weights_of(y, r))


@wrong("11.weights")
def only_the_marginal_weights(y, r):
    return 1 - beyond(y, y, r).mean(axis=1)


@wrong("11.weights")
def pairwise_first(y, r):
    return weights_of(y, r)[::-1]
