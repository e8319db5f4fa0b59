"""Design-based estimates and weighted likelihood compared with R's survey package."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from synthlab._warnings import quiet
from synthlab.crosscheck._check import Check, make_check
from synthlab.design import SurveyDesign
from synthlab.r import Reference
from synthlab.synthesizers import LogisticRegression, NormalRegression, PoissonRegression
from synthlab.synthesizers.base import posterior_of
from synthlab.utility.survey import survey_mean, survey_quantile, survey_regression, survey_total

GROUP = "survey"
REFERENCES = ("survey", "survey_file")
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
PROBABILITIES = (0.1, 0.5, 0.75)


def checks(answers: Mapping[str, Reference]) -> Iterator[Check]:
    """Yield the checks of the group."""
    yield from _estimates(answers)
    with quiet():
        yield from _pseudo_likelihood(answers["survey_file"].table, answers["survey"])


def _estimates(answers: Mapping[str, Reference]) -> Iterator[Check]:
    frame, answer = answers["survey_file"].table, answers["survey"]
    for case, design in {**DESIGNS, **LONELY}.items():
        yield from _means_and_totals(frame, design, case, answer)
    for case, design in DESIGNS.items():
        yield from _quantiles(frame, design, case, answer)
        yield from _regressions(frame, design, case, answer)
    for case, design in DESIGNS.items():
        yield from _domains(frame, design, f"told: {case}", answer)


def _means_and_totals(frame: pd.DataFrame, design: SurveyDesign, case: str, answer: Reference) -> Iterator[Check]:
    mean, shown = survey_mean(frame, ["y", "works"], design), _shown(case)
    for what, ours in (("mean", mean.estimate), ("mean std_error", mean.std_error), ("mean interval", mean.interval)):
        yield make_check(GROUP, f"svy{what}", shown, ours.ravel(), _said(answer, what, case), "design-based", answer)
    if design.fpc == "people":  # the weights do not add up to the population, which R accepts
        return
    total = survey_total(frame, ["y", "works"], design)
    for what, ours in (("total", total.estimate), ("total std_error", total.std_error)):
        yield make_check(GROUP, f"svy{what}", shown, ours, _said(answer, what, case), "design-based", answer)


def _quantiles(frame: pd.DataFrame, design: SurveyDesign, case: str, answer: Reference) -> Iterator[Check]:
    found = survey_quantile(frame, "y", design, probabilities=PROBABILITIES)
    numbers = {"quantile": found.estimate, "quantile interval": found.interval, "quantile std_error": found.std_error}
    for what, ours in numbers.items():
        theirs = _said(answer, what, case)
        yield make_check(GROUP, f"svy{what}", _shown(case), ours.ravel(), theirs, "design-based", answer)


def _regressions(frame: pd.DataFrame, design: SurveyDesign, case: str, answer: Reference) -> Iterator[Check]:
    for family, formula in FORMULAS.items():
        fit = survey_regression(frame, formula, design, family=family)
        numbers = {"estimate": fit.estimate, "std_error": fit.std_error, "interval": fit.interval}
        for what, ours in numbers.items():
            theirs, words = _said(answer, f"{family} {what}", case), f"{_shown(case)}: {formula}"
            yield make_check(GROUP, f"svyglm: {what}", words, ours.ravel(), theirs, "maximum likelihood", answer)


def _domains(frame: pd.DataFrame, design: SurveyDesign, case: str, answer: Reference) -> Iterator[Check]:
    """Yield the checks of variables with missing values, whose records form a domain."""
    options: dict[str, Any] = {"design": design, "missing": "never"}
    fit = survey_regression(frame, "told ~ x + works", **options)
    found = survey_quantile(frame, "told", probabilities=PROBABILITIES, **options)
    results = {"mean": survey_mean(frame, ["told", "agrees"], **options), "quantile": found, "gaussian": fit}
    if design.fpc != "people":
        results["total"] = survey_total(frame, ["told", "agrees"], **options)
    for name, one in results.items():
        first = "gaussian estimate" if name == "gaussian" else name
        numbers = {first: one.estimate, f"{name} std_error": one.std_error, f"{name} interval": one.interval}
        for what, ours in numbers.items():
            if what != "total interval":
                yield make_check(
                    GROUP, f"svy{what}", _shown(case), ours.ravel(), _said(answer, what, case), "design-based", answer
                )


def _pseudo_likelihood(frame: pd.DataFrame, answer: Reference) -> Iterator[Check]:
    """Yield the checks of posterior means and spreads, in units of R's standard errors."""
    design, case = DESIGNS["strata clusters"], "strata clusters"
    models: dict[str, Any] = {
        "gaussian": NormalRegression(FORMULAS["gaussian"]),
        "binomial": LogisticRegression(FORMULAS["binomial"]),
        "poisson": PoissonRegression(FORMULAS["poisson"]),
    }
    for family, model in models.items():
        theirs, error = (_said(answer, f"{family} {what}", case) for what in ("estimate", "std_error"))
        fitted = model.fit(frame, design=design, rng=SEED)
        means, spreads = (
            np.array([getattr(posterior["intercept"], how)(), *getattr(posterior["slopes"], how)(axis=0)])
            for posterior, how in ((posterior_of(fitted), "mean"), (posterior_of(fitted.adjust_draws()), "std"))
        )
        words = f"{_shown(case)}: {FORMULAS[family]}"
        for what, ours, wanted in (
            ("svyglm: mean of the pseudo posterior, in its standard errors", (means - theirs) / error, 0.0),
            ("svyglm: spread of adjusted draws, in its standard errors", spreads / error, 1.0),
        ):
            yield make_check(GROUP, what, words, ours, np.full(ours.size, wanted), "posterior", answer)


def _shown(case: str) -> str:
    return f"240 records by a rule, {case}"


def _said(answer: Reference, what: str, case: str) -> Any:
    return np.atleast_1d(answer.value(what=what, case=case))
