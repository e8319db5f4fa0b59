"""Conditional draws of the Gibbs sampler of the finite mixture, done in place."""

from __future__ import annotations

from typing import Any

import numpy as np

from synthlab._system.compiled import compiled
from synthlab._typing import FloatArray, IntArray
from synthlab.synthesizers._compiled import copy_into

LARGEST_SCALE = 1e4  # the half-t(3, 0, 1) probability above it is 1e-12


@compiled
def cholesky_of(latent: FloatArray, correlated: bool) -> FloatArray:
    """Map standard normals (p, p + 1) to the Cholesky factor of an LKJ(1) matrix."""
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


@compiled
def _log_prior(cholesky: FloatArray, scaled: FloatArray) -> float:
    """Return the log density of scaled coefficients, up to a constant."""
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


@compiled
def move_correlation(
    latent: FloatArray, cholesky: FloatArray, beta: FloatArray, spread: FloatArray, rng: np.random.Generator
) -> FloatArray:
    """Update by elliptical slice sampling (Murray, Adams and MacKay 2010)."""
    scaled = beta / spread.reshape(1, -1)
    level = _log_prior(cholesky, scaled) - rng.standard_exponential()
    other = rng.standard_normal(latent.shape)
    angle = 2 * np.pi * rng.random()
    low, high = angle - 2 * np.pi, angle
    while True:
        proposal = latent * np.cos(angle) + other * np.sin(angle)
        factor = cholesky_of(proposal, True)
        if _log_prior(factor, scaled) > level or high - low < 1e-12:
            copy_into(latent, proposal)
            return factor
        if angle < 0:
            low = angle
        else:
            high = angle
        angle = low + (high - low) * rng.random()


@compiled
def _log_scale_density(u: float, count: int, square: float, cross: float) -> float:
    """Return the log density of u = log s_j, including the Jacobian."""
    inverse = np.exp(-u)
    density: float = -count * u - 0.5 * square * inverse**2 - cross * inverse - 2 * np.log1p(np.exp(2 * u) / 3) + u
    return density


@compiled
def move_spread(spread: FloatArray, cholesky: FloatArray, beta: FloatArray, rng: np.random.Generator) -> None:
    """Update each log s_j by slice sampling with stepping out (Neal 2003)."""
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


@compiled
def draw_coefficients(
    start: IntArray, column: IntArray, value: FloatArray, y: FloatArray, weights: FloatArray, z: IntArray,
    counts: IntArray, variance: FloatArray, beta: FloatArray, factor: FloatArray, precision: FloatArray,
    rng: np.random.Generator,
) -> None:  # fmt: skip
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
            copy_into(beta[k], factor @ noise)
            continue
        # nonzero gives the columns of a row in increasing order, so the lower triangle is filled
        for a in range(p):
            for b in range(a):
                gram[k, b, a] = gram[k, a, b]
        lower, good = _cholesky(precision + gram[k])
        if good:
            half = _solve_lower(lower, moment[k])
            copy_into(beta[k], _solve_upper(lower, half + noise))
        else:
            # Correlations near 1, or huge scales after a poor start, make the precision matrix numerically singular:
            # then draw u with beta = factor u, with scales of at most LARGEST_SCALE.
            root = _limited(factor)
            lower = np.linalg.cholesky(np.eye(p) + root.T @ gram[k] @ root)
            half = _solve_lower(lower, root.T @ moment[k])
            copy_into(beta[k], root @ _solve_upper(lower, half + noise))


@compiled
def _limited(factor: FloatArray) -> FloatArray:
    """Return the factor with row norms of at most LARGEST_SCALE."""
    root = factor.copy()
    for r in range(root.shape[0]):
        largest = np.abs(root[r]).max()  # factored out to avoid overflow of the squares
        length = largest * np.sqrt(np.square(root[r] / largest).sum())
        if length > LARGEST_SCALE:
            copy_into(root[r], root[r] * (LARGEST_SCALE / length))
    return root


@compiled
def _cholesky(matrix: FloatArray) -> tuple[Any, bool]:
    """Return the Cholesky factor, and whether it exists."""
    try:
        return np.linalg.cholesky(matrix), True
    except Exception:  # noqa: BLE001 - compiled code cannot catch a more specific type
        return matrix, False


@compiled
def _solve_lower(lower: FloatArray, right: FloatArray) -> FloatArray:
    solved = np.empty(right.size)
    for r in range(right.size):
        left = right[r]
        for j in range(r):
            left -= lower[r, j] * solved[j]
        solved[r] = left / lower[r, r]
    return solved


@compiled
def _solve_upper(lower: FloatArray, right: FloatArray) -> FloatArray:
    """Solve a system with the transpose of a lower triangular matrix."""
    solved = np.empty(right.size)
    for r in range(right.size - 1, -1, -1):
        left = right[r]
        for j in range(r + 1, right.size):
            left -= lower[j, r] * solved[j]
        solved[r] = left / lower[r, r]
    return solved


@compiled
def _fitted(start: IntArray, column: IntArray, value: FloatArray, i: int, coefficients: FloatArray) -> float:
    mean = 0.0
    for a in range(start[i], start[i + 1]):
        mean += value[a] * coefficients[column[a]]
    return mean


@compiled
def draw_variances(
    start: IntArray, column: IntArray, value: FloatArray, y: FloatArray, weights: FloatArray, z: IntArray,
    beta: FloatArray, variance: FloatArray, auxiliary: FloatArray, rng: np.random.Generator,
) -> None:  # fmt: skip
    """Draw the variances: half-t(3, 0, 1) as a scale mixture of inverse gammas."""
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


@compiled
def draw_allocations(
    start: IntArray, column: IntArray, value: FloatArray, y: FloatArray, weights: FloatArray, pi: FloatArray,
    beta: FloatArray, variance: FloatArray, z: IntArray, rng: np.random.Generator,
) -> None:  # fmt: skip
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
