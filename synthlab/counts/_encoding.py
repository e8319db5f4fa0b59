"""From the values of a column to the codes of a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._typing import FloatArray, IntArray
from synthlab.exceptions import InputError, MissingValueError


def add_up(cells: IntArray, weight: IntArray) -> tuple[IntArray, IntArray]:
    """Return the distinct cells with a positive total weight, in order, and the totals."""
    order = np.argsort(cells, kind="stable")
    cells, weight = cells[order], weight[order]
    first = np.flatnonzero(np.diff(cells, prepend=-1))
    total = np.add.reduceat(weight, first) if cells.size else weight
    keep = total > 0
    return cells[first][keep], total[keep]


def levels_of(column: pd.Series, variable: str, declared: Sequence[Any] | None) -> tuple[Any, ...]:
    """Return the declared levels, the categories, or the sorted values of a column."""
    missing = int(column.isna().sum())
    if missing:
        raise MissingValueError(
            f"frame: column {variable!r} has {missing} missing values; give them a level of their own, "
            f"for example frame[{variable!r}].astype(object).fillna('missing')"
        )
    if declared is not None:
        return tuple(declared)
    if isinstance(column.dtype, pd.CategoricalDtype):
        return tuple(column.cat.categories.tolist())
    values = column.unique().tolist()
    try:
        return tuple(sorted(values))
    except TypeError:
        raise InputError(
            f"frame: the values of column {variable!r} cannot be sorted; declare levels[{variable!r}]"
        ) from None


def encode(column: pd.Series, variable: str, levels: tuple[Any, ...]) -> IntArray:
    """Return the position of every value among the levels."""
    values = column.astype(object) if isinstance(column.dtype, pd.CategoricalDtype) else column
    position = pd.Index(levels).get_indexer(pd.Index(values))
    if (position < 0).any():
        odd = column[position < 0].unique().tolist()
        raise InputError(f"frame: column {variable!r} holds {_checks.shorten(odd)}, not among its declared levels")
    return position.astype(np.int64)


def whole_numbers(values: Any, name: str) -> IntArray:
    """Return whole numbers >= 0 as int64, or raise."""
    try:
        numbers: FloatArray = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{name}: must be whole numbers >= 0") from None
    bad = ~((numbers >= 0) & (numbers == np.floor(numbers)) & (numbers <= 2.0**62))
    if bad.any():
        raise InputError(f"{name}: {_checks.shorten(numbers[bad].tolist())}; counts must be whole numbers >= 0")
    return np.asarray(values).astype(np.int64)
