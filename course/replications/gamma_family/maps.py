"""Figures 6 and 7 of the gamma family paper: overlap, and risk against utility."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd

from synthlab import _checks
from synthlab.plots import _decorators, style
from synthlab.plots.color import BASELINE, INK, SERIES
from synthlab.plots.labels import LABEL_SIZE, label_points

if TYPE_CHECKING:
    from matplotlib.axes import Axes

GROUPS = ("GAF", "NBI", "GAF + ones", "two-way means", "Laplace")
# Meaning of the numbers next to the points, for the legend.
WORDS = {"GAF": "GAF: sigma, nu", "NBI": "NBI: sigma", "GAF + ones": "GAF + ones: share", "Laplace": "Laplace: epsilon"}


@_decorators.figure(kind="simulated")
def plot_overlap(settings: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Draw Figure 6: interval overlap of the all-two-way model, one box per setting.

    Parameters
    ----------
    settings : pandas.DataFrame
        Table with columns ``setting``, ``group`` and the quantiles ``overlap_q05``, ``_q25``, ``_q50``, ``_q75``, ``_q95``.

    Examples
    --------
    >>> from replications.gamma_family.maps import plot_overlap
    >>> from replications import gamma_family
    >>> plot_overlap(gamma_family.recorded().settings).get_title(loc="left")
    'Interval overlap, all-two-way model'
    """
    rows = settings.dropna(subset=["overlap_q50"]).iloc[::-1]
    names = {"whislo": "q05", "q1": "q25", "med": "q50", "q3": "q75", "whishi": "q95"}
    boxes: list[dict[str, Any]] = []
    for row in rows.to_dict("records"):
        ends = {key: row[f"overlap_{quantile}"] for key, quantile in names.items()}
        boxes.append({**ends, "fliers": [], "label": _short(row["setting"])})
    ax = style.axes(ax, (10.5, 1.6 + 0.42 * len(boxes)))
    median = {"color": INK, "linewidth": 2.2}
    drawn: dict[str, Any] = ax.bxp(boxes, orientation="horizontal", patch_artist=True, widths=0.62, medianprops=median)
    for box, group in zip(drawn["boxes"], rows["group"], strict=True):
        box.set(facecolor=_colour(group), alpha=0.55)
    ax.grid(axis="y", visible=False)
    ax.set_xlim(0, 1)
    words = "overlap of 95% intervals (1: equal, 0: disjoint)\nbox: quartiles, whiskers: 5% to 95% of the coefficients"
    return style.finish(ax, xlabel=words, title="Interval overlap, all-two-way model")


@_decorators.figure(kind="simulated")
def plot_map(
    settings: pd.DataFrame, ax: Axes | None = None, *, y: str = "utility_occupied", groups: Sequence[str] | None = None
) -> Axes:
    """Draw Figure 7: risk tau4(1) against utility, one point per setting.

    Parameters
    ----------
    settings : pandas.DataFrame
        Table with columns ``setting``, ``group``, ``tau4_1`` and the column named by `y`.
    y : {"utility_occupied", "utility", "mse_occupied", "mse"}
        Measure on the vertical axis: 1 - inverse-logit(MSE) as in the paper, or the mean squared error (logarithmic and
        inverted).
    groups : sequence of str, optional
        Groups to draw; all by default.

    Examples
    --------
    >>> from replications.gamma_family.maps import plot_map
    >>> from replications import gamma_family
    >>> plot_map(gamma_family.recorded().settings, groups=["GAF", "NBI"]).get_xlabel()
    'risk tau4(1): share of synthetic ones that were ones'
    """
    _checks.check_choice(y, "y", ("utility_occupied", "utility", "mse_occupied", "mse"))
    shown = [g for g in GROUPS if groups is None or g in groups]
    which = "occupied cells" if y.endswith("occupied") else "all cells"
    ax = style.axes(ax, (9.6, 5.6))
    for group in shown:
        rows = settings[settings["group"] == group]
        if rows.empty:
            continue
        marker = style.MARKERS[GROUPS.index(group)]
        ax.plot(rows["tau4_1"], rows[y], marker, color=_colour(group), label=WORDS.get(group, group))
    ax.set_xlim(0, 1)
    if y.startswith("utility"):
        ax.set_ylim(-0.04, 1)
        ax.axhline(0.5, color=BASELINE, linewidth=1.0, linestyle=(0, (5, 2)))
        ax.annotate("no error at all: 1/2", (0.02, 0.53), fontsize=LABEL_SIZE)
        label = f"utility: 1 - inverse-logit(MSE)\n{which}"
    else:
        ax.set_yscale("log")
        ax.invert_yaxis()
        label = f"mean squared error per cell, {which}\n(lower values are higher up)"
    named = settings[settings["group"].isin(shown)]
    ax.legend(frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
    label_points(ax, named["tau4_1"].tolist(), named[y].tolist(), [_parameters(s) for s in named["setting"]])
    words = "risk tau4(1): share of synthetic ones that were ones"
    return style.finish(ax, xlabel=words, ylabel=label, title="Risk and utility")


def _colour(group: str) -> str:
    return SERIES[GROUPS.index(group)] if group in GROUPS else "#999999"


def _short(setting: str) -> str:
    return setting.replace(" = ", " ").replace("LaplaceCount(epsilon", "Laplace(epsilon").replace(", sensitivity 1", "")


def _parameters(setting: str) -> str:
    """Return the label of a point, which consists of the parameter values."""
    inside = setting[setting.index("(") + 1 : setting.index(")")] if "(" in setting else setting
    numbers = [part.split("=")[1].strip() for part in inside.split(", ") if not part.startswith("sensitivity")]
    text = ", ".join(numbers)
    rest = setting[setting.index(")") + 1 :].strip(" ,") if ")" in setting else ""
    if rest.endswith("of zeros to ones"):
        return rest.split(" ")[0]
    return f"{setting[: setting.index('(')]} {text}" if rest else text
