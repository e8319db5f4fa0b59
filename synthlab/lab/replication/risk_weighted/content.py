"""The content of the page of the risk-weighted study: figures with words, tables."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pandas as pd

from synthlab.lab.replication import page
from synthlab.lab.replication.ce2017 import BOUNDS, KNOWN
from synthlab.lab.replication.risk_weighted.counts import RADII
from synthlab.weights import whack_a_mole

if TYPE_CHECKING:
    from synthlab.lab.replication.risk_weighted.study import RiskWeightedResult

NAMES = {"D": "Data", "S": "Synthesizer", "M": "Marginal", "P": "Pairwise", "T": "Topcoding"}


def page_content(result: RiskWeightedResult) -> dict[str, Any]:
    """Return what the template needs."""
    figures = page.pictures(_figures(result))
    return {
        "figures": figures,
        "groups": {k: [n for n in figures if n.startswith(k)] for k in ("figure_8", "figure_9", "figure_10")},
        "counts": [n for n in figures if n.startswith(("figure_4", "figure_5", "figure_6", "figure_7"))],
        "repetitions": int(result.study_numbers["repetitions"].iloc[0]),
        "known": ", ".join(KNOWN),
        "bounds": [f"{end:,.0f}" for end in BOUNDS],
        "tables": {name: page.shown(table, caption) for name, (table, caption) in _tables(result).items()},
    }


def _tables(result: RiskWeightedResult) -> dict[str, tuple[pd.DataFrame, str]]:
    found = {
        "numbers": (result.study_numbers.drop(columns="repetitions"), "Tables 5 and 6."),
        "risk": (_wide(result.study_risk), "Means over the repetitions on the paper's values."),
        "income": (_income(result.income_numbers), "Tables 4 and 7, and the risks."),
        "riskiest": (_ten(result.income_records, "D"), "Table 2: the ten riskiest records."),
        "largest": (_ten(result.income_records, "income"), "Table 3: the ten largest records."),
        "moles": (result.income_moles, "Rises of IR by 0.25 from the unweighted release."),
    }
    beyond = _beyond(result.income_numbers)
    return found if beyond is None else {**found, "beyond": (beyond, "Radius and singletons.")}


def _figures(result: RiskWeightedResult) -> Iterator[tuple[str, Any, str]]:
    """Draw every figure: name, axes and words of each."""
    from synthlab.plots import weights

    study, income = result.study_records, result.income_records
    alpha = {f"{NAMES.get(k, k)}": study[f"weight {k} 0.20"] for k in ("M", "P", "3-way")}
    yield (
        "figure_4",
        weights.plot_weights(study["outcome"], alpha, label="outcome (a count)", data="simulated"),
        "Figure 4 and the weights at r = 20 %: records in the tails count least; the higher the order the more they count.",
    )
    groups = {f"{k}, r = {r:.0%}": study[f"{k} {r:.2f}"] for r in RADII for k in ("D", "S", "M")}
    yield (
        "figure_5a",
        weights.plot_risk_groups(groups, data="simulated", title="Figure 5a: IR by r"),
        "Figure 5a: IR of the 1,000 records (D data, S synthesizer, M marginal); the line in each violin is the mean. One repetition, L = 20.",
    )
    moles = whack_a_mole(study["S 0.15"], study["M 0.15"], null=study["S again 0.15"])
    yield (
        "figure_5b",
        moles.plot(labels=("Synthesizer", "Marginal"), data="simulated"),
        f"Figure 5b, r = 15 %. {moles.title}",
    )
    groups = {f"{r:.0%}": study[f"M {r:.2f}"] for r in RADII}
    yield (
        "figure_6",
        weights.plot_risk_groups(groups, data="simulated", title="Figure 6: Marginal, IR by r"),
        "Figure 6: IR under Marginal for the four radii.",
    )
    for statistic in ("mean", "median"):
        table = _figure_7(result, statistic)
        yield (
            f"figure_7_{statistic}",
            weights.plot_estimates(table, label=f"{statistic} of the outcome", data="simulated"),
            f"Figure 7: {statistic}, averaged over the repetitions, L = 20 (M: r = 20 %); the band is the interval of the data.",
        )
    for allocation in ("predictive", "record"):
        cases = [c for c in ("S", "M", "P") if f"{c} {allocation}" in income]
        groups = (
            {"Data": income["D"]} | {NAMES[c]: income[f"{c} {allocation}"] for c in cases} | {"Topcoding": income["T"]}
        )
        yield (
            f"figure_8_{allocation}",
            weights.plot_risk_groups(groups, data="simulated", title="Figures 2 and 8: IR of the consumer units"),
            f"Figures 2 and 8, allocation by {allocation}: IR of {len(income):,} simulated consumer units; lines are means.",
        )
        for case, figure in (("M", "figures 3 and 9a"), ("P", "figure 9b")):
            moles = whack_a_mole(
                income[f"S {allocation}"],
                income[f"{case} {allocation}"],
                null=income[f"S again {allocation}"],
                expected_before=income[f"expected S {allocation}"],
                expected_after=income[f"expected {case} {allocation}"],
            )
            yield (
                f"figure_9_{case}_{allocation}",
                moles.plot(labels=("Synthesizer", NAMES[case]), data="simulated"),
                f"{figure.capitalize()}, allocation by {allocation}. {moles.title}",
            )
    for quantity in ("mean", "median", "90 % quantile", "earner"):
        yield (
            f"figure_10_{quantity.replace(' ', '_').replace('%', 'percent')}",
            weights.plot_estimates(_figure_10(result, quantity), label=_label(quantity), data="simulated"),
            f"Figure 10: {_label(quantity)}, L = 20, estimate and 95 % interval; the band is the interval of the data.",
        )


def _label(quantity: str) -> str:
    return "coefficient of no earner (dollars)" if quantity == "earner" else f"{quantity} of income (dollars)"


def _figure_7(result: RiskWeightedResult, statistic: str) -> pd.DataFrame:
    table = result.study_numbers
    rows = {}
    for label in ("Data", "Synthesizer, L = 20", "Marginal, L = 20"):
        part = table[(table["row"] == label)].set_index("quantity")["ours"]
        rows[label.split(",")[0]] = [part[statistic], part[f"{statistic}, low"], part[f"{statistic}, high"]]
    return pd.DataFrame.from_dict(rows, orient="index", columns=["estimate", "low", "high"])


def _figure_10(result: RiskWeightedResult, quantity: str) -> pd.DataFrame:
    look = result.income_numbers.set_index(["case", "allocation", "measure"])["ours"].to_dict()
    rows = {"Data": [look["D", "", quantity + part] for part in ("", ", low", ", high")]}
    for allocation in ("predictive", "record"):
        for case in ("S", "M", "P"):
            rows[f"{NAMES[case]}, {allocation}"] = [
                look[case, allocation, quantity + part] for part in ("", ", low", ", high")
            ]
    return pd.DataFrame.from_dict(rows, orient="index", columns=["estimate", "low", "high"])


def _wide(table: pd.DataFrame) -> pd.DataFrame:
    paper = table[table["data"] == "paper"]
    wide = paper.pivot_table(index=["synthesizer", "r"], columns="measure", values="mean", sort=False)
    return wide.reset_index().rename_axis(columns=None)


def _income(table: pd.DataFrame) -> pd.DataFrame:
    measures = [
        "IR, mean", "IR, IQR", "IR, max", "IR above 0.5, records", "U_m", "U_a", "mean", "mean, low", "mean, high", "median",
        "90 % quantile", "earner", "singletons found within the radius, share", "R-hat, max", "divergences", "occupied, mean",
    ]  # fmt: skip
    wide = table.pivot_table(index=["case", "allocation"], columns="measure", values="ours", sort=False)
    return wide[[m for m in measures if m in wide]].reset_index().rename_axis(columns=None)


def _ten(records: pd.DataFrame, by: str) -> pd.DataFrame:
    """Return the ten records with the largest value of a column, as tables 2 and 3 of the paper show them."""
    top = records.nlargest(10, by)
    found = {"income": [float(f"{v:.2g}") for v in top["income"]], "Data": top["D"]}
    found |= {NAMES[c]: top[f"{c} record"] for c in ("S", "M", "P")} | {"Topcoding": top["T"]}
    return pd.DataFrame(found)


def _beyond(table: pd.DataFrame) -> pd.DataFrame | None:
    """Return the table on radius and singletons, where these cases were run."""
    chosen = table[table["case"].isin(["M", "M abs", "M formula", "M certain"])]
    if chosen["case"].nunique() < 4:
        return None
    measures = [
        "weight, mean", "IR, mean", "IR, max", "U_m", "singletons", "singletons found within the radius, share",
        "others found within the radius, share",
    ]  # fmt: skip
    wide = chosen[chosen["allocation"] != ""].pivot_table(
        index=["case", "allocation"], columns="measure", values="ours", sort=False
    )
    wide["weight, mean"] = wide.index.get_level_values("case").map(
        chosen[chosen["measure"] == "weight, mean"].set_index("case")["ours"].to_dict()
    )
    return wide[[m for m in measures if m in wide]].reset_index().rename_axis(columns=None)
