"""Figure of the agreement of two programs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab.plots import _decorators, style
from synthlab.plots.color import BASELINE, CONFIDENTIAL, SYNTHETIC

if TYPE_CHECKING:
    from matplotlib.axes import Axes

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
    >>> from synthlab.plots.crosscheck import plot_digits
    >>> checks = pd.DataFrame({"group": ["counts"], "digits": [12.5], "verdict": ["agrees"]})
    >>> [label.get_text() for label in plot_digits(checks).get_yticklabels()]
    ['counts']
    """
    _checks.check_frame(checks, "checks")
    _checks.check_columns(checks, ["group", "digits", "verdict"], "checks", where="checks")
    groups = list(dict.fromkeys(checks["group"]))
    ax = style.axes(ax, (9.0, 0.62 * len(groups) + 1.9))
    for verdict, (color, marker, label) in LOOKS.items():
        rows = checks[checks["verdict"] == verdict]
        if rows.empty:
            continue
        heights = np.array([groups.index(group) for group in rows["group"]], dtype=float)
        # vertical offsets, so that marks do not overlap
        heights += 0.28 * np.sin(2.4 * rows.groupby("group").cumcount().to_numpy())
        ax.plot(rows["digits"], heights, marker, color=color, alpha=0.75, markersize=6, label=label)
    ax.set_yticks(range(len(groups)), groups)
    ax.set_xticks(range(0, 17, 2), [*map(str, range(0, 16, 2)), "all"])
    ax.set(ylim=(len(groups) - 0.5, -0.5), xlim=(-0.5, 16.6))
    ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3, frameon=False)
    return style.finish(ax, xlabel="digits that agree (worst number of each check)")
