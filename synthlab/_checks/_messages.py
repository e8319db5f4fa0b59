"""Values in the words of a message.

One number or word, or a short list of them, is shown as it is; of anything longer, and of whatever may be data, type, shape
and position alone.
"""

from __future__ import annotations

import datetime
import numbers
import re
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd

SHOWN = 4  # a list of so many numbers or words is shown in full


def shorten(values: Iterable[object], limit: int = 5) -> str:
    """Name the first few values of a list, and how many more there are."""
    items = [repr(v) for v in values]
    more = len(items) - limit
    return ", ".join(items[:limit]) + (f" and {more} more" if more > 0 else "")


def described(value: object) -> str:
    """Say what something is by type, shape and dtype, never by what it holds."""
    kind = type(value).__name__
    if isinstance(value, pd.DataFrame):
        return f"a {kind} of shape {value.shape}"
    if isinstance(value, pd.Series | pd.Index | np.ndarray):
        return f"a {kind} of shape {value.shape} and dtype {value.dtype}"
    if isinstance(value, list | tuple | set | frozenset | Mapping):
        return f"a {kind} of {len(value)}"
    return "None" if value is None else f"a {kind}"


def shown(value: object) -> str:
    """Show a public argument: one number, word or date, or a short list of them, as it is; anything else as `described`."""
    few = isinstance(value, list | tuple) and len(value) <= SHOWN and all(map(is_word, value))
    if is_word(value) or few:
        try:
            return f"{value!r:.80}"
        except ValueError:  # Python writes out no int of more than 4,300 digits
            return "a number of thousands of digits"
    return described(value)


def named(values: Iterable[object]) -> str:
    """Name a few entries of an argument; of more than a few, which may be data in the wrong place, only say how many."""
    items = list(values)
    return ", ".join(map(shown, items)) if len(items) <= SHOWN and all(map(is_word, items)) else f"{len(items)} entries"


def is_word(value: object) -> bool:
    return value is None or isinstance(value, str | numbers.Number | np.generic | datetime.date)


def first_of(marked: Any, what: str = "entries") -> str:
    """Say how many entries are marked and the position of the first one, counted from 0."""
    mask = np.atleast_1d(np.asarray(marked, dtype=bool))
    at = tuple(int(axis[0]) for axis in np.nonzero(mask))
    return f"{int(mask.sum()):,} of {mask.size:,} {what}, the first at position {at[0] if len(at) == 1 else at}"


def without_levels(names: Iterable[object]) -> str:
    """Name a few columns of a design without the levels in brackets, which are values: region[T.south] is region[...]."""
    return shorten(dict.fromkeys(re.sub(r"\[.*", "[...]", str(name), flags=re.DOTALL) for name in names))
