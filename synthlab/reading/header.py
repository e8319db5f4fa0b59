"""The first line of a table: names that are missing, names that occur twice, and row names, which are no variable."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, TypeVar

from synthlab import _checks
from synthlab.exceptions import InputError

_Cells = TypeVar("_Cells", bound=Sequence[Any])


def named(names: list[str], columns: list[_Cells], where: object) -> tuple[dict[str, _Cells], bool]:
    """Return the columns by their names, and whether the first one was left out, as it counts the records."""
    row_names = _are_row_names(names, columns)
    if row_names:
        names, columns = names[1:], columns[1:]
    # A comma at the end of every line makes a column.
    while len(names) > 1 and not names[-1] and not any(cell not in ("", None) for cell in columns[-1]):
        names, columns = names[:-1], columns[:-1]
    names = [name or f"Unnamed: {place}" for place, name in enumerate(names)]
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise InputError(f"{where}: column names must be unique, these occur twice: {_checks.shorten(twice)}")
    return dict(zip(names, columns, strict=True)), row_names


def _are_row_names(names: list[str], columns: Sequence[Sequence[Any]]) -> bool:
    """Return whether the first column has no name and counts the records, as R and pandas write it."""
    if len(names) < 2 or names[0]:
        return False
    first = list(map(str, columns[0]))
    return any(first == list(map(str, range(start, start + len(first)))) for start in (0, 1))
