"""Result of differentially private table synthesis."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._result import Result
from synthlab._typing import IntArray
from synthlab.dp.adjacency import WORDS
from synthlab.release import Release


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PrivateTableResult(Result):
    """Synthetic tables and their privacy loss, without the confidential counts.

    Attributes
    ----------
    levels : mapping {variable: levels}
        Declared levels. The cells are all their combinations; the last variable changes fastest.
    counts : numpy.ndarray of int, shape (K, m)
        Synthetic counts of each cell in each table.
    pseudocount : float
        Pseudocount of every cell; 0 if the mechanism does not use one.
    epsilon_per_table : float
        Privacy loss of one table.
    adjacency : {"add-remove", "replace"}
        Definition of neighboring databases.
    data_kind : {"real", "simulated"} or None
        Kind of the records; None if the input does not state it.
    mechanism : str
        Mechanism that drew the tables.
    safe_seed : bool
        Whether the seed is too long to be found by trial and error. The seed itself is not stored. If it is not safe,
        `Release.save` raises an error.
    """

    _figure: ClassVar[str] = "dp.plot_private_table"

    levels: Mapping[str, tuple[Any, ...]]
    counts: IntArray
    pseudocount: float
    epsilon_per_table: float
    adjacency: str
    data_kind: str | None = None
    mechanism: str = "Dirichlet-multinomial with the minimum prior"
    safe_seed: bool = True

    @property
    def m(self) -> int:
        """Number of tables."""
        return int(self.counts.shape[1])

    @property
    def n_cells(self) -> int:
        """Number of cells K."""
        return int(self.counts.shape[0])

    @property
    def n_synthetic(self) -> int:
        """Number of synthetic records in each table, M."""
        return int(self.counts[:, 0].sum())

    @property
    def epsilon_total(self) -> float:
        """Privacy loss of all m tables together: m times the loss of one table."""
        return self.m * self.epsilon_per_table

    def prior_share(self, n: int) -> float:
        """Return the expected share of synthetic records due to the prior, K a / (n + K a).

        Parameters
        ----------
        n : int >= 1
            Number of confidential records, or a public approximation of it.

        Returns
        -------
        float in (0, 1)
            Near 0, the table follows the data. Near 1, it follows the prior and hardly depends on the data.
        """
        imaginary = self.n_cells * self.pseudocount
        return imaginary / (_checks.check_count(n, "n") + imaginary)

    def to_frame(self) -> pd.DataFrame:
        """Return levels, ``dataset`` (1 to m) and ``count``, one row per cell and table."""
        index = pd.MultiIndex.from_product([*self.levels.values()], names=list(self.levels))
        wide = pd.DataFrame(self.counts, index=index, columns=pd.RangeIndex(1, self.m + 1, name="dataset"))
        return wide.melt(value_name="count", ignore_index=False).reset_index()

    def summary(self) -> pd.DataFrame:
        """Return mean, minimum and maximum of the counts over the tables, one row per cell."""
        index = pd.MultiIndex.from_product([*self.levels.values()], names=list(self.levels))
        columns = {"mean": self.counts.mean(axis=1), "min": self.counts.min(axis=1), "max": self.counts.max(axis=1)}
        return pd.DataFrame(columns, index=index)

    def release(self) -> Release:
        """Return the tables as m datasets of M synthetic records, sorted by cell.

        This is post-processing and has no privacy loss.
        """
        frames = []
        for column in self.counts.T:
            cells = np.repeat(np.arange(self.n_cells), column)
            codes = np.unravel_index(cells, tuple(map(len, self.levels.values())))
            frames.append(
                pd.DataFrame(
                    {
                        name: pd.Index(v, tupleize_cols=False).take(c)
                        for (name, v), c in zip(self.levels.items(), codes, strict=True)
                    }
                )
            )
        made = {
            "synthesizer": self.mechanism,
            "m": self.m,
            "epsilon_total": self.epsilon_total,
            "adjacency": WORDS[self.adjacency],
        }
        provenance = made | ({"kind": self.data_kind} if self.data_kind else {})
        return Release(frames, tuple(self.levels), provenance, private={} if self.safe_seed else {"seed": None})

    @property
    def title(self) -> str:
        """Description of the tables and their privacy loss."""
        prior = f", pseudocount {self.pseudocount:,.4g} per cell" if self.pseudocount else f" by the {self.mechanism}"
        several = f", {self.epsilon_total:.4g} for all {self.m}" if self.m > 1 else ""
        return (
            f"{self.m} synthetic table{'s' if self.m > 1 else ''} of {self.n_synthetic:,} records in {self.n_cells:,} cells"
            f"{prior}: epsilon {self.epsilon_per_table:.4g} per table{several}, for "
            f"{WORDS[self.adjacency]}."
        )
