"""Exact copies: released records that equal a confidential one, whatever the order of the rows."""

from __future__ import annotations

from typing import Any

from synthlab._format import fewer_than_10
from synthlab.report.evaluation_inputs import Question
from synthlab.report.measure import Line, Measure, Row, Write, out_of, share
from synthlab.risk import ExactCopiesResult, exact_copies

BOUND_TO_OCCUR = 20.0  # copies expected; that none occurs is no chance then


class ExactCopies(Measure[ExactCopiesResult]):
    """Exact copies in all columns that both files have with the same kind of values."""

    name = "exact_copies"
    title = "Exact copies"
    section = "risk"
    numbers = ("exact_copies", "unique_copies")
    asks_intruder = False

    def left_out(self, question: Question) -> list[str]:
        """Name the columns that hold different kinds of values in the two files."""
        unlike = question.once(columns)[1]
        return [f"the two files hold different kinds of values in {', '.join(unlike)}."] if unlike else []

    def compute(self, question: Question) -> ExactCopiesResult:
        """Compare every released record with every confidential one, without identifiers."""
        return exact_copies(question.confidential, question.release, variables=question.once(columns)[0])

    def rows(self, result: ExactCopiesResult, question: Question) -> list[Row]:
        """Return copies, and those of unique records."""
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
            ),
        ]

    def too_good(self, result: ExactCopiesResult, question: Question) -> str | None:
        """Say where no record is a copy though confidential records often equal one another, as an honest draw would."""
        expected = result.duplicate_share * result.records
        if expected < BOUND_TO_OCCUR or result.copies.any():
            return None
        often = share(result.duplicate_share, float(result.n), fewer_than_10)
        return (
            f"no released record equals a confidential one, although {often} of the confidential records equal another: copies were removed "
            "or every record was changed"
        )

    def explanation(self, result: ExactCopiesResult, question: Question, people: Write) -> str | None:
        """Explain copies in a release with unchanged columns."""
        kept, copies = _unchanged(result, question), float(result.copies.max())
        if not kept or not copies:
            return None
        return (
            f"{out_of(copies, float(result.records), people)} released records equal a confidential record. Copies are expected: "
            f"{len(kept)} of {len(result.variables)} columns are released unchanged."
        )

    def lines(self, result: ExactCopiesResult, question: Question, people: Write) -> list[Line]:
        """Say how many records are copies, and how many of these point at one person."""
        worst = f" in dataset {int(result.copies.argmax()) + 1}, which has the most" if question.m > 1 else ""
        kept = _unchanged(result, question)
        expected = (
            f" Copies are expected: {len(kept)} of {len(result.variables)} columns are released unchanged."
            if kept
            else ""
        )
        return [
            Line(
                "Exact copies of confidential records",
                people(float(result.copies.max()), result.records),
                people(float(result.n)),
                f"{people(float(result.unique_copies.max()), result.records, float(result.copies.max()))} copies equal a record that is unique in the confidential data{worst}. "
                f"{len(result.variables)} columns are compared, in any order of the rows; {people(float(result.duplicates), result.n)} of "
                f"{result.n:,} confidential records equal another one.{expected}",
            )
        ]

    def to_dict(self, result: ExactCopiesResult, question: Question, *, publish: bool) -> dict[str, Any]:
        """Return the counts of each dataset; for publication the compared variables alone."""
        if publish:
            return {"variables": result.variables}
        return {
            "sentence": result.title,
            "per_dataset": result.to_frame().to_dict("list"),
            "confidential_duplicates": result.duplicates,
            "variables": result.variables,
        }


def _unchanged(result: ExactCopiesResult, question: Question) -> list[str]:
    """Return the compared columns that are unchanged in every dataset and not declared synthetic."""
    roles = question.columns
    same = set(result.variables).intersection(*roles.unchanged) - set(roles.synthesized)
    return [c for c in result.variables if c in same]


def columns(question: Question) -> tuple[list[str], list[str]]:
    """Return the compared columns, without identifiers, and the columns with another type in the release."""
    roles = question.columns
    names = question.chosen if question.chosen is not None else list(map(str, question.confidential.columns))
    return [c for c in names if c in roles.comparable], [c for c in names if c in roles.other_types]
