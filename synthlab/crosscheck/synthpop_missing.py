"""Missing values and missing-value codes in trees of synthpop and of `CART`."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from synthlab import datasets
from synthlab.crosscheck._check import Row
from synthlab.r import Reference
from synthlab.synthesizers import CART

M, SEED = 20, 20_240
CODE = -8
NAMES = ["age", "children", "occupation", "affairs"]


def missing_values(answer: Reference) -> Iterator[Row]:
    """Yield the rows of the shares in the survey and in the synthetic data.

    The unit of the latter is the standard error of the share in one file.
    """
    for case, frame in _surveys().items():
        fitted = CART(NAMES).fit(frame, missing_codes={"affairs": [CODE]}, rng=SEED)
        groups = [_groups(one) for one in (frame, *fitted.generate(M, rng=SEED))]
        names = [name for name, cells in groups[0].items() if cells.any()]
        shares = np.array([[cells[name].mean() for name in names] for cells in groups])
        theirs = np.array([answer.value(what=name, case=case) for name in names])
        yield Row("shares missing in the survey", case, shares[0], theirs[:, 0], "share")
        sizes = np.array([groups[0][name].size for name in names])
        error = np.sqrt(shares[0] * (1 - shares[0]) / sizes)
        made = shares[1:].mean(axis=0) / error
        said = "shares missing in the synthetic data, in standard errors"
        yield Row(said, case, made, theirs[:, 1] / error, "share of missing values")


def _surveys() -> dict[str, pd.DataFrame]:
    """Return the surveys of synthpop_missing.R: missing alone, and with a code."""
    frame = datasets.load("affairs").frame[NAMES].astype({"affairs": float})
    i = np.arange(len(frame))
    lost = np.sin(1.7 * i) > np.where(frame["age"] > 30, 0.3, 0.9)
    unsaid = np.sin(2.1 * i + 1) > 0.85
    coded = np.sin(2.3 * i + 2) > np.where(frame["children"] > 1, 0.7, 0.95)
    occupation = frame["occupation"].astype(str).mask(unsaid)
    survey = frame.assign(occupation=occupation, affairs=frame["affairs"].mask(lost))
    return {"missing alone": survey, "missing and a code": survey.assign(affairs=survey["affairs"].mask(coded, CODE))}


def _groups(frame: pd.DataFrame) -> dict[str, pd.Series]:
    """Return masks of missing or coded values for the groups of records of each share."""
    lost, unsaid, code = frame["affairs"].isna(), frame["occupation"].isna(), frame["affairs"] == CODE
    old, many = frame["age"] > 30, frame["children"] > 1
    return {
        "missing": lost,
        "missing over 30": lost[old],
        "missing up to 30": lost[~old],
        "missing occupation": unsaid,
        "both missing": lost & unsaid,
        "code": code,
        "code with children": code[many],
        "code with few": code[~many],
    }
