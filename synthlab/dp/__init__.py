"""Differential privacy: noise by declared sensitivities, an account that runs out, private tables, and an audit.

What NumPy draws teaches and measures and is no release: floating-point and pseudo-random numbers will not do for that.
With the extra `dp`, OpenDP draws: `GeometricMechanism`, `GaussianMechanism`, `randomised_response`, and Laplace noise with
``sampler="opendp"``; `compose` adds up losses by its arithmetic. An epsilon is that of one query unless it is called a total, and means nothing without the
adjacency it is for.

The queries (`private_count`, `private_histogram`, `private_mean`, `private_quantile`, `private_mode`, `private_table`,
`private_pmse_table`)
answer with noise or by a random choice, and in no other way: whatever the records hold, missing values, text among
numbers, values that were not declared, a query has the same type, shape and labels, raises and warns the same, and costs
the same. What is not declared has a place that is. First the arguments are checked, which are public (column names too;
under replace also n), then the budget is charged, then the records are looked at. How long a query takes is not
covered. What looks at the data without noise says so: `quantile_probabilities`, `neighbours`, `are_neighbours`,
`largest_change`, `audit_epsilon`, `epsilon_lower_bound`, ``Budget.rows``, the probabilities of a mechanism.

For a release leave `rng` out. A seed makes lectures and tests repeatable, and with it whoever knows the data's shape
draws the same noise again and subtracts it; a small whole number is found by trying them all. No result holds its seed.
"""

from __future__ import annotations

from synthlab.dp.accounting import Composition, Loss, compose
from synthlab.dp.adjacency import are_neighbours, largest_change, neighbours
from synthlab.dp.audit import audit_epsilon
from synthlab.dp.beta_binomial import beta_binomial_delta, beta_binomial_epsilon
from synthlab.dp.budget import Budget
from synthlab.dp.count import private_count, private_histogram
from synthlab.dp.exponential import ExponentialMechanism
from synthlab.dp.laplace import LaplaceMechanism
from synthlab.dp.lower_bound import AuditResult, epsilon_lower_bound
from synthlab.dp.mean import private_mean
from synthlab.dp.minimum_prior import dirichlet_epsilon, minimum_pseudocount
from synthlab.dp.mode_query import private_mode
from synthlab.dp.opendp_mechanisms import GaussianMechanism, GeometricMechanism
from synthlab.dp.pmse_table import private_pmse_table
from synthlab.dp.quantile import ChoiceProbabilities, private_quantile, quantile_probabilities
from synthlab.dp.randomized_response import RandomisedResponse, randomised_response
from synthlab.dp.result import PrivateChoiceResult, PrivateResult
from synthlab.dp.sensitivity import count_sensitivity, histogram_sensitivity, mean_sensitivity, sum_sensitivity
from synthlab.dp.table import private_table
from synthlab.dp.table_result import PrivateTableResult

__all__ = [
    "AuditResult",
    "Budget",
    "ChoiceProbabilities",
    "Composition",
    "ExponentialMechanism",
    "GaussianMechanism",
    "GeometricMechanism",
    "LaplaceMechanism",
    "Loss",
    "PrivateChoiceResult",
    "PrivateResult",
    "PrivateTableResult",
    "RandomisedResponse",
    "are_neighbours",
    "audit_epsilon",
    "beta_binomial_delta",
    "beta_binomial_epsilon",
    "compose",
    "count_sensitivity",
    "dirichlet_epsilon",
    "epsilon_lower_bound",
    "histogram_sensitivity",
    "largest_change",
    "mean_sensitivity",
    "minimum_pseudocount",
    "neighbours",
    "private_count",
    "private_histogram",
    "private_mean",
    "private_mode",
    "private_pmse_table",
    "private_quantile",
    "private_table",
    "quantile_probabilities",
    "randomised_response",
    "sum_sensitivity",
]
