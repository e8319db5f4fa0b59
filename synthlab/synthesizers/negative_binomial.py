"""Bayesian negative binomial regression of a count, with or without predictors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from synthlab._typing import FloatArray, RngLike
from synthlab.synthesizers._clipped_likelihood import Clippable, Unit
from synthlab.synthesizers._counts import FittedCounts, counts_of
from synthlab.synthesizers._linear import (
    Whitening,
    aggregate,
    equal_rows,
    posterior_mode,
    prior_sd,
    standardise,
    whitened_coefficients,
    whitened_predictor,
)
from synthlab.synthesizers._pooling import POSITIVE
from synthlab.synthesizers._posterior import Posterior
from synthlab.synthesizers._pymc import SamplerOptions, log_gamma, sample
from synthlab.synthesizers.base import posterior_of
from synthlab.synthesizers.regression import Data, FittedRegression, Regression

CAUCHY_SCALE = 5.0
LOG_CAUCHY_SQUARE = 2 * float(np.log(CAUCHY_SCALE))
LOG_3 = float(np.log(3.0))


@dataclass(frozen=True)
class NegativeBinomial(Regression["FittedNegativeBinomial"]):
    """Synthesizer of a count with mean mu and variance ``mu + mu^2 / phi``.

    ``y_i ~ NB(exp(b_0 + x_i' b), phi)`` with ``1/phi ~ half-Cauchy(0, 5)``. The intercept and the coefficients of the
    standardized predictors have the same prior ``b_j ~ N(0, s)``, with ``s ~ half-t(3, 0, 1)``. This is the synthesizer
    of the simulation study of Hu, Savitsky & Williams, whose mu and phi have the same meaning. Record weights (their
    alpha) multiply the log-likelihood. Equal records are merged with their weights before sampling. The posterior of a
    fit holds ``intercept``, ``phi`` and ``scale`` (draws,), and ``slopes`` (draws, p), for predictors in their own
    units.

    The model is hierarchical, so it is sampled by NUTS: ``fit(..., sampler="nutpie")``, the default, or "pymc".

    Parameters
    ----------
    formula : str
        ``"response ~ predictors"``, or ``"response ~ 1"`` without predictors; the response holds whole numbers >= 0.

    Raises
    ------
    InputError
        If `formula` is not text with one response, one tilde and predictors.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> import synthlab as sl
    >>> counts = np.random.default_rng(1).negative_binomial(10, 0.1, size=300)
    >>> fitted = sl.NegativeBinomial("y ~ 1").fit(pd.DataFrame({"y": counts}), rng=1)
    >>> sorted(fitted.posterior)
    ['intercept', 'phi', 'scale', 'slopes']
    """

    def _fit(self, data: Data, options: SamplerOptions, rng: RngLike) -> FittedNegativeBinomial:
        return FittedNegativeBinomial(self, *data.fitted_with(_sample(counts_of(data), data, options, rng)))

    def _clippable(self, data: Data, unit: Unit) -> Clippable:
        y = counts_of(data)

        def fitted(beta: tuple[FloatArray, FloatArray], extra: FloatArray) -> FittedNegativeBinomial:
            phi, scale = np.exp(extra[..., 0]), np.exp(extra[..., 1])
            return FittedNegativeBinomial(self, *data.fitted_with(data.walked(beta, phi=phi, scale=scale)))

        return Clippable(
            y=y,
            log_density=lambda y, eta, extra: log_pmf(y, eta, np.exp(extra[:, 0])),
            log_prior=_log_prior,
            start=np.array([np.log(y.mean()), 0.0, 0.0]),
            fitted=fitted,
            signed=False,
        )


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class FittedNegativeBinomial(FittedCounts):
    """A fitted `NegativeBinomial`.

    ``posterior["intercept"]``, ``["phi"]`` and ``["scale"]`` (s) have shape (draws,), ``["slopes"]`` (draws, p) for
    predictors in their own units; without predictors mu is ``exp(intercept)``.
    """

    scales: ClassVar[Mapping[str, str]] = {**FittedRegression.scales, "phi": POSITIVE, "scale": POSITIVE}

    def _log_pmf(self, y: FloatArray) -> FloatArray:
        first, group = equal_rows(np.column_stack([self.design.matrix, y]))
        phi = posterior_of(self)["phi"][:, None]
        return log_pmf(y[first], self._predictors(self.design.matrix[first]), phi)[:, group]

    def _values(self, eta: FloatArray, draw: int, rng: np.random.Generator) -> Any:
        phi = float(posterior_of(self)["phi"][draw])
        return rng.negative_binomial(phi, phi / (phi + self._mean(eta)))


def log_pmf(y: FloatArray, eta: FloatArray, phi: FloatArray | float) -> FloatArray:
    """Return the log probability of counts with log mean `eta` and size `phi`."""
    from scipy.special import gammaln

    log_phi = np.log(phi)
    choose = gammaln(y + phi) - gammaln(phi) - gammaln(y + 1)
    return np.asarray(choose + y * (eta - log_phi) - (y + phi) * np.logaddexp(0, eta - log_phi), dtype=np.float64)


def _log_prior(beta: FloatArray, extra: FloatArray) -> FloatArray:
    """Return the log prior of the coefficients, log phi and log s, as in `_model`."""
    log_phi, log_scale = extra[:, 0], extra[:, 1]
    coefficients = -0.5 * np.square(beta).sum(axis=1) * np.exp(-2 * log_scale) - beta.shape[1] * log_scale
    scale = log_scale - 2 * np.logaddexp(0.0, 2 * log_scale - LOG_3)
    phi = -log_phi - np.logaddexp(0.0, -2 * log_phi - LOG_CAUCHY_SQUARE)
    return np.asarray(coefficients + scale + phi, dtype=np.float64)


def _sample(y: FloatArray, data: Data, options: SamplerOptions, rng: RngLike) -> Posterior:
    predictors, used = standardise(data.design.matrix, data.weights), data.record_weights > 0
    rows, merged = aggregate(np.column_stack([predictors.matrix, y])[used], data.record_weights[used])
    x, counts = np.ascontiguousarray(rows[:, :-1]), rows[:, -1]
    at, log_phi, log_phi_sd = _approximate(x, counts, merged)
    guess = np.array([log_phi, log_phi_sd])
    given = {**at.data(), **at.predictor(x), "y": counts, "weight": merged, "log_phi_guess": guess}
    names = ["u", "log_phi_standard", "log_scale"]
    chains = sample("negative binomial regression", _model, given, (at.size,), names, options, rng)
    phi = np.exp(log_phi + log_phi_sd * chains.values["log_phi_standard"])
    coefficients = predictors.raw(at.coefficients(chains.values["u"]))
    return data.posterior(coefficients, chains, phi=phi, scale=np.exp(chains.values["log_scale"]))


def _approximate(x: FloatArray, y: FloatArray, w: FloatArray) -> tuple[Whitening, float, float]:
    """Return the mode and spread of beta, and log phi and its sd, as start values."""
    from scipy.optimize import minimize_scalar

    average = float(np.log(w @ y / w.sum()))
    log_phi = 0.0
    mode, spread = np.zeros(x.shape[1]), np.eye(x.shape[1])

    def minus_log_posterior(value: float) -> float:
        # 1/phi ~ half-Cauchy, on the scale of log phi
        prior = value + np.log1p(np.exp(-2 * value) / CAUCHY_SCALE**2)
        return float(prior - w @ log_pmf(y, x @ mode, np.exp(value)))

    for _ in range(5):
        phi = np.exp(log_phi)

        def likelihood(eta: FloatArray, phi: float = phi) -> tuple[float, FloatArray, FloatArray]:
            with np.errstate(over="ignore"):
                share = 1 / (1 + phi * np.exp(-(average + eta)))
            slope = w * (y - (y + phi) * share)
            return float(w @ log_pmf(y, average + eta, phi)), slope, w * (y + phi) * share * (1 - share)

        offset, spread = posterior_mode(x, likelihood, prior_sd(x.shape[1]))
        mode = offset + average * np.eye(x.shape[1])[0]
        log_phi = float(minimize_scalar(minus_log_posterior, bounds=(-8.0, 16.0), method="bounded").x)
    step = 0.1
    here, below, above = (minus_log_posterior(log_phi + d) for d in (0.0, -step, step))
    curvature = (below + above - 2 * here) / step**2
    return Whitening(mode, spread), log_phi, float(1 / np.sqrt(max(curvature, 0.25)))


def _model(pm: Any, data: Mapping[str, FloatArray], shape: tuple[int, ...]) -> Any:
    with pm.Model() as model:
        y, weight = pm.Data("y", data["y"]), pm.Data("weight", data["weight"])
        guess = pm.Data("log_phi_guess", data["log_phi_guess"], shape=(2,))
        u, beta, padding = whitened_coefficients(pm, data, shape)
        eta = whitened_predictor(pm, data, u)
        log_phi = guess[0] + guess[1] * pm.Flat("log_phi_standard")
        log_scale = pm.Flat("log_scale")
        phi = pm.math.exp(log_phi)
        used = 1 - padding
        squares = pm.math.sum(used * pm.math.sqr(beta))
        pm.Potential("prior_beta", -0.5 * squares * pm.math.exp(-2 * log_scale) - pm.math.sum(used) * log_scale)
        pm.Potential("prior_padding", -0.5 * pm.math.sum(padding * pm.math.sqr(u)))
        # half-t(3, 0, 1) and half-Cauchy(0, 5), each with the Jacobian of its logarithm
        pm.Potential("prior_scale", log_scale - 2 * pm.math.log1pexp(2 * log_scale - LOG_3))
        pm.Potential("prior_phi", -log_phi - pm.math.log1pexp(-2 * log_phi - LOG_CAUCHY_SQUARE))
        choose = log_gamma(y + phi) - log_gamma(phi)
        excess = eta - log_phi
        pm.Potential("likelihood", pm.math.sum(weight * (choose + y * excess - (y + phi) * pm.math.log1pexp(excess))))
    return model


__all__ = ["FittedNegativeBinomial", "NegativeBinomial"]
