"""The pieces of the two studies as tables, compared with the published numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import nan
from typing import cast

import numpy as np
import pandas as pd

from replications.paper_tables import read_numbers
from replications.published import (
    DIFFERENT,
    INPUT,
    SIMILAR,
    Value,
    central_interval,
    compare,
    decimals,
    inside,
    records,
)
from replications.risk_weighted.names import PAPER
from synthlab._typing import FloatArray

SMALL = 0.05  # IR of a record that is hardly found, in the comparison of Tables 2 and 3
SIMULATION = ("Table 5", "Table 6")  # numbers of the simulation study
RISKS = (
    "IR, mean", "IR, IQR", "IR, max", "weight, mean", "posterior mu", "posterior phi", "expected IR, mean",
    "rises", "rises by noise", "largest expected rise", "noticeable expected rises", "U_m", "U_a",
)  # fmt: skip
# Reasons for numbers of a record, of the data and of the releases, where the incomes come from the public file.
OWN_DATA = (
    "The incomes come from the public file, and there is one release, which has no interval.",
    "The incomes come from the public file, and a number of the data has no interval of releases.",
    "The incomes come from the public file. An interval shows the randomness of the releases of one fit, and one release has no interval.",
)


def repetitions(found: Mapping[str, Sequence[pd.DataFrame]]) -> pd.DataFrame:
    """Return one row per number of every repetition; ``kind`` is "paper" or "sample"."""
    tables = [table.assign(kind=kind, run=run) for kind, tables in found.items() for run, table in enumerate(tables)]
    return pd.concat(tables, ignore_index=True)[["kind", "run", "synthesizer", "r", "L", "measure", "value"]]


def study_numbers(repeated: pd.DataFrame, drawn: pd.DataFrame) -> pd.DataFrame:
    """Compare tables 5 and 6 with the repetitions on the paper's values and on new samples."""
    rows = []
    for text in read_numbers("risk_weighted").values():
        if text["where"] in SIMULATION:
            row, quantity = text["quantity"].split(": ")
            key = (text["case"], float(text["r"]), int(text["L"]), text["measure"])
            one = {"table": int(text["where"][-1]), "row": row, "quantity": quantity, "key": key}
            rows.append({**one, "published": text["printed"]})
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


def published(numbers: pd.DataFrame, income: pd.DataFrame, repeated: pd.DataFrame, data: str) -> pd.DataFrame:
    """Return every published number compared with the computed one; incomes use the allocation by record.

    `data` is the version of the incomes. The simulated incomes were calibrated to the published numbers of the data, so
    the other numbers are compared by ratios and counts of the releases in `repeated`.
    """
    texts = read_numbers("risk_weighted")
    of_record, of_data, of_release = (None, None, None) if data == "simulated" else OWN_DATA
    columns = income[["case", "allocation", "measure", "ours", "low", "high", "repetitions"]]
    look = {row[:3]: row[3:] for row in columns.itertuples(index=False, name=None)}
    incomes = [text for text in texts.values() if text["where"] not in SIMULATION]
    chosen = repeated[repeated["allocation"].isin(["record", ""])]
    releases = {
        case: chosen[chosen["case"] == case].pivot_table("value", "run", "measure")
        for case in ("D", "T", "S", "M", "P")
    }
    simulation, values = iter(records(numbers)), {}
    for key, text in texts.items():
        case, measure = text["case"], text["measure"]
        if text["where"] in SIMULATION:
            row = next(simulation)
            values[key] = Value(row.ours, row.low, row.high, row.repetitions)
            continue
        ours, low, high, times = look[case, "" if case in ("D", "T") else "record", measure]
        of_records = text["where"] in ("Table 2", "Table 3")
        if of_records:  # no interval: the record is not the paper's record
            low = high = nan
        instead, reason = None, of_record if of_records else of_data if case == "D" else of_release
        if data == "simulated" and case == "D" and not of_records:
            instead = INPUT
        elif data == "simulated":
            similar, rule = (_by_count if of_records else _by_ratio)(text, incomes, releases)
            instead, reason = SIMILAR if similar else DIFFERENT, f"{rule} {text['reason']}"
        values[key] = Value(ours, low, high, int(times), instead=instead, reason=reason)
    return compare(PAPER, texts, values)


def _by_count(
    text: Mapping[str, str], texts: Iterable[Mapping[str, str]], releases: Mapping[str, pd.DataFrame]
) -> tuple[bool, str]:
    """Compare the number of the ten records of a table with an IR below `SMALL`; return the verdict and the rule."""
    case, where = text["case"], text["where"]
    column = [one for one in texts if (one["case"], one["where"]) == (case, where)]
    printed = sum(float(one["printed"]) < SMALL for one in column)
    found = (releases[case][[one["measure"] for one in column]] < SMALL).sum(axis=1)
    low, high = np.quantile(found, 0.025, method="lower"), np.quantile(found, 0.975, method="higher")
    return bool(low <= printed <= high), (
        f"By count: the IR of {printed} of the ten records is below {SMALL} in the paper and of {_span(low, high)} here."
    )


def _by_ratio(
    text: Mapping[str, str], texts: Iterable[Mapping[str, str]], releases: Mapping[str, pd.DataFrame]
) -> tuple[bool, str]:
    """Compare the ratio to another case, the data if possible; return the verdict and the rule."""
    case, measure = text["case"], text["measure"]
    other = next(one for one in texts if one["measure"] == measure and one["case"] != case)
    printed, base = float(text["printed"]), float(other["printed"])
    low, high = np.quantile(releases[case][measure] / releases[other["case"]][measure].mean(), (0.025, 0.975))
    half = 0.5 * 10.0 ** -decimals(text["printed"]) / abs(base)
    name = other["quantity"].partition(":")[0]
    return bool(low - half <= printed / base <= high + half), (
        f"By ratio: the number divided by that of {name} is {printed / base:.3f} in the paper and {_span(low, high, '.3f')} here."
    )


def _span(low: float, high: float, digits: str = "g") -> str:
    ends = f"{low:{digits}}", f"{high:{digits}}"
    return ends[0] if ends[0] == ends[1] else f"{ends[0]} to {ends[1]}"


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
