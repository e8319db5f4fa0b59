"""Distributions of variables in the confidential data and in a release, side by side."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from synthlab import _checks
from synthlab._typing import ColumnNames, FloatArray, FrameLike
from synthlab.exceptions import InputError
from synthlab.plots import _decorators, style
from synthlab.plots.color import CONFIDENTIAL, SYNTHETIC
from synthlab.plots.data_provenance import Source
from synthlab.release import Release

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ACROSS = 3  # panels in a row
LEVELS = 10  # bars of a categorical variable
PANELS = 24  # panels that are still legible in one figure


@_decorators.figure("confidential", "release")
def plot_marginals(
    release: Release,
    confidential: FrameLike,
    *,
    variables: ColumnNames | None = None,
    bins: int = 20,
    data: Source = None,
) -> npt.NDArray[np.object_]:
    """Draw the distribution of each variable in the confidential data and in the release, one panel per variable.

    Numbers and dates are drawn as histograms with common bins, other variables as bars of their most frequent values; the
    rest is combined as "other". Shares refer to all records, and missing values have a bar of their own. The synthetic
    share is the mean of the datasets, and a line shows its range. The figure is for the owner of the data: it shows small
    confidential groups.

    Parameters
    ----------
    release : Release
        The synthetic datasets.
    confidential : pandas.DataFrame or Dataset, n rows
        The data as collected.
    variables : sequence of str, optional
        At most 24 variables. Default: the first 24 columns that both files have.
    bins : int
        Number of bins of a histogram, at least 2.

    Returns
    -------
    numpy.ndarray of matplotlib.axes.Axes, shape (variables,)

    Raises
    ------
    InputError
        If a variable is missing from a file, or there are more than 24.
    DtypeMismatchError
        If a variable holds numbers in one file and text in the other.

    Examples
    --------
    >>> import pandas as pd
    >>> import synthlab as sl
    >>> people = pd.DataFrame({"sex": list("ffmm"), "age": [20, 30, 40, 50]})
    >>> release = sl.Release([people, people.assign(sex=list("fmmm"))])
    >>> panels = release.plot(people)
    >>> [panel.get_title("left") for panel in panels]
    ['sex', 'age']
    >>> [round(float(bar.get_height()), 3) for bar in panels[0].containers[1]]
    [0.375, 0.625]
    """
    frame = _checks.check_frame(confidential, "confidential")
    names = [c for c in frame.columns if c in release[0].columns][:PANELS] if variables is None else variables
    names = _checks.check_columns(frame, names, "variables", where="confidential")
    _checks.check_columns(release[0], names, "variables", where="release")
    if len(names) > PANELS:
        raise InputError(f"variables: {len(names)} are given, and a figure has at most {PANELS} panels; name fewer")
    _checks.check_count(bins, "bins", 2)
    _checks.check_same_kind(frame, release.frames, names)
    import matplotlib.pyplot as plt

    across = min(ACROSS, len(names))
    down = math.ceil(len(names) / across)
    grid = plt.subplots(down, across, figsize=(4.0 * across, 3.1 * down), squeeze=False)[1].reshape(-1)
    for panel in grid[len(names) :]:
        panel.set_axis_off()
    for panel, name in zip(grid, names, strict=False):
        _panel(panel, name, [one[name] for one in (frame, *release)], bins)
    handles, words = grid[0].get_legend_handles_labels()
    grid[0].figure.legend(handles, words, loc="outside upper left", ncols=2, frameon=False, fontsize=11)
    drawn: npt.NDArray[np.object_] = grid[: len(names)]
    return drawn


def _panel(ax: Axes, name: str, columns: list[pd.Series], bins: int) -> None:
    """Draw the shares of one variable."""
    shares, edges, labels = _histograms(columns, bins) if _is_continuous(columns) else _bars(columns)
    own, made = shares[0], shares[1:]
    places: FloatArray = np.arange(len(own), dtype=np.float64)
    width = 0.4
    look: dict[str, Any] = {"width": width}
    ax.bar(places - width / 2, own, color=CONFIDENTIAL, label="confidential", **look)
    ax.bar(places + width / 2, made.mean(axis=0), color=SYNTHETIC, label="synthetic", **look)
    if len(made) > 1:
        ax.vlines(places + width / 2, made.min(axis=0), made.max(axis=0), color="black", linewidth=1.0)
    if edges is None:
        ax.set_xticks(places, [style.literal(label) for label in labels], rotation=40, ha="right", fontsize=9)
    else:
        shown = np.linspace(0, len(edges) - 1, 3).round().astype(int)
        ticks = [*(shown - 0.5), *places[len(edges) - 1 :]]
        words = [*(style.literal(labels[k]) for k in shown), *(["missing"] if len(own) >= len(edges) else [])]
        ax.set_xticks(ticks, words, fontsize=9)
    style.finish(ax, title=name, ylabel="share of records")


def _is_continuous(columns: list[pd.Series]) -> bool:
    kinds = [one.dtype for one in columns]
    numbers = all(pd.api.types.is_numeric_dtype(k) and not pd.api.types.is_bool_dtype(k) for k in kinds)
    times = all(pd.api.types.is_datetime64_any_dtype(k) for k in kinds)
    return times or (numbers and pd.concat(columns).nunique() > LEVELS)


def _histograms(columns: list[pd.Series], bins: int) -> tuple[FloatArray, FloatArray, list[str]]:
    """Return shares by common bins, the share of missing values last if there are any; the ends and their labels."""
    times = pd.api.types.is_datetime64_any_dtype(columns[0].dtype)
    values = [
        np.where(one.isna(), np.nan, one.to_numpy("datetime64[s]").astype(np.float64))
        if times
        else _checks.as_float(one)
        for one in columns
    ]
    there = np.concatenate(values)
    edges = np.histogram_bin_edges(there[np.isfinite(there)], bins)
    shares = np.array([np.histogram(one[np.isfinite(one)], edges)[0] / len(one) for one in values])
    missing = np.array([np.isnan(one).mean() for one in values])
    if missing.any():
        shares = np.column_stack([shares, missing])
    labels = [f"{pd.Timestamp(e, unit='s'):%Y-%m-%d}" if times else f"{e:,.4g}" for e in edges]
    return shares, edges, labels


def _bars(columns: list[pd.Series]) -> tuple[FloatArray, None, list[str]]:
    """Return the shares of the most frequent values, of the others and of missing values, and the labels."""
    texts = [one.astype(object) for one in columns]
    counts = [one.value_counts(sort=False) for one in texts]
    total = pd.concat([c / len(t) for c, t in zip(counts, texts, strict=True)]).groupby(level=0, sort=False).sum()
    kept = total.sort_values(ascending=False, kind="stable").index[: LEVELS if len(total) > LEVELS else None]
    order = pd.Index(columns[0].cat.categories if isinstance(columns[0].dtype, pd.CategoricalDtype) else _sorted(kept))
    kept = order[order.isin(kept)]
    shares = np.array([c.reindex(kept).fillna(0).to_numpy() / len(t) for c, t in zip(counts, texts, strict=True)])
    missing = np.array([one.isna().mean() for one in texts])
    rest = 1 - shares.sum(axis=1) - missing
    labels = [f"{v:g}" if isinstance(v, float) else str(v) for v in kept]
    for word, share in (("other", rest), ("missing", missing)):
        if share.max() > 1e-12:
            shares, labels = np.column_stack([shares, share]), [*labels, word]
    return shares, None, labels


def _sorted(values: pd.Index) -> pd.Index:
    """Return the values in order, by their text if they cannot be compared."""
    try:
        return pd.Index(sorted(values))
    except TypeError:
        return pd.Index(sorted(values, key=str))
