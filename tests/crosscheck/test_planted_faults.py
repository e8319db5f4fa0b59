"""Faults planted one at a time, each in one named place: the row of the table that is about it must fail, and say so."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from synthlab.counts.log_linear import LogLinearFit
from synthlab.crosscheck import (
    GROUPS,
    Check,
    _synthpop_data,
    _synthpop_faults,
    counts,
    crosscheck,
    dpmpm,
    match_risk,
    models,
    survey,
    synthpop,
    utility,
    weights,
)
from synthlab.design import SurveyDesign
from synthlab.matching import kernel
from synthlab.r import reference
from synthlab.risk.population._population_fit import Others
from synthlab.synthesizers import multinomial_regression
from synthlab.synthesizers.dpmpm import FittedDPMPM
from synthlab.utility import analysis, ecdf, intervals

pytestmark = pytest.mark.full

Plant = Callable[[pytest.MonkeyPatch], None]


def failing(rows: Iterable[Check]) -> set[str]:
    return {row.what for row in rows if not row.passes}


def closed_for_open(patch: pytest.MonkeyPatch) -> None:
    """Closed balls where R has open ones."""
    real = match_risk.identification_risk

    def closed(confidential, release, someone):
        return real(confidential, release, replace(someone, convention=None, boundary="closed"))

    patch.setattr(match_risk, "identification_risk", closed)


def box_for_ball(patch: pytest.MonkeyPatch) -> None:
    """Every point of the box taken for a point of the ball; the compiled loops look the ball up when they are built."""
    patch.setattr(kernel, "_in_ball", lambda point, centre, half_width, closed: True)
    patch.setattr(kernel, "_count_in_balls", kernel._count_in_balls.dispatcher.py_func)
    patch.setattr(kernel, "_ball_distance", kernel._ball_distance.dispatcher.py_func)


def wrong_exponent(patch: pytest.MonkeyPatch) -> None:
    real = counts.GammaFamily
    patch.setattr(counts, "GammaFamily", lambda mu, sigma, nu: real(mu, sigma, np.asarray(nu) + 1e-6))


def wrong_order(patch: pytest.MonkeyPatch) -> None:
    real = weights.risk_weights
    patch.setattr(weights, "risk_weights", lambda *a, order, **o: real(*a, order=order + 1, **o))


def clipped_overlap(patch: pytest.MonkeyPatch) -> None:
    """Clipped where it is not to be, in the one function both callers have it from."""
    real = intervals.overlap
    for module in (intervals, analysis):
        patch.setattr(module, "overlap", lambda ours, theirs: np.maximum(real(ours, theirs), 0.0))


def unclipped_overlap(patch: pytest.MonkeyPatch) -> None:
    unclipped = property(lambda self: self.interval_overlap)
    patch.setattr(analysis.AnalysisUtilityResult, "interval_overlap_clipped", unclipped)
    real = utility.interval_overlap

    def given(ours, theirs):
        result = real(ours, theirs)
        return replace(result, interval_overlap_clipped=result.interval_overlap)

    patch.setattr(utility, "interval_overlap", given)


def rule_of_full_synthesis(patch: pytest.MonkeyPatch) -> None:
    real = utility.combine_full
    patch.setattr(utility, "combine_partial", lambda estimates, variances: real(estimates, variances, size_ratio=1.0))


def not_squared(patch: pytest.MonkeyPatch) -> None:
    result = ecdf.EcdfUtilityResult
    real = result.to_frame
    patch.setattr(result, "to_frame", lambda self: real(self).eval("ecdf_mean_square = ecdf_mean_square ** 0.5"))


def reversed_coefficients(patch: pytest.MonkeyPatch) -> None:
    """The right numbers under the wrong names."""
    real = LogLinearFit.coefficients

    def wrong(self):
        table = real(self)
        rolled = np.roll(table["std_error"], 1)
        return table.assign(estimate=table["estimate"].to_numpy()[::-1], std_error=rolled)

    patch.setattr(LogLinearFit, "coefficients", wrong)


def lost_coefficient(patch: pytest.MonkeyPatch) -> None:
    real = LogLinearFit.coefficients
    patch.setattr(LogLinearFit, "coefficients", lambda self: real(self).iloc[:-1])


def narrow_prior(patch: pytest.MonkeyPatch) -> None:
    """A prior of .5 in place of 50: it moves no probability by more than .0035."""
    real = models.MultinomialRegression

    def narrow(formula, prior_scale, method):
        return real(formula, prior_scale=prior_scale / 100, method=method)

    patch.setattr(models, "MultinomialRegression", narrow)


def wide_intercepts(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(multinomial_regression, "INTERCEPT_PRIOR_SD", 10.0)


def independent_variables(patch: pytest.MonkeyPatch) -> None:
    """Two-way probabilities as products: the one-way ones stay right."""
    real = FittedDPMPM.two_way

    def product(self, one, other):
        table = real(self, one, other)
        return pd.DataFrame(np.outer(table.sum(axis=1), table.sum()), index=table.index, columns=table.columns)

    patch.setattr(FittedDPMPM, "two_way", product)


def few_classes(patch: pytest.MonkeyPatch) -> None:
    """A mixture too small for the data."""
    real = dpmpm.DPMPM
    patch.setattr(dpmpm, "DPMPM", lambda variables, **options: real(variables, **{**options, "classes": 2}))


def exchanged_levels(patch: pytest.MonkeyPatch) -> None:
    real = FittedDPMPM.two_way

    def exchanged(self, one, other):
        table = real(self, one, other)
        return pd.DataFrame(table.to_numpy()[::-1], index=table.index, columns=table.columns)

    patch.setattr(FittedDPMPM, "two_way", exchanged)


def groups_of_the_confidential_data(patch: pytest.MonkeyPatch) -> None:
    """Quantiles of the confidential data in place of all data."""
    real = _synthpop_data.group_numbers

    def own(confidential, synthetic, *, groups):
        first, _ = real(confidential, confidential, groups=groups)
        return first, real(confidential, synthetic, groups=groups)[1]

    patch.setattr(_synthpop_data, "group_numbers", own)


def sure_of_anything(patch: pytest.MonkeyPatch) -> None:
    """A guess taken for right wherever the release is sure."""
    real = synthpop.attribute_disclosure

    def wrong(*arguments, **options):
        told = real(*arguments, **options)
        return replace(told, disclosed=told.claimed)

    patch.setattr(synthpop, "attribute_disclosure", wrong)


def cells_by_position(patch: pytest.MonkeyPatch) -> None:
    """The fault of R, copied: the places of the one file in the order of the text, of the other in the order of the values."""
    real = _synthpop_faults.attribute_disclosure

    def wrong(confidential, synthetic, *arguments, **options):
        files = synthetic if isinstance(synthetic, list) else [synthetic]
        own = confidential.assign(k=pd.Categorical(confidential["k"].astype(str)).codes)
        return real(own, [one.assign(k=pd.Categorical(one["k"]).codes) for one in files], *arguments, **options)

    patch.setattr(_synthpop_faults, "attribute_disclosure", wrong)


def without_strata(patch: pytest.MonkeyPatch) -> None:
    """Clusters taken for those of one stratum."""
    real = SurveyDesign.read

    def read(self, *arguments):
        sampled = real(self, *arguments)
        one = np.zeros_like(sampled.stratum)
        return replace(sampled, stratum=one, units=sampled.units.sum(keepdims=True), population=np.array([np.inf]))

    patch.setattr(SurveyDesign, "read", read)


def without_weights(patch: pytest.MonkeyPatch) -> None:
    """Every record taken for one person."""
    real = SurveyDesign.read

    def read(self, *arguments):
        return replace(real(self, *arguments), weights=np.ones(240), counted=False)

    patch.setattr(SurveyDesign, "read", read)


def inverse_of_the_mean(patch: pytest.MonkeyPatch) -> None:
    """1/E(N) taken for E(1/N)."""
    patch.setattr(Others, "expected_inverse", lambda self: 1 / (self.counts + self.mean))


def outside_counted_as_inside(patch: pytest.MonkeyPatch) -> None:
    """The fault of R, copied: the fitted counts of the sample taken for those of the population."""
    real = Others.by_model

    def by_model(counts, sums, expected, overdispersion):
        return real(counts, sums, counts / sums * expected, overdispersion)

    patch.setattr(Others, "by_model", by_model)


OVERLAPS = {"overlap of the combined intervals", "overlap, one dataset", "overlap of R's intervals"}
MODES = {f"nnet, weight decay: probabilities at the mode, prior scale {scale:g}" for scale in models.PRIOR_SCALES}
FAULTS: dict[str, list[tuple[Plant, set[str]]]] = {
    "match-risk": [(closed_for_open, {'c by convention="irc"'}), (box_for_ball, {"c of 108, 50.8"})],
    "counts": [(wrong_exponent, {"dGAF", "pGAF", "qGAF"})],
    "weights": [(wrong_order, {"weight 1", "weight 2", "weight 3", "weight 4"})],
    "utility": [
        (clipped_overlap, OVERLAPS),
        (unclipped_overlap, {"overlap of the combined intervals, clipped", "overlap of R's intervals, clipped"}),
        (rule_of_full_synthesis, {"combining rule partial: T", "combining rule partial: df"}),
        (not_squared, {"ecdf mean square"}),
    ],
    "synthpop": [
        (groups_of_the_confidential_data, {"UiO, UiS, UiOiS, repU", "baseCAPd, CAPd, CAPs, DCAP"}),
        (sure_of_anything, {"Dorig, Dsyn, iS, DiS, DiSCO, DiSDiO", "TCAP of synthpop", "check of one level"}),
        (cells_by_position, {"DiSCO", "TCAP"}),
    ],
    "models": [
        (reversed_coefficients, {"glm, log-linear: estimate", "glm, log-linear: std_error"}),
        (lost_coefficient, {"glm, log-linear: estimate", "glm, log-linear: std_error"}),
        (narrow_prior, MODES),
        (wide_intercepts, MODES),
    ],
    "dpmpm": [
        (independent_variables, {"two-way probabilities"}),
        (few_classes, {"two-way probabilities"}),
        (exchanged_levels, {"one-way probabilities"}),
    ],
    "survey": [
        (without_strata, {"svymean std_error", "svytotal std_error", "svyquantile std_error", "svyglm: std_error"}),
        (without_weights, {"svymean", "svytotal", "svyquantile", "svyglm: estimate"}),
    ],
    "population": [
        (inverse_of_the_mean, {"indivRisk: individual risk", "modRisk: correct matches"}),
        (
            outside_counted_as_inside,
            {"modRisk: fitted counts", "modRisk: population uniques", "modRisk: correct matches"},
        ),
    ],
    "bridge": [(wrong_exponent, {"dGAF", "pGAF", "qGAF"})],
}
PLANTED = [(group, plant, rows) for group, faults in FAULTS.items() for plant, rows in faults]


def rows_of(group: str) -> list[Check]:
    """Return the rows of a group; of the models those that take no sampling, of synthpop those of disclosure."""
    if group == "survey":
        answers = {name: reference(name, live=False) for name in survey.REFERENCES}
        return list(survey._estimates(answers))
    if group == "synthpop":
        answers = {name: reference(name, live=False) for name in synthpop.names_of_answers()}
        return [*synthpop.disclosure_checks(answers), *_synthpop_faults.checks(answers["synthpop"])]
    if group != "models":
        return crosscheck([group], live=False).rows
    answer = reference("models", live=False)
    return [*models._log_linear(answer), *models._multinomial_mode(answer)]


def test_every_group_has_its_fault():
    assert set(FAULTS) == set(GROUPS)


@pytest.mark.filterwarnings("ignore::synthlab.exceptions.SynthlabWarning")
@pytest.mark.parametrize(("group", "plant", "rows"), PLANTED, ids=[f"{g}: {p.__name__}" for g, p, _ in PLANTED])
def test_a_planted_fault_is_found(monkeypatch, group, plant, rows):
    plant(monkeypatch)
    assert failing(rows_of(group)) >= rows
