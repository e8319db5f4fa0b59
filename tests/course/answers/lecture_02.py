"""Answers to the exercise of lecture 2."""

from __future__ import annotations

import numpy as np
from scipy import stats

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


@wrong(NAME, hint="This uses")
def observed_share(y, n, m, rng):
    return rng.binomial(n, y / n, m)


@wrong(NAME, hint="The answers")
def posterior_mean(y, n, m, rng):
    return rng.binomial(n, (y + 1) / (n + 2), m)


@wrong(NAME, hint="The answers")
def share_for_each_person(y, n, m, rng):
    return [rng.binomial(1, rng.beta(1 + y, 1 + n - y, n)).sum() for _ in range(m)]


@wrong(NAME, hint="All datasets")
def one_share_for_all(y, n, m, rng):
    theta = rng.beta(1 + y, 1 + n - y)
    return [rng.binomial(n, theta) for _ in range(m)]


@wrong(NAME, hint="This is the")
def shares_only(y, n, m, rng):
    return stats.beta(1 + y, 1 + n - y).rvs(m, random_state=rng)


@wrong(NAME, hint="This is n")
def expected_number(y, n, m, rng):
    return rng.beta(1 + y, 1 + n - y, m) * n


@wrong(NAME, hint="The prior")
def without_prior(y, n, m, rng):
    return rng.binomial(n, rng.beta(y, n - y, m))


@wrong(NAME, hint="Yes and")
def yes_and_no_exchanged(y, n, m, rng):
    return n - rng.binomial(n, rng.beta(1 + y, 1 + n - y, m))


@wrong(NAME, hint="The second")
def n_as_second_parameter(y, n, m, rng):
    return rng.binomial(n, rng.beta(1 + y, 1 + n, m))


@wrong(NAME, hint="This draws")
def one_person(y, n, m, rng):
    return rng.binomial(1, rng.beta(1 + y, 1 + n - y, m))


@wrong(NAME, hint="Each dataset")
def m_people(y, n, m, rng):
    return rng.binomial(m, rng.beta(1 + y, 1 + n - y, m))


@wrong(NAME, hint="Every call")
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
