"""The mechanism over every synthesizer with a likelihood, and what it must refuse."""

from __future__ import annotations

import warnings
from functools import cache

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab.exceptions import ConvergenceWarning, InputError, SynthlabWarning
from synthlab.weights import PseudoPosteriorMechanism, ScalarWeightMechanism, achieved_epsilon, lipschitz_weights

SMALL = {"draws": 60, "tune": 60, "chains": 2}


@pytest.fixture(scope="module")
def survey():
    rng = np.random.default_rng(5)
    n = 120
    region = rng.choice(["n", "s", "w"], n)
    age = rng.integers(20, 80, n)
    income = np.exp(9 + 0.01 * age + rng.normal(0, 0.5, n))
    spent = np.where(rng.random(n) < 0.4, 0.0, income * rng.beta(2, 8, n))
    frame = pd.DataFrame({"region": region, "age": age, "income": income, "spent": spent})
    frame["works"] = rng.random(n) < 0.6
    frame["cars"] = rng.poisson(1.5, n)
    frame["trips"] = rng.negative_binomial(3, 0.2, n)
    return frame


SYNTHESIZERS = {
    "normal": lambda: sl.NormalRegression("income ~ age", transform="log"),
    "logistic": lambda: sl.LogisticRegression("works ~ age"),
    "poisson": lambda: sl.PoissonRegression("cars ~ age"),
    "negative binomial": lambda: sl.NegativeBinomial("trips ~ age"),
    "multinomial": lambda: sl.MultinomialRegression("region ~ age"),
    "dirichlet": lambda: sl.DirichletMultinomial(["region"], given=["works"]),
    "dpmpm": lambda: sl.DPMPM(["region", "works"], classes=5),
    "two part": lambda: sl.TwoPart("spent ~ age"),
    "mixture, component": lambda: sl.FiniteMixture("income ~ age", classes=3, transform="log"),
    "mixture, mixture": lambda: sl.FiniteMixture("income ~ age", classes=2, transform="log", weighting="mixture"),
    "sequential": lambda: sl.Sequential(
        [sl.DirichletMultinomial(["region"]), sl.DirichletMultinomial(["works"], given=["region"])]
    ),
}


COMPILED = ("normal", "logistic", "poisson", "negative binomial", "multinomial", "two part", "mixture, mixture")
# Compiling a model takes seconds.
NAMES = [pytest.param(name, marks=pytest.mark.full) if name in COMPILED else name for name in SYNTHESIZERS]


@pytest.fixture(scope="module")
def fits(survey):
    """Fit a mechanism once, when it is asked for."""

    @cache
    def fit(name):
        mechanism = PseudoPosteriorMechanism(synthesizer=SYNTHESIZERS[name](), scale=0.9, shift=0.05, quantile=0.9)
        with warnings.catch_warnings():  # chains this short have not converged, which is not the point
            warnings.simplefilter("ignore", SynthlabWarning)
            return mechanism.fit(survey, rng=1, **SMALL)

    return fit


@pytest.mark.parametrize("name", NAMES)
def test_every_synthesizer_with_a_likelihood(fits, survey, name):
    fitted = fits(name)
    spent = fitted.accounting
    assert 0 < spent.lipschitz_bound < fitted.weights.lipschitz_bound
    assert spent.n_kept < spent.kept.size == 120
    assert fitted.fitted.n_draws == spent.n_kept
    # The bound is that of what the kept draws can do.
    contributions = np.abs(fitted.fitted.pseudo_log_likelihood())
    assert contributions.shape == (spent.n_kept, len(survey))
    assert contributions.max() == pytest.approx(spent.lipschitz_bound, rel=1e-12)
    np.testing.assert_array_equal(fitted.record_weights, fitted.weights.weights)
    assert fitted.log_likelihood().shape == contributions.shape
    release = fitted.generate(m=3, rng=2)
    assert release.provenance["epsilon_per_draw"] == 2 * spent.lipschitz_bound
    assert release.provenance["epsilon_total"] == 6 * spent.lipschitz_bound
    assert release.provenance["weighted"] is True
    assert set(release.synthesized) == set(fitted.synthesized)


@pytest.mark.parametrize("name", NAMES)
def test_dropped_draws_are_gone(fits, name):
    fitted = fits(name)
    kept = fitted.fitted.n_draws
    assert max(fitted.generate(m=kept, rng=3).private["draws_used"]) == kept - 1
    with pytest.raises(InputError, match=f"m={kept + 1}: there are {kept} posterior draws"):
        fitted.generate(m=kept + 1, rng=3)
    with pytest.raises(IndexError):
        fitted.fitted.draw(fitted.fitted.confidential, kept, np.random.default_rng(1))


@pytest.mark.parametrize("name", ["dirichlet", *(pytest.param(n, marks=pytest.mark.full) for n in COMPILED)])
def test_weight_times_log_likelihood_where_that_is_what_the_fit_raised(fits, name):
    fitted = fits(name).fitted
    np.testing.assert_allclose(fitted.pseudo_log_likelihood(), fitted.weights * fitted.log_likelihood(), rtol=1e-12)


def test_component_weighting_adds_what_it_raises(fits):
    """The log of the mixture of the component densities to the power, by hand for one draw."""
    fitted = fits("mixture, component").fitted
    draw, w = 7, fitted.weights
    pi, mean, sigma = fitted.components(draw, fitted.design.matrix)
    y = fitted.confidential["income"].to_numpy()
    density = np.exp(-0.5 * ((np.log(y)[:, None] - mean) / sigma) ** 2) / sigma / np.sqrt(2 * np.pi) / y[:, None]
    by_hand = np.log((pi * density ** w[:, None]).sum(axis=1))
    np.testing.assert_allclose(fitted.pseudo_log_likelihood()[draw], by_hand, rtol=1e-10)
    # Jensen: the mixture of the powers is below the power of the mixture
    assert (by_hand <= w * fitted.log_likelihood()[draw] + 1e-12).all()


def test_dpmpm_adds_what_it_raises(fits):
    fitted = fits("dpmpm").fitted
    pi, psi = fitted.parameters(4)
    codes = [fitted.first[j] + v.codes(fitted.confidential) for j, v in enumerate(fitted.levels)]
    density = psi[codes[0]] * psi[codes[1]]
    by_hand = np.log((pi * density ** fitted.weights[:, None]).sum(axis=1))
    np.testing.assert_allclose(fitted.pseudo_log_likelihood()[4], by_hand, rtol=1e-10)


def test_the_steps_by_hand(survey):
    """Dirichlet-multinomial draws are exact, so the mechanism can be repeated step by step with its own streams."""
    synthesizer = sl.DirichletMultinomial(["region"], given=["works"])
    fitted = PseudoPosteriorMechanism(synthesizer=synthesizer, scale=0.7, quantile=0.9).fit(survey, rng=3, **SMALL)
    first, second = np.random.default_rng(3).spawn(2)
    plain = synthesizer.fit(survey, rng=first, **SMALL)
    weights = lipschitz_weights(plain.log_likelihood(), n=len(plain.confidential), quantile=0.9, scale=0.7)
    refit = synthesizer.fit(survey, weights=weights.weights, rng=second, **SMALL)
    spent = achieved_epsilon(refit.log_likelihood(), weights.weights, quantile=0.9)
    np.testing.assert_array_equal(fitted.record_weights, weights.weights)
    np.testing.assert_array_equal(fitted.accounting.kept, spent.kept)
    assert fitted.accounting.lipschitz_bound == pytest.approx(spent.lipschitz_bound, rel=1e-12)
    np.testing.assert_array_equal(fitted.fitted.posterior["theta"], refit.posterior["theta"][spent.kept])


def test_the_unweighted_fit_can_be_shared(survey):
    synthesizer = sl.DirichletMultinomial(["region"])
    plain = synthesizer.fit(survey, rng=1, **SMALL)
    mechanism = PseudoPosteriorMechanism(synthesizer=synthesizer, scale=0.5, quantile=0.9)
    fitted = mechanism.fit(survey, rng=2, unweighted=plain, **SMALL)
    assert (
        fitted.weights.lipschitz_bound
        == lipschitz_weights(plain.log_likelihood(), n=len(plain.confidential), quantile=0.9).lipschitz_bound
    )
    weighted = synthesizer.fit(survey, weights=np.full(120, 0.5), rng=1, **SMALL)
    for each in (mechanism, ScalarWeightMechanism(synthesizer=synthesizer, lipschitz_bound=1.0, quantile=0.9)):
        with pytest.raises(InputError, match="unweighted: was fitted with weights"):
            each.fit(survey, unweighted=weighted, **SMALL)
        other = sl.DirichletMultinomial(["region"], given=["works"]).fit(survey, rng=1, **SMALL)
        with pytest.raises(InputError, match=r"unweighted: is a fit of DirichletMultinomial\(.*'works'.*, not of"):
            each.fit(survey, unweighted=other, **SMALL)
        with pytest.raises(InputError, match="unweighted: is a fit of 'object', not of"):
            each.fit(survey, unweighted=object(), **SMALL)
        with pytest.raises(
            InputError, match="confidential: its column 'region' is not the one unweighted was fitted to"
        ):
            each.fit(survey.iloc[::-1], unweighted=plain, **SMALL)


def test_less_scale_costs_less(survey):
    synthesizer = sl.DirichletMultinomial(["region"], given=["works"])
    bounds = [
        PseudoPosteriorMechanism(synthesizer=synthesizer, scale=c, shift=g, quantile=0.9)
        .fit(survey, rng=1, draws=1000)
        .accounting.lipschitz_bound
        for c, g in ((1.0, 0.0), (0.7, 0.0), (0.5, 0.0), (0.5, -0.1))
    ]
    assert (np.diff(bounds) < 0).all()


@pytest.mark.parametrize(
    "synthesizer",
    [
        sl.FiniteMixture("income ~ age", classes=2, transform="log", allocation="record"),
        sl.DPMPM(["region", "works"], classes=5, membership="record"),
    ],
)
@pytest.mark.filterwarnings("ignore::synthlab.exceptions.SynthlabWarning")
def test_a_record_drawn_from_its_own_value_is_refused(survey, synthesizer):
    mechanism = PseudoPosteriorMechanism(synthesizer=synthesizer, quantile=0.9)
    with pytest.raises(InputError, match="given their own confidential values"):
        mechanism.fit(survey, rng=1, **SMALL)


@pytest.mark.parametrize(
    "synthesizer", [sl.CART(["income"]), sl.Topcoding("income", top_share=0.1), sl.Resample(["income"])]
)
def test_a_method_without_likelihood_is_refused(survey, synthesizer):
    with pytest.raises(InputError, match="has no likelihood"):
        PseudoPosteriorMechanism(synthesizer=synthesizer, quantile=0.9).fit(survey, rng=1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"synthesizer": sl.NormalRegression}, "must be the specification of a synthesizer"),
        ({"synthesizer": 3}, "synthesizer=3"),
        ({"scale": -1.0}, "scale=-1.0"),
        ({"shift": "a"}, "shift='a'"),
        ({"quantile": 0.0}, "quantile=0.0"),
        ({"mapping": "other"}, "mapping='other'"),
    ],
)
def test_bad_arguments(options, message):
    with pytest.raises(InputError, match=message):
        PseudoPosteriorMechanism(**{"synthesizer": sl.DirichletMultinomial(["region"]), "quantile": 0.9, **options})


def test_weights_of_the_caller_are_refused(survey):
    mechanism = PseudoPosteriorMechanism(synthesizer=sl.DirichletMultinomial(["region"]), quantile=0.9)
    with pytest.raises(InputError, match="computes the record weights itself"):
        mechanism.fit(survey, weights=np.ones(120))


@pytest.mark.filterwarnings("ignore::synthlab.exceptions.SynthlabWarning")
def test_a_bound_near_the_largest_float_is_a_bound(survey):
    model = sl.DirichletMultinomial(["region"], given=["works"])
    mechanism = ScalarWeightMechanism(synthesizer=model, lipschitz_bound=1e308, quantile=0.9, max_fits=2)
    assert mechanism.fit(survey, rng=2, draws=50).matched.tried["weight"].iloc[0] == 1.0


def test_a_scalar_weight_at_an_equal_bound(survey):
    synthesizer = sl.DirichletMultinomial(["region"], given=["works"])
    plain = synthesizer.fit(survey, rng=1, draws=500)
    fitted = ScalarWeightMechanism(synthesizer=synthesizer, lipschitz_bound=1.0, quantile=0.9).fit(
        survey, rng=2, unweighted=plain, draws=500
    )
    assert fitted.accounting.lipschitz_bound == pytest.approx(1.0, rel=0.01)
    assert np.ptp(fitted.record_weights) == 0
    assert fitted.record_weights[0] == fitted.matched.weight
    # The formula's weight spreads the posterior and misses its own target.
    first = fitted.matched.tried.iloc[0]
    assert first["weight"] == pytest.approx(
        1.0 / lipschitz_weights(plain.log_likelihood(), n=len(plain.confidential), quantile=0.9).lipschitz_bound
    )
    assert first["lipschitz_bound"] > 1.0


def test_the_formula_alone(survey):
    synthesizer = sl.DirichletMultinomial(["region"], given=["works"])
    mechanism = ScalarWeightMechanism(synthesizer=synthesizer, lipschitz_bound=1.0, quantile=0.9, max_fits=1)
    with pytest.warns(ConvergenceWarning, match="the closest of 1 refits"):
        fitted = mechanism.fit(survey, rng=2, draws=500)
    assert fitted.accounting.lipschitz_bound == fitted.matched.tried["lipschitz_bound"].iloc[0]
