"""Transitions of cells from confidential to synthetic sizes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._typing import IntArray
from synthlab.counts.synthesis import SynthesizedTables
from synthlab.counts.table import Table, check_same_levels, check_table
from synthlab.exceptions import InputError

Synthetic: TypeAlias = Any  # one Table, a sequence of them, or SynthesizedTables


def read_pair(confidential: Table, synthetic: Synthetic) -> list[Table]:
    """Return the synthetic tables as a list; raise `InputError` unless all have the confidential cells."""
    check_table(confidential, "confidential")
    if isinstance(synthetic, Table):
        tables = [synthetic]
    elif isinstance(synthetic, SynthesizedTables | Sequence) and not isinstance(synthetic, str):
        tables = list(synthetic)
    else:
        raise InputError(
            f"synthetic: must be a Table, a list of them, or SynthesizedTables, got {type(synthetic).__name__}"
        )
    if not tables:
        raise InputError("synthetic: m = 0 tables; at least one synthetic table is needed")
    for number, table in enumerate(tables, start=1):
        check_table(table, f"synthetic table {number}")
        check_same_levels(confidential, table, f"synthetic table {number}")
    return tables


def paired_counts(confidential: Table, synthetic: Table) -> tuple[IntArray, IntArray, int]:
    """Return both tables' counts of the cells occupied in either, and the number of cells empty in both."""
    before, after = counts_side_by_side([confidential, synthetic])
    return before, after, confidential.n_cells - before.size


def counts_side_by_side(tables: Sequence[Table]) -> Iterator[IntArray]:
    """Yield the counts of each table in the cells occupied in any table, in order of the cells."""
    cells = np.concatenate([t.cells for t in tables])
    order = np.argsort(cells, kind="stable")  # fast, because the cells of each table are sorted
    place = np.empty(cells.size, dtype=np.int64)
    place[order] = np.cumsum(np.diff(cells[order], prepend=-1) > 0) - 1
    size = int(place.max(initial=-1)) + 1
    for table, mine in zip(tables, np.split(place, np.cumsum([t.n_occupied for t in tables])), strict=False):
        counts = np.zeros(size, dtype=np.int64)
        counts[mine] = table.counts
        yield counts


def size_transitions(confidential: Table, synthetic: Synthetic) -> pd.DataFrame:
    """Count the cells by confidential and synthetic size.

    Parameters
    ----------
    confidential : Table
        The confidential table.
    synthetic : Table, sequence of Table, or SynthesizedTables
        The synthetic tables.

    Returns
    -------
    pandas.DataFrame
        Columns ``dataset`` (1 to m), ``confidential`` and ``synthetic`` (sizes), and ``cells`` (number of cells), with
        one row per pair of sizes that occurs.

    Examples
    --------
    >>> import synthlab.counts as slc
    >>> levels = {"age": [5, 6, 7]}
    >>> before, after = slc.Table.from_counts([0, 1, 3], levels), slc.Table.from_counts([0, 2, 3], levels)
    >>> slc.size_transitions(before, after).to_numpy().tolist()
    [[1, 0, 0, 1], [1, 1, 2, 1], [1, 3, 3, 1]]
    """
    frames = []
    for number, table in enumerate(read_pair(confidential, synthetic), start=1):
        f, f_syn, both_empty = paired_counts(confidential, table)
        frame = pd.DataFrame({"confidential": f, "synthetic": f_syn}).value_counts().rename("cells").reset_index()
        if both_empty:
            rest = pd.DataFrame({"confidential": [0], "synthetic": [0], "cells": [both_empty]})
            frame = pd.concat([rest, frame], ignore_index=True)
        frame.insert(0, "dataset", number)
        frames.append(frame.sort_values(["confidential", "synthetic"]))
    return pd.concat(frames, ignore_index=True)


def read_sizes(k: object) -> IntArray:
    """Return the cell sizes `k` as an array."""
    _checks.check_unmasked(k, "k")
    try:
        sizes = np.atleast_1d(np.asarray(k))
    except ValueError:  # lists of several lengths
        sizes = np.empty(0)
    if sizes.ndim != 1 or not sizes.size or not np.issubdtype(sizes.dtype, np.integer) or sizes.min() < 0:
        raise InputError(f"k={_checks.shown(k)}: must be a whole number >= 0, or a list of them")
    if np.unique(sizes).size < sizes.size:
        raise InputError("k: each size must be given only once")
    return _checks.read_only(sizes.astype(np.int64))
