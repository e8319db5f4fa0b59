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
    return inside.diagonal() * _outside(inside) / len(inside)


def _outside(inside: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the expected number of other records outside each ball."""
    outside = 1 - inside
    np.fill_diagonal(outside, 0)
    return np.asarray(outside.sum(axis=0))


def _with_itself(p: npt.ArrayLike) -> Any:
    inside = np.asarray(p, float)
    return inside.diagonal() * (1 - inside).mean(axis=0)


def _other_records(p: npt.ArrayLike) -> Any:
    return expected(p) * len(np.asarray(p)) / (len(np.asarray(p)) - 1)


def _rows(p: npt.ArrayLike) -> Any:
    return expected(np.asarray(p, float).T)


def _without_own(p: npt.ArrayLike) -> Any:
    inside = np.asarray(p, float)
    return _outside(inside) / len(inside)


def _share_inside(p: npt.ArrayLike) -> Any:
    inside = np.asarray(p, float)
    return inside.diagonal() * (inside.sum(axis=0) - inside.diagonal()) / len(inside)


def _own_outside(p: npt.ArrayLike) -> Any:
    inside = np.asarray(p, float)
    return (1 - inside.diagonal()) * _outside(inside) / len(inside)


def _number(p: npt.ArrayLike) -> Any:
    return expected(p) * len(np.asarray(p))


def _own_for_all(p: npt.ArrayLike) -> Any:
    own = np.asarray(p, float).diagonal()
    return own * (1 - own) * (own.size - 1) / own.size


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
            "Count only the other records: if the own value is inside, it is not outside.": _with_itself,
            "The pattern has N records, including the own one; divide by N.": _other_records,
            "The ball is that of record i; sum over the column i of p.": _rows,
            "IR is 0 if the own value is outside; multiply by the probability that it is inside.": _without_own,
            "This is the expected share inside; IR is the share outside.": _share_inside,
            "The own value must be inside; use p[i, i], not 1 - p[i, i].": _own_outside,
            "This is the expected number of records outside; divide by N.": _number,
            "Each record h has its own probability p[h, i]; do not use p[i, i] for all of them.": _own_for_all,
        },
    ),
)
