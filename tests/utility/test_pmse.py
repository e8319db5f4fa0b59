from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from synthlab.exceptions import InputError, MissingValueError, SeparationWarning, UndefinedStatisticWarning
from synthlab.utility import pmse
from synthlab.utility._logistic import fitted_probabilities, is_separated
from synthlab.utility._orthogonal_columns import basis


def normal(seed: int, n: int = 400, shift: float = 0.0) -> pd.DataFrame:
    draw = np.random.default_rng(seed)
    group = draw.choice(["a", "b", "c"], n)
    return pd.DataFrame({"x": draw.normal(shift, 1, n), "group": group, "y": draw.normal(0, 1, n)})


def test_by_hand_two_categories() -> None:
    # 8 stacked records, one truth value: saturated, so p_hat is the share of synthetic records per value.
    # True: 3 confidential, 1 synthetic, p = 1/4; False: 1 and 3, p = 3/4; every (p - 1/2)^2 is 1/16.
    confidential = pd.DataFrame({"v": [True, True, True, False]})
    synthetic = pd.DataFrame({"v": [True, False, False, False]})
    result = pmse(confidential, synthetic)
    assert result.pmse[0] == pytest.approx(1 / 16, rel=1e-12)
    assert result.n_parameters[0] == 2
    # (k - 1)(1 - c)^2 c / N = 1/4 * 1/2 / 8, sd sqrt(2) times that
    assert result.null_mean[0] == pytest.approx(1 / 64)
    assert result.null_sd[0] == pytest.approx(np.sqrt(2) / 64)
    assert result.ratio[0] == pytest.approx(4)
    assert result.standardised[0] == pytest.approx(3 / np.sqrt(2))


def test_by_hand_unequal_sizes() -> None:
    # 4 confidential (3 True), 2 synthetic (1 True): c = 1/3, p(True) = 1/4, p(False) = 1/2
    confidential = pd.DataFrame({"v": [True, True, True, False]})
    result = pmse(confidential, pd.DataFrame({"v": [True, False]}))
    assert result.share_synthetic == pytest.approx(1 / 3)
    assert result.pmse[0] == pytest.approx((4 * (1 / 12) ** 2 + 2 * (1 / 6) ** 2) / 6)
    assert result.null_mean[0] == pytest.approx((2 / 3) ** 2 * (1 / 3) / 6)


@pytest.mark.parametrize("kind", ["partial", "full"])
@pytest.mark.parametrize("order", [1, 2])
def test_equals_r(confidential, releases, answer, kind, order) -> None:
    result = pmse(confidential, releases[kind], order=order, null_parameters="all")
    for ours, what in [
        (result.pmse, "pmse"),
        (result.n_parameters, "pmse_parameters"),
        (result.null_mean, "pmse_null_mean"),
        (result.null_sd, "pmse_null_sd"),
    ]:
        expected = answer(what, kind).xs(f"order {order}", level="name")
        assert expected.index.tolist() == list(range(1, result.m + 1))
        np.testing.assert_allclose(ours, expected, rtol=1e-9)
    assert not result.separated.any()


def test_pairs_null_equals_r(confidential, releases, answer) -> None:
    result = pmse(confidential, releases["full"], null="pairs", rng=0)
    expected = answer("pmse_pairs", "full").to_numpy()
    np.testing.assert_allclose(result.null_values, np.tile(expected, (3, 1)), rtol=1e-9)
    np.testing.assert_allclose(result.null_mean, expected.mean())
    np.testing.assert_allclose(result.null_sd, expected.std(ddof=1))


def test_separation_is_named_and_pmse_is_the_limit_r_approaches(confidential, releases, answer) -> None:
    odd = releases["full"][0].copy()
    odd.loc[:4, "region"] = "elsewhere"
    with pytest.warns(SeparationWarning, match="in synthetic dataset 2"):
        result = pmse(confidential, [releases["full"][0], odd])
    assert result.separated.tolist() == [False, True]
    assert result.pmse[1] == pytest.approx(answer("pmse_separated", "full").iloc[0], rel=1e-9)
    assert np.isfinite(result.ratio).all()


def test_complete_separation_gives_the_largest_pmse() -> None:
    with pytest.warns(SeparationWarning):
        result = pmse(pd.DataFrame({"x": [1.0, 2.0, 3.0]}), pd.DataFrame({"x": [4.0, 5.0, 6.0]}))
    assert result.pmse[0] == pytest.approx(0.25, rel=1e-9)


def test_extreme_but_overlapping_data_are_not_called_separated() -> None:
    # two heaps far apart and one record of each label on the other side: no line splits the labels
    x = np.concatenate([np.linspace(0, 1, 50), [10.2], np.linspace(10, 11, 50), [0.8]])
    label = np.repeat([0.0, 1.0], 51)
    design = basis(x[:, None])
    assert not is_separated(design, label, np.ones(102))
    # one outlier of 300 000 among values of about 1: fitted probabilities of the others are moderate, its own is 0
    far = basis(np.array([0.0, 1.0, 2.0, -3e5, 3.0, 4.0, 5.0, 1.5])[:, None])
    few = np.repeat([0.0, 1.0], 4)
    probability = fitted_probabilities(far, few, np.ones(8))
    assert probability.min() < 1e-7
    assert not is_separated(far, few, np.ones(8))


def test_separation_with_ties_is_found() -> None:
    # 1 and 2 against 2 and 3: the records at 2 tie, the others are split
    design, label = basis(np.array([1.0, 2.0, 2.0, 3.0])[:, None]), np.array([0.0, 0.0, 1.0, 1.0])
    probability = fitted_probabilities(design, label, np.ones(4))
    assert is_separated(design, label, np.ones(4))
    np.testing.assert_allclose(probability, [0, 0.5, 0.5, 1], atol=1e-9)


def test_separation_that_the_fit_shows_is_what_the_linear_programme_finds() -> None:
    rng, found = np.random.default_rng(0), []
    for _ in range(60):
        rare, wide = rng.random((80, 3)) < rng.choice([0.02, 0.05, 0.3]), rng.normal(size=80) * 10 ** rng.uniform(-1, 3)
        label = (wide > 0 if rng.random() < 0.2 else rng.random(80) < 0.5).astype(float)
        design = basis(np.column_stack([rare, wide]))
        probability = fitted_probabilities(design, label, np.ones(80))
        found.append(is_separated(design, label, np.ones(80)))
        assert is_separated(design, label, np.ones(80), probability) is found[-1]
    assert 10 < sum(found) < 50


def test_penalty_free_fit_solves_the_score_equations() -> None:
    draw = np.random.default_rng(5)
    columns = draw.normal(size=(300, 4)) * [1, 1e3, 1e-3, 1]
    label = (draw.random(300) < 1 / (1 + np.exp(-columns[:, 0]))).astype(float)
    probability = fitted_probabilities(basis(columns), label, np.ones(300))
    design = np.column_stack([np.ones(300), columns])
    np.testing.assert_allclose((label - probability) @ design / np.abs(design).sum(axis=0), 0, atol=1e-13)


def test_equal_records_are_fitted_together_and_the_answer_is_that_of_the_single_ones() -> None:
    draw = np.random.default_rng(6)
    columns = draw.integers(0, 3, (200, 3)).astype(float)
    label = draw.integers(0, 2, 200).astype(float)
    one_by_one = fitted_probabilities(basis(columns), label, np.ones(200))
    rows, member = np.unique(columns, axis=0, return_inverse=True)
    count, ones = np.bincount(member.ravel()), np.bincount(member.ravel(), label)
    together = fitted_probabilities(basis(rows), ones, count.astype(float))
    np.testing.assert_allclose(together[member.ravel()], one_by_one, rtol=1e-10)
    frames = [pd.DataFrame(columns[label == k], columns=list("abc")) for k in (0, 1)]
    expected = np.mean((one_by_one - label.mean()) ** 2)
    assert pmse(*frames).pmse[0] == pytest.approx(expected, rel=1e-10)


def test_redundant_columns_do_not_count() -> None:
    one, other = normal(1), normal(2)
    doubled = [f.assign(twice=2 * f["x"] + 1, constant=3.0) for f in (one, other)]
    plain, wide = pmse(one, other), pmse(*doubled)
    assert wide.n_parameters[0] == plain.n_parameters[0] == 5
    assert wide.pmse[0] == pytest.approx(plain.pmse[0], rel=1e-9)


def test_unchanged_variables_are_taken_off_the_null() -> None:
    confidential = normal(1)
    synthetic = confidential.assign(y=normal(2)["y"])
    changed = pmse(confidential, synthetic)
    assert changed.n_parameters[0] == 5
    assert changed.null_df[0] == 1
    every = pmse(confidential, synthetic, null_parameters="all")
    assert every.null_df[0] == 4
    assert every.ratio[0] == pytest.approx(changed.ratio[0] / 4)


def test_analytic_null_holds_for_a_correct_synthesizer() -> None:
    # Synthetic values from the distribution fitted to the confidential data; chi-squared with 2 df.
    draw = np.random.default_rng(11)
    confidential = pd.DataFrame(draw.normal(size=(300, 2)), columns=["x", "y"])
    mean, cov = confidential.mean(), np.cov(confidential.T, ddof=0)
    releases = [pd.DataFrame(draw.multivariate_normal(mean, cov, 200), columns=["x", "y"]) for _ in range(400)]
    result = pmse(confidential, releases)
    # mean of 400 chi-squared(2)/2: standard error 0.05
    assert result.ratio.mean() == pytest.approx(1, abs=0.2)
    assert result.standardised.std() == pytest.approx(1, abs=0.3)
    permuted = pmse(confidential, releases[:3], null="permutation", permutations=300, rng=1)
    np.testing.assert_allclose(permuted.null_mean, result.null_mean[:3], rtol=0.2)
    np.testing.assert_allclose(permuted.null_sd, result.null_sd[:3], rtol=0.3)


def test_permutation_keeps_unchanged_variables_balanced() -> None:
    confidential = normal(1)
    releases = [confidential.assign(y=np.random.default_rng(s).normal(size=400)) for s in range(3)]
    analytic = pmse(confidential, releases)
    permuted = pmse(confidential, releases, null="permutation", permutations=200, rng=1)
    np.testing.assert_allclose(permuted.null_mean, analytic.null_mean, rtol=0.35)


def test_tree_finds_what_a_straight_line_cannot() -> None:
    draw = np.random.default_rng(3)
    ring = draw.choice([-1.0, 1.0], 500) * draw.normal(2, 0.2, 500)
    confidential = pd.DataFrame({"x": ring})
    synthetic = pd.DataFrame({"x": draw.normal(0, 2, 500)})
    tree = pmse(confidential, synthetic, model="cart", permutations=20, rng=1)
    line = pmse(confidential, synthetic)
    assert line.ratio[0] < 10
    assert tree.ratio[0] > 10
    assert tree.pmse[0] > 0.1
    assert tree.null == "permutation"
    assert tree.null_values.shape == (1, 20)
    assert tree.n_parameters.tolist() == [0]


def test_same_seed_same_numbers_and_first_datasets_do_not_depend_on_m() -> None:
    confidential, releases = normal(1), [normal(s) for s in (2, 3, 4)]
    several = pmse(confidential, releases, model="cart", permutations=5, rng=7)
    fewer = pmse(confidential, releases[:2], model="cart", permutations=5, rng=7)
    np.testing.assert_array_equal(several.null_values[:2], fewer.null_values)
    np.testing.assert_array_equal(several.pmse[:2], fewer.pmse)


def test_codes_can_be_declared_categories() -> None:
    one = pd.DataFrame({"code": [1, 1, 2, 2, 3, 3, 1, 2]})
    other = pd.DataFrame({"code": [1, 2, 2, 3, 3, 3, 1, 2]})
    assert pmse(one, other).n_parameters[0] == 2
    assert pmse(one, other, categorical=["code"]).n_parameters[0] == 3


def test_missing_values_are_an_error_or_a_category() -> None:
    one, other = normal(1, 60), normal(2, 60)
    one.loc[:9, "x"], other.loc[:9, "group"], one.loc[5:9, "group"] = np.nan, None, None
    with pytest.raises(MissingValueError, match="column 'x' has 10 missing values; use missing=\"category\""):
        pmse(one, other)
    other.loc[[1, 2, 20, 21, 22], "x"] = np.nan
    result = pmse(one, other, missing="category")
    # constant, x, x missing, two groups and the missing one, y
    assert result.n_parameters[0] == 7
    assert np.isfinite(result.pmse[0])


def test_nothing_changed_is_undefined() -> None:
    with pytest.warns(UndefinedStatisticWarning, match="ratio or the standardized pMSE is undefined"):
        result = pmse(normal(1), normal(1))
    assert result.pmse[0] == pytest.approx(0, abs=1e-20)
    assert np.isnan(result.ratio[0])
    assert np.isnan(result.standardised[0])


def test_one_pair_has_no_spread(confidential, releases) -> None:
    with pytest.warns(UndefinedStatisticWarning):
        result = pmse(confidential, releases["full"][:2], null="pairs")
    assert np.isfinite(result.ratio).all()
    assert np.isnan(result.standardised).all()


def test_bad_input(small) -> None:
    with pytest.raises(InputError, match="model='forest'"):
        pmse(small, small, model="forest")
    with pytest.raises(InputError, match="a tree has no analytic null"):
        pmse(small, small, model="cart", null="analytic")
    with pytest.raises(InputError, match="order=2: products of variables"):
        pmse(small, small, model="cart", order=2)
    with pytest.raises(InputError, match="needs m >= 2"):
        pmse(small, small, null="pairs")
    with pytest.raises(InputError, match="order=9"):
        pmse(small, small, order=9)
    with pytest.raises(InputError, match="permutations=1"):
        pmse(small, small, permutations=1)
    with pytest.raises(InputError, match="parameters for 16 stacked records"):
        pmse(small, small.assign(income=small["income"] + 1), categorical=["income"])
    with pytest.raises(InputError, match="categorical: 'wage' not in confidential"):
        pmse(small, small, categorical=["wage"])
    with pytest.raises(InputError, match="infinite values"):
        pmse(small, small.assign(income=np.inf))
    with pytest.raises(InputError, match="a seed must be >= 0"):
        pmse(small, small, null="permutation", rng=-1)


def test_column_names_are_never_evaluated(small) -> None:
    synthetic = small.assign(**{"__import__('os')": small["__import__('os')"].to_numpy()[::-1]})
    result = pmse(small, synthetic, variables=["__import__('os')", "income"])
    assert np.isfinite(result.pmse[0])
    assert result.null_df[0] == 1


@pytest.mark.parametrize(
    ("k", "order", "terms", "left_out"),
    [
        (1, 1, "main effects of 1 variable", ()),
        (2, 1, "main effects of 2 variables", ("the product of two variables",)),
        (2, 2, "main effects of 2 variables, the product of two variables", ()),
        (4, 1, "main effects of 4 variables", ("the 6 products of two variables", "products of three or more variables")),
        (
            4, 2, "main effects of 4 variables, the 6 products of two variables",
            ("the 4 products of three variables", "the product of four variables"),
        ),
    ],
)  # fmt: skip
def test_it_says_which_terms_it_used_and_which_it_left_out(k, order, terms, left_out) -> None:
    draw = np.random.default_rng(1)
    frames = [pd.DataFrame(draw.normal(size=(80, k)), columns=list("abcd"[:k])) for _ in range(2)]
    result = pmse(*frames, order=order)
    assert (result.terms, result.left_out) == (terms, left_out)
    for text in left_out:
        assert text in str(result)
        assert text in result._repr_html_()
    assert ("Left out" in str(result)) == bool(left_out)


def test_redundant_columns_are_named_by_their_terms() -> None:
    frames = [normal(seed).assign(z=lambda f: 2 * f["x"], constant=1.0) for seed in (1, 2)]
    left_out = pmse(*frames).left_out
    assert left_out[2:] in (
        ("x (redundant)", "constant (redundant)"),
        ("z (redundant)", "constant (redundant)"),
    )
    # a cell that does not occur: its indicator is constant
    town = normal(3).assign(side=lambda f: np.where(f["group"] == "a", "left", "right"))
    with pytest.warns(SeparationWarning, match="dataset 1:"):
        result = pmse(town, [normal(4).assign(side=town["side"]), town.sample(frac=1, random_state=1)], order=2)
    assert result.n_parameters[0] > result.n_parameters[1]
    assert any(
        text.startswith("up to ") and text.endswith("columns of group x side (redundant)") for text in result.left_out
    )
    assert pmse(*frames, model="cart", permutations=2, rng=1).left_out == ()
    assert pmse(*frames, model="cart", permutations=2, rng=1).terms == "5 variables; a tree finds their products itself"
