"""Poisson and negative binomial regression."""

from functools import cache

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from scipy.integrate import quad_vec

from synthlab.exceptions import FitError, InputError
from synthlab.synthesizers import NegativeBinomial, PoissonRegression
from synthlab.synthesizers._pymc import compilations
from tests.loops import every

N = 1200


@pytest.fixture(scope="module")
def survey():
    rng = np.random.default_rng(4)
    frame = pd.DataFrame({"age": rng.integers(18, 80, N), "region": rng.choice(["a", "b"], N)})
    mean = np.exp(0.2 + 0.03 * frame["age"] + 0.5 * (frame["region"] == "b"))
    frame["visits"] = rng.poisson(mean)
    frame["days"] = rng.negative_binomial(3.0, 3.0 / (3.0 + mean)).astype(np.int16)
    return frame


@pytest.fixture(scope="module")
def poisson(survey):
    return PoissonRegression("visits ~ age + region").fit(survey, rng=1)


@pytest.fixture(scope="module")
def negative_binomial(survey):
    return NegativeBinomial("days ~ age + region").fit(survey, rng=1)


def coefficients(fitted):
    return np.column_stack([fitted.posterior["intercept"], fitted.posterior["slopes"]])


def test_recover_known_parameters(poisson, negative_binomial):
    for fitted in (poisson, negative_binomial):
        draws = coefficients(fitted)
        assert (np.abs(draws.mean(axis=0) - [0.2, 0.03, 0.5]) < 4 * draws.std(axis=0)).all()
        assert fitted.diagnostics().ok
    phi = negative_binomial.posterior["phi"]
    assert abs(phi.mean() - 3.0) < 4 * phi.std()


def test_poisson_agrees_with_quadrature():
    y = np.array([0, 2, 1, 5, 0, 3])
    fitted = PoissonRegression("y ~ 1").fit(pd.DataFrame({"y": y}), rng=2, draws=4000)
    a = np.linspace(-3, 3, 4001)
    log_p = stats.norm.logpdf(a, np.log(y.mean()), 5) + y.sum() * a - y.size * np.exp(a)
    p = np.exp(log_p - log_p.max())
    p /= p.sum()
    np.testing.assert_allclose(fitted.posterior["intercept"].mean(), p @ a, atol=0.02)
    np.testing.assert_allclose(fitted.posterior["intercept"].std(), np.sqrt(p @ a**2 - (p @ a) ** 2), rtol=0.05)


@cache
def grid():
    """Return a grid of (log mu, log phi): b ~ N(0, s), s ~ half-t(3, 0, 1), 1/phi ~ half-Cauchy(0, 5)."""
    y = sample_counts()
    b = np.linspace(np.log(y.mean()) - 0.25, np.log(y.mean()) + 0.25, 101)
    phi = np.exp(np.linspace(np.log(2), np.log(120), 201))
    values, group = np.unique(y, return_inverse=True)
    prior = quad_vec(lambda s: 2 * stats.t.pdf(s, 3) * stats.norm.pdf(b, 0, s), 0, np.inf, epsrel=1e-10)[0]
    pmf = stats.nbinom.logpmf(values, phi[:, None], phi[:, None] / (phi[:, None] + np.exp(b)[:, None, None]))
    log_prior = np.log(prior)[:, None] + stats.halfcauchy.logpdf(1 / phi, scale=5) - np.log(phi)
    return group, b, phi, pmf, log_prior


def oracle(weights):
    """Quadrature on (log mu, log phi): mu = exp(b)."""
    group, b, phi, pmf, log_prior = grid()
    log_p = pmf @ np.bincount(group, weights=weights) + log_prior
    p = np.exp(log_p - log_p.max())
    p /= p.sum()
    moments = [(p.sum(axis=1), np.exp(b)), (p.sum(axis=0), phi)]
    return [(q @ v, np.sqrt(q @ v**2 - (q @ v) ** 2)) for q, v in moments]


@pytest.mark.parametrize("weighted", [False, True])
def test_negative_binomial_agrees_with_quadrature(weighted):
    y = sample_counts()
    weights = np.where(np.abs(y - 100) > 40, 0.3, 0.9) if weighted else np.ones(y.size)
    fitted = NegativeBinomial("y ~ 1").fit(
        pd.DataFrame({"y": y}), weights=weights if weighted else None, rng=1, draws=3000
    )
    (mu, mu_sd), (phi, phi_sd) = oracle(weights)
    draws = np.exp(fitted.posterior["intercept"])
    assert abs(draws.mean() - mu) < 0.08 * mu_sd
    np.testing.assert_allclose(draws.std(), mu_sd, rtol=0.06)
    assert abs(fitted.posterior["phi"].mean() - phi) < 0.08 * phi_sd
    np.testing.assert_allclose(fitted.posterior["phi"].std(), phi_sd, rtol=0.06)


def sample_counts():
    """The mixture of the simulation study: 0.7 NB(100, 20) + 0.3 NB(100, 5)."""
    rng = np.random.default_rng(8)
    phi = np.where(rng.random(500) < 0.7, 20.0, 5.0)
    return rng.negative_binomial(phi, phi / (phi + 100.0))


def test_log_likelihoods(poisson, negative_binomial, survey):
    s = 31
    for fitted in (poisson, negative_binomial):
        mean = np.exp(fitted.posterior["intercept"][s] + fitted.design.matrix @ fitted.posterior["slopes"][s])
        if fitted is poisson:
            expected = stats.poisson.logpmf(survey["visits"], mean)
        else:
            phi = fitted.posterior["phi"][s]
            expected = stats.nbinom.logpmf(survey["days"], phi, phi / (phi + mean))
        assert fitted.log_likelihood().shape == (2000, N)
        np.testing.assert_allclose(fitted.log_likelihood()[s], expected, rtol=1e-8)


@pytest.mark.parametrize("model", [PoissonRegression("visits ~ age + region"), NegativeBinomial("days ~ age + region")])
def test_weights_count_records(survey, model, poisson, negative_binomial):
    weights = np.arange(N) % 3.0
    stacked = pd.concat([survey[weights >= 1], survey[weights == 2]], ignore_index=True)
    before = compilations()
    one, two = model.fit(survey, weights=weights, rng=5), model.fit(stacked, rng=5)
    assert compilations() == before
    spread = coefficients(two).std(axis=0)
    assert (np.abs(coefficients(one).mean(axis=0) - coefficients(two).mean(axis=0)) < 0.05 * spread).all()
    np.testing.assert_allclose(coefficients(one).std(axis=0), spread, rtol=0.05)


def test_releases_hold_counts_in_the_confidential_dtype(poisson, negative_binomial, survey):
    for fitted, column in ((poisson, "visits"), (negative_binomial, "days")):
        release = fitted.generate(m=10, rng=1)
        synthetic = np.concatenate([f[column] for f in release])
        assert release[0][column].dtype == survey[column].dtype
        assert synthetic.min() >= 0
        np.testing.assert_allclose(synthetic.mean(), survey[column].mean(), rtol=0.08)
        np.testing.assert_allclose(synthetic.std(), survey[column].std(), rtol=0.15)


def test_whole_numbers_stored_as_floats_stay_floats(survey):
    fitted = PoissonRegression("visits ~ age").fit(survey.assign(visits=survey["visits"].astype(float)), rng=1)
    values = fitted.generate(1, rng=1)[0]["visits"]
    assert values.dtype == np.float64
    assert (values == np.floor(values)).all()


def test_a_narrow_integer_is_widened_when_it_must_be():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"y": rng.poisson(120, 100).clip(0, 127).astype(np.int8)})
    values = PoissonRegression("y ~ 1").fit(frame, rng=1).generate(1, rng=1)[0]["y"]
    assert values.max() > 127
    assert values.dtype == np.int64


def test_underdispersed_counts_are_fitted_too(survey):
    few = survey.head(200).assign(days=np.arange(200) % 2 + 5)
    fitted = NegativeBinomial("days ~ 1").fit(few, rng=1)
    assert np.median(fitted.posterior["phi"]) > 50


@every("model", [PoissonRegression, NegativeBinomial])
@every(
    ("values", "message"),
    [
        (-1, "'visits' has 1200 values that are not whole numbers >= 0"),
        (0.5, "not whole numbers"),
        ("3", "'visits' is str, not numeric"),
        (0, "'visits' has only zeros"),
    ],
)
def test_bad_responses(survey, model, values, message):
    with pytest.raises(InputError, match=message):
        model("visits ~ age").fit(survey.assign(visits=values))


def test_a_mean_beyond_all_numbers_is_an_error(poisson, survey):
    far = survey.head(3).assign(age=10_000)
    with pytest.raises(FitError, match="predictors lie far outside"):
        poisson.draw(far, 0, np.random.default_rng(1))


@pytest.mark.parametrize("kind", [NegativeBinomial, PoissonRegression])
def test_counts_that_are_never_drawn_are_refused_at_the_fit(kind):
    frame = pd.DataFrame({"y": [1.0, 2.0, 1e300, 4.0] * 5, "x": np.arange(20.0)})
    with pytest.raises(InputError, match=r"confidential: response 'y' has 5 values above exp\(40\)"):
        kind("y ~ x").fit(frame, rng=1)
