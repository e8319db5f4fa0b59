"""Admissible true values of each record, from the released selection for synthesis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._typing import BoolArray, FloatArray, IntArray
from synthlab.exceptions import InputError
from synthlab.intruder.partial_knowledge import Interval, Knowledge, holds
from synthlab.risk.posterior._targets import positions

MAX_TRIES = 200


@dataclass(frozen=True, slots=True, eq=False)
class Admissible:
    """Admissible true values of each record.

    levels : for each variable with sets, its admissible values; allowed : (n, levels + 1), the last column False;
    ends : for each variable with intervals, their ends, each of shape (n,).
    """

    levels: dict[str, list[Any]]
    allowed: dict[str, BoolArray]
    ends: dict[str, tuple[FloatArray, FloatArray]]

    @classmethod
    def of(
        cls, selection: Mapping[str, Knowledge], confidential: pd.DataFrame, synthesized: Sequence[str]
    ) -> Admissible:
        """Return the admissible values after checking the selection against the data."""
        levels: dict[str, list[Any]] = {}
        allowed: dict[str, BoolArray] = {}
        ends: dict[str, tuple[FloatArray, FloatArray]] = {}
        n = len(confidential)
        for column, known in selection.items():
            name = f"selection[{column!r}]"
            if column not in synthesized:
                raise InputError(f"{name}: is not synthesized; those are {_checks.shorten(synthesized, 12)}")
            _checks.check_present(confidential, column, "confidential", f"{name} is about values that are not missing")
            if isinstance(known, Interval):
                _checks.check_numeric_column(
                    confidential, column, where="confidential", why="an Interval is for numbers"
                )
                lower, upper = ends[column] = known.of(n, name)
                value = _checks.exact_float(confidential[column])
                true = (lower <= value) & (value <= upper)
            else:
                values = confidential[column].tolist()
                sets = known.of(values, name)
                true = holds(sets, values)
                levels[column] = sorted(set().union(*sets), key=repr)
                place = {v: k for k, v in enumerate(levels[column])}
                table = np.zeros((n, len(place) + 1), dtype=bool)
                for i, one in enumerate(sets):
                    table[i, [place[v] for v in one]] = True
                allowed[column] = table
            if not true.all():
                raise InputError(
                    f"{name}: excludes the true value of {int((~true).sum())} of {n} records; the selection must contain the true "
                    "value of every record"
                )
        return cls(levels, allowed, ends)

    def take(self, rows: IntArray) -> Admissible:
        """Return the admissible values of the records in the given rows."""
        return Admissible(
            self.levels,
            {column: table[rows] for column, table in self.allowed.items()},
            {column: (lower[rows], upper[rows]) for column, (lower, upper) in self.ends.items()},
        )

    def holds(self, values: Mapping[str, pd.Series], rows: Any = slice(None)) -> BoolArray:
        """Return whether the values of each of the records `rows` are admissible."""
        good: Any = True
        for column, series in values.items():
            if column in self.levels:
                last = len(self.levels[column])
                table = self.allowed[column][rows]
                good = good & table[np.arange(len(table)), positions(series, self.levels[column], last)]
            elif column in self.ends:
                number = _checks.exact_float(series)
                good = good & (self.ends[column][0][rows] <= number) & (number <= self.ends[column][1][rows])
        return np.broadcast_to(np.asarray(good, dtype=bool), (len(next(iter(values.values()))),))

    def repair(
        self, frames: Sequence[pd.DataFrame], synthesized: list[str], rng: np.random.Generator
    ) -> list[pd.DataFrame]:
        """Replace inadmissible synthetic values.

        They are replaced by admissible values of another dataset. If there are none, a set gives an admissible value at random,
        with equal probabilities, and an interval gives its nearest end.
        """
        good = np.column_stack([self.holds({c: f[c] for c in synthesized}) for f in frames])
        keys = np.where(good, rng.random(good.shape), -1.0)
        donor = keys.argmax(axis=1)
        result = [frame.copy() for frame in frames]
        for column in synthesized:
            values = np.column_stack([frame[column].astype(object).to_numpy() for frame in frames])
            guess = values[np.arange(len(values)), donor]
            lost: BoolArray = np.asarray(~good.any(axis=1), dtype=bool)
            guess[lost] = self._by_chance(column, guess[lost], lost, rng)
            for number, frame in enumerate(result):
                bad = ~good[:, number]
                whole = np.where(bad, guess, values[:, number])
                frame[column] = pd.Series(whole, index=frame.index).astype(wide_dtype(frames[number][column], whole))
        return result

    def _by_chance(self, column: str, values: Any, rows: BoolArray, rng: np.random.Generator) -> Any:
        if column in self.levels:
            table = self.allowed[column][rows][:, :-1]
            place = np.where(table, rng.random(table.shape), -1.0).argmax(axis=1)
            return np.array(self.levels[column], dtype=object)[place]
        if column in self.ends:
            lower, upper = (end[rows] for end in self.ends[column])
            number = pd.array(values, dtype="Float64").to_numpy(dtype=np.float64, na_value=np.nan)
            # A missing value has no nearest end, so treat it as 0.
            return np.clip(np.nan_to_num(number), lower, upper)
        return values

    def restrict(
        self, model: Any, frame: pd.DataFrame, values: Mapping[str, pd.Series], draw: int, rng: np.random.Generator
    ) -> dict[str, pd.Series]:
        """Redraw inadmissible values with the same parameters, conditional on being admissible.

        If the model has closed-form probabilities and one variable, draw from them; otherwise use rejection sampling.
        """
        current = dict(values)
        if len(current) == 1 and model.has_probabilities and next(iter(current)) in self.levels:
            return self._draw_within(model, frame, current, draw, rng)
        for _ in range(MAX_TRIES):
            rows = np.flatnonzero(~self.holds(current))
            if rows.size == 0:
                return current
            for column, new in model.draw(frame.iloc[rows], draw, rng).items():
                series = current[column].astype(object).copy()
                series.iloc[rows] = new.astype(object).array
                current[column] = series.astype(values[column].dtype)
        rest = int((~self.holds(current)).sum())
        if rest:
            raise InputError(
                f"selection: {rest} records get no admissible value of {', '.join(current)} in {MAX_TRIES} tries; use models that "
                "simulate admissible values more often"
            )
        return current

    def _draw_within(
        self, model: Any, frame: pd.DataFrame, values: dict[str, pd.Series], draw: int, rng: np.random.Generator
    ) -> dict[str, pd.Series]:
        ((column, series),) = values.items()
        rows = np.flatnonzero(~self.holds(values))
        if rows.size == 0:
            return values
        levels = pd.DataFrame({column: pd.Series(self.levels[column])})
        share = model.probability_of(frame.iloc[rows], levels, draw) * self.allowed[column][rows][:, :-1]
        # If the model gives all admissible values probability 0, use equal probabilities.
        share = np.where(share.sum(axis=1, keepdims=True) > 0, share, self.allowed[column][rows][:, :-1])
        edges = np.cumsum(share, axis=1)
        place = (edges <= rng.random((rows.size, 1)) * edges[:, -1:]).sum(axis=1)
        whole = series.astype(object).copy()
        whole.iloc[rows] = np.array(self.levels[column], dtype=object)[np.minimum(place, share.shape[1] - 1)]
        return {column: whole.astype(wide_dtype(series, whole))}


def wide_dtype(like: pd.Series, values: Any) -> Any:
    """Return the dtype of a column, or a wider dtype that can hold the values."""
    present = [value for value in values if not pd.isna(value)]
    if isinstance(like.dtype, pd.CategoricalDtype):
        return like.dtype if set(present) <= set(like.dtype.categories) else object
    fractions = pd.api.types.is_integer_dtype(like.dtype) and any(v != int(v) for v in present)
    if len(present) == len(values):
        return np.float64 if fractions else like.dtype
    if fractions:
        return "Float64"
    # NumPy integers and bools cannot represent missing values.
    return {"i": "Int64", "u": "UInt64", "b": "boolean"}.get(like.dtype.kind, like.dtype)
