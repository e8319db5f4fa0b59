"""Synthesis of a whole survey file in one call, and the plan by which it is made."""

from __future__ import annotations

from synthlab.synthesis.plan import Plan, PlannedVariable
from synthlab.synthesis.synthesize_file import synthesize

__all__ = ["Plan", "PlannedVariable", "synthesize"]
