"""Risk-Efficient Bayesian Data Synthesis (Hu, Savitsky and Williams 2021), reproduced.

The simulation study runs on the paper's own 1,000 values, where only Monte-Carlo error separates the
numbers, and on samples drawn anew, which show the spread of samples. The income study runs on ce2017,
SIMULATED consumer units in the shape of the paper's: its numbers can be near the paper's, not equal.
Every finished piece is a file, so an interrupted run goes on where it was.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Any

import pandas as pd

from replications import nb_mixture
from replications.ce2017 import VERSIONS, consumer_units, source, version
from replications.checkpoints import Job, Piece, Pieces
from replications.risk_weighted import counts, income_tables, incomes, power, radii, tables
from replications.risk_weighted.claims import check_claims
from replications.risk_weighted.names import PAPER
from replications.study import Result, Study, Tables, counted
from synthlab import datasets

SEED = 20210711
FULL: Mapping[str, Any] = {
    "repetitions": 40,
    "radii": 10,
    "share": 1,
    "samples": 20,
    "releases": 20,
    "resamples": 200,
    "draws": 50,
    "sampler": {"draws": 1000, "tune": 1000, "thin": 4, "chains": 2},
    "nuts": {"draws": 300, "tune": 500, "chains": 2, "target_accept": 0.95},
}
QUICK: Mapping[str, Any] = {
    "repetitions": 3,
    "radii": 2,
    "share": 4,
    "samples": 2,
    "releases": 2,
    "resamples": 50,
    "draws": 10,
    "sampler": {"draws": 150, "tune": 150, "thin": 1, "chains": 2},
    "nuts": {},
}


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class RiskWeightedResult(Result):
    """Comparison of the results with the paper's numbers.

    Attributes
    ----------
    repetitions : pandas.DataFrame
        The simulation study: one row per repetition (on the paper's values, and on samples drawn anew), synthesizer, r, L and
        measure: ``value``.
    radii : pandas.DataFrame
        Six radii on the paper's values, from 5 to 70 %: one row per repetition, synthesizer, r and measure.
    study_records, radii_records, income_records : pandas.DataFrame
        One row per record, for the figures.
    income_repetitions : pandas.DataFrame
        The income study: one row per case, allocation, release and measure.
    income_rises : pandas.DataFrame
        Whack-a-mole in every release: rises, those of noise, rises of the expected IR; ``data``, the version of the incomes.
    income_numbers : pandas.DataFrame
        One row per case, allocation and measure: the mean over the releases, ``low`` and ``high`` (95 % of them, where there are
        several), ``published`` where it is.
    income_moles : pandas.DataFrame
        Means of `income_rises`.
    study_numbers : pandas.DataFrame
        Tables 5 and 6: ``published``; mean, ``low`` and ``high`` (95 % of the repetitions on the paper's values) and
        ``inside``; the same range over new samples.
    study_risk : pandas.DataFrame
        IR, rises and expected rises by synthesizer and r.
    power : pandas.DataFrame
        How often the rule of +0.25 sees a rise, and how often there is none.
    """

    repetitions: pd.DataFrame
    radii: pd.DataFrame
    study_records: pd.DataFrame
    radii_records: pd.DataFrame
    income_repetitions: pd.DataFrame
    income_rises: pd.DataFrame
    income_records: pd.DataFrame
    income_numbers: pd.DataFrame
    income_moles: pd.DataFrame
    study_numbers: pd.DataFrame
    study_risk: pd.DataFrame
    power: pd.DataFrame

    @property
    def data(self) -> str:
        """The version of the incomes, "simulated" or "pumd"."""
        return str(self.income_rises["data"].iloc[0])

    def describe(self) -> str:
        """Return a summary in a few sentences."""
        return (
            "The simulation study uses the values of the paper; the income study uses "
            f"{VERSIONS[self.data]}. {counted(self.claims, self.published)}"
        )


class RiskWeighted(Study[RiskWeightedResult]):
    """Risk weights on counts and on incomes."""

    name, paper = "risk_weighted", PAPER
    result, seed, full, quick = RiskWeightedResult, SEED, FULL, QUICK
    raw = MappingProxyType(
        {
            "repetitions": 10, "radii": 10, "study_records": 4, "radii_records": 4, "income_repetitions": 10,
            "income_rises": 10, "income_records": 4,
        }
    )  # fmt: skip
    derived = MappingProxyType(
        {"income_numbers": 10, "income_moles": 10, "study_numbers": 10, "study_risk": 10, "power": 10}
    )
    takes = ("about an hour on two idle cores, most of it the fits to incomes", "some minutes")
    packed = ("repetitions", "study_records", "radii_records", "income_repetitions", "income_records")

    def load(self, size: Mapping[str, Any], **options: Any) -> str:
        """Return the version of the incomes."""
        return version()

    def source(self, data: str) -> dict[str, Any]:
        """Return whose incomes the pieces are of, where they are not simulated."""
        return source(data)

    def jobs(self, seed: int, size: Mapping[str, Any], data: str) -> list[Job]:
        """Return the repetitions of the counts, and the fits and releases of the incomes."""
        return _study_jobs(seed, size) + _income_jobs(seed, size)

    def collect(self, pieces: Pieces, data: str) -> Tables:
        """Return the raw tables."""
        found = nb_mixture.finished(pieces)
        closer = [pieces.read(name) for name in pieces.names("radii_")]
        income = {name.removeprefix("income "): pieces.read(name) for name in pieces.names("income ")}
        fits = {name.removeprefix("fit "): pieces.read(name) for name in pieces.names("fit ")}
        arrays = {
            k: a | {"weight": fits[k][1]["weight"]} if "weight" in fits.get(k, ((), ()))[1] else a
            for k, (_, a) in income.items()
        }
        return {
            "repetitions": tables.repetitions({kind: [t for t, _ in pieces_] for kind, pieces_ in found.items()}),
            "radii": pd.concat([t.assign(run=run) for run, (t, _) in enumerate(closer)], ignore_index=True),
            "study_records": pd.DataFrame(found["paper"][0][1]),
            "radii_records": pd.DataFrame(closer[0][1]),
            "income_repetitions": income_tables.repetitions({k: t for k, (t, _) in fits.items()}, {k: t for k, (t, _) in income.items()}),
            "income_rises": income_tables.rises(arrays).assign(data=data),
            "income_records": income_tables.records(arrays),
        }  # fmt: skip

    def derive(self, raw: Tables) -> dict[str, Any]:
        """Return tables 5 and 6, the risks, the power of the rule, the claims and all published numbers."""
        repetitions, incomes_, records = raw["repetitions"], raw["income_repetitions"], raw["income_records"]
        paper, samples = (repetitions[repetitions["kind"] == kind] for kind in ("paper", "sample"))
        numbers, income = tables.study_numbers(paper, samples), income_tables.numbers(incomes_)
        look = raw["radii_records"]
        return {
            "study_numbers": numbers,
            "study_risk": tables.study_risk(paper, samples),
            "income_numbers": income,
            "income_moles": income_tables.moles(raw["income_rises"]),
            "power": power.shares_seen(
                {
                    "counts, r = 15 %": (look["expected S 0.15"].to_numpy(), look["D 0.15"].to_numpy()),
                    "income": (records["expected S record"].to_numpy(), records["D"].to_numpy()),
                }
            ),
            "claims": check_claims(repetitions, raw["radii"], incomes_, raw["income_rises"], records),
            "published": tables.published(numbers, income, incomes_, str(raw["income_rises"]["data"].iloc[0])),
        }

    def read(self, name: str) -> pd.DataFrame:
        """Return a table of the recorded run; what has no allocation has an empty one."""
        table = super().read(name)
        return table.assign(allocation=table["allocation"].fillna("")) if "allocation" in table else table


def _study_jobs(seed: int, size: Mapping[str, Any]) -> list[Job]:
    def repeat(frame: pd.DataFrame, kind: str, number: int) -> Piece:
        table, records = counts.repeat(frame, seed, number + 10_000 * (kind == "sample"), size["resamples"])
        keep = kind == "paper" and number == 0
        return table, {str(c): records[c].to_numpy() for c in records} if keep else {}

    def closer(number: int) -> Piece:
        table, records = radii.repeat(datasets.load("nb_mixture", version="paper").frame, seed, number)
        return table, {str(c): records[c].to_numpy() for c in records} if number == 0 else {}

    jobs = [Job(f"six radii, {i + 1}", f"radii_{i:03d}", partial(closer, i)) for i in range(size["radii"])]
    return nb_mixture.jobs("simulation study", seed, size, repeat) + jobs


def _income_jobs(seed: int, size: Mapping[str, Any]) -> list[Job]:
    quick = size["share"] > 1
    frame = consumer_units(seed, size["share"])

    def of(case: incomes.Case) -> pd.DataFrame:
        return frame if case.share <= size["share"] else consumer_units(seed, case.share)

    def fit(case: incomes.Case) -> Piece:
        return incomes.fit(case, of(case), seed, size["nuts"] if case.nuts else size["sampler"], settle=not quick)

    def release(case: incomes.Case, found: Piece) -> Piece:
        return incomes.release(case, of(case), seed, found, size["resamples"], size["releases"], size["draws"])

    jobs = [
        Job("income study, topcoding", "income baseline", partial(incomes.baseline, frame, seed, size["resamples"]))
    ]
    for case in incomes.cases(frame):
        if case.main or not quick:
            name = f"fit {case.name}"
            jobs.append(Job(f"income study, {name}", name, partial(fit, case)))
            jobs.append(Job(f"income study, {case.name}", f"income {case.name}", partial(release, case), (name,)))
    return jobs


STUDY = RiskWeighted()
run, recorded, summary = STUDY.run, STUDY.recorded, STUDY.summary
