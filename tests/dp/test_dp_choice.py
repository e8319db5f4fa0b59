"""Quantiles and modes by the exponential mechanism: probabilities by hand, and the promise on all neighbors."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st

from synthlab import dp
from synthlab.exceptions import BudgetExceededError, InputError


def test_a_median_of_intervals_by_hand():
    # 1, 2, 4 in [0, 10]: intervals of width 1, 1, 2, 6 and 0, 1, 2, 3 records below; the rank is 1.5
    found = dp.quantile_probabilities([1, 4, 2], low=0, high=10, epsilon=2 * np.log(2) * 0.5)
    assert found.mechanism.sensitivity == 0.5
    assert found.utility.tolist() == [-1.5, -0.5, -0.5, -1.5]
    weights = np.array([1, 2, 4, 6])
    assert found.probability == pytest.approx(weights / weights.sum())
    assert found.probability_within(0, 2) == pytest.approx(3 / 13)
    assert found.probability_within(7, 10) == pytest.approx(3 / 13)


def test_a_quantile_on_a_grid_by_hand():
    # rank 0.25 * 4 = 1: at 0 up to 1 records, at 5 from 1 to 3: both miss nothing; at 10 from 3 to 4: misses 2
    found = dp.quantile_probabilities([0, 5, 5, 9], 0.25, low=0, high=10, step=5, epsilon=0.75 * 2 * np.log(2))
    assert found.mechanism.sensitivity == 0.75
    assert found.utility.tolist() == [0, 0, -3]
    assert found.probability == pytest.approx(np.array([8, 8, 1]) / 17)
    assert found.probability_within(5, 5) == pytest.approx(8 / 17)


NUMBERS = st.integers(0, 6)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(NUMBERS, min_size=2, max_size=5),
    st.sampled_from(["add-remove", "replace"]),
    st.sampled_from([0.1, 0.5, 0.8]),
    st.floats(0.1, 3),
)
def test_the_promise_holds_for_all_neighbors_on_a_grid(database, adjacency, q, epsilon):
    def log_probabilities(records):
        found = dp.quantile_probabilities(records, q, low=0, high=6, step=1, epsilon=epsilon, adjacency=adjacency)
        return np.log(found.probability)

    here = log_probabilities(database)
    for other in dp.neighbors(database, range(7), adjacency=adjacency):
        assert np.abs(here - log_probabilities(other)).max() <= epsilon + 1e-9


@settings(max_examples=40, deadline=None)
@given(st.lists(NUMBERS, min_size=2, max_size=5, unique=True), st.sampled_from([0.1, 0.5, 0.8]), st.floats(0.1, 3))
def test_the_promise_holds_for_densities_too(database, q, epsilon):
    """Densities of the choice among all real numbers, compared at points between the whole numbers."""
    at = np.arange(6) + 0.5

    def log_densities(records):
        found = dp.quantile_probabilities(records, q, low=0, high=6, epsilon=epsilon)
        wide = found.upper > found.lower
        heights = np.log(found.probability[wide] / (found.upper - found.lower)[wide])
        return heights[np.searchsorted(found.upper[wide], at)]

    here = log_densities(database)
    for other in dp.neighbors(database, range(7)):
        assert np.abs(here - log_densities(other)).max() <= epsilon + 1e-9


def test_private_quantile_draws_from_the_probabilities():
    rng = np.random.default_rng(1)
    values = [1, 2, 4]
    drawn = np.array(
        [dp.private_quantile(values, low=0, high=10, epsilon=np.log(2), rng=rng).value for _ in range(2000)]
    )
    shares = np.histogram(drawn, [0, 1, 2, 4, 10])[0] / 2000
    assert shares == pytest.approx(np.array([1, 2, 4, 6]) / 13, abs=0.045)
    # uniform inside an interval
    last = drawn[drawn > 4]
    assert last.mean() == pytest.approx(7, abs=4 * 6 / np.sqrt(12 * last.size))


def test_one_rich_person_does_not_move_the_median():
    incomes = np.arange(1000.0, 101_000, 1000)
    with_rich = np.append(incomes, 1e9)
    one, other = (
        dp.quantile_probabilities(x, low=0, high=200_000, step=1000, epsilon=1.0).probability
        for x in (incomes, with_rich)
    )
    assert np.abs(np.log(one) - np.log(other)).max() <= 1.0


def test_mode_by_hand_and_adjacency():
    rng = np.random.default_rng(2)
    tenure = pd.Series(["owns"] * 3 + ["rents"] * 2 + ["castle"])
    names = ["owns", "rents", "neither"]
    drawn = [dp.private_mode(tenure, categories=names, epsilon=np.log(2), rng=rng) for _ in range(900)]
    shares = [np.mean([d.value == name for d in drawn]) for name in names]
    assert shares == pytest.approx(np.array([8, 4, 1]) / 13, abs=0.065)
    assert drawn[0].mechanism.monotone
    assert not dp.private_mode(tenure, categories=names, epsilon=1.0, adjacency="replace", rng=1).mechanism.monotone


def test_bad_input_and_refusal():
    with pytest.raises(InputError, match="q=1"):
        dp.private_quantile([1, 2], 1, low=0, high=3, epsilon=1.0)
    with pytest.raises(InputError, match="low must be below high"):
        dp.private_quantile([1, 2], low=3, high=3, epsilon=1.0)
    with pytest.raises(InputError, match="step"):
        dp.private_quantile([1, 2], low=0, high=3, epsilon=1.0, step=4)
    with pytest.raises(InputError, match="more than a million"):
        dp.private_quantile([1, 2], low=0, high=3, epsilon=1.0, step=1e-7)
    with pytest.raises(InputError, match="missing=nan"):
        dp.private_quantile([1, 2], low=0, high=3, epsilon=1.0, missing=float("nan"))
    with pytest.raises(BudgetExceededError, match="quantile 0.5: requires epsilon 2"):
        dp.private_quantile([1, 2], low=0, high=3, epsilon=2.0, budget=dp.Budget(1.0))
    with pytest.raises(InputError, match="adjacency"):
        dp.private_mode(["a"], categories=["a"], epsilon=1.0, adjacency="x")


def test_they_show_themselves_and_what_is_confidential_says_so():
    found = dp.quantile_probabilities([1, 2, 4], low=0, high=10, epsilon=1.0)
    assert "(confidential)" in str(found)
    assert "confidential" in found._repr_html_()
    assert len(found.to_frame()) == 4
    choice = dp.private_quantile([1, 2, 4], low=0, high=10, epsilon=1.0, step=1, query="median <age>", rng=1)
    assert str(choice).startswith(f"median <age>: {choice.value:g}, epsilon 1 for")
    assert "&lt;age&gt;" in choice._repr_html_()
    assert choice.summary()["value"].tolist() == [choice.value]
    assert "probability" not in choice.to_frame()
