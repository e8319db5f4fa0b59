"""Distances between the distributions of synthesized numbers, dates and durations."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._format import SMALLEST_GROUP, percent
from synthlab._typing import FloatArray
from synthlab.report.evaluation_inputs import Question
from synthlab.report.measure import SQUARE, Line, Measure, Picture, Row, Shown, Write, coarse, draw
from synthlab.utility import EcdfUtilityResult, ecdf_utility
from synthlab.utility._frames import is_number

FIGURES = 6  # variables drawn on a page
POINTS = 101


class Ecdf(Measure[EcdfUtilityResult]):
    """Largest and mean squared distance between distribution functions."""

    name = "ecdf"
    title = "Distance of the distributions (ECDF)"
    section = "utility"
    numbers = ("ecdf_max", "ecdf_mean_square")
    asks_intruder = False
    groups = True

    def applies(self, question: Question) -> str | None:
        """Require a numeric synthesized variable."""
        return None if _numeric(question) else "no synthesized variable is a measurement."

    def compute(self, question: Question) -> EcdfUtilityResult:
        """Compare the values; missing values are treated as for the intruder."""
        if question.publish:
            return _grouped(question)
        data = question.confidential, question.release
        return ecdf_utility(*data, variables=_numeric(question), missing=question.intruder.missing)

    def rows(self, result: EcdfUtilityResult, question: Question) -> list[Row]:
        """Return both distances for the worst variable."""
        return [
            Row(
                "ecdf_max",
                "largest ECDF difference",
                per_dataset=result.ecdf_max.max(axis=0),
                confidential=0.0,
                step=SMALLEST_GROUP / question.n,
            ),
            Row(
                "ecdf_mean_square",
                "mean squared ECDF difference",
                per_dataset=result.ecdf_mean_square.max(axis=0),
                confidential=0.0,
            ),
        ]

    def lines(self, result: EcdfUtilityResult, question: Question, people: Write) -> list[Line]:
        """State the distance between the two distributions of each variable."""
        step = _step(question)

        def distance(value: float) -> str:
            return question.digits(coarse(value, step))

        first = "For any limit, compare the shares of people at or below the limit in the synthetic and in the confidential data. "
        second = f" The second number is the mean of the squared difference{question.average}."
        return [
            Line(
                f"Distribution of {name}: largest and mean squared distance",
                f"{distance(float(row['ecdf_max']))} and {question.digits(float(row['ecdf_mean_square']))}",
                "0 and 0",
                f"The two shares differ by {at_most(gaps, step)}."
                if place
                else f"{first}The two shares differ by {at_most(gaps, step)}.{second}",
            )
            for place, ((name, row), gaps) in enumerate(
                zip(result.summary().iterrows(), result.ecdf_max.tolist(), strict=True)
            )
        ]

    def to_dict(self, result: EcdfUtilityResult, question: Question, *, publish: bool) -> list[dict[str, Any]]:
        """Return the distances of each variable and dataset; for publication, nothing, because the summary suffices."""
        if publish:
            return []
        return [{str(name): value for name, value in row.items()} for row in result.to_frame().to_dict("records")]

    def show(self, result: EcdfUtilityResult, question: Question, *, show_values: bool, publish: bool) -> Shown:
        """Draw the variables with the largest distances.

        The figures show shares, or values if `show_values` is True.
        """
        figure = _by_value if show_values else partial(_by_share, publish=publish)
        order = np.argsort(-result.ecdf_max.mean(axis=1), kind="stable")
        names, gaps = [result.variables[place] for place in order], [result.ecdf_max[place].tolist() for place in order]
        pictures = tuple(
            figure(question, name, at_most(mine, _step(question)))
            for name, mine in zip(names[:FIGURES], gaps, strict=False)
        )
        return Shown(pictures, not_drawn=tuple(names[FIGURES:]))


def _numeric(question: Question) -> list[str]:
    """Return the synthesized numbers, dates and durations that are not declared categorical."""
    names = [c for c in question.variables if c in question.changed and c not in question.categorical]
    frames = [question.confidential, *question.release]
    return [c for c in names if is_number(frames[0][c]) or all(_checks.is_date(frame[c]) for frame in frames)]


def at_most(gaps: Sequence[float], step: float = 0.0) -> str:
    """State the largest gap of a variable, on average and in the worst dataset.

    For publication, the average is rounded to multiples of `step`, and no single dataset is described.
    """
    mean = percent(coarse(sum(gaps) / len(gaps), step))
    if len(gaps) == 1:
        return f"at most {mean}"
    worst = "" if step else f", {percent(max(gaps))} in the worst"
    return f"at most {mean} on average over the datasets{worst}"


def _step(question: Question) -> float:
    return SMALLEST_GROUP / question.n if question.publish else 0.0


def _grouped(question: Question) -> EcdfUtilityResult:
    """Return the distances at limits between which every file has no or at least 10 records."""
    names = _numeric(question)
    gaps = [
        [synthetic - confidential for synthetic, confidential in zip(*shares(question, name, True), strict=True)]
        for name in names
    ]
    return EcdfUtilityResult(
        tuple(names),
        np.array([[np.abs(gap).max() for gap in one] for one in gaps]),
        np.array([[(gap**2).mean() for gap in one] for one in gaps]),
        question.n,
        question.release.n,
    )


def _by_value(question: Question, name: str, gap: str) -> Picture:
    from synthlab.plots.utility import plot_ecdf

    data = question.confidential, question.release
    return draw(
        lambda ax: plot_ecdf(*data, variable=name, ax=ax, data=question.data_kind),
        f"Distribution of {name}.",
        f"Empirical distribution functions of {name}, confidential and synthetic; they differ by {gap}.",
    )


def _by_share(question: Question, name: str, gap: str, *, publish: bool) -> Picture:
    from synthlab.plots.utility import plot_shares

    return draw(
        lambda ax: plot_shares(*shares(question, name, publish), variable=name, ax=ax, data=question.data_kind),
        f"Distribution of {name}, by shares. On the dotted diagonal, both datasets agree.",
        f"Share of the confidential records with {name} below a limit, plotted against the share of the synthetic records; the "
        f"line deviates from the diagonal by {gap}.",
        SQUARE,
    )


def shares(question: Question, name: str, publish: bool) -> tuple[list[FloatArray], list[FloatArray]]:
    """Return the shares of synthetic and confidential records below about 100 limits.

    The limits are synthetic values; a record at the limit counts as below it.

    For publication there are at most 100 limits, the same for all datasets, because the limits of two datasets could
    enclose a few people. Each interval between two limits, and beyond the last one, contains either no records of a
    file or at least 10.
    """
    own = _sorted(question.confidential[name])
    files = [_sorted(frame[name]) for frame in question.release]
    common = _in_groups(_quantiles(np.concatenate(files))[:-1], *files, own) if publish else None
    synthetic: list[FloatArray] = []
    confidential: list[FloatArray] = []
    for values in files:
        at = _quantiles(values) if common is None else common
        for found, source in ((synthetic, values), (confidential, own)):
            found.append(np.concatenate([[0.0], np.searchsorted(source, at, side="right") / source.size, [1.0]]))
    return synthetic, confidential


def _quantiles(values: FloatArray) -> FloatArray:
    return np.unique(np.quantile(values, np.linspace(0.0, 1.0, POINTS), method="inverted_cdf"))


def _in_groups(limits: FloatArray, *sources: FloatArray) -> FloatArray:
    """Return limits between which each source has no or at least 10 records.

    The groups before the first and after the last limit are included.
    """
    below = np.stack([np.searchsorted(source, limits, side="right") for source in sources])
    total = np.array([source.size for source in sources])
    kept: list[int] = []
    last = np.zeros(len(sources), dtype=np.int64)
    for place in range(limits.size):
        groups = np.stack([below[:, place] - last, total - below[:, place]])
        if not ((groups > 0) & (groups < SMALLEST_GROUP)).any():
            kept.append(place)
            last = below[:, place]
    return limits[kept]


def _sorted(series: pd.Series) -> FloatArray:
    values = _checks.measurements(series)
    return np.sort(values[~np.isnan(values)])
