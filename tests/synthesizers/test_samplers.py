"""The samplers of a model agree; a sampler that does not fit is replaced by NUTS, and the diagnostics say so."""

from __future__ import annotations

from typing import Any

import arviz
import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab.exceptions import ConvergenceWarning, FitError, InputError
from synthlab.synthesizers._independence import sample_or_nuts
from synthlab.synthesizers._pymc import Chains, SamplerOptions

SURVEY = sl.datasets.load("affairs").frame
SURVEY = SURVEY.assign(any=(SURVEY.affairs > 0).astype(int), children=SURVEY.children.round().astype(int))
ACS = sl.datasets.load("acs", version="simulated").frame
MODELS = {
    "exact": sl.NormalRegression("affairs ~ age + C(religious) + rate_marriage", transform="log1p"),
    "logistic": sl.LogisticRegression("any ~ C(religious) + rate_marriage + yrs_married"),
    "poisson": sl.PoissonRegression("children ~ age + yrs_married"),
    "ordered": sl.OrderedLogisticRegression("rate_marriage ~ age + affairs"),
}
# The models of lectures 1, 3, 4 and 5, and the regressions that they do not use.
OF_LECTURES = {
    "two parts": (
        sl.TwoPart("affairs ~ C(rate_marriage) + age + yrs_married + C(religious) + educ + children + C(occupation)"),
        SURVEY,
    ),
    "normal": (
        sl.NormalRegression("Expenditure ~ Age + Income + C(Urban)", "cube_root"),
        sl.datasets.load("ce", version="simulated").frame,
    ),
    "logistic": (sl.LogisticRegression("HICOV ~ SEX + RACE + MAR + MIG + SCH"), ACS),
    "multinomial": (sl.MultinomialRegression("WAOB ~ LANX + SEX"), ACS),
    "poisson": (MODELS["poisson"], SURVEY),
    "ordered": (MODELS["ordered"], SURVEY),
}


def largest_difference(one: Any, other: Any) -> float:
    """Return the largest difference of means, standard deviations and quantiles, in Monte Carlo standard errors."""
    found = [0.0]
    for (name, first), (same, second) in zip(one.posterior.elements(), other.posterior.elements(), strict=True):
        assert name == same
        center = second.mean()
        functions = [lambda x: x, lambda x, center=center: (x - center) ** 2]
        functions += [lambda x, at=at: x <= at for at in np.quantile(second, [0.05, 0.25, 0.5, 0.75, 0.95])]
        for function in functions:
            values = [np.asarray(function(draws), dtype=float) for draws in (first, second)]
            variances = [v.var() / min(float(arviz.ess(v, method="mean")), v.size) for v in values]
            found.append(abs(values[0].mean() - values[1].mean()) / np.sqrt(sum(variances)))
    return max(found)


@pytest.mark.parametrize("case", ["plain", "weighted", "missing responses"])
@pytest.mark.parametrize("name", [*OF_LECTURES])
@pytest.mark.full
def test_the_samplers_of_a_model_agree(name: str, case: str) -> None:
    model, frame = OF_LECTURES[name]
    rng = np.random.default_rng(1)
    weights = rng.gamma(2.0, 0.5, len(frame)) if case == "weighted" else None
    if case == "missing responses":
        response = model.formula.split()[0]
        frame = frame.assign(**{response: frame[response].where(rng.random(len(frame)) < 0.8)})
    fast = model.fit(frame, rng=3, draws=2000, weights=weights)
    slow = model.fit(frame, rng=4, draws=2000, weights=weights, sampler="nutpie")
    assert "nuts" not in fast.diagnostics().method
    assert slow.diagnostics().method == "nuts"
    assert largest_difference(fast, slow) < 5


def test_exact_draws_follow_the_density_of_few_records() -> None:
    # With weights of 0.3 of 6 records the prior matters; the density of sigma and the slope is integrated on a grid.
    x, y, weight = np.arange(6.0), np.array([0.3, 0.1, 0.9, 0.4, 1.2, 0.7]), 0.3
    options = {"weights": np.full(6, weight), "rng": 1, "draws": 40_000, "chains": 1}
    fitted = sl.NormalRegression("y ~ x").fit(pd.DataFrame({"x": x, "y": y}), **options)
    u, v = (x - x.mean()) / x.std(), (y - y.mean()) / y.std()
    b, log_sigma = np.meshgrid(np.linspace(-12, 12, 1201), np.linspace(-4, 4, 801), indexing="ij")
    sigma, total = np.exp(log_sigma), 6 * weight
    rss = weight * ((v - b[..., None] * u) ** 2).sum(axis=-1)
    # The intercept, which does not depend on the slope, is integrated out; sigma has a logarithmic grid.
    prior = -0.5 * (b / 2.5) ** 2 - sigma
    log_density = (1 - total) * log_sigma - 0.5 * rss / sigma**2 - 0.5 * np.log(total / sigma**2 + 1 / 25) + prior
    mass = np.exp(log_density - log_density.max())
    mass /= mass.sum()
    slope, drawn = fitted.posterior["slopes"][:, 0] * x.std() / y.std(), fitted.posterior["sigma"] / y.std()
    for draws, values, tolerance in ((slope, b, 0.03), (drawn, sigma, 0.02)):
        mean = float((mass * values).sum())
        assert draws.mean() == pytest.approx(mean, abs=tolerance)
        assert draws.std() == pytest.approx(np.sqrt((mass * (values - mean) ** 2).sum()), abs=tolerance)
        for at in np.quantile(draws, [0.05, 0.5, 0.95]):
            assert (draws <= at).mean() == pytest.approx(float(mass[values <= at].sum()), abs=0.015)


def separated(n: int = 300) -> pd.DataFrame:
    """Return records with a dummy variable that separates the outcomes."""
    rng = np.random.default_rng(1)
    x, d = rng.random(n), (rng.random(n) < 0.1).astype(int)
    return pd.DataFrame({"x": x, "d": d, "y": np.where(d == 1, 1, (rng.random(n) < x).astype(int))})


def test_separated_outcomes_fall_back_to_nuts_and_the_diagnostics_say_why() -> None:
    fitted = sl.LogisticRegression("y ~ x + d").fit(separated(), rng=1, draws=500)
    found = fitted.diagnostics()
    assert (found.method, found.ok, found.trouble) == ("nuts", True, "")
    assert "Pareto k" in found.reason
    assert found.reason in found.title


@pytest.mark.parametrize("ones", [1, 4, 25])
@pytest.mark.full
def test_draws_of_separated_outcomes_follow_the_density(ones: int) -> None:
    d = (np.arange(60) < ones).astype(float)
    y = np.where(d == 1, 1, np.random.default_rng(ones).random(60) < 0.4).astype(int)
    fitted = sl.LogisticRegression("y ~ d").fit(pd.DataFrame({"d": d, "y": y}), rng=1, draws=2000)
    intercept, slope = np.meshgrid(np.linspace(-20, 30, 1001), np.linspace(-12, 16, 1001), indexing="ij")
    log_density = -0.5 * ((intercept / 5) ** 2 + (slope / 2.5) ** 2)
    for u, one in zip((d - d.mean()) / d.std(), y, strict=True):
        log_density -= np.logaddexp(0, (1 - 2 * one) * (intercept + slope * u))
    mass = np.exp(log_density - log_density.max())
    mass /= mass.sum()
    draws, size = fitted.posterior["slopes"][:, 0] * d.std(), fitted.diagnostics().ess_bulk[1]
    mean = float((mass * slope).sum())
    sd = np.sqrt(float((mass * (slope - mean) ** 2).sum()))
    assert draws.mean() == pytest.approx(mean, abs=4 * sd / np.sqrt(size))
    assert draws.std() == pytest.approx(sd, rel=0.1)
    for at in np.quantile(draws, [0.05, 0.5, 0.95]):
        assert (draws <= at).mean() == pytest.approx(float(mass[slope <= at].sum()), abs=0.04)


@pytest.mark.parametrize("weight", [1e20, 1e300])
@pytest.mark.parametrize("name", [*MODELS, "multinomial"])
def test_a_posterior_that_is_lost_to_rounding_is_refused(name: str, weight: float) -> None:
    frame = SURVEY.iloc[::30]
    model = MODELS.get(name, sl.MultinomialRegression("occupation ~ educ"))
    with pytest.raises(FitError, match="weights"):
        model.fit(frame, rng=1, weights=np.full(len(frame), weight))


@pytest.mark.parametrize("name", ["logistic", "ordered"])
def test_a_posterior_without_a_curved_mode_is_refused(name: str) -> None:
    frame = SURVEY.iloc[::30]
    with pytest.raises(FitError, match="mode of the posterior"):
        MODELS[name].fit(frame, rng=1, weights=np.where(np.arange(len(frame)) == 0, 1e18, 1.0))


@pytest.mark.parametrize("name", [*MODELS])
def test_the_posterior_narrows_with_the_root_of_large_weights(name: str) -> None:
    # An inaccurate mode or grid would make proposals miss a posterior as narrow as this.
    frame, options = SURVEY.iloc[::30], {"rng": 1, "draws": 2000, "chains": 1}
    few, many = (MODELS[name].fit(frame, weights=np.full(len(frame), w), **options) for w in (1e4, 1e10))
    assert few.diagnostics().method == many.diagnostics().method != "nuts"
    for parameter in few.posterior:
        ratio = few.posterior[parameter].std(axis=0) / many.posterior[parameter].std(axis=0)
        np.testing.assert_allclose(ratio, 1e3, rtol=0.25)


def test_proposals_without_density_are_replaced_by_nuts() -> None:
    def log_density(u: Any) -> Any:
        return np.where((u == 0).all(axis=1), 0.0, -np.inf)

    found = sample_or_nuts(log_density, 2, 1, SamplerOptions(), 1, lambda options, rng: Chains({}, 0))
    assert (found.method, found.reason != "") == ("nuts", True)


def test_a_forced_sampler_that_does_not_fit_is_a_problem() -> None:
    with pytest.warns(ConvergenceWarning, match="nutpie"):
        forced = sl.LogisticRegression("y ~ x + d").fit(separated(), rng=1, draws=500, sampler="independence")
    found = forced._diagnose()
    assert (found.method, found.ok, found.reason) == ("independence", False, "")
    assert found.trouble in found.problems


def test_few_draws_are_taken_from_a_long_chain() -> None:
    with pytest.warns(ConvergenceWarning):  # 20 draws are too few for R-hat
        fitted = MODELS["logistic"].fit(SURVEY, rng=1, draws=20, chains=1)
    assert fitted.posterior["slopes"].shape[0] == 20
    assert fitted.posterior.method == "independence"
    assert len(np.unique(fitted.posterior["intercept"])) > 15


@pytest.mark.parametrize(
    ("model", "sampler"),
    [
        (MODELS["exact"], "independence"),
        (MODELS["logistic"], "exact"),
        (MODELS["ordered"], "exact"),
        (sl.MultinomialRegression("occupation ~ educ"), "exact"),
        (sl.TwoPart("affairs ~ age"), "exact"),
        (sl.NegativeBinomial("children ~ age"), "independence"),
        (sl.FiniteMixture("affairs ~ age", weighting="mixture"), "exact"),
        (sl.FiniteMixture("affairs ~ age"), "nutpie"),
        (sl.Sequential([MODELS["exact"], MODELS["logistic"]]), "exact"),
        (MODELS["exact"], "stan"),
    ],
)
def test_a_sampler_that_a_model_does_not_have_is_refused(model: Any, sampler: str) -> None:
    with pytest.raises(InputError, match="sampler"):
        model.fit(SURVEY.iloc[::30], rng=1, sampler=sampler)
