"""The risk-utility map of a comparison of releases."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._typing import FloatArray
from synthlab.exceptions import InputError
from synthlab.plots import _decorators, style
from synthlab.plots.color import BASELINE, CONFIDENTIAL, INK, PAPER, SERIES

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from synthlab.plots.style import Source


class Compared(Protocol):
    """Measures of releases of the same confidential data (`ComparisonResult`)."""

    def summary(self) -> pd.DataFrame:
        """Return one row per release and one column per measure."""
        ...


# Columns of the comparison, with their axis labels.
RISKS = {
    "expected_match_risk": "expected match risk (people found)",
    "true_match_rate": "true match rate (share of people found with certainty)",
    "mean_ir": "mean identification probability IR",
    "ir_90": "90% quantile of identification probability IR",
    "unique_copies": "exact copies of records that are unique",
    "replicated_uniques": "replicated uniques (people)",
    "cap": "correct attribution CAP (share of people)",
}
UTILITIES = {
    "ecdf_max": "largest ECDF distance (0: same distribution)",
    "ecdf_mean_square": "mean squared ECDF distance (0: same distribution)",
    "pmse": "pMSE (0: indistinguishable)",
    "pmse_ratio": "pMSE ratio (1: correct, with fixed parameters)",
}


@_decorators.figure("comparison")
def plot_risk_utility_map(
    comparison: Compared,
    ax: Axes | None = None,
    *,
    risk: str | None = None,
    utility: str = "ecdf_max",
    data: Source = None,
) -> Axes:
    """Draw each release of a comparison as a point: risk against loss of utility.

    Parameters
    ----------
    comparison : ComparisonResult
        Releases of the same confidential data. The confidential data are drawn too, as the point without loss.
    risk : {None, "expected_match_risk", "true_match_rate", "mean_ir", "ir_90", "unique_copies", "replicated_uniques", "cap"}
        Measure on the vertical axis; by default the first one that was measured for all releases. The last three do not
        depend on the order of rows, so they also apply to fully synthetic releases.
    utility : {"ecdf_max", "ecdf_mean_square", "pmse", "pmse_ratio"}
        Measure on the horizontal axis; smaller is better.

    Raises
    ------
    InputError
        If a measure is unknown or was not measured.

    Examples
    --------
    >>> import pandas as pd
    >>> import synthlab as sl
    >>> people = pd.DataFrame({"region": list("NNNSSS"), "income": [10, 20, 40, 15, 30, 30]})
    >>> release = people.assign(income=[11, 33, 41, 16, 30, 31])
    >>> someone = sl.Intruder(known=["region"], synthesized=["income"], radius=0.2)
    >>> both = sl.compare(people, {"noise": release}, someone, variables=["income"])
    >>> both.plot().get_ylabel()
    'expected match risk (people found)'
    """
    _checks.check_choice(risk, "risk", (None, *RISKS))
    _checks.check_choice(utility, "utility", tuple(UTILITIES))
    table = comparison.summary()
    if risk is None:
        risk = next((name for name in RISKS if name in table and not table[name].isna().any()), next(iter(RISKS)))
    for argument, name in (("risk", risk), ("utility", utility)):
        if name not in table or table[name].isna().any():
            raise InputError(f"{argument}={name!r}: not measured, or undefined, for these releases")
    ax = style.axes(ax)
    xs, ys = table[utility].to_numpy(dtype=np.float64), table[risk].to_numpy(dtype=np.float64)
    for number, (x, y) in enumerate(zip(xs, ys, strict=True)):
        look = {"color": CONFIDENTIAL, "marker": "*", "markersize": 15} if number == 0 else _point(number - 1)
        ax.plot(x, y, linestyle="none", clip_on=False, **look)
    if risk == "expected_match_risk":
        known = float(table["known_only"].iloc[0])
        ax.axhline(known, color=BASELINE, linestyle=style.LINES[2], linewidth=1.6)
        _decorators.note(ax, "known variables alone", (1.0, known), (0, 3), units="y", ha="right")
    ax.set(xlim=(0.0, max(xs.max() * 1.15, 1e-6)), ylim=(0.0, max(ys.max() * 1.12, 1e-6)))
    _name_points(ax, xs, ys, [str(name) for name in table.index])
    return style.finish(ax, xlabel=UTILITIES[utility], ylabel=RISKS[risk], title="Risk and utility")


def _point(number: int) -> dict[str, Any]:
    """Return the style of a release; the color of confidential data is not used."""
    colours = [colour for colour in SERIES if colour != CONFIDENTIAL]
    markers = style.MARKERS
    return {"color": colours[number % len(colours)], "marker": markers[number % len(markers)], "markersize": 10}


def _name_points(ax: Axes, xs: FloatArray, ys: FloatArray, names: Sequence[str]) -> None:
    """Write each name next to its point without overlaps.

    In the right half of the axes, the name is to the left. Above a close neighbor, it is raised and joined by a line.
    """
    width, height = ax.get_xlim()[1], ax.get_ylim()[1]
    placed: list[tuple[float, float]] = []
    for x, y, name in sorted(zip(xs / width, ys / height, names, strict=True), key=lambda point: (point[1], point[0])):
        level = y
        while any(abs(x - px) < 0.3 and abs(level - py) < 0.07 for px, py in placed):
            level += 0.07
        placed.append((x, level))
        aside, side = (-14, "right") if x > 0.55 else (14, "left")
        offset = (aside, (level - y) * 72 * style.FIGSIZE[1] * 0.8)
        box = {"facecolor": PAPER, "edgecolor": "none", "alpha": 0.75, "pad": 1.0}
        thread = {"arrowstyle": "-", "color": INK, "linewidth": 0.8} if level > y else None
        _decorators.note(ax, name, (x * width, y * height), offset, ha=side, va="center", bbox=box, arrowprops=thread)
