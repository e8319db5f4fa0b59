"""The exponential mechanism of the Kolmogorov-Smirnov distance, against brute force over all small files."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from synthlab import dp
from synthlab.dp.ks_table import draw_tables
from synthlab.exceptions import BudgetExceededError, InputError

LEVELS = {"age": ["young", "middle", "old"]}
PEOPLE = pd.DataFrame({"age": ["young"] * 3 + ["old"] * 2 + ["unknown"]})


def tables(n_levels: int, size: int) -> list[tuple[int, ...]]:
    return [t for t in product(range(size + 1), repeat=n_levels) if sum(t) == size]


def distance(counts: tuple[int, ...], table: tuple[int, ...], n: int) -> float:
    return max(abs(sum(counts[: k + 1]) / n - sum(table[: k + 1]) / sum(table)) for k in range(len(counts)))


def chances(counts: tuple[int, ...], size: int, rate: float, n: int) -> np.ndarray:
    weights = np.array([np.exp(-rate * distance(counts, t, n)) for t in tables(len(counts), size)])
    return weights / weights.sum()


@pytest.mark.parametrize(("n", "size"), [(1, 1), (3, 2), (4, 4)])
def test_sensitivity_and_epsilon_over_all_neighbors(n: int, size: int) -> None:
    # Files of n records in three levels or in none (left out); neighbors replace one record.
    epsilon, worst, steepest = 1.3, 0.0, 0.0
    rate = dp.ExponentialMechanism(epsilon, 1 / n).rate
    files = [f for f in product(range(n + 1), repeat=3) if sum(f) <= n]
    for one in files:
        for other in files:
            step = np.append(np.subtract(other, one), sum(one) - sum(other))
            if sorted(step[step != 0]) != [-1, 1]:
                continue
            ratios = np.log(chances(one, size, rate, n)) - np.log(chances(other, size, rate, n))
            worst = max(worst, np.abs(ratios).max())
            changes = [distance(one, t, n) - distance(other, t, n) for t in tables(3, size)]
            steepest = max(steepest, *np.abs(changes))
    assert steepest == pytest.approx(1 / n)  # the sensitivity is attained
    assert 0.4 * epsilon < worst <= epsilon


@pytest.mark.parametrize(("counts", "n", "size", "rate"), [((3, 2, 0, 1), 6, 4, 3.0), ((0, 2, 0, 0), 5, 5, 8.0)])
def test_tables_are_drawn_with_their_probabilities(counts, n, size, rate) -> None:
    m = 20_000
    drawn = draw_tables(np.cumsum(counts) / n, size, rate, np.random.default_rng(1).spawn(m))
    assert (drawn.sum(axis=0) == size).all()
    expected = m * chances(counts, size, rate, n)
    found = np.array([(t == drawn.T).all(axis=1).sum() for t in tables(4, size)])
    assert stats.chisquare(found, expected).pvalue > 1e-4


def test_it_says_what_it_is_and_charges_the_budget() -> None:
    budget = dp.Budget(5.0, adjacency="replace")
    result = dp.private_ks_table(PEOPLE, levels=LEVELS, n_synthetic=6, epsilon=2.0, m=2, budget=budget, rng=1)
    assert budget.spent == result.epsilon_total == 4.0
    assert result.adjacency == "replace"
    assert "Kolmogorov-Smirnov" in result.title
    assert all(len(f) == 6 for f in result.release().frames)
    with pytest.raises(BudgetExceededError):
        dp.private_ks_table(PEOPLE, levels=LEVELS, n_synthetic=6, epsilon=2.0, budget=budget)
    with pytest.raises(InputError, match="adjacency"):
        dp.private_ks_table(PEOPLE, levels=LEVELS, n_synthetic=6, epsilon=2.0, budget=dp.Budget(5.0))
    part = dp.Budget(5.0, adjacency="replace").parallel({"a": np.arange(6) < 3, "b": np.arange(6) >= 3})["a"]
    with pytest.raises(InputError, match="part of the records"):
        dp.private_ks_table(PEOPLE, levels=LEVELS, n_synthetic=6, epsilon=2.0, budget=part)


def test_with_a_large_epsilon_the_table_is_the_file() -> None:
    file = pd.DataFrame({"age": ["young"] * 30 + ["old"] * 20})
    result = dp.private_ks_table(file, levels=LEVELS, n_synthetic=50, epsilon=5000.0, rng=1)
    assert result.counts[:, 0].tolist() == [30, 0, 20]
    other = dp.private_ks_table(PEOPLE, levels=LEVELS, other={"age": "other"}, n_synthetic=6, epsilon=1e6, rng=1)
    assert other.counts[:, 0].tolist() == [3, 0, 2, 1]


@pytest.mark.parametrize(
    ("name", "bad"),
    [
        ("epsilon", 0),
        ("epsilon", 1e308),
        ("levels", {}),
        ("levels", {"age": [1], "sex": [2]}),
        ("levels", {"age": list(range(500))}),
        ("n_synthetic", 0),
        ("n_synthetic", 10**9),
        ("m", 0),
        ("confidential", [1, 2]),
    ],
)
def test_arguments_are_checked(name, bad) -> None:
    people = PEOPLE.assign(sex=2)
    options = {"confidential": people, "levels": LEVELS, "n_synthetic": 100, "epsilon": 1.0, name: bad}
    with pytest.raises(InputError, match=name):
        dp.private_ks_table(**options)
