"""Utility per unit: sizes, composition, pairs of members, correlation within units, transitions and survival."""

from __future__ import annotations

import math
from typing import Any

import pandas as pd

from synthlab._format import SMALLEST_GROUP, two_digits
from synthlab.report.evaluation_inputs import Question
from synthlab.report.measure import Answer, Line, Measure, Row, Write, coarse, rated
from synthlab.utility import UnitUtilityResult
from synthlab.utility.units import KINDS, Kind, compare_units

LABELS: dict[Kind, str] = {
    "size": "distance of unit sizes",
    "composition": "distance of unit composition",
    "pairs": "difference of pairs of members",
    "correlation": "difference within units",
    "transitions": "distance of transitions",
    "survival": "difference of survival",
}
GOOD, FAIR = 0.05, 0.10  # largest distances that are rated good and fair in a large file


class Units(Measure[UnitUtilityResult]):
    """Distances between the units of the release and of the confidential data."""

    name = "unit_utility"
    title = "Utility per unit"
    section = "utility"
    numbers = tuple(f"unit_{kind}" for kind in KINDS)
    asks_intruder = False
    per_unit = True

    def compute(self, question: Question) -> UnitUtilityResult:
        """Compare the members' columns of both files that have the same type."""
        names, structure = question.columns.comparable, question.declared_units.structure
        codes = [c for c in question.categorical if c in names]
        return compare_units(question.confidential, question.release.frames, structure, names, codes)

    def rows(self, result: UnitUtilityResult, question: Question) -> list[Row]:
        """Return the largest distance of each kind of quantity."""
        return [
            Row(
                f"unit_{kind}",
                LABELS[kind],
                per_dataset=result.per_dataset[int(str(row.name))],
                confidential=0.0,
                step=_step(question),
            )
            for kind in KINDS
            if (row := result.worst(kind)) is not None
        ]

    def answers(self, result: UnitUtilityResult, question: Question, people: Write) -> list[Answer]:
        """Rate the largest distance of the units."""
        found = [row for kind in KINDS if (row := result.worst(kind)) is not None]
        if not found:
            return []
        row = max(found, key=lambda one: one["distance"])
        distance = coarse(float(row["distance"]), _step(question))
        between = float(row["between"])
        chance = [float(row["by_chance"]), 2 / math.sqrt(result.units), 0.0 if math.isnan(between) else between]
        good = max(GOOD, *(number for number in chance if not math.isnan(number)))
        text = f"worst: {row['quantity']}, distance {question.digits(distance)}"
        correct = (
            f"up to {two_digits(good):g}" if math.isnan(between) else f"{question.digits(between)} between two datasets"
        )
        return [rated("Households or histories as a whole", text, correct, distance, good, FAIR / GOOD * good)]

    def lines(self, result: UnitUtilityResult, question: Question, people: Write) -> list[Line]:
        """State each quantity, next to the distance between two synthetic datasets."""
        return [_line(row, question) for _, row in result.table.iterrows() if not math.isnan(row["distance"])]

    def to_dict(self, result: UnitUtilityResult, question: Question, *, publish: bool) -> Any:
        """Return the table; for publication, nothing, because the summary suffices."""
        table = result.table.astype(object).where(result.table.notna(), None)
        return [] if publish else table.to_dict("records")


def _line(row: pd.Series, question: Question) -> Line:
    step = _step(question)
    if math.isnan(row["confidential"]):
        released, own = question.digits(coarse(float(row["distance"]), step)), "0"
        text = f"Distance of two distributions{question.average}: half the sum of the differences of the shares."
        if not math.isnan(row["by_chance"]):
            text += f" By chance: about {question.digits(coarse(float(row['by_chance']), step))}."
    else:
        numbers = (coarse(float(row[name]), step) for name in ("release", "confidential"))
        released, own = (question.digits(number) for number in numbers)
        text = f"The two numbers differ by {question.digits(coarse(float(row['distance']), step))}{question.average}."
    if not math.isnan(row["between"]):
        text += f" Between two synthetic datasets: {question.digits(coarse(float(row['between']), step))}."
    name = str(row["quantity"])
    return Line(f"{name[0].upper()}{name[1:]}", released, own, text)


def _step(question: Question) -> float:
    return SMALLEST_GROUP / question.n if question.publish else 0.0
