"""Warnings about the columns and the last line of a file."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

import pandas as pd

from synthlab import _checks
from synthlab._warnings import warn
from synthlab.exceptions import ColumnTypeWarning, IncompleteLastLineWarning, NumberPrecisionWarning
from synthlab.io.format_detection import Place

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
    rounded: list[str] = field(default_factory=list)  # columns with whole numbers that were rounded
    cut_at: str = ""  # the column of the last value, if the last line has no line end

    def add_words(self, column: str, words: set[str], cells: pd.Series) -> None:
        """Note the words that keep a column from being numbers or bools."""
        self.odd[column] = {word.strip() for word in words}, int(cells.isin(words).sum())

    def warn(self, stacklevel: int) -> None:
        """Warn about the noted columns; show only words that mean a missing value."""
        for text, category in self._texts():
            warn(f"{self.at}: {text}", category, stacklevel=stacklevel + 1)

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


def _columns(names: Collection[str]) -> str:
    return f"column{'s' * (len(names) > 1)} {_checks.shorten(names, 12)}"
