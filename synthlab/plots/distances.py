"""Figures of distances between distributions, and of combined estimates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from synthlab import _checks
from synthlab._typing import FloatArray
from synthlab.exceptions import InputError
from synthlab.plots import _decorators, style
from synthlab.plots.color import BASELINE, CONFIDENTIAL, SYNTHETIC

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from synthlab.plots.style import Source
    from synthlab.utility import BarycenterResult, CombinedResult, EcdfUtilityResult, TableUtilityResult

MAX_ROWS = 20


@_decorators.figure()
def plot_ecdf_distances(result: EcdfUtilityResult, ax: Axes | None = None, *, data: Source = None) -> Axes:
    """Draw the largest ECDF distance U_m of each variable, one dot per dataset.

    Parameters
    ----------
    result : EcdfUtilityResult

    Examples
    --------
    >>> import pandas as pd
    >>> from synthlab.plots.distances import plot_ecdf_distances
    >>> from synthlab.utility import ecdf_utility
    >>> people = pd.DataFrame({"income": [1.0, 2.0, 3.0, 4.0]})
    >>> plot_ecdf_distances(ecdf_utility(people, people + 1)).get_xlabel()
    'largest distance of the distribution functions (0: equal, 1: apart)'
    """
    xlabel = "largest distance of the distribution functions (0: equal, 1: apart)"
    return _dots(result.variables, result.ecdf_max, ax, xlabel)


@_decorators.figure()
def plot_table_distances(result: TableUtilityResult, ax: Axes | None = None, *, data: Source = None) -> Axes:
    """Draw the total variation of each table, one dot per dataset.

    A diamond marks the value expected by chance alone.

    Parameters
    ----------
    result : TableUtilityResult
        Tables to draw; at most the 20 with the largest mean.

    Examples
    --------
    >>> import pandas as pd
    >>> from synthlab.plots.distances import plot_table_distances
    >>> from synthlab.utility import table_utility
    >>> people = pd.DataFrame({"town": list("aabbc"), "sex": list("fmfmf")})
    >>> other = pd.DataFrame({"town": list("abbbc"), "sex": list("fmfmf")})
    >>> plot_table_distances(table_utility(people, other)).get_xlabel()
    'share of the records in a wrong cell (total variation)'
    """
    largest = np.argsort(-result.total_variation.mean(axis=1), kind="stable")[:MAX_ROWS]
    rows = np.sort(largest)
    xlabel = "share of the records in a wrong cell (total variation)"
    if len(result.names) > MAX_ROWS:
        xlabel += f"\nthe worst {MAX_ROWS} of {len(result.names)} tables"
    names = [result.names[row] for row in rows]
    chance = result.expected_total_variation[rows]
    return _dots(names, result.total_variation[rows], ax, xlabel, chance)


@_decorators.figure()
def plot_combined(
    result: CombinedResult,
    ax: Axes | None = None,
    *,
    names: Sequence[str] | None = None,
    xlabel: str = "estimate",
    data: Source = None,
) -> Axes:
    """Draw the combined estimates with their intervals.

    Below each interval, a number gives the share of the variance that is between datasets.

    Parameters
    ----------
    result : CombinedResult
    names : sequence of str, optional
        Quantities to draw, in this order; all by default. Draw quantities of very different size in separate figures.
    xlabel : str
        Estimated quantity, with its unit.

    Raises
    ------
    InputError
        If a name is not a quantity of the result.

    Examples
    --------
    >>> from synthlab.plots.distances import plot_combined
    >>> from synthlab.utility import combine_partial
    >>> ax = plot_combined(combine_partial([10.0, 12.0, 11.0], [4.0, 4.0, 4.0]), xlabel="mean income (dollars)")
    >>> ax.get_xlabel()
    'mean income (dollars)'
    """
    chosen = list(result.names) if names is None else list(names)
    for name in chosen:
        if name not in result.names:
            known = _checks.shorten(list(result.names))
            raise InputError(f"names={_checks.shown(name)}: not among the estimates {known}")
    ax, places = _decorators.rows(ax, chosen, 0.6)
    for place, name in zip(places, chosen, strict=True):
        row = result.names.index(name)
        ax.plot(result.interval[row], [place] * 2, color=SYNTHETIC, linewidth=3, linestyle="-", solid_capstyle="butt")
        ax.plot(result.q_bar[row], place, "o", color=SYNTHETIC, markersize=9)
    title = f"{result.level:.0%} intervals from m = {result.m} datasets, {result.synthesis} synthesis"
    return style.finish(ax, xlabel=xlabel, title=title)


@_decorators.figure()
def plot_barycenter(
    result: BarycenterResult, ax: Axes | None = None, *, data: Source = None, shown: float = 0.99
) -> Axes:
    """Draw the quantile functions of the confidential data, datasets, barycenter.

    Parameters
    ----------
    result : BarycenterResult
    shown : float in (0, 1]
        Largest probability to draw. The extreme quantiles of a long tail would compress the rest of the figure.

    Raises
    ------
    InputError
        If `shown` is not in (0, 1].

    Examples
    --------
    >>> from synthlab.plots.distances import plot_barycenter
    >>> from synthlab.utility import barycenter
    >>> plot_barycenter(barycenter([1.0, 2.0, 3.0], [[1.0, 2.0, 4.0], [2.0, 3.0, 4.0]])).get_xlabel()
    'probability'
    """
    shown = _checks.check_number(shown, "shown", low=0.0, high=1.0, open_low=True)
    used = result.probabilities <= shown
    x = result.probabilities[used]
    ax = style.axes(ax)
    for number, quantiles in enumerate(result.synthetic):
        label = f"each of m = {result.m} datasets" if number == 0 else None
        ax.plot(x, quantiles[used], color=SYNTHETIC, linewidth=0.8, alpha=0.5, linestyle="-", label=label)
    ax.plot(x, result.confidential[used], color=CONFIDENTIAL, linewidth=2.6, linestyle="-", label="confidential")
    ax.plot(x, result.barycenter[used], color=SYNTHETIC, linewidth=2.6, linestyle=style.LINES[1], label="barycenter")
    return style.finish(
        ax, xlabel="probability", ylabel=f"quantile of {style.literal(result.variable)}", legend={"loc": "upper left"}
    )


def _dots(
    names: Sequence[str], values: FloatArray, ax: Axes | None, xlabel: str, chance: FloatArray | None = None
) -> Axes:
    """Draw values of shape (rows, m): dots, their mean, and the value by chance."""
    ax, places = _decorators.rows(ax, names, 0.45, margin=1.8)
    ax.grid(axis="y", visible=True)
    m = values.shape[1]
    ax.plot(values.T, np.tile(places, (m, 1)), "o", color=SYNTHETIC, markersize=5, alpha=0.35, linestyle="")
    look: dict[str, Any] = {"color": SYNTHETIC, "markersize": 18, "markeredgewidth": 3, "label": f"mean of m = {m}"}
    ax.plot(values.mean(axis=1), places, "|", **look)
    if chance is not None:
        ax.plot(chance, places, "D", color=BASELINE, markersize=8, fillstyle="none", label="by chance alone")
    return style.finish(ax, xlabel=xlabel, xlim=(0, None), legend=style.ABOVE)


__all__ = ["plot_barycenter", "plot_combined", "plot_ecdf_distances", "plot_table_distances"]
