"""Figures of lecture 6: pMSE ratios and their reference values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pandas as pd

from synthlab.exceptions import InputError
from synthlab.plots import _decorators, style
from synthlab.plots.color import BASELINE, CONFIDENTIAL, INK, PAPER, SYNTHETIC
from synthlab.plots.style import DescribedFigure, figure_with_description

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from synthlab.plots.style import Source

STRAIGHT = 3.0  # the vertical scale is logarithmic above this value


def show_references(
    fixed: npt.ArrayLike,
    drawn: npt.ArrayLike,
    releases: Mapping[str, float],
    *,
    slopes: int,
    data: Source = None,
) -> DescribedFigure:
    """Show the pMSE ratios of correct synthesizers, their null, and the releases.

    Parameters
    ----------
    fixed, drawn : array_like, shape (draws,)
        Ratios of correct synthesizers with fixed parameters, and with new parameters for each dataset.
    releases : mapping {name: float}
        Ratios of the releases; a ratio beyond the axis is shown at the edge.
    slopes : int
        Degrees of freedom k - 1 of the null.
    data : Dataset, DataFrame, Release, "real" or "simulated", optional
        Source of the data label of the figure.

    Returns
    -------
    DescribedFigure

    Examples
    --------
    >>> from synthlab.teaching.figures.lecture_06 import show_references
    >>> print(show_references([0.5, 1.5], [1.5, 2.5], {"hot deck": 0.7, "shuffled": 300.0}, slopes=3))
    Figure: pMSE ratios of 2 correct synthesizers with fixed parameters (mean 1.00) and 2 with drawn parameters (mean 2.00), each with its chi-squared curve, and dashed marks at 1 and 2. hot deck stands at 0.7. shuffled has 300, far to the right of the axis.
    """
    ratios = {"fixed": np.asarray(fixed, float), "drawn": np.asarray(drawn, float)}
    right = 1.05 * max(float(values.max()) for values in ratios.values())
    description = (
        f"pMSE ratios of {ratios['fixed'].size} correct synthesizers with fixed parameters (mean "
        f"{ratios['fixed'].mean():.2f}) and {ratios['drawn'].size} with drawn parameters (mean "
        f"{ratios['drawn'].mean():.2f}), each with its chi-squared curve, and dashed marks at 1 and 2."
    )
    for name, value in releases.items():
        description += (
            f" {name} stands at {value:.1f}."
            if value < right
            else f" {name} has {value:,.0f}, far to the right of the axis."
        )
    return figure_with_description(_plot_references(ratios, releases, right, slopes=slopes, data=data), description)


@_decorators.figure()
def plot_ratio_by_share(
    table: pd.DataFrame, ax: Axes | None = None, *, share: float | None = None, data: Source = None
) -> Axes:
    r"""Draw the pMSE ratio against the share of records with synthetic values.

    Parameters
    ----------
    table : pandas.DataFrame
        Indexed by the share, with the columns ``ratio``, ``ratio_min``, ``ratio_max`` and ``reference_high``, as
        `synthlab.teaching.widgets.pmse_by_share` gives.
    share : float, optional
        Share to mark, from the index of the table.

    Raises
    ------
    InputError
        If `share` is not in the index.

    Examples
    --------
    >>> import pandas as pd
    >>> from synthlab.teaching.figures.lecture_06 import plot_ratio_by_share
    >>> columns = {"ratio": [0.0, 40.0], "ratio_min": [0.0, 30.0], "ratio_max": [0.0, 50.0], "reference_high": [2.2, 2.2]}
    >>> plot_ratio_by_share(pd.DataFrame(columns, index=[0.0, 1.0]), share=1.0).get_ylabel()
    'pMSE ratio\n(logarithmic above 3)'
    """
    if share is not None and share not in table.index:
        raise InputError("share: is not in the index of the table")
    x = 100 * table.index.to_numpy(dtype=float)
    ax = style.axes(ax)
    band = float(table["reference_high"].max())
    ax.axhspan(0, band, color=BASELINE, alpha=0.12, linewidth=0, label="correct, fixed parameters: most datasets")
    ax.fill_between(x, table["ratio_min"], table["ratio_max"], color=SYNTHETIC, alpha=0.2, linewidth=0)
    ax.plot(x, table["ratio"], color=SYNTHETIC, linestyle="-", label="this release, mean of its datasets")
    for value, line, label in ((1.0, 1, "correct, fixed parameters: 1"), (2.0, 2, "correct, drawn parameters: 2")):
        ax.axhline(value, color=BASELINE, linestyle=style.LINES[line], linewidth=1.6, label=label)
    if share is not None:
        at = float(table["ratio"].loc[share])
        ax.axvline(100 * share, color=INK, linewidth=1.2, linestyle="-")
        ax.plot(100 * share, at, "o", color=CONFIDENTIAL)
        right = share > 0.5
        _decorators.note(ax, f"{at:,.3g}", (100 * share, at), (-9 if right else 9, 8), ha="right" if right else "left")
    ax.set_yscale("symlog", linthresh=STRAIGHT)
    ax.set_ylim(0, max(10.0, 3 * float(table["ratio_max"].max())))
    ax.set_xlim(-4, 104)
    ax.yaxis.set_major_formatter(lambda value, _: f"{value:,.4g}")
    return style.finish(
        ax,
        xlabel="records with synthetic values (percent)",
        ylabel=f"pMSE ratio\n(logarithmic above {STRAIGHT:g})",
        title="Can a classifier tell the file apart?",
        legend={**style.ABOVE, "ncols": 1, "bbox_to_anchor": (0.0, 1.1)},
    )


@_decorators.figure()
def _plot_references(
    ratios: Mapping[str, npt.NDArray[np.float64]],
    releases: Mapping[str, float],
    right: float,
    *,
    slopes: int,
    data: Source = None,
) -> Axes:
    from scipy import stats

    edges = np.linspace(0.0, right, 25)
    grid = np.linspace(edges[1] / 4, right, 400)
    ax = style.axes(None, (9.0, 4.8))
    looks = (("fixed", 1, BASELINE, True), ("drawn", 2, CONFIDENTIAL, False))
    for name, mark, color, fill in looks:
        share = 100 * np.histogram(ratios[name], bins=edges)[0] / ratios[name].size
        label = f"{name} parameters, {ratios[name].size} datasets"
        ax.stairs(share, edges, fill=fill, color=color, alpha=0.3 if fill else 1.0, linewidth=1.8, label=label)
        curve = 100 * edges[1] * stats.chi2.pdf(grid * slopes / mark, slopes) * slopes / mark
        ax.plot(grid, curve, color=color, linestyle="-", linewidth=1.6)
        ax.axvline(mark, color=color, linestyle=style.LINES[1], linewidth=2.0)
    top = 1.35 * ax.get_ylim()[1]
    for _, mark, color, _ in looks:
        _decorators.note(ax, f"{mark}", (mark, top), (4, -16), color=color)
    for number, (name, value) in enumerate(releases.items()):
        height = (0.82 - 0.11 * number) * top
        if value < right:
            ax.plot([value, value], [0, height], color=SYNTHETIC, linestyle="-", linewidth=2.4)
            text, box = style.literal(f" {name}: {value:.1f}"), {"facecolor": PAPER, "edgecolor": "none", "pad": 1.5}
            ax.text(value + 0.01 * right, height, text, color=INK, va="center", bbox=box)
        else:
            ax.plot(right, height, ">", color=SYNTHETIC, clip_on=False)
            ax.text(0.985 * right, height, style.literal(f"{name}: {value:,.0f}"), color=INK, ha="right", va="center")
    ax.set(xlim=(0.0, right), ylim=(0.0, top))
    title = "Two reference values of the pMSE ratio"
    return style.finish(
        ax, xlabel="pMSE ratio", ylabel="share of the datasets (%)", title=title, legend={"loc": "center right"}
    )
