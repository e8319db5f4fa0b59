"""Figures of repeated sampling: coverage of intervals, bootstrap resamples."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

import numpy as np
import numpy.typing as npt
import pandas as pd

from synthlab import _checks
from synthlab._typing import FloatArray
from synthlab.exceptions import InputError
from synthlab.plots import _decorators, style
from synthlab.plots.color import BASELINE, CONFIDENTIAL, SYNTHETIC

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from synthlab.plots.style import Source
    from synthlab.utility import BootstrapResult


class Simulated(Protocol):
    """Coverage of simulated intervals, such as a `CoverageResult`."""

    @property
    def table(self) -> pd.DataFrame:
        """Return one row per design, method, estimand and number of datasets."""
        ...

    @property
    def level(self) -> float:
        """Nominal level of the intervals."""
        ...

    @property
    def claimed(self) -> tuple[float, float]:
        """Interval in which the observed coverage lies if the nominal level holds."""
        ...

    def coverage(self, design: str, method: str, estimand: str) -> pd.Series:
        """Return the coverage by number of datasets."""
        ...


METHOD_WORDS = {
    "confidential": "the survey itself",
    "combine_partial": "rule for partial synthesis",
    "combine_full": "rule for full synthesis",
    "no_between": "between part left out",
    "one_as_real": "one dataset analyzed as real data",
    "stacked_as_real": "stacked datasets analyzed as real data",
}


@_decorators.figure()
def plot_repeated_intervals(
    intervals: npt.ArrayLike, truth: float, ax: Axes | None = None, *, title: str = "", xlabel: str = "estimate"
) -> Axes:
    """Draw the intervals of many repetitions and the true value.

    Intervals that do not contain the true value are thick and have a marker.

    Parameters
    ----------
    intervals : array_like, shape (repetitions, 2)
        Lower and upper ends of the intervals.
    truth : float
        True value.
    title : str
        Title, followed by the number of intervals that contain the true value.
    xlabel : str
        Estimated quantity, with its unit.

    Raises
    ------
    InputError
        If `intervals` does not have shape (repetitions, 2).

    Examples
    --------
    >>> from synthlab.plots.sampling import plot_repeated_intervals
    >>> plot_repeated_intervals([[0, 2], [1.5, 3], [0.5, 4]], truth=1.0).get_title(loc="left")
    '2 of 3 contain the truth'
    """
    ends = _checks.check_array(intervals, "intervals")
    if ends.ndim != 2 or ends.shape[1] != 2 or len(ends) == 0:
        raise InputError(f"intervals: must have shape (repetitions, 2), got {ends.shape}")
    truth = _checks.check_number(truth, "truth")
    ax = style.axes(ax, (5.0, 6.0))
    hold = (ends[:, 0] <= truth) & (truth <= ends[:, 1])
    for place, (row, held) in enumerate(zip(ends, hold, strict=True)):
        colour, width = (SYNTHETIC, 1.2) if held else (CONFIDENTIAL, 3.0)
        ax.plot(row, [place, place], linestyle="-", color=colour, linewidth=width)
    missed = np.flatnonzero(~hold)
    ax.plot(ends[missed].mean(axis=1), missed, "X", color=CONFIDENTIAL, markersize=8)
    ax.axvline(truth, color=BASELINE, linestyle=style.LINES[1], linewidth=1.8)
    ax.set_yticks([])
    ax.grid(axis="y", visible=False)
    title = f"{title}\n{hold.sum()} of {len(hold)} contain the truth".lstrip("\n")
    return style.finish(ax, xlabel=xlabel, ylabel="one line per repetition", title=title)


@_decorators.figure()
def plot_coverage(
    result: Simulated,
    ax: Axes | None = None,
    *,
    design: str = "partial",
    estimand: str = "slope of y on x",
    methods: Sequence[str] = ("combine_partial", "no_between", "one_as_real", "stacked_as_real"),
    title: str | None = None,
) -> Axes:
    """Draw the coverage of intervals against the number of synthetic datasets.

    Parameters
    ----------
    result : CoverageResult
        Result of the simulation.
    design, estimand : str
        Design and estimand of the simulation.
    methods : sequence of str
        Methods to draw, each as a line with its name at the end.
    title : str, optional
        Title; by default the name of the design.

    Raises
    ------
    InputError
        If the design or estimand was not simulated, or `methods` is empty.

    Examples
    --------
    >>> from synthlab.plots.sampling import plot_coverage
    >>> from synthlab.replication.coverage import simulate_coverage
    >>> result = simulate_coverage(repetitions=20, sizes=[2, 5], rng=1)
    >>> plot_coverage(result, design="partial").get_ylabel()
    'intervals that contain the truth (%)'
    """
    names = _checks.check_list(methods, "methods", "a list of names of methods")
    odd = [name for name in names if not (result.table["method"] == _checks.check_text(name, "methods")).any()]
    if odd:
        raise InputError(f"methods: {_checks.named(odd)} not simulated")
    lines = {method: 100 * result.coverage(design, method, estimand) for method in names}
    if not lines:
        raise InputError("methods=[]: name at least one method")
    sizes = sorted({int(m) for line in lines.values() for m in line.index} - {0})
    ax = style.axes(ax)
    low, high = (100 * end for end in result.claimed)
    ax.axhspan(low, high, color=BASELINE, alpha=0.15, linewidth=0)
    ax.axhline(100 * result.level, color=BASELINE, linestyle=style.LINES[2], linewidth=1.4)
    last = len(sizes) - 1
    heights = _apart([float(line.iloc[-1]) for line in lines.values()], 6.5)
    for (method, line, look), height in zip(_decorators.each(lines), heights, strict=True):
        places = [sizes.index(int(m)) for m in line.index]
        if len(places) == 1:
            ax.axhline(line.iloc[0], linewidth=1.4, **_decorators.no_marker(look))
        ax.plot(places, line, **look)
        ax.text(last + 0.25, height, METHOD_WORDS.get(method, method), color=look["color"], va="center")
    ax.set_xticks(range(len(sizes)), [str(m) for m in sizes])
    ax.set(xlim=(-0.3, last + 0.15), ylim=(min(0.0, *(float(line.min()) for line in lines.values())) - 2, 102))
    return style.finish(
        ax,
        xlabel="number m of synthetic datasets",
        ylabel="intervals that contain the truth (%)",
        title=f"Coverage, {design}" if title is None else title,
    )


@_decorators.figure()
def plot_bootstrap(
    result: BootstrapResult, ax: Axes | None = None, *, xlabel: str | None = None, data: Source = None
) -> Axes:
    """Draw the bootstrap distributions of a statistic: confidential and synthetic.

    Parameters
    ----------
    result : BootstrapResult
        Resamples of the confidential data, and of the synthetic datasets, which are pooled.
    xlabel : str, optional
        Statistic with its unit; by default its name.

    Examples
    --------
    >>> import pandas as pd
    >>> from synthlab.plots.sampling import plot_bootstrap
    >>> from synthlab.utility import bootstrap_statistic
    >>> people = pd.DataFrame({"income": [1.0, 2.0, 3.0, 4.0, 5.0]})
    >>> plot_bootstrap(bootstrap_statistic(people, people + 1, variable="income", rng=1)).get_xlabel()
    'mean of income'
    """
    pools = (
        ("confidential", result.confidential_draws, result.confidential_interval, CONFIDENTIAL, style.LINES[1]),
        (f"synthetic, m = {result.m} pooled", result.draws.ravel(), result.interval, SYNTHETIC, style.LINES[0]),
    )
    both = np.concatenate([pool[1] for pool in pools])
    edges = np.histogram_bin_edges(both, bins=60)
    ax = style.axes(ax)
    for words, draws, _, colour, line in pools:
        heights = np.histogram(draws, bins=edges)[0] / draws.size
        ax.stairs(100 * heights, edges, color=colour, linestyle=line, linewidth=2.2, label=words)
    ax.legend(frameon=False)
    top = ax.get_ylim()[1]
    for number, (_, _, ends, colour, _) in enumerate(pools, start=1):
        height = -0.07 * number * top
        ax.plot(ends, [height] * 2, "|-", color=colour, linewidth=3.0, markersize=10, markeredgewidth=2.5)
    ax.axhline(0.0, color=BASELINE, linewidth=0.8, linestyle="-")
    ax.set_yticks([tick for tick in ax.get_yticks() if 0 <= tick <= top])
    name = f"{result.statistic} of {result.variable}" if xlabel is None else xlabel
    words = f"share of the resamples (%)\nbelow 0: {100 * result.level:g}% intervals"
    return style.finish(ax, xlabel=name, ylabel=words, ylim=(-0.21 * top, top))


def _apart(values: Sequence[float], gap: float) -> FloatArray:
    """Return label heights near the values, at least `gap` apart."""
    order = np.argsort(values, kind="stable")
    heights = np.asarray(values, dtype=np.float64)[order]
    for _ in range(200):
        short = gap - np.diff(heights)
        if (short <= 1e-9).all():
            break
        for i in np.flatnonzero(short > 1e-9):
            push = (gap - (heights[i + 1] - heights[i])) / 2
            if push > 0:
                heights[i] -= push
                heights[i + 1] += push
    result = np.empty(len(heights))
    result[order] = heights
    return result
