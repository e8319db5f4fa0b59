"""The paper's claims in words, and whether they hold here."""

from __future__ import annotations

import pandas as pd

from synthlab.lab.replication.claims import judge
from synthlab.lab.replication.risk_weighted import count_claims, income_claims
from synthlab.lab.replication.risk_weighted.published import PAPER


def check_claims(
    repetitions: pd.DataFrame, numbers: pd.DataFrame, moles: pd.DataFrame, records: pd.DataFrame
) -> pd.DataFrame:
    """Return one row a claim and study."""
    paper = repetitions[repetitions["kind"] == "paper"]
    tables = [
        judge(PAPER, "simulation", count_claims.CLAIMS, [count_claims.look_at(one) for _, one in paper.groupby("run")])
    ]
    keys = numbers[["case", "allocation", "measure"]].itertuples(index=False, name=None)
    values = dict(zip(keys, numbers["ours"], strict=True))
    runs = [
        income_claims.Incomes(a, values, moles[moles["allocation"] == a].set_index("case"), records)
        for a in ("predictive", "record")
    ]
    tables.append(judge(PAPER, "income", [income_claims.TOPCODING], runs[:1]))
    tables += [judge(PAPER, f"income, {run.allocation}", income_claims.claims_of(run), [run]) for run in runs]
    return pd.concat(tables, ignore_index=True)
