"""Patterns of several columns: one-hot columns, and values that are missing for some levels of another column."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd

from synthlab._typing import BoolArray, FloatArray

NODES = 20_000  # largest number of steps of the search for one-hot columns that do not follow one another
FEWEST = 3  # smallest number of columns of a block
BY_CHANCE = 1e-6  # largest probability that all values of a level are missing by chance


def indicator(series: pd.Series) -> FloatArray | None:
    """Return a column of 0 and 1, or of bools, as numbers with NaN for missing values; None for other columns."""
    present = series.dropna()
    if isinstance(series.dtype, pd.CategoricalDtype) or present.empty or len(present) == 0:
        return None
    if not (pd.api.types.is_numeric_dtype(series.dtype) or isinstance(present.iloc[0], bool | np.bool_)):
        return None
    if not present.isin([0, 1]).all():
        return None
    numbers = np.full(len(series), np.nan)
    numbers[series.notna().to_numpy(dtype=bool)] = present.astype(np.float64)
    return numbers


def exactly_one(frame: pd.DataFrame, columns: Sequence[str]) -> tuple[BoolArray, BoolArray]:
    """Return which records have all values of some columns, and in which of these one is 1 and the others are 0."""
    both = frame[list(columns)].notna().all(axis=1).to_numpy(dtype=bool)
    ones, zeros = ((frame[list(columns)] == value).sum(axis=1).to_numpy() for value in (1, 0))
    return both, both & (ones == 1) & (zeros == len(columns) - 1)


def empty_levels(frame: pd.DataFrame, source: str, column: str) -> list[Any]:
    """Return the levels of a source for which a column is always missing; see `levels_without`."""
    return levels_without(frame[source], frame[[column]].isna())[column]


def levels_without(source: pd.Series, lost: pd.DataFrame) -> dict[str, list[Any]]:
    """Return, for each column, the levels of a source for which it is always missing, although other levels have values.

    The probability that this happens by chance, given the share of missing values of the other levels, is at most 1e-6
    for each level. `lost` contains where each column is missing.
    """
    codes, distinct = pd.factorize(source)
    levels = list(distinct)
    there = codes >= 0
    order = np.argsort(codes[there], kind="stable")
    first = np.searchsorted(codes[there][order], np.arange(len(levels)))
    if len(levels) == 0:
        return {str(c): [] for c in lost.columns}
    missing = np.add.reduceat(lost.to_numpy(dtype=np.int64)[there][order], first, axis=0)
    size = np.bincount(codes[there])[:, None]
    empty = missing == size
    rest = np.where(empty, 0, size).sum(axis=0)
    share = np.where(empty, 0, missing).sum(axis=0) / np.maximum(rest, 1)
    with np.errstate(divide="ignore"):
        sure = empty & (rest > 0) & (size * np.log(np.maximum(share, 1e-12)) <= np.log(BY_CHANCE))
    return {str(c): [levels[i] for i in np.flatnonzero(sure[:, j])] for j, c in enumerate(lost.columns)}


def one_hot_blocks(columns: dict[str, FloatArray], nearly: float) -> Iterator[tuple[str, ...]]:
    """Yield sets of at least 3 columns of which exactly one is 1 in all, or in nearly all, complete records.

    Columns with the same missing values are compared: first consecutive columns, then all others, of which exactly one
    is 1 in all records.
    """
    groups: dict[bytes, list[str]] = {}
    for column, numbers in columns.items():
        groups.setdefault(np.isnan(numbers).tobytes(), []).append(column)
    for names in groups.values():
        table = np.stack([columns[c] for c in names])
        table = table[:, ~np.isnan(table[0])] == 1
        if len(names) < FEWEST or table.shape[1] == 0:
            continue
        rest = list(range(len(names)))
        for first, last in _runs(table, nearly):
            yield tuple(names[first:last])
            rest = [place for place in rest if not first <= place < last]
        while cover := _exact_cover(table, rest):
            yield tuple(names[place] for place in cover)
            rest = [place for place in rest if place not in cover]


def _runs(table: BoolArray, nearly: float) -> list[tuple[int, int]]:
    """Return disjoint ranges of consecutive rows of a table with one True per column, the shortest first."""
    total = np.vstack([np.zeros(table.shape[1], dtype=np.int64), np.cumsum(table, axis=0)])
    found: list[tuple[int, int]] = []
    for size in range(FEWEST, len(table) + 1):
        shares = (total[size:] - total[:-size] == 1).mean(axis=1)
        for first in np.flatnonzero(shares >= nearly):
            varies = table[first : first + size].any(axis=1).all()
            apart = all(first + size <= low or high <= first for low, high in found)
            if varies and apart:
                found.append((int(first), int(first + size)))
    return sorted(found)


def _exact_cover(table: BoolArray, rows: Collection[int]) -> list[int]:
    """Return at least 3 rows of a table with exactly one True per column; empty if none are found in 20,000 steps."""
    nodes = 0
    stack: list[tuple[list[int], list[int], BoolArray]] = [([], list(rows), np.zeros(table.shape[1], dtype=bool))]
    while stack and nodes < NODES:
        chosen, left, covered = stack.pop()
        if covered.all():
            if len(chosen) >= FEWEST:
                return sorted(chosen)
            continue
        at = int(np.argmin(covered))
        for row in [r for r in left if table[r, at]]:
            nodes += 1
            after = covered | table[row]
            apart = [r for r in left if r != row and not (table[r] & table[row]).any()]
            stack.append(([*chosen, row], apart, after))
    return []


__all__ = ["empty_levels", "exactly_one", "indicator", "levels_without", "one_hot_blocks"]
