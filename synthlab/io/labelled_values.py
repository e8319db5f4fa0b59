"""Values of a column from a file with types and value labels."""

from __future__ import annotations

import datetime
import decimal
import numbers
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from synthlab.io import type_inference as _cells
from synthlab.io.column_warnings import Notes
from synthlab.io.missing_kinds import MissingKinds
from synthlab.io.read_options import Codes

EXCEL_START = datetime.datetime(1899, 12, 31)  # day 0 of a workbook


@dataclass(frozen=True, slots=True)
class Stated:
    """Column of a file with types: its values, the labels of its codes, and all its labels."""

    values: pd.Series
    labels: Mapping[Any, str] | None = None
    all_labels: Mapping[str, Any] | None = None  # as in the attrs of a frame
    kinds: MissingKinds | None = None  # of the missing values


@dataclass(frozen=True, slots=True)
class Untyped:
    """Column of a CSV file: numbers, or text whose type is not yet inferred."""

    values: pd.Series
    decimal: str

    @property
    def is_number(self) -> bool:
        """Whether the values are numbers."""
        return self.values.dtype.kind in "iuf"


Column = Stated | Untyped


def own_type(column: Stated, na: Codes, name: str, notes: Notes) -> pd.Series:
    """Return a column with its stated type; categorical if all codes have labels."""
    values = without(column.values, na)
    if column.labels:
        # A column with labels for only some codes remains numeric.
        names = label_names(column.labels)
        if set(values.dropna().unique()) <= names.keys():
            return without(_categories(values, names), na)
    if values.dtype == object:
        return of_objects(values, name, notes)
    return values


def without(values: pd.Series, na: Codes) -> pd.Series:
    """Set the codes of missing values to missing."""
    if not na.words:
        return values
    if isinstance(values.dtype, pd.CategoricalDtype):
        meant = [c for c in values.cat.categories if na.is_missing_code(c)]
        return values.cat.remove_categories(meant) if meant else values
    if values.dtype.kind in "iuf":
        gone = values.isin(list(na.numbers))
    else:
        gone = values.isin([value for value in values.dropna().unique() if na.is_missing_code(value)])
    return values.mask(gone) if gone.any() else values


def label_names(labels: Mapping[Any, str]) -> dict[Any, str]:
    """Return the label of each code; codes with the same label get different labels."""
    often = Counter(labels.values())
    return {code: label if often[label] == 1 else f"{label} [{word(code)}]" for code, label in _sorted(labels)}


def _sorted(labels: Mapping[Any, str]) -> list[tuple[Any, str]]:
    """Return codes and labels in the order of the codes, numbers before text."""
    return sorted(labels.items(), key=lambda item: (isinstance(item[0], str), item[0]))


def _categories(values: pd.Series, names: Mapping[Any, str]) -> pd.Series:
    codes = pd.Index(list(names)).get_indexer(pd.Index(values))
    return pd.Series(pd.Categorical.from_codes(codes, categories=pd.Index(list(names.values()), dtype=_cells.TEXT)))


def of_objects(values: pd.Series, name: str, notes: Notes) -> pd.Series:
    """Return Python objects with one type; a mixture of types becomes text."""
    present = values.dropna()
    kinds = {kind_of_value(value) for value in present}
    if not kinds:
        return _cells.as_nothing(len(values))
    if kinds == {"number"}:
        if all(_is_whole(value) for value in present):
            texts = texts_of(values)
            column = _cells.as_numbers(texts, set(map(word, present)), Codes(), ".", name, notes)
            return texts if column is None else column
        # float() of an integer above 1e308 raises an error; float() of its text is infinite.
        numbers = {str(value): float(str(value)) for value in present if not isinstance(value, float | np.floating)}
        _cells.note_precision(numbers, name, notes)
        return pd.Series(
            [np.nan if gone else float(str(value)) for value, gone in zip(values, values.isna(), strict=True)]
        )
    if kinds == {"bool"}:
        return values.astype(bool if len(present) == len(values) else "boolean")
    if kinds == {"date"}:
        return pd.to_datetime(values)
    if kinds <= {"time", "timedelta", "date"} and all(_is_span(value) for value in present):
        return pd.Series([None if gone else _span(v) for v, gone in zip(values, values.isna(), strict=True)]).astype(
            "timedelta64[us]"
        )
    if kinds <= {"text", "number", "bool", "date"}:
        series = texts_of(values)
        if len(kinds) > 1:
            odd = _cells.odd_words(set(series.dropna()))
            if odd:
                notes.add_words(name, odd, series)
        return series
    return values


def _is_whole(value: object) -> bool:
    """Return whether a value is an integer, or a decimal number of 64 bits without decimal places."""
    if isinstance(value, decimal.Decimal):
        return value.as_tuple().exponent == 0 and abs(value) < 2**63
    return isinstance(value, int)


def _is_span(value: object) -> bool:
    """Return whether a value is a time of day or a time span.

    Excel shows a time span of more than 24 hours as a date of 1900 if its format is that of a time of day.
    """
    return isinstance(value, datetime.time | datetime.timedelta) or (
        isinstance(value, datetime.datetime) and value < datetime.datetime(1900, 3, 1)
    )


def _span(value: Any) -> datetime.timedelta:
    """Return the time since midnight, or a time span."""
    if isinstance(value, datetime.timedelta):
        return value
    if isinstance(value, datetime.datetime):
        return value - EXCEL_START
    return datetime.datetime.combine(datetime.date.min, value.replace(tzinfo=None)) - datetime.datetime.min


def kind_of_value(value: object) -> str:
    """Return the kind of a Python value: bool, number, date, text, or its type."""
    if isinstance(value, bool | np.bool_):
        return "bool"
    if isinstance(value, numbers.Real | decimal.Decimal):
        return "number"
    return "date" if isinstance(value, datetime.date) else "text" if isinstance(value, str) else type(value).__name__


def word(value: Any) -> str:
    """Write a value as text; integers have no decimal part and dates no time."""
    if isinstance(value, float | np.floating) and float(value).is_integer() and abs(float(value)) < 1e15:
        return str(int(value))
    if isinstance(value, datetime.datetime) and value.time() == datetime.time():
        return value.date().isoformat()
    return str(value)


def texts_of(values: pd.Series) -> pd.Series:
    """Return values as text; missing values stay missing."""
    missing = values.isna()
    texts = [np.nan if gone else word(value) for value, gone in zip(values.astype(object), missing, strict=True)]
    return pd.Series(texts, dtype=_cells.TEXT)
