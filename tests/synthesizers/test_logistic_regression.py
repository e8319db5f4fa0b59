import numpy as np
import pandas as pd
import pytest
from scipy import stats
from scipy.special import expit

from synthlab.exceptions import InputError, MissingValueError
from synthlab.synthesizers import LogisticRegression
from synthlab.synthesizers._pymc import compilations

N = 1500


@pytest.fixture(scope="module")
def survey():
    rng = np.random.default_rng(2)
    frame = pd.DataFrame({"age": rng.integers(18, 80, N), "region": rng.choice(["a", "b"], N)})
    p = expit(-3 + 0.05 * frame["age"] + 0.8 * (frame["region"] == "b"))
    frame["insured"] = np.where(rng.random(N) < p, "yes", "no")
    return frame


@pytest.fixture(scope="module")
def fitted(survey):
    return LogisticRegression("insured ~ age + region").fit(survey, rng=1)


def test_recovers_known_parameters(fitted):
    draws = np.column_stack([fitted.posterior["intercept"], fitted.posterior["slopes"]])
    assert (np.abs(draws.mean(axis=0) - [-3, 0.05, 0.8]) < 4 * draws.std(axis=0)).all()
    assert fitted.diagnostics().ok


def test_posterior_agrees_with_quadrature():
    """Eight records, so that the priors matter: a ~ N(0, 5), b ~ N(0, 2.5) on the standardised predictor."""
    x, y = np.arange(8.0), np.array([0, 0, 1, 0, 1, 0, 1, 1])
    fitted = LogisticRegression("y ~ x").fit(pd.DataFrame({"x": x, "y": y}), rng=3, draws=4000)
    z = (x - x.mean()) / x.std()
    a, b = np.meshgrid(np.linspace(-8, 8, 401), np.linspace(-6, 14, 501), indexing="ij")
    eta = a[..., None] + b[..., None] * z
    log_p = stats.norm.logpdf(a, 0, 5) + stats.norm.logpdf(b, 0, 2.5) + (y * eta - np.logaddexp(0, eta)).sum(axis=-1)
    p = np.exp(log_p - log_p.max())
    p /= p.sum()
    slope = fitted.posterior["slopes"][:, 0] * x.std()
    intercept = fitted.posterior["intercept"] + fitted.posterior["slopes"][:, 0] * x.mean()
    np.testing.assert_allclose(slope.mean(), (p * b).sum(), rtol=0.03)
    np.testing.assert_allclose(slope.std(), np.sqrt((p * b**2).sum() - (p * b).sum() ** 2), rtol=0.05)
    np.testing.assert_allclose(intercept.mean(), (p * a).sum(), atol=0.05)


def test_log_likelihood(fitted, survey):
    s, y = 17, (survey["insured"] == "yes").to_numpy()
    p = expit(fitted.posterior["intercept"][s] + fitted.design.matrix @ fitted.posterior["slopes"][s])
    np.testing.assert_allclose(fitted.log_likelihood()[s], stats.bernoulli.logpmf(y, p), rtol=1e-9)


def test_weights_count_records(survey):
    model = LogisticRegression("insured ~ age + region")
    weights = np.arange(N) % 3.0
    stacked = pd.concat([survey[weights >= 1], survey[weights == 2]], ignore_index=True)
    before = compilations()
    one, two = model.fit(survey, weights=weights, rng=5), model.fit(stacked, rng=5)
    assert compilations() == before
    np.testing.assert_allclose(one.summary()["mean"], two.summary()["mean"], rtol=1e-3, atol=1e-3)


def test_release(fitted, survey):
    release = fitted.generate(m=10, rng=1)
    assert release[0]["insured"].dtype == survey["insured"].dtype
    by_region = np.mean([(f["insured"] == "yes").groupby(f["region"]).mean() for f in release], axis=0)
    expected = (survey["insured"] == "yes").groupby(survey["region"]).mean()
    np.testing.assert_allclose(by_region, expected, atol=0.04)


def test_separation_leaves_finite_coefficients():
    frame = pd.DataFrame({"x": np.arange(40.0), "y": np.arange(40) >= 20})
    fitted = LogisticRegression("y ~ x").fit(frame, rng=1)
    slope = fitted.posterior["slopes"][:, 0] * frame["x"].std(ddof=0)
    assert 1 < slope.mean() < 12
    assert np.isfinite(fitted.log_likelihood()).all()


@pytest.mark.parametrize(
    ("values", "success"),
    [
        (np.array([False, True]), True),
        (np.array([0, 1], dtype=np.int8), 1),
        (np.array([1.0, 2.0]), 2.0),
        (pd.Categorical(["late", "early"], categories=["late", "early", "never"], ordered=True), "early"),
        (pd.array([0, 1], dtype="Int64"), 1),
    ],
)
def test_kinds_of_values(survey, values, success):
    column = pd.Series(values).iloc[(survey["insured"] == "yes").astype(int)].reset_index(drop=True)
    fitted = LogisticRegression("insured ~ age + region").fit(survey.assign(insured=column), rng=1)
    assert fitted.values[1] == success
    synthetic = fitted.generate(1, rng=1)[0]["insured"]
    assert synthetic.dtype == column.dtype
    np.testing.assert_allclose(fitted.summary()["mean"].iloc[1], 0.05, atol=0.02)


@pytest.mark.parametrize(
    ("values", "error", "message"),
    [
        ("yes", InputError, "'insured' has 1 distinct values; logistic regression is for exactly 2"),
        (np.arange(N) % 3, InputError, "'insured' has 3 distinct values"),
        (None, MissingValueError, "'insured' has 1500 missing"),
    ],
)
def test_bad_responses(survey, values, error, message):
    with pytest.raises(error, match=message):
        LogisticRegression("insured ~ age").fit(survey.assign(insured=values))
