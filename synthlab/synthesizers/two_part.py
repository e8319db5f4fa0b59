"""Two-part model of a numeric variable with many zeros."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

import numpy as np
import pandas as pd

from synthlab import _rng
from synthlab._design_covariance import Sampled
from synthlab._formulas.formula import check_formula, parse_formula
from synthlab._typing import FloatArray, FrameLike, IntArray, RngLike
from synthlab.design import SurveyDesign
from synthlab.exceptions import InputError
from synthlab.synthesizers._design import make_design, numeric_response
from synthlab.synthesizers._missing import CodesLike, Keep, Kinds, check_missing, keeping
from synthlab.synthesizers._missing_response import fit_kept
from synthlab.synthesizers._posterior import Diagnostics, Posterior
from synthlab.synthesizers._pymc import SamplerOptions, check_sampler, sampler_options
from synthlab.synthesizers._unfitted import Unfitted
from synthlab.synthesizers.base import Fitted, check_fit, fit_under_design, posterior_of
from synthlab.synthesizers.logistic_regression import FittedLogisticRegression, LogisticRegression
from synthlab.synthesizers.normal_regression import FittedNormalRegression, NormalRegression
from synthlab.synthesizers.regression import Data


@dataclass(frozen=True)
class TwoPart(Unfitted):
    """Synthesizer of a variable >= 0 with many zeros.

    ``Pr(y > 0)`` is modeled by `LogisticRegression`, and the positive values by `NormalRegression`. Each part has its
    own posterior draws and can have its own predictors. A synthetic zero is exactly 0. By default each part uses its
    fastest sampler; ``fit(..., sampler="nutpie")`` or "pymc" samples both parts by NUTS.

    Parameters
    ----------
    formula : str
        ``"response ~ predictors"``, used for both parts.
    transform : str or None, default "log"
        Transform of the positive values, as in `NormalRegression`.
    amount : str, optional
        Formula of the positive values. Default: `formula`.
    bounds : tuple of (float or None, float or None), optional
        Lowest and highest positive synthetic value.

    Raises
    ------
    InputError
        If `NormalRegression` does not accept `transform` or `bounds`.

    Examples
    --------
    >>> import synthlab as sl
    >>> survey = sl.datasets.load("affairs")
    >>> model = sl.TwoPart("affairs ~ rate_marriage + age", bounds=(None, 60.0))
    >>> release = model.fit(survey.frame, rng=1).generate(m=3, rng=2)
    >>> bool((release[0]["affairs"] == 0).any()), float(release[0]["affairs"].max()) <= 60
    (True, True)
    """

    formula: str
    transform: str | None = "log"
    amount: str | None = None
    bounds: tuple[float | None, float | None] | None = None

    def __post_init__(self) -> None:
        check_formula(self.formula)
        if self.amount is not None:
            check_formula(self.amount, "amount")
        NormalRegression(self.formula, self.transform, self.bounds)

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
    ) -> FittedTwoPart:
        """Sample the posteriors of both parts.

        Each part can raise the errors and issue the warnings of `NormalRegression.fit`.

        Parameters
        ----------
        confidential : pandas.DataFrame, n rows
            The confidential data with the variables of both formulas.
        weights : array_like of shape (n,), optional
            Record weights >= 0; each multiplies the log-likelihood of its record. Default: 1 for every record.
        design : SurveyDesign, optional
            The survey design of the records. Its weights, normalized to sum to n, are multiplied by `weights`; see
            `fit_under_design`. Default: no design, which estimates the model of the sample.
        missing : {"keep", "raise"}
            As in `NormalRegression.fit`. If the response has missing values, the fit has a third part.
        missing_codes : mapping of str to sequence of numbers, optional
            Values of numeric columns that mean missing, such as ``{"income": [-8, -9]}``.
        rng : int, Generator or None
            The same seed gives the same draws.
        **sampler
            The options of `NormalRegression.fit`, used for each part; ``sampler`` is None, "nutpie" or "pymc".

        Returns
        -------
        FittedTwoPart
            The fit, with the parts ``any_part`` and ``amount_part``. ``posterior`` holds the parameters of both, named
            "any ..." and "amount ...".

        Raises
        ------
        InputError
            If `NormalRegression.fit` would raise it, a value of the response is negative, or all or none are 0.
        """
        if design is not None:
            return fit_under_design(self, confidential, weights, design, rng, keeping(missing, missing_codes, sampler))
        options = check_sampler(sampler_options(sampler), self)
        frame, weights_ = check_fit(confidential, weights)
        any_, amount = (parse_formula(f, list(frame.columns), ()) for f in (self.formula, self.amount or self.formula))
        response = any_.response
        if amount.response != response:
            raise InputError(f"amount={self.amount!r}: its response must be {response!r}, the response of formula")
        codes = check_missing(frame, missing, missing_codes, (response, *any_.columns, *amount.columns))
        kinds = {c: None if codes is None else Kinds.of(frame, c, codes) for c in (response, *amount.columns)}
        data, amounts = Data(frame, weights_, make_design(self.formula, frame, codes=codes)), None
        if any(kinds.values()):  # with missing responses, the predictors of the amounts are read from all records
            amounts = replace(data, design=make_design(amount.text, frame, codes=codes))
        mine = kinds[response]
        if mine is None:
            return self._two_parts(data, amounts, options, rng)
        fitted = fit_kept(
            self,
            mine,
            (frame, weights_, data.design),
            options,
            rng,
            lambda there, one: self._two_parts(data.where(there), cast(Data, amounts).where(there), options, one),
        )
        return cast(FittedTwoPart, fitted)

    def _two_parts(self, data: Data, amounts: Data | None, options: SamplerOptions, rng: RngLike) -> FittedTwoPart:
        """Fit both parts to records without missing responses.

        `amounts` holds the same records with the predictors of the amounts.
        """
        formula, response = self.amount or self.formula, data.response
        y = numeric_response(data.frame, response)
        positive = y > 0
        if (y < 0).any() or positive.all() or not positive.any():
            raise InputError(
                f"confidential: response {response!r} has {int((y < 0).sum())} negative, {int((y == 0).sum())} zero and "
                f"{int(positive.sum())} positive values; TwoPart needs zeros and positive values, and no others"
            )
        if data.weights is not None and not data.weights[positive].any():
            raise InputError(f"weights: all records with {response!r} > 0 have weight 0")
        streams = _rng.spawn(rng, 2)
        marked = replace(data, frame=data.frame.assign(**{response: positive}))
        any_part = LogisticRegression(self.formula)._converged(marked, options, streams[0])
        if amounts is None:
            some = data.frame[positive]
            weights = None if data.weights is None else data.weights[positive]
            amounts = Data(some, weights, make_design(formula, some))
        else:
            amounts = amounts.where(positive)
        amount_part = NormalRegression(formula, self.transform, self.bounds)._converged(amounts, options, streams[1])
        posterior = _joint(posterior_of(any_part), posterior_of(amount_part))
        return FittedTwoPart(self, data.frame, data.weights, (response,), posterior, any_part, amount_part)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class FittedTwoPart(Fitted):
    """A fitted `TwoPart`.

    `any_part` models whether the value is above 0, `amount_part` models the values above 0.
    """

    any_part: FittedLogisticRegression = field(repr=False)
    amount_part: FittedNormalRegression = field(repr=False)

    @property
    def needs_records(self) -> bool:
        """Always False: the parameters suffice."""
        return False

    def _diagnose(self) -> Diagnostics:
        return Diagnostics.combine({"any": self.any_part._diagnose(), "amount": self.amount_part._diagnose()})

    def pooled(self, others: Sequence[Any] = (), *, draws: int | None = None, rng: RngLike = None) -> FittedTwoPart:
        """Combine each part with the same part of the fits to the other datasets."""
        first, second = _rng.spawn(rng, 2)
        any_part = self.any_part.pooled([o.any_part for o in others], draws=draws, rng=first)
        amount_part = self.amount_part.pooled([o.amount_part for o in others], draws=draws, rng=second)
        return replace(self, posterior=posterior_of(amount_part), any_part=any_part, amount_part=amount_part)

    def draw(self, frame: pd.DataFrame, draw: int, rng: np.random.Generator) -> dict[str, pd.Series]:
        """Return synthetic values for the records of `frame` from one posterior draw."""
        column = self.synthesized[0]
        positive = self.any_part.draw(frame, draw, rng)[column].to_numpy(dtype=bool)
        amount = self.amount_part.draw(frame, draw, rng)[column]
        return {column: amount.where(positive, 0.0)}

    def log_likelihood(self) -> FloatArray:
        """Return the log-likelihood of every record, unweighted, shape (draws, n).

        This is log Pr(y_i = 0) for a zero, otherwise log Pr(y_i > 0) plus the log density of y_i.
        """
        result = self.any_part.log_likelihood()
        positive = self.any_part.confidential[self.synthesized[0]].to_numpy(dtype=bool)
        result[:, positive] += self.amount_part.log_likelihood()
        return result

    def with_data(self, frame: pd.DataFrame) -> FittedTwoPart:
        """Return the fit with other, unweighted records in place of the confidential ones."""
        # All other values come from the model of the amounts, whose normal distribution can generate negative values.
        positive = frame[self.synthesized[0]] != 0
        any_part = self.any_part.with_data(frame.assign(**{self.synthesized[0]: positive}))
        amount_part = self.amount_part.with_data(frame[positive])
        return replace(self, confidential=frame, weights=None, any_part=any_part, amount_part=amount_part)

    def _log_mass(self) -> FloatArray | float:
        positive = self.any_part.confidential[self.synthesized[0]].to_numpy(dtype=bool)
        result = np.zeros((posterior_of(self).n_draws, positive.size))
        result[:, positive] = self.amount_part._log_mass()
        return result

    @property
    def has_coefficients(self) -> bool:
        """Always True: both parts have coefficients."""
        return True

    def _adjusted(self, sampled: Sampled, rows: IntArray) -> FittedTwoPart:
        positive = self.any_part.confidential[self.synthesized[0]].to_numpy(dtype=bool)
        any_part = self.any_part._adjusted(sampled, rows)
        amount_part = self.amount_part._adjusted(sampled, rows[positive])
        posterior = _joint(posterior_of(any_part), posterior_of(amount_part))
        return replace(self, posterior=posterior, any_part=any_part, amount_part=amount_part)

    def _with_draws(self, rows: IntArray) -> FittedTwoPart:
        any_part, amount_part = self.any_part.keep_draws(rows), self.amount_part.keep_draws(rows)
        return replace(self, posterior=posterior_of(self).keep(rows), any_part=any_part, amount_part=amount_part)


def _joint(any_part: Posterior, amount: Posterior) -> Posterior:
    """Return the draws of both parts, prefixed with the name of the part."""
    parts = {"any": any_part, "amount": amount}
    values = {f"{part} {name}": v for part, p in parts.items() for name, v in p.by_chain.items()}
    labels = {f"{part} {name}": v for part, p in parts.items() for name, v in p.labels.items()}
    method = ", ".join(dict.fromkeys(p.method for p in parts.values()))
    return Posterior(values, labels, sum(p.divergences for p in parts.values()), method)


__all__ = ["FittedTwoPart", "TwoPart"]
