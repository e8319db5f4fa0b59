"""The audit: too little noise is caught, enough is not accused, and the bounds are Clopper and Pearson's."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from synthlab import dp
from synthlab.exceptions import InputError

WITH, WITHOUT = [30, 41, 55], [30, 41]


def count(scale):
    return lambda ages, rng: len(ages) + rng.laplace(0, scale)


def test_half_the_noise_is_caught_and_the_right_noise_passes():
    right = dp.audit_epsilon(count(1.0), WITH, WITHOUT, epsilon=1.0, runs=8000, rng=1)
    wrong = dp.audit_epsilon(count(0.5), WITH, WITHOUT, epsilon=1.0, runs=8000, rng=1)
    assert not right.violated
    assert 0.7 < right.epsilon_lower < 1.0
    assert wrong.violated
    assert 1.6 < wrong.epsilon_lower < 2.0
    assert "refuted, for" in str(wrong)
    assert "does not prove it" in str(right)


def test_the_mechanisms_of_the_package_pass():
    def noisy_count(ages, rng):
        return dp.private_count(np.array(ages) > 0, epsilon=1.0, rng=rng).value

    def noisy_choice(ages, rng):
        return dp.private_quantile(ages, low=0, high=100, step=20, epsilon=1.0, rng=rng).value

    for mechanism in (noisy_count, noisy_choice):
        assert not dp.audit_epsilon(mechanism, WITH, WITHOUT, epsilon=1.0, runs=800, rng=2).violated


def test_a_right_mechanism_is_accused_no_oftener_than_the_level_says():
    accused = [
        dp.audit_epsilon(count(1.0), WITH, WITHOUT, epsilon=1.0, runs=600, level=0.9, rng=s).violated
        for s in range(120)
    ]
    # at most 10%; 120 runs with 10% give more than 24 with probability below 0.001
    assert sum(accused) <= stats.binom.ppf(0.999, 120, 0.1)


def test_a_domain_read_from_the_data_is_caught():
    """The range of the histogram gives the oldest person away, whatever noise is added to the counts."""

    def oldest_cell(ages, rng):
        return f"{max(ages)} and under: {len(ages) + rng.laplace(0, 10):.0f}".split(":")[0]

    audit = dp.audit_epsilon(oldest_cell, WITH, WITHOUT, epsilon=0.1, runs=400, rng=3)
    assert audit.violated
    assert audit.epsilon_observed == np.inf
    assert audit.hits == (200, 0)
    assert audit.event == "output = '55 and under'"


def test_an_answer_without_noise_that_hides_in_noise_is_caught():
    """One run in ten releases the exact count: no half-line shows it, the single value does."""

    def leaky(ages, rng):
        return float(len(ages)) if rng.random() < 0.1 else len(ages) + rng.laplace(0, 1)

    audit = dp.audit_epsilon(leaky, WITH, WITHOUT, epsilon=1.0, runs=4000, rng=4)
    assert audit.violated
    assert audit.event.startswith("output = ")


def test_the_wrong_adjacency_is_caught():
    """A histogram of two cells with noise of scale 1 / epsilon: right for one record more, half for one replaced."""
    pair = ([1, 1, 2], [1, 2, 2])

    noise = dp.LaplaceMechanism(2.0, dp.histogram_sensitivity())

    def difference(values, rng):
        counts = noise.add_noise([values.count(1), values.count(2)], rng=rng)
        return float(counts[0] > 1.5) + float(counts[1] < 1.5)

    audit = dp.audit_epsilon(difference, *pair, epsilon=2.0, adjacency="replace", runs=6000, rng=5)
    assert audit.violated
    assert not dp.audit_epsilon(difference, *pair, epsilon=4.0, adjacency="replace", runs=2000, rng=5).violated


def test_the_bounds_are_those_of_scipy():
    audit = dp.audit_epsilon(count(1.0), WITHOUT, WITH, epsilon=1.0, runs=1000, level=0.95, rng=6)
    for hits, bound in zip(audit.hits, audit.bounds, strict=True):
        exact = stats.binomtest(hits, 500).proportion_ci(0.95, method="exact")
        assert bound == pytest.approx((exact.low, exact.high))
    assert audit.epsilon_lower == pytest.approx(np.log(audit.bounds[0][0] / audit.bounds[1][1]))
    assert audit.epsilon_observed == pytest.approx(np.log(audit.hits[0] / audit.hits[1]))
    assert audit.to_frame()["runs"].tolist() == [500]


def test_no_difference_gives_zero():
    audit = dp.audit_epsilon(lambda ages, rng: rng.random(), WITH, WITHOUT, epsilon=0.5, runs=400, rng=7)
    assert audit.epsilon_lower < 0.2
    same = dp.audit_epsilon(lambda ages, rng: "nothing", WITH, WITHOUT, epsilon=0.5, runs=400, rng=7)
    assert same.epsilon_lower == 0.0
    assert same.hits == (200, 200)


def test_the_same_seed_gives_the_same_audit():
    one, other = (dp.audit_epsilon(count(1.0), WITH, WITHOUT, epsilon=1.0, runs=400, rng=8) for _ in range(2))
    assert one.to_frame().equals(other.to_frame())


def test_bad_input():
    with pytest.raises(
        InputError, match="neighbor: database and neighbor are not databases that differ by one record more or less"
    ):
        dp.audit_epsilon(count(1), WITH, [30], epsilon=1.0)
    with pytest.raises(InputError, match="mechanism: must be callable"):
        dp.audit_epsilon(3, WITH, WITHOUT, epsilon=1.0)
    with pytest.raises(InputError, match="runs=50"):
        dp.audit_epsilon(count(1), WITH, WITHOUT, epsilon=1.0, runs=50)
    with pytest.raises(InputError, match="not finite"):
        dp.audit_epsilon(lambda ages, rng: float("nan"), WITH, WITHOUT, epsilon=1.0, runs=100)
    with pytest.raises(InputError, match="mechanism: returned list; it must return one finite number"):
        dp.audit_epsilon(lambda ages, rng: [1], WITH, WITHOUT, epsilon=1.0, runs=100)
    with pytest.raises(InputError, match="level"):
        dp.audit_epsilon(count(1), WITH, WITHOUT, epsilon=1.0, level=1.0)


def test_lists_of_lists_are_no_output():
    with pytest.raises(InputError, match="mechanism: returned list; it must return one finite number"):
        dp.audit_epsilon(lambda ages, rng: [[1], 2], WITH, WITHOUT, epsilon=1.0, runs=100)
