"""Exact copies: released records that equal a confidential one, whatever the order of the rows."""

from __future__ import annotations

from typing import Any

from synthlab import _checks
from synthlab._format import fewer_than_10
from synthlab.exceptions import DtypeMismatchError
from synthlab.report.measure import Claim, Line, Measure, Row, Write, share
from synthlab.report.question import Question
from synthlab.risk import ExactCopiesResult, exact_copies
from synthlab.risk.copies import sentence

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
        """Compare every released record with every confidential one."""
        return exact_copies(question.confidential, question.release, variables=question.once(columns)[0])

    def rows(self, result: ExactCopiesResult, question: Question) -> list[Row]:
        """Return copies, and those of unique records."""
        unique, of = "exact copies of unique records", (float(result.records), float(result.n))
        return [
            Row("exact_copies", "exact copies", "people", result.copies, confidential=result.n, of=of),
            Row(
                "unique_copies",
                unique,
                "people",
                result.unique_copies,
                confidential=result.n - result.duplicates,
                of=of,
                within=float(result.copies.mean()),
            ),
        ]

    def claim(self, result: ExactCopiesResult, question: Question, people: Write) -> Claim:
        """Count the copies; a release of nothing else is told of first."""
        # A shuffled copy with one digit changed in every record has no exact copy.
        more = " Few exact copies do not show that a release is safe: a record changed in one value is none."
        every = bool((result.copies == result.records).all())
        text = sentence(result, people) + ("" if every or question.rows.by_row else more)
        return Claim(text, float(result.unique_copies.mean()), alarm=every)

    def too_good(self, result: ExactCopiesResult, question: Question) -> str | None:
        """Say where no record is a copy though confidential records often equal one another, as an honest draw would."""
        expected = result.duplicate_share * result.records
        if expected < BOUND_TO_OCCUR or result.copies.any():
            return None
        often = share(result.duplicate_share, float(result.n), fewer_than_10)
        return (
            f"no released record equals a confidential one, though {often} of the confidential records "
            "equal another: copies were taken out, every record was changed a little, or values were drawn that no record has; a count of copies says nothing then"
        )

    def lines(self, result: ExactCopiesResult, question: Question, people: Write) -> list[Line]:
        """Say how many records are copies, and how many of these point at one person."""
        copies = float(result.copies.mean())
        return [
            Line(
                "Exact copies of confidential records",
                people(copies, result.records),
                people(float(result.n)),
                f"Of these, {people(float(result.unique_copies.mean()), result.records, copies)} equal a record that is unique in the confidential "
                f"data{question.average}. Compared are {len(result.variables)} variables, whatever the order of the rows; of "
                f"the confidential records, {people(float(result.duplicates), result.n)} of {result.n:,} equal another one.",
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


def columns(question: Question) -> tuple[list[str], list[str]]:
    """Return the columns that both files have, and of these the ones with other kinds of values in the release apart."""
    alike: list[str] = []
    unlike: list[str] = []
    for column in map(str, question.confidential.columns.intersection(question.release[0].columns, sort=False)):
        try:
            _checks.check_same_kind(question.confidential, question.release.frames, [column])
            alike.append(column)
        except DtypeMismatchError:
            unlike.append(column)
    return alike, unlike
