"""Fitted models beside R: glm, MASS::loglm, nnet::multinom, MASS::glm.nb."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any
from warnings import catch_warnings, simplefilter

import numpy as np
import pandas as pd

from synthlab import datasets
from synthlab.counts import Table, fit_log_linear
from synthlab.crosscheck._check import Check, make_check
from synthlab.crosscheck.utility import FORMULAS, KINDS, Simulated
from synthlab.exceptions import SynthlabWarning
from synthlab.r import Reference
from synthlab.synthesizers import MultinomialRegression, NegativeBinomial
from synthlab.utility import analysis_utility

GROUP = "models"
REFERENCES = ("models", "utility", "utility_confidential", "utility_partial", "utility_full")
VARIABLES = ("SEX", "RACE", "MAR")
MODEL = "(SEX + RACE + MAR)**2"
PEOPLE = 3000
SEED = 20_261
DRAWS = 1000


def checks(answers: Mapping[str, Reference]) -> Iterator[Check]:
    """Yield the rows of the group."""
    yield from _regressions(Simulated(answers))
    yield from _log_linear(answers["models"])
    with catch_warnings():
        simplefilter("ignore", SynthlabWarning)
        yield from _multinomial(answers["models"])
        yield from _negative_binomial(answers["models"])


def _regressions(data: Simulated) -> Iterator[Check]:
    for kind, label in KINDS.items():
        for family, formula in FORMULAS.items():
            result = analysis_utility(
                data.confidential, data.release(kind), formula=formula, family=family, synthesis=kind
            )
            names = list(result.names)
            function = "lm" if family == "gaussian" else "glm"
            for what, ours in (
                ("estimate", np.vstack([result.confidential_estimate, result.estimates])),
                ("std_error", np.vstack([result.confidential_std_error, np.sqrt(result.variances)])),
            ):
                theirs = data.said(f"{family} {what}", kind).unstack("name")[names]
                case = f"{label}, {formula}"
                yield make_check(GROUP, f"{function}: {what}", case, ours, theirs, "maximum likelihood", data.answer)


def _log_linear(answer: Reference) -> Iterator[Check]:
    frame = datasets.load("acs", version="simulated").frame
    table = Table.from_frame(frame, list(VARIABLES))
    fit = fit_log_linear(table, MODEL, method="glm")
    case = f"all two-way, {' x '.join(VARIABLES)}, {table.n_cells} cells"
    coefficients = fit.coefficients()

    def said(what: str) -> Any:
        return answer.value(what=what, case="log-linear")

    for what, ours, quantity in (
        ("means", fit.means, "maximum likelihood"),
        ("deviance", fit.deviance, "maximum likelihood"),
        ("estimate", np.sort(coefficients["estimate"]), "maximum likelihood"),
        ("std_error", np.sort(coefficients["std_error"]), "maximum likelihood"),
    ):
        theirs = np.sort(np.atleast_1d(said(what))) if what in ("estimate", "std_error") else said(what)
        yield make_check(GROUP, f"glm, log-linear: {what}", case, ours, theirs, quantity, answer)
    ipf = fit_log_linear(table, MODEL, method="ipf", tolerance=1e-12, max_iterations=1000)
    yield make_check(
        GROUP, "loglm: means", case, ipf.means, said("means by loglm"), "proportional fitting", answer
    )  # fmt: skip
    yield make_check(
        GROUP, "loglm: deviance", case, ipf.deviance, said("deviance by loglm"), "proportional fitting", answer
    )


def _multinomial(answer: Reference) -> Iterator[Check]:
    people = datasets.load("acs", version="simulated").frame.head(PEOPLE)
    model = MultinomialRegression("MAR ~ SEX + DIS + HICOV", prior_scale=50.0, method="laplace")
    fitted = model.fit(people, rng=SEED, chains=2, draws=DRAWS)
    levels = [(s, d, h) for s in (1, 2) for d in (1, 2) for h in (1, 2)]
    kinds = pd.DataFrame(levels, columns=["SEX", "DIS", "HICOV"])
    kinds = kinds.astype({name: people[name].dtype for name in kinds})
    ours = np.mean([fitted.probabilities(kinds, draw) for draw in range(2 * DRAWS)], axis=0)
    theirs = answer.value(what="probability", case="multinomial")
    case = f"MAR ~ SEX + DIS + HICOV, {PEOPLE:,} people, 8 kinds of people"
    yield make_check(GROUP, "nnet::multinom: probabilities", case, ours, theirs, "posterior probability", answer)


def _negative_binomial(answer: Reference) -> Iterator[Check]:
    frame = datasets.load("nb_mixture", version="paper").frame
    fitted = NegativeBinomial("outcome ~ 1").fit(frame, rng=SEED, chains=2, draws=DRAWS)
    posterior = fitted.posterior
    mean = np.exp(np.asarray(posterior["intercept"]).reshape(-1))
    phi = np.asarray(posterior["phi"]).reshape(-1)
    case = f"{len(frame):,} values of nb_mixture"
    for what, draws in (("mean", mean), ("theta", phi)):
        theirs, error = (float(answer.value(what=w, case="negative binomial")) for w in (what, f"{what} std_error"))
        ours = np.array([(draws.mean() - theirs) / error, draws.std() / error])
        yield make_check(
            GROUP, f"MASS::glm.nb: {what}, in its standard errors", case, ours, [0.0, 1.0], "posterior", answer
        )
