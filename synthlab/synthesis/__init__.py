"""Synthesis of a whole survey file in one call, and its plan."""

from __future__ import annotations

from synthlab.synthesis.plan import Plan, PlannedVariable
from synthlab.synthesis.synthesize_file import synthesize

__all__ = ["Plan", "PlannedVariable", "synthesize"]
