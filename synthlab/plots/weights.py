"""Figures of record weights, whack-a-mole, and the frontier of a policy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from synthlab import _checks
from synthlab._typing import FloatArray
from synthlab.exceptions import InputError
from synthlab.plots import _decorators, style
from synthlab.plots.color import CONFIDENTIAL, GRID, INK, SYNTHETIC

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from synthlab.plots.style import Source
    from synthlab.weights import PolicyFrontier, WhackAMoleResult


@_decorators.figure("result")
def plot_whack_a_mole(
    result: WhackAMoleResult,
    ax: Axes | None = None,
    *,
    labels: tuple[str, str] = ("unweighted", "weighted"),
    data: Source = None,
) -> Axes:
    """Draw the IR of each record after and before weighting; mark risen records.

    Parameters
    ----------
    result : WhackAMoleResult
        Result of `whack_a_mole`.
    labels : tuple of two str
        Names of the synthesizers before and after.

    Examples
    --------
    >>> import synthlab as sl
    >>> moles = sl.whack_a_mole([0.1, 0.2, 0.6, 0.9], [0.5, 0.3, 0.1, 0.2])
    >>> moles.plot(labels=("unweighted", "marginal")).get_ylabel()
    'IR, marginal'
    """
    before, after, risen = result.before, result.after, result.risen
    top = max(0.05, float(max(before.max(), after.max(), result.limit)) * 1.05)
    ax = style.axes(ax, (7.8, 6.4))
    size = 24 if before.size < 500 else 9
    ax.scatter(before[~risen], after[~risen], s=size, color=SYNTHETIC, alpha=0.35, linewidths=0, rasterized=True)
    look: dict[str, Any] = {"marker": "^", "facecolor": CONFIDENTIAL, "edgecolor": INK, "linewidths": 0.5, "zorder": 3}
    ax.scatter(before[risen], after[risen], s=42, **look)
    ax.plot([0, top], [0, top], color=INK, linestyle="-", linewidth=1.5)
    ax.plot([0, top], [result.threshold, top + result.threshold], color=INK, linestyle=":", linewidth=1.5)
    ax.axhline(result.limit, color=INK, linestyle="--", linewidth=1.2)
    ax.set(xlim=(-0.01 * top, top), ylim=(-0.01 * top, top), aspect="equal")
    ax.text(1.01, result.limit, f"limit {result.limit:g}", transform=ax.get_yaxis_transform(), va="center")
    _decorators.note(ax, "y = x", (0.86 * top, 0.86 * top), (10, -8), va="top")
    words = f"{result.n_risen:,} rise by more than {result.threshold:g}"
    if result.null is not None:
        words += f"\n{result.n_risen_by_noise:,.0f} between two {labels[0]} releases"
    return style.finish(ax, xlabel=f"IR, {labels[0]}", ylabel=f"IR, {labels[1]}", title=words)


@_decorators.figure()
def plot_weights(
    values: npt.ArrayLike,
    weights: npt.ArrayLike | Mapping[str, npt.ArrayLike],
    ax: Axes | None = None,
    *,
    label: str = "value",
    data: Source = None,
    log: bool = False,
) -> Axes:
    """Draw record weights over the density of the variable they were computed from.

    Parameters
    ----------
    values : array_like of shape (n,)
        Confidential values.
    weights : array_like of shape (n,), or mapping {name: array_like}
        Record weights in [0, 1], for example of order 1 and 2.
    label : str
        Variable, with its unit.
    log : bool
        Whether the axis of the values is logarithmic. Values <= 0 are omitted; the axis label gives their number.

    Raises
    ------
    InputError
        If the sizes differ, or there are no values to draw.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> import synthlab as sl
    >>> from synthlab.plots.weights import plot_weights
    >>> counts = pd.DataFrame({"jobs": np.random.default_rng(1).poisson(100, 500)})
    >>> someone = sl.Intruder(known=[], synthesized=["jobs"], radius=0.1)
    >>> alpha = {k: sl.risk_weights(counts, someone, order=k) for k in (1, 2)}
    >>> plot_weights(counts["jobs"], {"marginal": alpha[1], "pairwise": alpha[2]}).get_ylabel()
    'weight of the record'
    """
    named = weights if isinstance(weights, Mapping) else {"weight": weights}
    x = _checks.check_vector(values, "values")
    if x.size == 0 or not named:
        raise InputError("values, weights: are empty, so there is nothing to draw")
    arrays = {name: _checks.check_weights(w, x.size, f"weights[{name!r}]") for name, w in named.items()}
    shown = x > 0 if log else np.ones(x.size, dtype=bool)
    if not shown.any():
        raise InputError("values: log=True needs values > 0, and there are none; use log=False")
    left_out = int((~shown).sum())
    ax = style.axes(ax)
    at, height = _density(x[shown], log)
    ax.fill_between(at, 0, height, color=GRID, linewidth=0, label="density (no scale)")
    for name, array, look in _decorators.each(arrays):
        ax.plot(x[shown], array[shown], label=name, markersize=4, **{**look, "linestyle": ""})
    if log:
        ax.set_xscale("log")
    xlabel = label + (f" ({left_out:,} records <= 0 are not shown)" if left_out else "")
    ax.set_ylim(0, 1.04)
    ax.legend(loc="upper right", markerscale=2, frameon=True)
    return style.finish(ax, xlabel=xlabel, ylabel="weight of the record", title="Weight of each record")


@_decorators.figure()
def plot_policy_frontier(result: PolicyFrontier, ax: Axes | None = None, *, data: Source = None) -> Axes:
    """Draw the loss of utility against the risk of all settings, and the frontier.

    Parameters
    ----------
    result : PolicyFrontier
        Result of `policy_frontier`.
    """
    table: pd.DataFrame = result.table
    front, best = table[table["on_frontier"]].sort_values("risk"), result.best
    ax = style.axes(ax)
    ax.plot(table["risk"], table["loss"], linestyle="", marker="o", color=SYNTHETIC, alpha=0.5, label="a setting tried")
    ax.plot(front["risk"], front["loss"], drawstyle="steps-post", color=INK, linestyle="-", label="frontier")
    policy = f"policy: {result.risk_name} <= {result.limit:g}"
    ax.axvline(result.limit, color=CONFIDENTIAL, linestyle="--", label=policy)
    if best is not None:
        row = table.loc[best].to_dict()
        ax.plot(row["risk"], row["loss"], linestyle="", marker="D", color=CONFIDENTIAL, markersize=11, label="chosen")
        words = ", ".join(f"{name} {row[name]:.3g}" for name in result.settings)
        _decorators.note(ax, words, (row["risk"], row["loss"]), (12, 10))
    ax.legend(frameon=True)
    xlabel, ylabel = f"risk: {result.risk_name}", f"loss of utility: {result.loss_name}"
    return style.finish(ax, xlabel=xlabel, ylabel=ylabel, title="What a limit on risk costs")


@_decorators.figure()
def plot_risk_groups(
    groups: Mapping[str, npt.ArrayLike],
    ax: Axes | None = None,
    *,
    title: str = "Identification probability",
    data: Source = None,
) -> Axes:
    """Draw the distribution of IR as one violin per group, with its mean as a line.

    Parameters
    ----------
    groups : mapping {name: array_like of shape (n,)}
        IR of each record; the names become the labels.
    title : str
        Title of the figure.

    Raises
    ------
    InputError
        If `groups` is empty.

    Examples
    --------
    >>> import synthlab as sl
    >>> ax = sl.plots.plot_risk_groups({"Data": [0.9, 0.5, 0.1], "Synthesizer": [0.4, 0.2, 0.1]})
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['Data', 'Synthesizer']
    """
    arrays = {
        name: _checks.check_array(values, f"groups[{name!r}]")
        for name, values in _decorators.filled(groups, "groups").items()
    }
    ax, places = _decorators.rows(ax, arrays, 0.55, width=9.0)
    for place, (name, values) in zip(places, arrays.items(), strict=True):
        _decorators.violin(ax, values, place, CONFIDENTIAL if name.startswith("D") else SYNTHETIC, alpha=0.4)
        ax.vlines(values.mean(), place - 0.3, place + 0.3, color=INK, linewidth=2.2)
        _decorators.note(ax, f"mean {values.mean():.3f}", (1.0, place), (4, 0), va="center", fontsize=12)
    return style.finish(ax, xlabel="identification probability IR of a record", title=title, xlim=(-0.02, 1.0))


@_decorators.figure()
def plot_estimates(table: pd.DataFrame, ax: Axes | None = None, *, label: str, data: Source = None) -> Axes:
    """Draw estimates with their intervals, one per row.

    The first row holds the confidential data; its interval is drawn as a band over all rows.

    Parameters
    ----------
    table : pandas.DataFrame
        Table with columns ``estimate``, ``low`` and ``high``; the index contains the row labels.
    label : str
        Quantity, with its unit.

    Examples
    --------
    >>> import pandas as pd
    >>> import synthlab as sl
    >>> table = pd.DataFrame(
    ...     {"estimate": [52.0, 50.5], "low": [50.0, 47.5], "high": [54.0, 53.5]}, index=["confidential", "synthetic"]
    ... )
    >>> ax = sl.plots.plot_estimates(table, label="mean income, in 1,000 dollars")
    >>> ax.get_xlabel()
    'mean income, in 1,000 dollars'
    """
    first = table.iloc[0]
    rows = table[["estimate", "low", "high"]].to_numpy(dtype=np.float64)
    ax, places = _decorators.rows(ax, table.index, 0.5, width=9.0)
    ax.axvspan(first["low"], first["high"], color=GRID, linewidth=0)
    ax.axvline(first["estimate"], color=INK, linewidth=1.2)
    for place, (number, row) in zip(places, enumerate(rows), strict=True):
        colour = CONFIDENTIAL if number == 0 else SYNTHETIC
        ax.plot(row[1:], [place, place], color=colour, linestyle="-")
        ax.plot(row[0], place, marker="o", linestyle="", color=colour)
    _decorators.few_ticks(ax)
    return style.finish(ax, xlabel=label)


def _density(values: FloatArray, log: bool) -> tuple[FloatArray, FloatArray]:
    """Return a histogram as a polygon with maximum height 1."""
    edges = np.histogram_bin_edges(np.log(values) if log else values, bins=60)
    edges = np.exp(edges) if log else edges
    counts = np.histogram(values, edges)[0].astype(np.float64)
    return np.repeat(edges, 2)[1:-1], np.repeat(counts / counts.max(), 2)
