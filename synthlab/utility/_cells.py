"""Code variables as levels shared by all datasets, and count the cells of their tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._typing import IntArray
from synthlab.exceptions import InputError
from synthlab.utility._frames import EPOCH, ONE_DAY, is_measured, is_number, joint_codes, measurements, sorted_values

MAX_CELLS = 5_000_000


@dataclass(frozen=True, slots=True, eq=False)
class Coded:
    """Levels of one variable and, for each dataset, the level code of each record."""

    levels: tuple[object, ...]
    codes: tuple[IntArray, ...]


def code_variable(column: str, frames: Sequence[pd.DataFrame], bins: int) -> Coded:
    """Code one variable; cut measurements with more than `bins` distinct values at confidential quantiles."""
    first = frames[0][column]
    codes, values = joint_codes([frame[column] for frame in frames])
    seen = values[~pd.isna(values)]
    if is_measured(first) and len(seen) > bins:
        return _cut(column, frames, bins)
    declared = list(first.dtype.categories) if isinstance(first.dtype, pd.CategoricalDtype) else []
    found = set(seen)
    kept = [level for level in declared if level in found]
    others = [level for level in seen if level not in set(kept)]
    levels = [*kept, *sorted_values(others)]
    return _split(levels, pd.Index(levels, dtype=object).get_indexer(values)[codes], frames)


def _cut(column: str, frames: Sequence[pd.DataFrame], bins: int) -> Coded:
    values = [measurements(frame[column]) for frame in frames]
    ours = values[0][~np.isnan(values[0])]
    if ours.size == 0:
        raise InputError(f"confidential: column {column!r} has only missing values; leave it out")
    edges = np.unique(np.quantile(ours, np.arange(1, bins) / bins))
    everything = np.concatenate(values)
    codes = np.where(np.isnan(everything), -1, np.searchsorted(edges, everything, side="left"))
    return _split(_interval_names([_edge(edge, frames[0][column]) for edge in edges]), codes, frames)


def _edge(edge: float, series: pd.Series) -> str:
    """Format an edge as a number, a date, or a number of days."""
    if is_number(series):
        return f"{edge:.6g}"
    if _checks.kind_of(series) == _checks.TIME_SPAN:
        return f"{edge:.6g} days"
    return str((EPOCH + (edge * ONE_DAY).round("s")).tz_localize(None)).removesuffix(" 00:00:00")


def _interval_names(text: Sequence[str]) -> list[object]:
    """Name the intervals (a, b] between the edges; the first and the last interval are unbounded."""
    inner = [f"({low}, {high}]" for low, high in pairwise(text)]
    return [f"<= {text[0]}", *inner, f"> {text[-1]}"]


def _split(levels: list[object], codes: IntArray, frames: Sequence[pd.DataFrame]) -> Coded:
    """Give missing values a separate level and split the codes by dataset."""
    if (codes < 0).any():
        levels = [*levels, "(missing)"]
        codes = np.where(codes < 0, len(levels) - 1, codes)
    ends = np.cumsum([len(frame) for frame in frames])[:-1]
    return Coded(tuple(levels), tuple(np.split(np.asarray(codes, dtype=np.int64), ends)))


def count_cells(margin: Sequence[Coded], dataset: int) -> IntArray:
    """Return the counts of all cells of a margin, the last variable changing fastest."""
    first, *others = margin
    flat, size = first.codes[dataset], len(first.levels)
    for variable in others:
        flat, size = flat * len(variable.levels) + variable.codes[dataset], size * len(variable.levels)
    return np.bincount(flat, minlength=size)


def check_size(names: Sequence[str], margin: Sequence[Coded]) -> None:
    """Raise `InputError` if a table has too many cells."""
    size = int(np.prod([float(len(variable.levels)) for variable in margin]))
    if size > MAX_CELLS:
        raise InputError(f"margins: {tuple(names)!r} has {size:,} cells, more than {MAX_CELLS:,}; leave a variable out")
