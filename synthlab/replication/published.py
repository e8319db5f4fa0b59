"""Numbers that a paper prints, compared with those computed here."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import isnan, nan
from typing import Any

import numpy as np
import pandas as pd

from synthlab._typing import FloatArray

COLUMNS = ("paper", "where", "quantity", "published", "ours", "low", "high", "repetitions", "status", "reason")
# every published number has one of these; all but the first two need a reason
STATUSES = ("exact", "inside 95 %", "outside", "stand-in, no verdict", "not computable")
EXACT, INSIDE, OUTSIDE, NO_VERDICT, ABSENT = STATUSES


@dataclass(frozen=True, slots=True)
class Published:
    """A number of a paper and what was found here.

    Attributes
    ----------
    where, quantity : str
        Table or section of the paper, and what the number is.
    printed : str
        The number as printed: its last digit says how near a number has to be.
    ours : float
        The number computed here; NaN if there is none.
    low, high : float
        Where 95 % of its repetitions lie; NaN if there is no such interval. A number without chance is its own interval.
    repetitions : int
        Number of repetitions behind `ours`; 0 if there is none.
    stand_in : bool
        Whether it is of simulated data, some of whose numbers were made to be the paper's: to be near it says nothing, and
        the interval holds the chance of the releases alone.
    reason : str
        Why there is no verdict, or not this one: for every number that is neither exact nor inside.
    """

    where: str
    quantity: str
    printed: str
    ours: float = nan
    low: float = nan
    high: float = nan
    repetitions: int = 0
    stand_in: bool = False
    reason: str = ""

    @property
    def status(self) -> str:
        """One of `STATUSES`: of a number without an interval, or of simulated data, there is no verdict.

        Examples
        --------
        >>> from synthlab.replication.published import Published
        >>> Published("Table 5", "U_m", "0.0451", ours=0.044, low=0.041, high=0.0452, repetitions=40).status
        'inside 95 %'
        >>> Published("slides", "expected match risk", "173", ours=173.0, low=173.0, high=173.0).status
        'exact'
        """
        if isnan(self.ours):
            return ABSENT
        if self.stand_in or isnan(self.low):
            return NO_VERDICT
        if self.low == self.high:
            return EXACT if rounds_to(self.ours, self.printed) else OUTSIDE
        return INSIDE if inside(self.printed, self.low, self.high) else OUTSIDE


def decimals(printed: str) -> int:
    """Return the number of decimals a number is printed with."""
    digits, _, exponent = printed.lower().partition("e")
    return len(digits.partition(".")[2]) - int(exponent or 0)


def rounds_to(value: float, printed: str) -> bool:
    """Say whether a number, rounded to the printed digits, is the printed number.

    Examples
    --------
    >>> from synthlab.replication.published import rounds_to
    >>> rounds_to(41.3686, "41.37"), rounds_to(41.3686, "41.36"), rounds_to(172.999999999991, "173")
    (True, False, True)
    """
    return f"{value:.{max(decimals(printed), 0)}f}" == f"{float(printed):.{max(decimals(printed), 0)}f}"


def inside(printed: str, low: float, high: float) -> bool:
    """Say whether a printed number lies in an interval, allowing for the rounding of its last digit.

    Examples
    --------
    >>> from synthlab.replication.published import inside
    >>> inside("0.11", 0.1149, 0.2), inside("0.11", 0.1151, 0.2)
    (True, False)
    """
    half = 0.5 * 10.0 ** -decimals(printed)
    return low - half <= float(printed) <= high + half


def central_interval(groups: Any) -> FloatArray:
    """Return where 95 % of the numbers of each group lie: shape (groups, 2), in the order of the groups.

    Parameters
    ----------
    groups : pandas grouped Series
        Numbers without NaN.

    Examples
    --------
    >>> import pandas as pd
    >>> from synthlab.replication.published import central_interval
    >>> central_interval(pd.Series([0.0, 40.0, 7.0]).groupby(["b", "b", "a"], sort=False)).tolist()
    [[1.0, 39.0], [7.0, 7.0]]
    """
    group = groups.ngroup().to_numpy()
    values, sizes = groups.obj.to_numpy(dtype=np.float64)[np.argsort(group, kind="stable")], np.bincount(group)
    begins, found = np.cumsum(sizes) - sizes, np.empty((sizes.size, 2))
    for size in np.unique(sizes):
        same = sizes == size
        found[same] = np.quantile(values[begins[same, None] + np.arange(size)], (0.025, 0.975), axis=1).T
    return found


def records(table: pd.DataFrame) -> Iterable[Any]:
    """Return the rows of a table, with columns as attributes."""
    return table.itertuples()


def beside(paper: str, numbers: list[Published]) -> pd.DataFrame:
    """Return one row a published number."""
    return pd.DataFrame(
        [
            (paper, n.where, n.quantity, n.printed, n.ours, n.low, n.high, n.repetitions, n.status, n.reason)
            for n in numbers
        ],
        columns=list(COLUMNS),
    )
