"""The strict guarantee: on a grid of parameters the posterior of every neighbor is compared with that of the file."""

from __future__ import annotations

import warnings
from functools import cache

import numpy as np
import pandas as pd
import pytest
from scipy.stats import nbinom, norm

import synthlab as sl
from synthlab import dp
from synthlab.exceptions import ConvergenceWarning, InputError, MissingValueError
from synthlab.synthesizers._clipped_likelihood import Clipped
from synthlab.weights import ClippedEpsilon, PseudoPosteriorMechanism, lipschitz_weights
from tests.loops import every

# Chains this short have not converged, which is not the point.
pytestmark = pytest.mark.filterwarnings("ignore::synthlab.exceptions.ConvergenceWarning")
SHORT = {"draws": 100, "tune": 300, "chains": 2, "thin": 2}


# --- exact posteriors on a grid -------------------------------------------------------------------------------------


class Grid:
    """A model whose parameters are the points of a grid, so that its posteriors are exact."""

    def __init__(self, density, points, log_prior, signed):
        self.density, self.points, self.signed = density, points, signed
        self.log_prior = log_prior

    def log_likelihood(self, y):
        return self.density(np.asarray(y, dtype=float)[None, :], *(axis[:, None] for axis in self.points))

    def posterior(self, y, bound, weighting):
        """The log probabilities of the points."""
        log = self.log_likelihood(y)
        alpha = weighting(self, log, y)
        how = Clipped(bound, self.signed, 0.0, ())
        value = self.log_prior + how.contributions(log, alpha).sum(axis=1)
        value = value - value.max()
        return value - np.log(np.exp(value).sum())


def normal_grid():
    mu, log_sd = np.meshgrid(np.linspace(-6, 12, 61), np.linspace(-1.5, 2.2, 31))
    mu, sd = mu.ravel(), np.exp(log_sd.ravel())
    return Grid(norm.logpdf, (mu, sd), norm.logpdf(mu, 0, 5), signed=True)


def counts_grid():
    mu, phi = (axis.ravel() for axis in np.meshgrid(np.linspace(0.5, 12, 40), np.geomspace(0.3, 30, 20)))
    return Grid(lambda y, mu, phi: nbinom.logpmf(y, phi, phi / (phi + mu)), (mu, phi), -np.log(mu), signed=False)


def ones(grid, log, y):
    return np.ones(len(y))


def own(grid, log, y):
    """A function of the record alone, with constants fixed in advance."""
    return np.clip(1.2 - np.abs(np.asarray(y)) / 10, 0, 1)


def range_weights(grid, log, y):
    """The weights of the paper, from the draws that the unweighted posterior of this file supports."""
    value = log.sum(axis=1) + grid.log_prior
    return lipschitz_weights(log[value > value.max() - 6], n=len(y), quantile=1.0).weights


def worst(grid, y, bound, weighting, others, adjacency):
    """The largest absolute log ratio over all neighbors: one left out, or one replaced by any of the others."""
    whole = grid.posterior(y, bound, weighting)
    rest = [np.delete(y, i) for i in range(len(y))]
    neighbors = rest if adjacency == "add-remove" else [np.append(r, value) for r in rest for value in others]
    return max(float(np.abs(whole - grid.posterior(near, bound, weighting)).max()) for near in neighbors)


SMALL_FILES = {
    "normal": (normal_grid, np.append(np.random.default_rng(1).normal(0, 1, 25), 6.3), [-4.0, 0.0, 3.0, 11.0]),
    "counts": (counts_grid, np.append(np.random.default_rng(2).poisson(4, 25), 30), [0, 4, 9, 60]),
}


def widths(grid, epsilon):
    """What is claimed for leave-one-out and for replacement."""
    bound = epsilon / 2
    width = 2 * bound if grid.signed else bound
    return {"add-remove": width, "replace": 2 * width}


@every("weighting", [ones, own])
@every("epsilon", [0.5, 2.0, 4.0, 8.0])
@every("model", SMALL_FILES)
def test_no_neighbor_is_further_than_claimed(model, epsilon, weighting):
    make, y, others = SMALL_FILES[model]
    grid = make()
    for adjacency, claimed in widths(grid, epsilon).items():
        assert worst(grid, y, epsilon / 2, weighting, others, adjacency) <= claimed + 1e-9


@pytest.mark.parametrize("epsilon", [4.0, 8.0])
def test_weights_mapped_over_the_file_break_the_claim(epsilon):
    """One income far out sets the largest bound of the file: without it, all weights are others."""
    y = np.append(np.random.default_rng(1).normal(0, 1, 60), 8.0)
    assert worst(normal_grid(), y, epsilon / 2, ones, (), "add-remove") <= epsilon
    assert worst(normal_grid(), y, epsilon / 2, range_weights, (), "add-remove") > 1.2 * epsilon


def test_replacing_a_record_can_cost_more_than_leaving_one_out():
    """So epsilon = 2 M is not the epsilon of replacement for densities: 4 M is."""
    points = np.array([-1.0, 1.0]), np.full(2, 0.01)
    grid = Grid(norm.logpdf, points, np.zeros(2), signed=True)
    assert 7.0 < worst(grid, np.array([-1.0] * 3), 2.0, ones, [1.0], "replace") <= 8.0
    assert worst(grid, np.array([-1.0] * 5), 2.0, ones, (), "add-remove") <= 4.0


def test_the_claims_are_reached_in_the_limit():
    """Many alike records put all mass where the one that leaves is least likely: its log ratio nears the width."""
    grid = Grid(norm.logpdf, (np.array([-1.0, 1.0]), np.full(2, 0.01)), np.zeros(2), signed=True)
    y = np.append(np.full(5, -1.0), 1.0)
    assert worst(grid, y, 1.0, ones, (), "add-remove") == pytest.approx(2.0, abs=1e-3)
    assert worst(grid, y, 1.0, ones, [-1.0, 1.0], "replace") == pytest.approx(4.0, abs=1e-2)


# --- the audit ------------------------------------------------------------------------------------------------------


class Draws:
    """A mechanism: one exact draw of the posterior on a grid, which differs for two databases."""

    def __init__(self, grid, bound, weighting):
        self.grid, self.bound, self.weighting = grid, bound, weighting
        self.found = {}

    def __call__(self, database, rng):
        key = tuple(database)
        if key not in self.found:
            p = np.exp(self.grid.posterior(np.array(database), self.bound, self.weighting))
            self.found[key] = np.cumsum(p / p.sum())
        return float(np.searchsorted(self.found[key], rng.random()))


def test_the_audit_finds_the_weights_of_the_file_and_passes_the_others():
    mu, sd = np.meshgrid(np.linspace(-2, 4, 25), np.exp(np.linspace(-1, 1.5, 12)))
    grid = Grid(norm.logpdf, (mu.ravel(), sd.ravel()), np.zeros(300), signed=True)
    neighbor = norm.ppf((np.arange(60) + 0.5) / 60).round(2).tolist()
    database = [*neighbor, 9.0]
    for weighting, violated in ((ones, False), (own, False), (range_weights, True)):
        mechanism = Draws(grid, 2.0, weighting)
        found = dp.audit_epsilon(mechanism, database, neighbor, epsilon=4.0, runs=20_000, level=0.999, rng=3)
        assert found.violated is violated, found


class Walk:
    """A mechanism: one draw of a fit, of the mean of a normal."""

    def __init__(self, mechanism, *databases):
        self.drawn = {}
        for database in databases:
            fitted = mechanism.fit(pd.DataFrame({"y": database}), rng=1, draws=2000)
            self.drawn[len(database)] = fitted.fitted.posterior["intercept"]

    def __call__(self, database, rng):
        drawn = self.drawn[len(database)]
        return float(drawn[rng.integers(drawn.size)])


def test_the_audit_attacks_the_walk():
    """The draws of the fits to two neighbors, one of whom is far out, are the runs of the mechanism."""
    neighbor = [-1.3, -0.5, 0.0, 0.5, 1.3]
    database = [*neighbor, 2.5]
    walk = Walk(PseudoPosteriorMechanism(synthesizer=sl.NormalRegression("y ~ 1"), clip=4.0), database, neighbor)
    found = dp.audit_epsilon(walk, database, neighbor, epsilon=4.0, runs=8000, level=0.99, rng=1)
    assert not found.violated
    assert found.epsilon_lower > 0.2  # the person is seen, and by no more than was promised


# --- the fits -------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(5)
    n = 120
    age = rng.integers(20, 80, n)
    frame = pd.DataFrame({"age": age, "income": np.exp(9 + 0.02 * age + rng.normal(0, 0.4, n))})
    frame["region"] = rng.choice(["n", "s"], n)
    frame["works"] = rng.random(n) < 0.6
    frame["cars"] = rng.poisson(1.5, n)
    frame["trips"] = rng.negative_binomial(3, 0.4, n)
    return frame


MODELS = {
    "normal": (sl.NormalRegression("income ~ age", transform="log"), {"age": (50, 20), "income": (10, 0.5)}, True),
    "counts": (sl.NegativeBinomial("trips ~ 1"), None, False),
    "poisson": (sl.PoissonRegression("cars ~ age"), {"age": (50, 20)}, False),
    "logistic": (sl.LogisticRegression("works ~ 1"), None, False),
}


@pytest.fixture(scope="module")
def fits(people):
    @cache
    def fit(name, record_weight=None):
        model, units, _ = MODELS[name]
        mechanism = PseudoPosteriorMechanism(
            synthesizer=model, clip=6.0, units=units, record_weight=record_weight, quantile=0.9
        )
        with warnings.catch_warnings():  # the filter of the module is not that of a fixture
            warnings.simplefilter("ignore", ConvergenceWarning)
            return mechanism.fit(people, rng=1, **SHORT)

    return fit


@pytest.mark.parametrize("name", MODELS)
def test_the_account_of_a_strict_fit(fits, people, name):
    fitted, signed = fits(name), MODELS[name][2]
    spent = fitted.accounting
    assert isinstance(spent, ClippedEpsilon)
    assert spent.strict
    assert spent.guarantee.startswith("Strict: the guarantee holds for all databases")
    assert "the error of a Markov chain adds an unknown amount" in spent.guarantee
    assert spent.signed is signed
    assert (spent.lipschitz_bound, spent.epsilon_per_draw, spent.epsilon_replace) == (
        (3.0, 6.0, 12.0) if signed else (3.0, 3.0, 6.0)
    )
    assert spent.kept.all()
    assert spent.sensitivity.max() <= 3.0
    assert fitted.weights is None
    np.testing.assert_array_equal(fitted.record_weights, np.ones(len(people)))
    release = fitted.generate(m=3, rng=1)
    assert release.provenance["epsilon_total"] == 3 * spent.epsilon_per_draw
    assert release.provenance["epsilon_total_replace"] == 3 * spent.epsilon_replace
    assert release.provenance["strict"] is True
    assert "Strict" in str(fitted)
    assert fitted.to_frame().columns.tolist() == ["weight", "sensitivity"]
    assert fitted.summary().loc["strict", "value"] == 1.0


@pytest.mark.parametrize("name", ["normal", "counts"])
def test_weights_from_the_bounds_make_it_local_again(fits, name):
    fitted = fits(name, "lipschitz")
    assert not fitted.accounting.strict
    assert fitted.accounting.guarantee.startswith("Local: ")
    assert "the smallest and the largest bound in the file" in fitted.accounting.guarantee
    assert fitted.generate(m=1, rng=1).provenance["strict"] is False
    assert np.ptp(fitted.record_weights) > 0.5
    np.testing.assert_array_equal(fitted.record_weights, fitted.weights.weights)
    assert fitted.to_frame().columns[0] == "unweighted_sensitivity"


def test_a_weight_that_is_a_function_of_the_record_stays_strict(people):
    seen = []

    def weight(record):
        seen.append(record)
        return 1.0 if record["trips"] < 10 else 0.5

    mechanism = PseudoPosteriorMechanism(synthesizer=MODELS["counts"][0], clip=6.0, record_weight=weight)
    fitted = mechanism.fit(people, rng=1, **SHORT)
    assert fitted.accounting.strict
    assert all(isinstance(record, pd.Series) and record.size == people.shape[1] for record in seen)
    assert {record.name for record in seen} == {None}  # nor where in the file it is
    np.testing.assert_array_equal(fitted.record_weights, np.where(people["trips"] < 10, 1.0, 0.5))
    by_hand = np.clip(fitted.record_weights * fitted.log_likelihood(), -3, 3)
    np.testing.assert_allclose(fitted.fitted.pseudo_log_likelihood(), by_hand, rtol=1e-12)


@pytest.mark.parametrize(
    ("synthesizer", "reason"),
    [
        (sl.PoissonRegression("cars ~ region"), "the categories of the predictors are read from the file"),
        (sl.PoissonRegression("cars ~ scale(age)"), "the formula has functions that depend on all records"),
        (sl.PoissonRegression("cars ~ bs(age, df=4)"), "the formula has functions that depend on all records"),
        (sl.LogisticRegression("region ~ 1"), "the two values of the response are read from the file"),
        (sl.LogisticRegression("three ~ 1"), "the two values of the response are read from the file"),
    ],
)
def test_a_model_that_changes_with_the_records_is_local(people, synthesizer, reason):
    people = people.assign(
        three=pd.Categorical(people["region"], categories=["n", "s", "w"])
    )  # who says "w" changes the two
    spent = PseudoPosteriorMechanism(synthesizer=synthesizer, clip=6.0).fit(people, rng=1, **SHORT).accounting
    assert spent.reasons == (reason,)
    assert reason in spent.guarantee


def test_two_declared_categories_are_no_secret(people):
    frame = people.assign(region=people["region"].astype("category"))
    mechanism = PseudoPosteriorMechanism(synthesizer=sl.LogisticRegression("region ~ 1"), clip=6.0)
    assert mechanism.fit(frame, rng=1, **SHORT).accounting.strict


def test_a_predictor_beyond_all_floats_makes_no_parameter_impossible():
    """Infinity less its exponential is no number; were it left so, one record would rule out every slope above 0."""
    four = pd.DataFrame({"y": [0, 1, 2, 0], "x": [1e-156, -3e-156, 5e-156, 2e-156]})
    five = pd.concat([four, pd.DataFrame({"y": [1], "x": [9e153]})], ignore_index=True)
    fitted = []
    for frame in (four, five):
        mechanism = PseudoPosteriorMechanism(
            synthesizer=sl.PoissonRegression("y ~ x"), clip=0.2, units={"x": (0, 1e-155)}
        )
        with np.errstate(all="ignore"):
            fitted.append(mechanism.fit(frame, rng=1, draws=1000, tune=1000, chains=2))
    slopes = [one.fitted.posterior["slopes"][:, 0] * 1e-155 for one in fitted]
    shares = [np.mean(slope > 1) for slope in slopes]
    assert fitted[1].accounting.strict
    assert shares[0] > 0.15
    assert abs(np.log(shares[1] / shares[0])) < 0.1 + 0.5  # the promise of leave-one-out, and the error of the shares
    assert np.isfinite(fitted[1].accounting.sensitivity).all()


def test_what_is_no_number_adds_the_least():
    how = Clipped(2.0, True, 0.0, ())
    values = np.array([[np.nan, -np.inf, np.inf, 1.0]])
    assert how.contributions(values, None).tolist() == [[-2.0, -2.0, 2.0, 1.0]]
    assert how.contributions(values, np.array([0.0, 0.0, 0.5, 0.5])).tolist() == [[0.0, 0.0, 2.0, 0.5]]


def exact(model, log_likelihood, log_prior, bound):
    value = log_prior + np.clip(log_likelihood, -bound, bound).sum(axis=1)
    p = np.exp(value - value.max())
    return p / p.sum()


@pytest.mark.parametrize("bound", [1.5, 3.0, 50.0])
def test_the_walk_samples_the_clipped_posterior_of_a_density(people, bound):
    """Against quadrature, for mean and sigma of log income in declared units."""
    model = sl.NormalRegression("income ~ 1", transform="log")
    fitted = model.fit_clipped(people, bound=bound, units={"income": (10, 0.5)}, rng=1, draws=1500)
    z = (np.log(people["income"].to_numpy()) - 10) / 0.5
    mean, log_sigma = (a.ravel() for a in np.meshgrid(np.linspace(-2, 2, 241), np.linspace(-1.8, 1.2, 181)))
    log = norm.logpdf(z[None], mean[:, None], np.exp(log_sigma)[:, None])
    p = exact(model, log, norm.logpdf(mean, 0, 5) + log_sigma - np.exp(log_sigma), bound)
    for drawn, grid in (
        ((fitted.posterior["intercept"] - 10) / 0.5, mean),
        (np.log(fitted.posterior["sigma"] / 0.5), log_sigma),
    ):
        centre = p @ grid
        spread = np.sqrt(p @ (grid - centre) ** 2)
        assert abs(drawn.mean() - centre) < 0.15 * spread
        assert drawn.std() == pytest.approx(spread, rel=0.1)


@pytest.mark.parametrize("bound", [2.5, 50.0])
def test_the_walk_samples_the_clipped_posterior_of_a_count(people, bound):
    model = sl.PoissonRegression("cars ~ 1")
    fitted = model.fit_clipped(people, bound=bound, rng=2, draws=1500)
    eta = np.linspace(-3, 3, 2001)
    from scipy.stats import poisson

    log = poisson.logpmf(people["cars"].to_numpy()[None], np.exp(eta)[:, None])
    p = exact(model, log, norm.logpdf(eta, 0, 5), bound)
    centre = p @ eta
    spread = np.sqrt(p @ (eta - centre) ** 2)
    assert abs(fitted.posterior["intercept"].mean() - centre) < 0.15 * spread
    assert fitted.posterior["intercept"].std() == pytest.approx(spread, rel=0.1)


def test_a_clip_far_out_leaves_the_posterior_alone(people):
    """The walk without a clip and NUTS agree, where the prior of the class is free of the file."""
    walk = sl.NegativeBinomial("trips ~ 1").fit_clipped(people, bound=None, rng=1, draws=1500)
    grid = [a.ravel() for a in np.meshgrid(np.linspace(0.5, 2.6, 161), np.linspace(-1.5, 5, 161))]
    y, phi = people["trips"].to_numpy(), np.exp(grid[1])
    log = nbinom.logpmf(y[None], phi[:, None], (phi / (phi + np.exp(grid[0])))[:, None]).sum(axis=1)
    scale = np.exp(np.linspace(-6, 8, 400))[:, None]
    step = -np.log(scale) - 0.5 * (grid[0] / scale) ** 2 + np.log(scale) - 2 * np.log1p(scale**2 / 3)
    prior = np.log(np.exp(step).sum(axis=0)) - grid[1] - np.log1p(np.exp(-2 * grid[1]) / 25)
    p = np.exp(log + prior - (log + prior).max())
    p /= p.sum()
    assert walk.posterior["intercept"].mean() == pytest.approx(p @ grid[0], abs=0.02)
    assert np.log(walk.posterior["phi"]).mean() == pytest.approx(p @ grid[1], abs=0.05)


def test_equal_records_and_their_order_do_not_matter(people):
    model = sl.NegativeBinomial("trips ~ 1")
    one, other = (model.fit_clipped(f, bound=3.0, rng=1, **SHORT) for f in (people, people.iloc[::-1]))
    np.testing.assert_allclose(one.posterior["phi"], other.posterior["phi"], rtol=1e-6)


# --- what is refused ------------------------------------------------------------------------------------------------


@every("epsilon", [0, 0.0, -1.0, np.inf, -np.inf, np.nan, 1e308, 5e-324, "4", True, [4.0]])
def test_an_epsilon_that_is_none_is_refused(epsilon):
    with pytest.raises(InputError, match=r"^clip="):
        PseudoPosteriorMechanism(synthesizer=MODELS["counts"][0], clip=epsilon)


def test_a_clip_that_keeps_nothing_is_refused(people):
    mechanism = PseudoPosteriorMechanism(synthesizer=sl.NormalRegression("income ~ 1"), clip=2.0)
    with pytest.raises(InputError, match=r"^clip=2: under every draw"):
        mechanism.fit(people, rng=1, **SHORT)


@every(
    ("options", "message"),
    [
        ({"clip": None, "units": {}}, "units: requires .clip."),
        ({"clip": None, "record_weight": "lipschitz"}, "record_weight: requires .clip."),
        ({"reweight": 0.9}, "reweight: does not apply with clip"),
        ({"record_weight": "other"}, "record_weight='other': must be None, a function of one record, or 'lipschitz'"),
        ({"record_weight": np.ones(2)}, "record_weight=.*: must be None, a function of one record, or 'lipschitz'"),
        ({"record_weight": pd.DataFrame({"a": [0.5, 1.0]}), "quantile": None}, "record_weight=.*: must be None"),
        ({"record_weight": "lipschitz", "quantile": None}, "quantile=None: required if .* clip"),
        ({"clip": None, "quantile": None}, "quantile=None: required if .* clip"),
        ({"units": [1]}, "units"),
    ],
)
def test_arguments_that_do_not_go_together(options, message):
    with pytest.raises(InputError, match=message):
        PseudoPosteriorMechanism(**{"synthesizer": MODELS["counts"][0], "clip": 4.0, "quantile": 0.9, **options})


@pytest.mark.parametrize(
    ("units", "message"),
    [
        ({"region": (0, 1)}, r"units: 'region' has no unit; allowed are 'income', 'age'"),
        ({"age": (0, 0)}, r"units\['age'\]: must be a pair"),
        ({"age": (0, -1)}, r"units\['age'\]: must be a pair"),
        ({"age": (0, 1, 2)}, r"units\['age'\]: must be a pair"),
        ({"age": (0, np.inf)}, r"units\['age'\]: must be a vector of finite numbers"),
    ],
)
def test_units_that_are_none(people, units, message):
    with pytest.raises(InputError, match=message):
        MODELS["normal"][0].fit_clipped(people, bound=2.0, units=units, **SHORT)


@pytest.mark.parametrize("value", [-0.1, 1.1, np.nan, "a"])
def test_weights_of_a_function_that_are_none(people, value):
    mechanism = PseudoPosteriorMechanism(synthesizer=MODELS["counts"][0], clip=4.0, record_weight=lambda record: value)
    with pytest.raises(InputError, match="record_weight: must"):
        mechanism.fit(people, rng=1, **SHORT)


def test_a_weight_that_depends_on_who_was_asked_before_is_refused(people):
    largest = [0]

    def far_from_the_largest(record):
        largest[0] = max(largest[0], record["trips"])
        return 1.0 - 0.9 * record["trips"] / max(largest[0], 1)

    asked = []

    def once(record):
        asked.append(record["trips"])
        return 1.0 if len(asked) == 1 else 0.5

    for weight in (far_from_the_largest, once):
        mechanism = PseudoPosteriorMechanism(synthesizer=MODELS["counts"][0], clip=4.0, record_weight=weight)
        with pytest.raises(InputError, match="^record_weight: returned another weight for a record in the second call"):
            mechanism.fit(people, rng=1, **SHORT)


def test_what_a_clipped_fit_does_not_take(people):
    mechanism = PseudoPosteriorMechanism(synthesizer=MODELS["counts"][0], clip=4.0)
    with pytest.raises(InputError, match="use record_weight"):
        mechanism.fit(people, weights=np.ones(len(people)))
    with pytest.raises(InputError, match="unweighted: does not apply with clip"):
        mechanism.fit(people, unweighted=object())
    with pytest.raises(InputError, match="'target_accept', which the Metropolis sampler does not have"):
        mechanism.fit(people, target_accept=0.9)
    with pytest.raises(MissingValueError, match="column 'trips' has 1 missing values"):
        mechanism.fit(people.assign(trips=people["trips"].astype(float).where(people.index > 0)))


def test_a_budget_that_overflows_is_refused(people):
    model = sl.NegativeBinomial("trips ~ 1")
    spent = PseudoPosteriorMechanism(synthesizer=model, clip=4e307).fit(people, rng=1, **SHORT).accounting
    assert np.isfinite(spent.epsilon_total_replace)
    with pytest.raises(InputError, match="m=1000: the epsilon of m datasets exceeds the largest float"):
        spent.for_datasets(1000)
    assert spent.for_datasets(2).m == 2


def test_other_records_are_no_part_of_the_clip(people):
    fitted = MODELS["counts"][0].fit_clipped(people, bound=3.0, rng=1, **SHORT)
    other = people.iloc[:5].assign(trips=[0, 1, 2, 3, 400])
    density = fitted.log_density(other)
    assert density[:, 4].max() < -3.0
    np.testing.assert_array_equal(fitted.with_data(other).pseudo_log_likelihood(), density)
