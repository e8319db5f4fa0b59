"""Risk-Efficient Bayesian Data Synthesis (Hu, Savitsky and Williams 2021), computed again.

The simulation study runs on the paper's own 1,000 values, where only Monte-Carlo error separates the
numbers, and on samples drawn anew, which show the spread of samples. The income study runs on ce2017,
SIMULATED consumer units in the shape of the paper's: its numbers can be near the paper's, not equal.
Every finished piece is a file, so an interrupted run goes on where it was.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from synthlab import _rng, datasets
from synthlab._typing import FloatArray, PathOrStr, RngLike
from synthlab.datasets._files import packaged_file
from synthlab.lab.replication.checkpoints import Pieces, check_seed, write_table
from synthlab.lab.replication.risk_weighted import counts, incomes

SEED = 20210711
FOLDER = "build/replication/risk_weighted"
RECORDED = "replication/risk_weighted"
TABLES = ("study_numbers", "study_risk", "income_numbers", "income_moles", "claims")
RECORDS = ("study_records", "income_records")
FULL: dict[str, Any] = {
    "repetitions": 40,
    "samples": 20,
    "resamples": 200,
    "draws": 50,
    "sampler": {"draws": 1000, "tune": 1000, "thin": 4, "chains": 2},
    "nuts": {"draws": 300, "tune": 500, "chains": 2, "target_accept": 0.95},
}
QUICK: dict[str, Any] = {
    "repetitions": 3,
    "samples": 2,
    "resamples": 50,
    "draws": 10,
    "sampler": {"draws": 150, "tune": 150, "thin": 1, "chains": 2},
    "nuts": {},
}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class RiskWeightedResult:
    """Our numbers beside the paper's.

    Attributes
    ----------
    study_numbers : pandas.DataFrame
        Tables 5 and 6: ``published``; mean, ``low`` and ``high`` (95 % of the repetitions on the paper's values) and
        ``inside``; the same range over new samples.
    study_risk : pandas.DataFrame
        IR, rises and expected rises by synthesizer and r.
    income_numbers : pandas.DataFrame
        Tables 4 and 7 and the IQR of IR: one row a case, allocation and measure, ``published`` where it is.
    income_moles : pandas.DataFrame
        Whack-a-mole: rises, those of noise, rises of the expected IR.
    claims : pandas.DataFrame
        What the paper says in words, whether it holds here, and the numbers.
    study_records, income_records : pandas.DataFrame
        One row a record, for the figures.
    folder : Path or None
        Where tables, figures and the page were written.
    """

    study_numbers: pd.DataFrame
    study_risk: pd.DataFrame
    income_numbers: pd.DataFrame
    income_moles: pd.DataFrame
    claims: pd.DataFrame
    study_records: pd.DataFrame
    income_records: pd.DataFrame
    folder: Path | None = None

    def to_frame(self) -> pd.DataFrame:
        """Return every published number beside ours, one row each."""
        study = self.study_numbers[["table", "row", "quantity", "published", "ours", "low", "high", "inside"]]
        income = self.income_numbers.dropna(subset=["published"])
        income = income.assign(
            table="4, 7, text (simulated data)",
            row=income["case"] + ", " + income["allocation"],
            quantity=income["measure"],
        )
        return pd.concat([study, income[["table", "row", "quantity", "published", "ours"]]], ignore_index=True)

    def summary(self) -> pd.DataFrame:
        """Return the claims of the paper and whether they hold here."""
        return self.claims

    def describe(self) -> str:
        """Say in two sentences how it went."""
        inside, count = int(self.study_numbers["inside"].sum()), len(self.study_numbers)
        holds = (self.claims["holds"] == "yes").sum()
        return (
            f"Simulation study on the paper's own values: {inside} of {count} published numbers of tables 5 and 6 lie within "
            f"95 % of our repetitions. Of {len(self.claims)} statements of the paper {holds} hold here; the income study is "
            "on SIMULATED data in the shape of the paper's."
        )

    def __str__(self) -> str:
        where = "" if self.folder is None else f"\n\npage: {self.folder / 'index.html'}"
        lines = [f"  {row.holds:>7}  {row.claim}\n           {row.evidence}" for row in self.claims.itertuples()]
        return self.describe() + "\n\n" + "\n".join(lines) + where

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return f"<p>{escape(self.describe())}</p>" + self.claims.to_html(index=False)


def run(
    *, quick: bool = False, folder: PathOrStr | None = None, rng: RngLike = None, progress: bool = True
) -> RiskWeightedResult:
    """Run both studies, and write tables (CSV), figures and an HTML page.

    Parameters
    ----------
    quick : bool
        A few repetitions, three fits on a quarter of the income records with short chains: to see that it works.
    folder : path, optional
        Where pieces, tables and the page go; by default ``build/replication/risk_weighted`` (with ``_quick``). Pieces of
        an interrupted run with the same seed are used again.
    rng : int, optional
        Seed; by default that of the recorded result.
    progress : bool
        Show a progress bar on standard error.

    Returns
    -------
    RiskWeightedResult

    Raises
    ------
    InputError
        If `rng` is not a whole number, or the folder holds pieces of a run with another seed or size.
    """
    from tqdm import tqdm

    from synthlab.lab.replication.risk_weighted.page import write_page

    seed = check_seed(rng, SEED)
    size = QUICK if quick else FULL
    where = Path(folder if folder is not None else FOLDER + ("_quick" if quick else ""))
    pieces = Pieces(where / "pieces", {"seed": seed, **size})
    jobs = _study_jobs(seed, size, pieces) + _income_jobs(seed, size, pieces, quick)
    for words, job in (bar := tqdm(jobs, disable=not progress, unit="piece")):
        bar.set_description(words)
        job()
    result = _assemble(pieces, where)
    for name in TABLES + RECORDS:
        write_table(getattr(result, name), where / _file(name), 4 if name in RECORDS else 10)
    write_page(result, where)
    return result


def recorded() -> RiskWeightedResult:
    """Return the recorded result of the full run."""
    tables: dict[str, Any] = {}
    for name in TABLES + RECORDS:
        with packaged_file(f"{RECORDED}/{_file(name)}").open("rb") as file:
            tables[name] = pd.read_csv(file, compression="gzip" if name in RECORDS else None)
    tables["income_numbers"]["allocation"] = tables["income_numbers"]["allocation"].fillna("")
    return RiskWeightedResult(**tables)


def _study_jobs(seed: int, size: dict[str, Any], pieces: Pieces) -> list[tuple[str, Callable[[], None]]]:
    paper = datasets.load("nb_mixture", version="paper").frame

    def one(kind: str, number: int) -> None:
        def compute() -> tuple[pd.DataFrame, dict[str, FloatArray]]:
            frame = paper
            if kind == "sample":
                stream = _rng.as_generator(np.random.SeedSequence([seed, 1, number]))
                frame = datasets.load("nb_mixture", version="simulated", rng=stream).frame
            table, records = counts.repeat(frame, seed, number + 10_000 * (kind == "sample"), size["resamples"])
            keep = kind == "paper" and number == 0
            return table, {str(c): records[c].to_numpy() for c in records} if keep else {}

        pieces.make(f"{kind}_{number:03d}", compute)

    jobs = [("paper", i) for i in range(size["repetitions"])] + [("sample", i) for i in range(size["samples"])]
    return [(f"simulation study, {kind} {i + 1}", partial(one, kind, i)) for kind, i in jobs]


def _income_jobs(seed: int, size: dict[str, Any], pieces: Pieces, quick: bool) -> list[tuple[str, Callable[[], None]]]:
    frame = datasets.load("ce2017").frame
    if quick:
        chosen = np.sort(_rng.as_generator(seed).choice(len(frame), len(frame) // 4, replace=False))
        frame = frame.iloc[chosen].reset_index(drop=True)

    def one(case: incomes.Case) -> None:
        sampler = size["nuts"] if case.engine == "nuts" else size["sampler"]
        pieces.make(
            f"income {case.name}",
            lambda: incomes.run_case(case, frame, seed, sampler, size["resamples"], size["draws"], longer=not quick),
        )

    def baseline() -> None:
        def compute() -> tuple[pd.DataFrame, dict[str, FloatArray]]:
            table, arrays = incomes.run_topcoding(frame, seed, size["resamples"])
            return table, {**arrays, "income": frame["income"].to_numpy(dtype=np.float64)}

        pieces.make("income baseline", compute)

    cases = [c for c in incomes.cases(frame) if c.quick or not quick]
    jobs: list[tuple[str, Callable[[], None]]] = [("income study, topcoding", baseline)]
    return jobs + [(f"income study, {case.name}", partial(one, case)) for case in cases]


def _assemble(pieces: Pieces, folder: Path) -> RiskWeightedResult:
    from synthlab.lab.replication.risk_weighted import tables

    paper = [pieces.read(name) for name in pieces.names("paper_")]
    samples = [pieces.read(name)[0] for name in pieces.names("sample_")]
    income = {name.removeprefix("income "): pieces.read(name) for name in pieces.names("income ")}
    repeated, drawn = (pd.concat(t, keys=range(len(t)), names=["run"]) for t in ([t for t, _ in paper], samples))
    study = tables.study_numbers(repeated, drawn)
    risk = tables.study_risk(repeated, drawn)
    numbers = tables.income_numbers({k: t for k, (t, _) in income.items()})
    moles = tables.income_moles({k: a for k, (_, a) in income.items()})
    records = tables.income_records({k: a for k, (_, a) in income.items()})
    claims = tables.claims(repeated, numbers, moles, records)
    return RiskWeightedResult(study, risk, numbers, moles, claims, pd.DataFrame(paper[0][1]), records, folder)


def _file(name: str) -> str:
    return f"{name}.csv.gz" if name in RECORDS else f"{name}.csv"
