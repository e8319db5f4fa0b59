"""The models of a synthesis in order, and the plan that lists them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import pandas as pd

from synthlab._description import HIDDEN, describe
from synthlab.design import SurveyDesign
from synthlab.synthesis import _variable_types
from synthlab.synthesis._arguments import MANY, Asked, numbers_of
from synthlab.synthesis._encoding import Coding
from synthlab.synthesis._record_order import ordered_columns
from synthlab.synthesis.naming import SAMPLE, TREE, model_by_name
from synthlab.synthesis.plan import Plan, PlannedVariable
from synthlab.synthesizers._missing import Kinds
from synthlab.synthesizers._rounding import Calendar
from synthlab.synthesizers._smoothing import Mover
from synthlab.synthesizers.base import Synthesizer
from synthlab.synthesizers.cart import CART
from synthlab.synthesizers.constraints import columns_of
from synthlab.synthesizers.predictor_selection import MOST, predictors_of

NUMERIC = (_variable_types.NUMBER, _variable_types.DATE, _variable_types.SPAN)
CODES = "codes; released values occur in the file"
ISOLATED = "repeated values far from all others are released unchanged"
UNITS = "number of members or wave"
DONE = {"drop": "dropped", "new": "numbered anew"}
Predictors = dict[str, tuple[str, ...]]


def chosen_predictors(asked: Asked, coded: pd.DataFrame) -> Predictors:
    """Return the predictors of each variable.

    These are the kept variables, the variables before it, and totals whose parts come before it.
    """
    available: dict[str, list[str]] = {}
    before = [c for c in coded.columns if c in asked.keep and asked.predicts(c)]
    done: set[str] = set()
    for column in asked.order:
        available[column] = list(before)
        done.add(column)
        before += [column] if asked.predicts(column) else []
        before += [r.total for r in asked.totals if column in r.parts and _complete(r.parts, done, asked)]
    tied: dict[str, list[str]] = {}
    for rule in asked.constraints:
        names = columns_of(rule) or ()
        for name in names:
            tied.setdefault(name, []).extend(names)
    for date, precision in asked.divided.within.items():
        tied.setdefault(date, []).append(precision)
    for code, group in asked.preserved.within.items():
        tied.setdefault(code, []).append(group)
    used = dict.fromkeys([*asked.order, *(c for names in available.values() for c in names)])
    return predictors_of(coded[list(used)], available, tied)


def _complete(parts: Collection[str], done: Collection[str], asked: Asked) -> bool:
    return all(part in done for part in parts if part in asked.order)


def mover_of(asked: Asked, column: str, coding: Coding) -> Mover | None:
    """Return the rule for smoothing the rare numbers of a variable, or None."""
    coded = coding.frame[column]
    tree = asked.models.get(column, TREE) == TREE and asked.role[column] in NUMERIC
    if not tree or column not in asked.smooth or coded.dtype.kind not in "iuf":
        return None
    kinds = Kinds.of(coded.to_frame(column), column, asked.codes)
    return Mover.of(coded, kinds, coding.calendars.get(column))


def models_of(asked: Asked, predictors: Predictors, calendars: Mapping[str, Calendar]) -> list[Synthesizer]:
    """Return the models in order.

    Consecutive variables with trees and the same smoothing share one `CART`. A block of trees ends at the last part of
    a total, because the total is computed before the variables that follow.
    """
    models: list[Synthesizer] = []
    block: list[str] = []
    done: set[str] = set()

    def end_block() -> None:
        if block:
            smoothing = "rare" if block[0] in asked.smooth else None
            used = {c: predictors[c] for c in block}
            dates = {c: calendars[c] for c in block if c in calendars}
            groups = {**asked.preserved.within, **asked.divided.within}
            within = {c: group for c, group in groups.items() if c in block}
            trees = CART(
                list(block),
                min_leaf=asked.min_leaf,
                predictors_of=used,
                smoothing=smoothing,
                _calendars=dates,
                _within=within or None,
            )
            models.append(trees)
            block.clear()

    for column in asked.order:
        model = asked.models.get(column, TREE)
        if model != TREE or (block and (block[0] in asked.smooth) != (column in asked.smooth)):
            end_block()
        if model == TREE:
            block.append(column)
        elif isinstance(model, str):
            models.append(model_by_name(model, column, predictors[column], asked.preserved.within.get(column)))
        elif not any(model is earlier for earlier in models):
            models.append(model)
        done.add(column)
        if any(column in r.parts and _complete(r.parts, done, asked) for r in asked.totals):
            end_block()
    end_block()
    return models


def plan_of(
    asked: Asked, predictors: Predictors, movers: Mapping[str, Mover | None], design: SurveyDesign | None
) -> Plan:
    """Return the plan: variables in order, then variables without a model, and notes."""
    made = [
        _planned(asked, column, place, predictors[column], movers[column])
        for place, column in enumerate(asked.order, start=1)
    ]
    for rule in asked.totals:
        made.append(
            PlannedVariable(rule.total, asked.role[rule.total], len(made) + 1, "sum of parts", tuple(rule.parts))
        )
    for column in asked.preserved.computed:
        sources = asked.preserved.sources(column)
        made.append(PlannedVariable(column, asked.role[column], len(made) + 1, "computed", sources))
    rest = dict.fromkeys((*asked.keep, *asked.constants), "kept") | dict.fromkeys(
        asked.identifiers, DONE.get(asked.treatment, "")
    )
    if asked.units is not None:
        rest |= dict.fromkeys((*asked.units.unit, *numbers_of(asked.units)), DONE["new"]) | dict.fromkeys(
            (c for c in asked.structural if c not in asked.keep), UNITS
        )
        rest = {c: treatment for c, treatment in rest.items() if c not in asked.order}
    made += [PlannedVariable(c, asked.role[c], None, rest[c]) for c in asked.frame.columns if c in rest]
    if design is not None and _omits_weights(asked, design):
        made.append(PlannedVariable(str(design.weights), _variable_types.NUMBER, None, DONE["drop"]))
    in_order = asked.units is None or any(asked.role[c] != _variable_types.CONSTANT for c in asked.keep)
    notes = [*_notes(asked, predictors, design), *_values_notes(made), *(_order_notes(asked) if in_order else ())]
    return Plan(tuple(made), tuple(notes), min_leaf=asked.min_leaf if _grows_trees(asked) else None)


def _grows_trees(asked: Asked) -> bool:
    return any(asked.models.get(column, TREE) == TREE for column in asked.order)


def _planned(
    asked: Asked, column: str, place: int, predictors: tuple[str, ...], mover: Mover | None
) -> PlannedVariable:
    model, role = asked.models.get(column, TREE), asked.role[column]
    numbers, missing = "", ""
    if role in NUMERIC:
        numbers = "rare ones moved" if mover else "as drawn" if model in (TREE, SAMPLE) else "from the model"
    if asked.codes.get(column) or bool(asked.declared.original[column].isna().any()):
        own = {TREE: "own tree", SAMPLE: "as drawn"}.get(str(model), "own model")
        level = (model == TREE and role not in NUMERIC) or (model != SAMPLE and column in asked.declared.levels)
        missing = "a level" if level else own
    if not isinstance(model, str):
        return PlannedVariable(column, role, place, describe(model, asked.frame), (), missing, numbers)
    codes = ISOLATED if mover is not None and mover.isolated else ""
    codes = CODES if column in asked.nominal and model == TREE else codes
    rounding = "" if mover is None or column in asked.preserved.encoded_apart else ", ".join(mover.rounding.names)
    used = () if model == SAMPLE else predictors
    return PlannedVariable(column, role, place, model, used, missing, numbers, rounding, codes)


def _values_notes(variables: Sequence[PlannedVariable]) -> list[str]:
    """Return notes on rounding, on codes and on isolated values."""
    notes = [
        f"{v.variable}: rounding is preserved ({v.rounding}); a released number is rounded like the number from which it was moved."
        for v in variables
        if v.rounding
    ]
    notes += [
        f"{v.variable}: {CODES}. To smooth it like a measurement, list the variables in smooth."
        for v in variables
        if v.codes == CODES
    ]
    return notes + [
        f"{v.variable}: {ISOLATED}. If they mean missing, declare them with missing_codes."
        for v in variables
        if v.codes == ISOLATED
    ]


def _order_notes(asked: Asked) -> list[str]:
    """Return a note if the position of a record in the file carries information."""
    in_order, serial = ordered_columns(asked.frame, asked.released)
    found = [f"The file is sorted by {', '.join(in_order)}."] if in_order else []
    if serial:
        found.append(f"Neighboring records of the file are alike in {', '.join(serial)}.")
    if not found:
        return []
    return [
        " ".join(found)
        + " The position of a record therefore carries information. Shuffle the rows before publication "
        "(`Release.shuffled`; the command does this by default)."
    ]


def _notes(asked: Asked, predictors: Predictors, design: SurveyDesign | None) -> list[str]:
    """Return notes that explain the plan, one sentence or more each."""
    notes = []
    alone = [c for c in asked.order if asked.models.get(c, TREE) in (TREE, SAMPLE) and not predictors[c]]
    alone += [c for c in asked.order if asked.models.get(c) == SAMPLE and c not in alone]
    within = asked.preserved.within
    alone = [c for c in alone if c not in within]
    if within:
        listed = ", ".join(f"{code} within {group}" for code, group in within.items())
        notes.append(f"Nested codes, drawn from the codes of their group: {listed}.")
    if alone:
        notes.append(f"Drawn with replacement from the confidential values, without predictors: {', '.join(alone)}.")
    notes.append(
        (
            ""
            if asked.nested
            else "Trees release categories and numbers of single records. Only rare numbers, which fewer than 10 "
            "records have, can be smoothed. "
        )
        + "A released value that only one person can have shows that this person took part in the survey."
    )
    if _grows_trees(asked):
        least = asked.min_leaf
        notes.append(f"Every leaf of a tree has at least {least} record{'s' * (least > 1)} (min_leaf).")
    if design is not None:
        notes.append(_of_design(asked, design))
    if asked.keep:
        notes.append(
            f"Released unchanged by request: {', '.join(asked.keep)}. They are true values of the person in that row, "
            "so anyone who knows them can find the row."
        )
    if asked.constants:
        notes.append(f"Released unchanged because they never vary: {', '.join(asked.constants)}.")
    identifiers = [
        c for c in asked.identifiers if asked.units is None or c not in (*asked.units.unit, *numbers_of(asked.units))
    ]
    if identifiers:
        notes.append(f"Identifiers, {DONE[asked.treatment]}: {', '.join(identifiers)}.")
    if asked.repeated:
        notes.append(
            "Each record is synthesized by itself, although persons or households have several records in the file "
            f"({', '.join(asked.repeated)}): within-person structure is not synthesized. `unit` synthesizes whole units."
        )
    wide = [
        c for c in (*asked.keep, *asked.order) if asked.role[c] == _variable_types.CATEGORY and not asked.predicts(c)
    ]
    if wide:
        notes.append(f"Not used as predictors because of more than {MANY} levels: {', '.join(wide)}.")
    if any(len(names) == MOST for names in predictors.values()):
        notes.append(f"No variable has more than {MOST} predictors; those with the strongest association are used.")
    rules = [*asked.constraints, *asked.totals]
    if rules:
        written = "; ".join(describe(rule, asked.frame) for rule in rules)
        hidden = f" {HIDDEN} replaces values that were not declared public or are too rare." * (HIDDEN in written)
        notes.append(f"Constraints that every record satisfies: {written}.{hidden}")
    if asked.public_levels:
        notes.append(f"All levels are published, including those without records: {', '.join(asked.public_levels)}.")
    return notes


def _omits_weights(asked: Asked, design: SurveyDesign) -> bool:
    """Return whether the column of the survey weights is not in the release."""
    return isinstance(design.weights, str) and design.weights not in asked.frame.columns


def _of_design(asked: Asked, design: SurveyDesign) -> str:
    """Describe the estimates under a design, and how to analyze the release."""
    if design.weights is None:
        return design.describe()
    said = f"The models refer to the population, through survey weights. {design.describe()}"
    if _omits_weights(asked, design):
        said += f" {design.weights} is left out, because a weight belongs to one person; keep releases it unchanged."
    if not any(asked.role[column] != _variable_types.CONSTANT for column in asked.keep):
        return f"{said} The release represents the population: in its analysis every record counts once."
    kept = "The variables released unchanged keep the distribution of the sample"
    if isinstance(design.weights, str) and design.weights in asked.keep:
        return f"{said} {kept}, so analyses of the release need {design.weights}, like analyses of the file."
    return f"{said} {kept}, so analyses of the release need weights that it does not contain."
