"""Risk-utility map of lecture 1."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from synthlab import _checks
from synthlab.exceptions import InputError
from synthlab.plots import _decorators, labels, style
from synthlab.plots.color import BASELINE, CONFIDENTIAL, SERIES

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from synthlab.plots.style import Source


@_decorators.figure()
def plot_first_map(
    releases: Mapping[str, tuple[float, float]],
    ax: Axes | None = None,
    *,
    baseline: tuple[str, float] | None = None,
    xlabel: str,
    ylabel: str,
    title: str = "Risk and utility",
    data: Source = None,
) -> Axes:
    """Draw releases as points: risk against loss of utility.

    Parameters
    ----------
    releases : mapping {name: (loss, risk)}
        Loss and risk, both >= 0. The first entry is the confidential file, drawn as a star.
    baseline : (name, risk), optional
        Risk to mark by a horizontal line.
    xlabel, ylabel, title : str

    Raises
    ------
    InputError
        If `releases` is empty, or a number is negative or not finite.

    Examples
    --------
    >>> from synthlab.teaching.figures.risk_utility_map import plot_first_map
    >>> ax = plot_first_map({"as is": (0, 100), "noise": (0.1, 60)}, xlabel="loss", ylabel="found")
    >>> sorted(text.get_text() for text in ax.texts)
    ['as is', 'noise']
    """
    named = _decorators.filled(releases, "releases")
    points = np.array([_checks.check_vector(pair, f"releases[{name!r}]") for name, pair in named.items()])
    if points.shape[1] != 2 or not (points >= 0).all():
        raise InputError("releases: each value must be a loss and a risk, both >= 0")
    if baseline is not None:
        height = float(_checks.check_vector(baseline[1:], "baseline")[0])
        baseline = str(baseline[0]), height
    ax = style.axes(ax)
    colours = [colour for colour in SERIES if colour != CONFIDENTIAL]
    for number, (x, y) in enumerate(points):
        place = (number - 1) % len(colours)
        look: dict[str, Any] = {
            "color": colours[place],
            "marker": style.MARKERS[place % len(style.MARKERS)],
            "markersize": 11,
        }
        if number == 0:
            look = {"color": CONFIDENTIAL, "marker": "*", "markersize": 15}
        ax.plot(x, y, linestyle="none", clip_on=False, **look)
    ax.set(xlim=(0.0, max(points[:, 0].max() * 1.25, 1e-6)), ylim=(0.0, max(points[:, 1].max() * 1.12, 1e-6)))
    if baseline is not None:
        ax.axhline(baseline[1], color=BASELINE, linestyle=style.LINES[2], linewidth=1.6)
        _decorators.note(ax, baseline[0], (1.0, baseline[1]), (0, 3), units="y", ha="right", va="bottom")
    style.finish(ax, xlabel=xlabel, ylabel=ylabel, title=title)
    line = [] if baseline is None else [(x, baseline[1]) for x in ax.get_xlim()]
    labels.label_points(ax, points[:, 0].tolist(), points[:, 1].tolist(), list(named), line=line)
    return ax
