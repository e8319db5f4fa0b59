"""Laplace and exponential mechanism: scales and probabilities by hand, and the promise itself on a grid."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy import stats

from synthlab import dp
from synthlab.exceptions import InputError

positive = st.floats(0.01, 10)


def test_laplace_by_hand():
    noise = dp.LaplaceMechanism(epsilon=0.5, sensitivity=3)
    assert noise.scale == 6
    assert noise.std == pytest.approx(6 * np.sqrt(2))
    # P(|noise| > t) = exp(-t / scale)
    assert noise.margin(0.95) == pytest.approx(6 * np.log(20))
    assert noise.density([10.0, 16.0], 10.0) == pytest.approx([1 / 12, np.exp(-1) / 12])
    assert str(noise) == "Laplace noise of scale 6 (sensitivity 3 / epsilon 0.5)"


@settings(max_examples=50, deadline=None)
@given(positive, positive, st.floats(-100, 100), st.floats(-1, 1))
def test_the_promise_of_laplace_holds_everywhere(epsilon, sensitivity, answer, share):
    """The log ratio of the two densities never passes epsilon, and reaches it when the answers are as far apart as can be."""
    noise = dp.LaplaceMechanism(epsilon, sensitivity)
    at = answer + np.linspace(-20, 20, 201) * noise.scale
    ratio = np.log(noise.density(at, answer)) - np.log(noise.density(at, answer + share * sensitivity))
    assert ratio == pytest.approx([noise.log_ratio(x, answer, answer + share * sensitivity) for x in at], abs=1e-6)
    assert np.abs(ratio).max() <= epsilon * (1 + 1e-9)
    assert np.abs(ratio).max() == pytest.approx(epsilon * abs(share), rel=1e-6, abs=1e-9)


def test_the_noise_is_laplace_and_reproducible():
    noise = dp.LaplaceMechanism(epsilon=0.5)
    drawn = noise.add_noise(np.full(4000, 7.0), rng=1) - 7.0
    assert stats.kstest(drawn, stats.laplace(scale=2.0).cdf).pvalue > 0.001
    np.testing.assert_array_equal(drawn, noise.add_noise(np.full(4000, 7.0), rng=1) - 7.0)
    assert noise.add_noise(3, rng=1).shape == ()


def test_exponential_by_hand():
    # epsilon / (2 sensitivity) = log 2 a unit: weights 4, 2, 1 of 7
    mechanism = dp.ExponentialMechanism(epsilon=2 * np.log(2), sensitivity=1)
    assert mechanism.probabilities([2, 1, 0]) == pytest.approx([4 / 7, 2 / 7, 1 / 7])
    assert mechanism.probabilities([2, 1, 0], base=[1, 0, 4]) == pytest.approx([0.5, 0, 0.5])
    monotone = dp.ExponentialMechanism(epsilon=np.log(2), sensitivity=1, monotone=True)
    assert monotone.probabilities([2, 1, 0]) == pytest.approx([4 / 7, 2 / 7, 1 / 7])
    assert "2 x sensitivity 1" in str(mechanism)
    assert "2 x" not in str(monotone)
    # utilities in the thousands neither overflow nor underflow
    assert mechanism.probabilities([-5000, -5001]) == pytest.approx([2 / 3, 1 / 3])


@settings(max_examples=50, deadline=None)
@given(st.lists(st.integers(-20, 20), min_size=2, max_size=6), st.data(), positive, st.booleans())
def test_the_promise_of_the_exponential_mechanism(utility, data, epsilon, monotone):
    steps = st.integers(0, 1) if monotone else st.integers(-1, 1)
    moved = [u + data.draw(steps) for u in utility]
    mechanism = dp.ExponentialMechanism(epsilon, 1.0, monotone=monotone)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.log(mechanism.probabilities(utility)) - np.log(mechanism.probabilities(moved))
    assert np.nanmax(np.abs(ratio)) <= epsilon * (1 + 1e-9)


def test_without_the_two_a_choice_that_moves_both_ways_breaks_the_promise():
    wrong = dp.ExponentialMechanism(1.0, 1.0, monotone=True)
    ratio = np.log(wrong.probabilities([0, 5, 5])[0] / wrong.probabilities([1, 4, 4])[0])
    assert abs(ratio) > 1.9


def test_choose_follows_the_probabilities():
    mechanism = dp.ExponentialMechanism(epsilon=2 * np.log(2))
    rng = np.random.default_rng(3)
    chosen = np.bincount([mechanism.choose([2, 1, 0], rng=rng) for _ in range(3000)], minlength=3)
    assert stats.chisquare(chosen, 3000 * np.array([4, 2, 1]) / 7).pvalue > 0.001


def test_bad_input():
    for kind in (dp.LaplaceMechanism, dp.ExponentialMechanism):
        for bad in (0, -1, float("inf"), "1", None, True):
            with pytest.raises(InputError, match="epsilon"):
                kind(bad)
        with pytest.raises(InputError, match="sensitivity=0"):
            kind(1.0, 0)
    with pytest.raises(InputError, match="monotone"):
        dp.ExponentialMechanism(1.0, 1.0, monotone="yes")
    mechanism = dp.ExponentialMechanism(1.0)
    with pytest.raises(InputError, match="utility: must be one number per candidate"):
        mechanism.probabilities([])
    for base in ([1], [0, 0], [-1, 1]):
        with pytest.raises(InputError, match="base"):
            mechanism.probabilities([1, 2], base)
    with pytest.raises(InputError, match="level"):
        dp.LaplaceMechanism(1.0).margin(1.0)


def test_a_candidate_that_cannot_be_chosen_may_be_the_best():
    mechanism = dp.ExponentialMechanism(epsilon=1.0, sensitivity=1e-300)
    assert mechanism.probabilities([1e10, 0.0, 0.0], base=[0.0, 1.0, 3.0]).tolist() == pytest.approx([0.0, 0.25, 0.75])
