"""Replicated uniques: people who are alone with what the intruder knows, in the data and in the release."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from synthlab.report.measure import Claim, Line, Measure, Row, Write
from synthlab.report.question import Question
from synthlab.risk import ReplicatedUniquesResult, replicated_uniques


class ReplicatedUniques(Measure[ReplicatedUniquesResult]):
    """Uniques of the known variables, whatever the order of the rows."""

    name = "replicated_uniques"
    title = "Replicated uniques"
    section = "risk"
    numbers = ("replicated_uniques",)
    exposes = "replicated_uniques"

    def applies(self, question: Question) -> str | None:
        """Uniques are counted by value."""
        return not_by_value(question)

    def compute(self, question: Question) -> ReplicatedUniquesResult:
        """Count them among all records."""
        everybody = replace(question.asked, boundary="closed", convention=None, targets=None)
        return replicated_uniques(question.confidential, question.release, everybody)

    def rows(self, result: ReplicatedUniquesResult, question: Question) -> list[Row]:
        """Return the replicated uniques; the confidential data released as they are would replicate all."""
        return [
            Row(
                "replicated_uniques",
                "replicated uniques",
                "people",
                result.replicated,
                confidential=result.unique,
                of=(float(question.n), float(question.n)),
                within=float(result.unique),
            )
        ]

    def claim(self, result: ReplicatedUniquesResult, question: Question, people: Write) -> Claim | None:
        """Count the people whose place in the release is known, where the order of the rows does not prove it."""
        kept = float(result.replicated.mean())
        if question.rows.state == "aligned":
            return None
        text = (
            f"{people(kept, result.n, result.unique)} of {result.n:,} people are unique in {', '.join(result.intruder.known)}, and unique with the same "
            f"values in the release{question.average}."
        )
        return Claim(text, kept)

    def lines(self, result: ReplicatedUniquesResult, question: Question, people: Write) -> list[Line]:
        """Say how many people are unique, and what that rests on."""
        unique = people(float(result.unique), result.n)
        kept = people(float(result.replicated.mean()), result.n, result.unique)
        return [
            Line(
                "People unique in the data and in the release",
                kept,
                unique,
                f"{unique} of {result.n:,} people are unique in {', '.join(result.intruder.known)}; {kept} of them are unique "
                f"with the same values in the release{question.average}. The order of the rows plays no part.",
            )
        ]

    def to_dict(self, result: ReplicatedUniquesResult, question: Question, *, publish: bool) -> dict[str, Any]:
        """Return the shares of each dataset; nothing more than the summary for publication."""
        return {} if publish else {"sentence": result.title, "per_dataset": result.to_frame().to_dict("list")}


def not_by_value(question: Question) -> str | None:
    """Return why people cannot be counted by what the intruder knows, or None."""
    intruder = question.intruder
    if not intruder.known:
        return "the intruder knows no variable."
    measured = [name for name in intruder.known if name in intruder.radii]
    if measured:
        return f"uniques are counted by value, and {measured[0]!r} has a radius."
    if intruder.missing == "never":
        return "with missing values that equal nothing everybody who has one would be unique."
    return None
