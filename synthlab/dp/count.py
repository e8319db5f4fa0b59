"""Counts and histograms with Laplace noise.

Categories are declared, never read from the data. The treatment of undeclared values is declared too, so no error
reveals that they occur. Each epsilon refers to one query; a `Budget` adds the losses. Pseudo-random floating-point
noise illustrates the guarantee but does not satisfy it; see `LaplaceMechanism`.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Literal

import numpy as np

from synthlab import _checks
from synthlab._typing import FloatArray, IntArray, RngLike
from synthlab.dp._opendp import library
from synthlab.dp._query import begin, charge, laplace_result, records
from synthlab.dp._records import cell_for_others, check_column, declared, numbers_of, places_of, truths_of
from synthlab.dp.adjacency import Adjacency
from synthlab.dp.budget import Budget
from synthlab.dp.laplace import LaplaceMechanism, check_sampler
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
    sampler: Literal["numpy", "opendp"] = "numpy",
) -> PrivateResult:
    """Count the records with a property, with Laplace noise of scale 1 / epsilon.

    Parameters
    ----------
    confidential : array_like of bool, shape (n,)
        Indicator of the property, for example ``frame["Income"] > 100_000``. A record is counted if its value is True
        or 1. False, other numbers, missing values and all other values are not counted.
    epsilon : float > 0
        Privacy loss of this count.
    adjacency : {"add-remove", "replace"}
        Definition of neighboring databases. The sensitivity is 1 under both definitions.
    budget : Budget, optional
        Account to charge before the records are read. Rejected queries draw no noise.
    level : float in (0, 1)
        Level of the interval.
    query : str
        Description of the query for the account.
    rng : int, Generator or None
        Seed or generator, for teaching. Omit it for a release, because anyone who finds the seed can subtract the
        noise.
    sampler : {"numpy", "opendp"}
        Library that draws the noise: NumPy, or OpenDP (extra `dp`), which draws exactly and without a seed.

    Returns
    -------
    PrivateResult

    Raises
    ------
    InputError
        An argument is out of range. The error never depends on a record.
    BudgetExceededError
        The budget has less than epsilon left.

    Notes
    -----
    Every record adds 0 or 1, for any value. Adding, removing or replacing a record therefore changes the count by at
    most 1, and noise of scale 1 / epsilon satisfies epsilon under both adjacencies.

    Examples
    --------
    >>> from synthlab import dp
    >>> answer = dp.private_count([True, False, True], epsilon=1.0, rng=1)
    >>> answer.mechanisms["count"].scale, answer.interval.round(2).tolist()
    (1.0, [[-0.97, 5.02]])
    """
    check_column(confidential)
    mechanism = LaplaceMechanism(epsilon, count_sensitivity(adjacency=adjacency))
    generator = begin(level, rng) if _by_numpy(sampler, rng, level) else None
    charge(budget, mechanism.epsilon, query, adjacency=adjacency, sources=[] if generator is None else [generator])
    noisy = mechanism.add_noise([float(truths_of(records(confidential, budget)).sum())], rng=generator, sampler=sampler)
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
    sampler: Literal["numpy", "opendp"] = "numpy",
) -> PrivateResult:
    """Count the records in every cell, with Laplace noise.

    The scale of the noise is 1 / epsilon (add-remove) or 2 / epsilon (replace). Empty cells get noise too: omitting a
    cell because it is empty would reveal that no record is in it.

    Parameters
    ----------
    confidential : array_like of shape (n,)
        The variable.
    epsilon : float > 0
        Privacy loss of the whole histogram.
    categories : sequence, optional
        Declared values of the variable.
    edges : array_like, optional
        Increasing edges of the cells ``[edge, next)`` of a numeric variable. Values outside the edges, including
        infinite values, are counted in the first or last cell. Give either `categories` or `edges`.
    other : object, optional
        Name of an additional cell for missing values and for values that are not among the categories or, with edges,
        are not numbers. By default, these values are left out.
    adjacency, budget, level, query, rng, sampler
        As in `private_count`.

    Returns
    -------
    PrivateResult

    Raises
    ------
    InputError
        A category is repeated, the edges do not increase, or an argument is out of range. The error never depends on a
        record.
    BudgetExceededError
        The budget has less than epsilon left.

    Notes
    -----
    A value belongs to a category if they are equal: 1 equals 1.0, but not "1" or True. Every record is in one cell or
    is left out. Adding or removing a record changes one cell by at most 1. Replacing a record changes two cells by at
    most 1 each, so the sensitivity is 2.

    Examples
    --------
    >>> from synthlab import dp
    >>> owns = ["rents", "owns", "owns"]
    >>> dp.private_histogram(owns, categories=["owns", "rents", "neither"], epsilon=1.0, rng=1).rounded().estimate.tolist()
    [2.0, 3.0, 0.0]
    """
    check_column(confidential)
    if (categories is None) == (edges is None):
        raise InputError("categories, edges: give exactly one of them; declare it, do not read it from the data")
    ends = None if edges is None else _declared_edges(edges)
    names = declared(categories, "categories") if ends is None else tuple(f"{a:g} to {b:g}" for a, b in pairwise(ends))
    cell_for_others(other, names)
    mechanism = LaplaceMechanism(epsilon, histogram_sensitivity(adjacency=adjacency))
    generator = begin(level, rng) if _by_numpy(sampler, rng, level) else None
    charge(budget, mechanism.epsilon, query, adjacency=adjacency, sources=[] if generator is None else [generator])
    values = records(confidential, budget)
    places = places_of(values, names) if ends is None else _between(ends, numbers_of(values))
    counts = np.bincount(np.where(places < 0, len(names), places), minlength=len(names) + 1).astype(np.float64)
    labels = names if other is None else (*names, other)
    noisy = mechanism.add_noise(counts[: len(labels)], rng=generator, sampler=sampler)
    return laplace_result(
        query, labels, noisy, mechanism, "every cell", level, adjacency, _checks.data_kind(confidential)
    )


def _by_numpy(sampler: str, rng: RngLike, level: float) -> bool:
    """Return whether NumPy draws; for OpenDP, check everything that must not fail after the charge."""
    check_sampler(sampler, rng)
    if sampler == "opendp":
        begin(level, None)
        library("sampler='opendp'")
    return sampler == "numpy"


def _declared_edges(edges: Any) -> FloatArray:
    ends = _checks.check_parameter(edges, "edges")
    if ends.ndim != 1 or ends.size < 2 or (np.diff(ends) <= 0).any():
        raise InputError("edges: must be at least two increasing numbers")
    return ends


def _between(ends: FloatArray, values: FloatArray) -> IntArray:
    cells = np.clip(np.searchsorted(ends, values, side="right") - 1, 0, ends.size - 2)
    return np.where(np.isnan(values), -1, cells)
