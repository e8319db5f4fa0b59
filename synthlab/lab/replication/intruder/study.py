"""Estimating risks of identification disclosure in partially synthetic data (Reiter and Mitra 2009), computed again.

Table 1 attacks the youths in custody under fourteen scenarios. It rests on one run of each; here the synthesis and
every attack are repeated, so that the paper's numbers stand beside a mean and a range. On the survey itself where it
is at hand, else on a simulated stand-in. Every finished repetition is a file, so an interrupted run goes on.
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

from synthlab._typing import PathOrStr, RngLike
from synthlab.datasets._files import packaged_file
from synthlab.lab.replication.checkpoints import Pieces, check_seed, write_table
from synthlab.lab.replication.intruder import attacks as study
from synthlab.lab.replication.intruder import tables
from synthlab.lab.replication.intruder.data import FACILITY, load_youths, prepare

SEED = 20090108
FOLDER = "build/replication/intruder"
RECORDED = "replication/intruder"
TABLES = ("claims", "table_1", "population", "prior", "held_out", "approximation", "baseline", "runs")
FULL: dict[str, Any] = {
    "repetitions": 10,
    "draws": 100,
    "facilities": None,
    "precisions": [0.1, 1.0, 20.0],
    "prior_repetitions": 3,
    "held_out": [0.01, 0.1, 1.0, 3.0, 5.0, 10.0, 20.0, 50.0],
}
QUICK: dict[str, Any] = {
    "repetitions": 2,
    "draws": 10,
    "facilities": 8,
    "precisions": [20.0],
    "prior_repetitions": 1,
    "held_out": [1.0, 5.0],
}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class IntruderReplication:
    """Our numbers beside the paper's.

    Attributes
    ----------
    claims : pandas.DataFrame
        What section 3 says, in how many repetitions it holds, and the numbers.
    table_1 : pandas.DataFrame
        One row a scenario, m (0: the released data play no part) and measure: ``published``, our ``mean``, ``low``, ``high``,
        ``sd``, whether the paper's number is ``inside``, and for fixed parameters the ``limit`` for infinitely many
        simulations.
    population : pandas.DataFrame
        The attack with N_t from the survey weights: measures by scenario and rule.
    prior : pandas.DataFrame
        Rows of Table 1 at m = 3 under other precisions of the prior.
    held_out : pandas.DataFrame
        Mean log probability of the facility of youths left out, by precision.
    approximation : pandas.DataFrame
        Youths of rare races and small facilities, and their synthetic number on average, by precision.
    baseline : pandas.DataFrame
        Records, cells, unique youths, and the risks of the confidential data.
    runs : pandas.DataFrame
        Every repetition.
    data_kind : {"real", "simulated"}
        Which data.
    folder : Path or None
        Where tables, figures and the page were written.
    """

    claims: pd.DataFrame
    table_1: pd.DataFrame
    population: pd.DataFrame
    prior: pd.DataFrame
    held_out: pd.DataFrame
    approximation: pd.DataFrame
    baseline: pd.DataFrame
    runs: pd.DataFrame
    data_kind: str
    folder: Path | None = None

    @property
    def repetitions(self) -> int:
        """Number of repetitions of Table 1."""
        return int(self.runs.loc[self.runs["precision"] == study.PRECISION, "repetition"].nunique())

    def to_frame(self) -> pd.DataFrame:
        """Return Table 1: the published numbers beside ours."""
        return self.table_1.copy()

    def summary(self) -> pd.DataFrame:
        """Return the claims of the paper and whether they hold here."""
        return self.claims.copy()

    def describe(self) -> str:
        """Say in two sentences how it went."""
        inside = int(self.table_1["inside"].sum())
        which = "the survey" if self.data_kind == "real" else "a SIMULATED stand-in for the survey"
        holds = int((self.claims["verdict"] == "holds").sum())
        return (
            f"{self.repetitions} repetitions of Table 1 on {which}: {inside} of {len(self.table_1)} published numbers lie within "
            f"the range of ours. Of {len(self.claims)} statements of section 3 hold {holds}, in at least nine of ten "
            "repetitions."
        )

    def __str__(self) -> str:
        lines = [f"  [{row.verdict}] {row.claim}\n      {row.evidence}" for row in self.claims.itertuples()]
        where = "" if self.folder is None else f"\n\npage: {self.folder / 'index.html'}"
        return self.describe() + "\n\n" + "\n".join(lines) + where

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return f"<p>{escape(self.describe())}</p>" + self.claims.to_html(index=False)


def run(
    *,
    quick: bool = False,
    folder: PathOrStr | None = None,
    version: str | None = None,
    rng: RngLike = None,
    progress: bool = True,
) -> IntruderReplication:
    """Repeat Table 1, and write tables (CSV), figures and an HTML page.

    Parameters
    ----------
    quick : bool
        The eight largest facilities, two repetitions, ten simulated datasets: to see that it works.
    folder : path, optional
        Where repetitions, tables and the page go; by default ``build/replication/intruder`` (with ``_quick``). Finished
        repetitions of an interrupted run with the same seed are used again.
    version : {"real", "simulated"}, optional
        Which data; by default the survey where it is at hand.
    rng : int, optional
        Seed; by default that of the recorded result.
    progress : bool
        Show a progress bar on standard error.

    Returns
    -------
    IntruderReplication

    Raises
    ------
    InputError
        If `rng` is not a whole number, or the folder holds repetitions of a run with another seed, size or data.
    DatasetUnavailableError
        If ``version="real"`` is not on this machine.
    """
    from tqdm import tqdm

    from synthlab.lab.replication.intruder.page import write_page

    seed = check_seed(rng, SEED)
    size = QUICK if quick else FULL
    survey = load_youths(version)
    frame = prepare(survey.frame)
    if size["facilities"] is not None:
        frame = _largest(frame, size["facilities"])
    where = Path(folder if folder is not None else FOLDER + ("_quick" if quick else ""))
    pieces = Pieces(where / "pieces", {"seed": seed, "data": survey.sha256, **size})
    for words, job in (bar := tqdm(_jobs(frame, seed, size, pieces), disable=not progress, unit="piece")):
        bar.set_description(words)
        job()
    result = _assemble(pieces, frame, survey.kind, where)
    for name in TABLES:
        write_table(getattr(result, name), where / f"{name}.csv", 6)
    write_page(result, where)
    return result


def recorded() -> IntruderReplication:
    """Return the recorded result of the full run (`synthlab replicate intruder`).

    Examples
    --------
    >>> from synthlab.lab.replication import intruder
    >>> intruder.recorded().repetitions
    10
    """
    found: dict[str, Any] = {}
    for name in TABLES:
        with packaged_file(f"{RECORDED}/{name}.csv").open("rb") as file:
            table = pd.read_csv(file)
        whole = [c for c in ("m", "repetition") if c in table]
        found[name] = table.astype(dict.fromkeys(whole, "int64"))
    return IntruderReplication(**found, data_kind=str(found["baseline"]["data"].iloc[0]))


def _largest(frame: pd.DataFrame, number: int) -> pd.DataFrame:
    kept = frame[FACILITY].value_counts().index[:number]
    chosen = frame[frame[FACILITY].isin(kept)].reset_index(drop=True)
    chosen[FACILITY] = chosen[FACILITY].cat.remove_unused_categories()
    return chosen


def _jobs(frame: pd.DataFrame, seed: int, size: dict[str, Any], pieces: Pieces) -> list[tuple[str, Callable[[], None]]]:
    models = {p: study.new_model(frame, p) for p in (study.PRECISION, *size["precisions"])}

    def one(precision: float, number: int) -> None:
        main = precision == study.PRECISION
        pieces.make(
            f"precision_{precision:g}_{number:03d}",
            lambda: (
                study.repeat(
                    frame,
                    models[precision],
                    np.random.SeedSequence([seed, number]),
                    sizes=study.SIZES if main else (3,),
                    draws=size["draws"],
                    full=main,
                ).assign(precision=precision, repetition=number + 1),
                {},
            ),
        )

    def left_out() -> None:
        pieces.make("held_out", lambda: (study.held_out(frame, size["held_out"], seed), {}))

    def approximate() -> None:
        precisions = sorted({study.PRECISION, *size["precisions"]})
        pieces.make("approximation", lambda: (study.approximation(frame, precisions, seed), {}))

    jobs: list[tuple[str, Callable[[], None]]] = [("prior, held out", left_out), ("approximation", approximate)]
    for number in range(size["repetitions"]):
        jobs.append((f"Table 1, repetition {number + 1}", partial(one, study.PRECISION, number)))
    for precision in size["precisions"]:
        for number in range(size["prior_repetitions"]):
            jobs.append((f"precision {precision:g}, repetition {number + 1}", partial(one, precision, number)))
    return jobs


def _assemble(pieces: Pieces, frame: pd.DataFrame, kind: str, folder: Path) -> IntruderReplication:
    runs = pd.concat([pieces.read(name)[0] for name in pieces.names("precision_")], ignore_index=True)
    main = runs[runs["precision"] == study.PRECISION]
    population = [row for row in main["row"].unique() if "N_t" in row]
    compared = runs[(runs["m"] != 2) & (runs["m"] != 10)]
    return IntruderReplication(
        claims=tables.claims(main),
        table_1=tables.table_1(main),
        population=tables.summarise(main, population, []),
        prior=tables.summarise(compared, list(study.ROWS), ["precision"]).sort_values("precision", kind="stable"),
        held_out=pieces.read("held_out")[0],
        approximation=pieces.read("approximation")[0],
        baseline=pd.DataFrame([{"data": kind, **study.baseline(frame)}]),
        runs=runs,
        data_kind=kind,
        folder=folder,
    )
