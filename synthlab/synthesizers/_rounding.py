"""Rounding of confidential numbers and dates, and rounding of smoothed values in the same way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from synthlab import _checks
from synthlab._typing import BoolArray, FloatArray, IntArray

DECIMALS = 6  # largest number of decimals of a grid
FRACTIONS = (12, 24, 60, 7)  # denominators of grids without finite decimals, such as the months of R's yearmon
EVIDENCE = 4.0  # smallest z statistic of a share of round values above chance
WEAK_EVIDENCE = 3.0  # the same for a unit between two others
REACH = 4.0  # largest unit in bandwidths, unless half of the values are multiples of the unit
LEAST = 10  # smallest number of smoothed multiples of a unit
EXCESS = 0.03  # smallest difference between a share of round values and chance
HALF = 0.5  # share of values from which a unit is preserved whatever the bandwidth
FEWEST = 0.03  # smallest share of records between two units; otherwise the smaller unit is dropped
OFFSETS = np.arange(-6.0, 7.0)  # candidates around the nearest point
NONE = -1  # level of values that lie on no grid
DAY = 86_400 * 10**9  # nanoseconds
CLOCK = tuple(s * 10**9 for s in (1, 60, 300, 900, 1800, 3600, 43_200, 86_400))  # each divides the next
MONTH_DAYS = 30.436875  # mean length of a month
LEAST_MONTHS = 0.2  # smallest share of the first days of months
LARGE = 40.0  # chi-squared statistic with 6 degrees of freedom above which days of the week are preserved


@dataclass(frozen=True, slots=True)
class Calendar:
    """Meaning of numbers that represent dates or time spans.

    Parameters
    ----------
    unit : int
        Nanoseconds between two consecutive numbers.
    origin : int
        Units from midnight of 1970-01-01, or from a time span of 0, to the number 0.
    span : bool
        Whether the numbers are time spans.
    """

    unit: int
    origin: int
    span: bool = False

    @property
    def per_day(self) -> float:
        """Numbers per day."""
        return DAY / self.unit

    @property
    def shift(self) -> int:
        """Numbers from midnight, or from a time span of 0, to the number 0."""
        return self.origin if self.span else int(self.origin * self.unit % DAY // self.unit)

    def days(self, values: FloatArray) -> FloatArray:
        """Return days from 1970-01-01, with fractions."""
        first, rest = divmod(self.origin * self.unit, DAY)
        return np.asarray(first + (values + rest // self.unit) / self.per_day, dtype=np.float64)

    def numbers(self, days: FloatArray) -> FloatArray:
        """Return the numbers of midnights, given as whole days from 1970-01-01."""
        first, rest = divmod(self.origin * self.unit, DAY)
        return np.asarray((days - first) * self.per_day - rest // self.unit, dtype=np.float64)


class Level(Protocol):
    """Set of points to which values are rounded, such as the multiples of 100."""

    @property
    def ratio(self) -> int:
        """Each ratio-th point belongs to a coarser level; 0 if there is no coarser level."""

    @property
    def width(self) -> float:
        """Distance between points."""

    def index(self, values: FloatArray) -> FloatArray:
        """Return the positions of values; the points have whole positions."""

    def value(self, index: FloatArray) -> FloatArray:
        """Return the points with given whole positions."""


@dataclass(frozen=True, slots=True)
class Multiples:
    """Multiples of ``unit / scale``, shifted by ``-shift / scale``."""

    unit: int
    scale: float
    ratio: int
    shift: int = 0

    @property
    def width(self) -> float:
        """Distance between points."""
        return self.unit / self.scale

    def index(self, values: FloatArray) -> FloatArray:
        """Return the positions of values."""
        return np.asarray((values * self.scale + self.shift) / self.unit, dtype=np.float64)

    def value(self, index: FloatArray) -> FloatArray:
        """Return the points with given whole positions."""
        return np.asarray((index * self.unit - self.shift) / self.scale, dtype=np.float64)


@dataclass(frozen=True, slots=True)
class Months:
    """First days of every `months`-th month, or the days before them."""

    months: int
    ratio: int
    ends: bool
    calendar: Calendar

    @property
    def width(self) -> float:
        """Mean distance between points."""
        return self.months * MONTH_DAYS * self.calendar.per_day

    def index(self, values: FloatArray) -> FloatArray:
        """Return the positions of values."""
        days = self.calendar.days(values) + self.ends
        whole = np.floor(days).astype(np.int64)
        month = whole.astype("datetime64[D]").astype("datetime64[M]")
        first, following = (m.astype("datetime64[D]").astype(np.int64) for m in (month, month + 1))
        part = month.astype(np.int64) + (days - first) / (following - first)
        return np.asarray(part / self.months, dtype=np.float64)

    def value(self, index: FloatArray) -> FloatArray:
        """Return the points with given whole positions."""
        month = np.rint(index * self.months).astype(np.int64).astype("datetime64[M]")
        return self.calendar.numbers(month.astype("datetime64[D]").astype(np.float64) - self.ends)


@dataclass(frozen=True, slots=True)
class Weekday:
    """Days of the week `day`, where 0 is Thursday, the weekday of 1970-01-01."""

    day: int
    calendar: Calendar
    ratio: int = 0

    @property
    def width(self) -> float:
        """Distance between points."""
        return 7 * self.calendar.per_day

    def index(self, values: FloatArray) -> FloatArray:
        """Return the positions of values."""
        return np.asarray((self.calendar.days(values) - self.day) / 7, dtype=np.float64)

    def value(self, index: FloatArray) -> FloatArray:
        """Return the points with given whole positions."""
        return self.calendar.numbers(index * 7 + self.day)


@dataclass(frozen=True, slots=True, eq=False)
class Rounding:
    """Grid of the numbers of one variable, and its coarser levels.

    Parameters
    ----------
    scale : float or None
        Grid points are whole numbers divided by `scale`; None if the numbers have no common grid.
    step : int
        Distance between grid points, multiplied by `scale`.
    levels : tuple of Level
        Levels with a larger distance between points.
    level : ndarray of int, shape (n,)
        Number of the level of each record, or -1.
    names : tuple of str
        The levels in words.
    """

    scale: float | None
    step: int
    levels: tuple[Level, ...]
    level: IntArray = field(repr=False)
    names: tuple[str, ...] = ()


def nearest(level: Level, values: FloatArray, low: FloatArray, high: FloatArray, unwanted: FloatArray) -> FloatArray:
    """Return the nearest points of a level from `low` to `high`; NaN if there is none.

    Points of a coarser level and the points in `unwanted` are avoided if possible.
    """
    at = level.index(values)
    index = np.rint(at)[:, None] + OFFSETS
    point = level.value(index)
    outside = (point < low[:, None]) | (point > high[:, None])
    coarser = index % level.ratio == 0 if level.ratio else np.zeros(index.shape, dtype=bool)
    same = np.abs(point - unwanted[:, None]) < level.width / 2
    cost = np.abs(index - at[:, None]) + 10 * coarser + 100 * same + 1000 * outside
    best = cost.argmin(axis=1)[:, None]
    found = np.take_along_axis(point, best, axis=1)[:, 0]
    return np.where(np.take_along_axis(outside, best, axis=1)[:, 0], np.nan, found)


def grid_of(distinct: FloatArray, dtype: Any) -> tuple[float | None, int]:
    """Return the scale of the common grid of numbers, or None, and the step of the grid."""
    for decimals in range(DECIMALS + 1):
        scale = 10.0**decimals
        whole, on = _on_grid(distinct, scale, dtype)
        if whole is None:
            break
        if on.all():
            return scale, _step(whole)
    for denominator in FRACTIONS:
        whole = np.rint(distinct * denominator)
        if np.abs(whole).max() < 1e9 and np.abs(distinct * denominator - whole).max() < 1e-6:
            return float(denominator), _step(whole)
    return None, 1


def _on_grid(distinct: FloatArray, scale: float, dtype: Any) -> tuple[FloatArray | None, BoolArray]:
    whole = np.rint(distinct * scale)
    if np.abs(whole).max() > _checks.LARGEST_EXACT:
        return None, np.zeros(distinct.size, dtype=bool)
    back = whole / scale
    if dtype == np.float32:
        back = back.astype(np.float32).astype(np.float64)
    return whole, back == distinct


def _step(whole: FloatArray) -> int:
    return int(np.gcd.reduce(np.diff(whole).astype(np.int64), initial=0)) or 1


def rounding_of(
    values: FloatArray, rare: BoolArray, near: FloatArray, present: BoolArray, dtype: Any, calendar: Calendar | None
) -> Rounding:
    """Return the rounding of a variable.

    Parameters
    ----------
    values : ndarray of shape (n,)
    rare : ndarray of bool, shape (n,)
        Whether the value of a record is smoothed; rounding is detected from these values.
    near : ndarray of shape (n,)
        Largest bandwidth of each smoothed value.
    present : ndarray of bool, shape (n,)
        Whether the value of a record is a number that is neither missing nor an isolated code.
    dtype : dtype
        Type of the column.
    calendar : Calendar or None
        Meaning of the numbers, if they are dates.
    """
    scale, step = grid_of(np.unique(values[present]), dtype)
    if calendar is not None and not calendar.span and calendar.unit == DAY:
        return _of_days(values, rare, present, near, (scale, step), calendar)
    grid, shift, on = scale, 0, present
    if calendar is not None:
        grid, shift = 1.0, calendar.shift
    elif scale is None:
        grid, on = _part_on_grid(values, present, dtype)
    level = np.full(values.size, NONE, dtype=np.int64)
    nothing = Rounding(scale, step, (), level)
    if grid is None:
        return nothing
    codes = np.zeros(values.size, dtype=np.int64)
    codes[on] = np.rint(values[on] * grid).astype(np.int64) + shift
    on = on & (codes != 0)  # 0 is a multiple of every unit
    smoothed = on & rare
    if not smoothed.any():
        return nothing
    base = int(np.gcd.reduce(codes[on]))
    if calendar is None and scale is not None and base % step:  # the grid does not contain 0: no value is round
        return nothing
    sample = _Sample(codes[smoothed], codes[on], int(present.sum()), REACH * near[smoothed] * grid)
    units = sample.units(base, _chains(int(np.abs(codes).max()), grid, calendar))
    whole_grid = scale is not None
    if not units and (whole_grid or smoothed.sum() <= EXCESS * rare.sum()):
        return nothing
    units = [base, *units]
    for place, unit in enumerate(units):
        level[smoothed & (codes % unit == 0)] = place
    levels = tuple(Multiples(u, grid, above // u, shift) for u, above in _with_next(units))
    named = units[1:] if whole_grid else units
    names = [f"multiples of {u / grid:,.10g}" if calendar is None else _clock_name(u * calendar.unit) for u in named]
    return Rounding(scale, step, levels, level, tuple(names))


def _part_on_grid(values: FloatArray, present: BoolArray, dtype: Any) -> tuple[float | None, BoolArray]:
    """Return the scale of a grid on which only some of the values lie, and where they lie."""
    for decimals in range(DECIMALS, -1, -1):
        whole, on = _on_grid(np.where(present, values, 0.0), 10.0**decimals, dtype)
        if whole is not None:
            return 10.0**decimals, on & present
    return None, present


@dataclass(frozen=True, slots=True)
class _Sample:
    """Codes of the smoothed values and of all values, number of values, and largest unit near each smoothed value."""

    smoothed: IntArray
    everyone: IntArray
    size: int
    reach: FloatArray

    def units(self, base: int, chains: Sequence[Sequence[Sequence[int]]]) -> list[int]:
        """Return the units of which more codes than by chance are multiples, in ascending order.

        A chain consists of steps with alternative units; each unit divides those of the next steps. The units that
        describe the codes best are returned.
        """
        found = [self._pruned(base, self._accepted(base, chain)) for chain in chains]
        return max(found, key=lambda units: self._likelihood([base, *units]))

    def _accepted(self, base: int, chain: Sequence[Sequence[int]]) -> list[int]:
        distinct = np.unique(self.everyone)
        last, inside = base, self.smoothed
        units: list[int] = []
        for step in chain:
            good = [
                u for u in step if u > last and u % last == 0 and self._is_frequent(u, last, base, inside, distinct)
            ]
            if good:
                last = max(good, key=lambda unit: self._likelihood([base, *units, unit]))
                units.append(last)
                inside = inside[inside % last == 0]
        return units

    def _is_frequent(self, unit: int, last: int, base: int, inside: IntArray, distinct: IntArray) -> bool:
        """Return whether more multiples of `last` than by chance are multiples of `unit`."""
        multiple = inside % unit == 0
        if multiple.sum() < LEAST:
            return False
        most = (self.everyone % unit == 0).sum() >= HALF * self.size
        if not most and unit > np.median(self.reach[self.smoothed % unit == 0]):
            return False
        share, chance = float(multiple.mean()), last / unit
        if share - chance > EXCESS and _z(np.unique(inside).size, share, chance) > EVIDENCE:
            return True
        # Most multiples can be common, and therefore not smoothed.
        return bool(most and _z(distinct.size, float((distinct % unit == 0).mean()), base / unit) > EVIDENCE)

    def _pruned(self, base: int, units: list[int]) -> list[int]:
        """Drop units of which only multiples of the next unit are more frequent than by chance."""
        for place, (unit, above) in enumerate(_with_next(units)):
            below = units[place - 1] if place else base
            own, pool = self._own(unit, above), self._own(below, above)
            chance = (1 / unit - 1 / above) / (1 / below - 1 / above) if above else below / unit
            share = own.sum() / max(pool.sum(), 1)
            weak = above > 0 and _z(np.unique(self.smoothed[pool]).size, share, chance) < WEAK_EVIDENCE
            if weak or own.mean() < FEWEST:
                return self._pruned(base, [*units[:place], *units[place + 1 :]])
        return units

    def _own(self, unit: int, above: int) -> BoolArray:
        """Return whether `unit` is the largest unit of each code; `above` is the next unit, or 0."""
        own = self.smoothed % unit == 0
        return np.asarray(own & (self.smoothed % above != 0) if above else own)

    def _likelihood(self, units: Sequence[int]) -> float:
        """Return the log-likelihood of the largest unit of each code, relative to uniform codes."""
        total = 0.0
        for unit, above in _with_next(units):
            share = float(self._own(unit, above).mean())
            density = 1 / unit - (1 / above if above else 0.0)
            total += share * np.log(share / density) if share else 0.0
        return total


def _z(size: int, share: float, chance: float) -> float:
    """Return the z statistic of a share of distinct values above chance."""
    return float((share - chance) * np.sqrt(size / (chance * (1 - chance))))


def _chains(largest: int, grid: float, calendar: Calendar | None) -> list[list[list[int]]]:
    """Return chains of candidate units, as steps with alternatives; each unit of a chain divides the next one."""
    if calendar is not None and not (calendar.span and calendar.unit == DAY):
        return [[[c // calendar.unit] for c in CLOCK if c > calendar.unit]]
    powers = [10**power for power in range(len(str(largest)))]
    decimal = [[5 * p, 2 * p, *([5 * p // 2] if p > 1 else [])] for p in powers]
    ordered = [step for p, between in zip(powers, decimal, strict=True) for step in ([p], between)]
    other = [[3, 6, 12, 60, 120], [5, 15, 30, 60, 120], [7]] if grid == 1 else []  # months, minutes, days
    return [ordered, *([[unit] for unit in chain] for chain in other)]


def _with_next(units: Sequence[int]) -> list[tuple[int, int]]:
    """Return each unit with the next larger one, or 0."""
    return list(zip(units, [*units[1:], 0][: len(units)], strict=True))


def _clock_name(nanoseconds: int) -> str:
    for length, word in ((DAY, "day"), (3600 * 10**9, "hour"), (60 * 10**9, "minute"), (10**9, "second")):
        if nanoseconds % length == 0:
            number = nanoseconds // length
            return f"multiples of {number:,} {word}{'s' * (number > 1)}"
    return f"multiples of {nanoseconds:,} nanoseconds"


def _of_days(
    values: FloatArray,
    rare: BoolArray,
    present: BoolArray,
    near: FloatArray,
    grid: tuple[float | None, int],
    calendar: Calendar,
) -> Rounding:
    """Return the rounding of dates: first or last days of months, quarters and years, and days of the week."""
    found: list[tuple[Level, BoolArray, str]] = []
    number, on, ends = max(
        (_months_of(values, ends, calendar) for ends in (False, True)), key=lambda one: int((rare & one[1]).sum())
    )
    share = (present & on).sum() / present.sum()
    reach = REACH * near / MONTH_DAYS
    first = rare & on
    if first.sum() >= LEAST_MONTHS * rare.sum() and (share >= HALF or np.median(reach[first]) >= 1):
        sample = _Sample(number[first], number[present & on], int(present.sum()), reach[first])
        units = [1, *sample.units(1, [[[3], [12]]])]
        side = "last" if ends else "first"
        for unit, above in _with_next(units):
            name = f"{side} days of {({1: 'months', 3: 'quarters', 12: 'years'})[unit]}"
            found.append((Months(unit, above // unit, ends, calendar), first & (number % unit == 0), name))
    else:
        first = np.zeros(values.size, dtype=bool)
    rest = rare & ~first
    day = np.floor(calendar.days(values)).astype(np.int64) % 7
    counts = np.bincount(day[rest], minlength=7).astype(np.float64)
    repeats = counts.sum() / max(np.unique(values[rest]).size, 1)
    if counts.sum() >= 50 and np.square(counts - counts.mean()).sum() / counts.mean() > LARGE * repeats:
        found += [(Weekday(d, calendar), rest & (day == d), "days of the week") for d in range(7) if counts[d]]
    level = np.full(values.size, NONE, dtype=np.int64)
    for place, (_, here, _) in enumerate(found):
        level[here] = place
    names = tuple(dict.fromkeys(name for _, _, name in found))
    return Rounding(*grid, tuple(one for one, _, _ in found), level, names)


def _months_of(values: FloatArray, ends: bool, calendar: Calendar) -> tuple[IntArray, BoolArray, bool]:
    """Return the number of each month, and whether the date is its first (or last) day."""
    index = Months(1, 0, ends, calendar).index(values)
    number = np.rint(index).astype(np.int64)
    return number, index == number, ends
