"""Detection of files in which the position of a record carries information."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas as pd
from scipy.special import gammaln
from scipy.stats import norm

from synthlab._typing import FloatArray, IntArray

LEVEL = 0.001  # largest probability of a false alarm in a file whose records have a random order
STRONG = 0.2  # smallest serial correlation that is reported
INFORMATIVE = 50  # smallest number of records that differ from the most common value
MARGIN = 1.0  # added to the critical value, because the normal approximation is poor in the tails


def ordered_columns(frame: pd.DataFrame, columns: Iterable[str]) -> tuple[list[str], list[str]]:
    """Return the columns by which the file is sorted, and other columns with a serial correlation.

    A column is sorted if its values never decrease, or never increase, and a random order has this property with a
    probability below 0.001 (divided by the number of columns). The serial correlation is that of the ranks of
    consecutive records, or of consecutive equal values of categories.
    """
    names = list(columns)
    alpha = LEVEL / max(2 * len(names), 1)
    in_order, serial = [], []
    for name in names:
        codes, numeric = _codes(frame[name])
        if _is_sorted(codes, alpha):
            in_order.append(name)
        elif _has_serial_correlation(codes, numeric, alpha):
            serial.append(name)
    return in_order, serial


def _codes(series: pd.Series) -> tuple[IntArray, bool]:
    """Return the ranks of the values, equal for equal values, and whether they are ordered."""
    ordered = series.dtype.kind in "iufmMb" or isinstance(series.dtype, pd.DatetimeTZDtype)
    values = series if ordered else series.astype(object).where(series.notna(), None)
    if not ordered:
        values = values.map(lambda value: None if value is None else str(value))
    codes, _ = pd.factorize(values, sort=True, use_na_sentinel=True)
    return np.asarray(codes, dtype=np.int64), bool(ordered)


def _is_sorted(codes: IntArray, alpha: float) -> bool:
    steps = np.diff(codes)
    if not ((steps >= 0).all() or (steps <= 0).all()):
        return False
    counts = np.unique(codes, return_counts=True)[1]
    orders = gammaln(codes.size + 1) - gammaln(counts + 1).sum()  # log of the number of distinct orders
    return bool(orders > -np.log(alpha))


def _has_serial_correlation(codes: IntArray, numeric: bool, alpha: float) -> bool:
    """Return whether consecutive records are alike, by a permutation test with a normal approximation."""
    n = codes.size
    shares = np.unique(codes, return_counts=True)[1] / n
    if n * (1 - shares.max()) < INFORMATIVE:
        return False
    critical = norm.isf(alpha) + MARGIN
    if numeric:
        ranks = pd.Series(codes).rank().to_numpy()
        return _correlation_is_large(ranks - ranks.mean(), critical)
    equal = float((codes[1:] == codes[:-1]).mean())
    expected = float((np.square(shares * n) - shares * n).sum() / (n * (n - 1)))
    strength = (equal - expected) / (1 - expected)
    deviation = np.sqrt(max(expected, 1 / n) * (1 - expected) / (n - 1))
    return bool(strength > STRONG and equal - expected > critical * deviation)


def _correlation_is_large(centered: FloatArray, critical: float) -> bool:
    n = centered.size
    correlation = (centered[1:] * centered[:-1]).sum() / np.square(centered).sum()
    return bool(correlation > STRONG and (correlation + 1 / n) * np.sqrt(n) > critical)
