"""Six files of positive incomes: the stand-in data, the slides' file, and four samples of 2015."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from synthlab import _rng, datasets
from synthlab.datasets.entries.consumers import CE2017
from synthlab.intruder import Intruder

STAND_IN, SLIDES = "stand-in", "2017, slides"
DRAWN = tuple(f"2015, sample {number}" for number in range(1, 5))
REAL = (SLIDES, *DRAWN)
FILES = (STAND_IN, *REAL)
RADIUS = 0.2
SAMPLE_SEED, SIZE = 2015, 6_208
AGES = (25, 35, 50, 65)  # lowest ages of the second to the fifth category
PREDICTORS = ("gender", "age", "education", "region", "urban", "marital", "family_size", "earner")
LOW_INCOME = 2_000.0


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """Positive incomes of a file, with the variables that the intruder knows."""

    frame: pd.DataFrame
    known: tuple[str, ...]

    @property
    def intruder(self) -> Intruder:
        """The intruder, who knows each income within a radius of 20%."""
        return Intruder(known=self.known, synthesized=["income"], radius={"income": RADIUS})


def load(name: str, share: int = 1) -> Sample:
    """Return a file; for a quick run, one record in `share` of it."""
    sample = _load(name)
    rows = _rng.as_generator(SAMPLE_SEED).permutation(len(sample.frame))[: len(sample.frame) // share]
    frame = sample.frame.iloc[np.sort(rows)].reset_index(drop=True)
    return Sample(_used_levels(frame), sample.known)


def _load(name: str) -> Sample:
    if name == STAND_IN:
        frame = datasets.load("ce2017", version="simulated").frame
        return Sample(frame[frame["income"] > 0].reset_index(drop=True), CE2017.known)
    if name == SLIDES:
        frame = datasets.load("ce_lecture", version="slides").frame.rename(
            columns={"UrbanRural": "urban", "Race": "race", "Income": "income"}
        )
        return Sample(frame.loc[frame["income"] > 0, ["urban", "race", "income"]], ("urban", "race"))
    return Sample(_disjoint()[DRAWN.index(name)], CE2017.known)


def _disjoint() -> Sequence[pd.DataFrame]:
    """Return disjoint samples of households with a positive income, with one random interview of each household."""
    interviews = datasets.load("ce2015").frame
    usable = interviews[(interviews["income"] > 0) & interviews["region"].notna()]
    order = _rng.as_generator(SAMPLE_SEED).permutation(len(usable))
    households = usable.iloc[order].drop_duplicates("unit")
    age = np.searchsorted(AGES, households["age"], side="right") + 1
    households = households.assign(
        age=pd.Categorical(age, ordered=True),
        family_size=pd.Categorical(households["family_size"].clip(upper=11), ordered=True),
    )[[*PREDICTORS, "income"]]
    return [households.iloc[i * SIZE : (i + 1) * SIZE].reset_index(drop=True) for i in range(len(DRAWN))]


def _used_levels(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.assign(**{name: frame[name].cat.remove_unused_categories() for name in frame.columns.drop("income")})
