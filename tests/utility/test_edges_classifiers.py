"""Designs, classifiers and the nulls of pMSE at their edges, by sums over records and by all labellings."""

from __future__ import annotations

import itertools
import warnings
from math import comb
from typing import Any
from unittest.mock import MagicMock

import numpy as np
import pandas as pd
import pytest
import scipy.linalg
from sklearn.tree import DecisionTreeClassifier

from synthlab.exceptions import InputError, SeparationWarning, UndefinedStatisticWarning
from synthlab.utility import _design, _logistic, _orthogonal_columns, _pmse_null, pmse
from synthlab.utility._classifiers import LogisticClassifier, TreeClassifier
from synthlab.utility._coefficients import align, coefficients, given_fits, ratio_of
from synthlab.utility._design import _distinct, _products, _too_many, pmse_refuses, stack
from synthlab.utility._orthogonal_columns import Independent, independent
from synthlab.utility._presorted_tree import Presorted
from synthlab.utility._propensity_result import words_for_redundant, words_for_terms
from synthlab.utility.propensity import _warn

OURS = pd.DataFrame({"x": [1.0, 2.0, 4.0, 1.0], "c": list("abca"), "y": [0.0, 1.0, 0.0, 3.0]})
THEIRS = pd.DataFrame({"x": [1.0, 3.0, 4.0, 5.0], "c": list("abca"), "y": [1.0, 1.0, 2.0, np.nan]})


@pytest.mark.parametrize("every_level", [True, False])
@pytest.mark.parametrize("order", [1, 2, 3])
def test_a_design_column_by_column(every_level: bool, order: int) -> None:
    big = [pd.concat([f] * 8, ignore_index=True) for f in (OURS, THEIRS)]
    found = stack(*big, ["x", "c", "y"], categorical=[], order=order, every_level=every_level)
    both = pd.concat(big, ignore_index=True)
    x = (both["x"] - both["x"].mean()) / both["x"].std(ddof=0)
    y = (both["y"] - both["y"].mean()) / both["y"].std(ddof=0)
    single = {
        "x": [x],
        "c": [(both["c"] == v) * 1.0 for v in "abc"[not every_level :]],
        "y": [y.fillna(0.0), both["y"].isna() * 1.0],
    }
    terms = [t for k in range(1, order + 1) for t in itertools.combinations("xcy", k)]
    columns = [(t, np.prod(group, axis=0)) for t in terms for group in itertools.product(*(single[v] for v in t))]
    np.testing.assert_allclose(found.columns, np.column_stack([c for _, c in columns]), atol=1e-12)
    assert found.terms == tuple(terms)
    assert [found.terms[k] for k in found.term] == [t for t, _ in columns]
    assert found.changed.tolist() == [set(t) != {"c"} for t, _ in columns]  # the category is the same row by row
    assert found.label.tolist() == [0.0] * 32 + [1.0] * 32
    assert found.paired
    assert len(found.distinct) == len(both.drop_duplicates())
    assert not stack(OURS, THEIRS.iloc[:3], ["c"], categorical=[], order=1, every_level=True).paired
    assert stack(OURS, THEIRS, ["x"], categorical=["x"], order=1, every_level=True).columns.shape == (8, 5)


def test_redundant_columns_and_equal_rows() -> None:
    a = np.array([[0.0], [1.0], [2.0], [5.0]])
    found = independent(np.hstack([a, 2 * a + 1, np.zeros((4, 1)), a**2, np.ones((4, 1))]))
    assert found.basis.shape == (4, 3)
    assert len(found.dropped) == 3
    assert {2} < set(found.dropped.tolist())
    np.testing.assert_allclose(found.basis.T @ found.basis, 4 * np.eye(3), atol=1e-12)
    assert independent(np.hstack([np.zeros((4, 1)), a])).dropped.tolist() == [0]  # the first column counts as any other
    # The constant, a and a**2 are what there is; 2 a + 1 stands in for one of the first two.
    for columns, rank in (([0], 2), ([1], 2), ([0, 1], 2), ([2, 4], 1), ([0, 3], 3), ([0, 1, 2, 3, 4], 3), ([], 1)):
        assert found.rank(np.isin(np.arange(5), columns)) == rank
    kept, member = _distinct(np.array([[1.0, 0.0], [1.0, -0.0], [2.0, 1.0], [1.0, 0.0]]))
    assert member[0] == member[1] == member[3] != member[2]
    assert sorted(kept.tolist()) == [0, 2]
    assert [part.tolist() for part in _distinct(np.empty((3, 0)))] == [[0], [0, 0, 0]]
    for widths in ({"a": 1}, {"a": 2, "b": 3}, {"a": 2, "b": 3, "c": 1, "d": 4}):
        for order in range(1, len(widths) + 1):
            plain = sum(np.prod(g) for k in range(1, order + 1) for g in itertools.combinations(widths.values(), k))
            assert _products(widths, order) == plain


def test_a_large_design_of_clearly_independent_columns_has_the_same_span_and_the_same_fit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = np.random.default_rng(4)
    columns = np.column_stack([rng.normal(size=(300, 3)), rng.random((300, 4)) < 0.3, rng.lognormal(0, 1, 300)])
    label = (rng.random(300) < 0.5).astype(float)
    some = np.array([True, False, True, True, False, False, False, True])
    slow = independent(columns)
    turned = MagicMock(side_effect=scipy.linalg.qr)
    monkeypatch.setattr(scipy.linalg, "qr", turned)
    monkeypatch.setattr(_orthogonal_columns, "LARGE", 0)
    fast = independent(columns)
    turned.assert_not_called()
    np.testing.assert_allclose(fast.basis.T @ fast.basis, 300 * np.eye(9), atol=1e-8)
    np.testing.assert_allclose(slow.basis @ (slow.basis.T @ fast.basis) / 300, fast.basis, atol=1e-8)  # one space
    assert fast.dropped.tolist() == slow.dropped.tolist() == []
    assert fast.rank(some) == slow.rank(some) == 5
    fits = [_logistic.fitted_probabilities(one.basis, label, np.ones(300)) for one in (slow, fast)]
    np.testing.assert_allclose(*fits, rtol=1e-9)
    # A column that another one nearly tells is looked at as everywhere, and one that others tell is dropped.
    near = columns[:, :1] + 1e-7 * rng.normal(size=(300, 1))
    turned.reset_mock()
    assert independent(np.hstack([columns, near])).basis.shape == (300, 10)
    redundant = independent(np.hstack([columns, columns[:, :2].sum(axis=1, keepdims=True)]))
    assert turned.call_count == 2
    assert (redundant.basis.shape, len(redundant.dropped)) == ((300, 9), 1)


def test_limits_of_a_design(monkeypatch: pytest.MonkeyPatch) -> None:
    assert _too_many("c", 100, 200) is None
    assert "101 levels in 200 stacked records" in str(_too_many("c", 101, 200))
    assert _too_many("c", 200, 2000) is None
    assert _too_many("c", 201, 2000) is not None
    monkeypatch.setattr(_design, "MOST_BYTES", 8 * 8 * 3)
    assert _too_many("c", 3, 64 // 8) is None
    assert "GiB" in str(_too_many("c", 4, 8))
    _design._check_bytes({"a": 1}, 3, 8)
    with pytest.raises(InputError, match="a design of 8 rows and 4 columns"):
        _design._check_bytes({"a": 1}, 4, 8)
    _design._check_width({"a": 6}, 1, 8)
    with pytest.raises(InputError, match="8 parameters for 8 stacked records"):
        _design._check_width({"a": 7}, 1, 8)
    monkeypatch.undo()
    many = pd.DataFrame({"c": [f"v{i}" for i in range(101)]})
    assert "101 levels" in str(pmse_refuses(many, [many], "c"))
    assert pmse_refuses(many.iloc[:100], [many.iloc[:100]], "c") is None
    loose = pd.DataFrame({"c": [1, 2, "a"] * 5}, dtype=object)
    assert pmse_refuses(OURS, [OURS], "x", ["x"]) is None
    assert pmse_refuses(loose, [loose], "c", ["c"]) is None


def test_a_logistic_regression_solves_its_equations() -> None:
    rng = np.random.default_rng(2)
    basis = np.column_stack([np.ones(9), rng.normal(size=(9, 2))])
    count = rng.integers(3, 9, 9).astype(float)
    ones = np.minimum(rng.integers(1, 6, 9), count - 1).astype(float)
    p = _logistic.fitted_probabilities(basis, ones, count)
    np.testing.assert_allclose(basis.T @ (ones - count * p), 0.0, atol=1e-8)  # the score is 0
    logit = np.log(p / (1 - p))
    assert np.linalg.lstsq(basis, logit, rcond=None)[1].sum() < 1e-12  # and the log odds are linear
    flat = _logistic.fitted_probabilities(np.ones((2, 1)), np.array([1.0, 2.0]), np.array([4.0, 4.0]))
    assert flat.tolist() == pytest.approx([3 / 8, 3 / 8])
    eta = np.array([0.5, -2.0])
    plain = -2 * sum(
        o * np.log(1 / (1 + np.exp(-e))) + (n - o) * np.log(1 / (1 + np.exp(e)))
        for e, o, n in zip(eta, (1, 2), (4, 3), strict=True)
    )
    assert _logistic._deviance(eta, np.array([1.0, 2.0]), np.array([4.0, 3.0])) == pytest.approx(plain)


def test_separation_with_and_without_ties() -> None:
    x = np.array([0.0, 1.0, 2.0, 3.0])
    basis = np.column_stack([np.ones(4), x])
    one = np.ones(4)
    for ones, separated in (([0, 0, 1, 1], True), ([0, 1, 0, 1], False), ([0, 0, 0, 0], True), ([1, 0, 0, 0], True)):
        assert _logistic.is_separated(basis, np.array(ones, dtype=float), one) is separated
    assert _logistic.is_separated(basis, np.array([0.0, 1.0, 2.0, 2.0]), np.full(4, 2.0))  # both labels at x = 1: a tie
    assert not _logistic.is_separated(basis, np.array([0.0, 0.0, 1.0, 1.0]), one, np.full(4, 1e-3))
    p = _logistic.fitted_probabilities(basis, np.array([0.0, 0.0, 1.0, 1.0]), one)
    assert p.tolist() == pytest.approx([0, 0, 1, 1], abs=1e-6)
    member = np.array([0, 1, 1, 2, 3])
    classifier = LogisticClassifier(Independent(basis, np.empty(0, dtype=int), np.eye(2)), member)
    label = np.array([0.0, 1.0, 0.0, 1.0, 1.0])
    assert classifier.count.tolist() == [1, 2, 1, 1]
    assert classifier.ones(label).tolist() == [0, 1, 1, 1]
    predicted = classifier.predict(label)
    assert predicted[1] == predicted[2]
    assert classifier.separates(label, predicted)
    columns = Presorted.of(np.array([[0.0], [0.0], [1.0], [1.0], [1.0]]), np.random.default_rng(1))
    tree = TreeClassifier(columns, 2)
    assert tree.predict(np.array([0.0, 1.0, 1.0, 1.0, 0.0])).tolist() == pytest.approx([0.5, 0.5, 2 / 3, 2 / 3, 2 / 3])


@pytest.mark.parametrize("seed", range(8))
def test_the_tree_is_that_of_scikit_learn(seed: int) -> None:
    """Weights without ties leave one best split of each node."""
    rng = np.random.default_rng(seed)
    n, min_leaf = int(rng.integers(2, 400)), int(rng.integers(1, 30))
    measured, few = rng.normal(size=(n, 3)).round(seed % 3), rng.integers(0, 4, (n, 2))
    columns = np.column_stack([measured, few == 0, few == 1, np.ones(n)]).astype(np.float64)
    label, weights = rng.integers(0, 2, n).astype(np.float64), rng.uniform(0.5, 2, n)
    tree = TreeClassifier(Presorted.of(columns, rng), min_leaf, weights)
    peer = DecisionTreeClassifier(min_samples_leaf=min_leaf, random_state=seed)
    expected = peer.fit(columns, label, sample_weight=weights).predict_proba(columns)[:, -1]
    if label.any():
        np.testing.assert_allclose(tree.predict(label), expected, atol=1e-12)
    flipped = 1.0 - label  # the same columns serve every label
    np.testing.assert_allclose(tree.predict(flipped), 1.0 - tree.predict(label), atol=1e-12)


def test_pmse_of_one_category_by_its_shares() -> None:
    ours, theirs = pd.DataFrame({"c": list("aaabbbcc")}), pd.DataFrame({"c": list("aabccc")})
    released = [theirs, pd.DataFrame({"c": list("abbbbc")})]
    found = pmse(ours, released)
    c = 6 / 14
    for j, frame in enumerate(released):
        share = {v: (frame["c"] == v).sum() / ((frame["c"] == v).sum() + (ours["c"] == v).sum()) for v in "abc"}
        exact = np.mean([(share[v] - c) ** 2 for v in [*ours["c"], *frame["c"]]])
        assert found.pmse[j] == pytest.approx(exact, abs=1e-9)
        scale = (1 - c) ** 2 * c / 14
        assert (found.null_mean[j], found.null_sd[j]) == pytest.approx((2 * scale, 2 * scale))
        assert (found.n_parameters[j], found.null_df[j]) == (3, 2)
        assert found.to_frame().loc[j + 1, ["ratio", "standardised"]].tolist() == pytest.approx(
            [exact / (2 * scale), exact / (2 * scale) - 1], abs=1e-6
        )
    assert found.share_synthetic == c
    table = found.to_frame()
    for name in found.summary().index:
        assert found.summary().loc[name].tolist() == [table[name].mean(), table[name].min(), table[name].max()]
    assert found.title.startswith(
        "pMSE of a logistic regression with main effects in 1 variable, m = 2, share of synthetic records c = 0.4286, analytic null"
    )


@pytest.mark.filterwarnings("ignore::synthlab.exceptions.SynthlabWarning")
def test_pairs_and_permutations_have_their_scale() -> None:
    frames = [pd.DataFrame({"c": list(v)}) for v in ("aaabbb", "aabbbb", "aaaabb", "ababab")]
    found = pmse(frames[0], frames[1:], null="pairs")

    def plain(first: pd.DataFrame, second: pd.DataFrame, c: float) -> float:
        both = [*first["c"], *second["c"]]
        share = {v: (second["c"] == v).sum() / both.count(v) for v in "ab"}
        return float(np.mean([(share[v] - c) ** 2 for v in both]))

    pairs = [plain(a, b, 0.5) / 2 for a, b in itertools.combinations(frames[1:], 2)]
    assert found.null_values.tolist() == [pytest.approx(pairs, abs=1e-9)] * 3
    assert found.null_mean[0] == pytest.approx(np.mean(pairs))
    assert found.null_sd[0] == pytest.approx(np.std(pairs, ddof=1))
    shuffled = pmse(frames[0], frames[1].iloc[:4], null="permutation", permutations=300, rng=1)
    c, n_a = 0.4, 5
    law = []
    for k in range(max(0, 4 - 5), min(4, n_a) + 1):  # how many of the four labels fall on a
        a, b = k / n_a, (4 - k) / 5
        law.append((comb(n_a, k) * comb(5, 4 - k) / comb(10, 4), 0.5 * ((a - c) ** 2 + (b - c) ** 2) * (1 - c)))
    values = [v for _, v in law]
    assert all(min(abs(x - v) for v in values) < 1e-8 for x in shuffled.null_values[0])
    assert shuffled.null_mean[0] == pytest.approx(sum(p * v for p, v in law), rel=0.15)
    assert _pmse_null.spread(np.array([[1.0, 3.0], [2.0, 2.0]])).tolist() == pytest.approx([np.sqrt(2), 0.0])
    assert np.isnan(_pmse_null.spread(np.array([[1.0]]))).all()
    assert _pmse_null.mean_square(np.array([0.5, 1.0]), 0.25) == (0.0625 + 0.5625) / 2


def test_records_swap_with_their_twins_where_something_is_unchanged() -> None:
    stacked = stack(OURS, THEIRS, ["c", "x"], categorical=[], order=1)
    assert stacked.paired

    seen: list[np.ndarray] = []

    class Labels:
        weights = None

        def predict(self, label: np.ndarray) -> np.ndarray:
            seen.append(label)
            return np.full(8, 0.75)

    values = _pmse_null.permuted(stacked, Labels(), 40, np.random.default_rng(1))
    assert values.tolist() == [0.0625 * 0.5] * 40
    assert all((label[:4] + label[4:] == 1).all() for label in seen)
    assert len({tuple(label) for label in seen}) > 8
    design = independent(stacked.distinct)
    assert _pmse_null.unchanged_parameters(stacked, design, "changed") == 3  # the constant and two levels
    assert _pmse_null.unchanged_parameters(stacked, design, "all") == 1


def test_warnings_of_a_null() -> None:
    one = np.ones(2)
    for separated, mean, sd, categories in (
        ([False, False], one, one, []),
        ([False, True], one, one, [SeparationWarning]),
        ([False, False], np.array([1.0, 0.0]), one, [UndefinedStatisticWarning]),
        ([False, False], one, np.array([np.nan, 1.0]), [UndefinedStatisticWarning]),
    ):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            _warn(np.array(separated), mean, sd)
        assert [w.category for w in caught] == categories
    assert "in synthetic dataset 2:" in _separated()


def _separated() -> str:
    with pytest.warns(SeparationWarning) as caught:
        _warn(np.array([False, True]), np.ones(2), np.ones(2))
    return str(caught[0].message)


def test_what_is_left_out_in_words() -> None:
    assert words_for_terms(["a"], 1, "logistic") == ("main effects of 1 variable", ())
    assert words_for_terms(list("ab"), 1, "logistic") == (
        "main effects of 2 variables",
        ("the product of two variables",),
    )
    terms, left = words_for_terms(list("abcd"), 2, "logistic")
    assert terms == "main effects of 4 variables, the 6 products of two variables"
    assert left == ("the 4 products of three variables", "the product of four variables")
    assert words_for_terms(list("abcdefg"), 1, "logistic")[1] == (
        "the 21 products of two variables",
        "products of three or more variables",
    )
    assert words_for_terms(list("abc"), 1, "cart") == ("3 variables; a tree finds their products itself", ())
    lost: list[Any] = [{("a",): (1, 3), ("b",): (1, 1)}, {("a",): (2, 3)}]
    assert words_for_redundant(lost) == ("up to 2 of 3 columns of a (redundant)", "b (redundant)")
    assert words_for_redundant([{("a", "b"): (2, 4)}]) == ("2 of 4 columns of a x b (redundant)",)


def test_coefficients_of_what_a_caller_gives() -> None:
    table = coefficients({"a": (1.0, 2.0)}, 0.5, 0)
    assert table.loc["a"].tolist() == pytest.approx([1.0, 2.0, 1 - 2 * 0.6744897501960817, 1 + 2 * 0.6744897501960817])
    for bad, number, match in (
        ({"a": 1.0}, 0, "confidential: the mapping"),
        ({"a": ("x", 1)}, 2, "synthetic dataset 2: the mapping"),
        (3.0, 1, "synthetic dataset 1: float is neither"),
    ):
        with pytest.raises(InputError, match=match):
            coefficients(bad, 0.9, number)
    other = coefficients({"b": (0.0, 1.0), "a": (1.0, 1.0)}, 0.5, 1)
    with pytest.raises(InputError, match="'b' not in all of them"):
        align([table, other], aliases_allowed=False)
    with pytest.warns(UndefinedStatisticWarning, match="'b': the level does not occur"):
        first, rest = align([table, other], aliases_allowed=True)
    assert first.index.tolist() == rest[0].index.tolist() == ["a", "b"]
    assert np.isnan(first.loc["b", "estimate"])
    assert ratio_of([10, 5, 5]) == 0.5
    for sizes in ([10, 5, 6], [None, 5], [10, None]):
        assert ratio_of(sizes) is None
    assert given_fits("f", ["g", "h"]) == ["f", "g", "h"]
    assert given_fits("f", 3) == ["f", 3]
    with pytest.raises(InputError, match="m = 0 fitted models"):
        given_fits("f", [])
    with pytest.raises(InputError, match="give one of them"):
        given_fits(OURS, ["g"])
