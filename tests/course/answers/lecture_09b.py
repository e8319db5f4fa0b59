"""Answers to the exercise of lecture 9b."""

from __future__ import annotations

import numpy as np

from tests.course.answers import right, wrong


def match_probability(agree, m, u, p):
    match = p * np.where(agree, m, 1 - m).prod(axis=1)
    other = (1 - p) * np.where(agree, u, 1 - u).prod(axis=1)
    return match / (match + other)


@right("09b.em_step")
def averages(agree, count, m, u, p):
    g = match_probability(agree, m, u, p)
    return np.average(agree, axis=0, weights=g * count), np.average(agree, axis=0, weights=(1 - g) * count)


@right("09b.em_step")
def loops_over_fields(agree, count, m, u, p):
    g = match_probability(agree, m, u, p)
    new_m = [sum(g * count * agree[:, k]) / sum(g * count) for k in range(agree.shape[1])]
    new_u = [sum((1 - g) * count * agree[:, k]) / sum((1 - g) * count) for k in range(agree.shape[1])]
    return new_m, new_u


@right("09b.em_step")
def array_of_two_rows(agree, count, m, u, p):
    g = match_probability(agree, m, u, p)
    weights = np.stack([g, 1 - g]) * count
    return weights @ agree / weights.sum(axis=1, keepdims=True)


@wrong("09b.em_step", hint="Each pattern")
def without_counts(agree, count, m, u, p):
    g = match_probability(agree, m, u, p)
    return g @ agree / g.sum(), (1 - g) @ agree / (1 - g).sum()


@wrong("09b.em_step", hint="Return m")
def u_first(agree, count, m, u, p):
    return averages(agree, count, m, u, p)[::-1]


@wrong("09b.em_step", hint="Divide by")
def divided_by_all_pairs(agree, count, m, u, p):
    g = match_probability(agree, m, u, p)
    return (g * count) @ agree / count.sum(), ((1 - g) * count) @ agree / count.sum()


@wrong("09b.em_step", hint="EM does")
def classified_pairs(agree, count, m, u, p):
    g = np.round(match_probability(agree, m, u, p))
    return (g * count) @ agree / (g * count).sum(), ((1 - g) * count) @ agree / ((1 - g) * count).sum()


@wrong("09b.em_step")
def only_m_returned(agree, count, m, u, p):
    return averages(agree, count, m, u, p)[0]


@wrong("09b.em_step", hint="u is")
def u_from_all_pairs(agree, count, m, u, p):
    return averages(agree, count, m, u, p)[0], count @ agree / count.sum()


@wrong("09b.em_step", hint="This is")
def old_u(agree, count, m, u, p):
    return averages(agree, count, m, u, p)[0], u


@wrong("09b.em_step")
def totals_instead_of_shares(agree, count, m, u, p):
    g = match_probability(agree, m, u, p)
    return (g * count) @ agree, ((1 - g) * count) @ agree


@wrong("09b.em_step")
def new_share_too(agree, count, m, u, p):
    g = match_probability(agree, m, u, p)
    return *averages(agree, count, m, u, p), (g * count).sum() / count.sum()


@wrong("09b.em_step")
def not_finished(agree, count, m, u, p):
    match_probability(agree, m, u, p)
