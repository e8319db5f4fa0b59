"""Probability that a synthetic marginal count is close to the true count."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from scipy import special

from synthlab import _checks
from synthlab._result import Result
from synthlab._warnings import warn
from synthlab.counts._convolution import grid_for, probability_between, summands, zeros
from synthlab.counts._family import CountFamily
from synthlab.counts._pseudocounts import check_pseudocount, warn_of_pseudocount
from synthlab.counts.a_priori_loss import moments_of_empty
from synthlab.counts.negative_binomial import NBI
from synthlab.counts.poisson import Poisson
from synthlab.counts.poisson_inverse_gaussian import PIG
from synthlab.counts.structural_zeros import StructuralZeros, structural_cells
from synthlab.counts.table import Table, check_table
from synthlab.exceptions import ApproximationWarning

SKEWED = 0.1  # skewness above which the normal approximation is wrong in the second digit


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class TotalWithinResult(Result):
    """Probability ``P(|n_syn - n| < d)`` for a marginal count.

    Parameters
    ----------
    probability : float
        The probability.
    method : str
        Method of computation: "Poisson", "NBI" or "PIG" if the sum has this distribution, "constant" if nothing varies,
        "convolution" for other exact sums, and "normal" (with exact mean and variance) if the exact sum would take too
        much work.
    approximation : float
        Approximation of the paper, ``2 Phi(d / sqrt(sum of nominal variances)) - 1`` over the occupied cells.
    n, d : float
        True count and distance.
    mean, sd : float
        Exact mean and standard deviation of the synthetic count.
    label : str
        Name and parameters of the family.
    """

    _table: ClassVar[str] = ""

    probability: float
    method: str
    approximation: float
    n: int
    d: float
    mean: float
    sd: float
    label: str

    @property
    def title(self) -> str:
        """Description of the probability."""
        return (
            f"P(|n_syn - {self.n:,}| < {self.d:g}) = {self.probability:.4f} under {self.label} ({self.method}); n_syn has mean "
            f"{self.mean:,.1f} and standard deviation {self.sd:,.1f}"
        )

    def to_frame(self) -> pd.DataFrame:
        """Return the result as one row."""
        names = ("label", "n", "d", "mean", "sd", "probability", "method", "approximation")
        return pd.DataFrame({name: [getattr(self, name)] for name in names})


def total_within(
    table: Table,
    family: CountFamily,
    d: float,
    *,
    where: Mapping[str, Any] | None = None,
    pseudocount: float = 0.01,
    zeros_to_ones: float = 0.0,
    structural_zeros: StructuralZeros = None,
) -> TotalWithinResult:
    """Return the probability that a synthetic marginal count differs by less than d.

    Equations: Jackson, Mitra, Francis & Dove (grand total)

    Parameters
    ----------
    table : Table
        The confidential table.
    family : CountFamily
        Distribution of the counts, without means.
    d : float
        Distance from the true count, > 0.
    where : mapping, optional
        Levels that define the margin, such as ``{"SEX": "F", "AGE": [5, 6]}``. By default, the grand total.
    pseudocount, zeros_to_ones, structural_zeros : optional
        As in `synthesize_table`.

    Returns
    -------
    TotalWithinResult
        The probability and the method of computation.

    Raises
    ------
    InputError
        An argument is out of range, or `where` names a level that is not in the table.

    Warns
    -----
    PseudocountWarning
        The pseudocount has almost no effect.
    ApproximationWarning
        The distribution of a skewed sum is approximated by the normal distribution.

    Notes
    -----
    See Jackson, Mitra, Francis and Dove, section 3.4.3; the last formula of the paper lacks the ``- 1`` of
    `approximation`.

    A sum of Poisson counts is Poisson. A sum of NBI or PIG counts is NBI or PIG if all cells of the margin have the
    same mean. Other sums are computed exactly from the product of the characteristic functions (to about 1e-10). If
    this takes too much work (counts in the tens of thousands whose noise increases with the count), the normal
    approximation with continuity correction is used.

    The mean of the synthetic count is exact. Rounding and the pseudocount make synthetic totals biased, which the paper
    neglects. The normal approximation would fail if a pseudocount with nu <= 0 makes a few empty cells large: these
    cells cause most of the variance, but most tables have no such cell.

    Examples
    --------
    >>> import synthlab.counts as slc
    >>> table = slc.Table.from_counts([0, 1, 10, 100], {"age": [5, 6, 7, 8]})
    >>> slc.total_within(table, slc.Poisson(), 10, pseudocount=0).method
    'Poisson'
    >>> round(slc.total_within(table, slc.NBI(sigma=0.1), 10, where={"age": [6, 7, 8]}).probability, 4)
    0.2224
    """
    check_table(table, "table")
    d = _checks.check_number(d, "d", low=0.0, open_low=True)
    structural = structural_cells(table, structural_zeros)
    zeros_to_ones = _checks.check_probability(zeros_to_ones, "zeros_to_ones")
    pseudocount = check_pseudocount(family, pseudocount)
    rules = {} if where is None else where
    inside, wanted = table.select(rules), table.level_positions(rules)
    n_margin = int(np.prod([len(wanted.get(i, range(s))) for i, s in enumerate(table.shape)], dtype=np.int64))
    n_structural = int(_in_margin(table, structural, wanted).sum())
    n_empty = n_margin - int(inside.sum()) - n_structural
    warn_of_pseudocount(family, pseudocount, n_empty, zeros_to_ones)

    counts = table.counts[inside]
    n = int(counts.sum())
    sizes, cells = np.unique(counts, return_counts=True)
    occupied = family.at(sizes) if sizes.size else None
    nominal = float(cells @ occupied.nominal_var) if occupied is not None else 0.0
    mean_empty, second_empty = moments_of_empty(family, pseudocount, zeros_to_ones)
    mean = n_empty * mean_empty + (float(cells @ occupied.mean) if occupied is not None else 0.0)
    var = n_empty * (second_empty - mean_empty**2) + (float(cells @ occupied.var) if occupied is not None else 0.0)
    low, high = np.floor(n - d) + 1.0, np.ceil(n + d) - 1.0  # range of whole numbers with a distance below d
    takes_mean = pseudocount > 0 or family.takes_zero
    means, number = sizes.astype(np.float64), cells
    if n_empty and takes_mean:
        means, number = np.append(means, pseudocount), np.append(number, n_empty)
    coin = bool(n_empty and zeros_to_ones)
    closed = None if coin else _closed_sum(family, means, number)
    if not means.size and not coin:
        probability, method = 1.0, "constant"
    elif closed is not None:
        probability, method = float(closed.cdf(high) - closed.cdf(low - 1.0)), type(closed).__name__
    else:
        grid = grid_for(low, high, mean, np.sqrt(var))
        parts = None if grid is None else summands(family, means, number, grid / 2.0)
        if grid is None or parts is None:
            probability, method = _normal(mean, var, low, high), "normal"
            _warn_of_skewness(family, means, number, var)
        else:
            if coin:
                empty = parts.pop() if takes_mean else zeros(n_empty)
                parts.append(empty.with_ones(zeros_to_ones))
            probability, method = probability_between(parts, low, high, grid), "convolution"
    approximation = float(2.0 * special.ndtr(d / np.sqrt(nominal)) - 1.0) if nominal > 0 else 1.0
    return TotalWithinResult(probability, method, approximation, n, d, mean, float(np.sqrt(var)), family.label)


def _in_margin(table: Table, cells: Any, wanted: dict[int, list[int]]) -> Any:
    codes = np.unravel_index(cells, table.shape)
    inside = np.ones(cells.size, dtype=bool)
    for axis, positions in wanted.items():
        inside &= np.isin(codes[axis], positions)
    return inside


def _closed_sum(family: CountFamily, means: Any, number: Any) -> CountFamily | None:
    """Return the distribution of the sum if it belongs to a family, else None."""
    if not means.size:
        return None
    total = float(means @ number)
    if isinstance(family, Poisson):
        return Poisson(total)
    if isinstance(family, NBI | PIG) and means.size == 1 and np.ndim(family.sigma) == 0:
        return type(family)(total, float(family.sigma) / float(number[0]))
    return None


def _normal(mean: float, var: float, low: float, high: float) -> float:
    z = (np.array([high + 0.5, low - 0.5]) - mean) / np.sqrt(var)
    return float(special.ndtr(z[0]) - special.ndtr(z[1]))


def _warn_of_skewness(family: CountFamily, means: Any, number: Any, var: float) -> None:
    """Warn if the sum is too skewed for the normal approximation."""
    at_means = family.at(means)
    # Third cumulant of a gamma with this mean and variance; the other families have similar values.
    skewness = float(number @ (2.0 * np.asarray(at_means.var) ** 2 / np.asarray(at_means.mean))) / var**1.5
    if skewness > SKEWED:
        warn(
            f"total under {family.label}: the exact sum would take too much work, so a sum of skewness {skewness:.2g} is "
            "approximated by the normal distribution; the probability is only a rough value",
            ApproximationWarning,
        )
