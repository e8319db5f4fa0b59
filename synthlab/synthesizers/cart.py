"""Sequential synthesis by classification and regression trees: the common non-Bayesian alternative."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from synthlab import _checks, _rng
from synthlab._typing import FloatArray, FrameLike, IntArray, RngLike
from synthlab.design import Design
from synthlab.exceptions import InputError
from synthlab.synthesizers._design import check_complete, is_categorical
from synthlab.synthesizers._frozen import set_fields
from synthlab.synthesizers._levels import Levels
from synthlab.synthesizers._missing import THERE, CodesLike, Keep, Kinds, check_missing, keeping
from synthlab.synthesizers._pymc import sampler_options
from synthlab.synthesizers._transforms import as_continuous
from synthlab.synthesizers.base import Fitted, check_fit, fit_under_design

LARGEST = float(np.finfo(np.float32).max)


@dataclass(frozen=True)
class CART:
    """Synthesizer of any variables, one after the other, by a draw from the leaf of a tree (Reiter 2005).

    For each variable a tree is grown on the confidential data, with `predictors` and the variables
    synthesized before it. A synthetic record falls into a leaf by its predictors, of which those
    synthesized before have their synthetic values, and gets the value of a confidential record of that
    leaf, drawn with replacement (with weights, in proportion to the weight). Numbers that are text or
    categories have a classification tree, others a regression tree; categories enter as indicators.

    A leaf gives away true values: without `smoothing` every synthetic number is a number of some record. There
    are no parameters and no likelihood, so nothing is known about the uncertainty of the trees;
    ``bootstrap=True`` grows them anew, on a bootstrap sample, for each dataset.

    Parameters
    ----------
    variables : sequence of str
        In the order of synthesis.
    predictors : sequence of str, default ()
        Variables that are left unchanged. Without any, the first variable is drawn from its marginal.
    min_leaf : int, default 5
        Fewest records in a leaf.
    smoothing : {None, "normal"}
        "normal": a number drawn from a leaf is moved by a normal kernel with Silverman's bandwidth for
        the values of the leaf, and kept within the range of the confidential values.
    bootstrap : bool, default False
        Grow the trees anew for each dataset.

    Raises
    ------
    InputError
        If `variables` or `predictors` is no list of distinct column names, they overlap, `min_leaf` is below 1, or another
        argument is none of the values allowed.

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

    def __post_init__(self) -> None:
        variables = _checks.check_names(self.variables, "variables")
        predictors = _checks.check_names(self.predictors, "predictors")
        both = [v for v in variables if v in predictors]
        if both:
            raise InputError(f"variables and predictors overlap in {_checks.named(both)}")
        min_leaf = _checks.check_count(self.min_leaf, "min_leaf")
        _checks.check_choice(self.smoothing, "smoothing", [None, "normal"])
        _checks.check_choice(self.bootstrap, "bootstrap", [True, False])
        set_fields(self, variables=variables, predictors=predictors, min_leaf=min_leaf)

    def fit(
        self,
        confidential: FrameLike,
        *,
        weights: object = None,
        design: Design | None = None,
        missing: Keep = "keep",
        missing_codes: CodesLike = None,
        rng: RngLike = None,
        **sampler: Any,
    ) -> FittedCART:
        """Grow the trees.

        Parameters
        ----------
        confidential : pandas.DataFrame, n rows
            The data as collected, with the variables named.
        weights : array_like of shape (n,), optional
            Record weights >= 0, of the splits and of the draws from a leaf. None: 1 for everybody.
        design : Design, optional
            The survey design of the records: its weights, normalised to n, multiply the log-likelihood too; see
            `fit_under_design`. None: the model of the sample.
        missing : {"keep", "raise"}
            "keep": missing is a level of a variable of categories; of one of numbers a first tree says which cells are there,
            and a second one, grown where they are, the number. A predictor of numbers has its median in the place of a missing
            value, and an indicator. "raise": an error.
        missing_codes : mapping of str to sequence of numbers, optional
            For columns of numbers, values that mean missing, such as ``{"income": [-8, -9]}``: each is a kind of missing of
            its own, kept as it is and never taken for a number.
        rng : int, Generator or None
            For ties between splits; the same seed grows the same trees.
        **sampler
            The options of `NormalRegression.fit` are accepted and have no effect.

        Returns
        -------
        FittedCART
            One tree a variable, in ``trees``; those of the kinds of missing values in ``kind_trees``.

        Raises
        ------
        InputError
            If a variable is absent, infinite somewhere, or too large for 32-bit numbers.
        MissingValueError
            If a variable has missing values, with ``missing="raise"``.
        """
        if design is not None:
            return fit_under_design(self, confidential, weights, design, rng, keeping(missing, missing_codes, sampler))
        sampler_options(sampler)
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
        trees, kind_trees = _grow_all(self, frame, levels, kinds, w, _rng.as_generator(rng))
        return FittedCART(self, frame, weights_, tuple(self.variables), None, levels, trees, kinds, kind_trees)


@dataclass(frozen=True, slots=True, eq=False)
class Tree:
    """A grown tree with the confidential records of its leaves; `model` is None when there are no predictors.

    The records of leaf number l are ``records[start[l]:start[l + 1]]``; `leaves` are the tree's own names of them.
    """

    model: Any
    leaves: IntArray
    start: IntArray
    records: IntArray

    def donors(self, matrix: FloatArray, weights: FloatArray, rng: np.random.Generator) -> tuple[IntArray, IntArray]:
        """Draw a confidential record of the same leaf for each row; return them and the leaf numbers."""
        if self.model is None:
            leaf = np.zeros(len(matrix), dtype=np.int64)
        else:
            leaf = np.searchsorted(self.leaves, self.model.apply(matrix.astype(np.float32)))
        cumulative = np.concatenate([[0.0], np.cumsum(weights[self.records])])
        low, high = cumulative[self.start[leaf]], cumulative[self.start[leaf + 1]]
        place = np.searchsorted(cumulative, low + rng.random(leaf.size) * (high - low), side="right") - 1
        return self.records[np.clip(place, self.start[leaf], self.start[leaf + 1] - 1)], leaf


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class FittedCART(Fitted):
    """A fitted `CART`: one tree a variable, in `trees`; `kind_trees` say which numbers are missing."""

    levels: dict[str, Levels] = field(repr=False)
    trees: tuple[Tree, ...] = field(repr=False)
    kinds: dict[str, Kinds] = field(repr=False)
    kind_trees: dict[str, Tree] = field(repr=False)

    def draw(self, frame: pd.DataFrame, draw: int, rng: np.random.Generator) -> dict[str, pd.Series]:
        """Return synthetic values for the records of `frame`."""
        spec: CART = self.specification
        weights = np.ones(len(self.confidential)) if self.weights is None else self.weights
        trees, kind_trees = self.trees, self.kind_trees
        if spec.bootstrap:
            share = weights / weights.sum()
            weights = rng.multinomial(len(weights), share).astype(np.float64)
            trees, kind_trees = _grow_all(spec, self.confidential, self.levels, self.kinds, weights, rng)
        current, result = frame.copy(), {}
        for position, (column, tree) in enumerate(zip(spec.variables, trees, strict=True)):
            predictors = [*spec.predictors, *spec.variables[:position]]
            matrix = _matrix(current, predictors, self.levels, self.kinds)
            donors, leaf = tree.donors(matrix, weights, rng)
            values = self.confidential[column].iloc[donors].set_axis(frame.index)
            if spec.smoothing == "normal" and column not in self.levels:
                values = self._smooth(column, tree, donors, leaf, frame.index, rng)
            if column in self.kinds:
                values = self._with_kinds(column, values, kind_trees[column].donors(matrix, weights, rng)[0])
            current[column] = result[column] = values
        return result

    def _with_kinds(self, column: str, values: pd.Series, donors: IntArray) -> pd.Series:
        """Return the values with the cells of donors that have none in the place of some."""
        kinds, like = self.kinds[column], self.confidential[column]
        drawn = kinds.read(like)[donors]
        return kinds.column_of(drawn, values[drawn == THERE], like, values.index)

    def _smooth(
        self, column: str, tree: Tree, donors: IntArray, leaf: IntArray, index: pd.Index, rng: np.random.Generator
    ) -> pd.Series:
        like = self.confidential[column]
        y = self.kinds[column].filled(like) if column in self.kinds else _checks.as_float(like)
        width = np.array(
            [_bandwidth(y[tree.records[a:b]]) for a, b in zip(tree.start[:-1], tree.start[1:], strict=True)]
        )
        moved = np.clip(y[donors] + width[leaf] * rng.standard_normal(donors.size), y.min(), y.max())
        return as_continuous(moved, like, index)


def _bandwidth(values: FloatArray) -> float:
    """Silverman's rule of thumb; 0 for a leaf of equal values."""
    if values.size < 2:
        return 0.0
    quartiles = np.quantile(values, [0.25, 0.75])
    spreads = [s for s in (values.std(ddof=1), (quartiles[1] - quartiles[0]) / 1.34) if s > 0]
    return float(0.9 * min(spreads) * values.size**-0.2) if spreads else 0.0


def _grow_all(
    spec: CART,
    frame: pd.DataFrame,
    levels: dict[str, Levels],
    kinds: dict[str, Kinds],
    weights: FloatArray,
    rng: np.random.Generator,
) -> tuple[tuple[Tree, ...], dict[str, Tree]]:
    """Grow the trees of the variables, and those of the kinds of numbers with missing values."""
    trees, kind_trees = [], {}
    for position, column in enumerate(spec.variables):
        matrix = _matrix(frame, [*spec.predictors, *spec.variables[:position]], levels, kinds)
        w, numbers = weights, column not in levels
        y = _checks.as_float(frame[column]) if numbers else levels[column].codes(frame)
        if column in kinds:
            cells = kinds[column].numbers(frame)
            kind_trees[column] = _grow(matrix, cells, False, weights, spec.min_leaf, _rng.integer_seed(rng))
            there = cells == THERE
            w = np.where(there, weights, 0.0)
            w = w if w.any() else there.astype(np.float64)  # a bootstrap sample may hold none of few
        trees.append(_grow(matrix, y, numbers, w, spec.min_leaf, _rng.integer_seed(rng)))
    return tuple(trees), kind_trees


def _grow(
    matrix: FloatArray, y: FloatArray | IntArray, numbers: bool, weights: FloatArray, min_leaf: int, seed: int
) -> Tree:
    used = np.flatnonzero(weights > 0)
    if matrix.shape[1] == 0:
        return Tree(None, np.zeros(1, dtype=np.int64), np.array([0, used.size]), used)
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    kind = DecisionTreeRegressor if numbers else DecisionTreeClassifier
    model = kind(min_samples_leaf=min_leaf, random_state=seed)
    model.fit(matrix[used], y[used], sample_weight=weights[used])
    leaf = model.apply(matrix[used].astype(np.float32))
    order = np.argsort(leaf, kind="stable")
    leaves, start = np.unique(leaf[order], return_index=True)
    return Tree(model, leaves.astype(np.int64), np.append(start, used.size).astype(np.int64), used[order])


def _matrix(
    frame: pd.DataFrame, columns: Sequence[str], levels: dict[str, Levels], kinds: dict[str, Kinds]
) -> FloatArray:
    """Return numbers unchanged, indicators of missing ones, and categories as indicators, shape (n, columns)."""
    parts = [np.empty((len(frame), 0))]
    for column in columns:
        if column not in frame.columns:
            raise InputError(f"data: variable {column!r} is absent")
        if column in levels:
            parts.append(np.eye(len(levels[column]))[levels[column].codes(frame)])
        elif column in kinds:
            parts += [kinds[column].filled(frame[column])[:, None], kinds[column].indicators(frame)]
        else:
            check_complete(frame, column, "data")
            parts.append(_checks.as_float(frame[column])[:, None])
    return np.hstack(parts)


__all__ = ["CART", "FittedCART"]
