"""The samplers of a model agree; a sampler that does not fit is replaced by NUTS, and the diagnostics say so."""

from __future__ import annotations

from typing import Any

import arviz
import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab.exceptions import ConvergenceWarning, InputError

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
    assert fitted.diagnostics().method == "nuts"
    assert fitted.diagnostics().reason != ""
    assert fitted.diagnostics().reason in fitted.diagnostics().title


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
        (MODELS["exact"], "stan"),
    ],
)
def test_a_sampler_that_a_model_does_not_have_is_refused(model: Any, sampler: str) -> None:
    with pytest.raises(InputError, match="sampler"):
        model.fit(SURVEY.iloc[::30], rng=1, sampler=sampler)
