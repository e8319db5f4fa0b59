"""The risk-utility map: one point a setting, before any table is drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._result import Result
from synthlab._system import size_limits
from synthlab._typing import BoolArray, FloatArray
from synthlab.counts._family import CountFamily
from synthlab.counts.a_priori_loss import expected_loss
from synthlab.counts.a_priori_tau import expected_tau
from synthlab.counts.structural_zeros import StructuralZeros
from synthlab.counts.table import Table, check_table
from synthlab.exceptions import InputError


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class FrontierResult(Result):
    """Risk against loss of a set of families.

    Parameters
    ----------
    families : tuple of CountFamily
        The settings.
    k : int
        The cell size that tau3 and tau4 are about.
    m : int
        Number of synthetic tables whose mean the loss is of.
    tau3, tau4 : array of float
        Risks, one a setting.
    loss, loss_empty : array of float
        Exact expected squared loss of the occupied cells, and of the empty cells.
    approximation : array of float
        The paper's approximation of the loss.
    efficient : array of bool
        Whether no other setting has both lower tau4 and lower loss.
    """

    _figure: ClassVar[str] = "counts.plot_frontier"

    families: tuple[CountFamily, ...]
    k: int
    m: int
    tau3: FloatArray
    tau4: FloatArray
    loss: FloatArray
    loss_empty: FloatArray
    approximation: FloatArray
    efficient: BoolArray

    @property
    def title(self) -> str:
        """The number of settings tried."""
        return f"{len(self.to_frame()):,} settings, {int(self.to_frame()['efficient'].sum()):,} of them efficient"

    def to_frame(self) -> pd.DataFrame:
        """Return one row a setting."""
        names = sorted({f.name for family in self.families for f in fields(family)[1:]})
        parameters = {n: [float(np.asarray(getattr(family, n, np.nan))) for family in self.families] for n in names}
        return pd.DataFrame(
            {
                "label": [family.label for family in self.families],
                "family": [type(family).__name__ for family in self.families],
                **parameters,
                "tau3": self.tau3,
                "tau4": self.tau4,
                "loss": self.loss,
                "loss_empty": self.loss_empty,
                "approximation": self.approximation,
                "efficient": self.efficient,
            }
        )

    def summary(self) -> pd.DataFrame:
        """Return the efficient settings, from low to high risk."""
        frame = self.to_frame()
        return frame[frame["efficient"]].sort_values("tau4").reset_index(drop=True)


def frontier(
    table: Table,
    families: Sequence[CountFamily],
    *,
    k: int = 1,
    m: int = 1,
    pseudocount: float = 0.01,
    zeros_to_ones: float = 0.0,
    structural_zeros: StructuralZeros = None,
) -> FrontierResult:
    """Return risk against loss for a set of families, before any table is drawn.

    Parameters
    ----------
    table : Table
        The confidential table.
    families : sequence of CountFamily
        The settings, their means left out.
    k : int, default 1
        The cell size that tau3 and tau4 are about.
    m : int, default 1
        Number of synthetic tables whose mean the loss is of.
    pseudocount, zeros_to_ones, structural_zeros : optional
        As in `synthesize_table`. Families that take zeros as they are (Laplace noise) get no pseudocount.

    Returns
    -------
    FrontierResult
        tau4(k) and the exact expected loss of the occupied cells, and which settings are efficient.

    Raises
    ------
    InputError
        If an argument is out of its range.

    Warns
    -----
    PseudocountWarning
        When the pseudocount cannot work.

    Notes
    -----
    Jackson, Mitra, Francis and Dove, Figure 7, from the a priori metrics.

    Examples
    --------
    >>> import synthlab.counts as slc
    >>> table = slc.Table.from_counts([1, 1, 2, 10, 100], {"age": [5, 6, 7, 8, 9]})
    >>> result = slc.frontier(table, [slc.GAF(sigma=s, nu=-0.5) for s in (0.5, 1, 2)] + [slc.NBI(sigma=0.5)])
    >>> result.efficient.tolist()
    [True, True, True, False]
    """
    check_table(table, "table")
    chosen = tuple(families) if isinstance(families, Sequence) else ()
    if not chosen:
        raise InputError("families: must be a list of at least one count distribution")
    k, m = _checks.check_count(k, "k"), _checks.check_count(m, "m", maximum=size_limits.WHOLE)
    rows = []
    for family in chosen:
        options: dict[str, Any] = {
            "pseudocount": 0.0 if isinstance(family, CountFamily) and family.takes_zero else pseudocount,
            "zeros_to_ones": zeros_to_ones,
            "structural_zeros": structural_zeros,
        }
        risk = expected_tau(table, family, k=k, **options)
        lost = expected_loss(table, family, m=m, **options)
        rows.append((risk.tau3[0], risk.tau4[0], lost.occupied, lost.empty, lost.approximation))
    tau3, tau4, loss, empty, approximation = (
        _checks.read_only(np.array(column, dtype=np.float64)) for column in zip(*rows, strict=True)
    )
    efficient = _checks.read_only(_undominated(tau4, loss))
    return FrontierResult(chosen, k, m, tau3, tau4, loss, empty, approximation, efficient)


def _undominated(risk: FloatArray, loss: FloatArray) -> BoolArray:
    no_worse = (risk[None, :] <= risk[:, None]) & (loss[None, :] <= loss[:, None])
    better = (risk[None, :] < risk[:, None]) | (loss[None, :] < loss[:, None])
    return np.asarray(~(no_worse & better).any(axis=1))
