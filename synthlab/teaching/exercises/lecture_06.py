"""Lecture 6: pMSE of a logistic regression, and its expected value under the null."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from synthlab.teaching.checking import Exercise


def _fit(confidential: pd.DataFrame, synthetic: pd.DataFrame, constant: bool = True) -> tuple[Any, Any]:
    """Return the probability that each record is synthetic, and its label."""
    import statsmodels.api as sm

    x = pd.concat([confidential, synthetic]).to_numpy(float)
    label = np.repeat([0, 1], [len(confidential), len(synthetic)])
    return sm.Logit(label, sm.add_constant(x) if constant else x).fit(disp=False).predict(), label


def pmse(confidential: pd.DataFrame, synthetic: pd.DataFrame) -> float:
    """Return the mean squared distance of the probabilities from the synthetic share."""
    p, label = _fit(confidential, synthetic)
    return float(np.mean((p - label.mean()) ** 2))


def _from_a_half(confidential: pd.DataFrame, synthetic: pd.DataFrame) -> float:
    p, _ = _fit(confidential, synthetic)
    return float(np.mean((p - 0.5) ** 2))


def _from_the_label(confidential: pd.DataFrame, synthetic: pd.DataFrame) -> float:
    p, label = _fit(confidential, synthetic)
    return float(np.mean((p - label) ** 2))


def _verdicts(confidential: pd.DataFrame, synthetic: pd.DataFrame) -> float:
    p, label = _fit(confidential, synthetic)
    return float(np.mean(((p > 0.5) - label.mean()) ** 2))


def _synthetic_alone(confidential: pd.DataFrame, synthetic: pd.DataFrame) -> float:
    p, label = _fit(confidential, synthetic)
    return float(np.mean((p[label == 1] - label.mean()) ** 2))


def _without_constant(confidential: pd.DataFrame, synthetic: pd.DataFrame) -> float:
    p, label = _fit(confidential, synthetic, constant=False)
    return float(np.mean((p - label.mean()) ** 2))


def _summed(confidential: pd.DataFrame, synthetic: pd.DataFrame) -> float:
    return pmse(confidential, synthetic) * (len(confidential) + len(synthetic))


def _root(confidential: pd.DataFrame, synthetic: pd.DataFrame) -> float:
    return float(np.sqrt(pmse(confidential, synthetic)))


def _absolute(confidential: pd.DataFrame, synthetic: pd.DataFrame) -> float:
    p, label = _fit(confidential, synthetic)
    return float(np.mean(np.abs(p - label.mean())))


def _share_confidential(confidential: pd.DataFrame, synthetic: pd.DataFrame) -> float:
    p, label = _fit(confidential, synthetic)
    return float(np.mean((p - (1 - label.mean())) ** 2))


def expected(confidential: pd.DataFrame, synthetic: pd.DataFrame) -> float:
    """Return (k - 1) c (1 - c)^2 / N, with one slope per column."""
    return _expected(confidential, synthetic, confidential.shape[1])


def _expected(confidential: pd.DataFrame, synthetic: pd.DataFrame, slopes: int, power: int = 2, c: int = 1) -> float:
    total = len(confidential) + len(synthetic)
    share = len(synthetic) / total
    return float(slopes * share**c * (1 - share) ** power / total)


def _with_constant(confidential: pd.DataFrame, synthetic: pd.DataFrame) -> float:
    return _expected(confidential, synthetic, confidential.shape[1] + 1)


def _without_c(confidential: pd.DataFrame, synthetic: pd.DataFrame) -> float:
    return _expected(confidential, synthetic, confidential.shape[1], c=0)


def _not_squared(confidential: pd.DataFrame, synthetic: pd.DataFrame) -> float:
    return _expected(confidential, synthetic, confidential.shape[1], power=1)


def _turned(confidential: pd.DataFrame, synthetic: pd.DataFrame) -> float:
    return _expected(synthetic, confidential, confidential.shape[1])


def _one_too_few(confidential: pd.DataFrame, synthetic: pd.DataFrame) -> float:
    return _expected(confidential, synthetic, confidential.shape[1] - 1)


def _share_a_half(confidential: pd.DataFrame, synthetic: pd.DataFrame) -> float:
    return confidential.shape[1] / 8 / (len(confidential) + len(synthetic))


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
        answers=_answers,
        right=pmse,
        tolerance=1e-6,
        slips={
            "Use the distance from c, the share of synthetic records; c is 1/2 only for files of equal size.": _from_a_half,
            "Use the distance from c, not from the label of each record.": _from_the_label,
            "These are classifications (synthetic or not); use the probabilities.": _verdicts,
            "Take the mean over all N records, not only over the synthetic records.": _synthetic_alone,
            "The logistic regression needs a constant.": _without_constant,
            "This is the root of pMSE.": _root,
            "This is the mean absolute distance; square the distances.": _absolute,
            "c is the share of synthetic records, not of confidential records.": _share_confidential,
            "This is the sum; pMSE is the mean over all N records.": _summed,
        },
    ),
    Exercise(
        "06.expected",
        answers=_answers,
        right=expected,
        slips={
            "There are k - 1 slopes; the constant cannot overfit.": _with_constant,
            "k counts the constant, so k - 1 is the number of columns.": _one_too_few,
            "c is the share of synthetic records; it is 1/2 only for files of equal size.": _share_a_half,
            "The factor c is missing (c divided by n_s is 1/N).": _without_c,
            "The factor (1 - c) must be squared.": _not_squared,
            "c is the share of synthetic records, not of confidential records.": _turned,
        },
    ),
)
