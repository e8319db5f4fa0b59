"""Contingency tables, stored by their occupied cells."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from synthlab import _checks, _rng
from synthlab._result import Result
from synthlab._typing import BoolArray, IntArray, RngLike
from synthlab.counts._encoding import add_up, check_total, encode, levels_of, whole_numbers
from synthlab.exceptions import InputError

MAX_CELLS = 2**62
MAX_DENSE = 2**31


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Table(Result):
    """Contingency table that stores only its occupied cells.

    Every combination of the declared levels is a cell. Create a table with `from_frame` or `from_counts`.

    Parameters
    ----------
    variables : sequence of str
        Names of the variables.
    levels : sequence of sequences
        Levels of each variable, in order.
    cells : array of int64
        Flat indices of the occupied cells in increasing order; the last variable changes fastest.
    counts : array of int64
        Counts of the occupied cells, all > 0.

    Raises
    ------
    InputError
        The arguments are inconsistent, or the counts add up to 2**63 or more.

    Examples
    --------
    >>> import pandas as pd
    >>> import synthlab.counts as slc
    >>> pupils = pd.DataFrame({"sex": ["F", "M", "F"], "age": [5, 5, 7]})
    >>> table = slc.Table.from_frame(pupils, levels={"age": [5, 6, 7]})
    >>> table.shape, table.total, table.n_occupied
    ((2, 3), 3, 3)
    >>> table.dense()
    array([[1, 0, 1],
           [1, 0, 0]])
    """

    _figure: ClassVar[str] = "counts.plot_cell_sizes"

    variables: tuple[str, ...]
    levels: tuple[tuple[Any, ...], ...]
    cells: IntArray
    counts: IntArray

    @property
    def title(self) -> str:
        """Description of the variables, cells and records."""
        spans = " x ".join(f"{v} ({len(values)})" for v, values in zip(self.variables, self.levels, strict=True))
        empty = 100.0 * (1.0 - self.n_occupied / self.n_cells)
        return f"Table {spans}: {self.n_cells:,} cells, {empty:.1f}% empty, {self.total:,} records"

    def __post_init__(self) -> None:
        variables = _checks.check_names(self.variables, "variables", allow_empty=False)
        lists = _checks.check_list(self.levels, "levels", "a list of levels for each variable")
        if len(lists) != len(variables):
            raise InputError(f"levels: {len(lists)} lists of levels for {len(variables)} variables")
        levels = tuple(check_levels(values, variable) for variable, values in zip(variables, lists, strict=True))
        size = math.prod(len(values) for values in levels)
        if size > MAX_CELLS:
            raise InputError(
                f"levels: the table would have {size:.3g} cells, more than {MAX_CELLS:.3g}; use fewer variables or levels"
            )
        for name, value in (("variables", variables), ("levels", levels)):
            object.__setattr__(self, name, value)
        self._fill(self.cells, self.counts)

    def _fill(self, cells: object, counts: object) -> None:
        cells, counts = _int64(cells, "cells"), _int64(counts, "counts")
        if cells.ndim != 1 or cells.shape != counts.shape:
            raise InputError(
                f"cells and counts: must be two lists of the same length, got {cells.shape} and {counts.shape}"
            )
        if cells.size and (cells[0] < 0 or cells[-1] >= self.n_cells or (np.diff(cells) <= 0).any()):
            raise InputError(
                f"cells: must be increasing and lie in [0, {self.n_cells - 1}]; the levels make {self.n_cells:,} cells"
            )
        if cells.size and counts.min() <= 0:
            raise InputError("counts: must be > 0; do not list empty cells")
        check_total(counts, "counts")
        object.__setattr__(self, "cells", _checks.read_only(cells))
        object.__setattr__(self, "counts", _checks.read_only(counts))

    @classmethod
    def from_frame(
        cls,
        frame: pd.DataFrame,
        variables: Sequence[str] | None = None,
        *,
        levels: Mapping[str, Sequence[Any]] | None = None,
        count: str | None = None,
    ) -> Table:
        """Cross-tabulate records.

        Parameters
        ----------
        frame : pandas.DataFrame
            One row per record, or one row per group of equal records with a column of counts.
        variables : sequence of str, optional
            Variables of the table; by default all columns except `count`.
        levels : mapping, optional
            Declared levels by variable. By default, the levels are the categories of a categorical column, or the
            sorted values of any other column.
        count : str, optional
            Name of the column with the number of records that a row represents. By default, each row is one record.

        Returns
        -------
        Table
            Table with a cell for every combination of levels.

        Raises
        ------
        InputError
            A column is absent, a value is not a declared level, a count is not a whole number >= 0, or the counts add
            up to 2**63 or more.
        MissingValueError
            A value is missing. Replace missing values by a separate level first.
        """
        frame = _checks.check_frame(frame, "frame")
        if count is not None:
            _checks.check_columns(frame, [count], "count", where="frame")
        chosen = [c for c in frame.columns if c != count] if variables is None else variables
        names = _checks.check_columns(frame, chosen, "variables", where="frame")
        if count in names:
            raise InputError(f"count={count!r}: must not be one of the variables")
        declared = {} if levels is None else check_levels_of(levels)
        unknown = [v for v in declared if v not in names]
        if unknown:
            raise InputError(f"levels: {_checks.named(unknown)} not among the variables {_checks.shorten(names, 12)}")
        found = [levels_of(frame[v], v, declared.get(v)) for v in names]
        codes = [encode(frame[v], v, values) for v, values in zip(names, found, strict=True)]
        flat = np.ravel_multi_index(codes, tuple(len(values) for values in found)).astype(np.int64)
        weight = (
            np.ones(len(frame), dtype=np.int64)
            if count is None
            else whole_numbers(frame[count].to_numpy(), f"frame[{count!r}]")
        )
        return cls(tuple(names), tuple(found), *add_up(flat, weight))

    @classmethod
    def from_counts(cls, counts: object, levels: Mapping[str, Sequence[Any]]) -> Table:
        """Create a table from an array of counts.

        Parameters
        ----------
        counts : array_like of int
            Counts, with one axis per variable.
        levels : mapping
            Levels of each variable, in the order of the axes.

        Returns
        -------
        Table
            The table.

        Raises
        ------
        InputError
            The shape does not match the levels, a count is not a whole number >= 0, or the counts add up to 2**63 or
            more.
        """
        _checks.check_unmasked(counts, "counts")
        try:
            array = np.asarray(counts)
        except ValueError:
            raise InputError(
                "counts: must be an array with one axis per variable; its lists differ in length"
            ) from None
        declared = check_levels_of(levels)
        shape = tuple(len(values) for values in declared.values())
        if array.shape != shape:
            raise InputError(f"counts: has shape {array.shape}, but the levels require {shape}")
        flat = whole_numbers(array.ravel(), "counts")
        cells = np.flatnonzero(flat)
        return cls(tuple(declared), tuple(declared.values()), cells, flat[cells])

    def with_counts(self, cells: IntArray, counts: IntArray) -> Table:
        """Return a table with the same variables and levels but different counts.

        Parameters
        ----------
        cells, counts : array of int64
            Flat indices of the occupied cells in increasing order, and their counts, all > 0.

        Returns
        -------
        Table
            The table.
        """
        table = object.__new__(Table)
        object.__setattr__(table, "variables", self.variables)
        object.__setattr__(table, "levels", self.levels)
        table._fill(cells, counts)
        return table

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of levels of each variable."""
        return tuple(len(values) for values in self.levels)

    @property
    def n_cells(self) -> int:
        """Number of cells, including empty cells."""
        return math.prod(self.shape)

    @property
    def n_occupied(self) -> int:
        """Number of cells with a count above zero."""
        return int(self.cells.size)

    @property
    def total(self) -> int:
        """Number of records, the sum of all counts."""
        return int(self.counts.sum())

    def dense(self) -> IntArray:
        """Return all counts as an array with one axis per variable."""
        check_dense(self)
        out = np.zeros(self.n_cells, dtype=np.int64)
        out[self.cells] = self.counts
        return out.reshape(self.shape)

    def at(self, cells: IntArray) -> IntArray:
        """Return the counts of the cells with the given flat indices, including zeros."""
        cells = _int64(cells, "cells")
        if not self.n_occupied:
            return np.zeros(cells.shape, dtype=np.int64)
        position = np.minimum(np.searchsorted(self.cells, cells), self.n_occupied - 1)
        return np.where(self.cells[position] == cells, self.counts[position], 0)

    def sizes(self) -> tuple[IntArray, IntArray]:
        """Return the cell sizes that occur, including zero, and the number of cells of each size."""
        sizes, cells = np.unique(self.counts, return_counts=True)
        empty = self.n_cells - self.n_occupied
        if empty:
            sizes, cells = np.concatenate([[0], sizes]), np.concatenate([[empty], cells])
        return sizes.astype(np.int64), cells.astype(np.int64)

    def summary(self) -> pd.DataFrame:
        """Return the number of cells of each size up to 10; see `size_summary`."""
        return self.size_summary()

    def size_summary(self, largest: int = 10) -> pd.DataFrame:
        """Return number and percentage of cells of each size up to `largest` and above."""
        largest = _checks.check_count(largest, "largest", minimum=0)
        sizes, cells = self.sizes()
        number = [int(cells[sizes == k].sum()) for k in range(largest + 1)] + [int(cells[sizes > largest].sum())]
        label = [str(k) for k in range(largest + 1)] + [f"> {largest}"]
        return pd.DataFrame({"count": label, "cells": number, "percent": 100.0 * np.array(number) / self.n_cells})

    def marginal(self, variables: Sequence[str]) -> Table:
        """Return the marginal table of the given variables, in the given order."""
        keep = self.positions(variables)
        codes = np.unravel_index(self.cells, self.shape)
        shape = tuple(self.shape[i] for i in keep)
        flat = np.ravel_multi_index([codes[i] for i in keep], shape).astype(np.int64)
        return Table(
            tuple(self.variables[i] for i in keep), tuple(self.levels[i] for i in keep), *add_up(flat, self.counts)
        )

    def to_frame(self, *, zeros: bool = False, count: str = "count") -> pd.DataFrame:
        """Return the levels and the count of each cell, one row per cell.

        Parameters
        ----------
        zeros : bool, default False
            Whether to include the empty cells.
        count : str, default "count"
            Name of the column of counts.

        Returns
        -------
        pandas.DataFrame
            Categorical columns with all declared levels, and the column of counts.
        """
        _checks.check_choice(zeros, "zeros", (True, False))
        if _checks.check_name(count, "count") in self.variables:
            raise InputError(f"count={count!r}: is the name of a variable; choose a different name for the counts")
        if zeros:
            check_dense(self)
        cells = np.arange(self.n_cells) if zeros else self.cells
        frame = self._decode(cells)
        frame[count] = self.at(cells)
        return frame

    def microdata(self, rng: RngLike = None) -> pd.DataFrame:
        """Return one row per record, in the order of the cells or, with `rng`, shuffled."""
        cells = np.repeat(self.cells, self.counts)
        if rng is not None:
            cells = _rng.as_generator(rng).permutation(cells)
        return self._decode(cells)

    def select(self, where: Mapping[str, Any]) -> BoolArray:
        """Return a mask of the occupied cells with the given levels.

        Each value of `where` is one level or a list of levels.
        """
        codes = np.unravel_index(self.cells, self.shape)
        inside = np.ones(self.n_occupied, dtype=bool)
        for axis, wanted in self.level_positions(where).items():
            inside &= np.isin(codes[axis], wanted)
        return inside

    def level_positions(self, where: Mapping[str, Any]) -> dict[int, list[int]]:
        """Return the positions of the levels named by `where`, by axis."""
        return self._level_positions(where, "where")

    def _level_positions(self, where: Mapping[str, Any], name: str) -> dict[int, list[int]]:
        """Return the positions of levels; errors refer to the argument `name`."""
        if not isinstance(where, Mapping):
            raise InputError(
                f"{name}: must be a mapping such as {{'SEX': 'F', 'AGE': [5, 6]}}, got {_checks.shown(where)}"
            )
        out = {}
        for axis, (variable, wanted) in zip(self._positions(list(where), name), where.items(), strict=True):
            values = list(wanted) if isinstance(wanted, list | tuple | set | frozenset | np.ndarray) else [wanted]
            if not values:
                raise InputError(
                    f"{name}[{variable!r}]: names no level; omit {variable!r} to include all of its levels"
                )
            numbered = {v: i for i, v in enumerate(self.levels[axis])}
            odd = [v for v in values if not pd.api.types.is_hashable(v) or v not in numbered]
            if odd:
                raise InputError(f"{name}[{variable!r}]: {_checks.shorten(odd)} is not a level of this variable")
            out[axis] = sorted({numbered[v] for v in values})
        return out

    def positions(self, variables: Sequence[str]) -> list[int]:
        """Return the axes of the named variables."""
        return self._positions(variables, "variables")

    def _positions(self, variables: object, name: str) -> list[int]:
        """Return the axes of variables; errors refer to the argument `name`."""
        allowed = "a list of at least one variable"
        names = [variables] if isinstance(variables, str) else _checks.check_list(variables, name, allowed)
        if not names and name == "variables":
            raise InputError(f"{name}: must be {allowed}")
        known = [isinstance(v, str) and v in self.variables for v in names]
        if not all(known) or len(set(names)) < len(names):
            raise InputError(
                f"{name}: must be different variables of the table, which has {_checks.shorten(self.variables, 12)}"
            )
        return [self.variables.index(v) for v in names]

    def _decode(self, cells: IntArray) -> pd.DataFrame:
        codes = np.unravel_index(cells, self.shape)
        return pd.DataFrame(
            {
                variable: pd.Categorical.from_codes(code.astype(np.int64), categories=pd.Index(values))
                for variable, values, code in zip(self.variables, self.levels, codes, strict=True)
            }
        )


def check_levels_of(levels: object) -> dict[str, tuple[Any, ...]]:
    """Return the declared levels by variable, or raise `InputError`."""
    if not isinstance(levels, Mapping):
        raise InputError(f"levels: must be a mapping from variable to levels, got {type(levels).__name__}")
    return {v: check_levels(levels[v], v) for v in _checks.check_names(list(levels), "levels")}


def check_levels(values: object, variable: str) -> tuple[Any, ...]:
    """Return the levels of a variable; raise `InputError` unless they are hashable and unique."""
    name = f"levels[{variable!r}]"
    found = tuple(values if isinstance(values, str) else _checks.check_list(values, name, "a list of levels"))
    if not all(map(pd.api.types.is_hashable, found)):
        raise InputError(f"{name}: a level must be a number, text, a bool or a date, not a list")
    if not found or pd.Index(found, tupleize_cols=False).has_duplicates:
        raise InputError(f"{name}: must contain at least one level, and each level only once")
    return found


def _int64(values: object, name: str) -> IntArray:
    """Return whole numbers as int64; the caller checks sign and order."""
    if np.ma.is_masked(values):
        raise InputError(f"{name}: must not contain masked values")
    given = values if isinstance(values, np.ndarray) else None
    if given is None or given.dtype.kind != "i":
        array = _checks.check_array(values, name, "whole numbers")
        if array.size and not (np.isfinite(array) & (array == np.floor(array)) & (abs(array) <= 2.0**63)).all():
            raise InputError(f"{name}: must be whole numbers that fit into 64 bits")
    try:
        return np.array(values, dtype=np.int64)
    except OverflowError:
        raise InputError(f"{name}: must be whole numbers that fit into 64 bits") from None


def check_dense(table: Table) -> None:
    """Raise `InputError` if a table has too many cells for a dense array."""
    if table.n_cells > MAX_DENSE:
        raise InputError(f"table: has {table.n_cells:,} cells, too many for a dense array (limit {MAX_DENSE:,})")


def check_table(value: object, name: str) -> Table:
    """Return the table, or raise `InputError` if it is not a `Table`."""
    if not isinstance(value, Table):
        raise InputError(
            f"{name}: must be a Table, got {type(value).__name__}; see Table.from_frame and Table.from_counts"
        )
    return value


def check_same_levels(first: Table, other: Table, name: str) -> None:
    """Raise `InputError` unless two tables have the same variables and levels."""
    same = other.levels is first.levels or other.levels == first.levels
    if other.variables != first.variables or not same:
        raise InputError(f"{name}: {other.title} and {first.title} do not have the same variables and levels")
