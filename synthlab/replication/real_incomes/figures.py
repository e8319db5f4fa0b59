"""Figure of the ratios to the confidential data, by file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from synthlab.plots.style import DescribedFigure, figure_with_description
from synthlab.replication.paper_tables import read_numbers
from synthlab.replication.real_incomes.samples import FILES

if TYPE_CHECKING:
    from synthlab.replication.real_incomes.study import RealIncomesResult


def ratios(result: RealIncomesResult, statistic: str = "median") -> DescribedFigure:
    """Draw a statistic of the releases under Marginal, divided by that of the data, for each file and the paper."""
    import matplotlib.pyplot as plt

    table = result.weighted
    rows = table[(table["case"] == "M") & (table["measure"] == f"{statistic}, ratio")]
    found = {file: rows.loc[rows["file"] == file, "value"].to_numpy() for file in FILES}
    key = f"M_{statistic.replace('90 % quantile', '90_quantile')}"
    paper = float(read_numbers("real_incomes")[key]["printed"])
    _, ax = plt.subplots(figsize=(7.0, 3.2), layout="constrained")
    for place, values in enumerate(found.values()):
        ax.plot(values, [place] * len(values), "o", color="C0", alpha=0.7)
    ax.axvline(1.0, color="gray", linewidth=1.0)
    ax.axvline(paper, color="C1", linewidth=1.5, linestyle="--", label=f"paper, {paper:.3f}")
    ax.set_yticks(range(len(FILES)), FILES)
    ax.invert_yaxis()
    ax.set_xlabel(f"{statistic.replace(' %', '%')} under Marginal, divided by that of the data")
    ax.legend(loc="best", frameon=False)
    means = "; ".join(f"{file} {values.mean():.3f}" for file, values in found.items())
    return figure_with_description(
        ax,
        f"The {statistic.replace(' %', '%')} of income under Marginal, divided by that of the confidential data, one point for "
        f"each release. The dashed line is the ratio of the paper, {paper:.3f}. Means by file: {means}.",
    )
