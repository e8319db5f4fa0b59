"""Checks of missing and infinite values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from synthlab._checks._arguments import check_choice
from synthlab._checks._numeric import as_float
from synthlab._typing import BoolArray, Columns
from synthlab.exceptions import InputError, MissingValueError

MEANING_OF_MISSING = (
    'set their meaning with missing="category" (missing equals missing) or missing="never" (missing matches nothing)'
)


def check_finite_or_missing(
    frame: Columns, columns: Sequence[str], *, where: str, numeric: Sequence[str], missing: str
) -> None:
    """Raise an error for infinite values or undeclared missing values.

    Infinite values are checked in `numeric` columns, missing values if `missing` is "raise".
    """
    for column in columns:
        if missing == "raise":
            check_present(frame, column, where, MEANING_OF_MISSING)
        if column in numeric:
            check_no_infinity(frame, column, where)


def check_meaning(missing: object, function: str, refused: Mapping[str, str] | None = None) -> str:
    """Return the treatment of missing values: "raise", "category" or "never".

    `refused` gives the reasons why the function does not support some of them.
    """
    value: str = check_choice(missing, "missing", ("raise", "category", "never"))
    for other, why in (refused or {}).items():
        if value == other:
            rest = " or ".join(repr(v) for v in ("raise", "category", "never") if v not in (refused or {}))
            raise InputError(f"missing={value!r}: {why}; {function} accepts {rest}")
    return value


def check_present(frame: Columns, column: str, where: str, hint: str) -> None:
    """Raise an error for missing values; `hint` states what the caller can do."""
    count = int(np.count_nonzero(missing_mask(frame[column])))
    if count:
        raise MissingValueError(f"{where}: column {column!r} has {count} missing values; {hint}")


def check_no_infinity(frame: Columns, column: str, where: str) -> None:
    """Raise an error for infinite values of a numeric column."""
    series = frame[column]
    count = int(np.isinf(as_float(series)).sum()) if pd.api.types.is_numeric_dtype(series.dtype) else 0
    if count:
        raise InputError(f"{where}: column {column!r} has {count} infinite values; values must be finite")


def missing_mask(series: pd.Series) -> BoolArray:
    """Return a mask of the missing values of a column."""
    if isinstance(series.dtype, np.dtype) and series.dtype.kind in "biu":
        return np.zeros(len(series), dtype=bool)  # these dtypes have no missing values
    # The array is used because creating a Series would take longer than reading a small file.
    return np.asarray(series.array.isna(), dtype=bool)


def complete_mask(frame: Columns, columns: Sequence[str]) -> BoolArray:
    """Return a mask of the records without missing values in the columns."""
    return np.asarray(np.logical_and.reduce([~missing_mask(frame[column]) for column in columns]), dtype=bool)
