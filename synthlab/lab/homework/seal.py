"""Answers under seal: a check knows whether a number is right without holding the number.

A number is put into cells as wide as its tolerance, and the salted digest of its cell is kept. An answer is right if it
falls into that cell or a neighbouring one: everything within the tolerance passes, nothing beyond twice the tolerance
does. A seal keeps an answer from being read, not from being searched for: whoever tries all numbers finds it, and has
worked harder than the exercise asks.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import lru_cache
from math import ceil, floor, log10

ROUNDS = 20_000


def cell_of(value: float, tolerance: float) -> int:
    """Return the number of the cell a value falls into; with tolerance 0 the value must be a whole number."""
    return round(value) if tolerance == 0 else floor(value / tolerance + 0.5)


def rounded(value: float, tolerance: float) -> float:
    """Return a number the master computed to a thousandth of its tolerance or finer: the same on every machine."""
    return value if tolerance == 0 else round(value, 3 + ceil(-log10(tolerance)))


def digest(salt: str, question: str, cell: object) -> str:
    """Return the salted digest of a cell, slow enough that trying thousands of them is tedious."""
    return _digest(f"{salt}:{question}", str(cell))


@lru_cache(maxsize=10_000)  # an answer is checked again whenever its cell is run again
def _digest(salt: str, cell: str) -> str:
    return hashlib.pbkdf2_hmac("sha256", cell.encode(), salt.encode(), ROUNDS).hex()[:32]


def cells_of(values: Sequence[float], offsets: Sequence[float], tolerance: float) -> tuple[int, ...]:
    """Return the cells of several numbers, moved by offsets so that a right number lies in the middle of its cell."""
    known = list(offsets[: len(values)]) + [0.0] * (len(values) - len(offsets))
    width = 2 * tolerance
    return tuple(round((value - offset) / width) for value, offset in zip(values, known, strict=True))


def candidates(value: float, tolerance: float) -> list[int]:
    """Return the cells in which the sealed number may lie if `value` is right, the likeliest first.

    There is none for a number so large that its cell has no number: no sealed one lies there.
    """
    try:
        float(value)  # a sealed number is one that a float holds
        cell = cell_of(value, tolerance)
    except OverflowError:
        return []
    return [cell] if tolerance == 0 else [cell, cell - 1, cell + 1]
