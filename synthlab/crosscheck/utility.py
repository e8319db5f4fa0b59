"""Utility measures compared with base R."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from synthlab._warnings import quiet
from synthlab.crosscheck._check import Check, make_check
from synthlab.exceptions import FewDegreesOfFreedomWarning, UndefinedIntervalWarning
from synthlab.r import Reference
from synthlab.utility import (
    analysis_utility,
    barycenter,
    cluster_utility,
    combine_full,
    combine_partial,
    ecdf_utility,
    interval_overlap,
    pmse,
    table_utility,
)

GROUP = "utility"
REFERENCES = ("utility", "utility_confidential", "utility_partial", "utility_full")
KINDS = {"partial": "partial synthesis, m = 4", "full": "full synthesis, m = 3"}
FORMULAS = {
    "gaussian": "income ~ age + region",
    "binomial": "married ~ age + log(income + 3000)",
    "poisson": "children ~ age * region",
}
# Names of coefficients in R, and here.
NAMES = {
    "(Intercept)": "Intercept",
    "regionsouth": "region[T.south]",
    "regionwest": "region[T.west]",
    "age:regionsouth": "age:region[T.south]",
    "age:regionwest": "age:region[T.west]",
}
MEASURES = {"q_bar": "q_bar", "total_variance": "T", "df": "df", "lower": "lower end", "upper": "upper end"}
STEEPER = 60.0  # dollars per year of age; the intervals of the coefficient of age become disjoint
MARGINS = [["region"], ["married"], ["income"], ["region", "married"], ["region", "income"]]


@dataclass(frozen=True)
class Simulated:
    """Input data of R, and its answers."""

    answers: Mapping[str, Reference]

    @property
    def answer(self) -> Reference:
        """Source of the answers."""
        return self.answers["utility"]

    @cached_property
    def confidential(self) -> pd.DataFrame:
        """Confidential data."""
        return self.answers["utility_confidential"].table

    def release(self, kind: str) -> list[pd.DataFrame]:
        """Return the synthetic datasets of partial or full synthesis."""
        parts = self.answers[f"utility_{kind}"].table.groupby("dataset")
        return [part.drop(columns="dataset").reset_index(drop=True) for _, part in parts]

    def said(self, what: str, kind: str) -> pd.Series:
        """Return the answers of R, indexed by dataset and name."""
        table = self.answer.table
        rows = table[(table["what"] == what) & (table["release"] == kind)]
        return rows.set_index(["dataset", "name"])["value"].astype(np.float64).rename(index=NAMES, level="name")


def checks(answers: Mapping[str, Reference]) -> Iterator[Check]:
    """Yield the checks of the group."""
    data = Simulated(answers)
    for kind, label in KINDS.items():
        yield from _propensity(data, kind, label)
        with quiet(FewDegreesOfFreedomWarning):
            yield from _combined(data, kind, label)
            yield from _overlaps(data, kind, label)
        yield from _global(data, kind, label)
    yield from _disjoint(data)


def _propensity(data: Simulated, kind: str, label: str) -> Iterator[Check]:
    for order in (1, 2):
        result = pmse(data.confidential, data.release(kind), order=order, null_parameters="all")
        case = f"{label}, {'main effects' if order == 1 else 'two-way'}"
        for ours, what, quantity in (
            (result.pmse, "pmse", "maximum likelihood"),
            (result.null_mean, "pmse_null_mean", "formula"),
            (result.null_sd, "pmse_null_sd", "formula"),
        ):
            theirs = data.said(what, kind).xs(f"order {order}", level="name")
            yield make_check(GROUP, what.replace("_", " "), case, ours, theirs, quantity, data.answer)


def _combined(data: Simulated, kind: str, label: str) -> Iterator[Check]:
    """Yield the checks of the combining rules, applied to estimates of R."""
    for rule in ("partial", "full"):
        ours, theirs = [], []
        for family in FORMULAS:
            estimates = data.said(f"{family} estimate", kind).unstack("name").drop(index=0)
            variances = data.said(f"{family} std_error", kind).unstack("name").drop(index=0) ** 2
            if rule == "partial":
                result = combine_partial(estimates, variances)
            else:
                ratio = len(data.release(kind)[0]) / len(data.confidential)
                result = combine_full(estimates, variances, size_ratio=ratio)
            table = result.to_frame()
            said = {c: data.said(f"{family} {rule} {c}", kind).droplevel("dataset") for c in MEASURES}
            ours.append(table[list(MEASURES)])
            theirs.append(pd.DataFrame(said).reindex(table.index))
        here, there = pd.concat(ours), pd.concat(theirs)
        usable = there["df"] >= 1  # with less than 1 degree of freedom, there is no interval
        for measure, name in MEASURES.items():
            rows = usable if measure in ("lower", "upper") else usable | True
            what = f"combining rule {rule}: {name}"
            case = f"{label}, {rows.sum()} coefficients"
            yield make_check(GROUP, what, case, here[measure][rows], there[measure][rows], "combined", data.answer)


def _overlaps(data: Simulated, kind: str, label: str) -> Iterator[Check]:
    combined, single = [], []
    for family, formula in FORMULAS.items():
        rule = "partial" if kind == "partial" else "none"  # R applies the rule of 2003, which is never a default
        with quiet(UndefinedIntervalWarning):
            fitted = analysis_utility(
                data.confidential, data.release(kind), formula=formula, family=family, synthesis=rule
            )
        names = list(fitted.names)
        theirs, df = (
            data.said(f"{family} {kind} {what}", kind).droplevel("dataset").reindex(names).to_numpy()
            for what in ("overlap", "df")
        )
        together = fitted.interval_overlap
        if kind == "full":
            ratio = len(data.release(kind)[0]) / len(data.confidential)
            with quiet(FewDegreesOfFreedomWarning):
                interval = combine_full(fitted.estimates, fitted.variances, size_ratio=ratio).interval
            together = np.full(len(names), np.nan)
            there = df >= 1
            together[there] = interval_overlap(fitted.confidential_interval[there], interval[there]).interval_overlap
        combined.append((together[df >= 1], theirs[df >= 1]))
        each = data.said(f"{family} dataset_overlap", kind).unstack("name")[names].to_numpy()
        single.append((fitted.dataset_overlap.reshape(-1), each.reshape(-1)))
    for what, pairs in (("overlap of the combined intervals", combined), ("overlap, one dataset", single)):
        ours, theirs = (np.concatenate(side) for side in zip(*pairs, strict=True))
        yield make_check(GROUP, what, f"{label}, three regressions", ours, theirs, "overlap", data.answer)


def _disjoint(data: Simulated) -> Iterator[Check]:
    """Yield the checks of disjoint intervals, where the clipped overlap differs."""
    moved = [d.assign(income=d["income"] + STEEPER * d["age"]) for d in data.release("partial")]
    fitted = analysis_utility(data.confidential, moved, formula=FORMULAS["gaussian"], synthesis="partial")
    names = list(fitted.names)

    def said(what: str) -> pd.DataFrame:
        return data.said(f"gaussian {what}", "moved").unstack("name")[names]

    case = f"{KINDS['partial']}, income higher by {STEEPER:g} a year of age"
    each, combined, clipped = (said(what) for what in ("dataset_overlap", "partial overlap", "partial overlap clipped"))
    one, together = (
        pd.concat([said(f"{rule}{end}").iloc[:1] for end in ("lower", "upper")]).T for rule in ("", "partial ")
    )
    given = interval_overlap(one, together)
    for what, ours, theirs in (
        ("overlap of the combined intervals", fitted.interval_overlap, combined),
        ("overlap of the combined intervals, clipped", fitted.interval_overlap_clipped, clipped),
        ("overlap, one dataset", fitted.dataset_overlap, each),
        ("overlap of R's intervals", given.interval_overlap, combined),
        ("overlap of R's intervals, clipped", given.interval_overlap_clipped, clipped),
    ):
        yield make_check(GROUP, what, case, ours, theirs, "overlap", data.answer)


def _global(data: Simulated, kind: str, label: str) -> Iterator[Check]:
    release = data.release(kind)
    ecdf = ecdf_utility(data.confidential, release, variables=["age", "income", "married"]).to_frame()
    yield from _tidy(data, kind, label, ecdf.set_index(["dataset", "variable"]), ("ecdf_max", "ecdf_mean_square"))
    tables = table_utility(data.confidential, release, margins=MARGINS).to_frame()
    yield from _tidy(data, kind, label, tables.set_index(["dataset", "table"]), ("total_variation", "max_difference"))
    clusters = cluster_utility(data.confidential, release, clusters=2, variables=["age", "income"], starts=30, rng=1)
    theirs = data.said("cluster_utility", kind)
    yield make_check(GROUP, "cluster utility", label, clusters.cluster_utility, theirs, "formula", data.answer)
    middle = barycenter(data.confidential, release, variable="income", probabilities=11)
    distances = [middle.distance, *middle.dataset_distance]
    for what, ours in (("barycenter", middle.barycenter), ("barycenter_distance", distances)):
        words = f"{what.replace('_', ' ')} of income"
        yield make_check(GROUP, words, label, ours, data.said(what, kind), "formula", data.answer)


def _tidy(data: Simulated, kind: str, label: str, ours: pd.DataFrame, measures: tuple[str, ...]) -> Iterator[Check]:
    for measure in measures:
        theirs = data.said(measure, kind)
        here: Any = ours[measure].reindex(theirs.index)
        yield make_check(GROUP, measure.replace("_", " "), label, here, theirs, "share", data.answer)
