"""Figure of lecture 5b: level shares and sizes of latent classes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from synthlab.plots import _decorators, style
from synthlab.plots.color import INK, PAPER, SYNTHETIC

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from synthlab.plots.style import Source


@_decorators.figure()
def plot_classes(
    pi: npt.ArrayLike,
    psi: npt.ArrayLike,
    levels: Mapping[str, Sequence[object]],
    ax: Axes | None = None,
    *,
    title: str = "",
    data: Source = None,
) -> Axes:
    r"""Draw the level shares of latent classes, one column per class, largest first.

    Parameters
    ----------
    pi : array_like of shape (K,)
        Shares of at most eight classes.
    psi : array_like of shape (L, K)
        Shares of all levels of all variables, for each class.
    levels : mapping {variable: levels}
        The L levels in the order of the rows of `psi`.

    Examples
    --------
    >>> from synthlab.teaching.figures.lecture_05b import plot_classes
    >>> ax = plot_classes([0.3, 0.7], [[0.9, 0.2], [0.1, 0.8]], {"smokes": ["yes", "no"]})
    >>> [label.get_text() for label in ax.get_xticklabels()]
    ['class 1\n70%', 'class 2\n30%']
    """
    shares, within = np.asarray(pi, float), np.asarray(psi, float)
    names = [f"{name}: {level}" for name, each in levels.items() for level in each]
    order = np.argsort(-shares)
    shares, within = shares[order], within[:, order]
    ax = style.axes(ax, (9.0, 1.4 + 0.32 * len(names)))
    from matplotlib.colors import LinearSegmentedColormap

    colors = LinearSegmentedColormap.from_list("share", [PAPER, SYNTHETIC])
    ax.imshow(within, cmap=colors, vmin=0.0, vmax=1.0, aspect="auto")
    for (row, column), value in np.ndenumerate(within):
        color = PAPER if value > 0.7 else INK
        ax.text(column, row, f"{100 * value:.0f}", ha="center", va="center", color=color, fontsize=11)
    ends = np.cumsum([len(each) for each in levels.values()])[:-1]
    for end in ends:
        ax.axhline(end - 0.5, color=INK, linewidth=1.0, linestyle="-")
    ax.set_xticks(range(shares.size), [f"class {k}\n{100 * share:.0f}%" for k, share in enumerate(shares, start=1)])
    ax.set_yticks(range(len(names)), [style.literal(name) for name in names], fontsize=11)
    ax.grid(visible=False)
    return style.finish(ax, title=title)
