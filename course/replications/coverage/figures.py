"""Figure of the coverage of intervals against the number of synthetic datasets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from synthlab import _checks
from synthlab._typing import FloatArray
from synthlab.exceptions import InputError
from synthlab.plots import _decorators, style
from synthlab.plots.color import BASELINE

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from replications.coverage.study import CoverageResult

METHOD_WORDS = {
    "confidential": "the survey itself",
    "combine_partial": "rule for partial synthesis",
    "combine_full": "rule for full synthesis",
    "no_between": "between part left out",
    "one_as_real": "one dataset analyzed as real data",
    "stacked_as_real": "stacked datasets analyzed as real data",
}


@_decorators.figure()
def plot_coverage(
    result: CoverageResult,
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
    >>> from replications.coverage.figures import plot_coverage
    >>> from replications.coverage import simulate_coverage
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
