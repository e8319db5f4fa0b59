"""The paper's claims in words, and whether they hold here."""

from __future__ import annotations

import pandas as pd

from synthlab.replication.claims import judge
from synthlab.replication.risk_weighted import count_claims, income_claims, income_runs, radius_claims
from synthlab.replication.risk_weighted.published import PAPER

MAIN, VARIANT = "record", "predictive"


def check_claims(
    repetitions: pd.DataFrame, radii: pd.DataFrame, incomes: pd.DataFrame, rises: pd.DataFrame, records: pd.DataFrame
) -> pd.DataFrame:
    """Return one row a claim and study; the incomes are those with the allocation by record."""
    paper = repetitions[repetitions["kind"] == "paper"]
    counts, closer = count_claims.look_at(paper), count_claims.look_at(radii)
    released = income_runs.runs_of(MAIN, incomes, rises, records)
    tables = [
        judge(PAPER, "simulation", count_claims.CLAIMS, counts),
        judge(PAPER, "simulation", radius_claims.CLAIMS, closer),
        judge(PAPER, "income", income_claims.ONCE, released[:1]),
        _judge_incomes(MAIN, released),
    ]
    return pd.concat(tables, ignore_index=True)


def check_incomes(allocation: str, incomes: pd.DataFrame, rises: pd.DataFrame, records: pd.DataFrame) -> pd.DataFrame:
    """Return one row a claim on incomes under one allocation; those of higher orders, which are released once, apart."""
    return _judge_incomes(allocation, income_runs.runs_of(allocation, incomes, rises, records))


def _judge_incomes(allocation: str, runs: list[income_runs.Incomes]) -> pd.DataFrame:
    study = "income" if allocation == MAIN else f"income, {allocation}"
    found = [judge(PAPER, study, income_claims.CLAIMS, runs)]
    if "3-way" in runs[0].moles:
        found.append(judge(PAPER, study, income_claims.HIGHER, runs[:1]))
    return pd.concat(found, ignore_index=True)
