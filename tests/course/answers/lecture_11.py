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


@wrong("11.identification", hint="For a")
def radius_without_absolute_value(y, files, r):
    outside = [np.abs(z - y[:, None]) > r * y[:, None] for z in files]
    return np.mean([one.mean(axis=1) * ~one.diagonal() for one in outside], axis=0)


@wrong("11.identification", hint="The radius")
def absolute_radius(y, files, r):
    return np.mean([(np.abs(z - y[:, None]) > r).mean(axis=1) * ~(np.abs(z - y) > r) for z in files], axis=0)


@wrong("11.identification", hint="The ends")
def ends_outside(y, files, r):
    outside = [np.abs(z - y[:, None]) >= r * np.abs(y)[:, None] for z in files]
    return np.mean([one.mean(axis=1) * ~one.diagonal() for one in outside], axis=0)


@wrong("11.identification", hint="IR needs")
def number_outside(y, files, r):
    return np.mean([beyond(y, z, r).sum(axis=1) * ~beyond(y, z, r).diagonal() for z in files], axis=0)


@wrong("11.identification", hint="Multiply in")
def product_of_means(y, files, r):
    shares = np.mean([beyond(y, z, r).mean(axis=1) for z in files], axis=0)
    return shares * np.mean([~beyond(y, z, r).diagonal() for z in files], axis=0)


@wrong("11.identification", hint="Count the")
def mean_of_columns(y, files, r):
    return np.mean([beyond(y, z, r).mean(axis=0) * ~beyond(y, z, r).diagonal() for z in files], axis=0)


@wrong("11.identification", hint="The record's")
def without_own_value(y, files, r):
    return np.mean([beyond(y, z, r).mean(axis=1) for z in files], axis=0)


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


@wrong("11.weights", hint="A pair")
def mean_with_the_diagonal(y, r):
    outside = beyond(y, y, r).astype(float)
    return 1 - outside.mean(axis=1), 1 - (outside @ outside.T / len(y)).mean(axis=1)


@wrong("11.weights")
def only_the_marginal_weights(y, r):
    return 1 - beyond(y, y, r).mean(axis=1)


@wrong("11.weights", hint="A product")
def product_of_booleans(y, r):
    outside = beyond(y, y, r)
    both = outside @ outside.T / len(y)
    np.fill_diagonal(both, 0)
    return 1 - outside.mean(axis=1), 1 - both.sum(axis=1) / (len(y) - 1)


@wrong("11.weights", hint="A person")
def divided_by_n(y, r):
    outside = beyond(y, y, r).astype(float)
    both = outside @ outside.T / len(y)
    np.fill_diagonal(both, 0)
    return 1 - outside.mean(axis=1), 1 - both.mean(axis=1)


@wrong("11.weights", hint="outside.T @")
def transposed_product(y, r):
    outside = beyond(y, y, r).astype(float)
    both = outside.T @ outside / len(y)
    np.fill_diagonal(both, 0)
    return 1 - outside.mean(axis=1), 1 - both.sum(axis=1) / (len(y) - 1)


@wrong("11.weights", hint="These are")
def risks(y, r):
    return tuple(1 - one for one in weights_of(y, r))


@wrong("11.weights")
def pairwise_first(y, r):
    return weights_of(y, r)[::-1]
