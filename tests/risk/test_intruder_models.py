"""The intruder who simulates from released models: exact limits, all synthesizers, and what must hold in general."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st

import synthlab as sl
from synthlab.exceptions import ApproximationWarning, InputError
from synthlab.release import as_release
from synthlab.risk import OneOf, ReleasedInformation, intruder_risk
from synthlab.risk.posterior._attack import Attack
from synthlab.risk.posterior._average import share_of_match
from synthlab.risk.posterior._draws import simulators
from synthlab.synthesizers._pooling import POSITIVE, REAL, pool_posteriors
from synthlab.synthesizers._posterior import Posterior
from tests.asking import ask

QUICK = {"draws": 150, "tune": 250, "chains": 2}
pytestmark = [
    pytest.mark.filterwarnings("ignore::synthlab.exceptions.ConvergenceWarning"),  # short chains are enough here
    pytest.mark.filterwarnings("ignore::synthlab.exceptions.TruncationWarning"),
]


@dataclass
class Table:
    """A fitted model that gives record i town k with probability p[i, k]."""

    p: np.ndarray
    towns: str = "abc"
    synthesized: tuple = ("town",)
    n_draws: int | None = 1
    has_probabilities: bool = True
    records_independent: bool = True

    def probability_of(self, frame, values, draw):
        return self.p[frame["id"]][:, [self.towns.index(v) for v in values["town"]]]

    def draw(self, frame, draw, rng):
        edges = np.cumsum(self.p[frame["id"]], axis=1)
        code = (edges[:, :-1] <= rng.random((len(frame), 1))).sum(axis=1)
        return {"town": pd.Series(list(self.towns), dtype="str").take(code).set_axis(frame.index)}

    def pooled(self, others=(), *, draws=None, rng=None):
        return self


def people(towns):
    return pd.DataFrame({"sex": ["f"] * len(towns), "id": range(len(towns)), "town": list(towns)})


def everything(true, p, **options):
    options = {"released": "everything", "models": Table(np.array(p)), **options}
    return ask(intruder_risk, true, true, known=["sex"], synthesized=["town"], rng=1, **options)


P = np.array([[0.7, 0.2, 0.1], [0.5, 0.5, 0.0], [0.1, 0.3, 0.6], [0.0, 0.0, 1.0]])


def by_enumeration(p, towns, fallback=True):
    """Average over every possible dataset."""
    n, k = p.shape
    result = np.zeros((n, n + 1))
    for codes in product(range(k), repeat=n):
        chance = np.prod(p[np.arange(n), codes])
        for i, town in enumerate(towns):
            match = np.array(codes) == "abc".index(town)
            if match.any():
                result[i, :n] += chance * match / match.sum()
            elif fallback:
                result[i, :n] += chance / n
            else:
                result[i, n] += chance
    return result


@pytest.mark.parametrize("fallback", [True, False])
def test_the_exact_limit_is_the_average_over_every_dataset(fallback):
    risk = everything(people("aabc"), P, draws="exact", fallback=fallback)
    np.testing.assert_allclose(
        risk.match_probabilities().toarray(), by_enumeration(P, "aabc", fallback), rtol=1e-12, atol=1e-14
    )


def test_two_people_by_hand():
    # Target a: record 1 is a with 1/2, record 2 with 1/4. Both: 1/8; none: 3/8.
    risk = everything(people("ab"), [[0.5, 0.5, 0.0], [0.25, 0.75, 0.0]], draws="exact")
    np.testing.assert_allclose(risk.probabilities(0), [3 / 8 + 1 / 16 + 3 / 16, 1 / 8 + 1 / 16 + 3 / 16, 0])


def test_simulation_comes_near_the_limit_and_its_beginning_is_that_of_fewer_draws():
    true = people("aabc")
    exact = everything(true, P, draws="exact").match_probabilities().toarray()
    many = everything(true, P, draws=300).match_probabilities().toarray()
    np.testing.assert_allclose(many, exact, atol=4 * 0.5 / np.sqrt(300))
    assert np.abs(many - exact).max() > 0
    one, two = (everything(true, P, draws=h).match_probabilities().toarray() for h in (1, 2))
    assert set(np.unique(2 * two - one).round(12)) <= {0, 0.25, round(1 / 3, 12), 0.5, 1}


@given(st.lists(st.floats(0, 1), min_size=1, max_size=7))
@settings(max_examples=30, deadline=None)
def test_the_integral_against_the_poisson_binomial(p):
    p = np.array(p)
    expected = np.zeros(p.size)
    for hits in product([0, 1], repeat=p.size):
        hit = np.array(hits)
        if hit.any():
            expected += hit * np.prod(np.where(hit, p, 1 - p)) / hit.sum()
    used = p > 0
    np.testing.assert_allclose(share_of_match(p[used]), expected[used], rtol=1e-10, atol=1e-15)


def test_the_integral_in_large_files():
    # n equal probabilities: all matches are equally likely, so each has (1 - (1 - p)^n) / n.
    for n, p in [(3000, 0.4), (3000, 0.001), (200, 0.999), (50_000, 1e-4)]:
        np.testing.assert_allclose(share_of_match(np.full(n, p)), (1 - (1 - p) ** n) / n, rtol=1e-9)
    # Half certain: those share among themselves and the others.
    mixed = share_of_match(np.concatenate([np.ones(500), np.full(500, 0.5)]))
    assert mixed.sum() == pytest.approx(1, rel=1e-10)
    assert mixed[0] == pytest.approx(1 / 750, rel=2e-3)


def test_draws_of_the_parameters_are_all_used():
    seen = []

    class Recording(Table):
        def draw(self, frame, draw, rng):
            seen.append(draw)
            return super().draw(frame, draw, rng)

    scenario = ReleasedInformation(released="everything", models=Recording(P, n_draws=5))
    true, someone = people("aabc"), sl.Intruder(known=["sex"], synthesized=["town"])
    intruder_risk(true, true, someone, scenario=scenario, parameters="drawn", draws=10, rng=3)
    assert sorted(seen) == sorted(list(range(5)) * 2)


@pytest.mark.parametrize("released", ["models", "everything"])
@pytest.mark.parametrize(("parameters", "number"), [("fixed", None), ("drawn", 7)])
def test_parameters_are_fixed_at_their_mean_or_drawn(released, parameters, number):
    asked = []

    class Recording(Table):
        def pooled(self, others=(), *, draws=None, rng=None):
            asked.append((len(others), draws))
            return self

    class Model:
        def fit(self, frame, *, weights=None, rng=None):
            return Recording(P)

    models = Model() if released == "models" else Recording(P)
    scenario = ReleasedInformation(released=released, models=models)
    true, someone = people("aabc"), sl.Intruder(known=["sex"], synthesized=["town"])
    intruder_risk(true, [true] * 3, someone, scenario=scenario, parameters=parameters, draws=7, rng=1)
    # The intruder pools one fit a dataset; the agency's own fit is fixed, or taken with its draws as it is.
    fitted_by_the_agency = [] if number else [(0, None)]
    assert asked == ([(2, number)] if released == "models" else fitted_by_the_agency)


def test_fixed_is_one_draw_of_the_coefficients_and_drawn_are_several(survey):
    release = as_release([survey, survey.sample(frac=1, replace=True, random_state=1, ignore_index=True)])
    model = sl.MultinomialRegression("town ~ age", prior_scale=0.5, method="laplace")
    slopes = {}
    for parameters in ("fixed", "drawn"):
        attack = Attack(
            intruder=sl.Intruder(known=[], synthesized=["town"]),
            scenario=ReleasedInformation(released="models", models=model),
            strategy="probability",
            parameters=parameters,
            draws=6,
            fallback=True,
            threshold=0.2,
            may_decline=False,
        )
        (pooled,) = simulators(release, attack, ["town"], QUICK, 6, np.random.default_rng(1))
        slopes[parameters] = pooled.posterior["slopes"].reshape(pooled.n_draws, -1)
    assert len(slopes["fixed"]) == 1
    assert len(np.unique(slopes["drawn"], axis=0)) == 6
    assert (slopes["drawn"].std(axis=0, ddof=1) > 0).all()


def test_several_models_follow_one_another():
    true = people("abc").assign(job=list("xyz"))

    @dataclass
    class Job(Table):
        synthesized: tuple = ("job",)
        has_probabilities: bool = False

        def draw(self, frame, draw, rng):
            return {"job": frame["town"].map({"a": "x", "b": "y", "c": "z"})}

    model = [Table(np.eye(3)), Job(np.eye(3))]
    scenario = ReleasedInformation(released="everything", models=model)
    someone = sl.Intruder(known=["sex"], synthesized=["town", "job"])
    risk = intruder_risk(true, true.assign(job="x"), someone, scenario=scenario, draws=3)
    assert risk.true_match_risk == 3


def test_selection_conditions_the_simulation():
    true = people("aabc")
    selection = {"town": OneOf([{"a", "c"}, {"a", "b"}, {"b"}, {"c"}])}
    risk = everything(true, P, draws=200, selection=selection)
    q = np.array([[7 / 8, 0, 1 / 8], [0.5, 0.5, 0], [0, 1, 0], [0, 0, 1]])
    np.testing.assert_allclose(risk.match_probabilities().toarray(), by_enumeration(q, "aabc"), atol=0.12)
    rejected = everything(true, P, draws=200, selection=selection, models=Table(P, has_probabilities=False))
    np.testing.assert_allclose(rejected.match_probabilities().toarray(), by_enumeration(q, "aabc"), atol=0.12)


def test_selection_that_the_models_never_satisfy():
    true = people("aac")
    table = [[1.0, 0, 0], [0, 1.0, 0], [0, 0, 1.0]]
    selection = {"town": OneOf([{"a"}, {"a", "c"}, {"c"}])}
    with pytest.raises(InputError, match="selection: 1 records get no admissible value of town in 200 tries"):
        everything(true, table, selection=selection, models=Table(np.array(table), has_probabilities=False))
    # With closed probabilities that are all 0, every admissible value is equally likely.
    risk = everything(true, table, selection=selection, draws=100)
    assert risk.probabilities(0)[0] == pytest.approx(0.75, abs=0.12)


# what must hold in general


@st.composite
def problems(draw):
    n, m = draw(st.integers(1, 6)), draw(st.integers(1, 4))
    letters = st.lists(st.sampled_from("abc"), min_size=n, max_size=n)
    true = pd.DataFrame({"sex": draw(st.lists(st.sampled_from("fm"), min_size=n, max_size=n)), "town": draw(letters)})
    options = draw(
        st.sampled_from([{}, {"strategy": "mode"}, {"fallback": False}, {"in_file": False, "weights": [7.0] * n}])
    )
    return true, [true.assign(town=draw(letters)) for _ in range(m)], options


@given(problems())
@settings(max_examples=15, deadline=None)
def test_probabilities_sum_to_one_and_the_measures_follow_from_them(problem):
    true, release, options = problem
    risk = ask(intruder_risk, true, release, known=["sex"], synthesized=["town"], rng=1, **options)
    table = risk.match_probabilities().toarray()
    np.testing.assert_allclose(table.sum(axis=1), 1, rtol=1e-12)
    assert (table >= 0).all()
    assert (table[:, :-1] * (true["sex"].to_numpy()[:, None] != true["sex"].to_numpy()[None, :]) == 0).all()
    for i, row in enumerate(table[:, :-1]):
        np.testing.assert_array_equal(risk.probabilities(i)[:-1], row)
        count = int(((row >= row.max() * (1 - 1e-9)) & (row > 0)).sum())
        assert risk.match_count[i] == count
        assert risk.contains_true[i] == (row[i] > 0 and row[i] >= row.max() * (1 - 1e-9))
    assert risk.true_match_risk <= risk.expected_match_risk <= len(true)
    assert risk.matched_uniques <= min(risk.true_match_risk, risk.n_unique)
    levels = np.linspace(0, 0.99, 12)
    assert (np.diff([risk.perceived_match_risk(t) for t in levels]) <= 0).all()


@given(problems(), st.randoms())
@settings(max_examples=15, deadline=None)
def test_the_order_of_records_and_of_datasets_does_not_matter(problem, random):
    true, release, options = problem
    if "strategy" in options or "weights" in options:
        options = {}
    order = list(range(len(true)))
    random.shuffle(order)
    question = {"known": ["sex"], "synthesized": ["town"], **options}
    one = ask(intruder_risk, true, release, **question)
    moved = [f.iloc[order].reset_index(drop=True) for f in reversed(release)]
    two = ask(intruder_risk, true.iloc[order].reset_index(drop=True), moved, **question)
    np.testing.assert_allclose(two.record_match_risk, one.record_match_risk[order])
    np.testing.assert_allclose(two.largest, one.largest[order])


@given(st.integers(0, 10_000))
@settings(max_examples=6, deadline=None)
def test_more_information_does_not_lower_the_best_attainable_risk_in_expectation(seed):
    """All datasets that may be the truth: the intruder sees their probabilities, or also a noisy look at record 1."""
    rng = np.random.default_rng(seed)
    p = np.column_stack([rng.dirichlet(np.ones(2), size=3), np.zeros(3)])
    less = more = 0.0
    for codes in product(range(2), repeat=3):
        chance = np.prod(p[np.arange(3), codes])
        true = people("".join("abc"[c] for c in codes))
        less += chance * everything(true, p, draws="exact").expected_match_risk
        for look in (0, 1):
            seen = np.array([0.8, 0.2, 0.0] if look == 0 else [0.2, 0.8, 0.0])
            q = p.copy()
            q[0] = p[0] * seen / (p[0] @ seen)
            more += chance * seen[codes[0]] * everything(true, q, draws="exact").expected_match_risk
    assert more >= less - 1e-12


# the synthesizers as released models


@pytest.fixture(scope="module")
def survey():
    rng = np.random.default_rng(5)
    n = 120
    age = rng.integers(20, 60, n).astype(float)
    town = np.where(rng.random(n) < (age - 10) / 60, "a", rng.choice(["b", "c"], n))
    return pd.DataFrame(
        {
            "age": age,
            "sex": rng.choice(["f", "m"], n),
            "town": town,
            "sick": np.where(rng.random(n) < age / 80, "yes", "no"),
            "income": np.exp(rng.normal(3 + age / 40, 0.4, n)).round(2),
            "visits": rng.poisson(age / 20, n),
            "gifts": np.where(rng.random(n) < 0.5, 0.0, rng.gamma(2.0, 3.0, n).round(2)),
        }
    )


MODELS = {
    "logistic": (sl.LogisticRegression("sick ~ age"), ["sick"], None),
    "multinomial": (sl.MultinomialRegression("town ~ age", prior_scale=0.5, method="laplace"), ["town"], None),
    "dirichlet": (sl.DirichletMultinomial(["town", "sick"], given=["sex"]), ["town", "sick"], None),
    "dpmpm": (sl.DPMPM(["sex", "town", "sick"], ["town", "sick"], classes=5), ["town", "sick"], None),
    "cart": (sl.CART(["town", "sick"], ["age"]), ["town", "sick"], None),
    "resample": (sl.Resample(["town"]), ["town"], None),
    "normal": (sl.NormalRegression("income ~ age", transform="log"), ["income"], {"income": 5.0}),
    "ordered logistic": (sl.OrderedLogisticRegression("visits ~ age"), ["visits"], None),
    "poisson": (sl.PoissonRegression("visits ~ age"), ["visits"], None),
    "negative binomial": (sl.NegativeBinomial("visits ~ age"), ["visits"], None),
    "two part": (sl.TwoPart("gifts ~ age"), ["gifts"], {"gifts": 2.0}),
    "mixture": (sl.FiniteMixture("income ~ age", classes=2, transform="log"), ["income"], {"income": 5.0}),
    "topcoding": (sl.Topcoding("income", top_share=0.1), ["income"], {"income": 5.0}),
    "sequence": (
        sl.Sequential(
            [
                sl.MultinomialRegression("town ~ age", prior_scale=0.5, method="laplace"),
                sl.MultinomialRegression("sick ~ age + town", prior_scale=0.5, method="laplace"),
            ]
        ),
        ["town", "sick"],
        None,
    ),
}  # fmt: skip


SAMPLED = ("logistic", "normal", "ordered logistic", "poisson", "negative binomial", "two part")  # PyMC compiles these


@pytest.mark.parametrize("name", [pytest.param(n, marks=pytest.mark.full) if n in SAMPLED else n for n in MODELS])
def test_any_synthesizer_can_be_the_released_model(name, survey):
    model, synthesized, radius = MODELS[name]
    fitted = model.fit(survey, rng=1, **QUICK)
    release = fitted.generate(m=2, rng=2)
    for released, parameters in product(["models", "everything"], ["fixed", "drawn"]):
        scenario = ReleasedInformation(released=released, models=fitted)
        risk = intruder_risk(
            survey,
            release,
            sl.Intruder(known=["sex"], synthesized=synthesized, radius=radius, radius_kind="absolute"),
            scenario=scenario,
            parameters=parameters,
            draws=4,
            sampler=QUICK,
            rng=3,
        )
        np.testing.assert_allclose(risk.match_probabilities().sum(axis=1), 1)
        assert risk.largest.min() > 1 / 120


@pytest.mark.parametrize("name", ["multinomial", "dirichlet", "dpmpm", "sequence"])
def test_the_limit_of_a_synthesizer_is_that_of_its_simulations(name, survey):
    model, synthesized, _ = MODELS[name]
    fitted = model.fit(survey, rng=1, **QUICK)
    someone, scenario = (
        sl.Intruder(known=["sex"], synthesized=synthesized),
        ReleasedInformation(released="everything", models=fitted),
    )
    risks = [intruder_risk(survey, survey, someone, scenario=scenario, draws=h, rng=3) for h in ("exact", 150)]
    exact, many = (risk.match_probabilities().toarray() for risk in risks)
    assert np.abs(exact - many).max() < 0.12
    assert np.corrcoef(exact[:, :-1].ravel(), many[:, :-1].ravel())[0, 1] > 0.9


def test_probabilities_of_a_sequence_are_products(survey):
    model = MODELS["sequence"][0]
    fitted = model.fit(survey, rng=1, **QUICK)
    values = pd.DataFrame({"town": ["a", "a", "b", "?"], "sick": ["yes", "no", "yes", "no"]})
    found = fitted.probability_of(survey, values, 7)
    town = fitted.parts[0].probability_of(survey, values, 7)
    sick = fitted.parts[1].probability_of(survey.assign(town="a"), values, 7)
    np.testing.assert_allclose(found[:, 0], town[:, 0] * sick[:, 0])
    np.testing.assert_allclose(found[:, 0] + found[:, 1], town[:, 0])
    assert (found[:, 3] == 0).all()


def test_pooled_coefficients_have_the_mean_and_the_covariance_of_partial_synthesis(survey):
    model = sl.MultinomialRegression("sick ~ age", prior_scale=0.5, method="laplace")
    samples = [survey.sample(frac=1, replace=True, random_state=s) for s in range(4)]
    fits = [model.fit(sample, rng=s, draws=2000, chains=1) for s, sample in enumerate(samples)]
    slopes = np.array([fit.posterior["slopes"][:, 0, 0] for fit in fits])
    means, within = slopes.mean(axis=1), slopes.var(axis=1, ddof=1).mean()
    fixed = fits[0].pooled(fits[1:])
    assert fixed.n_draws == 1
    assert fixed.posterior["slopes"][0, 0, 0] == pytest.approx(means.mean())
    drawn = fits[0].pooled(fits[1:], draws=40_000, rng=1).posterior["slopes"][:, 0, 0]
    assert drawn.mean() == pytest.approx(means.mean(), abs=4 * drawn.std() / 200)
    assert drawn.var() == pytest.approx(within + means.var(ddof=1) / 4, rel=0.05)


def test_positive_parameters_are_pooled_as_logarithms():
    values = [{"sigma": np.array([[1.0, 4.0]])}, {"sigma": np.array([[16.0, 16.0]])}]
    pooled = pool_posteriors([Posterior(v) for v in values], {"sigma": POSITIVE}, None, np.random.default_rng(1))
    assert pooled["sigma"].tolist() == [pytest.approx(np.sqrt(2 * 16))]
    alone = pool_posteriors([Posterior(values[0])], {"sigma": POSITIVE}, 200, np.random.default_rng(1))
    assert set(alone["sigma"].round(9)) == {1.0, 4.0}  # m = 1: the draws of the one posterior


def test_fits_with_other_coefficients_cannot_be_pooled():
    values = [Posterior({"b": np.zeros((1, 2, k))}) for k in (2, 3)]
    with pytest.raises(InputError, match="different coefficients"):
        pool_posteriors(values, {"b": REAL}, None, np.random.default_rng(1))


def test_a_category_that_one_dataset_lacks(survey):
    release = [survey.assign(town=survey["town"].replace("c", "b")), survey]
    model = sl.MultinomialRegression("town ~ age", prior_scale=0.5, method="laplace")
    scenario = ReleasedInformation(released="models", models=model)
    with pytest.warns(ApproximationWarning, match="1 of 3 levels; the worst is the level at position 2"):
        risk = intruder_risk(
            survey,
            release,
            sl.Intruder(known=["sex"], synthesized=["town"]),
            scenario=scenario,
            draws=5,
            sampler=QUICK,
            rng=1,
        )
    np.testing.assert_allclose(risk.match_probabilities().sum(axis=1), 1)


@pytest.mark.parametrize("sampler", ["bogus", 3, True])
def test_options_of_fit_are_a_mapping(sampler, survey):
    with pytest.raises(InputError, match=f"sampler={sampler!r}: must be a mapping of options of fit"):
        intruder_risk(survey, survey, sl.Intruder(known=["sex"], synthesized=["town"]), sampler=sampler)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"released": "everything", "models": sl.CART(["town"])}, "requires fitted models"),
        ({"released": "models", "models": 3}, "models: int is not a synthesizer"),
        (
            {"released": "models", "models": sl.CART(["sick"])},
            "models: must simulate all synthesized variables, but not 'town'",
        ),
        (
            {"released": "models", "models": sl.CART(["town"]), "draws": "exact"},
            'draws="exact": requires one released model',
        ),
        (
            {"released": "models", "models": sl.DPMPM(["sex", "town"], ["town"], classes=4, membership="record")},
            "models: synthetic values of town are drawn given the confidential values",
        ),
    ],
)
def test_models_that_cannot_be_released(options, message, survey):
    with pytest.raises(InputError, match=message):
        ask(intruder_risk, survey, survey, known=["sex"], synthesized=["town"], sampler=QUICK, **options)


def test_the_same_seed_gives_the_same_result(survey):
    scenario = ReleasedInformation(released="models", models=sl.CART(["town"], ["age"], bootstrap=True))
    how = {"scenario": scenario, "parameters": "drawn", "draws": 5}
    release = sl.CART(["town"], ["age"]).fit(survey, rng=1).generate(m=2, rng=1)
    someone = sl.Intruder(known=["sex"], synthesized=["town"])
    one, two, other = (
        intruder_risk(survey, release, someone, **how, rng=s).match_probabilities().toarray() for s in (7, 7, 8)
    )
    assert np.array_equal(one, two)
    assert not np.array_equal(one, other)
