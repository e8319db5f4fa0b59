"""The Poisson-gamma mechanism, against brute force over all small tables."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from synthlab import dp
from synthlab.dp.pmse_table import draw_tables
from synthlab.dp.poisson_gamma import log_weights
from synthlab.exceptions import BudgetExceededError, InputError

LEVELS = {"county": ["a", "b", "c"]}
PEOPLE = pd.DataFrame({"county": ["a"] * 3 + ["c"] * 2 + ["unknown"]})


def tables(size: int) -> np.ndarray:
    return np.array([t for t in product(range(size + 1), repeat=3) if sum(t) == size])


def log_chances(counts: tuple[int, ...], a: np.ndarray, expected: np.ndarray, size: int) -> np.ndarray:
    """Predictive counts of independent cells, conditional on their sum: scipy's negative binomial."""
    cells = stats.nbinom(np.array(counts) + a, 1 - 1 / (2 + a / expected))
    logs = cells.logpmf(tables(size)).sum(axis=1)
    return logs - np.logaddexp.reduce(logs)


def worst_loss(a: np.ndarray, expected: np.ndarray, size: int, adjacency: str) -> float:
    files = {c: log_chances(c, a, expected, size) for c in product(range(4), repeat=3)}
    worst = 0.0
    for one, here in files.items():
        for other, there in files.items():
            step = np.subtract(other, one)
            if sorted(step[step != 0]) == ([1] if adjacency == "add-remove" else [-1, 1]):
                worst = max(worst, np.abs(here - there).max())
    return worst


def test_the_predictive_distribution_is_that_of_the_model() -> None:
    # y = 2 deaths among N = 30 people, prior rate r0 = 0.1 with strength a: a mixture over the posterior of the rate.
    a, N, r0, y = 1.5, 30, 0.1, 2
    rates = stats.gamma(y + a, scale=1 / (N + a / r0)).ppf((np.arange(20_000) + 0.5) / 20_000)
    mixture = stats.poisson(N * rates[:, None]).pmf(np.arange(8)).mean(axis=0)
    q = 1 / (2 + a / (N * r0))
    np.testing.assert_allclose(mixture, stats.nbinom(y + a, 1 - q).pmf(np.arange(8)), rtol=1e-3)
    assert stats.nbinom(y + a, 1 - q).mean() == pytest.approx((y + a) / (1 + a / (N * r0)))


@pytest.mark.parametrize("adjacency", ["add-remove", "replace"])
@pytest.mark.parametrize("expected", [(2.0, 2.0, 2.0), (0.1, 1.0, 20.0), (0.01, 50.0, 50.0)])
@pytest.mark.parametrize("size", [1, 4])
def test_epsilon_holds_for_all_neighbors(adjacency, expected, size) -> None:
    means = np.array(expected)
    for a in (np.full(3, 0.3), np.full(3, 4.0), np.array([0.2, 1.0, 5.0])):
        bound = dp.poisson_gamma_epsilon(a, size, expected=means, adjacency=adjacency)
        worst = worst_loss(a, means, size, adjacency)
        assert worst <= bound + 1e-9
        if len(set(expected)) == len(set(a)) == 1 and adjacency == "replace":
            assert worst == pytest.approx(bound)
            assert bound == pytest.approx(dp.dirichlet_epsilon(a[0], size))
        assert worst > 0.3 * bound


def test_under_replace_a_prior_with_unequal_counts_costs_more() -> None:
    # The Dirichlet formula alone would be a false promise here.
    a, means, size = np.full(3, 2.0), np.array([0.05, 30.0, 30.0]), 4
    assert worst_loss(a, means, size, "replace") > dp.dirichlet_epsilon(2.0, size)
    assert worst_loss(a, means, size, "add-remove") <= dp.dirichlet_epsilon(2.0, size)


@pytest.mark.parametrize("adjacency", ["add-remove", "replace"])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 6.0])
def test_the_minimum_strength_gives_epsilon(adjacency, epsilon) -> None:
    for means in ([5.0, 5.0], [0.1, 3.0, 800.0]):
        options = {"expected": means, "adjacency": adjacency}
        a = dp.minimum_prior_strength(epsilon, 50, **options)
        assert dp.poisson_gamma_epsilon(a, 50, **options) == pytest.approx(epsilon, rel=1e-9)
        assert dp.poisson_gamma_epsilon(a, 50, **options) <= epsilon * (1 + 1e-12)
        assert dp.poisson_gamma_epsilon(0.99 * a, 50, **options) > epsilon


def test_tables_are_drawn_with_their_probabilities() -> None:
    counts, a, means, size, m = (3, 0, 1), 0.7, np.array([1.0, 4.0, 9.0]), 4, 20_000
    drawn = draw_tables(log_weights(np.array(counts, float), a, means, size), np.random.default_rng(1).spawn(m))
    expected = m * np.exp(log_chances(counts, np.full(3, a), means, size))
    found = np.array([(t == drawn.T).all(axis=1).sum() for t in tables(size)])
    assert stats.chisquare(found, expected).pvalue > 1e-4


def test_weights_are_accurate_for_a_strong_prior() -> None:
    # With a strong prior, z is nearly Poisson(E): log z! and z log E remain.
    found = log_weights(np.array([5.0]), 1e12, np.array([3.0]), 6)[0]
    z = np.arange(7)
    exact = stats.poisson(3.0).logpmf(z) - stats.poisson(3.0).logpmf(0)
    np.testing.assert_allclose(found, exact, atol=1e-9)


def test_a_table_says_what_it_is_and_charges_the_budget() -> None:
    budget = dp.Budget(5.0)
    options = {"levels": LEVELS, "expected": [3.0, 1.0, 2.0], "n_synthetic": 6, "epsilon": 2.0}
    result = dp.private_poisson_gamma_table(PEOPLE, **options, m=2, budget=budget, rng=1)
    assert budget.spent == result.epsilon_total == 4.0
    assert result.pseudocount == dp.minimum_pseudocount(2.0, 6)
    assert (result.counts.sum(axis=0) == 6).all()
    with pytest.raises(BudgetExceededError):
        dp.private_poisson_gamma_table(PEOPLE, **options, budget=budget)
    certain = dp.private_poisson_gamma_table(PEOPLE, **options | {"epsilon": 1e-6}, m=400, rng=1).counts
    np.testing.assert_allclose(certain.mean(axis=1), [3, 1, 2], atol=0.3)  # only the prior is left


@pytest.mark.parametrize(
    ("name", "bad"),
    [
        ("epsilon", 0),
        ("epsilon", 1e-300),
        ("expected", [1.0, 2.0]),
        ("expected", [1.0, 2.0, 0.0]),
        ("expected", [1.0, 2.0, np.nan]),
        ("levels", {}),
        ("n_synthetic", 0),
        ("n_synthetic", 10**9),
        ("m", 0),
        ("adjacency", "x"),
        ("confidential", [1, 2]),
    ],
)
def test_arguments_are_checked(name, bad) -> None:
    options = {"confidential": PEOPLE, "levels": LEVELS, "expected": [1.0, 2.0, 3.0], "n_synthetic": 10, "epsilon": 1.0}
    with pytest.raises(InputError, match=name):
        dp.private_poisson_gamma_table(**options | {name: bad})
