"""The tau metrics of an intruder who may be off by d."""

from __future__ import annotations

from math import exp

import numpy as np
import pytest

import synthlab.counts as slc
from synthlab.exceptions import InputError
from tests.loops import every

SIZES = [0, 0, 0, 1, 1, 2, 2, 2, 3, 5, 9]


def table_of(counts) -> slc.Table:
    return slc.Table.from_counts(counts, {"cell": range(len(counts))})


@pytest.mark.filterwarnings("ignore::synthlab.exceptions.UndefinedStatisticWarning")
def test_measured_by_hand():
    before, after = table_of([0, 0, 1, 1, 1, 2, 5]), table_of([1, 0, 1, 0, 3, 2, 4])
    result = slc.tau(before, after, k=[0, 1, 2, 4], d=1)
    np.testing.assert_allclose(result.tau3[:3, 0], [2 / 2, 2 / 3, 1 / 1])
    np.testing.assert_allclose(result.tau4[:, 0], [2 / 2, 2 / 2, 1 / 1, 1 / 1])
    assert np.isnan(result.tau3[3, 0])


@every("d", [0, 1, 2])
@every("family", [slc.NBI(sigma=0.5), slc.GAF(sigma=1.5, nu=-0.5), slc.Poisson()])
def test_a_priori_is_the_sum_over_all_arrivals(family, d):
    table = table_of(SIZES)
    k = [0, 1, 2, 3, 5, 9]
    found = slc.expected_tau(table, family, k=k, d=d, pseudocount=0.0, zeros_to_ones=0.2)

    def pmf(origin: int, y: int) -> float:
        if origin:
            return float(family.at(origin).pmf(y))
        return {0: 0.8, 1: 0.2}.get(y, 0.0)

    for place, size in enumerate(k):
        around = range(max(0, size - d), size + d + 1)
        assert found.tau3[place] == pytest.approx(sum(pmf(size, y) for y in around), rel=1e-12)
        came = sum(pmf(j, size) for j in SIZES if abs(j - size) <= d)
        assert found.tau4[place] == pytest.approx(came / sum(pmf(j, size) for j in SIZES), rel=1e-12)


def test_tolerance_leaves_tau1_and_tau2_and_raises_the_others():
    table = table_of(SIZES)
    exact, off = (slc.expected_tau(table, slc.NBI(sigma=0.5), k=[1, 2, 5], d=d) for d in (0, 3))
    np.testing.assert_array_equal(exact.tau1, off.tau1)
    np.testing.assert_array_equal(exact.tau2, off.tau2)
    assert (off.tau3 > exact.tau3).all()
    assert (off.tau4 > exact.tau4).all()


@pytest.mark.filterwarnings("ignore::synthlab.exceptions.UndefinedStatisticWarning")
def test_measured_follows_expected():
    table, family = table_of(SIZES), slc.NBI(sigma=0.5)
    expected = slc.expected_tau(table, family, k=[1, 2, 5], d=1)
    measured = slc.tau(table, slc.synthesize_table(table, family, m=2000, rng=1), k=[1, 2, 5], d=1)
    counted = np.nanmean(measured.tau3, axis=1)
    error = expected.standard_errors(2000)["tau3"].to_numpy()
    np.testing.assert_array_less(np.abs(counted - expected.tau3), 4 * error)


def test_structural_zeros_stay_within_any_tolerance():
    table = table_of([0, 0, 1, 2])
    found = slc.expected_tau(table, slc.Poisson(), k=[0], d=1, pseudocount=0.5, structural_zeros=[0])
    assert found.tau3[0] == pytest.approx((1 + exp(-0.5) * 1.5) / 2, rel=1e-12)


@pytest.mark.parametrize("bad", [-1, 0.5, "1", None, True, 10**9])
def test_tolerance_is_a_count(bad):
    table = table_of(SIZES)
    with pytest.raises(InputError, match="^d"):
        slc.expected_tau(table, slc.Poisson(), d=bad)
    with pytest.raises(InputError, match="^d"):
        slc.tau(table, table, d=bad)
