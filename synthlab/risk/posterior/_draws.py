"""Guesses of the true values: synthetic datasets, their modes, or model simulations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Protocol

import numpy as np
import pandas as pd

from synthlab import _checks, _rng
from synthlab._system import parallel
from synthlab._typing import FloatArray, IntArray
from synthlab.exceptions import InputError
from synthlab.matching.linked_copies import random_matching
from synthlab.release import Release
from synthlab.risk.posterior._attack import Attack
from synthlab.risk.posterior._selection import Admissible, wide_dtype
from synthlab.risk.posterior.rare_combinations import JointSelection


class Simulator(Protocol):
    """Simulator of the intruder: a fit of a released model with fixed or drawn parameters."""

    @property
    def synthesized(self) -> tuple[str, ...]:
        """Variables that are simulated."""
        ...

    @property
    def n_draws(self) -> int | None:
        """Number of draws of the parameters; None if there are no parameters."""
        ...

    @property
    def records_independent(self) -> bool:
        """Whether a record can be drawn without other records and its confidential values."""
        ...

    @property
    def has_probabilities(self) -> bool:
        """Whether `probability_of` has a closed form."""
        ...

    def draw(self, frame: pd.DataFrame, draw: int, rng: np.random.Generator) -> Mapping[str, pd.Series]:
        """Return values for the records of a frame, under one draw of the parameters."""
        ...

    def probability_of(self, frame: pd.DataFrame, values: pd.DataFrame, draw: int) -> FloatArray:
        """Return the probability that record i gets the values of row g, shape (n, g)."""
        ...


def guess_from_datasets(
    release: Release, attack: Attack, columns: Sequence[str], synthesized: Sequence[str], numeric: Sequence[str],
    admissible: Admissible | None, joint: JointSelection | None, classes: IntArray | None, rng: np.random.Generator,
) -> Iterable[pd.DataFrame]:  # fmt: skip
    """Return the guesses if no models are released: the m datasets, or their modes.

    Datasets that contradict the joint selection are not possible true values and are omitted. With `classes`, the modes are
    taken once for each of `attack.draws` random matchings of the datasets.
    """
    frames = [frame[list(columns)] for frame in release]
    if admissible is not None:
        frames = admissible.repair(frames, list(synthesized), rng)
    if joint is not None:
        frames = [frame for frame in frames if joint.holds(frame)]
        if not frames:
            raise InputError(
                "selection: no synthetic dataset satisfies the rule, so the intruder has no guess of the true values; release "
                'models (released="models" or "everything")'
            )
    if attack.strategy == "probability":
        return frames
    never = attack.intruder.missing == "never"
    if classes is None:
        return [_modes(frames, synthesized, numeric, rng, never)]
    if attack.draws == "exact":
        raise InputError('draws="exact": does not apply to modes of linked datasets; pass a number of draws')
    return (
        _modes([frames[0], *(matched(frame, classes, rng) for frame in frames[1:])], synthesized, numeric, rng, never)
        for _ in range(attack.draws)
    )


def matched(frame: pd.DataFrame, classes: IntArray | None, rng: np.random.Generator) -> pd.DataFrame:
    """Return the dataset with its rows in a random order within each class."""
    if classes is None:
        return frame
    return frame.iloc[random_matching(classes, rng)].reset_index(drop=True)


def _modes(
    frames: Sequence[pd.DataFrame], synthesized: Sequence[str], numeric: Sequence[str], rng: np.random.Generator, never: bool
) -> pd.DataFrame:  # fmt: skip
    """Return the most frequent value of each record, and the mean of numeric variables."""
    best = frames[0].copy()
    for column in synthesized:
        if column in numeric:
            best[column] = _mean(np.column_stack([_checks.exact_float(frame[column]) for frame in frames]), rng, never)
        else:
            stacked = np.column_stack([frame[column].astype(object).to_numpy() for frame in frames])
            chosen = _most_frequent(stacked, rng, never)
            best[column] = pd.Series(chosen, index=best.index).astype(wide_dtype(frames[0][column], chosen))
    return best


def _mean(values: FloatArray, rng: np.random.Generator, never: bool) -> FloatArray:
    """Return the mean of each row, or NaN if the missing value is the most frequent value."""
    mean: FloatArray = values.mean(axis=1)
    absent = np.isnan(values)
    some = np.flatnonzero(absent.any(axis=1))
    if some.size:
        there = ~np.isnan(_most_frequent(np.where(absent[some], np.nan, 0.0), rng, never))
        mean[some[there]] = np.nanmean(values[some[there]], axis=1)
    return mean


def _most_frequent(values: Any, rng: np.random.Generator, never: bool = False) -> Any:
    """Return the most frequent value of each row; tied values are equally likely.

    A missing value counts as a value. With `never` it is returned only if all values are missing.
    """
    codes = pd.factorize(values.ravel())[0].reshape(values.shape)
    times = (codes[:, :, None] == codes[:, None, :]).sum(axis=2)
    if never:
        times[codes < 0] = 0
    # All tied values occur equally often, so a random position among them gives a random value.
    order = np.where(times == times.max(axis=1, keepdims=True), rng.random(values.shape), -1.0)
    return values[np.arange(len(values)), order.argmax(axis=1)]


def simulators(
    release: Release, attack: Attack, synthesized: Sequence[str], sampler: Mapping[str, Any], draws: int,
    rng: np.random.Generator,
) -> list[Simulator]:  # fmt: skip
    """Return one simulator per released model."""
    fit_stream, pool_stream = rng.spawn(2)
    number = draws if attack.parameters == "drawn" else None
    found: list[Simulator] = []
    parts = attack.scenario.parts
    streams = zip(fit_stream.spawn(len(parts)), pool_stream.spawn(len(parts)), strict=True)
    for part, (fitting, pooling) in zip(parts, streams, strict=True):
        if attack.scenario.released == "everything":
            _check_fitted(part)
            found.append(part if number is not None else part.pooled(draws=None, rng=pooling))
        else:
            model = getattr(part, "specification", part)
            fits = refit(model, release, sampler, fitting)
            found.append(fits[0].pooled(fits[1:], draws=number, rng=pooling))
    for fit in found:
        if not fit.records_independent:
            raise InputError(
                f"models: synthetic values of {', '.join(fit.synthesized)} are drawn given the confidential values, which the "
                "intruder does not have; release a model that draws from the posterior predictive distribution"
            )
    made = [v for fit in found for v in fit.synthesized]
    absent = [v for v in synthesized if v not in made]
    if absent:
        raise InputError(
            f"models: must simulate all synthesized variables, but not {_checks.shorten(absent)}; they simulate {made}"
        )
    return found


def _check_fitted(part: Any) -> None:
    if not (hasattr(part, "draw") and hasattr(part, "pooled")):
        raise InputError(
            f'models: released="everything" requires fitted models (model.fit(...)), got {type(part).__name__}; with '
            'released="models" the intruder fits them'
        )


def refit(model: Any, release: Release, sampler: Mapping[str, Any], rng: np.random.Generator) -> list[Any]:
    """Fit a released model to each synthetic dataset.

    If a category occurs only in some datasets, a record of weight 0 with this category is added to the others, so that all
    fits have the same coefficients.
    """
    if not hasattr(model, "fit"):
        raise InputError(f"models: {type(model).__name__} is not a synthesizer, because it has no fit method")
    fit = partial(_fit, model, release.n, sampler)
    data = zip(_with_all_categories(release.frames), rng.spawn(release.m), strict=True)
    return parallel.parallel_map(fit, data, prefer="processes", probe=True)


def _fit(model: Any, n: int, sampler: Mapping[str, Any], data: tuple[pd.DataFrame, np.random.Generator]) -> Any:
    """Fit to a dataset whose records after the first n only represent categories."""
    frame, stream = data
    padded = len(frame) - n
    weights = np.concatenate([np.ones(n), np.zeros(padded)]) if padded else None
    return model.fit(frame, weights=weights, rng=stream, **sampler)


def _with_all_categories(frames: Sequence[pd.DataFrame]) -> list[pd.DataFrame]:
    """Add a record of another frame to each frame for every category that it lacks."""
    extra: list[list[pd.DataFrame]] = [[] for _ in frames]
    for column in frames[0].columns:
        first = frames[0][column]
        if _checks.looks_continuous(first) or all(frame[column].equals(first) for frame in frames[1:]):
            continue
        found = [set(frame[column].dropna().unique()) for frame in frames]
        for value in sorted(set().union(*found), key=repr):
            donor = next(number for number, levels in enumerate(found) if value in levels)
            row = frames[donor][(frames[donor][column] == value).to_numpy()].iloc[[0]]
            for number, levels in enumerate(found):
                if value not in levels:
                    extra[number].append(row)
    return [pd.concat([f, *more], ignore_index=True) if more else f for f, more in zip(frames, extra, strict=True)]


def simulate(
    models: Sequence[Simulator], release: Release, columns: Sequence[str], draws: int,
    admissible: Admissible | None, joint: JointSelection | None, classes: IntArray | None, rng: np.random.Generator,
) -> Iterator[pd.DataFrame]:  # fmt: skip
    """Yield simulated datasets, with one stream each; more draws do not change the first ones.

    With `classes`, every simulation uses a random matching of its dataset with the first dataset.
    """
    orders = [_order(model.n_draws, rng.spawn(1)[0]) for model in models]
    for number, stream in enumerate(_rng.spawn(rng, draws)):
        released = matched(release[number % release.m], classes if number % release.m else None, stream)
        chosen = [int(order[number % order.size]) for order in orders]
        if joint is None:
            yield _simulated(models, released.copy(), chosen, admissible, stream)[list(columns)]
            continue

        def propose(
            rows: IntArray,
            released: pd.DataFrame = released,
            chosen: list[int] = chosen,
            stream: np.random.Generator = stream,
        ) -> pd.DataFrame:
            some = released.iloc[rows].reset_index(drop=True)
            within = None if admissible is None else admissible.take(rows)
            return _simulated(models, some, chosen, within, stream)[list(columns)]

        yield joint.sample(released[list(columns)], propose, stream)


def _simulated(
    models: Sequence[Simulator], frame: pd.DataFrame, chosen: Sequence[int], admissible: Admissible | None,
    rng: np.random.Generator,
) -> pd.DataFrame:  # fmt: skip
    """Return the frame with simulated values of all models, under one draw of each model's parameters."""
    for model, draw in zip(models, chosen, strict=True):
        values = model.draw(frame, draw, rng)
        if admissible is not None:
            values = admissible.restrict(model, frame, values, draw, rng)
        for column, series in values.items():
            frame[column] = series.array
    return frame


def _order(n_draws: int | None, rng: np.random.Generator) -> IntArray:
    return np.zeros(1, dtype=np.int64) if n_draws is None else rng.permutation(n_draws).astype(np.int64)
