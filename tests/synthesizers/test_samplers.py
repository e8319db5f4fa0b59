"""The samplers of a model agree; a sampler that does not fit is replaced by NUTS, and the diagnostics say so."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab.exceptions import ConvergenceWarning, InputError

SURVEY = sl.datasets.load("affairs").frame
SURVEY = SURVEY.assign(any=(SURVEY.affairs > 0).astype(int), children=SURVEY.children.round().astype(int))
WEIGHTS = np.random.default_rng(1).gamma(2.0, 0.5, len(SURVEY))
MODELS = {
    "exact": sl.NormalRegression("affairs ~ age + C(religious) + rate_marriage", transform="log1p"),
    "logistic": sl.LogisticRegression("any ~ C(religious) + rate_marriage + yrs_married"),
    "poisson": sl.PoissonRegression("children ~ age + yrs_married"),
    "multinomial": sl.MultinomialRegression("occupation ~ educ"),
    "ordered": sl.OrderedLogisticRegression("rate_marriage ~ age + affairs"),
}
QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)


def quantiles_differ(one: Any, other: Any) -> float:
    """Return the largest difference of the distribution functions at quantiles, in Monte Carlo standard errors."""
    found = [0.0]
    for name, values in one.posterior.items():
        first, second = (np.asarray(v).reshape(len(v), -1) for v in (values, other.posterior[name]))
        for column, reference in zip(first.T, second.T, strict=True):
            for share in QUANTILES:
                at = np.quantile(reference, share)
                size = 1 / (1 / one.diagnostics().ess_bulk.min() + 1 / other.diagnostics().ess_bulk.min())
                found.append(abs((column <= at).mean() - share) / np.sqrt(share * (1 - share) / size))
    return max(found)


@pytest.mark.parametrize("weights", [None, WEIGHTS], ids=["unweighted", "weighted"])
@pytest.mark.parametrize("name", [*MODELS])
@pytest.mark.full
def test_the_samplers_of_a_model_agree(name: str, weights: Any) -> None:
    options = {"draws": 4000, "rng": 3, "weights": weights}
    fast = MODELS[name].fit(SURVEY, **options)
    slow = MODELS[name].fit(SURVEY, sampler="nutpie", **options)
    assert fast.diagnostics().method == ("exact" if name == "exact" else "independence")
    assert slow.diagnostics().method == "nuts"
    assert fast.diagnostics().ok
    assert slow.diagnostics().ok
    assert quantiles_differ(fast, slow) < 4.5


def test_exact_draws_have_the_moments_of_the_conjugate_posterior_where_the_prior_is_flat() -> None:
    # With thousands of records, the coefficients have the moments of least squares.
    fitted = MODELS["exact"].fit(SURVEY, rng=1, draws=20_000)
    y = np.log1p(SURVEY.affairs.to_numpy(float))
    x = np.column_stack([np.ones(len(y)), fitted.design.matrix])
    estimate, rss = np.linalg.lstsq(x, y, rcond=None)[:2]
    sd = np.sqrt(np.diag(np.linalg.inv(x.T @ x)) * rss[0] / (len(y) - x.shape[1]))
    draws = np.column_stack([fitted.posterior["intercept"], fitted.posterior["slopes"]])
    assert np.abs((draws.mean(axis=0) - estimate) / sd).max() < 0.05
    assert draws.std(axis=0) / sd == pytest.approx(1.0, abs=0.03)
    assert fitted.posterior["sigma"].mean() == pytest.approx(np.sqrt(rss[0] / len(y)), rel=0.01)


def test_exact_draws_follow_the_density_of_few_records() -> None:
    # With 6 records the prior matters; the density of sigma and the slope is integrated on a grid.
    x, y = np.arange(6.0), np.array([0.3, 0.1, 0.9, 0.4, 1.2, 0.7])
    fitted = sl.NormalRegression("y ~ x").fit(pd.DataFrame({"x": x, "y": y}), rng=1, draws=40_000, chains=1)
    u, v = (x - x.mean()) / x.std(), (y - y.mean()) / y.std()
    b, sigma = np.meshgrid(np.linspace(-3, 4, 1401), np.exp(np.linspace(-3, 3, 1201)), indexing="ij")
    rss = ((v - b[..., None] * u) ** 2).sum(axis=-1)
    # The intercept, which does not depend on the slope, is integrated out; sigma has a logarithmic grid.
    prior = -0.5 * (b / 2.5) ** 2 - sigma
    log_density = -5 * np.log(sigma) - 0.5 * rss / sigma**2 - 0.5 * np.log(6 / sigma**2 + 1 / 25) + prior
    mass = np.exp(log_density - log_density.max())
    mass /= mass.sum()
    slope = fitted.posterior["slopes"][:, 0] * x.std() / y.std()
    assert slope.mean() == pytest.approx(float((mass * b).sum()), abs=0.01)
    assert fitted.posterior["sigma"].mean() / y.std() == pytest.approx(float((mass * sigma).sum()), abs=0.01)


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
        (MODELS["multinomial"], "exact"),
        (sl.TwoPart("affairs ~ age"), "exact"),
        (sl.NegativeBinomial("children ~ age"), "independence"),
        (MODELS["exact"], "stan"),
    ],
)
def test_a_sampler_that_a_model_does_not_have_is_refused(model: Any, sampler: str) -> None:
    with pytest.raises(InputError, match="sampler"):
        model.fit(SURVEY.iloc[::30], rng=1, sampler=sampler)
