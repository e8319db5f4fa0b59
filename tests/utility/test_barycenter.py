from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from synthlab.exceptions import InputError, MissingValueError
from synthlab.utility import barycenter, bootstrap_statistic


def test_by_hand() -> None:
    # sorted values are averaged place by place
    result = barycenter([1.0, 2.0, 3.0], [[2.0, 0.0, 1.0], [4.0, 8.0, 6.0]], probabilities=3)
    assert result.probabilities.tolist() == [0.0, 0.5, 1.0]
    assert result.barycenter.tolist() == [2.0, 3.5, 5.0]
    # squared gaps to (1, 2, 3): 1, 2.25, 4, each of a third; the first dataset's are all 1
    assert result.distance == pytest.approx(np.sqrt((1 + 2.25 + 4) / 3))
    assert result.dataset_distance[0] == 1.0


def test_distance_of_samples_of_two_sizes_by_hand() -> None:
    # steps at 1/3, 1/2, 2/3: gaps 0 - 1, 0 - 2, 6 - 2, 6 - 3
    result = barycenter([1.0, 2.0, 3.0], [[6.0, 0.0]])
    assert result.distance == pytest.approx(np.sqrt(1 / 3 + 4 / 6 + 16 / 6 + 9 / 3))


def test_distance_of_skewed_samples_does_not_hang_on_the_grid() -> None:
    draw = np.random.default_rng(1)
    a, b = draw.lognormal(10, 1.2, (2, 5000))
    found = [barycenter(a, [b], probabilities=p) for p in (3, 201, 4001)]
    exact = np.sqrt(np.mean((np.sort(a) - np.sort(b)) ** 2))
    for each in found:
        assert each.distance == pytest.approx(exact, rel=1e-12)
        assert each.dataset_distance == pytest.approx([exact], rel=1e-12)


@given(
    st.lists(st.floats(-50, 50), min_size=1, max_size=8),
    st.lists(st.floats(-50, 50), min_size=1, max_size=8),
)
def test_distance_is_that_of_samples_repeated_to_one_size(a: list[float], b: list[float]) -> None:
    longer = np.sort(np.repeat(a, len(b))), np.sort(np.repeat(b, len(a)))
    assert barycenter(a, [b]).distance == pytest.approx(np.sqrt(np.mean(np.subtract(*longer) ** 2)), abs=1e-9)


@pytest.mark.parametrize("kind", ["partial", "full"])
def test_equals_r(confidential, releases, answer, kind) -> None:
    result = barycenter(confidential, releases[kind], variable="income", probabilities=11)
    expected = answer("barycenter", kind).droplevel("dataset")
    assert len(expected) == 11
    np.testing.assert_allclose(result.barycenter, expected, rtol=1e-12)
    of_all, *of_each = answer("barycenter_distance", kind)
    assert len(of_each) == result.m > 1
    assert result.distance == pytest.approx(of_all, rel=1e-10)
    np.testing.assert_allclose(result.dataset_distance, of_each, rtol=1e-10)


def test_of_normals_is_the_normal_with_averaged_mean_and_spread_not_the_mixture() -> None:
    from scipy import stats

    p = (np.arange(4000) + 0.5) / 4000
    samples = [stats.norm.ppf(p, mean, sd) for mean, sd in [(0, 1), (10, 3)]]
    result = barycenter(samples[0], samples, probabilities=4001)
    inside = slice(100, -100)
    np.testing.assert_allclose(result.barycenter[inside], stats.norm.ppf(result.probabilities[inside], 5, 2), atol=0.02)


@given(st.lists(st.floats(-50, 50), min_size=1, max_size=20), st.floats(-5, 5))
def test_of_shifted_copies_is_the_copy_in_the_middle(values: list[float], shift: float) -> None:
    x = np.array(values)
    result = barycenter(x, [x - shift, x + shift])
    np.testing.assert_allclose(result.barycenter, result.confidential, atol=1e-9)
    np.testing.assert_allclose(result.dataset_distance, abs(shift), atol=1e-9)
    assert result.distance == pytest.approx(0, abs=1e-9)


def test_takes_resampled_statistics(confidential, releases) -> None:
    drawn = bootstrap_statistic(confidential, releases["partial"], variable="income", resamples=200, rng=1)
    result = barycenter(drawn.confidential_draws, drawn.draws)
    assert result.m == 4
    spread = np.quantile(drawn.draws, 0.975) - np.quantile(drawn.draws, 0.025)
    assert np.diff(np.interp([0.025, 0.975], result.probabilities, result.barycenter))[0] < spread


def test_bad_input(small) -> None:
    with pytest.raises(InputError, match="probabilities=1"):
        barycenter([1.0], [[1.0]], probabilities=1)
    with pytest.raises(InputError, match=r"variable=\['income'\]: must be the name of one column"):
        barycenter(small, small, variable=["income"])
    with pytest.raises(InputError, match="confidential: is a DataFrame; name the variable"):
        barycenter(small, [[1.0]])
    with pytest.raises(InputError, match="synthetic: must be a sequence of m >= 1 samples"):
        barycenter([1.0], [1.0, 2.0])
    with pytest.raises(InputError, match="synthetic: must be a sequence of m >= 1 samples"):
        barycenter([1.0], small)
    with pytest.raises(InputError, match="synthetic sample 2: must be a non-empty list of finite numbers"):
        barycenter([1.0], [[1.0], [np.nan]])
    with pytest.raises(InputError, match="confidential: must be numbers"):
        barycenter(["a"], [[1.0]])
    with pytest.raises(InputError, match="column 'sex' is .*, not numeric"):
        barycenter(small, small, variable="sex")
    with pytest.raises(MissingValueError, match="column 'income'"):
        barycenter(small, small.assign(income=[np.nan, *range(7)]), variable="income")


def test_samples_of_several_sizes_are_samples() -> None:
    lists, arrays = [[0.0, 1.0], [2.0, 3.0, 4.0]], [np.array([0.0, 1.0]), np.array([2.0, 3.0, 4.0])]
    one, other = (barycenter([1.0, 2.0, 3.0], samples, probabilities=3) for samples in (lists, arrays))
    assert one.barycenter.tolist() == other.barycenter.tolist() == [1.0, 1.75, 2.5]


def test_a_sample_of_lists_is_refused_by_name() -> None:
    for sample in ([[1.0], [1.0, 2.0]], [[1.0, [2.0]]]):
        with pytest.raises(InputError, match="synthetic sample 1: must be"):
            barycenter([1.0, 2.0], [sample])
