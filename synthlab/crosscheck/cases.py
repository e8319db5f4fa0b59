"""Table of all comparisons with R: for each case its group, our computation and the answers of R."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from synthlab._warnings import quiet
from synthlab.crosscheck import (
    bridge,
    counts,
    dpmpm,
    match_risk,
    models,
    nested_households,
    population_risk,
    survey,
    synthpop,
    synthpop_faults,
    synthpop_missing,
    synthpop_utility,
    utility,
    weights,
)
from synthlab.crosscheck._check import Check, Row, make_check
from synthlab.exceptions import RUnavailableError
from synthlab.r import Reference, reference

GROUPS = {
    "match-risk": "Match risk, compared with IdentificationRiskCalculation",
    "counts": "Count distributions, compared with gamlss.dist",
    "weights": "Identification probability and risk weights, compared with their definitions in base R",
    "utility": "Utility, compared with base R",
    "survey": "Estimates of a population, compared with survey",
    "synthpop": "Disclosure and utility, compared with synthpop",
    "models": "Fitted models, compared with glm, MASS and nnet",
    "dpmpm": "Dirichlet process mixture, compared with a sampler in base R",
    "nested": "Nested mixture for households, compared with NestedCategBayesImpute after two corrections",
    "population": "Risk in the population, compared with sdcMicro",
    "bridge": "The same through rpy2",
}


def ask(name: str, live: bool | None) -> Reference:
    """Return an answer as `synthlab.r.reference` does; if a required live answer is missing, the recorded one, marked."""
    try:
        return reference(name, live=live)
    except RUnavailableError as error:
        return replace(reference(name, live=False), skipped=str(error))


@dataclass(frozen=True)
class Case:
    """Entry of the table: rows that are computed together.

    Parameters
    ----------
    group : str
        Key of `GROUPS`.
    rows : callable
        Function that gets the answers of R and the options, computes the numbers of synthlab, and yields a `Row` for each
        quantity. The quantity of a row determines its tolerance.
    answers : sequence of str
        Names of the answers of R in `data/reference`. The first answer determines whether the rows are live.
    options : mapping
        Options of `rows`.
    ask : callable
        Function that returns the answer with a name, given whether R is to be run.
    """

    group: str
    rows: Callable[..., Iterator[Row]]
    answers: Sequence[str]
    options: Mapping[str, Any] = field(default_factory=dict)
    ask: Callable[[str, bool | None], Reference] = ask

    def checks(self, answers: Sequence[Reference]) -> Iterator[Check]:
        """Yield the checks of the rows."""
        with quiet():
            for row in self.rows(*answers, **self.options):
                yield make_check(self.group, row, answers[0])


def _gamlss(rows: Callable[..., Iterator[Row]], *tables: str) -> Case:
    return Case("counts", rows, [f"gamlss_dist_{table}" for table in tables])


def _synthpop(rows: Callable[..., Iterator[Row]], *answers: str, **options: str) -> Case:
    return Case("synthpop", rows, answers, options, _ask_about_available_data)


def _ask_about_available_data(name: str, live: bool | None) -> Reference:
    return ask(synthpop.answer_name(name), live)


BRIDGED = (
    *(Case("match-risk", match_risk.release_rows, ["match_risk"], {"name": name}) for name in match_risk.RELEASES),
    *(Case("match-risk", match_risk.option_rows, ["match_risk"], {"name": name}) for name in match_risk.OPTIONS),
    _gamlss(counts.gamma_family, "GAF", "qGAF"),
    _gamlss(counts.probabilities, "NBI_PIG_PO"),
    _gamlss(counts.quantiles, "quantiles"),
    _gamlss(counts.three_parameters, "DEL_SICHEL", "qDEL_qSICHEL"),
    _gamlss(counts.draws, "draws"),
)
UTILITY = ("utility", "utility_confidential", "utility_partial", "utility_full")
CASES = (
    *BRIDGED,
    Case("match-risk", match_risk.conventions, ["match_risk"]),
    Case("match-risk", match_risk.tenths, ["match_risk"]),
    Case("match-risk", match_risk.missing_values, ["match_risk"]),
    Case("match-risk", match_risk.order_of_radii, ["match_risk"]),
    Case("match-risk", match_risk.euclidean, ["match_risk"]),
    _gamlss(counts.continuous, "continuous"),
    _gamlss(counts.poisson_draws, "edges"),
    _gamlss(counts.edges, "edges"),
    Case("weights", weights.stand_in, ["weights"]),
    Case("weights", weights.simulation, ["weights"]),
    *(
        Case("utility", rows, UTILITY, {"kind": kind})
        for kind in utility.KINDS
        for rows in (utility.propensity, utility.combined, utility.overlaps, utility.distributions)
    ),
    Case("utility", utility.disjoint_intervals, UTILITY),
    *(
        Case("survey", rows, ["survey", "survey_file"], {"case": case})
        for rows, designs in survey.ESTIMATES.items()
        for case in designs
    ),
    Case("survey", survey.pseudo_likelihood, ["survey", "survey_file"]),
    *(
        _synthpop(synthpop.disclosure, *synthpop.answers_about(setting.data), name=name)
        for name, setting in synthpop.SETTINGS.items()
    ),
    _synthpop(synthpop.uniques, "synthpop", name="youths"),
    _synthpop(synthpop.uniques, "synthpop_acs", name="acs DIS"),
    *(
        _synthpop(synthpop_utility.tables, synthpop.answers_about(data)[0], name=name)
        for name, (data, _) in synthpop_utility.TABLES.items()
    ),
    *(
        _synthpop(synthpop_utility.logistic, synthpop.answers_about(data)[0], data=data)
        for data in synthpop_utility.MODELS
    ),
    _synthpop(synthpop_utility.trees, "synthpop"),
    _synthpop(synthpop_faults.faults, "synthpop"),
    _synthpop(synthpop_missing.missing_values, "synthpop_missing"),
    *(Case("models", models.regressions, UTILITY, {"kind": kind}) for kind in utility.KINDS),
    Case("models", models.log_linear, ["models"]),
    Case("models", models.multinomial, ["models"]),
    Case("models", models.multinomial_mode, ["models"]),
    Case("models", models.ordered_logistic, ["models"]),
    Case("models", models.negative_binomial, ["models"]),
    Case("dpmpm", dpmpm.probabilities, ["dpmpm"]),
    Case("nested", nested_households.within_households, ["nested_households"]),
    Case("population", population_risk.weighted_counts, ["population_risk"]),
    *(
        Case("population", population_risk.log_linear, ["population_risk"], {"case": case})
        for case in population_risk.MODELS
    ),
    *(replace(case, group="bridge", ask=bridge.ask) for case in BRIDGED),
)
