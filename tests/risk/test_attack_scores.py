"""The numbers every attack shares: means, the crossed variance, intervals and the warning."""

from __future__ import annotations

import numpy as np
import pytest

from synthlab.exceptions import NoBetterThanBaselineWarning
from synthlab.risk._attack_result import scores_of


def test_one_dataset_is_a_proportion():
    scores = scores_of(np.array([[1.0], [1.0], [0.0], [0.0]]), np.full((4, 1), 0.25), 0.95)
    # Variance of a mean of 0/1 with n - 1: p (1 - p) / 3, worth three independent people.
    assert scores.variance(scores.attack) == pytest.approx(0.25 / 3)
    z = 1.959963984540054
    centre, half = (1.5 + z**2 / 2) / (3 + z**2), z * np.sqrt(3 * 0.25 + z**2 / 4) / (3 + z**2)
    assert scores.interval(scores.attack) == pytest.approx((centre - half, centre + half))
    # The same chance for everybody before the release: the interval of the attack, shifted.
    assert scores.excess_interval() == pytest.approx((centre - half - 0.25, centre + half - 0.25))


def test_crossed_variance_by_hand():
    # Row means 1, 0.5, 0; column means 2/3, 1/3: mean squares 1/2, 1/6 and 1/6.
    attack = np.array([[1.0, 1.0], [1.0, 0.0], [0.0, 0.0]])
    scores = scores_of(attack, np.zeros((3, 1)), 0.95)
    rows = 2 * (0.25 + 0 + 0.25) / 2
    columns = 3 * 2 * (1 / 6) ** 2 / 1
    left = (4 * (1 / 6) ** 2 + 2 * (1 / 3) ** 2) / 2
    assert scores.variance(attack) == pytest.approx((rows + columns - left) / 6)
    assert (rows, columns, left) == pytest.approx((1 / 2, 1 / 6, 1 / 6))


def test_datasets_that_happen_to_agree_make_nobody_more_certain():
    attack = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.0, 0.0]])
    scores = scores_of(attack, np.zeros((4, 1)), 0.95)
    # The two columns have the same mean, rows and what is left have mean squares 1/3 and 1/3.
    assert scores.variance(attack) == pytest.approx((1 / 3) / 8)


def test_shared_luck_of_a_dataset_does_not_average_out_over_people():
    rng = np.random.default_rng(1)
    luck = rng.uniform(0.3, 0.7, size=10)
    attack = np.broadcast_to(luck, (5000, 10))
    scores = scores_of(attack, np.zeros((5000, 1)), 0.95)
    assert scores.variance(scores.attack) == pytest.approx(luck.var(ddof=1) / 10)


def test_the_interval_covers():
    rng = np.random.default_rng(2)
    hits = 0
    for _ in range(300):
        person, dataset = rng.beta(2, 3, size=(60, 1)), rng.normal(0, 0.05, size=(1, 12))
        scores = scores_of((rng.random((60, 12)) < person + dataset).astype(float), np.zeros((60, 1)), 0.95)
        low, high = scores.interval(scores.attack)
        hits += low <= 0.4 <= high
    assert 0.90 < hits / 300 < 0.99


def test_weights_make_a_ratio():
    attack = np.array([[1.0], [0.0], [0.5]])
    scores = scores_of(attack, np.zeros((3, 1)), 0.95, np.array([[2.0], [1.0], [0.0]]))
    assert scores.mean(scores.attack) == pytest.approx(2 / 3)
    linear = 2 / 3 + np.array([2, 1, 0]) * (attack[:, 0] - 2 / 3)
    assert scores.variance(scores.attack) == pytest.approx(linear.var(ddof=1) / 3)


def test_certain_success_keeps_a_width():
    scores = scores_of(np.ones((20, 3)), np.ones((20, 1)), 0.95)
    low, high = scores.interval(scores.attack)
    assert high == 1.0
    assert low == pytest.approx(20 / (20 + 1.959963984540054**2))
    with pytest.warns(NoBetterThanBaselineWarning, match="this attack is right with probability 1 on average"):
        scores.warn_if_useless("this attack")
    same = scores_of(np.full((20, 3), 0.25), np.zeros((20, 1)), 0.95)
    assert same.interval(same.attack) == (0.25, 0.25)
    alone = scores_of(np.ones((1, 1)), np.zeros((1, 1)), 0.95)
    assert np.isnan(alone.interval(alone.attack)).all()


def simulated_scores(rng, n, m, p, baseline):
    """People with probabilities of their own about p (beta, intraclass correlation 0.3), crossed with m datasets."""
    own = rng.beta(p / 0.3 * 0.7, (1 - p) / 0.3 * 0.7, n)[:, None]
    attack = rng.random((n, m)) < own
    if baseline == "none":
        return scores_of(attack, np.zeros((n, 1)), 0.95), p
    if baseline == "one chance in G":
        return scores_of(attack, np.full((n, 1), p / 2), 0.95), p / 2
    easy = rng.random((n, 1)) < 0.5  # right about half of those the attack is right about
    return scores_of(attack, attack & easy, 0.95), p / 2


def test_the_interval_of_the_excess_holds_its_level():
    rng = np.random.default_rng(20260)
    runs, hits = 60, {}
    for baseline in ("none", "one chance in G", "paired"):
        for p in (0.005, 0.02, 0.1, 0.5):
            for n, m in ((50, 1), (50, 5), (1000, 1), (1000, 5)):
                covered = 0
                for _ in range(runs):
                    scores, truth = simulated_scores(rng, n, m, p, baseline)
                    low, high = scores.excess_interval()
                    covered += low <= truth <= high
                hits[baseline, p, n, m] = covered
    # Counts are whole, so that even the exact level of Wilson's interval swings between 0.90 and 1 where hits are few.
    assert min(hits.values()) / runs >= 0.90 - 4.0 * np.sqrt(0.90 * 0.10 / runs)
    standard_error = np.sqrt(0.95 * 0.05 / runs)
    for baseline in ("none", "one chance in G", "paired"):
        for p in (0.005, 0.02, 0.1, 0.5):
            some = [h for key, h in hits.items() if key[:2] == (baseline, p)]
            assert np.mean(some) / runs >= 0.95 - 3.5 * standard_error / 2


def test_the_interval_of_the_excess_is_newcombes():
    """20 right in both, 12 by the attack alone, 2 by the baseline alone, 16 in neither: published 0.0618 to 0.3242."""
    both, one, other, neither = 20, 12, 2, 16
    attack = np.repeat([1.0, 1.0, 0.0, 0.0], [both, one, other, neither])[:, None]
    baseline = np.repeat([1.0, 0.0, 1.0, 0.0], [both, one, other, neither])[:, None]
    found = scores_of(attack, baseline, 0.95).excess_interval()
    expected = {}
    for people in (49, 50):  # variances with n - 1 are worth one person less
        z, p, q = 1.959963984540054, 0.64, 0.44
        (low, high), (below, above) = (
            (
                (people * s + z**2 / 2 - z * np.sqrt(people * s * (1 - s) + z**2 / 4)) / (people + z**2),
                (people * s + z**2 / 2 + z * np.sqrt(people * s * (1 - s) + z**2 / 4)) / (people + z**2),
            )
            for s in (p, q)
        )
        phi = (both * neither - one * other) / np.sqrt(
            (both + one) * (other + neither) * (both + other) * (one + neither)
        )
        down = np.sqrt((p - low) ** 2 + (above - q) ** 2 - 2 * phi * (p - low) * (above - q))
        up = np.sqrt((high - p) ** 2 + (q - below) ** 2 - 2 * phi * (high - p) * (q - below))
        expected[people] = (0.2 - down, 0.2 + up)
    assert expected[50] == pytest.approx((0.0618, 0.3242), abs=5e-4)
    assert found == pytest.approx(expected[49])


def test_no_hit_at_all_still_has_an_interval():
    scores = scores_of(np.zeros((50, 2)), np.zeros((50, 1)), 0.95)
    low, high = scores.excess_interval()
    assert low == pytest.approx(-high)
    assert high == pytest.approx(1.96**2 / (50 + 1.96**2), rel=1e-3)
    # Targets left out of the mean are no evidence.
    weight = np.repeat([[1.0], [0.0]], 25, axis=0) * np.ones((50, 2))
    fewer = scores_of(np.zeros((50, 2)), np.zeros((50, 1)), 0.95, weight)
    assert fewer.interval(fewer.attack)[1] == pytest.approx(1.96**2 / (25 + 1.96**2), rel=1e-3)
