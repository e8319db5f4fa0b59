"""Design-based estimates and weighted likelihood compared with R's survey package."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from synthlab.crosscheck._check import Row
from synthlab.design import SurveyDesign
from synthlab.r import Reference
from synthlab.synthesizers import LogisticRegression, NormalRegression, PoissonRegression
from synthlab.synthesizers.base import posterior_of
from synthlab.utility.survey import survey_mean, survey_quantile, survey_regression, survey_total

SEED = 20_240
DESIGNS = {
    "weights": SurveyDesign(weights="weight"),
    "strata": SurveyDesign(weights="weight", strata="stratum"),
    "strata fpc": SurveyDesign(weights="weight", strata="stratum", fpc="people"),
    "clusters": SurveyDesign(weights="weight", clusters="cluster"),
    "strata clusters": SurveyDesign(weights="weight", strata="stratum", clusters="cluster"),
    "strata clusters fpc": SurveyDesign(weights="weight", strata="stratum", clusters="cluster", fpc="clusters"),
}
LONELY = {
    rule: SurveyDesign(weights="weight", strata="lonely", clusters="cluster", fpc="alone", lonely=rule)
    for rule in ("certainty", "adjust")
}
FORMULAS = {"gaussian": "y ~ x + works", "binomial": "works ~ x", "poisson": "visits ~ x + works"}
MODELS = {"gaussian": NormalRegression, "binomial": LogisticRegression, "poisson": PoissonRegression}
PROBABILITIES = (0.1, 0.5, 0.75)


def means_and_totals(answer: Reference, file: Reference, case: str) -> Iterator[Row]:
    """Yield the rows of means and totals."""
    design = {**DESIGNS, **LONELY}[case]
    mean = survey_mean(file.table, ["y", "works"], design)
    numbers = {"mean": mean.estimate, "mean std_error": mean.std_error, "mean interval": mean.interval}
    if design.fpc != "people":  # the weights do not add up to the population, which R accepts
        total = survey_total(file.table, ["y", "works"], design)
        numbers |= {"total": total.estimate, "total std_error": total.std_error}
    yield from _rows(answer, numbers, case)


def quantiles(answer: Reference, file: Reference, case: str) -> Iterator[Row]:
    """Yield the rows of quantiles."""
    found = survey_quantile(file.table, "y", DESIGNS[case], probabilities=PROBABILITIES)
    numbers = {"quantile": found.estimate, "quantile interval": found.interval, "quantile std_error": found.std_error}
    yield from _rows(answer, numbers, case)


def regressions(answer: Reference, file: Reference, case: str) -> Iterator[Row]:
    """Yield the rows of regressions of three families."""
    for family, formula in FORMULAS.items():
        fit = survey_regression(file.table, formula, DESIGNS[case], family=family)
        numbers = {"estimate": fit.estimate, "std_error": fit.std_error, "interval": fit.interval}
        for what, ours in numbers.items():
            theirs = answer.value(what=f"{family} {what}", case=case)
            yield Row(f"svyglm: {what}", f"{_label(case)}: {formula}", ours, theirs, "maximum likelihood")


def domains(answer: Reference, file: Reference, case: str) -> Iterator[Row]:
    """Yield the rows of variables with missing values, whose records form a domain."""
    options: dict[str, Any] = {"design": DESIGNS[case], "missing": "never"}
    results = {
        "mean": survey_mean(file.table, ["told", "agrees"], **options),
        "quantile": survey_quantile(file.table, "told", probabilities=PROBABILITIES, **options),
        "gaussian": survey_regression(file.table, "told ~ x + works", **options),
    }
    if DESIGNS[case].fpc != "people":
        results["total"] = survey_total(file.table, ["told", "agrees"], **options)
    for name, result in results.items():
        estimate = "gaussian estimate" if name == "gaussian" else name
        numbers = {estimate: result.estimate, f"{name} std_error": result.std_error}
        if name != "total":
            numbers[f"{name} interval"] = result.interval
        yield from _rows(answer, numbers, f"told: {case}")


def _rows(answer: Reference, numbers: dict[str, Any], case: str) -> Iterator[Row]:
    for what, ours in numbers.items():
        yield Row(f"svy{what}", _label(case), ours, answer.value(what=what, case=case), "design-based")


def _label(case: str) -> str:
    return f"240 records by a rule, {case}"


def pseudo_likelihood(answer: Reference, file: Reference) -> Iterator[Row]:
    """Yield the rows of posterior means and spreads, in units of R's standard errors."""
    case = "strata clusters"
    for family, formula in FORMULAS.items():
        theirs, error = (answer.value(what=f"{family} {what}", case=case) for what in ("estimate", "std_error"))
        fitted = MODELS[family](formula).fit(file.table, design=DESIGNS[case], rng=SEED)
        means, spreads = (
            np.array([getattr(posterior["intercept"], how)(), *getattr(posterior["slopes"], how)(axis=0)])
            for posterior, how in ((posterior_of(fitted), "mean"), (posterior_of(fitted.adjust_draws()), "std"))
        )
        for what, ours, expected in (
            ("svyglm: mean of the pseudo posterior, in its standard errors", (means - theirs) / error, 0.0),
            ("svyglm: spread of adjusted draws, in its standard errors", spreads / error, 1.0),
        ):
            yield Row(what, f"{_label(case)}: {formula}", ours, np.full(ours.size, expected), "posterior")


ESTIMATES = {means_and_totals: (*DESIGNS, *LONELY), quantiles: DESIGNS, regressions: DESIGNS, domains: DESIGNS}
