"""Conversion of data frames to R and back by rpy2.

The conversion of rpy2 itself silently loses information: an integer NA becomes -2147483648, and a category that is not text
becomes text. Therefore, `synthlab.io.r_vectors` encodes every column, including factors, missing values, large integers, dates
and labeled codes. Column names are passed as values; no R code is built from them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab.exceptions import InputError
from synthlab.io.r_vectors import (
    LABELLED,
    Vector,
    check_columns,
    decode,
    decode_frame,
    encode,
    label_codes,
    names_of,
    no_counterpart,
)
from synthlab.r.session import require
from synthlab.r.sexp import classes_of, described, slot


def to_r(frame: pd.DataFrame) -> Any:
    """Convert a DataFrame to an R data.frame.

    Parameters
    ----------
    frame : pandas.DataFrame
        Data with columns of these types. Categories of any type become factors whose levels are the categories as text.
        Text, booleans and numbers keep their type; whole numbers that exceed R's integers become doubles. Dates of pandas or
        datetime become Date if the whole column consists of whole days, and otherwise POSIXct in UTC. POSIXct is
        exact to the microsecond from 1700 to 2240, because R counts seconds in a double. Dates with a named time zone become
        POSIXct in this zone, and time spans become difftime in seconds. A column without any value becomes logical.

    Returns
    -------
    rpy2.rinterface.ListSexpVector
        R data.frame; missing values are the NA of the column's type in R.

    Raises
    ------
    InputError
        If a column has mixed types or a type without a counterpart in R, such as complex numbers or dates with several time zones; if
        whole numbers exceed 2**53; if two columns or two categories are equal as text; or if text, a category or a name
        contains a NUL character (where R ends a string) or half a surrogate pair (which is not Unicode text).
    RUnavailableError
        If R or rpy2 is missing.

    Examples
    --------
    >>> import pandas as pd
    >>> import synthlab.r
    >>> people = pd.DataFrame({"age": pd.array([30, None], dtype="Int64"), "region": pd.Categorical(["n", "s"])})
    >>> if synthlab.r.probe().usable:
    ...     pd.testing.assert_frame_equal(synthlab.r.from_r(synthlab.r.to_r(people)), people)
    """
    require()
    from rpy2 import rinterface

    frame = _checks.check_frame(frame, "frame")
    names = names_of(frame)
    result = rinterface.ListSexpVector([vector_to_r(frame[c]) for c in frame.columns])
    result.do_slot_assign("names", rinterface.StrSexpVector(names))
    result.do_slot_assign("row.names", rinterface.IntSexpVector([rinterface.NA_Integer, -len(frame)]))
    result.rclass = rinterface.StrSexpVector(["data.frame"])
    return result


def vector_to_r(series: pd.Series) -> Any:
    """Convert one column to an R vector."""
    from rpy2 import rinterface

    vector = encode(series)
    kind, missing, turn = {
        "logical": (rinterface.BoolSexpVector, rinterface.NA_Logical, bool),
        "integer": (rinterface.IntSexpVector, rinterface.NA_Integer, int),
        "double": (rinterface.FloatSexpVector, rinterface.NA_Real, float),
        "character": (rinterface.StrSexpVector, rinterface.NA_Character, str),
    }[vector.storage]
    result = kind([missing if gone else turn(v) for v, gone in zip(vector.values, vector.absent, strict=True)])
    if vector.levels is not None:
        result.do_slot_assign("levels", rinterface.StrSexpVector(vector.levels))
    if vector.zone:
        result.do_slot_assign("tzone", rinterface.StrSexpVector([vector.zone]))
    if vector.units:
        result.do_slot_assign("units", rinterface.StrSexpVector([vector.units]))
    if vector.classes:
        result.rclass = rinterface.StrSexpVector(vector.classes)
    return result


def from_r(data: Any) -> pd.DataFrame:
    """Convert an R data.frame to a DataFrame; the inverse of `to_r`.

    Columns are converted as by `synthlab.read`. Factors become categories of text; an NA level is missing. Integer columns
    with NA become ``Int64``, logical columns with NA ``boolean``, and character columns ``str`` with NaN. Date, POSIXct, and
    yearmon and yearqtr of zoo become datetime64, also if they are stored as integers. A POSIXct keeps its time zone; without
    one, or with UTC, it becomes a datetime in UTC without a zone. difftime and hms become timedelta64. Columns of haven
    (class "haven_labelled") become categories if every code has a label, and keep their values otherwise; codes declared as
    missing are missing, and their kinds are kept as by `synthlab.read`. Row names are dropped.

    Parameters
    ----------
    data : rpy2.rinterface.ListSexpVector
        R data.frame, or an object that inherits from it.

    Returns
    -------
    pandas.DataFrame

    Raises
    ------
    InputError
        If `data` is not a data.frame; if a column has a type or class without a counterpart, such as complex numbers,
        POSIXlt, a matrix or a list; if datetime64 cannot represent a date; or if a column name is repeated or missing.

    Warns
    -----
    ColumnTypeWarning
        If the class of a column is unknown, so that its stored values are used.

    Examples
    --------
    >>> import synthlab.r
    >>> if synthlab.r.probe().usable:
    ...     made = synthlab.r.require().r("data.frame(sex = factor(c('f', NA)), age = c(30L, NA))")
    ...     frame = synthlab.r.from_r(made)
    ...     assert frame["age"].dtype == "Int64" and frame["sex"].isna().tolist() == [False, True]
    """
    if "data.frame" not in classes_of(data):
        raise InputError(f"data: must be a data.frame of R, not {described(data)}")
    names = check_columns(_texts(data.do_slot("names"), "the data.frame of R: a column name"), "the data.frame of R")
    columns = zip(names, data, strict=True)
    vectors = {name: (_vector(column, where := f"column {name!r} of R"), where) for name, column in columns}
    return decode_frame(vectors, len(next(iter(vectors.values()))[0].absent) if vectors else 0)


def _texts(values: Iterable[Any], where: str) -> list[str]:
    """Return the strings of R; raise if one is missing."""
    from rpy2 import rinterface

    texts = list(values)
    if any(v is rinterface.NA_Character for v in texts):
        raise InputError(f"{where} is missing (NA)")
    return [str(v) for v in texts]


def vector_from_r(vector: Any, where: str = "the vector of R") -> pd.Series:
    """Convert one R vector to a column."""
    return decode(_vector(vector, where), where)


def _vector(vector: Any, where: str) -> Vector:
    classes = list(vector.rclass)
    if len(slot(vector, "dim") or ()) > 1:
        raise InputError(f"{where} is a matrix or an array; pass its columns one by one")
    stored = _stored(vector)
    if stored is None:
        from rpy2 import rinterface

        raise no_counterpart(where, classes, isinstance(vector, rinterface.ListSexpVector))
    storage, values, absent = stored
    levels = slot(vector, "levels")
    more = _labels(vector) if LABELLED.intersection(classes) else {}
    more |= {"zone": _first_text(vector, "tzone"), "units": _first_text(vector, "units")}
    return Vector(storage, values, absent, tuple(classes), None if levels is None else _levels(levels), **more)


def _first_text(vector: Any, name: str) -> str:
    texts = slot(vector, name)
    return str(texts[0]) if classes_of(texts) == ["character"] and len(texts) else ""


def _stored(vector: Any) -> tuple[str, Any, Any] | None:
    """Return storage, values and NA mask of a vector; None if it is not supported."""
    from rpy2 import rinterface

    if isinstance(vector, rinterface.StrSexpVector):
        gone = [v is rinterface.NA_Character for v in vector]
        return "character", ["" if a else str(v) for v, a in zip(vector, gone, strict=True)], np.array(gone, dtype=bool)
    if isinstance(vector, rinterface.BoolSexpVector):
        gone = [v is rinterface.NA_Logical for v in vector]
        truths = [0 if a else int(v) for v, a in zip(vector, gone, strict=True)]
        return "logical", np.array(truths, dtype=np.int64), np.array(gone, dtype=bool)
    if isinstance(vector, rinterface.IntSexpVector):
        whole = np.array(vector, dtype=np.int64)
        return "integer", whole, whole == -(2**31)
    if isinstance(vector, rinterface.FloatSexpVector):
        doubles = np.array(vector, dtype=np.float64)
        return "double", doubles, np.isnan(doubles)
    return None


def _levels(levels: Any) -> tuple[str | None, ...]:
    from rpy2 import rinterface

    return tuple(None if v is rinterface.NA_Character else str(v) for v in levels)


def _labels(vector: Any) -> dict[str, Any]:
    """Return the attributes of a labeled vector of haven."""
    labels, codes, span = (slot(vector, name) for name in ("labels", "na_values", "na_range"))
    known = {} if labels is None or _stored(labels) is None else _named(labels)
    return {"labels": known, "user_missing": tuple(codes or ()), "missing_range": tuple(span or ())}


def _named(labels: Any) -> dict[Any, str]:
    """Return the label of each code."""
    words = [str(word) for word in slot(labels, "names") or ()]
    storage, codes, absent = _stored(labels) or ("", [], np.array([], dtype=bool))
    return label_codes(storage, codes, absent, words)
