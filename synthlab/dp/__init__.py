"""Differential privacy: noise by declared sensitivities, an account that runs out, private tables, and an audit.

Everything here teaches and measures; nothing here is a release mechanism, for which floating-point and pseudo-random
numbers will not do. An epsilon is that of one query unless it is called a total, and means nothing without the
adjacency it is for.
"""

from __future__ import annotations

from synthlab.dp.audit import AuditResult, audit_epsilon
from synthlab.dp.budget import Budget
from synthlab.dp.count import private_count, private_histogram
from synthlab.dp.exponential import ExponentialMechanism
from synthlab.dp.laplace import LaplaceMechanism
from synthlab.dp.mean import private_mean
from synthlab.dp.minimum_prior import dirichlet_epsilon, minimum_pseudocount
from synthlab.dp.mode import private_mode
from synthlab.dp.neighbours import are_neighbours, largest_change, neighbours
from synthlab.dp.quantile import ChoiceProbabilities, private_quantile, quantile_probabilities
from synthlab.dp.result import PrivateChoiceResult, PrivateResult
from synthlab.dp.sensitivity import count_sensitivity, histogram_sensitivity, mean_sensitivity, sum_sensitivity
from synthlab.dp.table import private_table
from synthlab.dp.table_result import PrivateTableResult

__all__ = [
    "AuditResult",
    "Budget",
    "ChoiceProbabilities",
    "ExponentialMechanism",
    "LaplaceMechanism",
    "PrivateChoiceResult",
    "PrivateResult",
    "PrivateTableResult",
    "are_neighbours",
    "audit_epsilon",
    "count_sensitivity",
    "dirichlet_epsilon",
    "histogram_sensitivity",
    "largest_change",
    "mean_sensitivity",
    "minimum_pseudocount",
    "neighbours",
    "private_count",
    "private_histogram",
    "private_mean",
    "private_mode",
    "private_quantile",
    "private_table",
    "quantile_probabilities",
    "sum_sensitivity",
]
