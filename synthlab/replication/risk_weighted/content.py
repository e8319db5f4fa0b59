"""The content of the page of the risk-weighted study: figures with words, tables."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pandas as pd

from synthlab.replication import page
from synthlab.replication.ce2017 import BOUNDS, KNOWN, consumer_units, kind
from synthlab.replication.risk_weighted import claims, count_claims, incomes, radii
from synthlab.replication.risk_weighted.counts import RADII
from synthlab.replication.risk_weighted.published import INCOME
from synthlab.weights import whack_a_mole

if TYPE_CHECKING:
    from synthlab.replication.risk_weighted.study import RiskWeightedResult

MEASURES = ("mean", "median", "90 % quantile", "earner", "U_m", "U_a", "IR, mean", "IR, IQR")
NAMES = {"D": "Data", "S": "Synthesizer", "M": "Marginal", "P": "Pairwise", "T": "Topcoding"}


def page_content(result: RiskWeightedResult) -> dict[str, Any]:
    """Return what the template needs."""
    figures = page.pictures(_figures(result))
    return {
        "figures": figures,
        "incomes": [n for n in figures if n.startswith(("figure_8", "figure_9"))],
        "utility": [n for n in figures if n.startswith("figure_10")],
        "counts": [n for n in figures if n.startswith(("figure_4", "figure_5", "figure_6", "figure_7"))],
        "repetitions": int(result.study_numbers["repetitions"].iloc[0]),
        "radii": int(result.radii["run"].nunique()),
        "missing": [name for name in _words() if name not in set(result.income_numbers["case"])],
        "releases": {
            c: int(result.income_rises.query("case == @c and allocation == 'record'")["run"].nunique())
            for c in ("M", "P")
        },
        "known": ", ".join(KNOWN),
        "data": result.data,
        "bounds": [f"{end:,.0f}" for end in BOUNDS],
        "tables": {name: page.shown(table, caption) for name, (table, caption) in _tables(result).items()},
    }


def _tables(result: RiskWeightedResult) -> dict[str, tuple[pd.DataFrame, str]]:
    income, records = result.income_numbers, result.income_records
    variant = claims.check_incomes(claims.VARIANT, result.income_repetitions, result.income_rises, records)
    found = {
        "numbers": (result.study_numbers.drop(columns="repetitions"), "Tables 5 and 6."),
        "risk": (_wide(result.study_risk), "Means over the repetitions on the paper's values."),
        "radii": (_radii(result.radii), "Six radii: means over the repetitions on the paper's values."),
        "power": (result.power, "The share of true rises that the rule of +0.25 sees, and its false alarms."),
        "income": (_income(income), "Tables 4 and 7, and the risks: means over the releases."),
        "settings": (_settings(income), "Marginal and Synthesizer under each setting, allocation by record."),
        "variant": (
            variant[["where", "claim", "verdict", "evidence"]],
            "The statements with the allocation predictive.",
        ),
        "riskiest": (
            _ten(result, "riskiest"),
            "Table 2: the ten riskiest records, the paper's numbers beside those computed here.",
        ),
        "largest": (
            _ten(result, "largest"),
            "Table 3: the ten largest records, the paper's numbers beside those computed here.",
        ),
        "moles": (result.income_moles, "Rises of IR by 0.25 from the unweighted release: means over the releases."),
    }
    beyond = _beyond(income)
    return found if beyond is None else {**found, "beyond": (beyond, "Radius and singletons.")}


def _figures(result: RiskWeightedResult) -> Iterator[tuple[str, Any, str]]:
    """Draw every figure: name, axes and words of each."""
    from synthlab.plots import weights

    study, income, which = result.study_records, result.income_records, kind(result.data)
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
            f"Figure 7: {statistic}, averaged over the repetitions, L = 20; the band is the interval of the data.",
        )
    look = result.radii_records
    groups = {f"{k}, r = {r:.0%}": look[f"{k} {r:.2f}"] for r in (radii.ALL[0], radii.ALL[-1]) for k in ("D", "S", "M")}
    yield (
        "figure_5_extreme",
        weights.plot_risk_groups(groups, data="simulated", title="IR at r = 70 % and 5 %"),
        "The radii that the paper names as extreme: IR of the 1,000 records (D data, S synthesizer, M marginal). L = 20.",
    )
    cases = [c for c in ("S", "M", "P") if f"{c} record" in income]
    groups = {"Data": income["D"]} | {NAMES[c]: income[f"{c} record"] for c in cases} | {"Topcoding": income["T"]}
    yield (
        "figure_8",
        weights.plot_risk_groups(groups, data=which, title="Figures 2 and 8: IR of the consumer units"),
        f"Figures 2 and 8: IR of {len(income):,} {'simulated ' * (which == 'simulated')}consumer units in the first release; lines are means.",
    )
    for case, figure in (("M", "figures 3 and 9a"), ("P", "figure 9b")):
        moles = whack_a_mole(
            income["S record"],
            income[f"{case} record"],
            null=income["S again record"],
            expected_before=income["expected S record"],
            expected_after=income[f"expected {case} record"],
        )
        yield (
            f"figure_9_{case}",
            moles.plot(labels=("Synthesizer", NAMES[case]), data=which),
            f"{figure.capitalize()}. {moles.title}",
        )
    for quantity in ("mean", "median", "90 % quantile", "earner"):
        yield (
            f"figure_10_{quantity.replace(' ', '_').replace('%', 'percent')}",
            weights.plot_estimates(_figure_10(result, quantity), label=_label(quantity), data=which),
            f"Figure 10: {_label(quantity)}, L = 20, estimate and 95 % interval; the band is the interval of the data.",
        )


def _label(quantity: str) -> str:
    return "coefficient of no earner (dollars)" if quantity == "earner" else f"{quantity} of income (dollars)"


def _figure_7(result: RiskWeightedResult, statistic: str) -> pd.DataFrame:
    """Return the five columns of figure 7, and the data."""
    table = result.repetitions
    runs = count_claims.look_at(table[table["kind"] == "paper"])
    columns = {"Data": ("D", 0.0), "Synthesizer": ("S", 0.0)} | {f"Marginal, r = {r:.0%}": ("M", r) for r in RADII}
    parts = {"estimate": "", "low": ", low", "high": ", high"}
    return pd.DataFrame(
        {
            part: [
                sum(count_claims.estimate(look, name, r, statistic + end) for look in runs) / len(runs)
                for name, r in columns.values()
            ]
            for part, end in parts.items()
        },
        index=list(columns),
    )


def _figure_10(result: RiskWeightedResult, quantity: str) -> pd.DataFrame:
    look = result.income_numbers.set_index(["case", "allocation", "measure"])["ours"].to_dict()
    rows = {"Data": ("D", ""), **{NAMES[case]: (case, "record") for case in ("S", "M", "P")}}
    found = {
        name: [look[case, a, quantity + part] for part in ("", ", low", ", high")] for name, (case, a) in rows.items()
    }
    return pd.DataFrame.from_dict(found, orient="index", columns=["estimate", "low", "high"])


def _radii(table: pd.DataFrame) -> pd.DataFrame:
    wide = table.pivot_table(index=["r", "synthesizer"], columns="measure", values="value", sort=False)
    return wide.sort_index(level="r", ascending=False, sort_remaining=False).reset_index().rename_axis(columns=None)


def _words() -> dict[str, str]:
    """Return the cases of the income study, and what each is."""
    return {case.name: case.words for case in incomes.cases(consumer_units(0, 1))}


def _settings(table: pd.DataFrame) -> pd.DataFrame:
    """Return the numbers of tables 4 and 7 under every setting that was tried, and why; the paper's first."""
    look = table.set_index(["case", "allocation", "measure"])["ours"].to_dict()
    rows: list[dict[str, Any]] = []
    for case in ("S", "M"):
        rows.append(
            {"setting": "paper", "of": NAMES[case]}
            | {m: float(INCOME.get((case, m), "nan")) for m in MEASURES}
            | {"R-hat": float("nan"), "why": ""}
        )
    for name, why in _words().items():
        base, _, setting = name.partition(" ")
        if base not in ("S", "M") or setting in ("abs", "formula", "certain"):
            continue
        for allocation in ("record", "predictive") if not setting else ("record",):
            if (name, allocation, "mean") not in look:
                continue
            label = setting or ("main study" if allocation == "record" else "predictive")
            numbers = {m: look[name, allocation, m] for m in MEASURES}
            reason = (
                why
                if setting
                else "ten classes, asinh(income), truncated; "
                + (
                    "as the authors describe"
                    if allocation == "record"
                    else "as the posterior predictive distribution is defined"
                )
            )
            rows.append(
                {"setting": label, "of": NAMES[base], **numbers, "R-hat": look[name, "", "R-hat, max"], "why": reason}
            )
    return pd.DataFrame(rows)


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


def _ten(result: RiskWeightedResult, which: str) -> pd.DataFrame:
    """Return ten records as tables 2 and 3 of the paper show them, the paper's number of each place beside the one computed here."""
    records = result.income_records
    top = records.nlargest(10, "D" if which == "riskiest" else "income")
    numbers = result.published[result.published["quantity"].str.contains(f"IR of {which} record")]
    found: dict[str, Any] = {"income": [float(f"{v:.2g}") for v in top["income"]]}
    for name in ("Data", "Synthesizer", "Marginal", "Topcoding"):
        one = numbers[numbers["quantity"].str.startswith(f"{name}:")]
        found |= {f"{name}, paper": one["published"].tolist(), f"{name}, here": one["ours"].tolist()}
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
