"""The type of a column of a CSV file, by its cells: nothing is missing but an empty cell, and 01 is no number."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab.reading.notes import WORDS, Notes
from synthlab.reading.rules import Codes

_DIGITS = r"[+-]?(?:[0-9]++(?:{0}[0-9]*+)?|{0}[0-9]++)(?:[eE][+-]?[0-9]++)?|[+-]?[iI]nf(?:inity)?"
_LINES = r"(?:\s*+(?:{0})\s*+\0)*+"  # all cells of a column in one text: one call is quicker than one for each
_NUMBERS = {mark: re.compile(_LINES.format(_DIGITS.format(re.escape(mark)))) for mark in ".,"}
_WHOLE = re.compile(_LINES.format("[+-]?[0-9]++"))
_PADDED = re.compile(r"(?:^|\0)\s*+[+-]?0[0-9]")
TRUTH = ({"True": True, "False": False}, {"TRUE": True, "FALSE": False}, {"true": True, "false": False})
LONGEST = 40  # characters of a cell that may be a whole number of 64 bits
FEW, MANY = 2, 10  # so few odd words among so many different numbers look like codes of missing values
TEXT = pd.Series(["text"]).dtype  # "str" since pandas 3, object before


def are_numbers(cells: Collection[str], decimal: str = ".") -> bool:
    """Return whether each of the cells is a number; whether some have leading zeros is another question."""
    return _all_match(_NUMBERS[decimal], cells)


def is_number(cell: str, decimal: str = ".") -> bool:
    """Return whether a cell is a number, and no code with leading zeros."""
    return are_numbers([cell], decimal) and not are_padded([cell])


def are_padded(cells: Collection[str]) -> bool:
    """Return whether a cell begins with a zero and another digit, as codes do and numbers do not."""
    return _PADDED.search("\0".join(cells)) is not None


def _all_match(lines: re.Pattern[str], cells: Collection[str]) -> bool:
    joined = "".join(f"{cell}\0" for cell in cells)
    return joined.count("\0") == len(cells) and lines.fullmatch(joined) is not None


def typed(cells: Sequence[str], na: Codes, decimal: str, name: str, notes: Notes) -> pd.Series:
    """Return a column of text with the type its cells have: numbers, bools, or text."""
    different = set(cells)
    present = different - {""} - na.among(different)
    filled = {cell for cell in present if not cell.isspace()}
    if not filled:
        return as_nothing(len(cells)) if not present else as_text(cells, na)
    for truth in TRUTH:
        if filled <= truth.keys():
            return as_bools(cells, truth)
    if are_padded(filled):
        return as_text(cells, na)
    if are_numbers(filled, decimal):
        column = as_numbers(cells, filled, na, decimal, name, notes)
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
    different = set(cells)
    values: dict[str, Any] = {cell: cell for cell in different}
    values |= dict.fromkeys(({""} | na.among(different)) & different, np.nan)
    return pd.Series(list(map(values.__getitem__, cells)), dtype=TEXT)


def as_bools(cells: Sequence[str], truth: dict[str, bool]) -> pd.Series:
    """Return cells of which each is true, false or missing."""
    values = [truth.get(cell) for cell in cells]
    return pd.Series(values, dtype="boolean" if None in values else bool)


def as_numbers(
    cells: Sequence[str], filled: Collection[str], na: Codes, decimal: str, name: str, notes: Notes
) -> pd.Series | None:
    """Return cells that are numbers or missing; None where 64 bits do not hold the whole numbers."""
    if _all_match(_WHOLE, filled):
        if max(map(len, filled), default=0) > LONGEST:
            return None
        return _whole(cells, {cell: value for cell in filled if (value := int(cell)) not in na.numbers})
    if decimal != ".":
        numbers = {cell: float(cell.replace(decimal, ".")) for cell in filled}
    else:
        numbers = dict(zip(filled, map(float, filled), strict=True))
    note_precision(numbers, name, notes)
    gone = {cell for cell, value in numbers.items() if value in na.numbers}
    numbers |= dict.fromkeys((set(cells) - numbers.keys()) | gone, np.nan)
    return pd.Series(np.fromiter(map(numbers.__getitem__, cells), dtype=np.float64, count=len(cells)))


def note_precision(numbers: Mapping[str, float], name: str, notes: Notes) -> None:
    """Note whether finite numbers became infinite, and whether whole numbers were rounded.

    `numbers` maps the text of each number to its value.
    """
    if max(map(abs, numbers.values()), default=0.0) < _checks.LARGEST_EXACT:
        return
    large = {cell: value for cell, value in numbers.items() if abs(value) >= _checks.LARGEST_EXACT}
    infinite = {cell for cell, value in large.items() if math.isinf(value)}
    if any("i" not in cell.lower() for cell in infinite):
        notes.infinite.append(name)
    whole = [cell for cell in large.keys() - infinite if _all_match(_WHOLE, [cell])]
    if any(int(cell) != large[cell] for cell in whole):
        notes.rounded.append(name)


def _whole(cells: Sequence[str], whole: dict[str, int]) -> pd.Series | None:
    low, high = min(whole.values(), default=0), max(whole.values(), default=0)
    if low < -(2**63) or high >= 2**64 or (low < 0 and high >= 2**63):
        return None
    kind = "uint64" if high >= 2**63 else "int64"
    missing = set(cells) - whole.keys()
    if not missing:
        return pd.Series(np.fromiter(map(whole.__getitem__, cells), dtype=kind, count=len(cells)))
    if max(high, -low) <= _checks.LARGEST_EXACT:
        numbers = whole | dict.fromkeys(missing, np.nan)
        return pd.Series(np.fromiter(map(numbers.__getitem__, cells), dtype=np.float64, count=len(cells)))
    return pd.Series([whole.get(cell) for cell in cells], dtype="UInt64" if kind == "uint64" else "Int64")


def odd_words(different: Iterable[str], decimal: str = ".") -> set[str]:
    """Return the words, at most two, that alone keep a column from being numbers or bools; none where it is text."""
    filled = {cell for cell in different if not cell.isspace()}
    kinds: list[Callable[[str], bool]] = [
        lambda cell: is_number(cell, decimal),
        *(truth.__contains__ for truth in TRUTH),
    ]
    for place, fits in enumerate(kinds):
        odd = set(itertools.islice((cell for cell in filled if not fits(cell)), FEW + 1))
        known = {cell.strip() for cell in odd} <= WORDS
        other = len(filled) - len(odd)
        if 1 <= len(odd) <= FEW and other and (known or (place == 0 and other > MANY)):
            return odd
    return set()
