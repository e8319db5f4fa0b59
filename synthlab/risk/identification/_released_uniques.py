"""Sample uniques that a release replicates, and expected population uniques among them."""

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

SAME_WEIGHTS = 0.95  # minimum share of released weights that equal confidential weights
SIX_DIGITS = 2e-5  # exceeds the relative error of a product whose factors are rounded to six digits


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ReleasedUniquesResult(Result):
    """Sample uniques, replicated uniques and expected population uniques of a release.

    Attributes
    ----------
    counts : PopulationCountsResult
        Sample uniques, N_t of each record and the resulting probabilities, for the confidential data.
    replicated : numpy.ndarray of bool, shape (m, n)
        Whether the record is a sample unique and exactly one record of the dataset has its known values.
    with_weight : ReplicatedUniquesResult or None
        Uniques for an intruder who also knows the survey weight. None unless the release contains the confidential weights,
        up to a factor.
    """

    _table: ClassVar[str] = "to_frame"

    counts: PopulationCountsResult
    replicated: BoolArray
    with_weight: ReplicatedUniquesResult | None

    @property
    def population_uniques(self) -> FloatArray:
        """Expected number of population uniques among the replicated uniques, per dataset."""
        return np.asarray(self.replicated @ self.counts.alone, dtype=np.float64)

    @property
    def correct_matches(self) -> FloatArray:
        """Expected number of correct matches of the replicated uniques, per dataset."""
        return np.asarray(self.replicated @ self.counts.match, dtype=np.float64)

    @property
    def title(self) -> str:
        """Sentence that states the expected population uniques among the replicated uniques."""
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
    """Count replicated uniques, and the expected population uniques among them."""
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
        if shared:  # `Intruder` requires a synthesized variable; it does not affect the result
            wiser = replicated_uniques(
                confidential, frames, Intruder(known=known, synthesized=shared[:1], missing="category")
            )
    return ReleasedUniquesResult(counts, _checks.read_only(replicated), wiser)


def with_own_weights(confidential: pd.DataFrame, release: Release, design: SurveyDesign) -> list[pd.DataFrame] | None:
    """Return the datasets with their survey weights on the scale of the confidential weights.

    Return None if the released weights are not the confidential weights. They count as the confidential weights if at most
    5% of them differ, in any order of the records. They can be unchanged or all multiplied by one factor, like normalized
    weights, and rounded to six digits or more.
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
    """Replace each released weight by the confidential one it equals; `own` is sorted."""
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
