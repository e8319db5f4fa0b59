"""Records of a guessed dataset that agree with the intruder's knowledge of each target.

Targets about whom the intruder has the same knowledge share a profile, so that results are computed once per profile.
Records are blocked on the variables compared by value. Within a block, a compiled loop checks intervals, sets and distances.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._system.compiled import compiled
from synthlab._typing import BoolArray, FloatArray, IntArray
from synthlab.exceptions import InputError
from synthlab.intruder.partial_knowledge import Interval, Knowledge, holds
from synthlab.matching.kernel import block_codes
from synthlab.matching.match_inputs import exact_floats

NEAR = 1e-12  # relative slack of a distance at the edge of the ball, for rounding


@dataclass(frozen=True, slots=True, eq=False)
class Ball:
    """Ball of the numeric synthesized variables.

    A value z is in the ball around t if the sum of ((z - t) @ whiten / half_width)^2 is at most 1. half_width : (n, v), of
    each record as a target; whiten : (v, v); box : whether the maximum of the squares is used instead of the sum.
    """

    radii: dict[str, float]
    half_width: FloatArray
    whiten: FloatArray
    box: bool = False

    @property
    def columns(self) -> tuple[str, ...]:
        """Variables of the ball."""
        return tuple(self.radii)

    def place(self, values: FloatArray) -> FloatArray:
        """Return ``values @ whiten``.

        Rows with missing values are whitened by the covariance of their observed variables. A missing value becomes 0, so that
        it contributes nothing to the distance between rows with the same missing variables.
        """
        absent = np.isnan(values)
        if not absent.any():
            return values @ self.whiten
        covariance = np.linalg.inv(self.whiten @ self.whiten.T)
        found = np.zeros_like(values)
        for pattern in np.unique(absent, axis=0):
            rows, seen = (absent == pattern).all(axis=1), np.flatnonzero(~pattern)
            if seen.size:
                part = np.linalg.cholesky(covariance[np.ix_(seen, seen)])
                found[np.ix_(rows, seen)] = values[np.ix_(rows, seen)] @ np.linalg.inv(part).T
        return found


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Profile and record of every match, sorted by profile, and the number of matches of each profile."""

    profile: IntArray
    record: IntArray
    count: IntArray


def agrees(pairs: Pairs, profile: IntArray, record: IntArray, n: int) -> BoolArray:
    """Return whether profile[i] matches record[i] of n records; a negative record matches no profile."""
    return np.asarray((record >= 0) & np.isin(profile * n + record, pairs.profile * n + pairs.record), dtype=bool)


@dataclass(frozen=True, slots=True, eq=False)
class Matcher:
    """Profiles of the targets, and the conditions for a record to match them.

    profile : (n,) the profile of each confidential record as a target; first : (G,) a record of each profile.
    """

    profile: IntArray
    first: IntArray
    exact: tuple[str, ...]
    truth: pd.DataFrame
    intervals: dict[str, tuple[FloatArray, FloatArray]]
    sets: dict[str, list[frozenset[object]]]
    ball: Ball | None
    missing: str = "raise"

    @property
    def size(self) -> int:
        """Number of profiles G."""
        return self.first.size

    def match(self, frame: pd.DataFrame) -> Pairs:
        """Return the matches of every profile among the records of a frame."""
        target, record = self._blocks(frame)
        order = np.argsort(record, kind="stable")
        start = np.searchsorted(record[order], target, side="left")
        stop = np.searchsorted(record[order], target, side="right")
        if not (self.intervals or self.sets or self.ball):
            return _expand(start, stop, order)
        arrays = (*self._ball(frame), *self._intervals(frame), *self._sets(frame))
        count = np.zeros(self.size, dtype=np.int64)
        none = np.empty(0, dtype=np.int64)
        box = self.ball is not None and self.ball.box
        _search(start, stop, order, *arrays, box, count, none)
        found = np.empty(int(count.sum()), dtype=np.int64)
        _search(start, stop, order, *arrays, box, np.zeros_like(count), found)
        return Pairs(np.repeat(np.arange(self.size), count), found, count)

    def _blocks(self, frame: pd.DataFrame) -> tuple[IntArray, IntArray]:
        """Return the block of each profile and of each record; matches have the same block.

        Records of a block have the same missing variables of the ball. With missing="never", a profile with a missing value
        does not share a block with any record, and vice versa.
        """
        target, record = block_codes([self.truth, frame], list(self.exact), self.missing)
        if self.ball is None:
            return target, record
        here, there = (np.isnan(exact_floats(one, self.ball.columns)) for one in (self.truth, frame))
        if not (here.any() or there.any()):
            return target, record
        if self.missing == "never":
            lowest = min(target.min(initial=0), record.min(initial=0))
            return np.where(here.any(axis=1), lowest - 1, target), np.where(there.any(axis=1), lowest - 2, record)
        rows = np.vstack([np.column_stack([target, here]), np.column_stack([record, there])])
        joint = np.unique(rows, axis=0, return_inverse=True)[1].reshape(-1)
        return joint[: target.size], joint[target.size :]

    def _ball(self, frame: pd.DataFrame) -> tuple[FloatArray, FloatArray, FloatArray]:
        if self.ball is None:
            return np.empty((len(frame), 0)), np.empty((self.size, 0)), np.empty((self.size, 0))
        points, centre = (self.ball.place(exact_floats(one, self.ball.columns)) for one in (frame, self.truth))
        return points, centre, self.ball.half_width[self.first]

    def _intervals(self, frame: pd.DataFrame) -> tuple[FloatArray, FloatArray, FloatArray]:
        ends = list(self.intervals.values())
        lower, upper = (
            np.column_stack([e[side][self.first] for e in ends]) if ends else np.empty((self.size, 0))
            for side in (0, 1)
        )
        return exact_floats(frame, list(self.intervals)), lower, upper

    def _sets(self, frame: pd.DataFrame) -> tuple[IntArray, np.ndarray]:
        codes = np.empty((len(frame), len(self.sets)), dtype=np.int64)
        levels = {c: sorted(set().union(*s), key=repr) for c, s in self.sets.items()}
        widest = max(map(len, levels.values()), default=0)
        allowed = np.zeros((self.size, len(self.sets), widest + 1), dtype=np.bool_)
        for j, (column, sets) in enumerate(self.sets.items()):
            place = {v: k for k, v in enumerate(levels[column])}
            codes[:, j] = positions(frame[column], levels[column], widest)
            for g, record in enumerate(self.first):
                allowed[g, j, [place[v] for v in sets[record]]] = True
        return codes, allowed


def make_matcher(
    confidential: pd.DataFrame,
    columns: Sequence[str],
    knowledge: Mapping[str, Knowledge],
    ball: Ball | None,
    missing: str = "raise",
) -> Matcher:
    """Return a matcher with the profiles of all records, given the knowledge of `columns`."""
    n = len(confidential)
    loose = {c: known for c, known in knowledge.items() if c in columns}
    near = () if ball is None else ball.columns
    exact = [c for c in columns if c not in loose and c not in near]
    intervals: dict[str, tuple[FloatArray, FloatArray]] = {}
    sets: dict[str, list[frozenset[object]]] = {}
    (code,) = block_codes([confidential], [*exact, *near])
    parts = [code]
    for column, known in loose.items():
        name = f"knowledge[{column!r}]"
        _checks.check_present(confidential, column, "confidential", f"{name} is about values that are not missing")
        if isinstance(known, Interval):
            _checks.check_numeric_column(confidential, column, where="confidential", why="an Interval is for numbers")
            lower, upper = known.of(n, name)
            value = _checks.exact_float(confidential[column])
            true = (lower <= value) & (value <= upper)
            intervals[column] = lower, upper
            parts += [np.unique(lower, return_inverse=True)[1], np.unique(upper, return_inverse=True)[1]]
        else:
            values = confidential[column].tolist()
            sets[column] = known.of(values, name)
            true = holds(sets[column], values)
            held: set[Any] = set().union(*sets[column])
            if any(pd.isna(value) for value in held):
                raise InputError(f"{name}: a set contains a missing value; remove it")
            parts.append(pd.factorize(pd.Series(sets[column], dtype=object))[0].astype(np.int64))
        if not true.all():
            raise InputError(
                f"{name}: is false for {int((~true).sum())} of {n} records; the knowledge must contain the true value"
            )
    _, first, profile = np.unique(np.column_stack(parts), axis=0, return_index=True, return_inverse=True)
    truth = confidential[list(columns)].iloc[first].reset_index(drop=True)
    return Matcher(profile.reshape(-1), first, tuple(exact), truth, intervals, sets, ball, missing)


def positions(series: pd.Series, levels: Sequence[object], otherwise: int) -> IntArray:
    """Return the position of each value in `levels`, or `otherwise` if it is not in `levels`."""
    place = {v: k for k, v in enumerate(levels)}
    return np.array([place.get(v, otherwise) for v in series.tolist()], dtype=np.int64)


def _expand(start: IntArray, stop: IntArray, order: IntArray) -> Pairs:
    """Return all records of the blocks."""
    count = (stop - start).astype(np.int64)
    profile = np.repeat(np.arange(count.size), count)
    offset = np.arange(profile.size) - np.repeat(np.cumsum(count) - count, count)
    return Pairs(profile, order[start[profile] + offset], count)


@compiled
def _search(
    start: IntArray, stop: IntArray, order: IntArray, points: FloatArray, centre: FloatArray, half: FloatArray,
    numbers: FloatArray, lower: FloatArray, upper: FloatArray, codes: IntArray, allowed: BoolArray,
    box: bool, count: IntArray, found: IntArray,
) -> None:  # fmt: skip
    """Count the matches of each profile; if `found` is not empty, also write their positions."""
    filled = 0
    for g in range(start.size):
        for place in range(start[g], stop[g]):
            h = order[place]
            inside = True
            for j in range(numbers.shape[1]):
                inside = inside and numbers[h, j] >= lower[g, j] and numbers[h, j] <= upper[g, j]
            for j in range(codes.shape[1]):
                inside = inside and allowed[g, j, codes[h, j]]
            if inside and points.shape[1]:
                distance = 0.0
                for j in range(points.shape[1]):
                    gap = abs(points[h, j] - centre[g, j])
                    if half[g, j] > 0.0:
                        share = (gap / half[g, j]) ** 2
                        distance = max(distance, share) if box else distance + share
                    elif not gap <= 0.0:
                        distance = np.inf
                inside = distance <= 1.0 + NEAR
            if inside:
                count[g] += 1
                if found.size:
                    found[filled] = h
                    filled += 1
