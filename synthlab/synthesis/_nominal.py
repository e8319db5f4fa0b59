"""Detection of numbers that are codes, such as postal codes, and not measurements."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._typing import FloatArray
from synthlab.synthesizers._smoothing import FEW

NAMED = re.compile(
    r"(^|[^a-z])(zip|zip ?code|plz|postal|post ?code|postal ?code|naics|isic|nace|sic|isco|soc|icd|fips|insee)([^a-z]|$)"
    r"|(^|[^a-z])(code|codes|occ|occupation|industry)[_ .]?\d*$"
)
LEAST = 10  # smallest number of repeated numbers without neighbors
HALF = 0.5
ROUND = (5, 7, 12)  # units of measurements: multiples of these are rounded, not codes


def is_nominal(series: pd.Series) -> bool:
    """Return whether the numbers of a column are codes.

    Codes are whole numbers >= 0 with more than 20 distinct values. The column has a typical name ("zip", "naics",
    "postal_code"), or most of its values are repeated although their neighbors in the range are absent.
    """
    present = _checks.as_float(series.dropna())
    distinct, count = np.unique(present, return_counts=True)
    if distinct.size <= FEW or distinct[0] < 0 or not (distinct == np.rint(distinct)).all():
        return False
    named = NAMED.search(re.sub(r"(?<=[a-z])(?=[A-Z])|_", " ", str(series.name)).lower()) is not None
    return (named and distinct.size < present.size) or _repeated_without_neighbors(distinct, count)


def _repeated_without_neighbors(distinct: FloatArray, count: np.ndarray) -> bool:
    """Return whether the values are repeated, but hardly any has a neighbor in the range.

    Rounded measurements have no neighbors either, so multiples of 5, 7 and 12 do not count as codes.
    """
    if count.sum() < 2 * distinct.size or any(count[distinct % u == 0].sum() >= HALF * count.sum() for u in ROUND):
        return False
    step = int(np.gcd.reduce(np.diff(distinct).astype(np.int64), initial=0))
    gap = np.diff(distinct) > (step if step <= max(ROUND) else 1)
    alone = np.r_[True, gap] & np.r_[gap, True]
    repeated = count >= 2
    return bool(
        repeated.mean() >= HALF and alone[repeated].mean() >= HALF and (alone & repeated).sum() >= LEAST
    )
