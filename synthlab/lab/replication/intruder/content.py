"""The HTML page of the replication of Reiter and Mitra: claims, Table 1, the population variant, the prior."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from synthlab.lab.replication import page
from synthlab.lab.replication.intruder.attacks import MEASURES, PRECISION, PUBLISHED, ROWS
from synthlab.lab.replication.intruder.tables import label

if TYPE_CHECKING:
    from synthlab.lab.replication.intruder.study import IntruderReplication

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
        "chosen": _words_on_choice(result.held_out),
        "weak": _words_on_weak_prior(result.prior),
        "repetitions": result.repetitions,
        "fitted": _words_on_perceived(result.table_1),
        "limits": _words_on_limits(result.table_1),
    }


def _words_on_choice(held_out: pd.DataFrame) -> str:
    best = held_out.sort_values("log probability")["precision"].iloc[-1]
    main = held_out[held_out["precision"] == PRECISION].iloc[0]
    return (
        f"The facility of youths left out of the fit is predicted best with a precision of {best:g}; Table 1 uses {PRECISION:g}, whose mean "
        f"log probability is {main['below best']:.4f} lower (standard error {main['se']:.4f}). It was set by this comparison, not by Table 1."
    )


def _words_on_weak_prior(prior: pd.DataFrame) -> str:
    weakest = prior["precision"].min()
    at_weakest = prior[prior["precision"] == weakest].set_index("row")["perceived, mean"]
    drawn = prior[prior["row"].isin(["models, drawn", "everything, drawn"])]["perceived, mean"].max()
    most = f"gives more than {drawn:.1f}" if drawn > 0 else "gives any"
    return (
        f"Perceived matches with fixed coefficients rise as the prior weakens (at {weakest:g}: {at_weakest['models, fixed']:.1f} with the "
        f"models released, {at_weakest['everything, fixed']:.1f} with everything). With drawn coefficients no prior tried {most}, "
        "where the paper has 1 to 5: the prior does not explain those rows, and we do not know what does."
    )


def _figures(result: IntruderReplication) -> Iterator[tuple[str, Any, str]]:
    from synthlab.lab.figures.ranges import plot_ranges

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
            "Table 1. Paper: one run. Here: mean [lowest, highest] of the repetitions; * outside.",
            {
                "row": "information in M, attack",
                **{m: f"{m}: paper / here" for m in MEASURES},
                "limit": "expected, h to infinity",
            },
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
            "Expected (perceived) matches by precision of the prior; means of the repetitions, m = 3 where data are used.",
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
                "precision": "precision of the prior",
                "log probability": "mean log probability",
                "below best": "below the best",
                "se": "standard error of that",
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
            mark = "" if one["inside"] else " *"
            cells[measure] = f"{one['published']:g} / {one['mean']:.1f} [{one['low']:.3g}, {one['high']:.3g}]{mark}"
        limit = by.loc["expected", "limit"]
        rows.append({"row": label(row, m), **cells, "limit": limit})
    return pd.DataFrame(rows)


def _population_labels(table: pd.DataFrame) -> list[str]:
    return [POPULATION[row] + (f", m = {m}" if m else "") for row, m in zip(table["row"], table["m"], strict=True)]


def _prior(table: pd.DataFrame) -> pd.DataFrame:
    cells = table.assign(
        cell=[f"{e:.1f} ({p:.0f})" for e, p in zip(table["expected, mean"], table["perceived, mean"], strict=True)]
    )
    cells = cells[cells["row"].isin(PRIOR_ROWS)]
    wide = cells.pivot_table(index="row", columns="precision", values="cell", aggfunc="first").reindex(list(PRIOR_ROWS))
    wide.columns = pd.Index([f"precision {c}" for c in wide.columns])
    return wide.rename(index=ROWS).rename_axis("information in M, attack").reset_index()


def _words_on_perceived(table: pd.DataFrame) -> str:
    rows = table[(table["measure"] == "perceived") & table["row"].str.contains("models|everything")]
    above = int((rows["published"] > rows["high"]).sum())
    return (
        f"In {above} of the 8 rows with models the paper's perceived risk is above all of those found here: the paper has "
        f"{rows['published'].min():g} to {rows['published'].max():g} youths with a match probability above 0.2, we "
        f"{rows['low'].min():g} to {rows['high'].max():g}."
    )


def _words_on_limits(table: pd.DataFrame) -> str:
    rows = table[(table["measure"] == "expected") & table["limit"].notna()]
    gain = rows["limit"] / rows["mean"] - 1
    return (
        f"In the limit of infinitely many simulations the fixed-parameter intruder has {100 * gain.min():.0f} to {100 * gain.max():.0f} % "
        "more expected matches than with 100: noise in the match probabilities hides which is the largest."
        if np.isfinite(gain).all()
        else ""
    )
