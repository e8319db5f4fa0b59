"""PyMC model of the finite mixture with weights as exponents of its density.

The class indicators z are summed out. Coefficients are sampled on rotated axes. They are parametrized as mode + A u,
where A A' is the least-squares covariance, so that u is nearly spherical. The prior refers to the coefficients
themselves: with a prior on rotated coefficients, classes with few records would diverge and generate extreme synthetic
values.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from synthlab._typing import FloatArray, RngLike
from synthlab.synthesizers import _mixture
from synthlab.synthesizers._linear import spread_of
from synthlab.synthesizers._pymc import SamplerOptions, sample


def sample_mixture(
    units: _mixture.Units,
    weights: FloatArray,
    classes: int,
    concentration: float,
    options: SamplerOptions,
    rng: RngLike,
) -> tuple[dict[str, FloatArray], int]:
    """Return draws of pi, beta, sigma and occupied classes, and the divergences.

    The draws have shape (chains, draws, ...).
    """
    p = units.matrix.shape[1]
    root = np.sqrt(weights)
    gram = (units.matrix * weights[:, None]).T @ units.matrix
    mode = np.linalg.lstsq(units.matrix * root[:, None], units.y * root, rcond=None)[0]
    variance = max(float(weights @ np.square(units.y - units.matrix @ mode)) / weights.sum(), 1e-8)
    axes = spread_of((gram + np.eye(p)) / variance)
    data = {
        "X": units.matrix,
        "y": units.y,
        "w": weights,
        "mode": mode,
        "axes": axes,
        "concentration": np.full(classes, concentration / classes),
        # A factor 1 of the log density: without it, rounding and therefore the recorded draws would change.
        "one": np.ones(units.y.size),
    }
    chains = sample("finite mixture", _model, data, (classes, p), ["pi", "u", "log_sigma"], options, rng)
    beta = mode + chains.values["u"] @ axes.T
    draws = {"pi": chains.values["pi"], "beta": beta, "sigma": np.exp(chains.values["log_sigma"])}
    draws["occupied"] = _occupied(units, draws)
    return draws, chains.divergences


def _occupied(units: _mixture.Units, draws: Mapping[str, FloatArray]) -> FloatArray:
    """Return the number of classes with at least one expected record in each draw."""
    pi, beta, sigma = draws["pi"], draws["beta"], draws["sigma"]
    out = np.empty(pi.shape[:2])
    for place in np.ndindex(out.shape):
        sizes = _mixture.expected_sizes(units.y, pi[place], units.matrix @ beta[place].T, sigma[place])
        out[place] = (sizes >= 1).sum()
    return out


def _model(pm: Any, data: Mapping[str, FloatArray], shape: tuple[int, ...]) -> Any:
    K, p = shape
    math = pm.math
    with pm.Model() as model:
        X, y, w, mode, axes, concentration, one = (pm.Data(name, value) for name, value in data.items())
        pi = pm.Dirichlet("pi", a=concentration, shape=K)
        u = pm.Flat("u", shape=(K, p))
        log_sigma = pm.Flat("log_sigma", shape=K)
        log_s = pm.Flat("log_s", shape=p)
        beta = mode[None, :] + math.dot(u, axes.T)
        scaled = beta / math.exp(log_s)[None, :]
        pm.Potential("beta", -0.5 * math.sum(math.sqr(scaled)) - K * math.sum(log_s))
        pm.Potential("sigma", math.sum(_log_half_t(pm, log_sigma)))
        pm.Potential("s", math.sum(_log_half_t(pm, log_s)))
        gap = (y[:, None] - math.dot(X, beta.T)) / math.exp(log_sigma)[None, :]
        log_normal = -log_sigma[None, :] - 0.5 * math.sqr(gap)
        density = math.logsumexp(math.log(pi)[None, :] + one[:, None] * log_normal, axis=1).flatten()
        pm.Potential("likelihood", math.sum(w * density))
    return model


def _log_half_t(pm: Any, log_value: Any) -> Any:
    """Return the log density of half-t(3, 0, 1) at exp(log_value), with the Jacobian."""
    return log_value - 2.0 * pm.math.log(1.0 + pm.math.exp(2.0 * log_value) / 3.0)
