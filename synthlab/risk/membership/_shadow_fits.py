"""Shadow fits: a synthesizer fitted again and again in two worlds, with a record and without it, and scored for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._typing import FloatArray, IntArray
from synthlab.exceptions import InputError
from synthlab.matching.kernel import block_codes
from synthlab.release import Release, as_release
from synthlab.risk.copies._gower_points import as_points, without_distance

LARGEST = 1e300  # of a log density: below minus this it is minus infinity
STATISTICS = ("copies", "closest", "similarity")
NEIGHBOURS = 5  # closest records, whose mean distance says how far out a record is
Score = Callable[[Any, "pd.Series[Any]"], float]


@dataclass(frozen=True, slots=True, eq=False)
class Attack:
    """The synthesizer, the part of a fit that the intruder sees, and the score of each target."""

    synthesizer: Any
    frame: pd.DataFrame
    targets: IntArray
    m: int
    sees: str
    score: Score | None
    variables: tuple[str, ...] | None
    options: Mapping[str, Any]

    @property
    def statistics(self) -> tuple[str, ...]:
        """The statistics of `scores`, one of which is chosen later."""
        if self.score is not None:
            return ("score",)
        return ("log density",) if self.sees == "parameters" else STATISTICS

    def scores(self, job: tuple[pd.DataFrame, IntArray, bool, np.random.Generator]) -> FloatArray:
        """Fit to the records of a world, with the targets or without, and return the scores, shape (targets, statistics)."""
        world, targets, inside, rng = job
        first, second = rng.spawn(2)
        fitted = self.synthesizer.fit(world, rng=first, **self.options)
        if self.sees == "parameters":
            return self._of_parameters(fitted, targets, second, inside)
        release = as_release(fitted.generate(self.m, rng=second), like=world)
        if self.score is not None:
            return self._own(release, targets)
        return self._of_release(release, targets)

    def _own(self, seen: Any, targets: IntArray) -> FloatArray:
        values = [[self.score(seen, self.frame.iloc[int(row)])] for row in targets]  # type: ignore[misc]
        try:
            found = np.asarray(values, dtype=np.float64)
        except (TypeError, ValueError):
            found = np.full((0, 0), np.nan)
        if found.shape != (targets.size, 1) or not np.isfinite(found).all():
            raise InputError("score: must return one finite number for what is seen and a record")
        return found

    def _of_parameters(self, fitted: Any, targets: IntArray, rng: np.random.Generator, inside: bool) -> FloatArray:
        """Return the log density of each target under m posterior draws, added up."""
        if self.score is not None:
            return self._own(fitted, targets)
        inner = fitted if hasattr(fitted, "log_density") else getattr(fitted, "fitted", fitted)
        if not hasattr(inner, "log_density"):
            raise InputError(
                f"synthesizer: a fit of {type(self.synthesizer).__name__} has no log_density; give a score, or sees='release'"
            )
        try:
            density = np.asarray(inner.log_density(self.frame.iloc[targets]), dtype=np.float64)
        except InputError:
            if inside:
                raise
            return np.full((1, 1), -LARGEST)  # the levels that were fitted are those of the file, and this is none
        if len(density) < self.m:
            raise InputError(f"m={self.m}: there are {len(density)} posterior draws, and each dataset needs its own")
        drawn = density[rng.choice(len(density), self.m, replace=False)].sum(axis=0)
        scores: FloatArray = np.maximum(drawn, -LARGEST)[:, None]
        return scores

    def _of_release(self, release: Release, targets: IntArray) -> FloatArray:
        names = list(self.variables if self.variables is not None else release.synthesized or self.frame.columns)
        names = _checks.check_columns(release[0], names, "variables", where="the synthetic data")
        own = self.frame[names]
        _checks.check_same_kind(own, release.frames, names)
        if self.variables is None:
            check_distances([own, own, *(one[names] for one in release)], names)
        total = np.zeros((targets.size, len(STATISTICS)))
        for one in release:
            points, released = as_points([own, one[names]], names, set())
            for place, row in enumerate(targets):
                apart = np.abs(released - points[row]).sum(axis=1)
                total[place] += (apart == 0).sum(), -apart.min(), -apart.mean()
        return total


def compared(frame: pd.DataFrame, variables: Any) -> tuple[str, ...] | None:
    """Return the variables whose values are compared, which have distances; None: those that the release synthesizes."""
    if variables is None:
        return None
    names = _checks.check_columns(frame, variables, "variables", where="confidential")
    check_distances([frame, frame], names)
    return tuple(names)


def check_distances(frames: Sequence[pd.DataFrame], names: Sequence[str]) -> None:
    """Raise where a variable has no distance; the first two frames are the confidential data."""
    for reason in without_distance(frames, names, ()).values():
        raise InputError(f"variables: {reason}; leave it out")


def furthest_out(frame: pd.DataFrame, names: Sequence[str]) -> IntArray:
    """Return the record furthest from its closest ones, by the distance of Gower (Meeus et al. 2023)."""
    from sklearn.neighbors import BallTree

    points = as_points([frame], names, set())[0]
    near = min(NEIGHBOURS + 1, len(frame))
    distance = BallTree(points, metric="manhattan").query(points, k=near)[0]
    return np.array([int(distance.mean(axis=1).argmax())])


def another(frame: pd.DataFrame, row: int, rng: np.random.Generator) -> pd.DataFrame:
    """Return a record of the data, if there is one that differs from a given one, as a frame of one row."""
    own = frame.iloc[[row]].reset_index(drop=True)
    codes = block_codes([own, frame], list(frame.columns), "category")
    differs = np.flatnonzero(codes[1] != codes[0][0])
    others = differs if differs.size else np.delete(np.arange(len(frame)), row)
    return frame.iloc[[int(rng.choice(others))]]


def without(frame: pd.DataFrame, row: int, replacement: pd.DataFrame | None) -> pd.DataFrame:
    """Return the world without a record: left out, or with another in its place."""
    kept = np.arange(len(frame)) != row
    if replacement is None:
        return frame.take(np.flatnonzero(kept).tolist())
    other = replacement.set_axis(frame.index[[row]])
    return pd.concat([frame.iloc[:row], other, frame.iloc[row + 1 :]])
