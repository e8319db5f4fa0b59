"""Design columns, whose values are the same in any two files of one design: constants, declared columns and counters."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._typing import ColumnNames, FloatArray, IntArray

BY_CHANCE = 1e-6  # probability below which numbers that count groups of records are not attributed to chance
NUMBERED = re.compile(r"(.*?)(\d+)\s*", re.DOTALL)


def design_columns(frame: pd.DataFrame, declared: ColumnNames = ()) -> tuple[str, ...]:
    """Return the design columns of a file, in its order.

    A column is a design column if it is declared (wave, stratum, quota), if it is constant, or if it counts: its values run
    from 0 or 1 without gaps, either over all records in any order, or within each value of another column, or in the order
    of the rows, beginning again for each group. A text counts by the number at its end if all texts begin alike.

    Examples
    --------
    >>> people = pd.DataFrame({"hh": [7, 7, 4, 9, 9] * 20, "id": range(1, 101), "wave": 2, "quota": [3, 1, 1, 3, 1] * 20})
    >>> people["hh"] += (people["id"] - 1) // 5 * 10
    >>> people["person"] = people.groupby("hh").cumcount() + 1
    >>> design_columns(people.sample(frac=1, random_state=1), declared=["quota"])
    ('id', 'wave', 'quota', 'person')
    """
    counters = _Counters(frame)
    return tuple(
        str(c)
        for c in frame.columns
        if c in declared
        or frame[c].nunique(dropna=False) < 2
        or counters.counts_records(c)
        or counters.counts_within(c)
    )


def counts_from_start(series: pd.Series) -> bool:
    """Return whether the distinct values are the numbers from 0 or 1 without gaps."""
    numbers = _numbers(series)
    if numbers is None:
        return False
    low, high = numbers.min(), numbers.max()
    return bool(low in (0, 1) and high < low + numbers.size and np.unique(numbers).size == high - low + 1)


class _Counters:
    """Columns of a file that count its records, or the records of groups."""

    def __init__(self, frame: pd.DataFrame) -> None:
        self.frame = frame
        self._codes: dict[str, IntArray] = {}

    def counts_records(self, column: str) -> bool:
        """Return whether the values run from 0 or 1 over all records, in any order."""
        series = self.frame[column]
        return len(series) > 1 and series.is_unique and counts_from_start(series)

    def counts_within(self, column: str) -> bool:
        """Return whether the values run from 0 or 1 within groups of records."""
        numbers = _numbers(self.frame[column])
        if numbers is None or numbers.min() not in (0, 1) or numbers.max() >= numbers.size:
            return False
        places = (numbers - numbers.min()).astype(np.int64)
        counts = np.bincount(places)
        # Each group has a first member, and a next member only after the one before.
        if counts.size < 2 or counts.min() == 0 or (np.diff(counts) > 0).any() or counts[0] == places.size:
            return False
        if self._runs_in_order(places, counts):
            return True
        return any(
            self._numbers_each_group(places, int(counts[0]), self._group(other))
            for other in self.frame.columns
            if other != column
        )

    def _group(self, column: str) -> IntArray:
        if column not in self._codes:
            self._codes[column] = pd.factorize(self.frame[column], use_na_sentinel=False)[0].astype(np.int64)
        return self._codes[column]

    @staticmethod
    def _runs_in_order(places: IntArray, counts: IntArray) -> bool:
        if places[0] or not ((places[1:] == 0) | (places[1:] == places[:-1] + 1)).all():
            return False
        chance = (counts[1:] * np.log(counts[:-1] / places.size)).sum()
        return bool(chance < np.log(BY_CHANCE))

    @staticmethod
    def _numbers_each_group(places: IntArray, groups: int, codes: IntArray) -> bool:
        sizes = np.bincount(codes)
        if sizes.size != groups or not (places < sizes[codes]).all():
            return False
        from scipy.special import gammaln

        # Arrangements in which each group is numbered, as a share of all arrangements of the numbers.
        chance = gammaln(sizes + 1).sum() + gammaln(np.bincount(places) + 1).sum() - gammaln(places.size + 1)
        # Numbers below the size of the group that are all different are the numbers from 0 to size - 1.
        return chance < np.log(BY_CHANCE) and bool(
            np.unique(codes * np.int64(sizes.max()) + places).size == places.size
        )


def _numbers(series: pd.Series) -> FloatArray | None:
    """Return whole numbers, or the whole numbers at the end of texts that begin alike; None for other values."""
    if not len(series) or series.isna().any():
        return None
    series = _checks.plain_numbers(series)
    values = _checks.categories_of(series) if isinstance(series.dtype, pd.CategoricalDtype) else series
    kind = _checks.kind_of(values)
    if kind == "number" and not _checks.holds_loose_numbers(values):
        numbers = _checks.as_float(series)
        return numbers if bool(np.isfinite(numbers).all() and (numbers == np.rint(numbers)).all()) else None
    if kind != "text":
        return None
    codes, texts = pd.factorize(series.astype(object))
    parts = [NUMBERED.fullmatch(str(text)) for text in texts]
    if any(part is None for part in parts) or len({part[1] for part in parts if part}) > 1:
        return None
    ends = np.array([float(part[2]) for part in parts if part])
    return ends[codes] if np.unique(ends).size == ends.size else None
