"""Frames to R and back by rpy2: factors, missing values of every type, large integers, text, dates, labelled codes.

rpy2's own conversion loses some of these in silence (an integer NA comes back as -2147483648, a
category that is not text turns into text), so every column is encoded by `synthlab.r.vectors`. Column names are
passed as values; no R code is ever built from them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab.exceptions import InputError
from synthlab.r.session import require
from synthlab.r.sexp import classes_of, described, slot
from synthlab.r.vectors import LABELLED, Vector, check_columns, decode, encode, names_of, no_counterpart


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
    """Turn one column into an R vector."""
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
    if vector.classes:
        result.rclass = rinterface.StrSexpVector(vector.classes)
    return result


def from_r(data: Any) -> pd.DataFrame:
    """Turn an R data.frame into a DataFrame: the inverse of `to_r`.

    Factors become categories (of text; an NA level is missing), integer NA a missing ``Int64``, logical NA a missing
    ``boolean``, character NA a missing ``str`` (NaN), Date and POSIXct, also of integers, datetime64 (in UTC).
    Columns of haven (class "haven_labelled") are taken as `synthlab.read` takes them: categories of the labels where all codes
    have one, else their values; codes that count as missing are missing. Row names are left out.

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
    return pd.DataFrame({name: vector_from_r(column, f"column {name!r} of R") for name, column in columns})


def _texts(values: Iterable[Any], where: str) -> list[str]:
    """Return R's texts, none of which may be missing."""
    from rpy2 import rinterface

    texts = list(values)
    if any(v is rinterface.NA_Character for v in texts):
        raise InputError(f"{where} is missing (NA)")
    return [str(v) for v in texts]


def vector_from_r(vector: Any, where: str = "the vector of R") -> pd.Series:
    """Turn one R vector into a column."""
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
    return decode(
        Vector(storage, values, absent, tuple(classes), None if levels is None else _levels(levels), **more), where
    )


def _stored(vector: Any) -> tuple[str, Any, Any] | None:
    """Return how a vector is stored, its values, and which are NA; None for what is no such vector."""
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
    """Return the attributes of haven's labelled vectors."""
    labels, codes, span = (slot(vector, name) for name in ("labels", "na_values", "na_range"))
    known = {} if labels is None or _stored(labels) is None else _named(labels)
    return {"labels": known, "user_missing": tuple(codes or ()), "missing_range": tuple(span or ())}


def _named(labels: Any) -> dict[Any, str]:
    """Return code and label of each label; a tagged NA has a label of its own, and is missing here."""
    words = [str(word) for word in slot(labels, "names") or ()]
    _, codes, absent = _stored(labels) or ("", [], [])
    return {c: word for c, word, gone in zip(list(codes), words, absent, strict=True) if not gone}
