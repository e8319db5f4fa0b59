"""Figures of attribute disclosure and linkage: attack against baseline, the truth before and after, links by threshold."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab.exceptions import InputError
from synthlab.plots import style
from synthlab.plots.colour import BASELINE, CONFIDENTIAL, SYNTHETIC

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_attack(result: Any, ax: Axes | None = None, *, data: Any = None) -> Axes:
    """Draw attack and baseline of one or more results, with their intervals.

    Parameters
    ----------
    result : CapResult, AttributeRiskResult, LinkageResult, or mapping {name: result}
        Where a result knows what releasing the confidential data would give, a diamond shows it.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure.
    data : Dataset, DataFrame, Release, "real" or "simulated", optional
        What the figure says about the data; by default what the result knows.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    InputError
        If there is no result.

    Examples
    --------
    >>> import pandas as pd
    >>> import synthlab as sl
    >>> people = pd.DataFrame({"region": list("NNNSSS"), "ill": ["yes", "yes", "no", "no", "no", "no"]})
    >>> ax = sl.cap(people, people, sl.Intruder(known=["region"], synthesized=["ill"]), target="ill").plot()
    >>> ax.get_xlabel()
    'probability that the intruder is right'
    """
    results = dict(result) if isinstance(result, Mapping) else {"": result}
    if not results:
        raise InputError("result: an empty mapping; there is nothing to draw")
    rows = [row for name, one in results.items() for row in _rows(name, one)]
    with style.context():
        ax = style.axes(ax, (8.0, 1.6 + 0.5 * len(rows)))
        for place, (_, value, interval, colour, marker) in enumerate(rows):
            ax.plot(interval, [-place, -place], color=colour, linestyle="-", linewidth=2.5)
            ax.plot([value], [-place], color=colour, marker=marker, linestyle="none", zorder=3)
            ax.annotate(f"{value:.3f}", (value, -place), (0, 7), textcoords="offset points", ha="center", va="bottom")
        ax.set_yticks([-float(p) for p in range(len(rows))], [style.literal(row[0]) for row in rows])
        ax.set(ylim=(-len(rows) + 0.5, 0.75))
        ax.margins(x=0.12)
        ax.grid(visible=False, axis="y")
        kind = style.data_kind(data, *results.values())
        return style.finish(ax, kind=kind, xlabel="probability that the intruder is right", title="Attack and baseline")


def _rows(name: str, result: Any) -> list[tuple[str, float, tuple[float, float], str, str]]:
    """Return label, value, interval, colour and marker of the attack, its baseline and the confidential data."""
    prefix = f"{name}: " if name else ""
    baseline = result.scores.interval(result.scores.baseline)
    rows = [
        (f"{prefix}attack", result.attack, result.interval, SYNTHETIC, "o"),
        (f"{prefix}baseline", result.baseline, baseline, BASELINE, "s"),
    ]
    confidential = float(getattr(result, "confidential", np.nan))
    if np.isfinite(confidential):
        rows.append((f"{prefix}confidential data", confidential, (confidential, confidential), CONFIDENTIAL, "D"))
    return rows


def plot_truth(result: Any, ax: Axes | None = None, *, data: Any = None) -> Axes:
    """Draw the probability of each target's true values after the release against before.

    Parameters
    ----------
    result : AttributeRiskResult
        From `attribute_risk`.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure.
    data : Dataset, DataFrame, Release, "real" or "simulated", optional
        What the figure says about the data; by default what the result knows.

    Returns
    -------
    matplotlib.axes.Axes
    """
    table = result.records_to_frame()
    order = np.argsort(table["after"].to_numpy(), kind="stable")
    place = np.arange(1, len(table) + 1)
    after, before = table["after"].to_numpy()[order], table["before"].to_numpy()[order]
    first = (table["rank"].to_numpy() == 1)[order]
    with style.context():
        ax = style.axes(ax)
        size = 40 if len(table) < 200 else 14
        ax.plot(place, before, color=BASELINE, linestyle="--", drawstyle="steps-mid", linewidth=1.8)
        ax.scatter(place[~first], after[~first], s=size, color=SYNTHETIC, linewidths=0, rasterized=True)
        ax.scatter(place[first], after[first], s=size, color=CONFIDENTIAL, marker="^", linewidths=0, rasterized=True)
        ax.set(ylim=(0.0, min(1.05, 1.2 * float(max(after.max(), before.max())))))
        words = (
            "dashed: before the release; blue circles: after it\n"
            f"brown triangles: the truth ranks first ({int(first.sum()):,} of {len(table):,})"
        )
        return style.finish(
            ax,
            kind=style.data_kind(data, result),
            xlabel=f"target, from the least to the most exposed\n{words}",
            ylabel="probability of the truth",
            title=f"What is learned about {', '.join(result.synthesized)}",
        )


def plot_guesses(
    result: Any,
    place: int = 0,
    ax: Axes | None = None,
    *,
    variable: str | None = None,
    unit: str | None = None,
    data: Any = None,
) -> Axes:
    """Draw the intruder's posterior over the guesses for one target, with prior and truth.

    Parameters
    ----------
    result : AttributeRiskResult
        From `attribute_risk`.
    place : int
        Which of its targets, counted from 0.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure.
    variable : str, optional
        Which synthesized variable, summed over the others; by default the first.
    unit : str, optional
        Unit of the variable, for the axis.
    data : Dataset, DataFrame, Release, "real" or "simulated", optional
        What the figure says about the data; by default what the result knows.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    InputError
        If there is no such target or variable.
    """
    place = _checks.check_count(place, "place", minimum=0, maximum=len(result.guesses) - 1)
    name = _checks.check_choice(variable or result.synthesized[0], "variable", result.synthesized)
    table = result.guesses[place]
    sums = table.groupby(name, observed=True, sort=True)[["prior", "posterior", "true"]].sum()
    numeric = pd.api.types.is_numeric_dtype(sums.index.dtype)
    at = sums.index.to_numpy(dtype=float) if numeric else np.arange(len(sums), dtype=float)
    true = int(np.argmax(sums["true"].to_numpy(dtype=float)))
    with style.context():
        ax = style.axes(ax)
        gap = float(np.diff(at).min()) if len(at) > 1 else 1.0
        ax.bar(at, sums["posterior"], width=0.7 * gap, color=SYNTHETIC)
        ax.bar(
            at[[true]],
            sums["posterior"].iloc[[true]],
            width=0.7 * gap,
            color=CONFIDENTIAL,
            hatch="//",
            edgecolor="white",
        )
        ax.step(
            np.concatenate([at - gap / 2, [at[-1] + gap / 2]]),
            np.append(sums["prior"], sums["prior"].iloc[-1]),
            where="post",
            color=BASELINE,
            linestyle="--",
        )
        if not numeric:
            ax.set_xticks(at, [style.literal(v) for v in sums.index])
        return style.finish(
            ax,
            kind=style.data_kind(data, result),
            xlabel=f"guess for {name}{f', {unit}' if unit else ''}\n(hatched: the truth; dashed: before the release)",
            ylabel="probability",
            title=f"Record {int(result.targets[place]):,}: what the intruder believes",
        )


def plot_links(result: Any, ax: Axes | None = None, *, data: Any = None) -> Axes:
    """Draw the share of claimed links that are true, and of people found, against the match probability claimed.

    Parameters
    ----------
    result : LinkageResult
        From `linkage_risk`.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure.
    data : Dataset, DataFrame, Release, "real" or "simulated", optional
        What the figure says about the data; by default what the result knows.

    Returns
    -------
    matplotlib.axes.Axes
    """
    table = result.by_threshold()
    at = table.index.to_numpy(dtype=float)
    known = np.isfinite(table["share_true"].to_numpy())
    with style.context():
        ax = style.axes(ax)
        ax.fill_between(at[known], table["low"][known], table["high"][known], color=SYNTHETIC, alpha=0.2, linewidth=0)
        lines = (
            ("claimed links that are true", table["share_true"][known], 0, 12),
            ("people found", table["found"][known], 1, -12),
            ("random links that are true", table["expected"][known], 2, -12),
        )
        for words, values, number, shift in lines:
            ax.plot(at[known], values, **style.series(number))
            ax.annotate(
                words,
                (at[known][-1], float(values.iloc[-1])),
                (0, shift),
                textcoords="offset points",
                ha="right",
                va="bottom" if shift > 0 else "top",
                color=style.series(number)["color"],
            )
        ax.set(ylim=(-0.12, 1.08))
        return style.finish(
            ax,
            kind=style.data_kind(data, result),
            xlabel="links claimed: match probability at least",
            ylabel="share",
            title="Record linkage",
        )
