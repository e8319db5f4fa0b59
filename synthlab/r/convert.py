"""Frames to R and back, in one place: factors, missing values of every type, large integers, text, dates.

rpy2's own conversion loses some of these in silence (an integer NA comes back as -2147483648, a
category that is not text turns into text), so every column is encoded here. Column names are
passed as values; no R code is ever built from them.
"""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab.exceptions import InputError
from synthlab.r.session import require

INT_MAX = 2**31 - 1
EXACT_DOUBLE = 2**53
MICROSECONDS_A_DAY = 86_400 * 10**6


def to_r(frame: pd.DataFrame) -> Any:
    """Turn a DataFrame into an R data.frame.

    Parameters
    ----------
    frame : pandas.DataFrame
        Columns: categories (any type; they become factors whose levels are their text), text,
        truth values, whole numbers (doubles where they exceed R's integers), numbers, dates
        (of pandas or of datetime, to the microsecond; Date where all of a column are whole days,
        else POSIXct in UTC). A column without a single value becomes a logical one.

    Returns
    -------
    rpy2.rinterface.ListSexpVector
        An R data.frame; missing values are R's NA of the column's type.

    Raises
    ------
    InputError
        A column of mixed types or of a type that has no counterpart, such as complex numbers or
        dates with a time zone; whole numbers beyond 2**53; two columns or two categories that
        read the same as text.
    RUnavailableError
        R or rpy2 is missing.
    """
    require()
    from rpy2 import rinterface

    frame = _checks.check_frame(frame, "frame")
    names = _check_names([str(c) for c in frame.columns], "frame")
    result = rinterface.ListSexpVector([vector_to_r(frame[c]) for c in frame.columns])
    result.do_slot_assign("names", rinterface.StrSexpVector(names))
    result.do_slot_assign("row.names", rinterface.IntSexpVector([rinterface.NA_Integer, -len(frame)]))
    result.rclass = rinterface.StrSexpVector(["data.frame"])
    return result


def _check_names(names: list[str], where: str) -> list[str]:
    """Return the names, or raise where two are the same: the other side would keep one column of the two."""
    twice = dict.fromkeys(name for name in names if names.count(name) > 1)
    if twice:
        raise InputError(f"{where}: two columns have the same name as text: {_checks.shorten(twice)}")
    return names


def vector_to_r(series: pd.Series) -> Any:
    """Turn one column into an R vector."""
    from rpy2 import rinterface

    dtype, absent = series.dtype, series.isna().to_numpy()
    if isinstance(dtype, pd.CategoricalDtype):
        codes = [rinterface.NA_Integer if c < 0 else int(c) + 1 for c in series.cat.codes]
        vector = rinterface.IntSexpVector(codes)
        levels = [str(level) for level in dtype.categories]
        if len(set(levels)) < len(levels):
            raise InputError(f"column {series.name!r}: two of its categories read the same as text: {levels}")
        vector.do_slot_assign("levels", rinterface.StrSexpVector(levels))
        vector.rclass = rinterface.StrSexpVector([*(["ordered"] if dtype.ordered else []), "factor"])
        return vector
    kind = _checks.comparable_kind(series)
    if kind in ("truth value", "nothing"):
        return rinterface.BoolSexpVector(
            [rinterface.NA_Logical if gone else bool(v) for v, gone in zip(series, absent, strict=True)]
        )
    if kind == "number":
        return _number_to_r(series, absent)
    if kind == "text":
        return rinterface.StrSexpVector(
            [rinterface.NA_Character if gone else str(v) for v, gone in zip(series, absent, strict=True)]
        )
    if kind in ("date", _checks.DAY):
        return _dates_to_r(series, absent)
    if kind == _checks.ZONED:
        raise InputError(
            f"column {series.name!r}: dates with a time zone are not passed to R; use .dt.tz_convert(None)"
        )
    if kind == "mixture":
        raise InputError(f"column {series.name!r} holds a mixture of values; give it one type before passing it to R")
    raise InputError(f"column {series.name!r} holds {kind} values, which have no counterpart in R")


def _number_to_r(series: pd.Series, absent: np.ndarray) -> Any:
    from rpy2 import rinterface

    if not pd.api.types.is_float_dtype(series.dtype):
        # Floating-point numbers are R's own doubles; of all others (an object column may hold any) whole ones must fit.
        values = [int(v) if isinstance(v, Integral) else v for v in series[~absent]]
        exact = [v for v in values if not isinstance(v, float | np.floating)]
        if any(isinstance(v, complex | np.complexfloating) for v in exact):
            raise InputError(f"column {series.name!r} holds complex numbers, which are not passed to R")
        largest = max((abs(v) for v in exact), default=0)
        if largest > EXACT_DOUBLE:
            raise InputError(f"column {series.name!r}: whole numbers beyond 2**53 have no exact counterpart in R")
        if largest <= INT_MAX and all(isinstance(v, int) for v in values):
            every = zip(series, absent, strict=True)
            return rinterface.IntSexpVector([rinterface.NA_Integer if gone else int(v) for v, gone in every])
    return _doubles(_checks.as_float(series), absent)


def _dates_to_r(series: pd.Series, absent: np.ndarray) -> Any:
    from rpy2 import rinterface

    dates = series if isinstance(series.dtype, np.dtype) and series.dtype.kind == "M" else series.astype(object)
    micro = pd.to_datetime(dates).to_numpy("datetime64[us]").astype(np.int64)
    whole = bool((micro[~absent] % MICROSECONDS_A_DAY == 0).all())
    vector = _doubles(micro / (MICROSECONDS_A_DAY if whole else 10**6), absent)
    if not whole:
        vector.do_slot_assign("tzone", rinterface.StrSexpVector(["UTC"]))
    vector.rclass = rinterface.StrSexpVector(["Date"] if whole else ["POSIXct", "POSIXt"])
    return vector


def _doubles(values: np.ndarray, absent: np.ndarray) -> Any:
    from rpy2 import rinterface

    return rinterface.FloatSexpVector(
        [rinterface.NA_Real if gone else float(v) for v, gone in zip(values, absent, strict=True)]
    )


def from_r(data: Any) -> pd.DataFrame:
    """Turn an R data.frame into a DataFrame: the inverse of `to_r`.

    Factors become categories (of text), integer NA a missing ``Int64``, logical NA a missing
    ``boolean``, character NA a missing ``str`` (NaN), Date and POSIXct datetime64.

    Raises
    ------
    InputError
        A column of a type that has no counterpart here, or two columns of one name.
    """
    names = _check_names([str(n) for n in data.do_slot("names")], "the data.frame of R")
    return pd.DataFrame({name: vector_from_r(column) for name, column in zip(names, data, strict=True)})


def vector_from_r(vector: Any) -> pd.Series:
    """Turn one R vector into a column."""
    from rpy2 import rinterface

    classes = list(vector.rclass)
    if "factor" in classes:
        codes = np.array(vector, dtype=np.int64)
        codes = np.where(codes == rinterface.NA_Integer, 0, codes) - 1
        levels = pd.Index([str(level) for level in vector.do_slot("levels")])
        return pd.Series(pd.Categorical.from_codes(codes, levels, ordered="ordered" in classes))
    if isinstance(vector, rinterface.BoolSexpVector):
        truths = [None if v is rinterface.NA_Logical else bool(v) for v in vector]
        return pd.Series(truths, dtype="boolean" if None in truths else "bool")
    if isinstance(vector, rinterface.IntSexpVector):
        numbers = np.array(vector, dtype=np.int64)
        gone = numbers == -(2**31)
        if not gone.any():
            return pd.Series(numbers)
        return pd.Series(pd.arrays.IntegerArray(np.where(gone, 1, numbers), gone))
    if isinstance(vector, rinterface.FloatSexpVector):
        doubles = np.array(vector, dtype=np.float64)
        if "Date" in classes:
            return _moments(doubles, MICROSECONDS_A_DAY)
        if "POSIXct" in classes:
            return _moments(doubles, 10**6)
        return pd.Series(doubles)
    if isinstance(vector, rinterface.StrSexpVector):
        return pd.Series([None if v is rinterface.NA_Character else str(v) for v in vector], dtype="str")
    raise InputError(f"an R vector of class {classes} has no counterpart here")


def _moments(values: np.ndarray, microseconds: int) -> pd.Series:
    """Return dates from days or seconds since 1970; a double of R holds no finer moment of our time."""
    gone = np.isnan(values)
    whole = np.rint(np.where(gone, 0.0, values) * microseconds).astype(np.int64)
    return pd.Series(whole.astype("datetime64[us]")).mask(gone)
