import numpy as np
import pandas as pd
import pytest
from scipy import stats

from synthlab.exceptions import FitError, InputError, MissingValueError
from synthlab.synthesizers import Fitted, NormalRegression
from synthlab.synthesizers._pymc import compilations
from tests.loops import every

N = 400
TRUE = {"intercept": 9.0, "slopes": np.array([0.02, 0.5, -0.2]), "sigma": 0.3}


def simulate(n=N, seed=1):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"age": rng.integers(18, 80, n), "region": rng.choice(["a", "b", "c"], n)})
    x = np.column_stack([frame["age"], frame["region"] == "b", frame["region"] == "c"])
    frame["income"] = np.exp(TRUE["intercept"] + x @ TRUE["slopes"] + rng.normal(0, TRUE["sigma"], n))
    frame["hours"] = rng.integers(0, 60, n)
    frame.index = pd.Index(np.arange(n) * 3 + 5, name="person")
    frame.attrs["synthlab"] = {"dataset": "made", "version": "test", "kind": "simulated"}
    return frame


MODEL = NormalRegression("income ~ age + region", transform="log")


@pytest.fixture(scope="module")
def survey():
    return simulate()


@pytest.fixture(scope="module")
def fitted(survey):
    return MODEL.fit(survey, rng=1)


def test_recovers_known_parameters(fitted):
    posterior = fitted.posterior
    for name, truth in TRUE.items():
        draws = posterior[name]
        assert (np.abs(draws.mean(axis=0) - truth) < 4 * draws.std(axis=0)).all()
    assert isinstance(fitted, Fitted)
    assert fitted.diagnostics().ok


def test_agrees_with_least_squares_where_the_prior_is_weak(fitted, survey):
    x = np.column_stack([np.ones(N), fitted.design.matrix])
    estimate, rss = np.linalg.lstsq(x, np.log(survey["income"]), rcond=None)[:2]
    variance = rss[0] / (N - 4)
    error = np.sqrt(variance * np.diag(np.linalg.inv(x.T @ x)))
    coefficients = np.column_stack([fitted.posterior["intercept"], fitted.posterior["slopes"]])
    assert (np.abs(coefficients.mean(axis=0) - estimate) < 0.1 * error).all()
    np.testing.assert_allclose(coefficients.std(axis=0), error, rtol=0.08)
    np.testing.assert_allclose(fitted.posterior["sigma"].mean() ** 2, variance, rtol=0.02)


def test_posterior_of_mean_and_sd_agrees_with_quadrature():
    """Few records, so that the priors matter: y in sd units, mean ~ N(0, 5), sigma ~ Exponential(1)."""
    y = np.array([1.0, 2.0, 4.0, 8.5, 3.0])
    fitted = NormalRegression("y ~ 1").fit(pd.DataFrame({"y": y}), rng=3, draws=4000)
    z, scale = (y - y.mean()) / y.std(), y.std()
    a, s = np.meshgrid(np.linspace(-4, 4, 801), np.linspace(0.05, 8, 1600), indexing="ij")
    log_p = stats.norm.logpdf(a, 0, 5) - s - z.size * np.log(s)
    log_p -= (np.sum(z**2) + z.size * a**2) / (2 * s**2)
    p = np.exp(log_p - log_p.max())
    p /= p.sum()
    draws = (fitted.posterior["intercept"] - y.mean()) / scale
    np.testing.assert_allclose(draws.mean(), (p * a).sum(), atol=0.03)
    np.testing.assert_allclose(draws.std(), np.sqrt((p * a**2).sum()), rtol=0.06)
    sigma = fitted.posterior["sigma"] / scale
    np.testing.assert_allclose(sigma.mean(), (p * s).sum(), rtol=0.03)
    np.testing.assert_allclose(np.quantile(sigma, 0.9), np.interp(0.9, p.sum(axis=0).cumsum(), s[0]), rtol=0.05)


def test_weight_two_is_a_record_that_stands_twice(survey):
    weights = np.where(np.arange(N) % 3 == 0, 2.0, 1.0)
    twice = pd.concat([survey, survey[weights == 2.0]])
    twice.index = range(len(twice))
    one, two = MODEL.fit(survey, weights=weights, rng=5), MODEL.fit(twice, rng=5)
    # The same posterior to rounding, so with one seed the same draws.
    np.testing.assert_allclose(one.summary()["mean"], two.summary()["mean"], rtol=1e-3, atol=1e-4)
    assert one.weights is not None
    assert two.weights is None


def test_weight_zero_is_a_record_left_out(survey):
    weights = np.where(np.arange(N) < 100, 0.0, 1.0)
    one, two = MODEL.fit(survey, weights=weights, rng=5), MODEL.fit(survey.iloc[100:], rng=5)
    np.testing.assert_allclose(one.summary()["mean"], two.summary()["mean"], rtol=1e-3, atol=1e-4)


def test_weights_widen_the_posterior(survey, fitted):
    half = MODEL.fit(survey, weights=np.full(N, 0.25), rng=1)
    ratio = half.posterior["slopes"].std(axis=0) / fitted.posterior["slopes"].std(axis=0)
    np.testing.assert_allclose(ratio, 2.0, rtol=0.1)


def test_a_refit_does_not_compile_again(survey, fitted):
    before = compilations()
    MODEL.fit(survey, weights=np.linspace(0, 1, N), rng=2)
    MODEL.fit(simulate(150, seed=9), rng=2)
    NormalRegression("income ~ age", transform="asinh").fit(survey, rng=2)
    assert compilations() == before


def test_a_level_with_weight_zero_keeps_its_prior(survey):
    weights = np.where(survey["region"] == "c", 0.0, 1.0)
    fitted = MODEL.fit(survey, weights=weights, rng=1)
    scale = np.log(survey["income"][weights > 0]).std() / (survey["region"] == "c").std()
    np.testing.assert_allclose(fitted.posterior["slopes"][:, 2].std(), 2.5 * scale, rtol=0.1)


def test_log_likelihood_is_the_density_of_y_unweighted(survey, fitted):
    weighted = MODEL.fit(survey, weights=np.linspace(0.1, 1, N), rng=1)
    for fit in (fitted, weighted):
        result = fit.log_likelihood()
        assert result.shape == (2000, N)
        assert result.dtype == np.float64
        s = 123
        mean = fit.posterior["intercept"][s] + fit.design.matrix @ fit.posterior["slopes"][s]
        expected = stats.lognorm.logpdf(survey["income"], fit.posterior["sigma"][s], scale=np.exp(mean))
        np.testing.assert_allclose(result[s], expected, rtol=1e-10)


def test_log_likelihood_is_infinite_at_zero_under_a_root(survey):
    fitted = NormalRegression("hours ~ age", transform="sqrt").fit(survey, rng=1)
    with pytest.raises(InputError, match="unbounded at y = 0"):
        fitted.log_likelihood()


def test_a_release_is_like_the_confidential_data(survey, fitted):
    release = fitted.generate(m=5, rng=3)
    assert release.m == 5
    assert release.synthesized == ("income",)
    for frame in release:
        pd.testing.assert_frame_equal(frame.drop(columns="income"), survey.drop(columns="income"))
        assert frame.attrs == survey.attrs
        assert list(frame.columns) == list(survey.columns)
        assert frame["income"].dtype == np.float64
        assert not (frame["income"] == survey["income"]).any()
        # log income by age and region: the predictive distribution is that of the data
        assert stats.ks_2samp(frame["income"], survey["income"]).pvalue > 1e-3


def test_predictive_mean_and_spread(survey, fitted):
    residuals = [
        np.log(frame["income"]) - (9 + fitted.design.matrix @ TRUE["slopes"]) for frame in fitted.generate(m=20, rng=4)
    ]
    assert abs(np.mean(residuals)) < 4 * TRUE["sigma"] / np.sqrt(N)
    np.testing.assert_allclose(np.std(residuals), TRUE["sigma"], rtol=0.1)


def test_draws_are_spread_over_both_chains(fitted):
    used = np.array(fitted.generate(m=8, rng=1).private["draws_used"])
    assert len(set(used)) == 8
    assert (used < 1000).sum() in (3, 4, 5)
    gaps = np.diff(np.sort(used))
    assert gaps.min() >= 2000 // 8 - 30


def test_the_fit_keeps_its_own_copy_of_the_data(survey):
    frame = survey.copy()
    fitted = MODEL.fit(frame, rng=1)
    frame["age"] = 0
    assert (fitted.generate(1, rng=1)[0]["age"] == survey["age"]).all()


def test_integers_become_floats_and_narrow_floats_stay(survey):
    assert NormalRegression("hours ~ age").fit(survey, rng=1).generate(1, rng=1)[0]["hours"].dtype == np.float64
    narrow = survey.assign(income=survey["income"].astype(np.float32))
    assert MODEL.fit(narrow, rng=1).generate(1, rng=1)[0]["income"].dtype == np.float32


def test_bounds_truncate_the_predictive_distribution(survey):
    low, high = float(survey["income"].min()), float(survey["income"].max())
    fitted = NormalRegression("income ~ age", transform="log", bounds=(low, high)).fit(survey, rng=1)
    values = np.concatenate([frame["income"] for frame in fitted.generate(10, rng=1)])
    assert values.min() >= low
    assert values.max() <= high
    assert (values == low).sum() + (values == high).sum() == 0
    one_sided = NormalRegression("income ~ age", bounds=(low, None)).fit(survey, rng=1)
    assert one_sided.generate(1, rng=1)[0]["income"].min() >= low


@pytest.mark.parametrize("transform", [None, "log1p", "asinh", "sqrt", "cube_root"])
def test_every_transform_comes_back(survey, transform):
    fitted = NormalRegression("income ~ age + region", transform=transform).fit(survey, rng=1)
    median = np.median([frame["income"].median() for frame in fitted.generate(5, rng=1)])
    np.testing.assert_allclose(median, survey["income"].median(), rtol=0.25)


def test_other_records_can_be_drawn(fitted, survey):
    others = pd.DataFrame({"age": [20, 70], "region": ["a", "b"]}, index=["x", "y"])
    values = fitted.draw(others, 0, np.random.default_rng(1))["income"]
    assert values.index.tolist() == ["x", "y"]
    with pytest.raises(
        InputError, match="levels not seen when the model was fitted: . of . rows, the first at position .; 3 levels"
    ):
        fitted.draw(others.assign(region="d"), 0, np.random.default_rng(1))


def test_odd_column_names(survey):
    odd = "__import__('os').abort()"
    frame = survey.rename(columns={"age": odd, "income": "my `income`"})
    fitted = NormalRegression(f"`my ``income``` ~ `{odd}`", transform="log").fit(frame, rng=1)
    assert list(fitted.generate(1, rng=1)[0].columns) == list(frame.columns)
    assert fitted.summary().index[1] == f"slopes[{odd}]"


@every(
    ("change", "formula", "error", "message"),
    [
        ({}, "wage ~ age", InputError, "unknown variable 'wage'"),
        ({}, "income ~ wage", InputError, "unknown variable 'wage'"),
        ({}, "region ~ age", InputError, "'region' is str, not numeric"),
        ({"income": np.nan}, "income ~ age", MissingValueError, "'income' has 400 missing values"),
        ({"income": np.inf}, "income ~ age", InputError, "'income' has 400 infinite values"),
        ({"income": 5.0}, "income ~ age", InputError, "'income' is constant: there is nothing to model"),
        ({"age": 30}, "income ~ age", InputError, "'age' is constant"),
        ({"income": 0.0}, "income ~ age", InputError, "transform='log': needs values > 0, but column 'income' has 400"),
    ],
)
def test_data_that_cannot_be_used(survey, change, formula, error, message):
    transform = "log" if "needs values" in message else None
    with pytest.raises(error, match=message):
        NormalRegression(formula, transform=transform).fit(survey.assign(**change), rng=1)


def test_a_response_that_is_its_predictor(survey):
    with pytest.raises(FitError, match="reproduce the response exactly"):
        NormalRegression("twice ~ age").fit(survey.assign(twice=2.0 * survey["age"] + 1), rng=1)


@pytest.mark.filterwarnings("ignore::synthlab.exceptions.ConvergenceWarning")
def test_as_many_datasets_as_draws(survey):
    short = MODEL.fit(survey, rng=1, draws=300)
    assert short.generate(600, rng=1).m == 600


@pytest.mark.parametrize(
    ("bounds", "message"),
    [
        ((1.0,), "must be a pair"),
        ((5.0, 1.0), "low must be below high"),
        (("a", 1.0), "bounds='a'"),
        (3, "must be a pair"),
    ],
)
def test_bad_bounds(bounds, message):
    with pytest.raises(InputError, match=message):
        NormalRegression("y ~ x", bounds=bounds)


def test_confidential_values_outside_the_bounds(survey):
    with pytest.raises(InputError, match="confidential values of 'income' lie outside"):
        NormalRegression("income ~ age", bounds=(None, float(survey["income"].median()))).fit(survey)


def test_what_cannot_be_fitted_is_said():
    x = np.random.default_rng(1).normal(size=40)
    data = pd.DataFrame({"x": x, "y": 1e200 * (1 + x**2)})
    with pytest.raises(InputError, match="response 'y': the variance of its values overflows"):
        NormalRegression("y ~ x").fit(data, rng=1)
    for informed in (1, 2):
        weights = np.r_[np.ones(informed), np.zeros(40 - informed)]
        with pytest.raises(InputError, match=f"weights: only {informed} of 40 records have a weight above 0"):
            NormalRegression("y ~ x").fit(data.assign(y=x**2), weights=weights, rng=1)
    with pytest.raises(FitError, match="the predictors reproduce the response exactly"):
        NormalRegression("y ~ x").fit(data.assign(y=2 * x), rng=1)


def test_predictors_that_are_the_confidential_ones_are_not_computed_again(survey, fitted, monkeypatch):
    def draw(frame):
        return fitted.draw(frame, 3, np.random.default_rng(5))[fitted.synthesized[0]]

    moved = survey.assign(**{column: survey[column].to_numpy()[::-1] for column in fitted.design.formula.columns})
    computed = draw(moved)
    assert draw(survey).equals(draw(survey.copy()))
    assert not computed.equals(draw(survey))
    monkeypatch.setattr(type(fitted.design), "apply", lambda *_: pytest.fail("computed"))
    assert draw(survey.copy()).equals(draw(survey))
    for other in (moved, survey.iloc[1:], survey.drop(columns=fitted.design.formula.columns[0])):
        with pytest.raises(pytest.fail.Exception, match="computed"):
            draw(other)
