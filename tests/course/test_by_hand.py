"""The functions a reader writes in lectures 4, 5 and 5b draw from the same distribution as the package."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab.exceptions import InputError, TruncationWarning
from synthlab.teaching.exercises import lecture_04, lecture_05, lecture_05b
from synthlab.teaching.labels import ACS, with_labels

COPIES = 300


@pytest.fixture(scope="module")
def people():
    frame = with_labels(sl.datasets.load("acs", version="simulated").frame)
    return frame.sample(1_000, random_state=1).reset_index(drop=True)


def agree(one, other, places=5):
    """Say whether two arrays of shape (datasets, statistics) have the same means and spreads, up to sampling variation."""
    one, other = np.asarray(one, dtype=float), np.asarray(other, dtype=float)
    error = np.sqrt(one.var(axis=0) / len(one) + other.var(axis=0) / len(other))
    near = np.abs(one.mean(axis=0) - other.mean(axis=0)) < places * error + 1e-12
    ratio = one.std(axis=0) / other.std(axis=0)
    return bool(near.all() and (np.abs(np.log(ratio)) < places / np.sqrt(len(one))).all())


def test_a_normal_regression_by_hand_equals_the_package():
    households = sl.datasets.load("ce_lecture", version="simulated").frame
    x = np.log(households["Income"]).to_numpy()
    fitted = sl.NormalRegression("Expenditure ~ log(Income)", transform="log").fit(households, rng=1)
    names = {"intercept": "intercept", "slope": "slopes", "sigma": "sigma"}
    posterior = {mine: np.ravel(fitted.posterior[theirs]) for mine, theirs in names.items()}
    by_hand = np.log(lecture_04.synthesize(x, posterior, COPIES, np.random.default_rng(1)))
    package = [np.log(one["Expenditure"].to_numpy()) for one in fitted.generate(m=COPIES, rng=2)]

    def facts(y):
        return [y.mean(), y.std(), np.polyfit(x, y, 1)[0]]

    assert agree([facts(y) for y in by_hand], [facts(y) for y in package])
    one_draw = {name: np.full(COPIES, values[0]) for name, values in posterior.items()}
    narrow = lecture_04.synthesize(x, one_draw, COPIES, np.random.default_rng(1))
    assert not agree([facts(np.log(y)) for y in narrow], [facts(y) for y in package])


def test_a_logistic_regression_by_hand_equals_the_package(people):
    fitted = sl.LogisticRegression("HICOV ~ SEX + MAR").fit(people, rng=1)
    x = pd.get_dummies(people[["SEX", "MAR"]], drop_first=True).to_numpy(dtype=float)
    by_hand = lecture_05.draw_logistic(x, fitted.posterior, COPIES, np.random.default_rng(1))
    package = [(one["HICOV"] == "not insured").to_numpy() for one in fitted.generate(m=COPIES, rng=2)]
    groups = people.groupby("MAR", observed=True).indices.values()
    assert agree([[y[g].mean() for g in groups] for y in by_hand], [[y[g].mean() for g in groups] for y in package])


@pytest.mark.parametrize("copies", [60, pytest.param(COPIES, marks=pytest.mark.full)])
def test_a_leaf_by_hand_equals_the_package(people, copies):
    fitted = sl.CART(["DIS"], predictors=["SEX", "MAR", "MIG"]).fit(people, rng=1)
    tree, y = fitted.trees[0], (people["DIS"] == "disability").to_numpy()
    sizes = np.diff(tree.start)
    leaf = np.empty(len(people), dtype=int)
    leaf[tree.records] = np.repeat(np.arange(sizes.size), sizes)
    rng = np.random.default_rng(1)
    by_hand = [lecture_05.draw_from_leaf(leaf, y, leaf, rng) for _ in range(copies)]
    package = [(one["DIS"] == "disability").to_numpy() for one in fitted.generate(m=copies, rng=2)]
    mixed = [k for k in range(sizes.size) if 0 < y[leaf == k].mean() < 1]
    assert len(mixed) > 3
    facts = [[[one[leaf == k].mean() for k in mixed] for one in both] for both in (by_hand, package)]
    assert agree(*facts)


@pytest.mark.parametrize(
    ("draws", "mean", "spread"), [(400, 0.006, 0.35), pytest.param(1_500, 0.003, 0.2, marks=pytest.mark.full)]
)
def test_two_classes_by_hand_equal_a_mixture_of_the_package_with_two(people, draws, mean, spread):
    columns = ["DIS", "LANX", "HICOV"]
    with pytest.warns(TruncationWarning):
        fitted = sl.DPMPM(columns, classes=2, a=1e6, b=1e6, thin=20).fit(
            people, rng=1, tune=400 * draws // 1_500, draws=draws
        )
    one_hot = pd.get_dummies(people[columns]).to_numpy(dtype=float)
    groups = np.kron(np.eye(3), np.ones((2, 2)))
    chain = lecture_05b.gibbs(one_hot, groups, 2, 400 + 40 * draws // 3, np.random.default_rng(1))[400:]

    def cells(pi, psi):
        return (psi[[0, 0, 2]] * psi[[2, 4, 4]]) @ pi

    by_hand = np.array([cells(*draw[:2]) for draw in chain])
    package = np.array([cells(*fitted.parameters(i)) for i in range(2 * draws)])
    assert np.abs(by_hand.mean(axis=0) - package.mean(axis=0)).max() < mean
    assert np.abs(by_hand.std(axis=0) / package.std(axis=0) - 1).max() < spread


def test_labels_are_in_the_order_of_the_codes():
    frame = sl.datasets.load("acs", version="simulated").frame
    labelled = with_labels(frame)
    assert set(ACS) == set(frame.columns)
    for name in ACS:
        assert (labelled[name].cat.codes.to_numpy() + 1 == frame[name].astype(int).to_numpy()).all()


def test_what_is_no_code_has_no_label():
    with pytest.raises(InputError, match=r"column 'SEX' must contain only the codes 1 to 2"):
        with_labels(pd.DataFrame({"SEX": [1, 2, 3]}))
