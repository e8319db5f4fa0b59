"""Figures 2 to 10 of the paper on risk weights, each with a description."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from replications.ce2017 import kind
from replications.risk_weighted import count_claims, radii
from replications.risk_weighted.counts import RADII
from synthlab.plots.style import DescribedFigure, figure_with_description
from synthlab.weights import whack_a_mole

if TYPE_CHECKING:
    from replications.risk_weighted.study import RiskWeightedResult

NAMES = {"D": "Data", "S": "Synthesizer", "M": "Marginal", "P": "Pairwise", "T": "Topcoding"}


def figure_4(result: RiskWeightedResult) -> DescribedFigure:
    """Draw the weights of the counts at r = 20%."""
    from synthlab.plots import weights

    study = result.study_records
    alpha = {f"{NAMES.get(k, k)}": study[f"weight {k} 0.20"] for k in ("M", "P", "3-way")}
    means = ", ".join(f"{name} {values.mean():.3f}" for name, values in alpha.items())
    return figure_with_description(
        weights.plot_weights(study["outcome"], alpha, label="outcome (a count)", data="simulated"),
        f"Weights of the 1,000 counts at r = 20%. Records in the tails have the smallest weights. Mean weights: {means}.",
    )


def figure_5a(result: RiskWeightedResult, extreme: bool = False) -> DescribedFigure:
    """Draw the distribution of IR by radius for data, Synthesizer and Marginal; with `extreme`, for r = 70% and 5%."""
    from synthlab.plots import weights

    look = result.radii_records if extreme else result.study_records
    chosen = (radii.ALL[0], radii.ALL[-1]) if extreme else RADII
    groups = {f"{k}, r = {r:.0%}": look[f"{k} {r:.2f}"] for r in chosen for k in ("D", "S", "M")}
    means = ", ".join(f"{name} {values.mean():.3f}" for name, values in groups.items())
    return figure_with_description(
        weights.plot_risk_groups(groups, data="simulated", title="IR by r"),
        f"IR of the 1,000 records in one repetition with L = 20 (D data, S Synthesizer, M Marginal). Means: {means}.",
    )


def figure_5b(result: RiskWeightedResult) -> DescribedFigure:
    """Draw IR under Marginal against IR under the Synthesizer at r = 15%."""
    study = result.study_records
    moles = whack_a_mole(study["S 0.15"], study["M 0.15"], null=study["S again 0.15"])
    return figure_with_description(
        moles.plot(labels=("Synthesizer", "Marginal"), data="simulated"),
        f"IR of the 1,000 counts, r = 15%. {moles.title}",
    )


def figure_6(result: RiskWeightedResult) -> DescribedFigure:
    """Draw the distribution of IR under Marginal by radius."""
    from synthlab.plots import weights

    groups = {f"{r:.0%}": result.study_records[f"M {r:.2f}"] for r in RADII}
    means = ", ".join(f"{name} {values.mean():.3f}" for name, values in groups.items())
    return figure_with_description(
        weights.plot_risk_groups(groups, data="simulated", title="Marginal, IR by r"),
        f"IR under Marginal for the four radii. Means: {means}.",
    )


def figure_7(result: RiskWeightedResult, statistic: str = "mean") -> DescribedFigure:
    """Draw estimates of the mean or the median of the counts, averaged over the repetitions."""
    from synthlab.plots import weights

    table = estimates_of_counts(result, statistic)
    parts = ", ".join(f"{name} {value:.2f}" for name, value in table["estimate"].items())
    return figure_with_description(
        weights.plot_estimates(table, label=f"{statistic} of the outcome", data="simulated"),
        f"Estimates of the {statistic}, averaged over the repetitions, L = 20: {parts}. The band is the interval of the data.",
    )


def figure_8(result: RiskWeightedResult) -> DescribedFigure:
    """Draw the distribution of IR of the consumer units, including Topcoding (Figures 2 and 8)."""
    from synthlab.plots import weights

    income, which = result.income_records, kind(result.data)
    cases = [c for c in ("S", "M", "P") if f"{c} record" in income]
    groups = {"Data": income["D"]} | {NAMES[c]: income[f"{c} record"] for c in cases} | {"Topcoding": income["T"]}
    means = ", ".join(f"{name} {values.mean():.3f}" for name, values in groups.items())
    return figure_with_description(
        weights.plot_risk_groups(groups, data=which, title="IR of the consumer units"),
        f"IR of {len(income):,} {'simulated ' * (which == 'simulated')}consumer units in the first release. Means: {means}.",
    )


def figure_9(result: RiskWeightedResult, case: str = "M") -> DescribedFigure:
    """Draw IR under Marginal or Pairwise against IR under the Synthesizer, for incomes (Figures 3 and 9)."""
    income = result.income_records
    moles = whack_a_mole(
        income["S record"],
        income[f"{case} record"],
        null=income["S again record"],
        expected_before=income["expected S record"],
        expected_after=income[f"expected {case} record"],
    )
    return figure_with_description(
        moles.plot(labels=("Synthesizer", NAMES[case]), data=kind(result.data)),
        f"IR of the consumer units under {NAMES[case]} against the Synthesizer. {moles.title}",
    )


def figure_10(result: RiskWeightedResult, quantity: str = "mean") -> DescribedFigure:
    """Draw estimates of a quantity of the incomes."""
    from synthlab.plots import weights

    table = estimates_of_incomes(result, quantity)
    label = (
        "coefficient of no earner (dollars)"
        if quantity == "earner"
        else f"{quantity.replace(' %', '%')} of income (dollars)"
    )
    parts = ", ".join(f"{name} {value:,.0f}" for name, value in table["estimate"].items())
    return figure_with_description(
        weights.plot_estimates(table, label=label, data=kind(result.data)),
        f"Estimates of the {label} with 95% intervals, L = 20: {parts}. The band is the interval of the data.",
    )


def estimates_of_counts(result: RiskWeightedResult, statistic: str) -> pd.DataFrame:
    """Return the estimates of Figure 7: data, Synthesizer and Marginal for four radii."""
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


def estimates_of_incomes(result: RiskWeightedResult, quantity: str) -> pd.DataFrame:
    """Return the estimates of Figure 10: data, Synthesizer, Marginal and Pairwise."""
    look = result.income_numbers.set_index(["case", "allocation", "measure"])["ours"].to_dict()
    rows = {"Data": ("D", ""), **{NAMES[case]: (case, "record") for case in ("S", "M", "P")}}
    found = {
        name: [look[case, a, quantity + part] for part in ("", ", low", ", high")] for name, (case, a) in rows.items()
    }
    return pd.DataFrame.from_dict(found, orient="index", columns=["estimate", "low", "high"])
