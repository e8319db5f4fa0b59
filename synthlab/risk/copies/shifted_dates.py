"""Dates that are the confidential dates plus one constant."""

from __future__ import annotations

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._typing import FloatArray

FEWEST = 50  # records with a date in both files
VALUES = 12  # distinct dates; fewer dates can agree by chance
ALL = 0.95  # share of the sorted dates with the same difference
SOME = 0.20  # share of the rows with the same difference
PERMUTATIONS = 20
SEED = 1


def shifted_records(confidential: pd.Series, released: pd.Series, *, aligned: bool) -> int:
    """Return the number of records whose date is shifted by the same constant other than 0.

    The dates of both files are compared in sorted order. If the rows are aligned, they are also compared row by row;
    then the number must exceed what permuted rows reach. The result is 0 if no constant explains enough records.

    Examples
    --------
    >>> born = pd.Series(pd.to_datetime("1970-01-01") + pd.to_timedelta(np.arange(60) ** 2, unit="D"))
    >>> shifted_records(born, born.sample(frac=1, random_state=1) + pd.Timedelta("30D"), aligned=False)
    60
    """
    if not (_checks.is_date(confidential) and _checks.is_date(released)):
        return 0
    own, other = _checks.measurements(confidential), _checks.measurements(released)
    if own.size != other.size or np.unique(own[~np.isnan(own)]).size <= VALUES:
        return 0
    difference = np.sort(other) - np.sort(own)  # missing dates come last
    found = _modal_count(difference)
    if found >= FEWEST and found >= ALL * (~np.isnan(difference)).sum():
        return found
    if not aligned:
        return 0
    found = _modal_count(other - own)
    rng = np.random.default_rng(SEED)
    chance = max(_modal_count(other - rng.permutation(own)) for _ in range(PERMUTATIONS))
    return found if found >= max(FEWEST, SOME * own.size, 2 * chance) else 0


def _modal_count(difference: FloatArray) -> int:
    """Return how often the most frequent difference other than 0 occurs, or 0 if 0 is more frequent."""
    values, counts = np.unique(difference[~np.isnan(difference)], return_counts=True)
    if not values.size or values[counts.argmax()] == 0:
        return 0
    return int(counts.max())
