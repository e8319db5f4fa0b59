"""Kernel smoothing of numbers drawn from the leaves of trees."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._typing import BoolArray, FloatArray, IntArray
from synthlab.synthesizers._missing import THERE, Kinds

FEW = 20  # a variable with at most this many distinct numbers is not smoothed
SHARED = 10  # a number that at least this many records have is not smoothed
DECIMALS = 6  # largest number of decimals of a grid


def bandwidth(values: FloatArray) -> float:
    """Return the bandwidth by Silverman's rule of thumb; 0 for equal values."""
    if values.size < 2:
        return 0.0
    quartiles = np.quantile(values, [0.25, 0.75])
    spreads = [s for s in (values.std(ddof=1), (quartiles[1] - quartiles[0]) / 1.34) if s > 0]
    return float(0.9 * min(spreads) * values.size**-0.2) if spreads else 0.0


def bandwidths(values: FloatArray, start: IntArray) -> FloatArray:
    """Return `bandwidth` for each group ``values[start[l]:start[l + 1]]``."""
    size = np.diff(start)
    result = np.zeros(size.size)
    some = np.flatnonzero(size > 1)
    if some.size == 0:
        return result
    group = np.repeat(np.arange(size.size), size)
    ordered = values[np.lexsort((values, group))]
    first = start[:-1][size > 0]
    count = size[size > 0]
    mean = np.repeat(np.add.reduceat(ordered, first) / count, count)
    variance = np.zeros(size.size)
    variance[size > 0] = np.add.reduceat(np.square(ordered - mean), first) / np.maximum(count - 1, 1)
    deviation = np.sqrt(variance[some])
    lower, upper = (_quantile(ordered, start[some], size[some], q) for q in (0.25, 0.75))
    middle = (upper - lower) / 1.34
    spread = np.where(middle > 0, np.minimum(deviation, middle), deviation)
    result[some] = 0.9 * spread * size[some] ** -0.2
    return result


def _quantile(ordered: FloatArray, start: IntArray, size: IntArray, q: float) -> FloatArray:
    place = q * (size - 1)
    low = np.floor(place).astype(np.int64)
    left, right = ordered[start + low], ordered[start + np.minimum(low + 1, size - 1)]
    return np.asarray(left + (right - left) * (place - low), dtype=np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class Mover:
    """Rule for smoothing the rare numbers of one variable.

    Parameters
    ----------
    values : ndarray of shape (n,)
        The confidential numbers.
    rare : ndarray of bool, shape (n,)
        Whether the number of each record is rare, and therefore smoothed.
    near : ndarray of shape (n,)
        Half the range of the 11 neighboring rare numbers around the number of a record; the largest bandwidth of its
        kernel.
    low, high : float
        Smallest and largest rare numbers; smoothed numbers lie between them.
    width : float
        Bandwidth of all rare numbers, for leaves without a positive bandwidth.
    decimals : int or None
        Number of decimals of the grid; None without a grid.
    step : int
        Distance between grid points, in units of the last decimal.
    """

    values: FloatArray = field(repr=False)
    rare: BoolArray = field(repr=False)
    near: FloatArray = field(repr=False)
    low: float
    high: float
    width: float
    decimals: int | None
    step: int

    @classmethod
    def of(cls, series: pd.Series, kinds: Kinds | None) -> Mover | None:
        """Return the rule for a confidential column, or None if no number is smoothed.

        `kinds` are the kinds of missing values of the column.
        """
        if pd.api.types.is_bool_dtype(series.dtype):
            return None
        values = _checks.as_float(series) if kinds is None else kinds.filled(series)
        there = np.ones(values.size, dtype=bool) if kinds is None else kinds.read(series) == THERE
        distinct, place, count = np.unique(values[there], return_inverse=True, return_counts=True)
        rare = np.zeros(values.size, dtype=bool)
        rare[there] = (count < SHARED)[place]
        if distinct.size <= FEW or not rare.any():
            return None
        moved = values[rare]
        decimals, step = _grid(distinct, series.dtype)
        near = np.zeros(values.size)
        near[rare] = _half_widths(moved)
        return cls(values, rare, near, float(moved.min()), float(moved.max()), bandwidth(moved), decimals, step)

    def move(
        self, donors: IntArray, leaf: IntArray, start: IntArray, records: IntArray, noise: FloatArray
    ) -> FloatArray:
        """Return the numbers of the donors, with rare ones smoothed.

        The bandwidth is that of the rare numbers of the leaf.
        """
        kept = self.rare[records]
        before = np.concatenate([[0], np.cumsum(kept)])
        width = bandwidths(self.values[records[kept]], before[start])
        width = np.where(width > 0, width, self.width)
        moved = self.values[donors] + np.minimum(width[leaf], self.near[donors]) * noise
        return np.where(self.rare[donors], self._within(moved), self.values[donors])

    def _within(self, values: FloatArray) -> FloatArray:
        """Return numbers reflected at `low` and `high`; on a grid, strictly between them."""
        span = self.high - self.low
        if span == 0:
            return np.full(values.size, self.low)
        inside = self.low + span - np.abs((values - self.low) % (2 * span) - span)
        if self.decimals is None:
            return np.asarray(inside, dtype=np.float64)
        scale = 10.0**self.decimals
        origin, steps = np.rint(self.low * scale), np.rint(span * scale / self.step)
        place = np.rint((inside * scale - origin) / self.step)
        place = np.clip(place, 1, steps - 1) if steps > 1 else place
        return np.asarray((origin + place * self.step) / scale, dtype=np.float64)


def _half_widths(values: FloatArray) -> FloatArray:
    """Return half the distance between the fifth number below and the fifth above.

    At the ends, the smallest or largest number is used instead.
    """
    order = np.argsort(values, kind="stable")
    ordered, place = values[order], np.arange(values.size)
    span = ordered[np.minimum(place + SHARED // 2, values.size - 1)] - ordered[np.maximum(place - SHARED // 2, 0)]
    result = np.empty(values.size)
    result[order] = span / 2
    return result


def decimals_of(series: pd.Series) -> int | None:
    """Return the number of decimals of a column, or None if it is above 6."""
    return _grid(np.unique(_checks.as_float(series)), series.dtype)[0] if len(series) else None


def _grid(distinct: FloatArray, dtype: Any) -> tuple[int | None, int]:
    """Return the number of decimals, and the step of the grid in the last decimal."""
    for decimals in range(DECIMALS + 1):
        whole = np.rint(distinct * 10.0**decimals)
        if np.abs(whole).max() > _checks.LARGEST_EXACT:
            break
        back = whole / 10.0**decimals
        if dtype == np.float32:
            back = back.astype(np.float32).astype(np.float64)
        if (back == distinct).all():
            return decimals, int(np.gcd.reduce(np.diff(whole).astype(np.int64), initial=0)) or 1
    return None, 1
