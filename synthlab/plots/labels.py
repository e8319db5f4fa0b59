"""Placement of labels next to points without overlaps."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from synthlab._typing import FloatArray
from synthlab.exceptions import InputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LABEL_SIZE = 11.0
GAP = 8.0  # points between a label and its point
CLEAR = 3.0  # points kept free around a label

Box = tuple[float, float, float, float]  # left, bottom, right, top, in points


def label_points(
    ax: Axes,
    x: Sequence[float],
    y: Sequence[float],
    words: Sequence[str],
    *,
    line: Sequence[tuple[float, float]] = (),
) -> None:
    """Write a label next to each point; set the scales and limits of the axes first.

    Candidate places are right, left, above, below, the four corners, and one or two lines higher or lower to the side.
    The first place is chosen where the label stays inside the axes and covers no point, no label and no part of the
    line. If there is none, the place that covers the smallest area is chosen.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Axes that belong to a figure.
    x, y : sequence of float
        Coordinates of the points, in data units.
    words : sequence of str
        One label per point; an empty label is not drawn.
    line : sequence of (x, y), optional
        Vertices of a line that labels should not cover.

    Raises
    ------
    InputError
        If the axes do not belong to a figure.
    """
    figure = ax.get_figure(root=True)
    if figure is None:
        raise InputError("ax: does not belong to a figure; create it with plt.subplots()")
    if (layout := figure.get_layout_engine()) is not None:
        layout.execute(figure)
    scale = 72.0 / figure.dpi
    frame = (float(ax.bbox.x0) * scale, float(ax.bbox.y0) * scale, float(ax.bbox.x1) * scale, float(ax.bbox.y1) * scale)
    at = list(zip(x, y, strict=True))
    places = [scale * place for place in ax.transData.transform(at)] if at else []
    taken: list[Box] = [(px - 5.0, py - 5.0, px + 5.0, py + 5.0) for px, py in places]
    taken += _along(scale * ax.transData.transform(list(line))) if len(line) > 1 else []
    named = sorted(
        (one for one in zip(places, words, at, strict=True) if one[1]), key=lambda one: -one[0][1]
    )  # from top to bottom
    for (px, py), text, point in named:
        width, height = 0.56 * LABEL_SIZE * len(text), 1.1 * LABEL_SIZE
        boxes = [(px + dx, py + dy, px + dx + width, py + dy + height) for dx, dy in _offsets(width, height)]
        best = min(boxes, key=lambda box: _covered(_wider(box), taken) + _outside(box, frame))
        taken.append(best)
        offset = (best[0] - px, best[1] - py)
        ax.annotate(text, point, offset, textcoords="offset points", fontsize=LABEL_SIZE, annotation_clip=False)


def _offsets(width: float, height: float) -> list[tuple[float, float]]:
    """Return candidate offsets of the lower left corner of a label, best first."""
    beside = [(GAP, -0.4 * height), (-GAP - width, -0.4 * height)]
    over = [(-0.5 * width, GAP), (-0.5 * width, -GAP - height)]
    corners = [(dx, dy) for dy in (0.5 * GAP, -0.5 * GAP - height) for dx in (0.5 * GAP, -0.5 * GAP - width)]
    return beside + over + corners + [(dx, dy + step * height) for step in (1, -1, 2, -2) for dx, dy in beside]


def _along(vertices: FloatArray) -> list[Box]:
    """Return small adjacent boxes along a line."""
    boxes: list[Box] = []
    for start, end in pairwise(vertices):
        steps = max(2, int(np.hypot(*(end - start)) / 3.0))
        for px, py in np.linspace(start, end, steps):
            boxes.append((px - 1.5, py - 1.5, px + 1.5, py + 1.5))
    return boxes


def _wider(box: Box) -> Box:
    return (box[0] - CLEAR, box[1] - CLEAR, box[2] + CLEAR, box[3] + CLEAR)


def _covered(box: Box, taken: Sequence[Box]) -> float:
    """Return the area, in square points, that a label covers."""
    return sum(
        max(0.0, min(box[2], other[2]) - max(box[0], other[0]))
        * max(0.0, min(box[3], other[3]) - max(box[1], other[1]))
        for other in taken
    )


def _outside(box: Box, frame: Box) -> float:
    """Return the area of a label that lies outside the axes."""
    return (box[2] - box[0]) * (box[3] - box[1]) - _covered(box, [frame])
