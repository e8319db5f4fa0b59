"""Figures of lecture 1: people with the same known values, and a risk-utility map."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from synthlab.plots import _decorators, labels, style
from synthlab.plots.color import BASELINE, CONFIDENTIAL, SERIES, SYNTHETIC

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from synthlab.plots.style import Source

BINS = (1, 2, 3, 6, 11, 51)


@_decorators.figure()
def plot_crowd(
    counts: Mapping[str, int],
    ax: Axes | None = None,
    *,
    data: Source = None,
    xlabel: str = "people who fit (logarithmic)",
    title: str = "Rows that fit, fact by fact",
) -> Axes:
    """Draw how many people match one person as an intruder learns more variables.

    Parameters
    ----------
    counts : mapping {what is known: number of people >= 1}
        Number of matching people, from nothing known to everything known, drawn from the top.
    xlabel, title : str

    Examples
    --------
    >>> from synthlab.teaching.figures.lecture_01 import plot_crowd
    >>> ax = plot_crowd({"nothing": 6366, "age": 793, "age and children": 1})
    >>> [text.get_text() for text in ax.texts]
    ['6,366', '793', '1: no other record']
    """
    values = list(counts.values())
    ax, heights = _decorators.rows(ax, counts, 0.5, margin=1.5)
    # points instead of bars, because the axis is logarithmic
    ax.plot(values, heights, color=SYNTHETIC, linestyle="-", linewidth=1.2)
    for height, value in zip(heights, values, strict=True):
        unique = value == 1
        color = CONFIDENTIAL if unique else SYNTHETIC
        ax.plot(value, height, "D" if unique else "o", color=color, markersize=11)
        text = f"{value:,}: no other record" if unique else f"{value:,}"
        _decorators.note(ax, text, (value, height), (12, -8), va="center", color=color)
    ax.set(xscale="log", xlim=(0.7, 4 * max(values)))
    _decorators.thousands(ax.xaxis)
    return style.finish(ax, xlabel=xlabel, title=title)


@_decorators.figure()
def plot_group_sizes(
    sizes: Mapping[str, npt.ArrayLike],
    ax: Axes | None = None,
    *,
    bins: Sequence[int] = BINS,
    data: Source = None,
    xlabel: str = "people in the file who share all known values",
    title: str = "Sizes of the groups",
) -> Axes:
    """Draw the number of people in groups of one, of two, and so on.

    Parameters
    ----------
    sizes : mapping {name: array of int, shape (n,)}
        Size of the group of every person; one set of bars per name, at most two.
    bins : sequence of int
        Lower limits of the classes of group size, increasing from 1; the last class is open.
    xlabel, title : str

    Examples
    --------
    >>> from synthlab.teaching.figures.lecture_01 import plot_group_sizes
    >>> ax = plot_group_sizes({"all": [1, 2, 2, 4, 4, 4, 4]}, bins=(1, 2, 3))
    >>> [tick.get_text() for tick in ax.get_xticklabels()], [text.get_text() for text in ax.texts]
    (['alone', '2', '3 or more'], ['1', '2', '4'])
    """
    width = 0.8 / len(sizes)
    ax = style.axes(ax, (style.FIGSIZE[0] + 1.5 * (len(sizes) - 1), style.FIGSIZE[1]))
    for number, (name, values) in enumerate(sizes.items()):
        heights = np.bincount(np.searchsorted(bins, np.asarray(values), side="right") - 1, minlength=len(bins))
        centers = np.arange(len(bins)) + (number - (len(sizes) - 1) / 2) * width
        style_of_bars: dict[str, Any] = {"color": SYNTHETIC} if number == 0 else {"color": CONFIDENTIAL, "hatch": "//"}
        bars = ax.bar(centers, heights, 0.92 * width, edgecolor="white", label=name, **style_of_bars)
        ax.bar_label(bars, [f"{h:,}" for h in heights], padding=3, fontsize=12)
    ax.set_xticks(range(len(bins)), _class_names(bins))
    _decorators.thousands(ax.yaxis)
    ax.margins(y=0.12)
    ax.grid(axis="x", visible=False)
    if len(sizes) > 1:
        ax.legend(loc="upper left", frameon=False)
    return style.finish(ax, xlabel=xlabel, ylabel="people", title=title)


@_decorators.figure()
def plot_first_map(
    releases: Mapping[str, tuple[float, float]],
    ax: Axes | None = None,
    *,
    baseline: tuple[str, float] | None = None,
    xlabel: str,
    ylabel: str,
    title: str = "Risk and utility",
    data: Source = None,
) -> Axes:
    """Draw releases as points: risk against loss of utility.

    Parameters
    ----------
    releases : mapping {name: (loss, risk)}
        Loss and risk, both >= 0. The first entry is the confidential file, drawn as a star.
    baseline : (name, risk), optional
        Risk to mark by a horizontal line.
    xlabel, ylabel, title : str

    Examples
    --------
    >>> from synthlab.teaching.figures.lecture_01 import plot_first_map
    >>> ax = plot_first_map({"as is": (0, 100), "noise": (0.1, 60)}, xlabel="loss", ylabel="found")
    >>> sorted(text.get_text() for text in ax.texts)
    ['as is', 'noise']
    """
    points = np.array(list(releases.values()), dtype=np.float64)
    ax = style.axes(ax)
    colors = [color for color in SERIES if color != CONFIDENTIAL]
    for number, (x, y) in enumerate(points):
        series = (number - 1) % len(colors)
        if number == 0:
            color, marker, size = CONFIDENTIAL, "*", 15
        else:
            color, marker, size = colors[series], style.MARKERS[series % len(style.MARKERS)], 11
        ax.plot(x, y, color=color, marker=marker, markersize=size, linestyle="none", clip_on=False)
    ax.set(xlim=(0.0, max(points[:, 0].max() * 1.25, 1e-6)), ylim=(0.0, max(points[:, 1].max() * 1.12, 1e-6)))
    if baseline is not None:
        ax.axhline(baseline[1], color=BASELINE, linestyle=style.LINES[2], linewidth=1.6)
        _decorators.note(ax, baseline[0], (1.0, baseline[1]), (0, 3), units="y", ha="right", va="bottom")
    style.finish(ax, xlabel=xlabel, ylabel=ylabel, title=title)
    line = [] if baseline is None else [(x, baseline[1]) for x in ax.get_xlim()]
    labels.label_points(ax, points[:, 0].tolist(), points[:, 1].tolist(), list(releases), line=line)
    return ax


def _class_names(starts: Sequence[int]) -> list[str]:
    names = []
    for start, following in zip(starts, [*starts[1:], None], strict=True):
        if following is None:
            names.append(f"{start:,} or more" if start > 1 else "1 or more")
        else:
            names.append(str(start) if following == start + 1 else f"{start} to {following - 1}")
    if len(starts) > 1 and starts[1] == 2:
        names[0] = "alone"
    return names
