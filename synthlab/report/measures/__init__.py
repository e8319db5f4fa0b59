"""Measures of a report, in the order of the report."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from synthlab._result import Result
from synthlab.report.evaluation_inputs import Question
from synthlab.report.measure import Measure, Row, Section
from synthlab.report.measures.agreement import Agreement
from synthlab.report.measures.attribute import AttributeDisclosure, CorrectAttribution
from synthlab.report.measures.chosen_variables import ChosenVariables
from synthlab.report.measures.closest_record import ClosestRecord
from synthlab.report.measures.columns import Columns
from synthlab.report.measures.copied_people import CopiedPeople
from synthlab.report.measures.copied_units import CopiedUnits
from synthlab.report.measures.differences import ColumnDifferences
from synthlab.report.measures.ecdf import Ecdf
from synthlab.report.measures.exact_copies import ExactCopies
from synthlab.report.measures.identification_probability import IdentificationProbability
from synthlab.report.measures.identification_risk import IdentificationRisk
from synthlab.report.measures.identifying_values import IdentifyingValues
from synthlab.report.measures.learned_attack import LearnedAttack
from synthlab.report.measures.membership import Membership
from synthlab.report.measures.near_copies import NearCopies
from synthlab.report.measures.near_units import NearUnits
from synthlab.report.measures.planted_copies import PlantedCopies
from synthlab.report.measures.pmse import Pmse
from synthlab.report.measures.population_uniques import PopulationUniques
from synthlab.report.measures.prediction import Prediction
from synthlab.report.measures.relations import Relations
from synthlab.report.measures.replicated_uniques import ReplicatedUniques
from synthlab.report.measures.tables import Tables
from synthlab.report.measures.unit_risk import UnitRisk
from synthlab.report.measures.units import Units

MEASURES: dict[str, Measure[Any]] = {
    measure.name: measure
    for measure in (
        ChosenVariables(),
        IdentificationRisk(),
        UnitRisk(),
        Columns(),
        ExactCopies(),
        CopiedPeople(),
        CopiedUnits(),
        IdentifyingValues(),
        Agreement(),
        LearnedAttack(),
        ReplicatedUniques(),
        PopulationUniques(),
        ClosestRecord(),
        NearCopies(),
        NearUnits(),
        PlantedCopies(),
        IdentificationProbability(),
        AttributeDisclosure(),
        CorrectAttribution(),
        Membership(),
        ColumnDifferences(),
        Ecdf(),
        Pmse(),
        Tables(),
        Prediction(),
        Relations(),
        Units(),
    )
}


def by_row() -> str:
    """Name the measures that compare row i with record i."""
    return ", ".join(measure.by_row for measure in MEASURES.values() if measure.by_row)


def measured(results: Mapping[str, Result], section: Section | None = None) -> list[tuple[Measure[Any], Any]]:
    """Return the measures that have a result, with their results."""
    found = [(measure, results[name]) for name, measure in MEASURES.items() if name in results]
    return [(measure, result) for measure, result in found if section in (None, measure.section)]


def all_rows(results: Mapping[str, Result], question: Question, section: Section | None = None) -> list[Row]:
    """Return the rows of all measures, or of one section, in the order of the report."""
    return [row for measure, result in measured(results, section) for row in measure.rows(result, question)]
