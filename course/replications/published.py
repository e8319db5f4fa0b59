"""Comparison of published numbers with computed numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import isnan, nan
from typing import Any

import numpy as np
import pandas as pd

from replications.claims import LEAST, QUICK
from replications.paper_tables import Texts
from synthlab._typing import FloatArray
from synthlab.exceptions import InputError

COLUMNS = ("paper", "where", "quantity", "published", "ours", "low", "high", "repetitions", "status", "reason")
# Every status except the first two needs a reason.
STATUSES = (
    "exact", "inside 95 %", "outside", "similar", "different", "input",
    "no verdict", "not computable",
)  # fmt: skip
EXACT, INSIDE, OUTSIDE, SIMILAR, DIFFERENT, INPUT, NO_VERDICT, ABSENT = STATUSES


@dataclass(frozen=True, slots=True)
class Value:
    """Computed counterpart of a published number.

    Attributes
    ----------
    ours : float
        The computed number; NaN if there is none.
    low, high : float
        Ends of the interval that contains 95% of the repetitions; NaN if there is no such interval. For a number
        without randomness, both ends are the number.
    repetitions : int
        Number of repetitions behind `ours`; 0 if there is none.
    instead : str, optional
        Status in place of a comparison of the levels, for numbers of simulated data: `INPUT` if the data were
        calibrated to the published number, so that agreement is not evidence; `SIMILAR` or `DIFFERENT` if a ratio or a
        count was compared, with the rule in `reason`; otherwise `NO_VERDICT`.
    reason : str, optional
        Reason for the status, if it is neither exact nor inside. By default the reason in `paper_numbers.csv`.
    """

    ours: float = nan
    low: float = nan
    high: float = nan
    repetitions: int = 0
    instead: str | None = None
    reason: str | None = None

    def status(self, printed: str) -> str:
        """Return the status of a published number, one of `STATUSES`.

        Numbers without an interval have no verdict, unless `instead` gives one.

        Examples
        --------
        >>> from replications.published import Value
        >>> Value(ours=0.044, low=0.041, high=0.0452, repetitions=40).status("0.0451")
        'inside 95 %'
        >>> Value(ours=173.0, low=173.0, high=173.0, repetitions=1).status("173")
        'exact'
        """
        if isnan(self.ours):
            return ABSENT
        if self.instead is not None or isnan(self.low):
            return self.instead or NO_VERDICT
        if self.low == self.high:
            return EXACT if rounds_to(self.ours, printed) else OUTSIDE
        return INSIDE if inside(printed, self.low, self.high) else OUTSIDE


def decimals(printed: str) -> int:
    """Return the number of decimals a number is printed with."""
    digits, _, exponent = printed.lower().partition("e")
    return len(digits.partition(".")[2]) - int(exponent or 0)


def rounds_to(value: float, printed: str) -> bool:
    """Return whether a number, rounded to the printed digits, is the printed number.

    Examples
    --------
    >>> from replications.published import rounds_to
    >>> rounds_to(41.3686, "41.37"), rounds_to(41.3686, "41.36"), rounds_to(172.999999999991, "173")
    (True, False, True)
    """
    return f"{value:.{max(decimals(printed), 0)}f}" == f"{float(printed):.{max(decimals(printed), 0)}f}"


def inside(printed: str, low: float, high: float) -> bool:
    """Return whether a printed number is in an interval, allowing for rounding.

    Examples
    --------
    >>> from replications.published import inside
    >>> inside("0.11", 0.1149, 0.2), inside("0.11", 0.1151, 0.2)
    (True, False)
    """
    half = 0.5 * 10.0 ** -decimals(printed)
    return low - half <= float(printed) <= high + half


def central_interval(groups: Any) -> FloatArray:
    """Return the interval with 95% of the numbers of each group: shape (groups, 2).

    Parameters
    ----------
    groups : pandas grouped Series
        Numbers without NaN.

    Examples
    --------
    >>> import pandas as pd
    >>> from replications.published import central_interval
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


def compare(paper: str, texts: Texts, values: Mapping[str, Value]) -> pd.DataFrame:
    """Return every published number with its computed counterpart.

    Parameters
    ----------
    paper : str
        Name of the paper.
    texts : mapping
        Return value of `replications.paper_tables.read_numbers`.
    values : mapping {key: Value}
        Computed counterparts.

    Returns
    -------
    pandas.DataFrame
        One row per number, with the columns `COLUMNS`.

    Raises
    ------
    InputError
        If the keys of `texts` and `values` differ.
    """
    if different := set(texts) ^ set(values):
        raise InputError(
            f"values: the key {min(different)!r} is not in both paper_numbers.csv and the computed numbers"
        )
    rows = []
    for key, text in texts.items():
        one, printed = values[key], text["printed"]
        status = one.status(printed)
        reason = (text["reason"] if one.reason is None else one.reason) * (status not in (EXACT, INSIDE))
        numbers = (one.ours, one.low, one.high, one.repetitions)
        rows.append((paper, text["where"], text["quantity"], printed, *numbers, status, reason))
    return pd.DataFrame(rows, columns=list(COLUMNS))


def without_verdicts(numbers: pd.DataFrame) -> pd.DataFrame:
    """Return the published numbers of a quick run: no verdict from fewer than `LEAST` repetitions.

    A number without randomness keeps its status.
    """
    judged = numbers["status"].isin([EXACT, INSIDE, OUTSIDE, SIMILAR, DIFFERENT]) & (numbers["repetitions"] < LEAST)
    few = judged & ~((numbers["low"] == numbers["high"]) & (numbers["repetitions"] == 1))
    return numbers.assign(status=numbers["status"].mask(few, QUICK), reason=numbers["reason"].mask(few, ""))
