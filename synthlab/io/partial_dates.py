"""Dates of several precisions in one column, such as 2013-05-17, 2013-05 and 2013."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from synthlab.io.date_formats import DAY_PATTERNS, DateFormat, matches_of, parse_dates

PRECISIONS = ("day", "month", "year")


@dataclass(frozen=True, slots=True)
class PartialDates:
    """Dates of a column with their precision.

    Parameters
    ----------
    formats : mapping of str to DateFormat
        The format of each precision that occurs.
    precision : pandas.Series of str
        "day", "month" or "year" for each cell; missing cells are missing.
    first, last : pandas.Series
        The first and the last day of the period of each cell.
    impossible : pandas.Series of bool
        Whether a cell has the form of a date that does not exist, such as 2013-02-30.
    """

    formats: Mapping[str, DateFormat]
    precision: pd.Series
    first: pd.Series
    last: pd.Series
    impossible: pd.Series

    @classmethod
    def of(cls, cells: pd.Series) -> PartialDates | None:
        """Return the dates of a column of text; None if the cells are not all dates, or have one precision.

        >>> import pandas as pd
        >>> PartialDates.of(pd.Series(["17/05/2013", "05/2013", None])).precision.tolist()
        ['day', 'month', nan]
        """
        codes, distinct = pd.factorize(cells)
        if not len(distinct) or not all(isinstance(text, str) for text in distinct):
            return None
        texts = pd.Series(distinct, dtype=object).str.strip()
        found = [one for patterns in _families() if (one := _read(texts, patterns)) is not None]
        if not found:
            return None
        best = min(found, key=lambda one: int(one.impossible.sum()))
        rows = np.where(codes < 0, len(texts), codes)

        def spread(series: pd.Series) -> pd.Series:
            return series.reindex(range(len(texts) + 1)).iloc[rows].set_axis(cells.index)

        impossible = spread(best.impossible.astype(object)).eq(True)
        return cls(best.formats, spread(best.precision), spread(best.first), spread(best.last), impossible)

    def write(self, dates: pd.Series, precision: pd.Series) -> pd.Series:
        """Return dates as texts of the given precision; missing dates are None."""
        texts = np.full(len(dates), None, dtype=object)
        for name, form in self.formats.items():
            rows = (precision == name).to_numpy(dtype=bool)
            texts[rows] = form.write(dates[rows]).to_numpy(dtype=object)
        return pd.Series(texts, index=dates.index, name=dates.name, dtype=object)


def _families() -> Iterator[dict[str, str]]:
    """Yield the patterns of full dates, months and years that belong together."""
    for day in DAY_PATTERNS:
        if "%Y" in day:
            month = re.sub(r"[-/. ]?%d$|%d[-/. ,]*", "", day)
            yield dict(zip(PRECISIONS, (day, month, "%Y"), strict=True))


def _read(texts: pd.Series, patterns: Mapping[str, str]) -> PartialDates | None:
    fits = {name: matches_of(texts, pattern) for name, pattern in patterns.items()}
    used = [name for name in PRECISIONS if fits[name].any()]
    if len(used) < 2 or not np.logical_or.reduce([*fits.values()]).all():
        return None
    precision = pd.Series(np.select([fits[name] for name in used], used, used[0]), dtype=object)
    first = pd.Series(pd.NaT, index=texts.index, dtype="datetime64[s]")
    for name in used:
        rows = (precision == name).to_numpy(dtype=bool)
        first[rows] = parse_dates(texts[rows], patterns[name]).astype("datetime64[s]")
    month = first.to_numpy().astype("datetime64[M]")
    ends = {
        "day": first.to_numpy().astype("datetime64[D]"),
        "month": (month + 1).astype("datetime64[D]") - 1,
        "year": (first.to_numpy().astype("datetime64[Y]") + 1).astype("datetime64[D]") - 1,
    }
    last = pd.Series(
        np.select([(precision == name).to_numpy() for name in used], [ends[name] for name in used], ends["day"])
    )
    formats = {name: DateFormat.of(patterns[name], texts[(precision == name).to_numpy()]) for name in used}
    return PartialDates(formats, precision, first, last.astype("datetime64[s]"), first.isna())
