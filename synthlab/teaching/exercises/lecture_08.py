"""Lecture 8: the released records that match each person."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from synthlab.teaching.checking import Exercise
from synthlab.teaching.exercises.labels import as_booleans


def matches(truth: pd.DataFrame, released: pd.DataFrame, known: list[str], amount: str, radius: float) -> Any:
    """Return a matrix of matches between people (rows) and released records (columns)."""
    t, z = truth[amount].to_numpy()[:, None], released[amount].to_numpy()
    same = (truth[known].to_numpy()[:, None] == released[known].to_numpy()[None]).all(axis=2)
    near = np.abs(z - t) <= radius * np.abs(t)
    return same & near


PEOPLE = ("Ada", "Ben", "Cleo", "Dan", "Eve", "Finn")
SIX = pd.DataFrame({"region": list("NNNSSS"), "income": [10, 20, 40, 15, 30, 32]})
SIX_RELEASED = SIX.assign(income=[22, 18, 41, 25, 16, 33])
EDGES = pd.DataFrame({"region": list("NNSS"), "sex": list("FMFF"), "income": [10.0, 10.0, -10.0, 10.0]})
EDGES_RELEASED = EDGES.assign(income=[15.0, 15.0, -5.0, 15.0])
# Another number of records, in another order: the known variables of the released records count.
TWO = pd.DataFrame({"region": list("NS"), "income": [10.0, 30.0]})
FIVE_RELEASED = pd.DataFrame({"region": list("SNSNN"), "income": [31.0, 12.4, 40.0, 30.0, 11.0]})


def _pairs(call: str, given: Any, shape: tuple[int, int], people: Sequence[str]) -> dict[str, Any]:
    """Return the entry of each person and record by label, or only the sizes if it is wrong."""
    if given is None or given is ...:
        return {call: None}
    table = np.asarray(given)
    if table.ndim != len(shape):
        return {f"{call}: dimensions of the table": table.ndim}
    sizes = {
        f"{call}: dimensions of the table": 2,
        f"{call}: rows, one per person": table.shape[0],
        f"{call}: columns, one per record": table.shape[1],
    }
    if table.shape != shape:
        return sizes
    pairs = {
        f"{call}: {person} and record {record + 1} (1 is a match)": table[row, record]
        for row, person in enumerate(people)
        for record in range(shape[1])
    }
    return sizes | pairs


def _answers(function: Any) -> dict[str, Any]:
    edges = [f"person {number}" for number in range(1, 5)]
    return {
        **_pairs("six people", function(SIX, SIX_RELEASED, ["region"], "income", 0.2), (6, 6), PEOPLE),
        **_pairs(
            "two known variables, a negative income",
            function(EDGES, EDGES_RELEASED, ["region", "sex"], "income", 0.5),
            (4, 4),
            edges,
        ),
        **_pairs(
            "two people, five records", function(TWO, FIVE_RELEASED, ["region"], "income", 0.2), (2, 5), edges[:2]
        ),
    }


EXERCISES = (
    Exercise(
        "08.matches",
        form=as_booleans,
        answers=_answers,
        right=matches,
        slips={
            "This interval is around the released value; center it on the true value, which the intruder knows.": {
                "radius * np.abs(t)": "radius * np.abs(z)"
            },
            "The ends of the interval count as matches.": {"<=": "<"},
            "The known variables must also be equal.": {"same & near": "near"},
            "The amount must also be within the radius.": {"same & near": "same"},
            "The radius is a share of the true amount; multiply it by the absolute value of the amount.": {
                "radius * np.abs(t)": "radius"
            },
            "The half-width is radius times |y|: an amount can be negative.": {"radius * np.abs(t)": "radius * t"},
            "A released amount can also be too small; use the absolute difference.": {"np.abs(z - t)": "z - t"},
            "All known variables must be equal, not only one of them.": {".all(axis=2)": ".any(axis=2)"},
            "Rows must be people and columns released records; here they are swapped.": {
                "same & near": "(same & near).T"
            },
        },
    ),
)
