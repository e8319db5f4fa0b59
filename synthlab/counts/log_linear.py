"""Log-linear models of a table: fitted means, coefficients and standard errors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._formulas.log_linear import Model, Terms
from synthlab._result import Result
from synthlab._typing import BoolArray, FloatArray
from synthlab._warnings import warn
from synthlab.counts._fitting import fit_glm, fit_proportionally
from synthlab.counts._model import coefficient_names, cross_products, read_model
from synthlab.counts.structural_zeros import StructuralZeros, structural_cells
from synthlab.counts.table import Table, check_dense, check_table
from synthlab.exceptions import FitError, InputError, UndefinedStatisticWarning

DESIGN_LIMIT = 256 * 2**20


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LogLinearFit(Result):
    """Fitted log-linear model.

    Parameters
    ----------
    table : Table
        Table to which the model is fitted.
    model : str
        Formula of the model.
    method : str
        Fitting method, "glm" or "ipf".
    means : array, shape of the table
        Fitted means. They sum to the total and agree with the table on every margin of the model.
    n_parameters : int
        Number of coefficients.
    iterations : int
        Number of iterations.
    terms : Terms
        Terms of the model.
    structural : array of bool, shape of the table
        Mask of the structural zeros, which have mean 0.
    """

    _table: ClassVar[str] = ""

    table: Table
    model: str
    method: str
    means: FloatArray
    n_parameters: int
    iterations: int
    terms: Terms
    structural: BoolArray

    @property
    def title(self) -> str:
        """Description of the model and its fit."""
        return (
            f"Log-linear model {self.model} of {self.table.n_cells:,} cells: {self.n_parameters:,} coefficients, "
            f"deviance {self.deviance:,.1f} ({self.method}, {self.iterations} iterations)"
        )

    @property
    def deviance(self) -> float:
        """Deviance: likelihood-ratio statistic against the saturated model."""
        observed, fitted = self.table.dense().ravel(), self.means.ravel()
        occupied = observed > 0
        logs = observed[occupied] * np.log(observed[occupied] / fitted[occupied])
        return float(2.0 * (logs.sum() - (observed - fitted).sum()))

    def coefficients(self) -> pd.DataFrame:
        """Return the coefficients under treatment coding.

        The first level of each variable is the reference level.

        Returns
        -------
        pandas.DataFrame
            Columns ``coefficient`` (name), ``estimate`` and ``std_error`` (of the Poisson model). They are NaN if a
            coefficient has no finite estimate because a margin is empty.

        Raises
        ------
        InputError
            The information matrix is larger than 256 MB.

        Warns
        -----
        UndefinedStatisticWarning
            Coefficients have no finite estimate.
        """
        _check_size(self.terms, self.table, self.terms.n_parameters(self.table.shape), "information matrix")
        information, totals = cross_products(self.terms, self.means)
        scale = np.sqrt(np.where(np.diag(information) > 0, np.diag(information), 1.0))
        root, defined = _root_of_inverse(information / np.outer(scale, scale))
        score = totals / scale
        estimate = np.where(defined, (root @ (root.T @ score)) / scale, np.nan)
        std_error = np.where(defined, np.sqrt((root**2).sum(axis=1)) / scale, np.nan)
        if not defined.all():
            warn(
                f"{int((~defined).sum())} of {defined.size} coefficients of {self.model} have no finite estimate, because "
                "a margin of the model is empty; they are NaN",
                UndefinedStatisticWarning,
            )
        return pd.DataFrame(
            {"coefficient": coefficient_names(self.terms, self.table), "estimate": estimate, "std_error": std_error}
        )

    def summary(self) -> pd.DataFrame:
        """Return the fit as one row."""
        return pd.DataFrame(
            {
                "model": [self.model],
                "method": [self.method],
                "cells": [int(self.table.n_cells - self.structural.sum())],
                "coefficients": [self.n_parameters],
                "deviance": [self.deviance],
                "iterations": [self.iterations],
            }
        )


def _root_of_inverse(information: FloatArray) -> tuple[FloatArray, BoolArray]:
    """Return R with RR' a (generalized) inverse of the matrix, and a mask of the identified rows."""
    from scipy.linalg import lapack

    lower, failed = lapack.dpotrf(information, lower=1, clean=1)
    if not failed and lapack.dpocon(lower, np.abs(information).sum(axis=0).max(), uplo="L")[0] > 1e-8:
        return lapack.dtrtri(lower, lower=1)[0].T, np.ones(len(information), dtype=bool)
    values, vectors = np.linalg.eigh(information)
    solid = values > 1e-10 * values[-1]
    return vectors[:, solid] / np.sqrt(values[solid]), (vectors[:, ~solid] ** 2).sum(axis=1) < 1e-8


def fit_log_linear(
    table: Table,
    model: Model,
    *,
    structural_zeros: StructuralZeros = None,
    method: str = "auto",
    tolerance: float = 1e-10,
    max_iterations: int = 500,
) -> LogLinearFit:
    """Fit a Poisson log-linear model to a table.

    Equations: Jackson, Mitra, Francis & Dove (1)

    Parameters
    ----------
    table : Table
        Table to which the model is fitted.
    model : str or list of lists of str
        Formula of the variables, such as ``"(AGE + SEX + LANGUAGE)**2"``, or list of the margins to fit, such as
        ``[["AGE", "SEX"], ["LANGUAGE"]]``.
    structural_zeros : optional
        Impossible cells, as in `synthesize_table`. They are excluded from the fit.
    method : {"auto", "glm", "ipf"}
        GLM of statsmodels, or iterative proportional fitting, which does not require a design matrix. "auto" uses the
        GLM if its design fits in 256 MB and no margin of the model is empty.
    tolerance : float
        Convergence criterion of iterative proportional fitting: largest difference between fitted and observed margins,
        as a share of the total.
    max_iterations : int
        Largest number of iterations.

    Returns
    -------
    LogLinearFit
        Fitted model, with means and coefficients.

    Raises
    ------
    InputError
        The model names a variable that is not in the table, or cannot be fitted by `method`.
    FitError
        The table is empty, or the GLM fails.

    Warns
    -----
    ConvergenceWarning
        The fit has not converged after `max_iterations` iterations.

    Notes
    -----
    For hierarchical models, both methods give the same maximum-likelihood means. The model is equation (1) of Jackson,
    Mitra, Francis and Dove: ``log(mu_i) = X_i beta``.

    Examples
    --------
    >>> import synthlab.counts as slc
    >>> table = slc.Table.from_counts([[10, 20], [30, 60]], {"sex": ["F", "M"], "age": ["young", "old"]})
    >>> slc.fit_log_linear(table, "sex + age").means.round(6)
    array([[10., 20.],
           [30., 60.]])
    """
    check_table(table, "table")
    check_dense(table)
    _checks.check_choice(method, "method", ["auto", "glm", "ipf"])
    tolerance = _checks.check_number(tolerance, "tolerance", low=0.0, open_low=True)
    max_iterations = _checks.check_count(max_iterations, "max_iterations")
    terms = read_model(table, model)
    structural = np.zeros(table.n_cells, dtype=bool)
    structural[structural_cells(table, structural_zeros)] = True
    structural = structural.reshape(table.shape)
    if table.total == 0:
        raise FitError("table: has no records, so no model can be fitted")
    chosen = _choose(terms, table, method)
    if chosen == "glm":
        means, iterations = fit_glm(table, terms, structural, max_iterations)
    else:
        means, iterations = fit_proportionally(table, terms, structural, tolerance, max_iterations)
    return LogLinearFit(
        table,
        terms.label,
        chosen,
        _checks.read_only(means),
        terms.n_parameters(table.shape),
        iterations,
        terms,
        _checks.read_only(structural),
    )


def _choose(terms: Terms, table: Table, method: str) -> str:
    if method == "ipf" and not terms.hierarchical:
        raise InputError(
            f'method="ipf": {terms.label} has an interaction without its lower-order terms, so it has no margins to fit; '
            'use method="glm", or join the variables with *'
        )
    if method == "glm" or not terms.hierarchical:
        _check_size(terms, table, table.n_cells, "design")
        return "glm"
    if method == "ipf" or _bytes(terms, table, table.n_cells) > DESIGN_LIMIT:
        return "ipf"
    empty = any(table.marginal([table.variables[i] for i in m]).n_occupied < _n(table, m) for m in terms.margins if m)
    return "ipf" if empty else "glm"


def _n(table: Table, margin: tuple[int, ...]) -> int:
    return int(np.prod([table.shape[i] for i in margin]))


def _bytes(terms: Terms, table: Table, rows: int) -> int:
    return 8 * rows * terms.n_parameters(table.shape)


def _check_size(terms: Terms, table: Table, rows: int, what: str) -> None:
    size = _bytes(terms, table, rows)
    if size > DESIGN_LIMIT:
        raise InputError(
            f"model={terms.label!r}: its {what} has {rows:,} rows and {terms.n_parameters(table.shape):,} columns "
            f"({size / 2**30:,.1f} GiB, limit {DESIGN_LIMIT / 2**30:g} GiB); use fewer variables or a simpler model"
        )
