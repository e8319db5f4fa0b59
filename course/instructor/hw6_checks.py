"""Checks of homework 6: the right answers and typical slips, each with its hint."""

import numpy as np
from scipy import special

from synthlab.teaching import Exercise
from synthlab.teaching.homework import examples, require_function, require_property
from synthlab.teaching.homework.properties import count_mechanism, protected_tables

RNG = np.random.default_rng(601)


def one_grid(most):
    k, points = int(RNG.integers(3, 6)), int(RNG.integers(5, 9))
    chances = RNG.dirichlet(np.ones(k), points)
    return np.log(chances).round(4), RNG.integers(1, most, k), RNG.uniform(0.2, 1, k).round(2)


def log_posterior(log, counts, weights):
    weighted = log @ (weights * counts)
    return weighted - special.logsumexp(weighted)


def changes(log, frequency, weights, step=1):
    before = log_posterior(log, frequency, weights)
    every = np.eye(len(frequency))
    return np.array([log_posterior(log, frequency + step * one, weights) - before for one in every])


PRIVACY_LOSS = Exercise(
    "hw6.privacy_loss",
    answers=examples(*(one_grid(9) for _ in range(6)), *(one_grid(3000) for _ in range(2))),
    right=lambda log, frequency, weights: np.abs(changes(log, frequency, weights)).max(axis=1),
    slips={
        "The loss is the largest absolute difference: a point may become less probable as well.": (
            lambda log, frequency, weights: changes(log, frequency, weights).max(axis=1)
        ),
        "This is the bound for log-likelihoods of one sign; the loss is the actual difference of two posteriors, "
        "each with sum 1.": lambda log, frequency, weights: weights * np.abs(log).max(axis=0),
        "This is the bound of the theorem; the loss is the actual difference of two posteriors.": (
            lambda log, frequency, weights: 2 * weights * np.abs(log).max(axis=0)
        ),
        "A newcomer has the weight of the answer, like every record with this answer; use the weights.": (
            lambda log, frequency, weights: np.abs(changes(log, frequency, np.ones(len(weights)))).max(axis=1)
        ),
        "This is the loss when a person leaves; here a person joins.": (
            lambda log, frequency, weights: np.abs(changes(log, frequency, weights, -1)).max(axis=1)
        ),
        "You return the ratio of the probabilities; the loss is its logarithm.": (
            lambda log, frequency, weights: np.exp(np.abs(changes(log, frequency, weights)).max(axis=1))
        ),
        "You take the mean over the grid; the loss is the largest value.": (
            lambda log, frequency, weights: np.abs(changes(log, frequency, weights)).mean(axis=1)
        ),
    },
    tolerance=1e-6,
)


def check_privacy_loss(answer):
    require_function(PRIVACY_LOSS, answer)


def check_my_weights(answer, number, least=1):
    settings = {
        "dataset": "youths",
        "rows": 1500,
        "class": number,
        "variable": "numarr",
        "counts": [1, 97],
        "mean": [5, 13, 41],
        "shape": [0.6, 3, 41],
        "most_epsilon": 4,
        "most_error_mean": 0.55,
        "most_error_sd": 0.6,
    }
    require_property(count_mechanism(answer, settings), least)


def check_my_tables(answer, number, least=1):
    settings = {
        "dataset": "acs",
        "rows": 6000,
        "class": number,
        "variables": ["SEX", "RACE", "MAR", "LANX", "DIS", "HICOV"],
        "fewest": 3,
        "most": 10,
        "large": 50,
        "most_error": 0.05,
        "most_error_total": 0.03,
        "most_true": 0.25,
        "most_true_by_mean": 0.5,
    }
    require_property(protected_tables(answer, settings), least)
