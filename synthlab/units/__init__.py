"""Units of several records, such as households and panels: their members, their rules and their detection."""

from __future__ import annotations

from synthlab.units.codes import unit_codes
from synthlab.units.rules import (
    AtMostOne,
    Constant,
    Difference,
    Different,
    ExactlyOne,
    SizeOf,
    UnitRule,
    UnitRules,
)
from synthlab.units.structure import UnitStructure, unit_structure

__all__ = [
    "AtMostOne",
    "Constant",
    "Difference",
    "Different",
    "ExactlyOne",
    "SizeOf",
    "UnitRule",
    "UnitRules",
    "UnitStructure",
    "unit_codes",
    "unit_structure",
]
