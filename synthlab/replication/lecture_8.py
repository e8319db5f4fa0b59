"""The numbers of Hu's lecture 8 on the real ACS sample, beside ours and those of the R package.

The sample is public but may not travel with the package: where it is not on this machine, the
published numbers and those recorded from R still stand in the table, ours are missing, and the
status says how to get the data.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from synthlab import datasets
from synthlab.datasets import Dataset
from synthlab.datasets._files import packaged_file
from synthlab.exceptions import DatasetUnavailableError, SynthlabWarning
from synthlab.intruder import Intruder
from synthlab.risk import identification_risk

KNOWN = ("SEX", "RACE", "MAR")
MEASURES = ("expected_match_risk", "true_match_rate", "false_match_rate", "n_unique")
RECORDED = "reference/identification_risk_calculation.json"


@dataclass(frozen=True, slots=True)
class Case:
    """One attack of the lecture: the released data, what is matched on, and what was published.

    Attributes
    ----------
    label : str or None
        The synthetic version of the dataset; None: the confidential data released as they are.
    synthesized : tuple of str
        The variables whose true values the intruder knows.
    published : mapping {measure: number as printed}
        Text, because the digits that are printed say how close a number has to be.
    recorded : str
        The case in the recorded answers of the R package.
    """

    label: str | None
    synthesized: tuple[str, ...]
    published: Mapping[str, str]
    recorded: str


CASES = {
    "as is": Case(
        None,
        ("DIS", "HICOV"),
        dict(zip(MEASURES, ("173", "0.003", "0", "30"), strict=True)),
        "acs-confidential-slide",
    ),
    "synthetic": Case(
        "lecture",
        ("LANX", "WAOB", "DIS", "HICOV"),
        dict(zip(MEASURES, ("41.37", "0.0005", "0.974", "195"), strict=True)),
        "acs-synthetic-lecture",
    ),
}


@dataclass(frozen=True, slots=True, eq=False)
class Lecture8Result:
    """Published numbers beside ours.

    Attributes
    ----------
    table : pandas.DataFrame
        Indexed by (release, measure); columns ``published`` (text, as printed), ``r`` (recorded from the R
        package), ``here`` (computed on this machine, NaN without the data) and ``agrees`` (whether the number
        computed here rounds to the published one; None without the data).
    at_hand : bool
        Whether the real sample was on this machine.
    status : str
        Where this table stands, in a sentence.
    """

    table: pd.DataFrame
    at_hand: bool
    status: str

    def to_frame(self) -> pd.DataFrame:
        """Return a copy of the table."""
        return self.table.copy()

    def __str__(self) -> str:
        words = {True: "yes", False: "NO", None: "-"}
        shown = self.table.assign(
            r=self.table["r"].map("{:.6g}".format),
            here=self.table["here"].map(lambda v: "-" if pd.isna(v) else f"{v:.6g}"),
            agrees=self.table["agrees"].map(words.__getitem__),
        )
        return f"{self.status}\n\n{shown.to_string()}"

    __repr__ = __str__

    def _repr_html_(self) -> str:
        from html import escape

        return f"<p>{escape(self.status)}</p>" + self.table.to_html(float_format="{:.6g}".format, na_rep="-")


def replicate_lecture_8() -> Lecture8Result:
    """Return the published numbers of lecture 8 on the real ACS sample beside those computed here.

    Returns
    -------
    Lecture8Result

    Notes
    -----
    The first case is printed on the slides: the confidential sample against itself, matched on DIS and
    HICOV. The second is the synthetic sample of the course with LANX, WAOB, DIS and HICOV synthesized. The
    slides also print a release with DIS and HICOV alone synthesized (64.78, 0.0007, 0.72, 25) and a CE
    sample of 5,133 units, which are not among the published data, so they cannot be computed again.

    References
    ----------
    Hu, J. Statistical Data Privacy, lecture 8: Methods for risk evaluation, part 1. Vassar College.

    Examples
    --------
    >>> from synthlab.replication import replicate_lecture_8
    >>> replicate_lecture_8().table.loc[("as is", "expected_match_risk"), "published"]
    '173'
    """
    sample = _real_sample()
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    for name, case in CASES.items():
        ours, recorded = _compute(sample, case), _recorded(case)
        for measure in MEASURES:
            printed = case.published[measure]
            here = ours.get(measure, float("nan"))
            rows[name, measure] = {
                "published": printed,
                "r": recorded[measure],
                "here": here,
                "agrees": None if measure not in ours else rounds_to(here, printed),
            }
    table = pd.DataFrame.from_dict(rows, orient="index")
    table.index = pd.MultiIndex.from_tuples(rows, names=["release", "measure"])
    table["agrees"] = table["agrees"].astype(object)
    complete = bool(table["here"].notna().all())
    return Lecture8Result(table, complete, _status(sample, complete))


def rounds_to(value: float, printed: str) -> bool:
    """Say whether a number, rounded to the printed digits, is the printed number.

    Examples
    --------
    >>> from synthlab.replication.lecture_8 import rounds_to
    >>> rounds_to(41.3686, "41.37"), rounds_to(41.3686, "41.36"), rounds_to(172.999999999991, "173")
    (True, False, True)
    """
    decimals = len(printed.partition(".")[2])
    return f"{value:.{decimals}f}" == printed


def _real_sample() -> Dataset | None:
    try:
        return datasets.load("acs", version="real")
    except DatasetUnavailableError:
        return None


def _compute(sample: Dataset | None, case: Case) -> dict[str, float]:
    if sample is None or (case.label is not None and case.label not in sample.labels):
        return {}
    released = sample.frame if case.label is None else sample.synthetic_version(case.label)
    with warnings.catch_warnings():
        # That the known variables alone find more people is what the lecture goes on to discuss.
        warnings.simplefilter("ignore", SynthlabWarning)
        risk = identification_risk(sample.frame, released, Intruder(known=KNOWN, synthesized=case.synthesized))
    return {measure: float(getattr(risk, measure)[0]) for measure in MEASURES}


def _recorded(case: Case) -> dict[str, float]:
    cases = json.loads(packaged_file(RECORDED).read_text(encoding="utf-8"))["cases"]
    found = next(c for c in cases if c["id"] == case.recorded)
    names = {"n_unique": "unique_matches"}
    return {measure: float(np.ravel(found[names.get(measure, measure)])[0]) for measure in MEASURES}


def _status(sample: Dataset | None, complete: bool) -> str:
    if complete:
        return "The real ACS sample is on this machine: the column `here` was computed from it just now."
    what = "is not on this machine" if sample is None else "is on this machine without the lecture's synthetic version"
    return (
        f"The real ACS sample {what}: the column `here` is empty where it is needed, and would hold the published "
        "numbers. `synthlab data fetch acs` gets the data from where they are published."
    )
