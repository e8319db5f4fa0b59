"""Units, densities and diagnostics of the finite mixture."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from synthlab._system.compiled import compiled
from synthlab._typing import FloatArray
from synthlab.synthesizers._linear import response_moments, weighted_moments
from synthlab.synthesizers._posterior import Diagnostics, Posterior, diagnose

MAX_RHAT = 1.05
MIN_ESS = 50
POINTS = 25
LOG_ROOT_TWO_PI = 0.5 * np.log(2 * np.pi)


@dataclass(frozen=True, slots=True, eq=False)
class Units:
    """Units of the model: response (g(y) - center) / scale, and a standardized design.

    The design has a leading column of ones. Columns that contain only 0 and 1 do not change; the others are
    standardized. In raw units, nothing is standardized.
    """

    y: FloatArray
    matrix: FloatArray
    center: float
    scale: float
    column_center: FloatArray
    column_scale: FloatArray

    @classmethod
    def of(
        cls, matrix: FloatArray, y: FloatArray, weights: FloatArray | None, response: str, raw: bool = False
    ) -> Units:
        """Compute the units; centers and scales are weighted by the record weights."""
        center, scale = (float(v) for v in response_moments(y, weights, response))
        if raw:
            center, scale = 0.0, 1.0
        binary = np.isin(matrix, (0.0, 1.0)).all(axis=0) | raw
        column_center, column_scale = (np.asarray(v) for v in weighted_moments(matrix, weights))
        column_center = np.where(binary, 0.0, column_center)
        column_scale = np.where(binary, 1.0, column_scale)
        standard = np.hstack([np.ones((y.size, 1)), (matrix - column_center) / column_scale])
        return cls((y - center) / scale, standard, center, scale, column_center, column_scale)

    def raw(self, draws: Mapping[str, FloatArray]) -> dict[str, FloatArray]:
        """Return draws for g(y) and predictors in their own units.

        The shape is (chains, draws, K, ...).
        """
        slopes = self.scale * draws["beta"][..., 1:] / self.column_scale
        intercept = self.center + self.scale * draws["beta"][..., 0] - slopes @ self.column_center
        sigma = self.scale * draws["sigma"]
        return {
            "pi": draws["pi"],
            "intercept": intercept,
            "slopes": slopes,
            "sigma": sigma,
            "occupied": draws["occupied"],
        }


@compiled
def log_density(z: FloatArray, pi: FloatArray, mean: FloatArray, sigma: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the log mixture density at each z, shape (n,); mean has shape (n, K).

    `weights`, of shape (n,), are exponents of the component densities.
    """
    n, K = mean.shape
    out = np.empty(n)
    log_pi, front = np.log(np.maximum(pi, 1e-300)), -np.log(sigma) - LOG_ROOT_TWO_PI
    term = np.empty(K)
    for i in range(n):
        largest = -np.inf
        for k in range(K):
            gap = (z[i] - mean[i, k]) / sigma[k]
            term[k] = log_pi[k] + weights[i] * (front[k] - 0.5 * gap * gap)
            largest = max(largest, term[k])
        if largest == -np.inf:  # so far from every component that the squared distance overflows
            out[i] = largest
            continue
        total = 0.0
        for k in range(K):
            total += np.exp(term[k] - largest)
        out[i] = largest + np.log(total)
    return out


def responsibilities(
    z: FloatArray, pi: FloatArray, mean: FloatArray, sigma: FloatArray, weights: FloatArray | None
) -> FloatArray:
    """Return Pr(z_i = k | y_i), (n, K), with `weights` as exponents of the density."""
    log = -np.log(sigma) - 0.5 * np.square((z[:, None] - mean) / sigma)
    if weights is not None:
        log *= weights[:, None]
    log += np.log(np.maximum(pi, 1e-300))
    share = np.exp(log - log.max(axis=1, keepdims=True))
    return np.asarray(share / share.sum(axis=1, keepdims=True), dtype=np.float64)


@compiled
def interval_probability(
    lower: FloatArray, upper: FloatArray, share: FloatArray, mean: FloatArray, sigma: FloatArray
) -> FloatArray:
    """Return the mixture probability of each interval, shape (records, intervals).

    The shapes are (intervals,) for `lower` and `upper`, (records, K) for `share` and `mean`, and (K,) for `sigma`.
    """
    n, K = mean.shape
    out = np.zeros((n, lower.size))
    for h in range(n):
        for k in range(K):
            if share[h, k] < 1e-9:
                continue
            scale = 1.0 / (sigma[k] * math.sqrt(2.0))
            for t in range(lower.size):
                low, high = (lower[t] - mean[h, k]) * scale, (upper[t] - mean[h, k]) * scale
                if high > -6.0 and low < 6.0:
                    out[h, t] += 0.5 * share[h, k] * (math.erf(high) - math.erf(low))
    return out


def shares(weight: FloatArray) -> FloatArray:
    """Divide rows by their sum; a row of zeros gets equal shares."""
    total = weight.sum(axis=1, keepdims=True)
    return np.where(total > 0, weight / np.where(total > 0, total, 1.0), 1.0 / weight.shape[1])


@dataclass(frozen=True, slots=True, eq=False)
class MixtureDiagnostics(Diagnostics):
    """Diagnostics of quantities that do not depend on the numbering of classes."""

    def _unsettled(self) -> list[str]:
        """Return the problems with R-hat and effective sample sizes, one sentence each."""
        if np.isnan(self.rhat).all():
            return []
        found = []
        worst, least = int(np.nanargmax(self.rhat)), int(np.argmin(self.ess_bulk))
        if self.rhat[worst] > MAX_RHAT:
            found.append(f"R-hat of {self.parameters[worst]} is {self.rhat[worst]:.3f}, above {MAX_RHAT}")
        if self.ess_bulk[least] < MIN_ESS:
            found.append(
                f"effective sample size of {self.parameters[least]} is {self.ess_bulk[least]:.0f}, below {MIN_ESS}"
            )
        return found


def diagnose_invariants(posterior: Posterior, log_density_: FloatArray, z: FloatArray) -> MixtureDiagnostics:
    """Return diagnostics of quantities that do not depend on class numbers.

    These are the log-likelihood, the log predictive density at 25 quantiles of y, and the number of occupied classes.
    """
    chains, draws = posterior.by_chain["occupied"].shape
    chosen = np.argsort(z, kind="stable")[np.unique(np.linspace(0, z.size - 1, POINTS).astype(int))]
    values = {
        "log-likelihood": log_density_.sum(axis=1).reshape(chains, draws),
        "log predictive density": log_density_[:, chosen].reshape(chains, draws, -1),
        "occupied classes": posterior.by_chain["occupied"],
    }
    labels = {"log predictive density": tuple(f"record {i}" for i in chosen)}
    with np.errstate(invalid="ignore", divide="ignore"):  # for chains that hardly moved, which R-hat reports
        base = diagnose(Posterior(values, labels, posterior.divergences, posterior.method))
    return MixtureDiagnostics(
        base.parameters, base.rhat, base.ess_bulk, base.ess_tail, base.divergences, chains, draws, base.method
    )


def invariant_posterior(posterior: Posterior) -> Posterior:
    """Return sorted weights with their sigma, and the number of occupied classes."""
    pi, sigma = posterior.by_chain["pi"], posterior.by_chain["sigma"]
    order = np.argsort(-pi, axis=-1)
    ranks = tuple(f"rank {k + 1}" for k in range(pi.shape[-1]))
    values = {
        "occupied": posterior.by_chain["occupied"],
        "pi": np.take_along_axis(pi, order, axis=-1),
        "sigma": np.take_along_axis(sigma, order, axis=-1),
    }
    return Posterior(values, {"pi": ranks, "sigma": ranks}, posterior.divergences, posterior.method)


def expected_sizes(z: FloatArray, pi: FloatArray, mean: FloatArray, sigma: FloatArray) -> FloatArray:
    """Return the expected number of records of each class, shape (K,)."""
    return np.asarray(responsibilities(z, pi, mean, sigma, None).sum(axis=0), dtype=np.float64)
