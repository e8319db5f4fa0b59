"""Sums of counts by convolution, the search for a quantile, and when is warned."""

from __future__ import annotations

import warnings
from itertools import product

import numpy as np
import pytest

import synthlab.counts as slc
from synthlab.counts import GAF, NBI, LaplaceCount, Poisson, _convolution
from synthlab.counts._pseudocounts import check_pseudocount, warn_of_pseudocount
from synthlab.counts._quantile_search import smallest_count
from synthlab.counts._tau import warn_undefined
from synthlab.exceptions import InputError, PseudocountWarning, UndefinedStatisticWarning


def test_sums_of_counts_by_convolution(monkeypatch: pytest.MonkeyPatch) -> None:
    first = _convolution.Summand(3, 2, np.array([0.5, 0.3, 0.2]), 2.7, 0.61)
    other = _convolution.Summand(2, 0, np.array([0.1, 0.9]), 0.9, 0.09)
    law = np.zeros(7 + 9)
    for draws in product(*([[(2, 0.5), (3, 0.3), (4, 0.2)]] * 3), *([[(0, 0.1), (1, 0.9)]] * 2)):
        law[sum(y for y, _ in draws)] += np.prod([p for _, p in draws])
    for low, high in ((-5, 3), (0, 100), (7, 9), (8, 8), (9, 8), (-4, -1), (6.0, 14.0)):
        exact = law[max(int(low), 0) : int(high) + 1].sum() if high >= 0 else 0.0
        assert _convolution.probability_between([first, other], low, high, 256) == pytest.approx(exact, abs=1e-12)
    raised = other.with_ones(0.25)
    assert (raised.number, raised.first, raised.masses.tolist()) == (2, 0, pytest.approx([0.075, 0.925]))
    assert (raised.mean, raised.var) == pytest.approx((0.925, 0.925 * 0.075))
    raised = first.with_ones(0.25)
    assert raised.masses.tolist() == pytest.approx([0.0, 0.25, 0.375, 0.225, 0.15])
    y = np.arange(5)
    mean = raised.masses @ y
    assert (raised.mean, raised.var) == pytest.approx((mean, raised.masses @ (y - mean) ** 2))
    nothing = _convolution.zeros(4)
    assert (nothing.number, nothing.first, nothing.masses.tolist(), nothing.mean, nothing.var) == (
        4,
        0,
        [1.0],
        0.0,
        0.0,
    )
    assert nothing.with_ones(0.5).masses.tolist() == [0.5, 0.5]
    assert _convolution.probability_between([nothing.with_ones(0.5)], 2, 2, 64) == pytest.approx(6 / 16)


def test_both_ways_to_a_characteristic_function_agree() -> None:
    masses = np.random.default_rng(1).dirichlet(np.ones(40))
    frequency = np.arange(33)
    by_transform = _convolution._characteristic(masses, -3, frequency, 64)
    one_by_one = [_convolution._characteristic(masses, -3, np.array([k]), 64)[0] for k in frequency]
    plain = [sum(p * np.exp(-2j * np.pi * k * (y - 3) / 64) for y, p in enumerate(masses)) for k in frequency]
    np.testing.assert_allclose(by_transform, plain, atol=1e-13)
    np.testing.assert_allclose(one_by_one, plain, atol=1e-13)


def test_summands_lose_next_to_nothing_of_their_tails(monkeypatch: pytest.MonkeyPatch) -> None:
    means, number = np.array([1.0, 40.0]), np.array([7, 2])
    parts = _convolution.summands(Poisson(), means, number, 1e6)
    for part, mean, n in zip(parts, means, number, strict=True):
        assert (part.number, part.mean, part.var) == (n, mean, mean)
        assert float(part.masses.sum()) == pytest.approx(1.0, abs=3e-14 / n * n)
        assert part.masses.tolist() == Poisson(mean).pmf(part.first + np.arange(part.masses.size)).tolist()
        assert part.first == Poisson(mean).ppf(1e-14 / n)
        assert part.first + part.masses.size - 1 == Poisson(mean).isf(1e-14 / n)
    assert [p.masses.size for p in _convolution.summands(Poisson(), means, number, 5.0)] == [6, 6]
    assert _convolution.summands(Poisson(), np.array([]), np.array([]), 5.0) == []
    monkeypatch.setattr(_convolution, "LARGEST_WORK", 12)
    assert len(_convolution.summands(Poisson(), means, number, 5.0)) == 2
    monkeypatch.setattr(_convolution, "LARGEST_WORK", 11)
    assert _convolution.summands(Poisson(), means, number, 5.0) is None


def test_a_grid_that_is_just_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    # 2 x 100 + 32 x 9 + 16 = 504, so 512
    assert _convolution.grid_for(0.0, 100.0, 50.0, 9.0) == 512
    assert _convolution.grid_for(0.0, 100.0, 50.0, 9.3) == 1024
    assert _convolution.grid_for(40.0, 60.0, 100.0, 9.0) == 512  # the mean outside the interval spans too
    monkeypatch.setattr(_convolution, "LARGEST_GRID", 512)
    assert _convolution.grid_for(0.0, 100.0, 50.0, 9.0) == 512
    assert _convolution.grid_for(0.0, 100.0, 50.0, 9.3) is None


def test_the_smallest_count_of_each_row_wherever_the_search_begins() -> None:
    wanted = np.array([0.0, 1.0, 7.0, 1000.0, 3.0, 2.0**60])
    for guess in ([0.0] * 6, [1e9] * 6, [np.nan] * 6, [np.inf] * 6, [-5.0] * 6, [8.0, 0.0, 7.0, 999.0, 4.0, 2.0**60]):
        assert smallest_count(lambda y, index: y >= wanted[index], np.array(guess)).tolist() == wanted.tolist()
    with np.errstate(over="ignore"):
        assert smallest_count(lambda y, index: np.zeros(y.size, dtype=bool), np.array([1.0])).tolist() == [np.inf]


def test_sizes_that_no_cell_has_are_named_apart() -> None:
    sizes = np.array([1, 2, 3])
    fine, gap = np.array([0.1, 0.2, 0.3]), np.array([0.1, np.nan, np.nan])
    with pytest.warns(UndefinedStatisticWarning, match=r"tau3 is undefined for k = 2, 3, .* before"):
        warn_undefined(sizes, gap, fine)
    with pytest.warns(UndefinedStatisticWarning, match=r"tau4 is undefined for k = 2, 3, .* after"):
        warn_undefined(sizes, fine, gap)
    several = np.array([[0.1, 0.2], [0.1, np.nan], [0.1, 0.1]])  # undefined in one of two datasets
    with pytest.warns(UndefinedStatisticWarning, match=r"tau4 is undefined for k = 2, "):
        warn_undefined(sizes, np.ones((3, 2)), several)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_undefined(sizes, fine, fine)


def test_when_a_pseudocount_is_warned_of() -> None:
    def warned(family: slc.CountFamily, pseudocount: float, n_empty: int, coin: float) -> int:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            warn_of_pseudocount(family, pseudocount, n_empty, coin)
        return len(caught)

    assert warned(GAF(sigma=1, nu=0.0), 0.01, 1, 0.0) == 1
    assert warned(GAF(sigma=1, nu=1e-9), 0.01, 1, 0.0) == 0
    assert warned(GAF(sigma=1, nu=-1.0), 0.0, 1, 0.0) == 0
    assert warned(GAF(sigma=1, nu=-1.0), 0.01, 0, 0.0) == 0
    assert warned(GAF(sigma=1, nu=-1.0), 0.01, 1, 1e-9) == 0
    assert warned(NBI(sigma=1), 0.01, 1, 0.0) == 0
    share = float(GAF(0.01, 1, -0.5).sf(0))
    with pytest.warns(PseudocountWarning) as caught:
        warn_of_pseudocount(GAF(sigma=1, nu=-0.5), 0.01, 10**9, 0.0, what="cells")
    text = str(caught[0].message)
    assert f"share of {share:.2g} of the cells non-zero (about {share * 1e9:,.0f} of 1,000,000,000" in text
    assert f"a Poisson would make {1 - np.exp(-0.01):.2g})" in text
    assert check_pseudocount(LaplaceCount(epsilon=1), 0) == 0.0
    for family, value in ((LaplaceCount(epsilon=1), 1e-9), (Poisson(), -1e-9), (Poisson(), 2.0**62 * 1.01)):
        with pytest.raises(InputError, match="pseudocount"):
            check_pseudocount(family, value)
    assert check_pseudocount(Poisson(), 2.0**62) == 2.0**62
