"""Figures of lecture 2: densities, and the spread of statistics over datasets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal

import numpy as np
import numpy.typing as npt

from synthlab._typing import FloatArray
from synthlab.plots import _decorators, style
from synthlab.plots.color import INK

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from synthlab.plots.style import Source


@_decorators.figure()
def plot_densities(
    curves: Mapping[str, tuple[npt.ArrayLike, npt.ArrayLike]],
    ax: Axes | None = None,
    *,
    xlabel: str,
    ylabel: str = "density",
    title: str = "",
    mark: tuple[str, float] | None = None,
    data: Source = None,
) -> Axes:
    """Draw labeled densities or probability functions in one panel.

    Parameters
    ----------
    curves : mapping {name: (x, height)}
        At most five curves, with heights >= 0 at increasing points x.
    xlabel, ylabel, title : str
        Variable with its unit, label of the height, and title.
    mark : (name, value), optional
        Value to mark by a vertical line.

    Examples
    --------
    >>> from synthlab.teaching.figures.lecture_02 import plot_densities
    >>> ax = plot_densities({"prior": ([0, 1], [1, 1]), "posterior": ([0, 0.5, 1], [0, 2, 0])}, xlabel="share")
    >>> [text.get_text() for text in ax.texts]
    ['prior', 'posterior']
    """
    arrays = {name: (np.asarray(x, float), np.asarray(height, float)) for name, (x, height) in curves.items()}
    ends = min(x[0] for x, _ in arrays.values()), max(x[-1] for x, _ in arrays.values())
    ax = style.axes(ax)
    for name, (x, y), look in _decorators.each(arrays):
        ax.plot(x, y, **_decorators.no_marker(look))
        position, side, offset = _label_position(x, y, ends)
        _decorators.note(ax, name, (x[position], y[position]), offset, color=look["color"], ha=side, va="bottom")
    _marked(ax, mark, "left")
    if all((x == np.round(x)).all() for x, _ in arrays.values()) and ends[1] - ends[0] >= 2:
        from matplotlib.ticker import MaxNLocator

        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    return style.finish(ax, xlabel=xlabel, ylabel=ylabel, title=title, ylim=(0.0, None))


@_decorators.figure()
def plot_spread(
    groups: Mapping[str, npt.ArrayLike],
    ax: Axes | None = None,
    *,
    xlabel: str,
    title: str = "",
    mark: tuple[str, float] | None = None,
    data: Source = None,
) -> Axes:
    """Draw a statistic of many datasets as dots, one row per method, with its sd.

    Parameters
    ----------
    groups : mapping {name: array of float, shape (datasets,)}
        Values of the statistic, at least two per group; the first row is at the top.
    xlabel, title : str
        Statistic with its unit, and title.
    mark : (name, value), optional
        Value to mark by a vertical line.

    Examples
    --------
    >>> from synthlab.teaching.figures.lecture_02 import plot_spread
    >>> ax = plot_spread({"plug-in": [9.0, 10.0, 11.0], "predictive": [8.0, 10.0, 12.0]}, xlabel="mean")
    >>> [text.get_text() for text in ax.texts]
    ['sd 1', 'sd 2']
    """
    ax, rows = _decorators.rows(ax, groups, 1.1, margin=1.7)
    for row, (_, group, look) in zip(rows, _decorators.each(groups), strict=True):
        values = np.asarray(group, float).ravel()
        height = row + 0.34 * _decorators.scattered(values.size) - 0.17
        ax.plot(values, height, look["marker"], color=look["color"], markersize=4.5, alpha=0.5, markeredgewidth=0)
        sd = values.std(ddof=1) if np.ptp(values) else 0.0  # equal values, without the rounding error of their mean
        ends = values.mean() + sd * np.array([-1.0, 1.0])
        ax.plot(ends, [row - 0.29] * 2, color=look["color"], linestyle="-", marker="|", markersize=10)
        note = f"sd {sd:.3g}"
        _decorators.note(ax, note, (1.0, row + 0.2), (0, 0), units="y", ha="right", va="bottom", color=look["color"])
    _marked(ax, mark, "right")
    ax.margins(x=0.08)
    return style.finish(ax, xlabel=xlabel, title=title, ylim=(-0.5, len(groups) - (0.5 if mark is None else 0.3)))


def _marked(ax: Axes, mark: tuple[str, float] | None, side: Literal["left", "right"]) -> None:
    """Draw a vertical line at the value of a mark, with its name at the top."""
    if mark is not None:
        ax.axvline(mark[1], color=INK, linewidth=1.4, linestyle=style.LINES[2])
        offset = (5.0 if side == "right" else -5.0, -2.0)
        _decorators.note(
            ax, mark[0], (mark[1], 1.0), offset, units="x", ha="left" if side == "right" else "right", va="top"
        )


def _label_position(x: FloatArray, y: FloatArray, ends: tuple[float, float]) -> tuple[int, str, tuple[int, int]]:
    """Return the position, alignment and offset (in points) of the label of a curve.

    The label of a flat curve is above its lower end. The label of any other curve is where the curve falls to 60% of its
    maximum, or, if this is near the right end of the axis, where it rises to 60%.
    """
    high = np.flatnonzero(y >= 0.6 * y.max())
    if high[0] == 0 and high[-1] == x.size - 1:
        return (0, "left", (4, 4)) if y[0] <= y[-1] else (x.size - 1, "right", (-4, 4))
    if x[high[-1]] <= ends[0] + 0.75 * (ends[1] - ends[0]) or high[0] == 0:
        return int(high[-1]), "left", (8, 2)
    return int(high[0]), "right", (-8, 2)
