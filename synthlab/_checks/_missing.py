"""Missing values of columns: where they are, what they mean, and where there may be none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from synthlab._checks._arguments import check_choice
from synthlab._checks._numeric import as_float
from synthlab._typing import BoolArray, Columns
from synthlab.exceptions import InputError, MissingValueError

MEANING_OF_MISSING = (
    'say what they mean with missing="category" (missing equals missing) or missing="never" (missing matches nothing)'
)


def check_finite_or_missing(
    frame: Columns, columns: Sequence[str], *, where: str, numeric: Sequence[str], missing: str
) -> None:
    """Raise on infinities in `numeric` columns, and on missing values when `missing` is "raise"."""
    for column in columns:
        if missing == "raise":
            check_present(frame, column, where, MEANING_OF_MISSING)
        if column in numeric:
            check_no_infinity(frame, column, where)


def check_meaning(missing: object, function: str, refused: Mapping[str, str] | None = None) -> str:
    """Return what a missing value is, "raise", "category" or "never"; `refused` says of what a function cannot do, why."""
    value: str = check_choice(missing, "missing", ("raise", "category", "never"))
    for other, why in (refused or {}).items():
        if value == other:
            rest = " or ".join(repr(v) for v in ("raise", "category", "never") if v not in (refused or {}))
            raise InputError(f"missing={value!r}: {why}; {function} takes {rest}")
    return value


def check_present(frame: Columns, column: str, where: str, hint: str) -> None:
    """Raise on missing values; `hint` says what the caller can do."""
    # Of the array: a new Series takes longer than a small file.
    count = int(np.count_nonzero(np.asarray(frame[column].array.isna())))
    if count:
        raise MissingValueError(f"{where}: column {column!r} has {count} missing values; {hint}")


def check_no_infinity(frame: Columns, column: str, where: str) -> None:
    """Raise on infinite values of a numeric column."""
    series = frame[column]
    count = int(np.isinf(as_float(series)).sum()) if pd.api.types.is_numeric_dtype(series.dtype) else 0
    if count:
        raise InputError(f"{where}: column {column!r} has {count} infinite values; values must be finite")


def missing_mask(series: pd.Series) -> BoolArray:
    """Return where a column is missing."""
    return series.isna().to_numpy(dtype=bool)


def complete_mask(frame: Columns, columns: Sequence[str]) -> BoolArray:
    """Return which records have all of the columns."""
    return np.asarray(np.logical_and.reduce([~missing_mask(frame[column]) for column in columns]), dtype=bool)
