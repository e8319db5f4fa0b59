"""Figures of classifiers: predicted probabilities, the null of pMSE, clusters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from synthlab import _checks
from synthlab.exceptions import InputError
from synthlab.plots import _decorators, style
from synthlab.plots.color import BASELINE, CONFIDENTIAL, SYNTHETIC

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from synthlab.plots.style import Source
    from synthlab.utility import ClusterUtilityResult, PmseResult


@_decorators.figure()
def plot_propensity_scores(
    probability: npt.ArrayLike,
    label: npt.ArrayLike,
    ax: Axes | None = None,
    *,
    bins: int = 40,
    title: str = "",
    data: Source = None,
) -> Axes:
    """Draw the predicted probability of "synthetic" for records of both kinds.

    Parameters
    ----------
    probability : array_like, shape (N,)
        Predicted probability that a record is synthetic.
    label : array_like, shape (N,)
        1 for a synthetic record, 0 for a confidential one.
    bins : int
        Number of intervals between 0 and 1.

    Raises
    ------
    InputError
        If the lengths differ, a probability is outside [0, 1], or a label is not 0 or 1.

    Examples
    --------
    >>> from synthlab.plots.classifier import plot_propensity_scores
    >>> plot_propensity_scores([0.2, 0.4, 0.5, 0.9], [0, 0, 1, 1]).get_xlabel()
    "classifier's probability that a record is synthetic"
    """
    p, kind = _checks.check_array(probability, "probability"), np.asarray(label)
    if p.ndim != 1 or p.shape != kind.shape or not ((p >= 0) & (p <= 1)).all():
        raise InputError("probability: must contain one number in [0, 1] per label")
    if set(np.unique(kind).tolist()) != {0, 1}:
        raise InputError("label: must contain both 0 (confidential) and 1 (synthetic), and nothing else")
    edges = np.linspace(0.0, 1.0, _checks.check_count(bins, "bins", 2) + 1)
    ax = style.axes(ax)
    for value, words, colour, line in (
        (0, "confidential records", CONFIDENTIAL, style.LINES[1]),
        (1, "synthetic records", SYNTHETIC, style.LINES[0]),
    ):
        mine = p[kind == value]
        heights = 100 * np.histogram(mine, bins=edges)[0] / mine.size
        ax.stairs(heights, edges, color=colour, linestyle=line, linewidth=2.4, label=words)
    ax.axvline(float(kind.mean()), color=BASELINE, linestyle=style.LINES[2], linewidth=1.6)
    _decorators.note(ax, "coin toss", (float(kind.mean()), 1.0), (5, -4), units="x", va="top")
    ax.set(xlim=(0.0, 1.0), ylim=(0.0, None))
    return style.finish(
        ax,
        xlabel="classifier's probability that a record is synthetic",
        ylabel="share of the records of each kind (%)",
        title=title,
        legend={"loc": "upper left"},
    )


@_decorators.figure()
def plot_propensity_null(
    values: npt.ArrayLike,
    results: Mapping[str, PmseResult],
    ax: Axes | None = None,
    *,
    title: str = "",
    data: Source = None,
) -> Axes:
    """Draw the pMSE of correct synthesizers, its chi-squared null distribution, and the pMSE of releases.

    Parameters
    ----------
    values : array_like, shape (draws,)
        pMSE of correct synthesizers with fixed parameters.
    results : mapping {name: PmseResult}
        Releases, each drawn at its mean pMSE; a release beyond the axis is named at the edge. The null distribution
        is taken from the first result, which must have the analytic null.

    Raises
    ------
    InputError
        If there is no release, or the null of the first one is not analytic.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> from synthlab.plots.classifier import plot_propensity_null
    >>> from synthlab.utility import pmse
    >>> draw = np.random.default_rng(1)
    >>> frames = [pd.DataFrame({"income": draw.normal(50, 10, 100)}) for _ in range(3)]
    >>> result = pmse(frames[0], frames[1])
    >>> plot_propensity_null([0.001, 0.002, 0.004], {"release": result}).get_ylabel()
    'share of correct synthesizers (%)'
    """
    from scipy import stats

    draws = _checks.check_vector(values, "values")
    if not results or next(iter(results.values())).null != "analytic":
        raise InputError("results: must contain at least one release, and the first must have the analytic null")
    first = next(iter(results.values()))
    df, mean = int(first.null_df[0]), float(first.null_mean[0])
    right = 1.15 * max(float(draws.max()), mean + 4 * float(first.null_sd[0]))
    edges = np.linspace(0.0, right, 31)
    ax = style.axes(ax)
    shares = 100 * np.histogram(draws, bins=edges)[0] / draws.size
    ax.stairs(shares, edges, fill=True, color=BASELINE, alpha=0.25)
    null = 100 * np.diff(stats.chi2.cdf(edges * df / mean, df))
    top = max(float(null.max()), float(shares.max()))
    ax.plot((edges[1:] + edges[:-1]) / 2, null, color=BASELINE, linestyle=style.LINES[1])
    _decorators.note(ax, "chi-squared null", (mean, float(null.max())), (14, 6))
    colours = (SYNTHETIC, CONFIDENTIAL)
    for number, (name, result) in enumerate(results.items()):
        value, colour = float(result.pmse.mean()), colours[number % 2]
        height = (0.72 - 0.13 * number) * top
        words = f"{name}: ratio {value / float(result.null_mean.mean()):.1f}"
        if value < right:
            ax.plot([value] * 2, [0, height], color=colour, linestyle="-", linewidth=2.4)
            _decorators.note(ax, words, (value, height), (4, 0), color=colour)
        else:
            out = style.literal(f"{words}, out here")
            ax.text(right * 0.98, height, out, color=colour, ha="right", va="center")
            ax.plot(right, height, ">", color=colour, clip_on=False)
    ax.ticklabel_format(axis="x", scilimits=(-3, 3), useMathText=True)
    ax.set(xlim=(0.0, right), ylim=(0.0, 1.2 * top))
    return style.finish(ax, xlabel="pMSE", ylabel="share of correct synthesizers (%)", title=title)


@_decorators.figure()
def plot_clusters(
    result: ClusterUtilityResult, ax: Axes | None = None, *, dataset: int = 1, title: str = "", data: Source = None
) -> Axes:
    """Draw the size of each cluster and its percentage of confidential records.

    Parameters
    ----------
    result : ClusterUtilityResult
        Clusters of the records.
    dataset : int
        Number of the synthetic dataset, from 1 to m.

    Raises
    ------
    InputError
        If `dataset` is not between 1 and m.

    Examples
    --------
    >>> import pandas as pd
    >>> from synthlab.plots.classifier import plot_clusters
    >>> from synthlab.utility import cluster_utility
    >>> people = pd.DataFrame({"income": [1.0, 1.1, 1.2, 9.0]})
    >>> result = cluster_utility(people, people * 1.01, clusters=2, rng=1)
    >>> plot_clusters(result).get_xlabel()
    'records in the cluster'
    """
    from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

    dataset = _checks.check_count(dataset, "dataset", 1, result.m)
    size, ours = result.cluster_size[dataset - 1], result.confidential_size[dataset - 1]
    c = result.share_confidential
    grid = np.geomspace(max(size.min() * 0.9, 1.0), size.max() * 1.1, 200)
    spread = 2 * np.sqrt(c * (1 - c) / grid)
    ax = style.axes(ax)
    low, high = np.clip(c - spread, 0, 1), np.clip(c + spread, 0, 1)
    ax.fill_between(grid, 100 * low, 100 * high, color=BASELINE, alpha=0.15, linewidth=0)
    ax.axhline(100 * c, color=BASELINE, linestyle=style.LINES[2], linewidth=1.6)
    ax.plot(size, 100 * ours / size, "o", color=SYNTHETIC, alpha=0.8)
    words = "gray: expected share, plus or minus two standard errors"
    _decorators.note(ax, words, (1.0, 0.0), (-4, 6), units="", ha="right", va="bottom")
    ax.set_xscale("log")
    ax.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    ax.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    ax.xaxis.set_minor_formatter(NullFormatter())
    return style.finish(
        ax, xlabel="records in the cluster", ylabel="confidential records (%)", title=title, ylim=(-3, 103)
    )
