"""Encoding of categorical variables as codes, and decoding to their dtype."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._typing import FloatArray, IntArray
from synthlab.exceptions import InputError
from synthlab.synthesizers._design import check_complete
from synthlab.synthesizers._missing import LABEL, mark_of, missing_throughout


@dataclass(frozen=True, slots=True, eq=False)
class Levels:
    """Levels of one variable that occur in the confidential data, in order.

    Parameters
    ----------
    column : str
    values : pandas.Index
        The levels, in the order of an ordered category, otherwise sorted.
    dtype : dtype
        The dtype of the confidential column, which synthetic columns also have.
    lost : bool
        Whether missing is a level, the last one.
    mark : value
        The missing-value marker of the confidential column.
    """

    column: str
    values: pd.Index
    dtype: Any
    lost: bool = False
    mark: Any = None

    @classmethod
    def of(
        cls, frame: pd.DataFrame, column: str, where: str = "confidential", *, most: int = 1000, keep: bool = False
    ) -> Levels:
        """Return the levels of a column, or raise if there are too many.

        Also raise if values are missing and `keep` is False.
        """
        lost = keep and bool(frame[column].isna().any())
        check_complete(frame, column, where, lost)
        series = frame[column].dropna() if lost else frame[column]
        if series.empty:
            raise missing_throughout(frame, column, where)
        if isinstance(series.dtype, pd.CategoricalDtype):
            values = series.cat.remove_unused_categories().cat.categories
        elif _checks.kind_of(series) == "mixture":
            raise InputError(f"{where}: column {column!r} mixes types of values; convert it to text or to numbers")
        else:
            values = pd.Index(np.sort(series.unique())) if series.dtype != object else pd.Index(sorted(series.unique()))
        if isinstance(values, pd.MultiIndex):  # pandas converts tuples to a MultiIndex
            raise InputError(
                f"{where}: column {column!r} has tuple values, but a level must be a number, text, bool or date; split "
                "the column, or convert it to text"
            )
        if len(values) > most:
            raise InputError(
                f"{where}: column {column!r} has {len(values):,} distinct values, but this model allows at "
                f"most {most:,} categories"
            )
        return cls(column, values, series.dtype, lost, mark_of(frame[column]) if lost else None)

    def __len__(self) -> int:
        return len(self.values) + self.lost

    @property
    def labels(self) -> pd.Index:
        """Levels, with a label for missing if that is a level."""
        return self.values.append(pd.Index([LABEL])) if self.lost else self.values

    def codes(self, frame: pd.DataFrame, where: str = "data") -> IntArray:
        """Return the position of each value among the levels, or raise."""
        if self.column not in frame.columns:
            raise InputError(f"{where}: variable {self.column!r} is absent")
        check_complete(frame, self.column, where, self.lost)
        codes = self.positions(frame)
        if (codes < 0).any():
            raise InputError(
                f"{where}: column {self.column!r} has levels not seen when the model was fitted: "
                f"{_checks.first_of(codes < 0, 'rows')}; {len(self)} levels were seen"
            )
        return codes

    def positions(self, frame: pd.DataFrame) -> IntArray:
        """Return the position of each value among the levels, or -1."""
        series = frame[self.column]
        if isinstance(series.dtype, pd.CategoricalDtype):
            category = series.array
            codes = np.append(self.values.get_indexer(category.categories), -1)[category.codes]
        else:
            codes = self.values.get_indexer(pd.Index(series))
        if self.lost:
            codes = np.where(series.isna().to_numpy(dtype=bool), len(self.values), codes)
        return np.asarray(codes, dtype=np.int64)

    def columns_of(self, probabilities: FloatArray, values: pd.DataFrame) -> FloatArray:
        """Return the columns of an (n, K) matrix for given values, shape (n, g).

        0 for a value that is not a level.
        """
        place = self.positions(values)
        return np.asarray(np.where(place >= 0, probabilities[:, np.maximum(place, 0)], 0.0), dtype=np.float64)

    def series(self, codes: IntArray, index: pd.Index) -> pd.Series:
        """Return a column of levels in the confidential dtype."""
        values = pd.Series(self.values.take(np.minimum(codes, len(self.values) - 1)), index=index, name=self.column)
        values = values.astype(self.dtype)
        if self.lost:
            values.iloc[np.flatnonzero(codes == len(self.values))] = self.mark
        return values


def draw_codes(probabilities: FloatArray, rng: np.random.Generator) -> IntArray:
    """Draw one code per row of an (n, K) matrix of probabilities by inversion."""
    cumulative = np.cumsum(probabilities, axis=1)
    uniforms = rng.random(len(probabilities)) * cumulative[:, -1]
    places = (cumulative <= uniforms[:, None]).sum(axis=1)
    return np.asarray(np.minimum(places, probabilities.shape[1] - 1), dtype=np.int64)
