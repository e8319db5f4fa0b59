"""The repetitions as tables: Table 1 compared with the paper's, and what goes beyond."""

from __future__ import annotations

import numpy as np
import pandas as pd

from synthlab.lab.replication.intruder.attacks import MEASURES, PAPER, PUBLISHED, PUBLISHED_UNIQUES, ROWS
from synthlab.lab.replication.published import Published, beside, inside, records

PERCEIVED = "wherever something of the models is released the paper's perceived risk is above that found here; no prior tried explains all rows"
FEW_RUNS = "outside the range of the repetitions; the paper's number is one run"
IMPUTED = "the count depends on what is done with missing answers, which the paper does not say"


def table_1(runs: pd.DataFrame) -> pd.DataFrame:
    """Return one row of Table 1 a row and measure: the paper's number, our mean and range, the limit of h."""
    rows = []
    for (row, m), published in PUBLISHED.items():
        mine = runs[(runs["row"] == row) & (runs["m"] == m)]
        limit = runs[(runs["row"] == row.replace("fixed", "limit")) & (runs["m"] == m)]
        for measure, number in zip(MEASURES, published, strict=True):
            values = mine[measure].astype(float)
            low, high = float(values.min()), float(values.max())
            rows.append(
                {
                    "row": row,
                    "m": m,
                    "measure": measure,
                    "published": float(number),
                    "mean": float(values.mean()),
                    "low": low,
                    "high": high,
                    "sd": float(values.std(ddof=1)) if len(values) > 1 else np.nan,
                    "inside": inside(f"{number}", low, high),
                    "limit": float(limit[measure].mean()) if row.endswith("fixed") and len(limit) else np.nan,
                }
            )
    return pd.DataFrame(rows)


def published(runs: pd.DataFrame, found: pd.DataFrame, baseline: pd.DataFrame) -> pd.DataFrame:
    """Return Table 1 and the numbers of section 3 with the results."""
    times = int(runs["repetition"].nunique())
    numbers = [
        Published(
            "Table 1",
            f"{label(row.row, row.m)}: {row.measure}",
            f"{row.published:.1f}" if row.measure == "expected" else f"{row.published:.0f}",
            row.mean,
            row.low,
            row.high,
            times,
            reason=_reason(row.row, row.measure, row.inside),
        )
        for row in records(found)
    ]
    uniques = runs.loc[runs["row"] == "everything, fixed", "uniques"]
    numbers.append(
        Published(
            "section 3", "true matches of unique records, everything released", f"{PUBLISHED_UNIQUES}",
            float(uniques.mean()), float(uniques.min()), float(uniques.max()), times,
        )
    )  # fmt: skip
    unique = float(baseline["unique"].iloc[0])
    numbers.append(Published("section 3", "unique records", "64", unique, unique, unique, 1, reason=IMPUTED))
    return beside(PAPER, numbers)


def _reason(row: str, measure: str, is_inside: bool) -> str:
    if is_inside:
        return ""
    return PERCEIVED if measure == "perceived" and row not in ("probability", "mode") else FEW_RUNS


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
