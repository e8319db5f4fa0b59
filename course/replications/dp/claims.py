"""Verdicts on the statements of the paper, by study, and reasons why a study cannot test a statement."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from replications.claims import Check, judge
from replications.dp.settings import FITTED, MAIN, PAPER
from replications.dp.statements import CLAIMS, NEEDED, TEXT, Look
from replications.dp.tables import FITTED_RECORD
from replications.paper_tables import read_claims

ORDER_OF_STUDIES = ("income", FITTED, FITTED_RECORD, "income, one regression", "counts")

MISFIT = (
    "Without weights, the releases miss {}. A comparison of mechanisms would therefore measure the error of this model, not the loss under each "
    "mechanism."
)
NOT_RUN = "Not run on this model, because it does not fit the data."


def check_claims(numbers: pd.DataFrame, raw: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Return the verdict on each statement and study."""
    keys = ["mechanism", "scale", "shift", "measure"]
    counts = raw["repetitions"].query("kind == 'paper'").drop(columns="kind").assign(study="counts")
    runs = pd.concat([raw["runs"], counts], ignore_index=True)
    long = runs.melt(id_vars=["study", "run", *keys[:3]], var_name="measure").dropna(subset=["value"])
    found: dict[str, list[Look]] = {}
    for (study, _), one in long.groupby(["study", "run"]):
        found.setdefault(str(study), []).append(_look(one[[*keys, "value"]]))
    found["income"] = [_look(numbers.loc[numbers["study"] == "income", [*keys, "value"]])]
    tables = [_judge(study, found[study]) for study in ORDER_OF_STUDIES]
    return pd.concat(tables, ignore_index=True)


def _judge(study: str, runs: Sequence[Look]) -> pd.DataFrame:
    """Return the verdicts of a study; where the component is drawn as in the paper, the bounds do not change."""
    texts = read_claims("dp")
    asked = {key: check for key, check in CLAIMS.items() if key in NEEDED or study != FITTED_RECORD}
    blocked = {key: _misfit(runs, NEEDED.get(key, ())) for key in asked}
    for key, check in asked.items():
        if not _has_numbers(check, runs):
            asked[key] = Check(lambda look: False, lambda runs: "")
            blocked[key] = blocked[key] or NOT_RUN
    reasons = {key: texts[key]["reason_of_mixture"] or texts[key]["reason"] for key in asked}
    return judge(
        PAPER, study, texts, asked, runs, reasons=reasons if study.startswith(FITTED) else {}, untestable=blocked
    )


def _misfit(runs: Sequence[Look], statistics: Sequence[str]) -> str:
    """Return which statistics the unweighted releases miss by more than a standard error, as text."""
    far = {
        s: np.mean([look("Unweighted", f"{s}, error") for look in runs])
        / np.mean([look("Unweighted", f"{s}, confidential sd") for look in runs])
        for s in statistics
    }
    missed = [f"{TEXT[s]} by {abs(errors):.1f} standard errors" for s, errors in far.items() if abs(errors) > 1]
    return MISFIT.format(" and ".join(missed)) if missed else ""


def _has_numbers(check: Check[Look], runs: Sequence[Look]) -> bool:
    """Return whether all numbers of a check were computed."""
    try:
        check.evidence(runs)
    except KeyError:
        return False
    return True


def _look(table: pd.DataFrame) -> Look:
    numbers = {tuple(key): value for *key, value in table.itertuples(index=False)}
    return lambda mechanism, measure, setting=MAIN: numbers[(mechanism, *setting, measure)]
