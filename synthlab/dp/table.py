"""Differentially private tables from a Dirichlet-multinomial model with minimum prior."""

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
LARGEST_PSEUDOCOUNT = 1e290  # the sum over all cells must not overflow
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
    """Draw synthetic tables from a Dirichlet-multinomial model with the smallest prior for epsilon.

    Parameters
    ----------
    confidential : DataFrame or Dataset
        The confidential data, one row per person.
    levels : mapping {variable: levels}
        Declared levels of each variable. Do not take the levels from the data: cells without records would be missing,
        so every existing cell would reveal that a record is in it.
    n_synthetic : int >= 1
        Public number M of synthetic records. Fewer synthetic records require a smaller prior.
    epsilon : float > 0
        Privacy loss of one table; m tables have m times this loss.
    other : mapping {variable: name}, optional
        Additional level of these variables for missing values and values that are not declared. Records with such
        values in other variables are left out. By default, no variable has an additional level.
    m : int >= 1
        Number of tables, each with its own theta: at most 100,000, with at most 100 million cells in total.
    adjacency : {"add-remove", "replace"}
        Definition of neighboring databases. The prior is the same for both. Under add-remove, M must not be the
        confidential n.
    budget : Budget, optional
        Account to charge with m times epsilon before the records are read.
    query : str
        Description of the query for the account.
    rng : int, Generator or None
        Seed or generator, for teaching; each table has its own stream. Omit it for a release, because the guarantee
        does not hold for anyone who finds the seed.

    Returns
    -------
    PrivateTableResult

    Raises
    ------
    InputError
        A variable is not a column, there are more than two million cells, or an argument is out of range. The error
        never depends on a record.
    BudgetExceededError
        The budget has less than m epsilon left.

    Notes
    -----
    A record is in one cell or is left out. If it is left out of only one of two neighboring databases, the counts
    differ by one added or removed record, which does not cost more than a record that moves to a different cell.
    `dirichlet_epsilon` is the privacy loss of all these changes under both adjacencies.

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
            f"epsilon={epsilon!r}: is so small that the table would depend only on the prior; use a larger value"
        )
    if m * prod(shape) > MAX_COUNTS:
        raise InputError(
            f"m={m}: gives {m * prod(shape):,} cells in all tables, more than {MAX_COUNTS:,}; use a smaller m"
        )
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
    """Return the records as a DataFrame, or raise `InputError`."""
    frame = _checks.frame_of(confidential)
    if not isinstance(frame, pd.DataFrame):
        raise InputError(f"confidential: must be {_checks.A_FRAME}, got {type(frame).__name__}")
    return frame


def count_cells(
    frame: pd.DataFrame,
    known: Mapping[str, tuple[Any, ...]],
    widened: Mapping[str, tuple[Any, ...]],
    budget: Budget | None,
) -> FloatArray:
    """Return the number of records in each cell; records in no cell are left out."""
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
    """Return the declared levels without and with the levels in `other`.

    Only the column names of the frame are used.
    """
    if not isinstance(levels, Mapping) or not levels:
        raise InputError("levels: must be a mapping {variable: list of all its levels}")
    names = _checks.check_columns(frame, list(levels), "levels", where="confidential")
    if frame.columns.nlevels > 1 or not frame.columns.is_unique:
        raise InputError("confidential: column names must be unique, without a MultiIndex")
    further = {} if other is None else other
    if not isinstance(further, Mapping) or not set(further) <= set(names):
        raise InputError("other: must be a mapping {variable: name of an additional level}, for variables in levels")
    known = {name: declared(levels[name], f"levels[{name!r}]") for name in names}
    for name, level in further.items():
        cell_for_others(level, known[name], f"other[{name!r}]")
    extra = {name: level for name, level in further.items() if level is not None}
    widened = {name: (*known[name], extra[name]) if name in extra else known[name] for name in names}
    if (cells := prod(map(len, widened.values()))) > MAX_CELLS:
        raise InputError(f"levels: give {cells:,} cells, more than {MAX_CELLS:,}; use fewer variables or levels")
    return known, widened


def _draw(parameters: FloatArray, size: int, rng: np.random.Generator) -> IntArray:
    gammas = rng.standard_gamma(parameters)
    if not gammas.any():  # with tiny pseudocounts, all draws underflow: a random cell gets all records
        gammas[rng.integers(gammas.size)] = 1.0
    return rng.multinomial(size, gammas / gammas.sum())
