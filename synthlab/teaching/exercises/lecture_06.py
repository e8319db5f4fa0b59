"""Lecture 6: pMSE of a logistic regression, and its expected value under the null."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from synthlab.teaching.checking import Exercise
from synthlab.teaching.exercises.labels import as_number


def pmse(confidential: pd.DataFrame, synthetic: pd.DataFrame) -> float:
    """Return the mean squared distance of the probabilities from the synthetic share."""
    import statsmodels.api as sm

    x = sm.add_constant(pd.concat([confidential, synthetic]).to_numpy(float))
    label = np.repeat([0, 1], [len(confidential), len(synthetic)])
    p = sm.Logit(label, x).fit(disp=False).predict()
    return float(np.mean((p - label.mean()) ** 2))


def expected(confidential: pd.DataFrame, synthetic: pd.DataFrame) -> float:
    """Return (k - 1) c (1 - c)^2 / N, with one slope per column."""
    slopes, total = confidential.shape[1], len(confidential) + len(synthetic)
    share = len(synthetic) / total
    return float(slopes * share * (1 - share) ** 2 / total)


COLLEGE = pd.DataFrame({"college": [1, 0, 0, 0]})
COLLEGE_RELEASED = pd.DataFrame({"college": [1, 1, 1, 0]})
TWO = pd.DataFrame({"college": [1, 0, 0, 0, 1], "income": [6.0, 2.0, 3.0, 5.0, 4.0]})
TWO_RELEASED = pd.DataFrame(
    {
        "college": [1, 1, 1, 0, 0, 1, 1, 0, 1, 0, 1, 0],
        "income": [6.0, 7.0, 2.0, 3.0, 4.0, 5.0, 9.0, 8.0, 1.0, 5.0, 7.0, 2.0],
    }
)


def _answers(function: Any) -> dict[str, Any]:
    return {
        "the eight records": function(COLLEGE, COLLEGE_RELEASED),
        "two variables, and more synthetic records than confidential ones": function(TWO, TWO_RELEASED),
    }


EXERCISES = (
    Exercise(
        "06.pmse",
        form=as_number,
        answers=_answers,
        right=pmse,
        tolerance=1e-6,
        slips={
            "Use the distance from c, the share of synthetic records; c is 1/2 only for files of equal size.": {
                "label.mean()": "0.5"
            },
            "Use the distance from c, not from the label of each record.": {"label.mean()": "label"},
            "These are classifications (synthetic or not); use the probabilities.": {"(p - ": "((p > 0.5) - "},
            "Take the mean over all N records, not only over the synthetic records.": {"(p - ": "(p[label == 1] - "},
            "The logistic regression needs a constant.": {"sm.add_constant": ""},
            "This is the root of pMSE.": {"** 2)": "** 2) ** 0.5"},
            "This is the mean absolute distance; square the distances.": {
                "(p - label.mean()) ** 2": "np.abs(p - label.mean())"
            },
            "c is the share of synthetic records, not of confidential records.": {"label.mean()": "(1 - label.mean())"},
            "This is the sum; pMSE is the mean over all N records.": {"np.mean": "np.sum"},
        },
    ),
    Exercise(
        "06.expected",
        form=as_number,
        answers=_answers,
        right=expected,
        slips={
            "There are k - 1 slopes; the constant cannot overfit.": {"shape[1]": "shape[1] + 1"},
            "k counts the constant, so k - 1 is the number of columns.": {"shape[1]": "shape[1] - 1"},
            "c is the share of synthetic records; it is 1/2 only for files of equal size.": {
                "len(synthetic) / total": "0.5"
            },
            "The factor c is missing (c divided by n_s is 1/N).": {"slopes * share": "slopes"},
            "The factor (1 - c) must be squared.": {" ** 2": ""},
            "c is the share of synthetic records, not of confidential records.": {
                "share = len(synthetic)": "share = len(confidential)"
            },
        },
    ),
)
