"""Expected squared loss of synthetic counts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._result import Result
from synthlab._system import size_limits
from synthlab.counts._family import CountFamily
from synthlab.counts._pseudocounts import check_pseudocount, warn_of_pseudocount
from synthlab.counts.structural_zeros import StructuralZeros, empty_cells, structural_cells
from synthlab.counts.table import Table, check_table


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LossResult(Result):
    """Expected squared loss of the mean of m synthetic tables.

    Parameters
    ----------
    label : str
        Name and parameters of the family.
    m : int
        Number of synthetic tables that are averaged.
    n_cells : int
        Number of cells.
    approximation : float
        Sum of the nominal variances over the occupied cells, divided by m: L1 in the paper.
    variance : float
        Sum of the exact variances over the occupied cells, divided by m.
    squared_bias : float
        Sum over the occupied cells of (mean of the synthetic count - count)^2, which does not depend on m.
    empty : float
        Expected squared loss of the empty cells.
    """

    label: str
    m: int
    n_cells: int
    approximation: float
    variance: float
    squared_bias: float
    empty: float

    @property
    def title(self) -> str:
        """Description of the expected loss."""
        return (
            f"expected squared loss of the mean of m = {self.m} tables under {self.label}: occupied cells {self.occupied:,.1f} "
            f"(approximation {self.approximation:,.1f}), empty cells {self.empty:,.1f}"
        )

    @property
    def occupied(self) -> float:
        """Exact expected loss of the occupied cells: variance plus squared bias."""
        return self.variance + self.squared_bias

    @property
    def exact(self) -> float:
        """Exact expected loss of all cells."""
        return self.occupied + self.empty

    def to_frame(self) -> pd.DataFrame:
        """Return the components of the loss as one row."""
        names = ("label", "m", "approximation", "variance", "squared_bias", "occupied", "empty", "exact")
        return pd.DataFrame({name: [getattr(self, name)] for name in names})


def expected_loss(
    table: Table,
    family: CountFamily,
    *,
    m: int = 1,
    pseudocount: float = 0.01,
    zeros_to_ones: float = 0.0,
    structural_zeros: StructuralZeros = None,
) -> LossResult:
    """Return the expected squared loss of a saturated synthesis.

    Equations: Jackson, Mitra, Francis & Dove (L1)

    Parameters
    ----------
    table : Table
        The confidential table.
    family : CountFamily
        Distribution of the counts, without means.
    m : int, default 1
        Number of synthetic tables that are averaged.
    pseudocount, zeros_to_ones, structural_zeros : optional
        As in `synthesize_table`.

    Returns
    -------
    LossResult
        The approximation of the paper, the exact loss of the occupied cells, and the exact loss of the empty cells,
        which the paper does not include.

    Raises
    ------
    InputError
        An argument is out of range, or `family` already has means.

    Warns
    -----
    PseudocountWarning
        The pseudocount has almost no effect.

    Notes
    -----
    The approximation is that of Jackson, Mitra, Francis and Dove, section 3.4.2: ``L1 ~ sum_k sigma^2 f_k^nu / m`` over
    f_k > 0. The exact loss is the variance of the rounded counts plus their squared bias (a count of 1 under
    GAF(sigma = 2) has mean 0.961).

    Examples
    --------
    >>> import synthlab.counts as slc
    >>> table = slc.Table.from_counts([0, 1, 10, 100], {"age": [5, 6, 7, 8]})
    >>> loss = slc.expected_loss(table, slc.GAF(sigma=2, nu=-0.5), zeros_to_ones=0.1, pseudocount=0)
    >>> round(loss.approximation, 4), round(loss.occupied, 4), round(loss.empty, 4)
    (5.6649, 5.947, 0.1)
    """
    check_table(table, "table")
    m = _checks.check_count(m, "m", maximum=size_limits.WHOLE)
    structural = structural_cells(table, structural_zeros)
    zeros_to_ones = _checks.check_probability(zeros_to_ones, "zeros_to_ones")
    pseudocount = check_pseudocount(family, pseudocount)
    n_empty = empty_cells(table, structural)
    warn_of_pseudocount(family, pseudocount, n_empty, zeros_to_ones)
    sizes, cells = np.unique(table.counts, return_counts=True)
    if sizes.size:
        occupied = family.at(sizes)
        mean, var = occupied._moments()
        bias = np.asarray(mean) - sizes
        nominal, variance = float(cells @ occupied.nominal_var), float(cells @ var)
        squared_bias = float(cells @ bias**2)
    else:
        nominal = variance = squared_bias = 0.0
    mean, second = moments_of_empty(family, pseudocount, zeros_to_ones)
    empty = n_empty * ((second - mean**2) / m + mean**2)
    return LossResult(family.label, m, table.n_cells, nominal / m, variance / m, squared_bias, empty)


def moments_of_empty(family: CountFamily, pseudocount: float, zeros_to_ones: float) -> tuple[float, float]:
    """Return the first and second moments of the synthetic count of an empty cell."""
    if pseudocount > 0 or family.takes_zero:
        at_zero = family.at(pseudocount)
        mean, variance = map(float, at_zero._moments())
    else:
        mean = variance = 0.0
    keep = 1.0 - zeros_to_ones
    return zeros_to_ones + keep * mean, zeros_to_ones + keep * (variance + mean**2)
