"""Sample uniques that a release replicates, and how many of them are expected to be alone in the population."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._format import count
from synthlab._result import Result
from synthlab._typing import BoolArray, FloatArray
from synthlab.design import SurveyDesign
from synthlab.intruder import Intruder
from synthlab.release import Release
from synthlab.risk.identification.replicated_uniques import (
    REFUSED,
    ReplicatedUniquesResult,
    key_codes,
    replicated_uniques,
)
from synthlab.risk.population.population_counts import PopulationCountsResult, population_counts

SAME_WEIGHTS = 0.95  # share of the released weights that are those of confidential records
SIX_DIGITS = 2e-5  # more than the relative distance of a number times a factor when both are rounded to six digits


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
        The uniques where the intruder knows the survey weight too, if the release has those of the file, up to a factor.
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
    confidential: pd.DataFrame, release: Release, intruder: Intruder, design: SurveyDesign
) -> ReleasedUniquesResult:
    """Count them by value, for an intruder who knows at least one variable."""
    missing = intruder.missing
    counts = population_counts(
        confidential, intruder.known, design, missing="raise" if missing == "raise" else "category"
    )
    own, others = key_codes(confidential, release, intruder, "population_uniques", refused=REFUSED)
    size = 1 + max(int(codes.max(initial=0)) for codes in (own, *others))
    alone = counts.sample == 1
    replicated = np.array([alone & (np.bincount(codes, minlength=size)[own] == 1) for codes in others])
    weight, frames = design.weights, with_own_weights(confidential, release, design)
    wiser = None
    if frames is not None and weight not in intruder.known:
        known = [*intruder.known, weight]
        shared = [c for c in confidential.columns if c in frames[0].columns and c not in known]
        if shared:  # an intruder is after something; what it is plays no part
            wiser = replicated_uniques(
                confidential, frames, Intruder(known=known, synthesized=shared[:1], missing="category")
            )
    return ReleasedUniquesResult(counts, _checks.read_only(replicated), wiser)


def with_own_weights(confidential: pd.DataFrame, release: Release, design: SurveyDesign) -> list[pd.DataFrame] | None:
    """Return the datasets with the survey weights in the numbers of the confidential data; None where they are others.

    They are those of the file where at most one in twenty differs, in whatever order of the records: as they are, or all
    multiplied by one number, as normalised weights are, and rounded to no less than six digits.
    """
    name = design.weights
    if not isinstance(name, str) or not all(name in one.columns for one in release):
        return None
    own = np.sort(design.read(confidential).weights)
    frames = []
    for one in release:
        released = pd.to_numeric(one[name], errors="coerce").to_numpy(dtype=np.float64, na_value=np.nan)
        found = _in_numbers_of(own, released)
        if found is None:
            return None
        frames.append(one.assign(**{name: found}))
    return frames


def _in_numbers_of(own: FloatArray, released: FloatArray) -> FloatArray | None:
    """Return each released weight as the confidential one that it equals, up to a factor; `own` are in order."""
    there = released[np.isfinite(released) & (released > 0)]
    for factor in (1.0, float(np.median(own) / np.median(there))) if there.size else ():
        scaled = released * factor
        after = np.clip(np.searchsorted(own, scaled), 1, own.size - 1) if own.size > 1 else np.zeros(1, dtype=np.int64)
        nearest = np.where(np.abs(own[after - 1] - scaled) < np.abs(own[after] - scaled), own[after - 1], own[after])
        same = np.abs(nearest - scaled) <= SIX_DIGITS * nearest
        values, has = np.unique(own, return_counts=True)
        taken = np.bincount(np.searchsorted(values, nearest[same]), minlength=values.size)
        if np.minimum(has, taken).sum() >= SAME_WEIGHTS * released.size:
            return np.asarray(np.where(same, nearest, scaled))
    return None
