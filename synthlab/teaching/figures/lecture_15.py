"""Figure of lecture 15: relative errors against the size of the subtracted numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from synthlab.plots import _decorators, style
from synthlab.plots.color import CONFIDENTIAL, SYNTHETIC

if TYPE_CHECKING:
    from matplotlib.axes import Axes

EPSILON = float(np.finfo(np.float64).eps)


@_decorators.figure()
def plot_relative_error(
    size: npt.ArrayLike, error: npt.ArrayLike, *, xlabel: str, expected: str = "", ax: Axes | None = None
) -> Axes:
    """Draw relative errors against the size of the numbers that a program subtracts.

    Parameters
    ----------
    size : array_like of float, > 0
        Size of the intermediate numbers.
    error : array_like of float
        Relative errors |Python / R - 1|; zeros are drawn at the lower edge.
    xlabel : str
        Label of `size`.
    expected : str
        Label of the line 2.2e-16 x max(size, 1), the rounding error of numbers of this size; no line if empty.

    Examples
    --------
    >>> from synthlab.teaching.figures.lecture_15 import plot_relative_error
    >>> ax = plot_relative_error([1, 1e6], [1e-16, 1e-10], xlabel="shape", expected="rounding")
    >>> ax.get_xscale(), ax.get_yscale()
    ('log', 'log')
    """
    x, y = np.ravel(size).astype(np.float64), np.ravel(error).astype(np.float64)
    keep = (x > 0) & np.isfinite(y)
    x, y = x[keep], np.maximum(y[keep], EPSILON / 4)
    ax = style.axes(ax, (9.0, 4.8))
    ax.plot(x, y, "o", color=SYNTHETIC, alpha=0.35, markersize=5, linestyle="none")
    if expected:
        line = np.geomspace(x.min(), x.max(), 200)
        rounding = np.maximum(line, 1.0) * EPSILON
        ax.plot(line, rounding, color=CONFIDENTIAL, linestyle="--", linewidth=2, label=style.literal(expected))
        ax.legend(loc="upper left", frameon=False)
    ax.set(xscale="log", yscale="log")
    ylabel = "relative difference of the two programs"
    return style.finish(ax, xlabel=xlabel, ylabel=ylabel, title="Rounding errors grow with the subtracted numbers")
