"""Exact copies: released records that equal a confidential record."""

from __future__ import annotations

from typing import Any

from synthlab._format import count, fewer_than_10
from synthlab.report.evaluation_inputs import Question
from synthlab.report.measure import Line, Measure, Row, Write, out_of, share
from synthlab.risk import ExactCopiesResult, exact_copies

BOUND_TO_OCCUR = 20.0  # expected number of copies from which chance cannot explain that there are none


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
        """Return the number of copies and the number of copies of unique records."""
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
        """Report that there are no copies although confidential records are often equal."""
        expected = result.duplicate_share * result.records
        if expected < BOUND_TO_OCCUR or result.copies.any():
            return None
        often = share(result.duplicate_share, float(result.n), fewer_than_10)
        return (
            f"no released record equals a confidential record, although {often} of the confidential records equal another: copies "
            "were removed or every record was changed"
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
        """State how many records are copies, and how many of these copy a unique record."""
        which = "the dataset" if question.publish else f"dataset {int(result.copies.argmax()) + 1},"
        worst = f" in {which} which has the most" if question.m > 1 else ""
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
                count(float(result.n)),
                f"{people(float(result.unique_copies.max()), result.records, float(result.copies.max()))} copies equal a record that is unique in the confidential data{worst}. "
                f"{len(result.variables)} columns are compared, in any order of the rows; {people(float(result.duplicates), result.n)} of "
                f"{result.n:,} confidential records equal another one.{expected}",
            )
        ]

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


def _unchanged(result: ExactCopiesResult, question: Question) -> list[str]:
    """Return the compared columns that are unchanged in every dataset.

    Columns that are declared synthetic are omitted.
    """
    roles = question.columns
    same = set(result.variables).intersection(*roles.unchanged) - set(roles.synthesized)
    return [c for c in result.variables if c in same]


def columns(question: Question) -> tuple[list[str], list[str]]:
    """Return the compared columns and the columns with another type in the release.

    Identifiers are omitted.
    """
    roles = question.columns
    names = question.chosen if question.chosen is not None else list(map(str, question.confidential.columns))
    return [c for c in names if c in roles.comparable], [c for c in names if c in roles.other_types]
