"""Verdicts on the statements of the paper on risk weights."""

from __future__ import annotations

import pandas as pd

from replications.claims import judge
from replications.paper_tables import read_claims
from replications.risk_weighted import count_claims, income_claims, income_runs, radius_claims
from replications.risk_weighted.names import PAPER

MAIN, VARIANT = "record", "predictive"
# Reason where the incomes come from the public file; the reason in paper_claims.csv is about the simulated incomes.
OWN_DATA = "The cause is unknown: neither the allocation, nor the scale of income, nor priors on log income explain it."


def check_claims(
    repetitions: pd.DataFrame, radii: pd.DataFrame, incomes: pd.DataFrame, rises: pd.DataFrame, records: pd.DataFrame
) -> pd.DataFrame:
    """Return the verdict on each statement and study, for incomes with allocation by record."""
    paper = repetitions[repetitions["kind"] == "paper"]
    counts, closer = count_claims.look_at(paper), count_claims.look_at(radii)
    texts, released = read_claims("risk_weighted"), income_runs.runs_of(MAIN, incomes, rises, records)
    tables = [
        judge(PAPER, "simulation", texts, count_claims.CLAIMS, counts),
        judge(PAPER, "simulation", texts, radius_claims.CLAIMS, closer),
        judge(PAPER, "income", texts, income_claims.ONCE, released[:1]),
        _judge_incomes(MAIN, released, str(rises["data"].iloc[0])),
    ]
    return pd.concat(tables, ignore_index=True)


def check_incomes(allocation: str, incomes: pd.DataFrame, rises: pd.DataFrame, records: pd.DataFrame) -> pd.DataFrame:
    """Return the verdicts on the statements about incomes under one allocation."""
    runs = income_runs.runs_of(allocation, incomes, rises, records)
    return _judge_incomes(allocation, runs, str(rises["data"].iloc[0]))


def _judge_incomes(allocation: str, runs: list[income_runs.Incomes], data: str) -> pd.DataFrame:
    study = "income" if allocation == MAIN else f"income, {allocation}"
    texts = read_claims("risk_weighted")
    reasons = {} if data == "simulated" else {"mean_income": OWN_DATA}
    found = [judge(PAPER, study, texts, income_claims.CLAIMS, runs, reasons=reasons)]
    if "3-way" in runs[0].moles:
        found.append(judge(PAPER, study, texts, income_claims.HIGHER, runs[:1]))
    return pd.concat(found, ignore_index=True)
