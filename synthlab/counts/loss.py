"""Squared loss measured on synthetic tables."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import special

from synthlab import _checks
from synthlab._result import Result
from synthlab._typing import FloatArray
from synthlab.counts.table import Table
from synthlab.counts.transitions import Synthetic, counts_side_by_side, read_pair


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SquaredLoss(Result):
    """Squared loss measured on synthetic tables.

    Parameters
    ----------
    by_dataset : array of float, shape (m,)
        Sum over all cells of (f - f_syn)^2, for each dataset.
    of_mean : float
        Squared loss of the mean of the m datasets.
    of_mean_empty : float
        Part of `of_mean` from cells that are empty in the confidential table.
    n_cells : int
        Number of cells.
    """

    by_dataset: FloatArray
    of_mean: float
    of_mean_empty: float
    n_cells: int

    @property
    def title(self) -> str:
        """Description of the loss."""
        return (
            f"squared loss of the mean of {self.by_dataset.size} tables: {self.of_mean:,.1f}, {self.mse:.4g} per cell"
        )

    @property
    def mse(self) -> float:
        """Mean squared error per cell of the mean of the datasets."""
        return self.of_mean / self.n_cells

    def to_frame(self) -> pd.DataFrame:
        """Return the loss and the mean squared error per cell, one row per dataset."""
        m = self.by_dataset.size
        mse = self.by_dataset / self.n_cells
        return pd.DataFrame({"dataset": range(1, m + 1), "loss": self.by_dataset, "mse": mse})

    def summary(self) -> pd.DataFrame:
        """Return the loss of the mean of the datasets as one row."""
        return pd.DataFrame({"loss": [self.of_mean], "empty": [self.of_mean_empty], "mse": [self.mse]})


def squared_loss(confidential: Table, synthetic: Synthetic) -> SquaredLoss:
    """Measure the squared loss of synthetic tables.

    Parameters
    ----------
    confidential : Table
        The confidential table.
    synthetic : Table, sequence of Table, or SynthesizedTables
        The synthetic tables.

    Returns
    -------
    SquaredLoss
        Loss of each dataset and of the mean of the datasets.

    Examples
    --------
    >>> import synthlab.counts as slc
    >>> levels = {"age": [5, 6]}
    >>> before, after = slc.Table.from_counts([1, 3], levels), slc.Table.from_counts([1, 5], levels)
    >>> float(slc.squared_loss(before, after).of_mean)
    4.0
    """
    tables = read_pair(confidential, synthetic)
    counts = counts_side_by_side([confidential, *tables])
    f = next(counts)
    total = np.zeros(f.size)
    losses = []
    for f_syn in counts:
        losses.append(float(np.square((f_syn - f).astype(np.float64)).sum()))
        total += f_syn
    away = np.square(total / len(tables) - f)
    return SquaredLoss(
        _checks.read_only(np.array(losses)), float(away.sum()), float(away[f == 0].sum()), confidential.n_cells
    )


def mse_utility(mse: object) -> FloatArray | float:
    """Return 1 - inverse-logit(MSE), the utility axis of the paper's Figure 7.

    Equations: Jackson, Mitra, Francis & Dove (utility)

    A mean squared error is never negative, so the utility is in (0, 1/2]: the largest possible value is 1/2, not 1.

    Parameters
    ----------
    mse : float or array_like
        Mean squared error per cell, >= 0.

    Returns
    -------
    float or array of float
        Utility.

    Examples
    --------
    >>> import synthlab.counts as slc
    >>> float(slc.mse_utility(0.0))
    0.5
    """
    utility: FloatArray | float = special.expit(-_checks.check_parameter(mse, "mse", low=0.0))[()]
    return utility
