"""Synthesis of a whole survey file in one call, and its plan."""

from __future__ import annotations

from synthlab.synthesis.linked_tables import LinkedRelease, synthesize_tables
from synthlab.synthesis.plan import Plan, PlannedVariable
from synthlab.synthesis.synthesize_file import plan_synthesis, synthesize

__all__ = ["LinkedRelease", "Plan", "PlannedVariable", "plan_synthesis", "synthesize", "synthesize_tables"]
