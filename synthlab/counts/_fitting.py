"""Fit the means of a log-linear model by a GLM or by iterative proportional fitting."""

from __future__ import annotations

import numpy as np

from synthlab._formulas.log_linear import Terms, fit_margins
from synthlab._typing import BoolArray, FloatArray
from synthlab._warnings import library_warnings, warn
from synthlab.counts._model import design_matrix
from synthlab.counts.table import Table
from synthlab.exceptions import ConvergenceWarning, FitError


def fit_glm(table: Table, terms: Terms, structural: BoolArray, max_iterations: int) -> tuple[FloatArray, int]:
    """Return the means fitted by statsmodels and the number of iterations."""
    import statsmodels.api as sm

    possible = ~structural
    design = design_matrix(terms, table.shape, possible)
    observed = table.dense()[possible].astype(np.float64)
    with library_warnings("ignore"):
        try:
            fit = sm.GLM(observed, design, family=sm.families.Poisson()).fit(
                maxiter=max_iterations, atol=1e-10, rtol=1e-13
            )
        except (ValueError, np.linalg.LinAlgError) as error:
            raise FitError(f"model={terms.label!r}: the GLM cannot be fitted: {error}") from None
    if not fit.converged:
        _warn_convergence(terms.label, max_iterations)
    means = np.zeros(table.shape)
    means[possible] = fit.fittedvalues
    return means, int(fit.fit_history["iteration"])


def fit_proportionally(
    table: Table, terms: Terms, structural: BoolArray, tolerance: float, max_iterations: int
) -> tuple[FloatArray, int]:
    """Return the means of iterative proportional fitting and the number of iterations."""
    means, iterations, converged = fit_margins(table.dense(), terms, structural, tolerance, max_iterations)
    if not converged:
        _warn_convergence(terms.label, max_iterations)
    return means, iterations


def _warn_convergence(label: str, iterations: int) -> None:
    warn(
        f"the log-linear model {label} has not converged in {iterations} iterations; increase max_iterations",
        ConvergenceWarning,
    )
