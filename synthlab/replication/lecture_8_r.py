"""What the R package IdentificationRiskCalculation says of the stand-in data of lecture 8.

Live where R, rpy2 and the package are there, else as recorded by data/reference/lecture_8_simulated.R.
"""

from __future__ import annotations

import json
from contextlib import redirect_stdout
from dataclasses import dataclass
from io import StringIO
from typing import Any

import pandas as pd

from synthlab import _checks, datasets
from synthlab.datasets._files import packaged_file
from synthlab.replication.lecture_8 import MEASURES

RECORDED = "reference/lecture_8_simulated.json"
PACKAGE = "IdentificationRiskCalculation"
DATASETS = {"acs-lecture": ("acs", ("lecture",)), "ce-income": ("ce", ("1", "2", "3"))}


@dataclass(frozen=True, slots=True, eq=False)
class RAnswer:
    """An answer of R.

    Attributes
    ----------
    table : pandas.DataFrame
        One row a synthetic dataset 1..m, with the four file-level measures.
    live : bool
        Whether R computed it just now.
    source : str
        Which R and which package, and whether live or recorded.
    """

    table: pd.DataFrame
    live: bool
    source: str

    def __str__(self) -> str:
        return f"{self.table.to_string(float_format='{:.6f}'.format)}\n{self.source}"

    __repr__ = __str__


def lecture_8_in_r(case: str = "acs-lecture", *, live: bool | None = None) -> RAnswer:
    """Return what R says of a case of lecture 8 on the stand-in data.

    Parameters
    ----------
    case : {"acs-lecture", "ce-income"}
        The lecture's release of the ACS stand-in, matched on four synthesized variables; or the three
        synthetic versions of the CE stand-in, matched on income within 10 percent.
    live : bool, optional
        True insists on R, False on the recorded answer; by default R where it can be called.

    Returns
    -------
    RAnswer

    Raises
    ------
    InputError
        If there is no such case.
    RUnavailableError
        With ``live=True``, if R, rpy2 or the package is missing.

    Examples
    --------
    >>> from synthlab.replication import lecture_8_in_r
    >>> lecture_8_in_r("acs-lecture", live=False).table.round(4).values.tolist()
    [[44.4391, 0.0007, 0.956, 159.0]]
    """
    _checks.check_choice(case, "case", tuple(DATASETS))
    recorded = json.loads(packaged_file(RECORDED).read_text(encoding="utf-8"))
    what = next(c for c in recorded["cases"] if c["id"] == case)
    if live is None:
        from synthlab.r import probe

        live = probe().has(PACKAGE)
    if live:
        return _ask(case, what)
    index = pd.RangeIndex(1, len(what["n_unique"]) + 1, name="dataset")
    table = pd.DataFrame({measure: what[measure] for measure in MEASURES}, index=index)
    source = f"Recorded: {recorded['R']}, {PACKAGE} {recorded[PACKAGE]}; made by {recorded['generator']}."
    return RAnswer(table, False, source)


def _ask(case: str, what: dict[str, Any]) -> RAnswer:
    from synthlab.r import identification_risk, probe

    name, labels = DATASETS[case]
    data = datasets.load(name, version="simulated")
    radius = None if what["radius"] is None else dict.fromkeys(what["synthesized"], what["radius"])
    frames = [data.synthetic_version(label) for label in labels]
    # For a single radius the package prints a warning about its length that is beside the point.
    with redirect_stdout(StringIO()):
        answer = identification_risk(
            data.frame, frames, known=what["known"], synthesized=what["synthesized"], radius=radius
        )
    status = probe()
    return RAnswer(answer.to_frame(), True, f"Live: {status.r}, {PACKAGE} {status.packages[PACKAGE]}.")
