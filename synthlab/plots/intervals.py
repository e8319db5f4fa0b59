"""Figures of confidential and synthetic intervals and their overlap."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from synthlab import _checks
from synthlab._typing import FloatArray
from synthlab.exceptions import InputError
from synthlab.plots import _decorators, style
from synthlab.plots.color import BASELINE, CONFIDENTIAL, INK, SYNTHETIC

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from synthlab.plots.style import Source
    from synthlab.utility import AnalysisUtilityResult, IntervalOverlapResult


@_decorators.figure("result")
def plot_analysis(
    result: AnalysisUtilityResult,
    ax: Axes | None = None,
    *,
    names: Sequence[str] | None = None,
    labels: Mapping[str, str] | None = None,
    datasets: bool = True,
    data: Source = None,
    xlabel: str = "coefficient and interval",
) -> Axes:
    """Draw the confidential, per-dataset and combined intervals of an analysis.

    Parameters
    ----------
    result : AnalysisUtilityResult
        Result of one analysis of the confidential data and of the release.
    names : sequence of str, optional
        Coefficients to draw, from the top; all by default.
    labels : mapping {name: text}, optional
        Labels of the coefficients.
    datasets : bool
        Whether to draw a thin interval for each synthetic dataset.
    xlabel : str
        Quantity that is estimated, with its unit.

    Raises
    ------
    InputError
        If a name is not a coefficient of the analysis.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> from synthlab.plots.intervals import plot_analysis
    >>> from synthlab.utility import analysis_utility
    >>> draw = np.random.default_rng(1)
    >>> frames = [pd.DataFrame({"x": draw.normal(size=50), "y": draw.normal(size=50)}) for _ in range(3)]
    >>> result = analysis_utility(frames[0], frames[1:], formula="y ~ x")
    >>> [tick.get_text() for tick in plot_analysis(result).get_yticklabels()]
    ['Intercept', 'x']
    """
    chosen = list(result.names) if names is None else list(names)
    unknown = [name for name in chosen if name not in result.names]
    if unknown or not chosen:
        raise InputError(f"names: {_checks.named(unknown)} not among {_checks.shorten(result.names, 12)}")
    rows = [result.names.index(name) for name in chosen]
    ax, places = _decorators.rows(ax, [(labels or {}).get(name, name) for name in chosen], 0.95)
    for place, row in zip(places, rows, strict=True):
        first = place == len(rows) - 1
        _bar(ax, place + 0.28, result.confidential_interval[row], result.confidential_estimate[row], True, first)
        if datasets:
            for y, ends in zip(np.linspace(0.12, -0.12, result.m), result.intervals[:, row], strict=True):
                ax.plot(ends, [place + y] * 2, color=SYNTHETIC, linewidth=1.8, alpha=0.8, linestyle="-")
        _bar(ax, place - 0.28, result.combined.interval[row], result.combined.q_bar[row], False, first, result.m)
    ax.axvline(0.0, color=BASELINE, linestyle=style.LINES[2], linewidth=1.4, zorder=0)
    return style.finish(ax, xlabel=xlabel, legend={**style.ABOVE, "ncols": 1})


@_decorators.figure()
def plot_interval_overlap(
    result: IntervalOverlapResult,
    ax: Axes | None = None,
    *,
    labels: Sequence[str] | None = None,
    xlabel: str = "estimate",
    data: Source = None,
) -> Axes:
    """Draw pairs of intervals, their intersection, and their overlap J.

    Parameters
    ----------
    result : IntervalOverlapResult
        Pairs of intervals with their overlap.
    labels : sequence of str, optional
        Labels of the pairs.
    xlabel : str
        Quantity on the axis, with its unit.

    Raises
    ------
    InputError
        If `labels` does not contain one label per pair.

    Examples
    --------
    >>> from synthlab.plots.intervals import plot_interval_overlap
    >>> from synthlab.utility import interval_overlap
    >>> ax = plot_interval_overlap(interval_overlap([[0, 2], [0, 2]], [[1, 5], [3, 5]]))
    >>> [text.get_text() for text in ax.texts]
    ['J = 0.375', 'J = -0.500 (clipped: 0)']
    """
    pairs = len(result.confidential)
    names = [f"pair {i}" for i in range(1, pairs + 1)] if labels is None else list(labels)
    if len(names) != pairs:
        raise InputError(f"labels: {len(names)} labels for {pairs} pairs of intervals")
    ax, places = _decorators.rows(ax, names, 0.9)
    for row, place in enumerate(places):
        ours, theirs = result.confidential[row], result.synthetic[row]
        low, high = max(ours[0], theirs[0]), min(ours[1], theirs[1])
        if low < high:
            ax.fill_between([low, high], place - 0.3, place + 0.3, color=BASELINE, alpha=0.15, linewidth=0)
        _bar(ax, place + 0.15, ours, ours.mean(), True, row == 0)
        _bar(ax, place - 0.15, theirs, theirs.mean(), False, row == 0)
        value = float(result.interval_overlap[row])
        words = f"J = {value:.3f}" + (" (clipped: 0)" if value < 0 else "")
        _decorators.note(ax, words, (1.0, place), (6, 0), units="y", va="center")
    return style.finish(ax, xlabel=xlabel, legend=style.ABOVE)


def _bar(
    ax: Axes, place: float, ends: FloatArray, middle: float, confidential: bool, label: bool, m: int | None = None
) -> None:
    """Draw one interval with its estimate in the style of its data."""
    words = "confidential" if confidential else "synthetic" if m is None else f"synthetic, combined (m = {m})"
    colour, line, marker = (CONFIDENTIAL, style.LINES[1], "s") if confidential else (SYNTHETIC, style.LINES[0], "o")
    ax.plot(ends, [place] * 2, color=colour, linestyle=line, linewidth=3.0)
    ax.plot(ends, [place] * 2, "|", color=colour, markersize=11, markeredgewidth=2.5)
    ax.plot(middle, place, marker, color=colour, markeredgecolor=INK, markersize=8)
    if label:
        ax.plot([], [], label=words, linewidth=3.0, color=colour, linestyle=line, marker=marker)
