"""Mechanisms, sensitivities, neighbors and private tables at their edges."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from synthlab import dp
from synthlab.dp import quantile, sensitivity, table
from synthlab.dp.exponential import ExponentialMechanism
from synthlab.dp.laplace import LaplaceMechanism
from synthlab.exceptions import InputError, MissingValueError


def test_laplace_noise_has_the_numbers_of_scipy() -> None:
    mechanism = LaplaceMechanism(0.5, 3.0)
    assert (mechanism.scale, mechanism.std) == (6.0, pytest.approx(stats.laplace(scale=6.0).std()))
    for level in (0.01, 0.5, 0.999):
        assert mechanism.margin(level) == pytest.approx(6 * np.log(1 / (1 - level)))
    at = np.array([-3.0, 0.0, 2.0, 50.0])
    assert mechanism.density(at, 2.0).tolist() == pytest.approx(stats.laplace.pdf(at, 2.0, 6.0).tolist())
    ratio = mechanism.log_ratio(at, 1.0, 4.0)
    assert ratio.tolist() == pytest.approx(
        (stats.laplace.logpdf(at, 1.0, 6.0) - stats.laplace.logpdf(at, 4.0, 6.0)).tolist()
    )
    assert type(mechanism.log_ratio(0.0, 1.0, 4.0)) is float
    assert str(mechanism) == "Laplace noise of scale 6 (sensitivity 3 / epsilon 0.5)"
    for level in (0.0, 1.0):
        with pytest.raises(InputError, match="level"):
            mechanism.margin(level)
    for epsilon, size in ((1e-300, 1e300), (1e300, 1e-300)):
        with pytest.raises(InputError, match="0 or infinite"):
            LaplaceMechanism(epsilon, size)
        with pytest.raises(InputError, match="0 or infinite"):
            ExponentialMechanism(epsilon, size)
    for epsilon, size in ((1e308, 1e-15), (1e300, 1e-10)):  # a scale of few digits would lose more than epsilon
        with pytest.raises(InputError, match="0 or infinite"):
            LaplaceMechanism(epsilon, size)
    assert 1e-10 / LaplaceMechanism(1e297, 1e-10).scale == pytest.approx(1e297, rel=1e-15)
    with pytest.raises(InputError, match="their shapes"):
        mechanism.density([1.0, 2.0], [1.0, 2.0, 3.0])


@pytest.mark.parametrize(("monotone", "rate"), [(False, 0.5), (True, 1.0)])
def test_choices_are_proportional(monotone: bool, rate: float) -> None:
    mechanism = ExponentialMechanism(2.0, 2.0, monotone)
    assert mechanism.rate == rate
    utility, base = np.array([3.0, 1.0, 7.0, 2.0]), np.array([1.0, 0.5, 0.0, 2.0])
    for weights in (None, base):
        plain = np.exp(rate * utility) * (1.0 if weights is None else weights)
        assert mechanism.probabilities(utility, weights).tolist() == pytest.approx((plain / plain.sum()).tolist())
    assert mechanism.probabilities([np.nan, np.inf, "x", 0.0]).tolist() == [0.25] * 4
    assert mechanism.probabilities([1e308, -1e308]).tolist() == [1.0, 0.0]
    assert mechanism.probabilities([5.0]).tolist() == [1.0]
    assert (
        str(mechanism)
        == f"exponential mechanism, epsilon 2 / ({'' if monotone else '2 x '}sensitivity 2) = {rate:g} a unit of utility"
    )
    for bad in ([], [[1.0]], 3.0):
        with pytest.raises(InputError, match="utility"):
            mechanism.probabilities(bad)
    for bad in ([1.0], [1.0, 1.0, 1.0, -1e-9], [0.0] * 4, [1.0, 1.0, 1.0, np.inf]):
        with pytest.raises(InputError, match="base"):
            mechanism.probabilities(utility, bad)


def test_neighbors_of_a_list_and_of_frames() -> None:
    add = list(dp.neighbors(["x", "y"], ["x", "y", "z"]))
    assert add == [["y"], ["x"], ["x", "y", "x"], ["x", "y", "y"], ["x", "y", "z"]]
    swap = list(dp.neighbors(["x", "y"], ["x", "y", "z"], adjacency="replace"))
    assert swap == [["y", "y"], ["z", "y"], ["x", "x"], ["x", "z"]]
    assert list(dp.neighbors([], ["x"])) == [["x"]]
    assert list(dp.neighbors([], ["x"], adjacency="replace")) == []
    for first, other, adding, replacing in (
        ([1, 1], [1], True, False),
        ([1, 2], [1, 2], False, False),
        ([1, 2], [2, 3], False, True),
        ([1, 2, 3], [1], False, False),
        ([1, 2], [3, 4], False, False),
        ([1, 1, 2], [1, 2, 2], False, True),
        ([], [1], True, False),
    ):
        assert dp.are_neighbors(first, other) is adding
        assert dp.are_neighbors(first, other, adjacency="replace") is replacing
    frame = pd.DataFrame({"a": [1, 2], "b": ["x", "y"]})
    assert dp.are_neighbors(frame, frame.iloc[:1])
    with pytest.raises(InputError, match="neighbor: must have the same columns"):
        dp.are_neighbors(frame, frame[["b", "a"]])
    with pytest.raises(MissingValueError, match="database: 1 missing"):
        dp.are_neighbors([1, None], [1])
    for domain in ([], [[1]], [1]):
        with pytest.raises(InputError):
            list(dp.neighbors([2], domain))
    with pytest.raises(InputError, match="domain"):
        list(dp.neighbors([2], [2, {}]))
    assert dp.largest_change(lambda d: [sum(d), len(d)], [1, 5], [0, 1, 5]) == 6.0
    assert dp.largest_change(lambda d: -sum(d), [1, 5], [0, 1, 5], adjacency="replace") == 5.0
    with pytest.raises(InputError, match="no neighbor in this domain"):
        dp.largest_change(sum, [1, 1], [1], adjacency="replace")
    with pytest.raises(InputError, match="query: must have a finite answer for every neighbor of the database"):
        dp.largest_change(lambda d: np.float64(1) if d else np.inf, [1], [1])


def test_sensitivities_and_their_bounds() -> None:
    for low, high in ((-10.0, 50.0), (-50.0, 10.0), (3.0, 4.0), (-4.0, -3.0)):
        assert dp.sum_sensitivity(low, high) == max(abs(low), abs(high))
        assert dp.sum_sensitivity(low, high, adjacency="replace") == high - low
        assert dp.mean_sensitivity(low, high, 4) == (high - low) / 4
    assert sensitivity.check_bounds(-1e150, 1e150) == (-1e150, 1e150)
    for low, high in ((0, 0), (1, 0), (-1.01e150, 0), (0, 1.01e150), (np.nan, 1)):
        with pytest.raises(InputError):
            sensitivity.check_bounds(low, high)
    assert dp.mean_sensitivity(0, 1, 1) == 1.0
    with pytest.raises(InputError, match="n"):
        dp.mean_sensitivity(0, 1, 0)
    assert dp.minimum_pseudocount(np.log(3.0), 1) == pytest.approx(0.5)
    assert dp.dirichlet_epsilon(0.5, 1) == pytest.approx(np.log(3.0))
    assert dp.dirichlet_epsilon(dp.minimum_pseudocount(700.0, 10**15), 10**15) == pytest.approx(700)
    for call in (
        lambda: dp.minimum_pseudocount(700.1, 1),
        lambda: dp.minimum_pseudocount(1.0, 0),
        lambda: dp.minimum_pseudocount(1.0, 10**15 + 1),
        lambda: dp.dirichlet_epsilon(0.0, 1),
        lambda: dp.dirichlet_epsilon(1.0, 10**15 + 1),
    ):
        with pytest.raises(InputError):
            call()


def test_a_private_table_counts_in_its_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[np.ndarray] = []

    def draw(parameters: np.ndarray, size: int, rng: np.random.Generator) -> np.ndarray:
        drawn.append(parameters)
        return rng.multinomial(size, parameters / parameters.sum())

    monkeypatch.setattr(table, "_draw", draw)
    people = pd.DataFrame({"s": ["f", "m", "f", None, "f", "x"], "r": [1, 2, 9, 1, 1, 9]})
    levels, budget = {"s": ["m", "f"], "r": [1, 2]}, dp.Budget(2.0)
    for other, plain, shape in (
        (None, {("f", 1): 2, ("m", 2): 1}, {"s": ("m", "f"), "r": (1, 2)}),
        ({"r": "?"}, {("f", 1): 2, ("m", 2): 1, ("f", "?"): 1}, {"s": ("m", "f"), "r": (1, 2, "?")}),
        (
            {"r": "?", "s": "-"},
            {("f", 1): 2, ("m", 2): 1, ("f", "?"): 1, ("-", 1): 1, ("-", "?"): 1},
            {"s": ("m", "f", "-"), "r": (1, 2, "?")},
        ),
        ({"r": None}, {("f", 1): 2, ("m", 2): 1}, {"s": ("m", "f"), "r": (1, 2)}),
    ):
        found = dp.private_table(people, levels=levels, other=other, n_synthetic=40, epsilon=1.0, m=2, rng=1)
        prior = 40 / (np.e - 1)
        counts = [plain.get(cell, 0) + prior for cell in itertools.product(*shape.values())]
        assert drawn[-1].tolist() == pytest.approx(counts)
        assert found.levels == shape
        assert found.counts.sum(axis=0).tolist() == [40, 40]
        assert (found.m, found.n_cells, found.n_synthetic, found.epsilon_total) == (2, len(counts), 40, 2.0)
        assert found.prior_share(10) == pytest.approx(len(counts) * prior / (10 + len(counts) * prior))
        cells = list(itertools.product(*shape.values()))
        assert found.summary().index.tolist() == cells
        assert found.summary().to_numpy().tolist() == [[c.mean(), c.min(), c.max()] for c in found.counts]
        long = found.to_frame()
        assert long.columns.tolist() == ["s", "r", "dataset", "count"]
        assert long.to_numpy().tolist() == [
            [*cell, j + 1, found.counts[i, j]] for j in (0, 1) for i, cell in enumerate(cells)
        ]
        for j, frame in enumerate(found.release().frames):
            people_of = [cell for i, cell in enumerate(cells) for _ in range(found.counts[i, j])]
            assert list(frame.astype(object).itertuples(index=False, name=None)) == people_of
    dp.private_table(people, levels=levels, n_synthetic=4, epsilon=0.5, m=3, budget=budget, rng=1)
    assert budget.spent == 1.5
    one = dp.private_table(people, levels=levels, n_synthetic=4, epsilon=0.5, rng=1)
    assert one.title.startswith("1 synthetic table of 4 records in 4 cells, pseudocount ")
    assert ": epsilon 0.5 per table, for" in one.title
    assert ": epsilon 1 per table, 2 for all 2, for" in found.title


def test_limits_of_a_private_table(monkeypatch: pytest.MonkeyPatch) -> None:
    people = pd.DataFrame({"s": ["f"]})

    def ask(**options: Any) -> dp.PrivateTableResult:
        return dp.private_table(
            people, **{"levels": {"s": ["f", "m", "x"]}, "n_synthetic": 5, "epsilon": 1.0, **options}
        )

    monkeypatch.setattr(table, "MAX_CELLS", 3)
    monkeypatch.setattr(table, "MAX_COUNTS", 6)
    assert ask(m=2).counts.shape == (3, 2)
    for options, name in (
        ({"m": 3}, "m=3"),
        ({"other": {"s": "?"}}, "levels"),
        ({"m": 0}, "m"),
        ({"n_synthetic": 0}, "n_synthetic"),
        ({"levels": {}}, "levels"),
        ({"other": {"z": 1}}, "other"),
        ({"other": {"s": "f"}}, "other"),
        ({"levels": {"q": [1]}}, "levels"),
        ({"epsilon": 1e-300}, "epsilon"),
    ):
        with pytest.raises(InputError, match=name):
            ask(**options)
    gammas = table._draw(np.full(4, 1e-320), 9, np.random.default_rng(1))
    assert sorted(gammas.tolist()) == [0, 0, 0, 9]
    assert quantile._grid(0.0, 2.0, 1.0).tolist() == [0.0, 1.0, 2.0]
