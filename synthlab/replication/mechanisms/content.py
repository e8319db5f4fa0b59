"""The page of the mechanisms: a figure a case, what each guarantees, and the numbers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from synthlab.replication import page as pages
from synthlab.replication.mechanisms.data import CASES, MEASURES

if TYPE_CHECKING:
    from synthlab.replication.mechanisms.study import MechanismsResult

FILES = {
    "yes or no": "An affair, yes or no: two cells",
    "table": "Three answers: eight cells",
    "income": "Income in 24 declared bins",
}
KINDS = {"yes or no": "real", "table": "real", "income": "simulated"}
DISTANCE = "total variation distance from the file"


def page_content(result: MechanismsResult) -> dict[str, Any]:
    """Return what the page needs."""
    tables = {name: pages.shown(_wide(result, name), f"{name}: {FILES[name]}.", digits=3) for name in CASES}
    return {
        "figures": pages.pictures(_drawn(result)),
        "guarantees": pages.shown(result.guarantees, "The guarantee of each mechanism at its epsilon."),
        "settings": pages.shown(
            result.settings, "Count mechanisms: pseudocount of every cell, sigma, and the delta they have."
        ),
        "tables": [
            *tables.values(),
            pages.shown(result.utility, "Every measure: mean of the repetitions, and its 95 % interval."),
        ],
    }


def _drawn(result: MechanismsResult) -> Iterator[tuple[str, Any, str]]:
    from synthlab.teaching.figures.equal_epsilon import plot_equal_epsilon

    for number, name in enumerate(CASES):
        chosen = result.utility[(result.utility["case"] == name) & (result.utility["measure"] == "distance")]
        kind: Any = KINDS[name]
        ax = plot_equal_epsilon(chosen, result.guarantees, label=DISTANCE, title=FILES[name], data=kind)
        yield f"distance_{number}", ax, f"{FILES[name]}: {_words(chosen)}"


def _words(chosen: Any) -> str:
    parts = []
    for mechanism, rows in chosen.groupby("mechanism", sort=False):
        values = ", ".join(f"{v:.3g}" for v in rows.sort_values("epsilon")["mean"])
        parts.append(f"{mechanism} {values}")
    epsilons = ", ".join(f"{e:g}" for e in sorted(chosen["epsilon"].unique())[:-1])
    return f"{DISTANCE}, one row a mechanism, at epsilon {epsilons}: {'; '.join(parts)}."


def _wide(result: MechanismsResult, name: str) -> Any:
    """Return the means of every measure that applies, one row a mechanism and epsilon."""
    rows = result.utility[result.utility["case"] == name]
    wide = rows.pivot(index=["mechanism", "epsilon"], columns="measure", values="mean").rename_axis(columns=None)
    order = {mechanism: place for place, mechanism in enumerate(result.guarantees["mechanism"])}
    found = wide[[m for m in MEASURES if m in wide]].reset_index()
    kinds = result.guarantees.set_index("mechanism")["guarantee"]
    found.insert(1, "guarantee", found["mechanism"].map(kinds))
    return found.sort_values(["mechanism", "epsilon"], key=lambda c: c.map(order) if c.name == "mechanism" else c)
