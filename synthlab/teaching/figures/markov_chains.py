"""Figures of Markov chains: traces and autocorrelations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from synthlab import _checks
from synthlab._typing import FloatArray
from synthlab.exceptions import InputError
from synthlab.plots import _decorators, style
from synthlab.plots.color import INK, PAPER

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from synthlab.plots.style import Source


@_decorators.figure()
def plot_trace(
    chains: npt.ArrayLike,
    *,
    parameter: str,
    target: tuple[npt.ArrayLike, npt.ArrayLike] | None = None,
    truth: tuple[str, float] | None = None,
    title: str = "",
    data: Source = None,
) -> tuple[Axes, Axes]:
    """Draw the trace of each chain and the distribution of its draws.

    Parameters
    ----------
    chains : array of float, shape (chains, draws)
        Draws of one parameter, at most five chains.
    parameter : str
        Name of the parameter, with its unit.
    target : (points, density), optional
        Target density of the chains, if it is known.
    truth : (name, value), optional
        Value to mark across both panels.

    Returns
    -------
    tuple of two matplotlib.axes.Axes
        Axes of the trace and of the distribution.

    Raises
    ------
    InputError
        If `chains` is not 1 to 5 rows of two or more finite draws.

    Examples
    --------
    >>> import numpy as np
    >>> from synthlab.teaching.figures.markov_chains import plot_trace
    >>> trace, distribution = plot_trace(np.random.default_rng(1).normal(size=(2, 100)), parameter="theta")
    >>> trace.get_xlabel(), trace.get_ylabel(), sorted(text.get_text() for text in distribution.texts)
    ('draw', 'theta', ['chain 1', 'chain 2'])
    """
    values = _chains(chains)
    curve = None if target is None else [_checks.check_vector(part, "target") for part in target]
    if curve is not None and (len(curve) != 2 or curve[0].size != curve[1].size):
        raise InputError("target: must contain points and equally many density values")
    import matplotlib.pyplot as plt

    size = (style.FIGSIZE[0] + 1, 4.2)
    left, right = plt.subplots(1, 2, figsize=size, sharey=True, width_ratios=(3.2, 1.3))[1]
    edges = np.histogram_bin_edges(values, bins=40)
    for number, chain in enumerate(values):
        look = _decorators.no_marker(style.series(number))
        left.plot(np.arange(1, chain.size + 1), chain, **{**look, "linestyle": "-"}, linewidth=0.8, alpha=0.85)
        height, _ = np.histogram(chain, bins=edges, density=True)
        right.stairs(height, edges, orientation="horizontal", **look)
    if curve is not None:
        right.plot(curve[1], curve[0], color=INK, linestyle=style.LINES[2])
    for ax in (left, right):
        if truth is not None:
            ax.axhline(truth[1], color=INK, linewidth=1.4, linestyle=style.LINES[1])
    right.set_xlim(0.0, 1.9 * right.get_xlim()[1])  # leaves space for the names to the right of the curves
    _name_chains(right, values, truth)
    right.set_xticks([])
    style.finish(left, xlabel="draw", ylabel=parameter, title=title)
    style.finish(right, xlabel="share of draws")
    return left, right


@_decorators.figure()
def plot_autocorrelation(
    correlations: Mapping[str, npt.ArrayLike], ax: Axes | None = None, *, title: str = "", data: Source = None
) -> Axes:
    """Draw the autocorrelation of chains.

    Parameters
    ----------
    correlations : mapping {name: array of float, shape (lags + 1,)}
        For each of at most five chains the correlations at 0, 1, 2, ... steps, as
        `synthlab.synthesizers.autocorrelation` gives.

    Raises
    ------
    InputError
        If there are not 1 to 5 chains, or a chain does not have at least two correlations in [-1, 1].

    Examples
    --------
    >>> from synthlab.teaching.figures.markov_chains import plot_autocorrelation
    >>> ax = plot_autocorrelation({"quick": [1.0, 0.1, 0.0, 0.0], "slow": [1.0, 0.9, 0.8, 0.7]})
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['quick', 'slow']
    """
    _checks.check_mapping(correlations, "correlations", "names and correlations")
    if not 1 <= len(correlations) <= len(style.LINES):
        raise InputError(f"correlations: must contain 1 to {len(style.LINES)} chains, got {len(correlations)}")
    ax = style.axes(ax)
    ax.axhline(0.0, color=INK, linewidth=1.2, linestyle="-")
    for name, given, look in _decorators.each(correlations):
        values = _checks.check_vector(given, f"correlations[{name!r}]")
        if values.size < 2 or not (np.abs(values) <= 1 + 1e-9).all():
            raise InputError(f"correlations[{name!r}]: must be two or more numbers in [-1, 1]")
        ax.plot(values, label=style.literal(name), markevery=max(1, values.size // 8), markersize=7, **look)
    ax.set_ylim(min(-0.25, ax.get_ylim()[0]), 1.05)
    ax.legend(loc="upper right", frameon=False, handlelength=3.5)
    return style.finish(ax, xlabel="steps between two draws", ylabel="correlation", title=title)


def _name_chains(ax: Axes, values: FloatArray, truth: tuple[str, float] | None) -> None:
    """Label each chain and the marked value at its height, without overlaps."""
    names = [(float(np.median(chain)), f"chain {i + 1}", style.series(i)["color"]) for i, chain in enumerate(values)]
    if truth is not None:
        names.append((truth[1], truth[0], INK))
    low, high = ax.get_ylim()
    names.sort(key=lambda name: name[0])
    heights = np.array([(name[0] - low) / (high - low) for name in names])
    gap = 0.09
    wanted = gap * np.arange(heights.size)
    placed = np.maximum.accumulate(heights - wanted) + wanted  # the distance between two labels is at least the gap
    placed += heights.mean() - placed.mean()
    placed -= max(0.0, float(placed[-1]) - 0.97)
    box = {"facecolor": PAPER, "edgecolor": "none", "pad": 1.0}
    for height, (_, name, colour) in zip(placed, names, strict=True):
        place: dict[str, Any] = {"transform": ax.transAxes, "ha": "right", "va": "center"}
        ax.text(0.99, height, style.literal(name), color=colour, bbox=box, **place)


def _chains(chains: npt.ArrayLike) -> FloatArray:
    values = _checks.check_array(chains, "chains")
    if values.ndim != 2 or not 1 <= values.shape[0] <= len(style.LINES) or values.shape[1] < 2:
        shape = f"(1 to {len(style.LINES)} chains, 2 or more draws)"
        raise InputError(f"chains: must have shape {shape}, got {values.shape}")
    if not np.isfinite(values).all():
        raise InputError("chains: contains values that are not finite")
    return values
