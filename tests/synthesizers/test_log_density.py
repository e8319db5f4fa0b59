"""log_density: of the fit's own records it is the likelihood, of others what a fit to them would say."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import synthlab as sl
from synthlab.exceptions import InputError, MissingValueError

SHORT = {"draws": 30, "tune": 60, "chains": 1}
pytestmark = [
    pytest.mark.filterwarnings("ignore::synthlab.exceptions.ConvergenceWarning"),
    pytest.mark.filterwarnings("ignore::synthlab.exceptions.TruncationWarning"),
]


@pytest.fixture(scope="module")
def people() -> pd.DataFrame:
    rng = np.random.default_rng(3)
    n = 60
    frame = pd.DataFrame({"x": rng.normal(size=n), "g": rng.choice(list("ab"), n), "k": rng.choice(list("uvw"), n)})
    frame["y"] = 1 + frame["x"] + rng.normal(size=n)
    frame["zero"] = np.where(rng.random(n) < 0.4, 0.0, np.exp(frame["y"] / 3))
    return frame


MODELS = {
    "normal": sl.NormalRegression("y ~ x + g"),
    "multinomial": sl.MultinomialRegression("k ~ x + g"),
    "two parts": sl.TwoPart("zero ~ x"),
    "mixture": sl.FiniteMixture("y ~ x", classes=2),
    "dirichlet": sl.DirichletMultinomial(["k"], given=["g"]),
    "dpmpm": sl.DPMPM(["g", "k"], classes=3),
    "sequential": sl.Sequential([sl.MultinomialRegression("k ~ x"), sl.NormalRegression("y ~ x + k")]),
}


@pytest.mark.parametrize("name", list(MODELS))
def test_other_records_are_read_as_the_own_ones(name, people):
    fitted = MODELS[name].fit(people, rng=1, **SHORT)
    own = fitted.log_likelihood()
    np.testing.assert_allclose(fitted.log_density(people), own)
    turned = people.iloc[::-1].reset_index(drop=True)
    np.testing.assert_allclose(fitted.log_density(turned), own[:, ::-1])
    few = people.iloc[[7, 7, 3]].reset_index(drop=True)
    np.testing.assert_allclose(fitted.log_density(few), own[:, [7, 7, 3]])


def test_a_guess_for_an_earlier_variable_reaches_the_later_models(people):
    fitted = MODELS["sequential"].fit(people, rng=1, **SHORT)
    guess = people.iloc[[0]].assign(k="w" if people["k"][0] != "w" else "u")
    first, second = (part.log_density(guess) for part in fitted.parts)
    np.testing.assert_allclose(fitted.log_density(guess), first + second)
    assert not np.allclose(second, fitted.parts[1].log_density(people.iloc[[0]]))


def test_what_is_drawn_is_truncated(people):
    fitted = sl.NormalRegression("y ~ x", bounds=(-4.0, None)).fit(people, rng=1, **SHORT)
    mean, sigma = (
        fitted.posterior["intercept"][5] + fitted.posterior["slopes"][5, 0] * people["x"],
        fitted.posterior["sigma"][5],
    )
    expected = stats.truncnorm.logpdf(people["y"], (-4.0 - mean) / sigma, np.inf, loc=mean, scale=sigma)
    np.testing.assert_allclose(fitted.log_density(people, as_drawn=True)[5], expected)
    free = MODELS["normal"].fit(people, rng=1, **SHORT)
    np.testing.assert_array_equal(free.log_density(people, as_drawn=True), free.log_density(people))


@pytest.mark.parametrize("model", [
    sl.FiniteMixture("y ~ x", classes=2, bounds=(-5.0, 8.0)), sl.TwoPart("zero ~ x", transform=None, bounds=(None, 12.0)),
])  # fmt: skip
def test_the_truncated_density_integrates_to_one(model, people):
    fitted = model.fit(people, rng=1, **SHORT)
    column = fitted.synthesized[0]
    low, high = (-5.0, 8.0) if column == "y" else (1e-9, 12.0)
    grid = np.linspace(low, high, 2001)
    same = people.iloc[[4] * grid.size].assign(**{column: grid})
    density = np.exp(fitted.log_density(same, as_drawn=True))
    mass = np.trapezoid(density, grid, axis=1)
    if column == "zero":
        # The model of the positive values reaches below 0: that part is drawn too, and is not in the integral.
        nothing = np.exp(fitted.log_density(people.iloc[[4]].assign(zero=0.0)))[:, 0]
        below = np.linspace(-30.0, -1e-9, 4001)
        there = people.iloc[[4] * below.size].assign(zero=below)
        negative = np.trapezoid(np.exp(fitted.log_density(there, as_drawn=True)), below, axis=1)
        np.testing.assert_allclose(mass + nothing + negative, 1.0, atol=1e-4)
        assert (negative > 1e-6).any()
    else:
        np.testing.assert_allclose(mass, 1.0, atol=1e-4)


@pytest.mark.parametrize("model", [
    sl.NormalRegression("e ~ x", transform="log"), sl.FiniteMixture("e ~ x", classes=2, transform="log"),
    sl.TwoPart("e ~ x", transform="log"),
])  # fmt: skip
def test_there_is_no_density_outside_the_domain(model, people):
    amount = np.exp(people["y"])
    e = amount.where(people["zero"] > 0, 0.0) if isinstance(model, sl.TwoPart) else amount
    fitted = model.fit(people.assign(e=e), rng=1, **SHORT)
    guesses = people.iloc[[4, 4]].assign(e=[-5.0, 1.0])
    density = fitted.log_density(guesses)
    assert (density[:, 0] == -np.inf).all()
    assert np.isfinite(density[:, 1]).all()
    at_zero = fitted.log_density(guesses.assign(e=0.0))
    assert np.isfinite(at_zero).all() if isinstance(model, sl.TwoPart) else (at_zero == -np.inf).all()
    with pytest.raises(MissingValueError, match="frame: column 'e' has 1 missing values, which have no density"):
        fitted.log_density(guesses.assign(e=[np.nan, 1.0]))


@pytest.mark.parametrize("transform", ["sqrt", "cube_root"])
@pytest.mark.parametrize("model", [sl.NormalRegression, sl.FiniteMixture])
def test_an_unbounded_density_is_an_error(model, transform, people):
    options = {"classes": 2} if model is sl.FiniteMixture else {}
    fitted = model("e ~ x", transform=transform, **options).fit(people.assign(e=np.exp(people["y"])), rng=1, **SHORT)
    with pytest.raises(InputError, match=f"transform='{transform}': the density of y is unbounded at y = 0"):
        fitted.log_density(people.iloc[[4]].assign(e=0.0))


@pytest.mark.parametrize("model", [
    sl.NormalRegression("y ~ x", bounds=(-5.0, 8.0)), sl.FiniteMixture("y ~ x", classes=2, bounds=(-5.0, 8.0)),
])  # fmt: skip
def test_nothing_is_drawn_beyond_the_bounds(model, people):
    fitted = model.fit(people, rng=1, **SHORT)
    guesses = people.iloc[[4] * 4].assign(y=[-5.001, -5.0, 8.0, 8.001])
    drawn = fitted.log_density(guesses, as_drawn=True)
    assert (drawn[:, [0, 3]] == -np.inf).all()
    assert np.isfinite(drawn[:, [1, 2]]).all()
    assert np.isfinite(fitted.log_density(guesses)).all()


def test_dpmpm_draws_given_what_it_leaves(people):
    fitted = sl.DPMPM(["g", "k"], classes=3, synthesized=["k"]).fit(people, rng=1, **SHORT)
    every = pd.DataFrame({"g": ["a"] * 3, "k": list("uvw")})
    expected = fitted.probability_of(every.iloc[[0]], every[["k"]], draw=4)[0]
    np.testing.assert_allclose(np.exp(fitted.log_density(every, as_drawn=True))[4], expected)


def test_no_density(people):
    with pytest.raises(InputError, match="Resample has no likelihood"):
        sl.Resample(["y"]).fit(people, rng=1).log_density(people)
    limited = sl.Sequential([sl.NormalRegression("y ~ x")], constraints=[sl.Bounds("y", -9.0, 9.0)])
    with pytest.raises(InputError, match="satisfied by rejection"):
        limited.fit(people, rng=1, **SHORT).log_density(people, as_drawn=True)


IMPOSSIBLE = {
    "not counts": [0.5, -0.5, -1.0, -2.5, 2.0**63 + 2048, 1e300, np.inf, -np.inf],
    "neither of two": [0.5, -1.0, 2.0, 1e300, np.inf],
    "no level": ["x", "", "None"],
    "no real number": [np.inf, -np.inf],
}


@pytest.mark.parametrize(
    ("model", "column", "kind"),
    [
        (sl.PoissonRegression("count ~ x"), "count", "not counts"),
        (sl.NegativeBinomial("count ~ x"), "count", "not counts"),
        (sl.LogisticRegression("yes ~ x"), "yes", "neither of two"),
        (sl.LogisticRegression("g ~ x"), "g", "no level"),
        (sl.MultinomialRegression("k ~ x"), "k", "no level"),
        (sl.DirichletMultinomial(["g", "k"]), "k", "no level"),
        (sl.DPMPM(["g", "k"], classes=3), "k", "no level"),
        (sl.DPMPM(["g", "k"], classes=3, synthesized=["k"]), "k", "no level"),
        (sl.NormalRegression("y ~ x"), "y", "no real number"),
        (sl.NormalRegression("y ~ x", transform="asinh"), "y", "no real number"),
        (sl.FiniteMixture("y ~ x", classes=2), "y", "no real number"),
        (sl.TwoPart("zero ~ x"), "zero", "no real number"),
        (
            sl.Sequential([sl.NegativeBinomial("count ~ x"), sl.LogisticRegression("yes ~ count")]),
            "yes",
            "neither of two",
        ),
    ],
    ids=repr,
)
def test_a_value_that_the_model_cannot_take_has_no_density(model, column, kind, people):
    rng = np.random.default_rng(4)
    frame = people.assign(count=rng.poisson(np.exp(people["x"] / 2)), yes=rng.integers(2, size=len(people)))
    frame["g"], frame["k"] = frame["g"].astype(object), frame["k"].astype(object)
    fitted = model.fit(frame, rng=1, **({} if isinstance(model, sl.DirichletMultinomial) else SHORT))
    values = IMPOSSIBLE[kind]
    guesses = frame.iloc[[4] * (len(values) + 1)].reset_index(drop=True)
    guesses[column] = [*values, frame[column].iloc[4]]
    own = fitted.log_likelihood()[:, 4]
    density = fitted.log_density(guesses)
    assert (density[:, :-1] == -np.inf).all()
    np.testing.assert_allclose(density[:, -1], own)
    drawn = fitted.log_density(guesses, as_drawn=True)
    assert (drawn[:, :-1] == -np.inf).all()
    assert np.isfinite(drawn[:, -1]).all()


def test_text_in_a_numeric_column_is_an_error_that_does_not_show_it(people):
    frame = people.assign(count=np.arange(len(people)) % 4)
    models = {
        "y": [sl.NormalRegression("y ~ x"), sl.FiniteMixture("y ~ x", classes=2)],
        "zero": [sl.TwoPart("zero ~ x")],
        "count": [sl.PoissonRegression("count ~ x"), sl.NegativeBinomial("count ~ x")],
    }
    for column, several in models.items():
        for model in several:
            fitted = model.fit(frame, rng=1, **SHORT)
            with pytest.raises(InputError, match=f"frame: column '{column}' must hold numbers") as raised:
                fitted.log_density(frame.iloc[[4, 5]].assign(**{column: "secret"}))
            assert "secret" not in str(raised.value)


def test_a_level_that_only_a_later_model_does_not_know_has_no_density(people):
    first = sl.MultinomialRegression("k ~ x", method="laplace")
    guesses = people.iloc[[4, 5, 6]].assign(k=["z", people["k"][5], "z"])
    for later in (
        sl.NormalRegression("y ~ x + k"),
        sl.DirichletMultinomial(["g"], given=["k"]),
        sl.DPMPM(["g", "k"], classes=3, synthesized=["g"]),
    ):
        fitted = sl.Sequential([first, later]).fit(people, rng=1, **SHORT)
        density = fitted.log_density(guesses)
        assert (density[:, [0, 2]] == -np.inf).all(), later
        np.testing.assert_allclose(density[:, 1], fitted.log_likelihood()[:, 5])
        assert (fitted.log_density(guesses, as_drawn=True)[:, [0, 2]] == -np.inf).all()
    fitted = sl.Sequential([first]).fit(people, rng=1, **SHORT)
    assert (fitted.log_density(guesses)[:, [0, 2]] == -np.inf).all()
    kept = sl.Sequential([sl.NormalRegression("y ~ k")]).fit(people, rng=1, **SHORT)
    with pytest.raises(InputError, match="has levels not seen"):  # k is a predictor, not a value of the model
        kept.log_density(guesses)


def test_minus_infinity_has_a_defined_effect(people):
    """Weights, epsilon and both posterior risks refuse an impossible record or release; a weight of 0 leaves it out."""
    frame = people.assign(count=np.random.default_rng(4).poisson(2.0, len(people)))
    weights = np.ones(len(frame))
    weights[4] = 0.0
    sampler = {"draws": 150, "tune": 60, "chains": 2}
    fitted = sl.PoissonRegression("count ~ x").fit(frame, weights=weights, rng=1, **sampler)
    release = fitted.generate(m=2, rng=1)
    own = fitted.log_likelihood().copy()
    own[:, 3] = -np.inf
    for measure in (sl.lipschitz_weights, sl.achieved_epsilon):
        with pytest.raises(InputError, match=r"1 of 60 records have probability 0 \(minus infinity\)"):
            measure(own, n=60, quantile=0.9)
        one = own.copy()
        one[:, 3], one[7, 3] = -1.0, -np.inf
        assert not measure(one, n=60, quantile=0.9).kept[7]
    own[:, 4] = own[:, 3]
    own[:, 3] = -1.0
    assert np.isfinite(sl.achieved_epsilon(own, weights, n=60, quantile=1.0).lipschitz_bound)
    found = sl.attribute_risk(
        frame, release, fitted=fitted, targets=[4, 5], radius={"count": 2.0}, radius_kind="absolute"
    )
    assert np.isfinite(found.summary().loc["attack"].astype(float)).all()
    wrong = [one.astype({"count": float}) for one in release]
    wrong[1].loc[3, "count"] = 0.5
    with pytest.raises(InputError, match="dataset 2 has density 0"):
        sl.attribute_risk(frame, wrong, fitted=fitted, targets=[1])
    pytest.importorskip("arviz")
    with pytest.raises(InputError, match=r"synthetic dataset 2: has density 0 \(minus infinity\) under every draw"):
        sl.membership_risk(frame, wrong, fitted, targets=[1, 2])


@pytest.mark.parametrize("transform", [None, "asinh"])
def test_a_very_large_value_has_a_density_without_a_warning(transform, people):
    fitted = sl.NormalRegression("y ~ x", transform=transform).fit(people, rng=1, **SHORT)
    assert (fitted.log_density(people.iloc[[4]].assign(y=1e300)) < -1e4).all()


def test_a_record_that_breaks_a_built_in_constraint_has_no_density(people):
    zero, total = sl.ZeroUnless("amount", "g", ["b"]), sl.SumOf("total", ["y", "amount"])
    frame = people.assign(amount=np.where(people["g"] == "b", people["y"] ** 2, 0.0))
    frame["total"] = frame["y"] + frame["amount"]
    models = [sl.NormalRegression("y ~ x"), sl.NormalRegression("amount ~ x")]
    fitted = sl.Sequential(models, constraints=[zero, total]).fit(frame, rng=1, **SHORT)
    own = fitted.log_likelihood()
    assert np.isfinite(own).all()
    apart = frame.assign(total=frame["total"] + (np.arange(len(frame)) == 3))
    density = fitted.log_density(apart)
    assert (density[:, 3] == -np.inf).all()
    np.testing.assert_allclose(np.delete(density, 3, axis=1), np.delete(own, 3, axis=1))
    broken = frame.assign(amount=frame["amount"] + (frame["g"] == "a"), total=frame["total"] + (frame["g"] == "a"))
    density = fitted.log_density(broken)
    np.testing.assert_array_equal(density == -np.inf, np.broadcast_to(frame["g"] == "a", density.shape))
