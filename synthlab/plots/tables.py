"""Figures of the levels of one variable and of all pairs of variables."""

from __future__ import annotations

from textwrap import fill
from typing import TYPE_CHECKING

import numpy as np

from synthlab import _checks
from synthlab.exceptions import InputError
from synthlab.plots import _decorators, style
from synthlab.plots.color import CONFIDENTIAL, SYNTHETIC

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from synthlab.plots.style import Source
    from synthlab.utility import Margin, TableUtilityResult

MOST_LEVELS = 20  # bars drawn individually
MOST_VARIABLES = 40  # rows of a map
LONGEST = 18  # characters of a variable's name next to a map
LONGEST_LEVEL = 18  # characters per line of the name of a level
OTHERS = "(all others)"


@_decorators.figure()
def plot_level_shares(
    margin: Margin,
    ax: Axes | None = None,
    *,
    data: Source = None,
    smallest: int = 1,
    released_only: bool = False,
) -> Axes:
    """Draw the shares of the levels of one variable: confidential and synthetic.

    Parameters
    ----------
    margin : Margin
        One-way table of `table_utility`. The bar of the synthetic datasets is their mean; a line spans the smallest to
        the largest share.
    smallest : int
        Smallest number of confidential records of a level with its own bar; rarer levels are combined.
    released_only : bool
        Whether to combine also the levels that occur in no synthetic dataset, so that only released values are named.

    Raises
    ------
    InputError
        If the table has several variables.

    Examples
    --------
    >>> import pandas as pd
    >>> from synthlab.plots.tables import plot_level_shares
    >>> from synthlab.utility import table_utility
    >>> people, other = pd.DataFrame({"town": list("aabbc")}), pd.DataFrame({"town": list("abbbc")})
    >>> plot_level_shares(table_utility(people, other).margins[0]).get_xlabel()
    'share of the records'
    """
    if len(margin.variables) != 1:
        raise InputError(f"margin: is a table of {len(margin.variables)} variables; give a table of one variable")
    smallest = _checks.check_count(smallest, "smallest", 1)
    own, others = margin.share_confidential, margin.share_synthetic
    alone = margin.confidential >= smallest
    if released_only:
        alone &= margin.synthetic.sum(axis=0) > 0
    alone[np.argsort(-own, kind="stable")[MOST_LEVELS:]] = False
    rest = margin.confidential[~alone].sum()
    if 0 < rest < smallest and alone.any():
        alone[np.flatnonzero(alone)[np.argmin(margin.confidential[alone])]] = False  # combine two or more
    names = [_in_lines(str(level)) for level, one in zip(margin.levels[0], alone, strict=True) if one]
    together = bool((~alone).any())
    own = np.append(own[alone], own[~alone].sum())[: len(names) + together]
    others = np.column_stack([others[:, alone], others[:, ~alone].sum(axis=1)])[:, : len(names) + together]
    ax, places = _decorators.rows(ax, [*names, OTHERS] if together else names, 0.5, margin=1.8)
    ax.barh(places + 0.2, own, 0.38, color=CONFIDENTIAL, label="confidential")
    ax.barh(places - 0.2, others.mean(axis=0), 0.38, color=SYNTHETIC, label="synthetic")
    if len(others) > 1:
        ax.hlines(places - 0.2, others.min(axis=0), others.max(axis=0), color="black", linewidth=1.2)
    name = style.literal(margin.variables[0])
    xlabel = "share of the records" + (f" (mean of m = {len(others)})" if len(others) > 1 else "")
    return style.finish(ax, xlabel=xlabel, ylabel=name, xlim=(0, None), legend=style.ABOVE)


@_decorators.figure()
def plot_pair_distances(
    result: TableUtilityResult, ax: Axes | None = None, *, data: Source = None, step: float = 0.0
) -> Axes:
    """Draw the total variation beyond chance of all pairs of variables as a map.

    The diagonal shows the one-way tables.

    Parameters
    ----------
    result : TableUtilityResult
        Result for all one- and two-way tables. At most 40 variables are drawn: those in the worst tables.
    step : float
        Step to which the distances are rounded; 0 disables rounding.

    Raises
    ------
    InputError
        If there is no table of two variables.

    Examples
    --------
    >>> import pandas as pd
    >>> from synthlab.plots.tables import plot_pair_distances
    >>> from synthlab.utility import table_utility
    >>> people = pd.DataFrame({"town": list("aabbc"), "sex": list("fmfmf")})
    >>> other = pd.DataFrame({"town": list("abbbc"), "sex": list("fmfmf")})
    >>> len(plot_pair_distances(table_utility(people, other)).get_xticks())
    2
    """
    excess = np.maximum(result.total_variation.mean(axis=1) - result.expected_total_variation, 0.0)
    if _checks.check_number(step, "step", low=0.0):
        excess = np.round(excess / step) * step
    tables = [margin.variables for margin in result.margins]
    if not any(len(names) == 2 for names in tables):
        raise InputError("result: contains no table of two variables")
    worst: dict[str, float] = {}
    for names, value in zip(tables, excess, strict=True):
        for name in names if len(names) <= 2 else ():
            worst[name] = max(worst.get(name, 0.0), float(value))
    kept = set(sorted(worst, key=lambda name: -worst[name])[:MOST_VARIABLES])
    shown = [name for name in worst if name in kept]
    grid = np.full((len(shown), len(shown)), np.nan)
    for names, value in zip(tables, excess, strict=True):
        if len(names) <= 2 and all(name in kept for name in names):
            i, j = shown.index(names[0]), shown.index(names[-1])
            grid[i, j] = grid[j, i] = value
    from matplotlib import rcParams

    ax = style.axes(ax)
    image = ax.imshow(grid, cmap="Blues", vmin=0.0, vmax=float(np.nanmax(grid)) or 1.0)
    bar = ax.figure.colorbar(image, ax=ax, shrink=0.8)
    bar.set_label("share beyond chance")
    labels = [
        style.literal(name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}\N{HORIZONTAL ELLIPSIS}")
        for name in shown
    ]
    # The map takes about three fifths of the figure, and there are 72 points per inch.
    page = ax.get_figure(root=True)
    room = 0.6 * min(style.FIGSIZE if page is None else page.get_size_inches()) * 72 / len(shown)
    size = min(float(rcParams["ytick.labelsize"]), 0.9 * room)
    ax.set_xticks(range(len(shown)), labels, rotation=90, fontsize=size)
    ax.set_yticks(range(len(shown)), labels, fontsize=size)
    ax.grid(visible=False)
    if len(worst) > len(shown):
        ax.set_xlabel(f"the worst {len(shown)} of {len(worst)} variables")
    return ax


def _in_lines(level: str) -> str:
    """Return the name of a level in at most two lines."""
    if len(level) <= LONGEST_LEVEL:
        return level
    return fill(level, LONGEST_LEVEL, max_lines=2, placeholder="\N{HORIZONTAL ELLIPSIS}")


__all__ = ["plot_level_shares", "plot_pair_distances"]
