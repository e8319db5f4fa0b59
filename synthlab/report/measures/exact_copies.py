"""Exact copies: released records that equal a confidential record."""

from __future__ import annotations

from typing import Any

from synthlab.report.evaluation_inputs import Question
from synthlab.report.measure import Line, Measure, Row, Write
from synthlab.risk import ExactCopiesResult, exact_copies


class ExactCopies(Measure[ExactCopiesResult]):
    """Number of exact copies in all columns that both files share with the same type."""

    name = "exact_copies"
    title = "Exact copies"
    section = "risk"
    numbers = ("exact_copies", "unique_copies")
    asks_intruder = False

    def left_out(self, question: Question) -> list[str]:
        """Name the columns that have different types in the two files."""
        unlike = question.once(columns)[1]
        return [f"the two files have different types of values in {', '.join(unlike)}."] if unlike else []

    def compute(self, question: Question) -> ExactCopiesResult:
        """Compare all released and confidential records, without identifiers."""
        return exact_copies(question.confidential, question.release, variables=question.once(columns)[0])

    def rows(self, result: ExactCopiesResult, question: Question) -> list[Row]:
        """Return both numbers, for limits and comparisons; `CopiedPeople` has the row of the summary."""
        unique, of = "exact copies of unique records", (float(result.records), float(result.n))
        return [
            Row(
                "exact_copies",
                "exact copies",
                "people",
                result.copies,
                synthetic=float(result.copies.max()),
                confidential=result.n,
                of=of,
                summarised=False,
            ),
            Row(
                "unique_copies",
                unique,
                "people",
                result.unique_copies,
                synthetic=float(result.unique_copies.max()),
                confidential=result.n - result.duplicates,
                of=of,
                within=float(result.copies.mean()),
                summarised=False,
            ),
        ]

    def lines(self, result: ExactCopiesResult, question: Question, people: Write) -> list[Line]:
        """Return no line; `CopiedPeople` states how many people are copied."""
        return []

    def to_dict(self, result: ExactCopiesResult, question: Question, *, publish: bool) -> dict[str, Any]:
        """Return the counts of each dataset; for publication, only the compared variables."""
        if publish:
            return {"variables": result.variables}
        return {
            "sentence": result.title,
            "per_dataset": result.to_frame().to_dict("list"),
            "confidential_duplicates": result.duplicates,
            "variables": result.variables,
        }


def columns(question: Question) -> tuple[list[str], list[str]]:
    """Return the compared columns and the columns with another type in the release.

    Identifiers are omitted.
    """
    roles = question.columns
    names = question.chosen if question.chosen is not None else list(map(str, question.confidential.columns))
    return [c for c in names if c in roles.comparable], [c for c in names if c in roles.other_types]
