"""Lecture 3: a weighted log-likelihood, the Metropolis algorithm, and R-hat."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from synthlab._typing import FloatArray
from synthlab.teaching.checking import Exercise
from synthlab.teaching.exercises.labels import as_number, generator_use

DRAWS = 8000


def log_likelihood(beta: FloatArray, y: FloatArray, x: FloatArray, sigma: float, weights: FloatArray) -> Any:
    """Return the weighted log-likelihood of a normal regression, up to a constant."""
    return -0.5 * np.sum(weights * (y - x @ beta) ** 2) / sigma**2


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
        **generator_use(lambda rng: function(lambda theta: -0.5 * float(theta[0]) ** 2, [1.0], 0.7, 20, rng)),
        "number of draws returned if 5 are requested": float(len(flat)),
        "draws returned for each draw requested": length / DRAWS,
        "share of draws that moved, standard normal": _share(np.diff(first) != 0),
        "share of draws between -1 and 1, standard normal": _share(np.abs(first) < 1),
        "share of draws between 1 and 3, second parameter, normal around 2": _share(np.abs(second - 2) < 1),
        "share of draws that moved, steep target": _share(np.diff(np.array(steep, dtype=float).ravel()) != 0),
    }


def _as_chain(result: Any, log_density: Any, start: Any, *_: Any, **__: Any) -> FloatArray:
    """Return the chain with one column per parameter."""
    return np.asarray(result, dtype=np.float64).reshape(-1, np.size(start))


def _share(chosen: Any) -> float:
    return float(np.mean(chosen)) if len(chosen) else float("nan")


def r_hat(chains: FloatArray) -> Any:
    """Return R-hat of the chains (rows) from the variances between and within chains."""
    within = chains.var(axis=1, ddof=1).mean()
    between = chains.mean(axis=1).var(ddof=1)
    n = chains.shape[1]
    return np.sqrt(((n - 1) / n * within + between) / within)


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
        form=as_number,
        answers=_answers_likelihood,
        right=log_likelihood,
        slips={
            "The weights are not used.": {"weights * ": ""},
            "The weight multiplies the squared residual; here the weight is squared as well.": {
                "weights * (y - x @ beta) ** 2": "(weights * (y - x @ beta)) ** 2"
            },
            "Sum over the records; do not divide by the sum of the weights.": {
                "/ sigma**2": "/ sigma**2 / np.sum(weights)"
            },
            "The sign is wrong: a larger residual makes the parameters less likely.": {"-0.5": "0.5"},
            "Divide by sigma squared.": {"sigma**2": "sigma"},
            "The factor 1/2 of the normal log density is missing.": {"-0.5 * ": "-"},
            "Use the weights themselves, not their square roots.": {"weights * ": "np.sqrt(weights) * "},
        },
    ),
    Exercise(
        "03.metropolis",
        form=_as_chain,
        answers=_answers_chain,
        right=metropolis,
        slips={
            "If a proposal is rejected, record the current value again.": {
                "        chain.append": "            chain.append"
            },
            "Downhill steps are never accepted; compare the difference of the log densities with log(u).": {
                "np.log(rng.random()) <": "0 <"
            },
            "Every proposal is accepted; compare log(u) with the difference of the log densities.": {
                "np.log(rng.random()) < log_density(there) - log_density(here)": "True"
            },
            "The chain prefers to go downhill; accept if log(u) is below log p(there) - log p(here).": {
                "log_density(there) - log_density(here)": "log_density(here) - log_density(there)"
            },
            "These are the proposals; record the value of the chain after each decision.": {
                "append(here)": "append(there)"
            },
            "The proposal moves in one direction only; it must be symmetric around `here`.": {
                "rng.standard_normal": "rng.random"
            },
            "`here` is changed in place, so all rows are the same array; make a new array in every step.": {
                "there = here + step": "before = here.copy()\n        here += step",
                "< log_density(there) - log_density(here)": ">= log_density(here) - log_density(before)",
                "here = there": "here[:] = before",
            },
            "The chain contains the start as an additional row; record the value after each decision only.": {
                ", []": ", [np.array(start, dtype=float)]"
            },
            "All parameters get the same random number; draw `here.size` numbers for each proposal.": {"here.size": ""},
            "Every proposal is made from the start; it must be made from `here`.": {
                "there = here": "there = np.array(start, dtype=float)"
            },
            "An accepted proposal must also become the new value of `here`.": {
                "here = there": "chain.append(there)\n            continue"
            },
        },
        tolerance=0.06,
    ),
    Exercise(
        "03.r_hat",
        form=as_number,
        answers=_answers_r_hat,
        right=r_hat,
        slips={
            "The square root is missing.": {"np.sqrt": ""},
            "Each chain is a row; this treats the columns as chains.": {
                "within = chains.var": "within = (chains := chains.T).var"
            },
            "The variance of the means is already B / N; do not multiply it by N.": {"+ between": "+ n * between"},
            "Use variances with divisor N - 1 and C - 1 (ddof=1).": {
                "axis=1, ddof=1": "axis=1",
                "var(ddof=1)": "var()",
            },
            "The numerator must also include the variance within the chains.": {"(n - 1) / n * within + ": ""},
            "The variance within the chains must be multiplied by (N - 1) / N in the numerator.": {
                "(n - 1) / n * ": ""
            },
            "The variance of the means is already B / N; do not divide it by N again.": {"+ between": "+ between / n"},
            "Take the root of the whole ratio, not of the numerator only.": {
                "between) / within)": "between)) / within"
            },
            "In (N - 1) / N, N is the number of draws in a chain, not the number of chains.": {
                "chains.shape[1]": "len(chains)"
            },
        },
    ),
)
