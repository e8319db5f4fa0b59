"""The exponential mechanism of the pMSE, and the beta-binomial: against brute force over all small files."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from synthlab import dp
from synthlab.dp.pmse_table import draw_tables, table_utility
from synthlab.exceptions import BudgetExceededError, InputError

LEVELS = {"tenure": ["owns", "rents", "neither"]}
PEOPLE = pd.DataFrame({"tenure": ["owns"] * 3 + ["rents"] * 2 + ["lost"]})


def tables(n_cells: int, size: int) -> list[tuple[int, ...]]:
    return [t for t in product(range(size + 1), repeat=n_cells) if sum(t) == size]


def pmse(counts: tuple[int, ...], table: tuple[int, ...]) -> float:
    """The mean squared distance of the shares of synthetic records in the cells from their share in all."""
    total = sum(counts) + sum(table)
    share = sum(table) / total
    return sum((n + s) * (s / (n + s) - share) ** 2 for n, s in zip(counts, table, strict=True) if n + s) / total


def chances(counts: tuple[int, ...], size: int, rate: float) -> np.ndarray:
    """The probability of each table: proportional to exp(-rate N pMSE)."""
    every = tables(len(counts), size)
    total = sum(counts) + size
    weights = np.array([np.exp(-rate * total * pmse(counts, t)) for t in every])
    return weights / weights.sum()


@pytest.mark.parametrize("adjacency", ["add-remove", "replace"])
@pytest.mark.parametrize("size", [1, 3])
def test_pmse_tables_keep_epsilon_over_all_neighbors(adjacency, size):
    epsilon = 1.3
    mechanism = dp.ExponentialMechanism(epsilon, size / (size + 1), monotone=adjacency == "add-remove")
    worst = 0.0
    for counts in product(range(4), repeat=3):
        here = np.log(chances(counts, size, mechanism.rate))
        for other in product(range(4), repeat=3):
            step = np.subtract(other, counts)
            near = sorted(step[step != 0]) == ([1] if adjacency == "add-remove" else [-1, 1])
            if near:
                worst = max(worst, np.abs(here - np.log(chances(other, size, mechanism.rate))).max())
    assert worst <= epsilon
    assert worst > 0.35 * epsilon


def test_pmse_tables_are_drawn_with_their_probabilities():
    counts, size, rate = (3, 2, 0), 4, 0.9
    drawn = draw_tables(rate * table_utility(np.array(counts, float), size), np.random.default_rng(1).spawn(20_000))
    assert (drawn.sum(axis=0) == size).all()
    every = tables(3, size)
    expected = chances(counts, size, rate) * drawn.shape[1]
    found = np.array([(t == drawn.T).all(axis=1).sum() for t in every])
    assert stats.chisquare(found, expected).pvalue > 1e-4


def test_a_pmse_table_says_what_it_is():
    budget = dp.Budget(5.0)
    result = dp.private_pmse_table(PEOPLE, levels=LEVELS, n_synthetic=6, epsilon=2.0, m=2, budget=budget, rng=1)
    assert budget.spent == 4.0
    assert result.epsilon_total == 4.0
    assert "exponential mechanism of the pMSE" in result.title
    assert "pseudocount" not in result.title
    assert result.prior_share(6) == 0
    release = result.release()
    assert len(release.frames) == 2
    assert all(len(f) == 6 for f in release.frames)
    again = dp.private_pmse_table(PEOPLE, levels=LEVELS, n_synthetic=6, epsilon=2.0, rng=1)
    np.testing.assert_array_equal(again.counts[:, 0], result.counts[:, 0])
    with pytest.raises(BudgetExceededError):
        dp.private_pmse_table(PEOPLE, levels=LEVELS, n_synthetic=6, epsilon=2.0, budget=budget)


def test_with_a_large_epsilon_the_table_is_the_file():
    file = pd.DataFrame({"tenure": ["owns"] * 30 + ["rents"] * 20})
    result = dp.private_pmse_table(file, levels=LEVELS, n_synthetic=50, epsilon=500.0, rng=1)
    assert result.counts[:, 0].tolist() == [30, 20, 0]


@pytest.mark.parametrize(
    ("name", "bad"),
    [
        ("epsilon", 0),
        ("epsilon", -1),
        ("epsilon", np.inf),
        ("epsilon", 1e308),
        ("levels", {}),
        ("levels", {"tenure": []}),
        ("levels", {"tenure": list(range(500))}),
        ("n_synthetic", 0),
        ("n_synthetic", 10**9),
        ("m", 0),
        ("adjacency", "x"),
        ("confidential", [1, 2]),
    ],
)
def test_pmse_arguments_are_checked(name, bad):
    options = {"confidential": PEOPLE, "levels": LEVELS, "n_synthetic": 2_000, "epsilon": 1.0, name: bad}
    with pytest.raises(InputError, match=f"^{name}"):
        dp.private_pmse_table(**options)
