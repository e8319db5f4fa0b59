"""Figures of lecture 16b: sizes of households, and the assignment of the members of two households."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import maximum_bipartite_matching

from synthlab._typing import BoolArray, IntArray
from synthlab.plots import _decorators, style
from synthlab.plots.color import BASELINE, CONFIDENTIAL, INK, PAPER, SYNTHETIC
from synthlab.plots.style import DescribedFigure, figure_with_description

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLORS = (CONFIDENTIAL, BASELINE, SYNTHETIC)


def show_sizes(files: Mapping[str, pd.Series], *, title: str) -> DescribedFigure:
    """Show how many households of each size up to three files contain.

    Parameters
    ----------
    files : mapping {str: pandas.Series}
        Name of each file, and the household number of each of its records.
    title : str
        Title of the figure.

    Returns
    -------
    DescribedFigure

    Examples
    --------
    >>> import pandas as pd
    >>> from synthlab.teaching.figures.lecture_16b import show_sizes
    >>> print(show_sizes({"file": pd.Series([1, 1, 2]), "release": pd.Series([1, 2, 3])}, title="Two files"))
    Figure: Households by number of members. file: 2 households with 1.50 members on average; 1 with 1, 1 with 2. release: 3 households with 1.00 members on average; 3 with 1.
    """
    sizes = {name: numbers.value_counts().value_counts().sort_index() for name, numbers in files.items()}
    description = "Households by number of members."
    for name, numbers in files.items():
        counts = sizes[name]
        each = ", ".join(f"{number:,} with {size}" for size, number in counts.items())
        mean = len(numbers) / counts.sum()
        description += f" {name}: {counts.sum():,} households with {mean:.2f} members on average; {each}."
    return figure_with_description(_plot_sizes(sizes, title=title), description)


@_decorators.figure()
def _plot_sizes(sizes: Mapping[str, pd.Series], *, title: str) -> Axes:
    ax = style.axes(None, (9.0, 4.4))
    most = max(int(counts.index.max()) for counts in sizes.values())
    width = 0.8 / len(sizes)
    for place, (name, counts) in enumerate(sizes.items()):
        left = np.arange(1, most + 1) + (place - (len(sizes) - 1) / 2) * width
        heights = counts.reindex(range(1, most + 1), fill_value=0)
        ax.bar(left, heights, 0.9 * width, color=COLORS[place], label=style.literal(name))
    ax.set_xticks(np.arange(1, most + 1))
    return style.finish(ax, xlabel="members", ylabel="households", title=title, legend={"loc": "upper right"})


def show_assignment(ours: Sequence[str], theirs: Sequence[str], fits: npt.ArrayLike, *, title: str) -> DescribedFigure:
    """Show which members of two households can be the same person, and the largest one-to-one assignment.

    Parameters
    ----------
    ours, theirs : sequence of str
        Descriptions of the members of the known household and of the released household.
    fits : array of bool, shape (len(ours), len(theirs))
        Whether a member of `ours` can be a member of `theirs`.
    title : str
        Title of the figure.

    Returns
    -------
    DescribedFigure

    Examples
    --------
    >>> from synthlab.teaching.figures.lecture_16b import show_assignment
    >>> print(show_assignment(["Ann, 40", "Eva, 42"], ["41", "39"], [[True, True], [True, False]], title="Two sisters"))
    Figure: Lines connect members who can be the same person: Ann, 40 with 41 and 39; Eva, 42 with 41. Thick lines assign Ann, 40 to 39 and Eva, 42 to 41: the households match.
    """
    matrix = np.asarray(fits, dtype=bool)
    partner = maximum_bipartite_matching(csr_matrix(matrix), perm_type="column")
    lines = "; ".join(
        f"{name} with {' and '.join(theirs[j] for j in map(int, np.flatnonzero(row))) or 'no one'}"
        for name, row in zip(ours, matrix, strict=True)
    )
    pairs = " and ".join(f"{ours[i]} to {theirs[j]}" for i, j in enumerate(partner) if j >= 0)
    complete = len(ours) == len(theirs) and bool((partner >= 0).all())
    end = "the households match" if complete else "not every member has a partner, so the households do not match"
    description = (
        f"Lines connect members who can be the same person: {lines}. Thick lines assign {pairs or 'no one'}: {end}."
    )
    return figure_with_description(_plot_assignment(ours, theirs, matrix, partner, title=title), description)


@_decorators.figure()
def _plot_assignment(
    ours: Sequence[str], theirs: Sequence[str], fits: BoolArray, partner: IntArray, *, title: str
) -> Axes:
    ax = style.axes(None, (8.0, 1.2 + 0.9 * max(len(ours), len(theirs))))
    for i, j in zip(*np.nonzero(fits), strict=True):
        thick = partner[i] == j
        ax.plot([0, 1], [-i, -j], color=SYNTHETIC if thick else BASELINE, lw=4 if thick else 1.2, ls="-", zorder=1)
    for x, names, color, align, shift in (
        (0, ours, CONFIDENTIAL, "right", -0.05),
        (1, theirs, SYNTHETIC, "left", 0.05),
    ):
        for place, name in enumerate(names):
            ax.plot(x, -place, "o", color=color, mec=PAPER, markersize=14)
            ax.text(x + shift, -place, style.literal(name), ha=align, va="center", color=INK)
    ax.text(0, 0.55, "known household", ha="center", color=CONFIDENTIAL)
    ax.text(1, 0.55, "released household", ha="center", color=SYNTHETIC)
    ax.set_axis_off()
    return style.finish(ax, title=title, xlim=(-0.8, 1.8), ylim=(0.4 - max(len(ours), len(theirs)), 0.9))
