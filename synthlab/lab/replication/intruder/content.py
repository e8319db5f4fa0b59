"""The HTML page of the replication of Reiter and Mitra: claims, Table 1 under every setting, the population variant, the prior."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from synthlab.lab.replication import page
from synthlab.lab.replication.intruder.attacks import MEASURES, PUBLISHED, ROWS
from synthlab.lab.replication.intruder.settings import MAIN, PLAIN, PRECISION, PROTOTYPE, SETTINGS, prior_name
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
        "settings": {name: SETTINGS[name] for name in dict.fromkeys(result.settings["setting"])},
        "perceived": _words_on_settings(result.settings),
        "stopped": _words_on_stops(result.runs, result.nnet),
        "wide": _words_on_widths(result.widths, result.prior),
        "imputed": _words_on_imputations(result.imputed),
        "repetitions": result.repetitions,
        "fitted": _words_on_perceived(result.table_1),
        "limits": _words_on_limits(result.table_1),
    }


def _words_on_choice(held_out: pd.DataFrame) -> str:
    by: Any = held_out.drop_duplicates("setting").set_index("setting")
    priors = by[by.index.str.startswith("precision")]["log probability"]
    main = by.loc[MAIN]
    others = "; ".join(
        f"{name} {by.loc[name, 'log probability']:.2f}" for name in SETTINGS if name != MAIN and name in by.index
    )
    return (
        f"The facility of youths left out of the fit is predicted best with a {priors.idxmax()}; Table 1 uses {PRECISION:g}, whose mean "
        f"log probability of {main['log probability']:.4f} is {main['below best']:.4f} below the best (standard error {main['se']:.4f}). "
        f"The other settings are further below ({others}). Table 1 is set by this comparison, not by the numbers published."
    )


def _words_on_weak_prior(prior: pd.DataFrame) -> str:
    priors = prior[prior["setting"].str.fullmatch(r"precision [\d.]+")]
    weakest = min(priors["setting"], key=lambda name: float(name.split()[1]))
    at_weakest = priors[priors["setting"] == weakest].set_index("row")["perceived, mean"]
    return (
        f"Perceived matches with fixed coefficients rise as the prior weakens (with {weakest}: {at_weakest['models, fixed']:.1f} with the "
        f"models released, {at_weakest['everything, fixed']:.1f} with everything), with drawn ones they do not "
        f"({at_weakest['models, drawn']:.1f} and {at_weakest['everything, drawn']:.1f})."
    )


def _words_on_settings(settings: pd.DataFrame) -> str:
    named = {
        name: f"{int(rows['inside_95'].sum())} of {len(rows)} under {name} ({rows['repetitions'].iloc[0]} repetitions)"
        for name, rows in settings.groupby("setting", sort=False)
    }
    by = ["row", "m", "measure"]
    never = settings.groupby(by, sort=False)["inside_95"].any()
    lost = [f"{label(row, m)}: {measure}" for row, m, measure in never.index[~never]]
    return (
        f"Numbers of the paper inside the 95 % prediction interval: {', '.join(named.values())}. "
        + (f"Inside under none: {'; '.join(lost)}." if lost else "Each is inside under at least one.")
    )  # fmt: skip


def _words_on_stops(runs: pd.DataFrame, nnet: pd.DataFrame) -> str:
    one = runs.drop_duplicates(["setting", "repetition"]).groupby("setting", sort=False)[["stopped", "fits"]].sum()
    stopped = ", ".join(
        f"{name} {row['stopped']:.0f} of {row['fits']:.0f}" for name, row in one.iterrows() if row["stopped"]
    )
    same = nnet["largest difference of a probability"].max()
    ours = (
        f" The agency's fits by {nnet['source'].iloc[0]} and those here differ by at most {same:.0e} in a probability."
        if np.isfinite(same)
        else f" {nnet['source'].iloc[0]}: nothing here is R's own."
    )
    programs = runs.loc[runs["setting"] == "nnet"].drop_duplicates("repetition")["program"].value_counts()
    said = ", ".join(f"{n} by {'R itself' if name == 'nnet' else 'the equal fit here'}" for name, n in programs.items())
    return f"Fits that were stopped before they were done: {stopped}.{ours} Repetitions of nnet: {said}."


def _words_on_widths(widths: pd.DataFrame, prior: pd.DataFrame) -> str:
    one, other = (row for _, row in widths.iterrows())
    name = prior_name(PROTOTYPE)

    def number(setting: str, row: str, measure: str) -> str:
        found = prior[(prior["setting"] == setting) & (prior["row"] == row)]
        return f"{found[f'{measure}, mean'].iloc[0]:.1f}" if len(found) else "not run"

    return (
        f"Under precision {PROTOTYPE:g} an independent prototype of this study had 114.2 perceived matches with nothing released (m = 3; standard "
        f"deviation of a run 13.0) and 46.2 expected ones with everything drawn (4.2). Here they are {number(name, 'probability', 'perceived')} "
        f"and {number(name, 'everything, drawn', 'expected')}, and {number(PLAIN, 'probability', 'perceived')} and "
        f"{number(PLAIN, 'everything, drawn', 'expected')} with indicators of the facility that are 0 and 1. The two causes: (1) a standardised "
        f"indicator of one of many facilities is {one['prior sd of a facility'] / other['prior sd of a facility']:.1f} times as high as one of 0 "
        f"and 1, so the same precision lets a facility move the log odds of a race by a standard deviation of {one['prior sd of a facility']:.2f} "
        f"in place of {other['prior sd of a facility']:.2f}; drawn effects have {one['sd of drawn coefficients']:.2f} and "
        f"{other['sd of drawn coefficients']:.2f}. (2) The normal approximation. The {one['youths']:.0f} youths of the three rarest races "
        f"are {one['mode']:.0f} and {other['mode']:.0f} at the mode, as they are under the posterior itself (there the expected number is that of "
        f"the youths less the mean of the intercepts over the variance of their prior, at the mode too), but {one['drawn']:.0f} and "
        f"{other['drawn']:.0f} with coefficients drawn from the normal distribution and the real facilities; with drawn facilities as well "
        f"{one['drawn, drawn facility']:.0f} and {other['drawn, drawn facility']:.0f}. So the scale of the indicators makes "
        f"{one['drawn'] - other['drawn']:.0f} of the {one['drawn'] - one['mode']:.0f} youths too many, and the approximation the rest."
    )


def _words_on_imputations(imputed: pd.DataFrame) -> str:
    shares = imputed["imputations"] / imputed["imputations"].sum()
    parts = [f"{unique} in {share:.0%}" for unique, share in zip(imputed["unique"], shares, strict=True)]
    return f"Over {imputed['imputations'].sum()} other draws of the missing answers the number of unique youths is {', '.join(parts)}."


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
        cell=[
            f"{r['mean']:.1f} ({r['from']:.1f} to {r['to']:.1f}){'' if r['inside_95'] else ' *'}"
            for r in table.to_dict("records")
        ],
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
