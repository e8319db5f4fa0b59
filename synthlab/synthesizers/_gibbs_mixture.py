"""Gibbs sampler of a mixture of normal regressions with record weights.

The target, for records i and classes k = 1..K, is

    prod_i N(y_i | x_i' beta_{z_i}, sigma_{z_i})^{alpha_i} pi_{z_i}  p(theta),

that is, the weight of a record is the exponent of the density of its component. Priors: pi ~ Dirichlet(a/K, .., a/K),
sigma_k ~ half-t(3, 0, 1), beta_k ~ N(0, D Omega D) with D = diag(s), s_j ~ half-t(3, 0, 1) and Omega uniform over the
correlation matrices (LKJ(1)).

Every step is exact. Given z, the updates of pi, beta and sigma are conjugate (sigma through its scale mixture of
inverse gammas). s is updated by slice sampling. Row r of the Cholesky factor of an LKJ(1) matrix of p columns holds the
first r coordinates of a uniform unit vector in p + 1 dimensions, so Omega is a function of standard normals and is
updated by elliptical slice sampling, which needs no tuning. s and Omega are drawn with the coefficients of empty
classes integrated out; those are drawn next.

The design is stored by rows without zeros, because dummy-coded predictors have about a quarter of non-zero elements.
"""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from synthlab import _checks
from synthlab._system import parallel
from synthlab._system.compiled import compiled
from synthlab._typing import FloatArray, IntArray
from synthlab.exceptions import InputError
from synthlab.synthesizers._compiled import copy_into
from synthlab.synthesizers._gibbs_steps import (
    cholesky_of,
    draw_allocations,
    draw_coefficients,
    draw_variances,
    move_correlation,
    move_spread,
)
from synthlab.synthesizers._pymc import SamplerOptions, sampler_options

CHUNK = 100  # iterations per update of the progress bar


@dataclass(frozen=True, slots=True, kw_only=True)
class GibbsOptions(SamplerOptions):
    """Sampler options, including `thin`, the number of iterations per kept draw."""

    thin: int


def gibbs_options(given: Mapping[str, Any]) -> GibbsOptions:
    """Return the options of a fit, or raise if one does not exist."""
    options = {"tune": 1000, "thin": 4, **given}
    thin = _checks.check_count(options.pop("thin"), "thin")
    for name in ("target_accept", "sampler"):
        if name in options:
            raise InputError(f'fit got the option {name!r}, which does not apply to weighting="component"')
    return GibbsOptions(**asdict(sampler_options(options)), thin=thin)


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Sparse design matrix with n rows and p columns.

    Row i has the values ``value[start[i]:start[i + 1]]`` in the columns ``column[start[i]:start[i + 1]]``.
    """

    start: IntArray
    column: IntArray
    value: FloatArray
    p: int

    @classmethod
    def of(cls, matrix: FloatArray) -> Rows:
        """Return the sparse form of a matrix."""
        row, column = np.nonzero(matrix)
        start = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=len(matrix)))])
        return cls(start.astype(np.int64), column.astype(np.int64), matrix[row, column], matrix.shape[1])


@dataclass(slots=True, eq=False)
class _Chain:
    """State of one chain, updated in place."""

    z: IntArray
    pi: FloatArray
    beta: FloatArray
    variance: FloatArray
    auxiliary: FloatArray
    spread: FloatArray
    latent: FloatArray
    rng: np.random.Generator
    stop: bool = False


def sample_mixture(
    rows: Rows,
    y: FloatArray,
    weights: FloatArray,
    classes: int,
    concentration: float,
    correlated: bool,
    options: GibbsOptions,
    streams: list[np.random.Generator],
) -> dict[str, FloatArray]:
    """Run the chains in parallel and return the kept draws.

    All arrays have shape (chains, draws, ...).

    The trailing dimensions are: pi (K), beta (K, p), sigma (K), occupied () (the number of classes with records) and
    spread (p) (the prior standard deviations s).
    """
    from tqdm import tqdm

    weights = weights.copy()  # Numba would compile ten seconds for read-only arrays
    states = [_start(rows, y, classes, stream) for stream in streams]
    total = (options.tune + options.draws * options.thin) * len(states)
    with (
        tqdm(total=total, desc="Gibbs", unit="it", disable=not options.progress, leave=False) as bar,
        ThreadPoolExecutor(parallel.workers(len(states))) as pool,
    ):
        shared = (rows, y, weights, concentration, correlated, options, bar)
        jobs = [pool.submit(_run, state, *shared) for state in states]
        try:
            kept = [job.result() for job in jobs]
        except BaseException:  # on an interrupt, chains stop at their next chunk
            for state in states:
                state.stop = True
            raise
    return {name: np.stack([one[name] for one in kept]) for name in kept[0]}


def _start(rows: Rows, y: FloatArray, K: int, rng: np.random.Generator) -> _Chain:
    """Assign records at random to a random number of classes, to disperse the starts."""
    p = rows.p
    first = int(rng.integers(1, K + 1))
    return _Chain(
        z=rng.integers(0, first, y.size).astype(np.int64),
        pi=np.full(K, 1.0 / K),
        beta=rng.standard_normal((K, p)),  # not 0, because the scales could not recover from 0
        variance=np.full(K, max(float(y.var()), 1e-6)),
        auxiliary=np.ones(K),
        spread=np.ones(p),
        latent=rng.standard_normal((p, p + 1)),
        rng=rng,
    )


def _run(
    state: _Chain,
    rows: Rows,
    y: FloatArray,
    weights: FloatArray,
    concentration: float,
    correlated: bool,
    options: GibbsOptions,
    bar: Any,
) -> dict[str, FloatArray]:
    K, p, draws = state.pi.size, rows.p, options.draws
    kept = {
        "pi": np.empty((draws, K)),
        "beta": np.empty((draws, K, p)),
        "sigma": np.empty((draws, K)),
        "occupied": np.empty(draws),
        "spread": np.empty((draws, p)),
    }
    done, total = 0, options.tune + draws * options.thin
    while done < total and not state.stop:
        step = min(CHUNK, total - done)
        _iterate(
            step, done, options.tune, options.thin, rows.start, rows.column, rows.value, y, weights, concentration, correlated,
            state.z, state.pi, state.beta, state.variance, state.auxiliary, state.spread, state.latent, state.rng,
            kept["pi"], kept["beta"], kept["sigma"], kept["occupied"], kept["spread"],
        )  # fmt: skip
        done += step
        bar.update(step)
    return kept


@compiled
def _iterate(
    steps: int, done: int, tune: int, thin: int, start: IntArray, column: IntArray, value: FloatArray, y: FloatArray,
    weights: FloatArray, concentration: float, correlated: bool, z: IntArray, pi: FloatArray, beta: FloatArray,
    variance: FloatArray, auxiliary: FloatArray, spread: FloatArray, latent: FloatArray, rng: np.random.Generator,
    kept_pi: FloatArray, kept_beta: FloatArray, kept_sigma: FloatArray, kept_occupied: FloatArray,
    kept_spread: FloatArray,
) -> None:  # fmt: skip
    K = pi.size
    cholesky = cholesky_of(latent, correlated)
    for step in range(steps):
        counts = np.zeros(K, dtype=np.int64)
        for i in range(z.size):
            counts[z[i]] += 1
        occupied = np.flatnonzero(counts > 0)
        # prior scales and correlations, given only the coefficients of the occupied classes
        if correlated:
            cholesky = move_correlation(latent, cholesky, beta[occupied], spread, rng)
        move_spread(spread, cholesky, beta[occupied], rng)
        factor = cholesky * spread.reshape(-1, 1)
        inverse = np.linalg.inv(factor)
        precision = inverse.T @ inverse
        draw_coefficients(start, column, value, y, weights, z, counts, variance, beta, factor, precision, rng)
        draw_variances(start, column, value, y, weights, z, beta, variance, auxiliary, rng)
        total = 0.0
        for k in range(K):
            pi[k] = max(rng.standard_gamma(concentration / K + counts[k]), 1e-300)
            total += pi[k]
        for k in range(K):
            pi[k] /= total
        draw_allocations(start, column, value, y, weights, pi, beta, variance, z, rng)
        number = done + step - tune
        if number >= 0 and (number + 1) % thin == 0:
            place = number // thin
            copy_into(kept_pi[place], pi)
            copy_into(kept_beta[place], beta)
            copy_into(kept_sigma[place], np.sqrt(variance))
            copy_into(kept_spread[place], spread)
            present = np.zeros(K)
            for i in range(z.size):
                present[z[i]] = 1.0
            kept_occupied[place] = present.sum()
