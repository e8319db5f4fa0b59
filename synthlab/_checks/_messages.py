"""Descriptions of values for messages.

One number or word, or a short list of them, is shown. For longer values, and for possible data, only type, shape and
position are given.
"""

from __future__ import annotations

import datetime
import numbers
import re
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Any

import numpy as np
import pandas as pd

SHOWN = 4  # largest number of entries of a list that is shown in full


def shorten(values: Iterable[object], limit: int = 5) -> str:
    """Show the first few values of a list and the number of further values."""
    items = [repr(v) for v in values]
    more = len(items) - limit
    return ", ".join(items[:limit]) + (f" and {more} more" if more > 0 else "")


def described(value: object) -> str:
    """Describe a value by type, shape and dtype, without its content."""
    kind = type(value).__name__
    if isinstance(value, pd.DataFrame):
        return f"a {kind} of shape {value.shape}"
    if isinstance(value, pd.Series | pd.Index | np.ndarray):
        return f"a {kind} of shape {value.shape} and dtype {value.dtype}"
    if isinstance(value, list | tuple | set | frozenset | Mapping):
        return f"a {kind} of {len(value)}"
    return "None" if value is None else f"a {kind}"


def shown(value: object) -> str:
    """Show a public argument if it is short; otherwise describe it as in `described`.

    Short arguments are one number, word or date, or a short list of them.
    """
    few = isinstance(value, list | tuple) and len(value) <= SHOWN and all(map(is_word, value))
    if is_word(value) or few:
        try:
            return f"{value!r:.80}"
        except ValueError:  # Python does not convert ints with more than 4,300 digits to text
            return "a number of thousands of digits"
    return described(value)


def did_you_mean(word: object, allowed: Iterable[object]) -> str:
    """Return the end of a message that proposes the most similar allowed word; empty if none is similar."""
    close = get_close_matches(str(word), [str(one) for one in allowed], n=1)
    return f"; did you mean {close[0]!r}?" if close else ""


def named(values: Iterable[object]) -> str:
    """Show a few entries of an argument; only count more entries, which might be data."""
    items = list(values)
    return ", ".join(map(shown, items)) if len(items) <= SHOWN and all(map(is_word, items)) else f"{len(items)} entries"


def is_word(value: object) -> bool:
    return value is None or isinstance(value, str | numbers.Number | np.generic | datetime.date)


def first_of(marked: Any, what: str = "entries") -> str:
    """State the number of marked entries and the position (from 0) of the first one."""
    mask = np.atleast_1d(np.asarray(marked, dtype=bool))
    at = tuple(int(axis[0]) for axis in np.nonzero(mask))
    return f"{int(mask.sum()):,} of {mask.size:,} {what}, the first at position {at[0] if len(at) == 1 else at}"


def without_levels(names: Iterable[object]) -> str:
    """Name columns of a design without their levels, which are values.

    For example, region[T.south] becomes region[...].
    """
    return shorten(dict.fromkeys(re.sub(r"\[.*", "[...]", str(name), flags=re.DOTALL) for name in names))
