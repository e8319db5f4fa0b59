"""Answers to the exercise of lecture 12b."""

from __future__ import annotations

import numpy as np

from tests.course.answers import right, wrong


@right("12b.exponential")
def minus_the_largest(utility, sensitivity, epsilon):
    p = np.exp(epsilon * (np.asarray(utility) - np.max(utility)) / (2 * sensitivity))
    return p / p.sum()


@right("12b.exponential")
def minus_the_mean(utility, sensitivity, epsilon):
    p = np.exp(epsilon * (utility - utility.mean()) / (2 * sensitivity))
    return p / p.sum()


@right("12b.exponential")
def list_of_probabilities(utility, sensitivity, epsilon):
    best = max(utility)
    p = [float(np.exp(epsilon * (u - best) / (2 * sensitivity))) for u in utility]
    return [x / sum(p) for x in p]


@wrong("12b.exponential")
def a_draw(utility, sensitivity, epsilon):
    return np.random.default_rng(1).choice(utility, p=minus_the_largest(utility, sensitivity, epsilon))
