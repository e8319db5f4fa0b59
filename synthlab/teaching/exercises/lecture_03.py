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


def _sigma_once(beta: FloatArray, y: FloatArray, x: FloatArray, sigma: float, weights: FloatArray) -> Any:
    return sigma * log_likelihood(beta, y, x, sigma, weights)


X = np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0], [1.0, 4.0]])
Y, WEIGHTS = np.array([1.0, 3.0, 2.0, 7.0]), np.array([1.0, 0.5, 0.0, 2.0])


def _answers_likelihood(function: Any) -> dict[str, Any]:
    """Return differences of log-likelihoods, which do not depend on the constant."""
    zero = function(np.zeros(2), Y, X, 2.0, WEIGHTS)
    return {
        "beta = (1, 1) against (0, 0)": function(np.ones(2), Y, X, 2.0, WEIGHTS) - zero,
        "beta = (0, 2) against (0, 0)": function(np.array([0.0, 2.0]), Y, X, 2.0, WEIGHTS) - zero,
    }


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


def _answers_chain(function: Any) -> dict[str, Any]:
    """Return results for a standard normal target and for a target of two parameters."""
    rng = np.random.default_rng(1)
    one = function(lambda theta: -0.5 * float(theta[0]) ** 2, [0.0], 2.4, DRAWS, rng)
    length = len(one)
    first = np.array(one, dtype=float).reshape(length, -1)[:, 0]
    two = function(lambda theta: -0.5 * float(theta[0] ** 2 + (theta[1] - 2) ** 2), [0.0, 2.0], 1.7, DRAWS, rng)
    second = np.array(two, dtype=float).reshape(len(two), -1)[:, -1]
    return {
        "as many draws as asked for (1: yes)": float(length == DRAWS),
        "share of draws that moved": np.mean(np.diff(first) != 0),
        "share of draws between -1 and 1, standard normal": np.mean(np.abs(first) < 1),
        "share of draws between 1 and 3, normal around 2": np.mean(np.abs(second - 2) < 1),
    }


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


def _only_between(chains: FloatArray) -> Any:
    return np.sqrt(chains.mean(axis=1).var(ddof=1) / chains.var(axis=1, ddof=1).mean())


CHAINS = np.array([[1.0, 2.0, 3.0, 2.0], [2.0, 3.0, 4.0, 5.0], [1.0, 0.0, 2.0, 2.0]])


def _answers_r_hat(function: Any) -> dict[str, Any]:
    return {
        "two chains of three draws": function(np.array([[1.0, 2.0, 3.0], [2.0, 3.0, 4.0]])),
        "three chains of four draws": function(CHAINS),
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
        },
    ),
    Exercise(
        "03.metropolis",
        answers=_answers_chain,
        right=metropolis,
        slips={
            "If a proposal is rejected, record the current value again.": _accepted_only,
            "Downhill steps are never accepted; accept them with probability p(there) / p(here).": _uphill_only,
            "Every proposal is accepted; compare log(u) with the difference of the log densities.": _always,
            "The chain prefers to go downhill; the difference must be `there` minus `here`.": _downhill,
            "These are the proposals; record the value of the chain after each decision.": _proposals,
            "The proposal moves in one direction only; it must be symmetric around `here`.": _one_way,
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
        },
    ),
)
