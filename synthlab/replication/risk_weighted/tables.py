"""The pieces of the two studies as tables, compared with the published numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np
import pandas as pd

from synthlab._typing import FloatArray
from synthlab.replication.published import Published, beside, central_interval, inside, records
from synthlab.replication.risk_weighted.published import INCOME, PAPER, PARTS, TABLE_2, TABLE_3, TABLE_5, TABLE_6

RISKS = (
    "IR, mean", "IR, IQR", "IR, max", "weight, mean", "posterior mu", "posterior phi", "expected IR, mean",
    "rises", "rises by noise", "largest expected rise", "noticeable expected rises", "U_m", "U_a",
)  # fmt: skip
CASES = {"D": "Data", "S": "Synthesizer", "M": "Marginal", "P": "Pairwise"}
INCOME_WHERE = {"U_m": "Table 7", "U_a": "Table 7", "IR": "3.2.1"}
TENS = {"D": "Data", "S": "Synthesizer", "M": "Marginal", "T": "Topcoding"}
# Why there is no verdict on a number of a record, of the data and of the releases, by version of the incomes.
REASONS = {
    "simulated": (
        "beside a stand-in, no verdict: the record in this place of a SIMULATED survey, not that of the paper",
        "the simulated survey was calibrated to it",
        "on SIMULATED consumer units: an interval holds the chance of the releases, not the difference of the data",
    ),
    "pumd": (
        "on the public file: one release, which has no interval",
        "on the public file: a number of the data has no interval of releases",
        "on the public file: an interval holds the chance of the releases of one fit, and one release has none",
    ),
}


def repetitions(found: Mapping[str, Sequence[pd.DataFrame]]) -> pd.DataFrame:
    """Return one row a number of every repetition; ``kind`` is "paper" or "sample"."""
    tables = [table.assign(kind=kind, run=run) for kind, tables in found.items() for run, table in enumerate(tables)]
    return pd.concat(tables, ignore_index=True)[["kind", "run", "synthesizer", "r", "L", "measure", "value"]]


def study_numbers(repeated: pd.DataFrame, drawn: pd.DataFrame) -> pd.DataFrame:
    """Compare tables 5 and 6 with the repetitions on the paper's values and on new samples."""
    rows = []
    for (name, r), pair in TABLE_5.items():
        label = "Synthesizer" if name == "S" else f"Marginal, r = {r:.0%}"
        for measure, value in zip(("U_m", "U_a"), pair, strict=True):
            rows.append(
                {"table": 5, "row": label, "quantity": measure, "key": (name, r, 20, measure), "published": value}
            )
    for (name, m), both in TABLE_6.items():
        for statistic, values in zip(("mean", "median"), both, strict=True):
            for part, value in zip(PARTS, values, strict=True):
                label = {"D": "Data", "S": f"Synthesizer, L = {m}", "M": f"Marginal, L = {m}"}[name]
                key = (name, 0.0, m, statistic + part)
                rows.append({"table": 6, "row": label, "quantity": statistic + part, "key": key, "published": value})
    table = pd.DataFrame(rows)
    ours, new = (_by_key(t) for t in (repeated, drawn))
    for column, source in (("", ours), ("samples_", new)):
        found = [source.get(key, np.array([np.nan])) for key in table["key"]]
        table[column + "ours" if not column else "samples_mean"] = [v.mean() for v in found]
        table[f"{column}low"] = [np.quantile(v, 0.025) for v in found]
        table[f"{column}high"] = [np.quantile(v, 0.975) for v in found]
    ends = zip(table["published"], table["low"], table["high"], strict=True)
    table["inside"] = [inside(*number) for number in ends]
    table["published"] = table["published"].astype(float)
    table["repetitions"] = repeated["run"].nunique()
    return table.drop(columns="key")


def published(numbers: pd.DataFrame, income: pd.DataFrame, data: str) -> pd.DataFrame:
    """Return every number the paper prints with the result; of the incomes, under the allocation by record.

    `data` is the version of the incomes: the simulated ones were made to have those of the data.
    """
    of_record, of_data, of_release = REASONS[data]
    found = [
        Published(
            f"Table {row.table}", f"{row.row}: {row.quantity}", printed(row), row.ours, row.low, row.high, row.repetitions,
            reason="" if row.inside else "one in twenty right numbers lies outside the 95 % of the repetitions by chance",
        )
        for row in records(numbers)
    ]  # fmt: skip
    columns = income[["case", "allocation", "measure", "ours", "low", "high", "repetitions"]]
    look = {row[:3]: row[3:] for row in columns.itertuples(index=False, name=None)}
    for (case, measure), text in INCOME.items():
        ours, low, high, times = look[case, "" if case == "D" else "record", measure]
        found.append(
            Published(
                INCOME_WHERE.get(measure.partition(",")[0], "Table 4"), f"{CASES[case]}: {measure}", text, ours, low, high,
                int(times), stand_in=data == "simulated", reason=of_data if case == "D" else of_release,
            )
        )  # fmt: skip
    for where, which, text in (("Table 2", "riskiest", TABLE_2), ("Table 3", "largest", TABLE_3)):
        for place, line in enumerate(text.strip().splitlines(), start=1):
            for (case, name), number in zip(TENS.items(), line.split(), strict=True):
                quantity = f"IR of {which} record {place}"
                ours, _, _, times = look[case, "" if case in ("D", "T") else "record", quantity]
                # No interval: another record stands in the place of the paper's, so that there is nothing to be inside.
                found.append(
                    Published(where, f"{name}: {quantity}", number, ours, repetitions=int(times), reason=of_record)
                )
    return beside(PAPER, found)


def printed(row: Any) -> str:
    """Return a number of tables 5 and 6 as printed."""
    return f"{row.published:.4f}" if row.table == 5 else f"{row.published:.2f}"


def _by_key(table: pd.DataFrame) -> dict[tuple[str, float, int, str], FloatArray]:
    keys = ["synthesizer", "r", "L", "measure"]
    found: dict[tuple[str, float, int, str], FloatArray] = {}
    for key, values in table.groupby(keys)["value"]:
        name, r, m, measure = cast("tuple[str, float, int, str]", key)
        found[name, float(r), int(m), measure] = values.to_numpy()
    return found


def study_risk(repeated: pd.DataFrame, drawn: pd.DataFrame) -> pd.DataFrame:
    """Summarise risk, weights and utility by synthesizer and r: the paper's values, and new samples."""
    out = []
    for data, table in (("paper", repeated), ("samples", drawn)):
        chosen = table[table["measure"].isin(RISKS)]
        groups = chosen.groupby(["synthesizer", "r", "measure"])["value"]
        low, high = central_interval(groups).T
        out.append(groups.mean().rename("mean").reset_index().assign(data=data, low=low, high=high))
    return pd.concat(out, ignore_index=True)[["data", "synthesizer", "r", "measure", "mean", "low", "high"]]
