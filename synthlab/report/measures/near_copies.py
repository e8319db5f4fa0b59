"""Near copies: people who are closer to released records than chance explains."""

from __future__ import annotations

import math
from typing import Any

import pandas as pd

from synthlab import _checks
from synthlab._format import listed
from synthlab.exceptions import DtypeMismatchError
from synthlab.report.compared import PANEL, compared
from synthlab.report.evaluation_inputs import Question
from synthlab.report.measure import CHANCE, NONE, Answer, Finding, Line, Measure, Row, Write, out_of, out_of_are, share
from synthlab.risk import NearCopiesResult, near_copies
from synthlab.risk.copies.near_copies import FEWEST, FEWEST_SYNTHESIZED

DECIDE = "Release again with twice the `min_leaf`: if the number falls to 0, the model was too fine; if not, look for copied records."

RARELY = 0.01  # share of the people who are so close to another person, for the row of the first screen


class NearCopies(Measure[NearCopiesResult]):
    """People who are closer to released records than people are to each other."""

    name = "near_copies"
    title = "Near copies"
    section = "risk"
    numbers = ("near_copies", "closer_people")
    asks_intruder = False
    nothing = "The release is no closer to real people than chance explains."

    def applies(self, question: Question) -> str | None:
        """Require columns and records to compare."""
        return PANEL if question.panel else reason(question)

    def left_out(self, question: Question) -> list[str]:
        """State why the holdout sample is not used."""
        if question.control is None or self.applies(question) or holdout(question) is not None:
            return []
        return ["the holdout sample is not compared, because it has other columns, other types or too few records."]

    def compute(self, question: Question) -> NearCopiesResult:
        """Compare the columns that are not kept."""
        return question.once(near)

    def rows(self, result: NearCopiesResult, question: Question) -> list[Row]:
        """Return the people beyond chance, and the share who are closer to a released record than to any person."""
        of = (float(result.n), math.nan)
        total = (float(_people(result, question)), math.nan)
        return [
            Row("near_copies", "near copies beyond chance", "people", synthetic=_beyond(result), of=total),
            Row("closer_people", "closer to the release", "share", synthetic=max(0.0, result.closer_people), of=of),
        ]

    def answers(self, result: NearCopiesResult, question: Question, people: Write) -> list[Answer]:
        """Compare the people above the score that decides with people and with released records above it."""
        return [*self._near(result, question, people), self._closer(result, people)]

    def _near(self, result: NearCopiesResult, question: Question, people: Write) -> list[Answer]:
        n, curves, score = _people(result, question), result.curves(), float(result.worst["threshold"])
        decides = result.levels.iloc[result.place] is not None
        above = curves[curves["score"] >= score] if decides else curves[curves["people"] <= RARELY]
        if above.empty:
            return []
        found, *others = (above.iloc[0][["released", "people", "release"]] * n).tolist()
        chance = max(found - float(result.worst["people"]), 0.0) if decides else max(others)
        asked = "Are people released with small changes, or in other units?"
        number, expected = (f"{people(round(number), n)} people" for number in (found, chance))
        return [Answer(asked, number, expected, CHANCE if found >= 1 else NONE)]

    def _closer(self, result: NearCopiesResult, people: Write) -> Answer:
        closer = share(max(0.0, result.closer_people), result.n, people)
        asked = "How many people are closer to the release than to any other person?"
        return Answer(asked, f"{closer} of the people", "0%")

    def closeness(self, result: NearCopiesResult) -> pd.DataFrame:
        """Return the curves of the row that decides."""
        return result.curves()

    def findings(self, result: NearCopiesResult, question: Question, people: Write) -> list[Finding]:
        """Report people beyond chance, and a release that is made from the records of a few people."""
        found = []
        worst, n = result.worst, _people(result, question)
        level = result.levels.iloc[result.place]
        if level is not None:
            number = round(float(worst["people"]))
            who = "people of the holdout sample" if worst["baseline"] == "holdout people" else "people"
            by_values = result.table.index[result.place][1] == "values"
            record = "nearly equal record" if by_values else "record with nearly the same ranks"
            columns = f", mainly in {listed(worst['columns'])}" if worst["columns"] else ""
            # A person is compared with a share of the released records only if there are more of them than people.
            least = "At least " if result.least else ""
            text = f"{least}{out_of(number, n, people)} {who} have a {record} in {_where(result.dataset, question)}, beyond chance{columns}."
            coarsen = f", or drop or coarsen {listed(worst['columns'])}" if worst["columns"] else ""
            remedy = DECIDE if level == "CHECK" else f"Use a larger `min_leaf` or `smooth`{coarsen}."
            found.append(
                Finding(
                    level, text, self.name, result.dataset or None, worst["columns"], float(number), n, remedy, True
                )
            )
        if result.from_few_people:
            records = float(question.release.n)
            text = (
                f"{out_of_are(round(result.closer_share * records), records, people).replace('people', 'released records')} closer "
                "to a person than 99% of the people are to another person."
            )
            remedy = "The release seems to be made from a few people: draw from a model of all people."
            found.append(Finding("STOP", text, self.name, columns=result.variables, remedy=remedy))
        return found

    def lines(self, result: NearCopiesResult, question: Question, people: Write) -> list[Line]:
        """State the number of people and what it means."""
        n = _people(result, question)
        return [
            Line(
                "Near copies",
                people(_beyond(result), n),
                "",
                f"People with a released record that is closer than chance explains. {share(max(0.0, result.closer_people), result.n, people)} "
                "more people than half are closer to a released record than to any other person; about 0% for a new sample of the "
                f"population. At most {result.compared:,} people and released records were compared with {result.worst['candidates']:,} "
                "records each (seed 1).",
            )
        ]

    def to_dict(self, result: NearCopiesResult, question: Question, *, publish: bool) -> Any:
        """Return the table; for publication, only the sizes of the samples."""
        if publish:
            return {"compared": result.compared, "candidates": int(result.table["candidates"].iloc[0])}
        return {**result.to_dict(), "closer_people": result.closer_people, "closer_share": result.closer_share}


def reason(question: Question) -> str | None:
    """Return why near copies cannot be searched, or None."""
    found = compared(question)
    if not found.compared:
        return "requires at least one column that is not released unchanged."
    if found.partial and len(found.compared) < FEWEST_SYNTHESIZED:
        return f"requires at least {FEWEST_SYNTHESIZED} synthesized columns, because the other columns are kept."
    if min(question.n, question.release.n) < FEWEST:
        return f"there are fewer than {FEWEST} records."
    return None


def holdout(question: Question) -> pd.DataFrame | None:
    """Return the holdout sample if it can be compared."""
    found, control = compared(question), question.control
    if control is None or len(control) < FEWEST or not {*found.compared} <= {*control.columns}:
        return None
    try:
        _checks.check_same_kind(question.confidential, [control], found.compared, "control")
    except DtypeMismatchError:
        return None
    return control


def near(question: Question) -> NearCopiesResult:
    """Return the near copies in the compared columns."""
    found = compared(question)
    return near_copies(
        question.confidential,
        question.release,
        variables=found.compared,
        partial=found.partial,
        control=holdout(question),
        categorical=[c for c in question.categorical if c in found.compared],
    )


def _beyond(result: NearCopiesResult) -> float:
    """Return the number of people beyond chance; 0 if chance explains it."""
    return 0.0 if result.levels.iloc[result.place] is None else float(round(result.worst["people"]))


def _people(result: NearCopiesResult, question: Question) -> int:
    """Return the number of people to whom the row that decides refers."""
    if result.worst["baseline"] == "holdout people" and question.control is not None:
        return len(question.control)
    return result.n


def _where(dataset: int, question: Question) -> str:
    return question.dataset_name(dataset - 1, False) if dataset else "all datasets together"
