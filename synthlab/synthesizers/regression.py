"""Base classes of the regressions.

A regression consists of a specification, `Regression`, that samples the coefficients, and a fit, `FittedRegression`,
that draws synthetic values and computes the log-likelihood. If the likelihood is log-concave in the linear predictor,
derive from `LogConcave`: a subclass then only implements the likelihood, the link and the draw.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Generic, Self, TypeVar, cast

import numpy as np
import pandas as pd

from synthlab import _checks, _rng
from synthlab._formulas.formula import check_formula, parse_formula
from synthlab._typing import BoolArray, FloatArray, FrameLike, RngLike
from synthlab.design import SurveyDesign
from synthlab.exceptions import InputError
from synthlab.synthesizers._clipped_likelihood import (
    Clippable,
    Clipped,
    Unit,
    check_units,
    in_units,
    sample_clipped,
    why_local,
)
from synthlab.synthesizers._design import DesignMatrix as Predictors, make_design
from synthlab.synthesizers._independence import NumpyMath, sample_or_nuts
from synthlab.synthesizers._linear import (
    Curvature,
    Whitening,
    aggregate,
    posterior_mode,
    prior_sd,
    standardise,
    whitened_predictor,
    whitened_prior,
)
from synthlab.synthesizers._metropolis import metropolis_options
from synthlab.synthesizers._missing import Codes, CodesLike, Keep, Kinds, check_missing, keeping
from synthlab.synthesizers._missing_response import fit_kept
from synthlab.synthesizers._pooling import REAL
from synthlab.synthesizers._posterior import Posterior
from synthlab.synthesizers._pymc import Chains, SamplerOptions, check_sampler, sample, sampler_options
from synthlab.synthesizers._transforms import as_continuous
from synthlab.synthesizers._unfitted import Unfitted
from synthlab.synthesizers.base import Fitted, check_fit, fit_under_design, posterior_of
from synthlab.synthesizers.registry import CLIPPED


@dataclass(frozen=True, slots=True, eq=False)
class Data:
    """Validated data of a regression: records, weights and predictors."""

    frame: pd.DataFrame
    weights: FloatArray | None
    design: Predictors

    @property
    def response(self) -> str:
        """Response variable."""
        return self.design.formula.response

    @property
    def record_weights(self) -> FloatArray:
        """Record weights, or 1 for every record, shape (n,)."""
        return np.ones(len(self.frame)) if self.weights is None else self.weights

    def where(self, rows: BoolArray) -> Data:
        """Return a subset of the records."""
        weights = None if self.weights is None else self.weights[rows]
        return Data(self.frame[rows], weights, self.design.where(rows))

    def walked(self, coefficients: tuple[FloatArray, FloatArray], **more: FloatArray) -> Posterior:
        """Return the Metropolis draws of the coefficients and other parameters."""
        values = dict(zip(("intercept", "slopes"), coefficients, strict=True)) | more
        return Posterior(values, {"slopes": self.design.names}, method="metropolis")

    def posterior(self, coefficients: tuple[FloatArray, FloatArray], chains: Chains, **more: FloatArray) -> Posterior:
        """Return the draws of the coefficients and other parameters as a posterior."""
        values = dict(zip(("intercept", "slopes"), coefficients, strict=True)) | more
        return chains.posterior(values, {"slopes": self.design.names})

    def fitted_with(
        self, posterior: Posterior
    ) -> tuple[pd.DataFrame, FloatArray | None, tuple[str, ...], Posterior, Predictors]:
        """Return the fields of a `FittedRegression` after the specification."""
        return self.frame, self.weights, (self.response,), posterior, self.design


F = TypeVar("F", bound="FittedRegression")


@dataclass(frozen=True)
class Regression(Unfitted, ABC, Generic[F]):
    """Synthesizer of one variable by a formula.

    Parameters
    ----------
    formula : str
        ``"response ~ predictors"``.

    Raises
    ------
    InputError
        If `formula` is not text with one response, one tilde and predictors.
    """

    formula: str

    _samplers: ClassVar[tuple[str, ...]] = ()  # samplers other than NUTS; the first is the default

    def __post_init__(self) -> None:
        check_formula(self.formula)

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
    ) -> F:
        """Sample the posterior.

        Parameters
        ----------
        confidential : DataFrame or Dataset, n rows
            The confidential data with the variables of the formula.
        weights : array_like of shape (n,), optional
            Record weights >= 0. Each multiplies the log-likelihood of its record, unless the class documents another
            use. Default: 1 for every record.
        design : SurveyDesign, optional
            The survey design of the records. Its weights, normalized to sum to n, are multiplied by `weights`; see
            `fit_under_design`. Default: no design, which estimates the model of the sample.
        missing : {"keep", "raise"}
            "keep": missing values are modeled. In a numeric predictor they are replaced by the median, and an indicator
            is added; in a categorical predictor, missing is a level. For a response with missing values, one model
            predicts which values are missing from the same predictors, and another one, fitted to the observed values,
            predicts the value. "raise": missing values are an error.
        missing_codes : mapping of str to sequence of numbers, optional
            Values of numeric columns that mean missing, such as ``{"income": [-8, -9]}``. Each code is a separate kind
            of missing value; it is kept, and never used as a number.
        rng : int, Generator or None
            The same seed gives the same draws.
        **sampler
            draws=1000 kept in each chain, chains=2, sampler=None and progress=False; for NUTS also tune=500 and
            target_accept=0.9. The default sampler is the fastest one that is correct for the model: "exact" draws for a
            normal regression, "independence" Metropolis for a logistic, Poisson, multinomial or ordered logistic
            regression, and NUTS ("nutpie" or "pymc") for the others. If the proposals of independence Metropolis do not
            fit the posterior, NUTS is used; ``diagnostics().reason`` then states why.

        Returns
        -------
        FittedRegression
            The fit. Its ``posterior`` holds the parameters listed by the class, with the draws of all chains, each of
            shape (draws, ...). If the response has missing values, the fit has two parts, ``kind`` and ``value``.

        Raises
        ------
        InputError
            If the formula, the response, the weights or an option is invalid.
        MissingValueError
            If a variable of the formula has missing values, with ``missing="raise"``.
        FitError
            If the posterior cannot be located or sampled, for example because the predictors determine the response
            exactly.

        Warns
        -----
        ConvergenceWarning
            If the chains did not converge.
        """
        if design is not None:
            return fit_under_design(self, confidential, weights, design, rng, keeping(missing, missing_codes, sampler))
        options = self._options(sampler)
        frame, checked = check_fit(confidential, weights)
        used = parse_formula(self.formula, list(frame.columns), ())
        codes = check_missing(frame, missing, missing_codes, (used.response, *used.columns))
        data = Data(frame, checked, make_design(self.formula, frame, codes=codes))
        kinds = None if codes is None else self._kinds(frame, data.response, codes)
        if kinds is None:
            return self._converged(data, options, rng)
        all_of_it = (frame, checked, data.design)
        fitted = fit_kept(
            self, kinds, all_of_it, options, rng, lambda there, one: self._converged(data.where(there), options, one)
        )
        return cast(F, fitted)

    def fit_clipped(
        self,
        confidential: FrameLike,
        *,
        bound: float | None,
        weights: object = None,
        units: Mapping[str, Unit] | None = None,
        rng: RngLike = None,
        **sampler: Any,
    ) -> F:
        """Sample the posterior with the contribution of each record clipped.

        The contribution of a record to the log posterior is clipped to [-bound, bound]. `PseudoPosteriorMechanism` uses
        this method if `clip` is given. The prior is that of the class, in the declared units and with the intercept
        around 0, so that it does not depend on the records. The density refers to the response in its declared unit, on
        the modeled scale. The posterior is sampled by a random walk because a clipped likelihood has kinks.

        Parameters
        ----------
        confidential : DataFrame or Dataset, n rows
            Complete records.
        bound : float > 0 or None
            M. None: contributions are not clipped.
        weights : array_like of shape (n,), optional
            Record weights >= 0; each multiplies the log-likelihood of its record before it is clipped.
        units : mapping of str to (center, scale), optional
            Public units of numeric predictors, by name, and of the response of a `NormalRegression` (after its
            transform). Default: (0, 1).
        rng : int, Generator or None
            The same seed gives the same draws.
        **sampler
            draws=1000 kept in each chain, thin=5 (steps per kept draw), tune=2000, chains=4.

        Returns
        -------
        FittedRegression
            A fit whose `pseudo_log_likelihood` is clipped; `log_likelihood` is not clipped.

        Raises
        ------
        InputError
            If the model does not support clipping, an argument is invalid, or the bound clips every contribution.
        MissingValueError
            If a variable of the formula has missing values.

        Warns
        -----
        ConvergenceWarning
            If the chains did not converge.
        """
        limit = np.inf if bound is None else _checks.check_number(bound, "bound", low=0.0, open_low=True)
        options = metropolis_options(sampler)
        frame, checked = check_fit(confidential, weights)
        used = parse_formula(self.formula, list(frame.columns), ())
        check_missing(frame, "raise", None, (used.response, *used.columns))
        data = Data(frame, checked, make_design(self.formula, frame, check_spread=False))
        declared = check_units(units, data.response, data.design, self._measured)
        model = self._clippable(data, declared.get(data.response, (0.0, 1.0)))
        predictors = in_units(data.design, declared)
        beta, extra = sample_clipped(model, predictors, data.record_weights, limit, options, _rng.as_generator(rng))
        reasons = (*model.reasons, *why_local(data.design))
        clipped = Clipped(limit, model.signed, model.offset, reasons)
        fitted: F = replace(model.fitted(predictors.raw(beta), extra), clipped=clipped)
        fitted.diagnostics()
        return fitted

    _measured: ClassVar[bool] = False  # whether the response has a unit

    def _clippable(self, data: Data, unit: Unit) -> Clippable:
        """Return the model to clip; `unit` is the unit of the response."""
        raise InputError(
            f"synthesizer={self!r}: the likelihood cannot be clipped here; allowed are {CLIPPED} (clipping ends the "
            "conjugacy that a Gibbs sampler needs)"
        )

    def _kinds(self, frame: pd.DataFrame, response: str, codes: Codes) -> Kinds | None:
        """Return the kinds of missing values of the response, or None.

        None if no value is missing, or if missing is a level of the model.
        """
        return Kinds.of(frame, response, codes)

    def _converged(self, data: Data, options: SamplerOptions, rng: RngLike) -> F:
        """Fit to records without missing responses; warn if the chains did not converge."""
        fitted = self._fit(data, options, rng)
        fitted.diagnostics()
        return fitted

    def _options(self, sampler: Mapping[str, Any]) -> SamplerOptions:
        """Return the options of the sampler, or raise if one is invalid."""
        return check_sampler(sampler_options(sampler), self, self._samplers)

    @abstractmethod
    def _fit(self, data: Data, options: SamplerOptions, rng: RngLike) -> F:
        """Sample the parameters and return the fit."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class FittedRegression(Fitted):
    """A fitted `Regression`.

    ``posterior["intercept"]`` and ``posterior["slopes"]`` refer to predictors in their own units.

    Parameters
    ----------
    design : Predictors
        The predictors, and their values for the confidential records.
    clipped : Clipped or None
        The clipping of the likelihood, if any.
    """

    scales: ClassVar[Mapping[str, str]] = {"intercept": REAL, "slopes": REAL}

    design: Predictors = field(repr=False)
    clipped: Clipped | None = field(default=None, repr=False, kw_only=True)

    @property
    def needs_records(self) -> bool:
        """True if the draw of a record uses its confidential values."""
        return self.uses_own_values

    def pseudo_log_likelihood(self) -> FloatArray:
        """Return the contributions to the log pseudo posterior, clipped if the fit was."""
        if self.clipped is None:
            return Fitted.pseudo_log_likelihood(self)
        return self.clipped.contributions(self.log_likelihood(), self.weights)

    def with_data(self, frame: pd.DataFrame) -> Self:
        """Return the fit with other, unweighted records in place of the confidential ones."""
        return replace(self, confidential=frame, weights=None, design=self.design.of(frame), clipped=None)

    def _predictor(self, frame: pd.DataFrame, draw: int) -> FloatArray:
        """Return the linear predictor of a frame under one draw, shape (n,) or (n, K)."""
        posterior = posterior_of(self)
        matrix = self.design.matrix if self._predictors_are_those_of(frame) else self.design.apply(frame)
        return np.asarray(posterior["intercept"][draw] + matrix @ posterior["slopes"][draw].T, dtype=np.float64)

    def _predictors_are_those_of(self, frame: pd.DataFrame) -> bool:
        """Return whether the predictors of a frame equal the confidential ones."""
        ours, names = self.confidential, self.design.formula.columns
        if frame is ours:
            return True
        return len(frame) == len(ours) and all(c in frame and frame[c].equals(ours[c]) for c in names)

    def _predictors(self, matrix: FloatArray | None = None) -> FloatArray:
        """Return the linear predictor under every draw, for the records or for a matrix.

        The shape is (draws, n), or (draws, K, n) with K linear predictors.
        """
        posterior = posterior_of(self)
        rows = self.design.matrix if matrix is None else matrix
        return np.asarray(posterior["intercept"][..., None] + posterior["slopes"] @ rows.T, dtype=np.float64)

    def draw(self, frame: pd.DataFrame, draw: int, rng: np.random.Generator) -> dict[str, pd.Series]:
        """Return synthetic values for the records of `frame` from one posterior draw."""
        values = self._values(self._predictor(frame, draw), draw, rng)
        return {self.synthesized[0]: self._column(values, frame.index)}

    @abstractmethod
    def _values(self, eta: FloatArray, draw: int, rng: np.random.Generator) -> Any:
        """Draw a response for each value of the linear predictor."""

    def _column(self, values: Any, index: pd.Index) -> pd.Series:
        """Return drawn values as a column."""
        return as_continuous(values, self.confidential[self.synthesized[0]], index)

    def _response(self) -> FloatArray:
        """Return the values of the response as numbers, shape (n,)."""
        column = self.synthesized[0]
        try:
            return _checks.as_float(self.confidential[column])
        except (TypeError, ValueError):  # the text of the error would show a value
            raise InputError(f"frame: column {column!r} must hold numbers, as when the model was fitted") from None


@dataclass(frozen=True, slots=True, eq=False)
class Likelihood:
    """Likelihood of records, merged if their predictors are equal.

    Parameters
    ----------
    at : callable
        Function of the linear predictor, as required by `posterior_mode`.
    data : mapping of str to ndarray
        The data of the log-likelihood in the sampler, in the order of its arguments.
    offset : float
        The number to add to the intercept.
    """

    at: Curvature
    data: Mapping[str, FloatArray]
    offset: float = 0.0


class LogConcave(Regression[F]):
    """Regression with normal priors and a log-concave likelihood.

    Equal rows of predictors are merged; the coefficients are written mode + A u, with u nearly standard normal.
    """

    _samplers = ("independence",)
    _kind: ClassVar[str]  # name of the compiled model
    _data: ClassVar[tuple[str, ...]]  # the names in `Likelihood.data`

    @abstractmethod
    def _likelihood(self, *sums: FloatArray) -> Likelihood:
        """Return the likelihood of merged records, from the sums of their statistics."""

    @staticmethod
    @abstractmethod
    def _term(math: Any, eta: Any, *data: Any) -> Any:
        """Return the log-likelihood of each merged record, up to a constant.

        `math` is ``pm.math`` or `NumpyMath`.
        """

    def _sample(
        self, data: Data, statistics: tuple[FloatArray, ...], options: SamplerOptions, rng: RngLike
    ) -> Posterior:
        """Sample the coefficients; sum `statistics` of records with equal predictors."""
        predictors, used = standardise(data.design.matrix, data.weights), data.record_weights > 0
        x, *sums = aggregate(predictors.matrix[used], *(values[used] for values in statistics))
        likelihood, sd = self._likelihood(*sums), prior_sd(x.shape[1])
        at = Whitening(*posterior_mode(x, likelihood.at, sd))
        sums = [likelihood.data[name] for name in self._data]
        eta, rotated = x @ at.mode, x @ at.spread

        def log_density(u: FloatArray) -> FloatArray:
            with np.errstate(over="ignore"):
                records = self._term(NumpyMath, eta + u @ rotated.T, *sums).sum(axis=1)
            return np.asarray(records - 0.5 * np.square(at.coefficients(u) / sd).sum(axis=1), dtype=np.float64)

        def nuts(options: SamplerOptions, rng: np.random.Generator) -> Chains:
            given = {**at.prior(sd), **at.predictor(x), **likelihood.data}
            return sample(self._kind, self._model, given, (at.size,), ["u"], options, rng)

        chains = sample_or_nuts(log_density, at.mode.size, len(x), options, rng, nuts)
        beta = at.coefficients(chains.values["u"])
        beta[..., 0] += likelihood.offset
        return data.posterior(predictors.raw(beta), chains)

    def _model(self, pm: Any, data: Mapping[str, FloatArray], shape: tuple[int, ...]) -> Any:
        with pm.Model() as model:
            eta = whitened_predictor(pm, data, whitened_prior(pm, data, shape))
            sums = [pm.Data(name, data[name]) for name in self._data]
            pm.Potential("likelihood", pm.math.sum(self._term(pm.math, eta, *sums)))
        return model


__all__ = ["Data", "FittedRegression", "Likelihood", "LogConcave", "Regression"]
