"""Columns whose missing values, categories or range differ between the release and the confidential data."""

from __future__ import annotations

from typing import Any, Literal

import pandas as pd

from synthlab.report.evaluation_inputs import Question
from synthlab.report.measure import Answer, Line, Measure, Row, Write, share
from synthlab.utility import ColumnDifferencesResult, column_differences

LINES = 10


class ColumnDifferences(Measure[ColumnDifferencesResult]):
    """Clear differences of single columns; they never change the verdict."""

    name = "column_differences"
    title = "Differences of columns"
    section = "utility"
    numbers = ("columns_that_differ",)
    asks_intruder = False

    def compute(self, question: Question) -> ColumnDifferencesResult:
        """Compare the columns of both files that have the same type, without identifiers."""
        names = question.columns.comparable
        codes = [c for c in question.categorical if c in names]
        return column_differences(question.confidential, question.release, variables=names, categorical=codes)

    def applies(self, question: Question) -> str | None:
        """Require a column that can be compared."""
        return None if question.columns.comparable else "no column can be compared."

    def rows(self, result: ColumnDifferencesResult, question: Question) -> list[Row]:
        """Return the number of columns that differ."""
        return [
            Row(
                "columns_that_differ",
                "columns that differ clearly",
                synthetic=float(result.table["column"].nunique()),
                confidential=0.0,
            )
        ]

    def lines(self, result: ColumnDifferencesResult, question: Question, people: Write) -> list[Line]:
        """State the largest difference of each column."""
        found = []
        for row in _largest(result)[:LINES]:
            what, released, own = _shares(row, question, people)
            found.append(Line(f"{what[0].upper()}{what[1:]}", released, own, _meaning(row, question)))
        return found

    def answers(self, result: ColumnDifferencesResult, question: Question, people: Write) -> list[Answer]:
        """Name the column that differs most, and how many differ."""
        rows = _largest(result)
        if not rows:
            return []
        what, released, own = _shares(rows[0], question, people)
        others = f" ({len(rows) - 1} more columns differ)" if len(rows) > 1 else ""
        level: Literal["poor", "fair"] = (
            "poor" if result.table["z"].notna().any() else "fair"
        )  # a heavy tail leaves the range
        found = f"{what}: {released}{others}"
        return [Answer("Do single columns differ clearly?", found, f"{own} in the file", level, level)]

    def headline(self, result: ColumnDifferencesResult, question: Question, people: Write) -> str | None:
        """Name the column that differs most."""
        poor = [one for one in self.answers(result, question, people) if one.level == "poor"]
        return f"Utility: {poor[0].found}; {poor[0].by_chance}." if poor else None

    def to_dict(self, result: ColumnDifferencesResult, question: Question, *, publish: bool) -> Any:
        """Return the differences; for publication, only the names of the columns."""
        if publish:
            return list(dict.fromkeys(result.table["column"]))
        table = result.table.assign(category=pd.Series([_category(row) for row in _rows(result)], dtype=object))
        return table.astype(object).where(table.notna(), None).to_dict("records")


def _rows(result: ColumnDifferencesResult) -> list[Any]:
    return list(result.table.itertuples(index=False))


def _largest(result: ColumnDifferencesResult) -> list[Any]:
    """Return the largest difference of each column, the largest first."""
    ordered = sorted(_rows(result), key=lambda row: -abs(row.release - row.confidential))
    largest: dict[str, Any] = {}
    for row in ordered:
        largest.setdefault(row.column, row)
    return list(largest.values())


def _shares(row: Any, question: Question, people: Write) -> tuple[str, str, str]:
    """Return what differs, and its share in the release and in the confidential data."""
    category = _category(row)
    what = {
        "missing values": f"{row.column} is missing",
        "category": f"{row.column} is {category}" if category else f"a category of {row.column}",
    }.get(row.difference, f"{row.column} is {row.difference} of the file")
    released = share(row.release, float(question.release.n), people)
    return what, released, share(row.confidential, float(question.n), people)


def _category(row: Any) -> str | None:
    """Return a category that is released; other categories are confidential."""
    released = row.difference == "category" and row.release > 0
    return str(row.category) if released else None


def _meaning(row: Any, question: Question) -> str:
    whole = "records with a value" if row.difference != "missing values" else "records"
    return f"Share of the {whole}{question.average}. The release differs clearly from the file in this column."
