"""Distances between the one-way and two-way tables of both files."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from synthlab._format import SMALLEST_GROUP, percent
from synthlab.report.evaluation_inputs import Question
from synthlab.report.measure import SQUARE, WIDE, Line, Measure, Picture, Row, Shown, Table, Write, coarse, draw
from synthlab.report.measures.pmse import refused, seen
from synthlab.utility import TableUtilityResult, table_utility
from synthlab.utility._frames import looks_measured
from synthlab.utility.tables import Margin, expected_total_variation

GROUPS = 5  # groups of a numeric variable
FIGURES = 6  # variables drawn on a page
SMALL = 14  # largest number of variables whose names are readable in a small map
LARGE = (8.0, 7.6)  # inches
WORST = 10  # pairs listed
WORK = 4_000_000_000  # largest product of records, tables and datasets; further datasets are not counted


class Tables(Measure[TableUtilityResult]):
    """Total variation distance of all one-way and two-way tables."""

    name = "table_utility"
    title = "Tables of one and two variables"
    section = "utility"
    numbers = ("variable_distance", "pair_distance", "worst_pair_ratio")
    asks_intruder = False
    groups = True

    def applies(self, question: Question) -> str | None:
        """Require a variable with few enough values."""
        return None if seen(question) else "every variable has too many values."

    def left_out(self, question: Question) -> list[str]:
        """Name variables with too many values, and state how many datasets count."""
        lost = [f"{text}." for text in question.once(refused).values() if text is not None]
        counted = _datasets(question)
        if counted < question.m:
            lost.append(
                f"{len(seen(question))} variables form many pairs; only the first {counted} of {question.m} datasets are counted."
            )
        return lost

    def compute(self, question: Question) -> TableUtilityResult:
        """Count the cells.

        Numeric variables are grouped by quintiles of the confidential data.
        """
        release = question.release.frames[: _datasets(question)]
        names = seen(question)
        codes = {c: "category" for c in question.categorical if c in names}
        frame, *frames = (one.astype(codes) for one in (question.confidential, *release))
        found = table_utility(frame, frames, variables=names, bins=GROUPS, missing=question.intruder.missing)
        return _coarse(found, _step(question, True)) if question.publish else found

    def rows(self, result: TableUtilityResult, question: Question) -> list[Row]:
        """Return the distances of the worst variable and of the worst pair."""
        return [
            Row(
                name,
                label,
                per_dataset=_spread(result, places, question.m),
                confidential=0.0,
                step=SMALLEST_GROUP / question.n,
            )
            for name, label, places in (
                ("variable_distance", "worst variable (total variation)", _order(result, 1)[:1]),
                ("pair_distance", "worst pair (total variation)", _order(result, 2)[:1]),
            )
            if places
        ] + [
            Row(
                "worst_pair_ratio",
                f"{result.names[place]}: distance / expected",
                per_dataset=_ratios(result, place, question.m),
                confidential=0.0,
            )
            for place in _worst_ratio(result)
        ]

    def utility(self, result: TableUtilityResult, question: Question) -> str | None:
        """Name the pair whose distance exceeds the expected one by the largest factor."""
        for place in _worst_ratio(result):
            ratio = float(np.nanmean(_ratios(result, place, question.m)))
            return f"the worst pair of variables is {result.names[place]} ({question.digits(ratio)} times the expected distance)"
        return None

    def lines(self, result: TableUtilityResult, question: Question, people: Write) -> list[Line]:
        """Describe the worst variable and the worst pair, with the expected distances."""
        step = _step(question, question.publish)
        texts = ((1, "Distribution of single variables: the worst"), (2, "Pairs of variables: the worst"))
        return [
            Line(
                heading,
                _percent(result.total_variation[place], step),
                "0%",
                f"{result.names[place]}: {_percent(result.total_variation[place], step)} of the records are in a wrong "
                f"cell{question.average}; {_percent(result.expected_total_variation[place], step)} are expected if records are "
                f"drawn from the confidential table. {len(order)} {'variables' if ways == 1 else 'pairs'} are compared; numeric "
                f"variables have {GROUPS} groups.",
            )
            for ways, heading in texts
            if (order := _order(result, ways))
            for place in order[:1]
        ]

    def to_dict(self, result: TableUtilityResult, question: Question, *, publish: bool) -> dict[str, Any]:
        """Return the distance of every table, without cells.

        For publication, distances are rounded to steps of 10 records.
        """
        tables = result.summary().reset_index()
        if publish:
            tables = tables.drop(columns=["cells", "max_difference"])
            for column in ("total_variation", "expected_total_variation"):
                tables[column] = [coarse(value, _step(question, publish)) for value in tables[column].tolist()]
        return {"groups": GROUPS, "datasets": result.m, "tables": tables.to_dict("records")}

    def show(self, result: TableUtilityResult, question: Question, *, show_values: bool, publish: bool) -> Shown:
        """Draw bars and a map of all pairs, and list the worst pairs."""
        frame = question.confidential
        order = [result.margins[place] for place in _order(result, 1)]
        categories = [
            margin
            for margin in order
            if margin.variables[0] in question.changed
            and (margin.variables[0] in question.categorical or not looks_measured(frame[margin.variables[0]]))
        ]
        pictures = [_bars(question, margin, show_values, publish) for margin in categories[:FIGURES]]
        pairs = _order(result, 2)
        if not pairs:
            return Shown(tuple(pictures), not_drawn=tuple(margin.variables[0] for margin in categories[FIGURES:]))
        step = _step(question, publish)
        pictures.append(_map(question, result, step))
        cells = [
            [
                result.names[place],
                _percent(result.total_variation[place], step),
                _percent(result.expected_total_variation[place], step),
            ]
            for place in pairs[:WORST]
        ]
        worst = Table(
            "The worst pairs of variables",
            "Share of the records in a wrong cell. Pairs with the largest excess over the expected share come first.",
            ["Pair", "Release", "Expected"],
            cells,
        )
        return Shown(tuple(pictures), (worst,), tuple(margin.variables[0] for margin in categories[FIGURES:]))


def _step(question: Question, publish: bool) -> float:
    """Return the rounding step of a distance.

    An exact distance, combined with the released counts, would reveal the confidential count of a small cell.
    """
    return SMALLEST_GROUP / question.n if publish else 0.0


def _coarse(result: TableUtilityResult, step: float) -> TableUtilityResult:
    """Return the mean distances, rounded, after the cells with fewer than 10 records were combined in each table.

    The order of the tables and the ratios depend only on these numbers.
    """
    total, expected = result.total_variation.copy(), result.expected_total_variation.copy()
    for place, margin in enumerate(result.margins):
        own = margin.confidential
        few = own < SMALLEST_GROUP
        if 0 < own[few].sum() < SMALLEST_GROUP and not few.all():
            few[np.flatnonzero(~few)[np.argmin(own[~few])]] = True
        counts = np.vstack([own, margin.synthetic])
        counts = np.column_stack([counts[:, ~few], counts[:, few].sum(axis=1)])
        share = counts / counts.sum(axis=1, keepdims=True)
        chance = expected_total_variation(share[0], round(float(counts[1:].sum(axis=1).mean())))
        total[place] = coarse(float(np.abs(share[1:] - share[0]).sum(axis=1).mean() / 2), step)
        expected[place] = coarse(chance, step)
    return replace(result, total_variation=total, expected_total_variation=expected)


def _percent(distances: Any, step: float) -> str:
    return percent(coarse(float(np.mean(distances)), step))


def _datasets(question: Question) -> int:
    wide = len(seen(question))
    each = max(question.n, question.release.n) * max(wide * (wide + 1) // 2, 1)
    return int(min(question.m, max(1, WORK // each)))


def _order(result: TableUtilityResult, ways: int) -> list[int]:
    """Return the indices of the tables of `ways` variables, the worst first."""
    excess = result.total_variation.mean(axis=1) - result.expected_total_variation
    return [int(i) for i in np.argsort(-excess, kind="stable") if len(result.margins[i].variables) == ways]


def _spread(result: TableUtilityResult, places: list[int], m: int) -> list[float]:
    """Return the distance in each dataset; NaN in datasets that were not counted."""
    counted = result.total_variation[places[0]].tolist()
    return [*counted, *[float("nan")] * (m - len(counted))]


def _worst_ratio(result: TableUtilityResult) -> list[int]:
    """Return the index of the pair with the largest distance ratio, in a list."""
    expected = result.expected_total_variation
    pairs = [i for i, one in enumerate(result.margins) if len(one.variables) == 2 and expected[i] > 0]
    return [max(pairs, key=lambda i: float(result.total_variation[i].mean() / expected[i]))] if pairs else []


def _ratios(result: TableUtilityResult, place: int, m: int) -> list[float]:
    """Return the ratio in each dataset; NaN in the datasets that were not counted."""
    return [value / float(result.expected_total_variation[place]) for value in _spread(result, [place], m)]


def _bars(question: Question, margin: Margin, show_values: bool, publish: bool) -> Picture:
    from synthlab.plots.tables import MOST_LEVELS, plot_level_shares

    (name,) = margin.variables
    smallest = SMALLEST_GROUP if publish else 1
    # Levels that were not released are confidential values and are not shown.
    return draw(
        lambda ax: plot_level_shares(
            margin, ax, data=question.data_kind, smallest=smallest, released_only=not show_values
        ),
        f"Categories of {name}.",
        f"Shares of the levels of {name} in the confidential and the synthetic data.",
        (WIDE[0], max(WIDE[1], 1.6 + 0.42 * min(len(margin.levels[0]), MOST_LEVELS + 1))),
    )


def _map(question: Question, result: TableUtilityResult, step: float) -> Picture:
    from synthlab.plots.tables import plot_pair_distances

    first = _order(result, 2)[0]
    excess = float(result.total_variation[first].mean() - result.expected_total_variation[first])
    text = f"the darkest is {result.names[first]}" if excess > 0 else "none exceeds the expected distance"
    return draw(
        lambda ax: plot_pair_distances(result, ax, data=question.data_kind, step=step),
        "All pairs of variables: share of the records in a wrong cell, in excess of the expected share. The diagonal shows single "
        "variables.",
        f"A map of all pairs of variables; {text}.",
        SQUARE if len(_order(result, 1)) <= SMALL else LARGE,
    )
