"""Lecture 8: the released records that match each person."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from synthlab.teaching.checking import Exercise


def matches(truth: pd.DataFrame, released: pd.DataFrame, known: list[str], amount: str, radius: float) -> Any:
    """Return a matrix of matches between people (rows) and released records (columns)."""
    t, z = truth[amount].to_numpy(), released[amount].to_numpy()
    return _same(truth, released, known) & (np.abs(z - t[:, None]) <= radius * np.abs(t)[:, None])


def _same(truth: pd.DataFrame, released: pd.DataFrame, known: list[str]) -> Any:
    return (truth[known].to_numpy()[:, None] == released[known].to_numpy()[None]).all(axis=2)


def _around_released(truth: pd.DataFrame, released: pd.DataFrame, known: list[str], amount: str, radius: float) -> Any:
    t, z = truth[amount].to_numpy(), released[amount].to_numpy()
    return _same(truth, released, known) & (np.abs(z - t[:, None]) <= radius * np.abs(z))


def _open_interval(truth: pd.DataFrame, released: pd.DataFrame, known: list[str], amount: str, radius: float) -> Any:
    t, z = truth[amount].to_numpy(), released[amount].to_numpy()
    return _same(truth, released, known) & (np.abs(z - t[:, None]) < radius * np.abs(t)[:, None])


def _amount_alone(truth: pd.DataFrame, released: pd.DataFrame, known: list[str], amount: str, radius: float) -> Any:
    t, z = truth[amount].to_numpy(), released[amount].to_numpy()
    return np.abs(z - t[:, None]) <= radius * np.abs(t)[:, None]


def _known_alone(truth: pd.DataFrame, released: pd.DataFrame, known: list[str], amount: str, radius: float) -> Any:
    return _same(truth, released, known)


def _turned(truth: pd.DataFrame, released: pd.DataFrame, known: list[str], amount: str, radius: float) -> Any:
    return matches(truth, released, known, amount, radius).T


SIX = pd.DataFrame({"region": list("NNNSSS"), "income": [10, 20, 40, 15, 30, 32]})
SIX_RELEASED = SIX.assign(income=[22, 18, 41, 25, 16, 33])
EDGES = pd.DataFrame({"region": list("NNS"), "sex": list("FMF"), "income": [10.0, 10.0, -10.0]})
EDGES_RELEASED = EDGES.assign(income=[15.0, 15.0, -5.0])


def _answers(function: Any) -> dict[str, Any]:
    return {
        "the six people": function(SIX, SIX_RELEASED, ["region"], "income", 0.2),
        "values at the ends of the intervals": function(EDGES, EDGES_RELEASED, ["region", "sex"], "income", 0.5),
    }


EXERCISES = (
    Exercise(
        "08.matches",
        answers=_answers,
        right=matches,
        slips={
            "This interval is around the released value; center it on the true value, which the intruder knows.": _around_released,
            "The ends of the interval count as matches.": _open_interval,
            "The known variables must also be equal.": _amount_alone,
            "The amount must also be within the radius.": _known_alone,
            "Rows must be people and columns released records; here they are swapped.": _turned,
        },
    ),
)
