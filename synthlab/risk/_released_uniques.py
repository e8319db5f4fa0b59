"""Sample uniques that a release replicates, and how many of them are expected to be alone in the population."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._format import count
from synthlab._result import Result
from synthlab._typing import BoolArray, FloatArray
from synthlab.design import Design
from synthlab.intruder import Intruder
from synthlab.release import Release
from synthlab.risk.population import PopulationCountsResult, population_counts
from synthlab.risk.uniques import ReplicatedUniquesResult, key_codes, replicated_uniques


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ReleasedUniquesResult(Result):
    """Population uniques among the sample uniques, and those of them that are unique with the same values in a release.

    Attributes
    ----------
    counts : PopulationCountsResult
        The confidential data: sample uniques, N_t of each record, and the chances that follow.
    replicated : numpy.ndarray of bool, shape (m, n)
        Sample uniques whose values exactly one record of the dataset has.
    with_weight : ReplicatedUniquesResult or None
        The uniques where the intruder knows the survey weight too, if the release has it unchanged.
    """

    _table: ClassVar[str] = "to_frame"

    counts: PopulationCountsResult
    replicated: BoolArray
    with_weight: ReplicatedUniquesResult | None

    @property
    def population_uniques(self) -> FloatArray:
        """Expected population uniques among the replicated sample uniques of each dataset."""
        return np.asarray(self.replicated @ self.counts.alone, dtype=np.float64)

    @property
    def correct_matches(self) -> FloatArray:
        """Expected correct matches of the replicated sample uniques of each dataset."""
        return np.asarray(self.replicated @ self.counts.match, dtype=np.float64)

    @property
    def title(self) -> str:
        """The replicated sample uniques that are population uniques, in a sentence."""
        return (
            f"{self.counts.title}. In the release: {count(float(self.population_uniques.mean()))} and "
            f"{count(float(self.correct_matches.mean()))}"
        )

    def to_frame(self) -> pd.DataFrame:
        """Return one row per synthetic dataset 1..m."""
        columns = {
            "replicated_uniques": self.replicated.sum(axis=1),
            "population_uniques": self.population_uniques,
            "correct_matches": self.correct_matches,
        }
        return pd.DataFrame(columns, index=pd.RangeIndex(1, len(self.replicated) + 1, name="dataset"))


def released_uniques(
    confidential: pd.DataFrame, release: Release, intruder: Intruder, design: Design
) -> ReleasedUniquesResult:
    """Count them by value, for an intruder who knows at least one variable."""
    missing = intruder.missing
    counts = population_counts(
        confidential, intruder.known, design, missing="raise" if missing == "raise" else "category"
    )
    own, others = key_codes(confidential, release, intruder, "population_uniques")
    size = 1 + max(int(codes.max(initial=0)) for codes in (own, *others))
    alone = counts.sample == 1
    replicated = np.array([alone & (np.bincount(codes, minlength=size)[own] == 1) for codes in others])
    weight = weight_released(confidential, release, design)
    wiser = None
    if weight is not None and weight not in intruder.used:
        wiser = replicated_uniques(confidential, release, replace(intruder, known=[*intruder.known, weight]))
    return ReleasedUniquesResult(counts, _checks.read_only(replicated), wiser)


def weight_released(confidential: pd.DataFrame, release: Release, design: Design) -> str | None:
    """Return the column of the weights where every dataset has its values, in whatever order of the records."""
    name = design.weights
    if not isinstance(name, str) or not all(name in one.columns and len(one) == len(confidential) for one in release):
        return None
    own = np.sort(design.read(confidential).weights)
    for one in release:
        released = pd.to_numeric(one[name], errors="coerce").to_numpy(dtype=np.float64, na_value=np.nan)
        if not np.array_equal(np.sort(released), own):
            return None
    return name
