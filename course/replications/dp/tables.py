"""From the pieces of the runs to the tables of the result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from replications.dp.settings import (
    FITTED,
    MAIN,
    PAPER,
    PUBLISHED,
    RECORD,
    REPEATED,
    SETTINGS,
    SHIFTED,
    STATISTICS,
    words,
)
from replications.paper_tables import read_numbers
from replications.published import DIFFERENT, SIMILAR, Value, central_interval, compare, records
from synthlab._typing import FloatArray

KEYS = ["study", "mechanism", "scale", "shift"]
# What is kept of every repetition.
KEPT = (
    "lipschitz_bound", "lipschitz_bound, all draws", "median sensitivity", "weight, mean", "weight 0, records",
    "formula's weight", "bound of the formula's weight", "refits", "R-hat, max", "U_m", "largest component", "sd of the others",
    *(name + part for name in STATISTICS for part in ("", ", confidential", ", error", ", sd between datasets",
      ", error of one dataset", ", distance", ", confidential sd")),
)  # fmt: skip
SINGLE = ("income", "income, one regression")
STUDIES = (*SINGLE, "counts")
FIGURE_2 = ("Unweighted", "DP", "EM", "Countweighted")
OWN_DATA = (
    "The incomes come from the public file, but the model is not the paper's model. Another model predicts another record worst, and that record "
    "determines the bound."
)
FITTED_RECORD = FITTED + RECORD
Arrays = Mapping[str, Mapping[str, FloatArray]]


def repetitions(found: Mapping[str, Sequence[pd.DataFrame]]) -> pd.DataFrame:
    """Return one row per repetition, mechanism and setting of the counts; ``kind`` is "paper" or "sample"."""
    rows = []
    for kind, tables in found.items():
        for run, table in enumerate(tables):
            wide = table[table["measure"].isin(KEPT)].pivot(index=KEYS[1:], columns="measure", values="value")
            rows.append(wide.reset_index().assign(kind=kind, run=run))
    frame = pd.concat(rows, ignore_index=True).rename_axis(columns=None)
    return frame[["kind", "run", *KEYS[1:], *(k for k in KEPT if k in frame)]]


def runs(found: Sequence[tuple[int, pd.DataFrame]]) -> pd.DataFrame:
    """Return one row per study, run, mechanism and setting, of numbered tables."""
    rows = []
    for run, table in found:
        wide = table[table["measure"].isin(KEPT)].pivot(index=KEYS, columns="measure", values="value")
        rows.append(wide.reset_index().assign(run=run))
    frame = pd.concat(rows, ignore_index=True).rename_axis(columns=None).sort_values(["study", "run", *KEYS[1:]])
    return frame[["study", "run", *KEYS[1:], *(k for k in KEPT if k in frame)]].reset_index(drop=True)


def of_runs(repeated: pd.DataFrame) -> pd.DataFrame:
    """Return one row per study, mechanism, setting and measure: mean, lowest and highest of the runs."""
    long = repeated.melt(id_vars=["run", *KEYS], var_name="measure").dropna(subset=["value"])
    groups = long.groupby([*KEYS, "measure"], sort=False)["value"]
    return groups.agg(value="mean", low="min", high="max").reset_index()


def numbers_with_runs(table: pd.DataFrame, repeated: pd.DataFrame) -> pd.DataFrame:
    """Return the numbers of all studies; the numbers of the chosen mixture are means of several runs."""
    several = of_runs(repeated[repeated["study"].isin([FITTED, FITTED_RECORD])])
    return pd.concat([table, several], ignore_index=True)


def of_first_run(arrays: Mapping[str, FloatArray]) -> dict[str, dict[str, dict[str, FloatArray]]]:
    """Return the arrays of the mixture that was chosen, for both ways of drawing the component."""
    record = {k.removeprefix(RECORD): a for k, a in arrays.items() if k.startswith(RECORD)}
    predictive = {k: a for k, a in arrays.items() if not k.startswith(RECORD)}
    return {FITTED: by_mechanism(predictive), FITTED_RECORD: by_mechanism(record)}


def numbers(repeated: pd.DataFrame, income: pd.DataFrame) -> pd.DataFrame:
    """Return one row per study, mechanism, setting and measure, with the spread of the repetitions of the counts."""
    long = repeated.melt(id_vars=["kind", "run", *KEYS[1:]], var_name="measure").dropna(subset=["value"])
    groups = long.groupby(["kind", *KEYS[1:], "measure"], sort=False)["value"]
    low, high = central_interval(groups).T
    spread = groups.mean().reset_index().assign(low=low, high=high)
    counts = spread[spread["kind"] == "paper"].drop(columns="kind").assign(study="counts")
    anew = spread[spread["kind"] == "sample"].drop(columns="kind")
    anew = anew.rename(columns={"value": "new_value", "low": "new_low", "high": "new_high"})
    counts = counts.merge(anew, on=[*KEYS[1:], "measure"], how="left")
    frame = pd.concat([income, counts], ignore_index=True)
    return frame[[*KEYS, "measure", "value", "low", "high", "new_value", "new_low", "new_high"]]


def table_2(table: pd.DataFrame, repeated: pd.DataFrame) -> pd.DataFrame:
    """Return the bound of the paper's five settings, published and computed, and epsilon of one dataset."""
    bounds = repeated.set_index(KEYS)["lipschitz_bound"].sort_index()
    bound = table[(table["mechanism"] == "DP") & (table["measure"] == "lipschitz_bound")]
    keys = list(bound[["study", "scale", "shift"]].itertuples(index=False, name=None))
    ours, low, high = (dict(zip(keys, bound[c].to_numpy(), strict=True)) for c in ("value", "low", "high"))
    rows = []
    for (scale, shift), published in PUBLISHED.items():
        row = {"scale": scale, "shift": shift, "published": published, "published, epsilon": 2 * published}
        for name in STUDIES:
            found = ours[name, scale, shift]
            row |= {name: found, f"{name}, epsilon": 2 * found}
        row |= {"counts, low": low["counts", scale, shift], "counts, high": high["counts", scale, shift]}
        several = bounds.loc[FITTED, "DP", scale, shift]
        row |= {FITTED: several.mean(), f"{FITTED}, low": several.min(), f"{FITTED}, high": several.max()}
        for name in ("counts", *REPEATED):
            reading = (name, SHIFTED if shift else "DP", scale, shift)
            row[f"{name}, shift first"] = bounds.loc[reading].mean() if reading in bounds.index else row[name]
        rows.append(row)
    return pd.DataFrame(rows)


def published(table: pd.DataFrame, raw: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Return the published bounds compared with the bounds of the incomes, by their ratios to the first one.

    The level of the bounds is that of the record that the model predicts worst, which differs between datasets.
    """
    times = int(raw["runs"].loc[raw["runs"]["study"] == FITTED, "run"].nunique())
    reason = None if raw["models"]["data"].iloc[0] == "simulated" else OWN_DATA
    texts, values = read_numbers("dp"), {}
    runs = raw["runs"][(raw["runs"]["study"] == FITTED) & (raw["runs"]["mechanism"] == "DP")]
    bounds = runs.pivot_table("lipschitz_bound", "run", ["scale", "shift"])
    first = next(iter(PUBLISHED))
    for row in records(table.rename(columns={FITTED: "ours"})):
        setting, key = (row.scale, row.shift), f"bound_{row.scale:g}_{row.shift:g}"
        instead, why = None, reason
        if setting != first and reason is None:
            ratio = PUBLISHED[setting] / PUBLISHED[first]
            low, high = np.quantile(bounds[setting] / bounds[first], (0.025, 0.975))
            instead = SIMILAR if low <= ratio <= high else DIFFERENT
            why = (
                f"By ratio: the bound divided by that at {first} is {ratio:.3f} in the paper and {low:.3f} to {high:.3f} here. "
                f"{texts[key]['reason']}"
            )
        values[key] = Value(row.ours, repetitions=times, instead=instead, reason=why)
    return compare(PAPER, texts, values)


def by_mechanism(arrays: Mapping[str, FloatArray]) -> dict[str, dict[str, FloatArray]]:
    """Sort arrays named "mechanism|what" by mechanism."""
    found: dict[str, dict[str, FloatArray]] = {}
    for key, values in arrays.items():
        mechanism, what = key.split("|")
        found.setdefault(mechanism, {})[what] = values
    return found


def sensitivities(arrays: Mapping[str, Arrays]) -> pd.DataFrame:
    """Return the record sensitivities of the four mechanisms, one row per record, and the weights of DP."""
    rows = []
    for study, found in arrays.items():
        if study.endswith(RECORD):
            continue  # the same fit
        columns = {name: found[words(name, MAIN)]["sensitivity"] for name in FIGURE_2}
        columns["weight"] = found[words("DP", MAIN)]["weight"]
        rows.append(pd.DataFrame({"study": study, **columns}))
    return pd.concat(rows, ignore_index=True)


def statistics(arrays: Mapping[str, Arrays]) -> pd.DataFrame:
    """Return the quantile functions of the resampled statistics, one row per study, statistic and probability."""
    rows = []
    for study, found in arrays.items():
        for name in STATISTICS:
            columns = {"Data": found["Unweighted"][f"confidential {name}"]}
            for mechanism in ("Unweighted", "Countweighted"):
                columns[mechanism] = found[mechanism][f"barycenter {name}"]
            for setting in SETTINGS:
                for mechanism in ("DP", "EM"):
                    if (label := words(mechanism, setting)) in found:
                        columns[label] = found[label][f"barycenter {name}"]
            probability = np.linspace(0.0, 1.0, columns["Data"].size)
            rows.append(pd.DataFrame({"study": study, "statistic": name, "probability": probability, **columns}))
    return pd.concat(rows, ignore_index=True)
