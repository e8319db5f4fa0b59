"""Figure of lecture 10b: the intruder's posterior over a variable that is not synthesized."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from synthlab.plots import _decorators, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from synthlab.plots.style import Source

SPREAD = 0.6


@_decorators.figure()
def plot_posterior(
    answer: npt.ArrayLike,
    posteriors: Mapping[str, npt.ArrayLike],
    ax: Axes | None = None,
    *,
    label: str,
    title: str,
    data: Source = None,
) -> Axes:
    """Draw the match probability of each record over a whole-number variable.

    Parameters
    ----------
    answer : array_like of shape (n,)
        Value of the variable for each record; records with equal values are drawn side by side.
    posteriors : mapping {name: array_like of shape (n,)}
        Match probabilities, one set per intruder.
    label : str
        Variable, with its unit.
    title : str
        Title of the figure.

    Examples
    --------
    >>> from synthlab.teaching.figures.lecture_10b import plot_posterior
    >>> plot_posterior([14, 15, 15], {"the files alone": [0.5, 0.5, 0]}, label="age", title="One target").get_xlabel()
    'age (points of equal age are drawn side by side)'
    """
    x = np.asarray(answer, dtype=np.float64)
    arrays = {name: np.asarray(p, dtype=np.float64) for name, p in posteriors.items()}
    ax = style.axes(ax)
    shifted = x + SPREAD * (_decorators.scattered(x.size) - 0.5)
    for name, p, look in _decorators.each(arrays):
        ax.plot(shifted, p, label=name, markersize=5, alpha=0.7, **{**look, "linestyle": ""})
    top = 1.35 * float(np.max([p.max() for p in arrays.values()]))
    legend = {"loc": "upper right", "frameon": True}
    return style.finish(
        ax,
        xlabel=f"{label} (points of equal {label} are drawn side by side)",
        ylabel="Pr(the record is the target's)",
        title=title,
        legend=legend,
        ylim=(0, top),
    )
