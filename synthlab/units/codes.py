"""Numbers of the units, and columns as numbers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._typing import BoolArray, ColumnNames, FloatArray, IntArray


def unit_codes(frame: pd.DataFrame, unit: ColumnNames) -> IntArray:
    """Return the number of the unit of each record, shape (n,).

    Units are numbered from 0 in the order of their first record. A record without a unit number is a unit of its own.

    Parameters
    ----------
    frame : pandas.DataFrame, n rows
    unit : str or sequence of str
        The columns that together identify a unit.

    Raises
    ------
    InputError
        If `unit` does not name at least one column of the frame.

    Examples
    --------
    >>> import pandas as pd
    >>> unit_codes(pd.DataFrame({"hhid": [7, 9, 7, None, None]}), "hhid").tolist()
    [0, 1, 0, 2, 3]
    """
    columns = _checks.check_columns(frame, unit, "unit", where="the data")
    codes = value_codes(frame, columns)
    missing = frame[columns].isna().any(axis=1).to_numpy(dtype=bool)
    codes[missing] = codes.max(initial=-1) + 1 + np.arange(missing.sum())
    return pd.factorize(codes)[0].astype(np.int64)


def value_codes(frame: pd.DataFrame, columns: Sequence[str]) -> IntArray:
    """Return the number of the combination of values of each record; a missing value is a value."""
    result = np.zeros(len(frame), dtype=np.int64)
    for column in columns:
        own = pd.factorize(frame[column], use_na_sentinel=False)[0].astype(np.int64)
        result = pd.factorize(result * (own.max(initial=0) + 1) + own)[0].astype(np.int64)
    return result


def has_level(series: pd.Series, level: object) -> BoolArray:
    """Return which values equal a level; missing values do not."""
    return np.asarray((series == level).fillna(False), dtype=bool)


def per_unit(marked: BoolArray, code: IntArray, units: int) -> IntArray:
    """Return the number of marked records of each unit, shape (units,)."""
    return np.bincount(code[marked], minlength=units).astype(np.int64)


def extremes(values: FloatArray, marked: BoolArray, code: IntArray, units: int) -> tuple[FloatArray, FloatArray]:
    """Return the smallest and largest number of the marked records of each unit.

    They are +inf and -inf if a unit has no marked record with a number.
    """
    used = marked & ~np.isnan(values)
    low, high = np.full(units, np.inf), np.full(units, -np.inf)
    np.minimum.at(low, code[used], values[used])
    np.maximum.at(high, code[used], values[used])
    return low, high


def ranks(series: pd.Series) -> FloatArray:
    """Return numbers in the order of the values; a missing value is the last one."""
    if isinstance(series.dtype, pd.CategoricalDtype):
        codes = series.cat.codes.to_numpy(dtype=np.float64)
        return np.where(codes < 0, np.inf, codes)
    if series.dtype == object and _checks.kind_of(series) == "mixture":
        series = series.astype(str).where(series.notna())
    codes = pd.factorize(series, sort=True)[0].astype(np.float64)
    return np.where(codes < 0, np.inf, codes)


def new_numbers(like: pd.Series, numbers: IntArray) -> pd.Series:
    """Return numbers with the type of an identifier, as text if the identifier is text."""
    series = pd.Series(numbers)
    if pd.api.types.is_numeric_dtype(like.dtype):
        return series.astype(like.dtype)
    return series.astype(str).astype(str if isinstance(like.dtype, pd.CategoricalDtype) else like.dtype)
