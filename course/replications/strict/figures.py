"""Figure of the distance from the file against epsilon."""

from __future__ import annotations

from typing import TYPE_CHECKING

from replications.strict.fits import PLAIN
from synthlab.plots.style import DescribedFigure, figure_with_description

if TYPE_CHECKING:
    from replications.strict.study import StrictResult


def distance(result: StrictResult, case: str) -> DescribedFigure:
    """Draw U_m of every mechanism against epsilon, for one kind of file."""
    from synthlab.plots.lipschitz import plot_price

    rows = result.means().reset_index()
    rows = rows[rows["case"] == case]
    rows = rows.assign(lipschitz_bound=rows["epsilon"], value=rows["U_m"])
    plain = float(rows.loc[rows["mechanism"] == PLAIN, "value"].iloc[0])
    ax = plot_price(rows[rows["mechanism"] != PLAIN], label=f"U_m, {case}")
    ax.set_xlabel("epsilon of one dataset")  # the Lipschitz bound is half of it for incomes, and equal to it for counts
    ax.axhline(plain, linewidth=1.0, color="gray")
    parts = [
        f"{name} {', '.join(f'{v:.3g}' for v in one['U_m'])}" for name, one in rows.groupby("mechanism", sort=False)
    ]
    return figure_with_description(
        ax,
        f"{case}: U_m, the largest distance between the distribution functions, against epsilon. The horizontal line is the "
        f"unweighted synthesizer. U_m by mechanism, from the largest to the smallest scale: {'; '.join(parts)}.",
    )
