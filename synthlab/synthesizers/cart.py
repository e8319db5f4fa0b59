"""Sequential synthesis by classification and regression trees."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, Self, cast

import numpy as np
import pandas as pd
from tqdm import tqdm

from synthlab import _checks, _rng
from synthlab._typing import FloatArray, FrameLike, IntArray, RngLike
from synthlab.design import SurveyDesign
from synthlab.exceptions import InputError
from synthlab.synthesizers._design import check_complete, is_categorical
from synthlab.synthesizers._frozen import set_fields
from synthlab.synthesizers._levels import Levels
from synthlab.synthesizers._missing import THERE, CodesLike, Keep, Kinds, check_missing, keeping
from synthlab.synthesizers._pymc import sampler_options
from synthlab.synthesizers._rounding import Calendar
from synthlab.synthesizers._smoothing import Mover, bandwidth
from synthlab.synthesizers._transforms import as_continuous
from synthlab.synthesizers._trees import Columns, Tree, grow
from synthlab.synthesizers._unfitted import Unfitted
from synthlab.synthesizers.base import Fitted, check_fit, fit_under_design

LARGEST = float(np.finfo(np.float32).max)


@dataclass(frozen=True)
class CART(Unfitted):
    """Synthesizer that draws each variable from the leaves of a tree (Reiter 2005).

    The variables are synthesized one after the other. For each variable a tree is grown on the confidential data. Its
    predictors are `predictors` and the variables synthesized before it. A synthetic record is assigned to a leaf by its
    predictors; predictors synthesized before have their synthetic values. The record gets the value of a confidential
    record of that leaf, drawn with replacement and, if there are weights, in proportion to the weight. Text and
    categories have a classification tree, numbers a regression tree. As predictors, categories are represented by
    indicators.

    Leaves contain confidential values: without `smoothing`, every synthetic number is the number of some record. There
    are no parameters and no likelihood, so the uncertainty of the trees is not represented. With ``bootstrap=True``,
    the trees are grown anew on a bootstrap sample for each dataset.

    Parameters
    ----------
    variables : sequence of str
        Variables to synthesize, in this order.
    predictors : sequence of str, default ()
        Variables that are left unchanged. Without predictors, the first variable is drawn from its marginal
        distribution.
    min_leaf : int, default 5
        Smallest number of records in a leaf.
    smoothing : {None, "normal", "rare"}
        "normal": normal noise is added to each number drawn from a leaf, with Silverman's bandwidth for the values of
        the leaf. The result is clipped to the range of the confidential values. Whole numbers become floats; bools do
        not change. "rare": only numbers that fewer than 10 records have are changed, in variables with more than 20
        distinct numbers; see Notes.
    bootstrap : bool, default False
        Grow the trees anew for each dataset.
    predictors_of : mapping {str: sequence of str}, optional
        The predictors of each variable, instead of `predictors` and all variables before it. They are columns that are
        left unchanged, or variables earlier in `variables`.

    Raises
    ------
    InputError
        If `variables` or `predictors` is not a list of distinct column names, or the two overlap. If `min_leaf` is
        below 1, or another argument has a value that is not allowed. If `predictors_of` does not name the predictors of
        each variable, or names one that is synthesized later.

    Notes
    -----
    With ``smoothing="rare"``, a number that at least 10 records have, such as 0 or a rounded income, is released
    unchanged. So is every number of a variable with at most 20 distinct numbers, because a kernel would create answers
    that the questionnaire does not allow. The other numbers are moved with the bandwidth of the rare numbers of their
    leaf. If these are equal, or there is only one, the bandwidth of the whole variable is used. The bandwidth is at
    most half the distance between two rare numbers, one k rare numbers below and one k above, where k is the square root
    of the number of records, at least 5 and at most 40. This preserves dense and sparse parts of the distribution. Moved numbers are reflected at the smallest and largest rare number, and rounded to the
    grid of the confidential numbers: whole numbers, cents or multiples of 50 remain such. On a grid, the smallest and
    largest rare number are not released because they identify a person.

    If many numbers are round, such as multiples of 1,000, a moved number has the rounding of the number from which it
    was moved: a multiple of 1,000 becomes another multiple of 1,000, and a multiple of 100 becomes a multiple of 100
    that is not a multiple of 1,000. The shares of round numbers are therefore preserved. The bandwidth is then at least
    the unit, and a number that only one record has is not rounded to itself. The same holds for the first or last days
    of months, quarters and years, days of the week, and whole hours in dates that `synthesize` models.

    Moved numbers do not cross a gap that is wide compared with the distances between its neighbors. Repeated numbers
    far from all others, such as -9 or 999, are not moved. A single number far from all others is moved.

    Examples
    --------
    >>> import synthlab as sl
    >>> survey = sl.datasets.load("affairs").frame
    >>> fitted = sl.CART(["occupation", "yrs_married"], predictors=["age", "educ"]).fit(survey, rng=1)
    >>> fitted.generate(m=2, rng=2).synthesized
    ('occupation', 'yrs_married')
    """

    variables: Sequence[str]
    predictors: Sequence[str] = ()
    min_leaf: int = 5
    smoothing: str | None = None
    bootstrap: bool = False
    predictors_of: Mapping[str, Sequence[str]] | None = field(default=None, repr=False)
    _calendars: Mapping[str, Calendar] | None = field(default=None, repr=False)
    _within: Mapping[str, str] | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        variables = _checks.check_names(self.variables, "variables")
        predictors = _checks.check_names(self.predictors, "predictors")
        both = [v for v in variables if v in predictors]
        if both:
            raise InputError(f"variables and predictors overlap in {_checks.named(both)}")
        min_leaf = _checks.check_count(self.min_leaf, "min_leaf")
        _checks.check_choice(self.smoothing, "smoothing", [None, "normal", "rare"])
        _checks.check_choice(self.bootstrap, "bootstrap", [True, False])
        named = None if self.predictors_of is None else _named_predictors(self.predictors_of, variables)
        if named is not None:
            predictors = tuple(
                dict.fromkeys([*predictors, *(c for v in named.values() for c in v if c not in variables)])
            )
        set_fields(self, variables=variables, predictors=predictors, min_leaf=min_leaf, predictors_of=named)

    def _predictors_at(self, position: int) -> tuple[str, ...]:
        """Return the predictors of the variable at a position."""
        if self.predictors_of is not None:
            return tuple(self.predictors_of[self.variables[position]])
        return (*self.predictors, *self.variables[:position])

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
    ) -> FittedCART:
        """Grow the trees.

        Parameters
        ----------
        confidential : pandas.DataFrame, n rows
            The confidential data with all variables of the synthesizer.
        weights : array_like of shape (n,), optional
            Record weights >= 0, used in the splits and in the draws from a leaf. Default: 1 for every record.
        design : SurveyDesign, optional
            The survey design of the records. Its weights, normalized to sum to n, are multiplied by `weights`; see
            `fit_under_design`. Default: no design, which estimates the model of the sample.
        missing : {"keep", "raise"}
            "keep": in a categorical variable, missing is a level. For a numeric variable, a first tree models which
            values are missing, and a second tree, grown on the observed values, models the number. In a numeric
            predictor, missing values are replaced by the median, and an indicator is added. "raise": missing values are
            an error.
        missing_codes : mapping of str to sequence of numbers, optional
            Values of numeric columns that mean missing, such as ``{"income": [-8, -9]}``. Each code is a separate kind
            of missing value; it is kept, and never used as a number.
        rng : int, Generator or None
            Seed or generator, used for ties between splits; the same seed grows the same trees.
        **sampler
            The options of `NormalRegression.fit` are accepted; only ``progress`` has an effect.

        Returns
        -------
        FittedCART
            The fit. ``trees`` holds one tree per variable, ``kind_trees`` the trees of the kinds of missing values.

        Raises
        ------
        InputError
            If a variable is absent, has infinite values, or has values too large for 32-bit numbers.
        MissingValueError
            If a variable has missing values, with ``missing="raise"``.
        """
        if design is not None:
            return fit_under_design(self, confidential, weights, design, rng, keeping(missing, missing_codes, sampler))
        progress = sampler_options(sampler).progress
        frame, weights_ = check_fit(confidential, weights)
        _checks.check_columns(frame, self.variables, "variables", where="confidential")
        used = _checks.check_columns(frame, [*self.predictors, *self.variables], "predictors", where="confidential")
        codes = check_missing(frame, missing, missing_codes, used)
        for column in used:
            check_complete(frame, column, "confidential", lost=True)
        for loose in (c for c in used if _checks.holds_loose_numbers(frame[c])):
            raise InputError(f"confidential: {_checks.loose_numbers(loose)}")
        levels = {c: Levels.of(frame, c, keep=True) for c in used if is_categorical(frame[c])}
        found = {c: Kinds.of(frame, c, codes or {}) for c in used if c not in levels}
        kinds = {column: one for column, one in found.items() if one is not None}
        for column in used:
            if column not in levels and np.nanmax(np.abs(_checks.as_float(frame[column]))) > LARGEST:
                raise InputError(
                    f"confidential: column {column!r} has values beyond {LARGEST:.2g}, too large for a tree (32-bit numbers); "
                    "divide them by a power of ten"
                )
        w = np.ones(len(frame)) if weights_ is None else weights_
        trees, kind_trees = _grow_all(self, frame, levels, kinds, w, _rng.as_generator(rng), progress)
        rare = [c for c in self.variables if self.smoothing == "rare" and c not in levels]
        calendars = self._calendars or {}
        movers = {column: Mover.of(frame[column], kinds.get(column), calendars.get(column)) for column in rare}
        return FittedCART(self, frame, weights_, tuple(self.variables), None, levels, trees, kinds, kind_trees, movers)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class FittedCART(Fitted):
    """A fitted `CART`.

    `trees` has one tree per variable. `kind_trees` model which numbers are missing.
    """

    levels: dict[str, Levels] = field(repr=False)
    trees: tuple[Tree, ...] = field(repr=False)
    kinds: dict[str, Kinds] = field(repr=False)
    kind_trees: dict[str, Tree] = field(repr=False)
    movers: dict[str, Mover | None] = field(repr=False)

    @property
    def draws_parameters(self) -> bool:
        """True if the trees are grown on a new bootstrap sample for each dataset."""
        return bool(self.specification.bootstrap)

    def draw(self, frame: pd.DataFrame, draw: int, rng: np.random.Generator) -> dict[str, pd.Series]:
        """Return synthetic values for the records of `frame`."""
        spec: CART = self.specification
        weights = np.ones(len(self.confidential)) if self.weights is None else self.weights
        trees, kind_trees = self.trees, self.kind_trees
        if spec.bootstrap:
            share = weights / weights.sum()
            weights = rng.multinomial(len(weights), share).astype(np.float64)
            trees, kind_trees = _grow_all(spec, self.confidential, self.levels, self.kinds, weights, rng)
        columns = Columns(frame, self.levels, self.kinds)
        result: dict[str, pd.Series] = {}
        for position, (column, tree) in enumerate(zip(spec.variables, trees, strict=True)):
            if column not in self.synthesized:  # its values are given
                continue
            matrix = columns.matrix(spec._predictors_at(position))
            donors, leaf = tree.donors(matrix, weights, rng)
            group = (spec._within or {}).get(column)
            if group is not None:
                groups = result[group] if group in result else frame[group]
                donors = _within_groups(donors, leaf, tree, self.confidential[group], groups, weights, rng)
            values = self._values(column, tree, donors, leaf, frame.index, rng)
            if column in self.kinds:
                values = self._with_kinds(column, values, kind_trees[column].donors(matrix, weights, rng)[0])
            result[column] = values
            columns.replace(column, values)
        return result

    def _after(self, given: pd.DataFrame) -> Self:
        return replace(self, synthesized=tuple(v for v in self.synthesized if v not in given.columns))

    def _with_kinds(self, column: str, values: pd.Series, donors: IntArray) -> pd.Series:
        """Return the values, set to missing if the donor's value is missing."""
        kinds, like = self.kinds[column], self.confidential[column]
        drawn = kinds.read(like)[donors]
        return kinds.column_of(drawn, values[drawn == THERE], like, values.index)

    def _values(
        self, column: str, tree: Tree, donors: IntArray, leaf: IntArray, index: pd.Index, rng: np.random.Generator
    ) -> pd.Series:
        """Return the values of the donors, smoothed as specified."""
        confidential = self.confidential[column]
        bools = pd.api.types.is_bool_dtype(confidential.dtype)
        if self.specification.smoothing == "normal" and column not in self.levels and not bools:
            y = self.kinds[column].filled(confidential) if column in self.kinds else _checks.as_float(confidential)
            width = np.array([bandwidth(y[tree.records[a:b]]) for a, b in pairwise(tree.start)])
            moved = np.clip(y[donors] + width[leaf] * rng.standard_normal(donors.size), y.min(), y.max())
            return as_continuous(moved, confidential, index)
        mover = self.movers.get(column)
        if mover is None:
            return confidential.iloc[donors].set_axis(index)
        moved = mover.move(donors, leaf, tree.start, tree.records, rng.standard_normal(donors.size))
        return pd.Series(moved, index=index, name=column).astype(confidential.dtype)


def _within_groups(
    donors: IntArray,
    leaf: IntArray,
    tree: Tree,
    confidential: pd.Series,
    synthetic: pd.Series,
    weights: FloatArray,
    rng: np.random.Generator,
) -> IntArray:
    """Return donors that have the group of their record, from its leaf if possible, else from the whole group."""
    codes, distinct = pd.factorize(confidential.astype(object), use_na_sentinel=False)
    asked = pd.Index(distinct).get_indexer(pd.Index(synthetic.astype(object)))
    wrong = np.flatnonzero((codes[donors] != asked) & (asked >= 0))
    donors = donors.copy()
    for key, members in pd.Series(wrong).groupby([leaf[wrong], asked[wrong]], sort=True):
        (place, group), rows = cast("tuple[int, int]", key), members.to_numpy()
        records = tree.records[tree.start[place] : tree.start[place + 1]]
        for pool in (records[codes[records] == group], np.flatnonzero(codes == group)):
            total = weights[pool].sum()
            if total > 0:
                donors[rows] = pool[rng.choice(pool.size, rows.size, p=weights[pool] / total)]
                break
    return donors


def _named_predictors(value: object, variables: Sequence[str]) -> dict[str, tuple[str, ...]]:
    given = _checks.check_mapping(value, "predictors_of", "variables to lists of predictors")
    if set(given) != set(variables):
        raise InputError("predictors_of: must have one entry for each variable in variables, and no other")
    named = {v: _checks.check_names(given[v], "predictors_of") for v in variables}
    for position, variable in enumerate(variables):
        later = [c for c in named[variable] if c in variables[position:]]
        if later:
            raise InputError(f"predictors_of: {_checks.named(later)} must come before {variable!r} in variables")
    return named


def _grow_all(
    spec: CART,
    frame: pd.DataFrame,
    levels: dict[str, Levels],
    kinds: dict[str, Kinds],
    weights: FloatArray,
    rng: np.random.Generator,
    progress: bool = False,
) -> tuple[tuple[Tree, ...], dict[str, Tree]]:
    """Grow the trees of the variables and of the kinds of missing values."""
    columns, trees, kind_trees = Columns(frame, levels, kinds), [], {}
    for position, column in enumerate(tqdm(spec.variables, "trees", delay=1.0, disable=not progress)):
        matrix = columns.matrix(spec._predictors_at(position))
        w, numbers = weights, column not in levels
        y = _checks.as_float(frame[column]) if numbers else levels[column].codes(frame)
        if column in kinds:
            cells = kinds[column].numbers(frame)
            kind_trees[column] = grow(matrix, cells, False, weights, spec.min_leaf, _rng.integer_seed(rng))
            there = cells == THERE
            w = np.where(there, weights, 0.0)
            w = w if w.any() else there.astype(np.float64)  # a bootstrap sample can lack all observed values
        trees.append(grow(matrix, y, numbers, w, spec.min_leaf, _rng.integer_seed(rng)))
    return tuple(trees), kind_trees


__all__ = ["CART", "FittedCART"]
