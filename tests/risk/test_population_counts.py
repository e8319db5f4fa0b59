"""N_t from survey weights and log-linear models, held against formulas, a made population, and bad input."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab.exceptions import (
    ConvergenceWarning,
    InputError,
    MissingValueError,
    SmallWeightsWarning,
    UndefinedStatisticWarning,
    UnequalWeightsWarning,
)
from synthlab.risk import PopulationCountsResult
from synthlab.risk.population import _population_fit
from synthlab.risk.population._population_fit import Others, specification_gap
from tests.loops import every

KEYS = ["a", "b"]
SURVEY = pd.DataFrame({"a": list("xxxyyz"), "b": list("ppqppq"), "w": [10.0, 20, 10, 20, 20, 5]})
DESIGN = sl.SurveyDesign(weights="w")


def counts(frame: pd.DataFrame = SURVEY, **options: object) -> PopulationCountsResult:
    return sl.population_counts(frame, KEYS, DESIGN, **options)


def test_without_a_model_n_t_is_the_sum_of_the_weights() -> None:
    found = counts()
    assert found.sample.tolist() == [2, 2, 1, 2, 2, 1]
    np.testing.assert_allclose(found.population, [30, 30, 10, 40, 40, 5], rtol=1e-13)
    assert found.size == 85
    assert found.unique.tolist() == [2, 5]


def test_without_a_model_the_chances_of_a_unique_follow_from_its_weight() -> None:
    found = counts()
    share = 1 / np.array([10.0, 5.0])
    np.testing.assert_allclose(found.alone[found.unique], share, rtol=1e-13)
    np.testing.assert_allclose(found.match[found.unique], share / (1 - share) * np.log(1 / share), rtol=1e-13)
    assert found.population_uniques == pytest.approx(0.3)
    # Two of 30: Pr(N = 2 | n = 2) = share**2, and the sum that R's sdcMicro has for two.
    assert found.alone[0] == pytest.approx((2 / 30) ** 2)
    odds = (2 / 30) / (28 / 30)
    assert found.match[0] == pytest.approx(odds - odds**2 * np.log(15))


def test_a_poisson_model_gives_the_formulas_of_the_sample_uniques() -> None:
    even = SURVEY.assign(w=10.0)
    found = counts(even, model="a + b")
    # Independence, by hand: 10 x row total x column total / 6.
    expected = 10 * np.array([3, 3, 3, 2, 2, 1]) * np.array([4, 4, 2, 4, 4, 2]) / 6
    rest = 0.9 * expected
    np.testing.assert_allclose(found.population, found.sample + rest, rtol=1e-12)
    alone = found.unique
    np.testing.assert_allclose(found.alone[alone], np.exp(-rest[alone]), rtol=1e-12)
    np.testing.assert_allclose(found.match[alone], (1 - np.exp(-rest[alone])) / rest[alone], rtol=1e-12)


def test_the_model_of_differing_weights_is_fitted_to_their_sums() -> None:
    found = counts(model="a + b")
    expected = np.array([40, 40, 40, 40, 40, 5]) * np.array([70, 70, 15, 70, 70, 15]) / 85
    share = found.sample / np.array([30, 30, 10, 40, 40, 5])
    np.testing.assert_allclose(found.population, found.sample + (1 - share) * expected, rtol=1e-12)


def test_equal_expected_counts_are_the_population_over_the_cells() -> None:
    found = counts(SURVEY.assign(w=10.0), model="equal")
    np.testing.assert_allclose(found.population, found.sample + 0.9 * 10, rtol=1e-12)


@every("a", [0.01, 0.7, 5.0])
@every(("expected", "share"), [(3.0, 0.1), (400.0, 0.02), (0.2, 0.9)])
def test_overdispersion_gives_a_negative_binomial_of_the_others(a: float, expected: float, share: float) -> None:
    one = np.ones(1)
    others = Others.by_model(one, one / share, np.array([expected]), a)
    p = (1 + a * share * expected) / (1 + a * expected)
    shape = 1 + 1 / a
    assert others.probability_of_none()[0] == pytest.approx(p**shape, rel=1e-11)
    assert others.mean[0] == pytest.approx(shape * (1 - p) / p, rel=1e-12)
    assert others.expected_inverse()[0] == pytest.approx((p - p**shape) * a / (1 - p), rel=1e-10)


def test_without_overdispersion_the_negative_binomial_is_poisson() -> None:
    three, sums, expected = np.full(1, 3.0), np.full(1, 30.0), np.full(1, 12.0)
    poisson, nearly = (Others.by_model(three, sums, expected, a) for a in (0.0, 1e-9))
    for what in ("probability_of_none", "expected_inverse"):
        assert getattr(poisson, what)()[0] == pytest.approx(getattr(nearly, what)()[0], rel=1e-6)


@pytest.mark.parametrize(("n", "rest"), [(1, 1e-9), (1, 1e9), (2, 3.0), (50, 0.5), (100_000, 1e6)])
def test_the_expected_inverse_is_that_of_a_poisson_sum(n: int, rest: float) -> None:
    from scipy.special import hyp1f1

    found = Others(np.array([float(n)]), np.array([rest]), np.array([np.inf])).expected_inverse()[0]
    exact = float(hyp1f1(1, n + 1, -rest)) / n if n * rest < 1e6 else 1 / (n + rest)
    assert found == pytest.approx(exact, rel=1e-4 if n * rest >= 1e6 else 1e-12)


def test_in_a_census_everybody_unique_is_unique_in_the_population() -> None:
    census = SURVEY.assign(w=1.0)
    for model in (None, "a + b"):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            found = counts(census, model=model)
        assert [w.category for w in caught] == ([UndefinedStatisticWarning] if model else [])
        np.testing.assert_array_equal(found.population, found.sample)
        np.testing.assert_allclose(found.match, 1 / found.sample, rtol=1e-13)
        assert found.population_uniques == found.correct_matches == pytest.approx(2, rel=1e-13)
        assert np.isnan(found.specification)


def test_one_cell_and_one_record_have_an_answer() -> None:
    one = pd.DataFrame({"a": ["x"], "b": ["p"], "w": [50.0]})
    found = counts(one, model="a + b")
    assert found.population.tolist() == [50.0]
    same = counts(pd.concat([one] * 4), model="equal")
    assert same.unique.size == 0 == same.population_uniques
    assert same.population.tolist() == pytest.approx([200.0] * 4)


def test_n_t_is_the_population_of_an_intruder() -> None:
    found = counts()
    release = SURVEY.assign(b=list("pqqppq"))
    who = sl.Intruder(known=["a"], synthesized=["b"], in_file=False, population=found.population)
    weighted = sl.Intruder(known=["a"], synthesized=["b"], in_file=False, weights=SURVEY["w"])
    same = sl.intruder_risk(SURVEY, SURVEY, who), sl.intruder_risk(SURVEY, SURVEY, weighted)
    for row in range(len(SURVEY)):
        np.testing.assert_allclose(same[0].probabilities(row), same[1].probabilities(row), rtol=1e-12)
    assert sl.intruder_risk(SURVEY, release, who).probabilities(2)[-1] == pytest.approx(1 - 2 / 10)


def made(rng: np.random.Generator, people: int = 40_000) -> pd.DataFrame:
    """Make a population: four variables, three of which go together."""
    a = rng.integers(0, 8, people)
    b = (a // 2 + rng.geometric(0.35, people)) % 10
    c = rng.choice(12, people, p=np.repeat([0.14, 0.16 / 6], 6))
    return pd.DataFrame({"a": a, "b": b, "c": c, "d": rng.integers(0, 5, people) * (b > 4)})


def test_the_right_model_counts_population_uniques_and_a_simple_one_says_that_it_does_not() -> None:
    """Twenty samples of made populations, whose truth is known: estimates, their bias, and the coverage of the check."""
    rng, keys, rows = np.random.default_rng(5), list("abcd"), []
    for _ in range(20):
        people = made(rng)
        size = people.groupby(keys)["a"].transform("size")
        survey = people.sample(frac=0.1, random_state=rng).assign(w=10.0)
        truth = size[survey.index][survey.groupby(keys)["a"].transform("size").eq(1)]
        right, simple = (
            sl.population_counts(survey, keys, DESIGN, model=model) for model in ("a*b*d + c", "a + b + c + d")
        )
        rows.append(
            [
                *((truth == 1).sum(), right.population_uniques, simple.population_uniques, (1 / truth).sum()),
                *(right.correct_matches, size[survey.index].mean(), right.population.mean()),
                *(right.specification, simple.specification),
            ]
        )
    uniques, right, simple, matches, found, size, n_t, check, check_simple = np.array(rows).T
    assert right.mean() == pytest.approx(uniques.mean(), rel=0.05)
    assert found.mean() == pytest.approx(matches.mean(), rel=0.05)
    assert n_t.mean() == pytest.approx(size.mean(), rel=0.05)
    assert simple.mean() > 1.5 * uniques.mean()
    assert (np.abs(check) < 2).mean() > 0.9
    assert check_simple.mean() > 2


def test_the_gap_of_a_model_estimates_its_bias() -> None:
    """Cells whose expected counts are 1 +- 0.3 of the model's, sampled many times: the gap is that of the expectations."""
    rng, cells, share = np.random.default_rng(6), 4_000, 0.2
    fitted = np.full(cells, 3.0)
    true = fitted * (1 + 0.3 * np.repeat([-1.0, 1.0], cells // 2))
    shares = np.full(cells, share)
    bias = (share * true * np.exp(-share * true) * (np.exp(-(1 - share) * fitted) - np.exp(-(1 - share) * true))).sum()
    gaps = [specification_gap(rng.poisson(share * true).astype(float), fitted, shares)[0] for _ in range(200)]
    assert np.mean(gaps) == pytest.approx(bias, rel=0.15)
    null = [specification_gap(rng.poisson(share * fitted).astype(float), fitted, shares) for _ in range(400)]
    assert np.std([gap / error for gap, error in null]) == pytest.approx(1, abs=0.12)


def test_overdispersion_is_found_where_it_is() -> None:
    rng, rows = np.random.default_rng(7), []
    for _ in range(20):
        sizes = rng.poisson(rng.gamma(1 / 0.8, 0.8 * 6.0, (30, 40)))
        cell = np.repeat(np.arange(1200), sizes.ravel())
        people = pd.DataFrame({"a": cell // 40, "b": cell % 40, "w": 4.0})
        survey = people.sample(frac=0.25, random_state=rng)
        found = counts(survey, model="equal", overdispersed=True)
        size = people.groupby(KEYS)["a"].transform("size")[survey.index].to_numpy()
        alone = size[found.unique]
        rows.append([found.overdispersion - 0.8, found.population_uniques - (alone == 1).sum()])
        rows[-1] += [found.correct_matches - (1 / alone).sum(), found.population.mean() - size.mean()]
    mean, error = np.mean(rows, axis=0), np.std(rows, axis=0, ddof=1) / np.sqrt(len(rows))
    assert (np.abs(mean) < 3 * error).all()
    assert abs(mean[0]) < 0.05


def test_counts_without_overdispersion_have_none() -> None:
    even = pd.DataFrame({"a": np.repeat(np.arange(9), 8), "b": np.tile(np.arange(8), 9), "w": 2.0})
    assert counts(even, model="a + b", overdispersed=True).overdispersion == 0


def test_a_missing_value_is_an_error_or_a_value() -> None:
    gaps = SURVEY.assign(a=["x", None, "x", "y", "y", None])
    with pytest.raises(MissingValueError, match="2 missing values"):
        counts(gaps)
    assert counts(gaps, missing="category").sample.tolist() == [1, 1, 1, 2, 2, 1]
    assert counts(gaps, missing="category", model="a + b").sample.tolist() == [1, 1, 1, 2, 2, 1]


@pytest.mark.parametrize("bad", [-1.0, 0.0, np.inf])
def test_weights_that_count_nobody_are_refused(bad: float) -> None:
    with pytest.raises(InputError, match="weights: must be finite numbers above 0; 1 of 6 records"):
        counts(SURVEY.assign(w=[bad, 20, 10, 20, 20, 5]))


def test_missing_weights_are_refused() -> None:
    with pytest.raises(MissingValueError, match="weights: 1 of 6 records"):
        counts(SURVEY.assign(w=[np.nan, 20, 10, 20, 20, 5]))


def test_normalised_weights_are_refused() -> None:
    with pytest.raises(InputError, match="like normalized weights"):
        counts(SURVEY.assign(w=SURVEY["w"] * 6 / 85))
    with pytest.raises(InputError, match="like normalized weights"):
        counts(SURVEY.assign(w=0.5))


def test_a_sum_of_weights_below_the_people_in_the_file_is_raised_to_them() -> None:
    with pytest.warns(SmallWeightsWarning, match="1 of 4 cells"):
        found = counts(SURVEY.assign(w=[10.0, 20, 10, 20, 20, 0.25]))
    assert found.population[-1] == 1
    assert found.alone[-1] == 1


@every("model", ["pitman", "samuels", "slide negative binomial", "equal"])
def test_models_of_cell_sizes_warn_of_unequal_weights(model: str) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        counts(SURVEY, model=model)
        unequal = [w for w in caught if w.category is UnequalWeightsWarning]
        counts(SURVEY.assign(w=85 / 6), model=model)
    assert len(unequal) == (model != "equal")
    assert [w for w in caught if w.category is UnequalWeightsWarning] == unequal


def test_a_model_that_does_not_converge_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Separated cells: where zeros make an interaction infinite, proportional fitting creeps."""
    monkeypatch.setattr(_population_fit, "MAX_ITERATIONS", 3)
    monkeypatch.setattr(_population_fit, "TOLERANCE", 1e-12)
    corner = pd.DataFrame(
        [(0, 0, 0), (0, 1, 1), (1, 0, 1), (1, 1, 0), (1, 1, 1), (0, 0, 1), (0, 1, 0)] * 2 + [(0, 1, 1)],
        columns=list("abc"),
    ).assign(w=10.0)
    with pytest.warns(ConvergenceWarning, match="reported as NaN"):
        found = sl.population_counts(corner, list("abc"), DESIGN, model="(a + b + c)**2", overdispersed=True)
    assert np.isnan(found.population).all()
    assert np.isnan(found.alone).all()
    assert np.isnan(found.match).all()
    assert np.isnan(found.overdispersion)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"model": "a:b"}, "join the variables by"),
        ({"model": "a + nobody"}, "not among the variables"),
        ({"model": 3}, "model="),
        ({"overdispersed": True}, "requires a model"),
        ({"missing": "never"}, "missing='never'"),
    ],
)
def test_options_that_are_not_allowed(options: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        counts(**options)


def test_a_design_has_weights() -> None:
    with pytest.raises(InputError, match="has no weights"):
        sl.population_counts(SURVEY, KEYS, sl.SurveyDesign(strata="a"))
    with pytest.raises(InputError, match="must be a SurveyDesign"):
        sl.population_counts(SURVEY, KEYS, "w")  # type: ignore[arg-type]


def test_a_table_too_large_for_a_model_is_refused() -> None:
    wide = pd.DataFrame({"a": np.arange(3_000), "b": np.arange(3_000), "w": 5.0})
    with pytest.raises(InputError, match="9,000,000 cells"):
        counts(wide, model="a + b")
    assert counts(wide).unique.size == 3_000
