"""Figures 1 to 5 of the gamma family paper, and expected against measured tau."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab.plots import _decorators, style
from synthlab.plots.color import CONFIDENTIAL, INK, SERIES, SYNTHETIC

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@_decorators.figure()
def plot_variance(variance: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Draw Figure 1: the variance of a synthetic count against its mean, sigma = 1.

    Parameters
    ----------
    variance : pandas.DataFrame
        Table with columns ``nu``, ``mu``, ``variance``, ``variance_rounded``.

    Examples
    --------
    >>> from replications.gamma_family.paper_figures import plot_variance
    >>> from replications import gamma_family
    >>> plot_variance(gamma_family.recorded().variance).get_ylabel()
    'variance of the synthetic count'
    """
    ax = style.axes(ax)
    for number, (nu, rows) in enumerate(variance.groupby("nu", sort=False)):
        look = _decorators.no_marker(style.series(number))
        ax.plot(rows["mu"], rows["variance"], label=f"nu = {nu:g}", **look)
        ax.plot(rows["mu"], rows["variance_rounded"], ".", color=look["color"], markersize=5)
    ax.plot([], [], ".", color=INK, markersize=5, label="after rounding")
    ax.set_ylim(0, 1.35)
    ax.legend(frameon=False, ncols=2, loc="upper right")
    title = "GAF, sigma = 1: noise that falls with the count"
    return style.finish(
        ax, xlabel="mean mu (the confidential count)", ylabel="variance of the synthetic count", title=title
    )


@_decorators.figure()
def plot_rounding(density: pd.DataFrame, ax: Axes | None = None, *, nu: float = 0.0) -> Axes:
    """Draw Figure 2: the gamma family with mean 10 and sigma 1, and its rounded cells.

    Parameters
    ----------
    density : pandas.DataFrame
        Table with columns ``nu``, ``kind`` ("density" or "cell"), ``x``, ``value``.
    nu : float, default 0
        Value of nu.

    Examples
    --------
    >>> from replications.gamma_family.paper_figures import plot_rounding
    >>> from replications import gamma_family
    >>> plot_rounding(gamma_family.recorded().density, nu=-0.5).get_xlabel()
    'count'
    """
    rows = density[density["nu"] == nu]
    curve, cells = (rows[rows["kind"] == kind] for kind in ("density", "cell"))
    ax = style.axes(ax)
    ax.bar(cells["x"], cells["value"], width=0.94, color=SYNTHETIC, alpha=0.35, label="rounded: P(y)")
    ax.plot(curve["x"], curve["value"], color=CONFIDENTIAL, linestyle="-", label="gamma family: density")
    ax.set_xticks(cells["x"].astype(int))
    ax.set_ylim(0, 1.12 * float(rows["value"].max()))
    ax.legend(frameon=False)
    return style.finish(ax, xlabel="count", ylabel="density, probability", title=f"mu = 10, sigma = 1, nu = {nu:g}")


@_decorators.figure(kind="simulated")
def plot_ten_counts(ten_counts: pd.DataFrame, ax: Axes | None = None, *, setting: str) -> Axes:
    """Draw Figure 3: the m synthetic counts of one cell of each size.

    Parameters
    ----------
    ten_counts : pandas.DataFrame
        Table with columns ``setting``, ``original``, ``dataset``, ``synthetic``.
    setting : str
        Setting to draw.

    Examples
    --------
    >>> from replications.gamma_family.paper_figures import plot_ten_counts
    >>> from replications import gamma_family
    >>> plot_ten_counts(gamma_family.recorded().ten_counts, setting="NBI(sigma = 2)").get_xlabel()
    'synthetic dataset'
    """
    rows = ten_counts[ten_counts["setting"] == setting]
    ax = style.axes(ax)
    for number, original in enumerate(sorted(rows["original"].unique().tolist())):
        part = rows[rows["original"] == original]
        look = style.series(number)
        ax.axhline(original, color=look["color"], linewidth=0.9, linestyle="-", alpha=0.6)
        ax.plot(part["dataset"], part["synthetic"], **look, markersize=6, label=f"{original}")
    ax.set_yscale("symlog", linthresh=10)
    ax.set_ylim(bottom=-0.7)
    ticks = [0, 2, 4, 6, 8, 10, 20, 50, 100, 200, 500]
    ax.set_yticks(ticks, [str(tick) for tick in ticks])
    ax.set_ylim(top=max(70.0, 1.3 * float(rows["synthetic"].max())))
    ax.set_xticks(rows["dataset"].unique())
    ax.legend(frameon=False, title="original", loc="center left", bbox_to_anchor=(1.0, 0.5))
    words = "synthetic count\n(linear to 10, then logarithmic)"
    return style.finish(ax, xlabel="synthetic dataset", ylabel=words, title=setting)


@_decorators.figure(kind="simulated")
def plot_bars(bars: pd.DataFrame, ax: Axes | None = None, *, given: str, k: int) -> Axes:
    """Draw one panel of Figure 4 or Figure 5.

    Figure 4 shows the synthetic values of counts of k; Figure 5 shows the original values of synthetic counts of k.

    Parameters
    ----------
    bars : pandas.DataFrame
        Table with columns ``setting``, ``given``, ``k``, ``other``, ``share``, ``expected``.
    given : {"confidential", "synthetic"}
        Whether the confidential or the synthetic count is k.
    k : int
        Size of the count.

    Examples
    --------
    >>> from replications.gamma_family.paper_figures import plot_bars
    >>> from replications import gamma_family
    >>> plot_bars(gamma_family.recorded().bars, given="confidential", k=1).get_xlabel()
    'synthetic count'
    """
    _checks.check_choice(given, "given", ("confidential", "synthetic"))
    rows = bars[(bars["given"] == given) & (bars["k"] == k)]
    last = int(min(2.5 * k + 8, rows["other"].max()))
    other = "synthetic" if given == "confidential" else "original"
    ax = style.axes(ax)
    for number, (setting, part) in enumerate(rows.groupby("setting", sort=False)):
        part = part[part["other"] <= last]
        place = part["other"] + 0.42 * (number - 0.5)
        hatch = "" if number == 0 else "///"
        colour = SERIES[number]
        ax.bar(place, part["share"], 0.42, color=colour, alpha=0.75, hatch=hatch, edgecolor="white", label=setting)
        ax.plot(place, part["expected"], "_", color=INK, markersize=6, markeredgewidth=1.6)
    ax.plot([], [], "_", color=INK, markeredgewidth=1.6, label="a priori")
    if last <= 15:  # a label for every bar
        ax.set_xticks(range(last + 1))
    heading = f"counts of {k} become" if given == "confidential" else f"synthetic counts of {k} were"
    return style.finish(ax, xlabel=f"{other} count", ylabel="share of cells", title=heading, legend={"fontsize": 11})


@_decorators.figure(kind="simulated")
def plot_tau_agreement(tau: pd.DataFrame, ax: Axes | None = None, *, metric: str = "tau4") -> Axes:
    """Draw measured minus expected tau, in binomial standard errors.

    Parameters
    ----------
    tau : pandas.DataFrame
        Table with columns ``setting``, ``k`` and ``<metric>_z``.
    metric : {"tau1", "tau3", "tau4"}
        Metric to draw.

    Examples
    --------
    >>> from replications.gamma_family.paper_figures import plot_tau_agreement
    >>> from replications import gamma_family
    >>> plot_tau_agreement(gamma_family.recorded().tau, metric="tau3").get_xlabel()
    'cell size k'
    """
    _checks.check_choice(metric, "metric", ("tau1", "tau3", "tau4"))
    rows = tau.dropna(subset=[f"{metric}_z"])
    z = rows[f"{metric}_z"]
    inside = float((z.abs() < 1.959964).mean())
    ax = style.axes(ax)
    ax.axhspan(-1.96, 1.96, color=SYNTHETIC, alpha=0.12, linewidth=0)
    jitter = 0.28 * np.linspace(-1, 1, max(2, rows["setting"].nunique()))
    order = {setting: i for i, setting in enumerate(rows["setting"].unique())}
    place = rows["k"] + [jitter[order[s]] for s in rows["setting"]]
    ax.plot(place, z, "o", color=SYNTHETIC, markersize=4)
    ax.set_xticks(sorted(rows["k"].unique()))
    limit = max(4.0, 1.1 * float(z.abs().max()))
    ax.set_ylim(-limit, limit)
    words = f"{metric}: measured - a priori\n(standard errors)"
    return style.finish(ax, xlabel="cell size k", ylabel=words, title=f"{inside:.0%} of {z.size} inside the 95% band")
