"""Counts and histograms with Laplace noise.

Categories are declared, never read from the data, and what is not declared has a place that is: no error says that it
occurs. Epsilon is that of one query; a `Budget` adds them up. Pseudo-random floating-point noise illustrates the promise
and does not keep it: see `LaplaceMechanism`.
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
    """Count the records with some property, with Laplace noise of scale 1 / epsilon.

    Parameters
    ----------
    confidential : array_like of bool, shape (n,)
        Who has the property, for example ``frame["Income"] > 100_000``. A record counts where its value is True or 1;
        False, other numbers, missing values and anything else do not count.
    epsilon : float > 0
        Privacy loss of this count.
    adjacency : {"add-remove", "replace"}
        What a neighbour is; the sensitivity is 1 under both.
    budget : Budget, optional
        The account to charge, before the records are looked at; refused queries draw no noise.
    level : float in (0, 1)
        Of the interval.
    query : str
        What is counted, for the account.
    rng : int, Generator or None
        Seed or generator, for teaching. A release leaves it out: whoever finds the seed subtracts the noise.
    sampler : {"numpy", "opendp"}
        Who draws the noise: NumPy, or OpenDP (extra `dp`), exactly and without a seed.

    Returns
    -------
    PrivateResult

    Raises
    ------
    InputError
        If an argument is out of its range; never because of a record.
    BudgetExceededError
        If the budget has less than epsilon left.

    Notes
    -----
    Every record adds 0 or 1, whatever its value is: one record more or less, or one replaced, moves the count by at most
    1, and noise of scale 1 / epsilon keeps epsilon under both adjacencies.

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
    """Count the records in every cell, with Laplace noise of scale 1 / epsilon (add-remove) or 2 / epsilon (replace).

    Empty cells get noise too: a cell that is left out because it is empty says that no record is in it.

    Parameters
    ----------
    confidential : array_like of shape (n,)
        The variable.
    epsilon : float > 0
        Privacy loss of the whole histogram, all cells together.
    categories : sequence, optional
        Every value the variable may have, declared.
    edges : array_like, optional
        For a number: increasing edges; cells are ``[edge, next)``, and values outside, infinite ones too, are moved to
        the end cells. Either `categories` or `edges` must be given.
    other : object, optional
        Name of a further cell for what has none: values that are not among the categories or, with edges, are no
        numbers, and missing values. By default (None) they are in no cell and left out.
    adjacency, budget, level, query, rng, sampler
        As `private_count`.

    Returns
    -------
    PrivateResult

    Raises
    ------
    InputError
        If a category stands twice, the edges do not increase, or an argument is out of its range; never because of a
        record.
    BudgetExceededError
        If the budget has less than epsilon left.

    Notes
    -----
    A value is a category where it equals it: 1 and 1.0 are equal, 1 and "1" or True are not. Whatever it is, a record
    is in one cell or, left out, in none. One more or less moves one cell by at most 1. One replaced takes at most 1 from
    one cell and gives at most 1 to another: 2 together, less where it was or will be left out.

    Examples
    --------
    >>> from synthlab import dp
    >>> owns = ["rents", "owns", "owns"]
    >>> dp.private_histogram(owns, categories=["owns", "rents", "neither"], epsilon=1.0, rng=1).rounded().estimate.tolist()
    [2.0, 3.0, 0.0]
    """
    check_column(confidential)
    if (categories is None) == (edges is None):
        raise InputError("categories, edges: give one of the two, declared and not read from the data")
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
    """Say whether NumPy draws; if not, check what must not fail after the charge, the library's absence too."""
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
