"""The type of a column of a CSV file, by its cells: nothing is missing but an empty cell, and 01 is no number."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab.reading.notes import WORDS, Notes
from synthlab.reading.rules import Codes

NUMBER = {
    mark: re.compile(
        rf"[+-]?(?:[0-9]+(?:{re.escape(mark)}[0-9]*)?|{re.escape(mark)}[0-9]+)(?:[eE][+-]?[0-9]+)?|[+-]?[iI]nf(?:inity)?"
    )
    for mark in ".,"
}
WHOLE = re.compile(r"[+-]?[0-9]+")
PADDED = re.compile(r"\s*[+-]?0[0-9]")
TRUTH = ({"True": True, "False": False}, {"TRUE": True, "FALSE": False}, {"true": True, "false": False})
FEW, MANY = 2, 10  # so few odd words among so many different numbers look like codes of missing values
TEXT = pd.Series(["text"]).dtype  # "str" since pandas 3, object before


def is_number(cell: str, decimal: str = ".") -> bool:
    """Return whether a cell is a number, and no code with leading zeros."""
    return NUMBER[decimal].fullmatch(cell.strip()) is not None and PADDED.match(cell) is None


def typed(cells: Sequence[str], na: Codes, decimal: str, name: str, notes: Notes) -> pd.Series:
    """Return a column of text with the type its cells have: numbers, bools, or text."""
    different = set(cells)
    present = {cell for cell in different if cell and not na.mean(cell)}
    filled = {cell for cell in present if not cell.isspace()}
    if not filled:
        return as_nothing(len(cells)) if not present else as_text(cells, na)
    for truth in TRUTH:
        if filled <= truth.keys():
            return as_bools(cells, truth)
    if any(PADDED.match(cell) for cell in filled):
        return as_text(cells, na)
    if all(is_number(cell, decimal) for cell in filled):
        column = as_numbers(cells, filled, na, decimal)
        if column is not None:
            return column
    odd = odd_words(present, decimal)
    if odd:
        notes.add_words(name, odd, cells)
    return as_text(cells, na)


def as_nothing(n: int) -> pd.Series:
    """Return a column with nothing in it."""
    return pd.Series([None] * n, dtype=object)


def as_text(cells: Sequence[str], na: Codes) -> pd.Series:
    """Return the cells as they stand, an empty one and a code as missing."""
    missing = {cell for cell in set(cells) if not cell or na.mean(cell)}
    return pd.Series([np.nan if cell in missing else cell for cell in cells], dtype=TEXT)


def as_bools(cells: Sequence[str], truth: dict[str, bool]) -> pd.Series:
    """Return cells of which each is true, false or missing."""
    values = [truth.get(cell) for cell in cells]
    return pd.Series(values, dtype="boolean" if None in values else bool)


def as_numbers(cells: Sequence[str], filled: Iterable[str], na: Codes, decimal: str) -> pd.Series | None:
    """Return cells that are numbers or missing; None where 64 bits do not hold the whole numbers."""
    plain = {cell: cell.strip().replace(decimal, ".") for cell in filled}
    if all(WHOLE.fullmatch(text) for text in plain.values()):
        whole = {cell: int(text) for cell, text in plain.items() if len(text) < 25}
        if len(whole) < len(plain):
            return None
        return _whole([None if (v := whole.get(cell)) is None or v in na.numbers else v for cell in cells])
    values = {cell: float(text) for cell, text in plain.items()}
    values = {cell: np.nan if value in na.numbers else value for cell, value in values.items()}
    return pd.Series(np.fromiter((values.get(cell, np.nan) for cell in cells), dtype=np.float64, count=len(cells)))


def _whole(values: list[int | None]) -> pd.Series | None:
    present = {value for value in values if value is not None}
    low, high = min(present, default=0), max(present, default=0)
    if low < -(2**63) or high >= 2**64 or (low < 0 and high >= 2**63):
        return None
    kind = "uint64" if high >= 2**63 else "int64"
    if len(present) and None not in values:
        return pd.Series(np.array(values, dtype=kind))
    if max(high, -low) <= _checks.LARGEST_EXACT:
        return pd.Series(np.array([np.nan if value is None else value for value in values], dtype=np.float64))
    return pd.Series(values, dtype=kind.replace("i", "I", 1) if kind == "int64" else "UInt64")


def odd_words(different: Iterable[str], decimal: str = ".") -> set[str]:
    """Return the words, at most two, that alone keep a column from being numbers or bools; none where it is text."""
    filled = {cell for cell in different if not cell.isspace()}
    numbers = {cell for cell in filled if is_number(cell, decimal)}
    for other in (numbers, *({cell for cell in filled if cell in truth} for truth in TRUTH)):
        odd = filled - other
        known = {cell.strip() for cell in odd} <= WORDS
        if 1 <= len(odd) <= FEW and (len(numbers) > MANY or (known and other)):
            return odd
    return set()
