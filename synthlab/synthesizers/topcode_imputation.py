"""Imputation of the values above a cutoff, as an alternative to topcoding."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from scipy import special

from synthlab import _checks, _rng
from synthlab._typing import FloatArray, FrameLike, RngLike
from synthlab.design import SurveyDesign
from synthlab.exceptions import InputError
from synthlab.synthesizers._design import numeric_response
from synthlab.synthesizers._missing import THERE, CodesLike, Keep, Kinds, check_missing, keeping
from synthlab.synthesizers._pymc import sampler_options
from synthlab.synthesizers._unfitted import Unfitted
from synthlab.synthesizers.base import Fitted, check_fit, fit_under_design
from synthlab.synthesizers.topcoding import cutoff

METHODS = ("hot deck", "lognormal", "pareto")
LARGEST_LOG = 690.0  # the exponential is below the largest float


@dataclass(frozen=True)
class TopcodeImputation(Unfitted):
    """Imputation above a cutoff: values above it are replaced by draws from a model of the upper tail.

    Like `Topcoding`, this method changes only values above the cutoff c. Topcoding sets them to c, which makes means
    and variances too small. Here, each dataset gets new values above c, so that the upper tail is preserved and the
    combining rule for partial synthesis, `combine_partial`, applies (An and Little 2007). There are three models. Each
    draws its parameters anew for each dataset; w are the record weights, or 1:

    - "hot deck": values of other records above c, drawn with probabilities ``p ~ Dirichlet(w)`` (Bayesian bootstrap).
      No distribution is assumed, but **confidential values above c, such as the largest one, are released**, although
      usually in other records.
    - "lognormal": all positive values have a log-normal distribution with the prior ``p(mu, s^2) = 1 / s^2``. With the
      weighted mean m and sum of squares Q of log y, and W = sum w: ``s^2 ~ Q / chi2_(W - 1)``,
      ``mu ~ N(m, s^2 / W)``, ``log y ~ N(mu, s^2)`` truncated to log y > log c.
    - "pareto": values above c have a Pareto distribution, ``P(y > x) = (c / x)^a``, with the prior ``p(a) = 1 / a``:
      ``a ~ Gamma(W) / sum w log(y / c)``, sums over the values above c, and ``y = c exp(E / a)`` with ``E ~ Exp(1)``.

    Parameters
    ----------
    variable : str
        A numeric column.
    top : float, optional
        Cutoff as a value; > 0 for "lognormal" and "pareto".
    top_share : float in (0, 1), optional
        Cutoff as the share of records above it, as in `Topcoding`. Exactly one of `top` and `top_share` is required.
    method : {"hot deck", "lognormal", "pareto"}
        Model of the upper tail.

    Raises
    ------
    InputError
        If `variable` is not text, not exactly one cutoff is given, a cutoff is not finite or not above 0 where it must
        be, a share lies outside (0, 1), or `method` is unknown.

    Notes
    -----
    An and Little (2007) propose a hot deck of the sensitive values and draws from a parametric distribution. The three
    samplers are ours: they are exact posterior draws. New values depend only on c and the values above c (lognormal: all
    values), so associations of the variable with others are lost above c. The lognormal is fitted to all positive
    values. If it does not fit the upper tail, use "pareto". A Pareto distribution with a <= 1 has an infinite mean, so
    few values above c can give enormous draws.

    References
    ----------
    An, D. and Little, R. J. A. (2007). Multiple imputation: an alternative to top coding for statistical disclosure
    control. Journal of the Royal Statistical Society, Series A 170(4), 923-940.

    Examples
    --------
    >>> import pandas as pd
    >>> import synthlab as sl
    >>> survey = pd.DataFrame({"income": [10.0, 20.0, 30.0, 40.0, 90.0, 500.0]})
    >>> model = sl.TopcodeImputation("income", top=50.0, method="pareto")
    >>> model.fit(survey).generate(m=2, rng=1)[0]["income"].round(1).tolist()
    [10.0, 20.0, 30.0, 40.0, 74.4, 63.5]
    """

    variable: str
    top: float | None = None
    top_share: float | None = None
    method: str = "hot deck"

    def __post_init__(self) -> None:
        _checks.check_name(self.variable, "variable")
        _checks.check_choice(self.method, "method", METHODS)
        if (self.top is None) == (self.top_share is None):
            raise InputError("TopcodeImputation: give exactly one cutoff, top or top_share")
        if self.top is not None:
            _checks.check_number(self.top, "top")
            _check_positive(float(self.top), self.method)
        if self.top_share is not None:
            _checks.check_number(self.top_share, "top_share", low=0.0, high=1.0, open_low=True, open_high=True)

    def fit(
        self,
        confidential: FrameLike,
        *,
        weights: object = None,
        design: SurveyDesign | None = None,
        missing: Keep = "keep",
        missing_codes: CodesLike = None,
        rng: RngLike = None,
        **sampler: Any,
    ) -> FittedTopcodeImputation:
        """Compute the cutoff and the statistics of the model of the upper tail.

        Parameters
        ----------
        confidential : pandas.DataFrame, n rows
            The confidential data with the column `variable`.
        weights : array_like of shape (n,), optional
            Record weights >= 0; each multiplies the log-likelihood of its record. A share then refers to the total
            weight. Default: 1 for every record.
        design : SurveyDesign, optional
            The survey design of the records. Its weights, normalized to sum to n, are multiplied by `weights`; see
            `fit_under_design`. Default: no design, which estimates the model of the sample.
        missing : {"keep", "raise"}
            "keep": missing values do not change, and are ignored by the model. "raise": missing values are an error.
        missing_codes : mapping of str to sequence of numbers, optional
            Values of `variable` that mean missing, such as ``{"income": [-8, -9]}``; they do not change.
        rng : int, Generator or None
            Accepted for consistency with other synthesizers; it has no effect.
        **sampler
            The options of `NormalRegression.fit` are accepted but have no effect.

        Returns
        -------
        FittedTopcodeImputation
            The fit, with the cutoff ``high``.

        Raises
        ------
        InputError
            If the column is absent, not numeric or has infinite values; fewer than two records with a positive weight
            lie above the cutoff; the cutoff is not above 0 where it must be; or the positive values do not determine a
            log-normal distribution.
        MissingValueError
            If the column has missing values, with ``missing="raise"``.
        """
        if design is not None:
            return fit_under_design(self, confidential, weights, design, rng, keeping(missing, missing_codes, sampler))
        sampler_options(sampler)
        _rng.as_generator(rng)
        frame, weights_ = check_fit(confidential, weights)
        _checks.check_column(frame, self.variable, "variable", where="confidential")
        codes = check_missing(frame, missing, missing_codes, [self.variable])
        kinds = None if codes is None else Kinds.of(frame, self.variable, codes)
        there = np.ones(len(frame), dtype=bool) if kinds is None else kinds.numbers(frame) == THERE
        y = numeric_response(frame[there], self.variable)
        w = np.ones(y.size) if weights_ is None else weights_[there]
        high = float(self.top) if self.top is not None else cutoff(y, w, float(self.top_share or 0.0))
        _check_positive(high, self.method)
        used = (y > high) & (w > 0)
        if used.sum() < 2:
            raise InputError(
                "top, top_share: fewer than two values of confidential with a positive weight lie above the cutoff, which is too few for a "
                "model; use a smaller cutoff"
            )
        statistics = _statistics(y, w, used, high, self.method)
        return FittedTopcodeImputation(
            self, frame, weights_, (self.variable,), None, high, y[used], w[used], statistics, kinds
        )


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class FittedTopcodeImputation(Fitted):
    """A fitted `TopcodeImputation` with the cutoff `high`; it has no likelihood."""

    high: float = np.nan
    above: FloatArray = field(default_factory=lambda: np.empty(0))
    above_weights: FloatArray = field(default_factory=lambda: np.empty(0))
    statistics: tuple[float, ...] = ()
    kinds: Kinds | None = None

    @property
    def draws_parameters(self) -> bool:
        """Always True: every method draws its parameters for each dataset."""
        return True

    @property
    def uses_own_values(self) -> bool:
        """True, because values up to the cutoff are released."""
        return True

    def draw(self, frame: pd.DataFrame, draw: int, rng: np.random.Generator) -> dict[str, pd.Series]:
        """Return the column of `frame` with new values above the cutoff."""
        name = self.synthesized[0]
        values = frame[name]
        numbers = _checks.as_float(values)
        replaced = np.greater(numbers, self.high, where=~np.isnan(numbers), out=np.zeros(len(frame), dtype=bool))
        if self.kinds is not None:
            replaced &= self.kinds.read(values) == THERE
        result = values.copy()
        result[replaced] = _of_type(self._tail(int(replaced.sum()), rng), self.high, values)
        return {name: result}

    def _tail(self, size: int, rng: np.random.Generator) -> FloatArray:
        """Draw the parameters and `size` values above the cutoff."""
        method = self.specification.method
        if method == "hot deck":
            gammas = rng.standard_gamma(self.above_weights)
            p = gammas if gammas.any() else self.above_weights  # with tiny weights, all draws underflow
            return np.asarray(rng.choice(self.above, size, p=p / p.sum()))
        if method == "pareto":
            total, logs = self.statistics
            with np.errstate(divide="ignore", over="ignore"):
                rate = rng.standard_gamma(total) / logs
                excess = rng.standard_exponential(size) / rate
            return np.asarray(np.exp(np.minimum(np.log(self.high) + excess, LARGEST_LOG)))
        total, mean, squares = self.statistics
        scale = np.sqrt(squares / rng.chisquare(total - 1))
        centre = mean + scale / np.sqrt(total) * rng.standard_normal()
        # Inversion of the upper tail on the log scale, which does not underflow.
        least = (np.log(self.high) - centre) / scale
        score = -special.ndtri_exp(np.log(rng.uniform(size=size)) + special.log_ndtr(-least))
        return np.asarray(np.exp(np.minimum(centre + scale * score, LARGEST_LOG)))


def _statistics(y: FloatArray, w: FloatArray, used: FloatArray, high: float, method: str) -> tuple[float, ...]:
    """Return the sufficient statistics of a parametric model."""
    if method == "hot deck":
        return ()
    if method == "pareto":
        return float(w[used].sum()), float(w[used] @ (np.log(y[used]) - np.log(high)))
    positive = (y > 0) & (w > 0)
    logs, share = np.log(y[positive]), w[positive]
    with np.errstate(over="ignore", invalid="ignore"):
        total = float(share.sum())
        mean = float(share @ logs) / total
        squares = float(share @ (logs - mean) ** 2)
    if not (1 < total < np.inf and 0 < squares < np.inf):
        raise InputError(
            'confidential, weights: method="lognormal" requires positive values that differ and have a finite total weight '
            'above 1; use "hot deck"'
        )
    return total, mean, squares


def _check_positive(high: float, method: str) -> None:
    if method != "hot deck" and high <= 0:
        raise InputError(f'top, top_share: method="{method}" requires a cutoff above 0; use "hot deck"')


def _of_type(drawn: FloatArray, high: float, values: pd.Series) -> Any:
    """Return the draws in the type of a column, above the cutoff and finite."""
    dtype: Any = values.dtype
    kind: np.dtype[Any] = np.dtype(getattr(dtype, "numpy_dtype", dtype))
    if kind.kind in "iu":
        # The largest float below 2**63 is 2**63 - 1024.
        limit = np.nextafter(float(np.iinfo(kind).max) + 1, 0.0)
        return np.clip(np.rint(drawn), np.floor(high) + 1, np.floor(limit)).astype(kind)
    if kind.kind != "f":
        return drawn
    least = np.nextafter(kind.type(high), kind.type(np.inf))
    return np.clip(drawn, float(least), float(np.finfo(kind).max)).astype(kind)


__all__ = ["FittedTopcodeImputation", "TopcodeImputation"]
