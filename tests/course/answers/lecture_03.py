"""Answers to the exercises of lecture 3."""

from __future__ import annotations

import numpy as np
from scipy import stats

from tests.course.answers import right, wrong


@right("03.log_likelihood")
def with_the_constant(beta, y, x, sigma, weights):
    return np.sum(weights * stats.norm.logpdf(y, x @ beta, sigma))


@right("03.log_likelihood")
def loop_over_records(beta, y, x, sigma, weights):
    total = 0.0
    for row, value, weight in zip(x, y, weights, strict=True):
        total -= weight * (value - row @ beta) ** 2 / (2 * sigma**2)
    return total


@right("03.log_likelihood")
def product_of_vectors(beta, y, x, sigma, weights):
    z = (y - x @ beta) / sigma
    return -weights @ z**2 / 2


@wrong("03.log_likelihood")
def sum_of_weights_times_sum(beta, y, x, sigma, weights):
    return -0.5 * np.sum(weights) * np.sum((y - x @ beta) ** 2) / sigma**2


@wrong("03.log_likelihood")
def divided_by_weights(beta, y, x, sigma, weights):
    return -0.5 * np.sum((y - x @ beta) ** 2 / np.maximum(weights, 1e-9)) / sigma**2


@wrong("03.log_likelihood")
def likelihood_instead_of_logarithm(beta, y, x, sigma, weights):
    return np.exp(-0.5 * np.sum(weights * (y - x @ beta) ** 2) / sigma**2)


@wrong("03.log_likelihood")
def not_summed(beta, y, x, sigma, weights):
    return -0.5 * weights * (y - x @ beta) ** 2 / sigma**2


@wrong("03.log_likelihood")
def product_instead_of_matrix_product(beta, y, x, sigma, weights):
    return -0.5 * np.sum(weights * (y - (x * beta).T) ** 2) / sigma**2


def accepted_by_ratio(log_density, start, step, draws, rng):
    here, chain = np.array(start, dtype=float), np.empty((draws, len(start)))
    for row in range(draws):
        there = here + step * rng.standard_normal(here.size)
        if rng.random() < np.exp(min(0.0, log_density(there) - log_density(here))):
            here = there
        chain[row] = here
    return chain


@right("03.metropolis")
def ratio_of_densities(log_density, start, step, draws, rng):
    return accepted_by_ratio(log_density, start, step, draws, rng)


@right("03.metropolis")
def list_of_rows(log_density, start, step, draws, rng):
    return list(accepted_by_ratio(log_density, start, step, draws, rng))


@right("03.metropolis")
def all_random_numbers_first(log_density, start, step, draws, rng):
    here, chain = np.array(start, dtype=float), []
    limits = np.log(rng.random(draws))
    for limit, change in zip(limits, step * rng.standard_normal((draws, len(start))), strict=True):
        if log_density(here + change) - log_density(here) > limit:
            here = here + change
        chain.append(here.copy())
    return np.array(chain)


def variant(accept, recorded="here", first=False, new=None, size=True):
    """Return a Metropolis function with a mistake."""

    def chain_of(log_density, start, step, draws, rng):
        here = np.array(start, dtype=float)
        chain = [here] if first else []
        for _ in range(draws):
            origin = np.array(start, dtype=float) if new == "start" else here
            there = origin + step * (rng.standard_normal(here.size) if size else rng.standard_normal())
            accepted = accept(log_density(there), log_density(here), rng.random())
            if accepted and new != "never":
                here = there
            if recorded == "accepted" and not accepted:
                continue
            chain.append(
                {"here": here, "there": there, "accepted": here, "chosen": there if accepted else here}[recorded]
            )
        return np.array(chain)

    return chain_of


def _rule(there, here, u):
    return np.log(u) < there - here


VARIANTS = {
    "start_as_first_row": (variant(_rule, first=True), "The chain contains"),
    "one_number_for_all_parameters": (variant(_rule, size=False), "All parameters"),
    "here_is_not_updated": (variant(_rule, recorded="chosen", new="never"), "An accepted"),
    "u_instead_of_its_logarithm": (variant(lambda there, here, u: u < there - here), "Downhill steps"),
    "comparison_reversed": (variant(lambda there, here, u: np.log(u) > there - here), "The chain prefers"),
    "proposals_from_the_start": (variant(_rule, new="start"), "Every proposal is made"),
    "accepted_draws_only": (variant(_rule, recorded="accepted"), "If a"),
    "uphill_only": (variant(lambda there, here, u: there > here), "Downhill steps"),
    "proposals_recorded": (variant(_rule, recorded="there"), "These are"),
    "difference_reversed": (variant(lambda there, here, u: np.log(u) < here - there), "The chain prefers"),
    "everything_accepted": (variant(lambda there, here, u: True), "Every proposal is accepted;"),
    "always_downhill_with_probability_one_half": (variant(lambda there, here, u: there > here or u < 0.5), None),
    "probability_of_the_other_rule": (
        variant(lambda there, here, u: u < 1 / (1 + np.exp(np.clip(here - there, -700, 700)))),
        None,
    ),
}
for label, (function, hint) in VARIANTS.items():
    function.__name__ = label
    wrong("03.metropolis", hint=hint)(function)


@wrong("03.metropolis", hint="`here` is")
def changed_in_place(log_density, start, step, draws, rng):
    here, chain = np.array(start, dtype=float), []
    for _ in range(draws):
        old = here.copy()
        here += step * rng.standard_normal(here.size)
        if np.log(rng.random()) >= log_density(here) - log_density(old):
            here -= here - old
        chain.append(here)
    return np.array(chain)


@wrong("03.metropolis")
def last_value_only(log_density, start, step, draws, rng):
    return accepted_by_ratio(log_density, start, step, draws, rng)[-1]


def parts(chains):
    chains = np.asarray(chains)
    count, length = chains.shape
    within = np.mean([np.var(chain, ddof=1) for chain in chains])
    return count, length, within, length * np.var([chain.mean() for chain in chains], ddof=1)


@right("03.r_hat")
def with_b(chains):
    _, n, w, b = parts(chains)
    return (((n - 1) / n * w + b / n) / w) ** 0.5


@right("03.r_hat")
def sum_of_two_terms(chains):
    _, n, w, b = parts(chains)
    return np.sqrt(1 - 1 / n + b / (n * w))


@right("03.r_hat")
def array_of_one_number(chains):
    grand = chains.mean()
    between = ((chains.mean(axis=1) - grand) ** 2).sum() / (len(chains) - 1)
    within = ((chains - chains.mean(axis=1, keepdims=True)) ** 2).sum() / (len(chains) * (chains.shape[1] - 1))
    return np.sqrt((chains.shape[1] - 1) / chains.shape[1] + between / within)


@wrong("03.r_hat")
def divisor_n_within_only(chains):
    n, w = chains.shape[1], chains.var(axis=1).mean()
    return np.sqrt(((n - 1) / n * w + chains.mean(axis=1).var(ddof=1)) / w)


@wrong("03.r_hat")
def variance_of_all_draws(chains):
    return np.sqrt(chains.var(ddof=1) / chains.var(axis=1, ddof=1).mean())


@wrong("03.r_hat")
def one_number_for_each_chain(chains):
    _, n, _, b = parts(chains)
    return np.sqrt((n - 1) / n + b / n / chains.var(axis=1, ddof=1))
