"""Frames to R and back, in one place: factors, missing values of every type, large integers, text, dates.

rpy2's own conversion loses some of these in silence (an integer NA comes back as -2147483648, a
category that is not text turns into text), so every column is encoded here. Column names are
passed as values; no R code is ever built from them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from numbers import Integral
from typing import Any

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab.exceptions import InputError
from synthlab.r.session import require

INT_MAX = 2**31 - 1
MICROSECONDS_A_DAY = 86_400 * 10**6
MOMENTS = {"Date": MICROSECONDS_A_DAY, "POSIXct": 10**6}
# Classes that say no more than how values are stored or printed.
PLAIN = frozenset({"logical", "integer", "numeric", "character", "array", "table", "AsIs", "noquote"})
INSTEAD = {
    "difftime": 'as.numeric(x, units = "secs"), or other units',
    "integer64": "as.character(x), or as.numeric(x) up to 2^53",
}


def to_r(frame: pd.DataFrame) -> Any:
    """Turn a DataFrame into an R data.frame.

    Parameters
    ----------
    frame : pandas.DataFrame
        Columns: categories (any type; they become factors whose levels are their text), text,
        truth values, whole numbers (doubles where they exceed R's integers), numbers, dates
        (of pandas or of datetime; Date where all of a column are whole days, else POSIXct in UTC,
        exact to the microsecond from 1700 to 2240: R counts seconds in a double, which is coarser
        further away from 1970). A column without a single value becomes a logical one.

    Returns
    -------
    rpy2.rinterface.ListSexpVector
        An R data.frame; missing values are R's NA of the column's type.

    Raises
    ------
    InputError
        A column of mixed types or of a type that has no counterpart, such as complex numbers or
        dates with a time zone; whole numbers beyond 2**53; two columns or two categories that
        read the same as text; text, a category or a name with a NUL character, where R ends a
        string, or with half a surrogate pair, which is not Unicode text.
    RUnavailableError
        R or rpy2 is missing.
    """
    require()
    from rpy2 import rinterface

    frame = _checks.check_frame(frame, "frame")
    names = _check_names(_check_text([str(c) for c in frame.columns], "frame: the column name"), "frame")
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


def _check_text(texts: list[str], where: str) -> list[str]:
    """Return the texts, or raise where R cannot hold one: it would cut it off, and so take different texts for one."""
    for place, text in enumerate(texts):
        if "\0" in text:
            raise InputError(
                f"{where} at position {place} holds a NUL character; no text in R can, a string ends there: remove it"
            )
        if any("\ud800" <= letter <= "\udfff" for letter in text):
            raise InputError(
                f"{where} at position {place} holds half a surrogate pair, which is not Unicode text: remove it"
            )
    return texts


def vector_to_r(series: pd.Series) -> Any:
    """Turn one column into an R vector."""
    from rpy2 import rinterface

    dtype, absent = series.dtype, series.isna().to_numpy()
    if isinstance(dtype, pd.CategoricalDtype):
        codes = [rinterface.NA_Integer if c < 0 else int(c) + 1 for c in series.cat.codes]
        vector = rinterface.IntSexpVector(codes)
        levels = _check_text([str(level) for level in dtype.categories], f"column {series.name!r}: the category")
        if len(set(levels)) < len(levels):
            raise InputError(f"column {series.name!r}: two of its {len(levels)} categories read the same as text")
        vector.do_slot_assign("levels", rinterface.StrSexpVector(levels))
        vector.rclass = rinterface.StrSexpVector([*(["ordered"] if dtype.ordered else []), "factor"])
        return vector
    kind = _checks.comparable_kind(series)
    if kind in ("bool", "nothing"):
        return rinterface.BoolSexpVector(_filled(series, absent, rinterface.NA_Logical, bool))
    if kind == "number":
        return _number_to_r(series, absent)
    if kind == "text":
        _check_text([str(v) for v in series[~absent]], f"column {series.name!r}: the text")
        return rinterface.StrSexpVector(_filled(series, absent, rinterface.NA_Character, str))
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
        if largest > _checks.LARGEST_EXACT:
            raise InputError(f"column {series.name!r}: whole numbers beyond 2**53 have no exact counterpart in R")
        if largest <= INT_MAX and all(isinstance(v, int) for v in values):
            return rinterface.IntSexpVector(_filled(series, absent, rinterface.NA_Integer, int))
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

    return rinterface.FloatSexpVector(_filled(values, absent, rinterface.NA_Real, float))


def _filled(values: Iterable[Any], absent: np.ndarray, missing: Any, turn: Callable[[Any], Any]) -> list[Any]:
    """Return values of R, `missing` where one is absent."""
    return [missing if gone else turn(value) for value, gone in zip(values, absent, strict=True)]


def from_r(data: Any) -> pd.DataFrame:
    """Turn an R data.frame into a DataFrame: the inverse of `to_r`.

    Factors become categories (of text; an NA level is missing), integer NA a missing ``Int64``, logical NA a missing
    ``boolean``, character NA a missing ``str`` (NaN), Date and POSIXct, also of integers, datetime64 (in UTC). Row names
    are left out.

    Parameters
    ----------
    data : rpy2.rinterface.ListSexpVector
        An R data.frame, or what inherits from it.

    Returns
    -------
    pandas.DataFrame

    Raises
    ------
    InputError
        What is no data.frame; a column of a type or a class that has no counterpart here, such as difftime, integer64,
        a matrix or a list; a date that datetime64 cannot hold; two columns of one name or a column without.
    """
    classes = list(getattr(data, "rclass", []))
    if "data.frame" not in classes:
        found = f"an R object of class {_checks.shorten(classes)}" if classes else type(data).__name__
        raise InputError(f"data: must be a data.frame of R, not {found}")
    names = _check_names(_texts(data.do_slot("names"), "the data.frame of R: a column name"), "the data.frame of R")
    columns = zip(names, data, strict=True)
    return pd.DataFrame({name: vector_from_r(column, f"column {name!r} of R") for name, column in columns})


def _texts(values: Iterable[Any], where: str) -> list[str]:
    """Return R's texts, none of which may be missing."""
    from rpy2 import rinterface

    texts = list(values)
    if any(v is rinterface.NA_Character for v in texts):
        raise InputError(f"{where} is missing (NA)")
    return [str(v) for v in texts]


def vector_from_r(vector: Any, where: str = "the vector of R") -> pd.Series:
    """Turn one R vector into a column: by its class, which says what the numbers mean, then by how it is stored."""
    from rpy2 import rinterface

    classes = list(vector.rclass)
    if len(_slot(vector, "dim") or ()) > 1:
        raise InputError(f"{where} is a matrix or an array; pass its columns one by one")
    if "factor" in classes:
        return _categories(vector, "ordered" in classes, where)
    moment = next((c for c in classes if c in MOMENTS), None)
    numeric = rinterface.BoolSexpVector, rinterface.IntSexpVector, rinterface.FloatSexpVector
    known = moment or all(c in PLAIN for c in classes)
    if not known or not isinstance(vector, numeric if moment else (*numeric, rinterface.StrSexpVector)):
        kind = "a list of class" if isinstance(vector, rinterface.ListSexpVector) else "class"
        turn = INSTEAD.get(classes[0], "as.numeric(x) or as.character(x)")
        raise InputError(f"{where}: {kind} {_checks.shorten(classes)} has no counterpart here; use {turn} in R")
    if isinstance(vector, rinterface.StrSexpVector):
        return pd.Series([None if v is rinterface.NA_Character else str(v) for v in vector], dtype="str")
    if isinstance(vector, rinterface.FloatSexpVector):
        doubles = np.array(vector, dtype=np.float64)
        return _moments(doubles, moment, where) if moment else pd.Series(doubles)
    if isinstance(vector, rinterface.BoolSexpVector):
        truths = [None if v is rinterface.NA_Logical else bool(v) for v in vector]
        if moment:
            return _moments(np.array(truths, dtype=np.float64), moment, where)
        return pd.Series(truths, dtype="boolean" if None in truths else "bool")
    numbers = np.array(vector, dtype=np.int64)
    gone = numbers == -(2**31)
    if moment:
        return _moments(np.where(gone, np.nan, numbers), moment, where)
    return pd.Series(pd.arrays.IntegerArray(np.where(gone, 1, numbers), gone) if gone.any() else numbers)


def _slot(vector: Any, name: str) -> Any:
    """Return an attribute of an R object, None where it has none of the name."""
    try:
        return vector.do_slot(name)
    except LookupError:
        return None


def _categories(vector: Any, ordered: bool, where: str) -> pd.Series:
    """Return the categories of a factor; a level that is NA, as addNA makes it, is no category but missing."""
    from rpy2 import rinterface

    levels = _slot(vector, "levels")
    if levels is None:
        raise InputError(f"{where} is a factor without levels")
    codes = np.array(vector, dtype=np.int64)
    codes = np.where(codes == rinterface.NA_Integer, 0, codes)
    there = np.array([v is not rinterface.NA_Character for v in levels], dtype=bool)
    places = np.concatenate([[-1], np.where(there, np.cumsum(there) - 1, -1)])
    names = pd.Index([str(v) for v, kept in zip(levels, there, strict=True) if kept])
    return pd.Series(pd.Categorical.from_codes(places[codes], names, ordered=ordered))


def _moments(values: np.ndarray, moment: str, where: str) -> pd.Series:
    """Return dates from days or seconds since 1970."""
    microseconds = MOMENTS[moment]
    gone = np.isnan(values)
    values = np.where(gone, 0.0, values)
    beyond = np.abs(values) >= (2**63 - 1) // microseconds
    if beyond.any():
        raise InputError(
            f"{where}: a {moment} is beyond the years that datetime64 can hold: {_checks.first_of(beyond)}"
        )
    # The whole part apart from the rest: their product in one would be rounded.
    whole = np.floor(values)
    exact = whole.astype(np.int64) * microseconds + np.rint((values - whole) * microseconds).astype(np.int64)
    return pd.Series(exact.astype("datetime64[us]")).mask(gone)
