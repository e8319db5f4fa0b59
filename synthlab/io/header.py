"""Column names of a table, row names, and a second line of column names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import pandas as pd

from synthlab import _checks
from synthlab.exceptions import InputError
from synthlab.io import type_inference
from synthlab.io.column_warnings import WORDS

LINES = 2  # largest number of additional lines of column names that are recognized
FEW = 20  # records that are inspected first


def named(names: Sequence[str], columns: Sequence[pd.Series], where: object) -> tuple[dict[str, pd.Series], bool]:
    """Return the columns by name, and whether a first column of row names was omitted."""
    row_names = len(names) > 1 and not names[0] and _counts_records(columns[0])
    if row_names:
        names, columns = names[1:], columns[1:]
    # A comma at the end of every line gives an empty last column.
    while len(names) > 1 and not names[-1] and columns[-1].isna().all():
        names, columns = names[:-1], columns[:-1]
    names = [name or f"Unnamed: {place}" for place, name in enumerate(names)]
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise InputError(f"{where}: column names must be unique; these names occur twice: {_checks.shorten(twice)}")
    return dict(zip(names, columns, strict=True)), row_names


def second_header(columns: Mapping[str, pd.Series]) -> tuple[int, tuple[str, ...]]:
    """Return how many first records look like column names, and the columns that contain numbers below them.

    In a record of names, at least two cells are filled, all of them with words that do not occur again in their columns,
    although some columns otherwise contain only numbers.
    """
    first = {name: column.iloc[:LINES].tolist() for name, column in columns.items()}
    for lines in range(1, LINES + 1):
        filled = {
            name: cells[lines - 1]
            for name, cells in first.items()
            if len(cells) >= lines and pd.notna(cells[lines - 1])
        }
        if len(filled) < 2 or not all(map(_is_word, filled.values())):
            break
        numbers = tuple(name for name, column in columns.items() if _is_number_below(column, lines, first[name]))
        if numbers:
            new = all(int((columns[name] == word).sum()) == 1 for name, word in filled.items())
            return (lines, numbers) if new else (0, ())
    return 0, ()


def _is_number_below(column: pd.Series, lines: int, first: Sequence[object]) -> bool:
    """Return whether the first cells of a column are words, and all others are different numbers or empty."""
    if column.dtype.kind in "iufbmM" or any(not _is_word(cell) or cell in WORDS for cell in first[:lines]):
        return False
    start = column.iloc[lines : lines + FEW].dropna()
    below = column.iloc[lines:].dropna() if len(start) and not any(map(_is_word, start)) else ()
    return len(set(below)) > 1 and not any(map(_is_word, below))


def _is_word(cell: object) -> bool:
    return isinstance(cell, str) and bool(cell.strip()) and not type_inference.is_number_text(cell)


def _counts_records(column: pd.Series) -> bool:
    """Return whether a column contains the row names of R or pandas."""
    first = list(map(str, column))
    return any(first == list(map(str, range(start, start + len(first)))) for start in (0, 1))
