"""Scatter plots of two variables in confidential data and releases."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._typing import FloatArray
from synthlab.exceptions import InputError
from synthlab.plots import _decorators, style
from synthlab.plots.color import CONFIDENTIAL, INK, SYNTHETIC

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from synthlab.plots.style import Source

MOST = 4


@_decorators.figure()
def plot_relation(
    frames: Mapping[str, pd.DataFrame],
    x: str,
    y: str,
    *,
    log: bool = False,
    mark: int | None = None,
    xlabel: str | None = None,
    ylabel: str | None = None,
    title: str = "",
    data: Source = None,
) -> list[Axes]:
    """Draw one variable against another, one panel per dataset, on equal scales.

    The figure shows the confidential records, so it must not be published.

    Parameters
    ----------
    frames : mapping {name: DataFrame}
        Two to four datasets; the first, usually the confidential data, has its own color and marker.
    x, y : str
        Numeric variables of all datasets; missing values are omitted.
    log : bool, default False
        Whether both scales are logarithmic. Values <= 0 are omitted; the panel gives their number.
    mark : int, optional
        Position of a record to mark by a cross in every panel.
    xlabel, ylabel : str, optional
        Variables with their units; by default their names.
    title : str
        Title above all panels.

    Returns
    -------
    list of matplotlib.axes.Axes
        One panel per dataset.

    Raises
    ------
    InputError
        If there are fewer than two datasets or more than four, a variable is missing or not numeric, or
        `mark` is not a position in every dataset.

    Examples
    --------
    >>> import pandas as pd
    >>> from synthlab.teaching.figures.scatter import plot_relation
    >>> people = pd.DataFrame({"age": [20, 40, 60], "income": [9.0, 30.0, 25.0]})
    >>> panels = plot_relation({"confidential": people, "synthetic": people}, "age", "income", mark=1)
    >>> [panel.get_title(loc="left") for panel in panels]
    ['confidential', 'synthetic']
    """
    if not 2 <= len(frames) <= MOST:
        raise InputError(f"frames: must contain 2 to {MOST} datasets, got {len(frames)}")
    points = {name: _points(frame, x, y, name) for name, frame in frames.items()}
    if mark is not None:
        mark = _checks.check_count(mark, "mark", minimum=0)
        fewest = min(len(one) for one in points.values())
        if mark >= fewest:
            raise InputError(f"mark: must be a position below {fewest}, got {mark}")
    import matplotlib.pyplot as plt

    rows = 1 if len(points) < MOST else 2
    columns = -(-len(points) // rows)
    shape = (style.FIGSIZE[0] * 1.1, 0.6 + 3.4 * rows)
    figure, grid = plt.subplots(rows, columns, figsize=shape, sharex=True, sharey=True, squeeze=False)
    panels = list(grid.flat)
    for number, (panel, (name, values)) in enumerate(zip(panels, points.items(), strict=True)):
        colour, marker = (CONFIDENTIAL, "o") if number == 0 else (SYNTHETIC, "^")
        shown = values[(values > 0).all(axis=1)] if log else values[np.isfinite(values).all(axis=1)]
        panel.plot(shown[:, 0], shown[:, 1], marker, color=colour, markersize=3, alpha=0.35, markeredgewidth=0)
        if mark is not None:
            panel.plot(*values[mark], "X", color=INK, markersize=13, markeredgecolor="white", markeredgewidth=1.5)
        panel.set_title(style.literal(name), loc="left", fontsize=13)
        if left_out := int((values <= 0).any(axis=1).sum()) if log else 0:
            panel.annotate(f"{left_out:,} at 0 or below", (0.03, 0.03), xycoords="axes fraction", fontsize=12)
    if log:
        panels[0].set(xscale="log", yscale="log")
    if title:
        figure.suptitle(style.literal(title), x=0.01, ha="left", fontsize=15)
    for panel in panels:
        _decorators.thousands(panel.yaxis)
        _decorators.thousands(panel.xaxis)
    for panel in grid[-1]:
        style.finish(panel, xlabel=x if xlabel is None else xlabel)
    for row in grid:
        style.finish(row[0], ylabel=y if ylabel is None else ylabel)
    return panels


def _points(frame: pd.DataFrame, x: str, y: str, name: str) -> FloatArray:
    for column in (_checks.check_name(x, "x"), _checks.check_name(y, "y")):
        if column not in frame.columns:
            raise InputError(f"frames[{name!r}]: has no column {column!r}")
        if not pd.api.types.is_numeric_dtype(frame[column]):
            raise InputError(f"frames[{name!r}]: column {column!r} is not numeric")
    return frame[[x, y]].to_numpy(dtype=float)
