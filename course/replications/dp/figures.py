"""Figures 1 to 5 of the paper on the pseudo posterior mechanism, each with a description."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from replications.ce2017 import consumer_units, kind
from replications.dp.settings import MAIN, PUBLISHED, RECORD, M, words as name_of
from replications.dp.tables import SINGLE, numbers_with_runs
from synthlab.plots.style import DescribedFigure, figure_with_description

if TYPE_CHECKING:
    from replications.dp.study import DPResult

ROWS = {
    "Data": "Data",
    "Unweighted": "Unweighted",
    name_of("DP", MAIN): "DPweighted",
    name_of("EM", MAIN): "EMweighted",
    "Countweighted": "Countweighted",
}
UNITS = {"income": "family income (dollars)", "counts": "the outcome (a count)"}


def figure_1(data: str) -> DescribedFigure:
    """Draw the density of family income of a version of ce2017."""
    from synthlab.plots import lipschitz as plots

    income = consumer_units(0, 1, data)["income"]
    high, which = float(np.quantile(income, 0.99)), "simulated " * (data == "simulated")
    return figure_with_description(
        plots.plot_statistics({"Data": income[income <= high]}, label="family income (dollars)", data=kind(data)),
        f"Density of the family income of {len(income):,} {which}consumer units up to the 99% quantile, {high:,.0f} dollars. The range "
        f"is {income.min():,.0f} to {income.max():,.0f}. The line is the median; the middle 95% is gray.",
    )


def figure_2(result: DPResult, study: str) -> DescribedFigure:
    """Draw the sensitivity of every record by mechanism."""
    from synthlab.plots import lipschitz as plots

    rows = result.sensitivities[result.sensitivities["study"] == study.removesuffix(RECORD)]
    bars = {ROWS.get(n, f"{n}weighted"): rows[n].to_numpy() for n in ("Unweighted", "DP", "EM", "Countweighted")}
    bounds = ", ".join(f"{name} {values.max():.3g}" for name, values in bars.items())
    return figure_with_description(
        plots.plot_sensitivities(bars, data=_kind(result, study)),
        f"Sensitivity of the {len(rows):,} records by mechanism. The largest sensitivity is the Lipschitz bound: {bounds}.",
    )


def figure_3_or_4(
    result: DPResult, study: str, statistic: str, names: Mapping[str, str] = MappingProxyType({})
) -> DescribedFigure:
    """Draw the distribution of the resampled mean (Figure 3) or 90% quantile (Figure 4) by mechanism.

    `names` are labels that replace the names of the paper.
    """
    from synthlab.plots import lipschitz as plots

    curves = _curves(result, study, statistic)
    groups = {names.get(label, label): curves[name].to_numpy() for name, label in ROWS.items()}
    medians = ", ".join(f"{label} {_short(values[100])}" for label, values in groups.items())
    return figure_with_description(
        plots.plot_statistics(groups, label=_label(study, statistic), data=_kind(result, study)),
        f"Resampled {statistic.replace(' %', '%')}, barycenter of {M} datasets. The gray area contains 95% of the confidential resamples. Medians: {medians}.",
    )


def figure_5(result: DPResult, study: str, names: Mapping[str, str] = MappingProxyType({})) -> DescribedFigure:
    """Draw the 90% quantile by (scale, shift) for DPweighted and EMweighted; `names` replace the names of the paper."""
    from synthlab.plots import lipschitz as plots

    curves = _curves(result, study, "90 % quantile")
    above, below, plain = (names.get(name, name) for name in ("DPweighted", "EMweighted", "Unweighted"))
    table: dict[str, Any] = {"Data": curves["Data"].to_numpy(), plain: curves["Unweighted"].to_numpy()}
    for setting in PUBLISHED:
        halves = {label: curves[name_of(m, setting)].to_numpy() for m, label in (("DP", above), ("EM", below))}
        table[f"({setting[0]:g}, {setting[1]:g})"] = halves
    return figure_with_description(
        plots.plot_statistics(table, label=_label(study, "90 % quantile"), data=_kind(result, study)),
        f"90% quantile by (scale, shift). {above} is above each line; {below} with the same Lipschitz bound is below it.",
    )


def price(result: DPResult, study: str, statistic: str) -> DescribedFigure:
    """Draw a statistic of the releases against the Lipschitz bound."""
    from synthlab.plots import lipschitz as plots

    numbers = numbers_with_runs(result.numbers, result.runs)
    table = _price(numbers, study, statistic)
    truth = float(_value(numbers, study, "Unweighted", f"{statistic}, confidential").iloc[0]["value"])
    spread = " The shaded area contains 95% of the repetitions." if study not in SINGLE else ""
    return figure_with_description(
        plots.plot_price(table, label=_label(study, statistic), truth=truth, data=_kind(result, study)),
        f"The {statistic} of the releases against the Lipschitz bound; the confidential value is {_short(truth)}.{spread}",
    )


def _kind(result: DPResult, study: str) -> Any:
    return "simulated" if study == "counts" else kind(result.data)


def _label(study: str, statistic: str) -> str:
    return f"{statistic.replace(' %', '%')} of {UNITS[study.split(',')[0]]}"


def _curves(result: DPResult, study: str, statistic: str) -> pd.DataFrame:
    table = result.statistics
    return table[(table["study"] == study) & (table["statistic"] == statistic)]


def _value(numbers: pd.DataFrame, study: str, mechanism: str, measure: str) -> pd.DataFrame:
    chosen = (numbers["study"] == study) & (numbers["mechanism"] == mechanism) & (numbers["measure"] == measure)
    return numbers[chosen]


def _price(numbers: pd.DataFrame, study: str, statistic: str) -> pd.DataFrame:
    """Return the statistic of the releases with the bound, for the settings of both mechanisms."""
    found = []
    for mechanism in ("DP", "EM"):
        rows = _value(numbers, study, mechanism, statistic).set_index(["scale", "shift"])[["value", "low", "high"]]
        bound = _value(numbers, study, mechanism, "lipschitz_bound").set_index(["scale", "shift"])["value"]
        found.append(rows.assign(lipschitz_bound=bound, mechanism=f"{mechanism}weighted").reset_index())
    table = pd.concat(found, ignore_index=True)
    return table.drop(columns=["low", "high"]) if study in SINGLE else table


def _short(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"
