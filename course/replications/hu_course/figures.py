"""Figures of the numbers of the slides."""

from __future__ import annotations

from typing import TYPE_CHECKING

from synthlab.plots.style import DescribedFigure, figure_with_description

if TYPE_CHECKING:
    from replications.hu_course.study import HuCourseResult


def draws(result: HuCourseResult, model: str) -> DescribedFigure:
    """Draw the 95% posterior interval of every parameter, divided by its half-width, and the first printed draw."""
    from synthlab.teaching.figures.repetition_intervals import plot_ranges

    rows = result.table[result.table["key"].str.startswith(f"{model}_") & (result.table["kind"] == "posterior draw")]
    half, middle = (rows["high"] - rows["low"]) / 2, (rows["high"] + rows["low"]) / 2
    published = (rows["published"].astype(float) - middle) / half
    names = [quantity.split(", ", 1)[1] for quantity in rows["quantity"]]
    ax = plot_ranges(
        names,
        (rows["ours"] - middle) / half,
        -1.0 + 0 * half,
        1.0 + 0 * half,
        published=published,
        xlabel="distance from the middle of the 95% interval (half-widths)",
        data="real",
    )
    outside = int((published.abs() > 1).sum())
    return figure_with_description(
        ax,
        f"Printed draws of the {model} regression, in half-widths of the 95% posterior intervals: "
        f"{outside} of {len(rows)} lie outside -1 to 1.",
    )


def intervals(result: HuCourseResult, name: str) -> DescribedFigure:
    """Draw the confidential and the combined interval of the mean of Expenditure or the slope of Income."""
    from synthlab.teaching.figures.repetition_intervals import plot_ranges

    rows = result.table.set_index("key")
    own = rows.loc[
        [f"confidential_{'mean' if name == 'mean' else 'income'}_{end}" for end in ("estimate", "lower", "upper")]
    ]
    combined = rows.loc[[f"{name}_{end}" for end in ("q_bar", "lower", "upper")]]
    middle, low, high = zip(own["ours"], combined["ours"], strict=True)
    printed = [float(one["published"].iloc[0]) for one in (own, combined)]
    what = {"mean": "mean of Expenditure (US$)", "slope": "slope of Income"}[name]
    ax = plot_ranges(
        ["confidential", "synthetic, m = 20"], middle, low, high, published=printed, xlabel=what, data="real"
    )
    return figure_with_description(
        ax,
        f"95% intervals of the {what}: confidential {low[0]:.4g} to {high[0]:.4g}, synthetic {low[1]:.4g} to {high[1]:.4g}. "
        "The marks are the printed estimates.",
    )
