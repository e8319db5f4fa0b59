"""How near synthetic totals come."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import synthlab.counts as slc
from synthlab.exceptions import InputError, PseudocountWarning

LEVELS = {"sex": ["F", "M"], "age": [5, 6, 7, 8]}
COUNTS = np.array([[0, 3, 12, 40], [3, 3, 3, 3]])


@pytest.fixture(scope="module")
def table() -> slc.Table:
    return slc.Table.from_counts(COUNTS, LEVELS)


def test_a_sum_of_poissons_is_poisson(table):
    result = slc.total_within(table, slc.Poisson(), 5, pseudocount=0.5)
    mean = COUNTS.sum() + 0.5
    n = COUNTS.sum()
    assert result.method == "Poisson"
    assert result.probability == pytest.approx(
        stats.poisson.cdf(n + 4, mean) - stats.poisson.cdf(n - 5, mean), rel=1e-12
    )
    assert (result.n, result.mean, result.sd**2) == (n, mean, pytest.approx(mean))


@pytest.mark.parametrize("family", [slc.NBI(sigma=0.7), slc.PIG(sigma=0.7)], ids=lambda f: f.label)
def test_equal_means_have_a_closed_sum(table, family):
    result = slc.total_within(table, family, 4, where={"sex": "M"})
    assert result.method == type(family).__name__
    draws = family.at(3.0).rvs((400_000, 4), rng=1).sum(axis=1)
    assert result.probability == pytest.approx((np.abs(draws - 12) < 4).mean(), abs=0.004)
    assert result.sd == pytest.approx(draws.std(), rel=0.01)


def test_everything_else_is_normal_and_near(table):
    big = slc.Table.from_counts(np.repeat(COUNTS.ravel(), 100), {"cell": range(800)})
    family = slc.GAF(sigma=2, nu=-0.5)
    result = slc.total_within(big, family, 60, pseudocount=0, zeros_to_ones=0.1)
    synthetic = slc.synthesize_table(big, family, m=4000, pseudocount=0, zeros_to_ones=0.1, rng=1)
    totals = np.array([t.total for t in synthetic])
    assert result.method == "normal"
    assert result.mean == pytest.approx(totals.mean(), abs=5 * totals.std() / np.sqrt(4000))
    assert result.sd == pytest.approx(totals.std(), rel=0.05)
    share = (np.abs(totals - big.total) < 60).mean()
    assert result.probability == pytest.approx(share, abs=5 * np.sqrt(share * (1 - share) / 4000))
    assert slc.total_within(table, slc.NBI(sigma=1), 5).method == "normal"


def test_distance_is_strict(table):
    # |n_syn - n| < 1 means n_syn = n, and a distance between two whole numbers is the larger one.
    family = slc.Poisson()
    exactly = slc.total_within(table, family, 1, pseudocount=0)
    assert exactly.probability == pytest.approx(stats.poisson.pmf(COUNTS.sum(), COUNTS.sum()), rel=1e-12)
    assert slc.total_within(table, family, 2.5, pseudocount=0).probability == pytest.approx(
        slc.total_within(table, family, 3, pseudocount=0).probability
    )


def test_structural_zeros_add_nothing(table):
    with_all = slc.total_within(table, slc.Poisson(), 5, pseudocount=2.0)
    without = slc.total_within(table, slc.Poisson(), 5, pseudocount=2.0, structural_zeros={"sex": "F", "age": 5})
    assert with_all.mean - without.mean == pytest.approx(2.0)
    assert slc.total_within(table, slc.Poisson(), 5, pseudocount=2.0, where={"sex": "M"}).mean == 12


def test_nothing_varies_in_an_empty_margin(table):
    result = slc.total_within(table, slc.NBI(sigma=1), 1, where={"sex": "F", "age": 5}, pseudocount=0)
    assert (result.method, result.probability, result.approximation) == ("constant", 1.0, 1.0)
    laplace = slc.total_within(table, slc.LaplaceCount(epsilon=1), 1, where={"sex": "F", "age": 5}, pseudocount=0)
    assert 0 < laplace.probability < 1


def test_the_result_shows_itself(table):
    result = slc.total_within(table, slc.Poisson(), 5)
    assert str(result).startswith("P(|n_syn - 67| < 5) = 0.")
    assert result.summary()["method"].item() == "Poisson"
    assert result._repr_html_() == f"<p>{str(result).replace('<', '&lt;')}</p>"


def test_bad_input_is_named(table):
    with pytest.raises(InputError, match=r"d=0: must be a finite number in \(0"):
        slc.total_within(table, slc.Poisson(), 0)
    with pytest.raises(InputError, match=r"where\['age'\]: 99 is no level of it"):
        slc.total_within(table, slc.Poisson(), 1, where={"age": 99})
    with pytest.warns(PseudocountWarning):
        slc.total_within(table, slc.GAF(sigma=2, nu=0), 5)
