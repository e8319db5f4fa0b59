"""Lecture 1: how many records are unique in what an intruder knows."""

from __future__ import annotations

from typing import Any

import pandas as pd

from synthlab.teaching.checking import Exercise


def uniques(frame: pd.DataFrame, known: list[str]) -> Any:
    """Return the number of records that are alone with their known values."""
    return int((~frame.duplicated(known, keep=False)).sum())


def _groups(frame: pd.DataFrame, known: list[str]) -> Any:
    return len(frame.drop_duplicates(known))


def _in_crowds(frame: pd.DataFrame, known: list[str]) -> Any:
    return int(frame.duplicated(known, keep=False).sum())


def _whole_rows(frame: pd.DataFrame, known: list[str]) -> Any:
    return int((~frame.duplicated(keep=False)).sum())


def _one_variable(frame: pd.DataFrame, known: list[str]) -> Any:
    return int((~frame.duplicated(known[:1], keep=False)).sum())


def _each_alone(frame: pd.DataFrame, known: list[str]) -> Any:
    return sum(int((~frame.duplicated([name], keep=False)).sum()) for name in known)


def _without_missing(frame: pd.DataFrame, known: list[str]) -> Any:
    return int((frame.groupby(known).size() == 1).sum())


def _share(frame: pd.DataFrame, known: list[str]) -> Any:
    return uniques(frame, known) / len(frame)


SIX = pd.DataFrame({"region": list("NNNSSE"), "age": [30, 30, 40, 30, 50, 40], "income": [10, 20, 40, 15, 15, 32]})
GAPS = pd.DataFrame({"region": ["N", None, "S", "S", "E"], "age": [30, 30, 50, 50, 60], "income": [1, 2, 3, 3, 4]})


def _answers(function: Any) -> dict[str, Any]:
    return {
        "the six people": function(SIX, ["region", "age"]),
        "the six people, by age alone": function(SIX, ["age"]),
        "five people, one with no region": function(GAPS, ["region", "age"]),
    }


EXERCISES = (
    Exercise(
        "01.uniques",
        answers=_answers,
        right=uniques,
        slips={
            "That is the number of groups; count only the groups of one.": _groups,
            "These are the people who share their known values; count the others.": _in_crowds,
            "Compare the known variables alone, not whole rows.": _whole_rows,
            "That uses the first known variable alone; two people are alike if all known values agree.": _one_variable,
            "That looks at one variable at a time; the known values of a person belong together.": _each_alone,
            "A group with a missing value was left out; `groupby` drops it unless dropna=False.": _without_missing,
            "That is a share; give the number of people.": _share,
        },
    ),
)
