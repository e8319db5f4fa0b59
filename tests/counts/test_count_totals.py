"""How near synthetic totals come."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import synthlab.counts as slc
from synthlab.counts import _convolution
from synthlab.exceptions import ApproximationWarning, InputError, PseudocountWarning
from tests.loops import every

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


def convolved(cells: list, up_to: int) -> np.ndarray:
    """P(sum = 0), ..., P(sum = up_to), cell by cell: no larger count can be part of these sums."""
    out = np.ones(1)
    for family in cells:
        out = np.convolve(out, family.pmf(np.arange(up_to + 1)))[: up_to + 1]
    return out


@every(
    ("family", "pseudocount"),
    [
        (slc.NBI(sigma=1), 0.1),
        (slc.PIG(sigma=0.5), 0.1),
        (slc.GAF(sigma=1, nu=2), 0.1),
        # The pseudocount makes one empty cell in a thousand large: nothing is normal about this sum.
        (slc.GAF(sigma=2, nu=-0.5), 0.01),
    ],
)
@pytest.mark.filterwarnings("ignore::synthlab.exceptions.PseudocountWarning")
@every("d", [1, 12, 60.5])
def test_everything_else_is_summed_exactly(family, pseudocount, d):
    counts = [0, 0, 0, 1, 1, 2, 7, 30]
    result = slc.total_within(slc.Table.from_counts(counts, {"cell": range(8)}), family, d, pseudocount=pseudocount)
    pmf = convolved([family.at(float(c) or pseudocount) for c in counts], up_to=120)
    near = np.abs(np.arange(pmf.size) - 41) < d
    assert result.method == "convolution"
    assert result.probability == pytest.approx(pmf[near].sum(), rel=1e-9, abs=1e-11)


@pytest.mark.filterwarnings("ignore::synthlab.exceptions.PseudocountWarning")
def test_a_few_raised_zeros_take_the_variance_and_leave_the_probability(table):
    counts = np.concatenate([np.zeros(100, dtype=int), np.arange(1, 101)])
    ladder, family = slc.Table.from_counts(counts, {"cell": range(200)}), slc.GAF(sigma=1, nu=-0.5)
    result = slc.total_within(ladder, family, 15)
    totals = np.array([t.total for t in slc.synthesize_table(ladder, family, m=2000, rng=1)])
    share = (np.abs(totals - ladder.total) < 15).mean()
    assert result.sd > 30
    assert result.probability == pytest.approx(share, abs=5 * np.sqrt(share * (1 - share) / 2000))
    assert share > 0.98  # the normal distribution with this variance says 0.35


@pytest.mark.parametrize(("copies", "d", "m"), [(20, 27, 1000), pytest.param(100, 60, 4000, marks=pytest.mark.full)])
def test_a_coin_on_the_zeros_is_part_of_the_sum(copies, d, m):
    big = slc.Table.from_counts(np.repeat(COUNTS.ravel(), copies), {"cell": range(8 * copies)})
    family = slc.GAF(sigma=2, nu=-0.5)
    result = slc.total_within(big, family, d, pseudocount=0, zeros_to_ones=0.1)
    synthetic = slc.synthesize_table(big, family, m=m, pseudocount=0, zeros_to_ones=0.1, rng=1)
    totals = np.array([t.total for t in synthetic])
    assert result.method == "convolution"
    assert result.mean == pytest.approx(totals.mean(), abs=5 * totals.std() / np.sqrt(m))
    assert result.sd == pytest.approx(totals.std(), rel=0.05 * np.sqrt(4000 / m))
    share = (np.abs(totals - big.total) < d).mean()
    assert result.probability == pytest.approx(share, abs=5 * np.sqrt(share * (1 - share) / m))
    only_zeros = slc.Table.from_counts(np.zeros(50, dtype=int), {"cell": range(50)})
    coin = slc.total_within(only_zeros, family, 4, pseudocount=0, zeros_to_ones=0.1)
    assert coin.probability == pytest.approx(stats.binom.cdf(3, 50, 0.1), rel=1e-10)
    both = slc.total_within(only_zeros, slc.NBI(sigma=1), 4, pseudocount=0.2, zeros_to_ones=0.1)
    drawn = slc.synthesize_table(only_zeros, slc.NBI(sigma=1), m=m, pseudocount=0.2, zeros_to_ones=0.1, rng=2)
    share = (np.array([t.total for t in drawn]) < 4).mean()
    assert both.probability == pytest.approx(share, abs=5 * np.sqrt(share * (1 - share) / m))


@pytest.mark.parametrize("limit", ["LARGEST_GRID", "LARGEST_WORK"])
def test_what_is_too_spread_out_is_normal_and_says_when_that_is_rough(monkeypatch, limit):
    even = slc.Table.from_counts(np.full(5000, 20), {"cell": range(5000)})
    lop_sided = slc.Table.from_counts([20, 1000], {"cell": range(2)})
    exactly = slc.total_within(even, slc.GAF(sigma=1, nu=1), 100)
    monkeypatch.setattr(_convolution, limit, 64)
    near = slc.total_within(even, slc.GAF(sigma=1, nu=1), 100)
    assert (exactly.method, near.method) == ("convolution", "normal")
    assert near.probability == pytest.approx(exactly.probability, abs=1e-4)
    with pytest.warns(ApproximationWarning, match=r"skewness 2 is"):
        slc.total_within(lop_sided, slc.NBI(sigma=1), 100)


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


def test_bad_input_is_named(table):
    with pytest.raises(InputError, match=r"d=0: must be a finite number in \(0"):
        slc.total_within(table, slc.Poisson(), 0)
    with pytest.raises(InputError, match=r"where\['age'\]: 99 is not a level of this variable"):
        slc.total_within(table, slc.Poisson(), 1, where={"age": 99})
    with pytest.raises(InputError, match=r"where\['age'\]: names no level; omit 'age' to include all of its levels"):
        slc.total_within(table, slc.Poisson(), 1, where={"age": []})
    with pytest.raises(InputError, match=r"where: must be a mapping such as .*, got 'age'"):
        slc.total_within(table, slc.Poisson(), 1, where="age")
    with pytest.warns(PseudocountWarning):
        slc.total_within(table, slc.GAF(sigma=2, nu=0), 5)
