"""The pseudo posterior mechanism (Savitsky, Williams and Hu), reproduced.

The paper's study of family income runs on ce2017, SIMULATED consumer units in the shape of the paper's, so its numbers can be
near the paper's, not equal: with a mixture of two regressions, and with one regression. Counts from a negative binomial
are small enough to be repeated many times, on one dataset and on datasets drawn anew. Every finished piece is a file, so an
interrupted run goes on where it was.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd

from replications import nb_mixture
from replications.ce2017 import VERSIONS, consumer_units, source, version
from replications.checkpoints import Job, Piece, Pieces
from replications.dp import fits, measures as study, settings, tables
from replications.dp.claims import check_claims
from replications.dp.data import count_study, income_studies
from replications.dp.models import model_jobs
from replications.dp.repetitions import run_jobs, variant_jobs
from replications.dp.sample_size import size_jobs
from replications.dp.scalar_weight import weight_jobs
from replications.study import Result, Study, Tables, counted

SEED = 20190926
FULL: Mapping[str, Any] = {
    "repetitions": 12,
    "samples": 12,
    "resamples": 200,
    "counts": {"draws": 1000, "tune": 500, "chains": 2},
    "nuts": {"draws": 200, "tune": 400, "chains": 2, "target_accept": 0.9},
    "gibbs": {"draws": 500, "tune": 1000, "thin": 2, "chains": 2},
    "tolerance": 0.02,
    "max_fits": 8,
    "again": True,
    "share": 1,
    "models": {"draws": 200, "tune": 400, "thin": 2, "chains": 2},
    "releases": 40,
    "runs": 10,
    "run_resamples": 50,
    "fitted": {"draws": 100, "tune": 200, "thin": 1, "chains": 2},
    "near": 0.05,
    "few": 4,
    "nuts_fits": 3,
    "weights": [1.0, 0.5, 0.25, 0.1],
    "weight_runs": 5,
    "sizes": [250, 1000, 4000, 16000],
    "databases": 5,
}
QUICK: Mapping[str, Any] = {
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
    "models": {"draws": 20, "tune": 30, "thin": 1, "chains": 2},
    "releases": 20,
    "runs": 1,
    "run_resamples": 20,
    "fitted": {"draws": 40, "tune": 40, "thin": 1, "chains": 2},
    "near": 0.1,
    "few": 1,
    "nuts_fits": 1,
    "weights": [1.0, 0.1],
    "weight_runs": 1,
    "sizes": [250, 1000],
    "databases": 2,
}


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class DPResult(Result):
    """The replication as tables, from which the figures are drawn.

    Attributes
    ----------
    repetitions : pandas.DataFrame
        One row per repetition of the counts, mechanism and setting: the numbers that have a spread.
    incomes : pandas.DataFrame
        One row per income study, mechanism, setting and measure: ``value``.
    sensitivities : pandas.DataFrame
        Record sensitivities of the four mechanisms, Figure 2.
    statistics : pandas.DataFrame
        Quantile functions of the resampled statistics, Figures 3 to 5.
    numbers : pandas.DataFrame
        `incomes`, and of the counts the mean of the repetitions with ``low`` and ``high`` (95 % of them), and the same
        over datasets drawn anew.
    table_2 : pandas.DataFrame
        The five settings: the paper's bound beside that of all studies here, and epsilon.
    models : pandas.DataFrame
        One row per model of income: ``data``, the version of the incomes; its score on records it was not fitted to, and mean and 90 % quantile of its releases.
    runs : pandas.DataFrame
        As `repetitions`, with a column ``study``: the variants on the counts, and several runs of the incomes.
    sizes : pandas.DataFrame
        One row per database of n counts: its bounds.
    one_weight : pandas.DataFrame
        One row per run, number of components and weight that all records share: errors of the releases, and how far apart the
        components are.
    """

    repetitions: pd.DataFrame
    incomes: pd.DataFrame
    sensitivities: pd.DataFrame
    statistics: pd.DataFrame
    numbers: pd.DataFrame
    table_2: pd.DataFrame
    models: pd.DataFrame
    runs: pd.DataFrame
    sizes: pd.DataFrame
    one_weight: pd.DataFrame

    @property
    def data(self) -> str:
        """The version of the incomes, "simulated" or "pumd"."""
        return str(self.models["data"].iloc[0])

    def describe(self) -> str:
        """Return a summary in a few sentences."""
        return f"The incomes are {VERSIONS[self.data]}. {counted(self.claims, self.published)}"


class DP(Study[DPResult]):
    """The pseudo posterior mechanism on incomes and on counts."""

    name, paper = "dp", settings.PAPER
    result, seed, full, quick = DPResult, SEED, FULL, QUICK
    raw = MappingProxyType(
        {
            "repetitions": 8,
            "incomes": 8,
            "sensitivities": 5,
            "statistics": 5,
            "models": 8,
            "runs": 8,
            "sizes": 8,
            "one_weight": 6,
        }
    )
    derived = MappingProxyType({"numbers": 8, "table_2": 8})
    takes = ("about 50 minutes of one core", "two minutes")
    packed = ("sensitivities", "statistics", "runs")

    def load(self, size: Mapping[str, Any], **options: Any) -> str:
        """Return the version of the incomes."""
        return version()

    def source(self, data: str) -> dict[str, Any]:
        """Return whose incomes the pieces are of, where they are not simulated."""
        return source(data)

    def jobs(self, seed: int, size: Mapping[str, Any], data: str) -> list[Job]:
        """Return the repetitions of the counts, the fits of the incomes, and what was added to both."""
        units = partial(consumer_units, seed, size["share"])
        first = _count_jobs(seed, size) + model_jobs(seed, size, units) + _income_jobs(seed, size)
        later = variant_jobs(seed, size) + run_jobs(seed, size) + weight_jobs(seed, size, units)
        return first + later + size_jobs(seed, size)

    def collect(self, pieces: Pieces, data: str) -> Tables:
        """Return the raw tables."""
        counts = nb_mixture.finished(pieces)
        income = {name: pieces.read(name) for name in pieces.names("income")}
        arrays = {"counts": tables.by_mechanism(counts["paper"][0][1])}
        arrays |= tables.of_first_run(pieces.read(f"run_000; {settings.FITTED}")[1])
        for name in tables.SINGLE:
            arrays[name] = {k.removeprefix(f"{name}; "): a for k, (_, a) in income.items() if k.startswith(f"{name}; ")}
        return {
            "repetitions": tables.repetitions({k: [t for t, _ in found] for k, found in counts.items()}),
            "incomes": pd.concat([t for t, _ in income.values()], ignore_index=True),
            "sensitivities": tables.sensitivities(arrays),
            "statistics": tables.statistics(arrays),
            "models": pd.concat([pieces.read(name)[0] for name in pieces.names("model_")], ignore_index=True).assign(
                data=data
            ),
            "runs": tables.runs([(int(n[4:7]), pieces.read(n)[0]) for n in pieces.names("run_")]),
            "sizes": pd.concat([pieces.read(name)[0] for name in pieces.names("size_")], ignore_index=True),
            "one_weight": pd.concat([pieces.read(name)[0] for name in pieces.names("weight_")], ignore_index=True),
        }

    def derive(self, raw: Tables) -> dict[str, Any]:
        """Return numbers, Table 2 and the claims."""
        numbers = tables.numbers(raw["repetitions"], raw["incomes"])
        table_2 = tables.table_2(numbers, raw["runs"])
        return {
            "numbers": numbers,
            "table_2": table_2,
            "claims": check_claims(numbers, raw),
            "published": tables.published(table_2, raw),
        }


def _count_jobs(seed: int, size: Mapping[str, Any]) -> list[Job]:
    def repeat(frame: pd.DataFrame, kind: str, number: int) -> Piece:
        sequence = np.random.SeedSequence([seed, 2, number, int(kind == "sample")])
        return study.repeat(count_study(frame, size), sequence, size["resamples"])

    return nb_mixture.jobs("counts", seed, size, repeat)


def _income_jobs(seed: int, size: Mapping[str, Any]) -> list[Job]:
    asked = json.dumps(dict(size))
    jobs: list[Job] = []
    for study_name, (_, work) in _incomes(seed, asked).items():
        for mechanism, setting in work:
            label = settings.words(mechanism, setting)
            compute = partial(_one_income, seed, asked, study_name, mechanism, setting)
            jobs.append(
                Job(
                    f"{study_name}, {label}", f"{study_name}; {label}", compute, _before(study_name, mechanism, setting)
                )
            )
    return jobs


def _before(study_name: str, mechanism: str, setting: tuple[float, float]) -> tuple[str, ...]:
    """Return the pieces that a scalar weight is found with: the bound to reach, and the refits at earlier settings."""
    if mechanism != "EM":
        return ()
    earlier = settings.SETTINGS[: settings.SETTINGS.index(setting)]
    return tuple(f"{study_name}; {settings.words(*one)}" for one in (("DP", setting), *(("EM", s) for s in earlier)))


def _one_income(
    seed: int, asked: str, study_name: str, mechanism: str, setting: tuple[float, float], *earlier: Piece
) -> Piece:
    incomes, _ = _incomes(seed, asked)[study_name]
    words = study_name + settings.words(mechanism, setting)
    fit_seed, release_seed = np.random.SeedSequence([seed, 4, *map(ord, words)]).spawn(2)
    target, tried = np.nan, None
    if earlier:
        (made, _), *refits = earlier
        target = float(made.set_index("measure")["value"]["lipschitz_bound"])
        tried = np.vstack([arrays["tried"] for _, arrays in refits]) if refits else None
    plain = partial(_plain_incomes, seed, asked, study_name)
    fit = fits.fit_mechanism(incomes, mechanism, setting, plain, target, tried, fit_seed)
    return study.measure(incomes, fit, mechanism, setting, json.loads(asked)["resamples"], release_seed)


@lru_cache(maxsize=1)
def _incomes(seed: int, asked: str) -> dict[str, tuple[settings.Case, Any]]:
    """Return the studies of income by name, each with its work; made once in every process."""
    size = json.loads(asked)
    return {one.name: (one, work) for one, work in income_studies(consumer_units(seed, size["share"]), size)}


@lru_cache(maxsize=3)
def _plain_incomes(seed: int, asked: str, study_name: str) -> Any:
    """Fit without weights, once in every process for all mechanisms that start from it."""
    return fits.fit_plain(_incomes(seed, asked)[study_name][0], np.random.SeedSequence([seed, 3]))


STUDY = DP()
run, recorded, summary = STUDY.run, STUDY.recorded, STUDY.summary
