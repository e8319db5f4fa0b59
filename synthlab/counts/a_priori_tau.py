"""Expected tau metrics of synthetic tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._result import Result
from synthlab._system import size_limits
from synthlab._typing import FloatArray, IntArray
from synthlab.counts._family import CountFamily
from synthlab.counts._pseudocounts import check_pseudocount, warn_of_pseudocount
from synthlab.counts._tau import DEFAULT_SIZES, check_tolerance, warn_undefined
from synthlab.counts.structural_zeros import StructuralZeros, empty_cells, structural_cells
from synthlab.counts.table import Table, check_table
from synthlab.counts.transitions import read_sizes


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ExpectedTau(Result):
    """Expected tau metrics, computed without drawing a table.

    Parameters
    ----------
    k : array of int, shape (n_k,)
        Cell sizes.
    tau1, tau2, tau3, tau4 : array of float, shape (n_k,)
        P(f_syn = k), P(f = k), P(f_syn = k | f = k), P(f = k | f_syn = k).
    label : str
        Name and parameters of the family.
    n_cells : int
        Number of cells.
    se1, se3, se4 : array of float, shape (n_k,)
        Standard deviations of tau1, tau3 and tau4 measured on one synthetic table.
    """

    k: IntArray
    tau1: FloatArray
    tau2: FloatArray
    tau3: FloatArray
    tau4: FloatArray
    label: str
    n_cells: int
    se1: FloatArray
    se3: FloatArray
    se4: FloatArray

    _figure: ClassVar[str] = "counts.plot_tau"

    @property
    def title(self) -> str:
        """Description of the family."""
        return f"tau metrics under {self.label}, a priori"

    def to_frame(self) -> pd.DataFrame:
        """Return one row per cell size."""
        names = ("k", "tau1", "tau2", "tau3", "tau4")
        return pd.DataFrame({name: getattr(self, name) for name in names})

    def standard_errors(self, m: int = 1) -> pd.DataFrame:
        """Return the standard errors of the metrics averaged over m synthetic tables.

        The standard errors of tau1 and tau3 are exact, because their denominators are fixed. The standard errors of
        tau4 use the delta method. tau2 does not vary.
        """
        root = np.sqrt(_checks.check_count(m, "m", maximum=size_limits.WHOLE))
        return pd.DataFrame({"k": self.k, "tau1": self.se1 / root, "tau3": self.se3 / root, "tau4": self.se4 / root})


def expected_tau(
    table: Table,
    family: CountFamily,
    *,
    k: object = DEFAULT_SIZES,
    d: int = 0,
    pseudocount: float = 0.01,
    zeros_to_ones: float = 0.0,
    structural_zeros: StructuralZeros = None,
) -> ExpectedTau:
    """Return the exact expected tau metrics of a saturated synthesis.

    Equations: Jackson, Mitra, Francis & Dove (5)

    Parameters
    ----------
    table : Table
        The confidential table.
    family : CountFamily
        Distribution of the counts, without means.
    k : int or sequence of int, default 1 to 10
        Cell sizes.
    d : int, default 0
        Largest difference in size that still counts as unchanged, as in `tau`.
    pseudocount, zeros_to_ones, structural_zeros : optional
        As in `synthesize_table`.

    Returns
    -------
    ExpectedTau
        tau1 to tau4 by cell size, and their standard errors.

    Raises
    ------
    InputError
        An argument is out of range, or `family` already has means.

    Warns
    -----
    UndefinedStatisticWarning
        No cell has one of the sizes, so tau3 is NaN.
    PseudocountWarning
        The pseudocount has almost no effect.

    Notes
    -----
    See Jackson, Mitra, Francis and Dove, section 3.4.1. ``tau3(k) = pmf(k; mu = k)``, and
    ``tau1(k) = sum_j tau2(j) pmf(k; mu = j)`` over all sizes j that occur (equation 5); empty cells have the
    pseudocount as their mean. tau2 and tau3 of a size do not depend on the other sizes; tau1 and tau4 do.

    Examples
    --------
    >>> import synthlab.counts as slc
    >>> table = slc.Table.from_counts([0, 1, 1, 3], {"age": [5, 6, 7, 8]})
    >>> slc.expected_tau(table, slc.NBI(sigma=1), k=1).to_frame().round(4).to_numpy().tolist()
    [[1.0, 0.1743, 0.5, 0.25, 0.717]]
    """
    check_table(table, "table")
    sizes = read_sizes(k)
    d = check_tolerance(d)
    structural = structural_cells(table, structural_zeros)
    zeros_to_ones = _checks.check_probability(zeros_to_ones, "zeros_to_ones")
    pseudocount = check_pseudocount(family, pseudocount)
    warn_of_pseudocount(family, pseudocount, empty_cells(table, structural), zeros_to_ones)
    occurring, cells = table.sizes()
    arrival = arrival_probabilities(family, occurring, sizes, pseudocount, zeros_to_ones)
    staying = arrival if d == 0 else _staying(family, occurring, sizes, d, pseudocount, zeros_to_ones)
    number = cells.astype(np.float64)
    if structural.size:  # structural zeros stay zero
        arrival = np.column_stack([arrival, (sizes == 0).astype(np.float64)])
        staying = np.column_stack([staying, (sizes == 0).astype(np.float64)])
        number[occurring == 0] -= structural.size
        number = np.append(number, structural.size)
        occurring = np.append(occurring, 0)
    gap = np.abs(occurring[None, :] - sizes[:, None])
    same, near = gap == 0, gap <= d
    before = (same * number).sum(axis=1)
    stayed = (same * number * staying).sum(axis=1)
    came = (near * number * arrival).sum(axis=1)
    arrived = arrival @ number
    noise = (arrival * (1.0 - arrival)) @ number
    noise_stayed = (same * staying * (1.0 - staying)) @ number
    noise_came = (near * arrival * (1.0 - arrival)) @ number
    other, noise_other = arrived - came, np.maximum(noise - noise_came, 0.0)
    n = table.n_cells
    with np.errstate(divide="ignore", invalid="ignore"):
        tau3, tau4 = stayed / before, came / arrived
        se3 = np.sqrt(noise_stayed) / before
        se4 = np.sqrt(other**2 * noise_came + came**2 * noise_other) / arrived**2
    warn_undefined(sizes, tau3, tau4)
    tau1, tau2, tau3, tau4, se1, se3, se4 = (
        _checks.read_only(v) for v in (arrived / n, before / n, tau3, tau4, np.sqrt(noise) / n, se3, se4)
    )
    return ExpectedTau(sizes, tau1, tau2, tau3, tau4, family.label, n, se1, se3, se4)


def _staying(
    family: CountFamily, origin: IntArray, sizes: IntArray, d: int, pseudocount: float, zeros_to_ones: float
) -> FloatArray:
    """Return P(|f_syn - k| <= d | f = j), shape (n_k, n_j), for j = k; 0 for other j."""
    out = np.zeros((sizes.size, origin.size))
    for row, size in enumerate(sizes):
        column = np.flatnonzero(origin == size)
        if column.size:
            around = np.arange(max(0, size - d), size + d + 1)
            found = arrival_probabilities(family, origin[column], around, pseudocount, zeros_to_ones)
            out[row, column] = np.minimum(found.sum(axis=0), 1.0)
    return out


def arrival_probabilities(
    family: CountFamily, origin: IntArray, arrival: IntArray, pseudocount: float, zeros_to_ones: float
) -> FloatArray:
    """Return P(f_syn = k | f = j), shape (n_k, n_j), under saturated means."""
    out = np.empty((arrival.size, origin.size))
    positive = origin > 0
    if positive.any():
        out[:, positive] = family.at(origin[positive]).pmf(arrival[:, None])
    if not positive.all():
        if pseudocount > 0 or family.takes_zero:
            at_zero = np.asarray(family.at(pseudocount).pmf(arrival))
        else:
            at_zero = (arrival == 0).astype(np.float64)
        mixed = zeros_to_ones * (arrival == 1) + (1.0 - zeros_to_ones) * at_zero
        out[:, ~positive] = mixed[:, None]
    return out
