"""Figure of lecture 16: shares and weights of the groups of a stratified sample."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from synthlab._typing import FloatArray
from synthlab.plots import _decorators, style
from synthlab.plots.color import BASELINE, CONFIDENTIAL, INK
from synthlab.plots.style import DescribedFigure, figure_with_description

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def show_strata(population: pd.Series, survey: pd.Series, *, label: str) -> DescribedFigure:
    """Show the shares of groups in a population and in a survey, with weights.

    Parameters
    ----------
    population, survey : pandas.Series
        Group of each person in the population, and of each record of the survey. Every group must occur in both.
    label : str
        Label of the groups.

    Returns
    -------
    DescribedFigure

    Examples
    --------
    >>> import pandas as pd
    >>> from synthlab.teaching.figures.lecture_16 import show_strata
    >>> people = pd.Series(["north"] * 90 + ["south"] * 10)
    >>> print(show_strata(people, pd.Series(["north", "south"] * 5), label="region"))
    Figure: Two bars for each of 2 groups by region: its share of the 100 people of the population and of the 10 records of the survey. north: 90% and 50%, weight 18.00. south: 10% and 50%, weight 2.00.
    """
    people = population.value_counts(sort=False)
    people = people[people > 0]
    records = survey.value_counts(sort=False)[people.index]
    description = (
        f"Two bars for each of {len(people)} groups by {label}: its share of the "
        f"{people.sum():,} people of the population and of the {records.sum():,} records of the survey."
    )
    shares_of_people, shares_of_records = (
        np.asarray(100 * counts / counts.sum(), dtype=np.float64) for counts in (people, records)
    )
    weights = np.asarray(people / records, dtype=np.float64)
    names = [str(name) for name in people.index]
    for name, expected, observed, weight in zip(names, shares_of_people, shares_of_records, weights, strict=True):
        description += f" {name}: {expected:.0f}% and {observed:.0f}%, weight {weight:.2f}."
    axes = _plot_strata(names, shares_of_people, shares_of_records, weights, label=label)
    return figure_with_description(axes, description)


@_decorators.figure()
def _plot_strata(names: list[str], people: FloatArray, records: FloatArray, weights: FloatArray, *, label: str) -> Axes:
    ax = style.axes(None, (9.0, 4.4))
    centers = np.arange(len(names), dtype=np.float64)
    ax.bar(centers - 0.2, people, 0.36, color=BASELINE, alpha=0.45, label="population")
    ax.bar(centers + 0.2, records, 0.36, color=CONFIDENTIAL, label="survey")
    for center, top, weight in zip(centers, np.maximum(people, records), weights, strict=True):
        ax.text(float(center), top + 1.0, f"weight {weight:.2f}", ha="center", color=INK)
    ax.set_xticks(centers, [style.literal(name) for name in names])
    ax.set_ylim(0, 1.15 * max(people.max(), records.max()))
    return style.finish(
        ax, xlabel=label, ylabel="share (%)", title="Equal numbers of unequal groups", legend={"loc": "upper left"}
    )
