"""Bayesian logistic regression of a variable with two values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from synthlab._typing import FloatArray, RngLike
from synthlab.exceptions import InputError
from synthlab.synthesizers._clipped_likelihood import Clippable, Unit, normal_prior
from synthlab.synthesizers._design import check_complete
from synthlab.synthesizers._pymc import SamplerOptions
from synthlab.synthesizers.regression import Data, FittedRegression, Likelihood, LogConcave


@dataclass(frozen=True)
class LogisticRegression(LogConcave["FittedLogisticRegression"]):
    """Synthesizer of a variable with two values by logistic regression.

    The model is ``Pr(y_i = success) = 1 / (1 + exp(-(a + x_i' b)))``. With standardized predictors, the priors are
    ``a ~ N(0, 5)`` and ``b_j ~ N(0, 2.5)``, so coefficients remain finite under separation. Record weights multiply the
    log-likelihood. Equal records are merged with their weights before sampling. The posterior of a fit holds
    ``intercept`` (draws,) and ``slopes`` (draws, p), for predictors in their own units.

    The default sampler is independence Metropolis, and NUTS if its proposals do not fit the posterior. ``fit(...,
    sampler="independence")``, "nutpie" or "pymc" (both NUTS) selects a sampler.

    Parameters
    ----------
    formula : str
        ``"response ~ predictors"``; the response holds two distinct values (bools, 0 and 1, or two levels). The larger
        value, or the later level of a category, is the success.

    Raises
    ------
    InputError
        If `formula` is not text with one response, one tilde and predictors.

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

    _kind = "logistic regression"
    _data = ("success", "total")

    def _fit(self, data: Data, options: SamplerOptions, rng: RngLike) -> FittedLogisticRegression:
        values = two_values(data.frame, data.response)
        y = (data.frame[data.response] == values[1]).to_numpy(dtype=np.float64)
        posterior = self._sample(data, (data.record_weights * y, data.record_weights * (1 - y)), options, rng)
        return FittedLogisticRegression(self, *data.fitted_with(posterior), values)

    def _clippable(self, data: Data, unit: Unit) -> Clippable:
        column = data.frame[data.response]
        values = two_values(data.frame, data.response)
        categories = getattr(column.dtype, "categories", ())  # if more are declared, the data determine which two occur
        declared = len(categories) == len(values) or pd.api.types.is_bool_dtype(column.dtype)
        return Clippable(
            y=np.where(column == values[1], 1.0, -1.0),
            log_density=lambda y, eta, extra: -np.logaddexp(0.0, -y * eta),
            log_prior=normal_prior,
            start=np.zeros(1),
            fitted=lambda beta, extra: FittedLogisticRegression(self, *data.fitted_with(data.walked(beta)), values),
            signed=False,
            reasons=() if declared else ("the two values of the response are read from the file",),
        )

    def _likelihood(self, *sums: FloatArray) -> Likelihood:
        from scipy.special import expit

        success, failure = sums
        total = success + failure

        def at(eta: FloatArray) -> tuple[float, FloatArray, FloatArray]:
            p = expit(eta)
            return float(success @ eta - total @ np.logaddexp(0, eta)), success - total * p, total * p * (1 - p)

        return Likelihood(at, {"success": success, "total": total})

    @staticmethod
    def _term(math: Any, eta: Any, *data: Any) -> Any:
        success, total = data
        return success * eta - total * math.log1pexp(eta)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class FittedLogisticRegression(FittedRegression):
    """A fitted `LogisticRegression`.

    ``posterior["intercept"]`` has shape (draws,), ``posterior["slopes"]`` (draws, p).
    """

    values: tuple[Any, Any] = (0, 1)

    def probability_of(self, frame: pd.DataFrame, values: pd.DataFrame, draw: int) -> FloatArray:
        """Return the probabilities of given synthetic values under one posterior draw.

        The shape is (n, g).
        """
        success = self._success(self._predictor(frame, draw))
        asked = list(values[self.synthesized[0]])
        return np.column_stack([success * (v == self.values[1]) + (1 - success) * (v == self.values[0]) for v in asked])

    def log_likelihood(self) -> FloatArray:
        """Return log Pr(y_i | x_i, theta_s), unweighted, shape (draws, n).

        -inf at a value that is neither of the two.
        """
        eta, y = self._predictors(), self.confidential[self.synthesized[0]]
        eta[:, (y == self.values[1]).to_numpy(dtype=bool)] *= -1
        eta[:, ~y.isin(self.values).to_numpy(dtype=bool)] = np.inf
        return -np.logaddexp(0, eta)

    def _values(self, eta: FloatArray, draw: int, rng: np.random.Generator) -> Any:
        return np.array(self.values, dtype=object)[(rng.random(eta.size) < self._success(eta)).astype(int)]

    def _column(self, values: Any, index: pd.Index) -> pd.Series:
        like = self.confidential[self.synthesized[0]]
        return pd.Series(values, index=index, name=like.name).astype(like.dtype)

    @staticmethod
    def _success(eta: FloatArray) -> FloatArray:
        from scipy.special import expit

        return np.asarray(expit(eta), dtype=np.float64)


def two_values(frame: pd.DataFrame, column: str, where: str = "confidential") -> tuple[Any, Any]:
    """Return the two values of a column; the second one is the success."""
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


__all__ = ["FittedLogisticRegression", "LogisticRegression"]
