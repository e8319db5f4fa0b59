"""Findings about columns: unchanged, undeclared, identifying, or of another type."""

from __future__ import annotations

from typing import Any

import numpy as np

from synthlab._format import listed
from synthlab.matching.kernel import block_codes
from synthlab.report.columns import ColumnRoles, unique_values
from synthlab.report.evaluation_inputs import Question
from synthlab.report.measure import Finding, Line, Measure, Row, Shown, Table, Write, out_of
from synthlab.risk.copies.shifted_dates import shifted_records

RESOLVED = {
    "texts": "values differ only in case, blanks or encoding; compared without this difference",
    "numbers": "numbers are stored as text; compared as numbers",
}


class Columns(Measure[ColumnRoles]):
    """Role of every column, and findings about the columns."""

    name = "columns"
    title = "Roles of the columns"
    section = "risk"
    asks_intruder = False
    of_columns = True

    def compute(self, question: Question) -> ColumnRoles:
        """Return the roles of the columns."""
        return question.columns

    def rows(self, result: ColumnRoles, question: Question) -> list[Row]:
        """Return no number."""
        return []

    def lines(self, result: ColumnRoles, question: Question, people: Write) -> list[Line]:
        """Return no line; the table shows the roles."""
        return []

    def findings(self, result: ColumnRoles, question: Question, people: Write) -> list[Finding]:
        """Report unchanged, identifying and undeclared columns, and other types."""
        return [
            *self._unchanged(result, question, people),
            *self._identifiers(result, question, people),
            *self._undeclared(result, question, people),
            *self._shifted(result, question, people),
            *self._empty(result, question),
        ]

    def _unchanged(self, result: ColumnRoles, question: Question, people: Write) -> list[Finding]:
        n, found = question.n, []
        for dataset in range(question.m):
            columns = result.released_unchanged(dataset)
            if not columns:
                continue
            where = question.dataset_name(dataset)
            everyone = out_of(n, n, people)
            same = {*result.unchanged[dataset], *question.constants}
            if not result.other_types and set(result.comparable) <= same:
                text = f"{where} is the confidential file: {everyone} people are released unchanged."
            else:
                verbs = ("are", "have") if len(columns) > 1 else ("is", "has")
                order = ", in another order" if set(columns) & set(result.reordered[dataset]) else ""
                text = (
                    f"{listed(columns)} {verbs[0]} declared synthetic but {verbs[1]} the confidential values of all {n:,} records in "
                    f"{question.dataset_name(dataset, False)}{order}."
                )
            found.append(Finding("STOP", text, self.name, dataset + 1, tuple(columns), float(n), float(n)))
        return found

    def _identifiers(self, result: ColumnRoles, question: Question, people: Write) -> list[Finding]:
        n, found = float(question.n), []
        for column, dataset in result.aligned_identifiers.items():
            text = f"The identifier {column} has the confidential value in every row of {question.dataset_name(dataset - 1, False)}."
            found.append(Finding("STOP", text, self.name, dataset, (column,), n, n))
        for column, values in result.reused.items():
            if column not in result.aligned_identifiers:
                text = (
                    f"The release contains {out_of(values, n, people)} confidential values of the identifier {column}."
                )
                remedy = f"Drop {column} or renumber it."
                found.append(Finding("CHECK", text, self.name, None, (column,), float(values), n, remedy))
        for column, values in result.identifying.items():
            text = f"{column} is released unchanged and alone identifies {out_of(values, n, people)} people."
            remedy = f"Round, calibrate, synthesize or drop {column}."
            found.append(Finding("CHECK", text, self.name, None, (column,), float(values), n, remedy))
        for column, values in result.possible_identifiers.items():
            text = f"{column} occurs only in the release and has {values:,} distinct values: a possible identifier."
            remedy = f"Drop {column} unless it contains no information about a person."
            found.append(Finding("CHECK", text, self.name, None, (column,), remedy=remedy))
        return found

    def _undeclared(self, result: ColumnRoles, question: Question, people: Write) -> list[Finding]:
        found = []
        if columns := [c for c in result.undeclared if c not in result.identifying]:
            count = f"{len(columns)} columns are" if len(columns) > 1 else "1 column is"
            n, identified = float(question.n), _identified_by_all(result, question)
            text = (
                f"{count} released unchanged but neither known nor declared synthetic: {listed(columns, 3)}; the unchanged columns "
                f"identify {out_of(identified, n, people)} people."
            )
            remedy = (
                "Add the columns that an intruder can know to the known variables; synthesize or drop sensitive ones."
            )
            found.append(Finding("CHECK", text, self.name, None, tuple(columns), identified, n, remedy))
        if columns := list(result.asked_only):
            text = f"The evaluation names {listed(columns)} as synthesized, but the release does not; the union of both is used."
            found.append(Finding("CHECK", text, self.name, None, tuple(columns)))
        if result.other_types:
            verb = "have" if len(result.other_types) > 1 else "has"
            text = (
                f"{listed(result.other_types)} {verb} another type or coding in the release and "
                f"{'were' if verb == 'have' else 'was'} not compared."
            )
            remedy = "Release these columns with the type of the confidential data, and evaluate again."
            found.append(Finding("CHECK", text, self.name, None, result.other_types, remedy=remedy))
        return [*found, *self._resolved(result)]

    def _shifted(self, result: ColumnRoles, question: Question, people: Write) -> list[Finding]:
        found = []
        for column in (c for c in result.comparable if c in result.synthesized):
            series = question.confidential[column]
            counts = [
                shifted_records(series, frame[column], aligned=question.rows.by_row) for frame in question.release
            ]
            dataset, records = int(np.argmax(counts)), float(max(counts))
            if records:
                text = (
                    f"In {question.dataset_name(dataset, False)}, {out_of(records, question.n, people)} values of {column} are "
                    "confidential dates plus one constant."
                )
                remedy = f"Synthesize {column}: a constant shift is easily found and undone."
                n = float(question.n)
                found.append(Finding("CHECK", text, self.name, dataset + 1, (column,), records, n, remedy))
        return found

    def _empty(self, result: ColumnRoles, question: Question) -> list[Finding]:
        columns = tuple(
            c
            for c in result.comparable
            if question.confidential[c].notna().any() and not all(f[c].notna().any() for f in question.release)
        )
        if not columns:
            return []
        verb = "have" if len(columns) > 1 else "has"
        text = f"{listed(columns)} {verb} no values in the release: its risk and utility cannot be judged."
        remedy = "Check how the column was synthesized and read; evaluate again."
        return [Finding("CHECK", text, self.name, None, columns, remedy=remedy)]

    def _resolved(self, result: ColumnRoles) -> list[Finding]:
        found = []
        for how, text in RESOLVED.items():
            if columns := tuple(c for c, one in result.resolved.items() if one == how):
                found.append(Finding("CHECK", f"{listed(columns)}: {text}.", self.name, None, columns))
        return found

    def to_dict(self, result: ColumnRoles, question: Question, *, publish: bool) -> dict[str, Any]:
        """Return the role of every column."""
        table = result.to_frame()
        return {
            "roles": {str(column): str(role) for column, role in table["role"].items()},
            "unchanged": [str(column) for column in table.index[table["unchanged"]]],
            "identifiers": list(result.identifiers),
            "other_types": list(result.other_types),
            "resolved": dict(result.resolved),
        }

    def show(self, result: ColumnRoles, question: Question, *, show_values: bool, publish: bool) -> Shown:
        """List the roles of the columns."""
        rows = [[str(c), str(role), "yes" if same else ""] for c, role, same in result.to_frame().itertuples()]
        text = "Columns are compared row by row." if result.by_row else "Columns are compared in any order of the rows."
        if dates := [c for c, how in result.resolved.items() if how == "dates"]:
            text += f" The texts of {listed(dates)} are read as dates."
        return Shown(tables=(Table("Roles of the columns", text, ["Column", "Role", "Unchanged"], rows),))


def _identified_by_all(roles: ColumnRoles, question: Question) -> float:
    """Return the number of people with unique values in unchanged columns.

    Columns that are declared synthetic are omitted.
    """
    anywhere = {c for one in roles.unchanged for c in one}
    names = [c for c in roles.comparable if c in anywhere and c not in roles.synthesized]
    (codes,) = block_codes([question.confidential], names, "category")
    return float(unique_values(codes))
