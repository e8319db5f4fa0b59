"""Model of a response with missing values: whether it is observed, then its value."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd

from synthlab import _rng
from synthlab._design_covariance import Sampled
from synthlab._typing import BoolArray, FloatArray, IntArray, RngLike
from synthlab.exceptions import InputError
from synthlab.synthesizers._design import DesignMatrix
from synthlab.synthesizers._design_effect import adjusted
from synthlab.synthesizers._levels import draw_codes
from synthlab.synthesizers._linear import INTERCEPT_PRIOR_SD, standardise
from synthlab.synthesizers._missing import FIRST_CODE, LOST, THERE, Kinds
from synthlab.synthesizers._multinomial import log_softmax, posterior_draws, posterior_mode, table
from synthlab.synthesizers._pooling import REAL, pool_posteriors
from synthlab.synthesizers._posterior import Diagnostics, Posterior, diagnose
from synthlab.synthesizers._pymc import SamplerOptions, part_options
from synthlab.synthesizers.base import Fitted

PRIOR_SD = 1.0  # prior sd of the slopes of standardized predictors, as in `MultinomialRegression`


@dataclass(frozen=True, slots=True, eq=False)
class KindModel:
    """Multinomial regression of the kind of a value: observed, or a kind of missing.

    Parameters
    ----------
    kinds : Kinds
    numbers : ndarray of shape (n,)
        The kind of each value.
    design : DesignMatrix
    posterior : Posterior
        ``intercept`` (draws, K) and ``slopes`` (draws, K, p).
    weights : ndarray of shape (n,) or None
        The record weights.
    """

    scales: ClassVar[Mapping[str, str]] = {"intercept": REAL, "slopes": REAL}
    has_coefficients: ClassVar[bool] = True

    kinds: Kinds
    numbers: IntArray = field(repr=False)
    design: DesignMatrix = field(repr=False)
    posterior: Posterior = field(repr=False)
    weights: FloatArray | None = field(repr=False)

    @property
    def specification(self) -> KindModel:
        """Specification of the model, which is the model itself."""
        return self

    @classmethod
    def fit(
        cls,
        kinds: Kinds,
        numbers: IntArray,
        weights: FloatArray | None,
        design: DesignMatrix,
        options: SamplerOptions,
        rng: RngLike,
    ) -> KindModel:
        """Sample the coefficients."""
        predictors = standardise(design.matrix, weights)
        slopes = np.full(predictors.matrix.shape[1] - 1, PRIOR_SD)
        sd = np.concatenate([[INTERCEPT_PRIOR_SD], slopes])
        x, counts = table(predictors.matrix, kinds.place(numbers), len(kinds.seen) + 1, weights)
        coefficients, chains = posterior_draws(
            x, counts, sd, posterior_mode(x, counts, sd), part_options(options), _rng.as_generator(rng)
        )
        names = (f"{kinds.column} is there", *kinds.names)
        labels = {"intercept": names, "slopes": tuple(f"{k}, {c}" for k in names for c in design.names)}
        values = dict(zip(("intercept", "slopes"), predictors.raw(coefficients), strict=True))
        return cls(kinds, numbers, design, chains.posterior(values, labels), weights)

    def of(self, frame: pd.DataFrame) -> KindModel:
        """Return the model with the same draws and the records of another frame."""
        return replace(self, numbers=self.kinds.numbers(frame), design=self.design.of(frame), weights=None)

    def logarithms(self, matrix: FloatArray, draw: int) -> FloatArray:
        """Return the log probability of each kind for rows of predictors, shape (n, K)."""
        slopes = self.posterior["slopes"][draw]
        return log_softmax(self.posterior["intercept"][draw] + matrix @ slopes.T)

    def draw(self, frame: pd.DataFrame, draw: int, rng: np.random.Generator) -> IntArray:
        """Draw for each record which kind of value it has."""
        places = draw_codes(np.exp(self.logarithms(self.design.apply(frame), draw)), rng)
        return np.array((THERE, *self.kinds.seen), dtype=np.int64)[places]

    def log_likelihood(self) -> FloatArray:
        """Return the log probability of the kind of each value, shape (draws, n)."""
        rows, places = np.arange(self.numbers.size), self.kinds.place(self.numbers)
        draws = range(self.posterior.n_draws)
        return np.stack([self.logarithms(self.design.matrix, s)[rows, places] for s in draws])

    def pseudo_log_likelihood(self) -> FloatArray:
        """Return the log-likelihood times the weight of each record."""
        return self.log_likelihood() * (1.0 if self.weights is None else self.weights)

    def pooled(self, others: Sequence[KindModel], draws: int | None, rng: np.random.Generator) -> KindModel:
        """Combine this model with the models of the same kinds for other datasets."""
        if any(other.kinds.seen != self.kinds.seen for other in others):
            raise InputError(
                f"others: the kinds of missing values of {self.kinds.column!r} are not the same in all datasets, so "
                "the fits cannot be combined"
            )
        posteriors = [self.posterior, *(other.posterior for other in others)]
        return replace(self, posterior=pool_posteriors(posteriors, self.scales, draws, rng))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class FittedKept(Fitted):
    """Fit to a response with missing values.

    `kind` models which values are missing, `value` models the observed values. The likelihood of a record is the
    probability of the kind of its value, times the density of the value if it is observed. ``posterior`` holds the
    parameters of both models; the parameters of `kind` are prefixed with "kind".
    """

    kind: KindModel = field(repr=False)
    value: Any = field(repr=False)

    @property
    def n_draws(self) -> int | None:
        """Number of posterior draws, which is the same for both parts."""
        number: int = min(self.kind.posterior.n_draws, self.value.n_draws)
        return number

    @property
    def records_independent(self) -> bool:
        """True if a record can be drawn without other records."""
        return bool(self.value.records_independent)

    @property
    def has_probabilities(self) -> bool:
        """True if the value model has probabilities; the kind model has."""
        return bool(self.value.has_probabilities)

    def draw(self, frame: pd.DataFrame, draw: int, rng: np.random.Generator) -> dict[str, pd.Series]:
        """Return synthetic values for the records of `frame`: first kinds, then values."""
        column = self.synthesized[0]
        numbers = self.kind.draw(frame, draw, rng)
        rows, like = np.flatnonzero(numbers == THERE), self.confidential[column]
        values = self.value.draw(frame.iloc[rows], draw, rng)[column] if rows.size else like.iloc[:0]
        return {column: self.kind.kinds.column_of(numbers, values, like, frame.index)}

    def probability_of(self, frame: pd.DataFrame, values: pd.DataFrame, draw: int) -> FloatArray:
        """Return the probabilities of given synthetic values, including missing, (n, g)."""
        kinds = self.kind.kinds
        asked = kinds.read(values[kinds.column])
        shares = np.exp(self.kind.logarithms(self.kind.design.apply(frame), draw))
        result = np.zeros((len(frame), len(values)))
        for place, kind in enumerate((THERE, *kinds.seen)):
            result[:, asked == kind] = shares[:, [place]]
        there = np.flatnonzero(asked == THERE)
        if there.size:
            result[:, there] *= self.value.probability_of(frame, values.iloc[there], draw)
        return result

    def predictive_probability(self, draw: int, lower: FloatArray, upper: FloatArray, rows: Any) -> FloatArray:
        """Return the probability that a synthetic value lies in each interval, (rows, t).

        An interval whose ends are NaN contains only the missing value. A code that means missing is a number in the
        released data, so it lies in every interval that contains this number.
        """
        kinds, lower, upper = self.kind.kinds, np.asarray(lower, dtype=np.float64), np.asarray(upper, dtype=np.float64)
        shares = np.exp(self.kind.logarithms(self.kind.design.matrix[rows], draw))
        numbers, found = np.flatnonzero(~np.isnan(lower)), np.zeros((len(shares), lower.size))
        if numbers.size:
            every = replace(
                self.value, design=self.value.design.of(self.confidential)
            )  # because the value model was fitted to a subset
            inside = every.predictive_probability(draw, lower[numbers], upper[numbers], rows)
            found[:, numbers] = shares[:, [0]] * inside
        for place, kind in enumerate(kinds.seen, start=1):
            held = np.isnan(lower)
            if kind != LOST:
                code = kinds.codes[kind - FIRST_CODE]
                held = (lower <= code) & (code <= upper)
            found += shares[:, [place]] * held
        return found

    def pooled(self, others: Sequence[Any] = (), *, draws: int | None = None, rng: RngLike = None) -> FittedKept:
        """Combine each part with the same part of the fits to the other datasets."""
        if not all(type(other) is type(self) for other in others):
            raise InputError(
                f"others: {self.synthesized[0]!r} has missing values in only some datasets, so the fits cannot be "
                "combined"
            )
        first, second = _rng.spawn(rng, 2)
        kind = self.kind.pooled([o.kind for o in others], draws, first)
        value = self.value.pooled([o.value for o in others], draws=draws, rng=second)
        return replace(self, posterior=kind.posterior, kind=kind, value=value)

    def log_likelihood(self) -> FloatArray:
        """Return the log-likelihood of kind and value, shape (draws, n).

        For an observed value, this is the log probability of the kind plus the log density of the value.
        """
        return self._sum(self.kind.log_likelihood(), lambda: self.value.log_likelihood())

    def pseudo_log_likelihood(self) -> FloatArray:
        """Return the contributions to the log pseudo posterior of both parts, (draws, n)."""
        return self._sum(self.kind.pseudo_log_likelihood(), lambda: self.value.pseudo_log_likelihood())

    def _log_mass(self) -> FloatArray | float:
        nothing = np.zeros((self.n_draws or 1, self.kind.numbers.size))
        return self._sum(nothing, lambda: self.value._log_mass())

    def _sum(self, kind: FloatArray, value: Callable[[], FloatArray | float]) -> FloatArray:
        there = self.kind.numbers == THERE
        if there.any():
            kind[:, there] += value()
        return kind

    def with_data(self, frame: pd.DataFrame) -> Self:
        """Return the fit with other, unweighted records in place of the confidential ones."""
        kind = self.kind.of(frame)
        there = kind.numbers == THERE
        value = self.value.with_data(frame[there]) if there.any() else self.value
        return replace(self, confidential=frame, weights=None, kind=kind, value=value)

    def _keeps(self, column: str) -> bool:
        return True

    @property
    def has_coefficients(self) -> bool:
        """True if the value model has coefficients; the kind model has."""
        return bool(self.value.has_coefficients)

    def _adjusted(self, sampled: Sampled, rows: IntArray) -> Self:
        if not self.has_coefficients:
            return Fitted._adjusted(self, sampled, rows)
        kind = replace(self.kind, posterior=adjusted(self.kind, sampled, rows))
        value = self.value._adjusted(sampled, rows[self.kind.numbers == THERE])
        return replace(self, posterior=_joint(kind, value), kind=kind, value=value)

    def _with_draws(self, rows: IntArray) -> Self:
        kind, value = replace(self.kind, posterior=self.kind.posterior.keep(rows)), self.value.keep_draws(rows)
        return replace(self, posterior=_joint(kind, value), kind=kind, value=value)

    def summary(self) -> pd.DataFrame:
        """Return the posterior summaries of both parts in one table."""
        value: pd.DataFrame = self.value.summary()
        return pd.concat({"kind": self.kind.posterior.summary(), "value": value})

    def _diagnose(self) -> Diagnostics:
        return Diagnostics.combine({"kind": diagnose(self.kind.posterior), "value": self.value._diagnose()})


def fit_kept(
    specification: Any,
    kinds: Kinds,
    data: tuple[pd.DataFrame, FloatArray | None, DesignMatrix],
    options: SamplerOptions,
    rng: RngLike,
    fit_there: Callable[[BoolArray, RngLike], Fitted],
) -> FittedKept:
    """Fit the kind to all records, and the value to records with an observed response."""
    frame, weights, design = data
    numbers = kinds.numbers(frame, "confidential")
    there = numbers == THERE
    if weights is not None and not weights[there].any():
        raise InputError(f"weights: all records with an observed {kinds.column!r} have weight 0")
    first, second = _rng.spawn(rng, 2)
    try:
        value = fit_there(there, second)
    except InputError as error:
        raise type(error)(f"records in which {kinds.column!r} is not missing: {error}") from None
    if not value.records_independent:
        raise InputError(
            f"{type(specification).__name__} draws a record from its own value of {kinds.column!r}, which is missing "
            'in some records; use allocation="predictive"'
        )
    kind = KindModel.fit(kinds, numbers, weights, design, options, first)
    diagnose(kind.posterior).warn()
    return FittedKept(specification, frame, weights, (kinds.column,), _joint(kind, value), kind, value)


def _joint(kind: KindModel, value: Fitted) -> Posterior:
    """Return the parameters of both parts."""
    if value.posterior is None:
        return kind.posterior
    values = {**value.posterior.by_chain, **{f"kind {k}": v for k, v in kind.posterior.by_chain.items()}}
    labels = {**value.posterior.labels, **{f"kind {k}": v for k, v in kind.posterior.labels.items()}}
    return replace(value.posterior, by_chain=values, labels=labels)


__all__ = ["FittedKept", "KindModel", "fit_kept"]
