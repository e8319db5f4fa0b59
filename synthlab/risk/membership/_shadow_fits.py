"""Shadow fits: repeated fits of a synthesizer with and without a record, and their scores."""

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

LARGEST = 1e300  # smaller log densities than minus this count as minus infinity
STATISTICS = ("copies", "closest", "similarity")
NEIGHBORS = 5  # number of closest records whose mean distance measures how unusual a record is
Score = Callable[[Any, "pd.Series[Any]"], float]


@dataclass(frozen=True, slots=True, eq=False)
class Attack:
    """Synthesizer, the part of a fit that the intruder sees, and the score of each target."""

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
        """Names of the statistics of `scores`."""
        if self.score is not None:
            return ("score",)
        return ("log density",) if self.sees == "parameters" else STATISTICS

    def scores(self, job: tuple[pd.DataFrame, IntArray, bool, np.random.Generator]) -> FloatArray:
        """Fit data with or without the targets; return scores, shape (targets, statistics)."""
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
            raise InputError("score: must return one finite number for each pair of a release (or fit) and a record")
        return found

    def _of_parameters(self, fitted: Any, targets: IntArray, rng: np.random.Generator, inside: bool) -> FloatArray:
        """Return the sum of the log densities of each target under m posterior draws."""
        if self.score is not None:
            return self._own(fitted, targets)
        inner = fitted if hasattr(fitted, "log_density") else getattr(fitted, "fitted", fitted)
        if not hasattr(inner, "log_density"):
            raise InputError(
                f"synthesizer: a fit of {type(self.synthesizer).__name__} has no log_density; pass `score`, or use sees='release'"
            )
        try:
            density = np.asarray(inner.log_density(self.frame.iloc[targets]), dtype=np.float64)
        except InputError:
            if inside:
                raise
            return np.full((1, 1), -LARGEST)  # without the target, its level does not occur in the fitted data
        if len(density) < self.m:
            raise InputError(f"m={self.m}: must be at most {len(density)}, the number of posterior draws")
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
    """Return the compared variables, or None for the synthesized variables of the release."""
    if variables is None:
        return None
    names = _checks.check_columns(frame, variables, "variables", where="confidential")
    check_distances([frame, frame], names)
    return tuple(names)


def check_distances(frames: Sequence[pd.DataFrame], names: Sequence[str]) -> None:
    """Raise an error if a variable has no distance; the first two frames are confidential."""
    for reason in without_distance(frames, names, ()).values():
        raise InputError(f"variables: {reason}; omit this variable")


def furthest_out(frame: pd.DataFrame, names: Sequence[str]) -> IntArray:
    """Return the record with the largest mean distance to its closest records (Meeus et al. 2023)."""
    from sklearn.neighbors import BallTree

    points = as_points([frame], names, set())[0]
    near = min(NEIGHBORS + 1, len(frame))
    distance = BallTree(points, metric="manhattan").query(points, k=near)[0]
    return np.array([int(distance.mean(axis=1).argmax())])


def another(frame: pd.DataFrame, row: int, rng: np.random.Generator) -> pd.DataFrame:
    """Return a random record, one that differs from `row` if possible, as a one-row frame."""
    own = frame.iloc[[row]].reset_index(drop=True)
    codes = block_codes([own, frame], list(frame.columns), "category")
    differs = np.flatnonzero(codes[1] != codes[0][0])
    others = differs if differs.size else np.delete(np.arange(len(frame)), row)
    return frame.iloc[[int(rng.choice(others))]]


def without(frame: pd.DataFrame, row: int, replacement: pd.DataFrame | None) -> pd.DataFrame:
    """Return the neighboring dataset, with the record removed or replaced."""
    kept = np.arange(len(frame)) != row
    if replacement is None:
        return frame.take(np.flatnonzero(kept).tolist())
    other = replacement.set_axis(frame.index[[row]])
    return pd.concat([frame.iloc[:row], other, frame.iloc[row + 1 :]])
