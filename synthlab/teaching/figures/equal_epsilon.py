"""Figure of the utility of mechanisms at equal epsilon."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from synthlab.exceptions import InputError
from synthlab.plots import _decorators, style
from synthlab.plots.color import GRID, INK, SERIES

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from synthlab.plots.style import Source

LOWEST = 1e-3  # smaller values are drawn here


@_decorators.figure()
def plot_equal_epsilon(
    utility: pd.DataFrame,
    guarantees: pd.DataFrame,
    ax: Axes | None = None,
    *,
    label: str = "distance",
    title: str = "",
    data: Source = None,
) -> Axes:
    """Draw the error of each mechanism at every epsilon, with intervals.

    Each mechanism has one row; the axis is logarithmic.

    Parameters
    ----------
    utility : pandas.DataFrame
        Table with one row per ``mechanism`` and ``epsilon`` (infinite if there is none), and ``mean``, ``low``, ``high``.
    guarantees : pandas.DataFrame
        Table with one row per ``mechanism``, from the top, and its ``guarantee``.
    label : str
        Measure on the axis.
    title : str
        Title, for example the name of the file.

    Examples
    --------
    >>> import pandas as pd
    >>> from synthlab.teaching.figures.equal_epsilon import plot_equal_epsilon
    >>> rows = {"mechanism": ["noise"] * 2, "epsilon": [1.0, 2.0], "mean": [0.1, 0.05], "low": [0.09, 0.04], "high": [0.11, 0.06]}
    >>> ax = plot_equal_epsilon(pd.DataFrame(rows), pd.DataFrame({"mechanism": ["noise"], "guarantee": ["strict"]}))
    >>> ax.get_xscale(), [text.get_text() for text in ax.get_yticklabels()]
    ('log', ['noise (strict)'])
    """
    frame = utility.dropna(subset=["mean"])
    kinds = dict(zip(guarantees["mechanism"], guarantees["guarantee"], strict=True))
    names = [name for name in kinds if name in set(frame["mechanism"])]
    if not names or not set(frame["mechanism"]) <= set(names):
        raise InputError("utility: must have at least one row, and only mechanisms of `guarantees`")
    ax, places = _decorators.rows(ax, [f"{name} ({kinds[name]})" for name in names], 0.42, width=11.0)
    epsilons = sorted(frame["epsilon"].unique())
    finite = [e for e in epsilons if np.isfinite(e)]
    looks = {e: (SERIES[i % len(SERIES)], style.MARKERS[i % len(style.MARKERS)]) for i, e in enumerate(finite)}
    for epsilon in epsilons:
        rows = frame[frame["epsilon"] == epsilon].set_index("mechanism")
        here = [place for place, name in zip(places, names, strict=True) if name in rows.index]
        rows = rows.loc[[name for name in names if name in rows.index]]
        colour, marker = looks.get(epsilon, (INK, "X"))
        middle, low, high = (np.maximum(rows[c].fillna(rows["mean"]), LOWEST) for c in ("mean", "low", "high"))
        ax.hlines(here, low, high, color=colour, linewidth=2.0)
        text = f"epsilon {epsilon:g}" if epsilon in looks else "no epsilon"
        ax.plot(middle, here, marker, color=colour, label=text, linestyle="")
    ax.set_xscale("log")
    ax.set_xlim(0.8 * LOWEST, None)
    ax.xaxis.set_major_formatter("{x:g}")
    for place in places[:-1]:
        ax.axhline(place - 0.5, color=GRID, linewidth=0.6, zorder=0)
    return style.finish(
        ax,
        xlabel=f"{label}\n(at most {LOWEST:g}: drawn there)",
        title=title,
        legend={"loc": "center left", "bbox_to_anchor": (1.0, 0.5)},
    )
