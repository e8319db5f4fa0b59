"""Figures of the pseudo posterior mechanism: weights, sensitivities, costs."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

from synthlab import _checks
from synthlab._typing import FloatArray
from synthlab.exceptions import InputError
from synthlab.plots import _decorators, style
from synthlab.plots.color import CONFIDENTIAL, GRID, INK, SERIES, SYNTHETIC

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from synthlab.plots.style import Source
    from synthlab.weights import BoundBySize, DivergenceResult, EpsilonResult, FittedMechanism, LipschitzWeights

PRICE = ("lipschitz_bound", "value")  # required columns of `plot_price`; the spread is optional


@_decorators.figure()
def plot_lipschitz_weights(result: LipschitzWeights, ax: Axes | None = None, *, data: Source = None) -> Axes:
    """Draw record weights against sensitivities, over a histogram of the latter.

    Parameters
    ----------
    result : LipschitzWeights
        Result of `lipschitz_weights`.

    Examples
    --------
    >>> import numpy as np
    >>> from synthlab.weights import lipschitz_weights
    >>> log = np.random.default_rng(1).normal(-3, 1, size=(50, 200))
    >>> lipschitz_weights(log, n=log.shape[1], quantile=0.95).plot().get_ylabel()
    'weight of the record'
    """
    ax = style.axes(ax)
    counts, edges = np.histogram(result.sensitivity, bins=40)
    ax.fill_between(np.repeat(edges, 2)[1:-1], 0, np.repeat(counts / counts.max(), 2), color=GRID, linewidth=0)
    ax.plot(result.sensitivity, result.weights, linestyle="", marker="o", markersize=5, color=SYNTHETIC, alpha=0.6)
    silenced = int((result.weights == 0).sum())
    ax.set_ylim(-0.03, 1.04)
    words = f"{silenced:,} of {result.weights.size:,} records have weight 0\ngrey: how many records (no scale)"
    _decorators.note(ax, words, (0.98, 0.95), (0, 0), units="", ha="right", va="top")
    return style.finish(
        ax,
        xlabel="sensitivity f: largest |log-likelihood| of the record, unweighted",
        ylabel="weight of the record",
        title=f"scale {result.scale:g}, shift {result.shift:g}",
    )


def _by_name(results: Any) -> Any:
    """Return the sensitivities of one result as a mapping; leave a mapping as is."""
    if hasattr(results, "sensitivity"):
        return {"records": results}
    if not hasattr(results, "accounting"):
        return results
    if results.weights is None:
        return {"clipped": results.accounting}
    return {"unweighted": results.weights.sensitivity, "weighted": results.accounting}


@_decorators.figure()
def plot_sensitivities(
    results: Mapping[str, EpsilonResult | npt.ArrayLike] | EpsilonResult | FittedMechanism,
    ax: Axes | None = None,
    *,
    data: Source = None,
) -> Axes:
    """Draw the sensitivities of the records as one violin per mechanism.

    A diamond marks the largest sensitivity, which is the Lipschitz bound.

    Parameters
    ----------
    results : mapping {name: EpsilonResult, or array_like of shape (n,)}, EpsilonResult or FittedMechanism
        Weighted sensitivities of the records. The names become the labels. For a fitted mechanism, one violin is drawn
        before weighting and one after weighting.

    Raises
    ------
    InputError
        If the mapping is empty, or the sensitivities are not a vector of finite numbers.

    Examples
    --------
    >>> from synthlab.plots.lipschitz import plot_sensitivities
    >>> ax = plot_sensitivities({"unweighted": [1.0, 2.0, 12.0], "weighted": [0.9, 1.5, 4.0]})
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['unweighted', 'weighted']
    """
    named = _by_name(results)
    given = _decorators.filled(_checks.check_mapping(named, "results", "names and sensitivities"), "results")
    ax, places = _rows(ax, given)
    for place, (name, one) in zip(places, given.items(), strict=True):
        values = _checks.check_vector(getattr(one, "sensitivity", one), f"results[{name!r}]")
        _violin(ax, values, place, SYNTHETIC)
        bound = float(values.max())
        ax.plot(bound, place, marker="D", color=CONFIDENTIAL, linestyle="")
        _decorators.note(ax, f"{bound:.3g}", (bound, place), (10, 0), va="center")
        ax.vlines(np.median(values), place - 0.25, place + 0.25, color=INK, linewidth=2.0)
    ax.margins(x=0.09)
    ax.set_xlim(left=0.0)
    return style.finish(
        ax,
        xlabel="sensitivity: weight x largest |log-likelihood| of a record",
        title="Diamond: the Lipschitz bound; line: the median record",
    )


@_decorators.figure()
def plot_statistics(
    groups: Mapping[str, npt.ArrayLike | Mapping[str, npt.ArrayLike]],
    ax: Axes | None = None,
    *,
    label: str,
    title: str = "",
    data: Source = None,
) -> Axes:
    """Draw the distribution of a statistic as one violin per row.

    The first row holds the confidential data; a band over all rows shows its central 95% range.

    Parameters
    ----------
    groups : mapping {name: array_like}, or {name: {half: array_like, half: array_like}}
        Values of the statistic, for example quantiles of its barycenter. A row can have two named halves: the first is
        drawn above the line, the second below it. All such rows must use the same two names.
    label : str
        Statistic, with its unit.
    title : str, optional
        Title of the figure.

    Raises
    ------
    InputError
        If `groups` is empty, or a row does not have exactly two halves.

    Examples
    --------
    >>> from synthlab.plots.lipschitz import plot_statistics
    >>> rows = {"Data": [1.0, 2.0, 3.0], "(1, 0)": {"DP": [1.0, 2.0, 2.5], "EM": [0.0, 1.0, 2.0]}}
    >>> plot_statistics(rows, label="mean of y").get_xlabel()
    'mean of y'
    """
    from matplotlib.patches import Patch

    if not groups or any(isinstance(rows, Mapping) and len(rows) != 2 for rows in groups.values()):
        raise InputError("groups: must contain at least one row, and a row with halves must have exactly two")
    ax, places = _rows(ax, groups)
    halves: dict[str, str] = {}
    for number, (place, (row, rows)) in enumerate(zip(places, groups.items(), strict=True)):
        if isinstance(rows, Mapping):
            sides: tuple[Literal["low", "high"], ...] = ("low", "high")  # the axis points down
            for side, (name, values) in zip(sides, rows.items(), strict=True):
                halves.setdefault(name, SERIES[(0, 3)[len(halves) % 2]])
                _violin(ax, _checks.check_vector(values, f"groups[{row!r}]"), place, halves[name], side)
            continue
        values = _checks.check_vector(rows, f"groups[{row!r}]")
        _violin(ax, values, place, CONFIDENTIAL if number == 0 else SYNTHETIC)
        if number == 0:
            ax.axvspan(*np.quantile(values, [0.025, 0.975]), color=GRID, linewidth=0, zorder=0)
            ax.axvline(float(np.median(values)), color=INK, linewidth=1.2)
    handles = [
        Patch(facecolor=colour, alpha=0.45, edgecolor=colour, label=style.literal(f"{name}, {side}"))
        for (name, colour), side in zip(halves.items(), ("above the line", "below the line"), strict=False)
    ]
    if handles:
        ax.legend(handles=handles, loc="upper left", bbox_to_anchor=(0.0, -0.16), ncols=2, frameon=False)
    _decorators.few_ticks(ax)
    return style.finish(ax, xlabel=label, title=title)


@_decorators.figure()
def plot_price(
    table: pd.DataFrame, ax: Axes | None = None, *, label: str, truth: float | None = None, data: Source = None
) -> Axes:
    """Draw a statistic of the releases against the Lipschitz bound.

    Each mechanism has one line, with the spread over the repetitions if it is given.

    Parameters
    ----------
    table : pandas.DataFrame
        Table with columns ``mechanism``, ``lipschitz_bound``, ``value``, and optionally ``low`` and ``high``.
    label : str
        Statistic, with its unit.
    truth : float, optional
        Value of the statistic in the confidential data.

    Raises
    ------
    InputError
        If a column is missing, or a column of numbers is not numeric.

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
    ax = style.axes(ax)
    if truth is not None:
        ax.axhline(truth, color=INK, linewidth=1.2)
        _decorators.note(ax, "confidential data", (1.0, truth), (-4, 4), units="y", ha="right")
    for number, (name, rows) in enumerate(table.groupby("mechanism", sort=False)):
        look = style.series(number)
        rows = rows.sort_values("lipschitz_bound")
        cost = rows["lipschitz_bound"]
        if "low" in rows:
            ax.fill_between(cost, rows["low"], rows["high"], color=look["color"], alpha=0.15, linewidth=0)
        ax.plot(cost, rows["value"], label=style.literal(name), **look)
    return style.finish(
        ax, xlabel="Lipschitz bound; epsilon of one dataset is twice that", ylabel=label, legend={"frameon": True}
    )


@_decorators.figure()
def plot_bound_by_size(result: BoundBySize, ax: Axes | None = None, *, data: Source = None) -> Axes:
    """Draw the Lipschitz bound of every file against its number of records.

    Parameters
    ----------
    result : BoundBySize
        Result of `bound_by_size`; a line joins the medians of the sizes.

    Examples
    --------
    >>> import pandas as pd
    >>> from synthlab.weights import BoundBySize
    >>> table = pd.DataFrame({"n": [50, 50, 500, 500], "lipschitz_bound": [3.0, 4.0, 3.8, 4.0], "unweighted": [8.0, 9.0, 9.0, 9.5]})
    >>> BoundBySize(table).plot().get_xscale()
    'log'
    """
    ax = style.axes(ax)
    names = {"unweighted": "without weights", "lipschitz_bound": "weighted"}
    for number, (column, name) in enumerate(names.items()):
        rows = result.table.dropna(subset=[column])
        if rows.empty:
            continue
        look = style.series(number)
        middle = rows.groupby("n")[column].median()
        ax.plot(rows["n"], rows[column], linestyle="", marker="o", markersize=4, color=look["color"], alpha=0.35)
        ax.plot(middle.index, middle, label=style.literal(name), **look)
    ax.set_xscale("log")
    ax.set_ylim(bottom=0.0)
    return style.finish(
        ax,
        xlabel="records (logarithmic)",
        ylabel="Lipschitz bound of a file",
        title="Dots: files drawn from one population; lines: medians",
        legend={"frameon": True},
    )


@_decorators.figure()
def plot_divergence(result: DivergenceResult, ax: Axes | None = None, *, data: Source = None) -> Axes:
    """Draw the leave-one-out divergences of the posterior and their bound.

    Each measure of divergence has one violin, with one value per record that is left out.

    Parameters
    ----------
    result : DivergenceResult
        Result of `leave_one_out_divergence`.

    Examples
    --------
    >>> import numpy as np
    >>> from synthlab.weights import leave_one_out_divergence
    >>> values = np.random.default_rng(1).normal(-3, 0.3, size=(500, 40))
    >>> [label.get_text() for label in leave_one_out_divergence(values, n=40).plot().get_yticklabels()]
    ['KL, with from without', 'KL, without from with', 'largest log ratio']
    """
    rows = {
        "KL, with from without": result.forward,
        "KL, without from with": result.reverse,
        "largest log ratio": result.log_ratio,
    }
    ax, places = _rows(ax, rows)
    for place, values in zip(places, rows.values(), strict=True):
        _violin(ax, values, place, SYNTHETIC)
        ax.plot(values.max(), place, marker="D", color=CONFIDENTIAL, linestyle="")
    ax.axvline(result.bound, color=INK, linewidth=1.2)
    _decorators.note(ax, "2 Delta", (result.bound, 1.0), (-4, -4), units="x", ha="right", va="top")
    ax.margins(x=0.09)
    ax.set_xlim(left=0.0)
    return style.finish(ax, xlabel="nats", title="One value per omitted record; diamond: the largest")


def _rows(ax: Axes | None, names: Collection[str]) -> tuple[Axes, FloatArray]:
    ax, places = _decorators.rows(ax, names, 0.75, margin=1.8, width=9.0, first_on_top=False)
    ax.set_ylim(len(names) - 0.45, -0.55)
    return ax, places


def _violin(
    ax: Axes, values: FloatArray, place: float, colour: str, side: Literal["both", "low", "high"] = "both"
) -> None:
    if np.ptp(values) == 0:
        ax.plot([values[0]] * 2, [place - 0.3, place + 0.3], color=colour)
    else:
        _decorators.violin(ax, values, place, colour, alpha=0.45, side=side)
