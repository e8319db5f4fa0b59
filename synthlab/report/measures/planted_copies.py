"""Planted copies: which copies of people would have been found in the release."""

from __future__ import annotations

import math
from typing import Any

from synthlab.report.compared import compared_members
from synthlab.report.evaluation_inputs import Question
from synthlab.report.measure import Line, Measure, Row, Write
from synthlab.report.measures.near_copies import near, reason
from synthlab.report.measures.near_units import near_units_of, reason as reason_of_units
from synthlab.risk.copies.planted_copies import PlantedCopiesResult, planted
from synthlab.risk.copies.unit_rows import unit_table


class PlantedCopies(Measure[PlantedCopiesResult]):
    """Number of people from which copies would have been reported."""

    name = "planted_copies"
    title = "Planted copies"
    section = "risk"
    numbers = ("found_from", "noisy_found_from")
    asks_intruder = False

    def applies(self, question: Question) -> str | None:
        """Require what near copies require."""
        return reason(question) if question.units is None else reason_of_units(question)

    def compute(self, question: Question) -> PlantedCopiesResult:
        """Plant copies of people, or of units, in the first dataset."""
        if question.units is not None:
            table = unit_table(compared_members(question))
            codes = [name for name, source in table.source.items() if source in question.categorical]
            near_units = question.once(near_units_of).near["all"]
            return planted(table.frames[0], table.frames[1], near_units, codes, 1, "units")
        found = question.once(near)
        categorical = [c for c in question.categorical if c in found.variables]
        return planted(question.confidential, question.release[0], found, categorical, 1)

    def rows(self, result: PlantedCopiesResult, question: Question) -> list[Row]:
        """Return the smallest numbers of people that would have been found; NaN if none."""
        labels = {
            "whole": ("found_from", "copies found from"),
            "noise": ("noisy_found_from", "copies with 3% noise found from"),
        }
        return [Row(*labels[kind], synthetic=_finite(result.found_from(kind)), summarised=False) for kind in labels]

    def power(self, result: PlantedCopiesResult, question: Question, people: Write) -> str:
        """State which copies would have been found."""
        return result.title

    def lines(self, result: PlantedCopiesResult, question: Question, people: Write) -> list[Line]:
        """State which copies would have been found."""
        whole = result.found_from("whole")
        text = f"{whole:,.0f} {result.what}" if math.isfinite(whole) else "none"
        return [Line("Copies that would have been found", text, "", result.title)]

    def to_dict(self, result: PlantedCopiesResult, question: Question, *, publish: bool) -> Any:
        """Return the sentence and the smallest numbers of people."""
        found = {kind: _finite(result.found_from(kind)) for kind in ("whole", "noise")}
        return {"sentence": result.title, "found_from": {k: None if math.isnan(v) else v for k, v in found.items()}}


def _finite(number: float) -> float:
    return number if math.isfinite(number) else math.nan
