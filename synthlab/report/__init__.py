"""Evaluation and comparison of the risk and utility of releases."""

from __future__ import annotations

from synthlab.report._compare import ComparisonResult, compare
from synthlab.report.evaluation import evaluate
from synthlab.report.result import EvaluationResult

__all__ = ["ComparisonResult", "EvaluationResult", "compare", "evaluate"]
