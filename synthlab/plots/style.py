"""How every figure looks: one context, direct labels beside colour, and what the data are.

Nothing global is changed: a plotting function draws inside `context`, on its own axes or on the
caller's. Each figure says whether the records are about people (real data) or made by a program.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeAlias

import pandas as pd

from synthlab import _checks
from synthlab.exceptions import InputError
from synthlab.plots.colour import GRID, INK, PAPER, SERIES
from synthlab.plots.described import (
    DescribedFigure as DescribedFigure,
    figure_with_description as figure_with_description,
    png as png,
    svg as svg,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from synthlab._result import Result
    from synthlab.datasets import Dataset
    from synthlab.release import Release

# What says whether the data are real or simulated.
Source: TypeAlias = "Dataset | pd.DataFrame | Release | Result | str | None"
# Beside its colour every series has a line and a marker of its own.
LINES: tuple[Any, ...] = ("-", (0, (5, 2)), (0, (1, 1.5)), (0, (6, 2, 1, 2)), (0, (3, 1, 1, 1, 1, 1)))
MARKERS = ("o", "s", "^", "D", "v")
FIGSIZE = (8.0, 4.5)
# Place of a legend over the panel, where it hides nothing.
ABOVE: dict[str, Any] = {"loc": "lower left", "bbox_to_anchor": (0.0, 1.0), "ncols": 2, "borderaxespad": 0.2}
WORDS = {"real": "real data", "simulated": "simulated data"}

# Read from the last row when the figure is as wide as the screen: nothing under 12 points on 8 inches.
_RC: dict[str, Any] = {
    "font.size": 13.0,
    "axes.titlesize": 15.0,
    "axes.labelsize": 14.0,
    "xtick.labelsize": 13.0,
    "ytick.labelsize": 13.0,
    "legend.fontsize": 13.0,
    "font.family": "sans-serif",
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": GRID,
    "grid.linewidth": 0.8,
    "lines.linewidth": 2.2,
    "lines.markersize": 8.0,
    "figure.facecolor": PAPER,
    "axes.facecolor": PAPER,
    "figure.constrained_layout.use": True,
    "svg.hashsalt": "synthlab",
}


@contextmanager
def context() -> Iterator[None]:
    """Draw with the style of the project inside the block; matplotlib is as it was afterwards.

    Examples
    --------
    >>> import matplotlib
    >>> from synthlab.plots import style
    >>> before = matplotlib.rcParams["font.size"]
    >>> with style.context():
    ...     inside = matplotlib.rcParams["font.size"]
    >>> inside, matplotlib.rcParams["font.size"] == before
    (13.0, True)
    """
    import matplotlib
    from cycler import cycler

    settings: Any = {**_RC, "axes.prop_cycle": cycler(color=SERIES) + cycler(linestyle=LINES)}
    with matplotlib.rc_context(settings):
        yield


def axes(ax: Axes | None, figsize: tuple[float, float] = FIGSIZE) -> Axes:
    """Return the caller's axes, or new ones; call it inside `context`."""
    from matplotlib.axes import Axes

    if isinstance(ax, Axes):
        return ax
    if ax is not None:
        raise InputError(f"ax: must be matplotlib Axes, as plt.subplots() gives, or None, got {_checks.described(ax)}")
    import matplotlib.pyplot as plt

    return plt.subplots(figsize=figsize)[1]


def off_screen(figsize: tuple[float, float] = FIGSIZE) -> Axes:
    """Return axes of a figure that no window and no notebook knows of; call it inside `context`."""
    from matplotlib.figure import Figure

    return Figure(figsize=figsize).add_subplot()


def series(number: int) -> dict[str, Any]:
    """Return colour, line and marker of series 0, 1, 2, ...; lines change when the colours start again."""
    _checks.check_count(number, "number", minimum=0)
    turn, place = divmod(number, len(SERIES))
    shifted = (place + turn) % len(LINES)
    return {"color": SERIES[place], "linestyle": LINES[shifted], "marker": MARKERS[shifted]}


def finish(
    ax: Axes,
    *,
    kind: str | None = None,
    xlabel: str = "",
    ylabel: str = "",
    title: str = "",
    legend: Mapping[str, Any] | None = None,
    **settings: Any,
) -> Axes:
    """Set limits and scales, label the axes, and write in the margin whether the data are real or simulated.

    A legend, by default without a frame, is drawn where its place is given; other settings are those of ``Axes.set``.
    """
    ax.set(**settings)
    if legend is not None:
        ax.legend(**{"frameon": False, **legend})
    for text, target in ((xlabel, ax.xaxis.label), (ylabel, ax.yaxis.label)):
        if text:
            target.set_text(literal(text))
    if title:
        ax.set_title(literal(title))
    if kind is not None:
        words = WORDS[_checks.check_choice(kind, "kind", tuple(WORDS))]
        look: dict[str, Any] = {"ha": "right", "va": "bottom", "fontsize": 12}
        ax.annotate(words, (1.0, 1.0), (0, 5), xycoords="axes fraction", textcoords="offset points", **look)
    return ax


def literal(text: object) -> str:
    """Return text that matplotlib prints as it is: a dollar sign in a name starts no formula."""
    return str(text).replace("$", r"\$")


def data_kind(*sources: Any) -> str | None:
    """Say whether the data are "real" or "simulated", from what they carry; None when nothing says so.

    Parameters
    ----------
    *sources : Dataset, DataFrame, Release, result, a mapping or list of these, the words themselves, or None
        The first that knows decides: a `kind` or `data_kind`, ``attrs["synthlab"]["kind"]`` of a frame, or the
        provenance of a release (its ``kind``, or that of its ``dataset``) and its frames.

    Returns
    -------
    {"real", "simulated"} or None

    Raises
    ------
    InputError
        If a word is given that is neither.

    Examples
    --------
    >>> from synthlab import datasets
    >>> from synthlab.plots.style import data_kind
    >>> data_kind(None, datasets.load("affairs").frame)
    'real'
    """
    for source in sources:
        found = _kind_of_source(source)
        if found is not None:
            return found
    return None


def _kind_of_source(source: Any) -> str | None:
    if source is None:
        return None
    if isinstance(source, str):
        return str(_checks.check_choice(source, "data", tuple(WORDS)))
    if isinstance(source, Mapping | list | tuple):
        return data_kind(*(source.values() if isinstance(source, Mapping) else source))
    provenance = getattr(source, "provenance", None) or {}
    made_from = provenance.get("dataset")
    said = [getattr(source, "kind", None), getattr(source, "data_kind", None), provenance.get("kind")]
    said.append(made_from.get("kind") if isinstance(made_from, Mapping) else None)
    said += [_checks.data_kind(frame) for frame in (source, *list(getattr(source, "frames", ()))[:1])]
    return next((word for word in said if isinstance(word, str) and word in WORDS), None)
