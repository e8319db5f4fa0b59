"""Independence Metropolis sampler of posteriors that are nearly normal, with NUTS as the fallback.

In whitened coordinates, u = A^-1 (beta - mode), the posterior of a regression is nearly standard normal. The proposals
are independent draws of a multivariate t distribution, whose tails are heavier. A draw then costs one evaluation of
the density, and no adaptation is needed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from synthlab import _rng
from synthlab._system import optional_dependencies
from synthlab._typing import FloatArray, RngLike
from synthlab._warnings import library_warnings
from synthlab.synthesizers._posterior import TAILS
from synthlab.synthesizers._pymc import Chains, SamplerOptions

FREEDOM = 30  # degrees of freedom of the proposals
STEPS, WARMUP = 2000, 50  # steps of all chains, at least, and steps of each chain before its first draw
FIRST = 200  # proposals after which a hopeless chain is abandoned
BLOCK = 4_000_000  # largest number of terms of the log-likelihood in memory
MIN_ACCEPTANCE, MIN_SIZE, MAX_PARETO = 0.3, 400, 0.7


class NumpyMath:
    """The functions of ``pm.math`` that the likelihoods use, for arrays."""

    exp = staticmethod(np.exp)

    @staticmethod
    def log1pexp(x: FloatArray) -> FloatArray:
        """Return log(1 + exp(x))."""
        return np.maximum(x, 0.0) + np.log1p(np.exp(-np.abs(x)))


LogDensity = Callable[[FloatArray], FloatArray]  # (b, p) -> (b,)


def sample_or_nuts(
    log_density: LogDensity,
    size: int,
    terms: int,
    options: SamplerOptions,
    rng: RngLike,
    nuts: Callable[[SamplerOptions, np.random.Generator], Chains],
) -> Chains:
    """Sample u by independence Metropolis, or by NUTS if that is asked for or the proposals do not fit.

    Parameters
    ----------
    log_density : callable
        The log density of the rows of an array of shape (b, size), up to a constant.
    size, terms : int
        The number of elements of u, and of terms of the log-likelihood of one row.
    options : SamplerOptions
    rng : int, Generator or None
    nuts : callable
        Function of the options and a generator, which samples u by NUTS.

    Returns
    -------
    Chains
        ``values["u"]`` of shape (chains, draws, size or more).
    """
    generator = _rng.as_generator(rng)
    if options.sampler in ("nutpie", "pymc"):
        return nuts(options, generator)
    rows = max(1, BLOCK // max(terms, 1))
    u, reason = _sample(log_density, size, rows, options, generator)
    if not reason or options.sampler == "independence":
        return Chains({"u": u}, 0, "independence", reason)
    found = nuts(replace(options, sampler="nutpie"), generator)
    return replace(found, reason=f"not sampled by independence Metropolis, because {reason}")


def _sample(
    log_density: LogDensity, size: int, rows: int, options: SamplerOptions, rng: np.random.Generator
) -> tuple[FloatArray, str]:
    """Return draws of shape (chains, draws, size), and why they are unreliable, or ""."""
    thin = max(1, -(-STEPS // (options.draws * options.chains)))
    steps, chains = WARMUP + thin * options.draws, options.chains
    proposed = rng.standard_normal((steps * chains, size))
    proposed /= np.sqrt(rng.chisquare(FREEDOM, (steps * chains, 1)) / FREEDOM)
    threshold = np.log(rng.random((steps, chains)))
    first = min(FIRST, steps * chains)
    weight = np.empty(steps * chains)
    weight[:first] = _log_weights(log_density, proposed[:first], rows)
    taken, _ = _walk(weight[:first, None], threshold.reshape(-1, 1)[:first])
    if (share := float(np.mean(taken[1:] != taken[:-1]))) < MIN_ACCEPTANCE / 2 and options.sampler is None:
        return proposed[:0], f"{share:.0%} of the first {first} proposals were accepted"
    weight[first:] = _log_weights(log_density, proposed[first:], rows)
    taken, accepted = _walk(weight.reshape(steps, chains), threshold)
    # Row i, column j of the proposals is element i * chains + j.
    path = proposed[taken * chains + np.arange(chains)].transpose(1, 0, 2)[:, WARMUP:]
    return np.ascontiguousarray(path[:, ::thin]), _trouble(path, accepted, weight)


def _log_weights(log_density: LogDensity, proposed: FloatArray, rows: int) -> FloatArray:
    """Return the log density minus that of the proposals, up to a constant; -inf where it is undefined."""
    size = proposed.shape[1]
    there = np.concatenate([log_density(proposed[at : at + rows]) for at in range(0, len(proposed), rows)])
    squares = np.square(proposed).sum(axis=1)
    weight = there + 0.5 * (FREEDOM + size) * np.log1p(squares / FREEDOM)
    return np.where(np.isnan(weight), -np.inf, weight)


def _walk(weight: FloatArray, threshold: FloatArray) -> tuple[np.ndarray, float]:
    """Return the row of the proposal where each chain is after each step, and the share of accepted proposals."""
    taken = np.zeros(weight.shape, dtype=np.int64)
    here, value = np.zeros(weight.shape[1], dtype=np.int64), weight[0]
    moves = 0
    for step in range(1, len(weight)):
        # A chain leaves a place of density 0 at once.
        moved = (weight[step] >= value) | (threshold[step] < weight[step] - np.where(np.isfinite(value), value, 0.0))
        here, value = np.where(moved, step, here), np.where(moved, weight[step], value)
        taken[step] = here
        moves += int(moved.sum())
    return taken, moves / max(1, (len(weight) - 1) * weight.shape[1])


def _trouble(path: FloatArray, accepted: float, weight: FloatArray) -> str:
    """Return why draws are unreliable, or ""."""
    if accepted < MIN_ACCEPTANCE:
        return f"{accepted:.0%} of the proposals were accepted"
    with library_warnings("ignore", FutureWarning):
        arviz = optional_dependencies.load("bayes", "arviz", "diagnostics of chains")
    with np.errstate(all="ignore"), library_warnings("ignore", UserWarning):
        pareto = float(arviz.psislw(weight[np.isfinite(weight)])[1])
    if not pareto <= MAX_PARETO:
        return f"the Pareto k of the proposals is {pareto:.2f}"
    for j in range(path.shape[2]):
        draws = path[:, :, j]
        least = min(float(arviz.ess(draws, method="bulk")), float(arviz.ess(draws, method="tail", prob=TAILS)))
        if not least >= MIN_SIZE:
            return f"the effective sample size of a parameter is {least:.0f}"
    return ""
