"""The claims of the paper, study by study: whether they hold, or what keeps a study from an answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from synthlab.replication.claims import judge
from synthlab.replication.dp.settings import FITTED, MAIN, PAPER
from synthlab.replication.dp.statements import CLAIMS, TEXT, Look, Statement
from synthlab.replication.dp.tables import FITTED_RECORD

ORDER_OF_STUDIES = ("income", FITTED, FITTED_RECORD, "income, one regression", "counts")

MISFIT = (
    "without any weights the releases miss {}: a comparison of mechanisms would say how this model is wrong, not which mechanism keeps what it "
    "knows"
)
NOT_RUN = "not run on this model, which does not fit the data"


def check_claims(numbers: pd.DataFrame, raw: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Return one row a statement and study, in which share of its runs it holds."""
    keys = ["mechanism", "scale", "shift", "measure"]
    counts = raw["repetitions"].query("kind == 'paper'").drop(columns="kind").assign(study="counts")
    runs = pd.concat([raw["runs"], counts], ignore_index=True)
    long = runs.melt(id_vars=["study", "run", *keys[:3]], var_name="measure").dropna(subset=["value"])
    found: dict[str, list[Look]] = {}
    for (study, _), one in long.groupby(["study", "run"]):
        found.setdefault(str(study), []).append(_look(one[[*keys, "value"]]))
    found["income"] = [_look(numbers.loc[numbers["study"] == "income", [*keys, "value"]])]
    tables = [judge(PAPER, study, claims_in(study, found[study]), found[study]) for study in ORDER_OF_STUDIES]
    return pd.concat(tables, ignore_index=True)


def claims_in(study: str, runs: Sequence[Look]) -> list[Statement]:
    """Return the claims that a study is asked, with what keeps it from an answer; the bounds do not change with "record"."""
    asked = [c for c in CLAIMS if c.statistics or study != FITTED_RECORD]
    if study.startswith(FITTED):
        asked = [replace(c, reason=c.reason_of_mixture or c.reason) for c in asked]
    return [_if_possible(replace(c, untestable=_misfit(runs, c.statistics)), runs) for c in asked]


def _misfit(runs: Sequence[Look], statistics: Sequence[str]) -> str:
    """Say which statistics the unweighted releases miss, on average, by more than a standard error of the data."""
    far = {
        s: np.mean([look("Unweighted", f"{s}, error") for look in runs])
        / np.mean([look("Unweighted", f"{s}, confidential sd") for look in runs])
        for s in statistics
    }
    missed = [f"{TEXT[s]} by {abs(errors):.1f} standard errors" for s, errors in far.items() if abs(errors) > 1]
    return MISFIT.format(" and ".join(missed)) if missed else ""


def _if_possible(claim: Statement, runs: Sequence[Look]) -> Statement:
    """Return the claim, or one that cannot be tested where a number was not computed."""
    try:
        claim.evidence(runs)
    except KeyError:
        reason = claim.untestable or NOT_RUN
        return replace(claim, test=lambda look: False, evidence=lambda runs: "", untestable=reason)
    return claim


def _look(table: pd.DataFrame) -> Look:
    numbers = {tuple(key): value for *key, value in table.itertuples(index=False)}
    return lambda mechanism, measure, setting=MAIN: numbers[(mechanism, *setting, measure)]
