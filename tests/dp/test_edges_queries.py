"""Private queries at their edges, with the noise taken off by its seed: what is counted, and what each field says."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from synthlab import _rng, dp
from synthlab.dp import _records
from synthlab.dp.quantile import _grid
from synthlab.exceptions import InputError


def _noise(scale: float, size: Any = None, seed: int = 5) -> np.ndarray:
    return _rng.as_generator(seed).laplace(0.0, scale, size)


def test_a_count_holds_what_is_true_and_nothing_else() -> None:
    values = [
        True,
        1,
        1.0,
        np.True_,
        Fraction(1),
        Decimal(1),
        False,
        0,
        2,
        "1",
        "True",
        None,
        np.nan,
        pd.NA,
        1 + 0j,
        -1,
        b"1",
    ]
    found = dp.private_count(values, epsilon=0.5, level=0.9, query="q", rng=5)
    assert found.estimate.tolist() == (6 + _noise(2.0, 1)).tolist()
    margin = stats.laplace.ppf(0.95, scale=2.0)
    assert found.interval.tolist() == [[pytest.approx(found.value - margin), pytest.approx(found.value + margin)]]
    assert (found.query, found.labels, found.level, found.epsilon, found.adjacency) == (
        "q",
        ("q",),
        0.9,
        0.5,
        "add-remove",
    )
    assert list(found.mechanisms) == ["count"]
    assert (found.mechanisms["count"].sensitivity, found.mechanisms["count"].epsilon) == (1.0, 0.5)
    assert found.data_kind is None
    row = found.to_frame()
    assert row.index.tolist() == ["q"]
    assert row.columns.tolist() == ["estimate", "lower", "upper"]
    assert row.iloc[0].tolist() == [found.value, *found.interval[0]]


@pytest.mark.parametrize("adjacency", ["add-remove", "replace"])
def test_cells_of_numbers_are_closed_below_and_what_is_beyond_is_in_the_last(adjacency: Any) -> None:
    values = [-np.inf, -3.0, 0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 99.0, np.inf, np.nan, None, "1"]
    scale = 1.0 if adjacency == "add-remove" else 2.0
    for other, cells in ((None, [4, 2, 4]), ("none", [4, 2, 4, 3])):
        found = dp.private_histogram(values, edges=[0, 1, 2, 3], other=other, epsilon=1.0, adjacency=adjacency, rng=5)
        assert found.estimate.tolist() == (np.array(cells) + _noise(scale, len(cells))).tolist()
        assert found.labels == ("0 to 1", "1 to 2", "2 to 3", "none")[: len(cells)]
        assert found.value == pytest.approx(found.estimate.sum())
        assert list(found.mechanisms) == ["every cell"]
    for bad in ([1.0], [1.0, 1.0], [2.0, 1.0], [[0.0, 1.0]], [0.0, np.inf]):
        with pytest.raises(InputError, match="edges"):
            dp.private_histogram(values, edges=bad, epsilon=1.0)
    for both in ({}, {"edges": [0, 1], "categories": [0]}):
        with pytest.raises(InputError, match="give exactly one of them"):
            dp.private_histogram(values, epsilon=1.0, **both)


def test_cells_of_categories() -> None:
    day, span = np.datetime64("2020-01-02"), np.timedelta64(3, "h")
    categories = ["a", 1, True, pd.Timestamp(day), pd.Timedelta(span), (1, 2)]
    values = ["a", 1, 1.0, True, np.True_, day, span, (1, 2), "b", 0, None, [1], False, 1]
    found = dp.private_histogram(values, categories=categories, other="x", epsilon=1.0, rng=5)
    assert found.estimate.tolist() == (np.array([1, 3, 2, 1, 1, 1, 5]) + _noise(1.0, 7)).tolist()
    assert found.labels == (*categories, "x")
    assert _records.places_of(np.array(["b", "z", "a"], dtype=object), ["a", "b"]).tolist() == [1, -1, 0]


def test_rounded_numbers_move_outwards_and_never_below_zero() -> None:
    interval = np.array([[-3.2, -0.5], [0.2, 2.3], [-1.0, 4.0]])
    result = dp.PrivateResult("q", ("a", "b", "c"), np.array([-1.7, 1.5, 2.51]), interval, 0.9, 1.0, "replace", {})
    found = result.rounded()
    assert found.estimate.tolist() == [0.0, 2.0, 3.0]
    assert found.interval.tolist() == [[0.0, 0.0], [0.0, 3.0], [0.0, 4.0]]
    assert not np.signbit(found.estimate).any()
    assert not np.signbit(found.interval).any()
    assert (found.query, found.labels, found.level, found.adjacency) == ("q, rounded", ("a", "b", "c"), 0.9, "replace")
    assert found.value == 5.0


def test_a_mean_of_known_size_moves_values_into_the_bounds() -> None:
    values = [-50.0, 0.0, 10.0, 30.0, np.inf, np.nan, "7"]
    found = dp.private_mean(values, low=0, high=20, epsilon=2.0, adjacency="replace", level=0.8, rng=5)
    exact = (0 + 0 + 10 + 20 + 20 + 10 + 10) / 7  # what is no number stands for the middle
    scale = 20 / 7 / 2.0
    assert found.value == pytest.approx(np.clip(exact + _noise(scale, 1)[0], 0, 20))
    margin = stats.laplace.ppf(0.9, scale=scale)
    raw = exact + _noise(scale, 1)[0]
    assert found.interval.ravel().tolist() == pytest.approx(np.clip([raw - margin, raw + margin], 0, 20).tolist())
    assert found.mechanisms["mean"].sensitivity == pytest.approx(20 / 7)
    for missing, stands in ((5.0, 5.0), (-1.0, 0.0), (21.0, 20.0)):
        found = dp.private_mean(values, low=0, high=20, epsilon=1e9, missing=missing, adjacency="replace", rng=5)
        assert found.value == pytest.approx((0 + 0 + 10 + 20 + 20 + 2 * stands) / 7, abs=1e-6)
    with pytest.raises(InputError, match="must contain at least one record"):
        dp.private_mean([], low=0, high=1, epsilon=1.0, adjacency="replace")


def test_a_mean_of_unknown_size_is_a_sum_over_a_number() -> None:
    values = [-50.0, 2.0, 10.0, 30.0, np.nan, "7"]
    for missing, inside in ((None, [0, 2, 10, 20]), (4.0, [0, 2, 10, 20, 4, 4])):
        found = dp.private_mean(values, low=0, high=20, epsilon=4.0, missing=missing, level=0.8, rng=5)
        generator = _rng.as_generator(5)
        total = sum(v - 10 for v in inside) + float(generator.laplace(0.0, 10 / 2.0))
        size = len(inside) + float(generator.laplace(0.0, 1 / 2.0))
        assert found.value == pytest.approx(np.clip(10 + total / max(size, 1.0), 0, 20))
        wide, long = stats.laplace.ppf(0.95, scale=5.0), stats.laplace.ppf(0.95, scale=0.5)
        ends = [(total + a * wide) / max(size + b * long, 1.0) for a in (-1, 1) for b in (-1, 1)]
        assert found.interval.ravel().tolist() == pytest.approx(
            np.clip([10 + min(ends), 10 + max(ends)], 0, 20).tolist()
        )
        assert [(m.epsilon, m.sensitivity) for m in found.mechanisms.values()] == [(2.0, 10.0), (2.0, 1.0)]
        assert found.epsilon == 4.0
    nobody = dp.private_mean([], low=-1, high=3, epsilon=1.0, rng=5)
    generator = _rng.as_generator(5)
    total = float(generator.laplace(0.0, 2 / 0.5))
    assert nobody.value == pytest.approx(np.clip(1 + total / max(float(generator.laplace(0.0, 2.0)), 1.0), -1, 3))


@pytest.mark.parametrize("q", [0.1, 0.5, 0.8])
@pytest.mark.parametrize("adjacency", ["add-remove", "replace"])
def test_the_chances_of_a_quantile_candidate_by_candidate(q: float, adjacency: Any) -> None:
    values = [3.0, 3.0, -7.0, 5.0, 99.0, np.nan, None, np.inf, 8.0]
    for missing, kept in ((None, [3, 3, 0, 5, 10, 10, 8]), (4.0, [3, 3, 0, 5, 10, 10, 8, 4, 4])):
        sensitivity = max(q, 1 - q) if adjacency == "add-remove" else 1.0
        found = dp.quantile_probabilities(
            values, q, low=0, high=10, epsilon=1.5, step=2.5, missing=missing, adjacency=adjacency
        )
        n, grid = len(kept), [0.0, 2.5, 5.0, 7.5, 10.0]
        utility = [-max(sum(v < x for v in kept) - q * n, q * n - sum(v <= x for v in kept), 0.0) for x in grid]
        weight = np.exp(1.5 * np.array(utility) / (2 * sensitivity))
        assert found.lower.tolist() == found.upper.tolist() == grid
        assert found.utility.tolist() == pytest.approx(utility)
        assert found.probability.tolist() == pytest.approx((weight / weight.sum()).tolist())
        assert found.mechanism.sensitivity == sensitivity
        ends = np.array([0.0, *sorted(kept), 10.0])
        found = dp.quantile_probabilities(values, q, low=0, high=10, epsilon=1.5, missing=missing, adjacency=adjacency)
        utility = [-abs(i - q * n) for i in range(n + 1)]
        weight = np.diff(ends) * np.exp(1.5 * np.array(utility) / (2 * sensitivity))
        assert (found.lower.tolist(), found.upper.tolist()) == (ends[:-1].tolist(), ends[1:].tolist())
        assert found.utility.tolist() == pytest.approx(utility)
        assert found.probability.tolist() == pytest.approx((weight / weight.sum()).tolist())
        assert found.query == f"quantile {q:g}"
        frame = found.to_frame()
        assert frame.columns.tolist() == ["lower", "upper", "utility", "probability"]
        assert frame.to_numpy().T.tolist() == [list(getattr(found, c)) for c in frame.columns]


def test_the_probability_of_an_interval() -> None:
    parts = dp.ChoiceProbabilities(
        "q",
        np.array([0.0, 2.0, 4.0, 4.0]),
        np.array([2.0, 4.0, 4.0, 8.0]),
        np.zeros(4),
        np.array([0.1, 0.2, 0.3, 0.4]),
        dp.ExponentialMechanism(1.0),
    )
    for low, high, exact in (
        (0, 8, 1.0),
        (1, 3, 0.05 + 0.1),
        (4, 4, 0.3),
        (3.5, 5, 0.05 + 0.3 + 0.1),
        (4.1, 8, 0.39),
        (9, 12, 0.0),
        (5, 4, 0.0),
        (-3, 0, 0.0),
    ):
        assert parts.probability_within(low, high) == pytest.approx(exact), (low, high)
    many = dp.quantile_probabilities(range(30), low=0, high=30, epsilon=1.0, step=1)
    assert many.summary()["probability"].tolist() == sorted(many.probability, reverse=True)[:10]
    assert many.title.startswith("quantile 0.5: 31 candidates (confidential). exponential mechanism")


def test_the_grid_of_candidates_ends_at_the_bound() -> None:
    assert _grid(0.0, 1.0, 0.25).tolist() == [0.0, 0.25, 0.5, 0.75, 1.0]
    assert _grid(0.0, 1.0, 0.4).tolist() == [0.0, 0.4, 0.8]
    assert _grid(0.0, 1.0, 0.1).size == 11  # ten tenths are one
    assert _grid(-1.0, 1.0, 2.0).tolist() == [-1.0, 1.0]
    assert _grid(0.0, 1.0, 1e-6).size == 1_000_001
    for step in (0.0, 2.0000001, 0.99e-6 * 2):
        with pytest.raises(InputError, match="step"):
            _grid(-1.0, 1.0, step)
    for q in (0.0, 1.0):
        with pytest.raises(InputError, match="q"):
            dp.quantile_probabilities([1.0], q, low=0, high=1, epsilon=1)


def test_a_quantile_is_drawn_within_its_interval() -> None:
    values, budget = [1.0, 2.0, 6.0], dp.Budget(2.0)
    found = dp.private_quantile(values, 0.3, low=0, high=10, epsilon=1.0, budget=budget, rng=5)
    chances = dp.quantile_probabilities(values, 0.3, low=0, high=10, epsilon=1.0)
    generator = _rng.as_generator(5)
    place = generator.choice(4, p=chances.probability)
    assert found.value == generator.uniform(chances.lower[place], chances.upper[place])
    assert (found.query, found.epsilon, found.adjacency) == ("quantile 0.3", 1.0, "add-remove")
    assert found.to_frame().iloc[0].tolist() == ["quantile 0.3", found.value, 1.0, "add-remove"]
    assert budget.to_frame().iloc[0].tolist() == ["", "quantile 0.3", 1.0]
    named = dp.private_quantile(values, low=0, high=10, epsilon=1.0, query="mine", rng=5)
    assert named.title.startswith(f"mine: {named.value:,.6g}, epsilon 1 for databases that differ by one record more")


@pytest.mark.parametrize(("adjacency", "rate"), [("add-remove", 3.0), ("replace", 1.5)])
def test_the_mode_is_drawn_by_its_counts(adjacency: Any, rate: float) -> None:
    values = ["a", "b", "b", None, "z", "z", "z"]
    for other, names, counts in ((None, ("b", "c", "a"), [2, 0, 1]), ("?", ("b", "c", "a", "?"), [2, 0, 1, 4])):
        weight = np.exp(rate * np.array(counts))
        draws = [
            dp.private_mode(values, categories=["b", "c", "a"], other=other, epsilon=3.0, adjacency=adjacency, rng=seed)
            for seed in range(30)
        ]
        for seed, draw in enumerate(draws):
            assert draw.value == names[_rng.as_generator(seed).choice(len(names), p=weight / weight.sum())]
        assert draws[0].mechanism.monotone == (adjacency == "add-remove")
        assert draws[0].query == "most frequent category"
    assert dp.private_mode([], categories=["a"], epsilon=1.0).value == "a"
