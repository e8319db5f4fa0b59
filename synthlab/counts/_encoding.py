"""Encode the values of columns as the cells of a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._typing import FloatArray, IntArray
from synthlab.exceptions import InputError, MissingValueError

MAX_TOTAL = 2**63 - 1


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
            f"frame: column {variable!r} has {missing} missing values; replace them by a separate level, "
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
    """Return the position of each value among the levels."""
    values = column.astype(object) if isinstance(column.dtype, pd.CategoricalDtype) else column
    position = pd.Index(levels, tupleize_cols=False).get_indexer(pd.Index(values, tupleize_cols=False))
    if (position < 0).any():
        raise InputError(
            f"frame: column {variable!r}: {_checks.first_of(position < 0, 'rows')}, have values that are not declared levels"
        )
    return np.array(position, dtype=np.int64)


def whole_numbers(values: Any, name: str) -> IntArray:
    """Return counts as int64; raise `InputError` unless they are whole numbers >= 0 with an int64 sum."""
    _checks.check_unmasked(values, name)
    array = np.asarray(values)
    if array.dtype.kind in "OSU" and any(isinstance(v, str | bytes) for v in array.ravel().tolist()):
        raise InputError(f"{name}: must be whole numbers >= 0, got text")
    try:
        if array.dtype.kind not in "biufO":
            raise TypeError
        numbers: FloatArray = array.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{name}: must be whole numbers >= 0, got {array.dtype}") from None
    bad = ~((numbers >= 0) & (numbers == np.floor(numbers)) & (numbers <= 2.0**62))
    if bad.any():
        raise InputError(f"{name}: counts must be whole numbers >= 0; {_checks.first_of(bad)}, are not")
    whole = array.astype(np.int64)
    check_total(whole, name)
    return whole


def check_total(counts: IntArray, name: str) -> None:
    """Raise `InputError` if the sum of counts >= 0 exceeds int64; both halves are summed without overflow."""
    total = (int((counts >> 32).sum()) << 32) + int((counts & 0xFFFFFFFF).sum())
    if total > MAX_TOTAL:
        raise InputError(f"{name}: the total exceeds the largest count of a table ({MAX_TOTAL:,})")
