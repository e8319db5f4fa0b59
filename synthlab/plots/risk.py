"""Figures of the distribution of disclosure risk over the records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from synthlab import _checks
from synthlab._format import fewer_than_10, two_digits
from synthlab._typing import FloatArray
from synthlab.plots import _decorators, style
from synthlab.plots.color import CONFIDENTIAL, INK, SYNTHETIC

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from synthlab.plots.style import Source
    from synthlab.risk import IdentificationProbabilityResult, IdentificationRiskResult

AS_IS = "confidential,\nreleased as is"


@_decorators.figure("result")
def plot_record_risk(
    result: IdentificationRiskResult | Mapping[str, IdentificationRiskResult],
    ax: Axes | None = None,
    *,
    data: Source = None,
    points: int = 200,
    grouped: bool = False,
) -> Axes:
    """Draw the distribution of match risk as violins: confidential and released.

    Parameters
    ----------
    result : IdentificationRiskResult, or mapping {name: IdentificationRiskResult}
        Results to draw. All must come from the same confidential data, which are drawn once.
    points : int
        Number of most exposed records drawn as points over each violin.
    grouped : bool
        Whether to avoid drawing individual records. The violins then show the means of at most 100 groups of 10 or more
        records with similar risk, without points.

    Raises
    ------
    InputError
        If the mapping is empty, or `points` is negative.

    Examples
    --------
    >>> import pandas as pd
    >>> import synthlab as sl
    >>> confidential = pd.DataFrame({"region": list("NNNSSS"), "income": [10, 20, 40, 15, 30, 30]})
    >>> synthetic = confidential.assign(income=[11, 33, 41, 16, 30, 31])
    >>> someone = sl.Intruder(known=["region"], synthesized=["income"], radius=0.2)
    >>> risk = sl.identification_risk(confidential, synthetic, someone)
    >>> risk.plot().get_xlabel().partition(chr(10))[0]
    'match risk: chance of picking the right record'
    """
    results = _decorators.named(result, "result", alone="synthetic")
    points = 0 if grouped else points
    first = next(iter(results.values()))
    groups: list[tuple[str, FloatArray, str]] = []
    if first.baseline is not None:
        groups.append((AS_IS, first.baseline.record_match_risk[:, 0], _people(first.baseline, grouped)))
    groups += [(_label(name, r), r.record_match_risk.mean(axis=1), _people(r, grouped)) for name, r in results.items()]
    ax = _violins(_in_groups(groups) if grouped else groups, ax, first.baseline is not None, points)
    return style.finish(
        ax, xlabel=f"match risk: chance of picking the right record\n{_legend(points)}", title="Who is exposed"
    )


@_decorators.figure("result")
def plot_identification_probability(
    result: IdentificationProbabilityResult | Mapping[str, IdentificationProbabilityResult],
    ax: Axes | None = None,
    *,
    data: Source = None,
    points: int = 200,
    grouped: bool = False,
) -> Axes:
    """Draw the distribution of identification probability IR as violins.

    The violins compare the confidential data with one or more releases.

    Parameters
    ----------
    result : IdentificationProbabilityResult, or mapping {name: IdentificationProbabilityResult}
        Results to draw. All must come from the same confidential data, which are drawn once.
    points : int
        Number of most exposed records drawn as points over each violin.
    grouped : bool
        Whether to avoid drawing individual records. The violins then show the means of at most 100 groups of 10 or more
        records with similar risk, without points.

    Raises
    ------
    InputError
        If the mapping is empty, or `points` is negative.

    Examples
    --------
    >>> import pandas as pd
    >>> import synthlab as sl
    >>> people = pd.DataFrame({"region": list("NNNN"), "income": [100.0, 105.0, 110.0, 400.0]})
    >>> someone = sl.Intruder(known=["region"], synthesized=["income"], radius=0.1)
    >>> ir = sl.identification_probability(people, people, someone)
    >>> [tick.get_text().replace(chr(10), " ") for tick in ir.plot().get_yticklabels()]
    ['confidential, released as is', 'synthetic']
    """
    results = _decorators.named(result, "result", alone="synthetic")
    points = 0 if grouped else points
    first = next(iter(results.values()))
    table = first.summary()
    groups = [(AS_IS, first.confidential, _mean(table["mean"]["confidential"], grouped))]
    groups += [
        (_label(name, r), r.record, _mean(r.summary()["mean"]["synthetic"], grouped)) for name, r in results.items()
    ]
    ax = _violins(_in_groups(groups) if grouped else groups, ax, True, points)
    xlabel = f"identification probability IR: how isolated a record is\n{_legend(points)}"
    return style.finish(ax, xlabel=xlabel, title="Who stands alone")


def _label(name: str, result: IdentificationRiskResult | IdentificationProbabilityResult) -> str:
    return f"{name}\n(mean of m = {result.m})" if result.m > 1 else str(name)


def _legend(points: int) -> str:
    return "diamond: mean" + (f"; dots: the {points} highest" if points else "")


def _people(result: IdentificationRiskResult, grouped: bool) -> str:
    found = float(result.expected_match_risk.mean())
    if grouped:
        return f"finds {fewer_than_10(found, result.targets.size)} of {result.targets.size:,} on average"
    return f"finds {found:,.{0 if found >= 100 else 1}f} of {result.targets.size:,} on average"


def _mean(value: float, grouped: bool) -> str:
    return f"mean {two_digits(value):g}" if grouped else f"mean {value:.3f}"


def _in_groups(groups: list[tuple[str, FloatArray, str]]) -> list[tuple[str, FloatArray, str]]:
    """Return group means of each sample with two decimals: at most 100 groups of 10 or more records."""

    def means(values: FloatArray) -> FloatArray:
        parts = np.array_split(np.sort(values), max(1, min(100, values.size // 10)))
        return np.array([part.mean() for part in parts]).round(2)

    return [(label, means(values), words) for label, values, words in groups]


def _violins(
    groups: Sequence[tuple[str, FloatArray, str]], ax: Axes | None, has_confidential: bool, points: int
) -> Axes:
    """Draw one horizontal violin per group, with its most exposed records and text."""
    points = _checks.check_count(points, "points", minimum=0)
    ax, places = _decorators.rows(ax, [label for label, _, _ in groups], 1.35)
    for place, (number, (_, values, words)) in zip(places, enumerate(groups), strict=True):
        colour = CONFIDENTIAL if has_confidential and number == 0 else SYNTHETIC
        _decorators.violin(ax, values, place, colour, alpha=0.35, width=0.6, linewidth=1.5, points=400)
        top = np.sort(values)[::-1][:points]
        ax.plot(top, place + 0.4 * _decorators.scattered(top.size) - 0.2, ".", color=colour, markersize=5, alpha=0.7)
        ax.plot(values.mean(), place, "D", color=INK, markersize=7)
        ax.text(1.0, place + 0.3, words, ha="right", va="bottom")
    ax.set(xlim=(-0.03, 1.03), ylim=(-0.45, len(groups) - 0.4))
    ax.set_xlabel("", loc="right")
    return ax
