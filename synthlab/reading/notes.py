"""Warnings about the columns and the last line of a file, one for all columns alike."""

from __future__ import annotations

from dataclasses import dataclass, field

import pandas as pd

from synthlab import _checks
from synthlab._warnings import warn
from synthlab.exceptions import ColumnTypeWarning, IncompleteLastLineWarning, NumberPrecisionWarning
from synthlab.reading.content import Place

# What programs write for a missing value; each may be an answer, too, so none is taken for one unasked.
WORDS = frozenset(
    (
        "NA",
        "N/A",
        "#N/A",
        "n/a",
        "na",
        "NaN",
        "nan",
        "NAN",
        "-nan",
        "NULL",
        "Null",
        "null",
        "None",
        "none",
        ".",
        "-",
        "--",
        "?",
        "<NA>",
    )
)


@dataclass(slots=True)
class Notes:
    """Columns whose type, labels or numbers differ from what the file suggests."""

    at: Place
    odd: dict[str, tuple[set[str], int]] = field(default_factory=dict)
    labels: dict[str, tuple[int, int]] = field(default_factory=dict)
    thousands: tuple[str, ...] = ()
    infinite: list[str] = field(default_factory=list)  # columns with finite numbers that were read as infinite
    rounded: list[str] = field(default_factory=list)  # columns with whole numbers that were rounded
    cut_at: str = ""  # the column of the last value, if the last line has no line end

    def add_words(self, column: str, words: set[str], cells: pd.Series) -> None:
        """Note the words that keep a column from being numbers or bools."""
        self.odd[column] = {word.strip() for word in words}, int(cells.isin(words).sum())

    def warn(self, stacklevel: int) -> None:
        """Warn of what was noted; words are named where they are such as programs write for a missing value."""
        for known in (True, False):
            some = {column: what for column, what in self.odd.items() if (what[0] <= WORDS) == known}
            if some:
                words = sorted(set().union(*(what for what, _ in some.values())))
                count = sum(count for _, count in some.values())
                if known:
                    said = f"for the words {_checks.shorten(words, 20)}"
                    hint = f'; na="{",".join(words)}" makes them missing'
                else:
                    said, hint = "for one or two words that are no numbers", "; if they mean missing, name them in na"
                warn(
                    f"{self.at}: {_columns(some)} text {said} in {count:,} cell{'s' * (count != 1)}; all others are numbers, or bools{hint}",
                    ColumnTypeWarning,
                    stacklevel=stacklevel + 1,
                )
        if self.thousands:
            warn(
                f"{self.at}: in column{'s' * (len(self.thousands) > 1)} {_checks.shorten(self.thousands, 12)} three digits follow every "
                'point; decimal="point" says that it is a decimal point; where it separates thousands, write the numbers without it',
                ColumnTypeWarning,
                stacklevel=stacklevel + 1,
            )
        for columns, what in (
            (self.infinite, "numbers that are too large for a 64-bit number were read as infinite; check the numbers"),
            (self.rounded, "whole numbers with too many digits for a 64-bit number were rounded; read codes as text"),
        ):
            if columns:
                warn(
                    f"{self.at}: in column{'s' * (len(columns) > 1)} {_checks.shorten(columns, 12)}, {what}",
                    NumberPrecisionWarning,
                    stacklevel=stacklevel + 1,
                )
        if self.cut_at:
            warn(
                f"{self.at}: the last line has no line end, so the file might be cut off and the last value, of column "
                f"{self.cut_at!r}, incomplete; compare it with the source, and end the last line if it is complete",
                IncompleteLastLineWarning,
                stacklevel=stacklevel + 1,
            )
        if self.labels:
            told = ", ".join(f"{column!r} ({_labels(*counts)})" for column, counts in [*self.labels.items()][:12])
            more = f" and {len(self.labels) - 12} more" if len(self.labels) > 12 else ""
            warn(
                f"{self.at}: other labels than in the data it is read like, which are kept apart: {told}{more}",
                ColumnTypeWarning,
                stacklevel=stacklevel + 1,
            )


def _columns(names: dict[str, tuple[set[str], int]]) -> str:
    return f"column{'s' * (len(names) > 1)} {_checks.shorten(names, 12)} {'is' if len(names) == 1 else 'are'}"


def _labels(more: int, fewer: int) -> str:
    return " and ".join([f"{more} not there"] * bool(more) + [f"{fewer} only there"] * bool(fewer))
