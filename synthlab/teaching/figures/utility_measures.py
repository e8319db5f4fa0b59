"""Figure of the pMSE ratio and its reference values."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from synthlab import _checks
from synthlab.exceptions import InputError
from synthlab.plots import _decorators, style
from synthlab.plots.color import BASELINE, CONFIDENTIAL, INK, SYNTHETIC

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from synthlab.plots.style import Source

STRAIGHT = 3.0  # the vertical scale is logarithmic above this value


@_decorators.figure()
def plot_ratio_by_share(
    table: pd.DataFrame, ax: Axes | None = None, *, share: float | None = None, data: Source = None
) -> Axes:
    r"""Draw the pMSE ratio against the share of records with synthetic values.

    Parameters
    ----------
    table : pandas.DataFrame
        Indexed by the share, with the columns ``ratio``, ``ratio_min``, ``ratio_max`` and ``reference_high``, as
        `synthlab.teaching.widgets.pmse_by_share` gives.
    share : float, optional
        Share to mark, from the index of the table.

    Raises
    ------
    InputError
        If a column is missing, or the share is not in the index of the table.

    Examples
    --------
    >>> import pandas as pd
    >>> from synthlab.teaching.figures.utility_measures import plot_ratio_by_share
    >>> columns = {"ratio": [0.0, 40.0], "ratio_min": [0.0, 30.0], "ratio_max": [0.0, 50.0], "reference_high": [2.2, 2.2]}
    >>> plot_ratio_by_share(pd.DataFrame(columns, index=[0.0, 1.0]), share=1.0).get_ylabel()
    'pMSE ratio\n(logarithmic above 3)'
    """
    frame = _checks.check_frame(table, "table")
    wanted = ["ratio", "ratio_min", "ratio_max", "reference_high"]
    _checks.check_columns(frame, wanted, "table", where="table")
    for column in wanted:
        _checks.check_numeric_column(frame, column, where="table", why="it is drawn")
    x = 100 * _checks.check_array(frame.index, "table: its index")
    ax = style.axes(ax)
    band = float(frame["reference_high"].max())
    ax.axhspan(0, band, color=BASELINE, alpha=0.12, linewidth=0, label="correct, fixed parameters: most datasets")
    ax.fill_between(x, frame["ratio_min"], frame["ratio_max"], color=SYNTHETIC, alpha=0.2, linewidth=0)
    ax.plot(x, frame["ratio"], color=SYNTHETIC, linestyle="-", label="this release, mean of its datasets")
    for value, line, words in ((1.0, 1, "correct, fixed parameters: 1"), (2.0, 2, "correct, drawn parameters: 2")):
        ax.axhline(value, color=BASELINE, linestyle=style.LINES[line], linewidth=1.6, label=words)
    if share is not None:
        share = _checks.check_number(share, "share")
        if share not in frame.index:
            raise InputError("share: is not in the index of the table")
        at = float(frame["ratio"].loc[share])
        ax.axvline(100 * share, color=INK, linewidth=1.2, linestyle="-")
        ax.plot(100 * share, at, "o", color=CONFIDENTIAL)
        right = share > 0.5
        _decorators.note(ax, f"{at:,.3g}", (100 * share, at), (-9 if right else 9, 8), ha="right" if right else "left")
    ax.set_yscale("symlog", linthresh=STRAIGHT)
    ax.set_ylim(0, max(10.0, 3 * float(frame["ratio_max"].max())))
    ax.set_xlim(-4, 104)
    ax.yaxis.set_major_formatter(lambda value, _: f"{value:,.4g}")
    return style.finish(
        ax,
        xlabel="records with synthetic values (percent)",
        ylabel=f"pMSE ratio\n(logarithmic above {STRAIGHT:g})",
        title="Can a classifier tell the file apart?",
        legend={**style.ABOVE, "ncols": 1, "bbox_to_anchor": (0.0, 1.1)},
    )
