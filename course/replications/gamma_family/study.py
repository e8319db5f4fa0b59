"""The gamma family for contingency tables (Jackson, Mitra, Francis and Dove), reproduced.

The paper's data, a substitute for the English School Census, are not public; its table of cell sizes is. The
replication runs on a SIMULATED table with exactly these numbers of cells of size 0 to 10 and above. Everything that
follows from them, tau3 and the published part of tau1, is the paper's own; what depends on the counts above
ten or on where the cells are (loss, totals, interval overlap) shows how the methods behave, not the paper's numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd

import synthlab.counts as slc
from replications.checkpoints import Job, Piece, Pieces
from replications.gamma_family import measures, settings as _settings
from replications.gamma_family.claims import check_claims
from replications.gamma_family.data import known, load_table, published
from replications.gamma_family.mixing_distributions import compare_average, compare_laws, compare_tolerances
from replications.gamma_family.overlap import coefficients
from replications.gamma_family.reference import check_reference
from replications.study import Result, Study, Tables, counted
from synthlab import _rng

SEED = 20220530
FULL: Mapping[str, Any] = {
    "m": 10,
    "ones": (0.005, 0.01, 0.02),
    "epsilons": (0.5, 1.0, 2.0, 4.0),
    "bare": True,
    "two_way": True,
}
QUICK: Mapping[str, Any] = {"m": 2, "ones": (0.01,), "epsilons": (1.0,), "bare": False, "two_way": False}
PARTS = ("tau", "bars", "ten_counts")  # the tables of a setting


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class GammaFamilyResult(Result):
    """The replication as tables, from which the figures are drawn.

    Attributes
    ----------
    settings : pandas.DataFrame
        One row per setting: risk, loss, mean squared error, totals, what became of the zeros, quantiles of the overlap.
    tau : pandas.DataFrame
        One row per setting and size: measured, a priori, the binomial error, and the difference in errors.
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
    tolerances : pandas.DataFrame
        tau3(k, d) and tau4(k, d): off by d counts as right.
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
    tolerances: pd.DataFrame
    average: pd.DataFrame

    @property
    def m(self) -> int:
        """Number of synthetic tables a setting."""
        return int(self.settings["m"].iloc[0])

    @property
    def simulated(self) -> bool:
        """True where the table was simulated; the grand total of another one is recorded."""
        return "n" not in self.settings

    def describe(self) -> str:
        """Return a summary in a few sentences."""
        cells, of = int(self.sizes["cells"].sum()), "a simulated" if self.simulated else "the archive's"
        return (
            f"{len(self.settings)} settings, m = {self.m} synthetic tables each, on {of} table of {cells:,} cells with the "
            f"published numbers of cells of size 0 to 10 and above. {counted(self.claims, self.published)}"
        )


@dataclass(frozen=True, slots=True, eq=False)
class Counts:
    """The table of a run, and its version: "simulated" or "archive"."""

    version: str
    table: slc.Table


class GammaFamily(Study[GammaFamilyResult]):
    """The gamma family on a simulated table, or with ``version="archive"`` on the one that users bring."""

    name, paper = "gamma_family", _settings.PAPER
    result, seed, full, quick = GammaFamilyResult, SEED, FULL, QUICK
    options = ("version",)
    takes = ("some minutes", "half a minute")
    small = True
    raw = MappingProxyType(
        # Enough digits to compare the metrics recorded from R; elsewhere below what the order of additions moves.
        dict.fromkeys(
            ("settings", "tau", "sizes", "variance", "density", "ten_counts", "bars", "laws", "tolerances", "average"),
            8,
        )
        | {"reference": 15}
    )

    def load(self, size: Mapping[str, Any], **options: Any) -> Counts:
        """Return the table."""
        version = options.get("version") or "simulated"
        return Counts(version, load_table(version))

    def source(self, data: Counts) -> dict[str, Any]:
        """Return the version of the table, where it is not simulated."""
        return {} if data.version == "simulated" else {"data": data.version}

    def jobs(self, seed: int, size: Mapping[str, Any], data: Counts) -> list[Job]:
        """Return the nine GAF and three NBI settings of the paper, and what goes beyond it."""
        table, m = data.table, size["m"]
        settings = _settings.paper_settings() + _settings.repaired_settings(size["ones"])
        settings += _settings.laplace_settings(size["epsilons"])
        if size["bare"]:
            settings += _settings.bare_settings()
        if size["two_way"]:
            settings += _settings.two_way_settings(slc.fit_log_linear(table, _settings.TWO_WAY))
        first, *streams, last = _rng.spawn(seed, len(settings) + 2)
        cells, model = measures.choose_cells(table, first), coefficients(table)
        return [
            *(
                Job(one.label, f"setting_{i:02d}", partial(_piece, table, one, m, stream, model, cells))
                for i, (one, stream) in enumerate(zip(settings, streams, strict=True))
            ),
            Job("other distributions", "laws", lambda: (compare_laws(table), {})),
            Job("the average of the tables", "average", lambda: (compare_average(table, m, last, model), {})),
        ]

    def collect(self, pieces: Pieces, data: Counts) -> Tables:
        """Return the raw tables."""
        found = [pieces.read(name) for name in pieces.names("setting_")]
        rows = pd.concat([row for row, _ in found], ignore_index=True)
        if data.version != "simulated":
            rows["n"] = data.table.total
        for where in ("_occupied", ""):
            rows[f"utility{where}"] = slc.mse_utility(rows[f"mse{where}"])
        variance, density = measures.curves()
        return {
            "settings": rows,
            "reference": check_reference(),
            "sizes": data.table.size_summary(),
            "tolerances": compare_tolerances(data.table),
            "variance": variance,
            "density": density,
            **{name: pieces.read(name)[0] for name in ("laws", "average")},
            **{name: pd.concat([_unpacked(arrays, name) for _, arrays in found], ignore_index=True) for name in PARTS},
        }

    def derive(self, raw: Tables) -> dict[str, Any]:
        """Return the claims and the published numbers."""
        return {
            "claims": check_claims(raw["settings"], raw["tau"], raw["reference"], _total(raw["settings"])),
            "published": published(raw["sizes"], simulated="n" not in raw["settings"]),
        }


def _total(rows: pd.DataFrame) -> int:
    """Return the grand total of the table that a run was on."""
    return int(rows["n"].iloc[0]) if "n" in rows else known()[0]


def _piece(
    table: slc.Table, setting: _settings.Setting, m: int, rng: np.random.Generator, model: pd.DataFrame, cells: dict[int, int]
) -> Piece:  # fmt: skip
    """Return the row of a setting, and the columns of its other tables."""
    found = measures.measure(table, setting, m, rng, model=model, cells=cells)
    tables = {name: getattr(found, name) for name in PARTS}
    return pd.DataFrame([found.row]), {
        f"{name}: {column}": values.to_numpy(dtype=None if values.dtype.kind in "if" else str)
        for name, part in tables.items()
        for column, values in part.items()
    }


def _unpacked(arrays: Mapping[str, Any], name: str) -> pd.DataFrame:
    return pd.DataFrame({k.removeprefix(f"{name}: "): a for k, a in arrays.items() if k.startswith(f"{name}: ")})


STUDY = GammaFamily()
run, recorded, summary = STUDY.run, STUDY.recorded, STUDY.summary
