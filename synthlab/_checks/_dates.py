"""Conversion of dates to numbers of days, and checks of the radius of a date."""

from __future__ import annotations

import datetime
import re
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from synthlab._checks._arguments import check_number
from synthlab._checks._messages import shown
from synthlab._checks._value_types import kind_of
from synthlab._typing import FloatArray
from synthlab.exceptions import InputError

Instants = npt.NDArray[np.datetime64]

UNIT_DAYS = {"d": 1.0, "m": 30.4375, "y": 365.25}  # a month is a twelfth of a year
_RADIUS = re.compile(r"\s*((?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)\s*([dmy])\s*")
_ISO = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,6})?)?)?)(?:(Z)|([+-])([0-9]{2}):?([0-9]{2}))?"
)
# Times are rounded to multiples of 2**-36 days (1.3 microseconds), so that sums of days and interval ends are exact.
_PARTS = 2.0**36
_ONE_DAY = np.timedelta64(1, "D")


class Days(float):
    """Radius of a date in days; it is always absolute.

    Examples
    --------
    >>> Days(30.4375) + 1, Days(1).words, Days(30.4375).words
    (31.4375, '1 day', '30.44 days')
    """

    @property
    def words(self) -> str:
        """The radius with its unit."""
        return f"{float(self):.4g} day{'' if float(self) == 1 else 's'}"


def check_half_width(value: object, name: str) -> float:
    """Return a radius >= 0; text such as "1d", "2m" or "0.5y" becomes `Days`.

    Examples
    --------
    >>> check_half_width("2m", "radius"), check_half_width(0.2, "radius")
    (60.875, 0.2)
    """
    if isinstance(value, Days):
        return value
    if not isinstance(value, str):
        return check_number(value, name, low=0.0)
    found = _RADIUS.fullmatch(value)
    if found is None:
        raise InputError(
            f'{name}={shown(value)}: must be a number >= 0 or, for a date, a number of days, months or years such as "1d", "1m" or "1y"'
        )
    return Days(check_number(float(found[1]) * UNIT_DAYS[found[2]], name, low=0.0))


def half_width(radius: float, centre: FloatArray, radius_kind: str) -> FloatArray:
    """Return the half-width of the interval around each value.

    A radius in days is always absolute.

    Examples
    --------
    >>> half_width(0.5, np.array([-4.0, 10.0]), "relative"), half_width(Days(1), np.array([18_262.0]), "relative")
    (array([2., 5.]), array([1.]))
    """
    if radius_kind == "relative" and not isinstance(radius, Days):
        return radius * np.abs(centre)
    return np.full(centre.shape, float(radius))


def radius_words(radius: float, column: str, radius_kind: str) -> str:
    """Write a radius as a number, a multiple of the absolute value, or days."""
    if isinstance(radius, Days):
        return radius.words
    return f"{radius:.4g} x |{column}|" if radius_kind == "relative" else f"{radius:.4g}"


def as_days(series: pd.Series) -> FloatArray | None:
    """Return dates as days since 1970 (UTC), durations as days, or None if there are other values.

    Dates are datetimes with or without a time zone, Python dates, periods (their start), and texts that are all ISO
    dates. Missing values are NaN.

    Examples
    --------
    >>> as_days(pd.Series(["1970-01-02", "1970-01-03T12:00", None]))
    array([1. , 2.5, nan])
    >>> as_days(pd.Series(["1970-01-02", "unknown"])) is None
    True
    >>> as_days(pd.Series(pd.to_timedelta(["36h", None])))
    array([1.5, nan])
    """
    if pd.api.types.is_timedelta64_dtype(series.dtype):
        spans = np.asarray(series.to_numpy(dtype="timedelta64[us]")) / _ONE_DAY
        return np.asarray(np.rint(spans * _PARTS) / _PARTS, dtype=np.float64)
    instants = as_instants(series)
    if instants is None:
        return None
    absent = np.isnat(instants)
    whole = instants.astype("datetime64[D]")
    part = np.rint((instants - whole) / _ONE_DAY * _PARTS) / _PARTS
    days: FloatArray = np.where(absent, np.nan, whole.astype(np.int64) + np.where(absent, 0.0, part))
    return days


def from_days(days: FloatArray) -> pd.Series:
    """Return days since 1970 as datetimes with microseconds.

    NaN becomes a missing date.

    Examples
    --------
    >>> from_days(np.array([1.5, np.nan])).tolist()
    [Timestamp('1970-01-02 12:00:00'), NaT]
    """
    absent = np.isnan(days)
    instants = np.rint(np.where(absent, 0.0, days) * 86_400e6).astype(np.int64).astype("datetime64[us]")
    instants[absent] = np.datetime64("NaT")
    return pd.Series(instants)


def is_date(series: pd.Series) -> bool:
    """Return whether a column contains dates or durations; see `as_days`."""
    return pd.api.types.is_timedelta64_dtype(series.dtype) or as_instants(series) is not None


def with_dates(
    frames: Sequence[pd.DataFrame], names: Sequence[str], categorical: Collection[str] = ()
) -> list[pd.DataFrame]:
    """Return frames in which periods, Python dates and ISO texts are datetimes (UTC).

    A column is converted if it contains dates in every frame and is not categorical.

    Examples
    --------
    >>> texts = pd.DataFrame({"day": ["1970-01-02", None], "code": ["1970-01-02", "x"]})
    >>> with_dates([texts], ["day", "code"])[0].dtypes.astype(str).tolist()
    ['datetime64[us]', 'str']
    """
    changed: dict[str, list[Instants]] = {}
    for name in names:
        if name in categorical or frames[0][name].dtype.kind in "biufcmM":
            continue
        found: list[Instants] = []
        for frame in frames:
            instants = as_instants(frame[name])
            if instants is None:
                break
            found.append(instants)
        else:
            changed[name] = found
    if not changed:
        return list(frames)
    return [
        frame.assign(**{name: found[number] for name, found in changed.items()}) for number, frame in enumerate(frames)
    ]


def as_instants(series: pd.Series) -> Instants | None:
    """Return dates as instants (UTC), or None if the column contains other values."""
    dtype: Any = series.dtype
    if isinstance(dtype, np.dtype) and dtype.kind == "M":
        return np.asarray(series.to_numpy())
    if isinstance(dtype, pd.DatetimeTZDtype):
        return np.asarray(series.dt.tz_convert("UTC").dt.tz_localize(None).to_numpy())
    if isinstance(dtype, pd.PeriodDtype):
        return np.asarray(series.dt.start_time.to_numpy()).astype("datetime64[us]")
    if isinstance(dtype, pd.CategoricalDtype) or pd.api.types.is_numeric_dtype(dtype):
        return None
    present = series.notna().to_numpy(dtype=bool)
    if not present.any():
        return None
    first = series.iloc[int(present.argmax())]
    if isinstance(first, str) and _ISO.fullmatch(first) is None:
        return None  # a fast exit for most columns of text
    values = series.astype(object).to_numpy()[present]
    if isinstance(first, str):
        found = _read_iso(values)
    elif isinstance(values[0], datetime.date | np.datetime64) and kind_of(series) in ("date", "datetime.date"):
        found = _read_objects(values)
    else:
        return None
    if found is None:
        return None
    instants = np.full(present.size, np.datetime64("NaT"), dtype="datetime64[us]")
    instants[present] = found
    return instants


def has_zone(series: pd.Series) -> bool:
    """Return whether the dates or ISO texts of a column have a time zone."""
    if isinstance(series.dtype, pd.DatetimeTZDtype):
        return True
    present = series.dropna()
    if series.dtype.kind == "M" or present.empty:
        return False
    first: Any = present.iloc[0]
    if isinstance(first, str):
        found = _ISO.fullmatch(first)
        return found is not None and bool(found[2] or found[3])
    return getattr(first, "tzinfo", None) is not None


def _read_iso(values: npt.NDArray[np.object_]) -> Instants | None:
    """Return ISO dates as instants, or None.

    The result is None if a text is not an ISO date, or if only some have a time zone.
    """
    codes, texts = pd.factorize(values)
    found = [_ISO.fullmatch(text) if isinstance(text, str) else None for text in texts]
    parts = [match.groups() for match in found if match is not None]
    zoned = {bool(zulu or sign) for _, zulu, sign, _, _ in parts}
    if len(parts) < len(texts) or len(zoned) > 1:
        return None
    try:
        instants = np.array([text for text, *_ in parts], dtype="datetime64[us]")
    except ValueError:  # such as 2021-02-30
        return None
    minutes = [int(f"{sign or '+'}1") * (60 * int(hour or 0) + int(minute or 0)) for _, _, sign, hour, minute in parts]
    return np.asarray((instants - np.array(minutes, dtype="timedelta64[m]"))[codes])


def _read_objects(values: npt.NDArray[np.object_]) -> Instants | None:
    """Return Python dates as instants, or None if only some have a time zone."""
    zoned = {getattr(value, "tzinfo", None) is not None for value in values}
    if len(zoned) > 1:
        return None
    if True in zoned:
        values = np.array([v.astimezone(datetime.UTC).replace(tzinfo=None) for v in values], dtype=object)
    return np.array([np.datetime64(value, "us") for value in values], dtype="datetime64[us]")
