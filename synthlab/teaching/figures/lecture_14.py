"""Figures of lecture 14: count distributions and their noise."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from synthlab._typing import IntArray
from synthlab.plots import _decorators, style
from synthlab.plots.color import BASELINE, CONFIDENTIAL

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from synthlab.counts import CountFamily

_BARS_PER_PANEL = 60


@_decorators.figure()
def plot_noise(families: Sequence[CountFamily], ax: Axes | None = None, *, largest: int = 1000) -> Axes:
    """Draw the standard deviation of a synthetic count against the true count.

    Parameters
    ----------
    families : sequence of CountFamily
        Distributions without their means.
    largest : int > 1
        Largest count.

    Notes
    -----
    Jackson, Mitra, Francis and Dove, Figure 1, with exact standard deviations (after rounding to whole numbers).

    Examples
    --------
    >>> import synthlab.counts as slc
    >>> from synthlab.teaching.figures.lecture_14 import plot_noise
    >>> ax = plot_noise([slc.Poisson(), slc.GAF(sigma=2, nu=-0.5)], largest=100)
    >>> [line.get_label() for line in ax.lines]
    ['Poisson', 'GAF(sigma = 2, nu = -0.5)']
    """
    counts = np.unique(np.rint(np.geomspace(1, largest, 60)).astype(np.int64))
    ax = style.axes(ax, (9.0, 5.0))
    for number, family in enumerate(families):
        look = _decorators.no_marker(style.series(number))
        spread = np.asarray(family.at(counts).std)
        ax.plot(counts, spread, label=style.literal(family.label), **look)
        last = f"{spread[-1]:,.0f}" if spread[-1] >= 10 else f"{spread[-1]:.2g}"
        end = (counts[-1], spread[-1])
        _decorators.note(ax, last, end, (6, 0), va="center", color=look["color"], annotation_clip=False)
    ax.set(xscale="log", yscale="log")
    ax.legend(frameon=False)
    ylabel = "standard deviation of\nthe synthetic count (persons)"
    return style.finish(
        ax, xlabel="confidential count (persons in the cell)", ylabel=ylabel, title="Who gets the noise?"
    )


@_decorators.figure()
def plot_synthetic_counts(
    family: CountFamily, counts: Sequence[int] = (1, 5, 20), axes: Sequence[Axes] | None = None
) -> npt.NDArray[np.object_]:
    r"""Draw the distribution of synthetic counts, one panel per cell.

    Parameters
    ----------
    family : CountFamily
        Distribution without its means.
    counts : sequence of int >= 1
        Confidential counts of the cells, which are marked.
    axes : sequence of matplotlib.axes.Axes, optional
        Axes to draw on, one for each count; a new figure by default.

    Returns
    -------
    array of matplotlib.axes.Axes, shape (n_counts,)

    Notes
    -----
    A panel shows the counts between the quantiles 0.001 and 0.99: at most 60 counts, starting at 0 or around the true count.

    Examples
    --------
    >>> import synthlab.counts as slc
    >>> from synthlab.teaching.figures.lecture_14 import plot_synthetic_counts
    >>> [ax.get_title(loc="left") for ax in plot_synthetic_counts(slc.Poisson(), [1, 20])]
    ['true count 1:\nkept in 36.8%', 'true count 20:\nkept in 8.9%']
    """
    panels = _row(len(counts)) if axes is None else [style.axes(ax) for ax in axes]
    for ax, size in zip(panels, counts, strict=True):
        _draw_one(ax, family.at(size), size)
    top = max(ax.get_ylim()[1] for ax in panels)
    for ax in panels:
        ax.set_ylim(0.0, top)
    style.finish(panels[0], ylabel="probability")
    return np.asarray(panels, dtype=object)


def _row(number: int) -> list[Axes]:
    import matplotlib.pyplot as plt

    return list(plt.subplots(1, number, figsize=(3.4 * number, 4.0), squeeze=False)[1][0])


def _draw_one(ax: Axes, family: CountFamily, size: int) -> None:
    y = _shown(family, size)
    probability = np.asarray(family.pmf(y))
    true = y == size
    ax.bar(y[~true], probability[~true], color=BASELINE, width=0.85)
    ax.bar(y[true], probability[true], color=CONFIDENTIAL, width=0.85, hatch="//", edgecolor="white")
    ax.set_xlim(y[0] - 0.7, y[-1] + 0.7)
    ax.locator_params(axis="x", integer=True)
    kept = 100 * float(family.pmf(size))
    style.finish(ax, xlabel="synthetic count", title=f"true count {size}:\nkept in {kept:.1f}%")


def _shown(family: CountFamily, size: int) -> IntArray:
    low = min(float(family.ppf(0.001)), max(size - 3, 0))
    high = max(float(family.ppf(0.99)), size + 3)
    if high - low >= _BARS_PER_PANEL:
        low = max(0, size - _BARS_PER_PANEL // 2)
        high = low + _BARS_PER_PANEL - 1
    return np.arange(int(low), int(high) + 1)
