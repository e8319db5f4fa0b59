"""The HTML page of the pseudo posterior mechanism's replication: its figures and words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from synthlab.replication import page
from synthlab.replication.ce2017 import consumer_units, kind
from synthlab.replication.dp import shown, words
from synthlab.replication.dp.settings import MAIN, PUBLISHED, RECORD, STATISTICS, M, words as name_of
from synthlab.replication.dp.tables import SINGLE
from synthlab.weights.epsilon import CAVEATS

if TYPE_CHECKING:
    from synthlab.replication.dp.study import DPResult

ROWS = {
    "Data": "Data",
    "Unweighted": "Unweighted",
    name_of("DP", MAIN): "DPweighted",
    name_of("EM", MAIN): "EMweighted",
    "Countweighted": "Countweighted",
}
UNITS = {"income": "family income (dollars)", "counts": "the outcome (a count)"}


def page_content(result: DPResult) -> dict[str, Any]:
    """Return what the template needs."""
    return {
        "figures": figures(result),
        "caveats": CAVEATS,
        "data": result.data,
        "m": M,
        "studies": {study: _file(study) for study in shown.STUDIES},
        "tables": shown.all_tables(result),
        "words": words.all_words(result),
        "groups": shown.groups(result.claims),
    }


def figures(result: DPResult) -> dict[str, page.Picture]:
    """Return every figure of the page."""
    everything = replace(result, numbers=shown.numbers(result))
    rest = (drawn for study in shown.STUDIES for drawn in _figures_of(everything, study))
    return page.pictures(chain([_figure_1(result.data)], rest))


def _figure_1(data: str) -> tuple[str, Any, str]:
    from synthlab.plots import lipschitz as plots

    income = consumer_units(0, 1, data)["income"]
    high, which = float(np.quantile(income, 0.99)), "simulated " * (data == "simulated")
    return (
        "figure_1",
        plots.plot_statistics({"Data": income[income <= high]}, label="family income (dollars)", data=kind(data)),
        f"Figure 1: density of family income of the {len(income):,} {which}consumer units, up to the 99 % quantile, {high:,.0f} dollars; the range is {income.min():,.0f} to "
        f"{income.max():,.0f}. Line: median; grey: the middle 95 %.",
    )


def _figures_of(result: DPResult, study: str) -> Iterator[tuple[str, Any, str]]:
    """Draw Figures 2 to 5 and the price of privacy of one study: name, axes and words of each."""
    from synthlab.plots import lipschitz as plots

    kinds = "simulated" if study == "counts" else kind(result.data)
    rows = result.sensitivities[result.sensitivities["study"] == study.removesuffix(RECORD)]
    bars = {ROWS.get(n, f"{n}weighted"): rows[n].to_numpy() for n in ("Unweighted", "DP", "EM", "Countweighted")}
    bounds = ", ".join(f"{name} {values.max():.3g}" for name, values in bars.items())
    yield (
        f"figure_2_{_file(study)}",
        plots.plot_sensitivities(bars, data=kinds),
        f"Figure 2: sensitivity of the {len(rows):,} records by mechanism; the largest is the Lipschitz bound: {bounds}.",
    )
    for figure, statistic in zip((3, 4), STATISTICS, strict=True):
        curves = _curves(result, study, statistic)
        groups = {label: curves[name].to_numpy() for name, label in ROWS.items()}
        yield (
            f"figure_{figure}_{_file(study)}",
            plots.plot_statistics(groups, label=_label(study, statistic), data=kinds),
            f"Figure {figure}: {statistic}, resampled; barycenter of {M} datasets. Grey: 95 % of the confidential resamples. Medians: "
            + ", ".join(f"{label} {_short(values[100])}" for label, values in groups.items())
            + ".",
        )
    curves = _curves(result, study, "90 % quantile")
    table: dict[str, Any] = {"Data": curves["Data"].to_numpy(), "Unweighted": curves["Unweighted"].to_numpy()}
    if curves[name_of("EM", list(PUBLISHED)[-1])].isna().all():
        yield from _prices(result, study, kinds)
        return
    for setting in PUBLISHED:
        halves = {f"{m}weighted": curves[name_of(m, setting)].to_numpy() for m in ("DP", "EM")}
        table[f"({setting[0]:g}, {setting[1]:g})"] = halves
    yield (
        f"figure_5_{_file(study)}",
        plots.plot_statistics(table, label=_label(study, "90 % quantile"), data=kinds),
        "Figure 5: 90 % quantile by (scale, shift); above each line DPweighted, below it EMweighted at the same Lipschitz bound.",
    )
    yield from _prices(result, study, kinds)


def _prices(result: DPResult, study: str, kinds: str) -> Iterator[tuple[str, Any, str]]:
    from synthlab.plots import lipschitz as plots

    for statistic in STATISTICS:
        price = _price(result.numbers, study, statistic)
        truth = float(_value(result.numbers, study, "Unweighted", f"{statistic}, confidential").iloc[0]["value"])
        spread = "; shaded: 95 % of the repetitions" if study not in SINGLE else ""
        yield (
            f"price_{statistic.split()[0]}_{_file(study)}",
            plots.plot_price(price, label=_label(study, statistic), truth=truth, data=kinds),
            f"{statistic} of the releases against the Lipschitz bound{spread}.",
        )


def _file(study: str) -> str:
    return study.replace(", ", "_").replace(" ", "_")


def _label(study: str, statistic: str) -> str:
    return f"{statistic} of {UNITS[study.split(',')[0]]}"


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
