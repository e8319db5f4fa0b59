"""Relations between columns that the release does not preserve."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from synthlab import _rng
from synthlab._format import listed, percent
from synthlab._result import Result
from synthlab._typing import FloatArray
from synthlab.exceptions import InputError
from synthlab.report.evaluation_inputs import Question
from synthlab.report.measure import Line, Measure, Row, Write
from synthlab.synthesis import _variable_types
from synthlab.synthesis._identifiers import find_identifiers
from synthlab.synthesis.relations import PRESERVED, Values, detect, share_of

NAMED = 3  # relations named in the line on utility


@dataclass(frozen=True, eq=False, repr=False)
class RelationsResult(Result):
    """Relations that hold in all confidential records.

    Attributes
    ----------
    relations : list of str
        The relations, such as "c = a + b".
    shares : ndarray of shape (relations, m)
        The share of the synthetic records with all values in which each relation holds, per dataset.
    """

    relations: list[str]
    shares: FloatArray

    @property
    def title(self) -> str:
        """The number of relations that are preserved."""
        return (
            f"{len(self.relations) - len(self.lost)} of {len(self.relations)} relations between columns are preserved"
        )

    @property
    def lost(self) -> list[int]:
        """The positions of the relations that some dataset does not preserve."""
        return [int(place) for place in np.flatnonzero((self.shares < PRESERVED).any(axis=1))]

    def summary(self) -> pd.DataFrame:
        """Return one row per relation, with the mean share of records in which it holds."""
        mean = [float(row[~np.isnan(row)].mean()) if (~np.isnan(row)).any() else np.nan for row in self.shares]
        return pd.DataFrame({"holds": mean}, index=pd.Index(self.relations, name="relation"))


class Relations(Measure[RelationsResult]):
    """Relations between columns that the release does not preserve."""

    name = "preserved_relations"
    title = "Relations between columns"
    section = "utility"
    numbers = ("relations_lost",)
    asks_intruder = False
    of_columns = True

    def compute(self, question: Question) -> RelationsResult:
        """Detect the relations in the confidential data and check the synthetic data."""
        frame = question.confidential
        shared = [c for c in frame.columns if all(c in made.columns for made in question.release)]
        apart = {*question.columns.identifiers, *question.columns.other_types}
        roles = _roles(frame, [c for c in shared if c not in apart])
        found = detect(Values.of(frame[list(roles)], roles, {}), _rng.as_generator(question.rng)).exact
        synthetic = [Values.of(made[list(roles)], roles, {}) for made in question.release] if found else []
        shares = np.array([[share_of(one, values) for values in synthetic] for one in found])
        return RelationsResult(list(map(str, found)), shares.reshape(len(found), question.m))

    def rows(self, result: RelationsResult, question: Question) -> list[Row]:
        """Return the number of relations that are not preserved; no row without relations."""
        if not result.relations:
            return []
        lost = (result.shares < PRESERVED).sum(axis=0).astype(float)
        return [Row("relations_lost", "relations not preserved", per_dataset=lost, confidential=0.0)]

    def lines(self, result: RelationsResult, question: Question, people: Write) -> list[Line]:
        """Name each relation that is not preserved."""
        shares = result.summary()["holds"].tolist()
        return [
            Line(
                f"Relation {result.relations[place]}",
                percent(shares[place]),
                "100%",
                f"Share of the records in which the relation holds{question.average}. The release does not preserve it.",
            )
            for place in result.lost
        ]

    def utility(self, result: RelationsResult, question: Question) -> str | None:
        """Name the relations that are not preserved."""
        shares = result.summary()["holds"].tolist()
        lost = [
            f"{result.relations[place]} (holds in {percent(shares[place])} of the records)" for place in result.lost
        ]
        return f"not preserved: {listed(lost, NAMED)}" if lost else None

    def to_dict(self, result: RelationsResult, question: Question, *, publish: bool) -> list[dict[str, Any]]:
        """Return each relation with its share in each dataset."""
        return [
            {
                "relation": name,
                "holds": [None if np.isnan(v) else float(v) for v in row],
                "preserved": place not in result.lost,
            }
            for place, (name, row) in enumerate(zip(result.relations, result.shares, strict=True))
        ]


def _roles(frame: pd.DataFrame, columns: Sequence[str]) -> dict[str, str]:
    """Return the roles of columns, without identifiers and columns that have no role."""
    roles = {}
    for column in columns:
        with contextlib.suppress(InputError):
            roles[column] = _variable_types.role_of(frame[column])
    identifiers = find_identifiers(frame, roles)
    return {column: role for column, role in roles.items() if column not in identifiers}
