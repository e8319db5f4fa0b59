"""What lies under the GAF: the logarithms, the moments of the rounded variable, the search for quantiles."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special, stats

import synthlab.counts as slc
from synthlab.counts import _gamma, _gamma_cells
from synthlab.counts._bessel import _debye_polynomials
from synthlab.counts._quantile_search import smallest_count
from tests.loops import every


def test_log_ratio_excess_has_no_seam():
    x = np.array([-0.9, -0.400001, -0.399999, -1e-9, 0.0, 1e-9, 0.399999, 0.400001, 5.0])
    plain = np.log(1 + x) - x
    np.testing.assert_allclose(_gamma.log_ratio_excess(1 + x, x), plain, rtol=1e-14, atol=1e-16)
    assert _gamma.log_ratio_excess(1 + 1e-9, 1e-9) == pytest.approx(-5e-19, rel=1e-8)
    assert _gamma.log_ratio_excess(0.0, -1.0) == -np.inf
    assert _gamma.log_ratio_excess(np.inf, np.inf) == -np.inf


def test_stirling_error_has_no_seam():
    n = np.array([1e-5, 0.5, 1.0, 15.999, 16.001, 1e4])
    half_log_2pi = 0.5 * np.log(2 * np.pi)
    plain = special.gammaln(n + 1) - (n + 0.5) * np.log(n) + n - half_log_2pi
    np.testing.assert_allclose(_gamma.stirling_error(n), plain, rtol=1e-9, atol=1e-11)
    assert _gamma.stirling_error(np.float64(1e4)) == pytest.approx(1 / 12e4 - 1 / 360e12, rel=1e-14)


@pytest.mark.parametrize("upper", [False, True])
def test_both_ways_to_the_tail_meet(upper):
    # At the seam the uniform expansion and SciPy must say the same.
    shape = np.full(41, _gamma.LARGE_SHAPE)
    z = np.linspace(-20, 20, 41)
    w = 1 + z / np.sqrt(shape)
    mean = np.ones_like(w)
    scipy_way = _gamma._log_tail_usual(w, shape, mean, upper)
    temme_way = _gamma._log_tail_temme(w, shape, mean, upper)
    np.testing.assert_allclose(temme_way, scipy_way, rtol=3e-13, atol=3e-14)


def test_tails_below_the_smallest_float():
    # Where the probability underflows, its logarithm follows from the series and the continued fraction.
    for shape, low, high in ((0.5, 1e-250, 400.0), (4.0, 1e-80, 60.0), (300.0, 0.005, 6.0)):
        s, mean = np.array(shape), np.array(1.0)
        for w, tail in ((low, _gamma.log_lower), (high, _gamma.log_upper)):
            near = float(tail(np.array(w), s, mean))
            far = float(tail(np.array(w / 4 if tail is _gamma.log_lower else 4 * w), s, mean))
            assert np.isfinite(far)
            assert far < near
    # P(W > x) of an exponential is exp(-x); P(W <= x) of a gamma is x^a / Gamma(a + 1) for small x.
    assert float(_gamma.log_upper(np.array(5000.0), np.array(1.0), np.array(1.0))) == pytest.approx(-5000.0, rel=1e-14)
    small = float(_gamma.log_lower(np.array(1e-100), np.array(4.0), np.array(4.0)))
    assert small == pytest.approx(4 * np.log(1e-100) - special.gammaln(5), rel=1e-14)


def test_scipy_is_not_enough():
    # The reason for the uniform expansion: six deviations below the mean SciPy's gammainc is off by more than a tenth.
    shape = 1e8
    w = 1 - 6 / np.sqrt(shape)
    ours = np.exp(_gamma.log_lower(np.array(w), np.array(shape), np.array(1.0)))
    assert float(ours) == pytest.approx(9.79521e-10, rel=1e-5)
    # Cornish and Fisher's second approximation agrees to the order it claims.
    assert float(ours) == pytest.approx(
        stats.norm.cdf((w ** (1 / 3) - (1 - 1 / (9 * shape))) * 3 * np.sqrt(shape)), rel=1e-3
    )


@pytest.mark.parametrize(
    ("mu", "sigma", "nu"), [(1.0, 2.0, 0.0), (0.01, 0.5, -0.5), (37.0, 6.0, 0.5), (5.0, 0.3, 0.0), (100.0, 10.0, -0.5)]
)
def test_moments_equal_sums_over_the_cells(mu, sigma, nu):
    family = slc.GAF(mu, sigma, nu)
    y = np.arange(0.0, float(family.isf(1e-25)) + 2)
    p = family.pmf(y)
    assert family.mean == pytest.approx(p @ y, rel=1e-12)
    assert family.var == pytest.approx(p @ (y - p @ y) ** 2, rel=1e-11)


@pytest.mark.parametrize(
    ("shape", "mean"), [(0.25, 60.0), (1.5, 400.0), (3.0, 900.0), (0.01, 2.0), (10.0, 101.0), (0.9, 9.5), (1e-6, 0.01)]
)
def test_long_tails_by_euler_and_maclaurin(shape, mean):
    """From 128 on the sums are replaced by a formula: the same as summing on."""
    scale = mean / shape
    assert scale >= _gamma_cells._LONG_SCALE
    a, mu = np.array([shape]), np.array([mean])
    width = int(special.gammainccinv(shape, 1e-28 * min(1.0, shape)) * scale) if scale < 1e4 else 0
    by_formula = _gamma_cells.rounded_moments(a, mu)
    if width:
        m1, m2 = _gamma_cells._summed_moments(np.zeros(1), width, a, mu)
        np.testing.assert_allclose(by_formula[0], np.rint(mu) + m1, rtol=1e-12)
        np.testing.assert_allclose(by_formula[1], m2 - m1**2, rtol=1e-11)
    else:
        # P(W > w) is nearly -shape log(w / scale): its midpoint sum is off by shape log(2) / 2, by Stirling's formula.
        assert by_formula[0].item() == pytest.approx(mean - shape * np.log(2) / 2, rel=1e-8)
        assert by_formula[1].item() == pytest.approx(mean * scale, rel=1e-5)


def test_sheppard_where_rounding_is_harmless():
    mean, var = _gamma_cells.rounded_moments(np.array(100.0), np.array(50.0))
    assert (float(mean), float(var)) == (50.0, 25.0 + 1 / 12)
    # and the sum over the cells says the same
    first, last = _gamma_cells._window(np.array([100.0]), np.array([50.0]), np.array([5.0]))
    m1, m2 = _gamma_cells._summed_moments(first, int(last[0] - first[0]) + 1, np.array([100.0]), np.array([50.0]))
    np.testing.assert_allclose([m1.item(), m2.item()], [0.0, 25.0 + 1 / 12], rtol=1e-12, atol=1e-12)


def test_debye_polynomials():
    # DLMF 10.41.10: U_1 = (3p - 5p^3) / 24, U_2 = (81p^2 - 462p^4 + 385p^6) / 1152
    first, second = _debye_polynomials()[:2]
    np.testing.assert_allclose(first, [3 / 24, -5 / 24])
    np.testing.assert_allclose(second, [81 / 1152, -462 / 1152, 385 / 1152])


@every("guess", [0.0, 3.0, 41.0, 42.0, 43.0, 1e6, np.nan, np.inf])
def test_the_search_finds_the_smallest_from_anywhere(guess):
    found = smallest_count(lambda y, index: y >= 42, np.array([guess, guess]))
    assert found.tolist() == [42.0, 42.0]
    assert smallest_count(lambda y, index: y >= 0, np.array([guess])).tolist() == [0.0]
