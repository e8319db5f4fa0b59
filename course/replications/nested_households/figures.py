"""Figure of the statistics of the synthetic households, by package."""

from __future__ import annotations

from typing import TYPE_CHECKING

from replications.nested_households.study import BY_SIZE, CORRECTED, compared
from synthlab.plots.style import DescribedFigure, figure_with_description

if TYPE_CHECKING:
    from replications.nested_households.study import NestedHouseholdsResult


def packages(result: NestedHouseholdsResult) -> DescribedFigure:
    """Draw the shares of both packages: range of the chains of synthlab, mean of the chains of R as corrected."""
    from synthlab.teaching.figures.repetition_intervals import plot_ranges

    table = compared(result.chains)
    table = table[~table.index.str.contains(" age ")]
    chains = result.chains[result.chains["sampler"] == BY_SIZE].groupby("statistic")["value"]
    low, high = (of.loc[table.index] for of in (chains.min(), chains.max()))
    ax = plot_ranges(
        list(table.index),
        table[BY_SIZE],
        low,
        high,
        published=table[CORRECTED],
        xlabel="share",
        interval="range of our chains",
        marks="R, corrected",
        data="simulated",
    )
    numbers = "; ".join(f"{name} {row[BY_SIZE]:.3f} and {row[CORRECTED]:.3f}" for name, row in table.iterrows())
    return figure_with_description(
        ax, f"Shares in the synthetic households, mean of synthlab (by size) and of R as corrected: {numbers}."
    )
