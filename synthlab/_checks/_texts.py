"""Texts of a column: codes with leading zeros, numbers with other signs, and spellings of one text."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

import pandas as pd

_CURRENCY = r"[$\u20ac\u00a3\u00a5]|US\$|EUR|USD|GBP|CHF|CAD|AUD|JPY"
_DECORATED = {
    mark: re.compile(
        rf"\s*[+\-\u2212]?\s?(?P<before>{_CURRENCY})?\s?[+\-\u2212]?"
        rf"(?P<number>(?:[1-9][0-9]{{0,2}}(?:(?P<group>{group}|[ '\u00a0\u202f\u2019])[0-9]{{3}})(?:(?P=group)[0-9]{{3}})*|[0-9]+)"
        rf"(?:{re.escape(mark)}[0-9]*)?)\s?(?P<after>%|{_CURRENCY})?\s*"
    )
    for mark, group in ((".", ","), (",", r"\."))
}
_PADDED = re.compile(r"\s*[+-]?0[0-9]")
MANY_TEXTS = 1_000  # texts are compared for blanks and case only if at most this many are distinct


def are_padded(cells: Iterable[str]) -> bool:
    """Return whether a cell begins with a zero and another digit, like a code."""
    return any(map(_PADDED.match, cells))


def decorated_numbers(cells: Collection[str], decimal: str) -> dict[str, str] | None:
    """Return the number in each cell without percent sign, currency and thousands.

    The result is None if a cell is not a number, if the cells have different signs or currencies, or if a number has
    leading zeros.

    Examples
    --------
    >>> decorated_numbers(["$ 1,200.50", "-$5"], "."), decorated_numbers(["5%", "5"], ".")
    ({'$ 1,200.50': '1200.50', '-$5': '-5'}, None)
    """
    plain, marks = {}, set()
    for cell in cells:
        found = _DECORATED[decimal].fullmatch(cell)
        if found is None or (found["before"] and found["after"]) or are_padded([found["number"]]):
            return None
        marks.add((found["before"] or found["after"] or "").strip())
        sign = "-" if "-" in cell or "\u2212" in cell else ""
        plain[cell] = sign + re.sub(r"[^0-9.,]|" + ("," if decimal == "." else r"\."), "", found["number"])
    return plain if len(marks) == 1 else None


def distinct_texts(cells: pd.Series) -> list[str]:
    """Return the distinct cells of a column of text, without missing cells."""
    return [cell for cell in cells.unique().astype(object).tolist() if isinstance(cell, str)]


def text_variants(texts: Sequence[str]) -> int:
    """Return how many of some texts equal another text except for blanks and case."""
    distinct = {text for text in texts if isinstance(text, str)}
    if len(distinct) > MANY_TEXTS:
        return 0
    return len(distinct) - len({" ".join(text.split()).casefold() for text in distinct})
