"""Encoding of columns for models, and decoding to the original dtypes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab.synthesis import _variable_types
from synthlab.synthesis.dates import CALENDAR, Decode, coded
from synthlab.synthesis.relations import Computation, Preserved
from synthlab.synthesizers._missing import Codes, apart_from_codes
from synthlab.synthesizers._rounding import Calendar
from synthlab.synthesizers.constraints import Constraint


@dataclass(frozen=True, slots=True, eq=False)
class Coding:
    """Encoded data, and the functions that decode them.

    Parameters
    ----------
    confidential : pandas.DataFrame
        The confidential data.
    frame : pandas.DataFrame
        The encoded columns, without computed ones; rows are numbered from 0.
    back : dict
        The decoding function of each column.
    computation : Computation
        The computation of totals and of other relations from the decoded columns.
    calendars : dict
        Meaning of the numbers that represent dates and time spans, by column.
    """

    confidential: pd.DataFrame = field(repr=False)
    frame: pd.DataFrame = field(repr=False)
    back: dict[str, Decode] = field(repr=False)
    computation: Computation = field(repr=False)
    calendars: dict[str, Calendar] = field(repr=False, default_factory=dict)

    @classmethod
    def of(cls, confidential: pd.DataFrame, role: dict[str, str], preserved: Preserved, codes: Codes) -> Coding:
        """Encode the columns that have a role."""
        made = {c: _coded(confidential[c].reset_index(drop=True), role[c], codes.get(c, ())) for c in role}
        frame = pd.DataFrame({column: series for column, (series, _) in made.items()})
        calendars = {
            column: series.attrs[CALENDAR]
            for column, (series, _) in made.items()
            if CALENDAR in series.attrs and column not in (*preserved.differences, *preserved.encoded_apart)
        }
        back = {column: decode for column, (_, decode) in made.items()}
        computation = Computation(preserved, confidential, frame, back, codes)
        return cls(confidential, preserved.encoded(frame), back, computation, calendars)

    def decoded(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Return a frame with columns decoded to their original dtypes and order."""
        apart = self.computation.preserved.encoded_apart
        columns = [c for c in self.confidential.columns if c in frame.columns and c in self.back and c not in apart]
        result = pd.DataFrame({c: self.back[c](frame[c]) for c in columns}, index=frame.index)
        return self.computation.complete(frame, result)


@dataclass(frozen=True, slots=True, eq=False)
class Decoded:
    """Constraint on decoded columns, in which levels that represent codes of missing values are missing."""

    constraint: Constraint
    coding: Coding = field(repr=False)
    without_levels: Callable[[pd.DataFrame], pd.DataFrame] = field(repr=False)

    def holds(self, frame: pd.DataFrame) -> np.ndarray:
        """Return whether each record satisfies the constraint."""
        return self.constraint.holds(self.without_levels(self.coding.decoded(frame)))

    def __repr__(self) -> str:
        return repr(self.constraint)


def _coded(series: pd.Series, role: str, codes: Sequence[float]) -> tuple[pd.Series, Decode]:
    if role in (_variable_types.DATE, _variable_types.SPAN):
        return coded(series)
    if role == _variable_types.NUMBER:
        return _number(series, codes)
    if role == _variable_types.TRUTH and series.dtype != bool:
        return _truth(series)
    if role == _variable_types.CATEGORY and _checks.kind_of(series) == "number":
        coded_ = pd.Series(pd.Categorical(series), name=series.name)
        return coded_, lambda values: values.astype(object).astype(series.dtype)
    return series, lambda values: values.astype(series.dtype)


def _number(series: pd.Series, codes: Sequence[float]) -> tuple[pd.Series, Decode]:
    dtype = series.dtype
    if _checks.is_whole(dtype) and _checks.beyond_float(series):
        return series.astype(str).where(series.notna(), None), lambda values: values.astype(object).astype(dtype)
    coded = series if isinstance(dtype, np.dtype) else pd.Series(_checks.as_float(series), name=series.name)
    present = _checks.as_float(series.dropna())
    counts = series.isna().any() and (present == np.rint(present)).all()  # floats because of the missing values

    def back(values: pd.Series) -> pd.Series:
        if values.dtype == dtype:
            return pd.Series(np.rint(values)) if counts and dtype.kind == "f" else values
        numbers = _checks.as_float(values)
        if isinstance(dtype, np.dtype) and dtype.kind in "iu" and np.isnan(numbers).any():
            return values  # codes become missing values for constraints
        if _checks.is_whole(dtype):
            limits = np.iinfo(getattr(dtype, "numpy_dtype", dtype))
            whole = np.clip(np.rint(numbers), limits.min, limits.max)
            rounded = pd.Series(whole[~np.isin(numbers, codes)])  # rounding must not create a code
            whole[~np.isin(numbers, codes)] = apart_from_codes(rounded, series, codes)
            numbers = whole
        return pd.Series(numbers, index=values.index, name=values.name).astype(dtype)

    return coded, back


def _truth(series: pd.Series) -> tuple[pd.Series, Decode]:
    """Encode bools with missing values as two categories."""
    missing = series.isna()
    mark = next(iter(series[missing]), None)
    codes = np.where(missing, -1, series.where(~missing, False).astype(bool).astype(int))
    levels = pd.CategoricalDtype([False, True])
    coded = pd.Series(pd.Categorical.from_codes(codes, dtype=levels), name=series.name)

    def back(values: pd.Series) -> pd.Series:
        made = values.astype(object)
        made[values.isna()] = mark
        return made.astype(series.dtype)

    return coded, back
