"""The gamma family for contingency tables (Jackson, Mitra, Francis and Dove), reproduced.

The paper's data, a substitute for the English School Census, are not public; its table of cell sizes is. The
replication runs on a SIMULATED table with exactly these numbers of cells of size 0 to 10 and above. Everything that
follows from them, tau3 and the published part of tau1, is the paper's own; what depends on the counts above
ten or on where the cells are (loss, totals, interval overlap) shows how the methods behave, not the paper's numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd

import synthlab.counts as slc
from synthlab import _checks, _parallel, _rng
from synthlab._typing import RngLike
from synthlab.lab.replication.gamma_family import measures, settings as _settings
from synthlab.lab.replication.gamma_family.claims import check_claims
from synthlab.lab.replication.gamma_family.data import known, load_table, published
from synthlab.lab.replication.gamma_family.laws import compare_average, compare_laws
from synthlab.lab.replication.gamma_family.overlap import coefficients
from synthlab.lab.replication.gamma_family.reference import check_reference
from synthlab.lab.replication.study import Result, Study, Tables, counted

SEED = 20220530
FULL: Mapping[str, Any] = {
    "m": 10,
    "ones": (0.005, 0.01, 0.02),
    "epsilons": (0.5, 1.0, 2.0, 4.0),
    "bare": True,
    "two_way": True,
}
QUICK: Mapping[str, Any] = {"m": 2, "ones": (0.01,), "epsilons": (1.0,)}


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class GammaFamilyResult(Result):
    """The replication as tables, from which the figures are drawn.

    Attributes
    ----------
    settings : pandas.DataFrame
        One row a setting: risk, loss, mean squared error, totals, what became of the zeros, quantiles of the overlap.
    tau : pandas.DataFrame
        One row a setting and size: measured, a priori, the binomial error, and the difference in errors.
    reference : pandas.DataFrame
        The tau metrics of the published cell sizes: recorded from R, and computed here.
    sizes : pandas.DataFrame
        The table of cell sizes.
    variance, density : pandas.DataFrame
        Figures 1 and 2.
    ten_counts : pandas.DataFrame
        Figure 3: synthetic counts of a cell of each size.
    bars : pandas.DataFrame
        Figures 4 and 5: where counts of 1, 5, 10, 20 go and come from, measured and expected.
    laws : pandas.DataFrame
        tau3 and tau4 under other distributions before rounding.
    average : pandas.DataFrame
        The interval overlap of the average of the tables beside that of the combined analyses.
    """

    settings: pd.DataFrame
    tau: pd.DataFrame
    reference: pd.DataFrame
    sizes: pd.DataFrame
    variance: pd.DataFrame
    density: pd.DataFrame
    ten_counts: pd.DataFrame
    bars: pd.DataFrame
    laws: pd.DataFrame
    average: pd.DataFrame

    @property
    def m(self) -> int:
        """Number of synthetic tables a setting."""
        return int(self.settings["m"].iloc[0])

    def describe(self) -> str:
        """Say in two sentences what was run and how it went."""
        cells, of = int(self.sizes["cells"].sum()), "a simulated" if "n" not in self.settings else "the archive's"
        return (
            f"{len(self.settings)} settings, m = {self.m} synthetic tables each, on {of} table of {cells:,} cells with the "
            f"published numbers of cells of size 0 to 10 and above. {counted(self.claims, self.published)}"
        )


class GammaFamily(Study[GammaFamilyResult]):
    """The gamma family on a simulated table."""

    name, paper, title = "gamma_family", _settings.PAPER, "The gamma family for contingency tables, computed again"
    result, seed, full, quick = GammaFamilyResult, SEED, FULL, QUICK
    options = ("version",)
    raw = MappingProxyType(
        # Enough digits to compare the metrics recorded from R; elsewhere below what the order of additions moves.
        dict.fromkeys(("settings", "tau", "sizes", "variance", "density", "ten_counts", "bars", "laws", "average"), 8)
        | {"reference": 15}
    )

    def compute(self, seed: int, size: Mapping[str, Any], folder: Path, progress: bool, **options: Any) -> Tables:
        """Return the raw tables."""
        return compute_gamma_family(**size, **options, rng=seed, progress=progress)

    def derive(self, raw: Tables) -> dict[str, Any]:
        """Return the claims and the published numbers."""
        return {
            "claims": check_claims(raw["settings"], raw["tau"], raw["reference"], _total(raw["settings"])),
            "published": published(raw["sizes"], simulated="n" not in raw["settings"]),
        }


def _total(rows: pd.DataFrame) -> int:
    """Return the grand total of the table that a run was on."""
    return int(rows["n"].iloc[0]) if "n" in rows else known()[0]


def compute_gamma_family(
    *,
    m: int = 10,
    ones: Sequence[float] = (),
    epsilons: Sequence[float] = (),
    bare: bool = False,
    two_way: bool = False,
    version: str = "simulated",
    rng: RngLike = SEED,
    progress: bool = False,
) -> Tables:
    """Compute the nine GAF and three NBI settings of the paper, and what goes beyond it; nothing is written.

    Parameters
    ----------
    m : int, default 10
        Number of synthetic tables a setting, >= 2; the paper has 10.
    ones : sequence of float
        Shares of the zeros, in [0, 1], that a Bernoulli draw turns into ones: the repair of the pseudocount, measured.
    epsilons : sequence of float
        Privacy losses, > 0, a table, of Laplace noise on the same map.
    bare : bool
        Whether to run three of the settings without a pseudocount as well.
    two_way : bool
        Whether to synthesize around the means of the all-two-way model of the five variables as well.
    version : {"simulated", "archive"}
        Of the data: the table that users bring, see `synthlab.datasets.load`, or one of the same cell sizes.
    rng : int or numpy.random.Generator
        The same seed gives the same tables.
    progress : bool
        Show a progress bar on standard error.

    Returns
    -------
    dict of pandas.DataFrame
        The tables that are recorded, see `GammaFamilyResult`.

    Raises
    ------
    InputError
        If `m` is below 2, a share is outside [0, 1] or an epsilon not positive.
    """
    m = _checks.check_count(m, "m", 2)
    shares = [_checks.check_probability(share, "ones") for share in ones]
    losses = [_checks.check_number(epsilon, "epsilons", low=0.0, open_low=True) for epsilon in epsilons]
    table = load_table(version)
    settings = _settings.paper_settings() + _settings.repaired_settings(shares) + _settings.laplace_settings(losses)
    if bare:
        settings += _settings.bare_settings()
    if two_way:
        settings += _settings.two_way_settings(slc.fit_log_linear(table, _settings.TWO_WAY))
    streams = _rng.spawn(rng, len(settings) + 2)
    cells, model = measures.choose_cells(table, streams[0]), coefficients(table)
    found = _parallel.each(
        partial(_measure, table, m, model, cells),
        zip(settings, streams[1:-1], strict=True),
        prefer="processes",
        what="settings",
        progress=progress,
        probe=True,
    )
    rows = pd.DataFrame([one.row for one in found])
    if version != "simulated":
        rows["n"] = table.total
    rows["utility_occupied"], rows["utility"] = slc.mse_utility(rows["mse_occupied"]), slc.mse_utility(rows["mse"])
    tau, bars, ten_counts = (
        pd.concat([getattr(one, name) for one in found], ignore_index=True) for name in ("tau", "bars", "ten_counts")
    )
    variance, density = measures.curves()
    return {
        "settings": rows,
        "tau": tau,
        "reference": check_reference(),
        "sizes": table.size_summary(),
        "variance": variance,
        "density": density,
        "ten_counts": ten_counts,
        "bars": bars,
        "laws": compare_laws(table),
        "average": compare_average(table, m, streams[-1]),
    }


def _measure(
    table: slc.Table,
    m: int,
    model: pd.DataFrame,
    cells: dict[int, int],
    setting_and_rng: tuple[_settings.Setting, np.random.Generator],
) -> measures.Measured:
    setting, rng = setting_and_rng
    return measures.measure(table, setting, m, rng, model=model, cells=cells)


STUDY = GammaFamily()
run, recorded, summary, page = STUDY.run, STUDY.recorded, STUDY.summary, STUDY.page
