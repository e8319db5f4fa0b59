"""Numbers of the columns of a file, with dates on a common scale."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._typing import FloatArray, IntArray
from synthlab.exceptions import InputError
from synthlab.synthesis import _variable_types
from synthlab.synthesis.dates import CALENDAR, coded, text_format
from synthlab.synthesizers._missing import Codes, without_codes
from synthlab.synthesizers._rounding import Calendar
from synthlab.synthesizers._smoothing import decimals_of

NUMBER = "number"


@dataclass(frozen=True, slots=True)
class Scale:
    """Rule that reads the values of a column as numbers, also of another file.

    Parameters
    ----------
    codes : tuple of float
        Numbers that mean missing.
    calendar : Calendar or None
        The meaning of the numbers of dates or time spans; None for a column of numbers.
    """

    codes: tuple[float, ...] = ()
    calendar: Calendar | None = None

    def numbers(self, series: pd.Series) -> FloatArray:
        """Return the numbers of a column; missing values are NaN."""
        if self.calendar is None:
            numbers = _checks.without_rounding_errors(_checks.as_float(series))
            return np.where(np.isin(numbers, self.codes), np.nan, numbers)
        if series.isna().all():
            return np.full(len(series), np.nan)
        found = coded(series.reset_index(drop=True))[0]
        own, unit = found.attrs[CALENDAR], self.calendar.unit
        shift = own.origin * own.unit - self.calendar.origin * unit
        return np.asarray((_checks.as_float(found) * own.unit + shift) / unit, dtype=np.float64)

    def days(self, numbers: FloatArray) -> FloatArray:
        """Return the numbers of dates as days from 1970-01-01."""
        return self._of_dates().days(numbers)

    @property
    def length(self) -> float:
        """Days between two consecutive numbers of dates."""
        return 1 / self._of_dates().per_day

    def _of_dates(self) -> Calendar:
        if self.calendar is None:
            raise TypeError("the column has no dates")
        return self.calendar


@dataclass(frozen=True, slots=True, eq=False)
class Values:
    """Columns of a file as numbers.

    Attributes
    ----------
    frame : pandas.DataFrame
        The columns, with codes that mean missing replaced by missing values.
    role : dict
        The role of each column.
    numbers : dict
        Float64 values of numbers, dates and time spans; missing values are NaN. Dates of one group count the same unit
        from the same origin.
    scale : dict
        The group of each numeric column: "number", or the name of a group of dates or time spans.
    scales : dict
        The rule that reads each numeric column of another file on the same scale.
    """

    frame: pd.DataFrame = field(repr=False)
    role: Mapping[str, str]
    numbers: dict[str, FloatArray] = field(repr=False)
    scale: dict[str, str]
    scales: dict[str, Scale] = field(default_factory=dict)
    _decimals: dict[str, int | None] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, frame: pd.DataFrame, role: Mapping[str, str], codes: Codes) -> Values:
        """Return the columns that vary and are not identifiers."""
        apart = (_variable_types.CONSTANT, _variable_types.IDENTIFIER)
        columns = [c for c in frame.columns if role.get(c, apart[1]) not in apart]
        known = without_codes(frame[columns], codes).reset_index(drop=True)
        columns = [c for c in columns if known[c].notna().any()]
        known = known[columns]
        numbers: dict[str, FloatArray] = {}
        scale: dict[str, str] = {}
        scales: dict[str, Scale] = {}
        dates: dict[str, pd.Series] = {}
        groups: dict[tuple[str, str], list[str]] = {}
        for column in columns:
            if role[column] == _variable_types.NUMBER:
                if not (_checks.is_whole(known[column].dtype) and _checks.beyond_float(known[column])):
                    numbers[column] = _checks.without_rounding_errors(_checks.as_float(known[column]))
                    scale[column] = NUMBER
                    scales[column] = Scale(tuple(codes.get(column, ())))
            elif role[column] in (_variable_types.DATE, _variable_types.SPAN):
                series = _as_dates(known[column])
                dates[column] = series
                plain = isinstance(series.dtype, np.dtype) and series.dtype.kind in "mM"
                groups.setdefault((role[column], series.dtype.kind if plain else str(series.dtype)), []).append(column)
        for (name, dtype), members in groups.items():
            for place, (part, calendar) in enumerate(_on_one_scale(dates, members)):
                numbers |= part
                scale |= dict.fromkeys(part, f"{name} {dtype} {place}")
                scales |= dict.fromkeys(part, Scale(calendar=calendar))
        return cls(known, role, {c: numbers[c] for c in columns if c in numbers}, scale, scales)

    def sample(self, rows: IntArray, size: int, fewest: int) -> Values:
        """Return a part of the records: the first of `rows`, and more where few have values."""
        chosen = np.zeros(len(self.frame), dtype=bool)
        chosen[rows[:size]] = True
        for numbers in self.numbers.values():
            there = rows[~np.isnan(numbers[rows])]
            if (chosen[there]).sum() < 4 * fewest:
                chosen[there[: 4 * fewest]] = True
        if chosen.all():
            return self
        for column in self.numbers:
            self.decimals(column)  # of all records
        part = {c: v[chosen] for c, v in self.numbers.items()}
        some = self.frame[chosen].reset_index(drop=True)
        return Values(some, self.role, part, self.scale, self.scales, self._decimals)

    def is_date(self, column: str) -> bool:
        """Return whether a column has the numbers of dates."""
        calendar = self.scales[column].calendar if column in self.scales else None
        return calendar is not None and not calendar.span

    def step(self, column: str) -> float:
        """Return the largest number of which all values are multiples; 0 if a column has many decimals."""
        decimals = self.decimals(column)
        present = self.numbers[column][~np.isnan(self.numbers[column])]
        if decimals is None or np.abs(present).max(initial=0) * 10.0**decimals > 2**53:
            return 0.0
        units = np.gcd.reduce(np.abs(np.rint(present * 10.0**decimals)).astype(np.int64))
        return float(np.round(max(int(units), 1) / 10.0**decimals, decimals))

    def decimals(self, column: str) -> int | None:
        """Return the number of decimals of a column; None if it has more than 6."""
        if column not in self._decimals:
            present = self.numbers[column][~np.isnan(self.numbers[column])]
            whole = self.scale[column] != NUMBER
            dtype = np.dtype(np.float64) if whole else self.frame[column].dtype
            self._decimals[column] = 0 if whole else decimals_of(pd.Series(present).astype(_plain(dtype)))
        return self._decimals[column]


def _plain(dtype: object) -> np.dtype:
    return np.dtype(np.float32) if "float32" in str(dtype).lower() else np.dtype(np.float64)


def _as_dates(series: pd.Series) -> pd.Series:
    """Return texts that are dates, with a day, as dates; other columns as they are."""
    present = series.dropna()
    form = text_format(present) if isinstance(present.iloc[0], str) else None
    if form is None or "%d" not in form.pattern:
        return series
    return form.read(series.astype(object).where(series.notna(), None).str.strip())


def _on_one_scale(
    series_of: Mapping[str, pd.Series], columns: list[str]
) -> list[tuple[dict[str, FloatArray], Calendar]]:
    """Return dates of the same dtype as numbers on one scale, or on several if needed, and the meaning of the numbers."""
    try:
        series = coded(pd.concat([series_of[c] for c in columns], ignore_index=True))[0]
        parts = np.split(series.to_numpy(dtype=np.float64), len(columns))
        return [(dict(zip(columns, parts, strict=True)), series.attrs[CALENDAR])]
    except InputError:
        if len(columns) == 1:
            return []
        return [part for column in columns for part in _on_one_scale(series_of, [column])]
