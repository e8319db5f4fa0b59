"""Comparison of synthlab with R, live if R is installed and otherwise recorded."""

from __future__ import annotations

from synthlab.crosscheck._check import Check
from synthlab.crosscheck._run import CrosscheckResult, crosscheck
from synthlab.crosscheck.cases import CASES, GROUPS, Case
from synthlab.crosscheck.tolerances import TOLERANCES, Tolerance

__all__ = ["CASES", "GROUPS", "TOLERANCES", "Case", "Check", "CrosscheckResult", "Tolerance", "crosscheck"]
