"""Figures of posteriors from two databases that differ in one record."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy.typing as npt

from synthlab import _checks
from synthlab.exceptions import InputError
from synthlab.plots import _decorators, style
from synthlab.plots.color import GRID, INK

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from synthlab.plots.style import Source


@_decorators.figure()
def plot_log_ratio(
    theta: npt.ArrayLike,
    ratios: Mapping[str, npt.ArrayLike],
    ax: Axes | None = None,
    *,
    kept: tuple[float, float] | None = None,
    label: str = "parameter theta",
    data: Source = None,
) -> Axes:
    """Draw the log ratio of two posterior densities, with and without one record.

    Parameters
    ----------
    theta : array_like of shape (g,)
        Parameter values at which the densities are compared.
    ratios : mapping {name: array_like of shape (g,)}
        Log density with the record minus log density without it, for each line.
    kept : (float, float), optional
        Truncated parameter space; the area outside is gray.
    label : str
        Parameter, with its unit.

    Raises
    ------
    InputError
        If there is no line, or the length of a line differs from the length of `theta`.

    Examples
    --------
    >>> import numpy as np
    >>> from synthlab.teaching.figures.adjacent_databases import plot_log_ratio
    >>> theta = np.linspace(0.01, 0.5, 50)
    >>> plot_log_ratio(theta, {"weight 1": np.log(7 * theta)}, kept=(0.03, 0.4)).get_ylabel()
    'log ratio of the densities'
    """
    at = _checks.check_array(theta, "theta")
    given = _checks.check_mapping(ratios, "ratios", "names and log ratios")
    lines = {name: _checks.check_vector(values, f"ratios[{name!r}]") for name, values in given.items()}
    wrong = [name for name, values in lines.items() if values.shape != at.shape]
    if not lines or wrong:
        raise InputError(f"ratios: must name at least one line, each of the {at.size} values of theta; wrong: {wrong}")
    ax = style.axes(ax)
    ax.axhline(0.0, color=INK, linewidth=1.0)
    for name, values, look in _decorators.each(lines):
        ax.plot(at, values, label=style.literal(name), **_decorators.no_marker(look))
    if kept is not None:
        for low, high in ((at.min(), kept[0]), (kept[1], at.max())):
            ax.axvspan(low, high, color=GRID, linewidth=0, zorder=0)
    ax.set_xlim(at.min(), at.max())
    ax.legend(frameon=True, loc="lower right")
    title = "Posterior with the record relative to without it" + ("; gray: dropped" if kept else "")
    return style.finish(ax, xlabel=label, ylabel="log ratio of the densities", title=title)
