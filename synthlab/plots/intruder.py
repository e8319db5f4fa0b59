"""Figures of the intruder's match probabilities and of their baselines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from synthlab.exceptions import InputError
from synthlab.plots import _decorators, style
from synthlab.plots.color import CONFIDENTIAL, GRID, INK, PAPER, SYNTHETIC

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from synthlab.plots.style import Source
    from synthlab.risk import IntruderRiskResult


MOST_RECORDS = 12
FEW_TARGETS = 30


@_decorators.figure("result")
def plot_perceived(result: IntruderRiskResult, ax: Axes | None = None, *, data: Source = None) -> Axes:
    """Draw the number of targets above each threshold of match probability.

    A target counts if its largest match probability exceeds the threshold. One line is for the release, another for the
    confidential data.

    Parameters
    ----------
    result : IntruderRiskResult
        Result of `intruder_risk`.

    Examples
    --------
    >>> import pandas as pd
    >>> import synthlab as sl
    >>> true = pd.DataFrame({"town": list("aabc")})
    >>> sl.intruder_risk(true, true.assign(town=list("abbc")), sl.Intruder(known=[], synthesized=["town"])).plot().get_ylabel()
    'targets above the threshold'
    """
    threshold = result.attack.threshold
    ax = style.axes(ax)
    for values, colour, line, label in (
        (result.baseline.largest, CONFIDENTIAL, "--", "confidential data, unchanged"),
        (result.largest, SYNTHETIC, "-", "release"),
    ):
        levels = np.concatenate([[0.0], np.sort(values), [1.0]])
        above = np.concatenate([[values.size], np.arange(values.size - 1, -1, -1), [0]])
        ax.step(levels, above, where="post", color=colour, linestyle=line, label=label)
    ax.axvline(threshold, color=INK, linewidth=1.2, linestyle=":")
    words = f"above {threshold:g}: {result.perceived_match_risk():,} of {result.targets.size:,}"
    _decorators.note(ax, words, (threshold, 0.93), (6, 0), units="x")
    ax.set(xlim=(0, 1))
    many = result.targets.size > FEW_TARGETS
    if many:  # the few targets with large probabilities matter most
        ax.set_yscale("symlog", linthresh=1)
        ax.yaxis.set_major_formatter("{x:,.0f}")
    ax.set(ylim=(0, None))
    return style.finish(
        ax,
        xlabel="threshold of the largest match probability",
        ylabel="targets above the threshold" + (", logarithmic" if many else ""),
        title="Who looks found",
        legend={"loc": "upper right", "bbox_to_anchor": (1.0, 0.88), "frameon": True},
    )


@_decorators.figure()
def plot_match_probabilities(
    result: IntruderRiskResult, ax: Axes | None = None, *, names: Sequence[str] | None = None
) -> Axes:
    """Draw the match probabilities of a small file as a matrix.

    Each row is a target, each column a record. A frame marks the target's own record.

    Parameters
    ----------
    result : IntruderRiskResult
        Result of `intruder_risk` for at most 12 records.
    names : sequence of str, optional
        Labels of the records; by default their numbers, from 1.

    Raises
    ------
    InputError
        If the file has more than 12 records, or `names` does not contain one name per record.

    Examples
    --------
    >>> import pandas as pd
    >>> from synthlab.plots.intruder import plot_match_probabilities
    >>> import synthlab as sl
    >>> true = pd.DataFrame({"town": list("aabc")})
    >>> risk = sl.intruder_risk(true, true.assign(town=list("abbc")), sl.Intruder(known=[], synthesized=["town"]))
    >>> [text.get_text() for text in plot_match_probabilities(risk).texts][:2]
    ['1', '0']
    """
    from matplotlib.patches import Rectangle

    if result.n > MOST_RECORDS:
        raise InputError(f"result: has {result.n} records; at most {MOST_RECORDS} can be drawn")
    names = [str(i + 1) for i in range(result.n)] if names is None else list(names)
    if len(names) != result.n:
        raise InputError(f"names: has {len(names)} names for {result.n} records; give one per record")
    table = np.stack([result.probabilities(int(i)) for i in result.targets])
    outside = bool(table[:, -1].any())
    table = table if outside else table[:, :-1]
    columns = [*names, "not in\nthe file"] if outside else names
    ax = style.axes(ax, (1.8 + 0.9 * len(columns), 1.5 + 0.7 * len(table)))
    ax.imshow(table, cmap="Blues", vmin=0, vmax=1.15, aspect="auto")
    for (row, column), value in np.ndenumerate(table):
        dark = value > 0.6
        ax.text(column, row, f"{value:.2g}", ha="center", va="center", color="white" if dark else INK)
    for row, own in enumerate(result.targets):
        corner = (own - 0.46, row - 0.46)
        ax.add_patch(Rectangle(corner, 0.92, 0.92, fill=False, edgecolor=CONFIDENTIAL, linewidth=3))
    ax.set_xticks(range(len(columns)), [style.literal(c) for c in columns])
    ax.set_yticks(range(len(table)), [style.literal(names[i]) for i in result.targets])
    ax.grid(visible=False)
    xlabel = "record (framed: the target's own)"
    return style.finish(ax, xlabel=xlabel, ylabel="target", title="Match probabilities")


@_decorators.figure("result")
def plot_baselines(result: IntruderRiskResult, ax: Axes | None = None, *, data: Source = None) -> Axes:
    """Draw the expected matches of the release and of its baselines.

    Parameters
    ----------
    result : IntruderRiskResult
        Result of `intruder_risk`.

    Examples
    --------
    >>> import pandas as pd
    >>> from synthlab.plots.intruder import plot_baselines
    >>> import synthlab as sl
    >>> true = pd.DataFrame({"town": list("aabc")})
    >>> risk = sl.intruder_risk(true, true.assign(town=list("abbc")), sl.Intruder(known=[], synthesized=["town"]))
    >>> [text.get_text() for text in plot_baselines(risk).texts]
    ['1', '1', '2.5', '3']
    """
    row = result.summary().loc["expected match risk"].to_dict()
    bars = [
        ("a random guess", row["random_guess"], GRID, ""),
        ("known variables alone", row["known_only"], GRID, ""),
        ("this release", row["release"], SYNTHETIC, ""),
        ("the unchanged data", row["confidential"], PAPER, "//"),
    ]
    ax = style.axes(ax, (8.0, 3.2))
    for place, (_, value, colour, hatch) in enumerate(bars):
        ax.barh(place, value, color=colour, edgecolor=INK, hatch=hatch, height=0.62)
        _decorators.note(ax, f"{value:.3g}", (value, place), (6, 0), va="center")
    ax.set_yticks(range(len(bars)), [name for name, *_ in bars])
    ax.invert_yaxis()
    ax.grid(axis="y", visible=False)
    top = 1.12 * max(value for _, value, *_ in bars)
    xlabel = f"expected matches among {result.targets.size:,} targets"
    return style.finish(ax, xlabel=xlabel, title="People found in this release", xlim=(0, top))
