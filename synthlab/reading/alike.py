"""One type for a column: that which was asked for, that of another file, or its own."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab.exceptions import DtypeMismatchError
from synthlab.reading import cells as _cells
from synthlab.reading.notes import WORDS, Notes
from synthlab.reading.rules import Codes
from synthlab.reading.values import (
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


def settle(column: Column, na: Codes, name: str, notes: Notes, text: bool, like: pd.Series | None) -> pd.Series:
    """Return a column with its type: text where it shall be, else that of `like`, else its own."""
    kind = "text" if text else "nothing" if like is None else _checks.kind_of(like)
    if kind == "nothing":
        return _own(column, na, name, notes)
    if like is None or text:
        like = None
    elif isinstance(like.dtype, pd.CategoricalDtype):
        return _labelled_like(column, na, name, notes, like)
    elif kind == "text":
        _check_comparable(column, na, name, notes, like)
    series = (
        _parsed(column, na, kind, name, notes) if isinstance(column, Untyped) else _told(column, na, kind, name, notes)
    )
    if series is None:
        _refuse(column, na, name, notes, kind)
    return series if like is None else _of_dtype(series, like.dtype)


def _own(column: Column, na: Codes, name: str, notes: Notes) -> pd.Series:
    if isinstance(column, Untyped):
        return _cells.typed(column.cells, na, column.decimal, name, notes)
    return own_type(column, na, name, notes)


def _check_comparable(column: Column, na: Codes, name: str, notes: Notes, like: pd.Series) -> None:
    """Raise where values that shall be text are none: numbers of a typed file, or numbers and bools unlike all text there."""
    values = _own(column, na, name, Notes(notes.at))
    own = _checks.kind_of(values)
    if own in ("text", "nothing", "mixture"):
        return
    known = {str(value) for value in like.dropna().unique()}
    weak = (
        isinstance(column, Untyped) or column.values.dtype == object
    )  # where a cell that looks like a number may be a code
    number = own == "number" and any(_cells.are_numbers([value]) for value in known)
    if not weak or not (number or known & set(texts_of(values).dropna())):
        raise DtypeMismatchError(
            f"{notes.at.column(name)} holds text values in the data it is read like, and here {own}s: nothing could match; align the "
            "two files"
        )


def _parsed(column: Untyped, na: Codes, kind: str, name: str, notes: Notes) -> pd.Series | None:
    """Return cells as values of a kind, None where they are not."""
    cells, filled = column.cells, {c for c in set(column.cells) if c.strip() and not na.mean(c)}
    if kind == "number" and _cells.are_numbers(filled, column.decimal) and not _cells.are_padded(filled):
        return _cells.as_numbers(cells, filled, na, column.decimal, name, notes)
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
        if (
            kind == "number"
            and {kind_of_value(v) for v in filled} <= {"text", "number"}
            and not isinstance(values.dtype, pd.CategoricalDtype)
        ):
            return _parsed(Untyped(texts_of(values).fillna("").tolist(), "."), na, kind, name, notes)
        values = of_objects(values.astype(object), name, notes)
    return values if _checks.kind_of(values) == kind else None


def _of_dtype(series: pd.Series, dtype: Any) -> pd.Series:
    """Return a column in a dtype of the same kind, where that changes no value."""
    try:
        changed = series.astype(dtype)
        same = (changed.isna() == series.isna()).all() and (changed.dropna() == series.dropna()).all()
        return changed if bool(same) else series
    except (TypeError, ValueError, OverflowError):
        return series


def _labelled_like(column: Column, na: Codes, name: str, notes: Notes, like: pd.Series) -> pd.Series:
    """Return a column as categories, those of `like` first; warn where the labels differ."""
    kind, known = _checks.kind_of(like), like.cat.categories
    if isinstance(column, Stated) and column.labels and kind == "text":
        own = own_type(column, na, name, notes)
        series = own if isinstance(own.dtype, pd.CategoricalDtype) else None
    else:
        bare = without(column.values, na) if isinstance(column, Stated) else None
        if bare is not None and isinstance(bare.dtype, pd.CategoricalDtype):
            series = bare if _checks.kind_of(bare) in (kind, "nothing") else None
        else:
            series = (
                _parsed(column, na, kind, name, notes)
                if isinstance(column, Untyped)
                else _told(column, na, kind, name, notes)
            )
            series = None if series is None else series.astype("category")
    if series is None:
        _refuse(column, na, name, notes, kind)
    theirs = series.cat.categories
    more = [label for label in theirs if label not in known]
    stated = isinstance(column, Stated) and (column.labels or isinstance(column.values.dtype, pd.CategoricalDtype))
    fewer = [label for label in known if label not in theirs] if stated else []
    used = set(series.dropna().unique())
    if used and len(known) and not used & set(known):
        raise DtypeMismatchError(
            f"{notes.at.column(name)} has none of the {len(known)} labels it has in the data it is read like: nothing could match; are "
            "there labels in the one, and their codes in the other?"
        )
    if more or fewer:
        notes.labels[name] = len(more), len(fewer)
    categories = pd.Index([*known, *more], dtype=known.dtype if not more else None)
    return pd.Series(pd.Categorical(series, dtype=pd.CategoricalDtype(categories, bool(like.cat.ordered) and not more)))


def _refuse(column: Column, na: Codes, name: str, notes: Notes, kind: str) -> NoReturn:
    """Raise, saying of what kind the column is, and what can be typed."""
    where = notes.at.column(name)
    if isinstance(column, Stated):
        own = "codes that are not all labelled" if column.labels else f"{_checks.kind_of(column.values)} values"
        raise DtypeMismatchError(
            f"{where} holds {own}, and {kind} values in the data it is read like; align the two files"
        )
    filled = [cell if not na.mean(cell) and cell.strip() else "" for cell in column.cells]
    if kind == "number" and _cells.are_padded(filled):
        raise DtypeMismatchError(
            f"{where} holds codes with leading zeros, and numbers in the data it is read like; name it as text there, and here"
        )
    wrong = [bool(cell) and not (kind == "number" and _cells.is_number(cell, column.decimal)) for cell in filled]
    words = sorted({cell.strip() for cell, odd in zip(filled, wrong, strict=True) if odd})
    hint = f'; na="{",".join(words)}" makes them missing' if kind == "number" and set(words) <= WORDS else ""
    if kind == "number" and not any(wrong):
        raise DtypeMismatchError(
            f"{where} holds whole numbers that a 64-bit number cannot represent, and numbers in the data it is read like; read "
            "the column as text in both files"
        )
    places = f" ({_checks.first_of(wrong, 'records')})" if kind == "number" else ""
    raise DtypeMismatchError(
        f"{where} holds {kind} values in the data it is read like, and here other ones{places}{hint}"
    )
