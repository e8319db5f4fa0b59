"""Units of a file as codes of household variables and members, for the nested mixture."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._typing import BoolArray, FloatArray, IntArray
from synthlab.exceptions import InputError
from synthlab.synthesizers._gibbs_nested import Units
from synthlab.synthesizers._levels import Levels
from synthlab.synthesizers._structural_zeros import table_of
from synthlab.synthesizers._unit_zeros import AT_MOST_ONE, DIFFERENCE, DIFFERENT, EXACTLY_ONE, Zeros
from synthlab.synthesizers.constraints import Constraint, columns_of
from synthlab.units import AtMostOne, Constant, Difference, Different, ExactlyOne, SizeOf, UnitRule, UnitStructure

Decode = Callable[[pd.DataFrame], pd.DataFrame]


@dataclass(frozen=True, slots=True, eq=False)
class NestedLayout:
    """Variables of households and members, and the codes that occur in each of them.

    Attributes
    ----------
    levels : dict {str: Levels}
        The levels of each column.
    households : tuple of (str, bool)
        The household variables after the size: the column, and whether it holds the value of the head.
    members : tuple of str
        The variables of the members.
    sizes : ndarray of int, shape (H,)
        The numbers of members that occur, including the head.
    seen_household, seen_member : tuple of ndarray of int
        The codes of the levels that occur, for each household variable after the size, and for each variable of members.
    head : ExactlyOne or None
        The rule that states which member is the head, if its variables are household variables.
    """

    levels: dict[str, Levels] = field(repr=False)
    households: tuple[tuple[str, bool], ...]
    members: tuple[str, ...]
    sizes: IntArray
    seen_household: tuple[IntArray, ...] = field(repr=False)
    seen_member: tuple[IntArray, ...] = field(repr=False)
    head: ExactlyOne | None

    @property
    def first(self) -> IntArray:
        """First row of the level probabilities of each variable of members."""
        return np.concatenate([[0], np.cumsum([len(s) for s in self.seen_member])]).astype(np.int64)

    @property
    def first_household(self) -> IntArray:
        """First row of the level probabilities of each household variable; the size is the first variable."""
        return np.cumsum([0, len(self.sizes), *(len(s) for s in self.seen_household)]).astype(np.int64)

    @property
    def modeled_sizes(self) -> IntArray:
        """Number of members with the variables of members, for each size."""
        return self.sizes - (self.head is not None)

    def is_head(self, frame: pd.DataFrame) -> BoolArray:
        """Return which records are heads whose variables are household variables."""
        if self.head is None:
            return np.zeros(len(frame), dtype=bool)
        codes = self.levels[self.head.variable].positions(frame)
        return np.asarray(codes == self.head_code, dtype=bool)

    @property
    def head_code(self) -> int:
        """The code of the relation of the head; -1 if the head is a member like the others."""
        if self.head is None:
            return -1
        return int(self.levels[self.head.variable].values.get_indexer(pd.Index([self.head.level]))[0])

    def rows_of(self, frame: pd.DataFrame, size: IntArray) -> tuple[IntArray, IntArray]:
        """Return rows of the level probabilities, shapes (units, q) and (members, p); -1 for unknown levels.

        The frame is sorted by unit; `size` has the number of records of each unit.
        """
        start = np.cumsum(size) - size
        head = self.is_head(frame)
        heads = np.flatnonzero(head) if self.head is not None else start
        household = np.empty((len(size), 1 + len(self.households)), dtype=np.int64)
        household[:, 0] = _places(self.sizes, size)
        for k, (column, of_head) in enumerate(self.households):
            codes = self.levels[column].positions(frame.iloc[heads if of_head else start])
            place = _places(self.seen_household[k], codes)
            household[:, k + 1] = np.where(place < 0, -1, self.first_household[k + 1] + place)
        own = frame[~head]
        members = np.empty((len(own), len(self.members)), dtype=np.int64)
        for j, column in enumerate(self.members):
            place = _places(self.seen_member[j], self.levels[column].positions(own))
            members[:, j] = np.where(place < 0, -1, self.first[j] + place)
        return household, members

    def units_of(self, frame: pd.DataFrame, size: IntArray, weights: FloatArray | None) -> Units:
        """Return the units of the sampler; units of weight 0 are left out."""
        household, members = self.rows_of(frame, size)
        weight = np.ones(len(size)) if weights is None else weights
        own = size - (self.head is not None)
        used = weight > 0
        members = members[np.repeat(used, own)]
        own, weight, household = own[used], weight[used], household[used]
        keys = np.column_stack([members.astype(np.float64), np.repeat(weight, own)])
        distinct, pattern = np.unique(keys, axis=0, return_inverse=True)
        return Units(
            np.ascontiguousarray(household), np.ascontiguousarray(weight), np.concatenate([[0], np.cumsum(own)]).astype(np.int64),
            pattern.reshape(-1).astype(np.int64), np.ascontiguousarray(distinct[:, :-1].astype(np.int64)),
            np.ascontiguousarray(distinct[:, -1]), self.modeled_sizes.astype(np.int64), self.first, self.first_household,
        )  # fmt: skip

    def frame_of(self, household: IntArray, members: IntArray) -> tuple[pd.DataFrame, IntArray]:
        """Return the records of drawn units, sorted by unit with the head first, and the sizes of the units."""
        size = self.sizes[household[:, 0]]
        unit = np.repeat(np.arange(len(size)), size)
        start = np.cumsum(size) - size
        head = np.zeros(len(unit), dtype=bool)
        head[start] = self.head is not None
        made: dict[str, pd.Series] = {}
        index = pd.RangeIndex(len(unit))
        codes: dict[str, IntArray] = {}
        for k, (column, of_head) in enumerate(self.households):
            values = self.seen_household[k][household[:, k + 1] - self.first_household[k + 1]]
            if of_head:
                codes.setdefault(column, np.empty(len(unit), dtype=np.int64))[head] = values
            else:
                codes[column] = values[unit]
        for j, column in enumerate(self.members):
            own = codes.setdefault(column, np.full(len(unit), self.head_code))
            own[~head] = self.seen_member[j][members[:, j] - self.first[j]]
        for column, values in codes.items():
            made[column] = self.levels[column].series(values, index)
        return pd.DataFrame(made, index=index), size


def _places(seen: IntArray, codes: IntArray) -> IntArray:
    """Return the position of codes among sorted codes, or -1."""
    place = np.minimum(np.searchsorted(seen, codes), max(len(seen) - 1, 0))
    if len(seen) == 0:
        return np.full(len(codes), -1)
    return np.where(seen[place] == codes, place, -1).astype(np.int64)


def check_categorical(frame: pd.DataFrame, columns: Sequence[str]) -> None:
    """Raise if a column has missing values or is continuous."""
    missing = [c for c in columns if frame[c].isna().any()]
    if missing:
        counts = ", ".join(f"{c!r} ({int(frame[c].isna().sum()):,})" for c in missing)
        raise InputError(
            f"confidential: NestedDPMPM needs complete records, but columns have missing values: {counts}; impute them first, "
            "leave the columns out, or use the sequential model (synthesize with unit and without this model)"
        )
    continuous = [c for c in columns if _checks.looks_continuous(frame[c])]
    if continuous:
        raise InputError(
            f"confidential: {_checks.named(continuous)} is continuous, but NestedDPMPM is for categories; cut it into "
            "intervals, leave it out, or use the sequential model (synthesize with unit and without this model)"
        )


def layout_of(
    frame: pd.DataFrame, structure: UnitStructure, columns: Sequence[str], rules: Sequence[UnitRule], by_head: bool
) -> NestedLayout:
    """Return the variables of the nested mixture; `frame` is sorted by unit and member."""
    ruled = {c for rule in rules for c in rule.columns}
    outer = [c for c in columns if c in structure.variables and c not in ruled]
    inner = [c for c in columns if c not in outer]
    levels = {c: Levels.of(frame, c) for c in columns}
    head = _head_rule(structure, rules) if by_head else None
    if head is not None and head.variable not in inner:
        raise InputError(f"head='household': {head.variable!r} is not among the synthesized columns; use head='member'")
    households = [(c, False) for c in outer]
    if head is not None:
        households += [(c, True) for c in inner if c != head.variable]
    sizes = np.unique(structure.size).astype(np.int64)
    made = NestedLayout(levels, tuple(households), tuple(inner), sizes, (), (), head)
    is_head = made.is_head(frame)
    seen = [np.unique(levels[c].positions(frame[is_head] if own else frame)) for c, own in households]
    others = frame[~is_head]
    of_members = [np.unique(levels[c].positions(others)) for c in inner]
    return NestedLayout(levels, tuple(households), tuple(inner), sizes, tuple(seen), tuple(of_members), head)


def _head_rule(structure: UnitStructure, rules: Sequence[UnitRule]) -> ExactlyOne:
    """Return the rule that states which member is the head."""
    found = [rule for rule in rules if isinstance(rule, ExactlyOne)]
    relation = structure.relation
    named = [r for r in found if r.variable == relation.variable and r.level == relation.head]
    if not found:
        raise InputError(
            "head='household': no rule states that every unit has exactly one head; declare it, for example "
            "rules=UnitRules([ExactlyOne('relation', 'head')]), or use head='member'"
        )
    return (named or found)[0]


def used_rules(structure: UnitStructure, columns: Sequence[str]) -> tuple[UnitRule, ...]:
    """Return the rules that the model must keep; constants and sizes are kept by construction."""
    rules = [r for r in structure.rules if not isinstance(r, Constant | SizeOf)]
    known = (ExactlyOne, AtMostOne, Difference, Different)
    for rule in rules:
        if not isinstance(rule, known):
            raise InputError(f"rules: NestedDPMPM does not support {rule!r}; remove it, or use the sequential model")
        outside = [c for c in rule.columns if c not in columns]
        if outside:
            raise InputError(
                f"rules: {rule!r} is about {_checks.named(outside)}, which is not synthesized; remove the rule"
            )
    return tuple(rules)


def zeros_of(
    frame: pd.DataFrame,
    layout: NestedLayout,
    rules: Sequence[UnitRule],
    constraints: Sequence[Constraint],
    decode: Decode | None,
) -> Zeros:
    """Return the rules of units and the constraints of members as arrays."""
    pairs = [_pair(constraint, layout) for constraint in constraints]
    counting = [r.variable for r in rules if isinstance(r, ExactlyOne | AtMostOne)]
    every = [*counting, *(c for r in rules for c in r.columns), *(c for pair in pairs for c in pair)]
    order = sorted(dict.fromkeys(every), key=lambda c: (-counting.count(c), every.index(c)))
    most = max([len(layout.levels[c]) for c in order], default=1)
    plain = frame if decode is None else decode(frame)
    value = np.full((len(order), most), np.nan)
    code_of: dict[str, dict[object, int]] = {}
    for v, column in enumerate(order):
        codes = layout.levels[column].positions(frame)
        rows = np.unique(codes, return_index=True)[1]
        series = plain[column].iloc[rows]
        code_of[column] = {level: code for code, level in enumerate(series.tolist())}
        if pd.api.types.is_numeric_dtype(series.dtype):
            value[v, : len(rows)] = _checks.as_float(series)
    kind, variable, level, gap = [], [], [], []
    for rule in rules:
        made = _as_numbers(rule, order, code_of)
        if made is not None:
            kind.append(made[0])
            variable.append(made[1])
            level.append(made[2])
            gap.append(made[3])
    allowed = np.ones((len(pairs), most, most), dtype=bool)
    for p, (constraint, pair) in enumerate(zip(constraints, pairs, strict=True)):
        chosen = [layout.levels[c] for c in pair]
        allowed[p] = False
        _, cells = table_of(constraint, chosen)
        allowed[p][tuple(cells.T)] = True
    head = np.empty(0, dtype=np.int64)
    if layout.head is not None:
        of_head = [c if own else None for c, own in layout.households]
        head = np.array([of_head.index(c) + 1 if c != layout.head.variable else -1 for c in order], dtype=np.int64)
    return Zeros(
        np.array(kind, dtype=np.int64),
        np.array(variable, dtype=np.int64).reshape(-1, 2),
        np.array(level, dtype=np.int64).reshape(-1, 2),
        np.array(gap, dtype=np.float64),
        value,
        allowed,
        np.array([[order.index(c) for c in pair] for pair in pairs], dtype=np.int64).reshape(-1, 2),
        np.array([layout.members.index(c) for c in order], dtype=np.int64),
        head,
        np.concatenate([np.empty(0, np.int64), *layout.seen_member]),
        np.concatenate([np.arange(len(layout.sizes)), *layout.seen_household]),
        np.array([layout.head_code], dtype=np.int64),
    )


def _as_numbers(rule: Any, order: Sequence[str], code_of: dict[str, dict[object, int]]) -> Any:
    """Return kind, variables, levels and difference of a rule; None if no unit can break the rule."""
    first = rule.columns[0]
    relation = order.index(first)
    if isinstance(rule, ExactlyOne | AtMostOne):
        code = code_of[first].get(rule.level, -1)
        if code < 0 and isinstance(rule, AtMostOne):
            return None
        return (EXACTLY_ONE if isinstance(rule, ExactlyOne) else AT_MOST_ONE), (relation, relation), (code, code), 0.0
    one, other = (rule.older, rule.younger) if isinstance(rule, Difference) else (rule.first, rule.second)
    codes = (code_of[first].get(one, -1), code_of[first].get(other, -1))
    if min(codes) < 0:
        return None
    of = (relation, order.index(rule.variable))
    return (
        (DIFFERENCE, of, codes, float(rule.at_least)) if isinstance(rule, Difference) else (DIFFERENT, of, codes, 0.0)
    )


def _pair(constraint: Constraint, layout: NestedLayout) -> tuple[str, str]:
    """Return the two variables of members to which a constraint refers."""
    columns = columns_of(constraint) or ()
    if len(columns) != 2 or not set(columns) <= set(layout.members):
        raise InputError(
            f"constraints: {constraint!r} must refer to two variables of members, such as "
            "AllowedCombinations(['relation', 'age']); remove it, or use the sequential model"
        )
    first, second = sorted(columns, key=layout.members.index)
    return first, second


__all__ = ["NestedLayout", "check_categorical", "layout_of", "used_rules", "zeros_of"]
