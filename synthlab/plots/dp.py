"""Figures of differentially private answers and synthetic tables."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from synthlab import _checks
from synthlab._typing import FloatArray
from synthlab.exceptions import InputError
from synthlab.plots import _decorators, style
from synthlab.plots.color import BASELINE, CONFIDENTIAL, GRID, SYNTHETIC

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from synthlab.dp import ChoiceProbabilities, PrivateResult, PrivateTableResult
    from synthlab.plots.style import Source

MOST_ROWS = 40


@_decorators.figure("result")
def plot_private(
    result: PrivateResult,
    ax: Axes | None = None,
    *,
    confidential: npt.ArrayLike | None = None,
    labels: Mapping[Hashable, str] | None = None,
    data: Source = None,
    xlabel: str = "records",
) -> Axes:
    """Draw noisy numbers with the interval of their noise.

    The true numbers can be drawn too, for teaching; the figure is then confidential.

    Parameters
    ----------
    result : PrivateResult
        Noisy count, mean or histogram.
    confidential : array_like of shape (k,), optional
        True numbers, in the order of the cells.
    labels : mapping {cell: text}, optional
        Labels of the cells.
    xlabel : str
        Quantity on the axis, with its unit.

    Raises
    ------
    InputError
        If `confidential` does not contain one number per cell.

    Examples
    --------
    >>> from synthlab import dp
    >>> answer = dp.private_histogram(["a", "b", "b"], categories=["a", "b"], epsilon=1.0, rng=1)
    >>> [tick.get_text() for tick in answer.plot(confidential=[1, 2]).get_yticklabels()]
    ['a', 'b']
    """
    ax, rows = _decorators.rows(ax, [(labels or {}).get(label, label) for label in result.labels], 0.5, margin=1.7)
    name = f"noisy, with {100 * result.level:g}% interval"
    reach = np.abs(result.interval.T - result.estimate)
    look: dict[str, Any] = {"fmt": "o", "color": SYNTHETIC, "capsize": 5, "elinewidth": 2.2, "linestyle": ""}
    ax.errorbar(result.estimate, rows, xerr=reach, label=name, **look)
    if confidential is not None:
        truth = _truth(confidential, rows.size)
        ax.plot(truth, rows, "|", color=CONFIDENTIAL, markersize=20, markeredgewidth=3, label="true")
    return style.finish(ax, xlabel=xlabel, legend=style.ABOVE)


@_decorators.figure()
def plot_choice(
    found: ChoiceProbabilities,
    ax: Axes | None = None,
    *,
    best: float | None = None,
    data: Source = None,
    xlabel: str = "candidate",
) -> Axes:
    """Draw the probability of each candidate under the exponential mechanism.

    The probabilities depend on the confidential data, so the figure is confidential.

    Parameters
    ----------
    found : ChoiceProbabilities
        Probabilities of the candidates for a quantile.
    best : float, optional
        True answer, marked by a line.
    xlabel : str
        Quantity of the candidates, with its unit.

    Examples
    --------
    >>> from synthlab import dp
    >>> found = dp.quantile_probabilities([1, 2, 3], low=0, high=10, epsilon=1.0, step=1)
    >>> found.plot(best=2).get_ylabel()
    'probability of the candidate'
    """
    grid = bool((found.upper == found.lower).all())
    ax = style.axes(ax)
    if grid:
        ax.vlines(found.lower, 0, found.probability, color=SYNTHETIC, linewidth=2.5)
    else:
        wide = found.upper > found.lower
        height = found.probability[wide] / (found.upper - found.lower)[wide]
        ax.stairs(height, [*found.lower[wide], found.upper[wide][-1]], fill=True, color=SYNTHETIC)
    if best is not None:
        ax.axvline(best, color=CONFIDENTIAL, linestyle=style.LINES[1])
        _decorators.note(ax, f"true: {best:,.6g}", (best, 0.97), (6, 0), units="x", va="top")
    words = "probability of the candidate" if grid else "density of the candidate"
    return style.finish(ax, xlabel=xlabel, ylabel=words, ylim=(0, None))


@_decorators.figure("result")
def plot_private_table(
    result: PrivateTableResult,
    ax: Axes | None = None,
    *,
    confidential: npt.ArrayLike | None = None,
    labels: Mapping[Hashable, str] | None = None,
    data: Source = None,
) -> Axes:
    """Draw the share of each cell in the synthetic tables, the truth and the prior.

    Parameters
    ----------
    result : PrivateTableResult
        Synthetic tables of at most 40 cells.
    confidential : array_like of shape (K,), optional
        True counts, in the order of the cells.
    labels : mapping {cell: text}, optional
        Labels of the cells; a cell is a tuple of levels.

    Raises
    ------
    InputError
        If there are more than 40 cells, or `confidential` does not contain one count per cell.

    Examples
    --------
    >>> import pandas as pd
    >>> from synthlab import dp
    >>> people = pd.DataFrame({"tenure": ["owns", "rents", "rents"]})
    >>> table = dp.private_table(people, levels={"tenure": ["owns", "rents"]}, n_synthetic=50, epsilon=1.0, rng=1)
    >>> table.plot(confidential=[1, 2]).get_xlabel()
    'percent of the records'
    """
    if result.n_cells > MOST_ROWS:
        raise InputError(f"result: has {result.n_cells:,} cells; at most {MOST_ROWS} can be drawn; combine cells first")
    cells = list(result.summary().index)
    ax, rows = _decorators.rows(ax, [(labels or {}).get(cell, _cell_words(cell)) for cell in cells], 0.33, margin=1.7)
    ax.axvline(100 / result.n_cells, color=BASELINE, linestyle=style.LINES[2], label="prior alone")
    shares = 100 * result.counts / result.n_synthetic
    ax.hlines(rows, shares.min(axis=1), shares.max(axis=1), color=GRID, linewidth=6, zorder=1)
    for number, share in enumerate(shares.T):
        ax.plot(share, rows, "o", color=SYNTHETIC, markersize=6, label="synthetic" if number == 0 else None)
    if confidential is not None:
        truth = _truth(confidential, rows.size)
        if not truth.any():
            raise InputError("confidential: must contain at least one count above 0")
        share = 100 * truth / truth.sum()
        ax.plot(share, rows, "|", color=CONFIDENTIAL, markersize=13, markeredgewidth=3, label="true")
    ax.tick_params(axis="y", labelsize=13 if rows.size <= 20 else 12)
    ax.grid(axis="y", visible=True)
    ax.set(ylim=(-0.7, rows.size - 0.3), xlim=(0, None))
    return style.finish(ax, xlabel="percent of the records", legend={"loc": "best", "frameon": True})


def _truth(confidential: npt.ArrayLike, cells: int) -> FloatArray:
    truth = _checks.check_parameter(confidential, "confidential")
    if truth.shape != (cells,):
        raise InputError(f"confidential: must contain {cells} numbers, one per cell, got shape {truth.shape}")
    return truth


def _cell_words(cell: Hashable) -> str:
    return ", ".join(str(level) for level in cell) if isinstance(cell, tuple) else str(cell)
