"""Near copies of units: units that are closer to released units than chance explains."""

from __future__ import annotations

import math
from typing import Any

import pandas as pd

from synthlab._format import listed
from synthlab.report.compared import compared, compared_members
from synthlab.report.evaluation_inputs import Question
from synthlab.report.measure import CHANCE, NONE, Answer, Finding, Line, Measure, Row, Write, out_of
from synthlab.report.measures.near_copies import DECIDE
from synthlab.risk import NearUnitsResult
from synthlab.risk.copies.near_copies import FEWEST, FEWEST_SYNTHESIZED
from synthlab.risk.copies.near_units import near_in_units
from synthlab.risk.copies.unit_rows import unit_table


class NearUnits(Measure[NearUnitsResult]):
    """Units that are closer to released units than units are to each other."""

    name = "near_units"
    title = "Near copies of units"
    section = "risk"
    numbers = ("near_units",)
    asks_intruder = False
    per_unit = True
    nothing = "The release is no closer to real units than chance explains."

    def applies(self, question: Question) -> str | None:
        """Require columns and units to compare."""
        return reason(question)

    def compute(self, question: Question) -> NearUnitsResult:
        """Compare the columns that are not kept."""
        return question.once(near_units_of)

    def rows(self, result: NearUnitsResult, question: Question) -> list[Row]:
        """Return the units beyond chance."""
        return [
            Row(
                "near_units",
                "near copies of units beyond chance",
                "people",
                synthetic=_beyond(result),
                of=(float(result.worst.n), math.nan),
            )
        ]

    def answers(self, result: NearUnitsResult, question: Question, people: Write) -> list[Answer]:
        """State the units beyond chance."""
        beyond = _beyond(result)
        asked = "Are households or histories released with small changes, or in other units?"
        found = f"{people(beyond, result.worst.n)} units beyond chance"
        return [Answer(asked, found, "0 units", CHANCE if beyond else NONE)]

    def closeness(self, result: NearUnitsResult) -> pd.DataFrame:
        """Return the curves of the row that decides."""
        return result.worst.curves()

    def findings(self, result: NearUnitsResult, question: Question, people: Write) -> list[Finding]:
        """Report units beyond chance, and a release that is made from a few units."""
        one = result.worst
        if one.level is None:
            return []
        worst, n = one.worst, float(one.n)
        which = "" if result.decides == "all" else f" of two or more {'waves' if result.panel else 'members'}"
        if one.levels.iloc[one.place] is None:
            text = "Many released units are closer to a unit than 99% of the units are to another unit."
            remedy = "The release seems to be made from a few units: draw from a model of all units."
            return [Finding("STOP", text, self.name, columns=_columns(worst, question), remedy=remedy)]
        number = round(float(worst["people"]))
        where = f" in {question.dataset_name(one.dataset - 1, False)}" if question.m > 1 and one.dataset else ""
        named = f", mainly in {listed(worst['columns'])}" if worst["columns"] else ""
        least = "At least " if one.least else ""
        text = f"{least}{out_of(number, n, people)} units{which} have a nearly equal unit in the release{where}, beyond chance{named}."
        remedy = DECIDE if one.level == "CHECK" else "Draw the units again with a larger `min_leaf` or with `smooth`."
        columns = _columns(worst, question)
        return [Finding(one.level, text, self.name, one.dataset or None, columns, float(number), n, remedy, True)]

    def lines(self, result: NearUnitsResult, question: Question, people: Write) -> list[Line]:
        """State the number of units and what it means."""
        one = result.worst
        return [
            Line(
                "Near copies of units",
                people(_beyond(result), one.n),
                "",
                "Units with a released unit that is closer than chance explains. The values of all "
                f"{'waves' if result.panel else 'members'} of a unit are one record. At most {one.compared:,} units and "
                f"released units were compared with {one.worst['candidates']:,} units each (seed 1).",
            )
        ]

    def to_dict(self, result: NearUnitsResult, question: Question, *, publish: bool) -> Any:
        """Return the tables; for publication, only the sizes of the samples."""
        if publish:
            return {"compared": result.worst.compared}
        return {which: one.to_dict() for which, one in result.near.items()}


def reason(question: Question) -> str | None:
    """Return why near copies of units cannot be searched, or None."""
    found, columns = compared_members(question), compared(question)
    if not found.columns:
        return "no column of the members can be compared."
    if columns.partial and len(found.columns) < FEWEST_SYNTHESIZED:
        return f"requires at least {FEWEST_SYNTHESIZED} synthesized columns, because the other columns are kept."
    if min(found.sizes(file).size for file in range(len(found.frames))) < FEWEST:
        return f"there are fewer than {FEWEST} units."
    return None


def near_units_of(question: Question) -> NearUnitsResult:
    """Return the near copies of units in the compared columns."""
    found = compared_members(question)
    partial = compared(question).partial
    return near_in_units(found, partial=partial, categorical=[c for c in question.categorical if c in found.columns])


def _beyond(result: NearUnitsResult) -> float:
    one = result.worst
    return 0.0 if one.levels.iloc[one.place] is None else float(round(one.worst["people"]))


def _columns(worst: pd.Series, question: Question) -> tuple[str, ...]:
    """Return the columns of the file whose cells contribute most."""
    source = question.once(_sources)
    return tuple(dict.fromkeys(source[c] for c in worst["columns"] if c in source))


def _sources(question: Question) -> dict[str, str]:
    return unit_table(compared_members(question)).source
