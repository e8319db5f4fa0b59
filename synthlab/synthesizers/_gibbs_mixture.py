"""Data-augmentation Gibbs sampler of a mixture of normal regressions with record weights.

The target, for records i and components k = 1..K, is

    prod_i N(y_i | x_i' beta_{z_i}, sigma_{z_i})^{alpha_i} pi_{z_i}  p(theta),

that is, the record's weight raises the density of its own component. Priors:
pi ~ Dirichlet(a/K, .., a/K), sigma_k ~ half-t(3, 0, 1), beta_k ~ N(0, D Omega D) with D = diag(s),
s_j ~ half-t(3, 0, 1) and Omega uniform over the correlation matrices (LKJ(1)).

Every step is exact. Given z all of pi, beta, sigma is conjugate (sigma through its scale mixture of
inverse gammas). s is moved by slice sampling. Row r of the Cholesky factor of an LKJ(1) matrix of p
columns holds the first r coordinates of a uniform unit vector in p + 1 dimensions, so Omega is a
function of standard normals and is moved by elliptical slice sampling, which needs no tuning.
s and Omega are drawn with the coefficients of empty components integrated out; those are drawn next.

The design is stored by rows without its zeros: dummy-coded predictors leave about a quarter.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from os import cpu_count
from typing import Any

import numba
import numpy as np

from synthlab._typing import FloatArray, IntArray

CHUNK = 100  # iterations between two steps of the progress bar


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """A design of n rows and p columns without its zeros: row i is ``value[start[i]:start[i + 1]]`` in `column`."""

    start: IntArray
    column: IntArray
    value: FloatArray
    p: int

    @classmethod
    def of(cls, matrix: FloatArray) -> Rows:
        """Take the non-zero elements of a matrix."""
        row, column = np.nonzero(matrix)
        start = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=len(matrix)))])
        return cls(start.astype(np.int64), column.astype(np.int64), matrix[row, column], matrix.shape[1])


@dataclass(slots=True, eq=False)
class _Chain:
    """The state of one chain, changed in place."""

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
    K: int,
    concentration: float,
    correlated: bool,
    options: Any,
    thin: int,
    streams: list[np.random.Generator],
) -> dict[str, FloatArray]:
    """Run the chains side by side and return the kept draws, each with shape (chains, draws, ...).

    pi (.., K), beta (.., K, p), sigma (.., K), occupied (..) the number of components with a record,
    spread (.., p) the prior standard deviations s.
    """
    from tqdm import tqdm

    states = [_start(rows, y, K, stream) for stream in streams]
    total = (options.tune + options.draws * thin) * len(states)
    with (
        tqdm(total=total, desc="Gibbs", unit="it", disable=not options.progress, leave=False) as bar,
        ThreadPoolExecutor(min(len(states), cpu_count() or 1)) as pool,
    ):
        shared = (rows, y, weights, concentration, correlated, options, thin, bar)
        jobs = [pool.submit(_run, state, *shared) for state in states]
        try:
            kept = [job.result() for job in jobs]
        except BaseException:  # an interrupt: chains stop at their next chunk
            for state in states:
                state.stop = True
            raise
    return {name: np.stack([one[name] for one in kept]) for name in kept[0]}


def _start(rows: Rows, y: FloatArray, K: int, rng: np.random.Generator) -> _Chain:
    """Split the records at random among a random number of components, so that chains start apart."""
    p = rows.p
    first = int(rng.integers(1, K + 1))
    return _Chain(
        z=rng.integers(0, first, y.size).astype(np.int64),
        pi=np.full(K, 1.0 / K),
        beta=rng.standard_normal((K, p)),  # not 0, from which the scales would never come back
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
    options: Any,
    thin: int,
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
    done, total = 0, options.tune + draws * thin
    while done < total and not state.stop:
        step = min(CHUNK, total - done)
        _iterate(
            step, done, options.tune, thin, rows.start, rows.column, rows.value, y, weights, concentration, correlated,
            state.z, state.pi, state.beta, state.variance, state.auxiliary, state.spread, state.latent, state.rng,
            kept["pi"], kept["beta"], kept["sigma"], kept["occupied"], kept["spread"],
        )  # fmt: skip
        done += step
        bar.update(step)
    return kept


@numba.njit(cache=True, nogil=True)
def _iterate(
    steps, done, tune, thin, start, column, value, y, weights, concentration, correlated,
    z, pi, beta, variance, auxiliary, spread, latent, rng,
    kept_pi, kept_beta, kept_sigma, kept_occupied, kept_spread,
):  # fmt: skip
    K = pi.size
    cholesky = _cholesky_of(latent, correlated)
    for step in range(steps):
        counts = np.zeros(K, dtype=np.int64)
        for i in range(z.size):
            counts[z[i]] += 1
        occupied = np.flatnonzero(counts > 0)
        # prior scales and correlations, given the coefficients of the occupied components alone
        if correlated:
            cholesky = _move_correlation(latent, cholesky, beta[occupied], spread, rng)
        _move_spread(spread, cholesky, beta[occupied], rng)
        factor = cholesky * spread.reshape(-1, 1)
        inverse = np.linalg.inv(factor)
        precision = inverse.T @ inverse
        _draw_coefficients(start, column, value, y, weights, z, counts, variance, beta, factor, precision, rng)
        _draw_variances(start, column, value, y, weights, z, beta, variance, auxiliary, rng)
        total = 0.0
        for k in range(K):
            pi[k] = max(rng.standard_gamma(concentration / K + counts[k]), 1e-300)
            total += pi[k]
        for k in range(K):
            pi[k] /= total
        _draw_allocations(start, column, value, y, weights, pi, beta, variance, z, rng)
        number = done + step - tune
        if number >= 0 and (number + 1) % thin == 0:
            place = number // thin
            kept_pi[place], kept_beta[place], kept_sigma[place] = pi, beta, np.sqrt(variance)
            kept_spread[place] = spread
            present = np.zeros(K)
            for i in range(z.size):
                present[z[i]] = 1.0
            kept_occupied[place] = present.sum()


@numba.njit(cache=True, nogil=True)
def _cholesky_of(latent, correlated):
    """Map standard normals (p, p + 1) to the Cholesky factor of an LKJ(1) correlation matrix."""
    p = latent.shape[0]
    factor = np.zeros((p, p))
    for r in range(p):
        if not correlated:
            factor[r, r] = 1.0
            continue
        length = 0.0
        for j in range(p + 1):
            length += latent[r, j] ** 2
        length = np.sqrt(length)
        rest = 0.0
        for j in range(r, p + 1):
            rest += latent[r, j] ** 2
        for j in range(r):
            factor[r, j] = latent[r, j] / length
        factor[r, r] = np.sqrt(rest) / length
    return factor


@numba.njit(cache=True, nogil=True)
def _log_prior(cholesky, scaled):
    """Log density of coefficients already divided by their scales, up to a constant."""
    p = cholesky.shape[0]
    total = 0.0
    solved = np.empty(p)
    for k in range(scaled.shape[0]):
        for r in range(p):
            left = scaled[k, r]
            for j in range(r):
                left -= cholesky[r, j] * solved[j]
            solved[r] = left / cholesky[r, r]
            total -= 0.5 * solved[r] ** 2 + np.log(cholesky[r, r])
    return total


@numba.njit(cache=True, nogil=True)
def _move_correlation(latent, cholesky, beta, spread, rng):
    """Elliptical slice sampling (Murray, Adams and MacKay 2010): standard normal prior, any likelihood."""
    scaled = beta / spread.reshape(1, -1)
    level = _log_prior(cholesky, scaled) - rng.standard_exponential()
    other = rng.standard_normal(latent.shape)
    angle = 2 * np.pi * rng.random()
    low, high = angle - 2 * np.pi, angle
    while True:
        proposal = latent * np.cos(angle) + other * np.sin(angle)
        factor = _cholesky_of(proposal, True)
        if _log_prior(factor, scaled) > level or high - low < 1e-12:
            latent[:] = proposal
            return factor
        if angle < 0:
            low = angle
        else:
            high = angle
        angle = low + (high - low) * rng.random()


@numba.njit(cache=True, nogil=True)
def _log_scale_density(u, count, square, cross):
    """Log density of u = log s_j: normal coefficients, half-t(3, 0, 1) prior, Jacobian."""
    inverse = np.exp(-u)
    return -count * u - 0.5 * square * inverse**2 - cross * inverse - 2 * np.log1p(np.exp(2 * u) / 3) + u


@numba.njit(cache=True, nogil=True)
def _move_spread(spread, cholesky, beta, rng):
    """Slice sampling (Neal 2003) of each log s_j, with stepping out."""
    p = spread.size
    inverse = np.linalg.inv(cholesky)
    quadratic = (inverse.T @ inverse) * (beta.T @ beta)
    count = beta.shape[0]
    for j in range(p):
        cross = 0.0
        for i in range(p):
            if i != j:
                cross += quadratic[j, i] / spread[i]
        square = quadratic[j, j]
        u = np.log(spread[j])
        level = _log_scale_density(u, count, square, cross) - rng.standard_exponential()
        low = u - rng.random()
        high = low + 1.0
        while _log_scale_density(low, count, square, cross) > level:
            low -= 1.0
        while _log_scale_density(high, count, square, cross) > level:
            high += 1.0
        while True:
            new = low + (high - low) * rng.random()
            if _log_scale_density(new, count, square, cross) > level or high - low < 1e-12:
                break
            if new < u:
                low = new
            else:
                high = new
        spread[j] = np.exp(new)


@numba.njit(cache=True, nogil=True)
def _draw_coefficients(start, column, value, y, weights, z, counts, variance, beta, factor, precision, rng):
    K, p = beta.shape
    gram, moment = np.zeros((K, p, p)), np.zeros((K, p))
    for i in range(z.size):
        k, w = z[i], weights[i] / variance[z[i]]
        for a in range(start[i], start[i + 1]):
            left = w * value[a]
            moment[k, column[a]] += left * y[i]
            for b in range(start[i], a + 1):
                gram[k, column[a], column[b]] += left * value[b]
    for k in range(K):
        noise = rng.standard_normal(p)
        if counts[k] == 0:
            beta[k] = factor @ noise
            continue
        # nonzero gives the columns of a row in increasing order, so the lower triangle is filled
        full = precision.copy()
        for a in range(p):
            for b in range(a + 1):
                full[a, b] += gram[k, a, b]
                if a != b:
                    full[b, a] += gram[k, a, b]
        lower = np.linalg.cholesky(full)
        half = _solve_lower(lower, moment[k])
        beta[k] = _solve_upper(lower, half + noise)


@numba.njit(cache=True, nogil=True)
def _solve_lower(lower, right):
    solved = np.empty(right.size)
    for r in range(right.size):
        left = right[r]
        for j in range(r):
            left -= lower[r, j] * solved[j]
        solved[r] = left / lower[r, r]
    return solved


@numba.njit(cache=True, nogil=True)
def _solve_upper(lower, right):
    """Solve with the transpose of a lower triangular matrix."""
    solved = np.empty(right.size)
    for r in range(right.size - 1, -1, -1):
        left = right[r]
        for j in range(r + 1, right.size):
            left -= lower[j, r] * solved[j]
        solved[r] = left / lower[r, r]
    return solved


@numba.njit(cache=True, nogil=True)
def _fitted(start, column, value, i, coefficients):
    mean = 0.0
    for a in range(start[i], start[i + 1]):
        mean += value[a] * coefficients[column[a]]
    return mean


@numba.njit(cache=True, nogil=True)
def _draw_variances(start, column, value, y, weights, z, beta, variance, auxiliary, rng):
    """Half-t(3, 0, 1): variance | b ~ IG(3/2, 3/b), b ~ IG(1/2, 1)."""
    K = variance.size
    mass, squares = np.zeros(K), np.zeros(K)
    for i in range(z.size):
        gap = y[i] - _fitted(start, column, value, i, beta[z[i]])
        mass[z[i]] += weights[i]
        squares[z[i]] += weights[i] * gap * gap
    for k in range(K):
        scale = 3.0 / auxiliary[k] + 0.5 * squares[k]
        variance[k] = min(max(scale / rng.standard_gamma(1.5 + 0.5 * mass[k]), 1e-12), 1e12)
        auxiliary[k] = (3.0 / variance[k] + 1.0) / rng.standard_gamma(2.0)


@numba.njit(cache=True, nogil=True)
def _draw_allocations(start, column, value, y, weights, pi, beta, variance, z, rng):
    K = pi.size
    log_pi = np.log(pi)
    log_sigma = 0.5 * np.log(variance)
    log_odds = np.empty(K)
    for i in range(z.size):
        largest = -np.inf
        for k in range(K):
            gap = y[i] - _fitted(start, column, value, i, beta[k])
            log_odds[k] = log_pi[k] - weights[i] * (log_sigma[k] + 0.5 * gap * gap / variance[k])
            largest = max(largest, log_odds[k])
        total = 0.0
        for k in range(K):
            log_odds[k] = np.exp(log_odds[k] - largest)
            total += log_odds[k]
        mark = rng.random() * total
        k = 0
        while k < K - 1 and mark > log_odds[k]:
            mark -= log_odds[k]
            k += 1
        z[i] = k
