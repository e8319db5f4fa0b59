"""Two ways to the means of a log-linear model: a generalized linear model, and proportional fitting."""

from __future__ import annotations

import warnings

import numpy as np

from synthlab._typing import BoolArray, FloatArray
from synthlab.counts._model import Terms, design_matrix
from synthlab.counts.table import Table
from synthlab.exceptions import ConvergenceWarning, FitError


def fit_glm(table: Table, terms: Terms, structural: BoolArray, max_iterations: int) -> tuple[FloatArray, int]:
    """Return the means that statsmodels fits, and its iterations."""
    import statsmodels.api as sm
    from statsmodels.tools.sm_exceptions import ConvergenceWarning as NotConverged

    possible = ~structural
    design = design_matrix(terms, table.shape, possible)
    observed = table.dense()[possible].astype(np.float64)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            fit = sm.GLM(observed, design, family=sm.families.Poisson()).fit(
                maxiter=max_iterations, atol=1e-10, rtol=1e-13
            )
        except (ValueError, np.linalg.LinAlgError) as error:
            raise FitError(f"model={terms.label!r}: the GLM cannot be fitted: {error}") from None
    if not fit.converged or any(issubclass(w.category, NotConverged) for w in caught):
        _warn_convergence(terms.label, max_iterations)
    means = np.zeros(table.shape)
    means[possible] = fit.fittedvalues
    return means, int(fit.fit_history["iteration"])


def fit_proportionally(
    table: Table,
    terms: Terms,
    structural: BoolArray,
    tolerance: float,
    max_iterations: int,
    weighted: FloatArray | None = None,
) -> tuple[FloatArray, int]:
    """Scale the means to each margin of the model in turn (Deming and Stephan 1940), until all agree.

    `weighted`: sums of weights of all cells, which take the place of the counts.
    """
    axes = range(len(table.shape))
    summed = [tuple(a for a in axes if a not in margin) for margin in terms.margins]
    observed = table.dense() if weighted is None else weighted
    total = table.total if weighted is None else weighted.sum()
    targets = [observed.sum(axis=over, keepdims=True).astype(np.float64) for over in summed]
    del observed
    means = np.where(structural, 0.0, total / max(1, table.n_cells - int(structural.sum())))
    for iteration in range(1, max_iterations + 1):
        gap = 0.0
        for target, over in zip(targets, summed, strict=True):
            fitted = means.sum(axis=over, keepdims=True)
            gap = max(gap, float(np.abs(fitted - target).max()))
            means *= np.divide(target, fitted, out=np.zeros_like(target), where=fitted > 0)
        if gap <= tolerance * total:
            return means, iteration
    _warn_convergence(terms.label, max_iterations)
    return means, max_iterations


def _warn_convergence(label: str, iterations: int) -> None:
    warnings.warn(
        f"the log-linear model {label} has not converged in {iterations} iterations; raise max_iterations",
        ConvergenceWarning,
        stacklevel=4,
    )
