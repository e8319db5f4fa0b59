"""Tau metrics measured on synthetic tables."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._result import Result
from synthlab._typing import FloatArray, IntArray
from synthlab._warnings import warn
from synthlab.counts.table import Table
from synthlab.counts.transitions import Synthetic, paired_counts, read_pair, read_sizes
from synthlab.exceptions import UndefinedStatisticWarning

DEFAULT_SIZES = tuple(range(1, 11))
MAX_TOLERANCE = 1_000


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class TauResult(Result):
    """Tau metrics measured on synthetic tables.

    Parameters
    ----------
    k : array of int, shape (n_k,)
        Cell sizes.
    tau1, tau2, tau3, tau4 : array of float, shape (n_k, m)
        Shares of cells by dataset: P(f_syn = k), P(f = k), P(f_syn = k | f = k), P(f = k | f_syn = k).
    n_cells : int
        Number of cells.
    """

    k: IntArray
    tau1: FloatArray
    tau2: FloatArray
    tau3: FloatArray
    tau4: FloatArray
    n_cells: int

    @property
    def title(self) -> str:
        """Description of the tables."""
        return f"tau metrics of {self.tau1.shape[1]} synthetic tables, mean"

    def to_frame(self) -> pd.DataFrame:
        """Return one row per dataset (1 to m) and cell size."""
        n_k, m = self.tau1.shape
        return pd.DataFrame(
            {
                "dataset": np.repeat(np.arange(1, m + 1), n_k),
                "k": np.tile(self.k, m),
                **{name: getattr(self, name).T.ravel() for name in ("tau1", "tau2", "tau3", "tau4")},
            }
        )

    def summary(self) -> pd.DataFrame:
        """Return the means over the datasets, one row per cell size."""
        means = {name: getattr(self, name).mean(axis=1) for name in ("tau1", "tau2", "tau3", "tau4")}
        return pd.DataFrame({"k": self.k, **means})


def tau(confidential: Table, synthetic: Synthetic, *, k: object = DEFAULT_SIZES, d: int = 0) -> TauResult:
    """Measure the tau metrics on synthetic tables.

    Equations: Jackson, Mitra, Francis & Dove (tau)

    Parameters
    ----------
    confidential : Table
        The confidential table.
    synthetic : Table, sequence of Table, or SynthesizedTables
        The synthetic tables.
    k : int or sequence of int, default 1 to 10
        Cell sizes.
    d : int, default 0
        Largest difference in size that still counts as unchanged: tau3(k, d) and tau4(k, d).

    Returns
    -------
    TauResult
        tau1 to tau4 by cell size and dataset.

    Raises
    ------
    InputError
        The tables do not have the same cells.

    Warns
    -----
    UndefinedStatisticWarning
        No cell has one of the sizes before synthesis (tau3) or after synthesis (tau4), so the metric is NaN.

    Notes
    -----
    See Jackson, Mitra, Francis and Dove, section 3.4.1. For d = 0, ``tau1 tau4 = tau2 tau3``. The R package sdcMicro
    uses the names tau1 and tau2 for other quantities.

    With a tolerance d, ``tau3(k, d) = P(|f_syn - k| <= d | f = k)`` and ``tau4(k, d) = P(|f - k| <= d | f_syn = k)``: a
    guess by an intruder counts as correct if its error is at most d. tau1 and tau2 do not depend on d.

    Examples
    --------
    >>> import synthlab.counts as slc
    >>> levels = {"age": [5, 6, 7, 8]}
    >>> before, after = slc.Table.from_counts([0, 1, 1, 3], levels), slc.Table.from_counts([1, 1, 2, 3], levels)
    >>> slc.tau(before, after, k=1).summary().to_numpy().tolist()
    [[1.0, 0.5, 0.5, 0.5, 0.5]]
    """
    tables = read_pair(confidential, synthetic)
    sizes = read_sizes(k)
    d = check_tolerance(d)
    before, after, stayed, came = (np.zeros((sizes.size, len(tables))) for _ in range(4))
    for column, table in enumerate(tables):
        f, f_syn, both_empty = paired_counts(confidential, table)
        for row, size in enumerate(sizes):
            rest = both_empty if size == 0 else 0
            had, has = f == size, f_syn == size
            before[row, column] = np.count_nonzero(had) + rest
            after[row, column] = np.count_nonzero(has) + rest
            stayed[row, column] = np.count_nonzero(had & (np.abs(f_syn - size) <= d)) + rest
            came[row, column] = np.count_nonzero(has & (np.abs(f - size) <= d)) + rest
    n = confidential.n_cells
    with np.errstate(divide="ignore", invalid="ignore"):
        metrics = (after / n, before / n, stayed / before, came / after)
    warn_undefined(sizes, metrics[2], metrics[3])
    tau1, tau2, tau3, tau4 = (_checks.read_only(v) for v in metrics)
    return TauResult(sizes, tau1, tau2, tau3, tau4, n)


def check_tolerance(d: object) -> int:
    """Return the tolerance d as an int, or raise `InputError`."""
    return _checks.check_count(d, "d", minimum=0, maximum=MAX_TOLERANCE)


def warn_undefined(sizes: IntArray, tau3: FloatArray, tau4: FloatArray) -> None:
    """Warn about the sizes for which tau3 or tau4 is 0/0."""
    for name, value, when in (("tau3", tau3, "before"), ("tau4", tau4, "after")):
        undefined = np.isnan(value.reshape(sizes.size, -1)).any(axis=1)
        if undefined.any():
            warn(
                f"{name} is undefined for k = {_checks.named(sizes[undefined].tolist())}, because no cell has that size "
                f"{when} synthesis; it is NaN",
                UndefinedStatisticWarning,
            )
