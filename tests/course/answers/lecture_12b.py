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


@wrong("12b.exponential", hint="Divide the")
def times_twice_the_sensitivity(utility, sensitivity, epsilon):
    p = np.exp(epsilon * (utility - utility.max()) * 2 * sensitivity)
    return p / p.sum()


@wrong("12b.exponential", hint="The 2")
def without_the_two(utility, sensitivity, epsilon):
    p = np.exp(epsilon * (utility - utility.max()) / sensitivity)
    return p / p.sum()


@wrong("12b.exponential", hint="The sensitivity")
def without_the_sensitivity(utility, sensitivity, epsilon):
    p = np.exp(epsilon * (utility - utility.max()) / 2)
    return p / p.sum()


@wrong("12b.exponential", hint="For utilities")
def underflow(utility, sensitivity, epsilon):
    with np.errstate(all="ignore"):
        p = np.exp(epsilon * utility / (2 * sensitivity))
        return p / p.sum()


@wrong("12b.exponential", hint="The best")
def the_best(utility, sensitivity, epsilon):
    return (utility == utility.max()).astype(float)


@wrong("12b.exponential")
def a_draw(utility, sensitivity, epsilon):
    return np.random.default_rng(1).choice(utility, p=minus_the_largest(utility, sensitivity, epsilon))


@wrong("12b.exponential", hint="Probabilities must")
def without_the_sum(utility, sensitivity, epsilon):
    return np.exp(epsilon * (utility - utility.max()) / (2 * sensitivity))
