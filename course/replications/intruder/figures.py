"""Figure of Table 1 over the repetitions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from replications.intruder.settings import MAIN
from replications.intruder.tables import label
from synthlab.plots.style import DescribedFigure, figure_with_description

if TYPE_CHECKING:
    from replications.intruder.study import IntruderReplication


def table_1(result: IntruderReplication, measure: str, setting: str = MAIN) -> DescribedFigure:
    """Draw a measure of Table 1 under one setting: prediction intervals and published numbers."""
    from synthlab.teaching.figures.repetition_intervals import plot_ranges

    chosen = (result.settings["measure"] == measure) & (result.settings["setting"] == setting)
    rows = result.settings[chosen]
    ax = plot_ranges(
        [label(row, m) for row, m in zip(rows["row"], rows["m"], strict=True)],
        rows["mean"],
        rows["from"],
        rows["to"],
        published=rows["published"],
        xlabel=f"{measure} match risk (youths)",
        title=f"Table 1: {measure} match risk",
        interval="95% prediction interval",
        data=result.data_kind,
    )
    return figure_with_description(
        ax,
        f"Table 1, {measure} match risk, setting {setting!r}. Bars are 95% prediction intervals for one run, with a stroke at the mean. "
        f"Diamonds are the published numbers; {int(rows['inside_95'].sum())} of {len(rows)} diamonds are inside their interval.",
    )
