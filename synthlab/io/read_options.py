"""Validation of the options for reading files."""

from __future__ import annotations

import codecs
import math
import numbers
import re
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from synthlab import _checks
from synthlab.exceptions import InputError

DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar", " ": "blank"}
MARKS = {".": "point", ",": "comma"}


@dataclass(frozen=True, slots=True)
class Codes:
    """Codes of missing values: words for cells of text, and numbers."""

    words: frozenset[str] = frozenset()
    numbers: frozenset[float] = frozenset()

    def is_missing_code(self, cell: object) -> bool:
        """Return whether a value is one of the codes."""
        if isinstance(cell, str):
            return cell in self.words or cell.strip() in self.words
        return isinstance(cell, numbers.Real) and not isinstance(cell, bool) and cell in self.numbers

    @property
    def texts(self) -> list[str]:
        """The words that are not numbers."""
        return [word for word in sorted(self.words) if _number(word) is None]

    def among(self, cells: Iterable[str]) -> set[str]:
        """Return the cells that are one of the codes."""
        return {cell for cell in cells if self.is_missing_code(cell)} if self.words else set()


@dataclass(frozen=True, slots=True)
class Missing:
    """Codes of missing values of all columns, and of single columns."""

    everywhere: Codes = Codes()
    columns: Mapping[str, Codes] = field(default_factory=dict)

    def of(self, column: str) -> Codes:
        """Return the codes of a column."""
        own = self.columns.get(column)
        if own is None:
            return self.everywhere
        return Codes(self.everywhere.words | own.words, self.everywhere.numbers | own.numbers)

    def with_columns(self, columns: Mapping[str, Codes]) -> Missing:
        """Return the codes with more codes of single columns."""
        more = {
            name: Codes(
                own.words | self.columns.get(name, Codes()).words, own.numbers | self.columns.get(name, Codes()).numbers
            )
            for name, own in columns.items()
        }
        return Missing(self.everywhere, {**self.columns, **more})


@dataclass(frozen=True, slots=True)
class Rules:
    """Validated options of `read`."""

    na: Missing = Missing()
    text: tuple[str, ...] = ()
    delimiter: str | None = None
    encoding: str | None = None
    decimal: str | None = None
    table: str | None = None
    dates: Mapping[str, str | None] = field(default_factory=dict)  # the pattern of each column, or None if not a date


def check(
    na: object,
    text: object,
    delimiter: object,
    encoding: object,
    decimal: object,
    table: object,
    dates: object = None,
) -> Rules:
    """Return the validated options, or raise an `InputError` that names the option."""
    cut, mark = _delimiter(delimiter), _mark(decimal)
    if mark is not None and mark == cut:
        raise InputError(f"decimal={mark!r}: `decimal` and `delimiter` must be different characters")
    names = _checks.check_names([text] if isinstance(text, str) else text, "text")
    return Rules(
        na=_missing(na),
        text=names,
        delimiter=cut,
        encoding=None if encoding is None else _encoding(encoding),
        decimal=mark,
        table=None if table is None else _checks.check_text(table, "table"),
        dates=_dates(dates),
    )


def named(text: Sequence[str], columns: Container[str]) -> list[str]:
    """Return the names in an option; a name that is not a column is split at commas."""
    parts = [[name] if name in columns else [part.strip() for part in name.split(",") if part.strip()] for name in text]
    return [name for several in parts for name in several]


def _parts(value: object) -> object:
    """Split a text at commas, as on the command line."""
    return [part.strip() for part in value.split(",") if part.strip()] if isinstance(value, str) else value


def parse_codes(texts: Sequence[str]) -> dict[str | None, list[str]]:
    """Return the codes of each column from texts such as "NA" and "income=-9,NA".

    The codes of all columns have the key None.
    """
    found: dict[str | None, list[str]] = {}
    for text in texts:
        column = None
        for part in text.split(","):
            name, mark, code = part.partition("=")
            if mark and name.strip():
                column, part = name.strip(), code
            if part.strip():
                found.setdefault(column, []).append(part.strip())
    return found


def _missing(na: object) -> Missing:
    if isinstance(na, str):
        na = parse_codes([na])
    if not isinstance(na, Mapping):
        return Missing(_codes(na))
    odd = [name for name in na if not isinstance(name, str | None)]
    if odd:
        raise InputError(f"na: the keys must be column names, or None for all columns, not {_checks.described(odd[0])}")
    return Missing(_codes(na.get(None, ())), {name: _codes(codes) for name, codes in na.items() if name is not None})


def _dates(value: object) -> Mapping[str, str | None]:
    """Return the validated patterns of columns of dates."""
    if value is None:
        return {}
    if not isinstance(value, Mapping) or not all(isinstance(name, str) for name in value):
        raise InputError('dates: must map columns to formats, such as {"visit": "%d/%m/%Y"}')
    for name, pattern in value.items():
        if pattern in (None, "none"):
            continue
        if not isinstance(pattern, str) or not re.search("%[Yy].*%[mbB]|%[mbB].*%[Yy]|%H", pattern):
            raise InputError(
                f'dates: the format of {_checks.shown(name)} must have directives such as "%d/%m/%Y" or "%Y-%m-%d %H:%M", '
                'or be "none" if the column is not a date'
            )
    return {name: None if pattern == "none" else pattern for name, pattern in value.items()}


def _codes(na: object) -> Codes:
    given: Sequence[Any] = (
        [na] if isinstance(na, int | float) else _checks.check_list(_parts(na), "na", 'a list such as ["NA", -9]')
    )
    words, values = set(), set()
    for place, code in enumerate(given):
        number = isinstance(code, numbers.Real) and not isinstance(code, bool)
        if not number and not isinstance(code, str):
            raise InputError(
                f'na: must be text and numbers, such as ["NA", -9]; the code at position {place} is {_checks.described(code)}'
            )
        value = _number(code)
        value = value if value is not None and math.isfinite(value) else None
        if number and value is None:
            raise InputError(
                f"na: the code at position {place} must be finite; omit it, because empty cells are always missing"
            )
        if isinstance(code, str):
            words.add(_checks.check_text(code, "na"))
        if value is not None:
            values.add(value)
            words.add(str(code) if isinstance(code, str) else f"{value:.15g}")
    return Codes(frozenset(words), frozenset(values))


def _number(code: Any) -> float | None:
    try:
        return float(code)
    except (ValueError, OverflowError):
        return None


def _delimiter(value: object) -> str | None:
    if value is None:
        return None
    names = {name: mark for mark, name in DELIMITERS.items()} | {"\\t": "\t"}
    mark = names.get(value, value) if isinstance(value, str) else value
    if not isinstance(mark, str) or len(mark) != 1 or mark in "\"'\r\n\0." or mark.isalnum():
        raise InputError(
            f'delimiter={_checks.shown(value)}: must be one character, such as "," or ";", or the word tab; omit it to have it detected'
        )
    return mark


def _mark(value: object) -> str | None:
    names = {name: mark for mark, name in MARKS.items()}
    mark = names.get(value, value) if isinstance(value, str) else value
    return None if mark is None else str(_checks.check_choice(mark, "decimal", list(MARKS)))


def _encoding(value: object) -> str:
    name = _checks.check_text(value, "encoding")
    try:
        "a".encode(name).decode(name)
        return codecs.lookup(name).name
    except (LookupError, UnicodeError, ValueError):
        raise InputError(
            f'encoding={_checks.shown(name)}: unknown encoding; use "utf-8", "cp1252" (Windows), "latin-1" or another, or omit '
            "`encoding` to have it detected"
        ) from None
