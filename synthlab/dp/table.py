"""Synthetic tables from the Dirichlet-multinomial with the smallest prior that keeps a promise; see `minimum_prior`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

import numpy as np
import pandas as pd

from synthlab import _checks, _rng
from synthlab._typing import FloatArray, FrameLike, IntArray, RngLike
from synthlab.dp._query import charge, records
from synthlab.dp._records import cell_for_others, declared, places_of
from synthlab.dp.adjacency import Adjacency, check_adjacency
from synthlab.dp.budget import Budget
from synthlab.dp.minimum_prior import minimum_pseudocount
from synthlab.dp.table_result import PrivateTableResult
from synthlab.exceptions import InputError

MAX_CELLS = 2_000_000
LARGEST_PSEUDOCOUNT = 1e290  # its sum over all cells is a float
MAX_COUNTS = 100_000_000


def private_table(
    confidential: FrameLike,
    *,
    levels: Mapping[str, Sequence[Any]],
    n_synthetic: int,
    epsilon: float,
    other: Mapping[str, Any] | None = None,
    m: int = 1,
    adjacency: Adjacency = "add-remove",
    budget: Budget | None = None,
    query: str = "table",
    rng: RngLike = None,
) -> PrivateTableResult:
    """Draw synthetic tables from a Dirichlet-multinomial whose prior is as large as epsilon demands.

    Parameters
    ----------
    confidential : DataFrame or Dataset
        One row a person.
    levels : mapping {variable: levels}
        Every level each variable may have, declared. Levels read off the data leave out the empty cells,
        and a cell that appears says that a record is in it.
    n_synthetic : int >= 1
        M, public. Fewer synthetic records need a smaller prior.
    epsilon : float > 0
        Privacy loss of ONE table; m tables cost m times that.
    other : mapping {variable: name}, optional
        A further level of these variables, for values that are not declared and for missing ones. A record with such a
        value in another variable is left out; by default (None) in any.
    m : int >= 1
        Number of tables, each with a theta of its own; at most 100,000, and at most 100 million cells in all of them.
    adjacency : {"add-remove", "replace"}
        The same prior serves both; under add-remove M must not be the confidential n.
    budget : Budget, optional
        The account to charge, with m times epsilon, before the records are looked at.
    query : str
        What is asked, for the account.
    rng : int, Generator or None
        Seed or generator, for teaching; one stream a table. A release leaves it out: whoever finds the seed knows more
        than was promised.

    Returns
    -------
    PrivateTableResult

    Raises
    ------
    InputError
        If a variable is not a column, there are more than two million cells, or an argument is out of its range; never
        because of a record.
    BudgetExceededError
        If the budget has less than m epsilon left.

    Notes
    -----
    A record is in one cell or, left out, in none. Where it is left out on one of two sides, the counts differ by one
    record more or less, which costs no more than one that moves from cell to cell: `dirichlet_epsilon` is the price of
    each of these under both adjacencies.

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
    frame = table_frame(confidential)
    known, widened = declared_levels(frame, levels, other)
    pseudocount = minimum_pseudocount(epsilon, n_synthetic)
    m, _ = _checks.check_count(m, "m", maximum=100_000), check_adjacency(adjacency)
    shape = tuple(map(len, widened.values()))
    if not pseudocount <= LARGEST_PSEUDOCOUNT:
        raise InputError(
            f"epsilon={epsilon!r}: is so small that nothing but the prior would be left; take a larger one"
        )
    if m * prod(shape) > MAX_COUNTS:
        raise InputError(f"m={m}: makes {m * prod(shape):,} cells in all tables; at most {MAX_COUNTS:,}")
    streams, seed = _rng.spawn_for_release(rng, m)
    charge(budget, m * float(epsilon), query, adjacency=adjacency, rng=rng, sources=streams)
    counts = count_cells(frame, known, widened, budget)
    drawn = np.column_stack([_draw(counts + pseudocount, n_synthetic, stream) for stream in streams])
    kind = _checks.data_kind(frame)
    return PrivateTableResult(
        widened,
        _checks.read_only(drawn),
        pseudocount,
        float(epsilon),
        adjacency,
        kind,
        safe_seed=_rng.is_safe(seed),
    )


def table_frame(confidential: Any) -> pd.DataFrame:
    """Return the records as a DataFrame, or raise."""
    frame = _checks.frame_of(confidential)
    if not isinstance(frame, pd.DataFrame):
        raise InputError(f"confidential: must be a pandas DataFrame, got {type(frame).__name__}")
    return frame


def count_cells(
    frame: pd.DataFrame,
    known: Mapping[str, tuple[Any, ...]],
    widened: Mapping[str, tuple[Any, ...]],
    budget: Budget | None,
) -> FloatArray:
    """Return the number of records in each cell; a record that is in none is left out."""
    shape = tuple(map(len, widened.values()))
    codes = []
    for name, values in known.items():
        places = places_of(records(frame[name], budget), values)
        codes.append(np.where(places < 0, len(values), places) if len(widened[name]) > len(values) else places)
    counted = np.logical_and.reduce([code >= 0 for code in codes])
    cells = np.ravel_multi_index([code[counted] for code in codes], shape)
    return np.bincount(cells, minlength=prod(shape)).astype(np.float64)


def declared_levels(
    frame: pd.DataFrame, levels: Any, other: Any
) -> tuple[dict[str, tuple[Any, ...]], dict[str, tuple[Any, ...]]]:
    """Return the declared levels, and the same with those for other values; of the frame the column names are looked at."""
    if not isinstance(levels, Mapping) or not levels:
        raise InputError("levels: must be a mapping {variable: every level it may have}")
    names = _checks.check_columns(frame, list(levels), "levels", where="confidential")
    if frame.columns.nlevels > 1 or not frame.columns.is_unique:
        raise InputError("confidential: column names must be unique, and text of one level")
    further = {} if other is None else other
    if not isinstance(further, Mapping) or not set(further) <= set(names):
        raise InputError("other: must be a mapping {variable: name of a further level}, for variables of levels")
    known = {name: declared(levels[name], f"levels[{name!r}]") for name in names}
    for name, level in further.items():
        cell_for_others(level, known[name], f"other[{name!r}]")
    extra = {name: level for name, level in further.items() if level is not None}
    widened = {name: (*known[name], extra[name]) if name in extra else known[name] for name in names}
    if (cells := prod(map(len, widened.values()))) > MAX_CELLS:
        raise InputError(f"levels: make {cells:,} cells; at most {MAX_CELLS:,}")
    return known, widened


def _draw(parameters: FloatArray, size: int, rng: np.random.Generator) -> IntArray:
    gammas = rng.standard_gamma(parameters)
    if not gammas.any():  # pseudocounts so small that each draw is below every float: one cell gets all, any of them
        gammas[rng.integers(gammas.size)] = 1.0
    return rng.multinomial(size, gammas / gammas.sum())
