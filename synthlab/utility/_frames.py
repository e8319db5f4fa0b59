"""Select the variables to compare, determine their kinds, and check that they are comparable.

A column is a measurement if its dtype is numeric, a date or a time span, or if its texts are all ISO dates. Other text, bools and pandas categories are
categories. A column of objects that holds numbers could be either, so it raises an error unless the caller lists it
as categorical.

Utility compares distributions, not records: the rows need not be aligned, and the synthetic data can have a different
number of rows than the confidential data.
"""

from __future__ import annotations

import numbers
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from synthlab import _checks
from synthlab._typing import ColumnNames, FloatArray, FrameLike, FrameOrFrames, IntArray
from synthlab.exceptions import InputError
from synthlab.release import Release, as_release

EPOCH, ONE_DAY = pd.Timestamp(0, tz="UTC").as_unit("s"), pd.Timedelta(days=1).as_unit("s")


def prepare(
    confidential: FrameLike,
    synthetic: FrameOrFrames,
    variables: ColumnNames | None,
    categorical: ColumnNames = (),
) -> tuple[pd.DataFrame, Release, list[str]]:
    """Return the confidential frame, the release, and the names of the variables to compare.

    By default, these are all variables of the confidential data. Raise `InputError` if the release lacks a variable, or
    if a column of objects holds numbers and is not `categorical`.
    """
    confidential = _checks.check_frame(confidential, "confidential")
    release = as_release(synthetic, like=confidential)
    names = list(confidential.columns) if variables is None else variables
    names = _checks.check_columns(confidential, names, "variables", where="confidential")
    absent = [c for c in names if c not in release[0].columns]
    if absent:
        raise InputError(
            f"variables: {_checks.named(absent)} not in the synthetic data, which has "
            f"{_checks.shorten(release[0].columns, 12)}; name the variables to compare with variables=[...]"
        )
    _checks.check_same_kind(confidential, release.frames, names)
    categories = _checks.check_columns(confidential, categorical, "categorical", where="confidential", allow_empty=True)
    for where, frame in labelled(confidential, release):
        for column in [c for c in names if c not in categories]:
            if _checks.holds_loose_numbers(frame[column]):
                raise InputError(f"{where}: {_checks.loose_numbers(column)}")
    confidential, *frames = _checks.with_dates([confidential, *release.frames], names, categories)
    return confidential, replace(release, frames=tuple(frames)), names


def is_number(series: pd.Series) -> bool:
    """Return whether a column holds numbers, not bools or categories."""
    dtype = series.dtype
    return pd.api.types.is_numeric_dtype(dtype) and not pd.api.types.is_bool_dtype(dtype)


def is_time(series: pd.Series) -> bool:
    """Return whether a column holds dates, with or without a time of day, or time spans."""
    return not isinstance(series.dtype, pd.CategoricalDtype) and _checks.kind_of(series) in ("date", _checks.TIME_SPAN)


def is_measured(series: pd.Series) -> bool:
    """Return whether a column holds measurements: numbers, dates or time spans."""
    return is_number(series) or is_time(series)


def looks_measured(series: pd.Series) -> bool:
    """Return whether `prepare` treats a column as a measurement, including texts that are all ISO dates."""
    return is_measured(series) or _checks.is_date(series)


def measurements(series: pd.Series) -> FloatArray:
    """Return numbers unchanged, dates as days since 1970 (UTC), and time spans as days; missing values are NaN."""
    kind = "number" if is_number(series) else _checks.kind_of(series)
    if kind not in ("date", _checks.TIME_SPAN):
        return _checks.as_float(series)
    plain = series.astype(object) if isinstance(series.dtype, pd.ArrowDtype) else series
    spans = pd.to_datetime(plain, utc=True) - EPOCH if kind == "date" else pd.to_timedelta(plain)
    return _checks.as_float(spans / ONE_DAY)


def values_there(frame: pd.DataFrame, column: str, where: str) -> FloatArray:
    """Return the observed numbers of a column; raise `InputError` if there are none."""
    values = _checks.as_float(frame[column])
    values = values[~np.isnan(values)]
    if values.size == 0:
        raise InputError(f"{where}: column {column!r} has only missing values")
    return values


def joint_codes(columns: Sequence[pd.Series]) -> tuple[IntArray, npt.NDArray[np.object_]]:
    """Return the codes of the stacked columns, and the distinct values in order of appearance.

    A missing value has a code. Each column is coded in its own dtype; only its distinct values become objects.
    """
    coded = [pd.factorize(series, use_na_sentinel=False) for series in columns]
    distinct = pd.concat([pd.Series(values).astype(object) for _, values in coded], ignore_index=True)
    place, values = pd.factorize(distinct, use_na_sentinel=False)
    parts = np.split(place, np.cumsum([len(found) for _, found in coded])[:-1])
    codes = np.concatenate([part[code] for part, (code, _) in zip(parts, coded, strict=True)])
    return codes.astype(np.int64, copy=False), np.asarray(values, dtype=object)


def sorted_values(values: Iterable[Any]) -> list[Any]:
    """Sort values of mixed types: numbers and bools first, then by the name of the type."""
    return sorted(values, key=lambda v: ("" if isinstance(v, numbers.Real) else type(v).__name__, v))


def labelled(confidential: pd.DataFrame, release: Release) -> list[tuple[str, pd.DataFrame]]:
    """Return every frame with its name for error messages."""
    frames = [(f"synthetic dataset {number} of {release.m}", frame) for number, frame in enumerate(release, start=1)]
    return [("confidential", confidential), *frames]


NOWHERE = "a missing value is not a number"
NO_PLACE = "a record with a missing value cannot be compared with the other records"


def check_usable(
    confidential: pd.DataFrame, release: Release, variables: Sequence[str], hint: str, missing: str = "raise"
) -> None:
    """Raise an error if a variable has infinite values, or missing values with ``missing="raise"``."""
    frames = [(where, frame, column) for where, frame in labelled(confidential, release) for column in variables]
    if missing == "raise":
        for where, frame, column in frames:
            _checks.check_present(frame, column, where, hint)
    for where, frame, column in frames:
        if is_number(frame[column]):
            _checks.check_no_infinity(frame, column, where)
