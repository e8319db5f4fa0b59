"""Releases used in the comparison with synthpop, and the answers of synthpop."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from synthlab import datasets
from synthlab._typing import FloatArray
from synthlab.datasets.files import data_folder, packaged_file
from synthlab.intruder import Intruder
from synthlab.matching.numeric_groups import group_numbers
from synthlab.r import Reference
from synthlab.r.reference_results import SCRIPTS

GROUP = "synthpop"
MISSING = "synthpop_missing"
ANSWERS = ("synthpop", "synthpop_pairs")
REAL = ("synthpop_acs", "synthpop_acs_pairs")
VERSIONS = ("lecture", "2", "3")
Frames = list[pd.DataFrame]  # the confidential data, then the m datasets


@dataclass(frozen=True)
class Case:
    """Keys and target of an intruder in a release, and options of synthpop.

    `more_than` and `share` are the thresholds of two checks: of one level, and of one level and one key.
    """

    data: str
    known: tuple[str, ...]
    target: str
    groups: Mapping[str, int] = field(default_factory=dict)
    harmless: tuple[object, ...] = ()
    more_than: tuple[int, int] = (50, 4)
    share: tuple[float, float] = (0.9, 0.8)

    @property
    def intruder(self) -> Intruder:
        """Intruder that treats missing values as a category."""
        return Intruder(known=self.known, synthesized=[self.target], missing="category")

    def frames(self, answers: Mapping[str, Reference]) -> Frames:
        """Return the data with only the keys and the target, as they were compared."""
        frames = [frame[[*self.known, self.target]] for frame in load(self.data, answers)]
        if self.groups:
            first, release = group_numbers(frames[0], frames[1:], groups=self.groups)
            return [first, *release]
        return frames


_SURVEY = ("age", "yrs_married", "children", "educ", "occupation")
_YOUTHS = ("age", "race", "ethnicty", "gender", "livewith", "agefirst")
_PEOPLE = ("SEX", "RACE", "MAR", "MIG", "SCH")
CASES = {
    "affairs": Case("affairs", _SURVEY, "rate_marriage"),
    "affairs without 5": Case("affairs", _SURVEY, "rate_marriage", harmless=(5,)),
    "affairs of equal width": Case("affairs", _SURVEY[:3], "affairs", {"affairs": 5}),
    "youths": Case("youths", _YOUTHS, "crimtype"),
    "youths without missing": Case("youths", _YOUTHS, "crimtype", harmless=(None,)),
    "youths alcuse": Case("youths", _YOUTHS[1:4], "alcuse", more_than=(10, 2), share=(0.4, 0.3)),
    "ce": Case("ce", ("Educ", "Marital", "Income"), "Tenure"),
    "ce in groups": Case("ce", ("Age", "Educ", "Marital", "Income"), "Tenure", {"Age": 10, "Income": 8}),
    "ce Expenditure": Case("ce", ("Urban", "Tenure", "Educ", "Marital"), "Expenditure", {"Expenditure": 20}),
    "acs LANX": Case("acs", _PEOPLE, "LANX"),
    "acs DIS": Case("acs", _PEOPLE, "DIS"),
}


def names_of_answers() -> tuple[str, ...]:
    """Return the required references, including the real ACS sample if available."""
    script = next(one for one in SCRIPTS if "synthpop_acs.csv" in one.outputs)
    folder = data_folder()
    at_hand = folder is not None and all((folder / name).is_file() for name in script.samples)
    return (*ANSWERS, MISSING, *(REAL if at_hand else ()))


def load(name: str, answers: Mapping[str, Reference]) -> Frames:
    """Return the data of a case; the real ACS sample if the answers are about it."""
    if name in ("affairs", "youths"):
        return _written(name)
    version = "real" if name == "acs" and REAL[0] in answers else "simulated"
    return _loaded(name, version)


def answer_for(name: str, answers: Mapping[str, Reference], which: int = 0) -> Reference:
    """Return the answers (which = 0) or the flagged pairs (1) about a release."""
    return answers[REAL[which] if name == "acs" and REAL[which] in answers else ANSWERS[which]]


def label(name: str, case: str, answers: Mapping[str, Reference]) -> str:
    """Return the label of a case with m, and whether it uses the real ACS sample."""
    real = ", real" if name == "acs" and REAL[0] in answers else ""
    return f"{case}{real}, m = 3"


def shares(answer: Reference, names: Sequence[str], case: str) -> FloatArray:
    """Return the percentages of R as shares, shape (names, m)."""
    return np.array([answer.value(what=name, case=case) for name in names], dtype=np.float64) / 100


def categories(frames: Frames, variables: Sequence[str]) -> Frames:
    """Return the columns as categories."""
    return [frame[list(variables)].astype("category") for frame in frames]


@cache
def _loaded(name: str, version: str) -> Frames:
    data = datasets.load(name, version=version)
    labels = VERSIONS if name == "acs" else ("1", "2", "3")
    return [data.frame, *(data.synthetic_version(one) for one in labels)]


@cache
def _written(name: str) -> Frames:
    with packaged_file(f"reference/synthpop_{name}.csv.gz").open("rb") as file:
        table: Any = pd.read_csv(file, compression="gzip")
    parts = [part.drop(columns="dataset").reset_index(drop=True) for _, part in table.groupby("dataset")]
    if name == "affairs":
        return [datasets.load("affairs").frame[list(parts[0])].astype(parts[0].dtypes), *parts]
    return parts
