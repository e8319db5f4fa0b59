"""The numbers of Hu's lecture 8 on the real ACS and CE samples, compared with synthlab and the R package.

The samples are public but may not travel with the package: where they are not on this machine, the
published numbers and those recorded from R still stand in the table, those computed here are missing, and the
status says how to get the data.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd

from replications import claims
from replications.lecture_8.slides import CASES, MEASURES, Case
from replications.paper_tables import read_numbers
from replications.published import Value, compare, rounds_to
from replications.study import Result, Study, Tables
from synthlab import datasets
from synthlab._warnings import quiet
from synthlab.datasets import Dataset
from synthlab.datasets.files import packaged_file
from synthlab.exceptions import DatasetUnavailableError
from synthlab.intruder import Intruder
from synthlab.risk import identification_risk

RECORDED = "reference/identification_risk_calculation.json"


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Lecture8Result(Result):
    """Comparison of the results with the published numbers.

    Attributes
    ----------
    table : pandas.DataFrame
        Indexed by (release, measure); columns ``published`` (text, as printed), ``r`` (recorded from the R
        package), ``here`` (computed on the real sample, NaN without it) and ``agrees`` (whether the number
        computed here rounds to the published one; None without the data).
    status : str
        Where this table stands, in a sentence.
    """

    table: pd.DataFrame
    status: str

    @property
    def at_hand(self) -> bool:
        """Return whether all numbers were computed from the real sample."""
        return bool(self.table["here"].notna().all())

    def to_frame(self) -> pd.DataFrame:
        """Return a copy of the table."""
        return self.table.copy()

    def describe(self) -> str:
        """Return the status."""
        return self.status

    def details(self) -> str:
        """Return the table as text."""
        words = {True: "yes", False: "NO", None: "-"}
        shown = self.table.assign(
            **{column: self.table[column].map(lambda v: "-" if pd.isna(v) else f"{v:.6g}") for column in ("r", "here")},
            agrees=self.table["agrees"].map(words.__getitem__),
        )
        return shown.to_string()

    def _repr_html_(self) -> str:
        return f"<p>{escape(self.status)}</p>" + self.table.to_html(float_format="{:.6g}".format, na_rep="-")


def compute() -> Lecture8Result:
    """Return the published numbers of lecture 8 on the real samples with those computed here.

    Returns
    -------
    Lecture8Result

    Notes
    -----
    On the slides: the confidential ACS sample against itself and against its release, matched on DIS and HICOV, and a
    CE sample of 5,133 units against itself and against its release, matched on expenditure within 20 per cent. Not on them:
    the release of an earlier course, with LANX, WAOB, DIS and HICOV synthesized.

    References
    ----------
    Hu, J. Statistical Data Privacy, lecture 8: Methods for risk evaluation, part 1. Vassar College.

    Examples
    --------
    >>> from replications import lecture_8
    >>> lecture_8.compute().table.loc[("as is", "expected_match_risk"), "published"]
    '173'
    """
    return STUDY.assemble({"numbers": _numbers()})


class Lecture8(Study[Lecture8Result]):
    """The numbers on the slides."""

    name, paper = "lecture_8", "Hu, lecture 8"
    result = Lecture8Result
    raw = MappingProxyType({"numbers": 15})

    def compute(self, seed: int, size: Mapping[str, Any], folder: Path, progress: bool, **options: Any) -> Tables:
        """Return the numbers; NaN where the real sample is not on this machine."""
        return {"numbers": _numbers()}

    def derive(self, raw: Tables) -> dict[str, Any]:
        """Return the table and the published numbers; the slides claim nothing in words."""
        found = raw["numbers"].set_index(["release", "measure"])["here"]
        rows = {}
        recorded = {name: _recorded(case) for name, case in CASES.items()}
        for text in read_numbers(self.name).values():
            name, measure, printed = text["release"], text["measure"], text["printed"]
            here = float(found[name, measure])
            agrees = None if np.isnan(here) else rounds_to(here, printed)
            rows[name, measure] = {"published": printed, "r": recorded[name][measure], "here": here, "agrees": agrees}
        table = pd.DataFrame.from_dict(rows, orient="index")
        table.index = pd.MultiIndex.from_tuples(rows, names=["release", "measure"])
        table["agrees"] = table["agrees"].astype(object)
        return {
            "table": table,
            "status": _status(found),
            "claims": pd.DataFrame(columns=list(claims.COLUMNS)),
            "published": self.compared(found),
        }

    def compared(self, found: pd.Series) -> pd.DataFrame:
        """Return the numbers of the slides compared with the computed numbers."""
        texts = {key: text for key, text in read_numbers(self.name).items() if text["where"] == "slides"}
        ours = {key: float(found[text["release"], text["measure"]]) for key, text in texts.items()}
        values = {key: Value(number, number, number, int(number == number)) for key, number in ours.items()}
        return compare(self.paper, texts, values)

    def assemble(self, raw: Tables, folder: Path | None = None) -> Lecture8Result:
        """Return the result; what is recorded are the numbers alone."""
        return Lecture8Result(**self.derive(raw), folder=folder)

    def recorded(self) -> Lecture8Result:
        """Return the numbers as they were computed on the real sample when they were recorded."""
        return replace(super().recorded(), status="Computed on the real samples, and recorded.")


def _numbers() -> pd.DataFrame:
    rows = []
    for name, case in CASES.items():
        ours = _compute(_real_sample(case), case)
        rows += [{"release": name, "measure": measure, "here": ours.get(measure, np.nan)} for measure in MEASURES]
    return pd.DataFrame(rows)


def _real_sample(case: Case) -> Dataset | None:
    try:
        return datasets.load(case.dataset, version=case.version)
    except DatasetUnavailableError:
        return None


def _compute(sample: Dataset | None, case: Case) -> dict[str, float]:
    if sample is None or (case.label is not None and case.label not in sample.labels):
        return {}
    released = sample.frame if case.label is None else sample.synthetic_version(case.label)
    intruder = Intruder(known=case.known, synthesized=case.synthesized, radius=case.radius)
    with quiet():
        # That the known variables alone find more people is what the lecture goes on to discuss.
        risk = identification_risk(sample.frame, released, intruder)
    return {measure: float(getattr(risk, measure)[0]) for measure in MEASURES}


def _recorded(case: Case) -> dict[str, float]:
    cases = json.loads(packaged_file(RECORDED).read_text(encoding="utf-8"))["cases"]
    found = next(c for c in cases if c["id"] == case.recorded)
    names = {"n_unique": "unique_matches"}
    return {measure: float(np.ravel(found[names.get(measure, measure)])[0]) for measure in MEASURES}


def _status(found: pd.Series) -> str:
    absent = found.isna().groupby("release", sort=False).any()
    if not absent.any():
        return "The real samples are on this machine: the column `here` was computed from them just now."
    names = ", ".join(dict.fromkeys(CASES[release].dataset for release in absent.index[absent]))
    what = (
        "No real sample is on this machine"
        if absent.all()
        else f"Not on this machine: {', '.join(absent.index[absent])}"
    )
    return (
        f"{what}; the column `here` is empty there, and would hold the published numbers. "
        f"`synthlab data fetch` gets the data ({names}) from where they are published."
    )


STUDY = Lecture8()
run, recorded, summary = STUDY.run, STUDY.recorded, STUDY.summary
