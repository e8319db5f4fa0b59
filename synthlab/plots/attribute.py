"""Figures of attribute disclosure and record linkage."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab.plots import _decorators, style
from synthlab.plots.color import BASELINE, CONFIDENTIAL, SYNTHETIC
from synthlab.risk.attribute.learned_attack import MANY_POINTS, POINTS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from synthlab.plots.style import Source
    from synthlab.risk._attack_result import AttackResult
    from synthlab.risk.attribute.attribute_risk import AttributeRiskResult
    from synthlab.risk.attribute.learned_attack import LearnedAttackResult
    from synthlab.risk.linkage.linkage_risk import LinkageResult


@_decorators.figure("result")
def plot_attack(
    result: AttackResult | Mapping[str, AttackResult], ax: Axes | None = None, *, data: Source = None
) -> Axes:
    """Draw the attack and the baseline of one or more results, with intervals.

    Parameters
    ----------
    result : CapResult, AttributeRiskResult, LinkageResult, or mapping {name: result}
        Results to draw. If a result contains the value for the confidential data themselves, a diamond shows it.

    Raises
    ------
    InputError
        If the mapping is empty.

    Examples
    --------
    >>> import pandas as pd
    >>> import synthlab as sl
    >>> people = pd.DataFrame({"region": list("NNNSSS"), "ill": ["yes", "yes", "no", "no", "no", "no"]})
    >>> ax = sl.cap(people, people, sl.Intruder(known=["region"], synthesized=["ill"]), target="ill").plot()
    >>> ax.get_xlabel()
    'probability that the intruder is right (lines: 95% intervals)'
    """
    results = _decorators.named(result, "result")
    rows = [row for name, one in results.items() for row in _rows(name, one)]
    levels = sorted({one.scores.level for one in results.values()})
    ax, places = _decorators.rows(ax, [row[0] for row in rows], 0.5)
    for place, (_, value, interval, colour, marker) in zip(places, rows, strict=True):
        ax.plot(interval, [place, place], color=colour, linestyle="-", linewidth=2.5)
        ax.plot([value], [place], color=colour, marker=marker, linestyle="none", zorder=3)
        _decorators.note(ax, f"{value:.3f}", (value, place), (0, 7), ha="center", va="bottom")
    ax.margins(x=0.12)
    ax.set_ylim(-0.5, len(rows) - 0.25)
    return style.finish(
        ax,
        xlabel=f"probability that the intruder is right (lines: {' and '.join(f'{v:.3g}%' for v in 100 * np.array(levels))} intervals)",
        title="Attack and baseline",
    )


def _rows(name: str, result: AttackResult) -> list[tuple[str, float, tuple[float, float], str, str]]:
    """Return one row per mark: label, value, interval, color and marker."""
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


@_decorators.figure("result")
def plot_truth(result: AttributeRiskResult, ax: Axes | None = None, *, data: Source = None) -> Axes:
    """Draw the probability of each target's true values before and after the release.

    Parameters
    ----------
    result : AttributeRiskResult
        Result of `attribute_risk`.
    """
    table = result.records_to_frame()
    order = np.argsort(table["after"].to_numpy(), kind="stable")
    place = np.arange(1, len(table) + 1)
    after, before = table["after"].to_numpy()[order], table["before"].to_numpy()[order]
    first = (table["rank"].to_numpy() == 1)[order]
    ax = style.axes(ax)
    size = 40 if len(table) < 200 else 14
    ax.plot(place, before, color=BASELINE, linestyle="--", drawstyle="steps-mid", linewidth=1.8)
    ax.scatter(place[~first], after[~first], s=size, color=SYNTHETIC, linewidths=0, rasterized=True)
    ax.scatter(place[first], after[first], s=size, color=CONFIDENTIAL, marker="^", linewidths=0, rasterized=True)
    words = (
        "dashed: before the release; blue circles: after it\n"
        f"brown triangles: the truth ranks first ({int(first.sum()):,} of {len(table):,})"
    )
    ax.set(ylim=(0.0, min(1.05, 1.2 * float(max(after.max(), before.max())))))
    return style.finish(
        ax,
        xlabel=f"target, from the least to the most exposed\n{words}",
        ylabel="probability of the truth",
        title=f"What is learned about {', '.join(result.synthesized)}",
    )


@_decorators.figure("result")
def plot_guesses(
    result: AttributeRiskResult,
    place: int = 0,
    ax: Axes | None = None,
    *,
    variable: str | None = None,
    unit: str | None = None,
    data: Source = None,
) -> Axes:
    """Draw the posterior over the guesses for one target, with prior and truth.

    Parameters
    ----------
    result : AttributeRiskResult
        Result of `attribute_risk`.
    place : int
        Position of the target in the result, from 0.
    variable : str, optional
        Synthesized variable to draw; the others are summed out. The first one by default.
    unit : str, optional
        Unit of the variable, for the axis label.

    Raises
    ------
    InputError
        If `place` or `variable` does not exist in the result.
    """
    place = _checks.check_count(place, "place", minimum=0, maximum=len(result.guesses) - 1)
    name = _checks.check_choice(variable or result.synthesized[0], "variable", result.synthesized)
    table = result.guesses[place]
    sums = table.groupby(name, observed=True, sort=True)[["prior", "posterior", "true"]].sum()
    numeric = pd.api.types.is_numeric_dtype(sums.index.dtype)
    at = sums.index.to_numpy(dtype=float) if numeric else np.arange(len(sums), dtype=float)
    true = int(np.argmax(sums["true"].to_numpy(dtype=float)))
    ax = style.axes(ax)
    gap = float(np.diff(at).min()) if len(at) > 1 else 1.0
    posterior, prior = sums["posterior"].to_numpy(), sums["prior"].to_numpy()
    ax.bar(at, posterior, width=0.7 * gap, color=SYNTHETIC)
    ax.bar(at[true], posterior[true], width=0.7 * gap, color=CONFIDENTIAL, hatch="//", edgecolor="white")
    edges = np.append(at - gap / 2, at[-1] + gap / 2)
    ax.step(edges, np.append(prior, prior[-1]), where="post", color=BASELINE, linestyle="--")
    if not numeric:
        ax.set_xticks(at, [style.literal(v) for v in sums.index])
    return style.finish(
        ax,
        xlabel=f"guess for {name}{f', {unit}' if unit else ''}\n(hatched: the truth; dashed: before the release)",
        ylabel="probability",
        title=f"Record {int(result.targets[place]):,}: what the intruder believes",
    )


@_decorators.figure("result")
def plot_learned_attack(
    result: LearnedAttackResult, ax: Axes | None = None, *, columns: int = 30, data: Source = None
) -> Axes:
    """Draw the share of people whose value is predicted, for each column.

    A circle marks the attack, a square the baseline without the released values. If the twin was computed, a diamond is to
    the left of the circle by as many points as the truth is ahead of the twin. Dotted lines mark the thresholds of CHECK (10
    points above the baseline) and STOP (50 points).

    Parameters
    ----------
    result : LearnedAttackResult
        Result of `learned_attack`.
    columns : int
        Largest number of columns, those with the largest advantage.

    Raises
    ------
    InputError
        If `columns` is not a positive integer.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> import synthlab as sl
    >>> people = pd.DataFrame({"income": np.random.default_rng(1).lognormal(8, 0.6, 200)})
    >>> ax = sl.learned_attack(people, people * 1.3, synthesized=["income"]).plot()
    >>> ax.get_ylabel(), [label.get_text() for label in ax.get_yticklabels()]
    ('', ['income'])
    """
    most = _checks.check_count(columns, "columns")
    table = result.table.sort_values("points", ascending=False, kind="stable").head(most)
    ax, places = _decorators.rows(ax, list(table.index), 0.45, margin=1.9)
    for place, (_, row) in zip(places, table.iterrows(), strict=True):
        base, right = 100 * row["baseline"], 100 * row["right"]
        ax.plot([base, right], [place, place], color=SYNTHETIC, linestyle="-", linewidth=1.5)
        if np.isfinite(row["twin_points"]):
            twin = right - row["twin_points"]
            ax.plot([twin], [place], color=CONFIDENTIAL, marker="D", linestyle="none", zorder=3)
        ax.plot([base], [place], color=BASELINE, marker="s", linestyle="none", zorder=3)
        ax.plot([right], [place], color=SYNTHETIC, marker="o", linestyle="none", zorder=4)
        for points in (POINTS, MANY_POINTS):
            ax.plot([base + points] * 2, [place - 0.25, place + 0.25], color=BASELINE, linewidth=0.8, linestyle=":")
    ax.set_xlim(-2, 104)
    return style.finish(
        ax,
        xlabel="people whose value is predicted (%)\ncircles: with the release; squares: without it; diamonds: the twin\n"
        "dotted: thresholds of CHECK (+10) and STOP (+50)",
        title="Intruder who learns the map",
    )


@_decorators.figure("result")
def plot_links(result: LinkageResult, ax: Axes | None = None, *, data: Source = None) -> Axes:
    """Draw the shares of true links and of people found against the threshold.

    The threshold is the smallest match probability at which the intruder claims a link.

    Parameters
    ----------
    result : LinkageResult
        Result of `linkage_risk`.
    """
    table = result.by_threshold()
    at = table.index.to_numpy(dtype=float)
    known = np.isfinite(table["share_true"].to_numpy())
    ax = style.axes(ax)
    ax.fill_between(at[known], table["low"][known], table["high"][known], color=SYNTHETIC, alpha=0.2, linewidth=0)
    lines = (
        ("claimed links that are true", table["share_true"][known], 0, 12),
        ("people found", table["found"][known], 1, -12),
        ("random links that are true", table["expected"][known], 2, -12),
    )
    for words, values, number, shift in lines:
        look, side = style.series(number), "bottom" if shift > 0 else "top"
        ax.plot(at[known], values, **look)
        end = (at[known][-1], float(values.iloc[-1]))
        _decorators.note(ax, words, end, (0, shift), ha="right", va=side, color=look["color"])
    ax.set_ylim(-0.12, 1.08)
    return style.finish(ax, xlabel="links claimed: match probability at least", ylabel="share", title="Record linkage")
