"""Synthesis of whole units in `synthesize`: models, datasets, and the notes of the plan."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from synthlab._typing import FloatArray, RngLike
from synthlab.design import SurveyDesign
from synthlab.exceptions import InputError
from synthlab.release import Release
from synthlab.release.manifest import UNITS
from synthlab.synthesis import _variable_types
from synthlab.synthesis._arguments import Asked, numbers_of
from synthlab.synthesis._encoding import Coding
from synthlab.synthesis.naming import SAMPLE, TREE, model_by_name
from synthlab.synthesizers._fitted_units import FittedUnits
from synthlab.synthesizers._missing import Codes
from synthlab.synthesizers._unit_fit import DrawnUnits, UnitFit, unit_facts
from synthlab.synthesizers._unit_layout import is_count
from synthlab.synthesizers.base import Synthesizer
from synthlab.synthesizers.cart import CART
from synthlab.synthesizers.constraints import Constraint, columns_of
from synthlab.synthesizers.sequential_units import SequentialUnits, UnitPlan, fit_units
from synthlab.units import Constant, SizeOf, UnitStructure
from synthlab.units.codes import new_numbers


@dataclass(frozen=True, slots=True, eq=False)
class UnitSynthesis:
    """Fit of the units of a file, with the coding of its columns."""

    asked: Asked
    coding: Coding
    structure: UnitStructure
    fitted: UnitFit

    @classmethod
    def fit(
        cls,
        asked: Asked,
        structure: UnitStructure,
        coding: Coding,
        codes: Codes,
        rules: Sequence[tuple[Constraint, Constraint]],
        weights: FloatArray | None,
        rng: RngLike,
        progress: bool,
    ) -> UnitSynthesis:
        """Fit the models; `rules` are the constraints as given and as they apply to coded columns."""
        columns = [c for c in coding.frame.columns if c not in numbers_of(structure)]
        kept = tuple(c for c in asked.keep if c in columns and asked.role[c] != _variable_types.CONSTANT)
        if asked.nested is not None:
            from synthlab.synthesizers.nested_dpmpm import fit_nested

            nested = fit_nested(
                asked.nested, coding.frame[columns], structure, [c for c in columns if c != structure.size_variable],
                weights, rng, {"progress": progress}, [rule for _, rule in rules], _decoder(asked, coding),
            )  # fmt: skip
            return cls(asked, coding, structure, replace(nested, confidential=asked.frame))
        unit = {*structure.variables, structure.size_variable}
        outer = [i for i, (r, _) in enumerate(rules) if (names := columns_of(r)) is not None and set(names) <= unit]
        inner = tuple(rule for i, (_, rule) in enumerate(rules) if i not in outer)
        several = {id(m) for m in asked.models.values() if not isinstance(m, str)}
        if len(several) < sum(not isinstance(m, str) for m in asked.models.values()):
            raise InputError("models: with unit, a synthesizer must draw a single variable; give one for each variable")

        def model_of(variable: str, predictors: tuple[str, ...]) -> Synthesizer:
            model = asked.models.get(variable, TREE)
            group = {**asked.preserved.within, **asked.divided.within}.get(variable)
            if model == TREE:
                calendar = {c: coding.calendars[c] for c in (variable,) if c in coding.calendars}
                return CART(
                    [variable],
                    min_leaf=asked.min_leaf,
                    predictors_of={variable: predictors},
                    smoothing="rare" if variable in asked.smooth else None,
                    _calendars=calendar,
                    _within=None if group is None else {variable: group},
                )
            if model == SAMPLE:
                return model_by_name(model, variable, (), group)
            if not isinstance(model, str):
                return model
            # A regression needs predictors that are linearly independent.
            return model_by_name(model, variable, [name for name in predictors if not is_count(name)])

        order = structure.order if structure.wave is not None else ()
        spec = SequentialUnits(structure.unit, order or None, min_leaf=asked.min_leaf)
        plan = UnitPlan(
            structure, asked.order, kept, model_of, asked.predicts, inner, tuple(rules[i][1] for i in outer), codes,
            asked.min_leaf, _decoder(asked, coding),
        )  # fmt: skip
        fitted = fit_units(spec, coding.frame[columns], plan, weights, rng, progress)
        return cls(asked, coding, structure, replace(fitted, confidential=asked.frame))

    @property
    def predictors(self) -> dict[str, tuple[str, ...]]:
        """The predictors of each variable: of its model for later members, if there is one."""
        if not isinstance(self.fitted, FittedUnits):
            return dict.fromkeys(self.asked.order, ())
        levels = [one for one in (self.fitted.units, self.fitted.first, self.fitted.later) if one is not None]
        return {c: names for level in levels for c, names in level.predictors.items()}

    def generate(
        self, m: int, rng: RngLike, n: int | None
    ) -> tuple[Release, list[tuple[DrawnUnits, np.random.Generator]]]:
        """Return a release of coded records, and the datasets of units, each with a generator for its numbers."""
        drawn, seed = self.fitted.datasets(m, rng, n)
        frames = [self.in_file_order(one) for one, _ in drawn]
        facts = {"dataset": self.fitted._provenance(m)["dataset"]}
        return Release(frames, None, facts, private={"seed": seed}), drawn

    def once_per_unit(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Return a frame in which unit variables have their value in the first record of each unit only."""
        later = self.structure.position > 0
        columns = [c for c in (*self.structure.variables, self.structure.size_variable) if c is not None and c in frame]
        return frame.assign(**{c: frame[c].mask(later) for c in columns})

    def in_file_order(self, drawn: DrawnUnits) -> pd.DataFrame:
        """Return the coded records of a dataset, in the order of the file if columns are kept."""
        if not self.fitted.is_aligned:
            return drawn.frame
        return drawn.frame.iloc[np.argsort(self.fitted.sorted_rows, kind="stable")].reset_index(drop=True)

    def assembled(self, drawn: DrawnUnits, rng: np.random.Generator) -> pd.DataFrame:
        """Return a dataset with the columns of the confidential data."""
        asked, fitted = self.asked, self.fitted
        decoded = self.coding.decoded(drawn.frame)
        fixed = [*asked.keep, *(asked.structural if fitted.is_aligned else ())]
        made = fitted.assembled(replace(drawn, frame=decoded.drop(columns=fixed, errors="ignore")), rng)
        others = [c for c in asked.identifiers if c not in numbers_of(self.structure)]
        for column in others:
            like = asked.frame[column]
            whole = column in self.structure.variables or column in self.structure.unit
            if asked.treatment != "new" and column not in self.structure.unit:
                made = made.drop(columns=column)
            elif fitted.is_aligned:
                code = pd.factorize(like, use_na_sentinel=False)[0]
                made[column] = new_numbers(like, rng.permutation(code.max() + 1)[code] + 1).set_axis(made.index)
            else:
                numbers = drawn.layout.unit if whole else np.arange(len(made))
                made[column] = new_numbers(like, numbers + 1).set_axis(made.index)
        return made

    def facts(self, drawn: Sequence[DrawnUnits], max_members: int) -> dict[str, Any]:
        """Return the facts about units in the provenance of a release."""
        order = self.structure.order
        if self.structure.wave is None and order == (self.structure.relation.age,):
            order = ()  # `evaluate` would read a single age column as the wave of a panel
        stated = {"order": list(order), "max_members": max_members}
        return {UNITS: unit_facts(self.structure.unit, drawn) | stated}

    def notes(self, drawn: Sequence[DrawnUnits], design: SurveyDesign | None) -> list[str]:
        """Return the notes of the plan about units."""
        share = max(one.again / len(one.layout.size) for one in drawn)
        return [*structure_notes(self.structure), *_drawing_notes(self, share), *_weight_notes(self, design)]


def _decoder(asked: Asked, coding: Coding) -> Callable[[pd.DataFrame], pd.DataFrame]:
    """Return the function that decodes records, to which the rules of units apply."""
    return lambda frame: asked.declared.without_levels(coding.decoded(frame))


def structure_notes(units: UnitStructure) -> list[str]:
    """Describe the detected structure of a file of units."""
    variables = [c for c in units.variables if c not in units.unit]
    what = "a panel" if units.is_panel else "units with members"
    notes = [f"The records are {what}, identified by {', '.join(units.unit)}, which is numbered anew."]
    if units.wave is not None:
        notes.append(f"The waves are the values of {units.wave}. {_presence(units)}")
    else:
        notes.append(f"Order of the members: {_order(units)}.")
    if variables:
        notes.append(f"Unit variables, constant within each unit: {', '.join(variables)}.")
    if units.number_variable is not None:
        notes.append(f"{units.number_variable} numbers the members of a unit and is numbered anew.")
    enforced = [str(r) for r in units.rules if not isinstance(r, Constant) or r.variable not in variables]
    if enforced:
        notes.append(f"Rules that every synthetic unit satisfies: {'; '.join(enforced)}.")
    if units.reported:
        notes.append(
            f"Rules that hold in nearly all units of the file, and are not enforced: {'; '.join(map(str, units.reported))}. "
            "To enforce a rule, declare it with unit_rules."
        )
    return notes


def _order(units: UnitStructure) -> str:
    if not units.order:
        return "that of the file"
    relation = units.relation
    levels = ", ".join(map(str, relation.levels))
    words = {relation.variable: f"{relation.variable} ({levels})", relation.age: f"{relation.age}, decreasing"}
    return "; ".join(words.get(c, c) for c in units.order)


def _presence(units: UnitStructure) -> str:
    """Describe entry, gaps and dropout of a panel."""
    waves = len(units.waves)
    present = np.zeros((units.units, waves), dtype=bool)
    present[units.code, units.wave_number] = True
    first = np.argmax(present, axis=1)
    last = waves - 1 - np.argmax(present[:, ::-1], axis=1)
    found = {
        "late entry": (first > 0).any(),
        "gaps": (last - first + 1 > units.size).any(),
        "dropout": (last < waves - 1).any(),
    }
    named = [name for name, there in found.items() if there]
    return f"The panel has {', '.join(named)}." if named else "Every unit is present in every wave."


def _drawing_notes(made: UnitSynthesis, share: float) -> list[str]:
    if made.asked.nested is not None:
        return [
            "Whole units are drawn from one mixture of classes of units and, within them, classes of members. Units that "
            "break a rule have no probability in it."
        ]
    if made.fitted.is_aligned:
        notes = [
            "The composition of the units is that of the file. Values of other members of the unit are predictors."
        ]
    else:
        notes = ["Whole units are drawn: first the unit variables, then the members in their order."]
    if made.structure.is_panel:
        drawn = f"Units that were present in no wave and were drawn again: {share:.2%}."
        return [*notes, *([] if made.fitted.is_aligned else [drawn])]
    if any(not isinstance(r, Constant | SizeOf) for r in made.structure.rules):
        notes.append(f"Units that broke a rule and were drawn again: {share:.2%}.")
    return notes


def _weight_notes(made: UnitSynthesis, design: SurveyDesign | None) -> list[str]:
    if design is None or design.weights is None:
        return []
    structure = made.structure
    sampled = design.read(made.asked.declared.original)
    frame = pd.DataFrame({"weight": sampled.weights})
    if bool(Constant("weight").holds_in(frame, structure.code, structure.units).all()):
        return ["The model weight of a unit is its weight, which is the same for all its records."]
    first = "first wave in which it is present" if structure.is_panel else "first member"
    return [f"Weights differ within units. The model weight of a unit is the weight of its {first}."]


def design_of_units(design: SurveyDesign, units: UnitStructure) -> SurveyDesign:
    """Return the design with the unit as cluster, if no cluster is given and strata contain whole units."""
    if design.clusters is not None or design.fpc is not None or len(units.unit) > 1:
        return design
    if design.strata is not None and design.strata not in units.variables:
        return design
    return replace(design, clusters=units.unit[0])


__all__ = ["UnitSynthesis", "design_of_units", "structure_notes"]
