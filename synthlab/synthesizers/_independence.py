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
from synthlab._pareto_smoothing import pareto_smoothing
from synthlab._typing import FloatArray, IntArray, RngLike
from synthlab._warnings import library_warnings
from synthlab.synthesizers._linear import check_rounding
from synthlab.synthesizers._posterior import effective_sizes
from synthlab.synthesizers._pymc import NUTS, Chains, SamplerOptions

FREEDOM = 30  # degrees of freedom of the proposals
STEPS, WARMUP = 4000, 50  # steps of all chains, at least, and steps of each chain before its first draw
PILOT = 200  # proposals of a first chain, which shows whether the sampler is hopeless
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
        With ``sampler="independence"``, the draws are returned even if the proposals do not fit; ``trouble`` then
        states why they are unreliable.
    rng : int, Generator or None
    nuts : callable
        Function of the options and a generator, which samples u by NUTS.

    Returns
    -------
    Chains
        ``values["u"]`` of shape (chains, draws, size or more).

    Raises
    ------
    FitError
        If rounding errors of the log density hide its shape.
    """
    generator = _rng.as_generator(rng)
    check_rounding(float(log_density(np.zeros((1, size)))[0]))
    if options.sampler in NUTS:
        return nuts(options, generator)
    rows = max(1, BLOCK // max(terms, 1))
    forced = options.sampler == "independence"
    trouble = "" if forced else _pilot(log_density, size, rows, generator)
    if not trouble:
        u, trouble = _sample(log_density, size, rows, options, generator)
        if forced or not trouble:
            return Chains({"u": u}, 0, "independence", trouble=trouble)
    found = nuts(replace(options, sampler="nutpie"), generator)
    return replace(found, reason=f"not sampled by independence Metropolis, because {trouble}")


def _pilot(log_density: LogDensity, size: int, rows: int, rng: np.random.Generator) -> str:
    """Return why longer chains would be hopeless, or ""."""
    weight = _propose(log_density, size, PILOT, rows, rng)[1]
    accepted = _walk(weight[:, None], rng)[1]
    return f"{accepted:.0%} of the first {PILOT} proposals were accepted" if accepted < MIN_ACCEPTANCE / 2 else ""


def _sample(
    log_density: LogDensity, size: int, rows: int, options: SamplerOptions, rng: np.random.Generator
) -> tuple[FloatArray, str]:
    """Return draws of shape (chains, draws, size), and why they are unreliable, or ""."""
    thin = -(-STEPS // (options.draws * options.chains))
    steps, chains = WARMUP + thin * options.draws, options.chains
    proposed, weight = _propose(log_density, size, steps * chains, rows, rng)
    taken, accepted = _walk(weight.reshape(steps, chains), rng)
    # Row i, column j of the proposals is element i * chains + j.
    path = proposed[taken * chains + np.arange(chains)].transpose(1, 0, 2)[:, WARMUP:]
    return np.ascontiguousarray(path[:, ::thin]), _trouble(path, accepted, weight)


def _propose(
    log_density: LogDensity, size: int, number: int, rows: int, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    """Return proposals and their log weights: the log density minus that of the proposals, up to a constant.

    The log weight is -inf where the density is undefined.
    """
    proposed = rng.standard_normal((number, size))
    proposed /= np.sqrt(rng.chisquare(FREEDOM, (number, 1)) / FREEDOM)
    there = np.concatenate([log_density(proposed[at : at + rows]) for at in range(0, number, rows)])
    weight = there + 0.5 * (FREEDOM + size) * np.log1p(np.square(proposed).sum(axis=1) / FREEDOM)
    return proposed, np.where(np.isnan(weight), -np.inf, weight)


def _walk(weight: FloatArray, rng: np.random.Generator) -> tuple[IntArray, float]:
    """Return the row of the proposal where each chain is after each step, and the share of accepted proposals."""
    threshold = -rng.standard_exponential(weight.shape)
    taken = np.zeros(weight.shape, dtype=np.int64)
    here, value = np.zeros(weight.shape[1], dtype=np.int64), weight[0]
    moves = 0
    for step in range(1, len(weight)):
        # A chain leaves a place of density 0 at once.
        moved = (weight[step] >= value) | (threshold[step] < weight[step] - np.where(np.isfinite(value), value, 0.0))
        here, value = np.where(moved, step, here), np.where(moved, weight[step], value)
        taken[step] = here
        moves += int((moved & np.isfinite(weight[step])).sum())
    return taken, moves / ((len(weight) - 1) * weight.shape[1])


def _trouble(path: FloatArray, accepted: float, weight: FloatArray) -> str:
    """Return why draws are unreliable, or "".

    The effective sample sizes reveal a chain that stays in one place for long, even if many proposals were accepted.
    """
    if accepted < MIN_ACCEPTANCE:
        return f"{accepted:.0%} of the proposals were accepted"
    smooth = pareto_smoothing("the check of independence Metropolis")
    with np.errstate(all="ignore"), library_warnings("ignore", UserWarning):
        pareto = float(smooth(weight[np.isfinite(weight)][None, :])[1][0])
    if not pareto <= MAX_PARETO:
        return f"the Pareto k of the proposals is {pareto:.2f}"
    least = min(min(effective_sizes(path[:, :, j])) for j in range(path.shape[2]))
    return "" if least >= MIN_SIZE else f"the effective sample size of a parameter is {least:.0f}"
