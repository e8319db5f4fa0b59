"""Figure of a stratified sample: shares and weights of the groups."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._typing import FloatArray
from synthlab.exceptions import InputError
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

    Raises
    ------
    InputError
        If a series is empty, a group occurs in only one series, or a group has fewer people than records.

    Examples
    --------
    >>> import pandas as pd
    >>> from synthlab.teaching.figures.strata import show_strata
    >>> people = pd.Series(["north"] * 90 + ["south"] * 10)
    >>> print(show_strata(people, pd.Series(["north", "south"] * 5), label="region"))
    Figure: Two bars for each of 2 groups by region: its share of the 100 people of the population and of the 10 records of the survey. north: 90% and 50%, weight 18.00. south: 10% and 50%, weight 2.00.
    """
    people, records = (_counts(given, name) for name, given in (("population", population), ("survey", survey)))
    if set(people.index) != set(records.index):
        raise InputError("population, survey: every group must occur in both")
    records = records[people.index]
    if (people < records).any():
        raise InputError("survey: a group has more records than the population has people")
    words = (
        f"Two bars for each of {len(people)} groups by {_checks.check_text(label, 'label')}: its share of the "
        f"{people.sum():,} people of the population and of the {records.sum():,} records of the survey."
    )
    there, here = ((100 * one / one.sum()).to_numpy() for one in (people, records))
    weights = (people / records).to_numpy()
    names = [str(name) for name in people.index]
    for name, one, other, weight in zip(names, there, here, weights, strict=True):
        words += f" {name}: {one:.0f}% and {other:.0f}%, weight {weight:.2f}."
    return figure_with_description(_plot(names, there, here, weights, label=label), words)


def _counts(given: object, name: str) -> pd.Series:
    if not isinstance(given, pd.Series) or given.empty or given.isna().any():
        raise InputError(f"{name}: must be a Series with the group of each record, got {_checks.described(given)}")
    counts = given.value_counts(sort=False)
    return counts[counts > 0]


@_decorators.figure()
def _plot(names: list[str], people: FloatArray, records: FloatArray, weights: FloatArray, *, label: str) -> Axes:
    ax = style.axes(None, (9.0, 4.4))
    at = np.arange(len(names), dtype=np.float64)
    ax.bar(at - 0.2, people, 0.36, color=BASELINE, alpha=0.45, label="population")
    ax.bar(at + 0.2, records, 0.36, color=CONFIDENTIAL, label="survey")
    for place, high, weight in zip(at, np.maximum(people, records), weights, strict=True):
        ax.text(float(place), high + 1.0, f"weight {weight:.2f}", ha="center", color=INK)
    ax.set_xticks(at, [style.literal(name) for name in names])
    ax.set_ylim(0, 1.15 * max(people.max(), records.max()))
    return style.finish(
        ax, xlabel=label, ylabel="share (%)", title="Equal numbers of unequal groups", legend={"loc": "upper left"}
    )
