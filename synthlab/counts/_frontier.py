"""Risk-utility map of count families, computed from expected values."""

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
    """Risk and loss of a set of families.

    Parameters
    ----------
    families : tuple of CountFamily
        Families with their parameters, called settings.
    k : int
        Cell size of tau3 and tau4.
    m : int
        Number of synthetic tables that are averaged before the loss is computed.
    tau3, tau4 : array of float
        Risks of each setting.
    loss, loss_empty : array of float
        Exact expected squared loss of the occupied cells and of the empty cells.
    approximation : array of float
        Approximation of the loss from the paper.
    efficient : array of bool
        Whether a setting is efficient: no other setting is at least as good in tau4 and loss and better in one of them.
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
        """Numbers of settings and of efficient settings."""
        return f"{len(self.to_frame()):,} settings, {int(self.to_frame()['efficient'].sum()):,} of them efficient"

    def to_frame(self) -> pd.DataFrame:
        """Return one row per setting."""
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
        """Return the efficient settings in order of increasing risk."""
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
    """Return the expected risk and loss of a set of families.

    Parameters
    ----------
    table : Table
        The confidential table.
    families : sequence of CountFamily
        Families to compare, without means.
    k : int, default 1
        Cell size of tau3 and tau4.
    m : int, default 1
        Number of synthetic tables that are averaged before the loss is computed.
    pseudocount, zeros_to_ones, structural_zeros : optional
        As in `synthesize_table`. Families that accept means of zero (`LaplaceCount`) get no pseudocount.

    Returns
    -------
    FrontierResult
        tau4(k), the exact expected loss of the occupied cells, and which settings are efficient.

    Raises
    ------
    InputError
        An argument is out of range.

    Warns
    -----
    PseudocountWarning
        The pseudocount has almost no effect.

    Notes
    -----
    This is Figure 7 of Jackson, Mitra, Francis and Dove, computed from expected values.

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
