"""Figure of the ratios to the confidential data, by file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from replications.paper_tables import read_numbers
from replications.real_incomes.samples import FILES
from synthlab.plots.color import INK
from synthlab.plots.style import DescribedFigure, figure_with_description

if TYPE_CHECKING:
    from replications.real_incomes.study import RealIncomesResult


def ratios(result: RealIncomesResult, statistic: str = "median") -> DescribedFigure:
    """Draw a statistic of the releases under Marginal, divided by that of the data, for each file and the paper."""
    from synthlab.teaching.figures.repetition_intervals import plot_ranges

    table = result.weighted
    rows = table[(table["case"] == "M") & (table["measure"] == f"{statistic}, ratio")]
    found = rows.groupby("file")["value"].agg(["mean", "min", "max"]).loc[list(FILES)]
    key = f"M_{statistic.replace('90 % quantile', '90_quantile')}"
    paper = float(read_numbers("real_incomes")[key]["printed"])
    shown = statistic.replace(" %", "%")
    ax = plot_ranges(
        [f"{file} (simulated)" if file == "stand-in" else file for file in FILES],
        found["mean"],
        found["min"],
        found["max"],
        published=[paper] * len(FILES),
        xlabel=f"{shown} under Marginal, divided by that of the data",
    )
    ax.set_xlim(min(paper, found["min"].min(), 1.0) - 0.02, max(paper, found["max"].max(), 1.0) + 0.02)
    ax.axvline(1.0, color=INK, linewidth=1.0)
    means = "; ".join(f"{file} {value:.3f}" for file, value in found["mean"].items())
    return figure_with_description(
        ax,
        f"The {shown} of income under Marginal, divided by that of the confidential data: mean and range of five releases. "
        f"The line is at 1, the marks are the ratio of the paper, {paper:.3f}. Means by file: {means}.",
    )
