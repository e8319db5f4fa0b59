"""Figure of the published and computed risks of lecture 8."""

from __future__ import annotations

from typing import TYPE_CHECKING

from synthlab.plots.style import DescribedFigure, figure_with_description

if TYPE_CHECKING:
    from replications.lecture_8.study import Lecture8Result


def expected_match_risk(result: Lecture8Result) -> DescribedFigure:
    """Draw the expected match risk of every release with the published number."""
    from synthlab.teaching.figures.repetition_intervals import plot_ranges

    rows = result.table.xs("expected_match_risk", level="measure")
    here, printed = rows["here"].astype(float), rows["published"].astype(float)
    ax = plot_ranges(
        list(rows.index), here, here, here, published=printed, xlabel="expected match risk (records)", data="real"
    )
    parts = "; ".join(
        f"{name} {ours:.4g} (published {text})"
        for name, ours, text in zip(rows.index, here, rows["published"], strict=True)
    )
    return figure_with_description(ax, f"Expected match risk of each release: {parts}.")
