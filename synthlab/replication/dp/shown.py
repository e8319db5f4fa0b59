"""The tables of the page of the pseudo posterior mechanism's replication."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from synthlab.replication import page
from synthlab.replication.dp import tables
from synthlab.replication.dp.models import judged
from synthlab.replication.dp.sample_size import spread
from synthlab.replication.dp.settings import (
    FITTED,
    LONGER,
    MAIN,
    ORDERS,
    REPEATED,
    SHIFTED,
    STATISTICS,
    VARIANTS,
    M,
    words as name_of,
)
from synthlab.replication.dp.tables import FITTED_RECORD

if TYPE_CHECKING:
    from synthlab.replication.dp.study import DPResult

STUDIES = (FITTED_RECORD, FITTED, "income, one regression", "counts", "income")
MEASURES = {
    "lipschitz_bound": "Lipschitz bound",
    "epsilon_per_draw": "epsilon, one dataset",
    "median sensitivity": "median sensitivity",
    "weight, mean": "mean weight",
    "weight 0, records": "weight 0",
    "U_m": "U_m",
    "mean": "mean",
    "mean, sd between datasets": "sd between datasets",
    "mean, distance": "distance",
    "90 % quantile": "90 % quantile",
    "90 % quantile, sd between datasets": "sd between datasets",
    "90 % quantile, distance": "distance",
    "R-hat, max": "R-hat",
}


def numbers(result: DPResult) -> pd.DataFrame:
    """Return the numbers of the studies that were run once or on the counts, and of the several runs on the mixture that was chosen."""
    several = tables.of_runs(result.runs[result.runs["study"].isin([FITTED, FITTED_RECORD])])
    return pd.concat([result.numbers, several], ignore_index=True)


def groups(claims: pd.DataFrame) -> page.Shown:
    """Return what does not hold, or cannot be tested, by its reason."""
    rest = claims[claims["verdict"] != "holds"]
    keys = ["verdict", "reason"]
    found = rest.groupby(keys, sort=False).agg(
        statements=("claim", "size"), studies=("study", lambda s: "; ".join(dict.fromkeys(s)))
    )
    return page.shown(found.reset_index(), "Statements that do not hold, hold in part or cannot be tested, by reason.")


def all_tables(result: DPResult) -> dict[str, page.Shown]:
    """Return every table of the page by name."""
    table = result.table_2
    found = {
        "table_2": page.shown(
            table.assign(setting=[f"({s:g}, {g:g})" for s, g in table[["scale", "shift"]].to_numpy()]),
            "Table 2: the Lipschitz bound and epsilon of one dataset by (scale, shift). Low and high: of the runs, and of the counts 95 % of the repetitions. "
            "Shift first: the bound with weights c (x + g).",
            {
                "setting": "(scale, shift)", "published": "paper", "published, epsilon": "epsilon",
                FITTED: FITTED, f"{FITTED}, low": "low", f"{FITTED}, high": "high", f"{FITTED}, shift first": "shift first",
                "income, one regression": "one regression", "income, one regression, shift first": "shift first, runs",
                "counts": "counts", "counts, low": "low", "counts, high": "high", "counts, shift first": "shift first",
                "income": "two regressions",
            },
        ),
        "models": _models_table(result.models),
        "sizes": page.shown(spread(result.sizes), "The bound against the number of records: mean and standard deviation over databases."),
        "variants": _variants(result),
        "one_weight": page.shown(
            result.one_weight.groupby(["classes", "weight"], as_index=False).mean(numeric_only=True).drop(columns="run"),
            "One weight for all on the mixture that was chosen and on one regression of the same scale: errors of mean and 90 % quantile, the share of the "
            "largest component, and the residual sd of the others as a multiple of its; means of the runs.",
        ),
    }  # fmt: skip
    found_numbers = numbers(result)
    for study in (*STUDIES, "income, component"):
        rows = found_numbers[found_numbers["study"] == study]
        wide = rows.pivot_table(index=["mechanism", "scale", "shift"], columns="measure", values="value", sort=False)
        wide = wide.reset_index()
        wide["name"] = [name_of(m, (c, g)) for m, c, g in wide[["mechanism", "scale", "shift"]].itertuples(index=False)]
        extra = {"largest weight x |log-likelihood|": "largest weight x |log p|"} if "component" in study else {}
        columns = {"name": "mechanism (scale, shift)", **MEASURES, **extra}
        found[study] = page.shown(
            wide, f"Every mechanism, {study}; m = {M}.", {k: v for k, v in columns.items() if k in wide}, digits=3
        )
    return found


def _models_table(models: pd.DataFrame) -> page.Shown:
    """Return every model tried: its score, and how far its unweighted releases are from the data in standard errors."""
    kinds = {0: "one regression, resampled residuals", 1: "one regression"}
    named = judged(models).sort_values("log score", ascending=False)
    named["model"] = [
        f"{scale}, {kinds.get(k, f'K = {k}')}"
        for scale, k in zip(named["scale"], named["classes"].astype(int), strict=True)
    ]
    errors = {f"{s}, {a}, errors": f"{s}, {a}" for a in ("predictive", "record") for s in STATISTICS}
    return page.shown(
        named,
        "Models of income without weights: log score a record; mean and 90 % quantile of the releases less those of the data, in standard errors of the data, "
        "with the component drawn from the model (predictive) and given the record's own income (record, as published).",
        {
            "model": "model",
            "log score": "log score",
            **errors,
            "R-hat, max": "R-hat",
            "fits": "fits",
            "chosen": "chosen",
        },
        digits=6,
    )


def _variants(result: DPResult) -> page.Shown:
    """Return the bounds of the orders, of the other reading and of longer chains, study by study."""
    rows = []
    means = tables.of_runs(pd.concat([result.runs, _counts(result)], ignore_index=True)).set_index(
        [*tables.KEYS, "measure"]
    )
    means = means.sort_index()
    wanted = [(m, MAIN) for m in (*ORDERS, "DP")] + [v for v in VARIANTS if v[0] in (SHIFTED, LONGER)]
    for study in (*REPEATED, "counts"):
        for mechanism, setting in wanted:
            look = means.loc[(study, mechanism, *setting), :]
            bound = look.loc["lipschitz_bound"]
            rows.append({
                "study": study, "mechanism": name_of(mechanism, setting), "bound": bound["value"], "low": bound["low"], "high": bound["high"],
                "all draws": look.loc["lipschitz_bound, all draws", "value"], "mean weight": look.loc["weight, mean", "value"],
                "U_m": look.loc["U_m", "value"], "90 % quantile, distance": look.loc["90 % quantile, distance", "value"],
            })  # fmt: skip
    caption = (
        "Count weights of order 1, 2 and 3; weights c (x + g) (shift first); chains of four times the draws (longer)."
    )
    return page.shown(pd.DataFrame(rows), f"{caption} Mean, lowest and highest of the runs.", digits=3)


def _counts(result: DPResult) -> pd.DataFrame:
    return result.repetitions.query("kind == 'paper'").drop(columns="kind").assign(study="counts")
