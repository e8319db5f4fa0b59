"""Rows of the table: what a benchmark measured, and the exponents of what was measured at several sizes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from scipy import stats

LEAST = 4  # sizes from which an exponent is fitted
LEVEL = 0.95


@dataclass(frozen=True)
class Row:
    """One measurement.

    what: the work. n: number of records. seconds: of synthlab. peer, peer_seconds: what it is compared with in the same
    run. grows, size: for one of several measurements of the same work, which number changes and its value; ``make bench``
    ends with the exponent of time in it.
    """

    what: str
    n: int
    seconds: float
    peer: str = ""
    peer_seconds: float | None = None
    note: str = ""
    grows: str = ""
    size: float | None = None

    @property
    def ratio(self) -> float | None:
        return None if self.peer_seconds is None else self.peer_seconds / self.seconds


@dataclass(frozen=True)
class Growth:
    """Time as a power of one number: the exponent with its interval of 95%, by least squares on the logarithms."""

    what: str
    grows: str
    sizes: tuple[float, ...]
    seconds: tuple[float, ...]
    exponent: float
    low: float
    high: float


def growths(rows: Iterable[Row]) -> list[Growth]:
    """Fit an exponent for every work measured at four sizes or more."""
    series: dict[tuple[str, str], dict[float, float]] = {}
    for row in rows:
        if row.grows:
            size = row.n if row.size is None else row.size
            series.setdefault((row.what, row.grows), {})[size] = row.seconds
    return [_fit(*name, times) for name, times in series.items() if len(times) >= LEAST]


def _fit(what: str, grows: str, times: dict[float, float]) -> Growth:
    sizes, seconds = zip(*sorted(times.items()), strict=True)
    x, y = np.log(sizes), np.log(seconds)
    x = x - x.mean()
    slope = x @ y / (x @ x)
    rest = y - y.mean() - slope * x
    half = stats.t.ppf((1 + LEVEL) / 2, len(x) - 2) * np.sqrt(rest @ rest / (len(x) - 2) / (x @ x))
    return Growth(what, grows, sizes, seconds, float(slope), float(slope - half), float(slope + half))
