"""FiniteMixture: a simulated truth, a posterior computed by brute force, both weightings."""

from __future__ import annotations

import warnings
from dataclasses import replace
from itertools import product

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from scipy.special import gammaln

import synthlab as sl
from synthlab.exceptions import ConvergenceWarning, InputError
from synthlab.synthesizers import _gibbs_mixture, _gibbs_steps, _mixture, _nuts_mixture
from synthlab.synthesizers._pymc import Chains
from synthlab.synthesizers.finite_mixture import FiniteMixture

TRUTH = {"pi": (0.6, 0.4), "intercept": (1.0, 6.0), "slope": (1.0, -1.0), "sigma": (0.3, 0.5)}


def crossing_lines(n=500, seed=1):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    z = (rng.random(n) < TRUTH["pi"][1]).astype(int)
    y = (
        np.take(TRUTH["intercept"], z)
        + np.take(TRUTH["slope"], z) * x
        + np.take(TRUTH["sigma"], z) * rng.normal(size=n)
    )
    return pd.DataFrame({"x": x, "y": y})


@pytest.fixture(scope="module")
def survey():
    return crossing_lines()


@pytest.fixture(scope="module")
def gibbs(survey):
    return FiniteMixture("y ~ x", classes=2).fit(survey, rng=1)


@pytest.fixture(scope="module")
def nuts(survey):
    return FiniteMixture("y ~ x", classes=2, weighting="mixture").fit(survey, rng=1)


def by_size(fitted):
    """Mean and sd of each parameter with the components ordered by their weight."""
    posterior = fitted.posterior
    order = np.argsort(-posterior["pi"], axis=1)
    pick = np.arange(len(order))[:, None], order
    values = {"pi": posterior["pi"][pick], "intercept": posterior["intercept"][pick]}
    values |= {"slope": posterior["slopes"][pick][..., 0], "sigma": posterior["sigma"][pick]}
    return {name: (v.mean(axis=0), v.std(axis=0)) for name, v in values.items()}


# Compiling what NUTS samples takes half a minute on a machine that has not done so: its density is tested below.
@pytest.mark.parametrize("which", ["gibbs", pytest.param("nuts", marks=pytest.mark.full)])
def test_finds_the_truth(which, request):
    fitted = request.getfixturevalue(which)
    assert fitted.diagnostics().ok
    for name, (mean, sd) in by_size(fitted).items():
        assert (np.abs(mean - TRUTH[name]) < 3.5 * sd).all(), name
        assert (sd < 0.1).all(), name


def test_nuts_samples_the_density_of_the_mixture(survey, monkeypatch):
    """The model is evaluated, not compiled: its log density is the formula at the parameters that a fit returns."""
    import pymc as pm

    given, rng = {}, np.random.default_rng(4)
    points = {"pi": rng.dirichlet([1, 1], (2, 5)), "u": 5 * rng.normal(size=(2, 5, 2, 2))}
    points |= {"log_sigma": rng.normal(size=(2, 5, 2)), "log_s": rng.normal(size=(2, 5, 2))}

    def sample(kind, build, data, shape, names, options, rng):
        given.update(build=build, data=data, shape=shape)
        return Chains({name: points[name] for name in names}, 0)

    monkeypatch.setattr(_nuts_mixture, "sample", sample)
    some, weights = survey.head(60), np.linspace(0, 2, 60)
    spec = FiniteMixture("y ~ x", classes=2, weighting="mixture", concentration=3.0, prior_units="raw")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        posterior = spec.fit(some, weights=weights, rng=1).posterior
    model = given["build"](pm, given["data"], given["shape"])
    density = model.compile_fn(model.logp(jacobian=False), mode="FAST_COMPILE")
    simplex = model.rvs_to_transforms[model["pi"]]
    ours, formula = [], []
    for draw, place in enumerate(np.ndindex(2, 5)):
        point = {name: points[name][place] for name in ("u", "log_sigma", "log_s")}
        point["pi_simplex__"] = simplex.forward(points["pi"][place]).eval(mode="FAST_COMPILE")
        ours.append(float(density(point)))
        pi, sigma, s = posterior["pi"][draw], posterior["sigma"][draw], np.exp(points["log_s"][place])
        beta = np.column_stack([posterior["intercept"][draw], posterior["slopes"][draw][:, 0]])
        mean = beta[:, 0] + some["x"].to_numpy()[:, None] * beta[:, 1]
        likelihood = weights @ np.log((pi * stats.norm.pdf(some["y"].to_numpy()[:, None], mean, sigma)).sum(axis=1))
        prior = stats.dirichlet.logpdf(pi, [1.5, 1.5]) + stats.norm.logpdf(beta, 0, s).sum()
        prior += sum((stats.t.logpdf(v, 3) + np.log(v)).sum() for v in (sigma, s))  # the logarithms are sampled
        formula.append(likelihood + prior)
    np.testing.assert_allclose(np.diff(ours), np.diff(formula), rtol=1e-9)


@pytest.mark.full
def test_the_weightings_agree_without_weights(survey, nuts):
    """Without weights the target of both samplers is the same if the prior correlations are fixed."""
    gibbs = FiniteMixture("y ~ x", classes=2, correlated=False).fit(survey, rng=2)
    ours, theirs = by_size(gibbs), by_size(nuts)
    for name in ours:
        np.testing.assert_allclose(ours[name][0], theirs[name][0], atol=0.2 * theirs[name][1].max())
        np.testing.assert_allclose(ours[name][1], theirs[name][1], rtol=0.15)
    a, b = gibbs.log_likelihood(), nuts.log_likelihood()
    assert abs(a.sum(axis=1).mean() - b.sum(axis=1).mean()) < 0.4
    # predictive density of every record, averaged over the draws
    np.testing.assert_allclose(np.exp(a).mean(axis=0), np.exp(b).mean(axis=0), rtol=0.1, atol=0.01)


@pytest.mark.full
def test_the_weightings_differ_with_weights_and_nuts_reuses_its_compilation(survey, nuts):
    from synthlab.synthesizers._pymc import compilations

    before = compilations()
    weights = np.where(survey["y"] > 4, 0.2, 1.0)
    mixture = FiniteMixture("y ~ x", classes=2, weighting="mixture").fit(survey, weights=weights, rng=3, draws=500)
    assert compilations() == before
    component = FiniteMixture("y ~ x", classes=2, correlated=False).fit(survey, weights=weights, rng=3)
    # z is not weighted with "component": less precision, the same shares
    np.testing.assert_allclose(by_size(component)["pi"][0], TRUTH["pi"], atol=0.06)
    assert by_size(mixture)["pi"][0][0] > 0.72  # most records of small weight are in the second component
    for fitted in (component, mixture):
        assert abs(by_size(fitted)["slope"][0][1] + 1) < 0.25


def test_many_components_stay_empty(survey):
    fitted = FiniteMixture("y ~ x", classes=10).fit(survey, rng=4)
    assert fitted.occupied_classes()["share of draws"].idxmax() == 2
    assert fitted.occupied_classes()["share of draws"].sum() == pytest.approx(1)
    assert fitted.summary().loc["occupied", "mean"] < 4


def brute_force(y, alpha, concentration, points):
    """Predictive distribution function, K = 2 and no predictor: all 2^n allocations, mu integrated, sigma and s on grids."""
    sigma, s = np.exp(np.linspace(np.log(1e-3), np.log(300), 300)), np.exp(np.linspace(np.log(1e-3), np.log(300), 200))

    def half_t(v):
        return 2 * stats.t.pdf(v, 3) * v  # on the logarithm of v, whose steps are equal

    def one_component(chosen):
        """Marginal density (s,), and predictive distribution (points, s), of a component with these records."""
        w = alpha[chosen].sum()
        mean = (alpha[chosen] * y[chosen]).sum() / w if w else 0.0
        squares = (alpha[chosen] * (y[chosen] - mean) ** 2).sum()
        v, t = sigma[None, :] ** 2, s[:, None] ** 2
        density = np.broadcast_to(half_t(sigma), (s.size, sigma.size)).copy()
        if w:
            density *= (2 * np.pi * v) ** (-w / 2) * np.exp(-squares / (2 * v)) * np.sqrt(2 * np.pi * v / w)
            density *= stats.norm.pdf(mean, 0, np.sqrt(v / w + t))
        precision = w / v + 1 / t
        centre, spread = w * mean / v / precision, np.sqrt(v + 1 / precision)
        below = stats.norm.cdf(points[:, None, None], centre, spread)
        total = density.sum(axis=1)
        return total, (below * density).sum(axis=2) / total

    known = {c: one_component(np.array(c, dtype=bool)) for c in product((0, 1), repeat=y.size)}
    evidence, predictive = 0.0, np.zeros(points.size)
    for first in known:
        second = tuple(1 - c for c in first)
        counts = np.array([sum(first), sum(second)]) + concentration / 2
        weight = half_t(s) * known[first][0] * known[second][0] * np.exp(gammaln(counts).sum())
        share = counts / counts.sum()
        mixed = share[0] * known[first][1] + share[1] * known[second][1]
        evidence += weight.sum()
        predictive += mixed @ weight
    return predictive / evidence


@pytest.mark.parametrize(
    "alpha", [np.ones(6), np.array([1.0, 0.3, 1.0, 0.6, 0.1, 1.0])], ids=["unweighted", "weighted"]
)
def test_equals_a_posterior_computed_by_brute_force(alpha):
    """Six records, two components, no predictor, with the prior of s."""
    y = np.array([-1.2, -0.9, -1.1, 0.8, 1.4, 0.9])
    power = alpha
    points = np.array([-3.0, -2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0, 3.0])
    expected = brute_force(y, power, 2.0, points)
    options = _gibbs_mixture.GibbsOptions(tune=2000, draws=20_000, thin=2)
    rows = _gibbs_mixture.Rows.of(np.ones((6, 1)))
    streams = np.random.default_rng(1).spawn(2)
    draws = _gibbs_mixture.sample_mixture(rows, y, power, 2, 2.0, True, options, streams)
    ours = stats.norm.cdf(points[:, None, None, None], draws["beta"][..., 0], draws["sigma"])
    found = (draws["pi"] * ours).sum(axis=-1).mean(axis=(1, 2))
    np.testing.assert_allclose(found, expected, atol=0.006)


def test_the_prior_of_the_correlations_is_uniform():
    """LKJ(1) of p columns: each correlation is 2 Beta(p/2, p/2) - 1, whatever its place."""
    rng = np.random.default_rng(5)
    p, draws = 5, 6000
    found = np.empty((draws, p, p))
    for d in range(draws):
        factor = _gibbs_steps.cholesky_of(rng.standard_normal((p, p + 1)), True)
        found[d] = factor @ factor.T
    np.testing.assert_allclose(found[:, range(p), range(p)], 1.0, atol=1e-12)
    for i, j in ((1, 0), (4, 0), (4, 3), (2, 1)):
        assert stats.kstest((found[:, i, j] + 1) / 2, stats.beta(p / 2, p / 2).cdf).pvalue > 1e-3


def test_without_data_the_sampler_returns_the_prior():
    """All weights next to 0: sigma and s are half-t(3, 0, 1), pi is Dirichlet, if every step is right."""
    options = _gibbs_mixture.GibbsOptions(tune=500, draws=6000, thin=10)
    rng = np.random.default_rng(2)
    rows = _gibbs_mixture.Rows.of(np.column_stack([np.ones(30), rng.normal(size=(30, 2))]))
    draws = _gibbs_mixture.sample_mixture(
        rows, rng.normal(size=30), np.full(30, 1e-12), 3, 3.0, True, options, rng.spawn(2)
    )
    half_t = stats.t(3).ppf([0.625, 0.75, 0.875, 0.95])
    for name in ("sigma", "spread"):
        shares = [(draws[name] < q).mean() for q in half_t]
        np.testing.assert_allclose(shares, [0.25, 0.5, 0.75, 0.9], atol=0.04)
    shares = [(draws["pi"] < q).mean() for q in stats.beta(1, 2).ppf([0.25, 0.5, 0.75])]
    np.testing.assert_allclose(shares, [0.25, 0.5, 0.75], atol=0.03)


def test_weight_zero_is_a_record_that_is_not_there(survey):
    """Shares aside (a record of weight 0 still has a component), lines and sigma do not know of it."""
    odd = pd.concat([survey, pd.DataFrame({"x": [0.0] * 60, "y": [40.0] * 60})], ignore_index=True)
    weights = np.r_[np.ones(500), np.zeros(60)]
    fitted = FiniteMixture("y ~ x", classes=2).fit(odd, weights=weights, rng=6)
    for name in ("intercept", "slope", "sigma"):
        mean, sd = by_size(fitted)[name]
        assert (np.abs(mean - TRUTH[name]) < 3.5 * sd).all()


def test_generates(gibbs, survey):
    release = gibbs.generate(m=20, rng=1)
    five = gibbs.generate(m=5, rng=1)
    for a, b in zip(five, release, strict=False):
        pd.testing.assert_frame_equal(a, b)
    assert release.synthesized == ("y",)
    assert sl.ecdf_utility(survey, release).summary().loc["y", "ecdf_max"] < 0.06
    again = FiniteMixture("y ~ x", classes=2).fit(survey, rng=1)
    np.testing.assert_array_equal(again.posterior["pi"], gibbs.posterior["pi"])


def test_allocation_by_record_keeps_more_of_the_record(gibbs, survey):
    record = replace(gibbs, specification=replace(gibbs.specification, allocation="record"))

    def correlation(fitted):
        return np.mean([np.corrcoef(survey["y"], frame["y"])[0, 1] for frame in fitted.generate(m=5, rng=1)])

    assert correlation(record) > correlation(gibbs) + 0.2


def test_transform_and_units():
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"g": rng.choice(["a", "b"], 300), "age": rng.integers(18, 80, 300)})
    frame["pay"] = np.exp(8 + 0.02 * frame["age"] + 0.5 * (frame["g"] == "b") + rng.normal(0, 0.2, 300))
    fitted = FiniteMixture("pay ~ C(g) + age", classes=1, transform="log").fit(frame, rng=1)
    posterior = fitted.posterior
    np.testing.assert_allclose(posterior["slopes"][:, 0].mean(axis=0), [0.5, 0.02], rtol=0.1)
    assert posterior["sigma"].mean() == pytest.approx(0.2, abs=0.03)
    mean = fitted.components(7, fitted.design.matrix)[1][:, 0]
    expected = stats.lognorm.logpdf(frame["pay"], posterior["sigma"][7, 0], scale=np.exp(mean))
    np.testing.assert_allclose(fitted.log_likelihood()[7], expected)


@pytest.mark.parametrize(
    ("n", "draws", "m", "tolerance"),
    [(150, 100, 200, 0.0125), pytest.param(500, 200, 400, 0.005, marks=pytest.mark.full)],
)
def test_expected_identification_probability_is_the_limit_of_the_drawn_one(survey, n, draws, m, tolerance):
    frame = survey.head(n).assign(g=lambda f: np.where(f["x"] > 0, "u", "d"))
    fitted = FiniteMixture("y ~ x", classes=2).fit(frame, rng=1)
    question = sl.Intruder(known=["g"], synthesized=["y"], radius={"y": 0.3}, radius_kind="absolute")
    for allocation in ("predictive", "record"):
        one = replace(fitted, specification=replace(fitted.specification, allocation=allocation))
        exact = sl.expected_identification_probability(frame, one, question, draws=draws)
        drawn = sl.identification_probability(frame, one.generate(m=m, rng=2), question)
        error = drawn.per_dataset.std(axis=1, ddof=1) / np.sqrt(m)
        assert np.abs(exact - drawn.record).max() < 5 * error.max()
        assert abs(exact.mean() - drawn.record.mean()) < tolerance
    with pytest.raises(InputError, match="has no predictive_probability"):
        sl.expected_identification_probability(frame, object(), question)
    with pytest.raises(InputError, match="is not the one fitted was fitted to"):
        sl.expected_identification_probability(frame.assign(y=1.0), fitted, question)
    with pytest.raises(InputError, match="must be the one variable"):
        sl.expected_identification_probability(frame, fitted, sl.Intruder(known=["g"], synthesized=["x"], radius=0.1))


def test_says_when_the_chains_disagree(survey):
    with pytest.warns(ConvergenceWarning, match=r"R-hat|effective sample size"):
        fitted = FiniteMixture("y ~ x", classes=2).fit(survey, rng=1, draws=20, tune=1, thin=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        assert not fitted.diagnostics().ok


def test_bad_input(survey):
    with pytest.raises(InputError, match="classes=0"):
        FiniteMixture("y ~ x", classes=0)
    with pytest.raises(InputError, match="weighting='both'"):
        FiniteMixture("y ~ x", weighting="both")
    with pytest.raises(InputError, match=r"correlated=True: requires weighting"):
        FiniteMixture("y ~ x", weighting="mixture", correlated=True)
    with pytest.raises(InputError, match="concentration=0"):
        FiniteMixture("y ~ x", concentration=0)
    with pytest.raises(InputError, match="unknown option 'burn'"):
        FiniteMixture("y ~ x").fit(survey, burn=3)
    with pytest.raises(InputError, match="'target_accept'"):
        FiniteMixture("y ~ x").fit(survey, target_accept=0.9)
    with pytest.raises(InputError, match="'y' is constant"):
        FiniteMixture("y ~ x").fit(survey.assign(y=1.0))
    with pytest.raises(InputError, match="needs values > 0"):
        FiniteMixture("y ~ x", transform="log").fit(survey)


def test_units_keep_dummies_and_standardise_the_rest():
    matrix = np.array([[0.0, 10.0], [1.0, 20.0], [1.0, 60.0]])
    units = _mixture.Units.of(matrix, np.array([1.0, 2.0, 6.0]), None, "y")
    np.testing.assert_array_equal(units.matrix[:, 1], [0, 1, 1])
    assert units.matrix[:, 2].std() == pytest.approx(1)


def test_raw_units_are_those_of_the_data():
    matrix = np.array([[0.0, 10.0], [1.0, 20.0], [1.0, 60.0]])
    units = _mixture.Units.of(matrix, np.array([1.0, 2.0, 6.0]), None, "y", raw=True)
    np.testing.assert_array_equal(units.y, [1, 2, 6])
    np.testing.assert_array_equal(units.matrix, np.column_stack([np.ones(3), matrix]))
    draws = {name: np.ones((1, 1, 2)) for name in ("pi", "sigma")} | {"occupied": np.ones((1, 1))}
    raw = units.raw({**draws, "beta": np.array([[[[5.0, 1.0, 2.0], [0.0, 0.0, 3.0]]]])})
    np.testing.assert_array_equal(raw["intercept"], [[[5, 0]]])
    np.testing.assert_array_equal(raw["slopes"], [[[[1, 2], [0, 3]]]])


def test_classes_without_records_lie_about_0_in_raw_units():
    """The response is 100 with sd 1: in its own units an empty class is near it, in raw units as far from 0 as it is."""
    rng = np.random.default_rng(1)
    survey = pd.DataFrame({"x": rng.normal(size=200), "y": rng.normal(100, 1, 200)})
    found = {}
    for units in ("standard", "raw"):
        spec = FiniteMixture("y ~ x", classes=2, concentration=1e-3, prior_units=units)
        posterior = spec.fit(survey, rng=1, draws=400, tune=400, thin=1).posterior
        empty = posterior["intercept"][np.arange(800), posterior["pi"].argmin(axis=1)]
        found[units] = np.median(np.abs(empty - 100))
    assert found["standard"] < 5
    assert found["raw"] > 30
    with pytest.raises(InputError, match="prior_units"):
        FiniteMixture("y ~ x", prior_units="dollars")


def test_bounds_truncate_what_is_drawn(gibbs, survey):
    low, high = float(survey["y"].min()) - 0.1, float(survey["y"].max()) + 0.1
    bounded = replace(gibbs, specification=replace(gibbs.specification, bounds=(low, high)))
    frames = bounded.generate(m=20, rng=1)
    assert min(f["y"].min() for f in frames) >= low
    assert max(f["y"].max() for f in frames) <= high
    assert max(f["y"].max() for f in gibbs.generate(m=20, rng=1)) > high
    whole = bounded.predictive_probability(3, np.array([-1e9, low]), np.array([1e9, high]), np.arange(10))
    np.testing.assert_allclose(whole, 1.0)
    question = sl.Intruder(known=[], synthesized=["y"], radius={"y": 0.3}, radius_kind="absolute")
    exact = sl.expected_identification_probability(survey, bounded, question, draws=50)
    assert (
        abs(
            exact.mean() - sl.identification_probability(survey, bounded.generate(m=200, rng=3), question).record.mean()
        )
        < 0.005
    )
    with pytest.raises(InputError, match="lie outside"):
        FiniteMixture("y ~ x", bounds=(0.0, 1.0)).fit(survey)


def test_a_whole_number_of_any_size_is_a_concentration(survey):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        one, other = (
            FiniteMixture("y ~ x", classes=2, concentration=c).fit(survey, rng=1, draws=5, tune=5, chains=1)
            for c in (10**30, 1e30)
        )
    np.testing.assert_array_equal(one.posterior["pi"], other.posterior["pi"])


def test_a_value_beyond_the_square_of_every_distance_has_density_zero(gibbs, survey):
    far = survey[:3].assign(y=[1e300, -1e300, 0.0])
    density = gibbs.log_density(far)
    assert (density[:, :2] == -np.inf).all()
    assert np.isfinite(density[:, 2]).all()


@pytest.mark.parametrize("transform", ["sqrt", "cube_root"])
def test_a_value_of_unbounded_density_is_fitted_diagnosed_and_released(transform):
    people = crossing_lines(n=120).abs()
    people.loc[0, "y"] = 0.0
    spec = FiniteMixture("y ~ x", classes=2, transform=transform, allocation="record", bounds=(0.0, 20.0))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        fitted = spec.fit(people, rng=1, draws=30, tune=30, chains=2)
        assert np.isfinite(fitted.diagnostics().summary()["max_rhat"].iloc[0])
    assert fitted.generate(m=1, rng=2)[0]["y"].between(0, 20).all()
    with pytest.raises(InputError, match="unbounded at y = 0"):
        fitted.log_likelihood()
