"""Counts, histograms and means: the right noise on the right number, declared bounds, and what may not leak."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st
from scipy import stats

from synthlab import dp
from synthlab.exceptions import InputError

RICH = [True] * 30 + [False] * 70


def test_a_count_is_the_count_plus_laplace_noise_of_scale_one_over_epsilon():
    rng = np.random.default_rng(2)
    drawn = np.array([dp.private_count(RICH, epsilon=0.5, rng=rng).value for _ in range(2000)])
    assert stats.kstest(drawn, stats.laplace(30, 2).cdf).pvalue > 0.001


def test_the_interval_of_the_noise_holds_the_truth_as_often_as_it_says():
    rng = np.random.default_rng(3)
    ends = np.array([dp.private_count(RICH, epsilon=1.0, level=0.8, rng=rng).interval[0] for _ in range(2000)])
    held = ((ends[:, 0] <= 30) & (ends[:, 1] >= 30)).mean()
    assert held == pytest.approx(0.8, abs=4 * np.sqrt(0.8 * 0.2 / 2000))


@pytest.mark.parametrize(("adjacency", "scale"), [("add-remove", 4.0), ("replace", 8.0)])
def test_a_histogram_has_noise_in_every_cell_also_the_empty_one(adjacency, scale):
    frame = pd.Series(["owns"] * 5 + ["rents"] * 3, dtype="category")
    answer = dp.private_histogram(
        frame, categories=["owns", "rents", "neither"], epsilon=0.25, adjacency=adjacency, rng=5
    )
    assert answer.mechanisms["every cell"].scale == scale
    again = np.random.default_rng(5).laplace(0, scale, 3)
    assert answer.estimate == pytest.approx(np.array([5, 3, 0]) + again)
    assert answer.epsilon == 0.25
    assert answer.to_frame().index.tolist() == ["owns", "rents", "neither"]


def test_edges_move_outliers_to_the_end_cells():
    answer = dp.private_histogram([-5, 0, 9, 10, 99, 1e9], edges=[0, 10, 100], epsilon=1e6, rng=1)
    assert answer.labels == ("0 to 10", "10 to 100")
    assert answer.rounded().estimate.tolist() == [3, 3]


def test_values_that_were_not_declared():
    answer = dp.private_histogram(["a", "x"], categories=["a", "b"], epsilon=1e6, rng=1)
    assert answer.rounded().to_frame()["estimate"].to_dict() == {"a": 1, "b": 0}
    answer = dp.private_histogram(["a", "x", "y"], categories=["a", "b"], other="else", epsilon=1e6, rng=1)
    assert answer.rounded().to_frame()["estimate"].to_dict() == {"a": 1, "b": 0, "else": 2}


def test_rounding_is_post_processing():
    answer = dp.private_histogram([1] * 3, categories=[1, 2], epsilon=0.1, rng=8)
    whole = answer.rounded()
    assert (whole.estimate >= 0).all()
    np.testing.assert_array_equal(whole.estimate, np.maximum(np.rint(answer.estimate), 0))
    np.testing.assert_array_equal(whole.interval[:, 0], np.maximum(np.floor(answer.interval[:, 0]), 0))
    np.testing.assert_array_equal(whole.interval[:, 1], np.maximum(np.ceil(answer.interval[:, 1]), 0))
    assert whole.epsilon == answer.epsilon
    assert whole.query == "histogram, rounded"
    assert not whole.estimate.flags.writeable


def test_the_mean_under_replace_has_the_noise_of_the_bounds_over_n():
    values = np.array([-50.0, 10, 20, 500])  # moved to 0 and 100
    rng = np.random.default_rng(4)
    drawn = [dp.private_mean(values, low=0, high=100, epsilon=5, adjacency="replace", rng=rng) for _ in range(1500)]
    assert drawn[0].mechanisms["mean"].scale == 100 / 4 / 5
    exact = (0 + 10 + 20 + 100) / 4
    estimates = np.array([d.value for d in drawn])
    assert stats.kstest(estimates, stats.laplace(exact, 5).cdf).pvalue > 0.001


def test_the_mean_under_add_remove_spends_half_on_the_number_of_records():
    values = np.full(1000, 30.0)
    answer = dp.private_mean(values, low=0, high=100, epsilon=1.0, rng=7)
    assert answer.mechanisms["sum of distances from the middle"].scale == 50 / 0.5
    assert answer.mechanisms["number of records"].scale == 1 / 0.5
    noise = np.random.default_rng(7)
    total = (30 - 50) * 1000 + noise.laplace(0, 100)
    assert answer.value == pytest.approx(50 + total / (1000 + noise.laplace(0, 2)))


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from(["add-remove", "replace"]), st.floats(0.01, 5))
def test_a_mean_stays_inside_its_bounds_with_its_interval(seed, adjacency, epsilon):
    answer = dp.private_mean([1.0, 2.0, 40.0], low=-10, high=20, epsilon=epsilon, adjacency=adjacency, rng=seed)
    assert -10 <= answer.interval[0, 0] <= answer.value <= answer.interval[0, 1] <= 20


def test_the_interval_of_a_mean_of_unknown_size_holds_at_least_as_often_as_it_says():
    # Far from the middle of the bounds the noise on the number matters most: without its margin 94% hold.
    values, bounds = np.full(30, 48.0), {"low": -1000, "high": 50}
    rng = np.random.default_rng(1)
    ends = np.array([dp.private_mean(values, **bounds, epsilon=1.0, rng=rng).interval[0] for _ in range(1500)])
    assert ((ends[:, 0] <= 48) & (ends[:, 1] >= 48)).mean() >= 0.95


def test_the_interval_of_a_mean_of_unknown_size_by_hand():
    """Each noise has a margin that it exceeds in 5% of the runs, and the ratio takes the worst of the four corners."""
    answer = dp.private_mean(np.full(1000, 30.0), low=0, high=100, epsilon=1.0, level=0.9, rng=7)
    noise = np.random.default_rng(7)
    total, size = -20.0 * 1000 + noise.laplace(0, 100), 1000 + noise.laplace(0, 2)
    ratios = [
        (total + a * 100 * np.log(20)) / (size + b * 2 * np.log(20)) for a in (-1, 1) for b in (-1, 1)
    ]  # Pr(|Laplace| > s log(1 / p)) = p
    assert answer.interval[0] == pytest.approx([50 + min(ratios), 50 + max(ratios)])


def test_a_rounded_interval_is_never_reversed_and_loses_nothing():
    rng = np.random.default_rng(4)
    answers = [dp.private_count(RICH, epsilon=10.0, level=0.3, rng=rng) for _ in range(200)]
    ends = np.array([a.rounded().interval[0] for a in answers])
    assert (ends[:, 0] <= ends[:, 1]).all()
    held = np.array([a.interval[0, 0] <= 30 <= a.interval[0, 1] for a in answers])
    assert ((ends[held, 0] <= 30) & (ends[held, 1] >= 30)).all()


@pytest.mark.parametrize("kind", [list, np.array, pd.DatetimeIndex, lambda d: d.to_numpy()])
def test_dates_are_categories(kind):
    days = pd.DatetimeIndex(["2026-01-01", "2026-01-02", "2026-01-03"])
    column = pd.Series(days[[0, 1, 1]])
    answer = dp.private_histogram(column, categories=kind(days), epsilon=1e6, rng=1)
    assert answer.labels == tuple(days)
    assert answer.rounded().estimate.tolist() == [1, 2, 0]
    assert dp.private_mode(column, categories=kind(days), epsilon=1e6, rng=1).value == days[1]
    with pytest.raises(InputError, match="categories: must be a sequence of values, got shape"):
        dp.private_histogram(column, categories=days.to_numpy()[:, None], epsilon=1.0)


def test_nothing_confidential_is_in_the_result():
    """Two databases with the same noisy answer give results that cannot be told apart."""
    answer = dp.private_count(RICH, epsilon=1.0, rng=1)
    fields = {name: getattr(answer, name) for name in type(answer).__slots__}
    assert set(fields) == {
        "query", "labels", "estimate", "interval", "level", "epsilon", "adjacency", "mechanisms", "data_kind",
    }  # fmt: skip
    assert "30" not in answer.title


def test_bad_input():
    with pytest.raises(InputError, match="one value per record, got an array of 2 dimensions"):
        dp.private_count(np.ones((2, 2), dtype=bool), epsilon=1.0)
    with pytest.raises(InputError, match="one value per record, got str"):
        dp.private_mean("12", low=0, high=1, epsilon=1.0)
    with pytest.raises(InputError, match="low must be below high"):
        dp.private_mean([1.0], low=1, high=0, epsilon=1.0)
    with pytest.raises(InputError, match="epsilon=0"):
        dp.private_mean([1.0], low=0, high=1, epsilon=0)
    for both in ({}, {"categories": [1], "edges": [0, 1]}):
        with pytest.raises(InputError, match="give exactly one of them"):
            dp.private_histogram([1], epsilon=1.0, **both)
    with pytest.raises(InputError, match="at least two increasing"):
        dp.private_histogram([1], edges=[0, 2, 1], epsilon=1.0)
    with pytest.raises(InputError, match="other='0 to 1': must not be one of the categories"):
        dp.private_histogram([1], edges=[0, 1], other="0 to 1", epsilon=1.0)
    with pytest.raises(InputError, match="each value only once"):
        dp.private_histogram([1], categories=[1, 1], epsilon=1.0)
    with pytest.raises(InputError, match="must not be one of the categories"):
        dp.private_histogram([1], categories=[1], other=1, epsilon=1.0)


def test_it_shows_itself():
    answer = dp.private_count(RICH, epsilon=0.5, query="richer than <you>", rng=1)
    assert "richer than <you>: epsilon 0.5 for databases that differ by one record more or less" in str(answer)
    assert "count: Laplace noise of scale 2 (sensitivity 1 / epsilon 0.5)" in repr(answer)
    assert "&lt;you&gt;" in answer._repr_html_()
    assert answer.summary().equals(answer.to_frame())


@pytest.mark.parametrize("level", [0.0, 1.0])
def test_the_level_of_an_interval_lies_between_0_and_1(level):
    with pytest.raises(InputError, match=r"level=.*\(0, 1\)"):
        dp.private_count([True, False], epsilon=1.0, level=level, rng=1)


def test_labels_that_are_pairs_stay_pairs():
    answer = dp.private_histogram([(1, 2), (3, 4)], categories=[(1, 2), (3, 4)], epsilon=1e6, rng=1)
    assert list(answer.to_frame().index) == [(1, 2), (3, 4)]
    assert answer.to_frame().index.nlevels == 1


def test_durations_are_looked_up_whatever_holds_them():
    spans = np.array([1, 1, 2], dtype="timedelta64[D]")
    answer = dp.private_histogram(
        spans, categories=[np.timedelta64(1, "D"), np.timedelta64(48, "h")], epsilon=1e6, rng=1
    )
    assert answer.estimate.round().tolist() == [2.0, 1.0]
