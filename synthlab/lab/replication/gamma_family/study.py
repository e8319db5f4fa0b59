"""The gamma family for contingency tables (Jackson, Mitra, Francis and Dove), computed again.

The paper's data, a substitute for the English School Census, are not public; its table of cell sizes is. The
replication runs on a SIMULATED table with exactly these numbers of cells of size 0 to 10 and above. Everything that
follows from them, tau3 and the published part of tau1, is the paper's own; what depends on the counts above
ten or on where the cells are (loss, totals, interval overlap) shows how the methods behave, not the paper's numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path
from typing import Any

import pandas as pd

import synthlab.counts as slc
from synthlab import _checks, _files, _rng, datasets
from synthlab._typing import PathOrStr, RngLike
from synthlab.datasets._files import packaged_file
from synthlab.lab.replication.gamma_family import measures as study
from synthlab.lab.replication.gamma_family import settings as _settings
from synthlab.lab.replication.gamma_family.claims import check_claims
from synthlab.lab.replication.gamma_family.overlap import coefficients
from synthlab.lab.replication.gamma_family.reference import check_reference

SEED = 20220530
FOLDER = "build/replication/gamma_family"
RECORDED = "replication/gamma_family"
TABLES = ("claims", "settings", "tau", "reference", "sizes", "variance", "density", "ten_counts", "bars")
# Significant digits: enough to compare the metrics recorded from R; elsewhere below what the order of additions moves.
DIGITS = {"reference": 15}
FULL: dict[str, Any] = {
    "m": 10,
    "ones": (0.005, 0.01, 0.02),
    "epsilons": (0.5, 1.0, 2.0, 4.0),
    "bare": True,
    "two_way": True,
}
QUICK: dict[str, Any] = {"m": 2, "ones": (0.01,), "epsilons": (1.0,)}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class GammaFamilyResult:
    """The replication as tables, from which the figures are drawn.

    Attributes
    ----------
    claims : pandas.DataFrame
        What the paper says, whether it holds here, and the numbers.
    settings : pandas.DataFrame
        One row a setting: risk, loss, mean squared error, totals, what became of the zeros, quantiles of the overlap.
    tau : pandas.DataFrame
        One row a setting and size: measured, a priori, the binomial error, and the difference in errors.
    reference : pandas.DataFrame
        The tau metrics of the published cell sizes: recorded from R, and ours.
    sizes : pandas.DataFrame
        The table of cell sizes.
    variance, density : pandas.DataFrame
        Figures 1 and 2.
    ten_counts : pandas.DataFrame
        Figure 3: synthetic counts of a cell of each size.
    bars : pandas.DataFrame
        Figures 4 and 5: where counts of 1, 5, 10, 20 go and come from, measured and expected.
    folder : Path or None
        Where tables, figures and the page were written.
    """

    claims: pd.DataFrame
    settings: pd.DataFrame
    tau: pd.DataFrame
    reference: pd.DataFrame
    sizes: pd.DataFrame
    variance: pd.DataFrame
    density: pd.DataFrame
    ten_counts: pd.DataFrame
    bars: pd.DataFrame
    folder: Path | None = None

    def to_frame(self) -> pd.DataFrame:
        """Return one row a setting."""
        return self.settings.copy()

    def summary(self) -> pd.DataFrame:
        """Return the claims."""
        return self.claims.copy()

    @property
    def m(self) -> int:
        """Number of synthetic tables a setting."""
        return int(self.settings["m"].iloc[0])

    def describe(self) -> str:
        """Say in a sentence what was run."""
        cells = int(self.sizes["cells"].sum())
        return (
            f"{len(self.settings)} settings, m = {self.m} synthetic tables each, on a simulated table of {cells:,} cells with the "
            "published numbers of cells of size 0 to 10 and above."
        )

    def save(self, folder: PathOrStr) -> Path:
        """Write every table as a CSV file; returns the folder."""
        path = Path(folder)
        for name in TABLES:
            digits = f"%.{DIGITS.get(name, 8)}g"
            table = getattr(self, name).to_csv(index=False, float_format=digits, lineterminator="\n")
            _files.write_text(path / f"{name}.csv", table)
        return path

    def __str__(self) -> str:
        lines = [f"[{row.verdict}] {row.where}: {row.claim}\n    {row.numbers}" for row in self.claims.itertuples()]
        where = [] if self.folder is None else ["", f"page: {self.folder / 'index.html'}"]
        return "\n".join([self.describe(), "", *lines, *where])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return f"<p>{escape(self.describe())}</p>" + self.claims.to_html(index=False)


def run(
    *, quick: bool = False, folder: PathOrStr | None = None, rng: RngLike = None, progress: bool = True
) -> GammaFamilyResult:
    """Run the replication, and write its tables (CSV), the figures and an HTML page.

    Parameters
    ----------
    quick : bool
        m = 2 and fewer settings beyond the paper's.
    folder : path, optional
        Where tables, figures and the page go; by default ``build/replication/gamma_family`` (with ``_quick``).
    rng : int or numpy.random.Generator, optional
        Seed; by default that of the recorded result.
    progress : bool
        Show a progress bar on standard error.

    Returns
    -------
    GammaFamilyResult
        What was written.
    """
    from synthlab.lab.replication.gamma_family.page import write_page

    result = compute_gamma_family(**(QUICK if quick else FULL), rng=SEED if rng is None else rng, progress=progress)
    where = result.save(folder if folder is not None else FOLDER + ("_quick" if quick else ""))
    write_page(result, where)
    return replace(result, folder=where)


def compute_gamma_family(
    *,
    m: int = 10,
    ones: Sequence[float] = (),
    epsilons: Sequence[float] = (),
    bare: bool = False,
    two_way: bool = False,
    rng: RngLike = SEED,
    progress: bool = False,
) -> GammaFamilyResult:
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
    rng : int or numpy.random.Generator
        The same seed gives the same tables.
    progress : bool
        Show a progress bar on standard error.

    Returns
    -------
    GammaFamilyResult
        The tables, and the claims of the paper with a verdict.

    Raises
    ------
    InputError
        If `m` is below 2, a share is outside [0, 1] or an epsilon not positive.
    """
    from tqdm import tqdm

    m = _checks.check_count(m, "m", 2)
    shares = [_checks.check_probability(share, "ones") for share in ones]
    losses = [_checks.check_number(epsilon, "epsilons", low=0.0, open_low=True) for epsilon in epsilons]
    table = slc.Table.from_frame(datasets.load("esc").frame, count="count")
    settings = _settings.paper_settings() + _settings.repaired_settings(shares) + _settings.laplace_settings(losses)
    if bare:
        settings += _settings.bare_settings()
    if two_way:
        settings += _settings.two_way_settings(slc.fit_log_linear(table, _settings.TWO_WAY))
    streams = _rng.spawn(rng, len(settings) + 1)
    cells, model = study.choose_cells(table, streams[0]), coefficients(table)
    found = []
    for setting, stream in (bar := tqdm(list(zip(settings, streams[1:], strict=True)), disable=not progress)):
        bar.set_description(setting.label)
        found.append(study.measure(table, setting, m, stream, model=model, cells=cells))
    rows = pd.DataFrame([one.row for one in found])
    rows["utility_occupied"], rows["utility"] = slc.mse_utility(rows["mse_occupied"]), slc.mse_utility(rows["mse"])
    tau, bars, ten_counts = (
        pd.concat([getattr(one, name) for one in found], ignore_index=True) for name in ("tau", "bars", "ten_counts")
    )
    reference = check_reference()
    variance, density = study.curves()
    return GammaFamilyResult(
        claims=check_claims(rows, tau, reference, table.total),
        settings=rows,
        tau=tau,
        reference=reference,
        sizes=table.size_summary(),
        variance=variance,
        density=density,
        ten_counts=ten_counts,
        bars=bars,
    )


def recorded() -> GammaFamilyResult:
    """Return the recorded result of the full run (`synthlab replicate gamma-family`).

    Examples
    --------
    >>> from synthlab.lab.replication import gamma_family
    >>> gamma_family.recorded().m
    10
    """
    tables: dict[str, Any] = {}
    for name in TABLES:
        with packaged_file(f"{RECORDED}/{name}.csv").open("rb") as file:
            tables[name] = pd.read_csv(file)
    return GammaFamilyResult(**tables)
