"""The results of the R package IdentificationRiskCalculation on the stand-in data of lecture 8.

Live where R and the package are there, else as recorded by data/reference/match_risk.R.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from replications.lecture_8.slides import MEASURES
from synthlab import _checks
from synthlab.r import Reference, reference

CASES = ("acs-lecture", "ce-income")
SAID = {"n_unique": "unique matches"}  # what the R script calls a measure, where it is not the name without underscores


def lecture_8_in_r(case: str = "acs-lecture", *, live: bool | None = None) -> Reference:
    """Return what R says of a case of lecture 8 on the stand-in data.

    Parameters
    ----------
    case : {"acs-lecture", "ce-income"}
        The lecture's release of the ACS stand-in, matched on four synthesized variables; or the three
        synthetic versions of the CE stand-in, matched on income within 10 percent.
    live : bool, optional
        True insists on R, False on the recorded answer; by default R where it can be asked.

    Returns
    -------
    Reference
        Its table has one row per synthetic dataset 1..m, with the four file-level measures.

    Raises
    ------
    InputError
        If there is no such case.
    RUnavailableError
        With ``live=True``, if R or the package is missing.

    Examples
    --------
    >>> from replications.lecture_8 import lecture_8_in_r
    >>> lecture_8_in_r("acs-lecture", live=False).table.round(4).values.tolist()
    [[44.4391, 0.0007, 0.956, 159.0]]
    """
    _checks.check_choice(case, "case", CASES)
    answer = reference("match_risk", live=live)
    columns = {
        measure: np.atleast_1d(answer.value(what=SAID.get(measure, measure.replace("_", " ")), case=case))
        for measure in MEASURES
    }
    index = pd.RangeIndex(1, len(columns[MEASURES[0]]) + 1, name="dataset")
    return Reference(pd.DataFrame(columns, index=index), answer.live, answer.source)
