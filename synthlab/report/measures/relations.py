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
from synthlab._typing import FloatArray, IntArray
from synthlab.exceptions import InputError
from synthlab.report.evaluation_inputs import Question
from synthlab.report.measure import Answer, Line, Measure, Row, Write, rated
from synthlab.synthesis import _variable_types
from synthlab.synthesis._identifiers import find_identifiers
from synthlab.synthesis.relations import Condition, RelationCondition, Values, detect
from synthlab.synthesis.release_check import check_release, stored_conditions

NAMED = 3  # relations named in the line on utility


@dataclass(frozen=True, eq=False, repr=False)
class RelationsResult(Result):
    """Relations and other conditions that all confidential records satisfy.

    Attributes
    ----------
    relations : list of str
        The relations, such as "c = a + b", and the conditions of the plan, such as "c: within the range of the file".
    shares : ndarray of shape (relations, m)
        The share of the synthetic records with all values in which each relation holds, per dataset.
    broken : ndarray of shape (relations, m)
        The number of synthetic records that break each relation, per dataset.
    """

    relations: list[str]
    shares: FloatArray
    broken: IntArray

    @property
    def title(self) -> str:
        """The number of relations and other conditions that every record satisfies."""
        return f"{len(self.relations) - len(self.lost)} of {len(self.relations)} relations and ranges of columns are preserved"

    @property
    def lost(self) -> list[int]:
        """The positions of the relations that some synthetic record breaks."""
        return [int(place) for place in np.flatnonzero(self.broken.any(axis=1))]

    def summary(self) -> pd.DataFrame:
        """Return one row per relation: the mean share of records in which it holds, and the number that break it."""
        mean = [float(row[~np.isnan(row)].mean()) if (~np.isnan(row)).any() else np.nan for row in self.shares]
        index = pd.Index(self.relations, name="relation")
        return pd.DataFrame({"holds": mean, "records_broken": self.broken.sum(axis=1)}, index=index)


class Relations(Measure[RelationsResult]):
    """Relations between columns that the release does not preserve."""

    name = "preserved_relations"
    title = "Relations between columns"
    section = "utility"
    numbers = ("relations_lost",)
    asks_intruder = False
    of_columns = True

    def compute(self, question: Question) -> RelationsResult:
        """Detect the relations in the confidential data, add those of the plan, and check the synthetic data."""
        frame = question.confidential
        shared = [c for c in frame.columns if all(c in made.columns for made in question.release)]
        apart = {*question.columns.identifiers, *question.columns.other_types}
        roles = _roles(frame, [c for c in shared if c not in apart])
        roles = {c: role for c, role in roles.items() if all(_has_role(made[c], role) for made in question.release)}
        values = Values.of(frame[list(roles)], roles, {})
        found = detect(values, _rng.as_generator(question.rng)).exact
        conditions: list[Condition] = [RelationCondition.of_relation(one, values, {}) for one in found]
        known = {str(one) for one in conditions}
        planned = stored_conditions(question.release.provenance, values, {}, values.frame.columns)
        conditions += [one for one in planned if str(one) not in known and one.holds(frame).all()]
        check = check_release(conditions, list(question.release))
        with np.errstate(invalid="ignore"):
            shares = (check.complete - check.broken) / check.complete
        return RelationsResult(list(map(str, conditions)), shares, check.broken)

    def rows(self, result: RelationsResult, question: Question) -> list[Row]:
        """Return the number of relations that are not preserved; no row without relations."""
        if not result.relations:
            return []
        lost = (result.broken > 0).sum(axis=0).astype(float)
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

    def answers(self, result: RelationsResult, question: Question, people: Write) -> list[Answer]:
        """Name the relations that are not preserved."""
        shares = result.summary()["holds"].tolist()
        broken = result.broken.sum(axis=1).tolist()
        lost = [
            f"{result.relations[place]} holds in {percent(shares[place])} of the records "
            f"({broken[place]:,} break{'s' * (broken[place] == 1)} it)"
            for place in result.lost
        ]
        if not result.relations:
            return []
        found = f"{len(lost)} of {len(result.relations)} lost" + (f": {listed(lost, NAMED)}" if lost else "")
        return [rated("Relations between columns", found, "none lost", len(lost), 0, 0)]

    def to_dict(self, result: RelationsResult, question: Question, *, publish: bool) -> list[dict[str, Any]]:
        """Return each relation with its share in each dataset."""
        return [
            {
                "relation": name,
                "holds": [None if np.isnan(v) else float(v) for v in row],
                "records_broken": result.broken[place].tolist(),
                "preserved": place not in result.lost,
            }
            for place, (name, row) in enumerate(zip(result.relations, result.shares, strict=True))
        ]


def _has_role(series: pd.Series, role: str) -> bool:
    """Return whether a column of a synthetic dataset can be read like the confidential column."""
    try:
        found = _variable_types.role_of(series)
    except InputError:
        return False
    return found in (role, _variable_types.CONSTANT) or role not in _variable_types.ON_A_SCALE


def _roles(frame: pd.DataFrame, columns: Sequence[str]) -> dict[str, str]:
    """Return the roles of columns, without identifiers and columns that have no role."""
    roles = {}
    for column in columns:
        with contextlib.suppress(InputError):
            roles[column] = _variable_types.role_of(frame[column])
    identifiers = find_identifiers(frame, roles)
    return {column: role for column, role in roles.items() if column not in identifiers}
