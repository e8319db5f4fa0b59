"""Inference of the type of a column of text; 01 is not a number."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

import pandas as pd

from synthlab import _checks
from synthlab.io.column_warnings import WORDS, Notes
from synthlab.io.read_options import Codes

_NUMBER = r"\s*(?:[+-]?(?:[0-9]++(?:{0}[0-9]*+)?|{0}[0-9]++)(?:[eE][+-]?[0-9]++)?|[+-]?[iI]nf(?:inity)?)\s*"
_NUMBERS = {mark: re.compile(_NUMBER.format(re.escape(mark))) for mark in ".,"}
_WHOLE = re.compile(r"\s*[+-]?[0-9]++\s*")
_PADDED = re.compile(r"\s*[+-]?0[0-9]")
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
    return are_numbers([cell], decimal) and not are_padded([cell])


def are_padded(cells: Iterable[str]) -> bool:
    """Return whether a cell begins with a zero and another digit, like a code."""
    return any(map(_PADDED.match, cells))


def typed(cells: pd.Series, na: Codes, decimal: str, name: str, notes: Notes) -> pd.Series:
    """Return a column of text with the inferred type; empty cells are missing."""
    if _is_clearly_text(cells, na, decimal):
        return as_text(cells, na.among(distinct(cells)) if na.words else ())
    different = distinct(cells)
    gone = na.among(different)
    present = [cell for cell in different if cell not in gone] if gone else different
    filled = [cell for cell in present if not cell.isspace()]
    if not filled:
        return as_text(cells, gone) if present else as_nothing(len(cells))
    truth = next((one for one in TRUTH if len(filled) <= len(one) and one.keys() >= {*filled}), None)
    if truth is not None:
        return as_bools(cells, truth)
    if are_numbers(filled, decimal):
        column = None if are_padded(filled) else as_numbers(cells, filled, na, decimal, name, notes)
        return as_text(cells, gone) if column is None else column
    odd = odd_words(present, decimal)
    if odd and not are_padded(filled):
        notes.add_words(name, odd, cells)
    return as_text(cells, gone)


def _is_clearly_text(cells: pd.Series, na: Codes, decimal: str) -> bool:
    """Return whether the first cells contain too many words for numbers or bools."""
    first = {cell for cell in distinct(cells.head(FIRST)) if not cell.isspace()}
    words = {cell for cell in first - na.among(first) if not are_numbers([cell], decimal)}
    return len(words.difference(*TRUTH)) > FEW


def distinct(cells: pd.Series) -> list[str]:
    """Return the distinct cells of a column of text, without missing cells."""
    return [cell for cell in cells.unique().astype(object).tolist() if isinstance(cell, str)]


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
