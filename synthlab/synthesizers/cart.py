"""Sequential synthesis by classification and regression trees: the common non-Bayesian alternative."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
from tqdm import tqdm

from synthlab import _checks, _rng
from synthlab._typing import FloatArray, FrameLike, IntArray, RngLike
from synthlab.exceptions import InputError
from synthlab.synthesizers._design import check_complete, is_categorical
from synthlab.synthesizers._frozen import set_fields
from synthlab.synthesizers._levels import Levels
from synthlab.synthesizers._pymc import sampler_options
from synthlab.synthesizers._smoothing import Mover, bandwidth
from synthlab.synthesizers._transforms import as_continuous
from synthlab.synthesizers._trees import Columns, Tree, grow
from synthlab.synthesizers.base import Fitted, check_fit

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
    smoothing : {None, "normal", "rare"}
        "normal": a number drawn from a leaf is moved by a normal kernel with Silverman's bandwidth for
        the values of the leaf, and kept within the range of the confidential values. "rare": so are the numbers that fewer
        than 10 records hold, of variables with more than 20 distinct numbers; see Notes.
    bootstrap : bool, default False
        Grow the trees anew for each dataset.
    predictors_of : mapping {str: sequence of str}, optional
        The predictors of each variable, in place of `predictors` and all variables before it: columns that are left
        unchanged, and variables before it.

    Raises
    ------
    InputError
        If `variables` or `predictors` is no list of distinct column names, they overlap, `min_leaf` is below 1, or another
        argument is none of the values allowed; if `predictors_of` does not name the predictors of each variable, or names
        one that is synthesized later.

    Notes
    -----
    With ``smoothing="rare"`` a number that 10 records or more hold, a spike such as 0 or a rounded income, is released as it
    is, and so is every number of a variable with at most 20 distinct ones: a kernel would make up answers that the
    questionnaire does not have. The others are moved with the bandwidth of the rare numbers of their leaf (of the whole
    variable, where they are equal or alone), reflected at the smallest and the largest rare number, and rounded to the
    grid on which all confidential numbers lie: whole numbers stay whole, prices in cents stay so, multiples of 50 too.

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

    def predictors_at(self, position: int) -> tuple[str, ...]:
        """Return the predictors of the variable at a position."""
        if self.predictors_of is not None:
            return tuple(self.predictors_of[self.variables[position]])
        return (*self.predictors, *self.variables[:position])

    def fit(
        self, confidential: FrameLike, *, weights: object = None, rng: RngLike = None, **sampler: Any
    ) -> FittedCART:
        """Grow the trees.

        Parameters
        ----------
        confidential : pandas.DataFrame, n rows
            The data as collected, with the variables named.
        weights : array_like of shape (n,), optional
            Record weights >= 0, of the splits and of the draws from a leaf. None: 1 for everybody.
        rng : int, Generator or None
            For ties between splits; the same seed grows the same trees.
        **sampler
            The options of `NormalRegression.fit` are accepted; ``progress`` alone has an effect.

        Returns
        -------
        FittedCART
            One tree a variable, in ``trees``.

        Raises
        ------
        InputError
            If a variable is absent, infinite somewhere, or too large for 32-bit numbers.
        MissingValueError
            If a variable has missing values.
        """
        progress = sampler_options(sampler).progress
        frame, weights_ = check_fit(confidential, weights)
        _checks.check_columns(frame, self.variables, "variables", where="confidential")
        used = _checks.check_columns(frame, [*self.predictors, *self.variables], "predictors", where="confidential")
        for column in used:
            check_complete(frame, column, "confidential")
        for loose in (c for c in used if _checks.holds_loose_numbers(frame[c])):
            raise InputError(f"confidential: {_checks.loose_numbers(loose)}")
        levels = {c: Levels.of(frame, c) for c in used if is_categorical(frame[c])}
        for column in used:
            if column not in levels and np.abs(_checks.as_float(frame[column])).max() > LARGEST:
                raise InputError(
                    f"confidential: column {column!r} has values beyond {LARGEST:.2g}, too large for a tree (32-bit numbers); "
                    "divide them by a power of ten"
                )
        w = np.ones(len(frame)) if weights_ is None else weights_
        trees = _grow_all(self, frame, levels, w, _rng.as_generator(rng), progress)
        rare = [c for c in self.variables if self.smoothing == "rare" and c not in levels]
        movers = {column: Mover.of(frame[column]) for column in rare}
        return FittedCART(self, frame, weights_, tuple(self.variables), None, levels, trees, movers)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class FittedCART(Fitted):
    """A fitted `CART`: one tree a variable, in `trees`."""

    levels: dict[str, Levels] = field(repr=False)
    trees: tuple[Tree, ...] = field(repr=False)

    movers: dict[str, Mover | None] = field(repr=False, default_factory=dict)

    def draw(self, frame: pd.DataFrame, draw: int, rng: np.random.Generator) -> dict[str, pd.Series]:
        """Return synthetic values for the records of `frame`."""
        spec: CART = self.specification
        weights = np.ones(len(self.confidential)) if self.weights is None else self.weights
        trees = self.trees
        if spec.bootstrap:
            share = weights / weights.sum()
            weights = rng.multinomial(len(weights), share).astype(np.float64)
            trees = _grow_all(spec, self.confidential, self.levels, weights, rng)
        columns, result = Columns(frame, self.levels), {}
        for position, (column, tree) in enumerate(zip(spec.variables, trees, strict=True)):
            donors, leaf = tree.donors(columns.matrix(spec.predictors_at(position)), weights, rng)
            result[column] = self._values(column, tree, donors, leaf, frame.index, rng)
            columns.replace(column, result[column])
        return result

    def _values(
        self, column: str, tree: Tree, donors: IntArray, leaf: IntArray, index: pd.Index, rng: np.random.Generator
    ) -> pd.Series:
        """Return the values of the donors, smoothed where that is asked for."""
        confidential = self.confidential[column]
        if self.specification.smoothing == "normal" and column not in self.levels:
            y = _checks.as_float(confidential)
            width = np.array([bandwidth(y[tree.records[a:b]]) for a, b in pairwise(tree.start)])
            moved = np.clip(y[donors] + width[leaf] * rng.standard_normal(donors.size), y.min(), y.max())
            return as_continuous(moved, confidential, index)
        mover = self.movers.get(column)
        if mover is None:
            return confidential.iloc[donors].set_axis(index)
        moved = mover.move(donors, leaf, tree.start, tree.records, rng.standard_normal(donors.size))
        return pd.Series(moved, index=index, name=column).astype(confidential.dtype)


def _named_predictors(value: object, variables: Sequence[str]) -> dict[str, tuple[str, ...]]:
    given = _checks.check_mapping(value, "predictors_of", "variables to lists of predictors")
    if set(given) != set(variables):
        raise InputError("predictors_of: must name the predictors of each variable of variables, and of no other")
    named = {v: _checks.check_names(given[v], "predictors_of") for v in variables}
    for position, variable in enumerate(variables):
        later = [c for c in named[variable] if c in variables[position:]]
        if later:
            raise InputError(f"predictors_of: {_checks.named(later)} comes no earlier than {variable!r} in variables")
    return named


def _grow_all(
    spec: CART,
    frame: pd.DataFrame,
    levels: dict[str, Levels],
    weights: FloatArray,
    rng: np.random.Generator,
    progress: bool = False,
) -> tuple[Tree, ...]:
    columns, trees = Columns(frame, levels), []
    for position, column in enumerate(tqdm(spec.variables, "trees", delay=1.0, disable=not progress)):
        matrix = columns.matrix(spec.predictors_at(position))
        trees.append(grow(matrix, frame, column, levels.get(column), weights, spec.min_leaf, _rng.integer_seed(rng)))
    return tuple(trees)


__all__ = ["CART", "FittedCART"]
