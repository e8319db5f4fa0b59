import numpy as np
import pandas as pd
import pytest
from scipy import optimize, stats
from scipy.special import expit

import synthlab as sl
from synthlab.exceptions import InputError, MissingValueError
from synthlab.synthesizers import LogisticRegression, OrderedLogisticRegression
from synthlab.synthesizers.ordered_logistic_regression import _LogPosterior

N = 2000
LEVELS = ["poor", "fair", "good", "excellent"]
CUTPOINTS = np.array([-3.0, -1.0, 1.5])
FEW = {"draws": 12, "tune": 40, "chains": 1}


@pytest.fixture(scope="module")
def survey():
    rng = np.random.default_rng(8)
    frame = pd.DataFrame({"age": rng.integers(18, 80, N), "region": rng.choice(["a", "b"], N)})
    latent = -0.04 * (frame["age"] - 50) + 0.8 * (frame["region"] == "b") + rng.logistic(size=N)
    codes = np.searchsorted(CUTPOINTS, latent)
    frame["health"] = pd.Categorical(np.array(LEVELS)[codes], categories=LEVELS, ordered=True)
    return frame


@pytest.fixture(scope="module")
def fitted(survey):
    return OrderedLogisticRegression("health ~ age + region").fit(survey, rng=1)


def test_recovers_known_parameters(fitted):
    draws = np.hstack([fitted.cutpoints, fitted.posterior["slopes"]])
    truth = np.array([*(CUTPOINTS - 0.04 * 50), -0.04, 0.8])
    assert (np.abs(draws.mean(axis=0) - truth) < 4 * draws.std(axis=0)).all()
    assert (np.diff(fitted.cutpoints, axis=1) > 0).all()
    assert fitted.diagnostics().ok


def test_posterior_agrees_with_quadrature():
    """Nine records, so that the priors matter: c ~ N(0, 5) in ascending order, b ~ N(0, 2.5)."""
    x, y = np.arange(9.0), np.array([0, 0, 1, 0, 2, 1, 1, 2, 2])
    fitted = OrderedLogisticRegression("y ~ x").fit(pd.DataFrame({"x": x, "y": y}), rng=3, draws=4000)
    z = (x - x.mean()) / x.std()
    low, high, b = np.meshgrid(np.linspace(-9, 6, 76), np.linspace(-6, 9, 76), np.linspace(-3, 10, 79), indexing="ij")
    cut = np.stack([np.full_like(low, -np.inf), low, high, np.full_like(low, np.inf)])
    p = stats.norm.pdf(low, 0, 5) * stats.norm.pdf(high, 0, 5) * stats.norm.pdf(b, 0, 2.5) * (low < high)
    for one, k in zip(z, y, strict=True):
        p *= expit(cut[k + 1] - b * one) - expit(cut[k] - b * one)
    p /= p.sum()
    slope = fitted.posterior["slopes"][:, 0] * x.std()
    cutpoints = fitted.cutpoints - fitted.posterior["slopes"] * x.mean()
    for draws, grid in ((slope, b), (cutpoints[:, 0], low), (cutpoints[:, 1], high)):
        mean = (p * grid).sum()
        sd = np.sqrt((p * (grid - mean) ** 2).sum())
        assert abs(draws.mean() - mean) < 0.08 * sd
        np.testing.assert_allclose(draws.std(), sd, rtol=0.06)


def test_two_levels_are_a_logistic_regression(survey):
    two = survey.assign(well=survey["health"] >= "good")
    ours = OrderedLogisticRegression("well ~ age + region").fit(two, rng=1)
    other = LogisticRegression("well ~ age + region").fit(two, rng=1)
    assert ours.posterior["gaps"].shape == (2000, 0)
    np.testing.assert_allclose(ours.summary(), other.summary(), rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(ours.log_likelihood(), other.log_likelihood(), rtol=1e-3)


def test_the_gradient_and_the_mode_are_those_of_the_log_posterior():
    rng = np.random.default_rng(2)
    counts = rng.integers(0, 4, (6, 5)).astype(float)
    counts[:, 3] = 0.0  # a level without weight
    target = _LogPosterior.of(np.column_stack([np.ones(6), rng.normal(size=(6, 2))]), counts)
    at = rng.normal(size=6) / 2
    assert optimize.check_grad(lambda v: target.minus(v)[0], lambda v: target.minus(v)[1], at) < 1e-5
    found = target.mode()
    np.testing.assert_allclose(target.minus(found.mode)[1], 0, atol=1e-3)
    best = target.minus(found.mode)[0]
    assert all(target.minus(found.mode + 0.1 * rng.normal(size=6))[0] > best for _ in range(20))


def test_reversed_levels_have_the_opposite_slopes(survey, fitted):
    reversed_ = survey.assign(health=survey["health"].cat.reorder_categories(LEVELS[::-1]))
    other = OrderedLogisticRegression("health ~ age + region").fit(reversed_, rng=1)
    spread = fitted.posterior["slopes"].std(axis=0)
    difference = fitted.posterior["slopes"].mean(axis=0) + other.posterior["slopes"].mean(axis=0)
    assert (np.abs(difference) < 0.15 * spread).all()
    spread = fitted.cutpoints.std(axis=0)
    assert (np.abs(fitted.cutpoints.mean(axis=0) + other.cutpoints.mean(axis=0)[::-1]) < 0.15 * spread).all()


def test_log_likelihood_and_probabilities(fitted, survey):
    s, codes = 17, survey["health"].cat.codes.to_numpy()
    eta = fitted.design.matrix @ fitted.posterior["slopes"][s]
    below = np.column_stack([np.zeros(N), expit(fitted.cutpoints[s] - eta[:, None]), np.ones(N)])
    np.testing.assert_allclose(fitted.probabilities(survey, s), np.diff(below, axis=1), rtol=1e-10)
    expected = np.log(np.diff(below, axis=1)[np.arange(N), codes])
    np.testing.assert_allclose(fitted.log_likelihood()[s], expected, rtol=1e-9)
    guesses = survey.head(2).assign(health=["good", "other"])
    density = fitted.log_density(guesses)
    assert np.isfinite(density[:, 0]).all()
    assert (density[:, 1] == -np.inf).all()


def test_probabilities_far_in_the_tails_keep_their_digits(fitted):
    far = pd.DataFrame({"age": [-1500.0, 2000.0], "region": ["a", "a"], "health": ["good", "good"]})
    eta = fitted.posterior["slopes"][0, 0] * far["age"].to_numpy()
    found = fitted.probabilities(far, 0)
    c = fitted.cutpoints[0]
    np.testing.assert_allclose(found[0, 0], np.exp(c[0] - eta[0]), rtol=1e-10)
    np.testing.assert_allclose(found[1, 3], np.exp(eta[1] - c[2]), rtol=1e-10)


def test_weights_count_records(survey):
    weights = np.arange(N) % 3.0
    stacked = pd.concat([survey[weights >= 1], survey[weights == 2]], ignore_index=True)
    model = OrderedLogisticRegression("health ~ age + region")
    one, two = model.fit(survey, weights=weights, rng=5), model.fit(stacked, rng=5)
    np.testing.assert_allclose(one.summary(), two.summary(), rtol=1e-3, atol=1e-3)


def test_a_level_whose_records_have_no_weight_does_not_break_the_fit(survey):
    weights = (survey["health"] != "fair").to_numpy(dtype=float)
    fitted = OrderedLogisticRegression("health ~ age").fit(survey, weights=weights, rng=1)
    assert fitted.probabilities(survey, 0).shape == (N, 4)
    share = np.mean([fitted.probabilities(survey, s)[:, 1].mean() for s in range(0, 2000, 100)])
    assert share < 0.01


def test_release_follows_the_predictors(fitted, survey):
    release = fitted.generate(m=20, rng=1)
    assert release[0]["health"].dtype == survey["health"].dtype
    synthetic = np.mean([pd.crosstab(f["region"], f["health"], normalize="index") for f in release], axis=0)
    np.testing.assert_allclose(synthetic, pd.crosstab(survey["region"], survey["health"], normalize="index"), atol=0.02)


@pytest.mark.filterwarnings("ignore::synthlab.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(
    "values",
    [
        np.array([3, 1, 2]),
        np.array([0.5, 1.5, 7.0]),
        pd.array([1, 2, 5], dtype="Int64"),
        pd.to_datetime(["2020-01-01", "2021-01-01", "2022-01-01"]),
        pd.Categorical([1, 2, 3]),
        pd.Categorical(["low", "mid", "high"], categories=["none", "low", "mid", "high"], ordered=True),
    ],
    ids=["int", "float", "Int64", "dates", "category of numbers", "ordered category"],
)
def test_responses_with_an_order(values):
    frame = pd.DataFrame({"x": np.arange(30.0), "y": pd.Series(values).take(np.arange(30) % 3).reset_index(drop=True)})
    made = OrderedLogisticRegression("y ~ x").fit(frame, rng=1, **FEW).generate(1, rng=1)[0]["y"]
    assert made.dtype == frame["y"].dtype
    assert made.isin(frame["y"]).all()


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (["low", "mid", "high"], "levels without an order; convert it to an ordered category"),
        (pd.Categorical(["low", "mid", "high"]), "levels without an order"),
        (pd.Categorical([1, 2, 3], categories=[2, 1, 3]), "levels without an order"),
        ([1, 1, 1], "only one level"),
    ],
)
def test_responses_without_an_order_are_refused(values, message):
    with pytest.raises(InputError, match=message) as raised:
        OrderedLogisticRegression("y ~ x").fit(pd.DataFrame({"x": [1.0, 2.0, 3.0], "y": values}))
    assert "mid" not in str(raised.value)


def test_too_many_levels_are_refused():
    frame = pd.DataFrame({"x": np.arange(101.0), "y": np.arange(101)})
    with pytest.raises(InputError, match="'y' has 101 distinct values, but this model allows at most 100"):
        OrderedLogisticRegression("y ~ x").fit(frame)


@pytest.mark.filterwarnings("ignore::synthlab.exceptions.ConvergenceWarning")
def test_missing_values_are_modelled_apart_from_the_order(survey):
    lost = survey.assign(health=survey["health"].mask(survey["age"] > 60))
    with pytest.raises(MissingValueError, match="'health'"):
        OrderedLogisticRegression("health ~ region").fit(lost, missing="raise")
    made = OrderedLogisticRegression("health ~ age").fit(lost, rng=1, draws=200).generate(m=3, rng=1)
    assert made[0]["health"].dtype == survey["health"].dtype
    assert abs(np.mean([f["health"].isna().mean() for f in made]) - lost["health"].isna().mean()) < 0.03


@pytest.mark.filterwarnings("ignore::synthlab.exceptions.ConvergenceWarning")
def test_it_is_a_model_of_synthesize(survey):
    release = sl.synthesize(
        survey.head(300), m=1, models={"health": "ordered logistic"}, order=["age", "region", "health"], rng=1
    )
    assert release[0]["health"].cat.ordered
