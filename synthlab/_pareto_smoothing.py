"""Pareto smoothing of importance weights by ArviZ."""

from __future__ import annotations

from typing import Any

from synthlab._system import optional_dependencies
from synthlab._warnings import library_warnings


def pareto_smoothing(purpose: str) -> Any:
    """Return the function of ArviZ that smooths the largest of a row of log weights.

    It returns the smoothed log weights and the Pareto index k. ArviZ 1 moved it to arviz-stats, where its argument is
    the log-likelihood, which is minus the log weights. `purpose` is named if ArviZ is not installed.
    """
    with library_warnings("ignore", FutureWarning):
        arviz = optional_dependencies.load("bayes", "arviz", purpose)
    if hasattr(arviz, "psislw"):
        return arviz.psislw
    from arviz_stats.base import array_stats

    return lambda log_weights: array_stats.psislw(-log_weights)
