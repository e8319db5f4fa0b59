"""Choose the dtype of each column: requested, from a reference, or inferred."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab.exceptions import DtypeMismatchError, InputError
from synthlab.io import type_inference as _cells
from synthlab.io.column_warnings import WORDS, Notes
from synthlab.io.date_formats import FORMATS, DateFormat, dates_of_numbers
from synthlab.io.labelled_values import (
    Column,
    Stated,
    Untyped,
    kind_of_value,
    label_names,
    of_objects,
    own_type,
    texts_of,
    without,
)
from synthlab.io.read_options import Codes, Rules

FEW_RECORDS = 5_000  # records from which the number of distinct texts is estimated


def harmonize_column(
    column: Column, rules: Rules, name: str, notes: Notes, text: bool, like: pd.Series | None
) -> pd.Series:
    """Return a column with its final dtype.

    The dtype is text if `text` is true, otherwise the dtype of `like`. Without `like` it is inferred.
    """
    na = rules.na.of(name)
    if rules.dates.get(name):
        return _declared_dates(column, na, name, notes, str(rules.dates[name]))
    kind = "text" if text else "nothing" if like is None else _checks.kind_of(like)
    if kind == "nothing":
        return _own(column, na, name, notes, dates=name not in rules.dates)
    if text or like is None:
        return _required(column, na, kind, name, notes)
    if kind == "date":
        form = like.attrs.get(FORMATS, {}).get(name)
        column = column if form is None or not isinstance(column, Untyped) else _in_format(column, na, form)
    if isinstance(like.dtype, pd.CategoricalDtype):
        return _labelled_like(column, na, name, notes, like)
    if kind == "text":
        _check_comparable(column, na, name, notes, like)
        values = _required(column, na, kind, name, notes)
        if variants := _checks.text_variants([*like.dropna().unique(), *values.dropna().unique()]):
            notes.variants[name] = variants
        return _of_dtype(values, like.dtype)
    return _of_dtype(_required(column, na, kind, name, notes), like.dtype)


def _own(column: Column, na: Codes, name: str, notes: Notes, *, dates: bool = True) -> pd.Series:
    if isinstance(column, Stated):
        return own_type(column, na, name, notes)
    if column.is_number:
        values = without(column.values, na)
        found = dates_of_numbers(values) if dates else None
        if found is None:
            return values
        notes.numbers_as_dates.append(name)
        notes.dates[name] = DateFormat("%Y%m%d")
        return found
    values = _cells.typed(column.values, na, column.decimal, name, notes, dates=dates)
    few = (
        _checks.kind_of(values) == "text"
        and len(_checks.distinct_texts(values.head(FEW_RECORDS))) <= _checks.MANY_TEXTS
    )
    if few and (variants := _checks.text_variants(_checks.distinct_texts(values))):
        notes.variants[name] = variants
    return values


def _declared_dates(column: Column, na: Codes, name: str, notes: Notes, pattern: str) -> pd.Series:
    """Return a column as dates in a declared format, or raise an error."""
    texts = without(texts_of(column.values), na).str.strip()
    texts = texts.mask(texts == "")
    form = DateFormat.of(pattern, texts)
    found = form.read(texts)
    odd = found.isna() & texts.notna()
    if odd.any():
        raise InputError(
            f"{notes.at.column(name)} contains other values than dates={{{name!r}: {pattern!r}}} declares "
            f"({_checks.first_of(odd, 'records')}); declare codes of missing values with na, or correct the format"
        )
    notes.dates[name] = form
    return found


def _in_format(column: Untyped, na: Codes, form: DateFormat) -> Column:
    """Return cells as dates if all of them have a format, else as they are."""
    texts = without(texts_of(column.values), na)
    found = form.read(texts)
    return Stated(found) if bool((found.notna() == texts.notna()).all()) else column


def _required(column: Column, na: Codes, kind: str, name: str, notes: Notes) -> pd.Series:
    series = _of_kind(column, na, kind, name, notes)
    if series is None:
        _refuse(column, na, name, notes, kind)
    return series


def _of_kind(column: Column, na: Codes, kind: str, name: str, notes: Notes) -> pd.Series | None:
    """Return a column as values of a kind, or None if this is not possible."""
    if isinstance(column, Untyped):
        return _parsed(column, na, kind, name, notes)
    values = without(column.values, na)
    if kind == "text":
        if column.labels:
            names = label_names(column.labels)
            values = values.astype(object).map(lambda code: names.get(code, code))
        return without(texts_of(values), na)
    if values.dtype == object or _checks.kind_of(values) in ("text", "nothing"):
        filled = values.dropna()
        if not len(filled):
            return pd.Series(np.full(len(values), np.nan)) if kind == "number" else _cells.as_nothing(len(values))
        loose = not isinstance(values.dtype, pd.CategoricalDtype)
        if kind == "number" and loose and {kind_of_value(v) for v in filled} <= {"text", "number"}:
            texts = texts_of(values)
            return _parsed(Untyped(texts.mask(texts == ""), "."), na, kind, name, notes)
        values = of_objects(values.astype(object), name, notes)
    return values if _checks.kind_of(values) == kind else None


def _parsed(column: Untyped, na: Codes, kind: str, name: str, notes: Notes) -> pd.Series | None:
    """Return cells of a CSV file as values of a kind, or None if this is not possible."""
    cells = column.values
    if column.is_number:
        return without(cells, na) if kind == "number" else None
    different = _checks.distinct_texts(cells)
    gone = na.among(different)
    filled = {cell for cell in different if cell.strip() and cell not in gone}
    if kind == "number" and _cells.are_numbers(filled, column.decimal) and not _checks.are_padded(filled):
        return _cells.as_numbers(cells, filled, na, column.decimal, name, notes)
    if kind == "number" and _checks.decorated_numbers(filled, column.decimal):
        return _cells.typed(cells, na, column.decimal, name, notes, dates=False)
    if kind == "bool":
        truth = next((t for t in _cells.TRUTH if filled <= t.keys()), None)
        return None if truth is None else _cells.as_bools(cells, truth)
    if kind == "date":
        texts = _cells.as_text(cells, gone).astype(object)
        if not _cells.are_numbers(filled, column.decimal):  # a year is not a date
            try:
                return pd.to_datetime(texts.where(texts.notna(), None), format="ISO8601")
            except ValueError:
                pass
        own = Notes(notes.at)
        series = _cells.typed(cells, na, column.decimal, name, own)
        notes.ambiguous |= own.ambiguous
        return series if _checks.kind_of(series) == "date" else None
    if kind == _checks.TIME_SPAN:
        texts = _cells.as_text(cells, gone).astype(object)
        try:
            return pd.to_timedelta(texts.where(texts.notna(), None))
        except ValueError:
            return None
    return _cells.as_text(cells, gone) if kind in ("text", "mixture") else None


def _check_comparable(column: Column, na: Codes, name: str, notes: Notes, like: pd.Series) -> None:
    """Raise an error if numbers or bools cannot equal any text in `like`."""
    values = _own(column, na, name, Notes(notes.at), dates=False)
    own = _checks.kind_of(values)
    if own in ("text", "nothing", "mixture"):
        return
    known = {str(value) for value in like.dropna().unique()}
    # A number can be a code only if the file does not state a type.
    weak = isinstance(column, Untyped) or column.values.dtype == object
    number = own == "number" and any(_cells.are_numbers([value]) for value in known)
    if not weak or not (number or known & set(texts_of(values).dropna())):
        raise DtypeMismatchError(
            f"{notes.at.column(name)} contains {own}s here but text in the reference data, so that no values could match; "
            "use the same types in both files"
        )


def _of_dtype(series: pd.Series, dtype: Any) -> pd.Series:
    """Convert a column to a dtype of the same kind if this does not change a value."""
    try:
        changed = series.astype(dtype)
        same = (changed.isna() == series.isna()).all() and (changed.dropna() == series.dropna()).all()
        return changed if bool(same) else series
    except (TypeError, ValueError, OverflowError):
        return series


def _labelled_like(column: Column, na: Codes, name: str, notes: Notes, like: pd.Series) -> pd.Series:
    """Return a column as categorical, with the categories of `like` first."""
    kind, known = _checks.kind_of(like), like.cat.categories
    series: pd.Series | None
    if isinstance(column, Stated) and column.labels and kind == "text":
        own = own_type(column, na, name, notes)
        series = own if isinstance(own.dtype, pd.CategoricalDtype) else None
    elif isinstance(column, Stated) and isinstance(column.values.dtype, pd.CategoricalDtype):
        series = without(column.values, na)
        series = series if _checks.kind_of(series) in (kind, "nothing") else None
    else:
        series = _of_kind(column, na, kind, name, notes)
    if series is None:
        _refuse(column, na, name, notes, kind)
    series = series.astype("category")
    theirs = series.cat.categories
    more = [label for label in theirs if label not in known]
    stated = isinstance(column, Stated) and (column.labels or isinstance(column.values.dtype, pd.CategoricalDtype))
    fewer = [label for label in known if label not in theirs] if stated else []
    used = set(series.dropna().unique())
    if used and len(known) and not used & set(known):
        raise DtypeMismatchError(
            f"{notes.at.column(name)} has none of the {len(known)} labels of the reference data, so that no values could match; "
            "check whether one file contains labels and the other codes"
        )
    if more or fewer:
        notes.labels[name] = len(more), len(fewer)
    categories = pd.Index([*known, *more], dtype=known.dtype if not more else None)
    return pd.Series(pd.Categorical(series, dtype=pd.CategoricalDtype(categories, bool(like.cat.ordered) and not more)))


def _refuse(column: Column, na: Codes, name: str, notes: Notes, kind: str) -> NoReturn:
    """Raise an error that names the type of a column and suggests a remedy."""
    hint, places = "; use the same types in both files", ""
    if isinstance(column, Stated):
        own = "codes that are not all labelled" if column.labels else f"{_checks.kind_of(column.values)} values"
    elif column.is_number or kind != "number":
        own = "other values"
    else:
        cells = column.values.fillna("")
        odd = {cell for cell in cells.unique() if cell.strip() and not na.is_missing_code(cell)}
        padded = _checks.are_padded(odd)
        odd = {cell for cell in odd if not _cells.is_number_text(cell, column.decimal)}
        words = sorted({cell.strip() for cell in odd})
        if padded:
            own, hint = "codes with leading zeros", "; read it as text in both files"
        elif odd:
            own, places = "other values", f" ({_checks.first_of(cells.isin(odd), 'records')})"
            hint = f'; na="{",".join(words)}" makes them missing' if set(words) <= WORDS else hint
        else:
            own, hint = "whole numbers that a 64-bit number cannot represent", "; read it as text in both files"
    raise DtypeMismatchError(
        f"{notes.at.column(name)} contains {own}{places} here but {kind} values in the reference data{hint}"
    )
