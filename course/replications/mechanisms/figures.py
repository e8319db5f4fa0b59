"""Figure of the mechanisms at equal epsilon."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from synthlab.plots.style import DescribedFigure, figure_with_description

if TYPE_CHECKING:
    from replications.mechanisms.study import MechanismsResult

FILES = {
    "yes or no": "An affair, yes or no: two cells",
    "table": "Three answers: eight cells",
    "income": "Income in 24 declared bins",
}
KINDS = {"yes or no": "real", "table": "real", "income": "simulated"}
DISTANCE = "total variation distance from the file"


def distance(result: MechanismsResult, case: str) -> DescribedFigure:
    """Draw the distance between the releases and the file for every mechanism and epsilon."""
    from synthlab.teaching.figures.equal_epsilon import plot_equal_epsilon

    chosen = result.utility[(result.utility["case"] == case) & (result.utility["measure"] == "distance")]
    kind: Any = KINDS[case]
    ax = plot_equal_epsilon(chosen, result.guarantees, label=DISTANCE, title=FILES[case], data=kind)
    parts = []
    for mechanism, rows in chosen.groupby("mechanism", sort=False):
        values = ", ".join(f"{v:.3g}" for v in rows.sort_values("epsilon")["mean"])
        parts.append(f"{mechanism} {values}")
    epsilons = ", ".join(f"{e:g}" for e in sorted(chosen["epsilon"].unique())[:-1])
    text = f"{FILES[case]}: {DISTANCE}, one row per mechanism, at epsilon {epsilons}: {'; '.join(parts)}."
    return figure_with_description(ax, text)
