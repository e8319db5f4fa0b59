"""Figure of lecture 6b: differences of empirical distribution functions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from synthlab._typing import FloatArray
from synthlab.plots import _decorators, style
from synthlab.plots.color import BASELINE
from synthlab.plots.style import DescribedFigure, figure_with_description

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from synthlab.plots.style import Source

SHOWN = 0.98  # share of the values, from below, that the axis spans


def show_gaps(
    confidential: npt.ArrayLike, releases: Mapping[str, npt.ArrayLike], *, xlabel: str = "value", data: Source = None
) -> DescribedFigure:
    """Show the difference of each ECDF from the confidential ECDF, in points.

    Parameters
    ----------
    confidential : array_like, shape (n,)
        Confidential values of one variable.
    releases : mapping {name: array_like}
        Values of the variable in each release.
    xlabel : str
        Variable, with its unit.
    data : Dataset, DataFrame, Release, "real" or "simulated", optional
        Source of the data label of the figure.

    Returns
    -------
    DescribedFigure

    Examples
    --------
    >>> from synthlab.teaching.figures.lecture_06b import show_gaps
    >>> print(show_gaps([0, 0, 10, 20], {"hot deck": [0, 10, 10, 40]}))
    Figure: Share of synthetic minus share of confidential records at or below each value, in points; 0 is no difference. The largest gap of hot deck is -25.0 points.
    """
    true = np.asarray(confidential, float)
    released = {name: np.asarray(values, float) for name, values in releases.items()}
    points = np.unique(np.concatenate([true, *released.values()]))
    gaps = {name: 100 * (_shares(values, points) - _shares(true, points)) for name, values in released.items()}
    description = (
        "Share of synthetic minus share of confidential records at or below each value, in points; 0 is no difference."
    )
    for name, gap in gaps.items():
        widest = int(np.abs(gap).argmax())
        description += f" The largest gap of {name} is {gap[widest]:.1f} points."
    right = float(np.quantile(np.concatenate([true, *released.values()]), SHOWN))
    return figure_with_description(_plot_gaps(points, gaps, right, xlabel=xlabel, data=data), description)


def _shares(values: FloatArray, points: FloatArray) -> FloatArray:
    shares: FloatArray = np.searchsorted(np.sort(values), points, side="right") / values.size
    return shares


@_decorators.figure()
def _plot_gaps(
    points: FloatArray, gaps: Mapping[str, FloatArray], right: float, *, xlabel: str, data: Source = None
) -> Axes:
    ax = style.axes(None, (9.0, 4.6))
    ax.axhline(0.0, color=BASELINE, linestyle=style.LINES[2], linewidth=1.6)
    for name, gap, look in _decorators.each(gaps):
        line = _decorators.no_marker(look)
        ax.step(points, gap, where="post", label=style.literal(name), **line)
        widest = int(np.abs(gap).argmax())
        ax.plot(points[widest], gap[widest], "o", color=line["color"], markersize=9)
    _decorators.thousands(ax.xaxis)
    ax.set(xlim=(float(points.min()), right))
    return style.finish(
        ax,
        xlabel=f"{xlabel} (axis: the lower {SHOWN:.0%})",
        ylabel="synthetic minus confidential\nshare at or below (points)",
        title="Gap of the distribution functions; dots: the largest",
        legend={"loc": "best"},
    )
