"""Estimating risks of identification disclosure in partially synthetic data (Reiter and Mitra 2009), reproduced.

Table 1 attacks the youths in custody under fourteen scenarios. It rests on one run of each; here the synthesis and
every attack are repeated, so that the paper's numbers stand beside a mean and a range. On the survey itself where it
is at hand, else on a simulated stand-in. Every finished repetition is a file, so an interrupted run goes on.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd

from replications.checkpoints import Job, Piece, Pieces
from replications.intruder import attacks, checks, tables
from replications.intruder.claims import check_claims
from replications.intruder.data import load_youths, prepare
from replications.intruder.models import FACILITY
from replications.intruder.settings import FIT, LIVE, MAIN, PRECISION, SETTINGS, Setting, prior_name, variants
from replications.study import Result, Study, Tables, counted

RAW = ("runs", "held_out", "approximation", "widths", "nnet", "imputed", "baseline")
SEED = 20090108
FULL: Mapping[str, Any] = {
    "repetitions": 20,
    "setting_repetitions": 20,
    "live_repetitions": 2,
    "draws": 100,
    "facilities": None,
    "precisions": [0.1, 1.0, 20.0],
    "prior_repetitions": 10,
    "held_out": [0.01, 0.1, 1.0, 3.0, 5.0, 10.0, 20.0, 50.0],
    "imputations": 200,
}
QUICK: Mapping[str, Any] = {
    "repetitions": 2,
    "setting_repetitions": 1,
    "live_repetitions": 1,
    "draws": 4,
    "facilities": 3,
    "precisions": [20.0],
    "prior_repetitions": 1,
    "held_out": [1.0, 5.0],
    "imputations": 2,
}


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class IntruderReplication(Result):
    """Comparison of the results with the paper's numbers.

    Attributes
    ----------
    runs : pandas.DataFrame
        Every repetition: one row per setting, scenario and m (0: the released data play no part).
    held_out : pandas.DataFrame
        Mean log probability of the facility of youths left out, by setting.
    approximation : pandas.DataFrame
        Youths of rare races and small facilities, and their synthetic number on average, by precision.
    widths : pandas.DataFrame
        Youths of rare races that drawn coefficients expect, by the scale of the indicators of the facility.
    nnet : pandas.DataFrame
        The agency's regressions stopped after 100 iterations, by R's nnet::multinom and here.
    imputed : pandas.DataFrame
        Number of unique youths under other draws of the missing answers.
    baseline : pandas.DataFrame
        Records, cells, unique youths, and the risks of the confidential data.
    table_1 : pandas.DataFrame
        One row per scenario, m and measure: ``published``, our ``mean``, ``low``, ``high``, ``sd``, the 95 % prediction
        interval of one more run from ``from`` to ``to``, whether the paper's number is ``inside`` the range and whether it is
        ``inside_95``, in the interval; for fixed parameters the ``limit`` for infinitely many simulations.
    settings : pandas.DataFrame
        The same under every setting.
    population : pandas.DataFrame
        The attack with N_t from the survey weights: measures by scenario and rule.
    prior : pandas.DataFrame
        Rows of Table 1 at m = 3 under other precisions of the prior, and with other indicators.
    """

    runs: pd.DataFrame
    held_out: pd.DataFrame
    approximation: pd.DataFrame
    widths: pd.DataFrame
    nnet: pd.DataFrame
    imputed: pd.DataFrame
    baseline: pd.DataFrame
    table_1: pd.DataFrame
    settings: pd.DataFrame
    population: pd.DataFrame
    prior: pd.DataFrame

    @property
    def repetitions(self) -> int:
        """Number of repetitions of Table 1."""
        return int(self.runs.loc[self.runs["setting"] == MAIN, "repetition"].nunique())

    @property
    def data_kind(self) -> str:
        """The kind of data, "real" or "simulated"."""
        return str(self.baseline["data"].iloc[0])

    def describe(self) -> str:
        """Return a summary in a few sentences."""
        which = "the survey" if self.data_kind == "real" else "a SIMULATED stand-in for the survey"
        return f"{self.repetitions} repetitions of Table 1 on {which}. {counted(self.claims, self.published)}"


@dataclass(frozen=True, slots=True, eq=False)
class Youths:
    """The data of a run: the prepared survey, whether it is real, and its checksum."""

    raw: pd.DataFrame
    frame: pd.DataFrame
    kind: str
    sha256: str | None


class IntruderStudy(Study[IntruderReplication]):
    """Table 1, repeated; ``version`` of the data is "real" or "simulated", by default the survey where it is at hand."""

    name, paper = "intruder", attacks.PAPER
    result, seed, full, quick = IntruderReplication, SEED, FULL, QUICK
    options = ("version",)
    takes = ("about 45 minutes of one core", "20 seconds")
    raw = MappingProxyType(dict.fromkeys(RAW, 6))
    derived = MappingProxyType(dict.fromkeys(("table_1", "settings", "population", "prior"), 6))

    def load(self, size: Mapping[str, Any], **options: Any) -> Youths:
        """Return the survey, or its stand-in."""
        survey = load_youths(options.get("version"))
        frame = prepare(survey.frame)
        kept = frame if size["facilities"] is None else _largest(frame, size["facilities"])
        return Youths(survey.frame, kept, survey.kind, survey.sha256)

    def source(self, data: Youths) -> dict[str, Any]:
        """Return the checksum of the data."""
        return {"data": data.sha256}

    def jobs(self, seed: int, size: Mapping[str, Any], data: Youths) -> list[Job]:
        """Return the repetitions, and what is looked at besides."""
        return _jobs(data, seed, size)

    def collect(self, pieces: Pieces, data: Youths) -> Tables:
        """Return the raw tables."""
        found = {name: pieces.read(name)[0] for name in RAW if name not in ("runs", "baseline")}
        runs = [pieces.read(name)[0] for name in pieces.names("runs_")]
        base = pd.DataFrame([{"data": data.kind, **attacks.baseline(data.frame)}])
        return {"runs": pd.concat(runs, ignore_index=True), **found, "baseline": base}

    def derive(self, raw: Tables) -> dict[str, Any]:
        """Return Table 1, the settings, the variants and the claims."""
        runs = raw["runs"]
        main = runs[runs["setting"] == MAIN]
        population = [row for row in main["row"].unique() if "N_t" in row]
        compared = runs[(runs["m"] != 2) & (runs["m"] != 10) & ~runs["setting"].isin({*SETTINGS, LIVE} - {MAIN})]
        settings = tables.settings(runs)
        table_1 = tables.table_1(main)
        return {
            "table_1": table_1,
            "settings": settings,
            "population": tables.summarise(main, population, []),
            "prior": tables.summarise(compared, list(attacks.ROWS), ["setting"]),
            "claims": check_claims(runs[runs["setting"] == FIT]),
            "published": tables.published(settings, raw["baseline"], raw["imputed"]),
        }

    def read(self, name: str) -> pd.DataFrame:
        """Return a table of the recorded run."""
        table = super().read(name)
        return table.astype({column: "int64" for column in ("m", "repetition", "stopped", "fits") if column in table})


def _largest(frame: pd.DataFrame, number: int) -> pd.DataFrame:
    kept = frame[FACILITY].value_counts().index[:number]
    chosen = frame[frame[FACILITY].isin(kept)].reset_index(drop=True)
    chosen[FACILITY] = chosen[FACILITY].cat.remove_unused_categories()
    return chosen


def _jobs(data: Youths, seed: int, size: Mapping[str, Any]) -> list[Job]:
    frame = data.frame
    others = variants(size["precisions"])
    times = {
        name: size[
            "repetitions" if name in (MAIN, FIT) else "prior_repetitions" if name in others else "setting_repetitions"
        ]
        for name in {**SETTINGS, **others}
    }
    priors = {prior_name(p): Setting("", precision=p) for p in size["held_out"]}
    precisions = sorted({PRECISION, *size["precisions"]})
    live = {LIVE: replace(SETTINGS["nnet"], program="nnet")} if checks.nnet_here() else {}
    times |= dict.fromkeys(live, size["live_repetitions"])

    def one(name: str, setting: Setting, number: int) -> Piece:
        found = attacks.repeat(
            frame,
            setting.model(frame),
            np.random.SeedSequence([seed, number]),
            sizes=(3,) if name in others else attacks.SIZES,
            draws=size["draws"],
            full=name == MAIN,
        )
        return found.assign(setting=name, program=setting.program, repetition=number + 1), {}

    def job(name: str, setting: Setting, number: int) -> Job:
        piece = f"runs_{number:03d}_{name.replace(',', '').replace(' ', '_')}"
        return Job(f"{name}, repetition {number + 1}", piece, partial(one, name, setting, number))

    return [
        Job("held out", "held_out", lambda: (attacks.held_out(frame, {**priors, **SETTINGS}, seed), {})),
        Job("approximation", "approximation", lambda: (checks.approximation(frame, precisions, seed), {})),
        Job("width of the draws", "widths", lambda: (checks.widths(frame, seed), {})),
        Job("nnet", "nnet", lambda: (checks.beside_nnet(frame), {})),
        Job("imputations", "imputed", lambda: (checks.imputed(data.raw, frame, size["imputations"]), {})),
        # A repetition of all before the next of any: what is finished of an interrupted run is balanced.
        *(
            job(name, setting, number)
            for number in range(max(times.values()))
            for name, setting in {**SETTINGS, **others, **live}.items()
            if number < times[name]
        ),
    ]


STUDY = IntruderStudy()
run, recorded, summary = STUDY.run, STUDY.recorded, STUDY.summary
