"""Figures of the pseudo posterior mechanism: weights, sensitivities, resampled statistics, and what privacy costs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._typing import FloatArray
from synthlab.exceptions import InputError
from synthlab.plots import style
from synthlab.plots.colour import CONFIDENTIAL, GRID, INK, SERIES, SYNTHETIC

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PRICE = ("lipschitz_bound", "value")  # what `plot_price` draws; the spread is left out where there is none


def plot_lipschitz_weights(result: Any, ax: Axes | None = None, *, data: Any = None) -> Axes:
    """Draw the weight of each record against its sensitivity, over the distribution of the sensitivities.

    Parameters
    ----------
    result : LipschitzWeights
        From `lipschitz_weights`.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure.
    data : Dataset, DataFrame, Release, "real" or "simulated", optional
        What the figure says about the data.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> import numpy as np
    >>> from synthlab.weights import lipschitz_weights
    >>> log = np.random.default_rng(1).normal(-3, 1, size=(50, 200))
    >>> lipschitz_weights(log, n=log.shape[1], quantile=0.95).plot().get_ylabel()
    'weight of the record'
    """
    with style.context():
        ax = style.axes(ax)
        counts, edges = np.histogram(result.sensitivity, bins=40)
        ax.fill_between(np.repeat(edges, 2)[1:-1], 0, np.repeat(counts / counts.max(), 2), color=GRID, linewidth=0)
        ax.plot(result.sensitivity, result.weights, linestyle="", marker="o", markersize=5, color=SYNTHETIC, alpha=0.6)
        silenced = int((result.weights == 0).sum())
        ax.set_ylim(-0.03, 1.04)
        ax.annotate(
            f"{silenced:,} of {result.weights.size:,} records have weight 0\n"
            f"grey: how many records (no scale)",
            (0.98, 0.95),
            xycoords="axes fraction",
            ha="right",
            va="top",
        )  # fmt: skip
        return style.finish(
            ax,
            kind=style.data_kind(data),
            xlabel="sensitivity f: largest |log-likelihood| of the record, unweighted",
            ylabel="weight of the record",
            title=f"scale {result.scale:g}, shift {result.shift:g}",
        )


def plot_sensitivities(results: Mapping[str, Any], ax: Axes | None = None, *, data: Any = None) -> Axes:
    """Draw the records' sensitivities as one violin a mechanism, with its largest, the Lipschitz bound.

    Parameters
    ----------
    results : mapping {name: EpsilonResult, or array_like of shape (n,)}
        Weighted sensitivities of the records; the names become the labels.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure.
    data : Dataset, DataFrame, Release, "real" or "simulated", optional
        What the figure says about the data.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    InputError
        If there is no mechanism, or its sensitivities are no vector of finite numbers.

    Examples
    --------
    >>> from synthlab.plots.lipschitz import plot_sensitivities
    >>> ax = plot_sensitivities({"unweighted": [1.0, 2.0, 12.0], "weighted": [0.9, 1.5, 4.0]})
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['unweighted', 'weighted']
    """
    given = _checks.check_mapping(results, "results", "names and sensitivities")
    arrays = {
        name: _checks.check_vector(getattr(r, "sensitivity", r), f"results[{name!r}]") for name, r in given.items()
    }
    if not arrays:
        raise InputError("results: an empty mapping; name at least one mechanism")
    with style.context():
        ax = style.axes(ax, (9.0, 1.8 + 0.75 * len(arrays)))
        places = _rows(ax, list(arrays))
        for place, values in zip(places, arrays.values(), strict=True):
            _violin(ax, values, place, SYNTHETIC)
            bound = float(values.max())
            ax.plot(bound, place, marker="D", color=CONFIDENTIAL, linestyle="")
            ax.annotate(f"{bound:.3g}", (bound, place), (10, 0), textcoords="offset points", va="center")
            ax.vlines(np.median(values), place - 0.25, place + 0.25, color=INK, linewidth=2.0)
        ax.margins(x=0.09)
        ax.set_xlim(left=0.0)
        return style.finish(
            ax,
            kind=style.data_kind(data),
            xlabel="sensitivity: weight x largest |log-likelihood| of a record",
            title="Diamond: the Lipschitz bound; line: the median record",
        )


def plot_statistics(
    groups: Mapping[str, Any], ax: Axes | None = None, *, label: str, title: str = "", data: Any = None
) -> Axes:
    """Draw the distribution of a statistic as one violin a row; the first row, the confidential data, becomes a band.

    Parameters
    ----------
    groups : mapping {name: array_like}, or {name: {half: array_like, half: array_like}}
        Values of the statistic, for example quantiles of its barycenter. A row of two named halves has one above the line and
        the other below it; the same two names in every such row.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure.
    label : str
        The statistic, with its unit.
    title : str, optional
        What is compared.
    data : Dataset, DataFrame, Release, "real" or "simulated", optional
        What the figure says about the data.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    InputError
        If there is no row, or a row has more than two halves.

    Examples
    --------
    >>> from synthlab.plots.lipschitz import plot_statistics
    >>> rows = {"Data": [1.0, 2.0, 3.0], "(1, 0)": {"DP": [1.0, 2.0, 2.5], "EM": [0.0, 1.0, 2.0]}}
    >>> plot_statistics(rows, label="mean of y").get_xlabel()
    'mean of y'
    """
    if not groups or any(isinstance(rows, Mapping) and len(rows) != 2 for rows in groups.values()):
        raise InputError("groups: must name at least one row, and a row in halves has two of them")
    with style.context():
        ax = style.axes(ax, (9.0, 1.8 + 0.75 * len(groups)))
        places = _rows(ax, list(groups))
        halves: dict[str, str] = {}
        for number, (place, (row, rows)) in enumerate(zip(places, groups.items(), strict=True)):
            if isinstance(rows, Mapping):
                for side, (name, values) in zip(("high", "low"), rows.items(), strict=True):
                    halves.setdefault(name, SERIES[(0, 3)[len(halves) % 2]])
                    _violin(ax, _checks.check_vector(values, f"groups[{row!r}]"), place, halves[name], side)
                continue
            values = _checks.check_vector(rows, f"groups[{row!r}]")
            _violin(ax, values, place, CONFIDENTIAL if number == 0 else SYNTHETIC)
            if number == 0:
                ax.axvspan(*np.quantile(values, [0.025, 0.975]), color=GRID, linewidth=0, zorder=0)
                ax.axvline(float(np.median(values)), color=INK, linewidth=1.2)
        sides = ("above the line", "below the line")
        handles = [
            _patch(colour, f"{name}, {side}") for (name, colour), side in zip(halves.items(), sides, strict=False)
        ]
        if handles:
            ax.legend(handles=handles, loc="upper left", bbox_to_anchor=(0.0, -0.16), ncols=2, frameon=False)
        from matplotlib.ticker import MaxNLocator

        ax.xaxis.set_major_locator(MaxNLocator(6))
        return style.finish(ax, kind=style.data_kind(data), xlabel=label, title=title)


def plot_price(
    table: pd.DataFrame, ax: Axes | None = None, *, label: str, truth: float | None = None, data: Any = None
) -> Axes:
    """Draw a statistic of the releases against what they cost, one line a mechanism, with the spread of repetitions.

    Parameters
    ----------
    table : pandas.DataFrame
        Columns ``mechanism``, ``lipschitz_bound``, ``value``, and, where there is a spread, ``low`` and ``high``.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure.
    label : str
        The statistic, with its unit.
    truth : float, optional
        Its value in the confidential data.
    data : Dataset, DataFrame, Release, "real" or "simulated", optional
        What the figure says about the data.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    InputError
        If a column is missing, or one of numbers is not numeric.

    Examples
    --------
    >>> import pandas as pd
    >>> from synthlab.plots.lipschitz import plot_price
    >>> table = pd.DataFrame({"mechanism": ["DP", "DP"], "lipschitz_bound": [4.0, 6.0], "value": [98.0, 99.5]})
    >>> plot_price(table, label="mean of y", truth=100.0).get_ylabel()
    'mean of y'
    """
    _checks.check_columns(_checks.check_frame(table, "table"), ["mechanism", *PRICE], "table", where="table")
    for column in [*PRICE, *(name for name in ("low", "high") if name in table)]:
        _checks.check_numeric_column(table, column, where="table", why="it is drawn")
    with style.context():
        ax = style.axes(ax)
        if truth is not None:
            ax.axhline(truth, color=INK, linewidth=1.2)
            ax.annotate(
                "confidential data", (1.0, truth), (-4, 4), xycoords=("axes fraction", "data"),
                textcoords="offset points", ha="right",
            )  # fmt: skip
        for number, (name, rows) in enumerate(table.groupby("mechanism", sort=False)):
            look = style.series(number)
            rows = rows.sort_values("lipschitz_bound")
            if "low" in rows:
                ax.fill_between(
                    rows["lipschitz_bound"], rows["low"], rows["high"], color=look["color"], alpha=0.15, linewidth=0
                )
            ax.plot(rows["lipschitz_bound"], rows["value"], label=style.literal(name), **look)
        ax.legend(frameon=True)
        return style.finish(
            ax,
            kind=style.data_kind(data),
            xlabel="Lipschitz bound; epsilon of one dataset is twice that",
            ylabel=label,
        )


def _rows(ax: Axes, names: list[str]) -> FloatArray:
    """Make a row for each name, the first on top; return their heights."""
    places = np.arange(len(names), dtype=np.float64)
    ax.set_yticks(places.tolist(), [style.literal(name) for name in names])
    ax.set_ylim(len(names) - 0.45, -0.55)
    ax.grid(axis="y", visible=False)
    return places


def _violin(ax: Axes, values: FloatArray, place: float, colour: str, side: Any = "both") -> None:
    if np.ptp(values) == 0:
        ax.plot([values[0]] * 2, [place - 0.3, place + 0.3], color=colour)
        return
    # The vertical axis points down, so the half above the line is the lower one of matplotlib.
    flipped = {"high": "low", "low": "high"}.get(side, side)
    parts = ax.violinplot(
        [values], [place], orientation="horizontal", widths=0.85, showextrema=False, points=300, side=flipped
    )
    shapes: Any = parts["bodies"]
    shapes[0].set(facecolor=colour, alpha=0.45, edgecolor=colour, linewidth=1.2)


def _patch(colour: str, label: str) -> Any:
    from matplotlib.patches import Patch

    return Patch(facecolor=colour, alpha=0.45, edgecolor=colour, label=style.literal(label))
