"""The repetitions as tables: Table 1 compared with the paper's, and what goes beyond."""

from __future__ import annotations

from collections.abc import Hashable
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from replications.intruder.attacks import MEASURES, PAPER, PRINTED, PUBLISHED, ROWS
from replications.intruder.settings import FIT, SETTINGS
from replications.published import Value, compare, inside

UNSAID = "the fit of the regressions, which the paper does not describe"
COVERED = 0.95
CAUSES = {
    "near ML": "a weaker prior of the mode",
    "stopped": "a fit without a prior that was stopped",
    "ridge": "the number of columns",
    "nnet": "R's covariance",
}


def prediction_interval(values: pd.Series) -> tuple[float, float]:
    """Return the 95 % interval for one more run: mean -+ t sd sqrt(1 + 1/R).

    Examples
    --------
    >>> import pandas as pd
    >>> from replications.intruder.tables import prediction_interval
    >>> [round(end, 1) for end in prediction_interval(pd.Series([10.0, 12.0, 14.0]))]
    [2.1, 21.9]
    """
    n = len(values)
    if n < 2:
        return np.nan, np.nan
    half = float(_t(n - 1) * values.std(ddof=1) * np.sqrt(1 + 1 / n))
    return float(values.mean()) - half, float(values.mean()) + half


@cache
def _t(df: int) -> float:
    return float(stats.t.ppf((1 + COVERED) / 2, df))


def table_1(runs: pd.DataFrame) -> pd.DataFrame:
    """Return one row per row and measure of Table 1: the paper's number, our mean, range and interval, the limit of h."""
    rows, parts, none = [], dict(list(runs.groupby(["row", "m"]))), runs.iloc[:0]
    for (row, m), published in PUBLISHED.items():
        mine, limit = (parts.get((name, m), none) for name in (row, row.replace("fixed", "limit")))
        for measure, number in zip(MEASURES, published, strict=True):
            far = float(limit[measure].mean()) if row.endswith("fixed") and len(limit) else np.nan
            rows.append({**_beside(row, m, measure, number, mine[measure]), "limit": far})
    return pd.DataFrame(rows)


def _beside(row: str, m: int, measure: str, number: str, values: pd.Series) -> dict[str, Any]:
    values = values.astype(float)
    start, end = prediction_interval(values)
    return {
        "row": row,
        "m": m,
        "measure": measure,
        "published": float(number),
        "mean": float(values.mean()),
        "low": float(values.min()),
        "high": float(values.max()),
        "sd": float(values.std(ddof=1)) if len(values) > 1 else np.nan,
        "from": start,
        "to": end,
        "inside": inside(number, float(values.min()), float(values.max())),
        "inside_95": inside(number, start, end),
    }


def settings(runs: pd.DataFrame) -> pd.DataFrame:
    """Return Table 1 under every setting, and the true matches of unique records."""
    parts = []
    for name in (name for name in SETTINGS if name in set(runs["setting"])):
        mine = runs[runs["setting"] == name]
        found = table_1(mine).drop(columns="limit")
        uniques = mine.loc[mine["row"] == "everything, fixed", "uniques"]
        found.loc[len(found)] = _beside(
            "everything, fixed", 0, "uniques", PRINTED["uniques_matched"]["printed"], uniques
        )
        found.insert(0, "setting", name)
        parts.append(found.assign(repetitions=int(mine["repetition"].nunique())))
    return pd.concat(parts, ignore_index=True)


def published(found: pd.DataFrame, baseline: pd.DataFrame, imputed: pd.DataFrame) -> pd.DataFrame:
    """Return Table 1 and the numbers of section 3 compared with the fit `FIT`, with 95% prediction intervals."""
    mine = {(one["row"], one["m"], one["measure"]): one for one in found[found["setting"] == FIT].to_dict("records")}
    values = {}
    for key, text in PRINTED.items():
        if text["measure"]:
            one = mine[text["row"], int(text["m"]), text["measure"]]
            values[key] = Value(one["mean"], one["from"], one["to"], one["repetitions"], reason=_reason(found, one))
    counts = np.repeat(imputed["unique"].to_numpy(), imputed["imputations"].to_numpy())
    low, high = np.quantile(counts, [(1 - COVERED) / 2, (1 + COVERED) / 2])
    values["uniques"] = Value(float(baseline["unique"].iloc[0]), low, high, counts.size)
    return compare(PAPER, PRINTED, values)


def _reason(found: pd.DataFrame, one: dict[Hashable, Any]) -> str:
    """Return under which fits a number of the paper is inside and under which outside, or what is excluded as its cause."""
    same = (found["row"] == one["row"]) & (found["m"] == one["m"]) & (found["measure"] == one["measure"])
    others = found[same & (found["setting"] != FIT)].to_dict("records")

    def words(rows: list[dict[Hashable, Any]]) -> str:
        return "; ".join(f"{r['setting']} {spread(r)}" for r in rows)

    right = [other for other in others if other["inside_95"]]
    wrong, once = (
        [o for o in others if not o["inside_95"] and (o["repetitions"] == 1) is single] for single in (False, True)
    )
    text = (
        f"The number depends on {UNSAID}: inside under {words(right)}"
        if right
        else "Inside under no fit that was tried"
    )
    parts = [f"; outside under {words(wrong)}"] * bool(wrong) + [f"; without an interval {words(once)}"] * bool(once)
    causes = [CAUSES[r["setting"]] for r in wrong if r["setting"] in CAUSES]
    if causes and not right:
        parts.append(f". So {', '.join(causes)} {'alone does' if len(causes) == 1 else 'do each alone'} not explain it")
    return text + "".join(parts)


def spread(one: dict[Hashable, Any]) -> str:
    """Return a mean with its prediction interval as text; one run has no interval."""
    return (
        f"{one['mean']:.1f} (one run)"
        if one["repetitions"] == 1
        else f"{one['mean']:.1f} ({one['from']:.1f} to {one['to']:.1f})"
    )


def summarise(runs: pd.DataFrame, rows: list[str], by: list[str]) -> pd.DataFrame:
    """Return mean, lowest and highest of the measures over the repetitions."""
    chosen = runs[runs["row"].isin(rows)]
    names = [*MEASURES, "uniques", "declared", "outside"]
    grouped = chosen.groupby([*by, "row", "m"], sort=False)[names]
    table = pd.concat({how: grouped.agg(how) for how in ("mean", "min", "max")}, axis=1)
    table.columns = pd.Index([f"{column[1]}, {column[0]}" for column in table.columns])
    return table.reset_index()


def label(row: str, m: int) -> str:
    """Return the words for a row of Table 1."""
    words = ROWS.get(row, row)
    return f"{words}, m = {m}" if m else words
