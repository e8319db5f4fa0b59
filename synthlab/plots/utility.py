"""Figures of utility: distributions and pMSE."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._typing import FloatArray, FrameOrFrames
from synthlab.exceptions import InputError
from synthlab.plots import _decorators, style
from synthlab.plots.color import BASELINE, CONFIDENTIAL, SYNTHETIC
from synthlab.release import as_release

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from synthlab.plots.style import Source
    from synthlab.utility import PmseResult


@_decorators.figure("confidential", "synthetic")
def plot_ecdf(
    confidential: pd.DataFrame,
    synthetic: FrameOrFrames,
    *,
    variable: str,
    ax: Axes | None = None,
    data: Source = None,
    shown: float = 0.99,
) -> Axes:
    """Draw the empirical distribution functions (ECDF) of one variable.

    Parameters
    ----------
    confidential : pandas.DataFrame
        Confidential data. Their exact distribution is drawn, so the figure must not be published.
    synthetic : DataFrame, sequence of DataFrames, or Release
        The m synthetic datasets, each drawn as a thin line.
    variable : str
        Variable of numbers, dates or durations (in days); missing values are omitted.
    data : Dataset, DataFrame, Release, "real" or "simulated", optional
        Source of the data label of the figure; by default taken from the frames.
    shown : float in (0, 1]
        Share of the values, from below, that the axis spans. A long tail would compress the rest.

    Raises
    ------
    InputError
        If the variable is absent or neither numbers nor dates, or `shown` is not in (0, 1].

    Examples
    --------
    >>> import pandas as pd
    >>> from synthlab.plots.utility import plot_ecdf
    >>> people = pd.DataFrame({"income": [10, 20, 40, 15, 30, 30]})
    >>> plot_ecdf(people, people + 5, variable="income", shown=1).get_xlabel()
    'income'
    """
    frame = _checks.check_frame(confidential, "confidential")
    release = as_release(synthetic, like=frame)
    named = {f"synthetic dataset {i}": one for i, one in enumerate(release, start=1)}
    for where, one in {"confidential": frame, **named}.items():
        _checks.check_columns(one, [variable], "variable", where=where)
        if not _checks.is_date(one[variable]):
            _checks.check_numeric_column(one, variable, where=where, why="an ECDF requires numbers, dates or durations")
    shown = _checks.check_number(shown, "shown", low=0.0, high=1.0, open_low=True)
    everything = np.concatenate([_values(one, variable) for one in (frame, *release)])
    rest = f" (axis: the lower {shown:.4g} of all values)" if shown < 1 else ""
    ax = style.axes(ax)
    width, alpha, words = (2.0, 1.0, "synthetic") if release.m == 1 else (1.2, 0.6, f"synthetic (m = {release.m})")
    thin: dict[str, Any] = {"color": SYNTHETIC, "linewidth": width, "alpha": alpha, "linestyle": style.LINES[0]}
    for number, one in enumerate(release):
        ax.ecdf(_values(one, variable), label=None if number else words, **thin)
    ax.ecdf(_values(frame, variable), label="confidential", color=CONFIDENTIAL, linestyle=style.LINES[1], linewidth=2.6)
    ax.legend(loc="lower right", frameon=False)
    left, right = np.quantile(everything, [0.0, shown])
    margin = 0.03 * (right - left) or 1.0
    ax.set(xlim=(left - margin, right + margin))
    spans = pd.api.types.is_timedelta64_dtype(frame[variable].dtype)
    if _checks.is_date(frame[variable]) and not spans:
        from matplotlib.dates import AutoDateLocator, ConciseDateFormatter

        # Like the values, the dates of Matplotlib are days since 1970.
        locator = AutoDateLocator(maxticks=7)  # type: ignore[no-untyped-call]
        ax.xaxis.set_major_locator(locator)
        ax.xaxis.set_major_formatter(ConciseDateFormatter(locator))  # type: ignore[no-untyped-call]
    return style.finish(
        ax,
        xlabel=f"{variable}{' (days)' * spans}{rest}",
        ylabel="share of records at or below",
        title=f"Distribution of {variable}",
    )


@_decorators.figure()
def plot_shares(
    synthetic: Sequence[FloatArray],
    confidential: Sequence[FloatArray],
    *,
    variable: str,
    ax: Axes | None = None,
    data: Source = None,
) -> Axes:
    """Draw a P-P plot, which compares two distributions without showing values.

    The distributions differ where the line leaves the diagonal. The largest vertical distance from the diagonal is the
    largest ECDF distance.

    Parameters
    ----------
    synthetic, confidential : sequences of numpy.ndarray
        For each of the m datasets, the shares of its records and of the confidential records that lie at or
        below the same points, in increasing order.
    variable : str
        Name of the variable.

    Raises
    ------
    InputError
        If the two sequences do not have arrays of the same lengths.

    Examples
    --------
    >>> import numpy as np
    >>> from synthlab.plots.utility import plot_shares
    >>> shares = np.linspace(0, 1, 5)
    >>> plot_shares([shares], [shares**2], variable="income").get_title(loc="left")
    'Distribution of income'
    """
    if [len(x) for x in synthetic] != [len(y) for y in confidential] or len(synthetic) == 0:
        raise InputError("confidential: must contain one array per array of `synthetic`, of the same length")
    look: dict[str, Any] = {"linewidth": 2.2} if len(synthetic) == 1 else {"linewidth": 1.4, "alpha": 0.6}
    ax = style.axes(ax, (5.5, 5.0))
    ax.plot([0, 1], [0, 1], color=BASELINE, linestyle=style.LINES[2], linewidth=1.6)
    for x, y in zip(synthetic, confidential, strict=True):
        ax.plot(x, y, color=SYNTHETIC, linestyle="-", **look)
    _decorators.note(ax, "same distribution", (0.5, 0.5), (-6, 6), rotation=45, ha="center", va="center")
    ax.set_aspect("equal")
    return style.finish(
        ax,
        xlabel="share of synthetic records",
        ylabel="share of confidential records",
        title=f"Distribution of {variable}",
    )


@_decorators.figure()
def plot_propensity(result: PmseResult, ax: Axes | None = None, *, data: Source = None) -> Axes:
    """Draw the pMSE of every synthetic dataset and its null distribution.

    The null is for a correct synthesizer with fixed parameters.

    Parameters
    ----------
    result : PmseResult
        Result of `pmse`. A band shows the mean of the null plus and minus two standard deviations.

    Raises
    ------
    InputError
        If `result` is not a `PmseResult`.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> from synthlab.plots.utility import plot_propensity
    >>> from synthlab.utility import pmse
    >>> draw = np.random.default_rng(1)
    >>> frames = [pd.DataFrame({"income": draw.normal(50, 10, 100)}) for _ in range(3)]
    >>> plot_propensity(pmse(frames[0], frames[1:])).get_ylabel()
    'pMSE'
    """
    from synthlab.utility import PmseResult

    if not isinstance(result, PmseResult):
        raise InputError(f"result: must be a PmseResult, got {_checks.described(result)}")
    table = result.to_frame()
    ax = style.axes(ax)
    places = table.index.to_numpy(dtype=np.float64)
    low, high = np.maximum(result.null_mean - 2 * result.null_sd, 0.0), result.null_mean + 2 * result.null_sd
    ends = [0.5, *places[:-1] + 0.5, places[-1] + 0.5]
    ax.stairs(high, ends, baseline=low, fill=True, color=BASELINE, alpha=0.2)
    ax.stairs(result.null_mean, ends, baseline=None, color=BASELINE, linestyle=style.LINES[1])
    ax.plot(places, result.pmse, linestyle="none", marker="o", color=SYNTHETIC)
    _decorators.note(
        ax, "correct, with\nfixed parameters", (1.0, float(result.null_mean[-1])), (6, 0), units="y", va="center"
    )
    ax.locator_params(axis="x", integer=True)
    ax.ticklabel_format(axis="y", scilimits=(-3, 3), useMathText=True)
    ax.set(xlim=(ends[0], ends[-1]), ylim=(0.0, None))
    return style.finish(ax, xlabel="synthetic dataset", ylabel="pMSE", title="Can a classifier tell them apart?")


def _values(frame: pd.DataFrame, variable: str) -> FloatArray:
    values = _checks.measurements(frame[variable])
    return values[~np.isnan(values)]
