"""Figures of lecture 12b: private choices, synthetic tables, audits and guesses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from synthlab._typing import FloatArray
from synthlab.plots import _decorators, style
from synthlab.plots.color import CONFIDENTIAL, GRID, INK, SYNTHETIC
from synthlab.teaching.figures.lecture_12 import set_title

if TYPE_CHECKING:
    from synthlab.dp import AuditResult, ChoiceProbabilities
    from synthlab.plots.style import DescribedFigure, Source


def utility_and_choice(
    choice: ChoiceProbabilities, best: float, *, low: float, high: float, near: float, data: Source = None
) -> DescribedFigure:
    """Draw the utility and the probability of the candidates near the best one.

    Parameters
    ----------
    choice : ChoiceProbabilities
        Probabilities of the candidates for a quantile, on a grid.
    best : float
        True answer.
    low, high : float
        Range of the candidates to draw.
    near : float
        Distance from the best candidate; the description gives the probability of a choice within it.
    data : Dataset, DataFrame, Release, "real" or "simulated", optional
        Source of the data label of the figure.

    Returns
    -------
    DescribedFigure

    Examples
    --------
    >>> from synthlab import dp
    >>> from synthlab.teaching.figures.lecture_12b import utility_and_choice
    >>> choice = dp.quantile_probabilities([1, 2, 3], low=0, high=10, epsilon=1.0, step=1)
    >>> print(utility_and_choice(choice, 2.0, low=0, high=5, near=1).description.partition(":")[0])
    Two panels over the candidates from 0 to 5
    """
    with style.context():
        empty = style.off_screen((8.0, 6.0))
        figure = empty.figure
        empty.remove()
        top, bottom = figure.subplots(2, 1, sharex=True)
        top.plot(choice.lower, choice.utility, color=INK)
        bottom.vlines(choice.lower, 0, choice.probability, color=SYNTHETIC, linewidth=2.0)
        inside = (choice.lower >= low) & (choice.lower <= high)
        for ax in (top, bottom):
            ax.axvline(best, color=CONFIDENTIAL, linestyle=style.LINES[1])
            ax.set_xlim(low, high)
        _decorators.note(top, f"true: {best:,.6g}", (best, 0.06), (6, 0), units="x")
        _decorators.thousands(top.xaxis)
        lowest = float(choice.utility[inside].min())
        kind = style.data_kind(data)
        style.finish(
            top, title="Utility: minus the ranks missed", ylabel="utility", ylim=(1.05 * lowest, None), kind=kind
        )
        style.finish(
            bottom,
            title=f"Probabilities of the exponential mechanism, epsilon {choice.mechanism.epsilon:g}",
            xlabel="candidate for the median income (dollars)",
            ylabel="probability",
            ylim=(0, None),
        )
    return style.figure_with_description(
        [top, bottom],
        f"Two panels over the candidates from {low:,.0f} to {high:,.0f}: above, the utility, a peak of 0 at {best:,.6g} that falls to "
        f"{lowest:,.0f} at the edge; below, the probability of each candidate, a heap around the same place whose highest "
        f"candidate has {100 * choice.probability.max():.1f} percent. The choice is within {near:,.6g} of the best with probability "
        f"{choice.probability_within(best - near, best + near):.2f}. Both panels are computed from the data: confidential.",
    )


def shrunken_shares(
    true: npt.ArrayLike, made: Mapping[str, npt.ArrayLike], *, title: str, data: Source = None
) -> DescribedFigure:
    """Draw the share of each cell in synthetic tables against its true share.

    Parameters
    ----------
    true : array_like of shape (K,)
        True counts.
    made : mapping {name: array_like of shape (K,)}
        Counts of each synthetic table.
    title : str
        Title of the figure.
    data : Dataset, DataFrame, Release, "real" or "simulated", optional
        Source of the data label of the figure.

    Returns
    -------
    DescribedFigure

    Examples
    --------
    >>> from synthlab.teaching.figures.lecture_12b import shrunken_shares
    >>> figure = shrunken_shares([1, 3], {"prior": [2, 2], "noise": [1, 3]}, title="Two tables")
    >>> print(figure.description)
    Synthetic against true shares of 2 cells, with the diagonal. The largest cell has 75 percent; prior: 50, noise: 75. The smallest \
has 25.0 percent; prior: 50.0, noise: 25.0. On average a share is off by 25.00 points (prior), 0.00 points (noise).
    """
    share = _percent(true)
    shares = {name: _percent(counts) for name, counts in made.items()}
    with style.context():
        ax = style.off_screen()
        end = 1.05 * max(share.max(), *(values.max() for values in shares.values()))
        ax.plot([0, end], [0, end], color=GRID, linewidth=3, label="equal")
        for name, values, look in _decorators.each(shares):
            ax.plot(share, values, label=name, **{**look, "linestyle": ""})
        style.finish(
            ax,
            xlabel="true percent of the cell",
            ylabel="synthetic percent",
            title=title,
            kind=style.data_kind(data),
            legend={"loc": "upper left"},
        )
    ends = [(name, values[share.argmax()], values[share.argmin()]) for name, values in shares.items()]
    return style.figure_with_description(
        ax,
        f"Synthetic against true shares of {share.size} cells, with the diagonal. The largest cell has {share.max():.0f} percent; "
        f"{', '.join(f'{name}: {high:.0f}' for name, high, _ in ends)}. The smallest has {share.min():.1f} percent; "
        f"{', '.join(f'{name}: {low:.1f}' for name, _, low in ends)}. On average a share is off by "
        f"{', '.join(f'{np.abs(values - share).mean():.2f} points ({name})' for name, values in shares.items())}.",
    )


def audited(audits: Mapping[str, AuditResult]) -> DescribedFigure:
    """Draw the lower bound of the privacy loss of each mechanism against its claim.

    Parameters
    ----------
    audits : mapping {name: AuditResult}
        Audits, one row per mechanism.

    Returns
    -------
    DescribedFigure

    Examples
    --------
    >>> from synthlab import dp
    >>> from synthlab.teaching.figures.lecture_12b import audited
    >>> audit = dp.audit_epsilon(lambda d, rng: len(d), [1, 2], [1], epsilon=1.0, runs=400, rng=1)
    >>> print(audited({"no noise": audit}).description)
    Each row has a mark at the claimed epsilon of 1 and an arrow from the audit's lower bound to the right. no noise: at least \
3.62, refuted.
    """
    from synthlab.plots.dp_account import plot_audit

    ax = plot_audit(audits)
    set_title(ax, "What an audit shows", pad=34)
    claims = sorted({f"{audit.claimed:g}" for audit in audits.values()})
    rows = [
        f"{name}: at least {audit.epsilon_lower:.2f}, {'refuted' if audit.violated else 'not refuted'}"
        for name, audit in audits.items()
    ]
    return style.figure_with_description(
        ax,
        f"Each row has a mark at the claimed epsilon of {' or '.join(claims)} and an arrow from the audit's lower bound to the "
        f"right. {'; '.join(rows)}.",
    )


def right_guesses(
    epsilons: npt.ArrayLike, right: Mapping[str, npt.ArrayLike], *, title: str, data: Source = None
) -> DescribedFigure:
    """Draw how often an intruder who knows all other records guesses one correctly.

    Parameters
    ----------
    epsilons : array_like of shape (k,)
        Values of epsilon, all > 0 and increasing.
    right : mapping {name: array_like of shape (k,)}
        Share of correct guesses for each mechanism, from 0.5 (a random guess) to 1.
    title : str
        Title of the figure.
    data : Dataset, DataFrame, Release, "real" or "simulated", optional
        Source of the data label of the figure.

    Returns
    -------
    DescribedFigure

    Examples
    --------
    >>> from synthlab.teaching.figures.lecture_12b import right_guesses
    >>> print(right_guesses([1.0, 2.0], {"coins": [0.73, 0.88]}, title="One answer").description)
    Share of right guesses (0.5 to 1) by an intruder who knows all other records, against epsilon. The thick gray line is the \
largest share that epsilon allows. coins: 0.73 at epsilon 1, 0.88 at 2; at most 0.73 and 0.88.
    """
    at = np.asarray(epsilons, dtype=np.float64)
    most = 1.0 / (1.0 + np.exp(-at))
    with style.context():
        ax = style.off_screen()
        ax.plot(at, most, color=GRID, linewidth=6, label="the most that epsilon allows")
        for name, values, look in _decorators.each(right):
            ax.plot(at, np.asarray(values, dtype=np.float64), label=name, **look)
        ax.set_xscale("log")
        ax.set_xticks(at, [f"{e:g}" for e in at])
        ax.minorticks_off()
        style.finish(
            ax,
            xlabel="epsilon",
            ylabel="right on one record",
            ylim=(0.48, 1.02),
            title=title,
            kind=style.data_kind(data),
            legend={"loc": "upper left"},
        )
    ends = [(name, np.asarray(values, dtype=np.float64)) for name, values in right.items()]
    text = "; ".join(f"{name}: {v[0]:.2f} at epsilon {at[0]:g}, {v[-1]:.2f} at {at[-1]:g}" for name, v in ends)
    return style.figure_with_description(
        ax,
        "Share of right guesses (0.5 to 1) by an intruder who knows all other records, against epsilon. The thick "
        f"gray line is the largest share that epsilon allows. {text}; at most {most[0]:.2f} and {most[-1]:.2f}.",
    )


def _percent(counts: npt.ArrayLike) -> FloatArray:
    values = np.asarray(counts, dtype=np.float64)
    return np.asarray(100 * values / values.sum(), dtype=np.float64)
