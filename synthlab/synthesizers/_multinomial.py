"""Posterior of a multinomial regression: mode, normal approximation and draws.

Coefficients have shape (K, p), for K levels and p columns of standardized predictors; the first column is constant 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from synthlab._typing import FloatArray, RngLike
from synthlab._warnings import warn
from synthlab.exceptions import ApproximationWarning, FitError
from synthlab.synthesizers._independence import sample_or_nuts
from synthlab.synthesizers._linear import equal_rows, no_mode, pad
from synthlab.synthesizers._pymc import Chains, SamplerOptions, sample, width

BLOCK = 20_000  # number of records whose probabilities are in memory at a time
CHECKED_DRAWS = 200
MIN_WIDTH = 64  # formulas with at most this many coefficients share a compilation; padding costs little
MAX_INFLATION = 0.2  # largest relative error of the expected number of records of a level


def log_softmax(eta: FloatArray) -> FloatArray:
    """Return the log probabilities of the levels in each row."""
    from scipy import special

    return np.asarray(special.log_softmax(eta, axis=1), dtype=np.float64)


def table(matrix: FloatArray, codes: Any, levels: int, weights: FloatArray | None) -> tuple[FloatArray, FloatArray]:
    """Return distinct rows of predictors (g, p) and weighted level counts (g, K)."""
    w = np.ones(codes.size) if weights is None else weights
    used = w > 0
    first, group = equal_rows(matrix[used])
    cell = group * levels + codes[used]
    counts = np.bincount(cell, weights=w[used], minlength=first.size * levels)
    return matrix[used][first], np.asarray(counts, dtype=np.float64).reshape(first.size, levels)


def posterior_mode(x: FloatArray, counts: FloatArray, sd: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the mode, (K, p), and the Cholesky factor of the negative Hessian."""
    from scipy.linalg import solve_triangular
    from scipy.optimize import minimize

    shape = (counts.shape[1], x.shape[1])
    totals = counts.sum(axis=1, keepdims=True)
    with np.errstate(over="ignore"):  # from a prior so wide that it is flat
        variance = sd**2

    def minus_log_posterior(flat: FloatArray) -> tuple[float, FloatArray]:
        beta = flat.reshape(shape)
        log_p = log_softmax(x @ beta.T)
        gradient = (totals * np.exp(log_p) - counts).T @ x + beta / variance
        return float(0.5 * np.sum(np.square(beta / sd)) - np.sum(counts * log_p)), gradient.ravel()

    result = minimize(
        minus_log_posterior, np.zeros(shape).ravel(), jac=True, method="L-BFGS-B", options={"maxiter": 300}
    )
    flat, value = result.x, float(result.fun)
    for _ in range(50):
        gradient = minus_log_posterior(flat)[1]
        try:
            factor = np.asarray(np.linalg.cholesky(hessian(x, totals, flat.reshape(shape), sd)), dtype=np.float64)
            pivots = np.square(np.diag(factor))
            if pivots.min() <= pivots.size * np.finfo(np.float64).eps * pivots.max():
                raise np.linalg.LinAlgError  # positive only because of rounding
        except np.linalg.LinAlgError:
            raise FitError(
                f"prior_scale={sd[-1]:g}: the posterior of the multinomial regression is numerically flat in some "
                "direction; use a smaller prior_scale or smaller weights"
            ) from None
        half = solve_triangular(factor, gradient, lower=True)
        if half @ half < 1e-8:
            return np.asarray(flat, dtype=np.float64).reshape(shape), factor
        step, size = solve_triangular(factor, half, lower=True, trans=1), 1.0
        while minus_log_posterior(flat - size * step)[0] > value and size > 1e-8:
            size /= 2
        flat = flat - size * step
        value = minus_log_posterior(flat)[0]
    raise no_mode()


def hessian(x: FloatArray, totals: FloatArray, beta: FloatArray, sd: FloatArray) -> FloatArray:
    """Return the negative Hessian of the log posterior, computed in blocks of records."""
    levels, p = beta.shape
    with np.errstate(over="ignore"):
        out = np.diag(np.tile(1 / sd**2, levels))
    for start in range(0, len(x), max(1, BLOCK // levels)):
        rows, w = x[start : start + BLOCK // levels], totals[start : start + BLOCK // levels]
        prob = np.exp(log_softmax(rows @ beta.T))
        spread = (np.sqrt(w) * prob)[:, :, None] * rows[:, None, :]
        flat = spread.reshape(len(rows), levels * p)
        out -= flat.T @ flat
        for k in range(levels):
            block = slice(k * p, (k + 1) * p)
            out[block, block] += (rows * (w * prob)[:, k, None]).T @ rows
    return out


def laplace_draws(
    mode: FloatArray, factor: FloatArray, chains: int, draws: int, rng: np.random.Generator
) -> FloatArray:
    """Draw coefficients from the normal approximation, shape (chains, draws, K, p)."""
    from scipy.linalg import solve_triangular

    standard = rng.standard_normal((mode.size, chains * draws))
    deviations = solve_triangular(factor, standard, lower=True, trans=1)
    return np.asarray(mode + deviations.T.reshape(chains, draws, *mode.shape), dtype=np.float64)


def posterior_draws(
    x: FloatArray,
    counts: FloatArray,
    sd: FloatArray,
    start: tuple[FloatArray, FloatArray],
    options: SamplerOptions,
    rng: RngLike,
) -> tuple[FloatArray, Chains]:
    """Sample coefficients, shape (chains, draws, K, p), and return the chains of u.

    The coefficients are parametrized as mode + A u, with A from the Hessian at the mode, so u is nearly standard
    normal.
    """
    mode, factor = start
    spread = np.asarray(np.linalg.inv(factor).T, dtype=np.float64)
    size, total, score = max(width(mode.size), MIN_WIDTH), counts.sum(axis=1), counts.T @ x

    def coefficients(u: FloatArray) -> FloatArray:
        moved = u[..., : mode.size] @ spread.T
        return np.asarray(mode + moved.reshape(*u.shape[:-1], *mode.shape), dtype=np.float64)

    def log_density(u: FloatArray) -> FloatArray:
        beta = coefficients(u)
        eta = beta @ x.T
        top = eta.max(axis=1, keepdims=True)
        eta -= top
        normalizer = (np.log(np.exp(eta, out=eta).sum(axis=1)) + top[:, 0]) @ total
        return np.asarray((score * beta - 0.5 * np.square(beta / sd)).sum(axis=(1, 2)) - normalizer, dtype=np.float64)

    def nuts(options: SamplerOptions, rng: np.random.Generator) -> Chains:
        data = {
            "x": x,
            "total": total,
            "score": score,
            "mode": mode,
            "spread": pad(spread, size)[: mode.size],
            "prior_sd": sd,
            "padding": (np.arange(size) >= mode.size).astype(np.float64),
        }
        return sample("multinomial regression", _model, data, (size,), ["u"], options, rng)

    chains = sample_or_nuts(log_density, mode.size, len(x) * len(mode), options, rng, nuts)
    return coefficients(chains.values["u"]), chains


def _model(pm: Any, data: Mapping[str, FloatArray], shape: tuple[int, ...]) -> Any:
    math = pm.math
    with pm.Model() as model:
        u = pm.Flat("u", shape=shape)
        x, total, score, mode, sd = (pm.Data(name, data[name]) for name in ("x", "total", "score", "mode", "prior_sd"))
        spread = pm.Data("spread", data["spread"], shape=(None, *shape))
        padding = pm.Data("padding", data["padding"], shape=shape)
        beta = mode + math.dot(spread, u).reshape(mode.shape)
        eta = math.dot(x, beta.T)
        pm.Potential("prior", -0.5 * math.sum(math.sqr(beta / sd[None, :])) - 0.5 * math.sum(padding * math.sqr(u)))
        pm.Potential("likelihood", math.sum(score * beta) - math.sum(total * math.logsumexp(eta, axis=1).flatten()))
    return model


def check_approximation(x: FloatArray, counts: FloatArray, sd: FloatArray, draws: FloatArray) -> None:
    """Warn if the normal approximation changes the expected size of a level.

    Under the posterior, the mean of the gradient of its logarithm is 0 (Stein's identity). For the intercept of level k
    this means: the expected number of synthetic records of the level is its number in the data minus E(a_k) / sd^2.
    """
    beta = draws.reshape(-1, *draws.shape[2:])
    beta = beta[:: max(1, len(beta) // CHECKED_DRAWS)]
    total = counts.sum(axis=1)
    expected = np.mean([total @ np.exp(log_softmax(x @ b.T)) for b in beta], axis=0)
    wanted = counts.sum(axis=0) - beta[:, :, 0].mean(axis=0) / sd[0] ** 2
    off = np.abs(expected - wanted) > np.maximum(MAX_INFLATION * np.abs(wanted), 1.0)
    if off.any():
        k = int(np.argmax(np.abs(expected - wanted) * off))
        warn(
            f"method='laplace': the normal approximation of the posterior does not fit {int(off.sum())} of "
            f"{off.size} levels; "
            f"the worst is the level at position {k}, which would get too many or too few records. "
            "Use method='mcmc', or a smaller prior_scale",
            ApproximationWarning,
        )
