"""Models of the variables of units, of first members, of later members, and of presence in the waves of a panel."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from synthlab._typing import FloatArray, IntArray
from synthlab.synthesizers._fitted_sequential import Accepts, FittedSequential
from synthlab.synthesizers._missing import Codes
from synthlab.synthesizers._unit_layout import (
    Neighbors,
    Vocabulary,
    first_of,
    next_of,
    previous_of,
    taken,
)
from synthlab.synthesizers.base import Synthesizer
from synthlab.synthesizers.cart import FittedCART
from synthlab.synthesizers.constraints import Constraint
from synthlab.synthesizers.predictor_selection import predictors_of
from synthlab.synthesizers.resample import Resample
from synthlab.synthesizers.sequential import Sequential

ModelOf = Callable[[str, tuple[str, ...]], Synthesizer]
DERIVED = {"first": first_of, "previous": previous_of, "following": next_of}


@dataclass(frozen=True, slots=True, eq=False)
class FittedLevel:
    """Fitted models of one level: units, first members, later members, or presence in a wave.

    Attributes
    ----------
    models : FittedSequential
    used : dict
        The predictors that come from other members or from the structure of the unit: by name, the kind of neighbor and
        the column.
    vocabulary : Vocabulary
        The values of the predictors to which the models were fitted.
    codes : mapping
        Numbers that mean missing, by predictor.
    predictors : dict
        The predictors of each variable.
    """

    models: FittedSequential
    used: dict[str, tuple[str, str]]
    vocabulary: Vocabulary
    codes: Codes
    predictors: dict[str, tuple[str, ...]] = field(repr=False)

    def draw(
        self, frame: pd.DataFrame, draw: int, rng: np.random.Generator, accepts: Accepts | None = None
    ) -> dict[str, pd.Series]:
        """Return synthetic values of the variables for the rows of `context`."""
        return self.models.draw(self.vocabulary.applied(frame, self.codes), draw, rng, accepts)


@dataclass(frozen=True, slots=True, eq=False)
class LevelData:
    """Records of one level with the predictors that come from other members.

    Attributes
    ----------
    frame : pandas.DataFrame
        The columns of the records, and the predictors of `derived`.
    derived : dict
        The predictors that come from other members: by name, the kind of neighbor and the column.
    weights : ndarray or None
    codes : mapping
        Numbers that mean missing, by column and predictor.
    """

    frame: pd.DataFrame
    derived: dict[str, tuple[str, str]]
    weights: FloatArray | None
    codes: Codes


def derived_names(columns: Sequence[str], near: Sequence[str], numbers: Sequence[str]) -> dict[str, tuple[str, str]]:
    """Return the predictors from other members by name: the kind of neighbor, and the column."""
    named = {DERIVED[kind](column): (kind, column) for kind in near for column in columns}
    return named | {name: ("numbers", name) for name in numbers}


def context(frame: pd.DataFrame, rows: IntArray, near: Neighbors, names: Mapping[str, tuple[str, str]]) -> pd.DataFrame:
    """Return the rows of a frame with predictors from other members; the index is the row in the frame."""
    index = pd.Index(rows)
    made: dict[str, pd.Series] = {}
    for name, (kind, column) in names.items():
        if kind == "numbers":
            made[name] = pd.Series(near.numbers[column], index=index)
        else:
            made[name] = taken(frame[column], getattr(near, kind), index)
    own = frame.iloc[rows].set_axis(index)
    return pd.concat([own, pd.DataFrame(made, index=index)], axis=1)


def codes_with_derived(codes: Codes, names: Mapping[str, tuple[str, str]]) -> dict[str, tuple[float, ...]]:
    """Return the numbers that mean missing, also of predictors from other members."""
    more = {name: codes[column] for name, (kind, column) in names.items() if kind != "numbers" and column in codes}
    return {**codes, **more}


def fit_level(
    data: LevelData,
    targets: Sequence[str],
    before: Sequence[str],
    predicts: Callable[[str], bool],
    model_of: ModelOf,
    constraints: Sequence[Constraint],
    rng: np.random.Generator,
    needed: Callable[[str], Sequence[str]],
    progress: bool = False,
) -> FittedLevel:
    """Fit the models of one level.

    Parameters
    ----------
    data : LevelData
        The records.
    targets : sequence of str
        The variables in the order of synthesis.
    before : sequence of str
        Columns and derived predictors that are known before the first variable is drawn.
    predicts : callable
        Whether a column can be a predictor.
    model_of : callable
        Returns the model of a variable with its predictors.
    constraints : sequence of Constraint
    rng : Generator
    needed : callable
        Returns the predictors of a variable that take precedence.
    """
    frame = data.frame
    known = [c for c in before if _varies(frame[c])]
    available: dict[str, list[str]] = {}
    for target in targets:
        available[target] = list(known)
        known += [target] if predicts(target) and _varies(frame[target]) else []
    used = dict.fromkeys([*targets, *(c for names in available.values() for c in names)])
    chosen = predictors_of(frame[list(used)], available, {t: needed(t) for t in targets})
    models = [model_of(t, chosen[t]) if _varies(frame[t]) else Resample([t]) for t in targets]
    outer = list(dict.fromkeys(c for t in targets for c in chosen[t] if c not in targets))
    derived = {name: source for name, source in data.derived.items() if name in outer}
    columns = [c for c in frame.columns if c not in data.derived or c in derived]
    codes = {c: v for c, v in data.codes.items() if c in columns}
    fitted = Sequential(models, constraints).fit(
        frame[columns], weights=data.weights, missing_codes=codes or None, rng=rng, progress=progress
    )
    return FittedLevel(_without_predictors(fitted), derived, Vocabulary.of(frame, outer, codes), codes, chosen)


def _varies(series: pd.Series) -> bool:
    """Return whether a column has at least two values, one of which is not missing."""
    return bool(series.nunique(dropna=False) > 1 and series.notna().any())


def _without_predictors(fitted: FittedSequential) -> FittedSequential:
    """Return the fit without the columns that are not needed to draw values."""
    parts = tuple(
        replace(part, confidential=part.confidential[list(part.synthesized)]) if isinstance(part, FittedCART) else part
        for part in fitted.parts
    )
    return replace(fitted, confidential=fitted.confidential[list(fitted.synthesized)], parts=parts)
