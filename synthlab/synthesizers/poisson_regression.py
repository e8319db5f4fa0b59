"""Bayesian Poisson regression of a count."""

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
    aggregate,
    posterior_mode,
    prior_sd,
    rotated,
    standardise,
    whitened,
    whitened_predictor,
    whitened_prior,
)
from synthlab.synthesizers._pooling import REAL
from synthlab.synthesizers._posterior import Posterior
from synthlab.synthesizers._pymc import SamplerOptions, sample, sampler_options, width
from synthlab.synthesizers.base import Fitted, check_fit, posterior_of
from synthlab.synthesizers.normal_regression import as_continuous

MAX_LOG_MEAN = 40.0


@dataclass(frozen=True)
class PoissonRegression:
    """Synthesizer of one count: ``y_i ~ Poisson(exp(a + x_i' b))``.

    With standardised predictors and the (weighted) mean count c the priors are ``a ~ N(log c, 5)``,
    ``b_j ~ N(0, 2.5)``. Record weights multiply the log-likelihood; equal records are merged with their
    weights before sampling. Synthetic values are whole numbers in the dtype of the confidential column.

    Parameters
    ----------
    formula : str
        ``"response ~ predictors"``; the response holds whole numbers >= 0.

    Raises
    ------
    InputError
        If `formula` is no text with one response, one tilde and predictors.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> import synthlab as sl
    >>> rng = np.random.default_rng(1)
    >>> age = rng.integers(18, 80, 200)
    >>> survey = pd.DataFrame({"age": age, "visits": rng.poisson(np.exp(age / 40))})
    >>> fitted = sl.PoissonRegression("visits ~ age").fit(survey, rng=1)
    >>> fitted.generate(m=2, rng=2)[0]["visits"].dtype
    dtype('int64')
    """

    formula: str

    def __post_init__(self) -> None:
        check_formula(self.formula)

    def fit(
        self, confidential: pd.DataFrame, *, weights: object = None, rng: RngLike = None, **sampler: Any
    ) -> FittedPoissonRegression:
        """Sample the posterior. See `NormalRegression.fit` for the options of the sampler.

        Parameters
        ----------
        confidential : pandas.DataFrame, n rows
            The data as collected, with the variables of the formula.
        weights : array_like of shape (n,), optional
            Record weights >= 0; each multiplies the log-likelihood of its record. None: 1 for everybody.
        rng : seed or Generator, optional
            The same seed gives the same draws.
        **sampler
            The options of `NormalRegression.fit`.

        Returns
        -------
        FittedPoissonRegression
            ``posterior["intercept"]`` (draws,) and ``posterior["slopes"]`` (draws, p).

        Raises
        ------
        InputError
            For a formula, response, weights or option that cannot be used, or a response that is no count; the message names it.
        MissingValueError
            If a variable of the formula has missing values.

        Warns
        -----
        ConvergenceWarning
            If the chains did not converge.
        """
        options = sampler_options(sampler)
        frame, weights_ = check_fit(confidential, weights)
        design = make_design(self.formula, frame)
        response = design.formula.response
        posterior = _sample(counts_of(frame, response), design, weights_, options, rng)
        fitted = FittedPoissonRegression(self, frame, weights_, (response,), posterior, design)
        fitted.diagnostics()
        return fitted


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class FittedPoissonRegression(Fitted):
    """A fitted `PoissonRegression`; ``posterior["intercept"]`` (draws,), ``posterior["slopes"]`` (draws, p)."""

    scales: ClassVar[Mapping[str, str]] = {"intercept": REAL, "slopes": REAL}

    design: Design = field(repr=False)

    def draw(self, frame: pd.DataFrame, draw: int, rng: np.random.Generator) -> dict[str, pd.Series]:
        """Return synthetic values for the records of `frame`, from one posterior draw."""
        mean = np.exp(log_mean(self, self.design, frame, draw))
        column = self.synthesized[0]
        return {column: as_count(rng.poisson(mean), self.confidential[column], frame.index)}

    def log_likelihood(self) -> FloatArray:
        """Return log Pr(y_i | x_i, theta_s), unweighted, shape (draws, n)."""
        from scipy.special import gammaln

        y = _checks.as_float(self.confidential[self.synthesized[0]])
        posterior = posterior_of(self)
        eta = posterior["intercept"][:, None] + posterior["slopes"] @ self.design.matrix.T
        return np.asarray(y * eta - np.exp(eta) - gammaln(y + 1), dtype=np.float64)


def counts_of(frame: pd.DataFrame, column: str, where: str = "confidential") -> FloatArray:
    """Return a response that holds counts, or raise."""
    y = numeric_response(frame, column, where)
    wrong = int(((y < 0) | (y != np.floor(y))).sum())
    if wrong:
        raise InputError(
            f"{where}: response {column!r} has {wrong} values that are not whole numbers >= 0; this model is for counts"
        )
    large = int((y > np.exp(MAX_LOG_MEAN)).sum())
    if large:
        raise InputError(
            f"{where}: response {column!r} has {large} values beyond exp({MAX_LOG_MEAN:g}); no such count is drawn"
        )
    return y


def as_count(values: Any, like: pd.Series, index: pd.Index) -> pd.Series:
    """Return synthetic counts in the dtype of the confidential column."""
    dtype = like.dtype
    if pd.api.types.is_integer_dtype(dtype):
        # A narrow integer may be too small for a synthetic count.
        largest = np.iinfo(getattr(dtype, "numpy_dtype", dtype)).max
        fits = values.max(initial=0) <= largest
        return pd.Series(values, index=index, name=like.name).astype(dtype if fits else np.int64)
    return as_continuous(values, like, index)


def log_mean(fitted: Fitted, design: Design, frame: pd.DataFrame, draw: int) -> FloatArray:
    """Return the log mean of every record of a frame under one draw, or raise when a count cannot be drawn from it."""
    matrix = design.matrix if frame is fitted.confidential else design.apply(frame)
    posterior = posterior_of(fitted)
    eta = posterior["intercept"][draw] + matrix @ posterior["slopes"][draw]
    if eta.size and eta.max() > MAX_LOG_MEAN:
        raise FitError(
            f"the mean of a synthetic {fitted.synthesized[0]!r} is beyond exp({MAX_LOG_MEAN:g}) in row {int(eta.argmax())}: the "
            "predictors lie far outside the data of the fit"
        )
    return eta


def _sample(
    y: FloatArray, design: Design, weights: FloatArray | None, options: SamplerOptions, rng: RngLike
) -> Posterior:
    predictors = standardise(design.matrix, weights)
    w = np.ones(y.size) if weights is None else weights
    x, events, exposure = aggregate(predictors.matrix[w > 0], (w * y)[w > 0], w[w > 0])
    if not events.any():
        raise InputError(
            f"confidential: response {design.formula.response!r} is 0 throughout: there is nothing to model"
        )
    average = float(np.log(events.sum() / exposure.sum()))

    def likelihood(eta: FloatArray) -> tuple[float, FloatArray, FloatArray]:
        with np.errstate(over="ignore"):
            mean = exposure * np.exp(average + eta)
        return float(events @ (average + eta) - mean.sum()), events - mean, mean

    sd = prior_sd(x.shape[1])
    mode, spread = posterior_mode(x, likelihood, sd)
    size = width(x.shape[1])
    data = {
        **whitened(mode, spread, sd, size),
        **rotated(x, mode, spread, size),
        "events": events,
        "exposure": exposure * np.exp(average),
    }
    chains = sample("poisson regression", _model, data, (size,), ["u"], options, rng)
    beta = mode + chains.values["u"][..., : sd.size] @ spread.T
    beta[..., 0] += average
    intercept, slopes = predictors.raw(beta)
    return Posterior({"intercept": intercept, "slopes": slopes}, {"slopes": design.names}, chains.divergences)


def _model(pm: Any, data: Mapping[str, FloatArray], shape: tuple[int, ...]) -> Any:
    with pm.Model() as model:
        u, _ = whitened_prior(pm, data, shape)
        eta = whitened_predictor(pm, data, u)
        events, exposure = pm.Data("events", data["events"]), pm.Data("exposure", data["exposure"])
        pm.Potential("likelihood", pm.math.sum(events * eta - exposure * pm.math.exp(eta)))
    return model


__all__ = ["FittedPoissonRegression", "PoissonRegression"]
