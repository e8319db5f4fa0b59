"""Synthesis of a whole survey file in one call."""

from __future__ import annotations

import inspect
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import pandas as pd

from synthlab import _checks, _rng
from synthlab._calls import explains_arguments
from synthlab._design_covariance import Sampled
from synthlab._typing import ColumnNames, FrameLike, RngLike
from synthlab.design import SurveyDesign, check_unsynthesized, read_design
from synthlab.exceptions import InputError
from synthlab.io.missing_kinds import without_kinds
from synthlab.release import Release
from synthlab.release.manifest import NEW_IDENTIFIERS, PARAMETERS, PUBLIC_LEVELS, RECORDS, SYNTHESIS, WEIGHTS
from synthlab.synthesis import _variable_types
from synthlab.synthesis._arguments import Asked, UnitArguments, check_asked, numbers_of
from synthlab.synthesis._encoding import Coding, Decoded
from synthlab.synthesis._rare_values import (
    warn_of_codes,
    warn_of_computed,
    warn_of_declared,
    warn_of_rare,
    warn_of_repeated,
    warn_of_unchanged,
)
from synthlab.synthesis._unit_synthesis import UnitSynthesis, design_of_units
from synthlab.synthesis.models import Predictors, chosen_predictors, models_of, mover_of, plan_of
from synthlab.synthesis.naming import SAMPLE, TREE
from synthlab.synthesis.plan import KEY, Plan
from synthlab.synthesis.redrawing import Redrawn, condition_notes, redraw
from synthlab.synthesis.relations import RelationCondition
from synthlab.synthesis.release_check import (
    CONDITIONS,
    check_release,
    conditions_of,
    proposed_lines,
    relation_statuses,
)
from synthlab.synthesizers._missing import CodesLike, Keep, without_codes
from synthlab.synthesizers._smoothing import Mover
from synthlab.synthesizers._unit_fit import warn_of_broken
from synthlab.synthesizers.base import Synthesizer
from synthlab.synthesizers.constraints import Constraint, ZeroUnless, columns_of
from synthlab.synthesizers.sequential import FittedSequential, Sequential
from synthlab.units import UnitRules
from synthlab.units.codes import new_numbers
from synthlab.units.structure import MEMBERS


@explains_arguments
def synthesize(
    confidential: FrameLike,
    *,
    m: int = 5,
    n: int | None = None,
    rng: RngLike = None,
    models: Mapping[str, str | Synthesizer] | Synthesizer | None = None,
    order: ColumnNames | None = None,
    keep: ColumnNames = (),
    identifiers: Literal["refuse", "drop", "new"] = "refuse",
    constraints: Sequence[Constraint] = (),
    missing: Keep = "keep",
    missing_codes: CodesLike = None,
    design: SurveyDesign | None = None,
    min_leaf: int | None = None,
    smooth: bool | ColumnNames = True,
    public_levels: ColumnNames = (),
    relations: Literal["detect", False] | Sequence[str] = "detect",
    unit: ColumnNames | None = None,
    unit_order: ColumnNames | None = None,
    unit_variables: ColumnNames | None = None,
    unit_rules: UnitRules | Literal["detect", False] = "detect",
    max_members: int = MEMBERS,
    progress: bool = False,
) -> Release:
    """Synthesize a whole survey file.

    The file can contain numbers, categories, dates, bools, missing values, constants and identifiers. Variables are
    synthesized one after the other. By default each variable is drawn from a tree on the variables before it (`CART`),
    and rare numbers are smoothed. The release has the columns of the file, with the same order and dtypes, and contains
    the `Plan` of the synthesis.

    Parameters
    ----------
    confidential : pandas.DataFrame or Dataset, n rows
        The confidential data, at least 2 records.
    m : int, default 5
        Number of synthetic datasets.
    n : int, optional
        Number of records of each dataset, or of units if `unit` is given. Default: that of the file. Another number requires that every released column
        that varies is synthesized. No row then corresponds to a record of the file.
    rng : int, Generator or None
        Seed or generator. The first datasets of a larger m are the datasets of a smaller m. By default, a random
        128-bit key is drawn and stored in ``private["seed"]`` of the release; it reproduces the release. Omit `rng` for
        a release that is published: a short seed can be found by trial and reveals which record each value was drawn
        from, so `Release.save` rejects it.
    models : mapping {str: str or Synthesizer} or NestedDPMPM, optional
        The models of some variables. Default: "tree", but "sample" for categories with more than 1,000 levels, such as
        towns. "sample" draws from the values with replacement, without predictors. "normal", "log-normal", "logistic",
        "multinomial", "ordered logistic" (for numbers and ordered categories), "poisson" and "negative binomial" are
        Bayesian regressions on the predictors of the plan. A synthesizer is used with its own formula; give a
        synthesizer of several variables for each of them. A column that is named here is not treated as an identifier.
        With `unit`, `NestedDPMPM` is one model of all variables, which must be categorical and complete.
    order : sequence of str, optional
        All synthesized variables in the order of synthesis. Default: the order of the file, except that categories with
        more than 20 levels come last, and a variable restricted by `ZeroUnless` comes after the variable on which it
        depends.
    keep : sequence of str
        Variables that are released unchanged and used as predictors. They are true values of the person in that row, so
        they can identify that person. The release states that row i corresponds to record i.
    identifiers : {"refuse", "drop", "new"}
        Treatment of columns that look like identifiers: they are an error, are left out, or are renumbered from 1.
        Identifiers are detected by the structure of their values; names such as "id" or "case number" are a hint. A text
        column looks like an identifier if most values occur only once, if it has more than 1,000 distinct values, or if
        it contains email addresses, telephone numbers or random keys. A column of at least 10 distinct whole numbers
        looks like one if the numbers are all different and its name suggests an identifier, if they have no gaps or
        ascend in the file, or if amounts in their range would coincide; if all have the same number of digits, 9 or
        more; or if they are 64-bit keys. Repeated values look like the numbers of persons, households or sampling units
        if there are many values with at most 30 records on average, and the records of each value follow one another or
        other columns are constant within the values. Amounts, ages, places, times and models of cars are not
        identifiers. If row i of the release corresponds to record i, records of one group get the same new number;
        otherwise every record gets its own. The provenance lists the newly drawn identifiers.
    constraints : sequence of Constraint
        Constraints that every synthetic record satisfies: `Bounds`, `ZeroUnless`, `AllowedCombinations` and `SumOf`,
        whose total is computed. The plan shows the numbers and values of a constraint only if it has ``public=True``,
        because bounds are often the extremes of the confidential data.
    missing : {"keep", "raise"}
        "keep": missing values are modeled, so the release has missing values like the file. "raise": missing values are
        an error.
    missing_codes : mapping of str to sequence of numbers, optional
        Values of numeric columns that mean missing, such as ``{"income": [-8, -9]}``. Each code is a separate kind of
        missing value; it is released as the same code, and never used as a number. Codes that the file declares missing
        (SPSS, Stata, SAS and R) need not be named: `synthlab.read` keeps them. They are also separate kinds, missing in
        the datasets of the release, and written by `Release.save` with their labels.
    design : SurveyDesign, optional
        The survey design of the records, given by columns of the file, which can include identifiers that are left out.
        Every model then refers to the population; see `fit_under_design`. The column of the weights is left out, because
        a weight belongs to the person from whom it was computed; name it in `keep` to release it unchanged, or in
        `models` to synthesize it.
    min_leaf : int, optional
        Smallest number of records in a leaf of a tree, from 1 to the number of records; see `CART`. Larger leaves
        release fewer combinations of values of one person, and preserve fewer relations between variables. Default:
        half the square root of the number of records, at least 10 and at most 20.
    smooth : bool or sequence of str
        Whether, or for which variables, numbers drawn by trees are changed if fewer than 10 records have them; see
        `CART`. With True, columns of codes are not smoothed.
    public_levels : sequence of str
        Categorical columns whose levels are public, such as the answers of the questionnaire. A saved release lists all
        levels of their dtype. For other categorical columns, it lists only the levels that occur in a synthetic
        dataset, because a level that only one person has would be disclosed.
    relations : {"detect", False} or sequence of str
        Relations between columns that the release preserves. "detect": relations that hold in all of at least 50
        records, except those that are only proposed. False: none. A list declares relations, such as
        ``["bmi = weight / height^2 * 10000", "start <= end"]`` or the relations of a `Plan`; they must hold in at least
        99.5% of the records. See Notes.
    unit : str or sequence of str, optional
        The columns that together identify a unit of several records, such as the household of persons, or the person of
        a panel. Whole units are then synthesized: their number of members, the variables that are constant within them,
        and the dependence between members. They are numbered anew and need no `identifiers`. With `keep`, the
        composition of the units is unchanged. Default: records are independent.
    unit_order : str or sequence of str, optional
        The columns that order the members of a unit. A single column of waves, such as the year, makes the file a
        panel. Default: the head, the partner and the other members by decreasing age; see `synthlab.units.unit_structure`.
    unit_variables : str or sequence of str, optional
        Columns that are constant within each unit. Default: detected.
    unit_rules : UnitRules or {"detect", False}
        Rules that every unit satisfies, such as exactly one head. "detect": rules that hold in all units, if at least 50
        units could break them. False: none. The plan lists the rules.
    max_members : int, default 50
        Largest number of members of a unit, or of waves.
    progress : bool
        Whether to show on standard error which tree is grown.

    Returns
    -------
    Release
        The release. Its `rows` are "aligned" if variables are kept. Otherwise every record is newly drawn and no row
        corresponds to a person; `rows` is then "unknown", and measures that compare row i with record i report that
        they do not apply.

    Raises
    ------
    InputError
        If an argument is invalid; if `n` is not the number of records of the file although columns are kept; if there are identifiers and `identifiers` is "refuse"; if the confidential data
        break a constraint; if every column is kept or constant; if a model cannot be fitted to its variable; or if
        more than 20% of the drawn records break a declared relation.

    Warns
    -----
    MissingKindWarning
        The codes that the file declares missing are merged into one kind of missing value: in a column of dates or with
        a model such as "logistic", or because the rows were renumbered or the missing values changed after `read`.
    RareValueWarning
        The release contains values that fewer than 3 confidential records have, such as the category of a single person
        or the largest number. Also issued if fewer than 3 records have a level or value that was declared public; a
        constraint with such a value is published without its values.
    ReleasedUnchangedWarning
        The values of a synthetic variable are nearly the confidential ones, row by row, or a kept variable determines
        them.
    RepeatedIdentifierWarning
        Persons or households have several records, so that the release does not represent within-person structure.
    UndeclaredCodeWarning
        A column of data that were not read by `synthlab.read` contains a repeated number such as -9 or 999998, or a date
        such as 9999-12-31, that is far from all other values and is not declared in `missing_codes`.
    DesignVariableWarning
        A variable of the design is synthesized or renumbered, such as weights that are named in `models`.
    MissingUnitWarning
        Records have no unit number; each of them is a unit of its own.
    UnitRuleWarning
        Synthetic units break a rule of `unit_rules`.
    RelationWarning
        Synthetic records break a relation between columns or leave the range of a column; a relation holds in nearly all
        confidential records; or redrawing increases the distance of a column to the confidential data
        (Kolmogorov-Smirnov or total variation) by more than 0.02 and more than 4 standard errors.

    See Also
    --------
    Plan : the treatment of each variable. evaluate : the risk and the utility of the release.

    Notes
    -----
    Smoothed numbers keep the rounding of the file: a number that was moved from a multiple of 1,000 is again a multiple
    of 1,000, and the first day of a month remains the first day of a month. They do not cross wide gaps, and repeated
    values far from all others, such as -9 or 999, are not smoothed. Whole numbers that are codes, such as postal codes,
    are not smoothed; see the plan. If the order of the records carries information, the plan states it.

    Dates are modeled as whole numbers of the largest unit that represents all of them (days, seconds, ...). Texts that
    are all dates in one format are treated as dates and released in that format. If some texts omit the day, or the day
    and the month, as in 2013-05, the precision of each date is modeled before the date; the plan lists it as a variable
    of its own. Bools are treated as two categories.
    Constants and columns without values are released unchanged.

    The predictors of a variable are the kept variables and the variables before it with at most 60 levels. If there are
    more than 30, those with the largest correlation (of ranks or indicators) are used.

    The first variable has no predictors, so it is drawn with replacement from the confidential values. The leaves of
    trees also contain confidential values. Without smoothing, every number of the release is therefore a number of some
    record.

    Relations have the forms ``a <= b`` (numbers or dates), sums and differences (``c = a + b``, ``age = 2024 - birth``), a
    column in another unit (``f = 1.8 * c + 32``), products and ratios of two columns (``a * b``, ``a / b``, ``a / b^2``,
    times 1, 12, 100 or 10,000), ``a^2``, ``a^0.5``, ``log(a)``, ``log1p(a)``, ``log10(a)``, functions of dates
    (``day = weekday of visit``, ``age = completed years from birth to visit``), one-to-one codes (``region <-> region_name``), nested codes (``each district has one
    province``), one-hot columns (``exactly one of a, b, c is 1``) and skip patterns (``wage is missing for some values of
    works``). One column of each equation has no model: it is computed from the synthetic values of the others, and
    rounded to its number of decimals. A nested code determines its group, or is drawn from the codes of its group. For ``a <= b``, the model draws the difference of the two columns if it varies less than ``b``; otherwise
    values on the wrong side are mirrored. One-hot columns are drawn as one category. At least 3 parts of a total are
    drawn as shares of the total. Detection uses the confidential records, so a differentially private synthesis must
    declare its relations.

    The following relations are enforced without being declared: relations and functions of dates; codes, one-hot columns and
    skip patterns; arithmetic relations with at least 10 distinct results; and orders of two columns whose ranges from
    the 5th to the 95th percentile overlap by at least half of the shorter one. The plan lists other relations as
    proposed, with the number of records that have their values and the number of synthetic records that break them; name
    them in `relations` to enforce them.

    Every relation is tested in every dataset. With ``relations="detect"``, so are the range, the grid and, for at most
    20 distinct numbers, the set of values of each column of numbers or dates that is drawn from the file or computed
    from such columns. Records that break a relation are redrawn, at most 20 times: the last variable of the relation and
    the variables after it, given the others; after 10 times, the first variable of the relation and those after it. The
    draws are therefore conditional on the relations. The plan states the share of redrawn records. Only declared
    relations are redrawn if relations are declared. A detected relation that more than 20% of the records of the first
    dataset break is not enforced. The provenance contains the number of records of each dataset that break each relation
    after redrawing. With `unit`, only whole units that break a rule are redrawn; relations that records break are named.

    Examples
    --------
    >>> import pandas as pd
    >>> import synthlab as sl
    >>> day = pd.to_datetime(["2025-03-01", "2025-03-02", "2025-03-05", "2025-03-09"] * 10)
    >>> survey = pd.DataFrame({"day": day, "sex": list("mffm") * 10, "visits": [1, 2, 2, 3] * 10})
    >>> release = sl.synthesize(survey, m=2, rng=1)
    >>> (release[0].dtypes == survey.dtypes).all(), release.synthesized
    (np.True_, ('day', 'sex', 'visits'))
    """
    m = _checks.check_count(m, "m")
    _checks.check_choice(progress, "progress", (True, False))
    (fit, draws, pairing, again), seed = _rng.spawn_for_release(rng, 4)
    read = _Read.of(
        confidential, models, order, keep, identifiers, constraints, missing, missing_codes, min_leaf, smooth,
        public_levels, relations, pairing, design,
        None if unit is None else UnitArguments(unit, unit_order, unit_variables, unit_rules, max_members),
    )  # fmt: skip
    asked, sampled, coding, movers, codes = read.asked, read.sampled, read.coding, read.movers, read.codes
    moved = {column: mover is not None for column, mover in movers.items()}
    if asked.units is None:
        _check_size(asked, n)
    rules = [*((rule, rule) for rule in asked.totals), *((r, _as_coded(r, asked, coding)) for r in asked.constraints)]
    weights = None if sampled is None else sampled.normalised
    conditions = conditions_of(asked.found, asked.preserved, asked.codes, _within_range(asked))
    units = None
    if asked.units is None:
        predictors = chosen_predictors(asked, coding.frame)
        specification = Sequential(models_of(asked, predictors, coding.calendars), [rule for _, rule in rules])
        fitted: Any = specification.fit(
            coding.frame, weights=weights, missing_codes=codes or None, rng=fit, progress=progress
        )
        _check_made(asked, fitted)
        drawn = fitted.generate(m, rng=draws, n=n)
        redrawn = redraw(
            fitted, coding, drawn.frames, drawn.private["draws_used"] or [0] * m, conditions,
            conditions * asked.declares, _rng.spawn(again, m),
        )  # fmt: skip
        drawn = replace(drawn, frames=tuple(redrawn.frames))
    else:
        units = UnitSynthesis.fit(asked, asked.units, coding, codes, rules, weights, fit, progress)
        fitted, predictors = units.fitted, units.predictors
        drawn, datasets = units.generate(m, draws, n)
        redrawn = Redrawn([*drawn.frames], 0.0, {}, ())  # only whole units are drawn again
    plan = plan_of(asked, predictors, movers, design)
    there = [without_codes(frame, codes) for frame in (coding.frame, *drawn)]
    there[0] = there[0] if units is None else units.once_per_unit(there[0])
    warn_of_rare(there[0], there[1:], moved | {rule.total: True for rule in asked.totals})
    warn_of_declared(asked.declared.original, asked.public_levels, asked.constraints)
    warn_of_repeated(asked.repeated)
    kept = [column for column in asked.keep if asked.role[column] != _variable_types.CONSTANT]
    if drawn.n == len(asked.frame):
        warn_of_unchanged(coding.frame, drawn.frames[0], fitted.synthesized, kept)
    aligned = bool(kept) or fitted.uses_own_values
    numbering = _rng.spawn(_rng.spawn(fit, 1)[0], m) if aligned and asked.treatment == "new" else [None] * m
    if units is None:
        made_frames = [
            _assembled(asked, coding.decoded(frame), aligned, numbers)
            for frame, numbers in zip(drawn, numbering, strict=True)
        ]
    else:
        made_frames = [units.assembled(one, numbers) for one, numbers in datasets]
        warn_of_broken(units.structure.rules, made_frames, units.structure.unit, codes)
        plan = replace(plan, notes=(*units.notes([one for one, _ in datasets], read.design), *plan.notes))
    frames = [asked.declared.apart(frame) for frame in made_frames]
    drawn_from = {c: asked.preserved.origins(c) & set(fitted.synthesized) for c in asked.preserved.computed}
    warn_of_computed([c for c, origins in drawn_from.items() if not origins])
    synthesized = {*fitted.synthesized, *(c for c, origins in drawn_from.items() if origins)}
    drawn_anew = [c for c in asked.identifiers if c in frames[0]]
    made = [c for c in asked.divided.original.columns if c in synthesized or c in drawn_anew]
    frames = [asked.declared.restored(frame) for frame in frames]
    check = check_release(conditions, frames)
    proposed = [
        RelationCondition.of_relation(one, asked.preserved.values, asked.codes) for one, _ in asked.found.proposed
    ]
    others = check_release(proposed, frames).broken.sum(axis=1).tolist()
    statuses = relation_statuses(asked.found, check, asked.preserved.status, redrawn.shares, others)
    plan = replace(plan, relations=statuses, notes=(*plan.notes, *condition_notes(conditions, redrawn)))
    if design is not None:
        numbered = () if asked.units is None else numbers_of(asked.units)
        check_unsynthesized(design, [c for c in made if c not in numbered])
        design = design if asked.units is None else design_of_units(design, asked.units)
        fitted = replace(fitted, confidential=coding.frame, survey=design)
    private = {**drawn.private, "seed": seed}
    provenance = {
        "synthesizer": "synthesize",
        "m": m,
        "dataset": drawn.provenance["dataset"],
        RECORDS: drawn.n,
        PARAMETERS: fitted.parameter_status,
        SYNTHESIS: "partial" if aligned else "full",
        KEY: plan.to_dict(),
        **({CONDITIONS: check.to_list()} if conditions else {}),
        **({NEW_IDENTIFIERS: drawn_anew} if drawn_anew else {}),
        **({PUBLIC_LEVELS: list(asked.public_levels)} if asked.public_levels else {}),
        **({} if design is None else {"estimates": fitted.estimates, **_weights_of(design)}),
        **({} if units is None else units.facts([one for one, _ in datasets], max_members)),
    }
    frames = [asked.divided.restored(frame) for frame in frames]
    return Release(frames, made, provenance, rows="aligned" if aligned else "unknown", private=private)


def _weights_of(design: SurveyDesign) -> dict[str, str]:
    """Return the column of the survey weights for the provenance, if it is named."""
    return {WEIGHTS: design.weights} if isinstance(design.weights, str) else {}


@dataclass(frozen=True, slots=True, eq=False)
class _Read:
    """A file and what is detected in it before a model is fitted."""

    asked: Asked
    sampled: Sampled | None
    coding: Coding
    movers: dict[str, Mover | None]
    codes: dict[str, Any]
    design: SurveyDesign | None  # with the weights themselves if their column is left out

    @classmethod
    def of(
        cls, confidential: object, models: object, order: object, keep: ColumnNames, identifiers: object,
        constraints: object, missing: object, missing_codes: object, min_leaf: object, smooth: object,
        public_levels: ColumnNames, relations: object, rng: np.random.Generator, design: SurveyDesign | None,
        units: UnitArguments | None,
    ) -> _Read:  # fmt: skip
        frame = _checks.check_frame(confidential, "confidential")
        sampled = None if design is None else read_design(design, frame)
        if design is not None:
            named = (keep, models, order, missing_codes, smooth, public_levels, relations)
            frame, design = _without_weights(frame, design, named, constraints, units)
        asked = check_asked(
            frame, models, order, keep, identifiers, constraints, missing, missing_codes, min_leaf, smooth,
            public_levels, relations, rng, units,
        )  # fmt: skip
        warn_of_codes(asked.frame[[*asked.released]], asked.codes)
        codes = {column: values for column, values in asked.codes.items() if column in asked.released}
        coding = Coding.of(asked.frame, asked.released, asked.preserved, codes)
        movers = {column: mover_of(asked, column, coding) for column in asked.order}
        numbers = [column for column in coding.frame.columns if asked.role[column] != _variable_types.CATEGORY]
        return cls(asked, sampled, coding, movers, {c: v for c, v in codes.items() if c in numbers}, design)


def _without_weights(
    frame: pd.DataFrame,
    design: SurveyDesign,
    named: Sequence[object],
    constraints: object,
    units: UnitArguments | None,
) -> tuple[pd.DataFrame, SurveyDesign]:
    """Return the data without the survey weights, and the design with their values.

    Synthetic records represent the population, so the weights of people would be wrong for them. Weights that never vary,
    and weights that another argument names, stay in the data.
    """
    weights = design.weights
    if not isinstance(weights, str) or weights not in frame.columns or frame[weights].nunique(dropna=False) < 2:
        return frame, design
    rules = constraints if isinstance(constraints, Collection) else ()
    lists = [*named, *(columns_of(r) for r in rules if isinstance(r, Constraint) and not isinstance(r, type))]
    lists += [] if units is None else [units.unit, units.order, units.variables]
    names = [name for one in lists if isinstance(one, Collection) for name in ([one] if isinstance(one, str) else one)]
    if any(isinstance(name, str) and weights in (name, *name.split()) for name in names):  # relations are texts
        return frame, design
    return frame.drop(columns=weights), replace(design, weights=frame[weights].to_numpy())


@explains_arguments
def plan_synthesis(confidential: FrameLike, **options: Any) -> Plan:
    """Return the plan of `synthesize` without synthesis, in seconds.

    The plan lists what is detected in the file: types, identifiers, missing values, relations between columns, and units.
    The models are not fitted. The predictors of the models of units are therefore not listed, and the share of records that
    are redrawn is not known.

    Parameters
    ----------
    confidential : pandas.DataFrame or Dataset, n rows
        The confidential data, at least 2 records.
    **options
        The arguments of `synthesize`; `m`, `n` and `progress` have no effect.

    Returns
    -------
    Plan

    Raises
    ------
    InputError
        As in `synthesize`.
    TypeError
        If `synthesize` has no such argument.

    Examples
    --------
    >>> import pandas as pd
    >>> import synthlab as sl
    >>> survey = pd.DataFrame({"nr": range(80), "month": [100 + 7 * k % 23 for k in range(80)]})
    >>> survey["year"] = 12 * survey["month"]
    >>> plan = sl.plan_synthesis(survey, identifiers="new")
    >>> plan.summary()["role"].to_dict()
    {'month': 'number', 'year': 'number', 'nr': 'identifier'}
    >>> plan.relations
    ('year = 12 * month: computed',)
    """
    bound = inspect.signature(synthesize).bind(confidential, **options)
    bound.apply_defaults()
    o = bound.arguments
    unit, design = o["unit"], o["design"]
    (_, _, pairing, _), _ = _rng.spawn_for_release(o["rng"], 4)
    units = (
        None
        if unit is None
        else UnitArguments(unit, *(o[k] for k in ("unit_order", "unit_variables", "unit_rules", "max_members")))
    )
    read = _Read.of(
        confidential, o["models"], o["order"], o["keep"], o["identifiers"], o["constraints"], o["missing"],
        o["missing_codes"], o["min_leaf"], o["smooth"], o["public_levels"], o["relations"], pairing, design, units,
    )  # fmt: skip
    asked = read.asked
    predictors: Predictors = dict.fromkeys(asked.order, ())
    if asked.units is None:
        predictors = chosen_predictors(asked, read.coding.frame)
    plan = plan_of(asked, predictors, read.movers, design)
    relations = [asked.preserved.status(r) or f"{r}: redrawn" for r in asked.found.exact]
    return replace(plan, relations=(*relations, *proposed_lines(asked.found)))


def _within_range(asked: Asked) -> list[str]:
    """Return the columns whose released values are within the range of the file.

    Their values are drawn from the file, by trees or with replacement, or computed from such values. If relations are
    declared, ranges of the confidential data are not used.
    """
    if asked.declares:
        return []
    drawn = {c for c in asked.order if asked.models.get(c, TREE) in (TREE, SAMPLE)}
    made = [*asked.order, *asked.preserved.computed]
    renumbered = () if asked.units is None else asked.units.unit
    columns = [c for c in asked.frame.columns if c in made and c not in renumbered]
    return [c for c in columns if asked.preserved.depends(c) <= {*drawn, *asked.keep}]


def _check_size(asked: Asked, n: int | None) -> None:
    """Raise if n is not the number of records of the file although columns are released unchanged."""
    kept = [column for column in asked.keep if asked.role[column] != _variable_types.CONSTANT]
    if n is not None and _checks.check_count(n, "n") != len(asked.frame) and kept:
        raise InputError(
            f"n={n}: differs from the number of records of the file, so every released column must be synthesized; "
            f"remove {_checks.named(kept)} from keep, or omit n"
        )


def _as_coded(rule: Constraint, asked: Asked, coding: Coding) -> Constraint:
    """Return a constraint on coded columns, unless `Sequential` can use it as given."""
    same = (_variable_types.NUMBER, _variable_types.CATEGORY, _variable_types.TRUTH, _variable_types.CONSTANT)
    if isinstance(rule, ZeroUnless) and asked.role[rule.other] in same:
        return rule
    return Decoded(rule, coding, asked.declared.without_levels)


def _check_made(asked: Asked, fitted: FittedSequential) -> None:
    """Raise if a synthesizer makes other variables than those for which it is given."""
    for part in fitted.parts:
        named = [c for c, model in asked.models.items() if model is part.specification]
        if named and set(named) != set(part.synthesized):
            raise InputError(
                f"models: the {type(part.specification).__name__} for {_checks.named(named)} makes "
                f"{_checks.named(part.synthesized)}; "
                "give it for exactly these variables"
            )


def _assembled(asked: Asked, made: pd.DataFrame, aligned: bool, numbering: np.random.Generator | None) -> pd.DataFrame:
    """Return a dataset with the columns of the confidential data in their order."""
    index = asked.frame.index if aligned else pd.RangeIndex(len(made))
    columns = {}
    for column in asked.frame.columns:
        if column in asked.identifiers:
            if asked.treatment == "new":
                columns[column] = _numbers(asked.frame[column], len(made), numbering).set_axis(index)
        elif column in (*asked.keep, *asked.constants):
            columns[column] = asked.frame[column].iloc[np.arange(len(made)) % len(asked.frame)].set_axis(index)
        else:
            columns[column] = made[column].set_axis(index)
    frame = pd.DataFrame(columns)
    frame.attrs = without_kinds(asked.frame.attrs)
    return frame


def _numbers(like: pd.Series, size: int, rng: np.random.Generator | None) -> pd.Series:
    """Return new numbers for an identifier, as text if the identifier is text.

    Independent records are numbered 1, 2, ..., `size`, because no two of them belong together. With `rng`, the rows
    correspond to the records of the file: records of one person get the same number, in random order, so that the numbers
    do not show the order of the file.
    """
    if rng is None:
        numbers = np.arange(1, size + 1)
    else:
        codes, distinct = pd.factorize(like)
        gone = codes < 0  # each missing identifier is a person of its own
        codes[gone] = np.arange(len(distinct), len(distinct) + gone.sum())
        numbers = rng.permutation(codes.max() + 1)[codes] + 1
    return new_numbers(like, numbers)
