"""Figures of lecture 12 with their descriptions."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from synthlab._typing import FloatArray
from synthlab.plots import _decorators, style
from synthlab.plots.color import CONFIDENTIAL, GRID, INK, SYNTHETIC

if TYPE_CHECKING:
    from synthlab.dp import AuditResult, ChoiceProbabilities, PrivateResult
    from synthlab.plots.style import DescribedFigure, Source


def margins_by_epsilon(
    epsilons: npt.ArrayLike, margins: Mapping[str, npt.ArrayLike], yes: npt.ArrayLike, *, data: Source = None
) -> DescribedFigure:
    """Draw the 95% margins of a count against epsilon, and its sampling margin.

    Parameters
    ----------
    epsilons : array_like of shape (k,)
        Values of epsilon, all > 0 and increasing.
    margins : mapping {name: array_like of shape (k,)}
        Margins of each mechanism, in records.
    yes : array_like of bool, shape (n,)
        Mask of the records that are counted.
    data : Dataset, DataFrame, Release, "real" or "simulated", optional
        Source of the data label of the figure.

    Returns
    -------
    DescribedFigure

    Examples
    --------
    >>> from synthlab.teaching.figures.lecture_12 import margins_by_epsilon
    >>> print(margins_by_epsilon([0.1, 1.0], {"Laplace": [30.0, 3.0]}, [True, False, False, False]).description)
    Logarithmic axes: the 95 percent margin of the noise on a count falls with epsilon. Laplace: from 30 at epsilon 0.1 to \
3.0 at 1. A dashed line is the sampling margin, 2.
    """
    from synthlab.teaching.figures.dp_noise import plot_noise_by_epsilon

    at, counted = np.asarray(epsilons, dtype=np.float64), np.asarray(yes, dtype=bool)
    sampling = 1.96 * float(np.sqrt(counted.size * counted.mean() * (1 - counted.mean())))
    title = f"A count of {counted.sum():,} of {counted.size:,} households"
    ax = plot_noise_by_epsilon(at, margins, error=sampling, title=title, ylabel="95% margin (households)", data=data)
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_formatter(lambda value, _: f"{value:,.6g}")
    lines = {name: np.asarray(values, dtype=np.float64) for name, values in margins.items()}
    words = "; ".join(
        f"{name}: from {values[0]:,.0f} at epsilon {at[0]:g} to {values[-1]:.1f} at {at[-1]:g}"
        for name, values in lines.items()
    )
    return style.figure_with_description(
        ax,
        f"Logarithmic axes: the 95 percent margin of the noise on a count falls with epsilon. {words}. A dashed line is the "
        f"sampling margin, {sampling:.0f}.",
    )


def noisy_cells(
    noisy: PrivateResult, true: npt.ArrayLike, labels: Mapping[Hashable, str], *, data: Source = None
) -> DescribedFigure:
    """Draw noisy counts with the interval of their noise, and the true counts.

    Parameters
    ----------
    noisy : PrivateResult
        Noisy histogram.
    true : array_like of shape (k,)
        True counts, in the order of the cells.
    labels : mapping {cell: text}
        Labels of the cells.
    data : Dataset, DataFrame, Release, "real" or "simulated", optional
        Source of the data label of the figure.

    Returns
    -------
    DescribedFigure

    Examples
    --------
    >>> from synthlab import dp
    >>> from synthlab.teaching.figures.lecture_12 import noisy_cells
    >>> noisy = dp.private_histogram(["a", "b", "b"], categories=["a", "b"], epsilon=1.0, rng=1)
    >>> print(noisy_cells(noisy, [1, 2], {"a": "owns", "b": "rents"}).description.partition(",")[0])
    2 cells with noisy counts and the 95 percent interval of the noise
    """
    ax = noisy.plot(confidential=true, labels=labels, data=data, xlabel="households")
    _decorators.thousands(ax.xaxis)
    margin = np.diff(noisy.interval[0])[0] / 2
    _titled(ax, f"The same noise for all, epsilon {noisy.epsilon:g}", pad=34)
    cells = zip(noisy.labels, noisy.estimate, np.asarray(true), strict=True)
    words = "; ".join(f"{labels[cell]} published {x:,.0f}, true {count:,.0f}" for cell, x, count in cells)
    return style.figure_with_description(
        ax,
        f"{noisy.estimate.size} cells with noisy counts and the 95 percent interval of the noise, plus or minus "
        f"{margin:.0f} households in each: {words}.",
    )


def utility_and_choice(
    found: ChoiceProbabilities, best: float, *, low: float, high: float, near: float, data: Source = None
) -> DescribedFigure:
    """Draw the utility and the probability of the candidates near the best one.

    Parameters
    ----------
    found : ChoiceProbabilities
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
    >>> from synthlab.teaching.figures.lecture_12 import utility_and_choice
    >>> found = dp.quantile_probabilities([1, 2, 3], low=0, high=10, epsilon=1.0, step=1)
    >>> print(utility_and_choice(found, 2.0, low=0, high=5, near=1).description.partition(":")[0])
    Two panels over the candidates from 0 to 5
    """
    with style.context():
        one = style.off_screen((8.0, 6.0))
        figure = one.figure
        one.remove()
        top, bottom = figure.subplots(2, 1, sharex=True)
        top.plot(found.lower, found.utility, color=INK)
        bottom.vlines(found.lower, 0, found.probability, color=SYNTHETIC, linewidth=2.0)
        inside = (found.lower >= low) & (found.lower <= high)
        for ax in (top, bottom):
            ax.axvline(best, color=CONFIDENTIAL, linestyle=style.LINES[1])
            ax.set_xlim(low, high)
        _decorators.note(top, f"true: {best:,.6g}", (best, 0.06), (6, 0), units="x")
        _decorators.thousands(top.xaxis)
        lowest = float(found.utility[inside].min())
        kind = style.data_kind(data)
        style.finish(
            top, title="Utility: minus the ranks missed", ylabel="utility", ylim=(1.05 * lowest, None), kind=kind
        )
        style.finish(
            bottom,
            title=f"Probabilities of the exponential mechanism, epsilon {found.mechanism.epsilon:g}",
            xlabel="candidate for the median income (dollars)",
            ylabel="probability",
            ylim=(0, None),
        )
    return style.figure_with_description(
        [top, bottom],
        f"Two panels over the candidates from {low:,.0f} to {high:,.0f}: above, the utility, a peak of 0 at {best:,.6g} that falls to "
        f"{lowest:,.0f} at the edge; below, the probability of each candidate, a heap around the same place whose highest "
        f"candidate has {100 * found.probability.max():.1f} percent. The choice is within {near:,.6g} of the best with probability "
        f"{found.probability_within(best - near, best + near):.2f}. Both panels are computed from the data: confidential.",
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
    >>> from synthlab.teaching.figures.lecture_12 import shrunken_shares
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
    >>> from synthlab.teaching.figures.lecture_12 import audited
    >>> audit = dp.audit_epsilon(lambda d, rng: len(d), [1, 2], [1], epsilon=1.0, runs=400, rng=1)
    >>> print(audited({"no noise": audit}).description)
    Each row has a mark at the claimed epsilon of 1 and an arrow from the audit's lower bound to the right. no noise: at least \
3.62, refuted.
    """
    from synthlab.plots.dp_account import plot_audit

    ax = plot_audit(audits)
    _titled(ax, "What an audit shows", pad=34)
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


def _titled(ax: object, words: str, *, pad: float) -> None:
    """Set a title above the legend."""
    with style.context():
        ax.set_title(style.literal(words), loc="left", pad=pad)  # type: ignore[attr-defined]


def _percent(counts: npt.ArrayLike) -> FloatArray:
    values = np.asarray(counts, dtype=np.float64)
    return np.asarray(100 * values / values.sum(), dtype=np.float64)
