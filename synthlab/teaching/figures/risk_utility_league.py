"""Risk-utility map of a tournament."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from synthlab.plots import _decorators, labels, style
from synthlab.plots.color import BASELINE, CONFIDENTIAL, SERIES

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from synthlab.plots.style import Source


@_decorators.figure()
def plot_league(
    league: pd.DataFrame, ax: Axes | None = None, *, most_excess: float = 0.05, data: Source = None
) -> Axes:
    """Draw the attacked releases: excess of the worst attack against loss of utility.

    A star marks a copy of the confidential file.

    Parameters
    ----------
    league : pandas.DataFrame
        League table of `synthlab.teaching.homework.tournament.play`.
    most_excess : float
        Limit of the excess, drawn as a line; a release with its interval above the limit is not ranked.

    Examples
    --------
    >>> import pandas as pd
    >>> from synthlab.teaching.figures.risk_utility_league import plot_league
    >>> numbers = {"pair_distance": [0.1], "excess": [0.2], "low": [0.1], "high": [0.3], "what_it_is": [""]}
    >>> plot_league(pd.DataFrame(numbers, ["trees"])).get_xlabel()
    'worst pair of variables (total variation; 0: same distribution)'
    """
    columns = ["pair_distance", "excess", "low", "high"]
    attacked = league.dropna(subset=columns)
    numbers = attacked[columns].astype(float)
    ax = style.axes(ax)
    colors = [color for color in SERIES if color != CONFIDENTIAL]
    for number, (x, y, low, high) in enumerate(numbers.itertuples(index=False)):
        copied = attacked["what_it_is"].iloc[number] != ""
        color = CONFIDENTIAL if copied else colors[number % len(colors)]
        marker = "*" if copied else style.MARKERS[number % len(style.MARKERS)]
        ax.plot([x, x], [low, high], color=color, linestyle="-", linewidth=2.0, clip_on=False)
        ax.plot(x, y, color=color, marker=marker, markersize=14 if copied else 10, linestyle="none", clip_on=False)
    bottom, top = min(0.0, numbers["low"].min()), max(most_excess, numbers["high"].max())
    ax.set(xlim=(0.0, max(numbers["pair_distance"].max() * 1.25, 1e-6)), ylim=(bottom * 1.1, top * 1.12))
    ax.axhline(0.0, color=BASELINE, linewidth=1.2)
    ax.axhline(most_excess, color=BASELINE, linestyle=style.LINES[2], linewidth=1.6)
    _decorators.note(ax, "most excess for a place", (1.0, most_excess), (0, 3), units="y", ha="right", va="bottom")
    xlabel = "worst pair of variables (total variation; 0: same distribution)"
    style.finish(ax, xlabel=xlabel, ylabel="excess of the worst attack", title="Risk and utility of the releases")
    names = [str(name) for name in attacked.index]
    labels.label_points(ax, numbers["pair_distance"].tolist(), numbers["excess"].tolist(), names)
    return ax
