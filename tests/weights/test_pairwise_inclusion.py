"""Weights from pairwise inclusion probabilities, against all samples of small populations."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab.exceptions import InputError
from synthlab.weights import joint_inclusion, pairwise_inclusion_weights

PEOPLE = pd.DataFrame(
    {
        "stratum": ["a"] * 5 + ["b"] * 4,
        "cluster": [1, 1, 2, 3, 3, 4, 5, 5, 6],
        "clusters": [3] * 5 + [4] * 4,
        "y": [1.0, 4.0, 2.0, 8.0, 5.0, 7.0, 1.0, 1.0, 3.0],
    }
)
PEOPLE.loc[9] = ["b", 7, 4, 6.0]
DESIGN = sl.SurveyDesign(strata="stratum", clusters="cluster", fpc="clusters")
# 2 of 3 and 3 of 4 clusters in the two strata, all equally likely.
SAMPLES = [
    PEOPLE[PEOPLE["cluster"].isin([*one, *two])]
    for one, two in product(combinations([1, 2, 3], 2), combinations([4, 5, 6, 7], 3))
]


def test_joint_probabilities_are_those_of_all_samples() -> None:
    inside = np.array([PEOPLE.index.isin(s.index) for s in SAMPLES])
    exact = (inside[:, :, None] & inside[:, None, :]).mean(axis=0)
    for sample in SAMPLES:
        np.testing.assert_allclose(joint_inclusion(sample, DESIGN), exact[np.ix_(sample.index, sample.index)])


def test_weighted_totals_are_unbiased_over_all_samples() -> None:
    totals, sizes = [], []
    for sample in SAMPLES:
        w = pairwise_inclusion_weights(joint_inclusion(sample, DESIGN), population=10)
        totals.append(w @ sample["y"])
        sizes.append(w.sum())
    assert np.mean(totals) == pytest.approx(PEOPLE["y"].sum())
    assert np.mean(sizes) == pytest.approx(10)


def test_unbiased_for_any_design() -> None:
    # Every subset of at least two of five records has its own probability.
    rng, y = np.random.default_rng(1), np.array([3.0, 1.0, 4.0, 1.0, 5.0])
    subsets = [s for size in (2, 3, 4, 5) for s in combinations(range(5), size)]
    p = rng.dirichlet(np.ones(len(subsets)))
    inside = np.array([[i in s for i in range(5)] for s in subsets])
    joint = np.einsum("s,si,sj->ij", p, inside, inside)
    mean = 0.0
    for s, chance in zip(subsets, p, strict=True):
        mean += chance * (pairwise_inclusion_weights(joint[np.ix_(s, s)], population=5) @ y[list(s)])
    assert mean == pytest.approx(y.sum())


def test_simple_random_and_poisson_samples() -> None:
    n, N = 4, 10
    frame = pd.DataFrame({"x": range(n), "size": N, "w": N / n})
    pi = joint_inclusion(frame, sl.SurveyDesign(fpc="size", weights="w"))
    np.testing.assert_allclose(pairwise_inclusion_weights(pi, population=N), N / n)
    np.testing.assert_allclose(pairwise_inclusion_weights(pi), N / n)  # the estimate of N is exact here
    first = np.array([0.2, 0.5, 1.0])
    poisson = np.outer(first, first)
    np.fill_diagonal(poisson, first)
    found = pairwise_inclusion_weights(poisson)
    np.testing.assert_allclose(found, (1 / first) * ((1 / first).sum() - 1 / first) / ((1 / first).sum() - 1))


def test_the_weights_enter_the_pseudo_likelihood() -> None:
    sample = SAMPLES[0]
    w = pairwise_inclusion_weights(joint_inclusion(sample, DESIGN), population=10)
    frame = sample[["y"]].assign(w=w)
    fit = sl.NormalRegression("y ~ 1").fit(frame, design=sl.SurveyDesign(weights="w"), draws=200, rng=1)
    share = w * len(w) / w.sum()
    np.testing.assert_allclose(fit.weights, share)
    np.testing.assert_allclose(fit.pseudo_log_likelihood(), share * fit.log_likelihood())


def test_wrong_designs_and_matrices() -> None:
    alone = PEOPLE[PEOPLE["cluster"].isin([1, 4, 5])]
    for sample, design, match in (
        (PEOPLE, sl.SurveyDesign(clusters="cluster"), "fpc"),
        (alone, DESIGN, "one drawn cluster"),
        (SAMPLES[0], sl.SurveyDesign(strata="stratum", clusters="cluster", fpc="clusters", weights="y"), "weights"),
    ):
        with pytest.raises(InputError, match=match):
            joint_inclusion(sample, design)
    good = np.array([[0.5, 0.2], [0.2, 0.5]])
    for wrong, match in (
        (good[0], "shape"),
        (good[:1, :1], "shape"),
        (good - 0.2, r"\(0, 1\]"),
        (good + [[0.0, 0.1], [0.0, 0.0]], "symmetric"),
        (good + [[0.0, 0.4], [0.4, 0.0]], "more probable"),
        (good * np.nan, "inclusion"),
    ):
        with pytest.raises(InputError, match=match):
            pairwise_inclusion_weights(wrong)
    with pytest.raises(InputError, match="population"):
        pairwise_inclusion_weights(good, population=1.0)
