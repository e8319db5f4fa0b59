"""Detection of the rules of units: constants, the number of members, one head, and differences of age."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._typing import FloatArray, IntArray
from synthlab.units.codes import extremes, has_level, value_codes
from synthlab.units.rules import AtMostOne, Constant, Difference, Different, ExactlyOne, SizeOf, UnitRule

FEWEST = 50  # number of units that could break a rule from which the rule is detected
NEARLY = 0.995  # share of the units from which a rule is reported
DIFFERENCES = (18, 16, 14, 12, 0)  # values of `at_least` of a detected difference
BY_CHANCE = 5.0  # expected number of units in which a variable varies, from which a constant is no coincidence
MOST_LEVELS = 30  # largest number of levels of a relation
FEW_LEVELS = 3  # largest number of levels of a variable that differs between two members
OLDEST = 125
AGE = re.compile(r"(?<![a-z])(age|alter|edad|idade|eta|leeftijd|alder|wiek)(?![a-z])")
PARTNER = re.compile(r"spouse|partner|wife|husband|cohabit|ehe|conjoint")


@dataclass(frozen=True, slots=True)
class Relation:
    """The variable that describes the members of a unit, such as the relation to the head.

    Attributes
    ----------
    variable : str or None
        The column; None if no level occurs exactly once per unit.
    levels : tuple
        Its levels: the head, the partner if there is one, then the other levels by decreasing frequency.
    partner : value or None
        The level of the partner.
    age : str or None
        The column that contains the age.
    """

    variable: str | None = None
    levels: tuple[object, ...] = ()
    partner: object = None
    age: str | None = None

    @property
    def head(self) -> object:
        """The level that occurs exactly once per unit."""
        return self.levels[0]


@dataclass(frozen=True, slots=True)
class Detected:
    """Rules that hold in all units, and in nearly all units."""

    enforced: tuple[UnitRule, ...]
    reported: tuple[UnitRule, ...]


def constants(frame: pd.DataFrame, columns: Iterable[str], code: IntArray) -> list[str]:
    """Return the columns that are constant within all units, unless this could be a coincidence."""
    units = int(code.max()) + 1
    sizes = np.bincount(code, minlength=units)
    several = sizes[sizes > 1]
    if several.size == 0:
        return list(columns)
    found = []
    for column in columns:
        if not bool(Constant(column).holds_in(frame, code, units).all()):
            continue
        shares = np.bincount(value_codes(frame, [column])) / len(frame)
        by_size = np.array([1 - float((shares**k).sum()) for k in range(int(several.max()) + 1)])
        if shares.size == 1 or (several.size >= FEWEST and by_size[several].sum() >= BY_CHANCE):
            found.append(column)
    return found


def size_column(frame: pd.DataFrame, columns: Iterable[str], code: IntArray) -> tuple[str | None, str | None]:
    """Return the column that contains the number of members in all units, or in nearly all units."""
    units = int(code.max()) + 1
    nearly = None
    for column in columns:
        if not _is_whole(frame[column]):
            continue
        rule = SizeOf(column)
        share = _share(rule, frame, code, units)
        if share == 1:
            return column, None
        nearly = column if share >= NEARLY and nearly is None else nearly
    return None, nearly


def member_number(frame: pd.DataFrame, columns: Iterable[str], code: IntArray) -> str | None:
    """Return the column that numbers the members of every unit from 1 (or 0)."""
    sizes = np.bincount(code)
    if (sizes > 1).sum() < FEWEST:
        return None
    for column in columns:
        if not _is_whole(frame[column]) or frame[column].isna().any():
            continue
        values = _checks.as_float(frame[column])
        order = np.lexsort((values, code))
        place = np.arange(len(frame)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        if bool((values[order] - place == values.min()).all()) and values.min() in (0, 1):
            return column
    return None


def find_relation(frame: pd.DataFrame, columns: Sequence[str], code: IntArray) -> Relation:
    """Return the variable with a level that occurs exactly once in (nearly) every unit, and the age."""
    units = int(code.max()) + 1
    age = _age(frame, columns)
    best: Relation | None = None
    for column in columns:
        levels = _levels(frame[column])
        if not 2 <= len(levels) <= MOST_LEVELS:
            continue
        share = {level: _share(ExactlyOne(column, level), frame, code, units) for level in levels}
        head = max(levels, key=lambda level: share[level])
        if share[head] >= NEARLY and (best is None or len(levels) > len(best.levels)):
            others = [level for level in levels if level != head]
            best = Relation(column, (head, *others), None, age)
    if best is None or best.variable is None:
        return Relation(age=age)
    partner = _partner(best, frame, code, units)
    others = [level for level in best.levels if level not in (best.head, partner)]
    ordered = (best.head, *([] if partner is None else [partner]), *others)
    return Relation(best.variable, ordered, partner, age)


def rules_of_members(frame: pd.DataFrame, columns: Sequence[str], code: IntArray, relation: Relation) -> Detected:
    """Return the rules about the relation of the members: one head, one partner, differences of age."""
    units = int(code.max()) + 1
    enforced: list[UnitRule] = []
    reported: list[UnitRule] = []

    def consider(rule: UnitRule) -> bool:
        share = _share(rule, frame, code, units)
        if share == 1:
            enforced.append(rule)
        elif share >= NEARLY:
            reported.append(rule)
        return bool(share >= NEARLY)

    variable = relation.variable
    if variable is None:
        return Detected((), ())
    consider(ExactlyOne(variable, relation.head))
    for level in relation.levels[1:]:
        consider(AtMostOne(variable, level))
    if relation.age is not None:
        for rule, exact in _differences(frame, code, units, relation):
            (enforced if exact else reported).append(rule)
    if relation.partner is not None:
        for column in columns:
            if column != variable and 2 <= len(_levels(frame[column])) <= FEW_LEVELS:
                consider(Different(column, relation.head, relation.partner, variable))
    return Detected(tuple(enforced), tuple(reported))


def _differences(
    frame: pd.DataFrame, code: IntArray, units: int, relation: Relation
) -> Iterable[tuple[Difference, bool]]:
    """Yield the differences of age between two levels that hold in all units, or in nearly all units."""
    variable, age = str(relation.variable), str(relation.age)
    numbers = _checks.as_float(frame[age])
    ends = [extremes(numbers, has_level(frame[variable], level), code, units) for level in relation.levels]
    for i, older in enumerate(relation.levels):
        for j, younger in enumerate(relation.levels):
            there = np.isfinite(ends[i][0]) & np.isfinite(ends[j][1])
            if i == j or there.sum() < FEWEST:
                continue
            gap = ends[i][0][there] - ends[j][1][there]
            for share in (1.0, NEARLY):
                least = [d for d in DIFFERENCES if float((gap >= d).mean()) >= share]
                if least:
                    yield Difference(age, older, younger, least[0], variable), share == 1
                    break


def _partner(relation: Relation, frame: pd.DataFrame, code: IntArray, units: int) -> object:
    """Return the level of the partner: named so, or single in its unit and closest to the head in age."""
    variable = str(relation.variable)
    single = [
        level for level in relation.levels[1:] if _share(AtMostOne(variable, level), frame, code, units) >= NEARLY
    ]
    single += [level for level in relation.levels[1:] if PARTNER.search(str(level).lower()) and level not in single]
    named = [level for level in single if PARTNER.search(str(level).lower())]
    if named or not single or relation.age is None:
        return named[0] if named else None
    age = _checks.as_float(frame[relation.age])
    head = extremes(age, has_level(frame[variable], relation.head), code, units)[0]

    def gap(level: object) -> float:
        own = extremes(age, has_level(frame[variable], level), code, units)[0]
        both = np.isfinite(head) & np.isfinite(own)
        return float(np.abs(head - own)[both].mean()) if both.any() else np.inf

    closest = min(single, key=gap)
    return closest if gap(closest) < DIFFERENCES[-2] else None


def _share(rule: UnitRule, frame: pd.DataFrame, code: IntArray, units: int) -> float:
    """Return the share of the units in which a rule holds; 0 if too few units could break it."""
    applies = int(rule.applies_in(frame, code, units).sum())
    return float(rule.holds_in(frame, code, units).mean()) if applies >= FEWEST else 0.0


def _levels(series: pd.Series) -> list[object]:
    """Return the levels of a category, text, bool or column of few whole numbers, by decreasing frequency."""
    if _checks.kind_of(series) == "mixture":
        return []
    if pd.api.types.is_numeric_dtype(series.dtype) and not pd.api.types.is_bool_dtype(series.dtype):
        if not _is_whole(series) or series.nunique() > MOST_LEVELS:
            return []
    elif _checks.is_date(series):
        return []
    if series.nunique() > MOST_LEVELS:
        return []
    counts = series.value_counts(sort=False)
    counts = counts[counts > 0]
    texts = [str(level) for level in counts.index]
    order = np.lexsort((np.array(texts), -counts.to_numpy()))
    return [counts.index[place] for place in order]


def _is_whole(series: pd.Series) -> bool:
    """Return whether a column contains whole numbers."""
    if not pd.api.types.is_numeric_dtype(series.dtype) or pd.api.types.is_bool_dtype(series.dtype):
        return False
    values: FloatArray = _checks.as_float(series.dropna())
    return bool(values.size and np.isfinite(values).all() and (values == np.rint(values)).all())


def _age(frame: pd.DataFrame, columns: Sequence[str]) -> str | None:
    """Return the column that contains the age, by its name or by its values."""
    numbers = [c for c in columns if pd.api.types.is_numeric_dtype(frame[c].dtype) and _has_values_of_age(frame[c])]
    named = [c for c in numbers if AGE.search(re.sub(r"(?<=[a-z0-9])(?=[A-Z])|_", " ", c).lower())]
    likely = [
        c
        for c in numbers
        if _is_whole(frame[c]) and frame[c].nunique() > 40 and _checks.as_float(frame[c].dropna()).max() >= 60
    ]
    return next(iter(named or likely), None)


def _has_values_of_age(series: pd.Series) -> bool:
    values = _checks.as_float(series.dropna())
    return bool(values.size and values.min() >= 0 and values.max() <= OLDEST)
