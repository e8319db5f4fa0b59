"""Figures of the agreement of two programs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab.exceptions import InputError
from synthlab.plots import _decorators, style
from synthlab.plots.color import BASELINE, CONFIDENTIAL, SYNTHETIC

if TYPE_CHECKING:
    from matplotlib.axes import Axes

EPSILON = float(np.finfo(np.float64).eps)
LOOKS = {
    "agrees": (SYNTHETIC, "o", "agrees"),
    "differs as stated": (BASELINE, "D", "differs by a convention, by what is stated"),
    "FAILS": (CONFIDENTIAL, "X", "fails"),
}


@_decorators.figure()
def plot_digits(checks: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Draw the number of agreeing digits, one mark per check and one row per group.

    Parameters
    ----------
    checks : pandas.DataFrame
        Table with columns ``group``, ``digits`` and ``verdict``, as returned by `CrosscheckResult.to_frame`.

    Raises
    ------
    InputError
        If the table is empty, or a column is missing.

    Examples
    --------
    >>> import pandas as pd
    >>> from synthlab.teaching.figures.crosscheck import plot_digits
    >>> checks = pd.DataFrame({"group": ["counts"], "digits": [12.5], "verdict": ["agrees"]})
    >>> [label.get_text() for label in plot_digits(checks).get_yticklabels()]
    ['counts']
    """
    _checks.check_frame(checks, "checks")
    _checks.check_columns(checks, ["group", "digits", "verdict"], "checks", where="checks")
    groups = list(dict.fromkeys(checks["group"]))
    ax = style.axes(ax, (9.0, 0.62 * len(groups) + 1.9))
    for verdict, (colour, marker, label) in LOOKS.items():
        rows = checks[checks["verdict"] == verdict]
        if rows.empty:
            continue
        place = np.array([groups.index(group) for group in rows["group"]], dtype=float)
        place += 0.28 * np.sin(
            2.4 * rows.groupby("group").cumcount().to_numpy()
        )  # vertical offsets, so that marks do not overlap
        ax.plot(rows["digits"], place, marker, color=colour, alpha=0.75, markersize=6, label=label)
    ax.set_yticks(range(len(groups)), groups)
    ax.set_xticks(range(0, 17, 2), [*map(str, range(0, 16, 2)), "all"])
    ax.set(ylim=(len(groups) - 0.5, -0.5), xlim=(-0.5, 16.6))
    ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3, frameon=False)
    return style.finish(ax, xlabel="digits that agree (worst number of each check)")


@_decorators.figure()
def plot_relative_error(
    size: object, error: object, *, xlabel: str, expected: str = "", ax: Axes | None = None
) -> Axes:
    """Draw relative errors against the size of the numbers that a program subtracts.

    Parameters
    ----------
    size : array_like of float, > 0
        Size of the intermediate numbers.
    error : array_like of float
        Relative errors |Python / R - 1|; zeros are drawn at the lower edge.
    xlabel : str
        Label of `size`.
    expected : str
        Label of the line 2.2e-16 x max(size, 1), the rounding error of numbers of this size; no line if empty.

    Raises
    ------
    InputError
        If the numbers of sizes and errors differ, or no error is positive.

    Examples
    --------
    >>> from synthlab.teaching.figures.crosscheck import plot_relative_error
    >>> ax = plot_relative_error([1, 1e6], [1e-16, 1e-10], xlabel="shape", expected="rounding")
    >>> ax.get_xscale(), ax.get_yscale()
    ('log', 'log')
    """
    x, y = (_checks.check_array(a, name).reshape(-1) for name, a in (("size", size), ("error", error)))
    if x.shape != y.shape or not (x > 0).any():
        raise InputError(f"size, error: {x.size} sizes and {y.size} errors; give equally many, with sizes above 0")
    keep = (x > 0) & np.isfinite(y)
    x, y = x[keep], np.maximum(y[keep], EPSILON / 4)
    ax = style.axes(ax, (9.0, 4.8))
    ax.plot(x, y, "o", color=SYNTHETIC, alpha=0.35, markersize=5, linestyle="none")
    if expected:
        line = np.geomspace(x.min(), x.max(), 200)
        rounding = np.maximum(line, 1.0) * EPSILON
        ax.plot(line, rounding, color=CONFIDENTIAL, linestyle="--", linewidth=2, label=style.literal(expected))
        ax.legend(loc="upper left", frameon=False)
    ax.set(xscale="log", yscale="log")
    words = "relative difference of the two programs"
    return style.finish(ax, xlabel=xlabel, ylabel=words, title="Rounding errors grow with the subtracted numbers")
