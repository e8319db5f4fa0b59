"""Differences of columns: missing values, categories and ranges, named under utility."""

from __future__ import annotations

from typing import Any

from synthlab._format import listed, percent
from synthlab.report.evaluation_inputs import Question
from synthlab.report.measure import Answer, Line, Measure, Row, Write
from synthlab.utility import ColumnDifferencesResult, column_differences


class Differences(Measure[ColumnDifferencesResult]):
    """Columns whose missing values, categories or range differ; they never change the verdict."""

    name = "differences"
    title = "Differences of columns"
    section = "utility"
    numbers = ("columns_that_differ",)
    asks_intruder = False
    groups = True

    def applies(self, question: Question) -> str | None:
        """Require a column."""
        return None if question.columns.comparable else "no column of both files can be compared."

    def compute(self, question: Question) -> ColumnDifferencesResult:
        """Compare all columns that both files have with the same type."""
        return column_differences(question.confidential, question.release, variables=question.columns.comparable)

    def rows(self, result: ColumnDifferencesResult, question: Question) -> list[Row]:
        """Return the number of columns that differ."""
        number = float(result.table["column"].nunique())
        return [
            Row(
                "columns_that_differ",
                "columns that differ",
                "number",
                synthetic=number,
                confidential=0.0,
                summarised=False,
            )
        ]

    def answers(self, result: ColumnDifferencesResult, question: Question, people: Write) -> list[Answer]:
        """Name the columns that differ."""
        names = list(dict.fromkeys(result.table["column"]))
        return [Answer("Do columns differ plainly?", listed(names, 3), "none", "", "poor")] if names else []

    def lines(self, result: ColumnDifferencesResult, question: Question, people: Write) -> list[Line]:
        """State each difference; for publication no range, because it depends on single people."""
        found = []
        for row in result.table.to_dict("records"):
            name, kind = row["column"], row["kind"]
            if kind == "range":
                if question.publish:
                    continue
                released, own = str(row["release"]), str(row["file"])
                meaning = (
                    f"The released values of {name} leave the range of the confidential values by at least 5% of it."
                )
            else:
                released, own = percent(row["release"]), percent(row["file"])
                what = "missing" if kind == "missing" else f'"{row["category"]}"'
                meaning = f"{released} of {name} is {what} in the release, {own} in the file."
            found.append(Line(f"Difference of {name}", released, own, meaning))
        return found

    def to_dict(self, result: ColumnDifferencesResult, question: Question, *, publish: bool) -> Any:
        """Return the table; for publication without ranges."""
        table = result.table
        if publish:
            table = table[table["kind"] != "range"].drop(columns="z").round(2)
        return table.to_dict("records")
