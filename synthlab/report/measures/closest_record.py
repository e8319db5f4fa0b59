"""Distance to the closest record in the confidential data and in a holdout sample."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, cast

from synthlab import _checks
from synthlab._format import percent, three_digits
from synthlab.report.evaluation_inputs import Question
from synthlab.report.measure import CHANCE, Answer, Finding, Line, Measure, Row, Write, share
from synthlab.report.measures.exact_copies import columns
from synthlab.risk import ClosestRecordResult
from synthlab.risk.copies._gower_points import without_distance
from synthlab.risk.copies.closest_record import check_unseen, compare_files

if TYPE_CHECKING:
    import pandas as pd

TOO_NEAR = 3.0  # excess in standard errors from which more are nearer than by chance
MATTERS = 0.05  # excess as a share of the released records, required in addition
COPIED = 0.2  # excess from which the verdict is CHECK; trees with leaves of 5 reach 0.18
WORK = 20_000_000_000  # largest product of released records, other records and columns


class ClosestRecord(Measure[ClosestRecordResult]):
    """Share of released records nearer to the data than to a holdout sample."""

    name = "closest_record"
    title = "Distance to the closest record"
    section = "risk"
    by_record = True
    numbers = ("nearer_share",)
    asks_intruder = False

    def check(self, question: Question) -> None:
        """Raise an error if the holdout sample is a part of the confidential data."""
        if question.control is not None and (names := question.once(_shared)):
            check_unseen(question.confidential, question.control, names)

    def applies(self, question: Question) -> str | None:
        """Require a holdout sample and variables for which distances are defined."""
        if question.control is None:
            return "requires a holdout sample that was not used for synthesis (control)."
        return None if self._variables(question) else "the holdout sample shares no variable that can be compared."

    def left_out(self, question: Question) -> list[str]:
        """Name the variables without a distance, and the share of records compared."""
        lost = [f"{reason}." for reason in question.once(_refused).values()]
        step = self._every(question)
        return [*lost, f"the files are large; one in {step:,} released records is compared."] if step > 1 else lost

    def compute(self, question: Question) -> ClosestRecordResult:
        """Compare the columns that the three files share."""
        names, step = self._variables(question), self._every(question)
        frame, control = question.confidential, cast("pd.DataFrame", question.control)
        released = [one.iloc[::step] for one in question.release]
        return compare_files(frame, released, control, names, question.categorical)

    def rows(self, result: ClosestRecordResult, question: Question) -> list[Row]:
        """Return the share of nearer records and its expected value."""
        nearer = "released records nearer to the data than to others"
        of = float(len(question.release[0].iloc[:: self._every(question)]))
        return [Row("nearer_share", nearer, "share", result.share, random_guess=result.expected, of=(of, math.nan))]

    def findings(self, result: ClosestRecordResult, question: Question, people: Write) -> list[Finding]:
        """Report released records of which many more than by chance are nearer to the data than to the holdout sample."""
        if not self._near(result, COPIED):
            return []
        dataset = int(result.share.argmax())
        compared = len(question.release[0].iloc[:: self._every(question)])
        nearer = share(float(result.share[dataset]), compared, people)
        text = (
            f"In {question.dataset_name(dataset, False)}, {nearer} of the records are closer to the confidential data than to the "
            f"holdout sample; {percent(result.expected)} are expected."
        )
        remedy = "Use larger leaves, fewer predictors or a simpler model, and compare the shares."
        return [Finding("CHECK", text, self.name, dataset + 1, result.variables, remedy=remedy)]

    def answers(self, result: ClosestRecordResult, question: Question, people: Write) -> list[Answer]:
        """Compare the share of nearer records with its expected value."""
        near = f"{self._share(result, question, people)} of the records"
        asked = "Is the release closer to the file than to the holdout sample?"
        word = "above chance" if self._near(result) else CHANCE
        return [Answer(asked, near, percent(result.expected), word)]

    def lines(self, result: ClosestRecordResult, question: Question, people: Write) -> list[Line]:
        """State how many records are nearer to the data, and how many are expected."""
        spread = percent(float(result.standard_error.mean()))
        away = (
            "" if question.publish else f"; the release is {three_digits(float(result.z.mean()))} standard errors away"
        )
        if not self._near(result):
            verdict = "This is close to the expected share. It does not show that no person's value is revealed."
        elif question.rows.by_row:
            verdict = (
                "Variables that are released unchanged can cause this; slightly changed copies would cause it too."
            )
        else:
            verdict = "The records are slightly changed copies, or the synthesizer overfitted single people."
        return [
            Line(
                "Released records nearer to the data than to the holdout sample",
                self._share(result, question, people),
                percent(result.expected),
                f"If the release depends only on the population, {percent(result.expected)} are expected, with a standard error of "
                f"{spread}{away}. {verdict} A record at equal "
                "distance to both files counts with the share of confidential records among its nearest records. "
                f"{len(result.variables)} variables are compared. The second column is the expected share.",
            )
        ]

    def to_dict(self, result: ClosestRecordResult, question: Question, *, publish: bool) -> dict[str, Any]:
        """Return the shares of each dataset; for publication, only the compared variables."""
        if publish:
            return {"variables": result.variables}
        return {
            "sentence": result.title,
            "variables": result.variables,
            "per_dataset": result.to_frame().to_dict("list"),
        }

    def _share(self, result: ClosestRecordResult, question: Question, people: Write) -> str:
        compared = len(question.release[0].iloc[:: self._every(question)])
        return share(float(result.share.mean()), compared, people)

    def _near(self, result: ClosestRecordResult, least: float = MATTERS) -> bool:
        excess = result.share - result.expected
        return bool(((excess > TOO_NEAR * result.standard_error) & (excess > least)).any())

    def _variables(self, question: Question) -> list[str]:
        return [c for c in question.once(_shared) if c not in question.once(_refused)]

    def _every(self, question: Question) -> int:
        """Return k such that comparing every k-th released record takes about a minute."""
        if question.control is None:
            return 1
        names, frame = self._variables(question), question.confidential
        numbers = [
            c
            for c in names
            if (_checks.is_measured(frame[c]) or _checks.is_date(frame[c])) and c not in question.categorical
        ]
        wide = len(numbers) + sum(int(frame[c].nunique()) for c in names if c not in numbers)
        there = question.n + len(question.control)
        return max(1, math.ceil(question.m * question.release.n * there * wide / WORK))


def _shared(question: Question) -> list[str]:
    control = question.control
    return [] if control is None else [c for c in question.once(columns)[0] if c in control.columns]


def _refused(question: Question) -> dict[str, str]:
    """Return the shared variables without a distance, each with the reason."""
    if question.control is None:
        return {}
    frames = [question.confidential, question.control, *question.release]
    return without_distance(frames, question.once(_shared), question.categorical)
