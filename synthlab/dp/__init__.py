"""Differential privacy: mechanisms, private queries and tables, privacy budgets, and audits.

Noise drawn by NumPy is for teaching and measurement, not for releases, because floating-point and pseudo-random numbers
do not satisfy the guarantee. With the extra `dp`, OpenDP draws the noise of `GeometricMechanism`, `GaussianMechanism`,
`randomized_response`, and Laplace noise with ``sampler="opendp"``; `compose` uses its arithmetic to add privacy losses.
Every epsilon refers to one query unless it is called a total, and it is meaningful only for a stated adjacency.

The queries (`private_count`, `private_histogram`, `private_mean`, `private_quantile`, `private_mode`, `private_table`,
`private_pmse_table`, `private_ks_table`, `private_poisson_gamma_table`) reveal information about the records only through noisy answers or random choices. The type, shape
and labels of the result, the errors and warnings, and the cost do not depend on the records, even if the records
contain missing values, text among numbers, or values that were not declared. The treatment of undeclared values is
itself declared. A query first checks its arguments, which are public (including column names and, under replace, n),
then charges the budget, and then reads the records. The run time of a query is not protected. The following use the
data without noise, and their documentation says so: `quantile_probabilities`, `neighbors`, `are_neighbors`,
`largest_change`, `audit_epsilon`, `epsilon_lower_bound`, ``Budget.rows``, and the probabilities of a mechanism.

Omit `rng` for a release. A seed makes lectures and tests reproducible, but anyone who knows the seed and the shape of
the data can draw the same noise and subtract it. A small integer seed can be found by trying all values. No result
stores its seed.
"""

from __future__ import annotations

from synthlab.dp._randomized_response import RandomizedResponse, randomized_response
from synthlab.dp.accounting import Composition, Loss, compose
from synthlab.dp.adjacency import are_neighbors, largest_change, neighbors
from synthlab.dp.audit import audit_epsilon
from synthlab.dp.budget import Budget
from synthlab.dp.count import private_count, private_histogram
from synthlab.dp.exponential import ExponentialMechanism
from synthlab.dp.ks_table import private_ks_table
from synthlab.dp.laplace import LaplaceMechanism
from synthlab.dp.lower_bound import AuditResult, epsilon_lower_bound
from synthlab.dp.mean import private_mean
from synthlab.dp.minimum_prior import dirichlet_epsilon, minimum_pseudocount
from synthlab.dp.mode_query import private_mode
from synthlab.dp.opendp_mechanisms import GaussianMechanism, GeometricMechanism
from synthlab.dp.pmse_table import private_pmse_table
from synthlab.dp.poisson_gamma import minimum_prior_strength, poisson_gamma_epsilon, private_poisson_gamma_table
from synthlab.dp.quantile import ChoiceProbabilities, private_quantile, quantile_probabilities
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
    "RandomizedResponse",
    "are_neighbors",
    "audit_epsilon",
    "compose",
    "count_sensitivity",
    "dirichlet_epsilon",
    "epsilon_lower_bound",
    "histogram_sensitivity",
    "largest_change",
    "mean_sensitivity",
    "minimum_prior_strength",
    "minimum_pseudocount",
    "neighbors",
    "poisson_gamma_epsilon",
    "private_count",
    "private_histogram",
    "private_ks_table",
    "private_mean",
    "private_mode",
    "private_pmse_table",
    "private_poisson_gamma_table",
    "private_quantile",
    "private_table",
    "quantile_probabilities",
    "randomized_response",
    "sum_sensitivity",
]


def __dir__() -> list[str]:
    return list(__all__)
