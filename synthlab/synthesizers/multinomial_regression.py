"""Bayesian multinomial regression of a categorical variable with tens of levels."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd

from synthlab import _checks, _rng
from synthlab._formulas.formula import check_formula
from synthlab._typing import FloatArray, RngLike
from synthlab.exceptions import InputError
from synthlab.synthesizers._levels import Levels, draw_codes
from synthlab.synthesizers._linear import INTERCEPT_PRIOR_SD, standardise
from synthlab.synthesizers._missing import Codes, Kinds
from synthlab.synthesizers._multinomial import (
    check_approximation,
    laplace_draws,
    log_softmax,
    posterior_draws,
    posterior_mode,
    table,
)
from synthlab.synthesizers._posterior import Posterior
from synthlab.synthesizers._pymc import Chains, SamplerOptions
from synthlab.synthesizers.base import posterior_of
from synthlab.synthesizers.regression import Data, FittedRegression, Regression

MAX_PARAMETERS = 8000
Method = Literal["mcmc", "laplace"]


@dataclass(frozen=True)
class MultinomialRegression(Regression["FittedMultinomialRegression"]):
    """Synthesizer of a categorical variable by multinomial logistic regression.

    ``Pr(y_i = k)`` is proportional to ``exp(a_k + x_i' b_k)``. Every level has its own coefficients. There is no
    reference level, so the order of the levels does not matter. With standardized predictors, the priors
    ``a_k ~ N(0, 5)`` and ``b_kj ~ N(0, prior_scale)`` identify the coefficients. The prior shrinks levels with few
    records, for which no maximum-likelihood estimate exists, toward the others.

    Equal rows of predictors are merged with their weights. The posterior is sampled around its mode (found by L-BFGS and
    Newton steps), in coordinates in which it is nearly spherical. The default sampler is independence Metropolis, and
    NUTS if its proposals do not fit the posterior, which is usual with more than tens of coefficients. ``fit(...,
    sampler="independence")``, "nutpie" or "pymc" (both NUTS) selects a sampler. With several thousand coefficients NUTS
    takes minutes. ``method="laplace"`` replaces the posterior by the normal distribution with the same mode and
    curvature, in about a second; of the sampler options, only ``chains`` and ``draws`` then have an effect. For a rare
    level the posterior is skewed, and the normal approximation draws too many records. `fit` therefore issues an
    `ApproximationWarning` if, on average, some level would get 20% more or fewer synthetic records than under the
    posterior.

    The posterior of a fit holds ``intercept`` (draws, K) and ``slopes`` (draws, K, p) of the K levels, for predictors
    in their own units. The response must have at least two levels, and the model at most 8,000 coefficients.

    Parameters
    ----------
    formula : str
        ``"response ~ predictors"``; the response holds at most 1,000 levels.
    prior_scale : float, default 1.0
        Standard deviation of the prior of the slopes.
    method : {"mcmc", "laplace"}
        Sample the posterior, or draw from its normal approximation.

    Raises
    ------
    InputError
        If `method` is not one of the two, or `prior_scale` is not above 0.

    Examples
    --------
    >>> import synthlab as sl
    >>> survey = sl.datasets.load("affairs").frame
    >>> fitted = sl.MultinomialRegression("occupation ~ educ + age").fit(survey, rng=1)
    >>> fitted.diagnostics().method
    'independence'
    """

    prior_scale: float = 1.0
    method: Method = "mcmc"

    _samplers = ("independence",)

    def __post_init__(self) -> None:
        check_formula(self.formula)
        _checks.check_choice(self.method, "method", list(get_args(Method)))
        _checks.check_number(self.prior_scale, "prior_scale", low=0.0, open_low=True)

    def _kinds(self, frame: pd.DataFrame, response: str, codes: Codes) -> Kinds | None:
        return None

    def _fit(self, data: Data, options: SamplerOptions, rng: RngLike) -> FittedMultinomialRegression:
        levels = Levels.of(data.frame, data.response, keep=True)
        if len(levels) < 2:
            raise InputError(f"confidential: response {levels.column!r} has only one level; leave it out")
        return FittedMultinomialRegression(self, *data.fitted_with(self._sample(data, levels, options, rng)), levels)

    def _sample(self, data: Data, levels: Levels, options: SamplerOptions, rng: RngLike) -> Posterior:
        predictors = standardise(data.design.matrix, data.weights)
        columns = predictors.matrix.shape[1]
        if len(levels) * columns > MAX_PARAMETERS:
            raise InputError(
                f"formula={self.formula!r}: {len(levels)} levels x {columns} columns are too many coefficients"
            )
        names = [str(v) for v in levels.labels]
        sd = np.concatenate([[INTERCEPT_PRIOR_SD], np.full(columns - 1, float(self.prior_scale))])
        x, counts = table(predictors.matrix, levels.codes(data.frame), len(levels), data.weights)
        start, generator, chains = posterior_mode(x, counts, sd), _rng.as_generator(rng), Chains({}, 0, "laplace")
        if self.method == "mcmc":
            coefficients, chains = posterior_draws(x, counts, sd, start, options, generator)
        else:
            coefficients = laplace_draws(*start, options.chains, options.draws, generator)
            check_approximation(x, counts, sd, coefficients)
        intercept, slopes = predictors.raw(coefficients)
        labels = {"intercept": tuple(names), "slopes": tuple(f"{k}, {c}" for k in names for c in data.design.names)}
        values = {"intercept": intercept, "slopes": slopes}
        return chains.posterior(values, labels)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class FittedMultinomialRegression(FittedRegression):
    """A fitted `MultinomialRegression`.

    ``posterior["intercept"]`` has shape (draws, K), ``posterior["slopes"]`` (draws, K, p), for predictors in
    their own units, the K levels in the order of ``levels.values``.
    """

    levels: Levels = field(repr=False)

    def probability_of(self, frame: pd.DataFrame, values: pd.DataFrame, draw: int) -> FloatArray:
        """Return the probabilities of given synthetic values under one posterior draw.

        The shape is (n, g).
        """
        return self.levels.columns_of(self.probabilities(frame, draw), values)

    def _keeps(self, column: str) -> bool:
        return self.levels.lost

    def probabilities(self, frame: pd.DataFrame, draw: int) -> FloatArray:
        """Return Pr(y_i = k) for the records of a frame under one draw, shape (n, K)."""
        return np.exp(log_softmax(self._predictor(frame, draw)))

    def log_likelihood(self) -> FloatArray:
        """Return log Pr(y_i | x_i, theta_s), unweighted, shape (draws, n).

        -inf at a level that is not in the data of the fit.
        """
        codes = self.levels.positions(self.confidential)
        rows, draws = np.arange(codes.size), range(posterior_of(self).n_draws)
        result = np.stack([log_softmax(self._predictor(self.confidential, s))[rows, codes] for s in draws])
        result[:, codes < 0] = -np.inf
        return result

    def _values(self, eta: FloatArray, draw: int, rng: np.random.Generator) -> Any:
        return draw_codes(np.exp(log_softmax(eta)), rng)

    def _column(self, values: Any, index: pd.Index) -> pd.Series:
        return self.levels.series(values, index)


__all__ = ["FittedMultinomialRegression", "MultinomialRegression"]
