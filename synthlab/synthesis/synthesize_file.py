"""Synthesis of a whole survey file in one call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal

import numpy as np
import pandas as pd

from synthlab import _checks, _rng
from synthlab._typing import ColumnNames, FrameLike, RngLike
from synthlab.design import SurveyDesign, check_unsynthesized, read_design
from synthlab.exceptions import InputError
from synthlab.release import Release
from synthlab.release._manifest import PUBLIC_LEVELS
from synthlab.synthesis import _variable_types
from synthlab.synthesis._arguments import Asked, check_asked
from synthlab.synthesis._encoding import Coding, Decoded
from synthlab.synthesis._rare_values import warn_of_declared, warn_of_rare, warn_of_unchanged
from synthlab.synthesis.models import chosen_predictors, is_moved, models_of, plan_of
from synthlab.synthesis.plan import KEY
from synthlab.synthesizers._missing import CodesLike, Keep, without_codes
from synthlab.synthesizers.base import Synthesizer
from synthlab.synthesizers.constraints import Constraint, ZeroUnless
from synthlab.synthesizers.sequential import FittedSequential, Sequential


def synthesize(
    confidential: FrameLike,
    *,
    m: int = 5,
    rng: RngLike = None,
    models: Mapping[str, str | Synthesizer] | None = None,
    order: ColumnNames | None = None,
    keep: ColumnNames = (),
    identifiers: Literal["refuse", "drop", "new"] = "refuse",
    constraints: Sequence[Constraint] = (),
    missing: Keep = "keep",
    missing_codes: CodesLike = None,
    design: SurveyDesign | None = None,
    smooth: bool | ColumnNames = True,
    public_levels: ColumnNames = (),
    progress: bool = False,
) -> Release:
    """Synthesize a whole survey file: numbers, categories, dates and bools, missing values, constants and identifiers.

    Variables are made one after the other, by default each by a tree on those before it (`CART`), with rare numbers
    smoothed. The release has the columns of the file, in their order and with their dtypes, and holds the `Plan` by which
    it was made.

    Parameters
    ----------
    confidential : pandas.DataFrame or Dataset, n rows
        The data as collected; at least 2 records.
    m : int, default 5
        Number of synthetic datasets.
    rng : int, Generator or None
        The first datasets of a larger m are the datasets of a smaller m. None draws a key of 128 bits, which is kept in
        ``private["seed"]`` of the release and repeats it. Omit `rng` for a release that is published: a short seed can be
        found by trial and reveals which record each value was drawn from, so `Release.save` refuses it.
    models : mapping {str: str or Synthesizer}, optional
        The model of a variable, where it is not to be a tree: "tree"; "sample", a draw with replacement from its values
        without predictors; "normal", "log-normal", "logistic", "multinomial", "poisson" or "negative binomial", a Bayesian
        regression on the predictors of the plan; or a synthesizer, which is taken as it is, with its own formula. One that makes
        several variables is named for each. A column that is named here is no identifier.
    order : sequence of str, optional
        The order of synthesis, of every variable that is synthesized. None: that of the file, but categories with more than
        20 levels come last, and a variable that `ZeroUnless` restricts comes after the one that decides.
    keep : sequence of str
        Variables that are released unchanged, and that others are drawn by. They are true values of the person in that row, so
        they identify: the release says that row i is about record i.
    identifiers : {"refuse", "drop", "new"}
        Columns that look like identifiers are an error, left out, or numbered anew from 1. Such are texts of which most
        occur once only or more than 1,000 are distinct, and at least 10 whole numbers that are all different and have no
        gaps, ascend in the file, have nine digits or more, or are named "id" or the like.
    constraints : sequence of Constraint
        Rules that every record keeps: `Bounds`, `ZeroUnless`, `AllowedCombinations`, and `SumOf`, whose total is computed.
        The plan gives the numbers and values of a rule only if it has ``public=True``: bounds are often the extremes of the
        confidential data.
    missing : {"keep", "raise"}
        "keep": missing is a part of the data, and the release has missing values as the file has. "raise": an error.
    missing_codes : mapping of str to sequence of numbers, optional
        For columns of numbers, values that mean missing, such as ``{"income": [-8, -9]}``: each is a kind of missing of
        its own, released as it is, and never taken for a number.
    design : SurveyDesign, optional
        The survey design of the records, by columns of the file (identifiers that are left out among them): every model is
        then one of the population, see `fit_under_design`.
    smooth : bool or sequence of str
        Whether, or for which variables, the numbers drawn by trees that fewer than 10 records hold are moved, see `CART`.
    public_levels : sequence of str
        Categorical columns whose levels are public, such as the answers of the questionnaire: a saved release lists all levels
        of their dtype. Of other categorical columns it lists the levels that occur in a synthetic dataset, because a level that
        one person has would be disclosed.
    progress : bool
        Show on standard error which tree is grown.

    Returns
    -------
    Release
        Its `rows` are "aligned" where variables are kept. Else every record is drawn anew, no row is about a person, and
        "unknown" lets the measures that compare row i with record i say that they do not apply.

    Raises
    ------
    InputError
        If an argument is not of the form described; there are identifiers, and `identifiers` says to refuse; the confidential
        data break a constraint; every column is kept or constant; or a model cannot be fitted to its variable.

    Warns
    -----
    RareValueWarning
        The release repeats values that fewer than 3 confidential records hold: a category that one person has, the largest
        number. Or fewer than 3 records hold a level or a value that was declared public: a rule with such a value is
        published without its values.
    ReleasedUnchangedWarning
        A synthetic variable has nearly its confidential values row by row, or a kept one tells them.
    DesignVariableWarning
        A variable of the design is synthesized, or numbered anew.

    See Also
    --------
    Plan : what was done with each variable.
    evaluate : the risk and the utility of the release.

    Notes
    -----
    Dates are whole numbers of the largest unit that writes them all (days, seconds, ...); texts that all are dates in one
    format stay such texts. Bools are two categories. A constant is released as it is, a column without any value too.

    The predictors of a variable are those before it with at most 60 levels, and the kept ones; of more than 30, those with the
    largest correlation (of ranks or indicators).

    The first variable has no predictors: it is drawn with replacement from the confidential values, and so are the
    leaves of trees in the end. Without smoothing every number of the release is a number of some record.

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
    asked = check_asked(
        confidential, models, order, keep, identifiers, constraints, missing, missing_codes, smooth, public_levels
    )
    sampled = None if design is None else read_design(design, asked.frame)
    codes = {column: values for column, values in asked.codes.items() if column in asked.released}
    coding = Coding.of(asked.frame, asked.released, asked.totals, codes)
    predictors = chosen_predictors(asked, coding.frame)
    moved = {column: is_moved(asked, column, coding.frame[column]) for column in asked.order}
    plan = plan_of(asked, predictors, moved, design)
    (fit, draws), seed = _rng.spawn_for_release(rng, 2)
    rules = [*asked.totals, *(_as_coded(rule, asked, coding) for rule in asked.constraints)]
    specification = Sequential(models_of(asked, predictors), rules)
    weights = None if sampled is None else sampled.normalised
    fitted = specification.fit(coding.frame, weights=weights, missing_codes=codes or None, rng=fit, progress=progress)
    _check_made(asked, fitted)
    drawn = fitted.generate(m, rng=draws)
    there = [without_codes(frame, codes) for frame in (coding.frame, *drawn)]
    warn_of_rare(there[0], there[1:], moved | {rule.total: True for rule in asked.totals})
    warn_of_declared(asked.frame, asked.public_levels, asked.constraints)
    kept = [column for column in asked.keep if asked.role[column] != _variable_types.CONSTANT]
    warn_of_unchanged(coding.frame, drawn.frames[0], fitted.synthesized, kept)
    aligned = bool(kept) or not fitted.records_independent
    frames = [_assembled(asked, coding.decoded(frame), aligned) for frame in drawn]
    made = [c for c in asked.frame.columns if c in fitted.synthesized or (c in asked.identifiers and c in frames[0])]
    if design is not None:
        check_unsynthesized(design, made)
        fitted = replace(fitted, survey=design)
    private = {**drawn.private, "seed": seed}
    provenance = {
        "synthesizer": "synthesize",
        "m": m,
        "dataset": drawn.provenance["dataset"],
        KEY: plan.to_dict(),
        **({PUBLIC_LEVELS: list(asked.public_levels)} if asked.public_levels else {}),
        **({} if design is None else {"estimates": fitted.estimates}),
    }
    return Release(frames, made, provenance, rows="aligned" if aligned else "unknown", private=private)


def _as_coded(rule: Constraint, asked: Asked, coding: Coding) -> Constraint:
    """Return a rule that looks at coded columns; one that `Sequential` can build into a model stays what it is."""
    same = (_variable_types.NUMBER, _variable_types.CATEGORY, _variable_types.TRUTH, _variable_types.CONSTANT)
    if isinstance(rule, ZeroUnless) and asked.role[rule.other] in same:
        return rule
    return Decoded(rule, coding)


def _check_made(asked: Asked, fitted: FittedSequential) -> None:
    """Raise where a synthesizer made other variables than those it is named for."""
    for part in fitted.parts:
        named = [c for c, model in asked.models.items() if model is part.specification]
        if named and set(named) != set(part.synthesized):
            raise InputError(
                f"models: the {type(part.specification).__name__} for {_checks.named(named)} makes {_checks.named(part.synthesized)}; "
                "name it for each variable it makes, and for no other"
            )


def _assembled(asked: Asked, made: pd.DataFrame, aligned: bool) -> pd.DataFrame:
    """Return a dataset with the columns of the confidential data in their order."""
    index = asked.frame.index if aligned else pd.RangeIndex(len(made))
    columns = {}
    for column in asked.frame.columns:
        if column in asked.identifiers:
            if asked.treatment == "new":
                columns[column] = _numbers(asked.frame[column]).set_axis(index)
        elif column in (*asked.keep, *asked.constants):
            columns[column] = asked.frame[column].set_axis(index)
        else:
            columns[column] = made[column].set_axis(index)
    frame = pd.DataFrame(columns)
    frame.attrs = dict(asked.frame.attrs)
    return frame


def _numbers(like: pd.Series) -> pd.Series:
    """Return the numbers from 1 on, as text where the identifier is text."""
    numbers = pd.Series(np.arange(1, len(like) + 1))
    if pd.api.types.is_numeric_dtype(like.dtype):
        return numbers.astype(like.dtype)
    return numbers.astype(str).astype(str if isinstance(like.dtype, pd.CategoricalDtype) else like.dtype)
