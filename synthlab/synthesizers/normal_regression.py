"""Bayesian linear regression of a numeric variable, optionally transformed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from synthlab import _rng
from synthlab._formulas.formula import check_formula
from synthlab._typing import FloatArray, RngLike
from synthlab.exceptions import FitError, InputError
from synthlab.synthesizers._clipped_likelihood import Clippable, Unit, normal_prior
from synthlab.synthesizers._design import numeric_response
from synthlab.synthesizers._linear import (
    Whitening,
    check_rounding,
    pad,
    prior_sd,
    response_moments,
    spread_of,
    standardise,
    whitened_prior,
)
from synthlab.synthesizers._pooling import POSITIVE
from synthlab.synthesizers._posterior import Posterior
from synthlab.synthesizers._pymc import NUTS, Chains, SamplerOptions, sample
from synthlab.synthesizers._transforms import Limits, Scale, draw_normal, mass_between
from synthlab.synthesizers.base import posterior_of
from synthlab.synthesizers.regression import Data, FittedRegression, Regression

GRID = 4001  # points of the grid of log(sigma)
LOG_ROOT_TWO_PI = 0.5 * np.log(2 * np.pi)


@dataclass(frozen=True)
class NormalRegression(Regression["FittedNormalRegression"]):
    """Synthesizer of a numeric variable by normal linear regression of g(y).

    ``g(y_i) ~ N(a + x_i' b, sigma)``. In units of the standard deviation of g(y), and with standardized predictors, the
    priors are ``a ~ N(0, 5)``, ``b_j ~ N(0, 2.5)``, ``sigma ~ Exponential(1)``. These priors are weakly informative:
    they matter only if the data contain hardly any information. Record weights multiply the log-likelihood:
    ``prod_i p(y_i | x_i, theta)^w_i p(theta)``. The posterior of a fit holds ``intercept`` and ``sigma`` (draws,), and
    ``slopes`` (draws, p), for predictors in their own units, on the scale of g(y).

    The default sampler, "exact", draws independently: sigma from its marginal posterior on a fine grid, then the
    coefficients, which are normal given sigma. ``fit(..., sampler="nutpie")`` or "pymc" samples by NUTS.

    Parameters
    ----------
    formula : str
        ``"response ~ predictors"``. Enclose column names that are not plain words in backticks. The allowed functions
        are C, I, bs, cc, center, cr, exp, log, log10, log1p, ns, poly, scale, sqrt.
    transform : {None, "log", "log1p", "asinh", "sqrt", "cube_root"}
        g. Synthetic values are transformed back; a negative value on the scale of "sqrt" becomes 0.
    bounds : tuple of (float or None, float or None), optional
        Lowest and highest synthetic value. The predictive distribution, but not the likelihood, is truncated to this
        interval. Confidential values must lie within it.

    Raises
    ------
    InputError
        If `formula` is not text with one response, one tilde and predictors, `transform` is not one of the above, or
        `bounds` is not a pair of numbers in ascending order.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> import synthlab as sl
    >>> rng = np.random.default_rng(1)
    >>> age = rng.integers(18, 80, 200)
    >>> survey = pd.DataFrame({"age": age, "income": np.exp(9 + 0.02 * age + rng.normal(0, 0.3, 200))})
    >>> fitted = sl.NormalRegression("income ~ age", transform="log").fit(survey, rng=1)
    >>> fitted.generate(m=5, rng=2)
    Release of m = 5 synthetic datasets, n = 200; synthesized: income; made by NormalRegression(...)
    >>> fitted.log_likelihood().shape
    (2000, 200)
    """

    transform: str | None = None
    bounds: Limits | None = None

    def __post_init__(self) -> None:
        check_formula(self.formula)
        Scale(self.transform, self.bounds)

    @property
    def _scale(self) -> Scale:
        return Scale(self.transform, self.bounds)

    _samplers = ("exact",)
    _measured: ClassVar[bool] = True

    def _clippable(self, data: Data, unit: Unit) -> Clippable:
        z = self._scale.response(data.frame, data.response)
        center, scale = unit
        y = (z - center) / scale
        jacobian = self._scale.g.at(numeric_response(data.frame, data.response))[1]

        def fitted(coefficients: tuple[FloatArray, FloatArray], extra: FloatArray) -> FittedNormalRegression:
            intercept, slopes = coefficients
            moved = (center + scale * intercept, scale * slopes)
            return FittedNormalRegression(
                self, *data.fitted_with(data.walked(moved, sigma=scale * np.exp(extra[..., 0])))
            )

        return Clippable(
            y=y,
            log_density=lambda y, eta, extra: (
                -0.5 * np.square((y - eta) / np.exp(extra[:, 0])) - extra[:, 0] - LOG_ROOT_TWO_PI
            ),
            # Exponential(1), on the log scale
            log_prior=lambda beta, extra: normal_prior(beta, extra) + extra[:, 0] - np.exp(extra[:, 0]),
            start=np.array([y.mean(), np.log(max(float(y.std()), 1e-6))]),
            fitted=fitted,
            signed=True,
            offset=np.log(scale) - jacobian,
        )

    def _fit(self, data: Data, options: SamplerOptions, rng: RngLike) -> FittedNormalRegression:
        z = self._scale.response(data.frame, data.response)
        return FittedNormalRegression(self, *data.fitted_with(_sample(z, data, options, rng)))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class FittedNormalRegression(FittedRegression):
    """A fitted `NormalRegression`.

    ``posterior["intercept"]`` (draws,), ``posterior["slopes"]`` (draws, p) and ``posterior["sigma"]`` (draws,) refer to
    predictors in their own units and to the scale of the transformed response.
    """

    scales: ClassVar[Mapping[str, str]] = {**FittedRegression.scales, "sigma": POSITIVE}

    def log_likelihood(self) -> FloatArray:
        """Return log p(y_i | x_i, theta_s) on the scale of y, including the Jacobian.

        Returns
        -------
        ndarray of shape (draws, n), float64
            The log-likelihood without the weights of the fit.

        Raises
        ------
        InputError
            If the density is unbounded at a value (0 under "sqrt" or "cube_root").
        """
        z, jacobian = self._scale.g.at(self._response())
        sigma, mean = posterior_of(self)["sigma"][:, None], self._predictors()
        np.subtract(z, mean, out=mean)
        mean /= sigma
        with np.errstate(over="ignore"):
            np.square(mean, out=mean)
        return np.asarray(-0.5 * mean - np.log(sigma) - LOG_ROOT_TWO_PI + jacobian, dtype=np.float64)

    def _log_mass(self) -> FloatArray | float:
        if self._scale.bounds is None:
            return 0.0
        mass = mass_between(*self._scale.ends, self._predictors(), posterior_of(self)["sigma"][:, None])
        return self._scale.log_mass(mass, self._response())

    def _values(self, eta: FloatArray, draw: int, rng: np.random.Generator) -> FloatArray:
        scale, sigma = self._scale, float(posterior_of(self)["sigma"][draw])
        if scale.bounds is None:
            return scale.g.inverse(draw_normal(eta, sigma, rng))
        return np.clip(scale.g.inverse(draw_normal(eta, sigma, rng, scale.ends)), *scale.limits)

    @property
    def _scale(self) -> Scale:
        spec: NormalRegression = self.specification
        return spec._scale


def _sample(z: FloatArray, data: Data, options: SamplerOptions, rng: RngLike) -> Posterior:
    """Sample on the standardized scale and return draws on the scale of g(y).

    The likelihood depends on the data only through weighted cross products, so the time per draw does not depend on n.
    For NUTS, the coefficients are parametrized as mode + A u, with u nearly standard normal.
    """
    predictors, w, formula = (
        standardise(data.design.matrix, data.weights),
        data.record_weights,
        data.design.formula.text,
    )
    center, scale = response_moments(z, data.weights, data.response)
    x = predictors.matrix
    informed = int((w > 0).sum())
    if informed < z.size and informed <= x.shape[1]:
        raise InputError(
            f"weights: only {informed} of {z.size:,} records have a weight above 0, but "
            f"formula={formula!r} has {x.shape[1]} "
            "coefficients, so the residual spread cannot be estimated; use more records or fewer predictors"
        )
    y = (z - center) / scale
    root = np.sqrt(w)
    mode = np.asarray(np.linalg.lstsq(x * root[:, None], y * root, rcond=None)[0], dtype=np.float64)
    cross = (x * w[:, None]).T @ x
    total, rss = float(w.sum()), float(w @ np.square(y - x @ mode))
    check_rounding(total)
    if rss <= 1e-16 * total:
        raise FitError(f"formula={formula!r}: the predictors reproduce the response exactly")
    sd = prior_sd(x.shape[1])
    if options.sampler not in NUTS:
        sigma, beta = _exact(mode, cross, total, rss, sd, (options.chains, options.draws), _rng.as_generator(rng))
        beta = beta * scale
        beta[..., 0] += center
        return data.posterior(predictors.raw(beta), Chains({}, 0, "exact"), sigma=sigma * scale)
    guess = np.sqrt(rss / total)
    at = Whitening(mode, spread_of(cross / max(rss / total, 1e-12) + np.diag(1 / sd**2)))
    cross = pad(at.spread.T @ cross @ at.spread, at.size)
    given = {**at.prior(sd), "cross": cross, "totals": np.array([total, rss, guess])}
    chains = sample("normal regression", _model, given, (at.size,), ["u", "log_ratio"], options, rng)
    beta = at.coefficients(chains.values["u"]) * scale
    beta[..., 0] += center
    return data.posterior(predictors.raw(beta), chains, sigma=np.exp(chains.values["log_ratio"]) * guess * scale)


def _exact(
    mode: FloatArray,
    cross: FloatArray,
    total: float,
    rss: float,
    sd: FloatArray,
    shape: tuple[int, int],
    rng: np.random.Generator,
) -> tuple[FloatArray, FloatArray]:
    """Return independent draws of sigma and of the coefficients, shape `shape` and (*shape, p).

    Given sigma, the coefficients are normal with precision cross / sigma^2 + diag(1 / sd^2). The marginal density of
    log(sigma) is computed on a grid, in the coordinates in which both matrices are diagonal. The first grid contains
    all of the probability: at its ends the density is below exp(-50) times its maximum, even if the data have no weight.
    Each further grid covers the points of the previous one that are not negligible, so that the last one is fine for
    any number of records.
    """
    values, vectors = np.linalg.eigh(sd[:, None] * cross * sd)
    values, center = np.maximum(values, 0.0), vectors.T @ (mode / sd)

    def log_density(log_sigma: FloatArray) -> FloatArray:
        square = np.exp(2 * log_sigma)
        ratio = values / square[:, None]
        coefficients = np.log1p(ratio) + np.square(center) * ratio / (1 + ratio)
        over = (
            log_sigma - guess
        )  # the likelihood relative to its maximum, which avoids rounding errors of a large total
        fit = -total * (over + 0.5 * np.expm1(-2 * over))
        return np.asarray(fit + log_sigma - np.exp(log_sigma) - 0.5 * coefficients.sum(axis=1), dtype=np.float64)

    guess = 0.5 * np.log(rss / total)
    grid = np.linspace(guess - 60, 10.0, GRID)
    for _ in range(2):
        height = log_density(grid)
        there = np.flatnonzero(height > height.max() - 50)
        grid = np.linspace(grid[max(there[0] - 1, 0)], grid[min(there[-1] + 1, GRID - 1)], GRID)
    height = log_density(grid)
    height = np.exp(height - height.max())
    below = np.concatenate([[0.0], np.cumsum((height[1:] + height[:-1]) / 2)])
    log_sigma = np.interp(rng.random(shape), below / below[-1], grid)
    ratio = values / np.exp(2 * log_sigma)[..., None]
    # The noise is rotated, so that the draws do not depend on the signs of the eigenvectors.
    u = center * ratio / (1 + ratio) + rng.standard_normal((*shape, mode.size)) @ vectors / np.sqrt(1 + ratio)
    return np.exp(log_sigma), np.asarray(u @ vectors.T * sd, dtype=np.float64)


def _model(pm: Any, data: Mapping[str, FloatArray], shape: tuple[int, ...]) -> Any:
    with pm.Model() as model:
        u = whitened_prior(pm, data, shape)
        cross = pm.Data("cross", data["cross"], shape=shape * 2)
        totals = pm.Data("totals", data["totals"], shape=(3,))
        total, rss, guess = totals[0], totals[1], totals[2]
        log_ratio = pm.Flat("log_ratio")  # log of sigma over its least-squares estimate
        log_sigma = log_ratio + pm.math.log(guess)
        sigma = pm.math.exp(log_sigma)
        squares = rss + pm.math.dot(u, pm.math.dot(cross, u))
        pm.Potential("prior_sigma", log_sigma - sigma)  # Exponential(1), on the log scale
        pm.Potential("likelihood", -total * log_sigma - 0.5 * squares / sigma**2)
    return model


__all__ = ["FittedNormalRegression", "NormalRegression"]
