"""Membership: what the synthesizer's parameters and the release tell of a person's being in the data."""

from __future__ import annotations

from typing import Any

from synthlab._format import three_digits
from synthlab.report.evaluation_inputs import Question
from synthlab.report.measure import Line, Measure, Row, Write
from synthlab.risk import MembershipResult, membership_risk


class Membership(Measure[MembershipResult]):
    """Largest log likelihood ratio of parameters and release, with a person's record against without it."""

    name = "membership"
    title = "Membership"
    section = "risk"
    numbers = ("membership_parameters", "membership_release")

    def applies(self, question: Question) -> str | None:
        """The posterior draws are the synthesizer's."""
        return None if question.fitted is not None else "requires the fitted synthesizer (fitted, only in Python)."

    def compute(self, question: Question) -> MembershipResult:
        """Ask for the people the intruder looks for."""
        data = question.confidential, question.release
        return membership_risk(*data, question.fitted, targets=question.targets)

    def rows(self, result: MembershipResult, question: Question) -> list[Row]:
        """Return the largest ratios; not defined if any person's is not."""
        largest = abs(result.release).max(axis=0)
        return [
            Row("membership_parameters", "log ratio of a record, parameters seen", synthetic=result.epsilon),
            Row("membership_release", "log ratio of a record, release seen", per_dataset=largest),
        ]

    def lines(self, result: MembershipResult, question: Question, people: Write) -> list[Line]:
        """Say what a person's record changes at most."""
        parameters, release = (row.release for row in self.rows(result, question))
        return [
            Line(
                "Log likelihood ratio of a person's record: parameters seen, and release seen",
                f"{three_digits(parameters)} and {three_digits(release)}",
                "",
                "How much more likely what the intruder sees is with the person in the data than without, at most over the people "
                "looked for (0: nothing is learned of who took part). The first is a lower bound of the epsilon of the parameters. "
                "Not defined means that the posterior draws do not tell, which is no small number.",
            )
        ]

    def to_dict(self, result: MembershipResult, question: Question, *, publish: bool) -> dict[str, Any] | None:
        """Return the ratios over the people; nothing for publication, as the largest is one person's."""
        if publish:
            return None
        return {"sentence": result.title, "summary": result.summary(), "effective_draws": result.effective_draws}
