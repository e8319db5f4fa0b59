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

import numpy as np
import pandas as pd

from synthlab.lab.replication import nb_mixture
from synthlab.lab.replication.ce2017 import consumer_units, source
from synthlab.lab.replication.checkpoints import Job, Piece, Pieces
from synthlab.lab.replication.risk_weighted import counts, incomes, tables
from synthlab.lab.replication.risk_weighted.claims import check_claims
from synthlab.lab.replication.risk_weighted.published import PAPER
from synthlab.lab.replication.study import Result, Study, Tables, counted

SEED = 20210711
FULL: Mapping[str, Any] = {
    "repetitions": 40,
    "share": 1,
    "samples": 20,
    "resamples": 200,
    "draws": 50,
    "sampler": {"draws": 1000, "tune": 1000, "thin": 4, "chains": 2},
    "nuts": {"draws": 300, "tune": 500, "chains": 2, "target_accept": 0.95},
}
QUICK: Mapping[str, Any] = {
    "repetitions": 3,
    "share": 4,
    "samples": 2,
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
        The simulation study: one row a repetition (on the paper's values, and on samples drawn anew), synthesizer, r, L and
        measure: ``value``.
    study_records, income_records : pandas.DataFrame
        One row a record, for the figures.
    income_numbers : pandas.DataFrame
        Tables 4 and 7 and the IQR of IR: one row a case, allocation and measure, ``published`` where it is.
    income_moles : pandas.DataFrame
        Whack-a-mole: rises, those of noise, rises of the expected IR.
    study_numbers : pandas.DataFrame
        Tables 5 and 6: ``published``; mean, ``low`` and ``high`` (95 % of the repetitions on the paper's values) and
        ``inside``; the same range over new samples.
    study_risk : pandas.DataFrame
        IR, rises and expected rises by synthesizer and r.
    """

    repetitions: pd.DataFrame
    study_records: pd.DataFrame
    income_numbers: pd.DataFrame
    income_moles: pd.DataFrame
    income_records: pd.DataFrame
    study_numbers: pd.DataFrame
    study_risk: pd.DataFrame

    def describe(self) -> str:
        """Say in three sentences how it went."""
        inside, count = int(self.study_numbers["inside"].sum()), len(self.study_numbers)
        return (
            f"Simulation study on the paper's own values: {inside} of {count} published numbers of tables 5 and 6 lie within "
            "95 % of our repetitions; the income study is on SIMULATED data in the shape of the paper's. "
            + counted(self.claims, self.published)
        )


class RiskWeighted(Study[RiskWeightedResult]):
    """Risk weights on counts and on incomes."""

    name, paper, title = "risk_weighted", PAPER, "Risk-Efficient Bayesian Data Synthesis, computed again"
    result, seed, full, quick = RiskWeightedResult, SEED, FULL, QUICK
    raw = MappingProxyType(
        {"repetitions": 10, "study_records": 4, "income_numbers": 10, "income_moles": 10, "income_records": 4}
    )
    derived = MappingProxyType({"study_numbers": 10, "study_risk": 10})
    packed = ("repetitions", "study_records", "income_records")

    def source(self, data: Any) -> dict[str, Any]:
        """Return whose incomes the pieces are of, where they are not simulated."""
        return source()

    def jobs(self, seed: int, size: Mapping[str, Any], data: Any) -> list[Job]:
        """Return the repetitions of the counts and the fits of the incomes."""
        return _study_jobs(seed, size) + _income_jobs(seed, size)

    def collect(self, pieces: Pieces, data: Any) -> Tables:
        """Return the raw tables."""
        counts = nb_mixture.finished(pieces)
        income = {name.removeprefix("income "): pieces.read(name) for name in pieces.names("income ")}
        arrays = {k: a for k, (_, a) in income.items()}
        return {
            "repetitions": tables.repetitions({kind: [t for t, _ in found] for kind, found in counts.items()}),
            "study_records": pd.DataFrame(counts["paper"][0][1]),
            "income_numbers": tables.income_numbers({k: t for k, (t, _) in income.items()}),
            "income_moles": tables.income_moles(arrays),
            "income_records": tables.income_records(arrays),
        }

    def derive(self, raw: Tables) -> dict[str, Any]:
        """Return tables 5 and 6, the risks, the claims and all published numbers."""
        repetitions = raw["repetitions"]
        paper, samples = (repetitions[repetitions["kind"] == kind] for kind in ("paper", "sample"))
        numbers = tables.study_numbers(paper, samples)
        return {
            "study_numbers": numbers,
            "study_risk": tables.study_risk(paper, samples),
            "claims": check_claims(repetitions, raw["income_numbers"], raw["income_moles"], raw["income_records"]),
            "published": tables.published(numbers, raw["income_numbers"]),
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

    return nb_mixture.jobs("simulation study", seed, size, repeat)


def _income_jobs(seed: int, size: Mapping[str, Any]) -> list[Job]:
    quick = size["share"] > 1
    frame = consumer_units(seed, size["share"])

    def one(case: incomes.Case) -> Piece:
        sampler = size["nuts"] if case.engine == "nuts" else size["sampler"]
        return incomes.run_case(case, frame, seed, sampler, size["resamples"], size["draws"], longer=not quick)

    def baseline() -> Piece:
        table, arrays = incomes.run_topcoding(frame, seed, size["resamples"])
        return table, {**arrays, "income": frame["income"].to_numpy(dtype=np.float64)}

    cases = [c for c in incomes.cases(frame) if c.quick or not quick]
    jobs = [Job("income study, topcoding", "income baseline", baseline)]
    return jobs + [Job(f"income study, {case.name}", f"income {case.name}", partial(one, case)) for case in cases]


STUDY = RiskWeighted()
run, recorded, summary, page = STUDY.run, STUDY.recorded, STUDY.summary, STUDY.page
