"""Figure of the distinguishability of records under mechanisms at equal epsilon."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from synthlab import _checks
from synthlab.plots import _decorators, style
from synthlab.plots.color import GRID

if TYPE_CHECKING:
    from synthlab.plots.style import DescribedFigure, Source


def right_guesses(
    epsilons: npt.ArrayLike, right: Mapping[str, npt.ArrayLike], *, title: str, data: Source = None
) -> DescribedFigure:
    """Draw how often an intruder who knows all other records guesses one correctly.

    Parameters
    ----------
    epsilons : array_like of shape (k,)
        Values of epsilon, all > 0 and increasing.
    right : mapping {name: array_like of shape (k,)}
        Share of correct guesses for each mechanism, from 0.5 (a random guess) to 1.
    title : str
        Title of the figure.
    data : Dataset, DataFrame, Release, "real" or "simulated", optional
        Source of the data label of the figure.

    Returns
    -------
    DescribedFigure

    Raises
    ------
    InputError
        If `right` is empty.

    Examples
    --------
    >>> from synthlab.teaching.figures.equal_epsilon import right_guesses
    >>> print(right_guesses([1.0, 2.0], {"coins": [0.73, 0.88]}, title="One answer").description)
    Share of right guesses (0.5 to 1) by an intruder who knows all other records, against epsilon. The thick gray line is the \
largest share that epsilon allows. coins: 0.73 at epsilon 1, 0.88 at 2; at most 0.73 and 0.88.
    """
    at = _checks.check_array(epsilons, "epsilons", "numbers > 0")
    most = 1.0 / (1.0 + np.exp(-at))
    with style.context():
        ax = style.off_screen()
        ax.plot(at, most, color=GRID, linewidth=6, label="the most that epsilon allows")
        for name, values, look in _decorators.each(_decorators.filled(right, "right")):
            ax.plot(at, np.asarray(values, dtype=np.float64), label=name, **look)
        ax.set_xscale("log")
        ax.set_xticks(at, [f"{e:g}" for e in at])
        ax.minorticks_off()
        style.finish(
            ax,
            xlabel="epsilon",
            ylabel="right on one record",
            ylim=(0.48, 1.02),
            title=title,
            kind=style.data_kind(data),
            legend={"loc": "upper left"},
        )
    ends = [(name, np.asarray(values, dtype=np.float64)) for name, values in right.items()]
    words = "; ".join(f"{name}: {v[0]:.2f} at epsilon {at[0]:g}, {v[-1]:.2f} at {at[-1]:g}" for name, v in ends)
    return style.figure_with_description(
        ax,
        "Share of right guesses (0.5 to 1) by an intruder who knows all other records, against epsilon. The thick "
        f"gray line is the largest share that epsilon allows. {words}; at most {most[0]:.2f} and {most[-1]:.2f}.",
    )
