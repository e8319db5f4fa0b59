"""The structure of a file of units: its members in order, unit variables, rules, and the waves of a panel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._typing import BoolArray, ColumnNames, FloatArray, FrameLike, IntArray
from synthlab._warnings import warn
from synthlab.exceptions import InputError, MissingUnitWarning
from synthlab.units.codes import ranks, unit_codes
from synthlab.units.detection import (
    NEARLY,
    Relation,
    constants,
    find_relation,
    member_number,
    rules_of_members,
    size_column,
)
from synthlab.units.rules import Constant, SizeOf, UnitRule, UnitRules

MEMBERS = 50  # default of the largest number of members or waves
REPEATED = 0.5  # share of the units with repeated values from which a column is not a wave


@dataclass(frozen=True, slots=True, eq=False)
class UnitStructure:
    """Structure of a file whose records belong to units, such as households or the waves of a panel.

    Attributes
    ----------
    unit : tuple of str
        The columns that identify a unit.
    code : ndarray of int, shape (n,)
        Number of the unit of each record, from 0 in the order of the first records.
    rows : ndarray of int, shape (n,)
        Positions of the records, sorted by unit and within the unit by the order of the members.
    position : ndarray of int, shape (n,)
        Position of each record of the file within its unit, from 0.
    size : ndarray of int, shape (units,)
        Number of members of each unit.
    variables : tuple of str
        The unit variables, which are constant within each unit, without `size_variable`.
    order : tuple of str
        The columns that determine the order of the members; empty if it is the order of the file.
    size_variable : str or None
        The column that contains the number of members.
    number_variable : str or None
        The column that numbers the members.
    wave : str or None
        The column that contains the waves of a panel; None if the file is not a panel.
    waves : tuple
        The waves in order.
    wave_number : ndarray of int, shape (n,)
        Number of the wave of each record, from 0; empty if the file is not a panel.
    relation : Relation
        The variable that describes the members, its levels in order, and the age.
    rules : UnitRules
        The rules that every unit satisfies: detected in all units, or declared.
    reported : tuple of rules
        Detected rules that hold in at least 99.5% of the units, but not in all.
    """

    unit: tuple[str, ...]
    code: IntArray = field(repr=False)
    rows: IntArray = field(repr=False)
    position: IntArray = field(repr=False)
    size: IntArray = field(repr=False)
    variables: tuple[str, ...]
    order: tuple[str, ...]
    size_variable: str | None
    number_variable: str | None
    wave: str | None
    waves: tuple[object, ...] = field(repr=False)
    wave_number: IntArray = field(repr=False)
    relation: Relation
    rules: UnitRules
    reported: tuple[UnitRule, ...] = ()

    @property
    def units(self) -> int:
        """Number of units."""
        return len(self.size)

    @property
    def is_panel(self) -> bool:
        """True if the records of a unit are the waves of a panel."""
        return self.wave is not None

    @property
    def time(self) -> FloatArray:
        """The time of each wave: its number, or the days of a date, otherwise 0, 1, 2, ..."""
        waves = pd.Series(list(self.waves))
        if pd.api.types.is_numeric_dtype(waves.dtype):
            return _checks.as_float(waves)
        days = _checks.as_days(waves) if _checks.is_date(waves) else None
        return np.arange(len(waves), dtype=np.float64) if days is None else days

    def positions(self, frame: pd.DataFrame, code: IntArray) -> IntArray:
        """Return the position of each record of another file in its unit, shape (n,), from the unit of each record."""
        return _positions(_ordered(frame, self.order, self.relation, code)[0], np.bincount(code))

    def check_units(self, frame: FrameLike) -> dict[str, int]:
        """Return how many units of a frame break each rule of the confidential data.

        Parameters
        ----------
        frame : DataFrame or Dataset
            Records with the columns of the confidential data, such as a synthetic dataset.

        Returns
        -------
        dict {str: int}
            The rules that at least one unit breaks, in words. In a panel, "one record per unit and wave" is a rule.

        Raises
        ------
        InputError
            If the frame lacks a column of a rule or of the unit.

        Examples
        --------
        >>> import pandas as pd
        >>> hhid = [i // 2 for i in range(120)] + [100 + i // 3 for i in range(120)]
        >>> survey = pd.DataFrame({"hhid": hhid, "hhsize": [2] * 120 + [3] * 120})
        >>> structure = unit_structure(survey, "hhid")
        >>> structure.check_units(survey), structure.check_units(survey.iloc[1:])
        ({}, {'hhsize is the number of members': 1})
        """
        checked = _checks.check_frame(frame, "frame")
        broken = self.rules.broken(checked, self.unit)
        if self.wave is not None:
            code = unit_codes(checked, self.unit)
            twice = _repeated(code, ranks(checked[self.wave]))
            broken |= {"one record per unit and wave": int(twice.sum())} if twice.any() else {}
        return broken


def unit_structure(
    frame: FrameLike,
    unit: ColumnNames,
    unit_order: ColumnNames | None = None,
    unit_variables: ColumnNames | None = None,
    *,
    rules: UnitRules | Literal["detect", False] = "detect",
    max_members: int = MEMBERS,
    name: str = "confidential",
    detect: Sequence[str] | None = None,
) -> UnitStructure:
    """Return the structure of a file of units: order of the members, unit variables, rules and waves.

    Parameters
    ----------
    frame : DataFrame or Dataset, n rows
        The records.
    unit : str or sequence of str
        The columns that together identify a unit. A record with a missing value is a unit of its own.
    unit_order : str or sequence of str, optional
        The columns by which the members are ordered. The file is a panel if this is one column whose values are
        distinct within every unit and shared by the units, and no variable such as the relation to the head describes
        the members. Default: the head, the partner, the other relations by decreasing frequency, each by decreasing
        age; the order of the file if there is neither a relation nor an age.
    unit_variables : str or sequence of str, optional
        Columns that are constant within each unit. Default: the columns that are constant within all units, if at least
        50 units have several members.
    rules : UnitRules or {"detect", False}
        Declared rules, which must hold in at least 99.5% of the units. "detect": rules that hold in all units, if at
        least 50 units could break them. False: none.
    max_members : int, default 50
        Largest number of members, or of waves of a panel.
    name : str
        Name of `frame` in messages.
    detect : sequence of str, optional
        The columns in which unit variables and rules are detected. Default: all.

    Returns
    -------
    UnitStructure

    Raises
    ------
    InputError
        If there is only one unit; if a unit has more than `max_members` members; if a declared unit variable varies
        within a unit; if a unit has two records of the same wave; or if a declared rule does not hold.

    Warns
    -----
    MissingUnitWarning
        Records have no unit number; each of them is a unit of its own.

    Examples
    --------
    >>> import pandas as pd
    >>> people = pd.DataFrame({"hhid": [i // 3 for i in range(180)], "relation": ["head", "child", "child"] * 60})
    >>> structure = unit_structure(people, "hhid")
    >>> structure.units, [str(rule) for rule in structure.rules]
    (60, ['exactly one member with relation = head'])
    """
    checked = _checks.check_frame(frame, name)
    columns = tuple(_checks.check_columns(checked, unit, "unit", where=name))
    order = () if unit_order is None else tuple(_checks.check_columns(checked, unit_order, "unit_order", where=name))
    most = _checks.check_count(max_members, "max_members", 2)
    code = unit_codes(checked, columns)
    size = np.bincount(code).astype(np.int64)
    _check_units(checked, columns, size, most, code)
    declared = unit_variables is not None
    rest = [c for c in (checked.columns if detect is None else detect) if c not in columns]
    variables = _unit_variables(checked, rest, code, unit_variables, columns, name)
    constant, own = _size_columns(checked, variables, code, rules, declared)
    members = [c for c in rest if c not in variables and c != constant]
    number = member_number(checked, members, code)
    # A column whose values are different within every unit can be the wave, even if its first value occurs once per unit.
    ordering = {c for c in order if len(order) == 1 and not _repeated(code, ranks(checked[c])).any()}
    kinds = [c for c in members if c != number and c not in ordering and checked[c].notna().any()]
    relation = find_relation(checked, kinds, code)
    wave, waves = _waves(checked, order, relation, code, most, number)
    if wave is not None:
        number, relation = None, Relation()
        constant = None
        members = [c for c in members if c != wave]
    wave_number = np.empty(0) if wave is None else pd.Index(waves).get_indexer(pd.Index(checked[wave]))
    wave_number = wave_number.astype(np.int64)
    rows, used = _ordered(checked, order, relation, code)
    position = _positions(rows, size)
    units = int(size.size)
    kept = [c for c in variables if c != constant]
    found: tuple[UnitRule, ...] = ()
    nearly: tuple[UnitRule, ...] = ()
    if isinstance(rules, UnitRules):
        _check_declared(checked, rules, code, units, name)
        found = tuple(rules)
        kept += [r.variable for r in rules if isinstance(r, Constant) and r.variable not in (*kept, constant)]
    elif _checks.check_choice(rules, "unit_rules", ("detect", False)) == "detect":
        detected = rules_of_members(checked, [c for c in members if c != number], code, relation)
        found, nearly = detected.enforced, detected.reported
        nearly = (*nearly, *([] if own is None or wave is not None else [SizeOf(own)]))
    constants_ = [Constant(c) for c in kept] if len(checked) > units else []
    sizes = [] if constant is None else [SizeOf(constant)]
    return UnitStructure(
        columns, code, rows, position, size, tuple(kept), used, constant, number, wave, waves, wave_number, relation,
        UnitRules([*found, *sizes, *constants_]), tuple(nearly),
    )  # fmt: skip


def _check_units(frame: pd.DataFrame, unit: Sequence[str], size: IntArray, most: int, code: IntArray) -> None:
    what = _checks.named(unit)
    if len(size) == 1:
        raise InputError(f"unit: all {len(frame):,} records belong to 1 unit of {what}; at least 2 units are required")
    large = int((size > most).sum())
    if large:
        raise InputError(
            f"unit: {large:,} of {len(size):,} units of {what} have more than {most} members; check the columns of unit, or "
            "raise max_members"
        )
    missing = int(frame[list(unit)].isna().any(axis=1).sum())
    if missing:
        warn(
            f"unit: {missing:,} records have no value of {what}, so each of them is a unit of its own; correct the unit "
            "numbers if these records belong together",
            MissingUnitWarning,
        )


def _unit_variables(
    frame: pd.DataFrame,
    columns: Sequence[str],
    code: IntArray,
    declared: ColumnNames | None,
    unit: Sequence[str],
    name: str,
) -> list[str]:
    """Return the declared unit variables, or the detected ones."""
    if declared is None:
        return constants(frame, columns, code)
    units = int(code.max()) + 1
    given = _checks.check_columns(frame, declared, "unit_variables", where=name, allow_empty=True)
    for column in given:
        if column in unit:
            raise InputError(f"unit_variables: {column!r} identifies the units; remove it from unit_variables")
        varies = int((~Constant(column).holds_in(frame, code, units)).sum())
        if varies:
            raise InputError(
                f"unit_variables: {column!r} varies within {varies:,} of {units:,} units; correct the file, or remove the "
                "column from unit_variables"
            )
    # A column that never varies is constant within the units, too.
    return given + [c for c in columns if c not in given and frame[c].nunique(dropna=False) == 1]


def _size_columns(
    frame: pd.DataFrame, variables: Sequence[str], code: IntArray, rules: object, declared: bool
) -> tuple[str | None, str | None]:
    """Return the column with the number of members in all units, and the column that has it in nearly all units."""
    fixed: list[str] = []
    if isinstance(rules, UnitRules):
        own = next((r.variable for r in rules if isinstance(r, SizeOf)), None)
        if own is not None:
            return own, None
        fixed = [r.variable for r in rules if isinstance(r, Constant)]
    if rules is False:
        return None, None
    candidates = [c for c in variables if c not in fixed and (frame[c].nunique() > 1 or declared)]
    return size_column(frame, candidates, code)


def _waves(
    frame: pd.DataFrame, order: Sequence[str], relation: Relation, code: IntArray, most: int, number: str | None
) -> tuple[str | None, tuple[object, ...]]:
    """Return the column of the waves and its values in order, or None if the file is not a panel."""
    if len(order) != 1 or relation.variable is not None:
        return None, ()
    wave = order[0]
    values = frame[wave]
    distinct = values.dropna().unique()
    several = np.bincount(code) > 1
    shared = len(distinct) < 2 or values.count() < 2 * len(distinct)
    if shared or len(distinct) > len(frame) // 2 or not several.any():
        return None, ()
    twice = _repeated(code, ranks(values))
    if not 1 < len(distinct) <= most:
        if not twice.any() and len(distinct) * 10 <= int(several.sum()):
            raise InputError(
                f"unit_order: {wave!r} has {len(distinct):,} waves, and at most {most} are allowed; raise max_members"
            )
        return None, ()
    if twice[several].mean() >= REPEATED:
        return None, ()
    units = len(several)
    if twice.any():
        raise InputError(
            f"unit_order: {int(twice.sum()):,} of {units:,} units have two records with the same {wave!r}; remove the "
            "duplicates, or name further columns in unit or unit_order"
        )
    missing = np.bincount(code, weights=values.isna()) > 0
    if missing.any():
        raise InputError(
            f"unit_order: {int(missing.sum()):,} of {units:,} units have records without a value of {wave!r}; remove these "
            "records"
        )
    by_rank = np.argsort(ranks(pd.Series(distinct, dtype=values.dtype)), kind="stable")
    return wave, tuple(distinct[place] for place in by_rank)


def _repeated(code: IntArray, values: FloatArray) -> BoolArray:
    """Return which units have a value twice."""
    order = np.lexsort((values, code))
    same = (np.diff(code[order]) == 0) & (values[order][1:] == values[order][:-1])
    result = np.zeros(int(code.max()) + 1, dtype=bool)
    result[code[order][1:][same]] = True
    return result


def _positions(rows: IntArray, size: IntArray) -> IntArray:
    """Return the position of each record in its unit, from the records in order and the numbers of members."""
    position = np.empty(len(rows), dtype=np.int64)
    position[rows] = np.arange(len(rows)) - np.repeat(np.cumsum(size) - size, size)
    return position


def _ordered(
    frame: pd.DataFrame, order: Sequence[str], relation: Relation, code: IntArray
) -> tuple[IntArray, tuple[str, ...]]:
    """Return the records sorted by unit and member, and the columns that determine the order of the members."""
    used = tuple(order) or tuple(c for c in (relation.variable, relation.age) if c is not None)
    keys = []
    for column in used:
        if column == relation.variable:
            place = pd.Index(list(relation.levels)).get_indexer(pd.Index(frame[column].astype(object)))
            keys.append(np.where(place < 0, len(relation.levels), place))
        elif column == relation.age:
            age = _checks.as_float(frame[column])
            keys.append(np.where(np.isnan(age), np.inf, -age))
        else:
            keys.append(ranks(frame[column]))
    return np.lexsort((*reversed(keys), code)).astype(np.int64), used


def _check_declared(frame: pd.DataFrame, rules: UnitRules, code: IntArray, units: int, name: str) -> None:
    """Raise if a declared rule does not hold in at least 99.5% of the units."""
    for rule in rules:
        _checks.check_columns(frame, rule.columns, "unit_rules", where=name)
        broken = int((~rule.holds_in(frame, code, units)).sum())
        exact = isinstance(rule, Constant | SizeOf)
        if broken > (0 if exact else (1 - NEARLY) * units):
            raise InputError(
                f"unit_rules: {broken:,} of {units:,} units break {rule!r}; correct the rule or the file, or remove the rule"
            )
