"""Expected population counts of the cells of a table from weighted sample counts, and what the sample says of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from synthlab._format import count
from synthlab._formulas.log_linear import Model, fit_margins, read_terms
from synthlab._typing import FloatArray, IntArray
from synthlab._warnings import warn
from synthlab.exceptions import ConvergenceWarning, InputError

MAX_CELLS = 2**22  # a table of these is written down
MAX_ITERATIONS, TOLERANCE = 1_000, 1e-5  # of proportional fitting, in shares of the population
STEP, LOW, HIGH = 0.125, -64.0, 6.0  # trapezoidal rule of `expected_inverse`
CHUNK = 4_096
POISSON_LIMIT = 1e-4  # an overdispersion below it is none


@dataclass(frozen=True, slots=True, eq=False)
class CellFit:
    """A log-linear model of the population: of each occupied cell in order, then of all cells together.

    expected : expected population count of each occupied cell; overdispersion : variance of the gamma factor, 0 for none;
    gap, gap_std_error : `specification_gap`; model : its words.
    """

    expected: FloatArray
    overdispersion: float
    gap: float
    gap_std_error: float
    model: str


def fit_cells(codes: pd.DataFrame, counts: FloatArray, sums: FloatArray, model: Model | None, over: bool) -> CellFit:
    """Fit expected population counts to the sums of weights; `model` None: all cells have the same.

    codes : one row a record, the levels as numbers from 0; counts, sums : records and weights of each occupied cell.
    """
    shape = tuple(int(codes[c].max()) + 1 for c in codes)
    if (size := int(np.prod(shape, dtype=object))) > MAX_CELLS:
        raise InputError(
            f"variables: make a table of {count(size)} cells, a model takes {count(MAX_CELLS)} at most; name fewer variables, "
            "group their values, or leave out model"
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
                f"model={terms.label!r}: has an interaction without the terms it contains; join the variables by *"
            )
        possible = np.zeros(shape, dtype=bool)
        fitted, _, converged = fit_margins(weighted.reshape(shape), terms, possible, TOLERANCE, MAX_ITERATIONS)
        expected, label = fitted.ravel(), terms.label
    if not converged:
        warn(
            f"model={label!r}: has not converged in {MAX_ITERATIONS} iterations, so nothing of the population follows from it; reported as "
            "NaN. A model with fewer interactions has no such margins",
            ConvergenceWarning,
            stacklevel=3,
        )
        nothing = np.full(occupied.size, np.nan)
        return CellFit(nothing, np.nan, np.nan, np.nan, label)
    # No weight of an empty cell is known: it is sampled as the whole file is.
    share = np.full(size, counts.sum() / sums.sum())
    share[occupied] = counts / sums
    overdispersion = _overdispersion(observed, share * expected) if over else 0.0
    gap = (np.nan, np.nan) if over else specification_gap(observed, expected, share)
    return CellFit(expected[occupied], overdispersion, *gap, label)


def _overdispersion(observed: FloatArray, mean: FloatArray) -> float:
    """Return the negative binomial's variance of the gamma factor that makes the counts likeliest, given their means."""
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
    r"""Return how far the expected number of population uniques is above the truth by the sample, and its standard error.

    Where the expected count is :math:`\lambda` and the model says :math:`\hat\lambda`, cell k adds
    :math:`\pi\lambda e^{-\pi\lambda}(e^{-(1-\pi)\hat\lambda} - e^{-(1-\pi)\lambda})`. To the second order in
    :math:`\lambda - \hat\lambda`, which :math:`f - \pi\hat\lambda` estimates times :math:`\pi` and
    :math:`(f - \pi\hat\lambda)^2 - f` squared times :math:`\pi^2`, the sum is

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
    """The people of a cell who are not in the sample, given those who are: Poisson, or negative binomial.

    counts : people of the cell in the sample; mean : expected number of the others; shape : of the negative binomial, infinite
    for Poisson. All of one length.
    """

    counts: FloatArray
    mean: FloatArray
    shape: FloatArray

    @classmethod
    def by_weights(cls, counts: FloatArray, sums: FloatArray) -> Others:
        """Return them where the cell's weights alone are known: each person is in the sample with chance count / sum."""
        return cls(counts, sums - counts, counts)

    @classmethod
    def by_model(cls, counts: FloatArray, sums: FloatArray, expected: FloatArray, overdispersion: float) -> Others:
        """Return them where their expected number is (1 - share) x `expected`, times a gamma factor with overdispersion."""
        share = counts / sums
        if not overdispersion > 0:
            return cls(counts, (1 - share) * expected, np.full(counts.size, np.inf))
        shape = counts + 1 / overdispersion
        mean = shape * (1 - share) * expected / (1 / overdispersion + share * expected)
        return cls(counts, mean, shape)

    def _log_moment(self, s_minus_one: FloatArray) -> FloatArray:
        """Return log E(s^J), J the number of the others; one row a cell."""
        mean, shape = self.mean[:, None], self.shape[:, None]
        with np.errstate(invalid="ignore"):
            mixed = -shape * np.log1p(-mean / shape * s_minus_one)
        return np.where(np.isinf(shape), mean * s_minus_one, mixed)

    def probability_of_none(self) -> FloatArray:
        """Return Pr(N = n | n)."""
        return np.asarray(np.exp(self._log_moment(np.array([[-1.0]]))[:, 0]), dtype=np.float64)

    def expected_inverse(self) -> FloatArray:
        r"""Return E(1/N | n), :math:`\int_0^1 s^{n-1} E(s^J) ds`, by the trapezoidal rule in log(-log(s))."""
        nodes = np.exp(np.arange(LOW, HIGH, STEP))[None, :]  # -log(s)
        found = np.empty(self.counts.size)
        for start in range(0, self.counts.size, CHUNK):
            part = slice(start, start + CHUNK)
            some = Others(self.counts[part], self.mean[part], self.shape[part])
            found[part] = (nodes * np.exp(some._log_moment(np.expm1(-nodes)) - some.counts[:, None] * nodes)).sum(
                axis=1
            )
        return found * STEP


def groups_of(codes: pd.DataFrame) -> tuple[IntArray, IntArray]:
    """Return the number of each record's cell among the occupied ones, in the order of a table, and their sizes."""
    group = np.asarray(codes.groupby(list(codes), sort=True).ngroup(), dtype=np.int64)
    return group, np.bincount(group).astype(np.int64)
