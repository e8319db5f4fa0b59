"""The base of the regressions: a fit from a formula, the linear predictor, and the sampler of log-concave posteriors.

A regression is a specification, `Regression`, that says how to sample its coefficients, and a fit, `FittedRegression`,
that says how to draw from them and what they make of the confidential values. Where the likelihood is log-concave in
the linear predictor, `LogConcave` samples, and a likelihood, a link and a draw are all there is to write.
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
    ALLOWED,
    Clippable,
    Clipped,
    Unit,
    check_units,
    in_units,
    sample_clipped,
    why_local,
)
from synthlab.synthesizers._design import DesignMatrix as Predictors, make_design
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
from synthlab.synthesizers._pymc import Chains, SamplerOptions, sample, sampler_options
from synthlab.synthesizers._transforms import as_continuous
from synthlab.synthesizers.base import Fitted, check_fit, fit_under_design, posterior_of


@dataclass(frozen=True, slots=True, eq=False)
class Data:
    """The data of a regression, checked: the records, their weights, and the predictors."""

    frame: pd.DataFrame
    weights: FloatArray | None
    design: Predictors

    @property
    def response(self) -> str:
        """The variable that is modelled."""
        return self.design.formula.response

    @property
    def record_weights(self) -> FloatArray:
        """The weights, 1 for everybody where there are none, shape (n,)."""
        return np.ones(len(self.frame)) if self.weights is None else self.weights

    def where(self, rows: BoolArray) -> Data:
        """Return some of the records."""
        weights = None if self.weights is None else self.weights[rows]
        return Data(self.frame[rows], weights, self.design.where(rows))

    def walked(self, coefficients: tuple[FloatArray, FloatArray], **more: FloatArray) -> Posterior:
        """Return the draws of (intercept, slopes), and of more parameters, of a random walk."""
        values = dict(zip(("intercept", "slopes"), coefficients, strict=True)) | more
        return Posterior(values, {"slopes": self.design.names}, method="metropolis")

    def posterior(self, coefficients: tuple[FloatArray, FloatArray], chains: Chains, **more: FloatArray) -> Posterior:
        """Return the draws of (intercept, slopes), and of more parameters, as a posterior."""
        values = dict(zip(("intercept", "slopes"), coefficients, strict=True)) | more
        return Posterior(values, {"slopes": self.design.names}, chains.divergences)

    def fitted_with(
        self, posterior: Posterior
    ) -> tuple[pd.DataFrame, FloatArray | None, tuple[str, ...], Posterior, Predictors]:
        """Return the fields of a `FittedRegression` that follow the specification."""
        return self.frame, self.weights, (self.response,), posterior, self.design


F = TypeVar("F", bound="FittedRegression")


@dataclass(frozen=True)
class Regression(ABC, Generic[F]):
    """Synthesizer of one variable by a formula.

    Parameters
    ----------
    formula : str
        ``"response ~ predictors"``.

    Raises
    ------
    InputError
        If `formula` is no text with one response, one tilde and predictors.
    """

    formula: str

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
            The data as collected, with the variables of the formula.
        weights : array_like of shape (n,), optional
            Record weights >= 0; each multiplies the log-likelihood of its record, or what the class says of weights.
            None: 1 for everybody.
        design : SurveyDesign, optional
            The survey design of the records: its weights, normalised to n, multiply the log-likelihood too; see
            `fit_under_design`. None: the model of the sample.
        missing : {"keep", "raise"}
            "keep": missing values are a part of the data. A predictor of numbers has its median in their place, and an
            indicator; one of categories has a level more. A response with missing values has a model of which cells are
            there, given the same predictors, and the model of the value is fitted where there is one. "raise": an error.
        missing_codes : mapping of str to sequence of numbers, optional
            For columns of numbers, values that mean missing, such as ``{"income": [-8, -9]}``: each is a kind of missing of
            its own, kept as it is and never taken for a number.
        rng : int, Generator or None
            The same seed gives the same draws.
        **sampler
            draws=1000 kept in each chain, tune=500, chains=2, target_accept=0.9, sampler="nutpie" (or "pymc"),
            progress=False; others where the class says so.

        Returns
        -------
        FittedRegression
            The fit; its ``posterior`` holds the parameters that the class names, each of shape (draws, ...), the draws of
            all chains. Where the response has missing values, a fit in two parts, ``kind`` and ``value``.

        Raises
        ------
        InputError
            For a formula, response, weights or option that cannot be used; the message names it.
        MissingValueError
            If a variable of the formula has missing values, with ``missing="raise"``.
        FitError
            If the posterior cannot be located or sampled, for example as the predictors reproduce the response exactly.

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
        """Sample the posterior with what each record adds to its logarithm clipped to [-bound, bound].

        The part of a `PseudoPosteriorMechanism` with `clip` that a model does. The prior is that of the class in units that are
        declared, around 0 for the intercept, so that it does not change with the records; a density is that of the response in its declared unit, on the scale on
        which it is modelled. Sampled by a random walk, since a clipped likelihood has kinks.

        Parameters
        ----------
        confidential : DataFrame or Dataset, n rows
            Complete records.
        bound : float > 0 or None
            M; None: nothing is clipped.
        weights : array_like of shape (n,), optional
            Record weights >= 0; each multiplies the log-likelihood of its record before it is clipped.
        units : mapping of str to (center, scale), optional
            Public units of numeric predictors, by name, and of the response of a `NormalRegression` (after its transform);
            (0, 1) where there is none.
        rng : int, Generator or None
            The same seed gives the same draws.
        **sampler
            draws=1000 kept in each chain, thin=5 (steps a kept draw), tune=2000, chains=4.

        Returns
        -------
        FittedRegression
            Its `pseudo_log_likelihood` is clipped, its `log_likelihood` is not.

        Raises
        ------
        InputError
            If the model is none of those that can be clipped, an argument cannot be used, or the bound keeps nothing.
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
        data = Data(frame, checked, make_design(self.formula, frame))
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
        """Return the model with contributions that can be clipped; `unit` is that of the response."""
        raise InputError(
            f"synthesizer={self!r}: the likelihood cannot be clipped here; allowed are {ALLOWED} (clipping ends the "
            "conjugacy that a Gibbs sampler needs)"
        )

    def _kinds(self, frame: pd.DataFrame, response: str, codes: Codes) -> Kinds | None:
        """Return the kinds of the cells of the response; None where all are there, or missing is a level of the model."""
        return Kinds.of(frame, response, codes)

    def _converged(self, data: Data, options: SamplerOptions, rng: RngLike) -> F:
        """Fit to records of which all have the response, and warn where the chains did not converge."""
        fitted = self._fit(data, options, rng)
        fitted.diagnostics()
        return fitted

    def _options(self, sampler: Mapping[str, Any]) -> SamplerOptions:
        """Return the options of the sampler, checked."""
        return sampler_options(sampler)

    @abstractmethod
    def _fit(self, data: Data, options: SamplerOptions, rng: RngLike) -> F:
        """Read the response, sample the parameters, and return the fit."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class FittedRegression(Fitted):
    """A fitted `Regression`: ``posterior["intercept"]`` and ``["slopes"]`` are for predictors in their own units.

    Parameters
    ----------
    design : Predictors
        The predictors, and their values for the confidential records.
    clipped : Clipped or None
        How the likelihood of the fit was clipped, where it was.
    """

    scales: ClassVar[Mapping[str, str]] = {"intercept": REAL, "slopes": REAL}

    design: Predictors = field(repr=False)
    clipped: Clipped | None = field(default=None, repr=False, kw_only=True)

    def pseudo_log_likelihood(self) -> FloatArray:
        """Return what each record adds to the log of the pseudo posterior, clipped where the likelihood was."""
        if self.clipped is None:
            return Fitted.pseudo_log_likelihood(self)
        return self.clipped.contributions(self.log_likelihood(), self.weights)

    def with_data(self, frame: pd.DataFrame) -> Self:
        """Return the same draws with the records of another frame in place of the confidential ones, unweighted."""
        return replace(self, confidential=frame, weights=None, design=self.design.of(frame), clipped=None)

    def _predictor(self, frame: pd.DataFrame, draw: int) -> FloatArray:
        """Return the linear predictor of the records of a frame under one draw, shape (n,), or (n, K) with K of them."""
        posterior = posterior_of(self)
        matrix = self.design.matrix if self._predictors_are_those_of(frame) else self.design.apply(frame)
        return np.asarray(posterior["intercept"][draw] + matrix @ posterior["slopes"][draw].T, dtype=np.float64)

    def _predictors_are_those_of(self, frame: pd.DataFrame) -> bool:
        """Return whether the predictors of a frame are the confidential ones, whose values are known."""
        ours, names = self.confidential, self.design.formula.columns
        if frame is ours:
            return True
        return len(frame) == len(ours) and all(c in frame and frame[c].equals(ours[c]) for c in names)

    def _predictors(self, matrix: FloatArray | None = None) -> FloatArray:
        """Return the linear predictor of the confidential records, or of rows of a design, under every draw.

        The shape is (draws, n), or (draws, K, n) with K of them.
        """
        posterior = posterior_of(self)
        rows = self.design.matrix if matrix is None else matrix
        return np.asarray(posterior["intercept"][..., None] + posterior["slopes"] @ rows.T, dtype=np.float64)

    def draw(self, frame: pd.DataFrame, draw: int, rng: np.random.Generator) -> dict[str, pd.Series]:
        """Return synthetic values for the records of `frame`, from one posterior draw."""
        values = self._values(self._predictor(frame, draw), draw, rng)
        return {self.synthesized[0]: self._column(values, frame.index)}

    @abstractmethod
    def _values(self, eta: FloatArray, draw: int, rng: np.random.Generator) -> Any:
        """Draw a response for each linear predictor."""

    def _column(self, values: Any, index: pd.Index) -> pd.Series:
        """Return drawn values as a column."""
        return as_continuous(values, self.confidential[self.synthesized[0]], index)

    def _response(self) -> FloatArray:
        """Return the values of the response as numbers, shape (n,)."""
        column = self.synthesized[0]
        try:
            return _checks.as_float(self.confidential[column])
        except (TypeError, ValueError):  # whose text would show a value
            raise InputError(f"frame: column {column!r} must hold numbers, as when the model was fitted") from None


@dataclass(frozen=True, slots=True, eq=False)
class Likelihood:
    """The likelihood of records of which those with equal predictors are merged.

    Parameters
    ----------
    at : callable
        Of the linear predictor, as `posterior_mode` asks for it.
    data : mapping of str to ndarray
        The data of the log-likelihood in the sampler, in the order of its arguments.
    offset : float
        The number to add to the intercept.
    """

    at: Curvature
    data: Mapping[str, FloatArray]
    offset: float = 0.0


class LogConcave(Regression[F]):
    """A regression with normal priors whose likelihood is log-concave in the linear predictor.

    Equal rows of predictors are merged; the coefficients are written mode + A u, with u nearly standard normal.
    """

    _kind: ClassVar[str]  # under this name the model is compiled
    _data: ClassVar[tuple[str, ...]]  # the names in `Likelihood.data`

    @abstractmethod
    def _likelihood(self, *sums: FloatArray) -> Likelihood:
        """Return the likelihood of merged records, from the sums of their statistics."""

    @staticmethod
    @abstractmethod
    def _term(math: Any, eta: Any, *data: Any) -> Any:
        """Return the log-likelihood of each merged record in the language of PyMC, up to a constant."""

    def _sample(
        self, data: Data, statistics: tuple[FloatArray, ...], options: SamplerOptions, rng: RngLike
    ) -> Posterior:
        """Sample the coefficients; `statistics` of the records, of shape (n,), are summed where predictors are equal."""
        predictors, used = standardise(data.design.matrix, data.weights), data.record_weights > 0
        x, *sums = aggregate(predictors.matrix[used], *(values[used] for values in statistics))
        likelihood, sd = self._likelihood(*sums), prior_sd(x.shape[1])
        at = Whitening(*posterior_mode(x, likelihood.at, sd))
        given = {**at.prior(sd), **at.predictor(x), **likelihood.data}
        chains = sample(self._kind, self._model, given, (at.size,), ["u"], options, rng)
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
