"""Random-walk Metropolis sampler for clipped likelihoods, vectorized over chains.

A clipped likelihood has kinks and flat parts. The random walk only needs its values. The steps adapt to the posterior
during tuning and are fixed afterwards.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from synthlab import _checks
from synthlab._typing import FloatArray
from synthlab.exceptions import FitError, InputError
from synthlab.synthesizers._pymc import SamplerOptions, sampler_options

WANTED = 0.3  # target acceptance rate
BLOCK = 100  # steps between adaptations
JITTER = 1e-10  # added to the variances, so that they are positive

LogTarget = Callable[[FloatArray], FloatArray]  # (chains, d) -> (chains,)


@dataclass(frozen=True, slots=True, kw_only=True)
class MetropolisOptions(SamplerOptions):
    """Sampler options, including `thin`, the number of steps per kept draw."""

    thin: int


def metropolis_options(given: Mapping[str, Any]) -> MetropolisOptions:
    """Return the options of a fit, or raise if one does not exist."""
    options = {"tune": 2000, "thin": 5, "chains": 4, **given}
    thin = _checks.check_count(options.pop("thin"), "thin")
    for name in ("target_accept", "sampler", "progress"):
        if name in options:
            raise InputError(f"fit_clipped got the option {name!r}, which the Metropolis sampler does not have")
    return MetropolisOptions(**asdict(sampler_options(options)), thin=thin)


def sample_metropolis(
    target: LogTarget, start: FloatArray, spread: FloatArray, options: MetropolisOptions, rng: np.random.Generator
) -> FloatArray:
    """Return draws of shape (chains, draws, d).

    Parameters
    ----------
    target : callable
        Function that returns the log density of each row of a matrix, up to a constant.
    start, spread : ndarray of shape (d,), (d, d)
        An approximate mode, and A, where A A' is an approximate covariance. The chains start from the mode with twice
        this spread.
    options : MetropolisOptions
    rng : numpy.random.Generator

    Raises
    ------
    FitError
        If the density is 0 at the start of a chain.
    """
    chains, d = options.chains, start.size
    x = start + 2.0 * rng.standard_normal((chains, d)) @ spread.T
    value = target(x)
    lost = ~np.isfinite(value)
    x[lost], value[lost] = start, target(start[None])[0]
    if not np.isfinite(value).all():
        raise FitError("the Metropolis sampler found no starting point")
    size, taken = 2.38 / np.sqrt(d), 0.0
    path = np.empty((options.tune, chains, d))
    for t in range(options.tune):
        x, value, moved = _step(target, x, value, size * spread, rng)
        path[t], taken = x, taken + moved.mean()
        if (t + 1) % BLOCK == 0:
            size, taken = size * float(np.exp(taken / BLOCK - WANTED)), 0.0
            recent = path[(t + 1) // 2 : t + 1].reshape(-1, d)
            spread = _root(np.atleast_2d(np.cov(recent, rowvar=False)), spread)
    kept = np.empty((options.draws, chains, d))
    for t in range(options.draws):
        for _ in range(options.thin):
            x, value, moved = _step(target, x, value, size * spread, rng)
        kept[t] = x
    return np.ascontiguousarray(kept.transpose(1, 0, 2))


def _step(
    target: LogTarget, x: FloatArray, value: FloatArray, spread: FloatArray, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray, Any]:
    """Propose one step for every chain, and apply the accepted ones."""
    proposed = x + rng.standard_normal(x.shape) @ spread.T
    there = target(proposed)
    moved = np.log(rng.random(len(x))) < there - value
    return np.where(moved[:, None], proposed, x), np.where(moved, there, value), moved


def _root(covariance: FloatArray, before: FloatArray) -> FloatArray:
    """Return the Cholesky factor of a covariance, or `before` if it is singular."""
    scale = np.diag(covariance)
    if not (scale > 0).all():
        return before
    try:
        return np.asarray(np.linalg.cholesky(covariance + JITTER * np.diag(scale)), dtype=np.float64)
    except np.linalg.LinAlgError:
        return before
