"""Validation of the arguments of a synthesis, and the role of each column."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._typing import ColumnNames
from synthlab.exceptions import InputError
from synthlab.synthesis import _variable_types
from synthlab.synthesis._declared_codes import DeclaredCodes
from synthlab.synthesis._identifiers import MANY_TEXTS, find_identifiers
from synthlab.synthesis._nominal import is_nominal
from synthlab.synthesis._partial_dates import DividedDates
from synthlab.synthesis.naming import SAMPLE, TREE, check_model
from synthlab.synthesis.relations import (
    Found,
    Preserved,
    Relation,
    Values,
    choose,
    declared_relations,
    detect,
    nominal_sources,
)
from synthlab.synthesizers._missing import Codes, check_missing, without_codes
from synthlab.synthesizers.base import Synthesizer
from synthlab.synthesizers.constraints import AllowedCombinations, Constraint, SumOf, ZeroUnless, columns_of
from synthlab.units import Constant, UnitStructure, unit_structure
from synthlab.units.structure import MEMBERS

if TYPE_CHECKING:
    from synthlab.synthesizers.nested_dpmpm import NestedDPMPM

LEAVES = 10, 20  # bounds of the default of min_leaf
WIDE = 20  # number of levels above which a category comes last in the order of synthesis
MANY = 60  # number of levels above which a category is not used as a predictor
SEVERAL = 1.5  # average number of records per person from which within-person structure is reported as lost
TREATMENTS = ("refuse", "drop", "new")


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """Validated arguments of `synthesize`: the data and the treatment of each column.

    Attributes
    ----------
    frame : pandas.DataFrame
        The confidential data; codes that the file declares missing are values.
    role : dict
        The role of each column.
    keep, constants, identifiers, order : tuple of str
        The columns that are released unchanged by request, the constant columns, the columns that are dropped or
        renumbered, and the columns with a model in the order of synthesis.
    treatment : str
        Treatment of the identifiers.
    models : dict
        A name or a synthesizer for each column of `order`.
    constraints : tuple of Constraint
        Constraints other than totals.
    totals : tuple of SumOf
        Totals, which are computed from their parts.
    codes : mapping
        Numbers that mean missing, by column.
    min_leaf : int
        Smallest number of records in a leaf of a tree.
    smooth : frozenset of str
        Columns whose numbers are smoothed.
    found : Found
        Relations between columns that were detected or declared.
    preserved : Preserved
        The relations that are preserved by construction.
    declares : bool
        Whether the relations are declared, not detected.
    public_levels : tuple of str
        Released categorical columns whose levels can all be published.
    nominal : frozenset of str
        Columns of numbers that are codes, whose numbers are not smoothed.
    declared : DeclaredCodes
        The codes that the file declares missing.
    divided : DividedDates
        The columns of partial dates.
    units : UnitStructure or None
        The structure of the units; None if the records are independent.
    nested : NestedDPMPM or None
        The model of all variables of the units; None if they are synthesized one after the other.
    """

    frame: pd.DataFrame = field(repr=False)
    role: dict[str, str]
    keep: tuple[str, ...]
    constants: tuple[str, ...]
    identifiers: tuple[str, ...]
    order: tuple[str, ...]
    treatment: str
    models: dict[str, str | Synthesizer]
    constraints: tuple[Constraint, ...]
    totals: tuple[SumOf, ...]
    codes: Codes
    min_leaf: int
    smooth: frozenset[str]
    found: Found
    preserved: Preserved
    declares: bool
    public_levels: tuple[str, ...]
    nominal: frozenset[str]
    declared: DeclaredCodes = field(repr=False)
    divided: DividedDates = field(repr=False)
    units: UnitStructure | None = None
    nested: NestedDPMPM | None = None

    @property
    def structural(self) -> tuple[str, ...]:
        """Columns that the structure of the units determines: the number of members and the wave of a panel."""
        return _structural(self.units)

    @property
    def repeated(self) -> tuple[str, ...]:
        """Identifiers of persons or households that have several records."""
        others = [c for c in self.identifiers if self.units is None or c not in numbers_of(self.units)]
        return tuple(c for c in others if self.frame[c].count() >= SEVERAL * self.frame[c].nunique())

    @property
    def released(self) -> dict[str, str]:
        """Roles of the columns whose values are needed."""
        return {c: role for c, role in self.role.items() if c not in self.identifiers}

    def predicts(self, column: str) -> bool:
        """Return whether a column can be a predictor.

        It must vary, must not be an identifier, and has at most 60 levels.
        """
        role = self.role[column]
        if role in (_variable_types.CONSTANT, _variable_types.IDENTIFIER):
            return False
        return role != _variable_types.CATEGORY or self.frame[column].nunique() <= MANY


@dataclass(frozen=True, slots=True)
class UnitArguments:
    """Arguments of `synthesize` about units."""

    unit: ColumnNames
    order: ColumnNames | None = None
    variables: ColumnNames | None = None
    rules: Any = "detect"
    most: int = MEMBERS

    def structure(self, frame: pd.DataFrame, keep: Sequence[str]) -> UnitStructure:
        """Return the structure of the units of the confidential data."""
        found = unit_structure(frame, self.unit, self.order, self.variables, rules=self.rules, max_members=self.most)
        kept = [c for c in keep if c in numbers_of(found)]
        if kept:
            raise InputError(
                f"keep: {_checks.named(kept)} numbers the units or their members and is renumbered; remove it from keep"
            )
        # The other columns that identify a unit are constant within the unit.
        return replace(found, variables=(*found.unit[:-1], *found.variables))


def numbers_of(units: UnitStructure) -> tuple[str, ...]:
    """Return the columns that number the units and their members."""
    return (units.unit[-1], *(() if units.number_variable is None else (units.number_variable,)))


def _structural(units: UnitStructure | None) -> tuple[str, ...]:
    return () if units is None else tuple(c for c in (units.size_variable, units.wave) if c is not None)


def check_asked(
    confidential: object,
    models: object,
    order: object,
    keep: ColumnNames,
    identifiers: object,
    constraints: object,
    missing: object,
    missing_codes: object,
    min_leaf: object,
    smooth: object,
    public_levels: ColumnNames = (),
    relations: object = "detect",
    rng: np.random.Generator | None = None,
    units: UnitArguments | None = None,
) -> Asked:
    """Return the validated arguments of `synthesize`."""
    frame = _checks.check_frame(confidential, "confidential")
    if len(frame) == 1:
        raise InputError("confidential: has 1 record, which a model would disclose; at least 2 records are required")
    kept = tuple(_checks.check_columns(frame, keep, "keep", where="confidential", allow_empty=True))
    nested = _nested(models, units, kept)
    named = _models(frame, None if nested is not None else models)
    divided = DividedDates.of(frame, named)
    frame, kept = divided.frame, divided.with_precisions(kept)
    both = [c for c in kept if c in named]
    if both:
        raise InputError(f"models: {_checks.named(both)} is in keep, so it has no model; remove it from keep or models")
    codes = check_missing(frame, missing, missing_codes, [c for c in frame.columns if c not in kept]) or {}
    treatment = _checks.check_choice(identifiers, "identifiers", TREATMENTS)
    declared = DeclaredCodes.of(frame, named)
    clean = without_codes(without_codes(declared.without_levels(declared.frame), declared.numbers), codes)
    structure = None if units is None else units.structure(clean, kept)
    role, ids = _roles(declared, without_codes(frame, codes), kept, named, treatment, structure)
    declared = declared.without_identifiers(ids)
    frame, clean = declared.frame, without_codes(frame, codes)
    codes = {
        c: tuple(dict.fromkeys([*codes.get(c, ()), *declared.numbers.get(c, ())]))
        for c in {**codes, **declared.numbers}
    }
    rules = _constraints(clean, constraints)
    totals = tuple(rule for rule in rules if isinstance(rule, SumOf))
    constants = tuple(c for c in role if role[c] == _variable_types.CONSTANT and c not in kept)
    made = [c for c in role if c not in (*kept, *constants, *ids, *_structural(structure))]
    for rule in totals:
        if not set(rule.parts) & set(made):
            raise InputError(f"constraints: {rule!r}: none of its parts is synthesized; remove the constraint")
        if rule.total not in made or rule.total in named:
            raise InputError(f"constraints: {rule!r} computes {rule.total!r}; remove it from keep and models")
        made.remove(rule.total)
    released = {c: r for c, r in role.items() if c not in ids}
    found, preserved = _relations(frame, role, released, codes, relations, rules, made, named, order, rng, structure)
    made = [c for c in made if c not in preserved.computed]
    for c in made:
        if nested is None and _is_too_wide(frame[c], role[c]):
            named.setdefault(c, SAMPLE)
    if not made:
        raise InputError(
            "keep: no variable is left to synthesize, because every other column is a constant, an identifier or "
            "computed from kept columns; keep fewer columns"
        )
    leaf = _min_leaf(min_leaf, len(frame))
    unused = [c for c in named if c not in made]
    if unused:
        raise InputError(
            f"models: {_checks.named(unused)} is constant, or an identifier that is left out, so it has no model; "
            "remove it from models"
        )
    nominal = _nominal(without_codes(frame[made], codes), role) if smooth is True else frozenset()
    placed = (
        _placed(frame, role, made, rules, preserved, divided)
        if order is None
        else _order(order, made, preserved.computed, divided)
    )
    smoothed = _smooth(frame, smooth) - nominal - preserved.codes
    if nested is not None:
        named, smoothed = dict.fromkeys(made, nested), frozenset()
    return Asked(
        frame, role, kept, constants, ids, placed, treatment, named, tuple(r for r in rules if r not in totals), totals,
        codes, leaf, smoothed, found, preserved, not isinstance(relations, str),
        _public_levels(declared.original, public_levels, ids), nominal, declared, divided, structure, nested,
    )  # fmt: skip


def _nested(model: object, units: UnitArguments | None, keep: Sequence[str]) -> NestedDPMPM | None:
    """Return the model of whole units, or None; raise if it contradicts the other arguments."""
    if not isinstance(model, Synthesizer) or isinstance(model, type | Mapping):
        return None
    from synthlab.synthesizers.nested_dpmpm import NestedDPMPM

    if not isinstance(model, NestedDPMPM):
        raise InputError(
            f"models: {type(model).__name__} is not a model of all variables; give a mapping of columns to models, or "
            "NestedDPMPM with unit"
        )
    if units is None:
        raise InputError(
            "models: NestedDPMPM synthesizes households; name the columns that identify a household in unit"
        )
    if model.unit is not None and tuple(model.unit) != _checks.check_names(units.unit, "unit"):
        raise InputError(
            "models: the columns of unit in NestedDPMPM differ from the argument unit; omit them in NestedDPMPM"
        )
    defaults = NestedDPMPM()
    given = [
        c for c in ("unit_order", "unit_variables", "rules", "max_members") if getattr(model, c) != getattr(defaults, c)
    ]
    if given:
        name = {"rules": "unit_rules"}.get(given[0], given[0])
        raise InputError(f"models: {given[0]} of NestedDPMPM is not used here; give it to synthesize, as {name}")
    if keep:
        raise InputError(
            f"keep: NestedDPMPM draws whole households, so {_checks.named(keep)} cannot be kept; omit keep, or omit models"
        )
    return model


def _is_too_wide(series: pd.Series, role: str) -> bool:
    """Return whether a category, such as a town, has too many levels for a tree."""
    return role == _variable_types.CATEGORY and series.nunique() > MANY_TEXTS


def _models(frame: pd.DataFrame, models: object) -> dict[str, str | Synthesizer]:
    if models is None:
        return {}
    given = _checks.check_mapping(models, "models", "columns to models")
    _checks.check_columns(frame, list(given), "models", where="confidential", allow_empty=True)
    return {column: check_model(model, column) for column, model in given.items()}


def _roles(
    declared: DeclaredCodes,
    clean: pd.DataFrame,
    keep: Sequence[str],
    models: Mapping[str, object],
    treatment: str,
    units: UnitStructure | None = None,
) -> tuple[dict[str, str], tuple[str, ...]]:
    """Return the role of each column, and the identifiers that are not kept; `clean` has no codes of missing values."""
    frame = declared.frame
    role: dict[str, str] = {}
    ids: dict[str, str] = {}
    for column in frame.columns:
        try:
            role[column] = _variable_types.role_of(frame[column])
        except InputError:
            if column not in keep:
                raise
            role[column] = _variable_types.IDENTIFIER  # so that it is not used as a predictor
        if role[column] == _variable_types.NUMBER and column not in keep:
            _checks.check_no_infinity(frame, column, "confidential")
    renumbered: tuple[str, ...] = () if units is None else numbers_of(units)
    for column, why in _identifiers(clean, role, units).items():
        if column in models and column not in renumbered:
            continue
        role[column] = _variable_types.IDENTIFIER
        if units is not None and column in units.unit:
            renumbered = (*renumbered, column)
        elif column not in keep:
            ids[column] = why
    if ids and treatment == "refuse":
        found = "; ".join(f"{column!r}: {why}" for column, why in list(ids.items())[:4])
        more = f"; and {len(ids) - 4} more" if len(ids) > 4 else ""
        raise InputError(
            f'identifiers="refuse": {len(ids)} column{"s look" if len(ids) > 1 else " looks"} like an identifier '
            f'({found}{more}); identifiers="drop" leaves them out, identifiers="new" draws new numbers (with keep, the '
            "same number for all records of a group); if a column is not an identifier, give it a model: "
            f"models={{{next(iter(ids))!r}: 'tree'}}"
        )
    for column in renumbered:
        role[column] = _variable_types.IDENTIFIER
    return role, tuple(c for c in frame.columns if c in ids or c in renumbered)


def _identifiers(clean: pd.DataFrame, role: Mapping[str, str], units: UnitStructure | None) -> dict[str, str]:
    """Return the columns that look like identifiers; unit variables are examined in one record per unit."""
    if units is None:
        return find_identifiers(clean, role)
    first = clean.iloc[units.rows[units.position[units.rows] == 0]]
    outer = {c: r for c, r in role.items() if c in units.variables}
    apart = (*outer, *numbers_of(units), *_structural(units))
    return find_identifiers(first, outer) | find_identifiers(clean, {c: r for c, r in role.items() if c not in apart})


def _constraints(frame: pd.DataFrame, constraints: object) -> tuple[Constraint, ...]:
    rules = _checks.check_list(constraints, "constraints", "a list of constraints")
    for rule in rules:
        if not isinstance(rule, Constraint) or isinstance(rule, type):
            raise InputError(
                f"constraints: {_checks.described(rule)} is not a constraint, such as Bounds, ZeroUnless, "
                "AllowedCombinations or SumOf: it has no method holds(frame)"
            )
        absent = [c for c in columns_of(rule) or () if c not in frame.columns]
        if absent:
            raise InputError(f"constraints: {rule!r}: {_checks.named(absent)} not in confidential")
    return tuple(rule.fitted_to(frame) if isinstance(rule, AllowedCombinations) else rule for rule in rules)


def _relations(
    frame: pd.DataFrame,
    roles: dict[str, str],
    role: Mapping[str, str],
    codes: Codes,
    relations: object,
    rules: Sequence[Constraint],
    made: Sequence[str],
    models: Mapping[str, str | Synthesizer],
    order: object,
    rng: np.random.Generator | None,
    units: UnitStructure | None = None,
) -> tuple[Found, Preserved]:
    """Return the relations of the file, and those that can be preserved by construction.

    Numbers that are codes of one other column become categories in `roles`.
    """
    if relations is False:
        return Found(), Preserved(Values.of(frame, {}, {}))
    if relations is True or relations is None or (isinstance(relations, str) and relations != "detect"):
        raise InputError(
            f"relations={_checks.shown(relations)}: must be 'detect' or a list of relations, such as ['c = a + b', 'start <= end']; "
            "the list [] preserves no relation"
        )
    values = Values.of(frame, role, codes)
    declared = not isinstance(relations, str)
    if declared:
        found = Found(declared_relations(relations, frame, values))
    else:
        found = detect(values, np.random.default_rng(0) if rng is None else rng)
    exempt = {c for rule in rules for c in columns_of(rule) or ()} | {
        c for c, model in models.items() if model not in (TREE, SAMPLE)
    }
    nested = [(r.sources[0], r.result) for r in found.exact if r.form == "nested"]
    nominal = nominal_sources([pair for pair in nested if pair[0] not in exempt], values)
    if nominal:
        roles.update(dict.fromkeys(nominal, _variable_types.CATEGORY))
        role = {**role, **dict.fromkeys(nominal, _variable_types.CATEGORY)}
        values = Values.of(frame, role, codes)
        found = found.without_numbers_of(nominal)
    zero = {c for rule in rules if isinstance(rule, ZeroUnless) for c in (rule.column, rule.other)}
    parts = {c for rule in rules if isinstance(rule, SumOf) for c in rule.parts}
    movable = [c for c in made if c not in zero and c not in _fixed_by_units(units, found.exact, declared)]
    free = [c for c in movable if c not in parts and c not in models]
    own_formulas = any(not isinstance(model, str) for model in models.values())
    plain = [] if own_formulas else [c for c in free if c not in codes]
    usable = [r for r in found.exact if r.form != "codes" or not _moves(r.sources[0], role, models, made)]
    totals = tuple(rule for rule in rules if isinstance(rule, SumOf))
    placed = list(made) if order is None else list(_checks.check_names(order, "order"))

    def predictive(column: str) -> bool:
        return role[column] != _variable_types.CATEGORY or frame[column].nunique() <= MANY

    preserved = choose(usable, values, free, movable, plain, totals, codes, declared, made, predictive)
    for column, group in [*preserved.within.items()]:
        # A code can only be drawn within a group by a tree or with replacement, and after its group.
        both = order is not None and group in placed and column in placed
        if models.get(column, TREE) not in (TREE, SAMPLE) or (both and placed.index(group) > placed.index(column)):
            del preserved.within[column]
    return found, preserved


def _fixed_by_units(units: UnitStructure | None, relations: Sequence[Relation], declared: bool) -> Collection[str]:
    """Return the columns that relations must not change, so that units keep their rules.

    These are the columns of the rules, and unit variables with a relation to variables of the members.
    """
    if units is None:
        return ()
    ruled = [c for rule in units.rules if not isinstance(rule, Constant) for c in rule.columns]
    outer = {*units.variables, *_structural(units)}
    mixed = [r for r in relations if not outer.isdisjoint(r.columns) and not set(r.columns) <= outer]
    return {*([] if declared else ruled), *(c for r in mixed for c in r.columns if c in outer)}


def _moves(column: str, role: Mapping[str, str], models: Mapping[str, object], made: Sequence[str]) -> bool:
    """Return whether the model of a column can draw numbers that are not in the file."""
    return column in made and role[column] == _variable_types.NUMBER and models.get(column, TREE) not in (TREE, SAMPLE)


def _order(order: object, made: Sequence[str], computed: Sequence[str], divided: DividedDates) -> tuple[str, ...]:
    named = divided.with_precisions(_checks.check_names(order, "order"))
    given = tuple(c for c in named if c not in computed)
    missing, unknown = [c for c in made if c not in given], [c for c in given if c not in made]
    if missing:
        raise InputError(f"order: must name every synthesized variable; {_checks.shorten(missing)} not named")
    if unknown:
        raise InputError(
            f"order: names {_checks.named(unknown)}, which is not synthesized; the synthesized variables are "
            f"{_checks.shorten(made, 12)}"
        )
    return given


def _placed(
    frame: pd.DataFrame,
    role: Mapping[str, str],
    made: Sequence[str],
    rules: Sequence[Constraint],
    preserved: Preserved,
    divided: DividedDates,
) -> tuple[str, ...]:
    """Return the default order of synthesis.

    This is the order of the file, but categories with more than 20 levels come last, a total comes before its parts if
    these are drawn as shares, a variable restricted by `ZeroUnless` comes after the variable on which it depends, and a
    nested code after the code of its group.
    """
    wide = [c for c in made if role[c] == _variable_types.CATEGORY and frame[c].nunique() > WIDE]
    order = [c for c in made if c not in wide] + wide
    for block in preserved.blocks:
        for total in (c for c in block.sources if c in order):
            order.remove(total)
            order.insert(min(order.index(c) for c in block.drawn), total)
    pairs = [(rule.column, rule.other) for rule in rules if isinstance(rule, ZeroUnless)]
    pairs += [*preserved.within.items(), *divided.within.items()]
    for column, other in pairs * len(pairs):
        if other in order and column in order and order.index(other) > order.index(column):
            order.remove(column)
            order.insert(order.index(other) + 1, column)
    return tuple(order)


def _min_leaf(min_leaf: object, n: int) -> int:
    if min_leaf is None:
        return min(max(round(math.sqrt(n) / 2), LEAVES[0]), LEAVES[1])
    number = _checks.check_count(min_leaf, "min_leaf")
    if number > n:
        raise InputError(
            f"min_leaf={number}: exceeds the number of records; use at most half of it, so trees can split"
        )
    return number


def _smooth(frame: pd.DataFrame, smooth: object) -> frozenset[str]:
    if isinstance(smooth, bool):
        return frozenset(frame.columns) if smooth else frozenset()
    return frozenset(_checks.check_columns(frame, smooth, "smooth", where="confidential", allow_empty=True))


def _nominal(frame: pd.DataFrame, role: Mapping[str, str]) -> frozenset[str]:
    numbers = [c for c in frame.columns if role[c] == _variable_types.NUMBER]
    return frozenset(c for c in numbers if is_nominal(frame[c]))


def _public_levels(frame: pd.DataFrame, names: ColumnNames, identifiers: Sequence[str]) -> tuple[str, ...]:
    found = _checks.check_columns(frame, names, "public_levels", where="confidential", allow_empty=True)
    odd = [c for c in found if c in identifiers or not isinstance(frame[c].dtype, pd.CategoricalDtype)]
    if odd:
        raise InputError(
            f"public_levels: {_checks.named(odd)} must be a released column of dtype category; for other "
            "columns, only the values of the synthetic records are published"
        )
    return tuple(found)
