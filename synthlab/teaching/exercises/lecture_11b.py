"""Lecture 11b: the expected identification probability of each record."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from synthlab.teaching.checking import Exercise
from synthlab.teaching.exercises.labels import label_values


def expected(p: npt.ArrayLike) -> Any:
    """Return the expected IR of each record i, from p[h, i], the probability that h is in the ball of i."""
    inside = np.asarray(p, float)
    outside = 1 - inside
    np.fill_diagonal(outside, 0)
    return inside.diagonal() * outside.sum(axis=0) / len(inside)


FOUR = [[0.5, 0.4, 0.0, 0.1], [0.3, 0.6, 0.1, 0.0], [0.1, 0.2, 0.8, 0.3], [0.0, 0.1, 0.2, 0.9]]
TWO = [[1.0, 0.2], [0.0, 0.7]]


def _answers(function: Callable[..., Any]) -> dict[str, Any]:
    cases = {"four records": FOUR, "two records": TWO}
    return {
        name: label_values(function(np.array(p)), [f"record {i + 1}" for i in range(len(p))])
        for name, p in cases.items()
    }


EXERCISES = (
    Exercise(
        "11b.expected",
        answers=_answers,
        right=expected,
        slips={
            "Count only the other records: if the own value is inside, it is not outside.": {
                "    np.fill_diagonal(outside, 0)\n": ""
            },
            "The pattern has N records, including the own one; divide by N.": {"len(inside)": "(len(inside) - 1)"},
            "The ball is that of record i; sum over the column i of p.": {
                "np.asarray(p, float)": "np.asarray(p, float).T"
            },
            "IR is 0 if the own value is outside; multiply by the probability that it is inside.": {
                "inside.diagonal() * ": ""
            },
            "This is the expected share inside; IR is the share outside.": {"1 - inside": "inside.copy()"},
            "The own value must be inside; use p[i, i], not 1 - p[i, i].": {
                "inside.diagonal()": "(1 - inside.diagonal())"
            },
            "This is the expected number of records outside; divide by N.": {" / len(inside)": ""},
            "Each record h has its own probability p[h, i]; do not use p[i, i] for all of them.": {
                "outside.sum(axis=0)": "(1 - inside.diagonal()) * (len(inside) - 1)"
            },
        },
    ),
)
