"""Risk and utility of a release side by side: evaluate one, compare several, write a page about it."""

from __future__ import annotations

from synthlab.report._compare import ComparisonResult, compare
from synthlab.report.evaluation import evaluate
from synthlab.report.result import EvaluationResult

__all__ = ["ComparisonResult", "EvaluationResult", "compare", "evaluate"]
