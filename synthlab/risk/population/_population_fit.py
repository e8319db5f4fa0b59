"""Models of the population counts of cells, fitted to weighted sample counts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from synthlab._format import count
from synthlab._formulas.log_linear import Model, fit_margins, read_terms
from synthlab._typing import FloatArray, IntArray
from synthlab._warnings import warn
from synthlab.exceptions import ConvergenceWarning, InputError

MAX_CELLS = 2**22  # maximum size of a table in memory
MAX_ITERATIONS, TOLERANCE = 1_000, 1e-5  # of proportional fitting; the tolerance is a share of the population
STEP, LOW, HIGH = 0.125, -64.0, 6.0  # trapezoidal rule of `expected_inverse`
CHUNK = 4_096
POISSON_LIMIT = 1e-4  # smaller overdispersion counts as 0


@dataclass(frozen=True, slots=True, eq=False)
class CellFit:
    """Fitted log-linear model of the population counts.

    expected : expected population count of each occupied cell, in order; overdispersion : variance of the gamma factor, 0 for
    Poisson; gap, gap_std_error : see `specification_gap`; model : label of the model.
    """

    expected: FloatArray
    overdispersion: float
    gap: float
    gap_std_error: float
    model: str


def fit_cells(codes: pd.DataFrame, counts: FloatArray, sums: FloatArray, model: Model | None, over: bool) -> CellFit:
    """Fit expected population counts to the sums of weights.

    codes : one row per record, with levels coded from 0; counts, sums : number of records and sum of weights of each occupied
    cell; model : None means equal expected counts in all cells.
    """
    shape = tuple(int(codes[c].max()) + 1 for c in codes)
    if (size := int(np.prod(shape, dtype=object))) > MAX_CELLS:
        raise InputError(
            f"variables: make a table of {count(size)} cells, but a model allows at most {count(MAX_CELLS)}; use fewer variables, "
            "group their values, or omit `model`"
        )
    at = np.ravel_multi_index([codes[c].to_numpy() for c in codes], shape)
    occupied = np.unique(at)
    observed, weighted = np.zeros(size), np.zeros(size)
    observed[occupied], weighted[occupied] = counts, sums
    if model is None:
        expected, label, converged = np.full(size, weighted.sum() / size), "equal expected counts", True
    else:
        terms = read_terms(codes.columns.to_list(), model)
        if not terms.hierarchical:
            raise InputError(
                f"model={terms.label!r}: has an interaction without its lower-order terms; join the variables by *"
            )
        possible = np.zeros(shape, dtype=bool)
        fitted, _, converged = fit_margins(weighted.reshape(shape), terms, possible, TOLERANCE, MAX_ITERATIONS)
        expected, label = fitted.ravel(), terms.label
    if not converged:
        warn(
            f"model={label!r}: has not converged in {MAX_ITERATIONS} iterations, so its estimates are reported as NaN; use a model with "
            "fewer interactions",
            ConvergenceWarning,
        )
        nothing = np.full(occupied.size, np.nan)
        return CellFit(nothing, np.nan, np.nan, np.nan, label)
    # The sampling fraction of an empty cell is unknown; use the fraction of the whole file.
    share = np.full(size, counts.sum() / sums.sum())
    share[occupied] = counts / sums
    overdispersion = _overdispersion(observed, share * expected) if over else 0.0
    gap = (np.nan, np.nan) if over else specification_gap(observed, expected, share)
    return CellFit(expected[occupied], overdispersion, *gap, label)


def _overdispersion(observed: FloatArray, mean: FloatArray) -> float:
    """Return the maximum-likelihood variance of the gamma factor, given the means."""
    from scipy.optimize import minimize_scalar
    from scipy.special import gammaln

    some = observed > 0
    f, mu, empty = observed[some], mean[some], mean[~some]

    def loss(log: float) -> float:
        a = np.exp(log)
        occupied = gammaln(f + 1 / a) - gammaln(1 / a) + f * np.log(a * mu) - (f + 1 / a) * np.log1p(a * mu)
        return float(np.log1p(a * empty).sum() / a - occupied.sum())

    found = minimize_scalar(loss, bounds=(np.log(POISSON_LIMIT), 8.0), method="bounded", options={"xatol": 1e-8})
    return float(np.exp(found.x)) if found.x > np.log(POISSON_LIMIT) + 1.0 else 0.0


def specification_gap(observed: FloatArray, expected: FloatArray, share: FloatArray) -> tuple[float, float]:
    r"""Return the estimated bias of the number of population uniques, and its standard error.

    Let :math:`\lambda` be the true expected count of cell k and :math:`\hat\lambda` the model's. The cell contributes
    :math:`\pi\lambda e^{-\pi\lambda}(e^{-(1-\pi)\hat\lambda} - e^{-(1-\pi)\lambda})` to the bias. The sum is expanded to
    second order in :math:`\lambda - \hat\lambda`. Here :math:`f - \pi\hat\lambda` estimates
    :math:`\pi (\lambda - \hat\lambda)`, and :math:`(f - \pi\hat\lambda)^2 - f` estimates
    :math:`\pi^2 (\lambda - \hat\lambda)^2`, which gives

    .. math:: \sum_k (1 - \pi) e^{-\hat\lambda} \Bigl\{ \hat\lambda (f - \pi\hat\lambda)
        + \frac{2 - (1 + \pi)\hat\lambda}{2\pi} [(f - \pi\hat\lambda)^2 - f] \Bigr\}.
    """
    mean = share * expected
    off = observed - mean
    rest = (1 - share) * np.exp(-expected)
    first, second = rest * expected, rest * (2 - (1 + share) * expected) / (2 * share)
    gap = float((first * off + second * (off**2 - observed)).sum())
    return gap, float(np.sqrt((first**2 * mean + 2 * second**2 * mean**2).sum()))


@dataclass(frozen=True, slots=True, eq=False)
class Others:
    """Distribution of the number of people of a cell who are not in the sample.

    It is Poisson or negative binomial, given the sample. counts : people of the cell in the sample; mean : expected number of
    people outside the sample; shape : shape of the negative binomial, infinite for Poisson. All have the same length.
    """

    counts: FloatArray
    mean: FloatArray
    shape: FloatArray

    @classmethod
    def by_weights(cls, counts: FloatArray, sums: FloatArray) -> Others:
        """Return the distribution from weights: sampling probability is count / sum."""
        return cls(counts, sums - counts, counts)

    @classmethod
    def by_model(cls, counts: FloatArray, sums: FloatArray, expected: FloatArray, overdispersion: float) -> Others:
        """Return the distribution with mean (1 - share) x `expected` and a gamma factor."""
        share = counts / sums
        if not overdispersion > 0:
            return cls(counts, (1 - share) * expected, np.full(counts.size, np.inf))
        shape = counts + 1 / overdispersion
        mean = shape * (1 - share) * expected / (1 / overdispersion + share * expected)
        return cls(counts, mean, shape)

    def _log_moment(self, s_minus_one: FloatArray) -> FloatArray:
        """Return log E(s^J), where J is the number outside the sample; one row per cell."""
        mean, shape = self.mean[:, None], self.shape[:, None]
        with np.errstate(invalid="ignore"):
            mixed = -shape * np.log1p(-mean / shape * s_minus_one)
        return np.where(np.isinf(shape), mean * s_minus_one, mixed)

    def probability_of_none(self) -> FloatArray:
        """Return Pr(N = n | n)."""
        return np.asarray(np.exp(self._log_moment(np.array([[-1.0]]))[:, 0]), dtype=np.float64)

    def expected_inverse(self) -> FloatArray:
        r"""Return E(1/N | n), :math:`\int_0^1 s^{n-1} E(s^J) ds`.

        The integral is computed with the trapezoidal rule in log(-log(s)).
        """
        found = np.empty(self.counts.size)
        for start in range(0, self.counts.size, CHUNK):
            part = slice(start, start + CHUNK)
            some = Others(self.counts[part], self.mean[part], self.shape[part])
            found[part] = integrated_inverse(some.counts, some._log_moment)
        return found


def integrated_inverse(counts: FloatArray, log_moment: Callable[[FloatArray], FloatArray]) -> FloatArray:
    """Return E(1/(n + J)) for each n in `counts`; log_moment : returns log E(s^J) for s - 1, one row per count."""
    nodes = np.exp(np.arange(LOW, HIGH, STEP))[None, :]  # -log(s)
    values = nodes * np.exp(log_moment(np.expm1(-nodes)) - counts[:, None] * nodes)
    return np.asarray(values.sum(axis=1) * STEP, dtype=np.float64)


def groups_of(codes: pd.DataFrame) -> tuple[IntArray, IntArray]:
    """Return the index of each record's occupied cell (in table order), and the cell sizes."""
    group = np.asarray(codes.groupby(list(codes), sort=True).ngroup(), dtype=np.int64)
    return group, np.bincount(group).astype(np.int64)
