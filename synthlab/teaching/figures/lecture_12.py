"""Figures of lecture 12: the noise of differentially private mechanisms."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from synthlab.plots import _decorators, style
from synthlab.plots.color import CONFIDENTIAL, INK, PAPER

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from synthlab.dp import LaplaceMechanism, PrivateResult
    from synthlab.plots.style import DescribedFigure, Source


@_decorators.figure()
def plot_neighbor_noise(
    mechanism: LaplaceMechanism,
    answers: tuple[float, float],
    ax: Axes | None = None,
    *,
    released: float | None = None,
    names: tuple[str, str] = ("without you", "with you"),
    xlabel: str = "released number",
) -> Axes:
    """Draw the densities of the released number for two neighboring databases.

    Parameters
    ----------
    mechanism : LaplaceMechanism
        Mechanism that adds the noise.
    answers : tuple of two float
        True answers of the two databases.
    released : float, optional
        Released number to mark, with the ratio of the two densities.
    names : tuple of two str
        Labels of the databases.
    xlabel : str
        Released quantity.

    Examples
    --------
    >>> from synthlab import dp
    >>> from synthlab.teaching.figures.lecture_12 import plot_neighbor_noise
    >>> ax = plot_neighbor_noise(dp.LaplaceMechanism(1.0), (7, 8), released=10)
    >>> ax.texts[0].get_text()
    'ratio 2.72'
    """
    low, high = sorted(answers)
    reach = 4.5 * mechanism.scale
    # The grid must include the peaks, so that the lines reach them.
    marked = [] if released is None else [released]
    at = np.unique(np.concatenate([np.linspace(low - reach, high + reach, 601), answers, marked]))
    ax = style.axes(ax)
    for number, (answer, name) in enumerate(zip(answers, names, strict=True)):
        look = _decorators.no_marker(style.series(number))
        ax.plot(at, mechanism.density(at, answer), label=f"{name}: {answer:,.6g}", **look)
    if released is not None:
        heights = [float(mechanism.density(released, answer)) for answer in answers]
        ax.axvline(released, color=CONFIDENTIAL, linewidth=1.5, linestyle="-")
        ax.plot([released] * 2, heights, "o", color=CONFIDENTIAL, markersize=7)
        ratio = np.exp(abs(mechanism.log_ratio(released, *answers)))
        side = 1 if 2 * released < at[0] + at[-1] else -1  # toward the middle
        note = f"ratio {ratio:.3g}"
        clear = {"boxstyle": "square,pad=0.1", "facecolor": PAPER, "edgecolor": "none", "alpha": 0.9}
        align = "left" if side > 0 else "right"
        _decorators.note(ax, note, (released, max(heights)), (8 * side, 8), ha=align, bbox=clear)
        ax.margins(y=0.15)
    title = f"What is released, with you and without you: epsilon {mechanism.epsilon:g}"
    legend = {"loc": "upper right", "frameon": True, "framealpha": 1.0}
    return style.finish(ax, title=title, xlabel=xlabel, ylabel="density", ylim=(0, None), legend=legend)


@_decorators.figure()
def plot_noise_by_epsilon(
    epsilons: npt.ArrayLike,
    margins: Mapping[str, npt.ArrayLike],
    ax: Axes | None = None,
    *,
    error: float | None = None,
    title: str = "",
    ylabel: str = "95% margin",
    data: Source = None,
) -> Axes:
    """Draw the margins of mechanisms against epsilon, with a reference error.

    Parameters
    ----------
    epsilons : array_like of shape (k,)
        Values of epsilon, all > 0; both axes are logarithmic.
    margins : mapping {name: array_like of shape (k,)}
        Margins of each mechanism, > 0.
    error : float > 0, optional
        Reference error, for example the sampling margin, drawn as a horizontal line.
    ylabel : str
        Label of the margin, with its unit.

    Examples
    --------
    >>> from synthlab import dp
    >>> from synthlab.teaching.figures.lecture_12 import plot_noise_by_epsilon
    >>> eps = [0.1, 1.0]
    >>> margins = {"Laplace": [dp.LaplaceMechanism(e).margin() for e in eps]}
    >>> plot_noise_by_epsilon(eps, margins, error=5.0).get_yscale()
    'log'
    """
    ax = style.axes(ax)
    for name, values, look in _decorators.each(margins):
        ax.plot(epsilons, values, label=style.literal(name), **{**look, "markersize": 5})
    if error is not None:
        ax.axhline(error, color=INK, linestyle=style.LINES[2], label="sampling error")
    return style.finish(
        ax, title=title, xlabel="epsilon", ylabel=ylabel, xscale="log", yscale="log", legend={"loc": "upper right"}
    )


def margins_by_epsilon(
    epsilons: npt.ArrayLike, margins: Mapping[str, npt.ArrayLike], yes: npt.ArrayLike, *, data: Source = None
) -> DescribedFigure:
    """Draw the 95% margins of a count against epsilon, and its sampling margin.

    Parameters
    ----------
    epsilons : array_like of shape (k,)
        Values of epsilon, all > 0 and increasing.
    margins : mapping {name: array_like of shape (k,)}
        Margins of each mechanism, in records.
    yes : array_like of bool, shape (n,)
        Mask of the records that are counted.
    data : Dataset, DataFrame, Release, "real" or "simulated", optional
        Source of the data label of the figure.

    Returns
    -------
    DescribedFigure

    Examples
    --------
    >>> from synthlab.teaching.figures.lecture_12 import margins_by_epsilon
    >>> print(margins_by_epsilon([0.1, 1.0], {"Laplace": [30.0, 3.0]}, [True, False, False, False]).description)
    Logarithmic axes: the 95 percent margin of the noise on a count falls with epsilon. Laplace: from 30 at epsilon 0.1 to \
3.0 at 1. A dashed line is the sampling margin, 2.
    """
    at, counted = np.asarray(epsilons, dtype=np.float64), np.asarray(yes, dtype=bool)
    sampling = 1.96 * float(np.sqrt(counted.size * counted.mean() * (1 - counted.mean())))
    title = f"A count of {counted.sum():,} of {counted.size:,} households"
    ax = plot_noise_by_epsilon(at, margins, error=sampling, title=title, ylabel="95% margin (households)", data=data)
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_formatter(lambda value, _: f"{value:,.6g}")
    lines = {name: np.asarray(values, dtype=np.float64) for name, values in margins.items()}
    text = "; ".join(
        f"{name}: from {values[0]:,.0f} at epsilon {at[0]:g} to {values[-1]:.1f} at {at[-1]:g}"
        for name, values in lines.items()
    )
    return style.figure_with_description(
        ax,
        f"Logarithmic axes: the 95 percent margin of the noise on a count falls with epsilon. {text}. A dashed line is the "
        f"sampling margin, {sampling:.0f}.",
    )


def noisy_cells(
    noisy: PrivateResult, true: npt.ArrayLike, labels: Mapping[Hashable, str], *, data: Source = None
) -> DescribedFigure:
    """Draw noisy counts with the interval of their noise, and the true counts.

    Parameters
    ----------
    noisy : PrivateResult
        Noisy histogram.
    true : array_like of shape (k,)
        True counts, in the order of the cells.
    labels : mapping {cell: text}
        Labels of the cells.
    data : Dataset, DataFrame, Release, "real" or "simulated", optional
        Source of the data label of the figure.

    Returns
    -------
    DescribedFigure

    Examples
    --------
    >>> from synthlab import dp
    >>> from synthlab.teaching.figures.lecture_12 import noisy_cells
    >>> noisy = dp.private_histogram(["a", "b", "b"], categories=["a", "b"], epsilon=1.0, rng=1)
    >>> print(noisy_cells(noisy, [1, 2], {"a": "owns", "b": "rents"}).description.partition(",")[0])
    2 cells with noisy counts and the 95 percent interval of the noise
    """
    ax = noisy.plot(confidential=true, labels=labels, data=data, xlabel="households")
    _decorators.thousands(ax.xaxis)
    margin = np.diff(noisy.interval[0])[0] / 2
    set_title(ax, f"The same noise for all, epsilon {noisy.epsilon:g}", pad=34)
    cells = zip(noisy.labels, noisy.estimate, np.asarray(true), strict=True)
    text = "; ".join(f"{labels[cell]} published {x:,.0f}, true {count:,.0f}" for cell, x, count in cells)
    return style.figure_with_description(
        ax,
        f"{noisy.estimate.size} cells with noisy counts and the 95 percent interval of the noise, plus or minus "
        f"{margin:.0f} households in each: {text}.",
    )


def set_title(ax: Axes, title: str, *, pad: float) -> None:
    """Set a title above the legend."""
    with style.context():
        ax.set_title(style.literal(title), loc="left", pad=pad)
