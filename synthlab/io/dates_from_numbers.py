"""Conversion of numbers that files store for dates and time spans, exact to the microsecond."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._typing import FloatArray, IntArray
from synthlab.exceptions import InputError

SECOND, DAY = 10**6, 86_400 * 10**6  # microseconds
LATEST = 290_000  # years from 1970 that datetime64 with microseconds can represent
DATE, SPAN, MONTHS, WEEKS = "date", "time span", "months", "weeks"


def dates(values: FloatArray, unit: int, where: str, origin: str = "1970-01-01") -> pd.Series:
    """Return the dates of numbers of units, in microseconds, since `origin`; NaN is missing."""
    start = int(np.datetime64(origin, "us").astype(np.int64))
    return pd.Series((_microseconds(values, unit, where) + start).astype("datetime64[us]")).mask(np.isnan(values))


def spans(values: FloatArray, unit: int, where: str) -> pd.Series:
    """Return the time spans of numbers of units, in microseconds; NaN is missing."""
    return pd.Series(_microseconds(values, unit, where).astype("timedelta64[us]")).mask(np.isnan(values))


def month_starts(months: FloatArray, where: str) -> pd.Series:
    """Return the first day of months that are counted from January 1970; NaN is missing."""
    missing = np.isnan(months)
    if bool((np.abs(months) >= 12 * LATEST).any()):
        raise InputError(f"{where} has a month outside the range of datetime64")
    whole = np.where(missing, 0, np.floor(months)).astype(np.int64)
    return pd.Series(whole.astype("datetime64[M]").astype("datetime64[us]")).mask(missing)


def _microseconds(values: FloatArray, unit: int, where: str) -> IntArray:
    """Return numbers of a unit as whole microseconds; missing values are 0."""
    values = np.where(np.isnan(values), 0.0, values)
    beyond = np.abs(values) >= 0.97 * 2**63 / unit  # a margin for the origin
    if beyond.any():
        raise InputError(f"{where}: a date or time span is outside the range of datetime64: {_checks.first_of(beyond)}")
    # Whole part and fraction are converted separately to avoid rounding.
    whole = np.floor(values)
    exact: IntArray = whole.astype(np.int64) * unit + np.rint((values - whole) * unit).astype(np.int64)
    return exact


# Formats of SPSS, Stata and SAS, without width and decimals: what the numbers count, in which unit, and from when.
_SPSS = {
    **dict.fromkeys(
        ("DATE", "ADATE", "EDATE", "JDATE", "SDATE", "QYR", "MOYR", "WKYR", "DATETIME", "YMDHMS"),
        (DATE, SECOND, "1582-10-14"),
    ),
    **dict.fromkeys(("TIME", "DTIME", "MTIME"), (SPAN, SECOND, "")),
}
_STATA = {
    "tc": (DATE, 1_000, "1960-01-01"),
    "tC": (DATE, 1_000, "1960-01-01"),
    "td": (DATE, DAY, "1960-01-01"),
    "d": (DATE, DAY, "1960-01-01"),
    "tw": (WEEKS, 0, ""),
    "tm": (MONTHS, 1, ""),
    "tq": (MONTHS, 3, ""),
    "th": (MONTHS, 6, ""),
}
_STATA_FORMAT = re.compile(r"%-?(t[cCdwmqh]|d)([^a-z]?.*)")
_STATA_TIME = re.compile(r"[HhMSs:.Aap_ ]+")  # a display format of %tc without a date
_SAS_DATES = (
    r"WEEKDAT[EX]|DATE|JULIAN|MONYY|YYQ[CDNPSR]*|YYMON|(YYMM|MMYY)[CDNPS]?|(YYMMDD|MMDDYY|DDMMYY|MDYYMD)[BCDNPS]?|"
    r"WORDDAT[EX]|NLDATE\w*|EURDF(DD|DE|DN|MN|MY|WDX|WKX)|(IS|E|B)8601DA"
)
_SAS_DATETIMES = r"DATETIME|DATEAMPM|MDYAMPM|DTDATE|DTMONYY|DTYYQC|DTWKDATX|NLDATM\w*|(IS|E|B)8601D[TNZX]"
_SAS_TIMES = r"TIME|TIMEAMPM|HHMM|MMSS|TOD|NLTIM\w*|(IS|E|B)8601T[MZX]"


def kind_of_format(form: str, program: str) -> tuple[str, int, str] | None:
    """Return what the numbers of a column count, the unit and the origin; None if they are plain numbers.

    `program` is "SPSS", "Stata" or "SAS".

    Examples
    --------
    >>> kind_of_format("MOYR8", "SPSS"), kind_of_format("%tm", "Stata"), kind_of_format("F8.2", "SPSS")
    (('date', 1000000, '1582-10-14'), ('months', 1, ''), None)
    """
    if program == "Stata":
        found = _STATA_FORMAT.fullmatch(form)
        if found is None:
            return None
        if found[1] in ("tc", "tC") and found[2] and _STATA_TIME.fullmatch(found[2]):
            return SPAN, 1_000, ""
        return _STATA[found[1]]
    name = re.sub(r"\d*(\.\d*)?$", "", form.upper().lstrip("$"))
    if program == "SPSS":
        return _SPSS.get(name)
    for pattern, kind in (
        (_SAS_DATETIMES, (DATE, SECOND, "1960-01-01")),
        (_SAS_DATES, (DATE, DAY, "1960-01-01")),
        (_SAS_TIMES, (SPAN, SECOND, "")),
    ):
        if re.fullmatch(pattern, name):
            return kind
    return None


def converted(values: pd.Series, kind: tuple[str, int, str], where: str) -> pd.Series:
    """Return numbers as dates or time spans; see `kind_of_format`."""
    numbers, (what, unit, origin) = _checks.as_float(values), kind
    if what == SPAN:
        return spans(numbers, unit, where)
    if what == MONTHS:
        return month_starts((numbers - 10 * 12 / unit) * unit, where)
    if what == WEEKS:  # a year of Stata has 52 weeks, the last of which has 8 or 9 days
        years = np.floor(numbers / 52)
        first = month_starts((years - 10) * 12, where)
        return first + spans(7 * (numbers - 52 * years), DAY, where)
    return dates(numbers, unit, where, origin)
