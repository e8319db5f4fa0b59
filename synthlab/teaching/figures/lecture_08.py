"""Figures of lecture 8: candidates of one target, baselines, and the radius."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from synthlab.plots import _decorators, style
from synthlab.plots.color import BASELINE, CONFIDENTIAL, INK, PAPER, SYNTHETIC

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from synthlab.plots.style import Source
    from synthlab.risk import IdentificationRiskResult

OUTSIDE = "#767676"  # has a contrast of 4.5 against paper
NAME_WIDTH = 0.2  # width of the text "own record", as a share of the range of the points
ROOM = 0.12  # half the width of the text above, as a share of the panel
_CLEAR: dict[str, Any] = {"boxstyle": "square,pad=0.1", "facecolor": PAPER, "edgecolor": "none", "alpha": 0.85}


@_decorators.figure()
def plot_candidates(
    values: npt.ArrayLike,
    *,
    own: int,
    center: float,
    half_width: float,
    ax: Axes | None = None,
    data: Source = None,
    xlabel: str = "",
) -> Axes:
    """Draw the released values that could belong to one target.

    Parameters
    ----------
    values : array of float, shape (candidates,)
        Released values of the records that agree with the target on the known variables.
    own : int
        Position in `values` of the target's own record, which the intruder does not know.
    center, half_width : float
        True value of the target, and largest distance at which a value still matches.
    xlabel : str
        Variable, with its unit.

    Examples
    --------
    >>> from synthlab.teaching.figures.lecture_08 import plot_candidates
    >>> ax = plot_candidates([8.0, 11.0, 19.0], own=1, center=10.0, half_width=2.0, xlabel="income")
    >>> [text.get_text() for text in ax.texts][:2]
    ['2 of 3 match', 'the true value']
    """
    points = np.asarray(values, dtype=np.float64)
    low, high = center - half_width, center + half_width
    inside = (points >= low) & (points <= high)
    height = 0.27 + 0.65 * _decorators.scattered(points.size)
    height[own] = 0.12  # in a separate row, so that its label covers no other point
    others = np.arange(points.size) != own
    ax = style.axes(ax, (style.FIGSIZE[0], 3.6))
    ax.axvspan(low, high, color=SYNTHETIC, alpha=0.15, linewidth=0)
    ax.axvline(center, ymax=0.77, color=CONFIDENTIAL)
    far, near = others & ~inside, others & inside
    ax.plot(points[far], height[far], "o", mfc="none", color=OUTSIDE, markersize=7)
    ax.plot(points[near], height[near], "o", color=SYNTHETIC)
    ax.plot(points[own], height[own], "*", color=INK, markersize=18)
    (left, right), star = ax.get_xlim(), points[own]
    share = (center - left) / (right - left)
    inwards = "left" if share < ROOM else "right" if share > 1 - ROOM else "center"  # keeps the text inside the panel
    ax.text(center, 1.28, f"{int(inside.sum())} of {points.size} match", color=SYNTHETIC, va="center", ha=inwards)
    ax.text(center, 1.12, "the true value", color=CONFIDENTIAL, va="center", ha=inwards)
    side = -1 if star > points.mean() else 1
    if 0 <= side * (center - star) <= NAME_WIDTH * np.ptp(points):
        side = -side  # otherwise the line of the true value would cross the label
    if not left < star + side * NAME_WIDTH * (right - left) < right:
        side = 1 if 2 * star < left + right else -1
    at, align = (star, height[own]), "left" if side > 0 else "right"
    _decorators.note(ax, "own record", at, (14 * side, 0), ha=align, va="center")
    ax.set(ylim=(0.0, 1.36), yticks=[])
    ax.xaxis.set_major_formatter(lambda value, _: f"{value:,.6g}")
    ax.spines["left"].set_visible(False)
    return style.finish(ax, xlabel=xlabel, title="Who could it be?")


@_decorators.figure("result")
def plot_baselines(
    result: IdentificationRiskResult | Mapping[str, IdentificationRiskResult],
    ax: Axes | None = None,
    *,
    data: Source = None,
) -> Axes:
    """Draw the number of people found by an attack, and its baselines.

    Parameters
    ----------
    result : IdentificationRiskResult, or mapping {name: IdentificationRiskResult}
        Results for one or more releases of the same confidential data, with the same known variables. The baselines are
        drawn once for every set of synthesized variables.

    Examples
    --------
    >>> import pandas as pd
    >>> import synthlab as sl
    >>> from synthlab.teaching.figures.lecture_08 import plot_baselines
    >>> confidential = pd.DataFrame({"region": list("NNNSSS"), "income": [10, 20, 40, 15, 30, 30]})
    >>> synthetic = confidential.assign(income=[11, 21, 41, 30, 16, 31])
    >>> someone = sl.Intruder(known=["region"], synthesized=["income"], radius=0.2)
    >>> risk = sl.identification_risk(confidential, synthetic, someone)
    >>> [tick.get_text() for tick in plot_baselines(risk).get_yticklabels()]
    ['random guess', 'known variables alone', 'synthetic', 'confidential, as is']
    """
    results = result if isinstance(result, Mapping) else {"synthetic": result}
    first = next(iter(results.values()))
    rows = [("random guess", first.random_guess, BASELINE, "s")]
    rows.append(("known variables alone", float(first.known_only.mean()), BASELINE, "s"))
    rows += [(name, float(r.expected_match_risk.mean()), SYNTHETIC, "o") for name, r in results.items()]
    rows += _as_is(results)
    ax, heights = _decorators.rows(ax, [name for name, *_ in rows], 0.55, margin=1.4, first_on_top=False)
    for height, (_, value, color, marker) in zip(heights, rows, strict=True):
        ax.plot([0, value], [height, height], color=color, linestyle="-", linewidth=1.2)
        ax.plot(value, height, marker, color=color, markersize=10, clip_on=False)
        _decorators.note(ax, _people(value), (value, height), (11, 0), va="center", color=color, bbox=_CLEAR)
    ax.axvline(rows[1][1], color=BASELINE, linestyle=style.LINES[2], linewidth=1.2, zorder=0)
    ax.set_xlim(0, 1.12 * max(value for _, value, *_ in rows))
    xlabel = f"people found, on average, of {first.targets.size:,}"
    return style.finish(ax, xlabel=xlabel, title="What the attack gains")


@_decorators.figure()
def plot_match_risk_by_radius(
    table: pd.DataFrame, ax: Axes | None = None, *, radius: float | None = None, data: Source = None, title: str = ""
) -> Axes:
    """Draw the expected match risk against the radius of the intruder.

    Parameters
    ----------
    table : pandas.DataFrame
        Indexed by the radius (relative, > 0), with the columns ``confidential``, ``synthetic``,
        ``synthetic_min``, ``synthetic_max`` and ``known_only``, as `synthlab.teaching.widgets.match_risk_by_radius` gives.
    radius : float, optional
        Radius to mark, from the index of the table.
    title : str, optional
        Title, for example the known variables.

    Examples
    --------
    >>> import pandas as pd
    >>> from synthlab.teaching.figures.lecture_08 import plot_match_risk_by_radius
    >>> columns = {"confidential": [90.0, 40.0], "synthetic": [5.0, 8.0], "synthetic_min": [4.0, 7.0],
    ...            "synthetic_max": [6.0, 9.0], "known_only": [10.0, 10.0]}
    >>> ax = plot_match_risk_by_radius(pd.DataFrame(columns, index=[0.1, 0.2]), radius=0.1)
    >>> ax.get_ylabel()
    'people found, on average'
    """
    x = table.index.to_numpy(dtype=float)
    lines = {
        "confidential": (CONFIDENTIAL, style.LINES[0], "confidential, as is"),
        "synthetic": (SYNTHETIC, style.LINES[1], "synthetic"),
        "known_only": (BASELINE, style.LINES[2], "known variables alone"),
    }
    ax = style.axes(ax)
    ax.fill_between(x, table["synthetic_min"], table["synthetic_max"], color=SYNTHETIC, alpha=0.2, linewidth=0)
    for column, (color, line, _) in lines.items():
        ax.plot(x, table[column], color=color, linestyle=line)
    ax.set(xscale="log", yscale="log")
    ax.set_ylim(top=2.5 * float(table["confidential"].max()))
    _label_lines(ax, table, lines)
    if radius is not None:
        ax.axvline(radius, color=INK, linewidth=1.2, linestyle="-")
    ax.xaxis.set_major_formatter(lambda value, _: f"{100 * value:,.4g}%")
    ax.yaxis.set_major_formatter(lambda value, _: f"{value:,.4g}")
    xlabel = "radius, in percent of the true value (logarithmic)"
    return style.finish(ax, xlabel=xlabel, ylabel="people found, on average", title=title)


def _as_is(results: Mapping[str, IdentificationRiskResult]) -> list[tuple[str, float, str, str]]:
    """Return one row per distinct baseline, labeled by variables if several."""
    risks: dict[tuple[str, ...], float] = {}
    for result in results.values():
        if result.baseline is not None:
            risks.setdefault(tuple(result.intruder.synthesized), float(result.baseline.expected_match_risk[0]))
    name = "confidential, as is"
    labels = [name if len(risks) == 1 else f"{name}\n({', '.join(variables)})" for variables in risks]
    return [(label, risk, CONFIDENTIAL, "D") for label, risk in zip(labels, risks.values(), strict=True)]


def _people(value: float) -> str:
    return f"{value:,.0f}" if value == round(value) or value >= 100 else f"{value:,.1f}"


def _label_lines(ax: Axes, table: pd.DataFrame, lines: Mapping[str, tuple[str, Any, str]]) -> None:
    """Label each line at its left end, above the first line and below the others."""
    x = float(table.index[0])
    for column, (color, _, label) in lines.items():
        y = float(table[column].iloc[0])
        offset = (4, 6) if column != "synthetic" else (4, -8)
        _decorators.note(ax, label, (x, y), offset, color=color, va="bottom" if offset[1] > 0 else "top")
