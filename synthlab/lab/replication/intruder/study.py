"""Estimating risks of identification disclosure in partially synthetic data (Reiter and Mitra 2009), reproduced.

Table 1 attacks the youths in custody under fourteen scenarios. It rests on one run of each; here the synthesis and
every attack are repeated, so that the paper's numbers stand beside a mean and a range. On the survey itself where it
is at hand, else on a simulated stand-in. Every finished repetition is a file, so an interrupted run goes on.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd

from synthlab.lab.replication.checkpoints import Job, Piece, Pieces
from synthlab.lab.replication.intruder import attacks, tables
from synthlab.lab.replication.intruder.claims import check_claims
from synthlab.lab.replication.intruder.data import load_youths, prepare
from synthlab.lab.replication.intruder.models import FACILITY
from synthlab.lab.replication.study import Result, Study, Tables, counted

SEED = 20090108
FULL: Mapping[str, Any] = {
    "repetitions": 10,
    "draws": 100,
    "facilities": None,
    "precisions": [0.1, 1.0, 20.0],
    "prior_repetitions": 3,
    "held_out": [0.01, 0.1, 1.0, 3.0, 5.0, 10.0, 20.0, 50.0],
}
QUICK: Mapping[str, Any] = {
    "repetitions": 2,
    "draws": 10,
    "facilities": 8,
    "precisions": [20.0],
    "prior_repetitions": 1,
    "held_out": [1.0, 5.0],
}


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class IntruderReplication(Result):
    """Comparison of the results with the paper's numbers.

    Attributes
    ----------
    runs : pandas.DataFrame
        Every repetition: one row a scenario, m (0: the released data play no part) and precision of the prior.
    held_out : pandas.DataFrame
        Mean log probability of the facility of youths left out, by precision.
    approximation : pandas.DataFrame
        Youths of rare races and small facilities, and their synthetic number on average, by precision.
    baseline : pandas.DataFrame
        Records, cells, unique youths, and the risks of the confidential data.
    table_1 : pandas.DataFrame
        One row a scenario, m and measure: ``published``, our ``mean``, ``low``, ``high``, ``sd``, whether the paper's
        number is ``inside``, and for fixed parameters the ``limit`` for infinitely many simulations.
    population : pandas.DataFrame
        The attack with N_t from the survey weights: measures by scenario and rule.
    prior : pandas.DataFrame
        Rows of Table 1 at m = 3 under other precisions of the prior.
    """

    runs: pd.DataFrame
    held_out: pd.DataFrame
    approximation: pd.DataFrame
    baseline: pd.DataFrame
    table_1: pd.DataFrame
    population: pd.DataFrame
    prior: pd.DataFrame

    @property
    def repetitions(self) -> int:
        """Number of repetitions of Table 1."""
        return int(self.runs.loc[self.runs["precision"] == attacks.PRECISION, "repetition"].nunique())

    @property
    def data_kind(self) -> str:
        """The kind of data, "real" or "simulated"."""
        return str(self.baseline["data"].iloc[0])

    def describe(self) -> str:
        """Say in three sentences how it went."""
        which = "the survey" if self.data_kind == "real" else "a SIMULATED stand-in for the survey"
        return f"{self.repetitions} repetitions of Table 1 on {which}. {counted(self.claims, self.published)}"


@dataclass(frozen=True, slots=True, eq=False)
class Youths:
    """The data of a run: the prepared survey, whether it is real, and its checksum."""

    frame: pd.DataFrame
    kind: str
    sha256: str | None


class IntruderStudy(Study[IntruderReplication]):
    """Table 1, repeated; ``version`` of the data is "real" or "simulated", by default the survey where it is at hand."""

    name, paper = "intruder", attacks.PAPER
    title = "What an intruder can do with partially synthetic data, computed again"
    result, seed, full, quick = IntruderReplication, SEED, FULL, QUICK
    options = ("version",)
    raw = MappingProxyType(dict.fromkeys(("runs", "held_out", "approximation", "baseline"), 6))
    derived = MappingProxyType(dict.fromkeys(("table_1", "population", "prior"), 6))

    def load(self, size: Mapping[str, Any], **options: Any) -> Youths:
        """Return the survey, or its stand-in."""
        survey = load_youths(options.get("version"))
        frame = prepare(survey.frame)
        return Youths(
            frame if size["facilities"] is None else _largest(frame, size["facilities"]), survey.kind, survey.sha256
        )

    def source(self, data: Youths) -> dict[str, Any]:
        """Return the checksum of the data."""
        return {"data": data.sha256}

    def jobs(self, seed: int, size: Mapping[str, Any], data: Youths) -> list[Job]:
        """Return the repetitions, and what is looked at besides."""
        return _jobs(data.frame, seed, size)

    def collect(self, pieces: Pieces, data: Youths) -> Tables:
        """Return the raw tables."""
        return {
            "runs": pd.concat([pieces.read(name)[0] for name in pieces.names("precision_")], ignore_index=True),
            "held_out": pieces.read("held_out")[0],
            "approximation": pieces.read("approximation")[0],
            "baseline": pd.DataFrame([{"data": data.kind, **attacks.baseline(data.frame)}]),
        }

    def derive(self, raw: Tables) -> dict[str, Any]:
        """Return Table 1, the variants and the claims."""
        runs = raw["runs"]
        main = runs[runs["precision"] == attacks.PRECISION]
        population = [row for row in main["row"].unique() if "N_t" in row]
        compared = runs[(runs["m"] != 2) & (runs["m"] != 10)]
        prior = tables.summarise(compared, list(attacks.ROWS), ["precision"])
        table_1 = tables.table_1(main)
        return {
            "table_1": table_1,
            "population": tables.summarise(main, population, []),
            "prior": prior.sort_values("precision", kind="stable", ignore_index=True),
            "claims": check_claims(main),
            "published": tables.published(main, table_1, raw["baseline"]),
        }

    def read(self, name: str) -> pd.DataFrame:
        """Return a table of the recorded run."""
        table = super().read(name)
        return table.astype({column: "int64" for column in ("m", "repetition") if column in table})


def _largest(frame: pd.DataFrame, number: int) -> pd.DataFrame:
    kept = frame[FACILITY].value_counts().index[:number]
    chosen = frame[frame[FACILITY].isin(kept)].reset_index(drop=True)
    chosen[FACILITY] = chosen[FACILITY].cat.remove_unused_categories()
    return chosen


def _jobs(frame: pd.DataFrame, seed: int, size: Mapping[str, Any]) -> list[Job]:
    models = {p: attacks.new_model(frame, p) for p in (attacks.PRECISION, *size["precisions"])}

    def one(precision: float, number: int) -> Piece:
        main = precision == attacks.PRECISION
        found = attacks.repeat(
            frame,
            models[precision],
            np.random.SeedSequence([seed, number]),
            sizes=attacks.SIZES if main else (3,),
            draws=size["draws"],
            full=main,
        )
        return found.assign(precision=precision, repetition=number + 1), {}

    def left_out() -> Piece:
        return attacks.held_out(frame, size["held_out"], seed), {}

    def approximate() -> Piece:
        return attacks.approximation(frame, sorted({attacks.PRECISION, *size["precisions"]}), seed), {}

    def job(words: str, precision: float, number: int) -> Job:
        name = f"precision_{precision:g}_{number:03d}"
        return Job(f"{words}, repetition {number + 1}", name, partial(one, precision, number))

    return [
        Job("prior, held out", "held_out", left_out),
        Job("approximation", "approximation", approximate),
        *(job("Table 1", attacks.PRECISION, number) for number in range(size["repetitions"])),
        *(job(f"precision {p:g}", p, n) for p in size["precisions"] for n in range(size["prior_repetitions"])),
    ]


STUDY = IntruderStudy()
run, recorded, summary, page = STUDY.run, STUDY.recorded, STUDY.summary, STUDY.page
