"""The numbers of a run, looked up by setting."""

from __future__ import annotations

import numpy as np
import pandas as pd

from replications.gamma_family.settings import NUS, SIGMAS, label_of
from synthlab._typing import FloatArray

Pairs = list[tuple[float, float]]


class Numbers:
    """The numbers of the settings, by label (or group) and column."""

    def __init__(self, settings: pd.DataFrame) -> None:
        self._rows = {str(row["setting"]): row for row in settings.to_dict("records")}

    def of(self, label: str, column: str) -> float:
        """Return one number."""
        return float(self._rows[label][column])

    def group(self, group: str, column: str) -> FloatArray:
        """Return the numbers of a group."""
        return np.array([self.of(label, column) for label in self.labels(group)], dtype=np.float64)

    def labels(self, group: str) -> list[str]:
        """Return the settings of a group."""
        return [label for label, row in self._rows.items() if row["group"] == group]

    def pairs(self, column: str) -> Pairs:
        """Return the number of every GAF setting with that of the NBI with the same sigma."""
        return [
            (self.of(label_of("GAF", sigma, nu), column), self.of(label_of("NBI", sigma), column))
            for sigma in SIGMAS
            for nu in NUS
        ]


class Found(Numbers):
    """The numbers the claims are judged by: the settings, the tau metrics, R's, and the grand total of the table."""

    def __init__(self, settings: pd.DataFrame, tau: pd.DataFrame, reference: pd.DataFrame, n_total: int) -> None:
        super().__init__(settings)
        self.tau, self.reference, self.n_total = tau, reference, n_total


def standardized(tau: pd.DataFrame) -> FloatArray:
    """Return every difference of a measured and an a priori metric in binomial standard errors."""
    z = tau[["tau1_z", "tau3_z", "tau4_z"]].to_numpy(dtype=np.float64).ravel()
    return np.asarray(z[np.isfinite(z)])
