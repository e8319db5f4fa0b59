"""Hashes of values compared by value; equal values have equal hashes in all files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from synthlab import _checks
from synthlab._typing import BoolArray, IntArray

BUCKETS = 2**16
Hashes = npt.NDArray[np.uint64]
_MIX, _MISSING = np.uint64(0x9E3779B97F4A7C15), np.uint64(0x5851F42D4C957F2D)


def typed(frame: pd.DataFrame, dtypes: Mapping[str, Any]) -> pd.DataFrame:
    """Return the columns with the dtypes that all files share."""
    columns = {}
    for name, dtype in dtypes.items():
        series = frame[name]
        if series.dtype != dtype and series.dtype == np.float64 and not pd.api.types.is_float_dtype(dtype):
            series = pd.Series([pd.NA] * len(series), index=series.index, dtype=object)  # nothing but missing values
        columns[name] = series if series.dtype == dtype else series.astype(dtype)
    return pd.DataFrame(columns, index=frame.index)


def hashes(frame: pd.DataFrame, columns: Sequence[str]) -> Hashes:
    """Return one hash per record over `columns`, whose dtypes all files share."""
    found = np.zeros(len(frame), dtype=np.uint64)
    for column in columns:
        series = frame[column]
        one = pd.util.hash_array(_plain(series), categorize=True)
        one[_checks.missing_mask(series)] = _MISSING
        found = (found ^ one) * _MIX
        found ^= found >> np.uint64(29)
    return found


def _plain(series: pd.Series) -> Any:
    dtype = series.dtype
    if isinstance(dtype, pd.StringDtype):
        return series.astype(object).fillna("").to_numpy(dtype=object)
    if pd.api.types.is_datetime64_any_dtype(dtype):
        return series.astype("int64").to_numpy()
    if pd.api.types.is_bool_dtype(dtype):
        return series.fillna(False).to_numpy(dtype=np.int64)
    if _checks.is_whole(dtype):
        return series.fillna(0).to_numpy(dtype=np.int64 if "u" not in str(dtype).lower() else np.uint64)
    return _checks.without_rounding_errors(_checks.as_float(series)) + 0.0


def lost(frame: pd.DataFrame, columns: Sequence[str]) -> BoolArray:
    """Return a mask of records with a missing value in any of the columns."""
    found = np.zeros(len(frame), dtype=bool)
    for column in columns:
        found |= _checks.missing_mask(frame[column])
    return found


def buckets(numbers: Hashes) -> IntArray:
    """Return the bucket of each hash."""
    return (numbers >> np.uint64(48)).astype(np.int64)
