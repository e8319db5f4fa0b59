"""Units, such as households and panel histories, that are released with all or nearly all of their values."""

from __future__ import annotations

from typing import Any

from synthlab._format import listed
from synthlab.report.compared import compared, compared_members
from synthlab.report.evaluation_inputs import Question
from synthlab.report.measure import CHANCE, NONE, Answer, Finding, Line, Measure, Row, Write, out_of
from synthlab.risk import CopiedUnitsResult
from synthlab.risk.copies.copied_people import explained
from synthlab.risk.copies.copied_units import amount, count_units, units_counted

REMEDIES = {
    "copies": "Draw the units again with larger leaves (`min_leaf=`), or drop or coarsen columns.",
    "bootstrap": "Synthesize the units (`synthesize` with `unit=`) instead of resampling them.",
    "repeats": (
        "A true CHECK: the release also repeats its own units. If it must not show that these combinations exist, use "
        "larger leaves (`min_leaf=`), or drop or coarsen columns."
    ),
}


class CopiedUnits(Measure[CopiedUnitsResult]):
    """Units whose values are released together, beyond what chance explains."""

    name = "copied_units"
    title = "Copied units"
    section = "risk"
    numbers = ("copied_units",)
    asks_intruder = False
    per_unit = True

    def applies(self, question: Question) -> str | None:
        """Require two values per unit."""
        found = compared_members(question)
        if not found.columns:
            return "no column of the members can be compared."
        if len(found.columns) < 2 and int(found.sizes(0).max()) < 2:
            return "requires at least two values per unit."
        return None

    def compute(self, question: Question) -> CopiedUnitsResult:
        """Count the copies in the compared columns."""
        found, columns = compared_members(question), compared(question)
        return count_units(found, partial=columns.partial and not columns.unchanged_file)

    def rows(self, result: CopiedUnitsResult, question: Question) -> list[Row]:
        """Return the number of units in the row that decides, and the number that chance explains."""
        one = result.worst
        n, worst = float(one.n), one.worst
        return [
            Row(
                "copied_units",
                "units released with their values",
                "people",
                synthetic=float(worst["people"]),
                confidential=n,
                random_guess=float(round(min(explained(worst, one.reason), n))),
                of=(n, n),
            )
        ]

    def answers(self, result: CopiedUnitsResult, question: Question, people: Write) -> list[Answer]:
        """Compare the units in the row that decides with chance."""
        (row,) = self.rows(result, question)
        found, chance = (f"{people(number, result.worst.n)} units" for number in (row.release, row.random_guess))
        text = f"{found}, {amount(result)}" if row.release else found
        return [
            Answer("Are real households or histories in the release?", text, chance, CHANCE if row.release else NONE)
        ]

    def findings(self, result: CopiedUnitsResult, question: Question, people: Write) -> list[Finding]:
        """Report the row that decides."""
        one = result.worst
        if one.level is None:
            return []
        worst, dataset = one.worst, int(one.worst["dataset"])
        columns = tuple(compared_members(question).columns)
        text, remedy = _sentence(result, question, people), REMEDIES[str(one.reason)]
        return [
            Finding(one.level, text, self.name, dataset or None, columns, float(worst["people"]), float(one.n), remedy)
        ]

    def lines(self, result: CopiedUnitsResult, question: Question, people: Write) -> list[Line]:
        """State how many units are released, how many by chance, and how many repeat in the file."""
        one, units = result.worst, question.units
        columns = listed(compared_members(question).columns, 6)
        whose = listed(units.structure.unit) if units is not None else ""
        repeated = " The release repeats its own units as often." if one.reason == "repeats" else ""
        return [
            Line(
                "Units released with their values",
                people(float(one.worst["people"]), one.n),
                people(float(one.n)),
                f"{_sentence(result, question, people)}{repeated} A unit consists of the records with one value of {whose}. "
                f"{people(float(result.repeated), result.n)} units of the file equal another one. Compared: {columns}. Units "
                "are compared cell by cell, and as sets of members; all units, and those of at least two "
                f"{'waves' if result.panel else 'members'}.",
            )
        ]

    def to_dict(self, result: CopiedUnitsResult, question: Question, *, publish: bool) -> Any:
        """Return the counts; for publication, only the columns that identify units."""
        unit = [] if question.units is None else list(question.units.structure.unit)
        if publish:
            return {"unit": unit}
        counts = result.to_frame().to_dict("records")
        return {"sentence": result.title, "unit": unit, "repeated": result.repeated, "counts": counts}


def _sentence(result: CopiedUnitsResult, question: Question, people: Write) -> str:
    one = result.worst
    worst, dataset = one.worst, int(one.worst["dataset"])
    where = f" in {question.dataset_name(dataset - 1, False)}" if dataset else " in all datasets together"
    by_chance = people(float(round(min(explained(worst, one.reason), one.n))), one.n)
    repeat = ""
    if one.reason == "repeats":
        repeat = f"; {people(float(result.repeated), result.n)} units of the file repeat"
    return (
        f"{out_of(float(worst['people']), float(one.n), people)} {units_counted(result)} are released with {amount(result)}"
        f"{where if question.m > 1 else ''}; by chance {by_chance}{repeat}."
    )
