"""Rules that the members of a unit satisfy together, such as exactly one head per household."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._typing import BoolArray, ColumnNames, IntArray
from synthlab.exceptions import InputError
from synthlab.units.codes import extremes, has_level, per_unit, unit_codes, value_codes


class UnitRule(ABC):
    """Base class of the rules of units."""

    __slots__ = ()

    @property
    @abstractmethod
    def columns(self) -> tuple[str, ...]:
        """The columns to which the rule refers."""

    @abstractmethod
    def holds_in(self, frame: pd.DataFrame, code: IntArray, units: int) -> BoolArray:
        """Return whether each unit satisfies the rule, shape (units,); `code` is the unit number of each record."""

    @abstractmethod
    def applies_in(self, frame: pd.DataFrame, code: IntArray, units: int) -> BoolArray:
        """Return which units could break the rule, shape (units,)."""

    def holds(self, frame: pd.DataFrame, unit: ColumnNames) -> BoolArray:
        """Return whether each unit satisfies the rule.

        Parameters
        ----------
        frame : pandas.DataFrame
            The records of the units, in any order.
        unit : str or sequence of str
            The columns that identify a unit; a record with a missing value is a unit of its own.

        Returns
        -------
        ndarray of shape (units,), bool
            In the order of the first record of each unit. Missing values do not break a rule, except `Constant`, in
            which a missing value is a value.

        Raises
        ------
        InputError
            If the frame lacks a column of the rule or of `unit`.
        """
        frame = _checks.check_frame(frame, "frame")
        _checks.check_columns(frame, self.columns, type(self).__name__, where="frame")
        code = unit_codes(frame, unit)
        return self.holds_in(frame, code, int(code.max()) + 1)


@dataclass(frozen=True)
class ExactlyOne(UnitRule):
    """Rule that exactly one member of a unit has a level, such as one head per household.

    Parameters
    ----------
    variable : str
        The column.
    level : value
        The level.

    Raises
    ------
    InputError
        If `variable` is not text or `level` is missing.

    Examples
    --------
    >>> import pandas as pd
    >>> people = pd.DataFrame({"hhid": [1, 1, 2, 2], "relation": ["head", "child", "head", "head"]})
    >>> ExactlyOne("relation", "head").holds(people, "hhid").tolist()
    [True, False]
    """

    variable: str
    level: object

    def __post_init__(self) -> None:
        _checks.check_name(self.variable, "variable")
        _check_level(self.level, "level")

    @property
    def columns(self) -> tuple[str, ...]:
        """The variable."""
        return (self.variable,)

    def holds_in(self, frame: pd.DataFrame, code: IntArray, units: int) -> BoolArray:
        """Return whether each unit has exactly one member with the level."""
        return np.asarray(per_unit(has_level(frame[self.variable], self.level), code, units) == 1)

    def applies_in(self, frame: pd.DataFrame, code: IntArray, units: int) -> BoolArray:
        """Return which units have at least two members."""
        return np.asarray(np.bincount(code, minlength=units) > 1)

    def __str__(self) -> str:
        return f"exactly one member with {self.variable} = {self.level}"


@dataclass(frozen=True)
class AtMostOne(UnitRule):
    """Rule that at most one member of a unit has a level, such as one spouse per household.

    Parameters
    ----------
    variable : str
        The column.
    level : value
        The level.

    Raises
    ------
    InputError
        If `variable` is not text or `level` is missing.

    Examples
    --------
    >>> import pandas as pd
    >>> people = pd.DataFrame({"hhid": [1, 1, 2, 2], "relation": ["head", "spouse", "spouse", "spouse"]})
    >>> AtMostOne("relation", "spouse").holds(people, "hhid").tolist()
    [True, False]
    """

    variable: str
    level: object

    def __post_init__(self) -> None:
        _checks.check_name(self.variable, "variable")
        _check_level(self.level, "level")

    @property
    def columns(self) -> tuple[str, ...]:
        """The variable."""
        return (self.variable,)

    def holds_in(self, frame: pd.DataFrame, code: IntArray, units: int) -> BoolArray:
        """Return whether each unit has at most one member with the level."""
        return np.asarray(per_unit(has_level(frame[self.variable], self.level), code, units) <= 1)

    def applies_in(self, frame: pd.DataFrame, code: IntArray, units: int) -> BoolArray:
        """Return which units have a member with the level and at least two other members."""
        own = per_unit(has_level(frame[self.variable], self.level), code, units)
        return np.asarray((own > 0) & (np.bincount(code, minlength=units) > 2))

    def __str__(self) -> str:
        return f"at most one member with {self.variable} = {self.level}"


@dataclass(frozen=True)
class Difference(UnitRule):
    """Rule that members of one kind have larger numbers than members of another kind, such as parents and children.

    Parameters
    ----------
    variable : str
        A numeric column, such as age.
    older, younger : value
        The levels of `relation` of the members with the larger and the smaller numbers.
    at_least : number
        The smallest difference, in the units of the variable.
    relation : str, default "relation"
        The column that contains the levels `older` and `younger`.

    Raises
    ------
    InputError
        If a column is not text, a level is missing, the levels are equal, or `at_least` is not a finite number.

    Examples
    --------
    >>> import pandas as pd
    >>> people = pd.DataFrame({"hhid": [1, 1, 2, 2], "relation": ["head", "child"] * 2, "age": [40, 12, 30, 20]})
    >>> Difference("age", older="head", younger="child", at_least=12).holds(people, "hhid").tolist()
    [True, False]
    """

    variable: str
    older: object
    younger: object
    at_least: float
    relation: str = "relation"

    def __post_init__(self) -> None:
        _check_pair(self.variable, self.relation, self.older, self.younger, "older", "younger")
        _checks.check_number(self.at_least, "at_least")

    @property
    def columns(self) -> tuple[str, ...]:
        """The variable and the relation."""
        return self.relation, self.variable

    def holds_in(self, frame: pd.DataFrame, code: IntArray, units: int) -> BoolArray:
        """Return whether the smallest number of the older exceeds the largest number of the younger by `at_least`."""
        low, high = self._ends(frame, code, units)
        with np.errstate(invalid="ignore"):
            return np.asarray(low - high >= self.at_least - 1e-9)

    def applies_in(self, frame: pd.DataFrame, code: IntArray, units: int) -> BoolArray:
        """Return which units have members of both kinds."""
        low, high = self._ends(frame, code, units)
        return np.asarray(np.isfinite(low) & np.isfinite(high))

    def _ends(self, frame: pd.DataFrame, code: IntArray, units: int) -> tuple[np.ndarray, np.ndarray]:
        _checks.check_numeric_column(frame, self.variable, where="frame", why="Difference is for numbers")
        values = _checks.as_float(frame[self.variable])
        older, younger = (has_level(frame[self.relation], level) for level in (self.older, self.younger))
        return extremes(values, older, code, units)[0], extremes(values, younger, code, units)[1]

    def __str__(self) -> str:
        return (
            f"{self.variable} of {self.relation} = {self.older} exceeds {self.variable} of {self.relation} = "
            f"{self.younger} by at least {self.at_least:g}"
        )


@dataclass(frozen=True)
class Different(UnitRule):
    """Rule that members of two kinds have different values, such as the sex of spouses in some registers.

    Parameters
    ----------
    variable : str
        The column whose values differ.
    first, second : value
        The levels of `relation` of the members that are compared.
    relation : str, default "relation"
        The column that contains the two levels.

    Raises
    ------
    InputError
        If a column is not text, a level is missing, or the levels are equal.

    Examples
    --------
    >>> import pandas as pd
    >>> people = pd.DataFrame({"hhid": [1, 1, 2, 2], "relation": ["head", "spouse"] * 2, "sex": list("mfmm")})
    >>> Different("sex", "head", "spouse").holds(people, "hhid").tolist()
    [True, False]
    """

    variable: str
    first: object
    second: object
    relation: str = "relation"

    def __post_init__(self) -> None:
        _check_pair(self.variable, self.relation, self.first, self.second, "first", "second")

    @property
    def columns(self) -> tuple[str, ...]:
        """The variable and the relation."""
        return self.relation, self.variable

    def holds_in(self, frame: pd.DataFrame, code: IntArray, units: int) -> BoolArray:
        """Return whether no member of the first kind has a value of a member of the second kind."""
        first, second, cell = self._parts(frame, code)
        equal = first & np.isin(cell, cell[second])
        return np.asarray(per_unit(equal, code, units) == 0)

    def applies_in(self, frame: pd.DataFrame, code: IntArray, units: int) -> BoolArray:
        """Return which units have members of both kinds."""
        first, second, _ = self._parts(frame, code)
        return np.asarray((per_unit(first, code, units) > 0) & (per_unit(second, code, units) > 0))

    def _parts(self, frame: pd.DataFrame, code: IntArray) -> tuple[BoolArray, BoolArray, IntArray]:
        """Return the members of both kinds that have a value, and the number of unit and value of each record."""
        there = frame[self.variable].notna().to_numpy(dtype=bool)
        first, second = (has_level(frame[self.relation], level) & there for level in (self.first, self.second))
        values = value_codes(frame, [self.variable])
        return first, second, code * (values.max(initial=0) + 1) + values

    def __str__(self) -> str:
        return f"{self.variable} differs between {self.relation} = {self.first} and {self.relation} = {self.second}"


@dataclass(frozen=True)
class SizeOf(UnitRule):
    """Rule that a column is the number of members of the unit.

    Parameters
    ----------
    variable : str
        A numeric column, such as the household size.

    Raises
    ------
    InputError
        If `variable` is not text.

    Examples
    --------
    >>> import pandas as pd
    >>> people = pd.DataFrame({"hhid": [1, 1, 2], "hhsize": [2, 2, 3]})
    >>> SizeOf("hhsize").holds(people, "hhid").tolist()
    [True, False]
    """

    variable: str

    def __post_init__(self) -> None:
        _checks.check_name(self.variable, "variable")

    @property
    def columns(self) -> tuple[str, ...]:
        """The variable."""
        return (self.variable,)

    def holds_in(self, frame: pd.DataFrame, code: IntArray, units: int) -> BoolArray:
        """Return whether all members of a unit have its number of members."""
        _checks.check_numeric_column(frame, self.variable, where="frame", why="SizeOf is for numbers")
        values = _checks.as_float(frame[self.variable])
        wrong = ~np.isnan(values) & (values != np.bincount(code, minlength=units)[code])
        return np.asarray(per_unit(wrong, code, units) == 0)

    def applies_in(self, frame: pd.DataFrame, code: IntArray, units: int) -> BoolArray:
        """Return which units have at least two members."""
        return np.asarray(np.bincount(code, minlength=units) > 1)

    def __str__(self) -> str:
        return f"{self.variable} is the number of members"


@dataclass(frozen=True)
class Constant(UnitRule):
    """Rule that all members of a unit have the same value, such as the region of a household.

    A missing value is a value.

    Parameters
    ----------
    variable : str
        The column.

    Raises
    ------
    InputError
        If `variable` is not text.

    Examples
    --------
    >>> import pandas as pd
    >>> people = pd.DataFrame({"hhid": [1, 1, 2, 2], "region": ["n", "n", "n", "s"]})
    >>> Constant("region").holds(people, "hhid").tolist()
    [True, False]
    """

    variable: str

    def __post_init__(self) -> None:
        _checks.check_name(self.variable, "variable")

    @property
    def columns(self) -> tuple[str, ...]:
        """The variable."""
        return (self.variable,)

    def holds_in(self, frame: pd.DataFrame, code: IntArray, units: int) -> BoolArray:
        """Return whether all members of a unit have one value."""
        values = value_codes(frame, [self.variable])
        first = np.empty(units, dtype=np.int64)
        first[code[::-1]] = values[::-1]
        return np.asarray(per_unit(values != first[code], code, units) == 0)

    def applies_in(self, frame: pd.DataFrame, code: IntArray, units: int) -> BoolArray:
        """Return which units have at least two members."""
        return np.asarray(np.bincount(code, minlength=units) > 1)

    def __str__(self) -> str:
        return f"{self.variable} is constant within the unit"


@dataclass(frozen=True)
class UnitRules:
    """Rules that every unit satisfies.

    The same rules are used by the plan, the synthesis of units and the check after generation.

    Parameters
    ----------
    rules : sequence of rules
        `ExactlyOne`, `AtMostOne`, `Difference`, `Different`, `SizeOf` and `Constant`; can be empty.

    Raises
    ------
    InputError
        If `rules` is not a list of rules.

    Examples
    --------
    >>> import pandas as pd
    >>> people = pd.DataFrame({"hhid": [1, 1, 2], "relation": ["head", "spouse", "spouse"], "hhsize": [2, 2, 1]})
    >>> rules = UnitRules([ExactlyOne("relation", "head"), SizeOf("hhsize")])
    >>> rules.holds(people, "hhid").tolist(), rules.broken(people, "hhid")
    ([True, False], {'exactly one member with relation = head': 1})
    """

    rules: Sequence[UnitRule] = field(default=())

    def __post_init__(self) -> None:
        given = (
            self.rules if isinstance(self.rules, tuple) else _checks.check_list(self.rules, "rules", "a list of rules")
        )
        for rule in given:
            if not isinstance(rule, UnitRule):
                raise InputError(
                    f"rules: {_checks.described(rule)} is not a rule of units, such as ExactlyOne, AtMostOne, "
                    "Difference, Different, SizeOf or Constant"
                )
        object.__setattr__(self, "rules", tuple(dict.fromkeys(given)))

    def __iter__(self) -> Iterator[UnitRule]:
        return iter(self.rules)

    def __len__(self) -> int:
        return len(self.rules)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns to which the rules refer."""
        return tuple(dict.fromkeys(c for rule in self.rules for c in rule.columns))

    def holds(self, frame: pd.DataFrame, unit: ColumnNames) -> BoolArray:
        """Return whether each unit satisfies every rule; see `UnitRule.holds`."""
        frame = _checks.check_frame(frame, "frame")
        _checks.check_columns(frame, self.columns, "rules", where="frame", allow_empty=True)
        code = unit_codes(frame, unit)
        return self.holds_in(frame, code, int(code.max()) + 1)

    def holds_in(self, frame: pd.DataFrame, code: IntArray, units: int) -> BoolArray:
        """Return whether each unit satisfies every rule; `code` is the unit number of each record."""
        kept = [rule.holds_in(frame, code, units) for rule in self.rules]
        return np.asarray(np.logical_and.reduce([np.ones(units, dtype=bool), *kept]), dtype=bool)

    def broken(self, frame: pd.DataFrame, unit: ColumnNames) -> dict[str, int]:
        """Return the number of units that break each rule, without the rules that every unit satisfies."""
        frame = _checks.check_frame(frame, "frame")
        code = unit_codes(frame, unit)
        counts = {str(r): int((~r.holds_in(frame, code, int(code.max()) + 1)).sum()) for r in self.rules}
        return {rule: count for rule, count in counts.items() if count}


def _check_level(level: object, name: str) -> None:
    if level is None or level is pd.NA or level is pd.NaT or (isinstance(level, float) and np.isnan(level)):
        raise InputError(f"{name}: must be a level, not a missing value")
    if isinstance(level, list | tuple | dict | set | np.ndarray | pd.Series):
        raise InputError(f"{name}: must be one level, got {_checks.described(level)}")


def _check_pair(variable: str, relation: str, one: object, other: object, first: str, second: str) -> None:
    _checks.check_name(variable, "variable")
    if _checks.check_name(relation, "relation") == variable:
        raise InputError("relation: must be another column than variable")
    _check_level(one, first)
    _check_level(other, second)
    if one == other:
        raise InputError(f"{first} and {second} must be different levels")
