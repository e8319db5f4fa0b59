"""Positions of the members of units in a sorted frame, and the predictors that come from other members."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._typing import BoolArray, FloatArray, IntArray
from synthlab.synthesizers._design import is_categorical
from synthlab.synthesizers._levels import Levels
from synthlab.synthesizers._missing import THERE, Codes, Kinds

SIZE, POSITION, GAP, BEFORE = "number of members", "position", "time since the previous wave", "waves before"
PRESENT = "present"


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """Rows of a frame that is sorted by unit: the members of unit u are the rows from ``start[u]`` on.

    Attributes
    ----------
    size : ndarray of int, shape (units,)
        Number of members (of a panel: of records) of each unit.
    wave : ndarray of int, shape (n,)
        Number of the wave of each row; empty if the file is not a panel.
    """

    size: IntArray
    wave: IntArray = field(default_factory=lambda: np.empty(0, dtype=np.int64))

    @property
    def start(self) -> IntArray:
        """First row of each unit."""
        return (np.cumsum(self.size) - self.size).astype(np.int64)

    @property
    def unit(self) -> IntArray:
        """Unit of each row."""
        return np.repeat(np.arange(len(self.size)), self.size)

    @property
    def position(self) -> IntArray:
        """Position of each row within its unit, from 0."""
        return np.arange(int(self.size.sum())) - np.repeat(self.start, self.size)

    def rows_of(self, units: IntArray) -> IntArray:
        """Return the rows of some units, in the order of the units."""
        size = self.size[units]
        within = np.arange(int(size.sum())) - np.repeat(np.cumsum(size) - size, size)
        return np.repeat(self.start[units], size) + within

    def part(self, units: IntArray) -> Layout:
        """Return the layout of a frame that contains only the rows of some units."""
        return Layout(self.size[units], self.wave[self.rows_of(units)] if self.wave.size else self.wave)


@dataclass(frozen=True, slots=True, eq=False)
class Neighbors:
    """Other members of the unit of each of k rows, by their rows in the frame; -1 if there is none.

    Attributes
    ----------
    first, previous, following : ndarray of int, shape (k,)
    numbers : dict
        Predictors that are not columns of the frame, such as the position, by name.
    """

    first: IntArray
    previous: IntArray
    following: IntArray
    numbers: Mapping[str, FloatArray]


def neighbors(
    frame: pd.DataFrame,
    layout: Layout,
    counted: Mapping[str, Sequence[object]],
    time: FloatArray,
    kept: Sequence[str] = (),
) -> Neighbors:
    """Return the neighbors of all rows.

    `counted` contains the variables whose levels are counted among earlier members, and among all members if the
    variable is kept.
    """
    unit, position, n = layout.unit, layout.position, len(frame)
    first = np.where(position > 0, layout.start[unit], -1)
    previous = np.where(position > 0, np.arange(n) - 1, -1)
    following = np.where(position + 1 < layout.size[unit], np.arange(n) + 1, -1)
    numbers: dict[str, FloatArray] = {}
    if layout.wave.size:
        numbers[BEFORE] = position.astype(np.float64)
        numbers[GAP] = np.where(position > 0, time[layout.wave] - time[layout.wave[previous]], 0.0)
    else:
        numbers |= {SIZE: layout.size[unit].astype(np.float64), POSITION: position.astype(np.float64)}
        for column, levels in counted.items():
            for level in levels:
                own = np.asarray((frame[column] == level).fillna(False), dtype=np.float64)
                total = np.cumsum(own)
                before = total - own - np.concatenate([[0.0], total])[layout.start[unit]]
                numbers[count_of(column, level)] = before
                if column in kept:
                    numbers[total_of(column, level)] = np.bincount(unit, weights=own)[unit].astype(np.float64)
    return Neighbors(first, previous, following, numbers)


def first_of(column: str) -> str:
    """Return the name of the predictor with the value of the first member."""
    return f"{column} (first)"


def previous_of(column: str) -> str:
    """Return the name of the predictor with the value of the previous member."""
    return f"{column} (previous)"


def next_of(column: str) -> str:
    """Return the name of the predictor with the value of the next member."""
    return f"{column} (next)"


def count_of(column: str, level: object) -> str:
    """Return the name of the predictor that counts earlier members."""
    return f"earlier members with {column} = {level}"


def total_of(column: str, level: object) -> str:
    """Return the name of the predictor that counts members."""
    return f"members with {column} = {level}"


def is_count(name: str) -> bool:
    """Return whether a predictor counts members; the counts of all levels add up to the position or the size."""
    return name.startswith(("earlier members with ", "members with "))


def taken(series: pd.Series, rows: IntArray, index: pd.Index) -> pd.Series:
    """Return the values of some rows; a value is missing if its row is -1."""
    values = series.iloc[np.maximum(rows, 0)].set_axis(index)
    if pd.api.types.is_bool_dtype(values.dtype):
        values = values.astype(pd.CategoricalDtype([False, True]))
    gone = rows < 0
    if not gone.any():
        return values
    if isinstance(values.dtype, np.dtype) and values.dtype.kind in "iu":
        values = values.astype(np.float64)
    return values.mask(gone)


@dataclass(frozen=True, slots=True, eq=False)
class Vocabulary:
    """Values of predictors that occur in the records to which models were fitted.

    A synthetic unit can have a level that none of these records has, for example a region in which all units have one
    member. A model cannot use such a level, so the most frequent one replaces it. The median replaces a missing number
    if no number was missing.
    """

    levels: dict[str, Levels] = field(default_factory=dict)
    frequent: dict[str, int] = field(default_factory=dict)
    kinds: dict[str, Kinds] = field(default_factory=dict)
    median: dict[str, float] = field(default_factory=dict)

    @classmethod
    def of(cls, frame: pd.DataFrame, columns: Sequence[str], codes: Codes) -> Vocabulary:
        """Return the values of the columns of a frame."""
        made = cls()
        for column in columns:
            if is_categorical(frame[column]):
                made.levels[column] = Levels.of(frame, column, keep=True, most=len(frame))
                made.frequent[column] = int(np.argmax(np.bincount(made.levels[column].positions(frame))))
                continue
            found = Kinds.of(frame, column, codes)
            if found is not None:
                made.kinds[column] = found
            numbers = _checks.as_float(frame[column]) if found is None else found.filled(frame[column])
            made.median[column] = float(np.sort(numbers)[(len(numbers) - 1) // 2])
        return made

    def applied(self, frame: pd.DataFrame, codes: Codes) -> pd.DataFrame:
        """Return the frame with unknown levels and unknown kinds of missing values replaced."""
        changed: dict[str, pd.Series] = {}
        for column, levels in self.levels.items():
            place = levels.positions(frame)
            unknown = place < 0
            if unknown.any():
                changed[column] = levels.series(np.where(unknown, self.frequent[column], place), frame.index)
        for column, median in self.median.items():
            series, seen = frame[column], self.kinds.get(column)
            own = codes.get(column, ())
            gone: BoolArray = series.isna().to_numpy(dtype=bool)
            if seen is not None:
                gone = ~np.isin(seen.read(series), (THERE, *seen.seen))
            elif own:
                gone = gone | series.isin(own).to_numpy(dtype=bool)
            if gone.any():
                numbers = np.where(gone, median, _checks.as_float(series))
                changed[column] = pd.Series(numbers, index=frame.index, name=column)
        return frame.assign(**changed) if changed else frame
