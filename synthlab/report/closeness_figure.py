"""Figure of the first screen: closeness of people to the release, to other people, and of released records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from synthlab.report.measures import measured

if TYPE_CHECKING:
    import pandas as pd

    from synthlab._typing import FloatArray
    from synthlab.report.content import Content

LEFT, RIGHT, TOP, BOTTOM = 46.0, 420.0, 12.0, 181.0  # of the axes, in SVG units
POINTS = 60


@dataclass(frozen=True, slots=True)
class ClosenessFigure:
    """Points of the three curves and of the shaded excess, as texts of SVG.

    `excess` is empty if the measure of closeness has no finding.
    """

    released: str
    people: str
    release: str
    excess: str


def closeness(content: Content) -> ClosenessFigure | None:
    """Return the figure, or None: for publication, because the curves describe single people, or without curves."""
    if content.publish:
        return None
    for measure, result in measured(content.result.results):
        if (curves := measure.closeness(result)) is not None and len(curves) > 1:
            return _figure(curves, shaded=any(one.measure == measure.name for one in content.verdict.findings))
    return None


def _figure(curves: pd.DataFrame, *, shaded: bool) -> ClosenessFigure:
    score = curves["score"].to_numpy(dtype=np.float64)
    at = np.linspace(score[0], score[-1], POINTS)
    # The share above a score is a step function, so that the next larger score is the one that counts.
    place = np.searchsorted(score, at).clip(max=len(score) - 1)
    released, people, release = (curves[name].to_numpy()[place] for name in ("released", "people", "release"))
    x = np.linspace(LEFT, RIGHT, POINTS)
    excess = ""
    if shaded:
        chance = np.maximum(people, release)
        excess = f"{_points(x, np.maximum(released, chance))} {_points(x[::-1], chance[::-1])}"
    return ClosenessFigure(_points(x, released), _points(x, people), _points(x, release), excess)


def _points(x: FloatArray, share: FloatArray) -> str:
    y = BOTTOM - (BOTTOM - TOP) * share
    return " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x, y, strict=True))
