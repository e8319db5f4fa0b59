"""Synthetic tables from the Dirichlet-multinomial with the smallest prior that keeps a promise; see `minimum_prior`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

import numpy as np
import pandas as pd

from synthlab import _checks, _rng
from synthlab._typing import FloatArray, IntArray, RngLike
from synthlab.dp._query import charge, column_of, declared
from synthlab.dp.budget import Budget
from synthlab.dp.minimum_prior import minimum_pseudocount
from synthlab.dp.neighbours import Adjacency, check_adjacency
from synthlab.dp.table_result import PrivateTableResult
from synthlab.exceptions import InputError

MAX_CELLS = 2_000_000


def private_table(
    confidential: pd.DataFrame,
    *,
    levels: Mapping[str, Sequence[Any]],
    n_synthetic: int,
    epsilon: float,
    m: int = 1,
    adjacency: Adjacency = "add-remove",
    budget: Budget | None = None,
    query: str = "table",
    rng: RngLike = None,
) -> PrivateTableResult:
    """Draw synthetic tables from a Dirichlet-multinomial whose prior is as large as epsilon demands.

    Parameters
    ----------
    confidential : DataFrame
        One row a person.
    levels : mapping {variable: levels}
        Every level each variable may have, declared. Levels read off the data leave out the cells that nobody is in,
        and a cell that appears says that somebody is.
    n_synthetic : int >= 1
        M, public. Fewer synthetic records need a smaller prior.
    epsilon : float > 0
        Privacy loss of ONE table; m tables cost m times that.
    m : int >= 1
        Number of tables, each with a theta of its own.
    adjacency : {"add-remove", "replace"}
        The same prior serves both; under add-remove M must not be the confidential n.
    budget : Budget, optional
        The account to charge, with m times epsilon.
    query : str
        What is asked, for the account.
    rng : int, Generator or None
        Seed or generator; one stream a table.

    Returns
    -------
    PrivateTableResult

    Raises
    ------
    InputError
        If a value is not among its declared levels, there are more than two million cells, or an argument is out of its
        range.
    DtypeMismatchError, MissingValueError
        If levels and values are of different kinds, or a value is missing.
    BudgetExceededError
        If the budget has less than m epsilon left.

    Examples
    --------
    >>> import pandas as pd
    >>> from synthlab import dp
    >>> people = pd.DataFrame({"tenure": ["owns", "rents"] * 500, "urban": ["yes", "yes", "yes", "no"] * 250})
    >>> levels = {"tenure": ["owns", "rents", "neither"], "urban": ["yes", "no"]}
    >>> table = dp.private_table(people, levels=levels, n_synthetic=100, epsilon=2.0, rng=1)
    >>> round(table.pseudocount, 2), round(table.prior_share(1000), 3)
    (15.65, 0.086)
    """
    frame = _checks.check_frame(confidential, "confidential")
    if not isinstance(levels, Mapping) or not levels:
        raise InputError("levels: must be a mapping {variable: every level it may have}")
    names = _checks.check_columns(frame, list(levels), "levels", where="confidential")
    pseudocount = minimum_pseudocount(epsilon, n_synthetic)
    m, _ = _checks.check_count(m, "m"), check_adjacency(adjacency)
    known = {name: declared(levels[name], f"levels[{name!r}]", column_of(frame[name])) for name in names}
    counts = _counts(frame, known)
    streams = _rng.spawn(rng, m)
    charge(budget, m * float(epsilon), query, adjacency=adjacency, n=len(frame))
    drawn = np.column_stack([_draw(counts + pseudocount, n_synthetic, stream) for stream in streams])
    kind = _checks.data_kind(frame)
    return PrivateTableResult(known, _checks.read_only(drawn), pseudocount, float(epsilon), adjacency, kind)


def _draw(parameters: FloatArray, size: int, rng: np.random.Generator) -> IntArray:
    gammas = rng.standard_gamma(parameters)
    return rng.multinomial(size, gammas / gammas.sum())


def _counts(frame: pd.DataFrame, levels: Mapping[str, tuple[Any, ...]]) -> FloatArray:
    shape = tuple(map(len, levels.values()))
    if prod(shape) > MAX_CELLS:
        raise InputError(f"levels: make {prod(shape):,} cells; at most {MAX_CELLS:,}")
    codes = []
    for name, values in levels.items():
        held = pd.Index(frame[name].to_numpy(dtype=object), tupleize_cols=False)
        code = pd.Index(values, tupleize_cols=False).get_indexer(held)
        if (code < 0).any():
            raise InputError(
                f"confidential: column {name!r} holds {_checks.shorten(held[code < 0].unique())}, not among its declared levels"
            )
        codes.append(code)
    return np.bincount(np.ravel_multi_index(codes, shape), minlength=prod(shape)).astype(np.float64)
