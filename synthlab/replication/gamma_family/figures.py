"""The figures of the gamma family replication, each with what it shows in words."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING, Any

import pandas as pd

from synthlab.replication.gamma_family.measures import BAR_SIZES
from synthlab.replication.gamma_family.settings import FLAT, RIVAL, SHOWN
from synthlab.replication.page import Picture, pictures

if TYPE_CHECKING:
    from synthlab.replication.gamma_family.study import GammaFamilyResult


PAPER = ("GAF", "NBI")


def draw(result: GammaFamilyResult) -> dict[str, Picture]:
    """Return every figure of the page."""
    return pictures(_labelled(chain(_of_the_paper(result), _beyond(result)), result.simulated))


def _labelled(drawn: Iterator[tuple[str, Any, str]], simulated: bool) -> Iterator[tuple[str, Any, str]]:
    """Say in the margin that the data are real where they are; the figures themselves say simulated."""
    from synthlab.plots.data_provenance import WORDS

    for name, ax, words in drawn:
        for text in ax.texts:
            if not simulated and text.get_text() == WORDS["simulated"]:
                text.set_text(WORDS["real"])
        yield name, ax, words


def _of_the_paper(result: GammaFamilyResult) -> Iterator[tuple[str, Any, str]]:
    """Draw Figures 1 to 7: name, axes and words of each."""
    from synthlab.teaching.figures import gamma_family as plots, gamma_family_map as maps

    yield (
        "figure_1",
        plots.plot_variance(result.variance),
        "Figure 1: variance of the GAF against its mean for three nu, sigma = 1; dots: exact variance after rounding, about "
        "1/12 more.",
    )
    for name, nu in (("figure_2_flat", 0.0), ("figure_2_falling", -0.5)):
        yield (
            name,
            plots.plot_rounding(result.density, nu=nu),
            f"Figure 2: density of the gamma family with mu = 10, sigma = 1, nu = {nu:g} (the paper does not say which nu), and "
            "the probabilities of the counts it is rounded to.",
        )
    for name, setting in (("flat", FLAT), ("gaf", SHOWN), ("nbi", RIVAL)):
        yield (
            f"figure_3_{name}",
            plots.plot_ten_counts(result.ten_counts, setting=setting),
            f"Figure 3, {setting}: synthetic counts of one cell of size 1, 5, 10, 20 and 50 each; thin lines are the originals.",
        )
    for number, given in ((4, "confidential"), (5, "synthetic")):
        for k in BAR_SIZES:
            ax = plots.plot_bars(result.bars, given=given, k=k)
            yield f"figure_{number}_{k}", ax, _bar_words(result.bars, number, given, k)
    yield "figure_6", maps.plot_overlap(result.settings), _overlap_words(result.settings)
    yield (
        "figure_7",
        maps.plot_map(result.settings, groups=PAPER),
        "Figure 7: risk tau4(1) against the paper's utility, occupied cells; beside each point sigma (and nu). All NBI "
        "points lie at utility 0.",
    )
    yield (
        "figure_7_mse",
        maps.plot_map(result.settings, groups=PAPER, y="mse_occupied"),
        "The same with the mean squared error itself, logarithmic, less error upwards.",
    )


def _beyond(result: GammaFamilyResult) -> Iterator[tuple[str, Any, str]]:
    """Draw what the paper has no figure of: name, axes and words of each."""
    from synthlab.teaching.figures import gamma_family as plots, gamma_family_map as maps

    for metric in ("tau3", "tau4"):
        yield (
            f"agreement_{metric}",
            plots.plot_tau_agreement(result.tau, metric=metric),
            f"Measured {metric} less its a priori value, in binomial standard errors, one point a setting and size; the band "
            "holds 95 %.",
        )
    yield (
        "map_all",
        maps.plot_map(result.settings, y="mse_occupied"),
        "Risk against mean squared error of the occupied cells: all settings.",
    )
    yield (
        "map_all_empty",
        maps.plot_map(result.settings, y="mse"),
        "Risk against mean squared error of all cells, the empty ones included: the pseudocount costs the GAF most of its "
        "lead, the Bernoulli draw gives it back.",
    )


def _bar_words(bars: pd.DataFrame, figure: int, given: str, k: int) -> str:
    rows = bars[(bars["given"] == given) & (bars["k"] == k) & (bars["other"] == k)].set_index("setting")["share"]
    parts = "; ".join(f"{setting} {share:.3f}" for setting, share in rows.items())
    what = (
        f"original counts of {k} that stay {k}" if given == "confidential" else f"synthetic counts of {k} that were {k}"
    )
    return f"Figure {figure}, k = {k}. Share of {what}: {parts}. Dashes: a priori."


def _overlap_words(settings: pd.DataFrame) -> str:
    rows = settings.dropna(subset=["overlap_q50"])
    medians = rows.groupby("group", sort=False)["overlap_q50"].agg(["min", "max"])
    return "Figure 6: overlap of the confidence intervals. Medians: " + "; ".join(
        f"{group} {low:.2f}" + (f" to {high:.2f}" if high - low > 0.005 else "")
        for group, low, high in zip(medians.index, medians["min"], medians["max"], strict=True)
    )
