"""Figure of the coverage under survey designs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from synthlab.plots.style import DescribedFigure, figure_with_description

if TYPE_CHECKING:
    from replications.survey_design.study import SurveyDesignResult


def coverage(result: SurveyDesignResult, design: str, estimand: str) -> DescribedFigure:
    """Draw the coverage of every method with its 95% Monte Carlo interval."""
    from synthlab.teaching.figures.repetition_intervals import plot_ranges

    table = result.coverage
    rows = table[(table["design"] == design) & (table["estimand"] == estimand)]
    half = 1.96 * rows["mc_error"]
    ends = rows["coverage"] - half, rows["coverage"] + half
    ax = plot_ranges(
        list(rows["method"]),
        rows["coverage"],
        *ends,
        xlabel=f"coverage of 95% intervals, {estimand}",
        interval="95% Monte Carlo interval",
        data="simulated",
    )
    ax.axvline(0.95, linewidth=1.0, color="gray")
    parts = "; ".join(f"{name} {share:.1%}" for name, share in zip(rows["method"], rows["coverage"], strict=True))
    return figure_with_description(ax, f"{design}: coverage for the {estimand}. {parts}. The vertical line is 95%.")
