"""Structural zeros and possible empty cells of a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from synthlab import _checks
from synthlab._typing import IntArray
from synthlab.counts.table import Table
from synthlab.exceptions import InputError

StructuralZeros: TypeAlias = Any  # None, a mask, flat indices, one rule {variable: levels}, or a list of rules


def structural_cells(table: Table, structural_zeros: StructuralZeros, name: str = "structural_zeros") -> IntArray:
    """Return the sorted flat indices of the structural zeros.

    Parameters
    ----------
    table : Table
        The table.
    structural_zeros : None, array of bool, array of int, mapping, or list of mappings
        Mask with the shape of the table, flat indices, or rules. The rule ``{"AGE": [0, 1], "STATUS": "married"}``
        selects all cells with one of these ages and this status.
    name : str
        Name of the argument, used in error messages.

    Returns
    -------
    array of int64
        Flat indices of the cells.

    Raises
    ------
    InputError
        The cells cannot be read, or one of them is occupied.
    """
    if structural_zeros is None:
        return np.empty(0, dtype=np.int64)
    if isinstance(structural_zeros, Mapping):
        cells = _cells_of_rules(table, [structural_zeros], name)
    elif isinstance(structural_zeros, Sequence) and structural_zeros and isinstance(structural_zeros[0], Mapping):
        cells = _cells_of_rules(table, structural_zeros, name)
    else:
        _checks.check_unmasked(structural_zeros, name)
        try:
            array = np.asarray(structural_zeros)
        except ValueError:  # lists of several lengths
            array = np.array(None)
        cells = _cells_of_array(table, array, name)
    occupied = cells[table.at(cells) > 0]
    if occupied.size:
        raise InputError(
            f"{name}: {occupied.size} of these {cells.size} cells are occupied; the first has the flat index "
            f"{int(occupied[0])}; structural zeros must be empty cells"
        )
    return cells


def empty_cells(table: Table, structural: IntArray) -> int:
    """Return the number of cells that are empty but possible."""
    return table.n_cells - table.n_occupied - int(structural.size)


def choose_empty(table: Table, structural: IntArray, number: int, rng: np.random.Generator) -> IntArray:
    """Return a sorted sample of possible empty cells, drawn without replacement."""
    taken = table.cells if not structural.size else np.sort(np.concatenate([table.cells, structural]))
    rank = np.sort(rng.choice(table.n_cells - taken.size, size=number, replace=False, shuffle=False))
    # taken[i] - i empty cells lie before the i-th taken one.
    before = np.searchsorted(taken - np.arange(taken.size), rank, side="right")
    return (rank + before).astype(np.int64)


def _cells_of_rules(table: Table, rules: Sequence[Mapping[str, Any]], name: str) -> IntArray:
    found = []
    for rule in rules:
        wanted = table._level_positions(rule, name)
        axes = [wanted.get(i, list(range(size))) for i, size in enumerate(table.shape)]
        strides = np.cumprod([1, *table.shape[:0:-1]])[::-1]
        cells = np.zeros(1, dtype=np.int64)
        for positions, stride in zip(axes, strides, strict=True):
            cells = (cells[:, None] + np.asarray(positions, dtype=np.int64)[None, :] * stride).ravel()
        found.append(cells)
    return np.unique(np.concatenate(found))


def _cells_of_array(table: Table, array: np.ndarray[Any, Any], name: str) -> IntArray:
    if array.dtype == bool:
        if array.shape != table.shape:
            raise InputError(f"{name}: the mask has shape {array.shape}, but the table has shape {table.shape}")
        return np.flatnonzero(array)
    if array.ndim != 1 or not np.issubdtype(array.dtype, np.integer):
        raise InputError(
            f"{name}: must be a mask with the shape of the table, a list of flat indices, "
            'or rules such as {"AGE": [0, 1], "STATUS": "married"}'
        )
    if array.size and (array.min() < 0 or array.max() >= table.n_cells):
        raise InputError(
            f"{name}: flat indices must lie in [0, {table.n_cells - 1}]; "
            f"{_checks.first_of((array < 0) | (array >= table.n_cells))}, do not"
        )
    return np.unique(array).astype(np.int64)
