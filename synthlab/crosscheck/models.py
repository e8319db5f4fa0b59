"""Fitted models compared with R: glm, MASS::loglm, nnet::multinom, MASS::polr, MASS::glm.nb."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from synthlab import datasets
from synthlab.counts import Table, fit_log_linear
from synthlab.crosscheck._check import Row
from synthlab.crosscheck.utility import FORMULAS, KINDS, Simulated
from synthlab.r import Reference
from synthlab.synthesizers import MultinomialRegression, NegativeBinomial, OrderedLogisticRegression
from synthlab.synthesizers._posterior import Posterior
from synthlab.synthesizers.base import posterior_of
from synthlab.synthesizers.multinomial_regression import FittedMultinomialRegression
from synthlab.utility import analysis_utility

VARIABLES = ("SEX", "RACE", "MAR")
MODEL = "(SEX + RACE + MAR)**2"
PEOPLE = 3000
SEED = 20_261
DRAWS = 1000
PRIOR_SCALES = (50.0, 1.0)
MULTINOMIAL_CASE = f"MAR ~ SEX + DIS + HICOV, {PEOPLE:,} people, 8 kinds of people"


def regressions(*answers: Reference, kind: str) -> Iterator[Row]:
    """Yield the rows of estimates and standard errors in the confidential and the synthetic data."""
    data = Simulated(kind, *answers)
    for family, formula in FORMULAS.items():
        result = analysis_utility(data.confidential, data.release, formula=formula, family=family, synthesis="none")
        function = "lm" if family == "gaussian" else "glm"
        for what, ours in (
            ("estimate", np.vstack([result.confidential_estimate, result.estimates])),
            ("std_error", np.vstack([result.confidential_std_error, np.sqrt(result.variances)])),
        ):
            theirs = data.values(f"{family} {what}").unstack("name")[list(result.names)]
            yield Row(f"{function}: {what}", f"{KINDS[kind]}, {formula}", ours, theirs, "maximum likelihood")


def log_linear(answer: Reference) -> Iterator[Row]:
    """Yield the rows of a log-linear model, by name of the coefficient."""
    frame = datasets.load("acs", version="simulated").frame
    table = Table.from_frame(frame, list(VARIABLES))
    fit = fit_log_linear(table, MODEL, method="glm")
    case = f"all two-way, {' x '.join(VARIABLES)}, {table.n_cells} cells"
    # R writes SEX2:RACE3 instead of SEX[2]:RACE[3].
    coefficients = fit.coefficients().set_index("coefficient")
    coefficients.index = coefficients.index.str.replace(r"[\[\]]", "", regex=True)
    coefficients = coefficients.rename(index={"(intercept)": "(Intercept)"})

    numbers = {"means": fit.means, "deviance": fit.deviance}
    for what, ours in numbers.items():
        theirs = answer.value(what=what, case="log-linear")
        yield Row(f"glm, log-linear: {what}", case, ours, theirs, "maximum likelihood")
    for what in ("estimate", "std_error"):
        in_r = answer.table[answer.table["what"] == f"log-linear {what}"].set_index("case")["value"]
        # Compared by name: a name that only one side has gives NaN on the other side and fails.
        ours, theirs = coefficients[what].align(in_r)
        yield Row(f"glm, log-linear: {what}", case, ours, theirs, "maximum likelihood")
    ipf = fit_log_linear(table, MODEL, method="ipf", tolerance=1e-12, max_iterations=1000)
    for what, ours in {"means": ipf.means, "deviance": ipf.deviance}.items():
        theirs = answer.value(what=f"{what} by loglm", case="log-linear")
        yield Row(f"loglm: {what}", case, ours, theirs, "proportional fitting")


def multinomial(answer: Reference) -> Iterator[Row]:
    """Yield the row of posterior probabilities."""
    kinds, fitted = _fit_multinomial(50.0, rng=SEED, draws=DRAWS)
    same = fitted.with_data(kinds)  # the predictors are computed once, not for every draw
    ours = np.mean([same.probabilities(kinds, draw) for draw in range(2 * DRAWS)], axis=0)
    theirs = answer.value(what="probability", case="multinomial")
    what = "nnet::multinom: probabilities"
    yield Row(what, MULTINOMIAL_CASE, ours, theirs, "posterior probability")


def multinomial_mode(answer: Reference) -> Iterator[Row]:
    """Yield the rows of probabilities at the mode, which reveal a different prior."""
    for scale in PRIOR_SCALES:
        kinds, fitted = _fit_multinomial(scale, rng=_NoDeviations(np.random.PCG64(SEED)), draws=4)
        ours = fitted.probabilities(kinds, 0)
        theirs = answer.value(what=f"probability at the mode: prior scale {scale:g}", case="multinomial")
        what = f"nnet, weight decay: probabilities at the mode, prior scale {scale:g}"
        yield Row(what, MULTINOMIAL_CASE, ours, theirs, "posterior mode")


def _fit_multinomial(prior_scale: float, **options: Any) -> tuple[pd.DataFrame, FittedMultinomialRegression]:
    """Return the combinations of predictors, in the order of R, and the fit."""
    people = datasets.load("acs", version="simulated").frame.head(PEOPLE)
    levels = [(s, d, h) for s in (1, 2) for d in (1, 2) for h in (1, 2)]
    kinds = pd.DataFrame(levels, columns=["SEX", "DIS", "HICOV"])
    kinds = kinds.astype({name: people[name].dtype for name in kinds})
    model = MultinomialRegression("MAR ~ SEX + DIS + HICOV", prior_scale=prior_scale, method="laplace")
    return kinds, model.fit(people, chains=2, **options)


class _NoDeviations(np.random.Generator):
    """Generator of zeros, so that every draw of a normal approximation is its mode."""

    def standard_normal(self, *arguments: Any, **options: Any) -> Any:
        return np.zeros_like(super().standard_normal(*arguments, **options))


def ordered_logistic(answer: Reference) -> Iterator[Row]:
    """Yield the rows of the posterior, and of the likelihood at the estimates of R."""
    frame = datasets.load("youths", version="simulated").frame
    frame = pd.DataFrame(
        {
            "grade": frame["educ"].astype(int).clip(6, 13),  # the rare levels at the ends are merged
            "age": frame["age"].astype(float),
            "male": (frame["gender"].astype(int) == 1).astype(float),
        }
    )
    fitted = OrderedLogisticRegression("grade ~ age + male").fit(frame, rng=SEED, chains=2, draws=DRAWS)
    case = f"grade ~ age + male, {len(frame):,} youths, {len(fitted.levels)} grades"

    def said(what: str) -> Any:
        return answer.value(what=what, case="ordered logistic")

    slopes, cutpoints = said("slope"), said("cutpoint")
    draws = np.hstack([posterior_of(fitted)["slopes"], fitted.cutpoints])
    error = said("std_error")
    ours = np.concatenate([(draws.mean(axis=0) - [*slopes, *cutpoints]) / error, draws.std(axis=0) / error])
    wanted = np.repeat([0.0, 1.0], error.size)
    what = "MASS::polr: coefficients and cutpoints, in their standard errors"
    yield Row(what, case, ours, wanted, "posterior")
    parameters = {"intercept": -cutpoints[0], "slopes": slopes, "gaps": np.diff(cutpoints)}
    at_estimates = replace(fitted, posterior=Posterior({name: np.array([[v]]) for name, v in parameters.items()}))
    ours = at_estimates.log_likelihood().sum()
    yield Row("MASS::polr: log-likelihood", case, ours, said("log-likelihood"), "formula")
    people = pd.DataFrame({"grade": 6, "age": [13.0, 16.0, 19.0], "male": [0.0, 1.0, 1.0]})
    ours = at_estimates.probabilities(people, 0)
    yield Row("MASS::polr: probabilities", case, ours, said("probability"), "formula")


def negative_binomial(answer: Reference) -> Iterator[Row]:
    """Yield the rows of the posterior mean and spread of the parameters, in units of R's standard errors."""
    frame = datasets.load("nb_mixture", version="paper").frame
    fitted = NegativeBinomial("outcome ~ 1").fit(frame, rng=SEED, chains=2, draws=DRAWS)
    posterior = posterior_of(fitted)
    mean = np.exp(np.asarray(posterior["intercept"]).reshape(-1))
    phi = np.asarray(posterior["phi"]).reshape(-1)
    case = f"{len(frame):,} values of nb_mixture"
    for what, draws in (("mean", mean), ("theta", phi)):
        theirs, error = (float(answer.value(what=w, case="negative binomial")) for w in (what, f"{what} std_error"))
        ours = np.array([(draws.mean() - theirs) / error, draws.std() / error])
        yield Row(f"MASS::glm.nb: {what}, in its standard errors", case, ours, [0.0, 1.0], "posterior")
