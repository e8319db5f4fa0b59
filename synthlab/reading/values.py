"""The type of a column that a file states, with its value labels, and the same type for the next file."""

from __future__ import annotations

import datetime
import decimal
import numbers
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab.exceptions import DtypeMismatchError
from synthlab.reading import cells as _cells
from synthlab.reading.notes import WORDS, Notes
from synthlab.reading.rules import Codes


@dataclass(frozen=True, slots=True)
class Stated:
    """The values of a column whose file knows types, and the labels of its codes, if there are any."""

    values: pd.Series
    labels: Mapping[Any, str] | None = None


@dataclass(frozen=True, slots=True)
class Untyped:
    """The cells of a column of a CSV file."""

    cells: Sequence[str]
    decimal: str


Column = Stated | Untyped


def settle(column: Column, na: Codes, name: str, notes: Notes, text: bool, like: pd.Series | None) -> pd.Series:
    """Return a column with its type: text where it shall be, else that of `like`, else its own."""
    kind = "text" if text else "nothing" if like is None else _checks.kind_of(like)
    if kind == "text" and not text and isinstance(column, Untyped) and like is not None:
        _check_comparable(column, na, name, notes, like)
    if kind == "nothing":
        return (
            _cells.typed(column.cells, na, column.decimal, name, notes)
            if isinstance(column, Untyped)
            else _own(column, na, name, notes)
        )
    if like is not None and not text and isinstance(like.dtype, pd.CategoricalDtype):
        return _labelled_like(column, na, name, notes, like)
    if isinstance(column, Untyped):
        series = _parsed(column, na, kind)
    else:
        series = _told(column, na, kind, name, notes)
    if series is None or like is None or text:
        return _refuse(column, na, name, notes, kind) if series is None else series
    return _of_dtype(series, like.dtype)


def _check_comparable(column: Untyped, na: Codes, name: str, notes: Notes, like: pd.Series) -> None:
    """Raise where cells that are all numbers, or all bools, shall be text like values none of which looks so."""
    own = _checks.kind_of(_cells.typed(column.cells, na, column.decimal, name, Notes(notes.at)))
    if own == "number":
        alike = any(_cells.NUMBER["."].fullmatch(value.strip()) for value in map(str, like.dropna().unique()))
    else:
        alike = own != "bool" or bool(like.isin(set(column.cells)).any())
    if not alike:
        raise DtypeMismatchError(
            f"{notes.at.column(name)} holds text values in the data it is read like, and here {own}s: nothing could match; align the "
            "two files"
        )


def _own(column: Stated, na: Codes, name: str, notes: Notes) -> pd.Series:
    values = _without(column.values, na)
    if column.labels:
        # A measurement with labels for a few codes is a measurement.
        names = _names(column.labels)
        if set(values.dropna().unique()) <= names.keys():
            return _without(_categories(values, names), na)
    if values.dtype == object:
        return _of_objects(values, name, notes)
    return values


def _without(values: pd.Series, na: Codes) -> pd.Series:
    """Return the values with the codes that mean "missing" as missing."""
    if isinstance(values.dtype, pd.CategoricalDtype):
        meant = [c for c in values.cat.categories if na.mean(c)]
        return values.cat.remove_categories(meant) if meant else values
    codes = [value for value in values.dropna().unique() if na.mean(value)]
    return values.mask(values.isin(codes)) if codes else values


def _names(labels: Mapping[Any, str]) -> dict[Any, str]:
    """Return the label of each code; two codes with one label keep apart."""
    often = Counter(labels.values())
    return {code: label if often[label] == 1 else f"{label} [{word(code)}]" for code, label in _sorted(labels)}


def _sorted(labels: Mapping[Any, str]) -> list[tuple[Any, str]]:
    """Return codes and labels in the order of the codes, numbers before text."""
    return sorted(labels.items(), key=lambda item: (isinstance(item[0], str), item[0]))


def _categories(values: pd.Series, names: Mapping[Any, str]) -> pd.Series:
    codes = pd.Index(list(names)).get_indexer(pd.Index(values))
    return pd.Series(pd.Categorical.from_codes(codes, categories=pd.Index(list(names.values()), dtype=_cells.TEXT)))


def _of_objects(values: pd.Series, name: str, notes: Notes) -> pd.Series:
    """Return values of Python with one type: of numbers and text together text."""
    present = values.dropna()
    kinds = {_kind(value) for value in present}
    if not kinds:
        return _cells.as_nothing(len(values))
    if kinds == {"number"}:
        if all(isinstance(value, int) for value in present):
            column = _cells.as_numbers(_texts(values).fillna("").tolist(), set(map(word, present)), Codes(), ".")
            return _texts(values) if column is None else column
        return values.astype(float)
    if kinds == {"bool"}:
        return values.astype(bool if len(present) == len(values) else "boolean")
    if kinds == {"date"}:
        return pd.to_datetime(values)
    if kinds <= {"text", "number", "bool", "date"}:
        series = _texts(values)
        if len(kinds) > 1:
            told = series.dropna().tolist()
            odd = _cells.odd_words(set(told))
            if odd:
                notes.add_words(name, odd, series.fillna("").tolist())
        return series
    return values


def _kind(value: object) -> str:
    if isinstance(value, bool | np.bool_):
        return "bool"
    if isinstance(value, numbers.Real | decimal.Decimal):
        return "number"
    return "date" if isinstance(value, datetime.date) else "text" if isinstance(value, str) else type(value).__name__


def word(value: Any) -> str:
    """Write a value as text: whole numbers without a fraction, days without a time."""
    if isinstance(value, float | np.floating) and float(value).is_integer() and abs(value) < 1e15:
        return str(int(value))
    if isinstance(value, datetime.datetime) and value.time() == datetime.time():
        return value.date().isoformat()
    return str(value)


def _texts(values: pd.Series) -> pd.Series:
    missing = values.isna()
    texts = [np.nan if gone else word(value) for value, gone in zip(values.astype(object), missing, strict=True)]
    return pd.Series(texts, dtype=_cells.TEXT)


def _parsed(column: Untyped, na: Codes, kind: str) -> pd.Series | None:
    """Return cells as values of a kind, None where they are not."""
    cells, filled = column.cells, {c for c in set(column.cells) if c.strip() and not na.mean(c)}
    if kind == "number" and all(_cells.NUMBER[column.decimal].fullmatch(cell.strip()) for cell in filled):
        if any(_cells.PADDED.match(cell) for cell in filled):
            return None
        return _cells.as_numbers(cells, filled, na, column.decimal)
    if kind == "bool":
        truth = next((t for t in _cells.TRUTH if filled <= t.keys()), None)
        return None if truth is None else _cells.as_bools(cells, truth)
    if kind == "date":
        try:
            return pd.to_datetime(_cells.as_text(cells, na).where(lambda s: s.notna(), None), format="ISO8601")
        except ValueError:
            return None
    return _cells.as_text(cells, na) if kind in ("text", "mixture") else None


def _told(column: Stated, na: Codes, kind: str, name: str, notes: Notes) -> pd.Series | None:
    """Return stated values as values of a kind, None where they are not."""
    values = _without(column.values, na)
    if kind == "text":
        if column.labels:
            names = _names(column.labels)
            values = values.astype(object).map(lambda code: names.get(code, code))
        return _without(_texts(values), na)
    if values.dtype == object or _checks.kind_of(values) in ("text", "nothing"):
        filled = values.dropna()
        if not len(filled):
            return pd.Series(np.full(len(values), np.nan)) if kind == "number" else _cells.as_nothing(len(values))
        if (
            kind == "number"
            and {_kind(v) for v in filled} <= {"text", "number"}
            and not isinstance(values.dtype, pd.CategoricalDtype)
        ):
            return _parsed(Untyped(_texts(values).fillna("").tolist(), "."), na, kind)
        values = _of_objects(values.astype(object), name, notes)
    return values if _checks.kind_of(values) == kind else None


def _of_dtype(series: pd.Series, dtype: Any) -> pd.Series:
    """Return a column in a dtype of the same kind, where that changes no value."""
    try:
        changed = series.astype(dtype)
        return (
            changed
            if bool((changed.isna() == series.isna()).all() and (changed.dropna() == series.dropna()).all())
            else series
        )
    except (TypeError, ValueError, OverflowError):
        return series


def _labelled_like(column: Column, na: Codes, name: str, notes: Notes, like: pd.Series) -> pd.Series:
    """Return a column as categories, those of `like` first; warn where the labels differ."""
    kind, known = _checks.kind_of(like), like.cat.categories
    if isinstance(column, Stated) and column.labels and kind == "text":
        own = _own(column, na, name, notes)
        series = own if isinstance(own.dtype, pd.CategoricalDtype) else None
    else:
        bare = _without(column.values, na) if isinstance(column, Stated) else None
        if bare is not None and isinstance(bare.dtype, pd.CategoricalDtype):
            series = bare if _checks.kind_of(bare) in (kind, "nothing") else None
        else:
            series = _parsed(column, na, kind) if isinstance(column, Untyped) else _told(column, na, kind, name, notes)
            series = None if series is None else series.astype("category")
    if series is None:
        return _refuse(column, na, name, notes, kind)
    theirs = series.cat.categories
    more = [label for label in theirs if label not in known]
    stated = isinstance(column, Stated) and (column.labels or isinstance(column.values.dtype, pd.CategoricalDtype))
    fewer = [label for label in known if label not in theirs] if stated else []
    if more or fewer:
        notes.labels[name] = len(more), len(fewer)
    categories = pd.Index([*known, *more], dtype=known.dtype if not more else None)
    return pd.Series(pd.Categorical(series, dtype=pd.CategoricalDtype(categories, bool(like.cat.ordered) and not more)))


def _refuse(column: Column, na: Codes, name: str, notes: Notes, kind: str) -> Any:
    """Raise, saying of what kind the column is, and what can be typed."""
    where = notes.at.column(name)
    if isinstance(column, Stated):
        own = "codes that are not all labelled" if column.labels else f"{_checks.kind_of(column.values)} values"
        raise DtypeMismatchError(
            f"{where} holds {own}, and {kind} values in the data it is read like; align the two files"
        )
    filled = [cell if not na.mean(cell) and cell.strip() else "" for cell in column.cells]
    if kind == "number" and any(_cells.PADDED.match(cell) for cell in filled):
        raise DtypeMismatchError(
            f"{where} holds codes with leading zeros, and numbers in the data it is read like; name it as text there, and here"
        )
    wrong = [bool(cell) and not (kind == "number" and _cells.is_number(cell, column.decimal)) for cell in filled]
    words = sorted({cell.strip() for cell, odd in zip(filled, wrong, strict=True) if odd})
    hint = f'; na="{",".join(words)}" makes them missing' if kind == "number" and set(words) <= WORDS else ""
    places = f" ({_checks.first_of(wrong, 'records')})" if kind == "number" else ""
    raise DtypeMismatchError(
        f"{where} holds {kind} values in the data it is read like, and here other ones{places}{hint}"
    )
