"""Comparison of synthlab with R, live if R is installed and otherwise recorded."""

from __future__ import annotations

from synthlab.crosscheck._check import Check, compare
from synthlab.crosscheck._run import GROUPS, CrosscheckResult, crosscheck, row_text
from synthlab.crosscheck.tolerances import TOLERANCES, Tolerance

__all__ = ["GROUPS", "TOLERANCES", "Check", "CrosscheckResult", "Tolerance", "compare", "crosscheck", "row_text"]
