"""Notation of the cells of a CSV file: decimals of numbers, and the words for true and false."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from synthlab import _checks

NOTATIONS = "synthlab_notation"  # key in the attrs of a frame: {column: Notation}


@dataclass(frozen=True, slots=True)
class Notation:
    """Notation of the numbers or bools of a column.

    Parameters
    ----------
    decimals : int, optional
        Number of decimals if all numbers have the same number of them; None if it varies.
    short : bool, optional
        Whether whole numbers have no decimal point, as in 25. None: they have none if all numbers are whole.
    words : tuple of str, optional
        The words for true and false.
    """

    decimals: int | None = None
    short: bool | None = None
    words: tuple[str, str] = ("True", "False")

    @classmethod
    def of_numbers(cls, cells: Collection[str], decimal: str) -> Notation:
        """Return the notation of distinct numbers; all are written without an exponent, or it is the usual one.

        >>> Notation.of_numbers(["1.50", "2.00"], "."), Notation.of_numbers(["1.5", "2"], ".")
        (Notation(decimals=2, short=False, words=('True', 'False')), Notation(decimals=None, short=True, words=('True', 'False')))
        """
        texts = [cell.strip() for cell in cells if cell.strip()]
        ends = {len(text.partition(decimal)[2]) for text in texts}
        fixed = (
            ends.pop()
            if len(ends) == 1 and all(text.strip("+-").replace(decimal, "").isdigit() for text in texts)
            else None
        )
        whole = {decimal in text for text in texts if not text.partition(decimal)[2].strip("0")}
        return cls(fixed or None, True not in whole)

    @classmethod
    def of_bools(cls, truth: Mapping[str, bool]) -> Notation:
        """Return the notation with the given words for true and false."""
        words = {value: word for word, value in truth.items()}
        return cls(words=(words[True], words[False]))

    def write(self, series: pd.Series) -> pd.Series | None:
        """Return numbers or bools as texts that are read back unchanged; None for other columns.

        Missing values keep a text of pandas, such as "nan".
        """
        texts = series.astype(str).astype(object)
        if pd.api.types.is_bool_dtype(series.dtype):
            true, false = self.words
            return texts.map({"True": true, "False": false}).fillna(texts)
        if not pd.api.types.is_float_dtype(series.dtype):
            return None
        numbers = _checks.as_float(series)
        there = np.isfinite(numbers)
        present = numbers[there]
        if self.decimals is not None and (np.abs(present) < _checks.LARGEST_EXACT).all():
            written = [f"{number:.{self.decimals}f}" for number in present.tolist()]
            if (_checks.as_float(pd.Series(written).astype(series.dtype)) == present).all():
                texts[there] = written
                return texts
        whole = present == np.rint(present)
        if self.short or (self.short is None and whole.all()):
            texts[there] = [text.removesuffix(".0") for text in texts[there]]
        return texts


def as_written(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame in which numbers and bools are texts in the notation of the file that was read."""
    notations = frame.attrs.get(NOTATIONS, {})
    columns = {}
    for column in frame.columns:
        texts = notations.get(column, Notation()).write(frame[column])
        if texts is not None:
            columns[column] = texts.where(frame[column].notna(), None)
    return frame.assign(**columns)
