"""Sequential synthesis of units of several records: households, and the waves of a panel."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import pandas as pd

from synthlab import _checks, _rng
from synthlab._typing import ColumnNames, FloatArray, FrameLike, IntArray, RngLike
from synthlab.design import SurveyDesign
from synthlab.exceptions import InputError
from synthlab.synthesizers._fitted_units import FittedUnits, presence_numbers
from synthlab.synthesizers._frozen import set_fields
from synthlab.synthesizers._missing import Codes, CodesLike, Keep, check_missing, keeping, without_codes
from synthlab.synthesizers._pymc import sampler_options
from synthlab.synthesizers._unfitted import Unfitted
from synthlab.synthesizers._unit_layout import PRESENT, SIZE, Layout, Neighbors, first_of, neighbors, previous_of
from synthlab.synthesizers._unit_models import (
    FittedLevel,
    LevelData,
    ModelOf,
    codes_with_derived,
    context,
    derived_names,
    fit_level,
)
from synthlab.synthesizers.base import Synthesizer, check_fit, fit_under_design
from synthlab.synthesizers.cart import CART
from synthlab.synthesizers.constraints import Constraint, check_constraints, columns_of
from synthlab.units import UnitRules, UnitStructure, unit_structure
from synthlab.units.structure import MEMBERS


@dataclass(frozen=True)
class SequentialUnits(Unfitted):
    """Synthesizer of whole units: households with their members, or persons with the waves of a panel.

    The number of members and the unit variables are drawn first. Then the members are drawn one after the other. Each
    variable has one model for the first member and one for all later members. The predictors of a later member are the
    unit variables, the first and the previous member, the position, the number of earlier members in each category of
    the relation to the head, and its own variables that were drawn before.

    In a panel, presence in a wave is drawn given the unit variables, presence in the earlier waves, and the values of
    the last wave in which the unit was present. The predictors of the values are these last values and the time since.

    Rules of units are kept at the draw: a value that breaks a rule is drawn again from its model at most 20 times. A unit that
    still breaks a rule is drawn again with the same size and unit variables, at most 100 times.

    Parameters
    ----------
    unit : str or sequence of str
        The columns that together identify a unit.
    unit_order : str or sequence of str, optional
        The columns that order the members, or the wave of a panel; see `unit_structure`.
    unit_variables : str or sequence of str, optional
        Columns that are constant within each unit. Default: detected.
    keep : sequence of str
        Columns that are released unchanged, together with the composition of the units. The values of all members of a
        unit, also of later ones, are predictors.
    rules : UnitRules or {"detect", False}
        The rules that every unit satisfies; see `unit_structure`.
    models : mapping {str: Synthesizer}, optional
        Models of single variables with their own formulas. Default: `CART`.
    constraints : sequence of Constraint
        Constraints that every record satisfies; see `Sequential`.
    min_leaf : int, default 5
        Smallest number of records in a leaf of a tree.
    smoothing : {None, "normal", "rare"}
        Smoothing of numbers; see `CART`.
    max_members : int, default 50
        Largest number of members or waves.

    Raises
    ------
    InputError
        If an argument is invalid.

    Examples
    --------
    >>> import pandas as pd
    >>> from synthlab.synthesizers.sequential_units import SequentialUnits
    >>> people = pd.DataFrame({"hhid": [i // 2 for i in range(120)], "relation": ["head", "child"] * 60})
    >>> people["age"] = [30 + i % 20 if i % 2 == 0 else i % 11 for i in range(120)]
    >>> fitted = SequentialUnits("hhid", rules=False).fit(people, rng=1)
    >>> release = fitted.generate(m=2, rng=2)
    >>> release[0].groupby("hhid").size().unique().tolist(), release[0]["hhid"].max()
    ([2], np.int64(60))
    """

    unit: ColumnNames
    unit_order: ColumnNames | None = None
    unit_variables: ColumnNames | None = None
    keep: ColumnNames = ()
    rules: UnitRules | Literal["detect", False] = "detect"
    models: Mapping[str, Synthesizer] | None = None
    constraints: Sequence[Constraint] = ()
    min_leaf: int = 5
    smoothing: str | None = None
    max_members: int = MEMBERS

    def __post_init__(self) -> None:
        unit = _checks.check_names(self.unit, "unit", allow_empty=False)
        order = None if self.unit_order is None else _checks.check_names(self.unit_order, "unit_order")
        variables = None if self.unit_variables is None else _checks.check_names(self.unit_variables, "unit_variables")
        keep = _checks.check_names(self.keep, "keep")
        if not isinstance(self.rules, UnitRules):
            _checks.check_choice(self.rules, "rules", ("detect", False))
        models = {} if self.models is None else dict(_checks.check_mapping(self.models, "models", "columns to models"))
        for column, model in models.items():
            if not isinstance(model, Synthesizer) or isinstance(model, type):
                raise InputError(f"models[{column!r}]: must be a synthesizer, got {_checks.described(model)}")
        set_fields(
            self,
            unit=unit,
            unit_order=order,
            unit_variables=variables,
            keep=keep,
            models=models,
            constraints=check_constraints(self.constraints),
            min_leaf=_checks.check_count(self.min_leaf, "min_leaf"),
            smoothing=_checks.check_choice(self.smoothing, "smoothing", (None, "normal", "rare")),
            max_members=_checks.check_count(self.max_members, "max_members", 2),
        )

    def fit(
        self,
        confidential: FrameLike,
        *,
        weights: object = None,
        design: SurveyDesign | None = None,
        missing: Keep = "keep",
        missing_codes: CodesLike = None,
        rng: RngLike = None,
        **sampler: Any,
    ) -> FittedUnits:
        """Detect the structure of the units, and fit the models.

        Parameters
        ----------
        confidential : pandas.DataFrame, n rows
            The confidential data.
        weights : array_like of shape (n,), optional
            Record weights >= 0. The weight of a unit is the weight of its first member, or of the first wave.
        design : SurveyDesign, optional
            The survey design of the records; see `fit_under_design`.
        missing : {"keep", "raise"}
            Whether missing values are modeled or an error.
        missing_codes : mapping of str to sequence of numbers, optional
            Values of numeric columns that mean missing.
        rng : int, Generator or None
            Seed or generator.
        **sampler
            The options of `NormalRegression.fit` are accepted; only ``progress`` has an effect.

        Returns
        -------
        FittedUnits

        Raises
        ------
        InputError
            If the units are invalid, see `unit_structure`; or if a model or constraint does not fit the data.
        """
        if design is not None:
            return fit_under_design(self, confidential, weights, design, rng, keeping(missing, missing_codes, sampler))
        progress = sampler_options(sampler).progress
        frame, weights_ = check_fit(confidential, weights)
        codes = check_missing(frame, missing, missing_codes, list(frame.columns)) or {}
        structure = unit_structure(
            without_codes(frame, codes),
            self.unit,
            self.unit_order,
            self.unit_variables,
            rules=self.rules,
            max_members=self.max_members,
        )
        kept = tuple(_checks.check_columns(frame, self.keep, "keep", where="confidential", allow_empty=True))
        apart = {*structure.unit, structure.number_variable, structure.wave, structure.size_variable, *kept}
        numbers = [c for c in kept if c in (*structure.unit, structure.number_variable)]
        if numbers:
            raise InputError(
                f"keep: {_checks.named(numbers)} numbers units or members and is renumbered; remove it from keep"
            )
        order = tuple(c for c in frame.columns if c not in apart and frame[c].nunique(dropna=False) > 1)
        models: Mapping[str, Synthesizer] = self.models or {}
        unknown = [c for c in models if c not in order]
        if unknown:
            raise InputError(f"models: {_checks.named(unknown)} is not synthesized; remove it from models")

        def model_of(variable: str, predictors: tuple[str, ...]) -> Synthesizer:
            if variable in models:
                return models[variable]
            named = {variable: predictors}
            return CART([variable], min_leaf=self.min_leaf, predictors_of=named, smoothing=self.smoothing)

        names = [c for c in frame.columns if c not in (*structure.unit, structure.number_variable)]
        inner, outer = split_constraints(self.constraints, structure)
        plan = UnitPlan(structure, order, kept, model_of, lambda c: True, inner, outer, codes, self.min_leaf)
        return replace(fit_units(self, frame[names], plan, weights_, rng, progress), confidential=frame)


@dataclass(frozen=True, slots=True, eq=False)
class UnitPlan:
    """Models of the variables of units.

    Attributes
    ----------
    structure : UnitStructure
        The structure of the records, in the order of the file.
    order : tuple of str
        The synthesized variables in order.
    kept : tuple of str
        The columns that are released unchanged; empty for complete synthesis.
    model_of : callable
        Returns the model of a variable with its predictors.
    predicts : callable
        Whether a column can be a predictor.
    constraints, unit_constraints : tuple of Constraint
        Constraints that every record satisfies; those of unit variables only are apart.
    codes : mapping
        Numbers that mean missing, by column.
    min_leaf : int
        Smallest number of records in a leaf of the trees of presence.
    decode : callable or None
        Returns decoded records, to which the rules of units apply.
    """

    structure: UnitStructure
    order: tuple[str, ...]
    kept: tuple[str, ...]
    model_of: ModelOf
    predicts: Callable[[str], bool]
    constraints: tuple[Constraint, ...]
    unit_constraints: tuple[Constraint, ...]
    codes: Codes
    min_leaf: int
    decode: Any = None


def fit_units(
    spec: SequentialUnits,
    frame: pd.DataFrame,
    plan: UnitPlan,
    weights: FloatArray | None,
    rng: RngLike,
    progress: bool = False,
) -> FittedUnits:
    """Fit the models of all levels; `frame` contains the modeled columns in the order of the file."""
    structure = plan.structure
    records = frame.iloc[structure.rows].reset_index(drop=True)
    wave = structure.wave_number[structure.rows] if structure.is_panel else structure.wave_number
    layout = Layout(structure.size, wave)
    time = structure.time if structure.is_panel else np.empty(0)
    own = None if weights is None else weights[structure.rows][layout.start]
    unit = _unit_columns(plan, frame)
    outer = [c for c in plan.order if c in unit]
    inner = [c for c in plan.order if c not in unit]
    counted = _counted(structure, frame)
    streams = _rng.spawn(rng, 3 + len(structure.waves))
    levels: dict[str, FittedLevel | None] = {"units": None, "first": None, "later": None}
    near = neighbors(records, layout, counted, time, plan.kept)
    own_columns = [
        c for c in (*plan.kept, *outer, structure.size_variable, structure.wave) if c is not None and c in frame
    ]
    known = [c for c in dict.fromkeys(own_columns) if plan.predicts(c) and c not in inner]
    member_columns = [c for c in frame.columns if c in inner or (c in plan.kept and c not in unit)]
    predicting = [c for c in member_columns if plan.predicts(c)]

    def fit(
        rows: IntArray,
        targets: Sequence[str],
        before: Sequence[str],
        names: Mapping[str, tuple[str, str]],
        constraints: Sequence[Constraint],
        stream: np.random.Generator,
    ) -> FittedLevel | None:
        if not targets or rows.size == 0:
            return None
        here = near_rows(near, rows)
        data = LevelData(
            context(records, rows, here, names).reset_index(drop=True),
            dict(names),
            None if own is None else own[layout.unit[rows]],
            codes_with_derived(plan.codes, names),
        )
        return fit_level(
            data, targets, [*before, *names], plan.predicts, plan.model_of, constraints, stream, _needed, progress
        )

    size = () if structure.is_panel or structure.size_variable is not None else (SIZE,)
    above = [c for c in known if (c in unit and c not in outer) or c == structure.size_variable]
    heads = [c for c in known if c in plan.kept and c not in unit and c != structure.wave] if plan.kept else []
    levels["units"] = fit(
        layout.start, outer, [*above, *heads], derived_names((), (), size), plan.unit_constraints, streams[0]
    )
    counts = [name for name in near.numbers if not (name == SIZE and not size)]
    own_kept = [c for c in predicting if c in plan.kept and plan.kept]
    ahead = derived_names(own_kept, ("following",), ()) if not structure.is_panel else {}
    totals = [name for name in counts if name.startswith("members with ")]
    levels["first"] = fit(
        layout.start, inner, known, derived_names((), (), (*size, *totals)) | ahead, plan.constraints, streams[1]
    )
    behind = derived_names(predicting, ("previous",) if structure.is_panel else ("first", "previous"), counts)
    levels["later"] = fit(
        np.flatnonzero(layout.position > 0), inner, known, behind | ahead, plan.constraints, streams[2]
    )
    presence: list[FittedLevel] = []
    if structure.is_panel and not plan.kept:
        presence = _presence(plan, records, layout, time, own, unit, predicting, streams[3:])
    structural = tuple(c for c in (structure.size_variable, structure.wave) if c is not None and not plan.kept)
    return FittedUnits(
        spec, frame, weights, (*outer, *inner, *(c for c in structural if c in frame)), None, records, structure.rows,
        structure.size, wave, time, own, tuple(c for c in frame.columns if c in unit), plan.kept, structure.unit,
        structure.size_variable, structure.number_variable, structure.wave, levels["units"], levels["first"], levels["later"],
        tuple(presence), structure.rules, counted, plan.codes, _decode=plan.decode,
    )  # fmt: skip


def split_constraints(
    constraints: Sequence[Constraint], structure: UnitStructure
) -> tuple[tuple[Constraint, ...], tuple[Constraint, ...]]:
    """Return the constraints of members, and the constraints of unit variables only."""
    unit = {*structure.variables, structure.size_variable}
    outer = tuple(c for c in constraints if (names := columns_of(c)) is not None and set(names) <= unit)
    return tuple(c for c in constraints if c not in outer), outer


def near_rows(near: Neighbors, rows: IntArray) -> Neighbors:
    """Return the neighbors of some rows."""
    numbers = {name: values[rows] for name, values in near.numbers.items()}
    return Neighbors(near.first[rows], near.previous[rows], near.following[rows], numbers)


def _unit_columns(plan: UnitPlan, frame: pd.DataFrame) -> set[str]:
    return {c for c in plan.structure.variables if c in frame.columns}


def _counted(structure: UnitStructure, frame: pd.DataFrame) -> dict[str, list[object]]:
    """Return the levels that are counted among earlier members, by variable."""
    variable = structure.relation.variable
    if variable is None or variable not in frame.columns:
        return {}
    return {variable: list(structure.relation.levels)}


def _needed(variable: str) -> tuple[str, ...]:
    """Return the predictors that take precedence: the same variable of the first and of the previous member."""
    return first_of(variable), previous_of(variable), SIZE, "position"


def _presence(
    plan: UnitPlan,
    records: pd.DataFrame,
    layout: Layout,
    time: FloatArray,
    weights: FloatArray | None,
    unit: set[str],
    columns: Sequence[str],
    streams: Sequence[np.random.Generator],
) -> list[FittedLevel]:
    """Fit the models of presence in each wave."""
    units, waves = len(layout.size), len(time)
    present = np.zeros((units, waves), dtype=bool)
    present[layout.unit, layout.wave] = True
    row = np.full((units, waves), -1)
    row[layout.unit, layout.wave] = np.arange(len(records))
    last = np.full(units, -1)
    none = np.full(units, -1)

    def model_of(variable: str, predictors: tuple[str, ...]) -> Synthesizer:
        return CART([variable], min_leaf=plan.min_leaf, predictors_of={variable: predictors})

    fitted = []
    for wave in range(waves):
        numbers = presence_numbers(present, wave, time)
        names = derived_names(columns, ("previous",), list(numbers))
        x = context(records, layout.start, Neighbors(none, last, none, numbers), names).reset_index(drop=True)
        x[PRESENT] = present[:, wave].astype(np.float64)
        data = LevelData(x, names, weights, codes_with_derived(plan.codes, names))
        known = [c for c in x.columns if c in unit and plan.predicts(c)]
        before = [*known, *names]
        fitted.append(fit_level(data, [PRESENT], before, lambda _: False, model_of, (), streams[wave], _needed))
        last = np.where(present[:, wave], row[:, wave], last)
    return fitted


__all__ = ["FittedUnits", "SequentialUnits"]
