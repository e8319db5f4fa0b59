"""Bayesian linear regression of a numeric variable, transformed or not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._formula import check_formula
from synthlab._typing import FloatArray, RngLike
from synthlab.exceptions import FitError, InputError
from synthlab.synthesizers._design import Design, make_design, numeric_response
from synthlab.synthesizers._linear import (
    pad,
    prior_sd,
    response_moments,
    spread_of,
    standardise,
    whitened,
    whitened_prior,
)
from synthlab.synthesizers._pooling import POSITIVE, REAL
from synthlab.synthesizers._posterior import Posterior
from synthlab.synthesizers._pymc import SamplerOptions, sample, sampler_options, width
from synthlab.synthesizers._transforms import get_transform, outside
from synthlab.synthesizers.base import Fitted, check_fit, posterior_of

LOG_ROOT_TWO_PI = 0.5 * np.log(2 * np.pi)


@dataclass(frozen=True)
class NormalRegression:
    """Synthesizer of one numeric variable: g(y) is normal around a linear predictor.

    ``g(y_i) ~ N(a + x_i' b, sigma)``. In units of the standard deviation of g(y), and with standardised
    predictors, the priors are ``a ~ N(0, 5)``, ``b_j ~ N(0, 2.5)``, ``sigma ~ Exponential(1)``: weakly
    informative, they matter only where the data say next to nothing. Record weights multiply the
    log-likelihood: ``prod_i p(y_i | x_i, theta)^w_i p(theta)``.

    Parameters
    ----------
    formula : str
        ``"response ~ predictors"``. Columns whose names are not plain words stand in backticks; the
        calls allowed are C, I, bs, cc, center, cr, exp, log, log10, log1p, ns, poly, scale, sqrt.
    transform : {None, "log", "log1p", "asinh", "sqrt", "cube_root"}
        g. Synthetic values are transformed back; a negative value on the scale of "sqrt" becomes 0.
    bounds : tuple of (float or None, float or None), optional
        Lowest and highest synthetic value: the predictive distribution is truncated to this interval
        (not the likelihood). Confidential values must lie within.

    Raises
    ------
    InputError
        If `formula` is no text with one response, one tilde and predictors, `transform` is none of these, or `bounds` are no two numbers, the lower first.

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

    formula: str
    transform: str | None = None
    bounds: tuple[float | None, float | None] | None = None

    def __post_init__(self) -> None:
        check_formula(self.formula)
        get_transform(self.transform)
        if self.bounds is not None:
            check_bounds(self.bounds)

    def fit(
        self, confidential: pd.DataFrame, *, weights: object = None, rng: RngLike = None, **sampler: Any
    ) -> FittedNormalRegression:
        """Sample the posterior.

        Parameters
        ----------
        confidential : pandas.DataFrame, n rows
            The data as collected, with the variables of the formula.
        weights : array_like of shape (n,), optional
            Record weights >= 0; each multiplies the log-likelihood of its record. None: 1 for everybody.
        rng : seed or Generator, optional
            The same seed gives the same draws.
        **sampler
            draws=1000, tune=500, chains=2, target_accept=0.9, sampler="nutpie" (or "pymc"), progress=False.

        Returns
        -------
        FittedNormalRegression
            ``posterior["intercept"]`` and ``["sigma"]`` (draws,), ``["slopes"]`` (draws, p), on the scale of the
            transformed response; draws counts those of all chains.

        Raises
        ------
        InputError
            For a formula, response, weights or option that cannot be used; the message names it.
        MissingValueError
            If a variable of the formula has missing values.
        FitError
            If the predictors reproduce the response exactly.

        Warns
        -----
        ConvergenceWarning
            If the chains did not converge.
        """
        options = sampler_options(sampler)
        frame, weights_ = check_fit(confidential, weights)
        design = make_design(self.formula, frame)
        response = design.formula.response
        y = numeric_response(frame, response)
        g = get_transform(self.transform)
        g.check(y, response)
        if self.bounds is not None:
            check_within(y, self.bounds, response)
        posterior = _sample(g.forward(y), design, weights_, options, rng)
        fitted = FittedNormalRegression(self, frame, weights_, (response,), posterior, design)
        fitted.diagnostics()
        return fitted


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class FittedNormalRegression(Fitted):
    """A fitted `NormalRegression`.

    ``posterior["intercept"]`` (draws,), ``posterior["slopes"]`` (draws, p) and ``posterior["sigma"]``
    (draws,) are for predictors in their own units, on the scale of the transformed response.
    """

    scales: ClassVar[Mapping[str, str]] = {"intercept": REAL, "slopes": REAL, "sigma": POSITIVE}

    design: Design = field(repr=False)

    def mean(self, draw: int, matrix: FloatArray) -> FloatArray:
        """Return the linear predictor of one draw, shape (n,)."""
        return posterior_of(self)["intercept"][draw] + matrix @ posterior_of(self)["slopes"][draw]

    def draw(self, frame: pd.DataFrame, draw: int, rng: np.random.Generator) -> dict[str, pd.Series]:
        """Return synthetic values for the records of `frame`, from one posterior draw."""
        matrix = self.design.matrix if frame is self.confidential else self.design.apply(frame)
        mean, sigma = self.mean(draw, matrix), float(posterior_of(self)["sigma"][draw])
        spec: NormalRegression = self.specification
        g = get_transform(spec.transform)
        if spec.bounds is None:
            values = g.inverse(mean + sigma * rng.standard_normal(len(frame)))
        else:
            low, high = (
                None if b is None else float(g.forward(np.array([b], dtype=np.float64))[0]) for b in spec.bounds
            )
            values = np.clip(
                g.inverse(_truncated(mean, sigma, low, high, rng)),
                *(
                    -np.inf if spec.bounds[0] is None else spec.bounds[0],
                    np.inf if spec.bounds[1] is None else spec.bounds[1],
                ),
            )
        column = self.synthesized[0]
        return {column: as_continuous(values, self.confidential[column], frame.index)}

    def log_likelihood(self) -> FloatArray:
        """Return log p(y_i | x_i, theta_s) on the scale of y, the Jacobian of the transform included.

        Returns
        -------
        ndarray of shape (draws, n), float64
            Unweighted, whatever the weights of the fit.

        Raises
        ------
        InputError
            If the density is unbounded at a value (0 under "sqrt" or "cube_root").
        """
        spec: NormalRegression = self.specification
        g = get_transform(spec.transform)
        z, jacobian = g.at(_checks.as_float(self.confidential[self.synthesized[0]]))
        posterior = posterior_of(self)
        sigma = posterior["sigma"][:, None]
        mean = posterior["intercept"][:, None] + posterior["slopes"] @ self.design.matrix.T
        np.subtract(z, mean, out=mean)
        mean /= sigma
        return -0.5 * np.square(mean) - np.log(sigma) - LOG_ROOT_TWO_PI + jacobian

    def _log_mass(self) -> FloatArray | float:
        from scipy.special import ndtr

        if self.specification.bounds is None:
            return 0.0
        g, posterior = get_transform(self.specification.transform), posterior_of(self)
        mean = posterior["intercept"][:, None] + posterior["slopes"] @ self.design.matrix.T
        low, high = (
            open_end
            if b is None
            else ndtr((g.forward(np.array([b], dtype=np.float64)) - mean) / posterior["sigma"][:, None])
            for b, open_end in zip(self.specification.bounds, (0.0, 1.0), strict=True)
        )
        mass = np.log(high - low)
        y = _checks.as_float(self.confidential[self.synthesized[0]])
        return np.where(outside(self.specification.bounds, y), np.inf, mass)


def as_continuous(values: FloatArray, like: pd.Series, index: pd.Index) -> pd.Series:
    """Return synthetic numbers as a column: the confidential dtype where it holds floats, else float64."""
    floating = pd.api.types.is_float_dtype(like.dtype)
    return pd.Series(values, index=index, name=like.name).astype(like.dtype if floating else np.float64)


def check_bounds(bounds: object) -> None:
    """Raise unless bounds are a pair (low, high) with low < high, None for open ends."""
    if not isinstance(bounds, tuple) or len(bounds) != 2:
        raise InputError(f"bounds={_checks.shown(bounds)}: must be a pair (low, high), None for no bound")
    low, high = (None if b is None else _checks.check_number(b, "bounds") for b in bounds)
    if low is not None and high is not None and low >= high:
        raise InputError(f"bounds={bounds!r}: low must be below high")


def check_within(y: FloatArray, bounds: tuple[float | None, float | None], column: str) -> None:
    low, high = bounds
    outside = int(((y < (-np.inf if low is None else low)) | (y > (np.inf if high is None else high))).sum())
    if outside:
        raise InputError(f"bounds={bounds!r}: {outside} confidential values of {column!r} lie outside")


def _truncated(
    mean: FloatArray, sigma: float, low: float | None, high: float | None, rng: np.random.Generator
) -> FloatArray:
    from scipy.stats import truncnorm

    a = np.full_like(mean, -np.inf) if low is None else (low - mean) / sigma
    b = np.full_like(mean, np.inf) if high is None else (high - mean) / sigma
    return np.asarray(truncnorm.ppf(rng.random(mean.size), a, b, loc=mean, scale=sigma), dtype=np.float64)


def _sample(
    z: FloatArray, design: Design, weights: FloatArray | None, options: SamplerOptions, rng: RngLike
) -> Posterior:
    """Sample on the standardised scale and return draws on the scale of g(y).

    The likelihood needs no more than the weighted cross products, so the time of a draw does not
    depend on n; the coefficients are written mode + A u, with u nearly standard normal.
    """
    predictors = standardise(design.matrix, weights)
    w = np.ones(z.size) if weights is None else weights
    center, scale = response_moments(z, weights, design.formula.response)
    informed = int((w > 0).sum())
    if informed < z.size and informed <= design.matrix.shape[1] + 1:
        raise InputError(
            f"weights: only {informed} of {z.size:,} records have a weight above 0, no more than the {design.matrix.shape[1] + 1} "
            f"coefficients of formula={design.formula.text!r}: nothing is left to say how wide the values spread"
        )
    y = (z - center) / scale
    x = predictors.matrix
    root = np.sqrt(w)
    mode = np.asarray(np.linalg.lstsq(x * root[:, None], y * root, rcond=None)[0], dtype=np.float64)
    cross = (x * w[:, None]).T @ x
    total, rss = float(w.sum()), float(w @ np.square(y - x @ mode))
    if rss <= 1e-16 * total:
        raise FitError(f"formula={design.formula.text!r}: the predictors reproduce the response exactly")
    sd = prior_sd(x.shape[1])
    spread = spread_of(cross / max(rss / total, 1e-12) + np.diag(1 / sd**2))
    size = width(x.shape[1])
    data = {
        **whitened(mode, spread, sd, size),
        "cross": pad(spread.T @ cross @ spread, size),
        "totals": np.array([total, rss, np.sqrt(rss / total)]),
    }
    chains = sample("normal regression", _model, data, (size,), ["u", "log_ratio"], options, rng)
    beta = (mode + chains.values["u"][..., : sd.size] @ spread.T) * scale
    beta[..., 0] += center
    intercept, slopes = predictors.raw(beta)
    sigma = np.exp(chains.values["log_ratio"]) * data["totals"][2] * scale
    values = {"intercept": intercept, "slopes": slopes, "sigma": sigma}
    return Posterior(values, {"slopes": design.names}, chains.divergences)


def _model(pm: Any, data: Mapping[str, FloatArray], shape: tuple[int, ...]) -> Any:
    with pm.Model() as model:
        u, _ = whitened_prior(pm, data, shape)
        cross, totals = pm.Data("cross", data["cross"]), pm.Data("totals", data["totals"])
        total, rss, guess = totals[0], totals[1], totals[2]
        log_ratio = pm.Flat("log_ratio")  # log of sigma over its least-squares estimate
        log_sigma = log_ratio + pm.math.log(guess)
        sigma = pm.math.exp(log_sigma)
        squares = rss + pm.math.dot(u, pm.math.dot(cross, u))
        pm.Potential("prior_sigma", log_sigma - sigma)  # Exponential(1), on the log scale
        pm.Potential("likelihood", -total * log_sigma - 0.5 * squares / sigma**2)
    return model


__all__ = ["FittedNormalRegression", "NormalRegression"]
