"""The figure of delta against epsilon for a synthesis of counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from synthlab import _checks
from synthlab.exceptions import InputError
from synthlab.plots import _decorators, style
from synthlab.plots.color import CONFIDENTIAL, INK, SYNTHETIC

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from synthlab.counts import CountPrivacy
    from synthlab.plots.style import Source

LOWEST = 1e-16  # lower end of the axis; smaller values of delta, including 0, are drawn there


@_decorators.figure()
def plot_count_privacy(
    result: CountPrivacy, ax: Axes | None = None, *, records: int | None = None, data: Source = None
) -> Axes:
    """Draw delta against epsilon on a logarithmic axis.

    A second line is the probability that the privacy loss exceeds epsilon.

    Parameters
    ----------
    result : CountPrivacy
        Result of `synthlab.counts.count_delta` or `count_epsilon`. Infinite values of epsilon are not drawn.
    records : int, optional
        Number of records n. Draws a line at 1 / n; delta should be far below it.

    Raises
    ------
    InputError
        If no epsilon is finite, or `records` is not a positive whole number.

    Notes
    -----
    A dotted line is the limit of delta for large epsilon (`CountPrivacy.floor`). The privacy depends on the family and on
    the treatment of zeros, not on the counts of the table.

    Examples
    --------
    >>> import synthlab.counts as slc
    >>> ax = slc.count_delta(slc.Poisson(), [0.5, 1, 2], pseudocount=3, smoothing="every").plot(records=1000)
    >>> ax.get_yscale(), ax.get_xlabel()
    ('log', 'epsilon of one table')
    """
    known = np.isfinite(result.epsilon)
    if not known.any():
        raise InputError("result: no epsilon is finite, so there is nothing to draw; `result.cannot` gives the reason")
    order = np.argsort(result.epsilon[known], kind="stable")
    ax = style.axes(ax)
    series = {"delta": (result.delta, SYNTHETIC, 0), "the loss passes epsilon": (result.probabilistic, INK, 1)}
    for name, (values, colour, number) in series.items():
        look = {"color": colour, "marker": style.MARKERS[number], "linestyle": style.LINES[number]}
        ax.plot(result.epsilon[known][order], np.maximum(values[known][order], LOWEST), label=name, **look)
    lines = {"never below": result.floor} if result.floor > 0 else {}
    if records is not None:
        lines["1 / n"] = 1.0 / _checks.check_count(records, "records")
    for number, (name, value) in enumerate(lines.items()):
        ax.axhline(value, color=CONFIDENTIAL, linestyle=style.LINES[2 + number], label=f"{name}: {value:.3g}")
    ax.set_yscale("log")
    ax.set_ylim(min(0.01, ax.get_ylim()[0]), 1.5)  # the axis must not magnify a small decrease of delta
    neighbors = {"add-remove": "one record more or less", "replace": "one record replaced"}[result.adjacency]
    return style.finish(
        ax,
        xlabel="epsilon of one table",
        ylabel="delta",
        title=f"{result.label}, {neighbors}",
        legend={},
    )
