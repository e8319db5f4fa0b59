"""Multiple imputation of missing values before synthesis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from synthlab import _checks, _rng
from synthlab._system import size_limits
from synthlab._typing import BoolArray, FrameLike, RngLike
from synthlab.exceptions import InputError
from synthlab.release import Release
from synthlab.release.manifest import SYNTHESIS
from synthlab.synthesizers._frozen import set_fields
from synthlab.synthesizers._missing import CodesLike, check_missing, missing_throughout, without_codes
from synthlab.synthesizers.base import Synthesizer
from synthlab.synthesizers.cart import CART

MOST_ROUNDS = 1_000


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Imputed:
    """M completed copies of data with missing values, each synthesized r times.

    In each copy, missing values are first replaced by draws from the observed values. Then `rounds` rounds of chained
    equations follow. In each round, every variable with missing values is imputed in turn, beginning with the variable
    with the fewest missing values, by a draw from its model given the current values of all other variables. The model
    is the one in `models`, with a new posterior draw for each imputation. By default it is a tree on all other
    variables (`CART`), grown on a bootstrap sample, with a draw from the leaf of the record. Observed values do not
    change.

    Synthetic data generated from these copies have no missing values. Use `combine_nested` to combine the estimates
    from the M times r datasets; the combining rule for one level would treat imputed values as observed.

    Parameters
    ----------
    confidential : DataFrame or Dataset, n rows
        The data as collected.
    M : int >= 2, default 5
        Number of imputations (nests), at most 10,000.
    models : mapping of str to Synthesizer, optional
        Models of variables with missing values, by name; each synthesizes only this variable. Default: trees.
    variables : sequence of str, optional
        The variables that are imputed or used as predictors; other variables do not change. Default: all columns.
    missing_codes : mapping of str to sequence of numbers, optional
        Values of numeric columns that mean missing, such as ``{"income": [-8, -9]}``; they are imputed too. Omit a code
        that means that the question does not apply.
    rounds : int, default 5
        Number of rounds, at most 1,000.
    rng : int, Generator or None
        Seed or generator, with one stream per imputation; the same seed gives the same copies.
    sampler : mapping, optional
        Options passed to the `fit` of `models`, such as ``{"draws": 200}``.

    Attributes
    ----------
    frames : tuple of pandas.DataFrame
        The M completed copies.

    Raises
    ------
    InputError
        If an argument has a value that is not allowed, no value is missing, or a variable has only missing values.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> import synthlab as sl
    >>> rng = np.random.default_rng(1)
    >>> survey = pd.DataFrame({"age": rng.integers(18, 80, 200)})
    >>> survey["income"] = (100.0 * survey["age"] + rng.normal(0, 500, 200)).mask(rng.random(200) < 0.3)
    >>> imputed = sl.Imputed(survey, M=3, rng=1)
    >>> release = imputed.synthesize(sl.CART(["income"], predictors=["age"]), r=2, rng=2)
    >>> release.m, release.provenance["nests"]
    (6, 3)
    >>> means = np.reshape([frame["income"].mean() for frame in release], (3, 2))
    >>> variances = np.reshape([frame["income"].var() / 200 for frame in release], (3, 2))
    >>> sl.combine_nested(means, variances).synthesis
    'nested'
    """

    confidential: FrameLike
    M: int = 5
    models: Mapping[str, Synthesizer] | None = None
    variables: Sequence[str] | None = None
    missing_codes: CodesLike = None
    rounds: int = 5
    rng: RngLike = field(default=None)
    sampler: Mapping[str, Any] | None = None
    frames: tuple[pd.DataFrame, ...] = field(init=False)

    def __post_init__(self) -> None:
        frame = _checks.check_frame(self.confidential, "confidential")
        nests = _checks.check_count(self.M, "M", 2, size_limits.COUNTS["m"])
        rounds = _checks.check_count(self.rounds, "rounds", 1, MOST_ROUNDS)
        chosen = list(frame.columns) if self.variables is None else self.variables
        names = _checks.check_columns(frame, chosen, "variables", where="confidential")
        given, frame = frame, without_codes(frame, check_missing(frame, "keep", self.missing_codes, ()))
        holes = {name: frame[name].isna().to_numpy(dtype=bool) for name in names}
        holes = {name: rows for name, rows in sorted(holes.items(), key=lambda item: item[1].sum()) if rows.any()}
        if not holes:
            raise InputError("confidential: no value of the variables is missing, so there is nothing to impute")
        for name, rows in holes.items():
            if rows.all():
                raise missing_throughout(frame, name)
        models = _checks.check_mapping(
            {} if self.models is None else self.models, "models", "variables to synthesizers"
        )
        sampler = _checks.check_mapping({} if self.sampler is None else self.sampler, "sampler", "options to values")
        for option in sampler:
            _checks.check_text(option, "sampler")
        for name, model in models.items():
            if name not in holes:
                raise InputError(f"models: {_checks.named([name])} is not a variable with missing values")
            if not isinstance(model, Synthesizer) or isinstance(model, type):
                raise InputError(f"models: {_checks.described(model)} is not a synthesizer")
        copies = [_complete(frame, names, holes, models, rounds, sampler, one) for one in _rng.spawn(self.rng, nests)]
        for name in [c for c in holes if pd.api.types.is_integer_dtype(given[c].dtype)]:  # NaN replaced codes
            if all((one[name] == one[name].round()).all() for one in copies):
                copies = [one.astype({name: given[name].dtype}) for one in copies]
        set_fields(self, confidential=frame, frames=tuple(copies), rng=None)

    def synthesize(
        self, model: Synthesizer, r: int = 5, *, weights: object = None, rng: RngLike = None, **sampler: Any
    ) -> Release:
        """Fit a synthesizer to each completed copy and generate r datasets from each fit.

        Parameters
        ----------
        model : Synthesizer
            The synthesizer, which is fitted to every copy.
        r : int >= 2, default 5
            Number of syntheses in each nest. With one synthesis, the variance of the syntheses and the variance of the
            imputations cannot be separated. With fewer than 5, many combined intervals are too wide to be useful; see
            `combine_nested`.
        weights : array_like of shape (n,), optional
            Record weights >= 0 of the fits.
        rng : int, Generator or None
            One stream for each nest. None draws a key of 128 bits, which is kept in ``private["seed"]`` of the release.
            Omit `rng` for a release that is published: `Release.save` refuses a short seed.
        **sampler
            Options of the fits.

        Returns
        -------
        Release
            A release of M times r datasets, ordered by nest. Its ``provenance["nests"]`` is M, and `analysis_utility`
            combines estimates by the rule for nested imputation.

        Raises
        ------
        InputError
            If r is below 2, or the fit of the model raises an error.
        """
        if not isinstance(model, Synthesizer) or isinstance(model, type):
            raise InputError(f"model: {_checks.described(model)} is not a synthesizer")
        r = _checks.check_count(r, "r", 2, size_limits.COUNTS["m"])
        frames: list[pd.DataFrame] = []
        made: Release | None = None
        streams, seed = _rng.spawn_for_release(rng, len(self.frames))
        for frame, stream in zip(self.frames, streams, strict=True):
            first, second = _rng.spawn(stream, 2)
            made = model.fit(frame, weights=weights, rng=first, **sampler).generate(r, rng=second)
            frames += made.frames
        if made is None:  # always true: there are at least two nests
            raise InputError("M: there is no completed copy")
        provenance = {**made.provenance, "m": len(frames), "nests": len(self.frames), SYNTHESIS: "nested"}
        return Release(frames, made.synthesized, provenance, rows=made.rows, private={"seed": seed})

    def __repr__(self) -> str:
        return f"Imputed: {len(self.frames)} completed copies of {len(self.frames[0]):,} records"


def _complete(
    frame: pd.DataFrame,
    names: Sequence[str],
    holes: Mapping[str, BoolArray],
    models: Mapping[str, Synthesizer],
    rounds: int,
    sampler: Mapping[str, Any],
    rng: np.random.Generator,
) -> pd.DataFrame:
    """Return one completed copy."""
    current = frame.copy()
    for name, rows in holes.items():
        donors = rng.choice(np.flatnonzero(~rows), int(rows.sum()))
        current[name] = _put(frame[name], rows, frame[name].iloc[donors])
    for _ in range(rounds):
        for name, rows in holes.items():
            drawn = _draw(models.get(name), name, current, names, rows, sampler, rng)
            current[name] = _put(current[name], rows, drawn)
    return current


def _draw(
    model: Synthesizer | None,
    name: str,
    current: pd.DataFrame,
    names: Sequence[str],
    rows: BoolArray,
    sampler: Mapping[str, Any],
    rng: np.random.Generator,
) -> pd.Series:
    """Draw values of a variable for the records in which it is missing."""
    there = current[~rows]
    fitted: Any
    if model is None:
        # The model is fitted to all records so that it knows all levels; records with missing values have weight 0.
        chosen = np.zeros(len(current))
        chosen[~rows] = rng.multinomial(len(there), np.full(len(there), 1 / len(there)))
        others = [c for c in names if c != name]
        fitted = CART([name], predictors=others).fit(current[list(names)], weights=chosen, rng=rng)
    else:
        fitted = model.fit(there, rng=rng, **sampler)
        if tuple(fitted.synthesized) != (name,):
            raise InputError(f"models: the model of {name!r} must synthesize this variable and no other")
    number = 0 if fitted.n_draws is None else int(rng.integers(fitted.n_draws))
    values: pd.Series = fitted.draw(current[rows], number, rng)[name]
    return values


def _put(column: pd.Series, rows: BoolArray, values: pd.Series) -> pd.Series:
    """Return the column with new values in some rows, as float if needed."""
    numbers = pd.api.types.is_integer_dtype(column.dtype) and pd.api.types.is_float_dtype(values.dtype)
    result = column.astype("Float64" if column.isna().any() else values.dtype) if numbers else column.copy()
    result.iloc[np.flatnonzero(rows)] = values.array
    return result


__all__ = ["Imputed"]
