"""Synthesis of a whole survey file in one call, and its plan."""

from __future__ import annotations

from synthlab.synthesis.linked_tables import LinkedRelease, synthesize_tables
from synthlab.synthesis.plan import Plan, PlannedVariable
from synthlab.synthesis.synthesize_file import synthesize

__all__ = ["LinkedRelease", "Plan", "PlannedVariable", "synthesize", "synthesize_tables"]
