"""Neighbours: two databases that differ by one person, and by how much an answer can differ between them.

Differential privacy compares the answers to neighbouring databases. Which databases are neighbours is a choice, and
an epsilon means nothing without it:

- ``"add-remove"``: one database has one record more than the other. Whether you took part is protected, and so is
  how many took part. In the literature unbounded differential privacy.
- ``"replace"``: both have n records, and one of them is different. What you answered is protected; n is public. In
  the literature bounded differential privacy. A replacement is a removal and an addition, so that epsilon under
  add-remove is at most 2 epsilon under replace.

The functions here look at toy databases without noise, in what they return and in what they raise: they teach, and are
not private.
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
    """Return `adjacency` if it is one of the two."""
    return _checks.check_choice(adjacency, "adjacency", ADJACENCIES)


def are_neighbours(database: Any, neighbour: Any, *, adjacency: Adjacency = "add-remove") -> bool:
    """Say whether two databases differ by one person: for teaching, it looks at the data and is not private.

    Parameters
    ----------
    database, neighbour : DataFrame or sequence
        Records; the order does not count. The rows of a DataFrame, or the values of a list.
    adjacency : {"add-remove", "replace"}
        What a neighbour is.

    Returns
    -------
    bool
        Two equal databases are not neighbours: no person differs.

    Raises
    ------
    InputError
        If `adjacency` is neither of the two, or the two frames have different columns.
    MissingValueError
        If a value is missing: it equals nothing, not even itself.

    Examples
    --------
    >>> from synthlab import dp
    >>> dp.are_neighbours(["yes", "no", "no"], ["no", "no"])
    True
    >>> dp.are_neighbours(["yes", "no", "no"], ["no", "no", "no"], adjacency="replace")
    True
    """
    check_adjacency(adjacency)
    frames = isinstance(database, pd.DataFrame) and isinstance(neighbour, pd.DataFrame)
    if frames and list(database.columns) != list(neighbour.columns):
        raise InputError("neighbour: its columns are not those of database")
    first, second = (Counter(_countable(d, name)) for d, name in ((database, "database"), (neighbour, "neighbour")))
    only_first, only_second = (first - second).total(), (second - first).total()
    return only_first + only_second == 1 if adjacency == "add-remove" else only_first == only_second == 1


def neighbours(
    database: Sequence[Any], domain: Iterable[Any], *, adjacency: Adjacency = "add-remove"
) -> Iterator[list[Any]]:
    """Yield every neighbour of a toy database, each as a list: for teaching, it looks at the data and is not private.

    Parameters
    ----------
    database : sequence
        One value a record.
    domain : iterable
        Every value a record may have.
    adjacency : {"add-remove", "replace"}
        Under add-remove all databases without one of the records, and with one more of any value; under replace all
        with one record changed to another value.

    Yields
    ------
    list
        As many as n + the size of the domain (add-remove), or n times one less than that size (replace); with
        repetitions where two records are equal.

    Raises
    ------
    InputError
        If the domain is empty, or a record is not in it.

    Examples
    --------
    >>> from synthlab import dp
    >>> list(dp.neighbours([0, 1], [0, 1]))
    [[1], [0], [0, 1, 0], [0, 1, 1]]
    >>> list(dp.neighbours([0, 1], [0, 1], adjacency="replace"))
    [[1, 1], [0, 0]]
    """
    check_adjacency(adjacency)
    records = _countable(database, "database")
    values = _checks.check_list(domain, "domain", "a list of every value a record may have")
    _checks.check_values(pd.Series(values, dtype=object), "domain")
    if not values:
        raise InputError("domain: is empty; it holds every value a record may have")
    outside = [r for r in records if r not in values]
    if outside:
        raise InputError(f"database: {len(outside):,} of its {len(records):,} records not in the domain")
    return _neighbours(records, values, adjacency)


def largest_change(
    query: Callable[[list[Any]], Any],
    database: Sequence[Any],
    domain: Iterable[Any],
    *,
    adjacency: Adjacency = "add-remove",
) -> float:
    """Return by how much the answer changes, at most, between a toy database and all its neighbours.

    This is the LOCAL sensitivity: it depends on the data, so it is not private, and noise must not be set by it. The
    sensitivity that counts is the largest local one over all databases; on a small domain it can be had by trying them
    all.

    Parameters
    ----------
    query : callable
        ``query(list of records)``, a number or an array of them.
    database, domain, adjacency
        As `neighbours`.

    Returns
    -------
    float
        The largest sum of absolute changes (L1).

    Raises
    ------
    InputError
        As `neighbours`, or if the query is no function or its answer is no number, there is no neighbour, or a database
        is empty and the query has no answer to it.

    Examples
    --------
    >>> from synthlab import dp
    >>> dp.largest_change(sum, [0, 3, 10], range(11))
    10.0
    >>> dp.largest_change(sum, [5, 5, 5], range(11), adjacency="replace")
    5.0
    """
    _checks.check_callable(query, "query", "a function of a list of records")
    others = neighbours(database, domain, adjacency=adjacency)
    here = _answer(query, _records(database, "database"))
    changes = [float(np.abs(_answer(query, other) - here).sum()) for other in others]
    if not changes:
        raise InputError("database: has no neighbour over this domain")
    if not np.isfinite(changes).all():
        raise InputError("query: has no finite answer to a neighbour of the database")
    return max(changes)


def _answer(query: Callable[[list[Any]], Any], records: list[Any]) -> FloatArray:
    answer = query(records)
    try:
        return _checks.check_array(answer, "query")
    except InputError:
        pass
    # Not raised above: an answer that is no number may hold records, and the text of the first error shows it.
    raise InputError(
        f"query: must be a function whose answer is a number or an array of numbers, got {type(answer).__name__}"
    )


def _neighbours(records: list[Any], values: list[Any], adjacency: str) -> Iterator[list[Any]]:
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
            f"{name}: {missing} missing values, which equal nothing; give them a value of their own"
        )
    if isinstance(database, pd.DataFrame):
        return list(database.itertuples(index=False, name=None))
    return list(database)
