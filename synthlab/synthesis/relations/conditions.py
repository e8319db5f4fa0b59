"""Conditions that every record of a release satisfies, tested in any file with the same columns."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from synthlab._typing import BoolArray
from synthlab.synthesis.relations.relation import ROUNDING, Relation, parse
from synthlab.synthesis.relations.values import Scale, Values
from synthlab.synthesizers._missing import Codes, without_codes

SET = 20  # largest number of distinct numbers that are a set of values


@dataclass(frozen=True)
class Condition(ABC):
    """Base class of the conditions that the records of a release satisfy.

    A condition is a `Constraint`: it can be given to `Sequential`, which saves it with the fit. A subclass declares its
    `kind`, and implements `variables`, `holds`, `of` and its text. Missing values do not break a condition. The text and
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
    def holds(self, frame: pd.DataFrame) -> BoolArray:
        """Return whether each record satisfies the condition, shape (n,)."""

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
    scales : mapping
        The rules that read the columns as numbers; empty for relations between codes.
    decimals : int or None
        The number of decimals of the result; None if it has many.
    pairs : tuple of pairs
        The pairs of codes that occur in the confidential data, for relations between codes.
    codes : mapping
        Numbers that mean missing, by column.
    """

    kind: ClassVar[str] = "relation"
    relation: Relation
    scales: Mapping[str, Scale] = field(repr=False, default_factory=dict)
    decimals: int | None = field(repr=False, default=None)
    pairs: tuple[tuple[Any, ...], ...] = field(repr=False, default=())
    codes: Mapping[str, tuple[float, ...]] = field(repr=False, default_factory=dict)

    @classmethod
    def of_relation(cls, relation: Relation, values: Values, codes: Codes) -> RelationCondition:
        """Return the condition for a relation that holds in the confidential data."""
        mine = {c: tuple(codes[c]) for c in relation.columns if c in codes}
        if relation.form == "codes":
            pairs = values.frame[list(relation.columns)].dropna().drop_duplicates().astype(object)
            return cls(relation, pairs=tuple(pairs.itertuples(index=False, name=None)), codes=mine)
        scales = {c: values.scales[c] for c in relation.columns}
        return cls(relation, scales, values.decimals(relation.result), codes=mine)

    @classmethod
    def of(cls, text: str, variables: tuple[str, ...], values: Values, codes: Codes) -> RelationCondition:
        """Return the condition with this text."""
        return cls.of_relation(parse(text), values, codes)  # type: ignore[arg-type]

    @property
    def variables(self) -> tuple[str, ...]:
        """The result and its sources."""
        return self.relation.columns

    def holds(self, frame: pd.DataFrame) -> BoolArray:
        """Return whether each record satisfies the relation or lacks one of its values."""
        if self.relation.form == "codes":
            known = without_codes(frame[list(self.variables)], self.codes)
            lost = known.isna().any(axis=1).to_numpy(dtype=bool)
            allowed = set(self.pairs)
            rows = known.astype(object).itertuples(index=False, name=None)
            return lost | np.fromiter((row in allowed for row in rows), dtype=bool, count=len(frame))
        numbers = {c: scale.numbers(frame[c]) for c, scale in self.scales.items()}
        both, agree = self.relation.agrees(numbers[self.relation.result], self.relation.exact(numbers), self.decimals)
        return np.asarray(~both | agree, dtype=bool)

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

    def holds(self, frame: pd.DataFrame) -> BoolArray:
        """Return whether the value of each record is within the range or missing."""
        numbers = self.scale.numbers(frame[self.column])
        error = ROUNDING * max(abs(self.low), abs(self.high))
        within = (numbers >= self.low - error) & (numbers <= self.high + error)
        return np.asarray(within | np.isnan(numbers), dtype=bool)

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

    def holds(self, frame: pd.DataFrame) -> BoolArray:
        """Return whether the value of each record is allowed or missing."""
        numbers = self.scale.numbers(frame[self.column])
        near = [np.abs(numbers - value) <= ROUNDING * max(abs(value), 1.0) for value in self.allowed]
        return np.asarray(np.isnan(numbers) | np.any(near, axis=0), dtype=bool)

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

    def holds(self, frame: pd.DataFrame) -> BoolArray:
        """Return whether the value of each record is a multiple of the unit or missing."""
        units = self.scale.numbers(frame[self.column]) / self.step
        on_grid = np.abs(units - np.rint(units)) <= 1e-6
        return np.asarray(np.isnan(units) | on_grid, dtype=bool)

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
    if not values.scales[column].unit and values.step(column) > 0:
        found.append(GridCondition.of("", (column,), values, {}))
    return found
