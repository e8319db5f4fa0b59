"""Figures of lecture 13: log ratios of posteriors, sensitivities and statistics."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from synthlab._typing import FloatArray
from synthlab.plots import _decorators, style
from synthlab.plots.color import GRID, INK, PAPER

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from synthlab.plots.style import DescribedFigure, Source

HIGHEST = 5.0
STEPS = ("1. No cut: no bound", "2. Cut", "3. Cut and weights")


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

    Examples
    --------
    >>> import numpy as np
    >>> from synthlab.teaching.figures.lecture_13 import plot_log_ratio
    >>> theta = np.linspace(0.01, 0.5, 50)
    >>> plot_log_ratio(theta, {"weight 1": np.log(7 * theta)}, kept=(0.03, 0.4)).get_ylabel()
    'log ratio of the densities'
    """
    at = np.asarray(theta, dtype=np.float64)
    ax = style.axes(ax)
    ax.axhline(0.0, color=INK, linewidth=1.0)
    for name, values, look in _decorators.each(ratios):
        ax.plot(at, values, label=style.literal(name), **_decorators.no_marker(look))
    if kept is not None:
        for low, high in ((at.min(), kept[0]), (kept[1], at.max())):
            ax.axvspan(low, high, color=GRID, linewidth=0, zorder=0)
    ax.set_xlim(at.min(), at.max())
    ax.legend(frameon=True, loc="lower right")
    title = "Posterior with the record relative to without it" + ("; gray: dropped" if kept else "")
    return style.finish(ax, xlabel=label, ylabel="log ratio of the densities", title=title)


def in_three_steps(yes: int, n: int, *, kept: tuple[float, float], weights: tuple[float, float]) -> DescribedFigure:
    """Draw how truncation and weights bound the log-likelihoods of yes and no.

    Parameters
    ----------
    yes, n : int
        Number of people who say yes, and number of all people; the prior of the rate is flat.
    kept : (float, float)
        Range of the rates that can be released.
    weights : (float, float)
        Weights of each yes and of each no.

    Returns
    -------
    DescribedFigure

    Examples
    --------
    >>> from synthlab.teaching.figures.lecture_13 import in_three_steps
    >>> print(in_three_steps(3, 20, kept=(0.04, 0.45), weights=(0.3, 1.0)).description.partition(". ")[2])
    1: both are unbounded, at rate 0 and at rate 1. 2: rates below 0.04 and above 0.45 are cut, and Delta is 3.22. 3: each yes \
has weight 0.3 and each no 1, and Delta is 0.97. The posterior is gray; its hatched part is cut.
    """
    theta = np.linspace(0.001, 0.999, 999)
    bounds = []
    with style.context():
        empty = style.off_screen((11.0, 4.2))
        figure = empty.figure
        empty.remove()
        axes = figure.subplots(1, len(STEPS), sharey=True)
        for step, ax in enumerate(axes):
            used = weights if step == 2 else (1.0, 1.0)
            lines = {"a yes": -used[0] * np.log(theta), "a no": -used[1] * np.log1p(-theta)}
            _shade(ax, theta, _posterior(theta, yes * used[0], (n - yes) * used[1]))
            for name, values, look in _decorators.each(lines):
                ax.plot(theta, values, label=name, **_decorators.no_marker(look))
            if step:
                inside = (theta >= kept[0]) & (theta <= kept[1])
                bounds.append(max(float(values[inside].max()) for values in lines.values()))
                _cut(ax, kept, bounds[-1])
            style.finish(ax, title=STEPS[step], xlabel="rate theta", xlim=(0, 1), ylim=(0, HIGHEST))
        style.finish(axes[0], ylabel="weight x |log p(answer | theta)|", legend={"loc": "upper center"})
    return style.figure_with_description(
        list(axes),
        "Three panels over the rate theta with two lines, the absolute log-likelihood of a yes, which falls, and of a no, which "
        "rises. 1: both are unbounded, at rate 0 and at rate 1. "
        f"2: rates below {kept[0]:g} and above {kept[1]:g} are cut, and Delta is {bounds[0]:.2f}. "
        f"3: each yes has weight {weights[0]:g} and each no {weights[1]:g}, and Delta is {bounds[1]:.2f}. "
        "The posterior is gray; its hatched part is cut.",
    )


def log_ratios(
    theta: npt.ArrayLike, lines: Mapping[str, npt.ArrayLike], *, kept: tuple[float, float]
) -> DescribedFigure:
    """Draw the log ratio of the posterior densities with and without one record.

    Parameters
    ----------
    theta : array_like of shape (g,)
        Parameter values at which the densities are compared.
    lines : mapping {name: array_like of shape (g,)}
        Log density with the record minus log density without it.
    kept : (float, float)
        Range of the parameters that can be released.

    Returns
    -------
    DescribedFigure

    Examples
    --------
    >>> import numpy as np
    >>> from synthlab.teaching.figures.lecture_13 import log_ratios
    >>> theta = np.linspace(0.1, 0.5, 5)
    >>> print(log_ratios(theta, {"weight 1": np.log(7 * theta)}, kept=(0.1, 0.4)).description)
    Log ratio of the posterior densities with and without the record. weight 1: from -0.4 to 1.3, and from -0.4 to 1.0 \
between 0.1 and 0.4. Gray: outside the truncated parameter space.
    """
    at = np.asarray(theta, dtype=np.float64)
    ax = plot_log_ratio(at, lines, kept=kept, label="released rate theta")
    inside = (at >= kept[0]) & (at <= kept[1])
    texts = []
    for name, line in lines.items():
        values = np.asarray(line, dtype=np.float64)
        within = values[inside]
        texts.append(
            f"{name}: from {values.min():.1f} to {values.max():.1f}, and from {within.min():.1f} to {within.max():.1f} "
            f"between {kept[0]:g} and {kept[1]:g}"
        )
    return style.figure_with_description(
        ax,
        f"Log ratio of the posterior densities with and without the record. {'; '.join(texts)}. "
        "Gray: outside the truncated parameter space.",
    )


def sensitivities(results: Mapping[str, Any], *, data: Source = None) -> DescribedFigure:
    """Draw the weighted sensitivities of the records, one violin per synthesizer.

    Parameters
    ----------
    results : mapping {name: array_like of shape (n,)}
        Weighted sensitivities of the records.
    data : Dataset, DataFrame, Release, "real" or "simulated", optional
        Source of the data label of the figure.

    Returns
    -------
    DescribedFigure

    Examples
    --------
    >>> from synthlab.teaching.figures.lecture_13 import sensitivities
    >>> print(sensitivities({"unweighted": [1.0, 2.0, 12.0], "weighted": [0.9, 1.5, 4.0]}).description)
    One violin per synthesizer: the sensitivities of the records, with a diamond at the largest. unweighted: from 1.00, median \
2.00, largest 12.00. weighted: from 0.90, median 1.50, largest 4.00.
    """
    from synthlab.plots.lipschitz import plot_sensitivities

    ax = plot_sensitivities(results, data=data)
    with style.context():
        ax.set_title("Sensitivities; diamond: the bound", loc="left")
    return style.figure_with_description(
        ax,
        "One violin per synthesizer: the sensitivities of the records, with a diamond at the largest. "
        + " ".join(f"{name}: from {_spread(values)}." for name, values in results.items()),
    )


def statistic(groups: Mapping[str, npt.ArrayLike], *, label: str, title: str, data: Source = None) -> DescribedFigure:
    """Draw the distribution of a resampled statistic, one violin per row.

    Parameters
    ----------
    groups : mapping {name: array_like}
        Values of the statistic, for example quantiles of its barycenter. The first row is the confidential data.
    label : str
        Statistic, with its unit.
    title : str
        Title of the figure.
    data : Dataset, DataFrame, Release, "real" or "simulated", optional
        Source of the data label of the figure.

    Returns
    -------
    DescribedFigure

    Examples
    --------
    >>> from synthlab.teaching.figures.lecture_13 import statistic
    >>> rows = {"data": [1.0, 2.0, 3.0], "unweighted": [2.0, 3.0, 4.0]}
    >>> print(statistic(rows, label="mean of y", title="One statistic").description)
    One violin per row: mean of y; the middle 95 percent of the first row are a gray band. data: median 2.0, 95 percent from 1.1 to \
3.0; unweighted: median 3.0, 95 percent from 2.0 to 4.0.
    """
    from synthlab.plots.lipschitz import plot_statistics

    ax = plot_statistics(groups, label=label, title=title, data=data)
    texts = []
    for name, values in groups.items():
        low, middle, high = np.quantile(np.asarray(values, dtype=np.float64), [0.025, 0.5, 0.975])
        texts.append(f"{name}: median {middle:,.1f}, 95 percent from {low:,.1f} to {high:,.1f}")
    return style.figure_with_description(
        ax, f"One violin per row: {label}; the middle 95 percent of the first row are a gray band. {'; '.join(texts)}."
    )


def _posterior(theta: FloatArray, yes: float, no: float) -> FloatArray:
    log = yes * np.log(theta) + no * np.log1p(-theta)
    return np.asarray(np.exp(log - log.max()))


def _shade(ax: Axes, theta: FloatArray, density: FloatArray) -> None:
    ax.fill_between(theta, 0, 0.35 * HIGHEST * density, color=GRID, linewidth=0, zorder=0)


def _cut(ax: Axes, kept: tuple[float, float], bound: float) -> None:
    """Hatch the truncated ranges and mark Delta."""
    for low, high in ((0.0, kept[0]), (kept[1], 1.0)):
        ax.axvspan(low, high, facecolor="none", edgecolor=GRID, hatch="//", linewidth=0)
    ax.plot(kept, [bound, bound], color=INK, linestyle=style.LINES[2])
    patch = {"facecolor": PAPER, "edgecolor": "none", "pad": 1.5}
    _decorators.note(ax, f"Delta = {bound:.2f}", (kept[1], bound), (6, 0), va="center", bbox=patch)


def _spread(values: npt.ArrayLike) -> str:
    array = np.asarray(values, dtype=np.float64)
    return f"{array.min():.2f}, median {np.median(array):.2f}, largest {array.max():.2f}"
