"""Figures of repeated sampling: coverage of intervals, bootstrap resamples."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from synthlab import _checks
from synthlab.exceptions import InputError
from synthlab.plots import _decorators, style
from synthlab.plots.color import BASELINE, CONFIDENTIAL, SYNTHETIC

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from synthlab.plots.style import Source
    from synthlab.utility import BootstrapResult


@_decorators.figure()
def plot_repeated_intervals(
    intervals: npt.ArrayLike, truth: float, ax: Axes | None = None, *, title: str = "", xlabel: str = "estimate"
) -> Axes:
    """Draw the intervals of many repetitions and the true value.

    Intervals that do not contain the true value are thick and have a marker.

    Parameters
    ----------
    intervals : array_like, shape (repetitions, 2)
        Lower and upper ends of the intervals.
    truth : float
        True value.
    title : str
        Title, followed by the number of intervals that contain the true value.
    xlabel : str
        Estimated quantity, with its unit.

    Raises
    ------
    InputError
        If `intervals` does not have shape (repetitions, 2).

    Examples
    --------
    >>> from synthlab.plots.sampling import plot_repeated_intervals
    >>> plot_repeated_intervals([[0, 2], [1.5, 3], [0.5, 4]], truth=1.0).get_title(loc="left")
    '2 of 3 contain the truth'
    """
    ends = _checks.check_array(intervals, "intervals")
    if ends.ndim != 2 or ends.shape[1] != 2 or len(ends) == 0:
        raise InputError(f"intervals: must have shape (repetitions, 2), got {ends.shape}")
    truth = _checks.check_number(truth, "truth")
    ax = style.axes(ax, (5.0, 6.0))
    hold = (ends[:, 0] <= truth) & (truth <= ends[:, 1])
    for place, (row, held) in enumerate(zip(ends, hold, strict=True)):
        colour, width = (SYNTHETIC, 1.2) if held else (CONFIDENTIAL, 3.0)
        ax.plot(row, [place, place], linestyle="-", color=colour, linewidth=width)
    missed = np.flatnonzero(~hold)
    ax.plot(ends[missed].mean(axis=1), missed, "X", color=CONFIDENTIAL, markersize=8)
    ax.axvline(truth, color=BASELINE, linestyle=style.LINES[1], linewidth=1.8)
    ax.set_yticks([])
    ax.grid(axis="y", visible=False)
    title = f"{title}\n{hold.sum()} of {len(hold)} contain the truth".lstrip("\n")
    return style.finish(ax, xlabel=xlabel, ylabel="one line per repetition", title=title)


@_decorators.figure()
def plot_bootstrap(
    result: BootstrapResult, ax: Axes | None = None, *, xlabel: str | None = None, data: Source = None
) -> Axes:
    """Draw the bootstrap distributions of a statistic: confidential and synthetic.

    Parameters
    ----------
    result : BootstrapResult
        Resamples of the confidential data, and of the synthetic datasets, which are pooled.
    xlabel : str, optional
        Statistic with its unit; by default its name.

    Examples
    --------
    >>> import pandas as pd
    >>> from synthlab.plots.sampling import plot_bootstrap
    >>> from synthlab.utility import bootstrap_statistic
    >>> people = pd.DataFrame({"income": [1.0, 2.0, 3.0, 4.0, 5.0]})
    >>> plot_bootstrap(bootstrap_statistic(people, people + 1, variable="income", rng=1)).get_xlabel()
    'mean of income'
    """
    pools = (
        ("confidential", result.confidential_draws, result.confidential_interval, CONFIDENTIAL, style.LINES[1]),
        (f"synthetic, m = {result.m} pooled", result.draws.ravel(), result.interval, SYNTHETIC, style.LINES[0]),
    )
    both = np.concatenate([pool[1] for pool in pools])
    edges = np.histogram_bin_edges(both, bins=60)
    ax = style.axes(ax)
    for words, draws, _, colour, line in pools:
        heights = np.histogram(draws, bins=edges)[0] / draws.size
        ax.stairs(100 * heights, edges, color=colour, linestyle=line, linewidth=2.2, label=words)
    ax.legend(frameon=False)
    top = ax.get_ylim()[1]
    for number, (_, _, ends, colour, _) in enumerate(pools, start=1):
        height = -0.07 * number * top
        ax.plot(ends, [height] * 2, "|-", color=colour, linewidth=3.0, markersize=10, markeredgewidth=2.5)
    ax.axhline(0.0, color=BASELINE, linewidth=0.8, linestyle="-")
    ax.set_yticks([tick for tick in ax.get_yticks() if 0 <= tick <= top])
    name = f"{result.statistic} of {result.variable}" if xlabel is None else xlabel
    words = f"share of the resamples (%)\nbelow 0: {100 * result.level:g}% intervals"
    return style.finish(ax, xlabel=name, ylabel=words, ylim=(-0.21 * top, top))
