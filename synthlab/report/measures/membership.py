"""Membership: whether the parameters and the release reveal who is in the data."""

from __future__ import annotations

from typing import Any

from synthlab._format import three_digits
from synthlab.report.evaluation_inputs import Question
from synthlab.report.measure import COLUMNS, Line, Measure, Row, Write
from synthlab.risk import MembershipResult, membership_risk


class Membership(Measure[MembershipResult]):
    """Largest log likelihood ratio with and without a person's record."""

    name = "membership"
    title = "Membership"
    section = "risk"
    by_record = True
    numbers = ("membership_parameters", "membership_release")

    def applies(self, question: Question) -> str | None:
        """Require the fitted synthesizer, which holds the posterior draws."""
        return None if question.fitted is not None else "requires the fitted synthesizer (fitted, only in Python)."

    def compute(self, question: Question) -> MembershipResult:
        """Compute the ratios of the people the intruder looks for."""
        data = question.confidential, question.release
        return membership_risk(*data, question.fitted, targets=question.targets)

    def rows(self, result: MembershipResult, question: Question) -> list[Row]:
        """Return the largest ratios; not defined if any ratio is not defined."""
        largest = abs(result.release).max(axis=0)
        return [
            # The largest ratio belongs to one person.
            Row(
                "membership_parameters",
                "log ratio of a record, parameters seen",
                synthetic=result.epsilon,
                hidden=COLUMNS,
            ),
            Row("membership_release", "log ratio of a record, release seen", per_dataset=largest, hidden=COLUMNS),
        ]

    def lines(self, result: MembershipResult, question: Question, people: Write) -> list[Line]:
        """State the largest effect of a person's record; nothing for publication."""
        if question.publish:
            return []
        parameters, release = (row.release for row in self.rows(result, question))
        return [
            Line(
                "Log likelihood ratio of a person's record: parameters seen, and release seen",
                f"{three_digits(parameters)} and {three_digits(release)}",
                "",
                "The largest log ratio, over the people looked for, of the likelihoods of the observed parameters or release with "
                "and without the person in the data (0: nothing is learned about who took part). The first number is a lower bound "
                "of the epsilon of the parameters. Not defined means that the posterior draws cannot determine the ratio, which "
                "does not mean that it is small.",
            )
        ]

    def to_dict(self, result: MembershipResult, question: Question, *, publish: bool) -> dict[str, Any] | None:
        """Return the ratios over the people.

        For publication, return None, because the largest ratio belongs to one person.
        """
        if publish:
            return None
        return {"sentence": result.title, "summary": result.summary(), "effective_draws": result.effective_draws}
