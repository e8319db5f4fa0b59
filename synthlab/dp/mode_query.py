"""The most frequent category, by the exponential mechanism."""

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
        The candidates, declared.
    epsilon : float > 0
        Privacy loss of the choice.
    other : object, optional
        Name of a further candidate, for values that are not among the categories and for missing ones. By default (None)
        they add to no count.
    adjacency : {"add-remove", "replace"}
        The sensitivity is 1 under both; under add-remove one person moves the counts one way only, so that the choice is
        twice as sharp.
    budget, query, rng
        As `private_quantile`.

    Returns
    -------
    PrivateChoiceResult

    Raises
    ------
    InputError
        If a category stands twice, or an argument is out of its range; never because of a record.
    BudgetExceededError
        If the budget has less than epsilon left.

    Notes
    -----
    A record adds 1 to one count or, left out, to none. One more or less moves one count by at most 1, and in one
    direction; one replaced moves each count by at most 1, in two directions at most. So the utilities have sensitivity 1
    whatever the values are, and are monotone under add-remove.

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
