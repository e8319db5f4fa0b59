"""The columns of both files: which are declared, which are unchanged, and which identify people."""

from __future__ import annotations

from typing import Any

from synthlab.report.columns import ColumnRoles
from synthlab.report.measure import Finding, Line, Measure, Row, Shown, Table, Write, listed, out_of
from synthlab.report.question import Question

RESOLVED = {
    "texts": "values differ only in case, blanks or encoding; compared without this difference",
    "numbers": "numbers are stored as text; compared as numbers",
}


class Columns(Measure[ColumnRoles]):
    """The role of every column, and unchanged columns that are not declared."""

    name = "columns"
    title = "Roles of the columns"
    section = "risk"
    asks_intruder = False

    def compute(self, question: Question) -> ColumnRoles:
        """Return the roles, which were decided before anything was measured."""
        return question.columns

    def rows(self, result: ColumnRoles, question: Question) -> list[Row]:
        """Return no number."""
        return []

    def lines(self, result: ColumnRoles, question: Question, people: Write) -> list[Line]:
        """Return no line; the table shows the roles."""
        return []

    def findings(self, result: ColumnRoles, question: Question, people: Write) -> list[Finding]:
        """Report unchanged columns, identifiers, and columns of one file alone."""
        return [
            *self._unchanged(result, question, people),
            *self._identifiers(result, question, people),
            *self._undeclared(result, question, people),
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
                found.append(Finding("CHECK", text, self.name, None, (column,), float(values), n))
        for column, values in result.identifying.items():
            text = f"{column} is released unchanged and alone identifies {out_of(values, n, people)} people."
            found.append(Finding("CHECK", text, self.name, None, (column,), float(values), n))
        for column, values in result.possible_identifiers.items():
            text = f"{column} occurs only in the release and has {values:,} distinct values: a possible identifier."
            found.append(Finding("CHECK", text, self.name, None, (column,)))
        return found

    def _undeclared(self, result: ColumnRoles, question: Question, people: Write) -> list[Finding]:
        found = []
        if columns := result.undeclared:
            count = f"{len(columns)} columns are" if len(columns) > 1 else "1 column is"
            text = f"{count} released unchanged but neither known nor declared synthetic: {listed(columns)}."
            found.append(Finding("CHECK", text, self.name, None, tuple(columns)))
        if columns := list(result.asked_only):
            text = f"The evaluation names {listed(columns)} as synthesized, but the release does not; the union of both is used."
            found.append(Finding("CHECK", text, self.name, None, tuple(columns)))
        if result.other_types:
            verb = "have" if len(result.other_types) > 1 else "has"
            text = (
                f"{listed(result.other_types)} {verb} another type or coding in the release and "
                f"{'were' if verb == 'have' else 'was'} not compared."
            )
            found.append(Finding("CHECK", text, self.name, None, result.other_types))
        return [*found, *self._resolved(result)]

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
