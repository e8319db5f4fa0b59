"""Conversion of numbers and dates to floats, and checks of radii."""

from __future__ import annotations

import numbers
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from synthlab._checks._dates import Days, as_days, check_half_width, is_date
from synthlab._checks._messages import named
from synthlab._checks._value_types import categories_of, kind_of, kind_of_value
from synthlab._typing import FloatArray
from synthlab.exceptions import DtypeMismatchError, InputError

LARGEST_EXACT = 2**53  # every integer up to this number is exact as a float64


def as_float(series: pd.Series) -> FloatArray:
    """Return a numeric column as float64, with missing values as NaN."""
    if isinstance(series.dtype, np.dtype) and series.dtype.kind in "biuf":
        return series.to_numpy().astype(np.float64)
    return series.to_numpy(dtype=np.float64, na_value=np.nan)


def is_measured(series: pd.Series) -> bool:
    """Return whether a column has a dtype of numbers, dates or durations."""
    times = pd.api.types.is_datetime64_any_dtype(series.dtype) or pd.api.types.is_timedelta64_dtype(series.dtype)
    return _is_number_column(series) or bool(times)


def measurements(series: pd.Series) -> FloatArray:
    """Return numbers as float64, and dates and durations as days, with missing values as NaN."""
    days = as_days(series)
    return as_float(series) if days is None else days


def is_whole(dtype: Any) -> bool:
    """Return whether a dtype is an integer dtype, signed or unsigned."""
    return bool(pd.api.types.is_integer_dtype(dtype))


def beyond_float(series: pd.Series) -> bool:
    """Return whether integers exceed 2**53, the limit of exact floats."""
    values = series.to_numpy() if isinstance(series.dtype, np.dtype) else series.dropna()
    return len(values) > 0 and bool(values.max() > LARGEST_EXACT or values.min() < -LARGEST_EXACT)


def exact_float(series: pd.Series) -> FloatArray:
    """Return numbers as floats, and dates and durations as days, without rounding.

    An error is raised if rounding would change the values.
    """
    if isinstance(series.dtype, np.dtype) and series.dtype.kind == "f":
        return as_float(series)
    days = as_days(series)
    if days is not None:
        return days
    if holds_loose_numbers(series):
        raise InputError(loose_numbers(str(series.name)))
    values = categories_of(series) if isinstance(series.dtype, pd.CategoricalDtype) else series
    if not pd.api.types.is_numeric_dtype(values.dtype) and values.notna().any():
        raise DtypeMismatchError(
            f"column {series.name!r} is {values.dtype} in one of the files, but an interval requires numbers or dates in all of them; "
            "use the same type in all files, or remove the column from radius"
        )
    if is_whole(values.dtype) and beyond_float(values):
        raise InputError(
            f"column {series.name!r} holds whole numbers beyond 2**53, which floats cannot represent exactly, so an interval around "
            "them is not exact; subtract a constant from them in all data, or compare them by value, without a radius"
        )
    return as_float(series)


def holds_loose_numbers(series: pd.Series) -> bool:
    """Return whether an object column contains mainly numbers.

    It contains only numbers, or enough numbers to look continuous.
    """
    return series.dtype == object and (kind_of(series) == "number" or _has_many_numbers(series))


def plain_numbers(series: pd.Series) -> pd.Series:
    """Return an object column that contains only numbers with a dtype of numbers, and any other column unchanged.

    Decimals and fractions become floats. Numbers beyond 2**53 that fit no dtype remain objects.
    """
    if series.dtype != object or kind_of(series) != "number":
        return series
    found = series.where(series.notna(), None).infer_objects()
    if found.dtype == object and not beyond_float(found):
        return pd.Series(as_float(found), index=found.index, name=found.name)
    return found


def with_plain_numbers(frames: Iterable[pd.DataFrame], names: Iterable[str]) -> list[pd.DataFrame]:
    """Return frames in which the columns of `names` are `plain_numbers`."""
    given, loose = list(frames), list(names)
    loose = [name for name in loose if any(frame[name].dtype == object for frame in given)]
    return [frame.assign(**{c: plain_numbers(frame[c]) for c in loose}) if loose else frame for frame in given]


def loose_numbers(column: str) -> str:
    """Return the message for a column that `holds_loose_numbers`."""
    return (
        f"column {column!r} has dtype object and holds numbers, so it is not clear whether it is numeric or categorical; "
        f"convert it to numbers, for example with pd.to_numeric(frame[{column!r}]), or to text with .astype(str), in all data"
    )


def check_numeric_column(frame: pd.DataFrame, column: str, *, where: str, why: str) -> None:
    """Raise an error unless the column is numeric."""
    dtype = frame[column].dtype
    if holds_loose_numbers(frame[column]):
        raise InputError(f"{where}: {loose_numbers(column)}")
    numeric = pd.api.types.is_numeric_dtype(dtype) and not pd.api.types.is_complex_dtype(dtype)
    if isinstance(dtype, pd.CategoricalDtype) or not numeric:
        raise InputError(f"{where}: column {column!r} is {dtype}, not numeric; {why}")


def looks_continuous(series: pd.Series) -> bool:
    """Return whether a column looks continuous.

    It has more than 100 distinct numbers or dates, or more than 10 with fractions (of 1, or of a day).
    """
    dtype = series.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        return False
    if _is_number_column(series):
        values = as_float(series)
    elif (days := as_days(series)) is not None:
        values = days
    else:
        return pd.api.types.is_object_dtype(dtype) and _has_many_numbers(series)
    distinct = np.unique(values[~np.isnan(values)])
    fractions = bool((distinct != np.floor(distinct)).any())
    return distinct.size > 100 or (fractions and distinct.size > 10)


def _has_many_numbers(series: pd.Series) -> bool:
    """Return whether the numbers in an object column look continuous."""
    found = [v for v in series.dropna().unique() if kind_of_value(v) == "number"]
    fractions = any(not isinstance(v, numbers.Integral) and float(v) % 1 != 0 for v in found)
    return len(found) > 100 or (fractions and len(found) > 10)


def _is_number_column(series: pd.Series) -> bool:
    dtype = series.dtype
    return pd.api.types.is_numeric_dtype(dtype) and not pd.api.types.is_bool_dtype(dtype)


def check_radius(
    radius: object,
    *,
    confidential: pd.DataFrame,
    known: Sequence[str],
    synthesized: Sequence[str],
    continuous_known: bool = True,
) -> dict[str, float]:
    """Return the radius of every continuous variable, in the order known, synthesized.

    A mapping names its variables. A single number applies to every numeric synthesized variable that looks continuous,
    or to the only numeric one. Without such a variable, and for text such as "1m", it applies to the dates. The radius
    of a date is returned as `Days`. Variables without a radius are compared by value.
    """
    used = [*known, *synthesized]
    if radius is None:
        radii: dict[str, float] = {}
    elif isinstance(radius, Mapping):
        unknown = [c for c in radius if c not in used]
        if unknown:
            raise InputError(f"radius: {named(unknown)} is neither in known nor in synthesized")
        radii = {c: check_half_width(radius[c], f"radius[{c!r}]") for c in used if c in radius}
    else:
        value = check_half_width(radius, "radius")
        radii = dict.fromkeys(_meant(confidential, synthesized, isinstance(value, Days)), value)
        if not radii:
            what = "contains dates" if isinstance(value, Days) else "looks continuous"
            raise InputError(
                f"radius={value:g}: no synthesized variable {what}; name the variable, "
                f"for example radius={{{next(iter(synthesized))!r}: {value:g}}}"
            )
    for column, value in radii.items():
        if is_date(confidential[column]):
            radii[column] = Days(value)
        else:
            check_numeric_column(
                confidential,
                column,
                where="confidential",
                why="a radius applies to continuous variables; remove the column from radius",
            )
            if isinstance(value, Days):
                raise InputError(
                    f"radius[{column!r}]: is a number of days, months or years, but {column!r} does not hold dates; use a number"
                )
        if column in known and not continuous_known:
            raise InputError(
                f"radius: {column!r} is a known variable; patterns of known variables are compared by value"
            )
    for column in synthesized:
        if column not in radii and looks_continuous(confidential[column]):
            if holds_loose_numbers(confidential[column]):
                raise InputError(f"confidential: {loose_numbers(column)}")
            what, example = ("dates", '"1m"') if is_date(confidential[column]) else ("numbers", "0.1")
            raise InputError(
                f"synthesized variable {column!r} has {confidential[column].nunique()} distinct {what} and no radius: "
                f"exact equality is probably not intended; set radius={{{column!r}: {example}}}, or "
                f"radius={{{column!r}: 0}} for exact equality"
            )
    return radii


def _meant(frame: pd.DataFrame, synthesized: Sequence[str], in_days: bool) -> list[str]:
    """Return the variables to which a radius without a name applies."""
    dates = [c for c in synthesized if is_date(frame[c])]
    if in_days:
        return [c for c in dates if looks_continuous(frame[c])] or dates
    measured = [c for c in synthesized if c not in dates and looks_continuous(frame[c])]
    numeric = [c for c in synthesized if _is_number_column(frame[c])]
    if measured or len(numeric) == 1:
        return measured or numeric
    return [c for c in dates if looks_continuous(frame[c])]
