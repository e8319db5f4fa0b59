"""Redrawing of synthetic records that break a condition."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from synthlab._typing import BoolArray, FloatArray, IntArray
from synthlab._warnings import warn
from synthlab.exceptions import FitError, InputError, RelationWarning
from synthlab.synthesis._encoding import Coding
from synthlab.synthesis.relations import Condition
from synthlab.synthesizers.cart import FittedCART
from synthlab.synthesizers.sequential import FittedSequential

TRIES = 20  # largest number of times that a record is drawn again
MOST = 0.2  # largest share of records that break a condition and are redrawn
INCREASE = 0.02  # increase of a distance to the confidential data that is reported
ERRORS = 4  # the same, in standard errors


@dataclass(frozen=True, slots=True, eq=False)
class Redrawn:
    """Encoded datasets after redrawing.

    Attributes
    ----------
    frames : list of pandas.DataFrame
        The encoded datasets.
    share : float
        Share of the records that were redrawn.
    shares : dict
        Share of the records that were redrawn because they broke a condition, by condition.
    dropped : tuple of Condition
        Detected conditions that more than 20% of the drawn records break, which are not enforced.
    """

    frames: list[pd.DataFrame] = field(repr=False)
    share: float
    shares: dict[Condition, float]
    dropped: tuple[Condition, ...]


def redraw(
    fitted: FittedSequential,
    coding: Coding,
    frames: Sequence[pd.DataFrame],
    draws: Sequence[int],
    conditions: Sequence[Condition],
    declared: Collection[Condition],
    streams: Sequence[np.random.Generator],
) -> Redrawn:
    """Draw the records that break a condition again, at most 20 times.

    The variables that are drawn again are the last variable of the broken condition in the order of synthesis and those
    modeled after it, given the others. After half of the tries, they are the first variable of the condition and those
    modeled after it. The draws are therefore conditional on the conditions.

    Parameters
    ----------
    fitted : FittedSequential
        The fit.
    coding : Coding
        The encoding of the columns.
    frames : sequence of pandas.DataFrame
        The encoded datasets.
    draws : sequence of int
        The posterior draw of each dataset.
    conditions : sequence of Condition
        Conditions on decoded columns.
    declared : collection of Condition
        Conditions that the user declared.
    streams : sequence of numpy.random.Generator
        A generator for each dataset.

    Returns
    -------
    Redrawn

    Raises
    ------
    InputError
        If more than 20% of the records of the first dataset break a declared condition.

    Warns
    -----
    RelationWarning
        Redrawing increases the distance of a column to the confidential data (Kolmogorov-Smirnov or total variation) by
        more than 0.02 and more than 4 standard errors.
    """
    work = _Redrawing(fitted, coding)
    active, dropped = list(conditions), []
    decoded = [coding.decoded(frame) for frame in frames]
    for condition in conditions:
        share = float((~condition.holds(decoded[0])).mean())
        if share <= MOST:
            continue
        if condition in declared:
            raise InputError(
                f"relations: '{condition}': {share:.0%} of the drawn records break the relation, more than {MOST:.0%}, so "
                "they cannot be redrawn; synthesize its columns with trees, change the order, or remove the relation"
            )
        active.remove(condition)
        dropped.append(condition)
    counts = dict.fromkeys(active, 0)
    total, changed = 0, []
    for frame, made, draw, rng in zip(frames, decoded, draws, streams, strict=True):
        broken = {condition: ~condition.holds(made) for condition in active}
        for condition, rows in broken.items():
            counts[condition] += int(rows.sum())
        total += int(np.any([*broken.values()], axis=0).sum()) if broken else 0
        changed.append(work.satisfying(frame, broken, draw, rng) if broken else frame)
    size = sum(map(len, frames))
    if total:
        _warn_of_distances(coding, decoded, [coding.decoded(frame) for frame in changed])
    shares = {condition: count / size for condition, count in counts.items() if count}
    return Redrawn(changed, total / size, shares, tuple(dropped))


class _Redrawing:
    """The variables of a fit in order, and the positions from which they can be drawn again."""

    def __init__(self, fitted: FittedSequential, coding: Coding) -> None:
        self.fitted, self.coding = fitted, coding
        self.order = [v for part in fitted.parts for v in part.synthesized]
        self.start: dict[str, int] = {}
        for part in fitted.parts:
            first = self.order.index(part.synthesized[0])
            for place, column in enumerate(part.synthesized):
                self.start[column] = first + place if isinstance(part, FittedCART) else first

    def starts(self, condition: Condition) -> list[int]:
        """Return the positions from which the variables of a condition can be drawn again, in order."""
        preserved = self.coding.computation.preserved
        columns = {c for column in condition.variables for c in preserved.depends(column)}
        return sorted({self.start[c] for c in columns if c in self.start})

    def satisfying(
        self, frame: pd.DataFrame, broken: Mapping[Condition, BoolArray], draw: int, rng: np.random.Generator
    ) -> pd.DataFrame:
        """Return a dataset after at most 20 tries."""
        starts = {condition: self.starts(condition) for condition in broken}
        broken = {condition: rows.copy() for condition, rows in broken.items() if starts[condition]}
        frame = frame.copy()
        for attempt in range(TRIES):
            first = np.full(len(frame), len(self.order))
            for condition, mask in broken.items():
                place = starts[condition][-1 if attempt < TRIES // 2 else 0]
                first[mask] = np.minimum(first[mask], place)
            rows = np.flatnonzero(first < len(self.order))
            if rows.size == 0:
                break
            for place in np.unique(first[rows]):
                self._draw_again(frame, np.flatnonzero(first == place), int(place), draw, rng)
            again = self.coding.decoded(frame.iloc[rows])
            for condition, mask in broken.items():
                mask[rows] = ~condition.holds(again)
        return frame

    def _draw_again(self, frame: pd.DataFrame, rows: IntArray, place: int, draw: int, rng: np.random.Generator) -> None:
        """Replace the variables from a position in the order, in some records."""
        given = frame.drop(columns=self.order[place:])
        rest = self.fitted._after(given) if place else self.fitted
        try:
            alone = rest.records_independent
            made = rest.draw(frame.iloc[rows] if alone else frame, draw, rng)
        except FitError:  # the values before this position allow no value that satisfies the constraints
            return
        for column, new in made.items():
            current = frame[column].astype(new.dtype) if new.dtype != frame[column].dtype else frame[column].copy()
            current.iloc[rows] = new.array if alone else new.array[rows]
            frame[column] = current


def condition_notes(conditions: Sequence[Condition], redrawn: Redrawn) -> list[str]:
    """Return notes for the plan: the columns whose ranges are tested, and the share of redrawn records."""
    notes = []
    columns = list(dict.fromkeys(c.variables[0] for c in conditions if len(c.variables) == 1))
    columns = [c for c in columns if not any(c in one.variables for one in redrawn.dropped if len(one.variables) == 1)]
    if columns:
        notes.append(f"Within the range, the few values or the grid of the file in all records: {', '.join(columns)}.")
    if redrawn.share:
        shares = "; ".join(f"{condition}: {share:.1%}" for condition, share in redrawn.shares.items())
        notes.append(
            f"{redrawn.share:.1%} of the records broke a relation and were redrawn ({shares}). The draws are conditional on "
            "the relations."
        )
    return notes


def _warn_of_distances(coding: Coding, before: Sequence[pd.DataFrame], after: Sequence[pd.DataFrame]) -> None:
    """Warn about the columns whose distance to the confidential data redrawing increases."""
    one, other = (pd.concat(frames, ignore_index=True) for frames in (before, after))
    worse = []
    for column in one.columns:
        series = [frame[column].reset_index(drop=True) for frame in (coding.confidential, one, other)]
        scale = coding.computation.preserved.values.scales.get(column)
        ordered = scale is not None
        codes = _codes(series if scale is None else [pd.Series(scale.numbers(part)) for part in series])
        moved = int((codes[1] != codes[2]).sum())
        if not moved:
            continue
        earlier, later = (_distance(codes[0], made, ordered) for made in codes[1:])
        if later - earlier > max(INCREASE, ERRORS * np.sqrt(moved) / len(one)):
            worse.append(f"{column} (from {earlier:.3f} to {later:.3f})")
    if worse:
        warn(
            "relations: redrawing the records that break a relation increases the distance to the confidential "
            f"distribution of {', '.join(worse)}. Use a model that preserves the relation, or switch it off with `relations`",
            RelationWarning,
        )


def _codes(series: Sequence[pd.Series]) -> list[IntArray]:
    """Return codes of the values of several columns, in the order of numbers; missing values are -1."""
    numbers = series[0].dtype == np.float64
    values = pd.concat([one if numbers else one.astype(object) for one in series], ignore_index=True)
    codes = pd.factorize(values, sort=numbers)[0]
    return np.split(codes.astype(np.int64), np.cumsum([len(one) for one in series])[:-1])


def _distance(confidential: IntArray, made: IntArray, ordered: bool) -> float:
    """Return the Kolmogorov-Smirnov distance of ordered codes, or the total variation distance of others."""
    size = int(max(confidential.max(), made.max())) + 2
    one, other = (np.bincount(codes + 1, minlength=size) / len(codes) for codes in (confidential, made))
    gap: FloatArray = one - other
    return float(np.abs(np.cumsum(gap)).max() if ordered else np.abs(gap).sum() / 2)


__all__ = ["Redrawn", "condition_notes", "redraw"]
