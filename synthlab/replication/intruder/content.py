"""The HTML page of the replication of Reiter and Mitra: claims, Table 1 under every setting, the population variant, the prior."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pandas as pd

from synthlab.replication import page
from synthlab.replication.intruder import words
from synthlab.replication.intruder.attacks import MEASURES, PUBLISHED, ROWS
from synthlab.replication.intruder.settings import PRECISION, SETTINGS
from synthlab.replication.intruder.tables import label, spread

if TYPE_CHECKING:
    from synthlab.replication.intruder.study import IntruderReplication

POPULATION = {
    "probability, N_t": "nothing released; best of the n records declared",
    "probability, N_t, may decline": "nothing released; no record declared where n + 1 is more probable",
    "everything, fixed, N_t": "everything released; best of the n records declared",
    "everything, fixed, N_t, may decline": "everything released; no record declared where n + 1 is more probable",
}
PRIOR_ROWS = ("probability", "models, fixed", "models, drawn", "everything, fixed", "everything, drawn")


def page_content(result: IntruderReplication) -> dict[str, Any]:
    """Return what the template needs."""
    base = result.baseline.iloc[0]
    return {
        "figures": page.pictures(_figures(result)),
        "kind": result.data_kind,
        "tables": _tables(result),
        "base": {name: f"{base[name]:,.0f}" for name in base.index if name != "data"},
        "precision": f"{PRECISION:g}",
        "chosen": words.on_choice(result.held_out),
        "weak": words.on_weak_prior(result.prior),
        "settings": SETTINGS,
        "perceived": words.on_settings(result.settings),
        "stopped": words.on_stops(result.runs, result.nnet),
        "live": words.on_live(result.runs, result.settings),
        "wide": words.on_widths(result.widths, result.prior),
        "imputed": words.on_imputations(result.imputed),
        "repetitions": result.repetitions,
        "fitted": words.on_perceived(result.table_1),
        "limits": words.on_limits(result.table_1),
    }


def _figures(result: IntruderReplication) -> Iterator[tuple[str, Any, str]]:
    from synthlab.teaching.figures.repetition_intervals import plot_ranges

    for measure in MEASURES:
        rows = result.table_1[result.table_1["measure"] == measure]
        ax = plot_ranges(
            [label(row, m) for row, m in zip(rows["row"], rows["m"], strict=True)],
            rows["mean"],
            rows["low"],
            rows["high"],
            published=rows["published"],
            xlabel=f"{measure} match risk (youths)",
            data=result.data_kind,
        )
        yield (
            measure,
            ax,
            f"Table 1, {measure} match risk: bars from the lowest to the highest of {result.repetitions} repetitions, a stroke at the "
            f"mean, a diamond at the paper's one run; {int(rows['inside'].sum())} of 14 diamonds lie on their bar.",
        )


def _tables(result: IntruderReplication) -> dict[str, page.Shown]:
    return {
        "table_1": page.shown(
            _table_1(result.table_1),
            "Table 1. Paper: one run. Here: mean [lowest, highest] of the repetitions (95 % prediction interval); * outside the interval.",
            {
                "row": "information in M, attack",
                **{m: f"{m}: paper / here" for m in MEASURES},
                "limit": "expected, h to infinity",
            },
            digits=3,
        ),
        "settings": page.shown(
            _settings(result.settings),
            "Table 1 under every setting: mean (95 % prediction interval); * the paper's number is outside.",
        ),
        "nnet": page.shown(
            result.nnet,
            "The agency's regressions, stopped after 100 iterations: minus the log likelihood here and by R, and how far apart they are.",
            digits=8,
        ),
        "widths": page.shown(
            result.widths,
            "Race, precision 1: the prior of a facility's effect, and how many youths of the three rarest races are expected.",
            digits=3,
        ),
        "population": page.shown(
            result.population.assign(row=_population_labels(result.population)),
            "N_t = sum of the survey weights of the matching records; means of the repetitions.",
            {
                "row": "what is released; the rule",
                "perceived, mean": "perceived",
                "expected, mean": "expected",
                "true, mean": "true",
                "declared, mean": "targets declared",
                "outside, mean": "mean Pr(J = n + 1)",
            },
            digits=3,
        ),
        "prior": page.shown(
            _prior(result.prior),
            "Expected (perceived) matches by prior; means of the repetitions, m = 3 where data are used.",
            digits=3,
        ),
        "approximation": page.shown(
            result.approximation[["category", "precision", "youths", "synthetic"]],
            "Youths in rare categories: in the data, and in a synthetic dataset on average.",
            {"category": "category", "precision": "precision", "youths": "youths", "synthetic": "synthetic youths"},
            digits=3,
        ),
        "held_out": page.shown(
            result.held_out,
            "Mean log probability of the facility of youths left out of the fit (three folds).",
            {
                "setting": "setting",
                "log probability": "mean log probability",
                "below best": "below the best",
                "se": "standard error of that",
                "drawn": "with drawn coefficients",
            },
            digits=5,
        ),
    }


def _table_1(table: pd.DataFrame) -> pd.DataFrame:
    rows = []
    for row, m in PUBLISHED:
        group = table[(table["row"] == row) & (table["m"] == m)]
        by: Any = group.set_index("measure")
        cells = {}
        for measure in MEASURES:
            one = by.loc[measure]
            mark = "" if one["inside_95"] else " *"
            interval = f"({one['from']:.1f} to {one['to']:.1f})"
            cells[measure] = (
                f"{one['published']:g} / {one['mean']:.1f} [{one['low']:.3g}, {one['high']:.3g}] {interval}{mark}"
            )
        limit = by.loc["expected", "limit"]
        rows.append({"row": label(row, m), **cells, "limit": limit})
    return pd.DataFrame(rows)


def _population_labels(table: pd.DataFrame) -> list[str]:
    return [POPULATION[row] + (f", m = {m}" if m else "") for row, m in zip(table["row"], table["m"], strict=True)]


def _settings(table: pd.DataFrame) -> pd.DataFrame:
    cells = table.assign(
        cell=[spread(r) + ("" if r["inside_95"] or r["repetitions"] == 1 else " *") for r in table.to_dict("records")],
        row=[
            f"{label(row, m)}: {measure}"
            for row, m, measure in zip(table["row"], table["m"], table["measure"], strict=True)
        ],
    )
    names = [
        f"{name} ({n})"
        for name, n in table.drop_duplicates("setting")[["setting", "repetitions"]].itertuples(index=False)
    ]
    wide = cells.pivot_table(index=["row", "published"], columns="setting", values="cell", aggfunc="first", sort=False)
    wide = wide[table["setting"].unique()].set_axis(names, axis=1)
    return wide.reset_index().rename(columns={"row": "information in M, attack", "published": "paper"})


def _prior(table: pd.DataFrame) -> pd.DataFrame:
    cells = table.assign(
        cell=[f"{e:.1f} ({p:.0f})" for e, p in zip(table["expected, mean"], table["perceived, mean"], strict=True)]
    )
    cells = cells[cells["row"].isin(PRIOR_ROWS)]
    wide = cells.pivot_table(index="row", columns="setting", values="cell", aggfunc="first", sort=False)
    return wide.reindex(list(PRIOR_ROWS)).rename(index=ROWS).rename_axis("information in M, attack").reset_index()
