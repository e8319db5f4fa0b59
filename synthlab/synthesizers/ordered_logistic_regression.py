"""Bayesian ordered logistic regression of a variable with ordered levels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from synthlab._typing import FloatArray, RngLike
from synthlab.exceptions import InputError
from synthlab.synthesizers._independence import NumpyMath, sample_or_nuts
from synthlab.synthesizers._levels import Levels
from synthlab.synthesizers._linear import (
    INTERCEPT_PRIOR_SD,
    PRIOR_SD,
    Whitening,
    no_mode,
    pad,
    spread_of,
    standardise,
    whitened_coefficients,
    whitened_predictor,
)
from synthlab.synthesizers._multinomial import table
from synthlab.synthesizers._pooling import POSITIVE
from synthlab.synthesizers._posterior import Posterior
from synthlab.synthesizers._pymc import Chains, SamplerOptions, log_one_minus_exp, sample
from synthlab.synthesizers.base import posterior_of
from synthlab.synthesizers.regression import Data, FittedRegression, Regression

MAX_LEVELS = 100


@dataclass(frozen=True)
class OrderedLogisticRegression(Regression["FittedOrderedLogisticRegression"]):
    """Synthesizer of a variable with ordered levels by ordered logistic regression.

    This is the proportional odds model (ordered logit) of McCullagh (1980), with one slope per predictor for all K
    levels: ``Pr(y_i > k) = 1 / (1 + exp(c_k - x_i' b))`` with cutpoints ``c_1 < ... < c_(K-1)``. It has fewer coefficients
    than `MultinomialRegression`, but assumes that a predictor shifts the whole distribution up or down. With standardized
    predictors, the priors are ``b_j ~ N(0, 2.5)`` and ``c_k ~ N(0, 5)``, restricted to ascending cutpoints; with two levels
    the model is that of `LogisticRegression`. Record weights multiply the log-likelihood, and equal rows of predictors are
    merged with their weights.

    The posterior of a fit holds ``intercept`` (draws,), which is -c_1, ``gaps`` (draws, K - 2), which are
    ``c_(k+1) - c_k``, and ``slopes`` (draws, p), for predictors in their own units.

    The default sampler is independence Metropolis, and NUTS if its proposals do not fit the posterior. ``fit(...,
    sampler="independence")``, "nutpie" or "pymc" (both NUTS) selects a sampler.

    Parameters
    ----------
    formula : str
        ``"response ~ predictors"``; the response holds an ordered category, numbers, dates or bools, with 2 to 100 levels.

    Raises
    ------
    InputError
        If `formula` is not text with one response, one tilde and predictors.

    References
    ----------
    McCullagh, P. (1980). Regression models for ordinal data. Journal of the Royal Statistical Society B 42(2), 109-142.

    Examples
    --------
    >>> import synthlab as sl
    >>> survey = sl.datasets.load("affairs").frame.head(500)
    >>> fitted = sl.OrderedLogisticRegression("rate_marriage ~ age + affairs").fit(survey, rng=1)
    >>> fitted.cutpoints.shape
    (2000, 4)
    """

    _samplers = ("independence",)

    def _fit(self, data: Data, options: SamplerOptions, rng: RngLike) -> FittedOrderedLogisticRegression:
        levels = _ordered_levels(data)
        return FittedOrderedLogisticRegression(self, *data.fitted_with(_sample(data, levels, options, rng)), levels)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class FittedOrderedLogisticRegression(FittedRegression):
    """A fitted `OrderedLogisticRegression`.

    ``posterior["intercept"]`` has shape (draws,), ``posterior["gaps"]`` (draws, K - 2) and ``posterior["slopes"]``
    (draws, p), for the K levels in the order of ``levels.values``.
    """

    scales: ClassVar[Mapping[str, str]] = {**FittedRegression.scales, "gaps": POSITIVE}

    levels: Levels = field(repr=False)

    @property
    def cutpoints(self) -> FloatArray:
        """Cutpoints c_1 to c_(K-1) of every draw, for predictors in their own units, shape (draws, K - 1)."""
        return self._offsets()[:, 1:-1] - posterior_of(self)["intercept"][:, None]

    def _offsets(self) -> FloatArray:
        """Return the cutpoints minus c_1, between -inf and inf, shape (draws, K + 1)."""
        inner = np.pad(np.cumsum(posterior_of(self)["gaps"], axis=1), [(0, 0), (1, 0)])
        return np.pad(inner, [(0, 0), (1, 1)], constant_values=(-np.inf, np.inf))

    def probability_of(self, frame: pd.DataFrame, values: pd.DataFrame, draw: int) -> FloatArray:
        """Return the probabilities of given synthetic values under one posterior draw.

        The shape is (n, g).
        """
        return self.levels.columns_of(self.probabilities(frame, draw), values)

    def probabilities(self, frame: pd.DataFrame, draw: int) -> FloatArray:
        """Return Pr(y_i = k) for the records of a frame under one draw, shape (n, K)."""
        offsets, eta = self._offsets()[draw], self._predictor(frame, draw)[:, None]
        return np.exp(_log_between(offsets[:-1] - eta, offsets[1:] - eta))

    def log_likelihood(self) -> FloatArray:
        """Return log Pr(y_i | x_i, theta_s), unweighted, shape (draws, n).

        -inf at a level that is not in the data of the fit.
        """
        places, offsets, eta = self.levels.positions(self.confidential), self._offsets(), self._predictors()
        codes = np.maximum(places, 0)
        result = _log_between(offsets[:, codes] - eta, offsets[:, codes + 1] - eta)
        result[:, places < 0] = -np.inf
        return result

    def _values(self, eta: FloatArray, draw: int, rng: np.random.Generator) -> Any:
        return np.searchsorted(self._offsets()[draw, 1:-1], rng.logistic(eta))

    def _column(self, values: Any, index: pd.Index) -> pd.Series:
        return self.levels.series(values, index)


def _log_between(lower: FloatArray, upper: FloatArray) -> FloatArray:
    """Return the log probability that a standard logistic variable lies in an interval.

    F(u) - F(l) = F(u) F(-l) (1 - exp(l - u)) has no cancellation in the tails.
    """
    return np.asarray(np.log(-np.expm1(lower - upper)) - np.logaddexp(0, -upper) - np.logaddexp(0, lower))


def _ordered_levels(data: Data) -> Levels:
    """Return the levels of the response, or raise if they have no order."""
    levels = Levels.of(data.frame, data.response, most=MAX_LEVELS)
    if len(levels) < 2:
        raise InputError(f"confidential: response {levels.column!r} has only one level; leave it out")
    ordered = isinstance(levels.dtype, pd.CategoricalDtype) and levels.dtype.ordered
    text = pd.api.types.infer_dtype(levels.values) in ("string", "mixed", "categorical")
    if not ordered and (text or not levels.values.is_monotonic_increasing):
        raise InputError(
            f"confidential: response {levels.column!r} has levels without an order; convert it to an ordered category, "
            "for example with pandas.Categorical(values, categories=[...], ordered=True), or use MultinomialRegression"
        )
    return levels


@dataclass(frozen=True, slots=True, eq=False)
class _LogPosterior:
    """Log posterior of standardized predictors and weighted counts of levels.

    The parameters are -c_m, the slopes, and the logarithms of the gaps; m is the cutpoint nearest to the median. If a level
    at one end is rare, its cutpoint is uncertain, but the others are not.
    """

    x: FloatArray  # distinct rows of predictors with a leading column of ones, shape (g, 1 + p)
    counts: FloatArray  # shape (g, K)
    start: FloatArray  # slopes of 0, and cutpoints from the shares of the levels
    sums: FloatArray  # c_k - c_m is sums[k] @ gaps, shape (K - 1, K - 2)

    @classmethod
    def of(cls, x: FloatArray, counts: FloatArray) -> _LogPosterior:
        """Return the log posterior with its start value."""
        total = np.cumsum(counts.sum(axis=0) + 0.5)
        share = total[:-1] / total[-1]
        cutpoints, m = np.log(share / (1 - share)), int(np.argmin(np.abs(share - 0.5)))
        start = np.concatenate([[-cutpoints[m]], np.zeros(x.shape[1] - 1), np.log(np.diff(cutpoints))])
        sums = np.tri(share.size, share.size - 1, -1)
        return cls(x, counts, start, sums - sums[m])

    @property
    def columns(self) -> int:
        """Number of the first parameters, -c_m and the slopes."""
        return int(self.x.shape[1])

    @property
    def inner(self) -> FloatArray:
        """Weighted number of records between two cutpoints, shape (K - 2,)."""
        return np.asarray(self.counts[:, 1:-1].sum(axis=0), dtype=np.float64)

    def value(self, parameters: FloatArray) -> FloatArray:
        """Return the log posterior of each row of parameters; not finite if a gap overflows or is 0.

        The log probability of level k is ``log F(c_k - eta) + log F(eta - c_(k-1)) + log(1 - exp(c_(k-1) - c_k))``, with
        the logistic distribution function F. The last term does not depend on the predictors.
        """
        beta, log_gaps = parameters[:, : self.columns], parameters[:, self.columns :]
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            gaps = np.exp(log_gaps)
            offsets = gaps @ self.sums.T
            z = offsets[:, None, :] - (beta @ self.x.T)[:, :, None]
            upper = NumpyMath.log1pexp(-z)  # -log F(c_k - eta); -log F(eta - c_k) is larger by z
            sides = np.einsum("bgk,gk->b", upper, self.counts[:, :-1] + self.counts[:, 1:])
            sides += np.einsum("bgk,gk->b", z, self.counts[:, 1:])
            cutpoints, slopes = (offsets - beta[:, :1]) / INTERCEPT_PRIOR_SD, beta[:, 1:] / PRIOR_SD
            prior = log_gaps.sum(axis=1) - 0.5 * (np.square(cutpoints).sum(axis=1) + np.square(slopes).sum(axis=1))
            return np.asarray(np.log(-np.expm1(-gaps)) @ self.inner - sides + prior, dtype=np.float64)

    def minus(self, parameters: FloatArray) -> tuple[float, FloatArray]:
        """Return the negative log posterior and its gradient."""
        from scipy.special import expit

        beta, gaps = parameters[: self.columns], np.exp(parameters[self.columns :])
        below, above = self.counts[:, :-1], self.counts[:, 1:]
        offsets = self.sums @ gaps
        z, cutpoints = offsets - (self.x @ beta)[:, None], (offsets - beta[0]) / INTERCEPT_PRIOR_SD
        slopes = beta[1:] / PRIOR_SD
        residual = below - (below + above) * expit(z)
        by_cutpoint = residual.sum(axis=0) - cutpoints / INTERCEPT_PRIOR_SD
        by_slope = -self.x[:, 1:].T @ residual.sum(axis=1) - slopes / PRIOR_SD
        with np.errstate(over="ignore"):
            by_gap = self.sums.T @ by_cutpoint * gaps + self.inner * gaps / np.expm1(gaps) + 1
        return self._cost(parameters), -np.concatenate([[-by_cutpoint.sum()], by_slope, by_gap])

    def _cost(self, parameters: FloatArray) -> float:
        """Return the negative log posterior."""
        return -float(self.value(parameters[None])[0])

    def mode(self) -> Whitening:
        """Return the parameters around the mode, in units of the curvature there."""
        from scipy.optimize import minimize

        found = minimize(self.minus, self.start, jac=True, method="L-BFGS-B", options={"maxiter": 1000})
        mode, value, steps = found.x, float(found.fun), 1e-4 * np.eye(found.x.size)
        for _ in range(20):  # Newton steps, because the tolerance of L-BFGS is relative to the log posterior
            curvature = np.array([self.minus(mode + h)[1] - self.minus(mode - h)[1] for h in steps]) / 2e-4
            try:
                spread = spread_of((curvature + curvature.T) / 2)
            except np.linalg.LinAlgError:
                break
            slope = spread.T @ self.minus(mode)[1]
            if slope @ slope < 1e-6:
                return Whitening(mode, spread)
            step, size = spread @ slope, 1.0
            while not self._cost(mode - size * step) <= value + 1e-9 * (1 + abs(value)) and size > 1e-8:
                size /= 2
            mode = mode - size * step
            value = self._cost(mode)
        raise no_mode()


def _sample(data: Data, levels: Levels, options: SamplerOptions, rng: RngLike) -> Posterior:
    predictors = standardise(data.design.matrix, data.weights)
    x, counts = table(predictors.matrix, levels.codes(data.frame), len(levels), data.weights)
    target = _LogPosterior.of(x, counts)
    at, columns = target.mode(), target.columns
    precision = np.zeros(at.size)
    precision[1:columns] = 1 / PRIOR_SD

    def log_density(u: FloatArray) -> FloatArray:
        return target.value(at.coefficients(u))

    def nuts(options: SamplerOptions, rng: np.random.Generator) -> Chains:
        given = {
            **at.data(),
            **at.predictor(np.hstack([x, np.zeros((len(x), at.mode.size - columns))])),
            "precision": precision,
            "log_gaps": at.mode[columns:],
            "gap_spread": pad(at.spread, at.size)[columns : at.mode.size],
            "sums": target.sums,
            "below": counts[:, :-1],
            "above": counts[:, 1:],
            "inner": target.inner,
        }
        return sample("ordered logistic regression", _model, given, (at.size,), ["u"], options, rng)

    chains = sample_or_nuts(log_density, at.mode.size, counts.size, options, rng, nuts)
    drawn = at.coefficients(chains.values["u"])
    beta, gaps = drawn[..., :columns], np.exp(drawn[..., columns:])
    beta[..., 0] -= gaps @ target.sums[0]
    return data.posterior(predictors.raw(beta), chains, gaps=gaps)


def _model(pm: Any, data: Mapping[str, FloatArray], shape: tuple[int, ...]) -> Any:
    math = pm.math
    with pm.Model() as model:
        u, parameters, padding = whitened_coefficients(pm, data, shape)
        eta = whitened_predictor(pm, data, u)
        spread = pm.Data("gap_spread", data["gap_spread"], shape=(None, *shape))
        below, above, sums, inner = (pm.Data(name, data[name]) for name in ("below", "above", "sums", "inner"))
        log_gaps = pm.Data("log_gaps", data["log_gaps"]) + math.dot(spread, u)
        gaps = math.exp(log_gaps)
        offsets = math.dot(sums, gaps)
        z, cutpoints = offsets[None, :] - eta[:, None], offsets - parameters[0]
        slopes = parameters * pm.Data("precision", data["precision"], shape=shape)
        pm.Potential("prior", -0.5 * math.sum(math.sqr(slopes)) - 0.5 * math.sum(padding * math.sqr(u)))
        pm.Potential("prior_cutpoints", math.sum(log_gaps) - 0.5 * math.sum(math.sqr(cutpoints / INTERCEPT_PRIOR_SD)))
        sides = math.sum(below * math.log1pexp(-z)) + math.sum(above * math.log1pexp(z))
        pm.Potential("likelihood", math.sum(inner * log_one_minus_exp(-gaps)) - sides)
    return model


__all__ = ["FittedOrderedLogisticRegression", "OrderedLogisticRegression"]
