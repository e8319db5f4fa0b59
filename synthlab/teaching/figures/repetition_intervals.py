"""Figure of ranges over repetitions, with published numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from synthlab import _checks
from synthlab.exceptions import InputError
from synthlab.plots import _decorators, style
from synthlab.plots.color import CONFIDENTIAL, INK, SYNTHETIC

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from synthlab.plots.style import Source


@_decorators.figure()
def plot_ranges(
    labels: Sequence[str],
    mean: npt.ArrayLike,
    low: npt.ArrayLike,
    high: npt.ArrayLike,
    *,
    published: npt.ArrayLike | None = None,
    ax: Axes | None = None,
    xlabel: str = "",
    title: str = "",
    interval: str = "range of our repetitions",
    marks: str = "published, one run",
    data: Source = None,
) -> Axes:
    """Draw a mean and a range for each row, with published numbers.

    Parameters
    ----------
    labels : sequence of str
        Labels of the rows, from top to bottom.
    mean, low, high : array_like of shape (rows,)
        Mean and ends of the range of each row.
    published : array_like of shape (rows,), optional
        Published numbers; NaN if there is none.
    xlabel : str
        Measured quantity, with its unit.
    interval : str
        Meaning of the bars, for the legend.
    marks : str
        Meaning of the marks of `published`, for the legend.

    Raises
    ------
    InputError
        If there are no rows, or the sizes differ.

    Examples
    --------
    >>> from synthlab.teaching.figures.repetition_intervals import plot_ranges
    >>> plot_ranges(["nothing", "everything"], [20, 48], [15, 40], [25, 55], xlabel="expected matches").get_xlabel()
    'expected matches'
    """
    arrays = [_checks.check_array(v, name) for name, v in (("mean", mean), ("low", low), ("high", high))]
    if published is not None:
        arrays.append(_checks.check_array(published, "published"))
    if not labels or any(a.shape != (len(labels),) for a in arrays):
        raise InputError("labels, mean, low, high, published: must have the same size, at least 1")
    place = np.arange(len(labels))
    ax = style.axes(ax, (9.0, 1.6 + 0.42 * len(labels)))
    ax.hlines(place, arrays[1], arrays[2], color=SYNTHETIC, linewidth=5, alpha=0.35, label=interval)
    ax.plot(arrays[0], place, "|", markersize=16, markeredgewidth=3, color=SYNTHETIC, label="our mean")
    if published is not None:
        ax.plot(arrays[3], place, "D", color=CONFIDENTIAL, markeredgecolor=INK, label=marks)
    ax.set_yticks(place, [style.literal(text) for text in labels])
    ax.invert_yaxis()
    ax.grid(axis="y", visible=False)
    ax.set_xlim(left=min(0.0, float(np.nanmin(np.concatenate(arrays)))) - 1e-9)
    over = {"loc": "lower right", "bbox_to_anchor": (1.0, 1.0), "ncols": 3, "borderaxespad": 1.6, "columnspacing": 1.2}
    if title:
        ax.set_title(style.literal(title), pad=54)  # above the legend
    return style.finish(ax, xlabel=xlabel, legend=over)
