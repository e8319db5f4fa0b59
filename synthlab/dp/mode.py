"""The most frequent category, by the exponential mechanism."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from synthlab._typing import RngLike
from synthlab.dp._query import begin, charge, column_of, declared
from synthlab.dp.budget import Budget
from synthlab.dp.exponential import ExponentialMechanism
from synthlab.dp.neighbours import Adjacency, check_adjacency
from synthlab.dp.result import PrivateChoiceResult


def private_mode(
    confidential: Any,
    *,
    categories: Sequence[Any],
    epsilon: float,
    adjacency: Adjacency = "add-remove",
    budget: Budget | None = None,
    query: str = "most frequent category",
    rng: RngLike = None,
) -> PrivateChoiceResult:
    """Choose the most frequent category by the exponential mechanism, with the count as utility.

    Parameters
    ----------
    confidential : array_like of shape (n,)
        The variable. A value that is not among the categories adds to no count.
    categories : sequence
        The candidates, declared.
    epsilon : float > 0
        Privacy loss of the choice.
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
        If a category stands twice, or an argument is out of its range.
    DtypeMismatchError
        If the categories and the values are of different kinds.
    MissingValueError
        If a value is missing.
    BudgetExceededError
        If the budget has less than epsilon left.

    Examples
    --------
    >>> from synthlab import dp
    >>> tenure = ["owns"] * 60 + ["rents"] * 40
    >>> dp.private_mode(tenure, categories=["owns", "rents", "neither"], epsilon=1.0, rng=1).value
    'owns'
    """
    series = column_of(confidential)
    names = declared(categories, "categories", series)
    mechanism = ExponentialMechanism(epsilon, 1.0, monotone=check_adjacency(adjacency) == "add-remove")
    codes = pd.Index(names, tupleize_cols=False).get_indexer(
        pd.Index(series.to_numpy(dtype=object), tupleize_cols=False)
    )
    counts = np.bincount(codes[codes >= 0], minlength=len(names)).astype(np.float64)
    generator = begin(0.5, rng)
    charge(budget, mechanism.epsilon, query, adjacency=adjacency, n=len(series))
    return PrivateChoiceResult(
        query, names[mechanism.choose(counts, rng=generator)], mechanism.epsilon, adjacency, mechanism
    )
