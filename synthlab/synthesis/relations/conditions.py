"""Conditions that every record of a release satisfies, tested in any file with the same columns."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._typing import BoolArray
from synthlab.synthesis.relations.patterns import empty_levels, exactly_one
from synthlab.synthesis.relations.relation import DATE_PARTS, ROUNDING, Relation, parse
from synthlab.synthesis.relations.values import Scale, Values
from synthlab.synthesizers._missing import Codes, without_codes

SET = 20  # largest number of distinct numbers that are a set of values


@dataclass(frozen=True)
class Condition(ABC):
    """Base class of the conditions that the records of a release satisfy.

    A condition is a `Constraint`: it can be given to `Sequential`, which saves it with the fit. A subclass declares its
    `kind`, and implements `variables`, `tested`, `of` and its text. Missing values do not break a condition. The text and
    `to_dict` contain no values of the data, so they can be published; the fields can contain values.
    """

    kind: ClassVar[str]

    @property
    @abstractmethod
    def variables(self) -> tuple[str, ...]:
        """The columns of the condition."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the condition."""
        return self.variables

    @abstractmethod
    def tested(self, frame: pd.DataFrame) -> tuple[BoolArray, BoolArray]:
        """Return which records have the values that the condition needs, and which of these satisfy it."""

    def holds(self, frame: pd.DataFrame) -> BoolArray:
        """Return whether each record satisfies the condition or lacks values that it needs, shape (n,)."""
        both, agree = self.tested(frame)
        return np.asarray(~both | agree, dtype=bool)

    @abstractmethod
    def __str__(self) -> str:
        """Return the text for the plan."""

    @classmethod
    @abstractmethod
    def of(cls, text: str, variables: tuple[str, ...], values: Values, codes: Codes) -> Condition:
        """Return the condition with this text and these variables, with the values of the confidential data."""

    def to_dict(self) -> dict[str, Any]:
        """Return the kind, the variables and the text; see `condition_of`."""
        return {"kind": self.kind, "variables": list(self.variables), "text": str(self)}


@dataclass(frozen=True)
class RelationCondition(Condition):
    """A relation between columns.

    Parameters
    ----------
    relation : Relation
        The relation.
    scales : tuple of (Scale or None)
        The rules that read the columns as numbers; None for other columns, and empty for patterns without codes.
    decimals : int or None
        The number of decimals of the result; None if it has many.
    pairs : tuple of pairs
        The pairs of the value of the source, or of a part of its date, and the code of the result that occur in the
        confidential data, if the result is a code; the levels for which the result is missing, for relations of missing
        values.
    codes : tuple of tuple of float
        The numbers that mean missing in each column, for patterns.
    """

    kind: ClassVar[str] = "relation"
    relation: Relation
    scales: tuple[Scale | None, ...] = field(repr=False, default=())
    decimals: int | None = field(repr=False, default=None)
    pairs: tuple[tuple[Any, ...], ...] = field(repr=False, default=())
    codes: tuple[tuple[float, ...], ...] = field(repr=False, default=())

    @classmethod
    def of_relation(cls, relation: Relation, values: Values, codes: Codes) -> RelationCondition:
        """Return the condition for a relation that holds in the confidential data."""
        mine = tuple(tuple(codes.get(c, ())) for c in relation.columns)
        if relation.form == "one hot":
            return cls(relation, codes=mine)
        if relation.form == "missing":
            levels = empty_levels(values.frame, relation.sources[0], relation.result)
            return cls(relation, pairs=tuple((level,) for level in levels), codes=mine)
        scales = tuple(values.scales.get(c) for c in relation.columns)
        if not relation.is_mapped(values):
            return cls(relation, scales, values.decimals(relation.result))
        keys, results = cls(relation, scales, codes=mine)._codes(values.frame)
        pairs = pd.DataFrame({"key": keys, "code": results}).dropna().drop_duplicates()
        return cls(relation, scales, None, tuple(pairs.itertuples(index=False, name=None)), mine)

    @classmethod
    def of(cls, text: str, variables: tuple[str, ...], values: Values, codes: Codes) -> RelationCondition:
        """Return the condition with this text."""
        return cls.of_relation(parse(text), values, codes)  # type: ignore[arg-type]

    @property
    def variables(self) -> tuple[str, ...]:
        """The result and its sources."""
        return self.relation.columns

    def tested(self, frame: pd.DataFrame) -> tuple[BoolArray, BoolArray]:
        """Return which records have all values of the relation, and which of these satisfy it."""
        if self.relation.form in ("one hot", "missing"):
            known = without_codes(frame[list(self.variables)], dict(zip(self.variables, self.codes, strict=True)))
            if self.relation.form == "one hot":
                return exactly_one(known, self.variables)
            return self.relation.skips(known, [level for (level,) in self.pairs])
        if self.pairs:
            return self._has_pairs(*self._codes(frame))
        scales = {c: one for c, one in zip(self.variables, self.scales, strict=True) if one is not None}
        numbers = {c: one.numbers(frame[c]) for c, one in scales.items()}
        return self.relation.agrees(numbers[self.relation.result], self.relation.exact(numbers, scales), self.decimals)

    def _codes(self, frame: pd.DataFrame) -> tuple[pd.Series, pd.Series]:
        """Return the value of the source, or the part of its date, and the code of the result."""
        result, source = (
            without_codes(frame[[c]], {c: codes})[c].astype(object).reset_index(drop=True)
            if scale is None
            else pd.Series(scale.numbers(frame[c]))
            for c, scale, codes in zip(self.variables, self.scales, self.codes, strict=True)
        )
        if self.relation.form in DATE_PARTS and self.scales[1] is not None:
            date = self.variables[1]
            return pd.Series(self.relation.keys({date: _checks.as_float(source)}, {date: self.scales[1]})), result
        return source, result

    def _has_pairs(self, keys: pd.Series, results: pd.Series) -> tuple[BoolArray, BoolArray]:
        """Return which records have a key and a code, and which of these have a code of the key.

        A number that is not in the confidential data, such as a smoothed one, has no code, unless it is itself a code.
        """
        allowed: dict[Any, set[Any]] = {}
        for key, code in self.pairs:
            allowed.setdefault(key, set()).add(code)
        (first, distinct), (second, levels) = pd.factorize(keys), pd.factorize(results)
        both = (first >= 0) & (second >= 0)
        if keys.dtype == np.float64 and self.relation.form != "codes":
            both &= np.array([key in allowed for key in distinct] + [False])[first]
        found, place = np.unique(first[both].astype(np.int64) * (len(levels) + 1) + second[both], return_inverse=True)
        pairs = [(distinct[pair // (len(levels) + 1)], levels[pair % (len(levels) + 1)]) for pair in found]
        agree = np.array([code in allowed.get(key, ()) for key, code in pairs], dtype=bool)
        holds = np.zeros(len(keys), dtype=bool)
        holds[both] = agree[place]
        return both, holds

    def __str__(self) -> str:
        return str(self.relation)


@dataclass(frozen=True)
class RangeCondition(Condition):
    """The numbers or dates of a column are within the range of the confidential data."""

    kind: ClassVar[str] = "range"
    column: str
    scale: Scale = field(repr=False)
    low: float = field(repr=False)
    high: float = field(repr=False)

    @classmethod
    def of(cls, text: str, variables: tuple[str, ...], values: Values, codes: Codes) -> RangeCondition:
        """Return the condition for a column."""
        (column,) = variables
        numbers = values.numbers[column]
        return cls(column, values.scales[column], float(np.nanmin(numbers)), float(np.nanmax(numbers)))

    @property
    def variables(self) -> tuple[str, ...]:
        """The column."""
        return (self.column,)

    def tested(self, frame: pd.DataFrame) -> tuple[BoolArray, BoolArray]:
        """Return which records have a value, and which of these are within the range."""
        numbers = self.scale.numbers(frame[self.column])
        error = ROUNDING * max(abs(self.low), abs(self.high))
        return ~np.isnan(numbers), (numbers >= self.low - error) & (numbers <= self.high + error)

    def __str__(self) -> str:
        return f"{self.column}: within the range of the file"


@dataclass(frozen=True)
class ValuesCondition(Condition):
    """The numbers of a column are among the few numbers of the confidential data."""

    kind: ClassVar[str] = "values"
    column: str
    scale: Scale = field(repr=False)
    allowed: tuple[float, ...] = field(repr=False)

    @classmethod
    def of(cls, text: str, variables: tuple[str, ...], values: Values, codes: Codes) -> ValuesCondition:
        """Return the condition for a column."""
        (column,) = variables
        numbers = values.numbers[column]
        found = np.unique(numbers[~np.isnan(numbers)])
        return cls(column, values.scales[column], tuple(map(float, found)))

    @property
    def variables(self) -> tuple[str, ...]:
        """The column."""
        return (self.column,)

    def tested(self, frame: pd.DataFrame) -> tuple[BoolArray, BoolArray]:
        """Return which records have a value, and which of these have an allowed one."""
        numbers = self.scale.numbers(frame[self.column])
        near = [np.abs(numbers - value) <= ROUNDING * max(abs(value), 1.0) for value in self.allowed]
        return ~np.isnan(numbers), np.any(near, axis=0)

    def __str__(self) -> str:
        return f"{self.column}: only numbers of the file"


@dataclass(frozen=True)
class GridCondition(Condition):
    """The numbers of a column are multiples of a unit."""

    kind: ClassVar[str] = "grid"
    column: str
    scale: Scale = field(repr=False)
    step: float

    @classmethod
    def of(cls, text: str, variables: tuple[str, ...], values: Values, codes: Codes) -> GridCondition:
        """Return the condition for a column."""
        (column,) = variables
        return cls(column, values.scales[column], values.step(column))

    @property
    def variables(self) -> tuple[str, ...]:
        """The column."""
        return (self.column,)

    def tested(self, frame: pd.DataFrame) -> tuple[BoolArray, BoolArray]:
        """Return which records have a value, and which of these are multiples of the unit."""
        units = self.scale.numbers(frame[self.column]) / self.step
        return ~np.isnan(units), np.abs(units - np.rint(units)) <= 1e-6

    def __str__(self) -> str:
        return f"{self.column}: multiples of {self.step:,.10g}"


KINDS: dict[str, type[Condition]] = {
    one.kind: one for one in (RelationCondition, RangeCondition, ValuesCondition, GridCondition)
}


def condition_of(stored: Mapping[str, Any], values: Values, codes: Codes) -> Condition:
    """Return the condition that `Condition.to_dict` describes, with the values of the confidential data."""
    return KINDS[stored["kind"]].of(str(stored["text"]), tuple(stored["variables"]), values, codes)


def conditions_of_column(column: str, values: Values) -> list[Condition]:
    """Return the set of values, or the range and the grid, of a column of numbers or dates."""
    numbers = values.numbers[column]
    if np.unique(numbers[~np.isnan(numbers)]).size <= SET:
        return [ValuesCondition.of("", (column,), values, {})]
    found: list[Condition] = [RangeCondition.of("", (column,), values, {})]
    if values.scales[column].calendar is not None:
        return found
    # Smoothing preserves the grid of numbers without rounding errors only.
    own = _checks.as_float(values.frame[column])
    if (np.isnan(numbers) | (own == numbers)).all() and values.step(column) > 0:
        found.append(GridCondition.of("", (column,), values, {}))
    return found
