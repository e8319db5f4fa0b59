"""Figures of count synthesis: tuning, risk against loss, the tau metrics."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab.exceptions import InputError
from synthlab.plots import _decorators, style
from synthlab.plots.color import CONFIDENTIAL, INK, SYNTHETIC
from synthlab.plots.labels import label_points

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from synthlab.counts import ExpectedTau, FrontierResult, Table, TauResult, TuneResult
    from synthlab.plots.style import Source

WORDS = {
    "tau1": "share of synthetic cells of size k",
    "tau3": "share of cells of size k that keep size k",
    "tau4": "share of synthetic cells of size k that had size k before",
}
AXES = {
    "sigma": "sigma (noise)",
    "nu": "nu (how the noise follows the count)",
    "epsilon": "epsilon of one dataset (privacy loss)",
}


@_decorators.figure()
def plot_tuning(result: TuneResult, ax: Axes | None = None, *, data: Source = None) -> Axes:
    """Draw the tuned metric against the parameter, and mark the requested value.

    Parameters
    ----------
    result : TuneResult
        Result of `synthlab.counts.tune`.

    Examples
    --------
    >>> import synthlab.counts as slc
    >>> table = slc.Table.from_counts([0, 1, 1, 3], {"age": [5, 6, 7, 8]})
    >>> slc.tune(table, slc.NBI(sigma=1), target=("tau3", 1, 0.2)).plot().get_ylabel()
    'tau3(1)'
    """
    ax = style.axes(ax)
    ax.plot(result.grid, result.curve, color=SYNTHETIC)
    ax.axhline(result.wanted, color=CONFIDENTIAL, linestyle=style.LINES[1])
    ax.plot(result.solutions, np.full(result.solutions.size, result.wanted), "o", color=CONFIDENTIAL)
    _decorators.note(
        ax, f"{result.over} = {result.value:.3g}", (result.value, result.wanted), (8, 8), color=CONFIDENTIAL
    )
    if result.over != "nu":
        ax.set_xscale("log")
    if result.target == "loss":
        ax.set_yscale("log")
    label = "expected squared loss of the occupied cells" if result.target == "loss" else result.target
    title = f"{type(result.family).__name__}: {result.target} = {result.wanted:g} by {result.over}"
    return style.finish(ax, xlabel=AXES[result.over], ylabel=label, title=title)


@_decorators.figure()
def plot_frontier(result: FrontierResult, ax: Axes | None = None, *, labels: bool = False, data: Source = None) -> Axes:
    """Draw loss against risk, one point per setting, with the efficient frontier.

    The vertical axis is inverted: points higher up have less loss. A line joins the efficient settings.

    Parameters
    ----------
    result : FrontierResult
        Result of `synthlab.counts.frontier`.
    labels : bool
        Whether to write the parameters of each setting next to its point; the legend names the parameters.

    Examples
    --------
    >>> import synthlab.counts as slc
    >>> table = slc.Table.from_counts([1, 1, 2, 10], {"age": [5, 6, 7, 8]})
    >>> slc.frontier(table, [slc.NBI(sigma=s) for s in (0.5, 1)]).plot().get_yscale()
    'log'
    """
    frame = result.to_frame()
    ax = style.axes(ax, (9.6, 5.6) if labels else style.FIGSIZE)
    for number, (family, rows) in enumerate(frame.groupby("family", sort=False)):
        look = style.series(number)
        named = [name for name in AXES if labels and name in rows and rows[name].notna().any()]
        label = f"{family}: {', '.join(named)}" if named else str(family)
        ax.plot(rows["tau4"], rows["loss"], look["marker"], color=look["color"], label=label)
    best = frame[frame["efficient"]].sort_values("tau4")
    ax.plot(best["tau4"], best["loss"], color=INK, linewidth=1.0, linestyle="-", zorder=1, label="efficient")
    ax.set_yscale("log")
    ax.invert_yaxis()  # as in risk-utility maps: better utility is higher, lower risk is further left
    if labels:
        ax.legend(frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
        values = frame[[name for name in AXES if name in frame]].to_numpy(dtype=np.float64)
        words = [", ".join(f"{value:g}" for value in row if not np.isnan(value)) for row in values]
        ax.margins(x=0.1, y=0.08)
        line = list(zip(best["tau4"], best["loss"], strict=True))
        label_points(ax, frame["tau4"].tolist(), frame["loss"].tolist(), words, line=line)
    else:
        ax.legend(frameon=False)
    return style.finish(
        ax,
        xlabel=f"risk tau4({result.k}): share of synthetic counts of {result.k} that had it before",
        ylabel=f"expected squared loss, mean of m = {result.m}\n(occupied cells; lower values are higher up)",
        title="Less noise: less loss, more risk",
    )


@_decorators.figure()
def plot_tau(
    expected: ExpectedTau,
    measured: TauResult | None = None,
    ax: Axes | None = None,
    *,
    metric: str = "tau3",
    data: Source = None,
) -> Axes:
    """Draw the expected and the measured values of a tau metric by cell size.

    Parameters
    ----------
    expected : ExpectedTau
        Result of `synthlab.counts.expected_tau`.
    measured : TauResult, optional
        Result of `synthlab.counts.tau` for the same cell sizes, drawn with its binomial error.
    metric : {"tau1", "tau3", "tau4"}
        Metric to draw.

    Raises
    ------
    InputError
        If `expected` and `measured` have different cell sizes.

    Examples
    --------
    >>> import synthlab.counts as slc
    >>> table = slc.Table.from_counts([0, 1, 1, 2], {"age": [5, 6, 7, 8]})
    >>> slc.expected_tau(table, slc.NBI(sigma=1), k=[1, 2]).plot().get_xlabel()
    'cell size k'
    """
    _checks.check_choice(metric, "metric", tuple(WORDS))
    ax = style.axes(ax)
    ax.plot(expected.k, getattr(expected, metric), "_", color=INK, markersize=22, label="a priori")
    if measured is not None:
        if measured.k.tolist() != expected.k.tolist():
            raise InputError("measured: has other cell sizes k than `expected`; compute both for the same sizes")
        value = getattr(measured, metric)
        m = value.shape[1]
        error = 1.96 * expected.standard_errors(m)[metric]
        label = f"measured, mean of m = {m}, 95% binomial error"
        ax.errorbar(measured.k, value.mean(axis=1), error, fmt="o", color=SYNTHETIC, capsize=4, label=label)
    ax.set_xticks(expected.k)
    ax.set(ylim=(0, None))
    return style.finish(
        ax, xlabel="cell size k", ylabel=f"{metric}(k)", title=f"{expected.label}:\n{WORDS[metric]}", legend={}
    )


@_decorators.figure()
def plot_cell_sizes(table: Table, ax: Axes | None = None, *, largest: int = 10, data: Source = None) -> Axes:
    """Draw the number of cells of each size of a table on a logarithmic axis.

    Parameters
    ----------
    table : Table
        Table of counts.
    largest : int
        Largest size with its own point; larger sizes are combined. Sizes without cells have no point.

    Examples
    --------
    >>> import synthlab.counts as slc
    >>> from synthlab.plots.counts import plot_cell_sizes
    >>> plot_cell_sizes(slc.Table.from_counts([0, 1, 1, 30], {"age": [5, 6, 7, 8]})).lines[0].get_ydata().tolist()
    [1, 2, 1]
    """
    sizes: pd.DataFrame = table.size_summary(largest)
    some = sizes["cells"] > 0
    ax = style.axes(ax)
    ax.plot(np.flatnonzero(some), sizes.loc[some, "cells"], "o", color=CONFIDENTIAL)
    ax.set_yscale("log")
    ax.set_xticks(range(len(sizes)), sizes["count"].tolist())
    low = float(sizes.loc[some, "cells"].min()) / 4.0
    ax.set_ylim(low, 4.0 * float(sizes["cells"].max()))  # leaves space for the percentage above the highest point
    ax.yaxis.set_major_formatter("{x:,.0f}")
    for place, percent in enumerate(sizes["percent"]):
        height = max(low, float(sizes["cells"].iloc[place]))
        _decorators.note(ax, f"{percent:.2g}%", (place, height), (0, 7), ha="center", fontsize=9.5)
    return style.finish(
        ax, xlabel="records in a cell", ylabel="cells", title="Most cells are empty, and many hold one person"
    )
