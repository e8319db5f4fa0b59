"""Design matrix of two stacked datasets, with flags for columns changed by the release.

Categories become indicator columns, and each measurement becomes one standardized column. Products of up to `order`
variables follow. Column names are looked up, never evaluated. The design is dense, so its size is checked before it
is created.
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
MOST_LEVELS = 100  # levels of a category that are allowed for any number of records
RECORDS_A_LEVEL = 10  # records per level required for more levels
MOST_BYTES = 2 * 2**30  # size of a design
# Squares of smaller values lose digits.
SMALLEST_SPREAD = float(np.sqrt(np.finfo(np.float64).tiny / np.finfo(np.float64).eps))


@dataclass(frozen=True, slots=True, eq=False)
class Stacked:
    """Design of two stacked datasets; the first has label 0 and the second label 1.

    Attributes
    ----------
    distinct : numpy.ndarray of float, shape (u, p)
        Design without the constant, main effects first, one row per distinct record.
    member : numpy.ndarray of int, shape (N,)
        Row of `distinct` for each record.
    changed : numpy.ndarray of bool, shape (p,)
        Whether a column involves a variable whose values are not equal row by row in both datasets.
    label : numpy.ndarray of float, shape (N,)
        0 for records of the first dataset, 1 for records of the second dataset.
    terms : tuple of tuple of str
        Variables multiplied in each term.
    term : numpy.ndarray of int, shape (p,)
        Index of the term of each column.
    """

    distinct: FloatArray
    member: IntArray
    changed: BoolArray
    label: FloatArray
    terms: tuple[tuple[str, ...], ...]
    term: IntArray

    @property
    def columns(self) -> FloatArray:
        """Design of all records, shape (N, p)."""
        return self.distinct[self.member]

    @property
    def paired(self) -> bool:
        """Whether some variable is equal row by row, so that row i of both datasets is the same person."""
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
    """Stack two frames into a design; missing values are a separate category.

    With `every_level`, the first level of a category also has an indicator. Trees and distances use it to treat all
    levels equally; a regression omits it.
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
    _check_bytes(widths, _products(widths, order), kept.size, ", or use a lower order")
    main = rows[kept]
    ends = np.cumsum([blocks[c].shape[1] for c in variables])[:-1]
    blocks = dict(zip(variables, np.split(main, ends, axis=1), strict=True))
    terms = [group for size in range(1, order + 1) for group in combinations(variables, size)]
    columns = [main]  # main effects
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
    """Return why `pmse` and `cluster_utility` do not accept a variable; None if they do.

    They do not accept numbers in a column of objects, nor a category with so many levels that its indicators identify
    records rather than groups: more than 100 levels and fewer than ten stacked records per level, or indicators of more
    than 2 GiB. Missing and infinite values are not checked.

    Parameters
    ----------
    confidential : pandas.DataFrame
        The confidential data.
    frames : iterable of pandas.DataFrame
        The synthetic datasets, each stacked with the confidential data.
    variable : str
        Name of a column of every dataset.
    categorical : collection of str
        Columns that are categories regardless of their dtype.
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
    """Return the first position of each distinct row, and the index of the distinct row of each row."""
    if rows.shape[1] == 0:
        return np.zeros(1, dtype=np.int64), np.zeros(len(rows), dtype=np.int64)
    plain = np.ascontiguousarray(rows + 0.0)  # -0.0 becomes 0.0
    order = np.argsort(plain.view(np.dtype((np.void, plain.itemsize * plain.shape[1]))).ravel(), kind="stable")
    first = np.ones(len(plain), dtype=np.bool_)  # whether a row, in this order, is the first of its equal rows
    for start in range(1, len(plain), STRETCH):
        place = order[start - 1 : start + STRETCH]
        first[start : start + STRETCH] = (plain[place[1:]] != plain[place[:-1]]).any(axis=1)
    member = np.empty(len(plain), dtype=np.int64)
    member[order] = np.cumsum(first) - 1
    return order[first], member


@dataclass(frozen=True, slots=True, eq=False)
class _Variable:
    """Values of one variable in both datasets: level codes, or measurements (levels = 0)."""

    values: FloatArray | IntArray
    levels: int

    def width(self, every_level: bool) -> int:
        """Return the number of columns."""
        if self.levels:
            return self.levels - (not every_level)
        return 2 if np.isnan(self.values).any() else 1

    def columns(self, every_level: bool) -> FloatArray:
        """Return indicators, or standardized numbers with an indicator of missing values."""
        if self.levels:
            levels = np.arange(0 if every_level else 1, self.levels)
            return np.asarray(self.values[:, None] == levels, dtype=np.float64).reshape(len(self.values), -1)
        missing = np.isnan(self.values)
        there = self.values[~missing]
        with np.errstate(over="ignore", invalid="ignore"):
            spread = float(np.std(there)) if there.size else 0.0
        largest = float(np.abs(there).max(initial=0.0))
        # Rescale if squares overflow or lose digits; the scale does not matter, because the column is standardized.
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
    """Return why a category has too many levels for `total` records; None if it does not."""
    if levels > max(MOST_LEVELS, total / RECORDS_A_LEVEL):
        why = f"more than {MOST_LEVELS} and more than one per {RECORDS_A_LEVEL} records"
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
    by_size = np.array([1] + [0] * order, dtype=object)  # elementary symmetric polynomials in Python ints
    for width in sizes:
        by_size[1:] += by_size[:-1] * width
    return int(by_size[1:].sum())


def _check_bytes(widths: dict[str, int], width: int, rows: int, hint: str = "") -> None:
    """Raise `InputError` if a design would take too much memory."""
    if width * rows * 8 > MOST_BYTES:
        raise InputError(
            f"variables: a design of {rows:,} rows and {width:,} columns takes {width * rows * 8 / 2**30:.1f} GiB, more than "
            f"{MOST_BYTES / 2**30:.0f}; leave out or group the levels of {_widest(widths)}{hint}"
        )


def _check_width(widths: dict[str, int], order: int, total: int) -> None:
    """Raise `InputError` if the design would have at least as many parameters as records."""
    width = _products(widths, order)
    if width + 1 >= total:
        raise InputError(
            f"variables: {width + 1} parameters for {total} stacked records; leave out or merge levels of "
            f"{_widest(widths)}, use a lower order, or model='cart'"
        )


def _widest(widths: dict[str, int]) -> str:
    names = sorted(widths, key=lambda c: -widths[c])
    return _checks.shorten(names, 3)
