"""Whether all that a figure marks and says is where a reader can see it."""

from __future__ import annotations

from typing import Any

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.transforms import BboxBase


def outside(figure: Figure) -> list[str]:
    """Return the markers and the labels of data outside of their panel, and the other texts outside of the figure."""
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    renderer: Any = canvas.get_renderer()
    found = []
    for ax in figure.axes:
        for line in ax.lines:
            places = line.get_transform().transform(line.get_xydata())
            if line.get_marker() != "None" and not all(_within(*place, *place, ax.bbox) for place in places):
                found.append(f"marker {line.get_marker()}")
        titles = [ax.title, ax._left_title, ax._right_title, ax.xaxis.label, ax.yaxis.label]
        for text in [*ax.texts, *titles, *([ax.get_legend()] if ax.get_legend() else [])]:
            of_data = text in ax.texts and getattr(text, "xycoords", "data") == "data"
            box = text.get_window_extent(renderer)
            if box.width and not _within(box.x0, box.y0, box.x1, box.y1, ax.bbox if of_data else figure.bbox):
                found.append(f"{getattr(text, 'get_text', lambda: 'legend')()!r}")
    return found


def _within(x0: float, y0: float, x1: float, y1: float, frame: BboxBase, slack: float = 1.5) -> bool:
    return frame.x0 - slack <= x0 and x1 <= frame.x1 + slack and frame.y0 - slack <= y0 and y1 <= frame.y1 + slack
