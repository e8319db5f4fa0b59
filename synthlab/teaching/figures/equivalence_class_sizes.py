"""Figures of the number of people with the same known values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from synthlab import _checks
from synthlab.exceptions import InputError
from synthlab.plots import _decorators, style
from synthlab.plots.color import CONFIDENTIAL, SYNTHETIC

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from synthlab.plots.style import Source

BINS = (1, 2, 3, 6, 11, 51)


@_decorators.figure()
def plot_crowd(
    counts: Mapping[str, int],
    ax: Axes | None = None,
    *,
    data: Source = None,
    xlabel: str = "people who fit (logarithmic)",
    title: str = "Rows that fit, fact by fact",
) -> Axes:
    """Draw how many people match one person as an intruder learns more variables.

    Parameters
    ----------
    counts : mapping {what is known: number of people >= 1}
        Number of matching people, from nothing known to everything known, drawn from the top.
    xlabel, title : str

    Raises
    ------
    InputError
        If `counts` is empty, or a count is not a whole number >= 1.

    Examples
    --------
    >>> from synthlab.teaching.figures.equivalence_class_sizes import plot_crowd
    >>> ax = plot_crowd({"nothing": 6366, "age": 793, "age and children": 1})
    >>> [text.get_text() for text in ax.texts]
    ['6,366', '793', '1: no other record']
    """
    named = _decorators.filled(counts, "counts")
    values = [_checks.check_count(value, f"counts[{name!r}]") for name, value in named.items()]
    ax, places = _decorators.rows(ax, named, 0.5, margin=1.5)
    ax.plot(
        values, places, color=SYNTHETIC, linestyle="-", linewidth=1.2
    )  # points instead of bars, because the axis is logarithmic
    for place, value in zip(places, values, strict=True):
        alone = value == 1
        colour = CONFIDENTIAL if alone else SYNTHETIC
        ax.plot(value, place, "D" if alone else "o", color=colour, markersize=11)
        words = f"{value:,}: no other record" if alone else f"{value:,}"
        _decorators.note(ax, words, (value, place), (12, -8), va="center", color=colour)
    ax.set(xscale="log", xlim=(0.7, 4 * max(values)))
    _decorators.thousands(ax.xaxis)
    return style.finish(ax, xlabel=xlabel, title=title)


@_decorators.figure()
def plot_group_sizes(
    sizes: Mapping[str, npt.ArrayLike],
    ax: Axes | None = None,
    *,
    bins: Sequence[int] = BINS,
    data: Source = None,
    xlabel: str = "people in the file who share all known values",
    title: str = "Sizes of the groups",
) -> Axes:
    """Draw the number of people in groups of one, of two, and so on.

    Parameters
    ----------
    sizes : mapping {name: array of int, shape (n,)}
        Size of the group of every person; one set of bars per name, at most two.
    bins : sequence of int
        Lower limits of the classes of group size, increasing from 1; the last class is open.
    xlabel, title : str

    Raises
    ------
    InputError
        If there are not one or two names, a group size is below 1, or `bins` does not increase from 1.

    Examples
    --------
    >>> from synthlab.teaching.figures.equivalence_class_sizes import plot_group_sizes
    >>> ax = plot_group_sizes({"all": [1, 2, 2, 4, 4, 4, 4]}, bins=(1, 2, 3))
    >>> [tick.get_text() for tick in ax.get_xticklabels()], [text.get_text() for text in ax.texts]
    (['alone', '2', '3 or more'], ['1', '2', '4'])
    """
    starts = _checks.check_counts(bins, "bins")
    if not starts or starts[0] != 1 or any(a >= b for a, b in pairwise(starts)):
        raise InputError(f"bins={_checks.shown(bins)}: must increase and start at 1")
    _checks.check_mapping(sizes, "sizes", "names and group sizes")
    if not 1 <= len(sizes) <= 2:
        raise InputError(f"sizes: must contain one or two sets of people, got {len(sizes)}")
    width = 0.8 / len(sizes)
    ax = style.axes(ax, (style.FIGSIZE[0] + 1.5 * (len(sizes) - 1), style.FIGSIZE[1]))
    for number, (name, values) in enumerate(sizes.items()):
        people = _checks.check_array(values, f"sizes[{name!r}]")
        if people.size == 0 or people.min() < 1:
            raise InputError(f"sizes[{name!r}]: must contain group sizes >= 1")
        heights = np.bincount(np.searchsorted(starts, people, side="right") - 1, minlength=len(starts))
        places = np.arange(len(starts)) + (number - (len(sizes) - 1) / 2) * width
        look: dict[str, Any] = {"color": SYNTHETIC} if number == 0 else {"color": CONFIDENTIAL, "hatch": "//"}
        bars = ax.bar(places, heights, 0.92 * width, edgecolor="white", label=name, **look)
        ax.bar_label(bars, [f"{h:,}" for h in heights], padding=3, fontsize=12)
    ax.set_xticks(range(len(starts)), _class_names(starts))
    _decorators.thousands(ax.yaxis)
    ax.margins(y=0.12)
    ax.grid(axis="x", visible=False)
    if len(sizes) > 1:
        ax.legend(loc="upper left", frameon=False)
    return style.finish(ax, xlabel=xlabel, ylabel="people", title=title)


def _class_names(starts: Sequence[int]) -> list[str]:
    names = []
    for start, following in zip(starts, [*starts[1:], None], strict=True):
        if following is None:
            names.append(f"{start:,} or more" if start > 1 else "1 or more")
        else:
            names.append(str(start) if following == start + 1 else f"{start} to {following - 1}")
    if len(starts) > 1 and starts[1] == 2:
        names[0] = "alone"
    return names
