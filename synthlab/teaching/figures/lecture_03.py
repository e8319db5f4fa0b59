"""Figures of lecture 3: traces of Markov chains, and scatter plots of two variables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pandas as pd

from synthlab._typing import FloatArray
from synthlab.plots import _decorators, style
from synthlab.plots.color import CONFIDENTIAL, INK, PAPER, SYNTHETIC

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from synthlab.plots.style import Source


@_decorators.figure()
def plot_trace(
    chains: npt.ArrayLike,
    *,
    parameter: str,
    target: tuple[npt.ArrayLike, npt.ArrayLike] | None = None,
    truth: tuple[str, float] | None = None,
    title: str = "",
    data: Source = None,
) -> tuple[Axes, Axes]:
    """Draw the trace of each chain and the distribution of its draws.

    Parameters
    ----------
    chains : array of float, shape (chains, draws)
        Draws of one parameter, at most five chains.
    parameter : str
        Name of the parameter, with its unit.
    target : (points, density), optional
        Target density of the chains, if it is known.
    truth : (name, value), optional
        Value to mark across both panels.

    Returns
    -------
    tuple of two matplotlib.axes.Axes
        Axes of the trace and of the distribution.

    Examples
    --------
    >>> import numpy as np
    >>> from synthlab.teaching.figures.lecture_03 import plot_trace
    >>> trace, distribution = plot_trace(np.random.default_rng(1).normal(size=(2, 100)), parameter="theta")
    >>> trace.get_xlabel(), trace.get_ylabel(), sorted(text.get_text() for text in distribution.texts)
    ('draw', 'theta', ['chain 1', 'chain 2'])
    """
    import matplotlib.pyplot as plt

    values = np.asarray(chains, dtype=np.float64)
    size = (style.FIGSIZE[0] + 1, 4.2)
    left, right = plt.subplots(1, 2, figsize=size, sharey=True, width_ratios=(3.2, 1.3))[1]
    edges = np.histogram_bin_edges(values, bins=40)
    for number, chain in enumerate(values):
        look = _decorators.no_marker(style.series(number))
        left.plot(np.arange(1, chain.size + 1), chain, **{**look, "linestyle": "-"}, linewidth=0.8, alpha=0.85)
        height, _ = np.histogram(chain, bins=edges, density=True)
        right.stairs(height, edges, orientation="horizontal", **look)
    if target is not None:
        right.plot(target[1], target[0], color=INK, linestyle=style.LINES[2])
    for ax in (left, right):
        if truth is not None:
            ax.axhline(truth[1], color=INK, linewidth=1.4, linestyle=style.LINES[1])
    right.set_xlim(0.0, 1.9 * right.get_xlim()[1])  # leaves space for the names to the right of the curves
    _name_chains(right, values, truth)
    right.set_xticks([])
    style.finish(left, xlabel="draw", ylabel=parameter, title=title)
    style.finish(right, xlabel="share of draws")
    return left, right


@_decorators.figure()
def plot_relation(
    frames: Mapping[str, pd.DataFrame],
    x: str,
    y: str,
    *,
    log: bool = False,
    mark: int | None = None,
    xlabel: str | None = None,
    ylabel: str | None = None,
    title: str = "",
    data: Source = None,
) -> list[Axes]:
    """Draw one variable against another, one panel per dataset, on equal scales.

    The figure shows the confidential records, so it must not be published.

    Parameters
    ----------
    frames : mapping {name: DataFrame}
        Two to four datasets; the first, usually the confidential data, has its own color and marker.
    x, y : str
        Numeric variables of all datasets; missing values are omitted.
    log : bool, default False
        Whether both scales are logarithmic. Values <= 0 are omitted; the panel gives their number.
    mark : int, optional
        Position of a record to mark by a cross in every panel.
    xlabel, ylabel : str, optional
        Variables with their units; by default their names.
    title : str
        Title above all panels.

    Returns
    -------
    list of matplotlib.axes.Axes
        One panel per dataset.

    Examples
    --------
    >>> import pandas as pd
    >>> from synthlab.teaching.figures.lecture_03 import plot_relation
    >>> people = pd.DataFrame({"age": [20, 40, 60], "income": [9.0, 30.0, 25.0]})
    >>> panels = plot_relation({"confidential": people, "synthetic": people}, "age", "income", mark=1)
    >>> [panel.get_title(loc="left") for panel in panels]
    ['confidential', 'synthetic']
    """
    import matplotlib.pyplot as plt

    points = {name: frame[[x, y]].to_numpy(dtype=float) for name, frame in frames.items()}
    rows = 1 if len(points) < 4 else 2
    columns = -(-len(points) // rows)
    shape = (style.FIGSIZE[0] * 1.1, 0.6 + 3.4 * rows)
    figure, grid = plt.subplots(rows, columns, figsize=shape, sharex=True, sharey=True, squeeze=False)
    panels = list(grid.flat)
    for number, (panel, (name, values)) in enumerate(zip(panels, points.items(), strict=True)):
        color, marker = (CONFIDENTIAL, "o") if number == 0 else (SYNTHETIC, "^")
        shown = values[(values > 0).all(axis=1)] if log else values[np.isfinite(values).all(axis=1)]
        panel.plot(shown[:, 0], shown[:, 1], marker, color=color, markersize=3, alpha=0.35, markeredgewidth=0)
        if mark is not None:
            panel.plot(*values[mark], "X", color=INK, markersize=13, markeredgecolor="white", markeredgewidth=1.5)
        panel.set_title(style.literal(name), loc="left", fontsize=13)
        if left_out := int((values <= 0).any(axis=1).sum()) if log else 0:
            panel.annotate(f"{left_out:,} at 0 or below", (0.03, 0.03), xycoords="axes fraction", fontsize=12)
    if log:
        panels[0].set(xscale="log", yscale="log")
    if title:
        figure.suptitle(style.literal(title), x=0.01, ha="left", fontsize=15)
    for panel in panels:
        _decorators.thousands(panel.yaxis)
        _decorators.thousands(panel.xaxis)
    for panel in grid[-1]:
        style.finish(panel, xlabel=x if xlabel is None else xlabel)
    for row in grid:
        style.finish(row[0], ylabel=y if ylabel is None else ylabel)
    return panels


def _name_chains(ax: Axes, values: FloatArray, truth: tuple[str, float] | None) -> None:
    """Label each chain and the marked value at its height, without overlaps."""
    names = [(float(np.median(chain)), f"chain {i + 1}", style.series(i)["color"]) for i, chain in enumerate(values)]
    if truth is not None:
        names.append((truth[1], truth[0], INK))
    low, high = ax.get_ylim()
    names.sort(key=lambda name: name[0])
    heights = np.array([(name[0] - low) / (high - low) for name in names])
    gap = 0.09
    wanted = gap * np.arange(heights.size)
    placed = np.maximum.accumulate(heights - wanted) + wanted  # the distance between two labels is at least the gap
    placed += heights.mean() - placed.mean()
    placed -= max(0.0, float(placed[-1]) - 0.97)
    box = {"facecolor": PAPER, "edgecolor": "none", "pad": 1.0}
    for height, (_, name, color) in zip(placed, names, strict=True):
        ax.text(
            0.99, height, style.literal(name), color=color, bbox=box, transform=ax.transAxes, ha="right", va="center"
        )
