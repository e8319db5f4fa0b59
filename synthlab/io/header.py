"""Column names of a table, and removal of row names, which are not a variable."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pandas as pd

from synthlab import _checks
from synthlab.exceptions import InputError


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


def _counts_records(column: pd.Series) -> bool:
    """Return whether a column contains the row names of R or pandas."""
    first = list(map(str, column))
    return any(first == list(map(str, range(start, start + len(first)))) for start in (0, 1))
