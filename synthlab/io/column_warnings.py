"""Warnings about the columns and the last line of a file."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import pandas as pd

from synthlab import _checks
from synthlab._warnings import warn
from synthlab.exceptions import (
    ColumnTypeWarning,
    IncompleteLastLineWarning,
    NumberPrecisionWarning,
    UndeclaredCodeWarning,
)
from synthlab.io.date_formats import DateFormat
from synthlab.io.format_detection import Place
from synthlab.io.notation import Notation

# Words that programs write for a missing value. Each can also be an answer, so none is missing by default.
WORDS = frozenset(
    [
        *("NA", "N/A", "#N/A", "<NA>", "n/a", "na", "NaN", "nan", "NAN", "-nan"),
        *("NULL", "Null", "null", "None", "none", ".", "-", "--", "?"),
    ]
)


@dataclass(slots=True)
class Notes:
    """Columns whose type, labels or numbers differ from what the file suggests."""

    at: Place
    odd: dict[str, tuple[set[str], int]] = field(default_factory=dict)
    header: tuple[int, tuple[str, ...]] = (
        0,
        (),
    )  # number of first records that look like names, and columns with numbers
    labels: dict[str, tuple[int, int]] = field(default_factory=dict)
    thousands: tuple[str, ...] = ()
    infinite: list[str] = field(default_factory=list)  # columns with finite numbers that were read as infinite
    decorated: list[str] = field(default_factory=list)  # columns of text that were read as numbers
    numbers_as_dates: list[str] = field(default_factory=list)  # columns of numbers yyyymmdd
    dates: dict[str, DateFormat] = field(default_factory=dict)  # the formats of columns of dates
    ambiguous: dict[str, tuple[str, str]] = field(default_factory=dict)  # the format, and the other possible format
    not_dates: dict[str, tuple[frozenset[str], int]] = field(default_factory=dict)
    variants: dict[str, int] = field(default_factory=dict)  # number of texts that differ only in blanks or case
    codes: dict[str, list[float] | list[str]] = field(default_factory=dict)
    rounded: list[str] = field(default_factory=list)  # columns with whole numbers that were rounded
    partial_dates: list[str] = field(default_factory=list)  # columns of dates, some of which omit the day or the month
    notations: dict[str, Notation] = field(default_factory=dict)  # of columns of numbers and bools
    cut_at: str = ""  # the column of the last value, if the last line has no line end

    def add_words(self, column: str, words: set[str], cells: pd.Series) -> None:
        """Note the words that keep a column from being numbers or bools."""
        self.odd[column] = {word.strip() for word in words}, int(cells.isin(words).sum())

    def add_not_dates(self, column: str, odd: frozenset[str], cells: pd.Series) -> None:
        """Note the texts that keep a column from being dates."""
        self.not_dates[column] = frozenset(text.strip() for text in odd), int(cells.isin(odd).sum())

    def add_codes(self, frame: pd.DataFrame, declared: Mapping[str, Sequence[float]]) -> None:
        """Note values that look like codes of missing values and are not declared."""
        for column in map(str, frame):
            if codes := _checks.undeclared_codes(frame[column], declared.get(column, ())):
                self.codes[column] = codes

    def warn(self) -> None:
        """Warn about the noted columns; show only words that mean a missing value."""
        for text, category in self._texts():
            warn(f"{self.at}: {text}", category)

    def _texts(self) -> list[tuple[str, type[Warning]]]:
        found: list[tuple[str, type[Warning]]] = []
        lines, names = self.header
        if lines:
            text = (
                f"the first {f'{lines} records look' if lines > 1 else 'record looks'} like a second line of column names, "
                f"units or questions, because {_columns(names)} {'contain' if len(names) > 1 else 'contains'} only numbers "
                "below; delete these lines, because they are read as a record and make the columns text"
            )
            found.append((text, ColumnTypeWarning))
        for known in (True, False):
            some = {c: odd for c, odd in self.odd.items() if (odd[0] <= WORDS) == known and c not in self.header[1]}
            words = sorted(set().union(*(words for words, _ in some.values())))
            count = sum(count for _, count in some.values())
            shown = f"the words {_checks.shorten(words, 20)}" if known else "one or two words that are not numbers"
            hint = f'na="{",".join(words)}" makes them missing' if known else "if they mean missing, name them in na"
            if some:
                text = f"{_columns(some)} {'is' if len(some) == 1 else 'are'} text because of {shown} in {count:,} cell{'s' * (count != 1)}"
                found.append((f"{text}; all other cells are numbers or bools; {hint}", ColumnTypeWarning))
        for column, (others, count) in self.not_dates.items():
            cells = "1 cell is not a date" if count == 1 else f"{count:,} cells are not dates"
            hint = (
                f'na="{column}={",".join(sorted(others))}" makes them missing'
                if others <= WORDS
                else f"correct them, or declare codes of missing values with na={{{column!r}: [...]}}"
            )
            found.append(
                (f"column {column!r} is text because {cells}; all other cells are dates; {hint}", ColumnTypeWarning)
            )
        for column, (pattern, other) in self.ambiguous.items():
            text = (
                f"the order of day and month in column {column!r} is ambiguous; it was read as {pattern}. If this is wrong, use "
                f"dates={{{column!r}: {other!r}}}; to confirm it, use dates={{{column!r}: {pattern!r}}}"
            )
            found.append((text, ColumnTypeWarning))
        if self.numbers_as_dates:
            text = (
                f"{_columns(self.numbers_as_dates)} {_was(self.numbers_as_dates)} read as dates because all numbers are valid dates "
                f'yyyymmdd; if they are not dates, use dates={{{self.numbers_as_dates[0]!r}: "none"}}'
            )
            found.append((text, ColumnTypeWarning))
        if self.partial_dates:
            text = (
                f"{_columns(self.partial_dates)} {_was(self.partial_dates)} read as text because some dates omit the day, or the "
                "day and the month; synthesize models them as dates of several precisions"
            )
            found.append((text, ColumnTypeWarning))
        if self.decorated:
            text = (
                f"{_columns(self.decorated)} {_was(self.decorated)} read as numbers; percent signs, currencies, separators of "
                f"thousands and typographic minus signs were removed (12.5% is 12.5); text={self.decorated[0]!r} keeps the text"
            )
            found.append((text, ColumnTypeWarning))
        if self.variants:
            cells = ", ".join(f"{count:,} in {column!r}" for column, count in [*self.variants.items()][:12])
            text = (
                f"some texts differ from another text only in blanks or case ({cells}); they are different categories and "
                "never match; remove the blanks and use one spelling"
            )
            found.append((text, ColumnTypeWarning))
        for column, codes in self.codes.items():
            text = f"column {column!r} contains {code_words(codes)}"
            shown = ",".join(map(str, codes))
            found.append((f'{text}; if so, declare with na="{column}={shown}"', UndeclaredCodeWarning))
        if self.thousands:
            text = (
                'three digits follow every point; decimal="point" declares a decimal point; if the point separates '
                "thousands, write the numbers without it"
            )
            found.append((f"in {_columns(self.thousands)} {text}", ColumnTypeWarning))
        if self.infinite:
            text = "numbers that are too large for a 64-bit number were read as infinite; check the numbers"
            found.append((f"in {_columns(self.infinite)}, {text}", NumberPrecisionWarning))
        if self.rounded:
            text = "whole numbers with too many digits for a 64-bit number were rounded; read codes as text"
            found.append((f"in {_columns(self.rounded)}, {text}", NumberPrecisionWarning))
        if self.cut_at:
            text = (
                "the last line has no line end, so the file might be cut off and the last value, of column "
                f"{self.cut_at!r}, incomplete; compare it with the source, and add a line end if it is complete"
            )
            found.append((text, IncompleteLastLineWarning))
        if self.labels:
            counts = [f"{name!r} ({more} new, {fewer} absent)" for name, (more, fewer) in self.labels.items()]
            rest = f" and {len(counts) - 12} more" if len(counts) > 12 else ""
            text = (
                f"labels differ from the labels of the reference data and stay separate: {', '.join(counts[:12])}{rest}"
            )
            found.append((text, ColumnTypeWarning))
        return found


def code_words(codes: Sequence[float] | Sequence[str]) -> str:
    """Return a statement on values that look like codes of missing values."""
    shown = ", ".join(map(str, codes))
    if len(codes) == 1:
        return f"the value {shown}, which is far from all others and looks like a code of missing values"
    return f"the values {shown}, which are far from all others and look like codes of missing values"


def _was(names: Collection[str]) -> str:
    return "was" if len(names) == 1 else "were"


def _columns(names: Collection[str]) -> str:
    return f"column{'s' * (len(names) > 1)} {_checks.shorten(names, 12)}"
