"""Disclosure compared with the R package synthpop, and the releases that are compared."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from synthlab import datasets
from synthlab._typing import FloatArray
from synthlab.crosscheck._check import Row
from synthlab.datasets.files import data_folder, packaged_file
from synthlab.intruder import Intruder
from synthlab.matching.numeric_groups import group_numbers
from synthlab.r import Reference
from synthlab.r.reference_results import SCRIPTS
from synthlab.risk import AttributeDisclosureResult, attribute_disclosure, cap, replicated_uniques

IDENTITY = ("UiO", "UiS", "UiOiS", "repU")
ATTRIBUTE = ("Dorig", "Dsyn", "iS", "DiS", "DiSCO", "DiSDiO")
CAPS = ("baseCAPd", "CAPd", "CAPs", "DCAP")
ONE_WAY = {"share_of_records": "PctLevelAll", "disclosed": "totalDisclosive"}
ONE_WAY |= {"disclosed_level": "nLevelDis", "share_of_disclosed": "PctLevelDis"}
IN_PAIRS = ["dataset", "key", "key_level", "level"]
OF_PAIRS = {"disclosed": 1.0, "records": 1.0, "key_records": 1.0, "share_of_key": 100.0}
Frames = list[pd.DataFrame]  # the confidential data, then the m datasets


@dataclass(frozen=True)
class Setting:
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

    def frames(self) -> Frames:
        """Return the data with only the keys and the target, as they were compared."""
        frames = [frame[[*self.known, self.target]] for frame in load(self.data)]
        if self.groups:
            first, release = group_numbers(frames[0], frames[1:], groups=self.groups)
            return [first, *release]
        return frames


_SURVEY = ("age", "yrs_married", "children", "educ", "occupation")
_YOUTHS = ("age", "race", "ethnicty", "gender", "livewith", "agefirst")
_PEOPLE = ("SEX", "RACE", "MAR", "MIG", "SCH")
SETTINGS = {
    "affairs": Setting("affairs", _SURVEY, "rate_marriage"),
    "affairs without 5": Setting("affairs", _SURVEY, "rate_marriage", harmless=(5,)),
    "affairs of equal width": Setting("affairs", _SURVEY[:3], "affairs", {"affairs": 5}),
    "youths": Setting("youths", _YOUTHS, "crimtype"),
    "youths without missing": Setting("youths", _YOUTHS, "crimtype", harmless=(None,)),
    "youths alcuse": Setting("youths", _YOUTHS[1:4], "alcuse", more_than=(10, 2), share=(0.4, 0.3)),
    "ce": Setting("ce", ("Educ", "Marital", "Income"), "Tenure"),
    "ce in groups": Setting("ce", ("Age", "Educ", "Marital", "Income"), "Tenure", {"Age": 10, "Income": 8}),
    "ce Expenditure": Setting("ce", ("Urban", "Tenure", "Educ", "Marital"), "Expenditure", {"Expenditure": 20}),
    "acs LANX": Setting("acs", _PEOPLE, "LANX"),
    "acs DIS": Setting("acs", _PEOPLE, "DIS"),
}


def acs_is_real() -> bool:
    """Return whether the real ACS sample is available; otherwise, its stand-in is compared."""
    script = next(one for one in SCRIPTS if "synthpop_acs.csv" in one.outputs)
    folder = data_folder()
    return folder is not None and all((folder / name).is_file() for name in script.samples)


def answer_name(name: str) -> str:
    """Return the name of the available answer: about the stand-in if the real ACS sample is missing."""
    return name if acs_is_real() else name.replace("synthpop_acs", "synthpop")


def answers_about(data: str) -> tuple[str, str]:
    """Return the names of the answers about a release, and about its flagged pairs."""
    name = "synthpop_acs" if data == "acs" else "synthpop"
    return name, f"{name}_pairs"


def load(name: str) -> Frames:
    """Return the confidential data and the synthetic datasets of a release."""
    if name in ("affairs", "youths"):
        return _written(name)
    return _loaded(name, "real" if name == "acs" and acs_is_real() else "simulated")


def label(data: str, case: str) -> str:
    """Return the label of a case with m, and whether it uses the real ACS sample."""
    return f"{case}{', real' if data == 'acs' and acs_is_real() else ''}, m = 3"


@cache
def _loaded(name: str, version: str) -> Frames:
    data = datasets.load(name, version=version)
    versions = ("lecture", "2", "3") if name == "acs" else ("1", "2", "3")
    return [data.frame, *(data.synthetic_version(one) for one in versions)]


@cache
def _written(name: str) -> Frames:
    with packaged_file(f"reference/synthpop_{name}.csv.gz").open("rb") as file:
        table: Any = pd.read_csv(file, compression="gzip")
    parts = [part.drop(columns="dataset").reset_index(drop=True) for _, part in table.groupby("dataset")]
    if name == "affairs":
        return [datasets.load("affairs").frame[list(parts[0])].astype(parts[0].dtypes), *parts]
    return parts


def disclosure(answer: Reference, pairs: Reference, name: str) -> Iterator[Row]:
    """Yield the rows of ``disclosure`` for one of the `SETTINGS`."""
    setting = SETTINGS[name]
    frames, case = setting.frames(), label(setting.data, name)
    confidential, *release = frames
    intruder, target = setting.intruder, setting.target

    def shares(names: Sequence[str]) -> FloatArray:
        """Return the percentages of R as shares, shape (names, m)."""
        return np.array([answer.value(what=what, case=name) for what in names], dtype=np.float64) / 100

    result = attribute_disclosure(confidential, release, intruder, target=target, harmless=setting.harmless)
    table = result.to_frame()
    yield Row(", ".join(ATTRIBUTE), case, table[list(ATTRIBUTE)].T, shares(ATTRIBUTE), "share")
    yield Row("max_denom", case, table["max_denom"], answer.value(what="max_denom", case=name), "count")
    yield Row("mean_denom", case, table["mean_denom"], answer.value(what="mean_denom", case=name), "share")
    # Without the harmless records, other records are unique and present, and the attribution of others changes.
    if not setting.harmless:
        yield Row("TCAP of synthpop", case, table["TCAP_present"], shares(["TCAP"]), "share")
        uniques = replicated_uniques(confidential, release, intruder).to_frame()
        yield Row(", ".join(IDENTITY), case, uniques[list(IDENTITY)].T, shares(IDENTITY), "share")
        yield Row(", ".join(CAPS), case, _caps(frames, setting), shares(CAPS), "share")
        tcap = cap(confidential, release, intruder, target=target, variant="tcap").to_frame()["attack"]
        right, claimed = shares(["DiSCO", "DiS"])
        yield Row("TCAP of the literature, DiSCO / DiS", case, tcap, right / claimed, "share")
    levels = result.check_1way(setting.more_than[0], setting.share[0])
    ours = levels[list(ONE_WAY)].where(levels["flagged"], 0).astype(float).T
    yield Row("check of one level", case, ours, _one_way_in_r(answer, name, levels.index), "share")
    yield _two_way(result, name, pairs, case)


def _caps(frames: Frames, setting: Setting) -> np.ndarray[Any, Any]:
    """Return CAP per dataset: margin, data, release, and release against data."""
    result = cap(frames[0], frames[1:], setting.intruder, target=setting.target)
    selves = [cap(one, one, setting.intruder, target=setting.target).confidential for one in frames[1:]]
    once = np.ones(len(selves))
    return np.array([result.baseline * once, result.confidential * once, selves, result.to_frame()["attack"]])


def _one_way_in_r(answer: Reference, name: str, numbers: pd.Index) -> FloatArray:
    """Return the numbers of R about the flagged level per dataset; 0 if no level is flagged."""
    cases, columns = [f"{name}: {dataset}" for dataset in numbers], [f"1way {what}" for what in ONE_WAY.values()]
    rows = answer.table[answer.table["case"].isin(cases) & answer.table["what"].isin(columns)]
    wide = rows.pivot(index="case", columns="what", values="value").reindex(index=cases, columns=columns)
    scale = [100 if "Pct" in column else 1 for column in columns]
    return (wide.astype(float).fillna(0.0) / scale).to_numpy().T


def _two_way(result: AttributeDisclosureResult, name: str, answer: Reference, case: str) -> Row:
    """Return the row of the flagged pairs: their count and their numbers."""
    found = result.check_2way(SETTINGS[name].more_than[1], SETTINGS[name].share[1])
    found = found[found["flagged"].astype(bool)]
    table = answer.table[answer.table["case"] == name].rename(columns={"percent": "share_of_key"})
    sides = [
        part.assign(**{column: part[column].map(_text) for column in ("key_level", "level")}).set_index(IN_PAIRS)
        for part in (found, table)
    ]
    index = sides[1].index.union(sides[0].index)
    place = np.arange(1, len(index) + 1)
    numbers = []
    for side, scale in zip(sides, (np.ones(len(OF_PAIRS)), np.array(list(OF_PAIRS.values()))), strict=True):
        values = side.reindex(index)[list(OF_PAIRS)].to_numpy(dtype=float) / scale
        values = np.where(np.isnan(values), -1.0, values)
        # Sums over the pairs, and sums weighted by position, which detect reordering.
        numbers.append([len(side), *values.sum(axis=0), *(place[:, None] * values).sum(axis=0)])
    ours, theirs = numbers
    return Row("check of one level and one key", case, ours, theirs, "share")


def _text(value: object) -> str:
    """Format a level as in R."""
    if pd.isna(value):  # type: ignore[call-overload]
        return "Missing"
    try:
        return f"{float(value):.15g}"  # type: ignore[arg-type]
    except ValueError:
        return str(value).replace(", ", ";")


def uniques(answer: Reference, name: str) -> Iterator[Row]:
    """Yield the row of the four counts of ``replicated.uniques`` for the keys of one of the `SETTINGS`."""
    data, intruder = SETTINGS[name].data, SETTINGS[name].intruder
    confidential, *release = load(data)
    ours, theirs = [], []
    for number, dataset in enumerate(release, start=1):
        there = replicated_uniques(confidential, dataset, intruder)
        back = replicated_uniques(dataset, confidential, intruder)
        ours.append([there.unique, there.synthetic_unique[0], back.found[0], there.replicated[0]])
        theirs.append(answer.value(what="replicated.uniques", case=f"{data}: {number}"))
    yield Row(f"replicated.uniques, {len(intruder.known)} keys", label(data, data), ours, theirs, "count")
