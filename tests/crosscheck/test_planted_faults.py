"""Faults planted one at a time, each in one named place: the rows of the table that are about it must fail."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from synthlab.counts.log_linear import LogLinearFit
from synthlab.crosscheck import (
    CASES,
    GROUPS,
    Check,
    counts,
    dpmpm,
    match_risk,
    models,
    nested_households,
    population_risk,
    survey,
    synthpop,
    synthpop_faults,
    utility,
    weights,
)
from synthlab.design import SurveyDesign
from synthlab.matching import kernel
from synthlab.risk.population._population_fit import Others
from synthlab.synthesizers import multinomial_regression
from synthlab.synthesizers.dpmpm import FittedDPMPM
from synthlab.utility import analysis, ecdf, intervals

pytestmark = pytest.mark.full

Wrong = Callable[[Any], Any]  # returns the wrong version of the right one


@dataclass(frozen=True)
class Fault:
    """Wrong versions of attributes, and the rows of the cases that must then fail."""

    name: str
    group: str
    cases: Sequence[Callable[..., Any]]
    patches: Sequence[tuple[Any, str, Wrong]]
    rows: set[str]
    options: Mapping[str, str] = field(default_factory=dict)

    def checks(self) -> Iterator[Check]:
        for case in CASES:
            if case.group == self.group and case.rows in self.cases and case.options.items() >= self.options.items():
                yield from case.checks([case.ask(name, False) for name in case.answers])


def changed_table(change: Callable[[pd.DataFrame], pd.DataFrame]) -> Wrong:
    """Return the wrong version of a method that returns a table."""
    return lambda real: lambda *arguments: change(real(*arguments))


def mixed_up(table: pd.DataFrame) -> pd.DataFrame:
    """Return the right numbers under the wrong names."""
    return table.assign(estimate=table["estimate"].to_numpy()[::-1], std_error=np.roll(table["std_error"], 1))


def independent(table: pd.DataFrame) -> pd.DataFrame:
    """Return two-way probabilities as products; the one-way probabilities stay right."""
    return pd.DataFrame(np.outer(table.sum(axis=1), table.sum()), index=table.index, columns=table.columns)


def exchanged_levels(table: pd.DataFrame) -> pd.DataFrame:
    return pd.DataFrame(table.to_numpy()[::-1], index=table.index, columns=table.columns)


def quantiles_of_the_confidential_data(real):
    def wrong(confidential, synthetic, *, groups):
        first, _ = real(confidential, confidential, groups=groups)
        return first, real(confidential, synthetic, groups=groups)[1]

    return wrong


def cells_by_position(real):
    """Return the fault of R: levels of one file in the order of the text, of the other in the order of the values."""

    def wrong(confidential, synthetic, *arguments, **options):
        files = synthetic if isinstance(synthetic, list) else [synthetic]
        own = confidential.assign(k=pd.Categorical(confidential["k"].astype(str)).codes)
        return real(own, [one.assign(k=pd.Categorical(one["k"]).codes) for one in files], *arguments, **options)

    return wrong


def one_stratum(sampled):
    units = sampled.units.sum(keepdims=True)
    return replace(sampled, stratum=np.zeros_like(sampled.stratum), units=units, population=np.array([np.inf]))


def unclipped(result):
    return replace(result, interval_overlap_clipped=result.interval_overlap)


DISTRIBUTIONS = {"dGAF", "pGAF", "qGAF"}
WRONG_EXPONENT = (
    counts, "GammaFamily", lambda real: lambda mu, sigma, nu: real(mu, sigma, np.asarray(nu) + 1e-6),
)  # fmt: skip
OVERLAP = "overlap of the combined intervals"
CLIPPED = ("overlap", lambda real: lambda ours, theirs: np.maximum(real(ours, theirs), 0.0))
COEFFICIENTS = {"glm, log-linear: estimate", "glm, log-linear: std_error"}
MODES = {f"nnet, weight decay: probabilities at the mode, prior scale {scale:g}" for scale in models.PRIOR_SCALES}
FAULTS = [
    Fault(
        "closed intervals where R has open ones", "match-risk", [match_risk.conventions],
        [(
            match_risk, "identification_risk",
            lambda real: lambda confidential, release, someone: real(
                confidential, release, replace(someone, convention=None, boundary="closed")
            ),
        )],
        {'c by convention="irc"'},
    ),
    Fault(
        "box for a ball", "match-risk", [match_risk.euclidean],
        [
            (kernel, "_in_ball", lambda _: lambda point, centre, half_width, closed: True),
            # The compiled loops look the ball up when they are built.
            (kernel, "_count_in_balls", lambda real: real.dispatcher.py_func),
            (kernel, "_ball_distance", lambda real: real.dispatcher.py_func),
        ],
        {"c of 108, 50.8"},
    ),
    Fault("wrong exponent", "counts", [counts.gamma_family], [WRONG_EXPONENT], DISTRIBUTIONS),
    Fault("wrong exponent in the bridge", "bridge", [counts.gamma_family], [WRONG_EXPONENT], DISTRIBUTIONS),
    Fault(
        "wrong order", "weights", [weights.stand_in, weights.simulation],
        [(weights, "risk_weights", lambda real: lambda *a, order, **o: real(*a, order=order + 1, **o))],
        {"weight 1", "weight 2", "weight 3", "weight 4"},
    ),
    Fault(
        "clipped overlap", "utility", [utility.disjoint_intervals], [(intervals, *CLIPPED), (analysis, *CLIPPED)],
        {OVERLAP, "overlap, one dataset", "overlap of R's intervals"},
    ),
    Fault(
        "overlap that is not clipped", "utility", [utility.disjoint_intervals],
        [
            (
                analysis.AnalysisUtilityResult, "interval_overlap_clipped",
                lambda _: property(lambda self: self.interval_overlap),
            ),
            (utility, "interval_overlap", lambda real: lambda *intervals: unclipped(real(*intervals))),
        ],
        {f"{OVERLAP}, clipped", "overlap of R's intervals, clipped"},
    ),
    Fault(
        "rule of full synthesis", "utility", [utility.combined],
        [(utility, "combine_partial", lambda _: lambda *estimates: utility.combine_full(*estimates, size_ratio=1.0))],
        {"combining rule partial: T", "combining rule partial: df"},
    ),
    Fault(
        "not squared", "utility", [utility.distributions],
        [(
            ecdf.EcdfUtilityResult, "to_frame",
            changed_table(lambda table: table.eval("ecdf_mean_square = ecdf_mean_square ** 0.5")),
        )],
        {"ecdf mean square"},
    ),
    Fault(
        "groups of the confidential data", "synthpop", [synthpop.disclosure],
        [(synthpop, "group_numbers", quantiles_of_the_confidential_data)],
        {"UiO, UiS, UiOiS, repU", "baseCAPd, CAPd, CAPs, DCAP"}, {"name": "ce in groups"},
    ),
    Fault(
        "every guess that is claimed is right", "synthpop", [synthpop.disclosure],
        [(
            synthpop, "attribute_disclosure",
            lambda real: lambda *a, **o: (lambda result: replace(result, disclosed=result.claimed))(real(*a, **o)),
        )],
        {"Dorig, Dsyn, iS, DiS, DiSCO, DiSDiO", "TCAP of synthpop", "check of one level"},
    ),
    Fault(
        "cells by position", "synthpop", [synthpop_faults.faults],
        [(synthpop_faults, "attribute_disclosure", cells_by_position)], {"DiSCO", "TCAP"},
    ),
    Fault(
        "coefficients in the wrong order", "models", [models.log_linear],
        [(LogLinearFit, "coefficients", changed_table(mixed_up))], COEFFICIENTS,
    ),
    Fault(
        "a lost coefficient", "models", [models.log_linear],
        [(LogLinearFit, "coefficients", changed_table(lambda table: table.iloc[:-1]))], COEFFICIENTS,
    ),
    # A prior of .5 instead of 50 moves no probability by more than .0035.
    Fault(
        "narrow prior", "models", [models.multinomial_mode],
        [(
            models, "MultinomialRegression",
            lambda real: lambda *a, prior_scale, **o: real(*a, prior_scale=prior_scale / 100, **o),
        )],
        MODES,
    ),
    Fault(
        "wide prior of intercepts", "models", [models.multinomial_mode],
        [(multinomial_regression, "INTERCEPT_PRIOR_SD", lambda _: 10.0)], MODES,
    ),
    Fault(
        "independent variables", "dpmpm", [dpmpm.probabilities],
        [(FittedDPMPM, "two_way", changed_table(independent))], {"two-way probabilities"},
    ),
    Fault(
        "few classes", "dpmpm", [dpmpm.probabilities],
        [(dpmpm, "DPMPM", lambda real: lambda variables, **o: real(variables, **{**o, "classes": 2}))],
        {"two-way probabilities"},
    ),
    Fault(
        "exchanged levels", "dpmpm", [dpmpm.probabilities],
        [(FittedDPMPM, "two_way", changed_table(exchanged_levels))], {"one-way probabilities"},
    ),
    Fault(
        "rules without sex and age", "nested", [nested_households.within_households],
        [(nested_households, "RULES", lambda real: replace(real, rules=real.rules[:2]))], {"shares within households"},
    ),
    Fault(
        "one class", "nested", [nested_households.within_households],
        [(nested_households, "model", lambda real: lambda a: replace(real(a), household_classes=1, member_classes=1))],
        {"shares within households"},
    ),
    Fault(
        "no strata", "survey", [survey.means_and_totals, survey.quantiles, survey.regressions],
        [(SurveyDesign, "read", lambda real: lambda *a: one_stratum(real(*a)))],
        {"svymean std_error", "svytotal std_error", "svyquantile std_error", "svyglm: std_error"},
        {"case": "strata clusters"},
    ),
    Fault(
        "no weights", "survey", [survey.means_and_totals, survey.quantiles, survey.regressions],
        [(SurveyDesign, "read", lambda real: lambda *a: replace(real(*a), weights=np.ones(240), counted=False))],
        {"svymean", "svytotal", "svyquantile", "svyglm: estimate"}, {"case": "strata clusters"},
    ),
    Fault(
        "1/E(N) for E(1/N)", "population", [population_risk.weighted_counts, population_risk.log_linear],
        [(Others, "expected_inverse", lambda _: lambda self: 1 / (self.counts + self.mean))],
        {"indivRisk: individual risk", "modRisk: correct matches"},
    ),
    # The fault of R: fitted counts of the sample instead of the population.
    Fault(
        "counts of the sample", "population", [population_risk.log_linear],
        [(
            Others, "by_model",
            lambda real: lambda counts, sums, expected, spread: real(counts, sums, counts / sums * expected, spread),
        )],
        {"modRisk: fitted counts", "modRisk: population uniques", "modRisk: correct matches"},
    ),
]  # fmt: skip


def test_every_group_has_its_fault():
    assert {fault.group for fault in FAULTS} == set(GROUPS)


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_planted_fault_is_found(monkeypatch, fault):
    for owner, name, wrong in fault.patches:
        monkeypatch.setattr(owner, name, wrong(getattr(owner, name)))
    assert {check.what for check in fault.checks() if not check.passes} >= fault.rows
