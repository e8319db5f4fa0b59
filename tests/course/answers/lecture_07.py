"""Answers to the exercises of lecture 7."""

from __future__ import annotations

import numpy as np
from scipy import stats

from tests.course.answers import right, wrong


def parts(q, v):
    q, v = np.asarray(q, float), np.asarray(v, float)
    return len(q), q.mean(), q.var(ddof=1), v.mean()


def with_interval(middle, variance, df):
    half = stats.t.ppf(0.975, df) * variance**0.5
    return middle, variance, middle - half, middle + half


def nu(m, b, within):
    return (m - 1) * (1 + within / (b / m)) ** 2


@right("07.combine_partial")
def tuple_of_four(q, v):
    m, middle, b, within = parts(q, v)
    return with_interval(middle, within + b / m, nu(m, b, within))


@right("07.combine_partial")
def scipy_interval(q, v):
    m, middle, b, within = parts(q, v)
    T_p = within + b / m
    return [middle, T_p, *stats.t.interval(0.95, nu(m, b, within), loc=middle, scale=np.sqrt(T_p))]


@right("07.combine_partial")
def array_by_loops(q, v):
    m = len(q)
    middle = sum(q) / m
    b = sum((one - middle) ** 2 for one in q) / (m - 1)
    within = sum(v) / m
    return np.array(with_interval(middle, within + b / m, nu(m, b, within)))


@wrong("07.combine_partial")
def sum_of_variances(q, v):
    m, middle, b, within = parts(q, v)
    return with_interval(middle, sum(v) + b / m, nu(m, b, within))


@wrong("07.combine_partial")
def interval_as_a_pair(q, v):
    m, middle, b, within = parts(q, v)
    middle, T_p, lower, upper = with_interval(middle, within + b / m, nu(m, b, within))
    return middle, T_p, (lower, upper)


@wrong("07.combine_partial")
def without_the_variance(q, v):
    m, middle, b, within = parts(q, v)
    middle, _, lower, upper = with_interval(middle, within + b / m, nu(m, b, within))
    return lower, middle, upper


@wrong("07.combine_partial")
def mean_standard_error_squared(q, v):
    m, middle, b, within = parts(q, v)
    return with_interval(middle, np.sqrt(v).mean() ** 2 + b / m, nu(m, b, within))


@wrong("07.combine_partial")
def degrees_not_squared(q, v):
    m, middle, b, within = parts(q, v)
    return with_interval(middle, within + b / m, (m - 1) * (1 + within / (b / m)))


@wrong("07.combine_partial")
def standard_deviation_of_the_estimates(q, v):
    m, middle, b, within = parts(q, v)
    return with_interval(middle, within + b**0.5 / m, nu(m, b**0.5, within))


def shared(first, second):
    return min(first[1], second[1]) - max(first[0], second[0])


def lengths(first, second):
    return first[1] - first[0], second[1] - second[0]


@right("07.overlap")
def mean_of_two_shares(first, second):
    return np.mean([shared(first, second) / length for length in lengths(first, second)])


@right("07.overlap")
def shared_length_from_the_hull(first, second):
    hull = max(first[1], second[1]) - min(first[0], second[0])
    a, b = lengths(first, second)
    return (a + b - hull) * (1 / a + 1 / b) / 2


@right("07.overlap")
def harmonic_mean_of_lengths(first, second):
    return shared(first, second) / stats.hmean(lengths(first, second))


@wrong("07.overlap")
def ends_exchanged(first, second):
    hull = max(first[1], second[1]) - min(first[0], second[0])
    return np.mean([hull / length for length in lengths(first, second)])


@wrong("07.overlap")
def twice_the_share_of_the_sum(first, second):
    return 2 * shared(first, second) / sum(lengths(first, second))


@wrong("07.overlap")
def absolute_shared_length(first, second):
    return np.mean([abs(shared(first, second)) / length for length in lengths(first, second)])


@wrong("07.overlap")
def nan_if_disjoint(first, second):
    return np.nan if shared(first, second) < 0 else mean_of_two_shares(first, second)


@wrong("07.overlap")
def geometric_mean(first, second):
    a, b = lengths(first, second)
    return np.sign(shared(first, second)) * abs(shared(first, second)) / np.sqrt(a * b)


@wrong("07.overlap")
def pair_of_shares(first, second):
    return [shared(first, second) / length for length in lengths(first, second)]
