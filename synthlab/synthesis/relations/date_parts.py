"""Parts of a date, such as its weekday, and the time between two dates."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import numpy as np

from synthlab._typing import FloatArray, IntArray

DAY_LENGTHS = {  # days in a unit of time; a month and a year of the calendar have no fixed length
    "seconds": 1 / 86_400,
    "minutes": 1 / 1_440,
    "hours": 1 / 24,
    "days": 1.0,
    "weeks": 7.0,
    "months of 30.4375 days": 365.25 / 12,
    "years of 365 days": 365.0,
    "years of 365.25 days": 365.25,
}
CALENDAR_UNITS = ("years", "months")
UNITS = (*CALENDAR_UNITS, *DAY_LENGTHS)
CLOCK_ERROR = 1e-7  # days; times are floating-point numbers


def _weekday(day: IntArray) -> IntArray:
    return (day + 3) % 7 + 1


def _year(day: IntArray) -> IntArray:
    return day.astype("datetime64[D]").astype("datetime64[Y]").astype(np.int64) + 1970


def _months(day: IntArray) -> IntArray:
    """Return the months from 1970-01."""
    return day.astype("datetime64[D]").astype("datetime64[M]").astype(np.int64)


def _month(day: IntArray) -> IntArray:
    return _months(day) % 12 + 1


def _day_of_month(day: IntArray) -> IntArray:
    first = _months(day).astype("datetime64[M]").astype("datetime64[D]").astype(np.int64)
    return day - first + 1


def _day_of_year(day: IntArray) -> IntArray:
    first = (_year(day) - 1970).astype("datetime64[Y]").astype("datetime64[D]").astype(np.int64)
    return day - first + 1


def _quarter(day: IntArray) -> IntArray:
    return (_month(day) + 2) // 3


def _iso_week(day: IntArray) -> IntArray:
    return (_day_of_year(day - _weekday(day) + 4) - 1) // 7 + 1


# The parts with fewer values come first.
PARTS: Mapping[str, Callable[[IntArray], IntArray]] = {
    "weekend": lambda day: (_weekday(day) >= 6).astype(np.int64),
    "quarter": _quarter,
    "weekday": _weekday,  # from Monday, 1
    "weekday from Sunday": lambda day: _weekday(day) % 7 + 1,
    "month": _month,
    "day of the month": _day_of_month,
    "year": _year,
    "ISO week": _iso_week,
    "week of the year": lambda day: (_day_of_year(day) - 1) // 7 + 1,  # the first 7 days are week 1, as in R
    "week from Sunday": lambda day: (_day_of_year(day) + 6 - _weekday(day) % 7) // 7,  # %U of strftime
    "week from Monday": lambda day: (_day_of_year(day) + 7 - _weekday(day)) // 7,  # %W of strftime
    "quarter and year": lambda day: _year(day) * 10 + _quarter(day),
    "month and year": lambda day: _year(day) * 100 + _month(day),
    "day of the year": _day_of_year,
}


def part_of(days: FloatArray, part: str) -> FloatArray:
    """Return a part of dates, given as days from 1970-01-01; NaN where the date is missing.

    >>> import numpy as np
    >>> [part_of(np.array([0.0, 31.5, np.nan]), part).tolist() for part in ("weekday", "month and year")]
    [[4.0, 7.0, nan], [197001.0, 197002.0, nan]]
    """
    there = ~np.isnan(days)
    whole = np.floor(np.where(there, days, 0.0) + CLOCK_ERROR).astype(np.int64)
    return np.where(there, PARTS[part](whole), np.nan)


def elapsed(first: FloatArray, last: FloatArray, unit: str) -> FloatArray:
    """Return the time between two dates, given as days from 1970-01-01, in a unit of `UNITS`.

    Years and months of the calendar are completed years and months: a year is completed on the day of the same month.

    >>> import numpy as np
    >>> birth, visit = (np.array([day], dtype="datetime64[D]").astype(float) for day in ("1980-05-17", "2020-05-16"))
    >>> elapsed(birth, visit, "years").tolist(), elapsed(birth, visit, "days").tolist()
    ([39.0], [14609.0])
    """
    if unit in DAY_LENGTHS:
        return np.asarray((last - first) / DAY_LENGTHS[unit], dtype=np.float64)
    there = ~(np.isnan(first) | np.isnan(last))
    start, end = (np.floor(np.where(there, days, 0.0) + CLOCK_ERROR).astype(np.int64) for days in (first, last))
    months = _months(end) - _months(start) - (_day_of_month(end) < _day_of_month(start))
    return np.where(there, months // 12 if unit == "years" else months, np.nan)


def parts_of(days: FloatArray) -> Iterator[tuple[str, FloatArray]]:
    """Yield each part of dates that varies, with its values."""
    for part in PARTS:
        values = part_of(days, part)
        if np.unique(values[~np.isnan(values)]).size > 1:
            yield part, values
