import numpy as np
import pandas as pd
import pytest
from scipy.special import log_softmax, softmax

from synthlab.exceptions import ApproximationWarning, FitError, InputError, MissingValueError
from synthlab.synthesizers import MultinomialRegression
from synthlab.synthesizers._linear import standardise
from synthlab.synthesizers._multinomial import hessian, posterior_mode, table

N = 3000
LEVELS = ["north", "south", "west"]
TRUE = np.array([[0.0, 0.5, -0.5], [0.4, -0.5, 0.0], [-0.4, 0.0, 0.5]])  # sums to zero over the levels


@pytest.fixture(scope="module")
def survey():
    rng = np.random.default_rng(6)
    frame = pd.DataFrame({"age": rng.normal(0, 2, N).round(1), "tall": rng.integers(0, 2, N)})
    p = softmax(TRUE[:, 0] + frame[["age", "tall"]].to_numpy() @ TRUE[:, 1:].T, axis=1)
    frame["region"] = np.array(LEVELS)[(p.cumsum(axis=1) < rng.random(N)[:, None]).sum(axis=1)]
    return frame


@pytest.fixture(scope="module")
def fitted(survey):
    return MultinomialRegression("region ~ age + tall", prior_scale=2.0).fit(survey, rng=1)


def contrasts(values):
    return values[..., 1:] - values[..., :1]


def test_recovers_known_parameters(fitted):
    assert fitted.levels.values.tolist() == LEVELS
    for name, truth in (("intercept", TRUE[:, 0]), ("slopes", TRUE[:, 1:])):
        draws = np.moveaxis(fitted.posterior[name], 1, -1)
        error = contrasts(draws).mean(axis=0) - contrasts(truth.T)
        assert (np.abs(error) < 4 * contrasts(draws).std(axis=0)).all()
    assert fitted.diagnostics().method == "independence"


def test_mode_and_hessian_are_those_of_the_log_posterior(survey):
    x = standardise(survey[["age", "tall"]].to_numpy(dtype=float), None).matrix
    codes = np.searchsorted(LEVELS, survey["region"])
    weights = np.linspace(0, 2, N)
    sd = np.array([5.0, 1.5, 1.5])
    rows, counts = table(x, codes, 3, weights)
    mode, factor = posterior_mode(rows, counts, sd)

    def log_posterior(flat):
        beta = flat.reshape(3, 3)
        log_p = log_softmax(x @ beta.T, axis=1)
        return weights @ log_p[np.arange(N), codes] - 0.5 * np.sum((beta / sd) ** 2)

    step, flat = 1e-4, mode.ravel()
    units = np.eye(9) * step
    gradient = [(log_posterior(flat + u) - log_posterior(flat - u)) / (2 * step) for u in units]
    np.testing.assert_allclose(gradient, 0, atol=1e-3)
    numeric = np.array(
        [
            [
                log_posterior(flat + u + v)
                - log_posterior(flat + u - v)
                - log_posterior(flat - u + v)
                + log_posterior(flat - u - v)
                for u in units
            ]
            for v in units
        ]
    ) / (4 * step**2)
    np.testing.assert_allclose(factor @ factor.T, -numeric, rtol=1e-3, atol=0.02)
    np.testing.assert_allclose(hessian(rows, counts.sum(axis=1, keepdims=True), mode, sd), factor @ factor.T, rtol=1e-8)


def test_draws_have_the_covariance_of_the_approximation(survey):
    fitted = MultinomialRegression("region ~ 1", method="laplace").fit(survey, rng=3, draws=10_000)
    assert fitted.diagnostics().method == "laplace"
    share = survey["region"].value_counts(normalize=True).sort_index().to_numpy()
    precision = N * (np.diag(share) - np.outer(share, share)) + np.eye(3) / 25
    np.testing.assert_allclose(np.cov(fitted.posterior["intercept"].T), np.linalg.inv(precision), rtol=0.05)


def test_two_levels_agree_with_logistic_regression(survey):
    from synthlab.synthesizers import LogisticRegression

    two = survey[survey["region"] != "west"]
    ours = MultinomialRegression("region ~ age + tall", prior_scale=2.5 / np.sqrt(2)).fit(two, rng=1)
    other = LogisticRegression("region ~ age + tall").fit(two, rng=1)
    difference = ours.posterior["slopes"][:, 1] - ours.posterior["slopes"][:, 0]
    spread = other.posterior["slopes"].std(axis=0)
    assert (np.abs(difference.mean(axis=0) - other.posterior["slopes"].mean(axis=0)) < 0.15 * spread).all()
    np.testing.assert_allclose(difference.std(axis=0), spread, rtol=0.1)


def test_weights_count_records(survey):
    weights = np.arange(N) % 3.0
    stacked = pd.concat([survey[weights >= 1], survey[weights == 2]], ignore_index=True)
    model = MultinomialRegression("region ~ age + tall", method="laplace")
    one, two = model.fit(survey, weights=weights, rng=5), model.fit(stacked, rng=5)
    np.testing.assert_allclose(one.posterior["slopes"], two.posterior["slopes"], atol=1e-5)


def test_log_likelihood(fitted, survey):
    s = 9
    eta = fitted.posterior["intercept"][s] + fitted.design.matrix @ fitted.posterior["slopes"][s].T
    expected = log_softmax(eta, axis=1)[np.arange(N), np.searchsorted(LEVELS, survey["region"])]
    result = fitted.log_likelihood()
    assert result.shape == (2000, N)
    np.testing.assert_allclose(result[s], expected, rtol=1e-10)


def test_release_follows_the_predictors(fitted, survey):
    release = fitted.generate(m=20, rng=1)
    assert release[0]["region"].dtype == survey["region"].dtype
    synthetic = np.mean([pd.crosstab(f["tall"], f["region"], normalize="index") for f in release], axis=0)
    np.testing.assert_allclose(synthetic, pd.crosstab(survey["tall"], survey["region"], normalize="index"), atol=0.03)


@pytest.mark.parametrize("draws", [40, pytest.param(200, marks=pytest.mark.full)])
@pytest.mark.filterwarnings("ignore::synthlab.exceptions.ConvergenceWarning")
def test_many_levels_and_sparse_cells(draws):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=600), "g": rng.choice(list("abc"), 600)})
    frame["site"] = np.minimum(rng.geometric(0.08, 600), 32)  # some of the 32 sites with one record
    fitted = MultinomialRegression("site ~ x + g").fit(frame, rng=1, draws=draws, tune=draws, chains=2)
    values = fitted.generate(5, rng=1)[0]["site"]
    assert values.dtype == frame["site"].dtype
    assert set(values) <= set(frame["site"])
    assert np.abs(fitted.posterior["slopes"]).max() < 10


@pytest.fixture(scope="module")
def lopsided():
    """Five of 2,000 people in a level, in two of twelve groups: its coefficients may run towards minus infinity."""
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"group": rng.choice(list("abcdefghijkl"), 2000), "place": rng.choice(["x", "y"], 2000)})
    frame.loc[np.flatnonzero(frame["group"].isin(["a", "b"]))[:5], "place"] = "z"
    return frame


def expected_counts(fitted, frame):
    draws = range(0, fitted.n_draws, 10)
    return np.mean([fitted.probabilities(frame, s).sum(axis=0) for s in draws], axis=0)


def test_rare_levels_get_the_records_they_have(lopsided):
    fitted = MultinomialRegression("place ~ group").fit(lopsided, rng=1)
    counts = lopsided["place"].value_counts().sort_index().to_numpy()
    # E(gradient of the log posterior) = 0; the intercepts are those of standardised predictors.
    wide = fitted.design.matrix
    intercepts = fitted.posterior["intercept"] + fitted.posterior["slopes"] @ wide.mean(axis=0)
    wanted = counts - intercepts.mean(axis=0) / 25
    np.testing.assert_allclose(expected_counts(fitted, lopsided), wanted, rtol=0.01, atol=0.5)


def test_the_normal_approximation_of_a_lopsided_posterior_is_warned_about(lopsided):
    with pytest.warns(ApproximationWarning, match="the worst is the level at position 2"):
        fitted = MultinomialRegression("place ~ group", method="laplace").fit(lopsided, rng=1)
    assert expected_counts(fitted, lopsided)[2] > 10


def test_both_methods_agree_where_every_level_is_common(survey, fitted):
    normal = MultinomialRegression("region ~ age + tall", prior_scale=2.0, method="laplace").fit(survey, rng=2)
    for name in ("intercept", "slopes"):
        ours, theirs = (
            contrasts(np.moveaxis(fitted.posterior[name], 1, -1)),
            contrasts(np.moveaxis(normal.posterior[name], 1, -1)),
        )
        assert (np.abs(ours.mean(axis=0) - theirs.mean(axis=0)) < 0.15 * theirs.std(axis=0)).all()
        np.testing.assert_allclose(ours.std(axis=0), theirs.std(axis=0), rtol=0.1)


def test_unknown_method_is_named():
    with pytest.raises(InputError, match="method='gibbs'"):
        MultinomialRegression("region ~ age", method="gibbs")


def test_categories_keep_their_dtype(survey):
    dtype = pd.CategoricalDtype([*reversed(LEVELS), "nowhere"], ordered=True)
    fitted = MultinomialRegression("region ~ age").fit(survey.assign(region=survey["region"].astype(dtype)), rng=1)
    assert fitted.levels.values.tolist() == list(reversed(LEVELS))
    assert fitted.generate(1, rng=1)[0]["region"].dtype == dtype


@pytest.mark.parametrize(
    ("values", "error", "message"),
    [
        ("north", InputError, "'region' has only one level"),
        (np.arange(N), InputError, r"'region' has 3,000 distinct values, but this model allows"),
        (None, MissingValueError, "'region' has 3000 missing"),
        (pd.Series([1, "a"] * (N // 2), dtype=object), InputError, "'region' mixes types of values"),
    ],
)
def test_bad_responses(survey, values, error, message):
    with pytest.raises(error, match=message):
        MultinomialRegression("region ~ age").fit(survey.assign(region=values))


def test_too_many_coefficients(survey):
    frame = survey.assign(site=np.arange(N) % 900)
    with pytest.raises(InputError, match="900 levels x 11 columns are too many"):
        MultinomialRegression("site ~ bs(age, df=10)").fit(frame)


def test_bad_prior():
    with pytest.raises(InputError, match="prior_scale=0"):
        MultinomialRegression("y ~ x", prior_scale=0)


@pytest.mark.parametrize("scale", [1e308, 2**63, 10**30])
def test_a_prior_so_wide_that_the_posterior_is_flat_is_refused_by_name(scale):
    age = [23, 35, 41, 52, 29, 64, 38, 47, 55, 31, 26, 60]
    people = pd.DataFrame({"region": list("NNNSSSEEEWWW"), "age": age})
    with pytest.raises(FitError, match="prior_scale=.*use a smaller prior_scale"):
        MultinomialRegression("region ~ age", prior_scale=scale, method="laplace").fit(people, rng=1, draws=8)
