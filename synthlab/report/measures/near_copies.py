"""Near copies: people who are closer to released records than chance explains."""

from __future__ import annotations

import math
from typing import Any

from synthlab.report.evaluation_inputs import Question
from synthlab.report.measure import Finding, Line, Measure, Row, Write, share
from synthlab.report.measures.copied_variables import compared
from synthlab.risk import NearCopiesResult, near_copies


class NearCopies(Measure[NearCopiesResult]):
    """People who are closer to released records than people are to each other."""

    name = "near_copies"
    title = "Near copies"
    section = "risk"
    numbers = ("near_copies", "closer_people")
    asks_intruder = False

    def applies(self, question: Question) -> str | None:
        """Require columns and records to compare."""
        if not compared(question):
            return "requires at least one compared column."
        return None if min(question.n, question.release.n) >= 3 else "there are fewer than 3 records."

    def compute(self, question: Question) -> NearCopiesResult:
        """Compare the columns that are not released unchanged."""
        names = compared(question)
        categorical = [c for c in question.categorical if c in names]
        return near_copies(question.confidential, question.release, variables=names, categorical=categorical)

    def rows(self, result: NearCopiesResult, question: Question) -> list[Row]:
        """Return the people beyond chance, in the row that decides, and the share who are closer to a released record."""
        of = (float(result.n), math.nan)
        return [
            Row("near_copies", "near copies", "people", synthetic=float(result.worst["people"]), of=of),
            Row(
                "closer_people", "closer to a released record", "share", synthetic=max(0.0, result.closer_people), of=of
            ),
        ]

    def findings(self, result: NearCopiesResult, question: Question, people: Write) -> list[Finding]:
        """Report more near copies than chance explains."""
        if result.level is None:
            return []
        row = result.worst
        number = people(round(float(row["people"])), result.n)
        text = f"{number} of {result.n:,} people have a released record that is closer than chance explains."
        return [Finding(result.level, text, self.name, row.name[0] or None, row["columns"])]

    def lines(self, result: NearCopiesResult, question: Question, people: Write) -> list[Line]:
        """State the number of people and what it means."""
        return [
            Line(
                "Near copies",
                people(round(float(result.worst["people"])), result.n),
                "",
                f"People beyond chance. {share(max(0.0, result.closer_people), result.n, people)} of the people are closer to a "
                "released record than to any other person, beyond chance.",
            )
        ]

    def to_dict(self, result: NearCopiesResult, question: Question, *, publish: bool) -> Any:
        """Return the table."""
        return {"compared": result.compared} if publish else result.to_dict()
