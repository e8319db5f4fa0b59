"""Lecture 3: a weighted log-likelihood, the Metropolis algorithm, and R-hat."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from synthlab._typing import FloatArray
from synthlab.teaching.checking import Exercise

DRAWS = 8000


def log_likelihood(beta: FloatArray, y: FloatArray, x: FloatArray, sigma: float, weights: FloatArray) -> Any:
    """Return the weighted log-likelihood of a normal regression, up to a constant."""
    return -0.5 * np.sum(weights * (y - x @ beta) ** 2) / sigma**2


def _unweighted(beta: FloatArray, y: FloatArray, x: FloatArray, sigma: float, weights: FloatArray) -> Any:
    return -0.5 * np.sum((y - x @ beta) ** 2) / sigma**2


def _weighted_residuals(beta: FloatArray, y: FloatArray, x: FloatArray, sigma: float, weights: FloatArray) -> Any:
    return -0.5 * np.sum((weights * (y - x @ beta)) ** 2) / sigma**2


def _mean(beta: FloatArray, y: FloatArray, x: FloatArray, sigma: float, weights: FloatArray) -> Any:
    return log_likelihood(beta, y, x, sigma, weights) / np.sum(weights)


def _no_minus(beta: FloatArray, y: FloatArray, x: FloatArray, sigma: float, weights: FloatArray) -> Any:
    return -log_likelihood(beta, y, x, sigma, weights)


def _no_half(beta: FloatArray, y: FloatArray, x: FloatArray, sigma: float, weights: FloatArray) -> Any:
    return 2 * log_likelihood(beta, y, x, sigma, weights)


def _root_of_weights(beta: FloatArray, y: FloatArray, x: FloatArray, sigma: float, weights: FloatArray) -> Any:
    return log_likelihood(beta, y, x, sigma, np.sqrt(weights))


def _sigma_once(beta: FloatArray, y: FloatArray, x: FloatArray, sigma: float, weights: FloatArray) -> Any:
    return sigma * log_likelihood(beta, y, x, sigma, weights)


X = np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0], [1.0, 4.0]])
Y, WEIGHTS = np.array([1.0, 3.0, 2.0, 7.0]), np.array([1.0, 0.5, 0.0, 2.0])


def _answers_likelihood(function: Any) -> dict[str, Any]:
    """Return differences of log-likelihoods, which do not depend on the constant."""
    found = {}
    for sigma in (2.0, 3.0):  # with one value of sigma, a wrong power of sigma could look like a missing factor of 1/2
        zero = function(np.zeros(2), Y, X, sigma, WEIGHTS)
        for beta in ([1.0, 1.0], [0.0, 2.0]):
            label = f"log-likelihood at beta = {beta} minus that at [0, 0], sigma = {sigma:g}"
            found[label] = function(np.array(beta), Y, X, sigma, WEIGHTS) - zero
    return found


def metropolis(
    log_density: Callable[[FloatArray], float], start: Any, step: float, draws: int, rng: np.random.Generator
) -> FloatArray:
    """Return a chain of draws (rows) from Metropolis with normal proposals."""
    here, chain = np.array(start, dtype=float), []
    for _ in range(draws):
        there = here + step * rng.standard_normal(here.size)
        if np.log(rng.random()) < log_density(there) - log_density(here):
            here = there
        chain.append(here)
    return np.array(chain)


def _accepted_only(log_density: Any, start: Any, step: float, draws: int, rng: np.random.Generator) -> Any:
    chain = metropolis(log_density, start, step, draws, rng)
    return chain[np.append(True, np.any(np.diff(chain, axis=0) != 0, axis=1))]


def _uphill_only(log_density: Any, start: Any, step: float, draws: int, rng: np.random.Generator) -> Any:
    here, chain = np.array(start, dtype=float), []
    for _ in range(draws):
        there = here + step * rng.standard_normal(here.size)
        if log_density(there) > log_density(here):
            here = there
        chain.append(here)
    return np.array(chain)


def _always(log_density: Any, start: Any, step: float, draws: int, rng: np.random.Generator) -> Any:
    return metropolis(lambda theta: 0.0, start, step, draws, rng)


def _downhill(log_density: Any, start: Any, step: float, draws: int, rng: np.random.Generator) -> Any:
    return metropolis(lambda theta: -log_density(theta), start, step, draws, rng)


def _proposals(log_density: Any, start: Any, step: float, draws: int, rng: np.random.Generator) -> Any:
    chain = metropolis(log_density, start, step, draws, rng)
    return chain + step * rng.standard_normal(chain.shape)


def _one_way(log_density: Any, start: Any, step: float, draws: int, rng: np.random.Generator) -> Any:
    here, chain = np.array(start, dtype=float), []
    for _ in range(draws):
        there = here + step * rng.random(here.size)
        if np.log(rng.random()) < log_density(there) - log_density(here):
            here = there
        chain.append(here)
    return np.array(chain)


def _same_object(log_density: Any, start: Any, step: float, draws: int, rng: np.random.Generator) -> Any:
    here, chain = np.array(start, dtype=float), []
    for _ in range(draws):
        change = step * rng.standard_normal(here.size)
        before = log_density(here)
        here += change
        if np.log(rng.random()) >= log_density(here) - before:
            here -= change
        chain.append(here)
    return np.array(chain)


def _start_recorded(log_density: Any, start: Any, step: float, draws: int, rng: np.random.Generator) -> Any:
    return np.vstack([np.array(start, dtype=float)[None], metropolis(log_density, start, step, draws, rng)])


def _one_number(log_density: Any, start: Any, step: float, draws: int, rng: np.random.Generator) -> Any:
    return _chain(log_density, start, draws, rng, lambda here: here + step * rng.standard_normal())


def _from_start(log_density: Any, start: Any, step: float, draws: int, rng: np.random.Generator) -> Any:
    first = np.array(start, dtype=float)
    return _chain(log_density, start, draws, rng, lambda here: first + step * rng.standard_normal(here.size))


def _chain(log_density: Any, start: Any, draws: int, rng: np.random.Generator, propose: Any) -> Any:
    here, chain = np.array(start, dtype=float), []
    for _ in range(draws):
        there = propose(here)
        if np.log(rng.random()) < log_density(there) - log_density(here):
            here = there
        chain.append(here)
    return np.array(chain)


def _never_moves_on(log_density: Any, start: Any, step: float, draws: int, rng: np.random.Generator) -> Any:
    here, chain = np.array(start, dtype=float), []
    for _ in range(draws):
        there = here + step * rng.standard_normal(here.size)
        accepted = np.log(rng.random()) < log_density(there) - log_density(here)
        chain.append(there if accepted else here)
    return np.array(chain)


def _answers_chain(function: Any) -> dict[str, Any]:
    """Return results for a standard normal target and for a target of two parameters."""
    rng = np.random.default_rng(1)
    one = function(lambda theta: -0.5 * float(theta[0]) ** 2, [0.0], 2.4, DRAWS, rng)
    length = len(one)
    first = np.array(one, dtype=float).reshape(length, -1)[:, 0]
    two = function(lambda theta: -0.5 * float(theta[0] ** 2 + (theta[1] - 2) ** 2), [0.0, 2.0], 1.7, DRAWS, rng)
    second = np.array(two, dtype=float).reshape(len(two), -1)[:, -1]
    steep = function(lambda theta: 1e6 * float(theta[0]), [0.0], 1.0, 1000, rng)  # uphill steps only are accepted
    flat = function(lambda theta: 0.0, [0.0], 1.0, 5, rng)  # every proposal is accepted
    return {
        "number of draws returned if 5 are requested": float(len(flat)),
        "draws returned for each draw requested": length / DRAWS,
        "share of draws that moved, standard normal": _share(np.diff(first) != 0),
        "share of draws between -1 and 1, standard normal": _share(np.abs(first) < 1),
        "share of draws between 1 and 3, second parameter, normal around 2": _share(np.abs(second - 2) < 1),
        "share of draws that moved, steep target": _share(np.diff(np.array(steep, dtype=float).ravel()) != 0),
    }


def _share(chosen: Any) -> float:
    return float(np.mean(chosen)) if len(chosen) else float("nan")


def r_hat(chains: FloatArray) -> Any:
    """Return R-hat of the chains (rows) from the variances between and within chains."""
    within = chains.var(axis=1, ddof=1).mean()
    between = chains.mean(axis=1).var(ddof=1)
    n = chains.shape[1]
    return np.sqrt(((n - 1) / n * within + between) / within)


def _no_root(chains: FloatArray) -> Any:
    return r_hat(chains) ** 2


def _turned(chains: FloatArray) -> Any:
    return r_hat(chains.T)


def _times_n(chains: FloatArray) -> Any:
    within, n = chains.var(axis=1, ddof=1).mean(), chains.shape[1]
    return np.sqrt(((n - 1) / n * within + n * chains.mean(axis=1).var(ddof=1)) / within)


def _no_correction(chains: FloatArray) -> Any:
    within, n = chains.var(axis=1).mean(), chains.shape[1]
    return np.sqrt(((n - 1) / n * within + chains.mean(axis=1).var()) / within)


def _no_shrinking(chains: FloatArray) -> Any:
    return np.sqrt(1 + chains.mean(axis=1).var(ddof=1) / chains.var(axis=1, ddof=1).mean())


def _divided_again(chains: FloatArray) -> Any:
    within, n = chains.var(axis=1, ddof=1).mean(), chains.shape[1]
    return np.sqrt(((n - 1) / n * within + chains.mean(axis=1).var(ddof=1) / n) / within)


def _root_of_numerator(chains: FloatArray) -> Any:
    within = chains.var(axis=1, ddof=1).mean()
    return r_hat(chains) / np.sqrt(within)


def _chains_for_draws(chains: FloatArray) -> Any:
    within, c = chains.var(axis=1, ddof=1).mean(), len(chains)
    return np.sqrt(((c - 1) / c * within + chains.mean(axis=1).var(ddof=1)) / within)


def _only_between(chains: FloatArray) -> Any:
    return np.sqrt(chains.mean(axis=1).var(ddof=1) / chains.var(axis=1, ddof=1).mean())


CHAINS = np.array([[1.0, 2.0, 3.0, 2.0], [2.0, 3.0, 4.0, 5.0], [1.0, 0.0, 2.0, 2.0]])


def _answers_r_hat(function: Any) -> dict[str, Any]:
    return {
        "R-hat of the chains (1, 2, 3) and (2, 3, 4)": function(np.array([[1.0, 2.0, 3.0], [2.0, 3.0, 4.0]])),
        "R-hat of three chains of four draws": function(CHAINS),
        "R-hat of the same chains, all values doubled": function(2 * CHAINS),
    }


EXERCISES = (
    Exercise(
        "03.log_likelihood",
        answers=_answers_likelihood,
        right=log_likelihood,
        slips={
            "The weights are not used.": _unweighted,
            "The weight multiplies the squared residual; here the weight is squared as well.": _weighted_residuals,
            "Sum over the records; do not divide by the sum of the weights.": _mean,
            "The sign is wrong: a larger residual makes the parameters less likely.": _no_minus,
            "Divide by sigma squared.": _sigma_once,
            "The factor 1/2 of the normal log density is missing.": _no_half,
            "Use the weights themselves, not their square roots.": _root_of_weights,
        },
    ),
    Exercise(
        "03.metropolis",
        answers=_answers_chain,
        right=metropolis,
        slips={
            "If a proposal is rejected, record the current value again.": _accepted_only,
            "Downhill steps are never accepted; compare the difference of the log densities with log(u).": _uphill_only,
            "Every proposal is accepted; compare log(u) with the difference of the log densities.": _always,
            "The chain prefers to go downhill; accept if log(u) is below log p(there) - log p(here).": _downhill,
            "These are the proposals; record the value of the chain after each decision.": _proposals,
            "The proposal moves in one direction only; it must be symmetric around `here`.": _one_way,
            "`here` is changed in place, so all rows are the same array; make a new array in every step.": _same_object,
            "The chain contains the start as an additional row; record the value after each decision only.": _start_recorded,
            "All parameters get the same random number; draw `here.size` numbers for each proposal.": _one_number,
            "Every proposal is made from the start; it must be made from `here`.": _from_start,
            "An accepted proposal must also become the new value of `here`.": _never_moves_on,
        },
        tolerance=0.06,
    ),
    Exercise(
        "03.r_hat",
        answers=_answers_r_hat,
        right=r_hat,
        slips={
            "The square root is missing.": _no_root,
            "Each chain is a row; this treats the columns as chains.": _turned,
            "The variance of the means is already B / N; do not multiply it by N.": _times_n,
            "Use variances with divisor N - 1 and C - 1 (ddof=1).": _no_correction,
            "The numerator must also include the variance within the chains.": _only_between,
            "The variance within the chains must be multiplied by (N - 1) / N in the numerator.": _no_shrinking,
            "The variance of the means is already B / N; do not divide it by N again.": _divided_again,
            "Take the root of the whole ratio, not of the numerator only.": _root_of_numerator,
            "In (N - 1) / N, N is the number of draws in a chain, not the number of chains.": _chains_for_draws,
        },
    ),
)
