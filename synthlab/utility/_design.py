"""Two datasets under one another as a design matrix, and which columns the release changed.

Categories become indicator columns, measurements one standardised column; products of up to `order`
variables follow. Column names are looked up, never evaluated. The design is dense, so its size is
reckoned before it is made.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._typing import BoolArray, FloatArray, IntArray
from synthlab.exceptions import InputError
from synthlab.utility._frames import is_measured, joint_codes, measurements

STRETCH = 4096  # rows compared at a time
MOST_LEVELS = 100  # of a category, whatever the number of records
RECORDS_A_LEVEL = 10  # with more levels than that
MOST_BYTES = 2 * 2**30  # of a design
SMALLEST_SPREAD = float(np.sqrt(np.finfo(np.float64).tiny / np.finfo(np.float64).eps))  # below it squares lose digits


@dataclass(frozen=True, slots=True, eq=False)
class Stacked:
    """Two datasets stacked, the first one labelled 0 and the second one 1.

    Attributes
    ----------
    distinct : numpy.ndarray of float, shape (u, p)
        The design without its constant, all main effects first: one row per distinct record.
    member : numpy.ndarray of int, shape (N,)
        The row of each record.
    changed : numpy.ndarray of bool, shape (p,)
        Whether a column involves a variable whose values differ row by row between the datasets.
    label : numpy.ndarray of float, shape (N,)
        0 for a record of the first dataset, 1 for one of the second.
    terms : tuple of tuple of str
        The variables that are multiplied in each term.
    term : numpy.ndarray of int, shape (p,)
        The term each column belongs to.
    """

    distinct: FloatArray
    member: IntArray
    changed: BoolArray
    label: FloatArray
    terms: tuple[tuple[str, ...], ...]
    term: IntArray

    @property
    def columns(self) -> FloatArray:
        """The design of all records, shape (N, p)."""
        return self.distinct[self.member]

    @property
    def paired(self) -> bool:
        """Return whether some variable is the same row by row, so that row i of both datasets is one person."""
        return not bool(self.changed.all())


def stack(
    first: pd.DataFrame,
    second: pd.DataFrame,
    variables: Sequence[str],
    *,
    categorical: Sequence[str],
    order: int,
    every_level: bool = False,
) -> Stacked:
    """Stack two frames with complete or missing values (a missing value is a category of its own).

    With `every_level` a category has an indicator for its first level too: for trees and distances,
    which treat the levels alike then; a regression leaves it out.
    """
    read = {c: _read(first[c], second[c], c in categorical) for c in variables}
    total = len(first) + len(second)
    for column, one in read.items():
        reason = _too_many(column, one.levels, total)
        if reason is not None:
            raise InputError(reason)
    widths = {c: one.width(every_level) for c, one in read.items()}
    _check_bytes(widths, sum(widths.values()), total)
    if not every_level:
        _check_width(widths, order, total)
    blocks = {c: one.columns(every_level) for c, one in read.items()}
    same_length = len(first) == len(second)
    moved = {c: not (same_length and np.array_equal(b[: len(first)], b[len(first) :])) for c, b in blocks.items()}
    rows = np.hstack([blocks[c] for c in variables])
    kept, member = _distinct(rows)
    _check_bytes(widths, _products(widths, order), kept.size, "; or a lower order")
    main = rows[kept]
    ends = np.cumsum([blocks[c].shape[1] for c in variables])[:-1]
    blocks = dict(zip(variables, np.split(main, ends, axis=1), strict=True))
    terms = [group for size in range(1, order + 1) for group in combinations(variables, size)]
    columns = [main]  # all terms of one variable
    for group in terms[len(variables) :]:
        product = blocks[group[0]]
        for column in group[1:]:
            product = (product[:, :, None] * blocks[column][:, None, :]).reshape(kept.size, -1)
        columns.append(product)
    widths_of_terms = [int(np.prod([blocks[c].shape[1] for c in group])) for group in terms]
    changed = np.repeat([any(moved[c] for c in group) for group in terms], widths_of_terms)
    term = np.repeat(np.arange(len(terms)), widths_of_terms)
    label = np.repeat([0.0, 1.0], [len(first), len(second)])
    return Stacked(np.hstack(columns) if len(columns) > 1 else main, member, changed, label, tuple(terms), term)


def pmse_refuses(
    confidential: pd.DataFrame, frames: Iterable[pd.DataFrame], variable: str, categorical: Collection[str] = ()
) -> str | None:
    """Say why `pmse` and `cluster_utility` refuse a variable for what it is, or None where they take it.

    They refuse numbers in a column of objects, and a category of so many levels that its indicators tell records and
    not groups: more than 100 levels and fewer than ten stacked records a level, or more than 2 GiB. Missing and infinite
    values are another matter.

    Parameters
    ----------
    confidential : pandas.DataFrame
        The confidential data.
    frames : iterable of pandas.DataFrame
        The synthetic datasets, each stacked with the confidential data.
    variable : str
        A column of all of them.
    categorical : collection of str
        Columns that are categories, whatever they hold.
    """
    declared = variable in categorical
    for frame in frames:
        ours, theirs = confidential[variable], frame[variable]
        if not declared and any(map(_checks.holds_loose_numbers, (ours, theirs))):
            return _checks.loose_numbers(variable)
        reason = _too_many(variable, _read(ours, theirs, declared).levels, len(ours) + len(theirs))
        if reason is not None:
            return reason
    return None


def _distinct(rows: FloatArray) -> tuple[IntArray, IntArray]:
    """Return the first position of each distinct row, and for each row the number of its distinct one."""
    if rows.shape[1] == 0:
        return np.zeros(1, dtype=np.int64), np.zeros(len(rows), dtype=np.int64)
    plain = np.ascontiguousarray(rows + 0.0)  # -0.0 becomes 0.0
    order = np.argsort(plain.view(np.dtype((np.void, plain.itemsize * plain.shape[1]))).ravel(), kind="stable")
    first = np.ones(len(plain), dtype=np.bool_)  # in this order, of equal rows
    for start in range(1, len(plain), STRETCH):
        place = order[start - 1 : start + STRETCH]
        first[start : start + STRETCH] = (plain[place[1:]] != plain[place[:-1]]).any(axis=1)
    member = np.empty(len(plain), dtype=np.int64)
    member[order] = np.cumsum(first) - 1
    return order[first], member


@dataclass(frozen=True, slots=True, eq=False)
class _Variable:
    """One variable of both datasets: level codes of a category, or measurements (levels 0)."""

    values: FloatArray | IntArray
    levels: int

    def width(self, every_level: bool) -> int:
        """Return the number of its columns."""
        if self.levels:
            return self.levels - (not every_level)
        return 2 if np.isnan(self.values).any() else 1

    def columns(self, every_level: bool) -> FloatArray:
        """Return its columns: indicators, or standardised numbers and an indicator of missing ones."""
        if self.levels:
            levels = np.arange(0 if every_level else 1, self.levels)
            return np.asarray(self.values[:, None] == levels, dtype=np.float64).reshape(len(self.values), -1)
        missing = np.isnan(self.values)
        there = self.values[~missing]
        with np.errstate(over="ignore", invalid="ignore"):
            spread = float(np.std(there)) if there.size else 0.0
        largest = float(np.abs(there).max(initial=0.0))
        # Squares beyond the largest float, or too small for one with all its digits: the scale plays no part.
        if not np.isfinite(spread) or (spread < SMALLEST_SPREAD and 0 < largest < 0.5):
            return replace(self, values=np.ldexp(self.values, -int(np.frexp(largest)[1]))).columns(every_level)
        centre = float(np.mean(there)) if there.size else 0.0
        scaled = np.where(missing, 0.0, (self.values - centre) / (spread if spread > 0 else 1.0))
        return np.column_stack([scaled, missing]) if missing.any() else scaled[:, None]


def _read(first: pd.Series, second: pd.Series, as_category: bool) -> _Variable:
    if as_category or not is_measured(first):
        codes, levels = joint_codes([first, second])
        return _Variable(codes, len(levels))
    return _Variable(np.concatenate([measurements(first), measurements(second)]), 0)


def _too_many(column: str, levels: int, total: int) -> str | None:
    """Say why a category has too many levels for a design of `total` records, or None where it has not."""
    if levels > max(MOST_LEVELS, total / RECORDS_A_LEVEL):
        why = f"more than {MOST_LEVELS} and more than one for every {RECORDS_A_LEVEL} records"
    elif levels * total * 8 > MOST_BYTES:
        why = f"and its indicators would take {levels * total * 8 / 2**30:.1f} GiB, more than {MOST_BYTES / 2**30:.0f}"
    else:
        return None
    return (
        f"variables: column {column!r} is a category with {levels:,} levels in {total:,} stacked records, {why}; leave it "
        "out with variables=[...], or group its levels"
    )


def _products(widths: dict[str, int], order: int) -> int:
    """Return the number of columns with products of up to `order` variables."""
    sizes = np.array(list(widths.values()), dtype=object)
    by_size = np.array(
        [1] + [0] * order, dtype=object
    )  # elementary symmetric polynomials, in whole numbers of any size
    for width in sizes:
        by_size[1:] += by_size[:-1] * width
    return int(by_size[1:].sum())


def _check_bytes(widths: dict[str, int], width: int, rows: int, hint: str = "") -> None:
    """Raise when a design would take too much memory."""
    if width * rows * 8 > MOST_BYTES:
        raise InputError(
            f"variables: a design of {rows:,} rows and {width:,} columns takes {width * rows * 8 / 2**30:.1f} GiB, more than "
            f"{MOST_BYTES / 2**30:.0f}; leave out, or group the levels of, {_widest(widths)}{hint}"
        )


def _check_width(widths: dict[str, int], order: int, total: int) -> None:
    """Raise when the design would have as many columns as there are records."""
    width = _products(widths, order)
    if width + 1 >= total:
        raise InputError(
            f"variables: {width + 1} parameters for {total} stacked records; leave out or merge levels of "
            f"{_widest(widths)}, use a lower order, or model='cart'"
        )


def _widest(widths: dict[str, int]) -> str:
    names = sorted(widths, key=lambda c: -widths[c])
    return _checks.shorten(names, 3)
