"""Definitions of neighboring databases, and functions to enumerate neighbors of toy databases.

Differential privacy compares the answers to neighboring databases. An epsilon is meaningful only for a stated
definition of neighbors:

- ``"add-remove"``: one database has one record more than the other. This protects whether a person participated, and
  the number of participants. In the literature, it is called unbounded differential privacy.
- ``"replace"``: both databases have n records, and one record differs. This protects the answers of a person; n is
  public. In the literature, it is called bounded differential privacy. A replacement is a removal and an addition, so
  epsilon under add-remove implies at most 2 epsilon under replace.

The functions of this module are for teaching. They use toy databases without noise, in their results and errors, and
are not private.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._typing import FloatArray
from synthlab.exceptions import InputError, MissingValueError

Adjacency: TypeAlias = Literal["add-remove", "replace"]
ADJACENCIES = ("add-remove", "replace")
WORDS = {
    "add-remove": "databases that differ by one record more or less",
    "replace": "databases of the same size that differ in one record",
}


def check_adjacency(adjacency: object) -> Any:
    """Return `adjacency`, or raise `InputError` if it is unknown."""
    return _checks.check_choice(adjacency, "adjacency", ADJACENCIES)


def are_neighbors(database: Any, neighbor: Any, *, adjacency: Adjacency = "add-remove") -> bool:
    """Return whether two databases differ by one person.

    This function is for teaching. It uses the data without noise and is not private.

    Parameters
    ----------
    database, neighbor : DataFrame or sequence
        Records, which are the rows of a DataFrame or the values of a list. Their order does not matter.
    adjacency : {"add-remove", "replace"}
        Definition of neighboring databases.

    Returns
    -------
    bool
        Whether the databases are neighbors. Two equal databases are not, because no person differs.

    Raises
    ------
    InputError
        `adjacency` is unknown, or the two frames have different columns.
    MissingValueError
        A value is missing. A missing value equals nothing, not even itself.

    Examples
    --------
    >>> from synthlab import dp
    >>> dp.are_neighbors(["yes", "no", "no"], ["no", "no"])
    True
    >>> dp.are_neighbors(["yes", "no", "no"], ["no", "no", "no"], adjacency="replace")
    True
    """
    check_adjacency(adjacency)
    database, neighbor = (_checks.frame_of(d, n) for d, n in ((database, "database"), (neighbor, "neighbor")))
    frames = isinstance(database, pd.DataFrame) and isinstance(neighbor, pd.DataFrame)
    if frames and list(database.columns) != list(neighbor.columns):
        raise InputError("neighbor: must have the same columns as database")
    first, second = (Counter(_countable(d, name)) for d, name in ((database, "database"), (neighbor, "neighbor")))
    only_first, only_second = (first - second).total(), (second - first).total()
    return only_first + only_second == 1 if adjacency == "add-remove" else only_first == only_second == 1


def neighbors(
    database: Sequence[Any], domain: Iterable[Any], *, adjacency: Adjacency = "add-remove"
) -> Iterator[list[Any]]:
    """Yield every neighbor of a toy database as a list.

    This function is for teaching. It uses the data without noise and is not private.

    Parameters
    ----------
    database : sequence
        One value per record.
    domain : iterable
        All possible values of a record.
    adjacency : {"add-remove", "replace"}
        Definition of neighboring databases. Under add-remove, one record is removed, or one record with any value is
        added. Under replace, one record is changed to a different value.

    Yields
    ------
    list
        A neighbor. With d possible values, there are n + d neighbors (add-remove) or n (d - 1) neighbors (replace).
        Neighbors are repeated if records are equal.

    Raises
    ------
    InputError
        The domain is empty, or a record is not in it.

    Examples
    --------
    >>> from synthlab import dp
    >>> list(dp.neighbors([0, 1], [0, 1]))
    [[1], [0], [0, 1, 0], [0, 1, 1]]
    >>> list(dp.neighbors([0, 1], [0, 1], adjacency="replace"))
    [[1, 1], [0, 0]]
    """
    check_adjacency(adjacency)
    records = _countable(database, "database")
    values = _checks.check_list(domain, "domain", "a list of all possible values of a record")
    _checks.check_values(pd.Series(values, dtype=object), "domain")
    if not values:
        raise InputError("domain: is empty; give all possible values of a record")
    outside = [r for r in records if r not in values]
    if outside:
        raise InputError(f"database: {len(outside):,} of its {len(records):,} records not in the domain")
    return _neighbors(records, values, adjacency)


def largest_change(
    query: Callable[[list[Any]], Any],
    database: Sequence[Any],
    domain: Iterable[Any],
    *,
    adjacency: Adjacency = "add-remove",
) -> float:
    """Return the local sensitivity of a query on a toy database.

    The local sensitivity is the largest change of the answer between the database and its neighbors. It depends on the
    data, so it is not private, and noise must not be calibrated to it. The (global) sensitivity is the largest local
    sensitivity over all databases; for a small domain, it can be found by trying all databases.

    Parameters
    ----------
    query : callable
        Function ``query(list of records)`` that returns a number or an array of numbers.
    database, domain, adjacency
        As in `neighbors`.

    Returns
    -------
    float
        Largest sum of absolute changes (L1).

    Raises
    ------
    InputError
        As in `neighbors`. Also if `query` is not a function, an answer is not a finite number or array of numbers, or
        the database has no neighbor.

    Examples
    --------
    >>> from synthlab import dp
    >>> dp.largest_change(sum, [0, 3, 10], range(11))
    10.0
    >>> dp.largest_change(sum, [5, 5, 5], range(11), adjacency="replace")
    5.0
    """
    _checks.check_callable(query, "query", "a function of a list of records")
    others = neighbors(database, domain, adjacency=adjacency)
    here = _answer(query, _records(database, "database"))
    changes = [float(np.abs(_answer(query, other) - here).sum()) for other in others]
    if not changes:
        raise InputError("database: has no neighbor in this domain; give a larger domain")
    if not np.isfinite(changes).all():
        raise InputError("query: must have a finite answer for every neighbor of the database")
    return max(changes)


def _answer(query: Callable[[list[Any]], Any], records: list[Any]) -> FloatArray:
    answer = query(records)
    try:
        return _checks.check_array(answer, "query")
    except InputError:
        pass
    # The error is raised here because the text of the first error can show records.
    raise InputError(
        f"query: must be a function whose answer is a number or an array of numbers, got {type(answer).__name__}"
    )


def _neighbors(records: list[Any], values: list[Any], adjacency: str) -> Iterator[list[Any]]:
    for place in range(len(records)):
        if adjacency == "add-remove":
            yield [*records[:place], *records[place + 1 :]]
        else:
            yield from ([*records[:place], v, *records[place + 1 :]] for v in values if v != records[place])
    if adjacency == "add-remove":
        yield from ([*records, v] for v in values)


def _countable(database: Any, name: str) -> list[Any]:
    records = _records(database, name)
    _checks.check_values(pd.Series(records, dtype=object), name)
    return records


def _records(database: Any, name: str) -> list[Any]:
    if isinstance(database, str) or not isinstance(database, pd.DataFrame | pd.Series | np.ndarray | Sequence | range):
        raise InputError(f"{name}: must be a DataFrame or a sequence of records, got {type(database).__name__}")
    if isinstance(database, np.ndarray) and database.ndim == 0:
        raise InputError(f"{name}: must be a DataFrame or a sequence of records, got one value")
    frame = database if isinstance(database, pd.DataFrame) else pd.Series(list(database), dtype=object).to_frame()
    missing = int(frame.isna().to_numpy().sum())
    if missing:
        raise MissingValueError(
            f"{name}: {missing} missing values, which equal nothing; replace them by a separate value"
        )
    if isinstance(database, pd.DataFrame):
        return list(database.itertuples(index=False, name=None))
    return list(database)
