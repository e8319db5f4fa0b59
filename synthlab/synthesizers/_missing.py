"""Missing values of confidential data, including codes that mean missing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._typing import BoolArray, FloatArray, IntArray
from synthlab.exceptions import InputError, MissingValueError

Keep: TypeAlias = Literal["keep", "raise"]
Codes: TypeAlias = Mapping[str, tuple[float, ...]]
CodesLike: TypeAlias = Mapping[str, Sequence[float]] | None
THERE, LOST, FIRST_CODE = 0, 1, 2
LABEL = "(missing)"


@dataclass(frozen=True, slots=True, eq=False)
class Kinds:
    """Kinds of the values of one variable: observed, missing, or a missing code.

    Kind 0 is observed, 1 is missing, and 2, 3, ... are the codes that mean missing.

    Parameters
    ----------
    column : str
    codes : tuple of numbers
        Values that mean missing; they are the kinds 2, 3, ...
    seen : tuple of int
        The kinds except 0 that occur in the confidential data, in order.
    marks : mapping of int to value
        The value of each kind that occurs, as in the confidential column: None, NaN, NA, NaT, or the code.
    fill : float
        The number that replaces missing values: the (lower) median of the observed values; NaN without numbers.
    """

    column: str
    codes: tuple[float, ...]
    seen: tuple[int, ...]
    marks: Mapping[int, Any] = field(repr=False)
    fill: float = field(repr=False)

    @classmethod
    def of(cls, frame: pd.DataFrame, column: str, codes: Codes) -> Kinds | None:
        """Return the kinds of a confidential column, or None if no value is missing.

        Raises
        ------
        MissingValueError
            If all values are missing.
        """
        series, mine = frame[column], codes.get(column, ())
        kinds = _kinds(series, mine)
        seen = tuple(int(kind) for kind in np.unique(kinds) if kind != THERE)
        if not seen:
            return None
        there = series[kinds == THERE]
        if there.empty:
            raise missing_throughout(frame, column)
        marks = {kind: series.iloc[int(np.argmax(kinds == kind))] for kind in seen}
        return cls(column, mine, seen, marks, _lower_median(there))

    def numbers(self, frame: pd.DataFrame, where: str = "data") -> IntArray:
        """Return the kind of each value, (n,), or raise for a kind not seen at the fit."""
        kinds = _kinds(frame[self.column], self.codes)
        unseen = ~np.isin(kinds, (THERE, *self.seen))
        if unseen.any():
            what = "missing values" if (kinds[unseen] == LOST).any() else "values that missing_codes names"
            raise MissingValueError(
                f"{where}: column {self.column!r} has {what} in {_checks.first_of(unseen, 'rows')}; there were none "
                "when the model was fitted"
            )
        return kinds

    def read(self, series: pd.Series) -> IntArray:
        """Return the kind of each value of a column, whether seen at the fit or not."""
        return _kinds(series, self.codes)

    def place(self, kinds: IntArray) -> IntArray:
        """Return kinds as positions 0 (observed), 1, 2, ... among those seen at the fit."""
        return np.searchsorted((THERE, *self.seen), kinds).astype(np.int64)

    def filled(self, series: pd.Series) -> FloatArray:
        """Return the numbers of a column, with `fill` for missing values."""
        return np.where(_kinds(series, self.codes) == THERE, _checks.as_float(series), self.fill)

    def indicators(self, frame: pd.DataFrame, where: str = "data") -> FloatArray:
        """Return indicators of the kinds seen at the fit except 0, shape (n, kinds)."""
        return np.asarray(self.numbers(frame, where)[:, None] == np.array(self.seen), dtype=np.float64)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the indicators."""
        return tuple(
            f"{self.column} is {'missing' if k == LOST else f'{self.codes[k - FIRST_CODE]:g}'}" for k in self.seen
        )

    def column_of(self, kinds: IntArray, values: pd.Series, like: pd.Series, index: pd.Index) -> pd.Series:
        """Return a column with values of the given kinds.

        Parameters
        ----------
        kinds : ndarray of int, shape (n,)
        values : pandas.Series
            The observed values in order, one for each zero in `kinds`, with the dtype of the column. A number that
            equals a code is replaced by the next confidential number toward the median.
        like : pandas.Series
            The confidential column.
        index : pandas.Index of length n
        """
        there = kinds == THERE
        if values.empty:
            values = like[_kinds(like, self.codes) == THERE].iloc[:1]
        elif self.codes:
            values = apart_from_codes(values, like, self.codes)
        full: pd.Series = values.iloc[np.where(there, np.cumsum(there) - 1, 0)].reset_index(drop=True)
        for kind in self.seen:
            full[kinds == kind] = self.marks[kind]
        full.index, full.name = index, like.name
        return full


def check_missing(
    frame: pd.DataFrame, missing: object, missing_codes: object, used: Sequence[str], where: str = "confidential"
) -> Codes | None:
    """Return the codes by column, or None if missing values are an error.

    With ``missing="raise"``, raise an error unless the columns `used` have no missing values.

    Raises
    ------
    InputError
        If `missing` is neither "keep" nor "raise", or a code cannot occur in its column.
    MissingValueError
        If ``missing="raise"`` and a used column has missing values or codes.
    """
    keep = _checks.check_choice(missing, "missing", ("keep", "raise")) == "keep"
    codes = {} if missing_codes is None else _codes(frame, missing_codes, where)
    if keep:
        return codes
    for column in used:
        lost = int((_kinds(frame[column], codes.get(column, ())) != THERE).sum())
        if lost:
            raise MissingValueError(
                f"{where}: column {column!r} has {lost} missing values; drop these records, impute them, or use "
                'missing="keep", which models the missing values'
            )
    return None


def keeping(missing: Keep, missing_codes: CodesLike, sampler: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of a fit, including those for missing values."""
    return {**sampler, "missing": missing, "missing_codes": missing_codes}


def without_codes(frame: pd.DataFrame, codes: Codes | None) -> pd.DataFrame:
    """Return the frame with codes replaced by missing values."""
    given = {c: values for c, values in (codes or {}).items() if values and c in frame.columns}
    lost = {c: frame[c].mask(frame[c].isin(values).to_numpy(dtype=bool)) for c, values in given.items()}
    return frame.assign(**lost)


def apart_from_codes(values: pd.Series, like: pd.Series, codes: Sequence[float]) -> pd.Series:
    """Return drawn numbers with those that equal a code replaced.

    A number that equals a code is replaced by the next confidential number.

    Parameters
    ----------
    values : pandas.Series
        Drawn numbers.
    like : pandas.Series
        The confidential column.
    codes : sequence of numbers
        Values of the column that mean missing.
    """
    numbers = np.array(_checks.as_float(values))
    hit = np.isin(numbers, codes)
    if not hit.any():
        return values
    there = np.sort(_checks.as_float(like[_kinds(like, codes) == THERE]))
    if there.size == 0:
        return values
    below = np.searchsorted(there, numbers[hit]) - 1
    towards_median = np.where(numbers[hit] < there[(there.size - 1) // 2], below + 1, below)
    numbers[hit] = there[towards_median]
    return pd.Series(numbers, index=values.index, name=values.name).astype(values.dtype)


def missing_throughout(frame: pd.DataFrame, column: str, where: str = "confidential") -> MissingValueError:
    """Return the error for a column with only missing values."""
    return MissingValueError(
        f"{where}: column {column!r} has {len(frame)} missing values and no others, so it cannot be modeled; leave it "
        "out: variables without a model are released unchanged"
    )


def mark_of(series: pd.Series) -> Any:
    """Return the missing-value marker of a column: None, NaN, NA or NaT."""
    return series.iloc[int(np.argmax(series.isna().to_numpy(dtype=bool)))]


def has_numeric_dtype(series: pd.Series) -> bool:
    """Return whether a column has numbers or bools."""
    return bool(pd.api.types.is_numeric_dtype(series.dtype)) and not isinstance(series.dtype, pd.CategoricalDtype)


def _kinds(series: pd.Series, codes: Sequence[float]) -> IntArray:
    lost: BoolArray = series.isna().to_numpy(dtype=bool)
    kinds = np.where(lost, LOST, THERE)
    if codes:
        values = _checks.as_float(series)
        for position, code in enumerate(codes):
            kinds[values == code] = FIRST_CODE + position
    return kinds.astype(np.int64)


def _lower_median(there: pd.Series) -> float:
    if not has_numeric_dtype(there):
        return float("nan")
    ordered = np.sort(_checks.as_float(there))
    return float(ordered[(ordered.size - 1) // 2])


def _codes(frame: pd.DataFrame, given: object, where: str) -> dict[str, tuple[float, ...]]:
    what = 'columns to lists of numbers, such as {"income": [-8, -9]}'
    mapping = _checks.check_mapping(given, "missing_codes", what)
    columns = _checks.check_columns(frame, list(mapping), "missing_codes", where=where, allow_empty=True)
    result = {}
    for column in columns:
        values = _checks.check_numbers(mapping[column], "missing_codes")
        if len(set(values)) < len(values):
            raise InputError(f"missing_codes: a code of {column!r} is named twice")
        series = frame[column]
        if not has_numeric_dtype(series) or pd.api.types.is_bool_dtype(series.dtype):
            raise InputError(
                f"missing_codes: column {column!r} is {series.dtype}; codes apply to numeric columns; in other columns "
                "a code is an ordinary level and need not be listed"
            )
        result[column] = tuple(values)
    return result
