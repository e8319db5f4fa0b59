"""Encoding of dates and time spans as whole numbers of the largest common unit."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime
from typing import Any

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._typing import FloatArray
from synthlab.exceptions import InputError
from synthlab.io.date_formats import DateFormat, clock_format, recognize
from synthlab.synthesizers._rounding import Calendar

UNITS = (86_400 * 10**9, 3_600 * 10**9, 60 * 10**9, 10**9, 10**6, 10**3, 1)  # day, hour, ..., in nanoseconds
CALENDAR = "calendar"  # in the attrs of an encoded column
LENGTH = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}
Decode = Callable[[pd.Series], pd.Series]


def text_format(present: pd.Series) -> DateFormat | None:
    """Return the format of texts that are all dates, or all times of day, or None.

    See `synthlab.io.date_formats.recognize`.
    """
    texts = list(present.astype(object).unique())
    if not all(isinstance(text, str) for text in texts):
        return None
    found = recognize(texts)
    return clock_format(texts) if found.format is None or found.odd else found.format


def coded(series: pd.Series) -> tuple[pd.Series, Decode]:
    """Return dates or time spans as whole float64 numbers, and the decoding function.

    The numbers start at 0; missing values are NaN. The attrs contain the `Calendar` of the numbers.

    Raises
    ------
    InputError
        If the column mixes dates with and without a time zone, or has a date outside the range of pandas.
    """
    dtype = series.dtype
    try:
        if dtype.kind in "mM" and isinstance(dtype, np.dtype):
            return _as_numbers(series)
        if isinstance(dtype, pd.DatetimeTZDtype):
            return _zoned(series)
        return _objects(series)
    except (ValueError, TypeError, OverflowError, AttributeError):
        raise InputError(
            f"confidential: column {series.name!r} holds dates of several kinds, or outside the range of pandas; "
            "convert them with pd.to_datetime"
        ) from None


def _as_numbers(series: pd.Series) -> tuple[pd.Series, Decode]:
    dtype: Any = series.dtype
    unit = np.datetime_data(dtype)[0]
    missing = series.isna().to_numpy()
    numbers = series.to_numpy().astype("int64")
    present = numbers[~missing]
    step = next(max(1, u // LENGTH[unit]) for u in UNITS if not (present % max(1, u // LENGTH[unit])).any())
    origin = int(present.min()) // step
    values = np.where(missing, np.nan, (numbers // step - origin).astype(np.float64))

    def back(values: pd.Series) -> pd.Series:
        here = _checks.as_float(values)
        gone = np.isnan(here)
        whole = (np.rint(np.where(gone, 0, here)).astype("int64") + origin) * step
        found = whole.astype(dtype)
        found[gone] = np.array("NaT", dtype=dtype)
        return pd.Series(found, index=values.index, name=values.name)

    numbered = _numbers(values, series)
    numbered.attrs[CALENDAR] = Calendar(step * LENGTH[unit], origin, span=dtype.kind == "m")
    return numbered, back


def _numbers(values: FloatArray, like: pd.Series) -> pd.Series:
    return pd.Series(values, index=like.index, name=like.name)


def _zoned(series: pd.Series) -> tuple[pd.Series, Decode]:
    zone: Any = series.dt.tz
    numbers, back = _as_numbers(series.dt.tz_localize(None))  # days refer to local time

    def zoned(values: pd.Series) -> pd.Series:
        return (
            back(values)
            .dt.tz_localize(zone, ambiguous=np.ones(len(values), dtype=bool), nonexistent="shift_forward")
            .astype(series.dtype)
        )

    return numbers, zoned


def _objects(series: pd.Series) -> tuple[pd.Series, Decode]:
    """Encode date texts and Python dates; missing values keep their marker."""
    present = series.dropna()
    form = text_format(present) if isinstance(present.iloc[0], str) else None
    values = series.astype(object).where(series.notna(), None)
    dates = pd.to_datetime(values) if form is None else form.read(values.str.strip())
    numbers, back = _zoned(dates) if isinstance(dates.dtype, pd.DatetimeTZDtype) else _as_numbers(dates)
    days = all(isinstance(v, date) and not isinstance(v, datetime) for v in present) if form is None else False
    mark = next(iter(series[series.isna()]), None)

    def objects(values: pd.Series) -> pd.Series:
        found = back(values)
        gone = found.isna()
        made = form.write(found) if form else found.dt.date if days else found
        made = made.astype(object)
        made[gone] = mark
        return made.astype(series.dtype)

    return numbers, objects
