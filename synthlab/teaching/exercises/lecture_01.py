"""Lecture 1: the number of records that are unique in the known variables."""

from __future__ import annotations

from typing import Any

import pandas as pd

from synthlab.teaching.checking import Exercise
from synthlab.teaching.exercises.labels import as_number


def uniques(frame: pd.DataFrame, known: list[str]) -> Any:
    """Return the number of records with unique known values."""
    return int((~frame.duplicated(known, keep=False)).sum())


SIX = pd.DataFrame({"region": list("NNNSSE"), "age": [30, 30, 40, 30, 50, 40], "income": [10, 20, 40, 15, 15, 32]})
GAPS = pd.DataFrame({"region": ["N", None, "S", "S", "E"], "age": [30, 30, 50, 50, 60], "income": [1, 2, 3, 3, 4]})


def _answers(function: Any) -> dict[str, Any]:
    return {
        "the six people": function(SIX, ["region", "age"]),
        "the six people, by age alone": function(SIX, ["age"]),
        "three people, 1 and 11, 11 and 1, 1 and 1": function(
            pd.DataFrame({"children": [1, 11, 1], "age": [11, 1, 1], "income": [1, 2, 3]}), ["children", "age"]
        ),
        "five people, one with no region": function(GAPS, ["region", "age"]),
    }


EXERCISES = (
    Exercise(
        "01.uniques",
        form=as_number,
        answers=_answers,
        right=uniques,
        slips={
            "This is the number of groups; count only the groups of one person.": {"keep=False": 'keep="first"'},
            "These are the people who share their known values; count the others.": {"~": ""},
            "Compare only the known variables, not whole rows.": {"known, keep": "keep"},
            "This uses only the first known variable; two people are in the same group if all known values are equal.": {
                "known, keep": "known[:1], keep"
            },
            "This counts each variable separately; use all known variables together.": {
                "int((~frame.duplicated(known, keep=False)).sum())": "sum(int((~frame.duplicated([name], keep=False)).sum()) for name in known)"
            },
            "Groups with a missing value were dropped; use `groupby(..., dropna=False)`.": {
                "~frame.duplicated(known, keep=False)": "frame.groupby(known).size() == 1"
            },
            "This is a share; return the number of people.": {".sum())": ".sum()) / len(frame)"},
        },
    ),
)
