"""Inference of the type of a column of text; 01 is not a number."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab.exceptions import InputError
from synthlab.io.column_warnings import WORDS, Notes
from synthlab.io.date_formats import looks_like_dates, recognize
from synthlab.io.notation import Notation
from synthlab.io.partial_dates import PartialDates
from synthlab.io.read_options import Codes

_NUMBER = r"\s*(?:[+-]?(?:[0-9]++(?:{0}[0-9]*+)?|{0}[0-9]++)(?:[eE][+-]?[0-9]++)?|[+-]?[iI]nf(?:inity)?)\s*"
_NUMBERS = {mark: re.compile(_NUMBER.format(re.escape(mark))) for mark in ".,"}
_WHOLE = re.compile(r"\s*[+-]?[0-9]++\s*")
TRUTH = ({"True": True, "False": False}, {"TRUE": True, "FALSE": False}, {"true": True, "false": False})
LONGEST = 40  # largest number of characters of a 64-bit integer with blanks and zeros
FEW, MANY = 2, 10  # at most FEW words among more than MANY different numbers look like codes of missing values
FIRST = 200  # cells that are inspected first
TEXT = pd.Series(["text"]).dtype  # "str" since pandas 3, object before


def are_numbers(cells: Iterable[str], decimal: str = ".") -> bool:
    """Return whether every cell is a number, possibly with leading zeros."""
    return all(map(_NUMBERS[decimal].fullmatch, cells))


def is_number_text(cell: str, decimal: str = ".") -> bool:
    """Return whether a cell is a number, and not a code with leading zeros."""
    return are_numbers([cell], decimal) and not _checks.are_padded([cell])


def typed(cells: pd.Series, na: Codes, decimal: str, name: str, notes: Notes, *, dates: bool = True) -> pd.Series:
    """Return a column of text with the inferred type; empty cells are missing."""
    found = _dates_or_numbers(cells, na, decimal, name, notes, dates=dates)
    if found is not None:
        return found
    if _is_clearly_text(cells, na, decimal):
        return as_text(cells, na.among(_checks.distinct_texts(cells)) if na.words else ())
    different = _checks.distinct_texts(cells)
    gone = na.among(different)
    present = [cell for cell in different if cell not in gone] if gone else different
    filled = [cell for cell in present if not cell.isspace()]
    if not filled:
        return as_text(cells, gone) if present else as_nothing(len(cells))
    truth = next((one for one in TRUTH if len(filled) <= len(one) and one.keys() >= {*filled}), None)
    if truth is not None:
        notes.notations[name] = Notation.of_bools(truth)
        return as_bools(cells, truth)
    if are_numbers(filled, decimal):
        column = None if _checks.are_padded(filled) else as_numbers(cells, filled, na, decimal, name, notes)
        return as_text(cells, gone) if column is None else column
    odd = odd_words(present, decimal)
    if odd and not _checks.are_padded(filled):
        notes.add_words(name, odd, cells)
    return as_text(cells, gone)


def _is_clearly_text(cells: pd.Series, na: Codes, decimal: str) -> bool:
    """Return whether the first cells contain too many words for numbers or bools."""
    first = {cell for cell in _checks.distinct_texts(cells.head(FIRST)) if not cell.isspace()}
    words = {cell for cell in first - na.among(first) if not are_numbers([cell], decimal)}
    return len(words.difference(*TRUTH)) > FEW


def _dates_or_numbers(
    cells: pd.Series, na: Codes, decimal: str, name: str, notes: Notes, *, dates: bool
) -> pd.Series | None:
    """Return texts as dates, or decorated numbers as numbers, or None."""
    first = [
        cell
        for cell in _checks.distinct_texts(cells.head(FIRST))
        if not cell.isspace() and not na.is_missing_code(cell)
    ]
    numeric = _checks.decorated_numbers(first, decimal) is not None if first else False
    if not numeric and not (dates and looks_like_dates(first)):
        return None
    codes, different = pd.factorize(cells)  # the code of a missing cell, -1, is the last place of a list
    gone = na.among(different)
    texts = [*(None if cell.isspace() or cell in gone else cell for cell in different.astype(object).tolist()), None]
    present = [text for text in texts if text is not None]
    if numeric:
        plain = _checks.decorated_numbers(present, decimal)
        if plain is None or are_numbers(present, decimal):
            return None
        notes.decorated.append(name)
        numbers = (
            pd.Series([None if text is None else plain.get(text) for text in texts], dtype=TEXT)
            .iloc[codes]
            .reset_index(drop=True)
        )
        return as_numbers(numbers, {*plain.values()}, na, decimal, name, notes)
    found = recognize(present)
    if found.mixed:
        raise InputError(
            f"{notes.at.column(name)} mixes dates of the formats {found.mixed[0]} and {found.mixed[1]}; write all dates in "
            f"one format, or read the column as text with text={name!r}"
        )
    if found.odd or (found.format is None and not found.mixed):
        partial = PartialDates.of(pd.Series(present, dtype=object))
        if partial is not None and partial.impossible.any():
            count = int(cells.isin([text for text, odd in zip(present, partial.impossible, strict=True) if odd]).sum())
            raise InputError(
                f"{notes.at.column(name)} holds dates of several precisions, such as year and month, but the dates of {count:,} "
                f"cell{'s' * (count > 1)} do not exist; correct them, or declare them as missing with na={{{name!r}: [...]}}"
            )
        if partial is not None:
            notes.partial_dates.append(name)
            return None
    if found.odd:
        notes.add_not_dates(name, found.odd, cells)
    if found.format is None or found.dates is None:
        return None
    if found.other is not None:
        notes.ambiguous[name] = found.format.pattern, found.other
    notes.dates[name] = found.format
    places = iter(range(len(present)))  # the place of each cell in the list of dates; -1 is missing
    place = np.array([-1 if text is None else next(places) for text in texts])
    return found.dates.reindex(place[codes]).reset_index(drop=True)


def as_nothing(n: int) -> pd.Series:
    """Return a column of missing values without a type."""
    return pd.Series([None] * n, dtype=object)


def as_text(cells: pd.Series, gone: Collection[str]) -> pd.Series:
    """Return the cells as text; the cells in `gone` are missing."""
    return cells.mask(cells.isin(gone)) if gone else cells


def as_bools(cells: pd.Series, truth: Mapping[str, bool]) -> pd.Series:
    """Return cells that are true, false or missing."""
    values = _looked_up(cells, truth, "boolean")
    return values if values.isna().any() else values.astype(bool)


def as_numbers(
    cells: pd.Series, filled: Collection[str], na: Codes, decimal: str, name: str, notes: Notes
) -> pd.Series | None:
    """Return the cells as numbers, or None if integers do not fit into 64 bits."""
    if all(map(_WHOLE.fullmatch, filled)):
        if max(map(len, filled), default=0) > LONGEST:
            return None
        return _whole(cells, {cell: value for cell in filled if (value := int(cell)) not in na.numbers})
    numbers = {cell: float(cell.replace(decimal, ".")) for cell in filled}
    note_precision(numbers, name, notes)
    notes.notations[name] = Notation.of_numbers(filled, decimal)
    return _looked_up(cells, {cell: value for cell, value in numbers.items() if value not in na.numbers}, "float64")


def note_precision(numbers: Mapping[str, float], name: str, notes: Notes) -> None:
    """Note whether finite numbers became infinite and whether integers were rounded.

    `numbers` maps the text of each number to its value.
    """
    large = {cell: value for cell, value in numbers.items() if abs(value) >= _checks.LARGEST_EXACT}
    infinite = {cell for cell, value in large.items() if math.isinf(value)}
    if any("i" not in cell.lower() for cell in infinite):
        notes.infinite.append(name)
    if any(_WHOLE.fullmatch(cell) and int(cell) != large[cell] for cell in large.keys() - infinite):
        notes.rounded.append(name)


def _whole(cells: pd.Series, whole: Mapping[str, int]) -> pd.Series | None:
    low, high = min(whole.values(), default=0), max(whole.values(), default=0)
    if low < -(2**63) or high >= 2**64 or (low < 0 and high >= 2**63):
        return None
    kind = "UInt64" if high >= 2**63 else "Int64"
    values = _looked_up(cells, whole, kind)
    if not values.isna().any():
        return pd.Series(values.to_numpy(kind.lower()))
    return values if max(high, -low) > _checks.LARGEST_EXACT else values.astype("float64")


def _looked_up(cells: pd.Series, values: Mapping[str, Any], dtype: Any) -> pd.Series:
    """Return the value of each cell; cells without a value are missing."""
    codes, different = pd.factorize(cells)  # the code of a missing cell, -1, is the last place of the list
    found = pd.Series([*map(values.get, different), None], dtype=dtype)
    return found.iloc[codes].reset_index(drop=True)


def odd_words(different: Collection[str], decimal: str = ".") -> set[str]:
    """Return the one or two words that prevent a column from being numbers or bools.

    The set is empty if the column is text for other reasons.
    """
    kinds: list[Callable[[str], bool]] = [
        lambda cell: is_number_text(cell, decimal),
        *(truth.__contains__ for truth in TRUTH),
    ]
    for place, fits in enumerate(kinds):
        odd = set(itertools.islice((cell for cell in different if not cell.isspace() and not fits(cell)), FEW + 1))
        if not 1 <= len(odd) <= FEW:
            continue
        known = {cell.strip() for cell in odd} <= WORDS
        other = sum(not cell.isspace() for cell in different) - len(odd)
        if other and (known or (place == 0 and other > MANY)):
            return odd
    return set()
