"""The two multinomial regressions of the youths: facility given the answers, race given the answers and the facility.

Both are fitted on columns that are the same for the agency and for the intruder, so that coefficients of different
fits mean the same. Tiny facilities have no maximum-likelihood estimate: coefficients of standardised columns have the
prior N(0, 1 / precision), or the fit is stopped after so many iterations. The posterior is taken as normal around its
mode, as in the paper; the prior in its covariance may be another than that at the mode.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from replications.intruder.early_stopped_multinomial import stopped_mode
from synthlab import _rng
from synthlab._typing import FloatArray, IntArray, RngLike
from synthlab.exceptions import InputError
from synthlab.r.nnet import multinom
from synthlab.synthesizers._multinomial import hessian, log_softmax, posterior_mode, table

FACILITY, RACE = "facility", "race"
INTERCEPT_SD = 5.0


@dataclass(frozen=True, slots=True, eq=False)
class Predictors:
    """The predictors of both regressions: unsynthesized answers, the same in every dataset.

    matrix : (n, 1 + p) ones and standardised columns; facilities, races : the levels; indicators : (K, k) those of the
    facilities.
    """

    matrix: FloatArray
    facilities: pd.Index
    races: pd.Index
    indicators: FloatArray

    def with_facility(self, codes: IntArray, rows: Any = slice(None)) -> FloatArray:
        """Return the matrix with indicators of the facility."""
        return np.hstack([self.matrix[rows], self.indicators[codes]])


def indicators(k: int) -> FloatArray:
    """Return the standardised indicator columns of k equally frequent levels, (k, k)."""
    return np.asarray((np.eye(k) - 1 / k) / np.sqrt((1 - 1 / k) / k))


@dataclass(frozen=True, slots=True, eq=False)
class Normal:
    """Normal distribution of the coefficients of one regression, shape (K, p).

    mode; the covariance by the Cholesky `factor` of its inverse, or by its own `root`, (size of the last levels, rank);
    stopped : whether the fit was stopped before it found the mode.
    """

    mode: FloatArray
    factor: FloatArray | None
    root: FloatArray | None = None
    stopped: bool = False

    def deviations(self, draws: int, rng: np.random.Generator) -> FloatArray:
        """Draw deviations from the mode, shape (draws, K, p)."""
        from scipy.linalg import solve_triangular

        if self.root is not None:
            deviations = self.root @ rng.standard_normal((self.root.shape[1], draws))
            return np.pad(deviations, ((self.mode.size - len(deviations), 0), (0, 0))).T.reshape(
                draws, *self.mode.shape
            )
        z = rng.standard_normal((self.mode.size, draws))
        return np.asarray(solve_triangular(self.factor, z, lower=True, trans=1).T.reshape(draws, *self.mode.shape))


@dataclass(frozen=True, slots=True, eq=False)
class YouthModel:
    """Specification of the two regressions.

    Parameters
    ----------
    predictors : Predictors
    precision : float
        Of the prior of the coefficients, at the mode; 0: none, which needs `iterations`.
    covariance_precision : float, optional
        Of the prior in the covariance; by default as at the mode. 0: none; the covariance is then the generalised inverse
        of the information, as nnet's vcov takes it.
    iterations : int, optional
        The fit is that of `stopped_mode` after so many iterations, which `FittedYouths.stopped` says; by default the mode.
    program : {"synthlab", "nnet"}
        What fits where the fit is stopped.
    fits : dict
        Fits to datasets seen before: the agency's table evaluates the same datasets in several ways.
    """

    predictors: Predictors
    precision: float
    covariance_precision: float | None = None
    iterations: int | None = None
    program: str = "synthlab"
    fits: dict[bytes, FittedYouths] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.iterations is None and self.precision <= 0:
            raise InputError("precision: must be > 0, unless the fit is stopped after so many iterations")

    def fit(self, frame: pd.DataFrame, *, weights: object = None, rng: RngLike = None) -> FittedYouths:
        """Find the posterior of both regressions; records of weight 0 only say that a category exists."""
        used = np.ones(len(frame), dtype=bool) if weights is None else np.asarray(weights) > 0
        x = self.predictors
        facility, race = (levels.get_indexer(pd.Index(frame[c][used])) for c, levels in _levels(x))
        key = np.stack([facility, race]).tobytes()
        if key not in self.fits:
            parts = [
                self.regression(x.matrix, facility, len(x.facilities)),
                self.regression(x.with_facility(facility), race, len(x.races)),
            ]
            self.fits[key] = FittedYouths(self, tuple(parts), None)
        return self.fits[key]

    def regression(self, matrix: FloatArray, codes: IntArray, levels: int) -> Normal:
        """Return the normal approximation of the posterior of one multinomial regression."""
        rows, counts = table(matrix, codes, levels, None)
        if self.iterations is None:
            mode, factor = posterior_mode(rows, counts, _prior_sd(self.precision, rows.shape[1]))
            if self.covariance_precision is None:
                return Normal(mode, factor)
            stopped = False
        elif self.program == "nnet":
            fit = multinom(rows, counts, self.iterations, self.precision / 2)
            mode, stopped = fit.coefficients, fit.stopped
        else:
            mode, stopped = stopped_mode(rows, counts, self.iterations, self.precision / 2)
        precision = self.precision if self.covariance_precision is None else self.covariance_precision
        information = hessian(rows, counts.sum(axis=1, keepdims=True), mode, _prior_sd(precision, rows.shape[1]))
        if precision > 0:
            return Normal(mode, np.asarray(np.linalg.cholesky(information)), stopped=stopped)
        return Normal(mode, None, covariance_root(information[rows.shape[1] :, rows.shape[1] :]), stopped)


def _prior_sd(precision: float, columns: int) -> FloatArray:
    """Return the standard deviations of the prior of the intercept and of the other coefficients."""
    if precision == 0:
        return np.full(columns, np.inf)
    return np.concatenate([[INTERCEPT_SD], np.full(columns - 1, precision**-0.5)])


def covariance_root(information: FloatArray) -> FloatArray:
    """Return a root of the generalised inverse: directions of next to no information have no variance, as in nnet's vcov."""
    from scipy.linalg import eigh

    values, vectors = eigh(information)
    told = values > np.sqrt(np.finfo(np.float64).eps) * values[-1]
    return np.asarray(vectors[:, told] / np.sqrt(values[told]))


@dataclass(frozen=True, slots=True, eq=False)
class FittedYouths:
    """Both regressions fitted: `normals` their posteriors, `draws` the coefficients to simulate with, if any."""

    specification: YouthModel
    normals: tuple[Normal, ...]
    draws: tuple[FloatArray, ...] | None
    synthesized: tuple[str, ...] = (FACILITY, RACE)
    has_probabilities: bool = True
    records_independent: bool = True

    @property
    def stopped(self) -> int:
        """Number of regressions whose fit was stopped before it was done."""
        return sum(normal.stopped for normal in self.normals)

    @property
    def n_draws(self) -> int:
        """Number of draws of the coefficients."""
        return 0 if self.draws is None else len(self.draws[0])

    def pooled(
        self, others: Sequence[FittedYouths] = (), *, draws: int | None = None, rng: RngLike = None
    ) -> FittedYouths:
        """Combine with the fits to the other datasets: coefficients at their mean, or drawn from N(mean, T)."""
        stream = _rng.as_generator(rng)
        fits = [self, *others]
        parts = [_pool([fit.normals[part] for fit in fits], draws, stream) for part in range(len(self.normals))]
        return replace(self, draws=tuple(parts))

    def draw(self, frame: pd.DataFrame, draw: int, rng: np.random.Generator) -> dict[str, pd.Series]:
        """Return facilities, and races given these facilities."""
        x = self.specification.predictors
        rows = frame.index.to_numpy()
        facility = _draw(self._log_facility(draw, rows), rng)
        race = _draw(log_softmax(x.with_facility(facility, rows) @ self._beta(1, draw).T), rng)
        values = zip(_levels(x), (facility, race), strict=True)
        return {
            column: pd.Series(pd.Categorical.from_codes(codes, categories=levels), index=frame.index)
            for (column, levels), codes in values
        }

    def probability_of(self, frame: pd.DataFrame, values: pd.DataFrame, draw: int) -> FloatArray:
        """Return Pr(record i gets facility and race of row g), shape (n, g)."""
        x = self.specification.predictors
        rows = frame.index.to_numpy()
        facility, race = (levels.get_indexer(pd.Index(values[c])) for c, levels in _levels(x))
        result = np.exp(self._log_facility(draw, rows))[:, facility]
        for code in np.unique(facility):
            same = np.full(rows.size, code)
            share = np.exp(log_softmax(x.with_facility(same, rows) @ self._beta(1, draw).T))
            result[:, facility == code] *= share[:, race[facility == code]]
        return result

    def _beta(self, part: int, draw: int) -> FloatArray:
        if self.draws is None:
            raise InputError("models: a fit has to be pooled, alone or with others, before it is simulated from")
        return np.asarray(self.draws[part][draw])

    def _log_facility(self, draw: int, rows: IntArray) -> FloatArray:
        return log_softmax(self.specification.predictors.matrix[rows] @ self._beta(0, draw).T)


def _pool(normals: Sequence[Normal], draws: int | None, rng: np.random.Generator) -> FloatArray:
    """Return the mean of the modes, or draws around it with covariance mean(Sigma) + B / m."""
    modes = np.stack([normal.mode for normal in normals])
    center, m = modes.mean(axis=0), len(modes)
    if draws is None:
        return np.asarray(center[None])
    chosen = rng.integers(m, size=draws)
    result = np.empty((draws, *center.shape))
    for number, normal in enumerate(normals):
        here = chosen == number
        result[here] = normal.deviations(int(here.sum()), rng)
    if m > 1:
        between = rng.standard_normal((draws, m)) / np.sqrt(m * (m - 1))
        result += np.tensordot(between, modes - center, axes=1)
    return np.asarray(center + result)


def _draw(log_probability: FloatArray, rng: np.random.Generator) -> IntArray:
    edges = np.cumsum(np.exp(log_probability), axis=1)
    place = (edges <= rng.random((len(edges), 1)) * edges[:, -1:]).sum(axis=1)
    return np.asarray(np.minimum(place, edges.shape[1] - 1))


def _levels(x: Predictors) -> list[tuple[str, pd.Index]]:
    return [(FACILITY, x.facilities), (RACE, x.races)]
