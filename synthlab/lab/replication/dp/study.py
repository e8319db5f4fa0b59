"""The pseudo posterior mechanism (Savitsky, Williams and Hu), computed again.

The paper's study of family income runs on ce2017, SIMULATED consumer units in the shape of the paper's, so its numbers can be
near the paper's, not equal: with a mixture of two regressions, and with one regression. Counts from a negative binomial
are small enough to be repeated many times, on one dataset and on datasets drawn anew. Every finished piece is a file, so an
interrupted run goes on where it was.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from synthlab import _rng, datasets
from synthlab._typing import FloatArray, PathOrStr, RngLike
from synthlab.datasets._files import packaged_file
from synthlab.lab.replication.checkpoints import Pieces, check_seed, write_table
from synthlab.lab.replication.dp import fits, settings, tables
from synthlab.lab.replication.dp import measures as study
from synthlab.lab.replication.dp.claims import check_claims
from synthlab.lab.replication.dp.data import count_study, income_studies

SEED = 20190926
FOLDER = "build/replication/dp"
RECORDED = "replication/dp"
TABLES = ("claims", "table_2", "numbers", "repetitions")
CURVES = ("sensitivities", "statistics")  # for the figures
FULL: dict[str, Any] = {
    "repetitions": 12,
    "samples": 12,
    "resamples": 200,
    "counts": {"draws": 1000, "tune": 500, "chains": 2},
    "nuts": {"draws": 200, "tune": 300, "chains": 2, "target_accept": 0.9},
    "gibbs": {"draws": 500, "tune": 1000, "thin": 2, "chains": 2},
    "tolerance": 0.02,
    "max_fits": 8,
    "again": True,
    "share": 1,
}
QUICK: dict[str, Any] = {
    "repetitions": 2,
    "samples": 1,
    "resamples": 50,
    "counts": {"draws": 200, "tune": 200, "chains": 1},
    "nuts": {"draws": 30, "tune": 30, "chains": 1},
    "gibbs": {"draws": 80, "tune": 80, "thin": 1, "chains": 1},
    "tolerance": 0.1,
    "max_fits": 1,
    "again": False,
    "share": 16,
}
Piece = tuple[pd.DataFrame, dict[str, FloatArray]]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class DPResult:
    """The replication as tables, from which the figures are drawn.

    Attributes
    ----------
    claims : pandas.DataFrame
        What the paper says, whether it holds here, and the numbers.
    table_2 : pandas.DataFrame
        The five settings: the paper's bound beside ours, of both studies, and epsilon.
    numbers : pandas.DataFrame
        One row a study, mechanism, setting and measure: ``value``; for the counts the mean of the repetitions, with ``low``
        and ``high`` (95 % of them), and the same over datasets drawn anew.
    repetitions : pandas.DataFrame
        One row a repetition: the numbers that have a spread.
    sensitivities : pandas.DataFrame
        Record sensitivities of the four mechanisms, Figure 2.
    statistics : pandas.DataFrame
        Quantile functions of the resampled statistics, Figures 3 to 5.
    folder : Path or None
        Where tables, figures and the page were written.
    """

    claims: pd.DataFrame
    table_2: pd.DataFrame
    numbers: pd.DataFrame
    repetitions: pd.DataFrame
    sensitivities: pd.DataFrame
    statistics: pd.DataFrame
    folder: Path | None = None

    def to_frame(self) -> pd.DataFrame:
        """Return the published bounds beside ours."""
        return self.table_2.copy()

    def summary(self) -> pd.DataFrame:
        """Return the claims of the paper and whether they hold here."""
        return self.claims.copy()

    def describe(self) -> str:
        """Say in two sentences how it went."""
        verdicts = self.claims["holds"].value_counts()
        parts = ", ".join(f"{verdicts.get(v, 0)} {v}" for v in ("yes", "partly", "no"))
        return (
            f"{self.claims['claim'].nunique()} statements of the paper, each looked at in {self.claims['study'].nunique()} studies, two of incomes "
            f"(SIMULATED data in the shape of the paper's) and one of counts; does it hold: {parts}. The bounds differ from the paper's in level "
            "because the data, the prior and the unit of the response do."
        )

    def __str__(self) -> str:
        lines = [f"  {r.holds:>7}  {r.study}: {r.claim}\n           {r.evidence}" for r in self.claims.itertuples()]
        where = "" if self.folder is None else f"\n\npage: {self.folder / 'index.html'}"
        return self.describe() + "\n\n" + "\n".join(lines) + where

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return f"<p>{escape(self.describe())}</p>" + self.claims.to_html(index=False)


def run(
    *, quick: bool = False, folder: PathOrStr | None = None, rng: RngLike = None, progress: bool = True
) -> DPResult:
    """Run both studies, and write tables (CSV), figures and an HTML page.

    Parameters
    ----------
    quick : bool
        An eighth of the income records, short chains, two repetitions: to see that it works.
    folder : path, optional
        Where pieces, tables and the page go; by default ``build/replication/dp`` (with ``_quick``). Pieces of an interrupted
        run with the same seed are used again.
    rng : int, optional
        Seed; by default that of the recorded result.
    progress : bool
        Show a progress bar on standard error.

    Returns
    -------
    DPResult

    Raises
    ------
    InputError
        If `rng` is not a whole number, or the folder holds pieces of a run with another seed or size.
    """
    from tqdm import tqdm

    from synthlab.lab.replication.dp.page import write_page

    seed = check_seed(rng, SEED)
    size = QUICK if quick else FULL
    where = Path(folder if folder is not None else FOLDER + ("_quick" if quick else ""))
    pieces = Pieces(where / "pieces", {"seed": seed, **size})
    jobs = _count_jobs(seed, size, pieces) + _income_jobs(seed, size, pieces)
    for words, job in (bar := tqdm(jobs, disable=not progress, unit="piece")):
        bar.set_description(words)
        job()
    result = _assemble(pieces, where)
    for name in (*TABLES, *CURVES):
        write_table(getattr(result, name), where / _file(name), 5 if name in CURVES else 8)
    write_page(result, where)
    return result


def recorded() -> DPResult:
    """Return the recorded result of the full run (`synthlab replicate dp`).

    Examples
    --------
    >>> from synthlab.lab.replication import dp
    >>> dp.recorded().table_2["published"].tolist()
    [10.1, 8.16, 7.3, 6.09, 5.71]
    """
    found: dict[str, Any] = {}
    for name in (*TABLES, *CURVES):
        with packaged_file(f"{RECORDED}/{_file(name)}").open("rb") as file:
            found[name] = pd.read_csv(file, compression="gzip" if name in CURVES else None)
    return DPResult(**found)


def _count_jobs(seed: int, size: dict[str, Any], pieces: Pieces) -> list[tuple[str, Callable[[], None]]]:
    paper = datasets.load("nb_mixture", version="paper").frame

    def one(kind: str, number: int) -> None:
        def compute() -> Piece:
            frame = paper
            if kind == "sample":
                stream = _rng.as_generator(np.random.SeedSequence([seed, 1, number]))
                frame = datasets.load("nb_mixture", version="simulated", rng=stream).frame
            sequence = np.random.SeedSequence([seed, 2, number, int(kind == "sample")])
            return study.repeat(count_study(frame, size), sequence, size["resamples"])

        pieces.make(f"{kind}_{number:03d}", compute)

    jobs = [("paper", i) for i in range(size["repetitions"])] + [("sample", i) for i in range(size["samples"])]
    return [(f"counts, {kind} {i + 1}", partial(one, kind, i)) for kind, i in jobs]


def _income_jobs(seed: int, size: dict[str, Any], pieces: Pieces) -> list[tuple[str, Callable[[], None]]]:
    frame = datasets.load("ce2017").frame
    if size["share"] > 1:
        rows = _rng.as_generator(seed).choice(len(frame), len(frame) // size["share"], replace=False)
        frame = frame.iloc[np.sort(rows)].reset_index(drop=True)
    jobs: list[tuple[str, Callable[[], None]]] = []
    for incomes, work in income_studies(frame, size):
        for mechanism, setting in work:
            label = settings.words(mechanism, setting)
            one = partial(_one_income, incomes, mechanism, setting, seed, size["resamples"], pieces)
            jobs.append((f"{incomes.name}, {label}", one))
    return jobs


def _one_income(
    incomes: settings.Study, mechanism: str, setting: tuple[float, float], seed: int, resamples: int, pieces: Pieces
) -> None:
    name = settings.words(mechanism, setting)

    def compute() -> Piece:
        fit_seed, release_seed = np.random.SeedSequence([seed, 4, *map(ord, incomes.name + name)]).spawn(2)
        target, tried = np.nan, None
        if mechanism == "EM":
            made = pieces.read(f"{incomes.name}; {settings.words('DP', setting)}")[0].set_index("measure")["value"]
            target = float(made["lipschitz_bound"])
            earlier = settings.SETTINGS[: settings.SETTINGS.index(setting)]
            found = [pieces.read(f"{incomes.name}; {settings.words('EM', s)}")[1]["tried"] for s in earlier]
            tried = np.vstack(found) if found else None
        plain = partial(_plain_incomes, incomes, seed)
        fit = fits.fit_mechanism(incomes, mechanism, setting, plain, target, tried, fit_seed)
        return study.measure(incomes, fit, mechanism, setting, resamples, release_seed)

    pieces.make(f"{incomes.name}; {name}", compute)


@lru_cache(maxsize=1)
def _plain_incomes(incomes: settings.Study, seed: int) -> Any:
    """Fit without weights, once for all mechanisms that start from it."""
    return fits.fit_plain(incomes, np.random.SeedSequence([seed, 3]))


def _assemble(pieces: Pieces, folder: Path) -> DPResult:
    counts = {kind: [pieces.read(name) for name in pieces.names(f"{kind}_")] for kind in ("paper", "sample")}
    income = {name: pieces.read(name) for name in pieces.names("income")}
    repetitions = tables.repetitions({k: [t for t, _ in found] for k, found in counts.items()})
    numbers = tables.numbers(repetitions, pd.concat([t for t, _ in income.values()]))
    arrays = {"counts": tables.by_mechanism(counts["paper"][0][1])}
    for name in tables.STUDIES[:-1]:
        arrays[name] = {k.removeprefix(f"{name}; "): a for k, (_, a) in income.items() if k.startswith(f"{name}; ")}
    return DPResult(
        check_claims(numbers, repetitions),
        tables.table_2(numbers),
        numbers,
        repetitions,
        tables.sensitivities(arrays),
        tables.statistics(arrays),
        folder,
    )


def _file(name: str) -> str:
    return f"{name}.csv.gz" if name in CURVES else f"{name}.csv"
