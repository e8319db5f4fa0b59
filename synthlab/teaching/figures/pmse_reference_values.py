"""Figure of pMSE ratios and their two reference values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from synthlab import _checks
from synthlab.exceptions import InputError
from synthlab.plots import _decorators, style
from synthlab.plots.color import BASELINE, CONFIDENTIAL, INK, PAPER, SYNTHETIC
from synthlab.plots.style import DescribedFigure, figure_with_description

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from synthlab.plots.style import Source


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

    Raises
    ------
    InputError
        If `releases` is empty, or a ratio is negative.

    Examples
    --------
    >>> from synthlab.teaching.figures.pmse_reference_values import show_references
    >>> print(show_references([0.5, 1.5], [1.5, 2.5], {"hot deck": 0.7, "shuffled": 300.0}, slopes=3))
    Figure: pMSE ratios of 2 correct synthesizers with fixed parameters (mean 1.00) and 2 with drawn parameters (mean 2.00), each with its chi-squared curve, and dashed marks at 1 and 2. hot deck stands at 0.7. shuffled has 300, far to the right of the axis.
    """
    ratios = {name: _checks.check_vector(given, name) for name, given in (("fixed", fixed), ("drawn", drawn))}
    places = {name: _checks.check_number(value, "releases", low=0.0) for name, value in releases.items()}
    if not places or any((one < 0).any() for one in ratios.values()):
        raise InputError("fixed, drawn, releases: must be ratios >= 0, with at least one release")
    right = 1.05 * max(float(one.max()) for one in ratios.values())
    words = (
        f"pMSE ratios of {ratios['fixed'].size} correct synthesizers with fixed parameters (mean "
        f"{ratios['fixed'].mean():.2f}) and {ratios['drawn'].size} with drawn parameters (mean "
        f"{ratios['drawn'].mean():.2f}), each with its chi-squared curve, and dashed marks at 1 and 2."
    )
    for name, value in places.items():
        words += (
            f" {name} stands at {value:.1f}."
            if value < right
            else f" {name} has {value:,.0f}, far to the right of the axis."
        )
    count = _checks.check_count(slopes, "slopes", 1)
    return figure_with_description(_plot(ratios, places, right, slopes=count, data=data), words)


@_decorators.figure()
def _plot(
    ratios: Mapping[str, npt.NDArray[np.float64]],
    places: Mapping[str, float],
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
    for name, mark, colour, fill in looks:
        share = 100 * np.histogram(ratios[name], bins=edges)[0] / ratios[name].size
        label = f"{name} parameters, {ratios[name].size} datasets"
        ax.stairs(share, edges, fill=fill, color=colour, alpha=0.3 if fill else 1.0, linewidth=1.8, label=label)
        curve = 100 * edges[1] * stats.chi2.pdf(grid * slopes / mark, slopes) * slopes / mark
        ax.plot(grid, curve, color=colour, linestyle="-", linewidth=1.6)
        ax.axvline(mark, color=colour, linestyle=style.LINES[1], linewidth=2.0)
    top = 1.35 * ax.get_ylim()[1]
    for _, mark, colour, _ in looks:
        _decorators.note(ax, f"{mark}", (mark, top), (4, -16), color=colour)
    for number, (name, value) in enumerate(places.items()):
        height = (0.82 - 0.11 * number) * top
        if value < right:
            ax.plot([value, value], [0, height], color=SYNTHETIC, linestyle="-", linewidth=2.4)
            words, box = style.literal(f" {name}: {value:.1f}"), {"facecolor": PAPER, "edgecolor": "none", "pad": 1.5}
            ax.text(value + 0.01 * right, height, words, color=INK, va="center", bbox=box)
        else:
            ax.plot(right, height, ">", color=SYNTHETIC, clip_on=False)
            ax.text(0.985 * right, height, style.literal(f"{name}: {value:,.0f}"), color=INK, ha="right", va="center")
    ax.set(xlim=(0.0, right), ylim=(0.0, top))
    title = "Two reference values of the pMSE ratio"
    return style.finish(
        ax, xlabel="pMSE ratio", ylabel="share of the datasets (%)", title=title, legend={"loc": "center right"}
    )
