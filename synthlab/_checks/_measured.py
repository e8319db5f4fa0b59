"""Columns of numbers: as floats, whether they look measured, and the radius of each."""

from __future__ import annotations

import numbers
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from synthlab._checks._arguments import check_number
from synthlab._checks._kinds import categories_of, kind_of, kind_of_value
from synthlab._checks._said import named
from synthlab._typing import FloatArray
from synthlab.exceptions import InputError

LARGEST_EXACT = 2**53  # of the integers, below which every one is a float64


def as_float(series: pd.Series) -> FloatArray:
    """Return the values of a numeric column as float64, missing ones as NaN."""
    return series.to_numpy(dtype=np.float64, na_value=np.nan)


def is_whole(dtype: Any) -> bool:
    """Return whether a dtype holds integers, signed or not."""
    return bool(pd.api.types.is_integer_dtype(dtype))


def beyond_float(series: pd.Series) -> bool:
    """Return whether a column of ints holds one beyond 2**53, where a float no longer tells neighbours apart."""
    values = series.dropna()
    return len(values) > 0 and bool(values.max() > LARGEST_EXACT or values.min() < -LARGEST_EXACT)


def exact_float(series: pd.Series) -> FloatArray:
    """Return `as_float` of a column that is compared within an interval, or raise where rounding would move its values."""
    if holds_loose_numbers(series):
        raise InputError(loose_numbers(str(series.name)))
    values = categories_of(series) if isinstance(series.dtype, pd.CategoricalDtype) else series
    if is_whole(values.dtype) and beyond_float(values):
        raise InputError(
            f"column {series.name!r} holds whole numbers beyond 2**53, where a float cannot tell neighbours apart, so an "
            "interval around them is not exact; subtract a constant from it in all data, or compare it by value, without a radius"
        )
    return as_float(series)


def holds_loose_numbers(series: pd.Series) -> bool:
    """Return whether a column of objects holds nothing but numbers, or so many of them that they look measured."""
    return series.dtype == object and (kind_of(series) == "number" or looks_continuous(series))


def loose_numbers(column: str) -> str:
    """Say what is wrong with a column that `holds_loose_numbers`, and the way out."""
    return (
        f"column {column!r} has dtype object and holds numbers, so nothing says whether it is a measurement or a category; "
        f"make it numbers, for example with pd.to_numeric(frame[{column!r}]), or text with .astype(str), in all data"
    )


def check_numeric_column(frame: pd.DataFrame, column: str, *, where: str, why: str) -> None:
    """Raise unless the column holds numbers."""
    dtype = frame[column].dtype
    if holds_loose_numbers(frame[column]):
        raise InputError(f"{where}: {loose_numbers(column)}")
    numeric = pd.api.types.is_numeric_dtype(dtype) and not pd.api.types.is_complex_dtype(dtype)
    if isinstance(dtype, pd.CategoricalDtype) or not numeric:
        raise InputError(f"{where}: column {column!r} is {dtype}, not numeric; {why}")


def looks_continuous(series: pd.Series) -> bool:
    """Guess whether a column is a measurement: more than 100 distinct numbers, or more than 10 with fractions."""
    dtype = series.dtype
    if pd.api.types.is_object_dtype(dtype):
        found = [v for v in series.dropna().unique() if kind_of_value(v) == "number"]
        fractions = any(not isinstance(v, numbers.Integral) and float(v) % 1 != 0 for v in found)
        return len(found) > 100 or (fractions and len(found) > 10)
    if isinstance(dtype, pd.CategoricalDtype) or not _is_number_column(series):
        return False
    distinct = np.unique(as_float(series.dropna()))
    fractions = bool((distinct != np.floor(distinct)).any())
    return distinct.size > 100 or (fractions and distinct.size > 10)


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

    A mapping names its variables; a bare number is for every synthesized variable that looks
    continuous, or for the only one that holds numbers. A variable with a radius is continuous, every other one is compared by value.
    """
    used = [*known, *synthesized]
    if radius is None:
        radii: dict[str, float] = {}
    elif isinstance(radius, Mapping):
        unknown = [c for c in radius if c not in used]
        if unknown:
            raise InputError(f"radius: {named(unknown)} is neither in known nor in synthesized")
        radii = {c: check_number(radius[c], f"radius[{c!r}]", low=0.0) for c in used if c in radius}
    else:
        value = check_number(radius, "radius", low=0.0)
        radii = {c: value for c in synthesized if looks_continuous(confidential[c])}
        numbers_only = [c for c in synthesized if _is_number_column(confidential[c])]
        if not radii and len(numbers_only) == 1:
            radii = {numbers_only[0]: value}
        if not radii:
            raise InputError(
                f"radius={value:g}: no synthesized variable looks continuous; name the variable, "
                f"for example radius={{{next(iter(synthesized))!r}: {value:g}}}"
            )
    for column in radii:
        check_numeric_column(
            confidential,
            column,
            where="confidential",
            why="a radius is for continuous variables; leave it out of radius",
        )
        if column in known and not continuous_known:
            raise InputError(
                f"radius: {column!r} is a known variable; patterns of known variables are compared by value"
            )
    for column in synthesized:
        if column not in radii and looks_continuous(confidential[column]):
            if holds_loose_numbers(confidential[column]):
                raise InputError(f"confidential: {loose_numbers(column)}")
            raise InputError(
                f"synthesized variable {column!r} has {confidential[column].nunique()} distinct numbers and no radius: "
                f"exact equality is almost surely not wanted; give radius={{{column!r}: 0.1}}, or "
                f"radius={{{column!r}: 0}} if equality is meant"
            )
    return radii
