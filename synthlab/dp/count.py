"""Counts and histograms with Laplace noise.

Categories are declared, never read from the data. Epsilon is that of one query; a `Budget` adds them up. Pseudo-random
floating-point noise illustrates the promise and does not keep it: see `LaplaceMechanism`.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._typing import IntArray, RngLike
from synthlab.dp._query import begin, charge, column_of, declared, laplace_result
from synthlab.dp.budget import Budget
from synthlab.dp.laplace import LaplaceMechanism
from synthlab.dp.neighbours import Adjacency
from synthlab.dp.result import PrivateResult
from synthlab.dp.sensitivity import count_sensitivity, histogram_sensitivity
from synthlab.exceptions import InputError


def private_count(
    confidential: Any,
    *,
    epsilon: float,
    adjacency: Adjacency = "add-remove",
    budget: Budget | None = None,
    level: float = 0.95,
    query: str = "count",
    rng: RngLike = None,
) -> PrivateResult:
    """Count the records with some property, with Laplace noise of scale 1 / epsilon.

    Parameters
    ----------
    confidential : array_like of bool, shape (n,)
        Who has the property, for example ``frame["Income"] > 100_000``.
    epsilon : float > 0
        Privacy loss of this count.
    adjacency : {"add-remove", "replace"}
        What a neighbour is; the sensitivity is 1 under both.
    budget : Budget, optional
        The account to charge; refused queries draw no noise.
    level : float in (0, 1)
        Of the interval.
    query : str
        What is counted, for the account.
    rng : int, Generator or None
        Seed or generator.

    Returns
    -------
    PrivateResult

    Raises
    ------
    InputError
        If the values are not truth values, or an argument is out of its range.
    MissingValueError
        If a value is missing.
    BudgetExceededError
        If the budget has less than epsilon left.

    Examples
    --------
    >>> from synthlab import dp
    >>> answer = dp.private_count([True, False, True], epsilon=1.0, rng=1)
    >>> answer.mechanisms["count"].scale, answer.interval.round(2).tolist()
    (1.0, [[-0.97, 5.02]])
    """
    series = column_of(confidential)
    if not pd.api.types.is_bool_dtype(series.dtype):
        raise InputError(f"confidential: must be one truth value a record, got {series.dtype}")
    mechanism = LaplaceMechanism(epsilon, count_sensitivity(adjacency=adjacency))
    generator = begin(level, rng)
    charge(budget, mechanism.epsilon, query, adjacency=adjacency, n=len(series))
    noisy = mechanism.add_noise([float(series.sum())], rng=generator)
    return laplace_result(query, (query,), noisy, mechanism, "count", level, adjacency, _checks.data_kind(confidential))


def private_histogram(
    confidential: Any,
    *,
    epsilon: float,
    categories: Sequence[Any] | None = None,
    edges: Any = None,
    other: Any = None,
    adjacency: Adjacency = "add-remove",
    budget: Budget | None = None,
    level: float = 0.95,
    query: str = "histogram",
    rng: RngLike = None,
) -> PrivateResult:
    """Count the records in every cell, with Laplace noise of scale 1 / epsilon (add-remove) or 2 / epsilon (replace).

    Empty cells get noise too: a cell that is left out because it is empty says that nobody is in it.

    Parameters
    ----------
    confidential : array_like of shape (n,)
        The variable.
    epsilon : float > 0
        Privacy loss of the whole histogram, all cells together.
    categories : sequence, optional
        Every value the variable may have, declared.
    edges : array_like, optional
        For a number: increasing edges; cells are ``[edge, next)``, and values outside are moved to the end cells.
        Either `categories` or `edges` must be given.
    other : object, optional
        Name of a further cell for values that are not among the categories. Without it such a value is an error (which,
        seen from outside, would give away that it occurs).
    adjacency, budget, level, query, rng
        As `private_count`.

    Returns
    -------
    PrivateResult

    Raises
    ------
    InputError
        If a value is not declared, the edges do not increase, or an argument is out of its range.
    DtypeMismatchError
        If the categories and the values are of different kinds.
    MissingValueError
        If a value is missing.
    BudgetExceededError
        If the budget has less than epsilon left.

    Examples
    --------
    >>> from synthlab import dp
    >>> owns = ["rents", "owns", "owns"]
    >>> dp.private_histogram(owns, categories=["owns", "rents", "neither"], epsilon=1.0, rng=1).rounded().estimate.tolist()
    [2.0, 3.0, 0.0]
    """
    series = column_of(confidential)
    labels, codes = _cells(series, categories, edges, other)
    mechanism = LaplaceMechanism(epsilon, histogram_sensitivity(adjacency=adjacency))
    generator = begin(level, rng)
    charge(budget, mechanism.epsilon, query, adjacency=adjacency, n=len(series))
    counts = np.bincount(codes, minlength=len(labels)).astype(np.float64)
    noisy = mechanism.add_noise(counts, rng=generator)
    return laplace_result(
        query, labels, noisy, mechanism, "every cell", level, adjacency, _checks.data_kind(confidential)
    )


def _cells(series: pd.Series, categories: Any, edges: Any, other: Any) -> tuple[tuple[Any, ...], IntArray]:
    if (categories is None) == (edges is None):
        raise InputError("categories, edges: give one of the two, declared and not read from the data")
    if edges is not None:
        ends = _checks.check_parameter(edges, "edges")
        if ends.ndim != 1 or ends.size < 2 or (np.diff(ends) <= 0).any():
            raise InputError("edges: must be at least two increasing numbers")
        if other is not None:
            raise InputError("other: is for categories; values outside the edges are moved to the end cells")
        _checks.check_numeric_column(
            series.to_frame("value"), "value", where="confidential", why="edges are for numbers"
        )
        values = _checks.check_parameter(series, "confidential")
        labels = tuple(f"{a:g} to {b:g}" for a, b in pairwise(ends))
        return labels, np.clip(np.searchsorted(ends, values, side="right") - 1, 0, len(labels) - 1)
    names = declared(categories, "categories", series)
    codes = pd.Index(names, tupleize_cols=False).get_indexer(
        pd.Index(series.to_numpy(dtype=object), tupleize_cols=False)
    )
    outside = codes < 0
    if other is not None:
        if other in names:
            raise InputError(f"other={other!r}: is one of the categories")
        return (*names, other), np.where(outside, len(names), codes)
    if outside.any():
        raise InputError(
            f"confidential: {_checks.shorten(series[outside].unique())} not among the declared categories; declare "
            "them, or name a cell for them with other="
        )
    return names, codes
