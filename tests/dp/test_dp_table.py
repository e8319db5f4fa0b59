"""Dirichlet-multinomial tables: the minimum prior against every table of a small world."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st
from scipy import stats

from synthlab import dp
from synthlab.exceptions import InputError

PEOPLE = pd.DataFrame({"tenure $": ["owns", "rents"] * 50, "urban": [1, 1, 1, 2] * 25})
LEVELS = {"tenure $": ["owns", "rents", "neither"], "urban": [1, 2]}


def test_by_hand():
    assert dp.dirichlet_epsilon(2.0, 6) == pytest.approx(np.log(4))
    assert dp.minimum_pseudocount(np.log(4), 6) == pytest.approx(2.0)


@settings(max_examples=30, deadline=None)
@given(st.floats(0.01, 12), st.integers(1, 10**6))
def test_the_two_formulas_are_inverse(epsilon, size):
    assert dp.dirichlet_epsilon(dp.minimum_pseudocount(epsilon, size), size) == pytest.approx(epsilon)


def tables(total, cells):
    return [t for t in product(range(total + 1), repeat=cells) if sum(t) == total]


@pytest.mark.parametrize(("size", "prior"), [(1, 0.5), (3, 1.0), (4, 2.5)])
def test_the_formula_is_the_largest_log_ratio_over_all_tables_and_neighbors(size, prior):
    """Three cells, up to three people: replace reaches the formula, one more or less never passes it."""
    outcomes = tables(size, 3)

    def logpmf(counts):
        return np.array([stats.dirichlet_multinomial.logpmf(z, np.array(counts) + prior, size) for z in outcomes])

    known = {t: logpmf(t) for n in range(4) for t in tables(n, 3)}
    replace, add_remove = 0.0, 0.0
    for (one, first), (other, second) in product(known.items(), repeat=2):
        differ = np.abs(np.subtract(one, other)).sum()
        largest = np.abs(first - second).max()
        if differ == 2 and sum(one) == sum(other):
            replace = max(replace, largest)
        elif differ == 1:
            add_remove = max(add_remove, largest)
    epsilon = dp.dirichlet_epsilon(prior, size)
    assert replace == pytest.approx(epsilon)
    assert 0.3 * epsilon < add_remove < epsilon


def test_a_table_is_drawn_from_the_dirichlet_multinomial_with_that_prior():
    result = dp.private_table(PEOPLE, levels=LEVELS, n_synthetic=40, epsilon=1.5, m=3000, rng=1)
    assert result.counts.shape == (6, 3000)
    assert (result.counts.sum(axis=0) == 40).all()
    prior = 40 / np.expm1(1.5)
    assert result.pseudocount == pytest.approx(prior)
    # owns: all urban; rents: half and half
    alpha = np.array([50, 0, 25, 25, 0, 0]) + prior
    mean = 40 * alpha / alpha.sum()
    variance = mean * (1 - alpha / alpha.sum()) * (40 + alpha.sum()) / (1 + alpha.sum())
    assert np.abs(result.counts.mean(axis=1) - mean).max() < 4.5 * np.sqrt(variance.max() / 3000)
    assert result.counts.var(axis=1) == pytest.approx(variance, rel=0.15)
    assert result.prior_share(100) == pytest.approx(6 * prior / (100 + 6 * prior))


def test_what_m_tables_cost_and_that_the_first_do_not_depend_on_m():
    five = dp.private_table(PEOPLE, levels=LEVELS, n_synthetic=40, epsilon=0.5, m=5, rng=3)
    two = dp.private_table(PEOPLE, levels=LEVELS, n_synthetic=40, epsilon=0.5, m=2, rng=3)
    assert (five.epsilon_per_table, five.epsilon_total) == (0.5, 2.5)
    np.testing.assert_array_equal(five.counts[:, :2], two.counts)
    assert not five.counts.flags.writeable


def test_frames_and_release_hold_the_counts_in_the_levels_declared():
    result = dp.private_table(PEOPLE, levels=LEVELS, n_synthetic=40, epsilon=5.0, m=2, rng=3)
    frame = result.to_frame()
    assert list(frame.columns) == ["tenure $", "urban", "dataset", "count"]
    release = result.release()
    assert (release.m, release.n) == (2, 40)
    counted = release[1].groupby(["tenure $", "urban"]).size()
    for row in frame[frame["dataset"] == 2].itertuples(index=False):
        assert counted.get((row[0], row[1]), 0) == row[3]
    assert result.summary().index.names == ["tenure $", "urban"]
    assert release.provenance["epsilon_total"] == 10.0


def test_bad_input():
    with pytest.raises(InputError, match="'age' not in confidential"):
        dp.private_table(PEOPLE, levels={"age": [1]}, n_synthetic=4, epsilon=1.0)
    with pytest.raises(InputError, match="levels: must be a mapping"):
        dp.private_table(PEOPLE, levels={}, n_synthetic=4, epsilon=1.0)
    with pytest.raises(InputError, match="n_synthetic=0"):
        dp.private_table(PEOPLE, levels=LEVELS, n_synthetic=0, epsilon=1.0)
    with pytest.raises(InputError, match="m=0"):
        dp.private_table(PEOPLE, levels=LEVELS, n_synthetic=4, epsilon=1.0, m=0)
    with pytest.raises(InputError, match="4,000,000 cells, more than 2,000,000"):
        dp.private_table(
            PEOPLE.assign(x=1), levels={n: range(2000) for n in ("urban", "x")}, n_synthetic=4, epsilon=1.0
        )
    with pytest.raises(InputError, match=r"levels\['urban'\]: must not contain a missing value"):
        dp.private_table(PEOPLE, levels={"urban": [1.0, np.nan]}, n_synthetic=4, epsilon=1.0)
    with pytest.raises(InputError, match="column names must be unique"):
        dp.private_table(PEOPLE[["urban", "urban"]], levels={"urban": [1]}, n_synthetic=4, epsilon=1.0)
    for bad in (0, -1, 701, float("nan")):
        with pytest.raises(InputError, match="epsilon"):
            dp.minimum_pseudocount(bad, 4)
    with pytest.raises(InputError, match="pseudocount=0"):
        dp.dirichlet_epsilon(0, 4)
    with pytest.raises(InputError, match="n=0"):
        dp.private_table(PEOPLE, levels=LEVELS, n_synthetic=4, epsilon=1.0, rng=1).prior_share(0)
