"""Distance to the closest record, to the confidential data and to unseen people."""

from __future__ import annotations

from typing import Any

from synthlab._format import percent, three_digits
from synthlab.report.measure import Claim, Line, Measure, Row, Write
from synthlab.report.measures.exact_copies import columns
from synthlab.report.question import Question
from synthlab.risk import ClosestRecordResult, closest_record
from synthlab.risk._closest_record import without_distance

TOO_NEAR = 3.0  # standard errors


class ClosestRecord(Measure[ClosestRecordResult]):
    """Share of the released records nearer to a confidential record than to one of a control sample."""

    name = "closest_record"
    title = "Distance to the closest record"
    section = "risk"
    numbers = ("nearer_share",)
    asks_intruder = False

    def applies(self, question: Question) -> str | None:
        """Distances say something only beside those to a control sample."""
        if question.control is None:
            return "it needs a control sample of people the synthesizer never saw (control=); parts of the file itself are none."
        return None if self._variables(question) else "the control sample shares no variable with the other files."

    def left_out(self, question: Question) -> list[str]:
        """Name the variables that have no distance."""
        return [f"{reason}." for reason in question.once(_refused).values()]

    def compute(self, question: Question) -> ClosestRecordResult:
        """Compare all columns that the three files share."""
        names = self._variables(question)
        categories = [c for c in question.categorical if c in names]
        files = question.confidential, question.release, question.control
        return closest_record(*files, variables=names, categorical=categories)  # type: ignore[arg-type]

    def rows(self, result: ClosestRecordResult, question: Question) -> list[Row]:
        """Return the share; the confidential data released as they are would have nearly 1, chance its expectation."""
        nearer = "released records nearer to the data than to others"
        return [Row("nearer_share", nearer, "share", result.share, random_guess=result.expected)]

    def claim(self, result: ClosestRecordResult, question: Question, people: Write) -> Claim | None:
        """Say in the headline where released records are too near to the confidential ones."""
        if not self._near(result):
            return None
        return Claim(
            f"The released records lie near the confidential ones: {percent(float(result.share.mean()))} are nearer to one of these "
            f"than to a person of the control sample, where chance gives {percent(result.expected)}.",
            0.0,
            alarm=True,
        )

    def lines(self, result: ClosestRecordResult, question: Question, people: Write) -> list[Line]:
        """Say how near the records are, and what chance gives."""
        spread = percent(float(result.standard_error.mean()))
        verdict = (
            "They are copies with little changed, or the synthesizer learned single people."
            if self._near(result)
            else "That is no more than chance gives; it does not show that no value of a person is told."
        )
        return [
            Line(
                "Released records nearer to the data than to people never seen",
                percent(float(result.share.mean())),
                percent(result.expected),
                f"Of two equally close records the confidential one counts by its share; a release that depends on the population "
                f"alone has {percent(result.expected)}, give or take {spread} ({three_digits(float(result.z.mean()))} standard "
                f"errors away). {verdict} The second column is this expectation.",
            )
        ]

    def to_dict(self, result: ClosestRecordResult, question: Question, *, publish: bool) -> dict[str, Any]:
        """Return the shares of each dataset."""
        return {
            "sentence": result.title,
            "variables": result.variables,
            "per_dataset": result.to_frame().to_dict("list"),
        }

    def _near(self, result: ClosestRecordResult) -> bool:
        return bool((result.share - result.expected > TOO_NEAR * result.standard_error).any())

    def _variables(self, question: Question) -> list[str]:
        return [c for c in _shared(question) if c not in question.once(_refused)]


def _shared(question: Question) -> list[str]:
    """Return the columns that the three files have."""
    control = question.control
    return [] if control is None else [c for c in question.once(columns)[0] if c in control.columns]


def _refused(question: Question) -> dict[str, str]:
    """Return those of them that have no distance, each with the reason."""
    if question.control is None:
        return {}
    frames = [question.confidential, question.control, *question.release]
    return without_distance(frames, _shared(question), question.categorical)
