"""Numbers of one release of the income study, for the tests of the statements."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isnan

import numpy as np
import pandas as pd

from replications.risk_weighted.measures import TENS


@dataclass(frozen=True, slots=True, eq=False)
class Incomes:
    """One release of the income study under one allocation: its numbers, whack-a-mole, and records."""

    allocation: str
    numbers: Mapping[tuple[str, str], float]
    moles: Mapping[str, Mapping[str, float]]
    records: pd.DataFrame

    def of(self, case: str, measure: str) -> float:
        """Return one number; NaN if the case was not run."""
        return self.numbers.get((case, measure), np.nan)

    def three(self, measure: str) -> list[float]:
        """Return the number of Synthesizer, Marginal and Pairwise."""
        return [self.of(case, measure) for case in ("S", "M", "P")]

    def mole(self, case: str, column: str) -> float:
        """Return a number of whack-a-mole."""
        return float(self.moles[case][column])

    def tens(self, case: str, which: str) -> list[float]:
        """Return IR of the ten riskiest or largest records."""
        return [self.of(case, f"IR of {which} record {place}") for place in range(1, TENS + 1)]

    def expected(self, case: str) -> float:
        """Return the mean of the expected IR, which has no noise."""
        return float(self.records[f"expected {case} {self.allocation}"].mean())


def runs_of(allocation: str, incomes: pd.DataFrame, rises: pd.DataFrame, records: pd.DataFrame) -> list[Incomes]:
    """Return the releases under one allocation; cases with one release are repeated in all of them."""
    table = incomes[incomes["allocation"].isin(["", allocation])]
    numbers: defaultdict[int, dict[tuple[str, str], float]] = defaultdict(dict)
    for run, *key, value in table[["run", "case", "measure", "value"]].to_numpy(dtype=object):
        numbers[run][key[0], key[1]] = value
    moles: defaultdict[int, dict[str, dict[str, float]]] = defaultdict(dict)
    chosen = rises[rises["allocation"] == allocation].select_dtypes("number").sort_values("run", kind="stable")
    for case, row in zip(rises.loc[chosen.index, "case"], chosen.to_dict("records"), strict=True):
        once = moles[0].get(case, {})
        moles[int(row["run"])][case] = {
            str(k): once.get(str(k), v) if isnan(v) else v for k, v in row.items() if k != "run"
        }
    last = max(run for run, cases in moles.items() if "M" in cases)
    return [Incomes(allocation, numbers[0] | numbers[run], moles[0] | moles[run], records) for run in range(last + 1)]


def average(runs: Sequence[Incomes], case: str, measure: str) -> float:
    """Return the mean of a number over the releases."""
    return float(np.mean([run.of(case, measure) for run in runs]))
