"""Bayesian logistic regression of a variable with two values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from synthlab._formula import check_formula
from synthlab._typing import FloatArray, RngLike
from synthlab.exceptions import InputError
from synthlab.synthesizers._design import Design, check_complete, make_design
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


@dataclass(frozen=True)
class LogisticRegression:
    """Synthesizer of one variable with two values: the log odds are linear in the predictors.

    ``Pr(y_i = success) = 1 / (1 + exp(-(a + x_i' b)))``; with standardised predictors the priors are
    ``a ~ N(0, 5)``, ``b_j ~ N(0, 2.5)``, so that coefficients stay finite under separation. Record
    weights multiply the log-likelihood; equal records are merged with their weights before sampling.

    Parameters
    ----------
    formula : str
        ``"response ~ predictors"``; the response holds two distinct values (truth values, 0 and 1, or
        two levels). The greater one, or the later level of an ordered category, is the success.

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
    >>> survey = pd.DataFrame({"age": age, "insured": np.where(rng.random(200) < age / 100, "yes", "no")})
    >>> fitted = sl.LogisticRegression("insured ~ age").fit(survey, rng=1)
    >>> sorted(fitted.generate(m=5, rng=2)[0]["insured"].unique())
    ['no', 'yes']
    """

    formula: str

    def __post_init__(self) -> None:
        check_formula(self.formula)

    def fit(
        self, confidential: pd.DataFrame, *, weights: object = None, rng: RngLike = None, **sampler: Any
    ) -> FittedLogisticRegression:
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
        FittedLogisticRegression
            ``posterior["intercept"]`` (draws,) and ``posterior["slopes"]`` (draws, p).

        Raises
        ------
        InputError
            For a formula, response, weights or option that cannot be used, or a response without exactly two values; the message names it.
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
        values = two_values(frame, response)
        y = (frame[response] == values[1]).to_numpy(dtype=np.float64)
        posterior = sample_logistic(y, design, weights_, options, rng)
        fitted = FittedLogisticRegression(self, frame, weights_, (response,), posterior, design, values)
        fitted.diagnostics()
        return fitted


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class FittedLogisticRegression(Fitted):
    """A fitted `LogisticRegression`; ``posterior["intercept"]`` (draws,), ``posterior["slopes"]`` (draws, p)."""

    scales: ClassVar[Mapping[str, str]] = {"intercept": REAL, "slopes": REAL}

    design: Design = field(repr=False)
    values: tuple[Any, Any] = (0, 1)

    @property
    def has_probabilities(self) -> bool:
        """Whether `probability_of` has a closed form."""
        return True

    def probability_of(self, frame: pd.DataFrame, values: pd.DataFrame, draw: int) -> FloatArray:
        """Return the probability that a record gets given synthetic values, under one posterior draw, shape (n, g)."""
        matrix = self.design.matrix if frame is self.confidential else self.design.apply(frame)
        success = probability(posterior_of(self), draw, matrix)
        asked = list(values[self.synthesized[0]])
        return np.column_stack([success * (v == self.values[1]) + (1 - success) * (v == self.values[0]) for v in asked])

    def draw(self, frame: pd.DataFrame, draw: int, rng: np.random.Generator) -> dict[str, pd.Series]:
        """Return synthetic values for the records of `frame`, from one posterior draw."""
        matrix = self.design.matrix if frame is self.confidential else self.design.apply(frame)
        success = rng.random(len(frame)) < probability(posterior_of(self), draw, matrix)
        column = self.synthesized[0]
        like = self.confidential[column]
        values = pd.Series(np.array(self.values, dtype=object)[success.astype(int)], index=frame.index, name=column)
        return {column: values.astype(like.dtype)}

    def log_likelihood(self) -> FloatArray:
        """Return log Pr(y_i | x_i, theta_s), unweighted, shape (draws, n)."""
        y = (self.confidential[self.synthesized[0]] == self.values[1]).to_numpy(dtype=bool)
        return logistic_log_likelihood(posterior_of(self), self.design.matrix, y)


def two_values(frame: pd.DataFrame, column: str, where: str = "confidential") -> tuple[Any, Any]:
    """Return the two values of a column, the success last."""
    check_complete(frame, column, where)
    series = frame[column]
    if isinstance(series.dtype, pd.CategoricalDtype):
        values = series.cat.remove_unused_categories().cat.categories.tolist()
    else:
        values = sorted(series.unique().tolist())
    if len(values) != 2:
        raise InputError(
            f"{where}: column {column!r} has {len(values)} distinct values; logistic regression is for exactly 2"
        )
    return values[0], values[1]


def probability(posterior: Posterior, draw: int, matrix: FloatArray) -> FloatArray:
    """Return the success probabilities of one draw, shape (n,)."""
    from scipy.special import expit

    return expit(posterior["intercept"][draw] + matrix @ posterior["slopes"][draw])


def logistic_log_likelihood(posterior: Posterior, matrix: FloatArray, y: Any) -> FloatArray:
    """Return the Bernoulli log-likelihood, shape (draws, n)."""
    eta = posterior["intercept"][:, None] + posterior["slopes"] @ matrix.T
    eta[:, y] *= -1
    return -np.logaddexp(0, eta)


def sample_logistic(
    y: FloatArray, design: Design, weights: FloatArray | None, options: SamplerOptions, rng: RngLike
) -> Posterior:
    """Sample the coefficients; they are written mode + A u, with u nearly standard normal."""
    predictors = standardise(design.matrix, weights)
    w = np.ones(y.size) if weights is None else weights
    x, success, failure = aggregate(predictors.matrix[w > 0], (w * y)[w > 0], (w * (1 - y))[w > 0])
    total = success + failure

    def likelihood(eta: FloatArray) -> tuple[float, FloatArray, FloatArray]:
        from scipy.special import expit

        p = expit(eta)
        return float(success @ eta - total @ np.logaddexp(0, eta)), success - total * p, total * p * (1 - p)

    sd = prior_sd(x.shape[1])
    mode, spread = posterior_mode(x, likelihood, sd)
    size = width(x.shape[1])
    data = {
        **whitened(mode, spread, sd, size),
        **rotated(x, mode, spread, size),
        "success": success,
        "total": total,
    }
    chains = sample("logistic regression", _model, data, (size,), ["u"], options, rng)
    intercept, slopes = predictors.raw(mode + chains.values["u"][..., : sd.size] @ spread.T)
    return Posterior({"intercept": intercept, "slopes": slopes}, {"slopes": design.names}, chains.divergences)


def _model(pm: Any, data: Mapping[str, FloatArray], shape: tuple[int, ...]) -> Any:
    with pm.Model() as model:
        u, _ = whitened_prior(pm, data, shape)
        eta = whitened_predictor(pm, data, u)
        success, total = pm.Data("success", data["success"]), pm.Data("total", data["total"])
        pm.Potential("likelihood", pm.math.sum(success * eta - total * pm.math.log1pexp(eta)))
    return model


__all__ = ["FittedLogisticRegression", "LogisticRegression"]
