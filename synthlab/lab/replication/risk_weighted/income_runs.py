"""One release of the income study, looked up by the claims."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from synthlab.lab.replication.risk_weighted.measures import TENS


@dataclass(frozen=True, slots=True, eq=False)
class Incomes:
    """One release of the income study under one allocation: its numbers, whack-a-mole, and records."""

    allocation: str
    numbers: Mapping[tuple[str, str], float]
    moles: pd.DataFrame
    records: pd.DataFrame

    def of(self, case: str, measure: str) -> float:
        """Return one number; NaN if the case was not run."""
        return self.numbers.get((case, measure), np.nan)

    def three(self, measure: str) -> list[float]:
        """Return the number of Synthesizer, Marginal and Pairwise."""
        return [self.of(case, measure) for case in ("S", "M", "P")]

    def mole(self, case: str, column: str) -> float:
        """Return a number of whack-a-mole."""
        return float(self.moles[column].to_dict()[case])

    def tens(self, case: str, which: str) -> list[float]:
        """Return IR of the ten riskiest or largest records."""
        return [self.of(case, f"IR of {which} record {place}") for place in range(1, TENS + 1)]

    def expected(self, case: str) -> float:
        """Return the mean of the expected IR, which has no noise."""
        return float(self.records[f"expected {case} {self.allocation}"].mean())


def runs_of(allocation: str, incomes: pd.DataFrame, rises: pd.DataFrame, records: pd.DataFrame) -> list[Incomes]:
    """Return the releases under one allocation; what was released once is the same in all of them."""
    table = incomes[incomes["allocation"].isin(["", allocation])]
    moles = rises[rises["allocation"] == allocation]

    def numbers(run: int) -> dict[tuple[str, str], float]:
        one = table[table["run"] == run]
        return dict(zip(zip(one["case"], one["measure"], strict=True), one["value"], strict=True))

    once, compared = numbers(0), moles[moles["run"] == 0].set_index("case")
    found = []
    for run in range(int(moles.loc[moles["case"] == "M", "run"].max()) + 1):
        one = moles[moles["run"] == run].set_index("case")
        found.append(Incomes(allocation, once | numbers(run), one.combine_first(compared), records))
    return found


def average(runs: Sequence[Incomes], case: str, measure: str) -> float:
    """Return the mean of a number over the releases."""
    return float(np.mean([run.of(case, measure) for run in runs]))
