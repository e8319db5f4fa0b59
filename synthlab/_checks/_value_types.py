"""Kinds of values in columns, and checks that two columns have the same kind."""

from __future__ import annotations

import datetime
import numbers
from collections.abc import Sequence

import numpy as np
import pandas as pd

from synthlab.exceptions import DtypeMismatchError

TIME_SPAN = "time span"

DAY, ZONED = "datetime.date", "date with a time zone"


def categories_of(series: pd.Series) -> pd.Series:
    """Return the categories of a categorical column as a series with their dtype."""
    categories = series.cat.categories
    return pd.Series(categories, dtype=categories.dtype)


def kind_of(series: pd.Series) -> str:
    """Return the kind of values of a column: number, bool, date, time span, text, ..."""
    values = categories_of(series) if isinstance(series.dtype, pd.CategoricalDtype) else series
    dtype = values.dtype
    if pd.api.types.is_bool_dtype(dtype):
        return "bool"
    if pd.api.types.is_numeric_dtype(dtype):
        return "number"
    if pd.api.types.is_datetime64_any_dtype(dtype):
        return "date"
    if pd.api.types.is_timedelta64_dtype(dtype):
        return TIME_SPAN
    if isinstance(dtype, pd.StringDtype):
        return "text" if values.notna().any() else "nothing"
    kinds = {kind_of_value(v) for v in values.dropna().unique()}
    if not kinds:
        return "nothing"
    return kinds.pop() if len(kinds) == 1 else "mixture"


def kind_of_value(value: object) -> str:
    if isinstance(value, bool | np.bool_):
        return "bool"
    if isinstance(value, numbers.Number):
        return "number"
    if isinstance(value, str):
        return "text"
    if isinstance(value, datetime.datetime | np.datetime64):  # a Timestamp is a datetime
        return "date"
    if isinstance(value, datetime.timedelta | np.timedelta64):  # a Timedelta is a timedelta
        return TIME_SPAN
    return type(value).__name__


def comparable_kind(series: pd.Series) -> str:
    """Return `kind_of`, and distinguish datetimes, days and dates with a time zone.

    Values of these three kinds never equal one another.
    """
    kind = kind_of(series)
    values = categories_of(series) if isinstance(series.dtype, pd.CategoricalDtype) else series
    if kind != "date":
        return kind
    if isinstance(values.dtype, np.dtype) and values.dtype.kind == "M":
        return kind
    if isinstance(values.dtype, pd.DatetimeTZDtype):
        return ZONED
    kinds = {_comparable_date(v) for v in values.dropna().unique()}
    return kinds.pop() if len(kinds) == 1 else "mixture"


def _comparable_date(value: object) -> str:
    if isinstance(value, datetime.date) and not isinstance(value, datetime.datetime):
        return DAY
    return "date" if getattr(value, "tzinfo", None) is None else ZONED


def check_same_kind(
    confidential: pd.DataFrame,
    frames: Sequence[pd.DataFrame],
    columns: Sequence[str],
    name: str | None = None,
    first: str = "confidential",
) -> None:
    """Raise an error if a column has different kinds of values in two frames.

    `first` names the first frame in messages; `name` names the other frame if it is not a synthetic dataset.
    """
    dtypes = [frame.dtypes.to_dict() for frame in frames]
    for column in columns:
        dtype, kind = confidential[column].dtype, ""
        for number, frame in enumerate(frames, start=1):
            if frame is confidential or dtypes[number - 1][column] == dtype != np.dtype(object):
                continue  # only objects of one dtype can be of two kinds
            kind = kind or comparable_kind(confidential[column])
            other = comparable_kind(frame[column])
            if "nothing" not in (kind, other) and kind != other:
                raise DtypeMismatchError(
                    f"column {column!r} holds {kind} values ({confidential[column].dtype}) in {first} and {other} "
                    f"values ({frame[column].dtype}) in {name or f'synthetic dataset {number}'}, so that no values could match; "
                    "use the same type in both"
                    + (
                        f", for example {_aligned(column, kind, other, name or 'synthetic')}"
                        if first == "confidential"
                        else ""
                    )
                )


def _aligned(column: str, kind: str, other: str, name: str) -> str:
    """Return code that gives two columns the same kind."""
    if DAY in (kind, other):
        return f"pd.to_datetime({'confidential' if kind == DAY else name}[{column!r}])"
    if ZONED in (kind, other) and "date" in (kind, other):
        return f"{'confidential' if kind == ZONED else name}[{column!r}].dt.tz_convert(None)"
    return f"{name}[{column!r}].astype(confidential[{column!r}].dtype)"
