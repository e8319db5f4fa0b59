"""Date formats of text, recognized from all texts of a column."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from synthlab._typing import BoolArray

FORMATS = "synthlab_dates"  # key of the formats of dates in the attrs of a frame: {column: DateFormat}
ISO = "ISO8601"
MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
_MONTH = rf"(?:{'|'.join(month[:3] for month in MONTHS)})[a-z]*"
_DIRECTIVES = {
    "Y": r"\d{4}",
    "y": r"\d{2}",
    "m": r"\d{1,2}",
    "d": r"\d{1,2}",
    "b": rf"(?:{'|'.join(month[:3] for month in MONTHS)})",
    "B": rf"(?:{'|'.join(MONTHS)})",
    "H": r"\d{1,2}",
    "I": r"\d{1,2}",
    "M": r"\d{2}",
    "S": r"\d{2}",
    "f": r"\d{1,9}",
    "p": r"[AP]M",
    "z": r"(?:Z|[+-]\d{2}:?\d{2})",
}
# The day comes before the month if both orders are possible.
DAY_PATTERNS = (
    *("%Y-%m-%d", "%Y/%m/%d", "%Y.%m.%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%m-%d-%Y"),
    *("%d.%m.%y", "%d/%m/%y", "%m/%d/%y", "%d-%m-%y", "%m-%d-%y"),
    *(f"%d{a}%{b}{a}%{y}" for b in "bB" for a in (" ", "-", "", "/") for y in "Yy"),
    *(f"%d. %{b} %Y" for b in "bB"),
    *(f"%{b} %d{comma} %Y" for b in "bB" for comma in (",", "")),
)
_CLOCKS = ("%H:%M", "%H:%M:%S", "%H:%M:%S.%f")
_TIMES = ("", *(f"{a}{clock}" for a in (" ", "T", ":") for clock in _CLOCKS), " %I:%M %p", " %I:%M:%S %p")
_TIMES_AND_ZONES = ("", *(time + zone for time in _TIMES if time for zone in ("", "%z", " %z")))
_LIKE_A_DATE = re.compile(
    rf"\s*(?:\d{{1,4}}[-/.]\d{{1,2}}[-/.]\d{{1,4}}|\d{{1,2}}[-/. ]{{0,2}}{_MONTH}[-/. ]?\d{{2,4}}|{_MONTH}\s\d{{1,2}},?\s\d{{4}})"
    r"(?:[T :]\d.*)?\s*",
    re.IGNORECASE,
)
_PERIOD = re.compile(r"\s*\d{4}\s?(?:[-/:. ]?\s?[QMW]|[-/:.])\s?\d{1,2}\s*", re.IGNORECASE)
_OFFSET = re.compile(r"([+-]\d{2}):?(\d{2})$")
_LIKE_A_TIME = re.compile(r"\d{1,2}:\d{2}(?::\d{2})?")
_YEAR_OF_TWO_DIGITS = 5  # smallest number of distinct texts for formats such as dd.mm.yy
_SAMPLE = 200
_AS_ZERO = str.maketrans("123456789", "0" * 9)
_MOST, _SOME = 0.5, 0.01  # shares of the distinct texts
_YEARS = 19000101, 21001231  # numbers outside this range are not read as yyyymmdd
_MIN_NUMBERS = 5


@dataclass(frozen=True, slots=True)
class DateFormat:
    """Format of dates, with the details that a pattern of `strptime` does not describe.

    Parameters
    ----------
    pattern : str
        The pattern, with directives of `datetime.strptime`.
    padded, hour_padded : bool
        Whether days and months, and whether hours, have two digits.
    case : {"title", "lower", "upper"}
        Case of the names of months.
    digits : int
        Number of digits of a fraction of a second.
    zone : {"", "Z", "+01:00", "+0100"}
        Notation of the time zone.
    """

    pattern: str
    padded: bool = True
    hour_padded: bool = True
    case: str = "title"
    digits: int = 6
    zone: str = ""

    @classmethod
    def of(cls, pattern: str, texts: pd.Series) -> DateFormat:
        """Return a format with a given pattern, and with the details of the texts."""
        return _detailed(pattern, texts)

    def read(self, texts: pd.Series) -> pd.Series:
        """Return texts as dates; texts in another format are missing."""
        dates = parse_dates(texts, self.pattern)
        if self.pattern.startswith("%Y-%m-%d") and dates.notna().sum() < texts.notna().sum():
            dated = texts.where(texts.str.contains("-", regex=False, na=False))  # a year is not a date
            return parse_dates(dated, ISO, zoned=self.pattern.endswith("%z"))  # some texts omit the time or its parts
        return dates

    def write(self, dates: pd.Series) -> pd.Series:
        """Return dates as texts; missing dates are None."""
        codes, distinct = pd.factorize(dates)
        texts = np.array([*(self._text(date) for date in distinct), None], dtype=object)
        return pd.Series(texts[codes], index=dates.index, name=dates.name, dtype=object)

    def _text(self, date: Any) -> str:
        width, hours = 1 + self.padded, 1 + self.hour_padded

        def value(found: re.Match[str]) -> str:
            match found[1]:
                case "Y":
                    return f"{date.year:04d}"
                case "y":
                    return f"{date.year % 100:02d}"
                case "m":
                    return f"{date.month:0{width}d}"
                case "d":
                    return f"{date.day:0{width}d}"
                case "b" | "B":
                    name = MONTHS[date.month - 1]
                    return str(getattr(name[:3] if found[1] == "b" else name, self.case)())
                case "H":
                    return f"{date.hour:0{hours}d}"
                case "I":
                    return f"{(date.hour - 1) % 12 + 1:0{hours}d}"
                case "M":
                    return f"{date.minute:02d}"
                case "S":
                    return f"{date.second:02d}"
                case "f":
                    return f"{date.microsecond * 1_000 + getattr(date, 'nanosecond', 0):09d}"[: self.digits]
                case "p":
                    return "AM" if date.hour < 12 else "PM"
            return self._zone(date)

        return re.sub("%(.)", value, self.pattern)

    def _zone(self, date: Any) -> str:
        offset = date.strftime("%z") or "+0000"
        if self.zone == "Z" and offset == "+0000":
            return "Z"
        return f"{offset[:3]}:{offset[3:]}" if self.zone == "+01:00" or self.zone == "Z" else offset


@dataclass(frozen=True, slots=True)
class Recognized:
    """Result of the recognition of date formats.

    Parameters
    ----------
    format : DateFormat, optional
        The format of all dates; None if there is none.
    other : str, optional
        The pattern with the other order of day and month, if both orders are possible.
    mixed : tuple of str
        Two patterns, if the texts mix formats.
    odd : frozenset of str
        The texts that are not dates in the format.
    dates : pandas.Series, optional
        The dates of all texts, if all have the format.
    """

    format: DateFormat | None = None
    other: str | None = None
    mixed: tuple[str, ...] = ()
    odd: frozenset[str] = frozenset()
    dates: pd.Series | None = None


def looks_like_dates(texts: Iterable[str]) -> bool:
    """Return whether at least half of the first texts have the form of a date."""
    first = list(itertools.islice(texts, _SAMPLE))
    return bool(first) and sum(_LIKE_A_DATE.fullmatch(text) is not None for text in first) >= _MOST * len(first)


def are_periods(texts: Iterable[str]) -> bool:
    """Return whether all texts are a year with a quarter, month or week, such as 1974Q1, 1974-M01 and 2020-W53."""
    return all(_PERIOD.fullmatch(text) for text in texts)


def recognize(texts: Sequence[str]) -> Recognized:
    """Return the date format of distinct texts, which are not blank.

    A two-digit year is read as by POSIX: 69 to 99 are 1969 to 1999, and 00 to 68 are 2000 to 2068.

    Examples
    --------
    >>> recognize(["31/12/1999", "1/2/2021"]).format.pattern
    '%d/%m/%Y'
    >>> recognize(["2021-01-31", "31.12.1999"]).mixed
    ('%Y-%m-%d', '%d.%m.%Y')
    """
    if not looks_like_dates(texts):
        return Recognized()
    stripped = pd.Series([text.strip() for text in texts], dtype=object)
    patterns = _candidates([text for text in _examples(stripped) if _LIKE_A_DATE.fullmatch(text)][:_SAMPLE])
    if len(texts) < _YEAR_OF_TWO_DIGITS:
        patterns = [pattern for pattern in patterns if not re.search("%m.%y|%d.%y", pattern)]
    parsed = {pattern: parse_dates(stripped, pattern) for pattern in patterns}
    fits: dict[str, BoolArray] = {pattern: dates.notna().to_numpy(dtype=bool) for pattern, dates in parsed.items()}
    whole = [pattern for pattern in patterns if fits[pattern].all()]
    if whole:
        other = next((p for p in whole[1:] if not p.startswith("%d.") and _differ(parsed[p], parsed[whole[0]])), None)
        return Recognized(_detailed(whole[0], stripped), other, dates=parsed[whole[0]])
    family = [p for p in patterns if p.startswith("%Y-%m-%d")]
    if len(family) > 1 and len({p.endswith("%z") for p in family}) == 1:
        parsed[ISO] = parse_dates(stripped, ISO, zoned=family[0].endswith("%z"))
        fits[ISO] = parsed[ISO].notna().to_numpy(dtype=bool)
        patterns = [ISO, *(p for p in patterns if p not in family)]
    if not patterns:
        return Recognized()
    best = max(patterns, key=lambda pattern: fits[pattern].sum())
    if fits[best].all():
        return Recognized(_detailed(max(family, key=len), stripped), dates=parsed[best])
    added = {pattern: float((fits[pattern] & ~fits[best]).mean()) for pattern in patterns if pattern != best}
    second = max(added, key=lambda pattern: added[pattern], default=None)
    if second is not None and added[second] >= _SOME and fits[best].mean() + added[second] >= 1 - _SOME:
        first, other = (max(family, key=len) if pattern == ISO else pattern for pattern in (best, second))
        return Recognized(mixed=(first, other))
    if fits[best].mean() >= _MOST:
        odd = frozenset(text for text, fit in zip(texts, fits[best], strict=True) if not fit)
        return Recognized(_detailed(max(family, key=len) if best == ISO else best, stripped[fits[best]]), odd=odd)
    return Recognized()


def clock_format(texts: Sequence[str]) -> DateFormat | None:
    """Return the format of texts that are all times of day, or None."""
    if not all(map(_LIKE_A_TIME.fullmatch, texts)):
        return None
    series = pd.Series(texts, dtype=object)
    for pattern in _CLOCKS[:2]:
        if parse_dates(series, pattern).notna().all():
            return _detailed(pattern, series)
    return None


def dates_of_numbers(values: pd.Series) -> pd.Series | None:
    """Return whole numbers as dates if all of them are plausible dates yyyymmdd.

    At least 5 distinct numbers are required, all from 1900 to 2100.
    """
    if not (_YEARS[0] <= values.min() and values.max() <= _YEARS[1]):  # NaN without values
        return None
    present = values.dropna()
    if (present % 1).any() or present.nunique() < _MIN_NUMBERS:
        return None
    whole = pd.Series(present.unique()).astype("int64")
    month, day = whole // 100 % 100, whole % 100
    if not (month.between(1, 12) & day.between(1, 31)).all():
        return None
    dates = dict(zip(whole, parse_dates(whole.astype(str), "%Y%m%d"), strict=True))
    return None if any(map(pd.isna, dates.values())) else pd.to_datetime(values.map(dates))


def _differ(one: pd.Series, other: pd.Series) -> bool:
    return bool((one.dt.tz is None) == (other.dt.tz is None) and (one != other).any())


def parse_dates(texts: pd.Series, pattern: str, *, zoned: bool = False) -> pd.Series:
    """Return texts as dates; several offsets from UTC give times in UTC."""
    zoned = zoned or pattern.endswith("%z")
    try:
        dates = pd.to_datetime(texts, format=pattern, errors="coerce", utc=zoned)
    except (ValueError, OverflowError):
        return pd.Series(pd.NaT, index=texts.index, dtype="datetime64[s]")
    if not zoned:
        return dates
    ends = {text[-6:] for text in texts[dates.notna()]}
    found = {(match[1], match[2]) if (match := _OFFSET.search(end)) else None for end in ends}
    if len(found) == 1 and (offset := found.pop()) is not None:
        dates = dates.dt.tz_convert(":".join(offset))
    return dates


def matches_of(texts: pd.Series, pattern: str) -> BoolArray:
    """Return which texts have the form of a pattern, whether or not the date exists."""
    return np.array([_regex(pattern).fullmatch(text) is not None for text in texts], dtype=bool)


@cache
def _regex(pattern: str) -> re.Pattern[str]:
    """Return a regular expression with one group per directive."""
    parts = re.split("(%.)", pattern)
    return re.compile(
        "".join(
            f"(?P<{part[1]}>{_DIRECTIVES.get(part[1], '.+?')})" if part.startswith("%") else re.escape(part)
            for part in parts
        ),
        re.IGNORECASE,
    )


def _examples(texts: Iterable[str]) -> list[str]:
    """Return one text of each shape; texts of the same shape differ only in digits."""
    joined = "\n".join(texts)
    return list(dict(zip(joined.translate(_AS_ZERO).split("\n"), joined.split("\n"), strict=True)).values())


def _candidates(shapes: Sequence[str]) -> list[str]:
    """Return the patterns of the different shapes of texts."""
    found = []
    for day in DAY_PATTERNS:
        rests = {text[match.end() :] for text in shapes if (match := _regex(day).match(text))}
        found += [day + time for time in _TIMES_AND_ZONES if any(map(_regex(time).fullmatch, rests))]
    return found


def _detailed(pattern: str, texts: pd.Series) -> DateFormat:
    """Return a pattern with the details of the texts."""
    regex = _regex(pattern)
    examples = _examples(text for text in texts.dropna() if "\n" not in text)
    found = [match.groupdict() for match in map(regex.fullmatch, examples) if match is not None]
    if not found:
        return DateFormat(pattern)

    def padded(*names: str) -> bool:
        return all(len(groups[name]) == 2 for groups in found for name in names if name in groups)

    name = next((groups[name] for name in "bB" for groups in found[:1] if name in groups), "Jan")
    zone = found[0].get("z", "")
    return DateFormat(
        pattern,
        padded("d", "m"),
        padded("H", "I"),
        "lower" if name.islower() else "upper" if name.isupper() else "title",
        max(len(groups.get("f", "")) for groups in found) or 6,
        zone if zone in ("", "Z") else "+01:00" if ":" in zone else "+0100",
    )
