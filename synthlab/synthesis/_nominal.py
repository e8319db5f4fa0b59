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
LEAST = 10  # smallest number of repeated numbers
HALF = 0.5
STEP = 3  # largest usual distance between measurements
MOST = 5  # largest count of a number in the comparison of equal and neighboring numbers
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
    """Return whether most records share their value with others, although neighboring numbers are rare.

    Of measurements, about twice as many pairs of records differ by 1 as are equal. Rounded measurements have no
    neighbors either, so multiples of 5, 7 and 12 do not count as codes, nor do numbers in steps of up to 3, such as
    heights converted from inches.
    """
    if any(count[distinct % unit == 0].sum() >= HALF * count.sum() for unit in ROUND):
        return False
    repeated = count >= 2
    if count[repeated].sum() < HALF * count.sum() or repeated.sum() < LEAST or np.median(np.diff(distinct)) <= STEP:
        return False
    size = np.minimum(count, MOST).astype(np.float64)  # a single frequent value must not decide
    neighbors = np.diff(distinct) == 1
    equal, near = (size * (size - 1) / 2).sum(), (size[1:] * size[:-1])[neighbors].sum()
    return bool(near <= HALF * equal)
