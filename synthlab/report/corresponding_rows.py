"""People whose released record is known in every dataset, by the order of the rows or by unique unchanged values."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from synthlab._typing import IntArray
from synthlab.matching.kernel import block_codes
from synthlab.report.evaluation_inputs import Question
from synthlab.risk.copies.row_agreement import FEWEST

NOT_FOUND = "the released record of a person cannot be found."


@dataclass(frozen=True, slots=True, eq=False)
class CorrespondingRows:
    """The confidential records of people and their rows in every dataset, in the same order.

    `kept` are the columns that are equal in all these rows and not declared synthetic; `synthesized` are all others, without
    constants and without columns that follow from unchanged ones. `by_row` is False if people were found by their values.
    """

    confidential: pd.DataFrame
    frames: list[pd.DataFrame]
    kept: list[str]
    synthesized: list[str]
    by_row: bool

    @property
    def whose(self) -> str:
        """The text that restricts the people, after their number."""
        return "" if self.by_row else " with unique values"


def corresponding_rows(question: Question) -> CorrespondingRows | None:
    """Return the people whose released record is known; None for fewer than 60 people or without a synthesized column."""
    places = _places(question)
    found = np.flatnonzero(np.all([place >= 0 for place in places], axis=0)) if places else np.zeros(0, dtype=np.int64)
    if found.size < FEWEST:
        return None
    roles = question.columns
    names = [c for c in roles.comparable if c not in roles.derived]
    own = question.confidential[names].iloc[found].reset_index(drop=True)
    frames = [
        one[names].iloc[place[found]].reset_index(drop=True)
        for one, place in zip(question.release, places, strict=True)
    ]
    kept, synthesized = [], []
    for column in names:
        codes = block_codes([own, *frames], [column], "category")
        if column not in roles.synthesized and all(np.array_equal(codes[0], one) for one in codes[1:]):
            kept.append(column)
        elif (codes[0] != codes[0][0]).any():
            synthesized.append(column)
    return CorrespondingRows(own, frames, kept, synthesized, question.rows.by_row) if synthesized else None


def _places(question: Question) -> list[IntArray]:
    """Return the row of each person's released record in each dataset; -1 if it is not known."""
    if question.rows.by_row:
        return [np.arange(question.n)] * question.m
    roles = question.columns
    declared = [c for c in roles.comparable if c not in roles.synthesized]
    places = []
    for number, one in enumerate(question.release):
        keys = [c for c in declared if c in roles.unchanged[number]]
        if not keys:
            return []
        places.append(_unique_places(*block_codes([question.confidential, one], keys, "category")))
    return places


def _unique_places(own: IntArray, other: IntArray) -> IntArray:
    """Return the row of `other` with the code of each record.

    The row is -1 unless the code is unique in both files.
    """
    size = max(int(own.max()), int(other.max())) + 1
    alone = (np.bincount(own, minlength=size) == 1) & (np.bincount(other, minlength=size) == 1)
    row = np.full(size, -1, dtype=np.int64)
    row[other] = np.arange(other.size)
    return np.where(alone[own], row[own], -1)
