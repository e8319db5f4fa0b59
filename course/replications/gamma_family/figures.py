"""Figures 1 to 7 of the paper on the gamma family, each with a description."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from replications.gamma_family.settings import SHOWN
from synthlab.plots.style import DescribedFigure, figure_with_description

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from replications.gamma_family.study import GammaFamilyResult

PAPER = ("GAF", "NBI")


def figure_1(result: GammaFamilyResult) -> DescribedFigure:
    """Draw the variance of the GAF against its mean."""
    from replications.gamma_family import paper_figures as plots

    return _described(
        result,
        plots.plot_variance(result.variance),
        "Variance of the GAF against its mean for three values of nu, with sigma = 1. Dots show the exact variance after rounding, "
        "which is about 1/12 larger.",
    )


def figure_2(result: GammaFamilyResult, nu: float = -0.5) -> DescribedFigure:
    """Draw a density of the gamma family and the probabilities of the rounded counts."""
    from replications.gamma_family import paper_figures as plots

    return _described(
        result,
        plots.plot_rounding(result.density, nu=nu),
        f"Density of the gamma family with mu = 10, sigma = 1 and nu = {nu:g}, and the probabilities of the counts after rounding.",
    )


def figure_3(result: GammaFamilyResult, setting: str = SHOWN) -> DescribedFigure:
    """Draw the synthetic counts of one cell of each size."""
    from replications.gamma_family import paper_figures as plots

    return _described(
        result,
        plots.plot_ten_counts(result.ten_counts, setting=setting),
        f"{setting}: {result.m} synthetic counts of one cell of size 1, 5, 10, 20 and 50 each; thin lines are the original counts.",
    )


def figure_4(result: GammaFamilyResult, k: int) -> DescribedFigure:
    """Draw the synthetic counts of the cells of size k."""
    from replications.gamma_family import paper_figures as plots

    what = f"Proportion of original counts of {k} that remain {k}"
    ax = plots.plot_bars(result.bars, given="confidential", k=k)
    return _described(
        result, ax, f"{what}: {_shares(result.bars, 'confidential', k)}. Dashes show the expected proportions."
    )


def figure_5(result: GammaFamilyResult, k: int) -> DescribedFigure:
    """Draw the original counts of the synthetic counts of k."""
    from replications.gamma_family import paper_figures as plots

    what = f"Proportion of synthetic counts of {k} whose original count is {k}"
    ax = plots.plot_bars(result.bars, given="synthetic", k=k)
    return _described(
        result, ax, f"{what}: {_shares(result.bars, 'synthetic', k)}. Dashes show the expected proportions."
    )


def figure_6(result: GammaFamilyResult) -> DescribedFigure:
    """Draw the overlap of the confidence intervals."""
    from replications.gamma_family import maps

    rows = result.settings.dropna(subset=["overlap_q50"])
    medians = rows.groupby("group", sort=False)["overlap_q50"].agg(["min", "max"])
    parts = [f"{row.Index} {row.min:.2f} to {row.max:.2f}" for row in medians.itertuples()]
    return _described(
        result,
        maps.plot_overlap(result.settings),
        f"Overlap of the confidence intervals. Median overlaps: {'; '.join(parts)}.",
    )


def figure_7(result: GammaFamilyResult, y: str = "utility_occupied", all_settings: bool = False) -> DescribedFigure:
    """Draw the risk tau4(1) against the utility or the mean squared error, for the settings of the paper or for all."""
    from replications.gamma_family import maps

    ax = maps.plot_map(result.settings, groups=None if all_settings else PAPER, y=y)
    utility = {
        "utility_occupied": "the utility of the paper for the occupied cells; all NBI points have utility 0",
        "mse_occupied": "the mean squared error of the occupied cells (logarithmic scale, smaller errors at the top)",
        "mse": "the mean squared error of all cells (logarithmic scale, smaller errors at the top)",
    }[y]
    return _described(result, ax, f"Risk tau4(1) against {utility}. Each point is one setting of a family.")


def agreement(result: GammaFamilyResult, metric: str = "tau4") -> DescribedFigure:
    """Draw the difference between measured and expected metrics."""
    from replications.gamma_family import paper_figures as plots

    return _described(
        result,
        plots.plot_tau_agreement(result.tau, metric=metric),
        f"Measured {metric} minus its expected value, in binomial standard errors, one point per setting and size. The band contains "
        "95% of the points if the expected values are correct.",
    )


def _shares(bars: pd.DataFrame, given: str, k: int) -> str:
    rows = bars[(bars["given"] == given) & (bars["k"] == k) & (bars["other"] == k)].set_index("setting")["share"]
    return "; ".join(f"{setting} {share:.3f}" for setting, share in rows.items())


def _described(result: GammaFamilyResult, ax: Axes, words: str) -> DescribedFigure:
    """Return the figure with its description; the margin states whether the data are real."""
    from synthlab.plots.data_provenance import WORDS

    for text in ax.texts:
        if not result.simulated and text.get_text() == WORDS["simulated"]:
            text.set_text(WORDS["real"])
    return figure_with_description(ax, words)
