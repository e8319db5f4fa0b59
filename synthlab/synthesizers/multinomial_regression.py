"""Bayesian multinomial regression of a categorical variable with tens of levels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, get_args

import numpy as np
import pandas as pd

from synthlab import _checks, _rng
from synthlab._formula import check_formula
from synthlab._typing import FloatArray, RngLike
from synthlab.exceptions import InputError
from synthlab.synthesizers._design import Design, make_design
from synthlab.synthesizers._levels import Levels, draw_codes
from synthlab.synthesizers._linear import INTERCEPT_PRIOR_SD, Standardised, standardise
from synthlab.synthesizers._multinomial import (
    check_approximation,
    laplace_draws,
    log_softmax,
    nuts_draws,
    posterior_mode,
    table,
)
from synthlab.synthesizers._pooling import REAL
from synthlab.synthesizers._posterior import Posterior
from synthlab.synthesizers._pymc import sampler_options
from synthlab.synthesizers.base import Fitted, check_fit, posterior_of

MAX_PARAMETERS = 8000
Method = Literal["nuts", "laplace"]


@dataclass(frozen=True)
class MultinomialRegression:
    """Synthesizer of one categorical variable: ``Pr(y_i = k)`` is proportional to ``exp(a_k + x_i' b_k)``.

    Every level has coefficients of its own (none is the reference, so the order of the levels does not
    matter); they are identified by the prior, with standardised predictors ``a_k ~ N(0, 5)`` and
    ``b_kj ~ N(0, prior_scale)``. The prior keeps levels with few records, for which no
    maximum-likelihood estimate exists, near the others.

    Equal rows of predictors are merged with their weights, and the posterior is sampled by NUTS around
    its mode (found by L-BFGS and Newton steps), on axes on which it is nearly round. With several thousand
    coefficients that takes minutes; ``method="laplace"`` takes the normal distribution with the mode and
    the curvature there for the posterior, in about a second. Where a level is rare its posterior is
    lopsided, and the normal one draws too many records of it, so it warns when it does.

    Parameters
    ----------
    formula : str
        ``"response ~ predictors"``; the response holds at most 1,000 levels.
    prior_scale : float, default 1.0
        Standard deviation of the prior of the slopes.
    method : {"nuts", "laplace"}
        How the posterior is drawn from.

    Raises
    ------
    InputError
        If `method` is neither, or `prior_scale` is not above 0.

    Examples
    --------
    >>> import synthlab as sl
    >>> survey = sl.datasets.load("affairs").frame
    >>> fitted = sl.MultinomialRegression("occupation ~ educ + age").fit(survey, rng=1)
    >>> fitted.diagnostics().method
    'nuts'
    """

    formula: str
    prior_scale: float = 1.0
    method: Method = "nuts"

    def __post_init__(self) -> None:
        check_formula(self.formula)
        _checks.check_choice(self.method, "method", list(get_args(Method)))
        _checks.check_number(self.prior_scale, "prior_scale", low=0.0, open_low=True)

    def fit(
        self, confidential: pd.DataFrame, *, weights: object = None, rng: RngLike = None, **sampler: Any
    ) -> FittedMultinomialRegression:
        """Find the mode of the posterior and draw from it, or from its normal approximation.

        Parameters
        ----------
        confidential : pandas.DataFrame, n rows
            The data as collected, with the variables of the formula.
        weights : array_like of shape (n,), optional
            Record weights >= 0; each multiplies the log-likelihood of its record. None: 1 for everybody.
        rng : seed or Generator, optional
            The same seed gives the same draws.
        **sampler
            The options of `NormalRegression.fit`; of them only ``chains`` and ``draws`` matter to ``method="laplace"``.

        Returns
        -------
        FittedMultinomialRegression
            ``posterior["intercept"]`` (draws, K) and ``posterior["slopes"]`` (draws, K, p) of the K levels; chains x draws draws.

        Warns
        -----
        ApproximationWarning
            With ``method="laplace"``, if some level would get 20 % more or fewer synthetic records, on average, than
            under the posterior itself.
        ConvergenceWarning
            With ``method="nuts"``, if the chains have not converged.

        Raises
        ------
        InputError
            As `NormalRegression.fit`, and if there is one level, or more than 8,000 coefficients.
        MissingValueError
            If a variable of the formula has missing values.
        FitError
            If the mode is not found.
        """
        options = sampler_options(sampler)
        frame, weights_ = check_fit(confidential, weights)
        design = make_design(self.formula, frame)
        levels = Levels.of(frame, design.formula.response)
        if len(levels) < 2:
            raise InputError(f"confidential: response {levels.column!r} has one level: there is nothing to model")
        predictors = standardise(design.matrix, weights_)
        shape = (len(levels), predictors.matrix.shape[1])
        if shape[0] * shape[1] > MAX_PARAMETERS:
            raise InputError(
                f"formula={self.formula!r}: {shape[0]} levels x {shape[1]} columns are too many coefficients"
            )
        sd = np.concatenate([[INTERCEPT_PRIOR_SD], np.full(shape[1] - 1, float(self.prior_scale))])
        x, counts = table(predictors.matrix, levels.codes(frame), len(levels), weights_)
        start, generator, divergences = posterior_mode(x, counts, sd), _rng.as_generator(rng), 0
        if self.method == "nuts":
            coefficients, divergences = nuts_draws(x, counts, sd, start, options, generator)
        else:
            coefficients = laplace_draws(*start, options.chains, options.draws, generator)
            check_approximation(x, counts, sd, coefficients, [repr(v) for v in levels.values.tolist()])
        posterior = _posterior(coefficients, divergences, self.method, predictors, levels, design)
        fitted = FittedMultinomialRegression(self, frame, weights_, (levels.column,), posterior, design, levels)
        fitted.diagnostics()
        return fitted


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class FittedMultinomialRegression(Fitted):
    """A fitted `MultinomialRegression`.

    ``posterior["intercept"]`` has shape (draws, K), ``posterior["slopes"]`` (draws, K, p), for predictors in
    their own units, the K levels in the order of ``levels.values``.
    """

    scales: ClassVar[Mapping[str, str]] = {"intercept": REAL, "slopes": REAL}

    design: Design = field(repr=False)
    levels: Levels = field(repr=False)

    @property
    def has_probabilities(self) -> bool:
        """Whether `probability_of` has a closed form."""
        return True

    def probability_of(self, frame: pd.DataFrame, values: pd.DataFrame, draw: int) -> FloatArray:
        """Return the probability that a record gets given synthetic values, under one posterior draw, shape (n, g)."""
        return self.levels.columns_of(self.probabilities(frame, draw), values)

    def probabilities(self, frame: pd.DataFrame, draw: int) -> FloatArray:
        """Return Pr(y_i = k) for the records of a frame under one draw, shape (n, K)."""
        return np.exp(self._log_probabilities(frame, draw))

    def draw(self, frame: pd.DataFrame, draw: int, rng: np.random.Generator) -> dict[str, pd.Series]:
        """Return synthetic values for the records of `frame`, from one posterior draw."""
        codes = draw_codes(self.probabilities(frame, draw), rng)
        return {self.levels.column: self.levels.series(codes, frame.index)}

    def log_likelihood(self) -> FloatArray:
        """Return log Pr(y_i | x_i, theta_s), unweighted, shape (draws, n)."""
        codes = self.levels.codes(self.confidential)
        rows = np.arange(codes.size)
        draws = range(posterior_of(self).n_draws)
        return np.stack([self._log_probabilities(self.confidential, s)[rows, codes] for s in draws])

    def _log_probabilities(self, frame: pd.DataFrame, draw: int) -> FloatArray:
        matrix = self.design.matrix if frame is self.confidential else self.design.apply(frame)
        posterior = posterior_of(self)
        return log_softmax(posterior["intercept"][draw] + matrix @ posterior["slopes"][draw].T)


def _posterior(
    coefficients: FloatArray, divergences: int, method: Method, predictors: Standardised, levels: Levels, design: Design
) -> Posterior:
    intercept, slopes = predictors.raw(coefficients)
    names = [str(v) for v in levels.values]
    labels = {"intercept": tuple(names), "slopes": tuple(f"{k}, {c}" for k in names for c in design.names)}
    return Posterior({"intercept": intercept, "slopes": slopes}, labels, divergences, method)


__all__ = ["FittedMultinomialRegression", "MultinomialRegression"]
