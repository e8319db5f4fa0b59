"""Most frequent category, chosen by the exponential mechanism."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from synthlab._typing import RngLike
from synthlab.dp._query import begin, charge, records
from synthlab.dp._records import cell_for_others, check_column, declared, places_of
from synthlab.dp.adjacency import Adjacency, check_adjacency
from synthlab.dp.budget import Budget
from synthlab.dp.exponential import ExponentialMechanism
from synthlab.dp.result import PrivateChoiceResult


def private_mode(
    confidential: Any,
    *,
    categories: Sequence[Any],
    epsilon: float,
    other: Any = None,
    adjacency: Adjacency = "add-remove",
    budget: Budget | None = None,
    query: str = "most frequent category",
    rng: RngLike = None,
) -> PrivateChoiceResult:
    """Choose the most frequent category by the exponential mechanism, with the count as utility.

    Parameters
    ----------
    confidential : array_like of shape (n,)
        The variable.
    categories : sequence
        Declared candidates.
    epsilon : float > 0
        Privacy loss of the choice.
    other : object, optional
        Name of an additional candidate for missing values and values that are not among the categories. By default,
        they are not counted.
    adjacency : {"add-remove", "replace"}
        Definition of neighboring databases. The sensitivity is 1 under both definitions. Under add-remove, one person
        changes the counts in one direction only, which makes the choice more accurate.
    budget, query, rng
        As in `private_quantile`.

    Returns
    -------
    PrivateChoiceResult

    Raises
    ------
    InputError
        A category is repeated, or an argument is out of range. The error never depends on a record.
    BudgetExceededError
        The budget has less than epsilon left.

    Notes
    -----
    A record adds 1 to one count, or to none if it is left out. Adding or removing a record changes one count by at most
    1. Replacing a record changes each count by at most 1, and one count can increase while another decreases. The
    utilities therefore have sensitivity 1 for all values, and they are monotone under add-remove.

    Examples
    --------
    >>> from synthlab import dp
    >>> tenure = ["owns"] * 60 + ["rents"] * 40
    >>> dp.private_mode(tenure, categories=["owns", "rents", "neither"], epsilon=1.0, rng=1).value
    'owns'
    """
    check_column(confidential)
    names = declared(categories, "categories")
    cell_for_others(other, names)
    mechanism = ExponentialMechanism(epsilon, 1.0, monotone=check_adjacency(adjacency) == "add-remove")
    generator = begin(0.5, rng)
    charge(budget, mechanism.epsilon, query, adjacency=adjacency, sources=[generator])
    places = places_of(records(confidential, budget), names)
    counts = np.bincount(np.where(places < 0, len(names), places), minlength=len(names) + 1)
    candidates = names if other is None else (*names, other)
    place = mechanism.choose(counts[: len(candidates)], rng=generator)
    return PrivateChoiceResult(query, candidates[place], mechanism.epsilon, adjacency, mechanism)
