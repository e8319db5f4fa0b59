"""Answers to the exercise of lecture 2."""

from __future__ import annotations

import numpy as np
from scipy import stats

from synthlab.teaching.exercises import lecture_02
from tests.course.answers import right, wrong

NAME = "02.synthesize_share"


@right(NAME)
def beta_binomial_of_scipy(y, n, m, rng):
    return stats.betabinom(n, 1 + y, 1 + n - y).rvs(m, random_state=rng)


@right(NAME)
def loop_over_datasets(y, n, m, rng):
    return [rng.binomial(n, rng.beta(1 + y, 1 + n - y)) for _ in range(m)]


@right(NAME)
def people_one_by_one(y, n, m, rng):
    return (rng.random((m, n)) < rng.beta(1 + y, 1 + n - y, size=(m, 1))).sum(axis=1)


@right(NAME)
def share_from_two_gamma_numbers(y, n, m, rng):
    yes, no = rng.standard_gamma(1 + y, m), rng.standard_gamma(1 + n - y, m)
    return rng.binomial(n, yes / (yes + no))


@wrong(NAME, slip=lecture_02._plug_in)
def observed_share(y, n, m, rng):
    return rng.binomial(n, y / n, m)


@wrong(NAME, slip=lecture_02._share_a_person)
def posterior_mean(y, n, m, rng):
    return rng.binomial(n, (y + 1) / (n + 2), m)


@wrong(NAME, slip=lecture_02._share_a_person)
def share_for_each_person(y, n, m, rng):
    return [rng.binomial(1, rng.beta(1 + y, 1 + n - y, n)).sum() for _ in range(m)]


@wrong(NAME, slip=lecture_02._one_share)
def one_share_for_all(y, n, m, rng):
    theta = rng.beta(1 + y, 1 + n - y)
    return [rng.binomial(n, theta) for _ in range(m)]


@wrong(NAME, slip=lecture_02._share_only)
def shares_only(y, n, m, rng):
    return stats.beta(1 + y, 1 + n - y).rvs(m, random_state=rng)


@wrong(NAME, slip=lecture_02._expected)
def expected_number(y, n, m, rng):
    return rng.beta(1 + y, 1 + n - y, m) * n


@wrong(NAME, slip=lecture_02._no_prior)
def without_prior(y, n, m, rng):
    return rng.binomial(n, rng.beta(y, n - y, m))


@wrong(NAME, slip=lecture_02._turned)
def yes_and_no_exchanged(y, n, m, rng):
    return n - rng.binomial(n, rng.beta(1 + y, 1 + n - y, m))


@wrong(NAME, slip=lecture_02._all_people)
def n_as_second_parameter(y, n, m, rng):
    return rng.binomial(n, rng.beta(1 + y, 1 + n, m))


@wrong(NAME, slip=lecture_02._one_person)
def one_person(y, n, m, rng):
    return rng.binomial(1, rng.beta(1 + y, 1 + n - y, m))


@wrong(NAME, slip=lecture_02._people_for_datasets)
def m_people(y, n, m, rng):
    return rng.binomial(m, rng.beta(1 + y, 1 + n - y, m))


@wrong(NAME, slip=lecture_02._own_generator)
def seed_in_the_function(y, n, m, rng):
    rng = np.random.default_rng(7)
    return rng.binomial(n, rng.beta(1 + y, 1 + n - y, m))


@wrong(NAME)
def prior_of_jeffreys(y, n, m, rng):
    return rng.binomial(n, rng.beta(0.5 + y, 0.5 + n - y, m))


@wrong(NAME)
def rounded_expected_number(y, n, m, rng):
    return np.round(n * rng.beta(1 + y, 1 + n - y, m))


@wrong(NAME)
def one_dataset(y, n, m, rng):
    return rng.binomial(n, rng.beta(1 + y, 1 + n - y))


@wrong(NAME)
def answers_of_all_people(y, n, m, rng):
    return rng.random((m, n)) < rng.beta(1 + y, 1 + n - y, size=(m, 1))


@wrong(NAME)
def normal_approximation(y, n, m, rng):
    return rng.normal(n * (y + 1) / (n + 2), np.sqrt(n * (y + 1) * (n - y + 1)) / (n + 2), m)
