"""Utility measures compared with base R."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from synthlab.crosscheck._check import Row
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
    """Data that R simulated, for one kind of synthesis, and the answers of R about them."""

    kind: str
    answer: Reference
    confidential_file: Reference
    partial: Reference
    full: Reference

    @property
    def confidential(self) -> pd.DataFrame:
        """Confidential data."""
        return self.confidential_file.table

    @cached_property
    def release(self) -> list[pd.DataFrame]:
        """Synthetic datasets."""
        parts = (self.full if self.kind == "full" else self.partial).table.groupby("dataset")
        return [part.drop(columns="dataset").reset_index(drop=True) for _, part in parts]

    @property
    def size_ratio(self) -> float:
        """Records of a synthetic dataset per confidential record."""
        return len(self.release[0]) / len(self.confidential)

    def values(self, what: str) -> pd.Series:
        """Return the answers of R, indexed by dataset and name."""
        table = self.answer.table
        rows = table[(table["what"] == what) & (table["release"] == self.kind)]
        return rows.set_index(["dataset", "name"])["value"].astype(np.float64).rename(index=NAMES, level="name")


def propensity(*answers: Reference, kind: str) -> Iterator[Row]:
    """Yield the rows of pMSE."""
    data = Simulated(kind, *answers)
    for order, effects in ((1, "main effects"), (2, "two-way")):
        result = pmse(data.confidential, data.release, order=order, null_parameters="all")
        for ours, what, quantity in (
            (result.pmse, "pmse", "maximum likelihood"),
            (result.null_mean, "pmse_null_mean", "formula"),
            (result.null_sd, "pmse_null_sd", "formula"),
        ):
            theirs = data.values(what).xs(f"order {order}", level="name")
            yield Row(what.replace("_", " "), f"{KINDS[kind]}, {effects}", ours, theirs, quantity)


def combined(*answers: Reference, kind: str) -> Iterator[Row]:
    """Yield the rows of the combining rules, applied to estimates of R."""
    data = Simulated(kind, *answers)
    for rule in ("partial", "full"):
        ours, theirs = [], []
        for family in FORMULAS:
            estimates = data.values(f"{family} estimate").unstack("name").drop(index=0)
            variances = data.values(f"{family} std_error").unstack("name").drop(index=0) ** 2
            if rule == "partial":
                table = combine_partial(estimates, variances).to_frame()
            else:
                table = combine_full(estimates, variances, size_ratio=data.size_ratio).to_frame()
            ours.append(table[list(MEASURES)])
            in_r = {c: data.values(f"{family} {rule} {c}").droplevel("dataset") for c in MEASURES}
            theirs.append(pd.DataFrame(in_r).reindex(table.index))
        here, there = pd.concat(ours), pd.concat(theirs)
        usable = there["df"] >= 1  # with less than 1 degree of freedom, there is no interval
        for measure, name in MEASURES.items():
            rows = usable if measure in ("lower", "upper") else usable | True
            case = f"{KINDS[kind]}, {rows.sum()} coefficients"
            yield Row(f"combining rule {rule}: {name}", case, here[measure][rows], there[measure][rows], "combined")


def overlaps(*answers: Reference, kind: str) -> Iterator[Row]:
    """Yield the rows of the overlap of intervals."""
    data = Simulated(kind, *answers)
    together, single = [], []
    for family, formula in FORMULAS.items():
        rule = "partial" if kind == "partial" else "none"  # R applies the rule of 2003, which is never a default
        fitted = analysis_utility(data.confidential, data.release, formula=formula, family=family, synthesis=rule)
        names = list(fitted.names)
        theirs, df = (
            data.values(f"{family} {kind} {what}").droplevel("dataset").reindex(names).to_numpy()
            for what in ("overlap", "df")
        )
        usable = df >= 1
        if kind == "partial":
            ours = fitted.interval_overlap[usable]
        else:
            interval = combine_full(fitted.estimates, fitted.variances, size_ratio=data.size_ratio).interval
            ours = interval_overlap(fitted.confidential_interval[usable], interval[usable]).interval_overlap
        together.append((ours, theirs[usable]))
        of_datasets = data.values(f"{family} dataset_overlap").unstack("name")[names].to_numpy()
        single.append((fitted.dataset_overlap.reshape(-1), of_datasets.reshape(-1)))
    for what, pairs in (("overlap of the combined intervals", together), ("overlap, one dataset", single)):
        here, there = (np.concatenate(side) for side in zip(*pairs, strict=True))
        yield Row(what, f"{KINDS[kind]}, three regressions", here, there, "overlap")


def disjoint_intervals(*answers: Reference) -> Iterator[Row]:
    """Yield the rows of disjoint intervals, where the clipped overlap differs."""
    data = Simulated("moved", *answers)
    moved = [dataset.assign(income=dataset["income"] + STEEPER * dataset["age"]) for dataset in data.release]
    fitted = analysis_utility(data.confidential, moved, formula=FORMULAS["gaussian"], synthesis="partial")

    def in_r(what: str) -> pd.DataFrame:
        return data.values(f"gaussian {what}").unstack("name")[list(fitted.names)]

    single, overlap, clipped = (
        in_r(what) for what in ("dataset_overlap", "partial overlap", "partial overlap clipped")
    )
    intervals = (
        pd.concat([in_r(f"{rule}{end}").iloc[:1] for end in ("lower", "upper")]).T for rule in ("", "partial ")
    )
    given = interval_overlap(*intervals)
    case = f"{KINDS['partial']}, income higher by {STEEPER:g} a year of age"
    for what, ours, theirs in (
        ("overlap of the combined intervals", fitted.interval_overlap, overlap),
        ("overlap of the combined intervals, clipped", fitted.interval_overlap_clipped, clipped),
        ("overlap, one dataset", fitted.dataset_overlap, single),
        ("overlap of R's intervals", given.interval_overlap, overlap),
        ("overlap of R's intervals, clipped", given.interval_overlap_clipped, clipped),
    ):
        yield Row(what, case, ours, theirs, "overlap")


def distributions(*answers: Reference, kind: str) -> Iterator[Row]:
    """Yield the rows of distribution functions, tables, clusters and the barycenter."""
    data, label = Simulated(kind, *answers), KINDS[kind]
    ecdf = ecdf_utility(data.confidential, data.release, variables=["age", "income", "married"]).to_frame()
    tables = table_utility(data.confidential, data.release, margins=MARGINS).to_frame()
    for frame, name, measures in (
        (ecdf, "variable", ("ecdf_max", "ecdf_mean_square")),
        (tables, "table", ("total_variation", "max_difference")),
    ):
        for measure in measures:
            theirs = data.values(measure)
            ours: Any = frame.set_index(["dataset", name])[measure].reindex(theirs.index)
            yield Row(measure.replace("_", " "), label, ours, theirs, "share")
    clusters = cluster_utility(
        data.confidential, data.release, clusters=2, variables=["age", "income"], starts=30, rng=1
    )
    yield Row("cluster utility", label, clusters.cluster_utility, data.values("cluster_utility"), "formula")
    middle = barycenter(data.confidential, data.release, variable="income", probabilities=11)
    distances = [middle.distance, *middle.dataset_distance]
    yield Row("barycenter of income", label, middle.barycenter, data.values("barycenter"), "formula")
    yield Row("barycenter distance of income", label, distances, data.values("barycenter_distance"), "formula")
