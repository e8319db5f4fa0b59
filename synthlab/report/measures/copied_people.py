"""People who are released with all or nearly all of their values."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pandas as pd

from synthlab import _checks
from synthlab._format import listed
from synthlab.report.compared import PANEL, compared
from synthlab.report.evaluation_inputs import Question
from synthlab.report.measure import CHANCE, NONE, Answer, Finding, Line, Measure, Row, Write, out_of
from synthlab.risk import CopiedPeopleResult, copied_people
from synthlab.risk.copies.copied_people import Level, explained, values_copied

REMEDIES = {
    "copies": "Draw the records again with larger leaves (`min_leaf=`), or drop or coarsen columns.",
    "together": "Release fewer datasets (`m=`), or draw them again with larger leaves (`min_leaf=`).",
    "bootstrap": "Synthesize the file (`synthesize`) instead of resampling its records.",
    "repeats": (
        "A true CHECK: the release also repeats its own records. If it must not show that these combinations exist, use "
        "larger leaves (`min_leaf=`), or drop or coarsen columns."
    ),
    "unchanged": "Synthesize the file (`synthesize`) before it is released.",
    "control": "Synthesize without the holdout sample, and evaluate again.",
}


class CopiedPeople(Measure[CopiedPeopleResult]):
    """People whose values are released together, beyond what chance explains."""

    name = "copied_people"
    title = "Copied people"
    section = "risk"
    numbers = ("copied_people",)
    asks_intruder = False

    def left_out(self, question: Question) -> list[str]:
        """Name the columns that the holdout sample does not have."""
        lost = [c for c in _columns(question) if c not in question.once(_of_control)]
        if question.control is None or not lost:
            return []
        return [
            f"copies of people of the holdout sample are counted without {listed(lost, 6)}, which it does not have with the same type."
        ]

    def applies(self, question: Question) -> str | None:
        """Require two columns of records that are people, because a value of a single column can occur by chance, unless the file is unchanged."""
        if question.panel:
            return PANEL
        if compared(question).unchanged_file or len(_columns(question)) > 1:
            return None
        return "requires at least two synthetic columns; a single column can be compared only row by row."

    def compute(self, question: Question) -> CopiedPeopleResult:
        """Count the copies in the compared columns, and those of the people of the holdout sample."""
        names, shared = _columns(question), question.once(_of_control)
        partial = compared(question).partial and not compared(question).unchanged_file
        result = copied_people(question.confidential, question.release, variables=names, partial=partial)
        if question.control is None or len(shared) < 2:
            return result
        unseen = copied_people(question.control, question.release, variables=shared, partial=partial)
        return replace(result, control=unseen)

    def rows(self, result: CopiedPeopleResult, question: Question) -> list[Row]:
        """Return the number of people in the row that decides, and the number that chance explains."""
        worst, table = result.worst, result.table
        same = table[(table["differ"] == worst["differ"]) & (table["times"] == worst["times"]) & (table["dataset"] > 0)]
        n = float(result.n)
        return [
            Row(
                "copied_people",
                "people released with their values",
                "people",
                same["people"].to_numpy(),
                synthetic=float(worst["people"]),
                confidential=n,
                random_guess=float(round(min(explained(worst, result.reason), n))),
                of=(n, n),
            )
        ]

    def answers(self, result: CopiedPeopleResult, question: Question, people: Write) -> list[Answer]:
        """Compare the people in the row that decides with chance."""
        (row,) = self.rows(result, question)
        found, chance = (f"{people(number, result.n)} people" for number in (row.release, row.random_guess))
        values = values_copied(result.worst, len(result.variables), "synthetic " if result.partial else "")
        word = CHANCE if row.release else NONE
        return [Answer("Are real people in the release?", f"{found}, {values}" if row.release else found, chance, word)]

    def findings(self, result: CopiedPeopleResult, question: Question, people: Write) -> list[Finding]:
        """Report the row that decides, and copied people of the holdout sample."""
        found = []
        if compared(question).unchanged_file:
            text = f"The release is the confidential file: {out_of(result.n, result.n, people)} people are released unchanged."
            n, remedy = float(result.n), REMEDIES["unchanged"]
            found.append(Finding("STOP", text, self.name, None, result.variables, n, n, remedy))
        elif level := result.level:
            found.append(self._finding(level, result, question, people, False))
        if result.control is not None and (level := result.control.level):
            found.append(self._finding(level, result.control, question, people, True))
        return found

    def _finding(
        self, level: Level, result: CopiedPeopleResult, question: Question, people: Write, of_control: bool
    ) -> Finding:
        dataset = int(result.worst["dataset"])
        reason = "together" if result.reason == "copies" and not dataset else str(result.reason)
        remedy = REMEDIES["control" if of_control else reason]
        hit, n = float(result.worst["people"]), float(result.n)
        text = _sentence(result, question, people, of_control)
        return Finding(level, text, self.name, dataset or None, result.variables, hit, n, remedy)

    def lines(self, result: CopiedPeopleResult, question: Question, people: Write) -> list[Line]:
        """State how many people are released, and how many by chance."""
        columns = listed(result.variables, 6)
        repeated = " The release repeats its own records as often." if result.reason == "repeats" else ""
        lines = [
            Line(
                "People released with their values",
                people(float(result.worst["people"]), result.n),
                people(float(result.n)),
                f"{_sentence(result, question, people, False)}{repeated} Compared: {columns}. Chance is estimated from people "
                "who resemble each other, and from released records that do.",
            )
        ]
        if result.control is not None:
            unseen = result.control
            number = people(float(unseen.worst["people"]), unseen.n)
            text = _sentence(unseen, question, people, True)
            lines.append(Line("People of the holdout sample released", number, people(float(unseen.n)), text))
        return lines

    def to_dict(self, result: CopiedPeopleResult, question: Question, *, publish: bool) -> Any:
        """Return the counts; for publication, only the compared columns."""
        if publish:
            return {"variables": list(result.variables)}
        return {
            "sentence": result.title,
            "variables": list(result.variables),
            "partial": result.partial,
            "counts": result.table.to_dict("records"),
            "control": None if result.control is None else result.control.table.to_dict("records"),
        }


def _sentence(result: CopiedPeopleResult, question: Question, people: Write, of_control: bool) -> str:
    worst: pd.Series = result.worst
    dataset = int(worst["dataset"])
    where = f" in {question.dataset_name(dataset - 1, False)}" if dataset else " in all datasets together"
    who = "people of the holdout sample" if of_control else "people"
    values = values_copied(worst, len(result.variables), "synthetic " if result.partial else "")
    by_chance = people(float(round(min(explained(worst, result.reason), result.n))), result.n)
    return (
        f"{out_of(float(worst['people']), float(result.n), people)} {who} are released with {values}"
        f"{where if question.m > 1 else ''}; by chance {by_chance}."
    )


def _columns(question: Question) -> list[str]:
    """Return the compared columns; all columns if the release is the confidential file."""
    found = compared(question)
    return list((*found.kept, *found.compared) if found.unchanged_file else found.compared)


def _of_control(question: Question) -> list[str]:
    """Return the compared columns that the holdout sample also has, with values of the same type."""
    control = question.control
    if control is None:
        return []
    return [c for c in _columns(question) if c in control.columns and _same_type(question.confidential[c], control[c])]


def _same_type(own: pd.Series, other: pd.Series) -> bool:
    return len({_checks.comparable_kind(one) for one in (own, other)} - {"nothing"}) < 2
