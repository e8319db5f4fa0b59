"""Identification risk of whole units, such as households."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from synthlab._warnings import quiet
from synthlab.exceptions import NoBetterThanBaselineWarning, NoUniqueMatchWarning
from synthlab.report.evaluation_inputs import Question
from synthlab.report.measure import Line, Measure, Row, Write
from synthlab.risk import UnitRiskResult, unit_risk


class UnitRisk(Measure[UnitRiskResult]):
    """Expected match risk of units, and of a person within a unit whose other members are known."""

    name = "unit_risk"
    title = "Identification risk of units by matching"
    section = "risk"
    numbers = (
        "unit_match_risk",
        "unit_match_risk_bound",
        "unit_unique",
        "person_match_risk",
        "person_match_risk_bound",
    )
    per_unit = True

    def applies(self, question: Question) -> str | None:
        """Require the box norm, and an intruder who does not know the numbers of the units."""
        if question.intruder.norm != "box":
            return 'it requires norm="box".'
        if question.intruder.convention is not None:
            return "the convention of the R package has no rule for units."
        if set(question.declared_units.structure.unit) & set(question.intruder.used):
            return "the intruder knows or uses the numbers of the units."
        return None

    def compute(self, question: Question) -> UnitRiskResult:
        """Match the units of both files."""
        units = question.declared_units
        unit = units.structure.unit
        intruder = replace(question.intruder, unit=unit, unit_order=None, targets=None)
        with quiet(NoBetterThanBaselineWarning, NoUniqueMatchWarning):  # the lines compare with the known variables
            return unit_risk(
                question.confidential,
                question.release,
                intruder,
                max_members=max(int(np.bincount(code).max()) for code in units.codes),  # the units are checked
                corresponds=None if question.rows.by_row else False,
            )

    def rows(self, result: UnitRiskResult, question: Question) -> list[Row]:
        """Return the expected match risk of units and persons, or its upper bound."""
        units, persons = float(len(result.size)), float(len(result.persons.match_count))
        base = result.baseline or result
        name = "expected_match_risk" if result.corresponds else "match_risk_bound"
        suffix, words = (
            ("", " by guessing among the matches") if result.corresponds else ("_bound", " by guessing, at most")
        )
        rows = [
            Row(
                f"unit_match_risk{suffix}",
                f"units found{words}",
                "people",
                per_dataset=getattr(result.units, name),
                confidential=float(getattr(base.units, name)[0]),
                known_only=float(result.known_only.mean()),
                random_guess=float(result.size_only.mean()),
                of=(units, units),
            ),
            Row(
                f"person_match_risk{suffix}",
                f"persons found in their unit{words}",
                "people",
                per_dataset=getattr(result.persons, name),
                confidential=float(getattr(base.persons, name)[0]),
                known_only=float(result.person_known_only.mean()),
                random_guess=float(result.person_size_only.mean()),
                of=(persons, persons),
            ),
        ]
        if result.corresponds:
            rows.append(
                Row(
                    "unit_unique",
                    "units with a single match",
                    "people",
                    per_dataset=result.units.n_unique,
                    confidential=float(base.units.n_unique[0]),
                    of=(units, units),
                )
            )
        return rows

    def lines(self, result: UnitRiskResult, question: Question, people: Write) -> list[Line]:
        """State how many units and persons are found by an intruder who knows all members."""
        row = {row.name.removesuffix("_bound"): row for row in self.rows(result, question)}
        units, persons = row["unit_match_risk"], row["person_match_risk"]
        most = "" if result.corresponds else "at most "
        n, wrong = len(result.size), float(result.units.false_match_rate.mean())
        trust = "" if math.isnan(wrong) or question.publish else f" A single match is wrong {wrong:.0%} of the time."
        return [
            Line(
                "Units found by guessing among the matches",
                f"{most}{people(units.release, n)}",
                people(units.confidential, n),
                f"An intruder who knows all members of a unit would be right for {most}{people(units.release, n)} of {n:,} "
                f"units{question.average}; with the known variables alone for {most}{people(units.known_only, n)}, and with the "
                f"number of members alone for {most}{people(units.random_guess, n)}.{trust}",
            ),
            Line(
                "Persons found when the other members are known",
                f"{most}{people(persons.release, persons.of[0])}",
                people(persons.confidential, persons.of[0]),
                f"An intruder who knows the household would be right for {most}{people(persons.release, persons.of[0])} of "
                f"{int(persons.of[0]):,} persons{question.average}; with the known variables alone for "
                f"{most}{people(persons.known_only, persons.of[0])}, and with the number of members alone for "
                f"{most}{people(persons.random_guess, persons.of[0])}.",
            ),
        ]

    def to_dict(self, result: UnitRiskResult, question: Question, *, publish: bool) -> Any:
        """Return the numbers of each dataset; for publication, nothing, because the summary suffices."""
        return [] if publish else result.to_frame().to_dict("records")
