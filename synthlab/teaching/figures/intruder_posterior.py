"""Figure of the intruder's posterior over a variable that is not synthesized."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from synthlab import _checks
from synthlab.exceptions import InputError
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

    Raises
    ------
    InputError
        If `posteriors` is empty, or the sizes differ.

    Examples
    --------
    >>> from synthlab.teaching.figures.intruder_posterior import plot_posterior
    >>> plot_posterior([14, 15, 15], {"the files alone": [0.5, 0.5, 0]}, label="age", title="One target").get_xlabel()
    'age (points of equal age are drawn side by side)'
    """
    x = _checks.check_vector(answer, "answer")
    arrays = {
        name: _checks.check_array(p, f"posteriors[{name!r}]")
        for name, p in _decorators.filled(posteriors, "posteriors").items()
    }
    if x.size == 0 or any(p.shape != x.shape for p in arrays.values()):
        raise InputError("answer, posteriors: must have the same size, at least 1")
    ax = style.axes(ax)
    beside = x + SPREAD * (_decorators.scattered(x.size) - 0.5)
    for name, p, look in _decorators.each(arrays):
        ax.plot(beside, p, label=name, markersize=5, alpha=0.7, **{**look, "linestyle": ""})
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
