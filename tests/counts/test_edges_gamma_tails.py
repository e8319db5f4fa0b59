"""The gamma far out, held against sums in decimal arithmetic, and its expansion against exact fractions."""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest

from synthlab.counts import _gamma
from tests.counts.exact import DIGITS, gamma_tails


def _times(a: dict[int, Fraction], b: dict[int, Fraction], last: int) -> dict[int, Fraction]:
    out: dict[int, Fraction] = {}
    for i, x in a.items():
        for j, y in b.items():
            if i + j <= last:
                out[i + j] = out.get(i + j, Fraction(0)) + x * y
    return out


def _temme(order: int) -> list[list[Fraction]]:
    """Return the coefficients of c_0, c_1, c_2 by DLMF 8.12.10, from the series of mu in eta, term by term."""
    # eta^2 / 2 = mu - log(1 + mu) means mu' = eta (1 + mu) / mu, that is mu mu' = eta + eta mu.
    mu = [Fraction(0), Fraction(1)]
    for n in range(2, order + 3):
        inner = sum(((n + 1 - k) * mu[k] * mu[n + 1 - k] for k in range(2, n)), Fraction(0))
        mu.append((mu[n - 1] - inner) / (n + 1))
    inverse = [Fraction(1)]  # of mu / eta
    for n in range(1, order + 2):
        inverse.append(-sum((mu[k + 1] * inverse[n - k] for k in range(1, n + 1)), Fraction(0)))
    one_over_mu = {n - 1: c for n, c in enumerate(inverse)}
    found = [{n: c for n, c in one_over_mu.items() if n >= 0}]
    for k, g in ((1, Fraction(1, 12)), (2, Fraction(1, 288))):
        before = found[-1]
        slope = {n - 2: n * c for n, c in before.items() if n}
        both = {
            n: slope.get(n, Fraction(0)) + (-1) ** k * g * one_over_mu.get(n, Fraction(0)) for n in range(-1, order)
        }
        assert both.pop(-1) == 0  # the poles cancel
        found.append(both)
    return [[c[n] for n in sorted(c)] for c in found]


def test_the_coefficients_of_the_expansion_are_those_of_its_recursion() -> None:
    for kept, exact in zip(_gamma._TEMME, _temme(20), strict=True):
        np.testing.assert_allclose(kept, [float(c) for c in exact[: len(kept)]], rtol=1e-15)
    assert [len(c) for c in _gamma._TEMME] == [14, 12, 10]


@pytest.mark.parametrize("eta", [0.0999, -0.0999, 0.03, -0.003])
def test_near_the_mean_the_series_are_the_closed_forms(eta: float) -> None:
    with localcontext(DIGITS):
        e = Decimal(eta)
        delta = e
        for _ in range(60):  # Newton's steps towards delta - log(1 + delta) = eta^2 / 2
            delta -= (delta - (1 + delta).ln() - e * e / 2) * (1 + delta) / delta
        u, v = 1 / delta, 1 / e
        exact = (
            u - v,
            v**3 - u**3 - u**2 - u / 12,
            -3 * v**5 + 3 * u**5 + 5 * u**4 + 25 * u**3 / 12 + u**2 / 12 + u / 288,
        )
    found = _gamma._temme_coefficients(np.array([eta]), np.array([float(delta)]))
    np.testing.assert_allclose(np.ravel(found), [float(c) for c in exact], rtol=1e-13)


@pytest.mark.parametrize("eta", [0.11, -0.11, 0.8, -0.8, 2.5, -1.5])
def test_far_from_the_mean_the_closed_forms_are_the_recursion(eta: float) -> None:
    # c_1 = c_0' / eta - 1 / (12 mu), c_2 = c_1' / eta + 1 / (288 mu), the slopes by differences of many digits.
    with localcontext(DIGITS):
        step = Decimal("1e-25")
        centre = Decimal(eta)

        def delta_at(e: Decimal) -> Decimal:
            delta = Decimal(float(e)) if e > 0 else (-e * e / 2 - 1).exp() - 1
            for _ in range(80):
                delta -= (delta - (1 + delta).ln() - e * e / 2) * (1 + delta) / delta
            return delta

        grid = {j: (centre + j * step, delta_at(centre + j * step)) for j in (-2, -1, 0, 1, 2)}
        c0 = {j: 1 / d - 1 / e for j, (e, d) in grid.items()}
        c1 = {j: (c0[j + 1] - c0[j - 1]) / (2 * step) / grid[j][0] - 1 / (12 * grid[j][1]) for j in (-1, 0, 1)}
        c2 = (c1[1] - c1[-1]) / (2 * step) / centre + 1 / (288 * grid[0][1])
    found = _gamma._temme_coefficients(np.array([eta]), np.array([float(grid[0][1])]))
    for ours, exact, tolerance in zip(found, (c0[0], c1[0], c2), (1e-13, 1e-10, 1e-7), strict=True):
        assert ours.item() == pytest.approx(float(exact), rel=tolerance)


@pytest.mark.parametrize("shape", [1, 2, 7, 40, 300, 2000])
@pytest.mark.parametrize("ratio", [1e-6, 0.01, 0.3, 0.9, 1.0, 1.1, 2.0, 5.0, 40.0])
def test_both_tails_of_a_whole_shape(shape: int, ratio: float) -> None:
    mean = 3.0
    low, high = gamma_tails(shape, ratio * mean, mean)
    arguments = np.array(ratio * mean), np.array(float(shape)), np.array(mean)
    assert float(_gamma.log_lower(*arguments)) == pytest.approx(low, rel=1e-12, abs=1e-250)
    assert float(_gamma.log_upper(*arguments)) == pytest.approx(high, rel=1e-12, abs=1e-250)


@pytest.mark.parametrize("z", [-30.0, -8.0, -1.0, -0.01, 0.0, 0.5, 3.0, 12.0, 36.0])
def test_both_tails_of_a_large_shape(z: float) -> None:
    shape, mean = 20001, 5.0
    w = mean * (1.0 + z / np.sqrt(shape))
    low, high = gamma_tails(shape, w, mean)
    arguments = np.array(w), np.array(float(shape)), np.array(mean)
    assert float(_gamma.log_lower(*arguments)) == pytest.approx(low, rel=2e-12)
    assert float(_gamma.log_upper(*arguments)) == pytest.approx(high, rel=2e-12)


@pytest.mark.parametrize("z", [-5.0, -2.0, -0.3, 0.0, 0.3, 2.0, 6.0])
@pytest.mark.parametrize("upper", [False, True])
def test_the_expansion_has_three_terms(z: float, upper: bool) -> None:
    # At a shape of 60 the third term is 1e-6 of the first; what is left out is below 1e-9.
    w = 1.0 + z / np.sqrt(60.0)
    exact = gamma_tails(60, w, 1.0)[upper]
    found = _gamma._log_tail_temme(np.array([w]), np.array([60.0]), np.array([1.0]), upper)
    assert found.item() == pytest.approx(exact, rel=1e-9, abs=2e-9)


def test_the_ends_of_the_line() -> None:
    for shape in (0.5, 3.0, 1e5):
        w = np.array([-1.0, 0.0, np.inf])
        assert _gamma.log_lower(w, np.array(shape), np.array(2.0)).tolist() == [-np.inf, -np.inf, 0.0]
        assert _gamma.log_upper(w, np.array(shape), np.array(2.0)).tolist() == [0.0, 0.0, -np.inf]


def test_the_series_and_the_fraction_are_tails_over_their_densities() -> None:
    for a, x in ((1.0, 0.5), (4.0, 1.0), (30.0, 12.0)):
        term = total = 1.0 / a
        for k in range(1, 400):
            term *= x / (a + k)
            total += term
        assert _gamma._lower_series(np.array([a]), np.array([x])).item() == pytest.approx(total, rel=1e-14)
    # Q(1, x) = exp(-x), Q(2, x) = (1 + x) exp(-x), Q(3, x) = (1 + x + x^2 / 2) exp(-x); the density is x^a exp(-x) / Gamma(a).
    for a, x, exact in ((1.0, 5.0, 1 / 5), (2.0, 7.0, 8 / 49), (3.0, 10.0, 61 * 2 / 1000), (1.0, 800.0, 1 / 800)):
        assert _gamma._upper_fraction(np.array([a]), np.array([x])).item() == pytest.approx(exact, rel=1e-14)
    # The longest row decides when to stop.
    both = _gamma._lower_series(np.array([1.0, 900.0]), np.array([1e-9, 890.0]))
    assert both[1] == _gamma._lower_series(np.array([900.0]), np.array([890.0]))[0]
    both = _gamma._upper_fraction(np.array([1.0, 900.0]), np.array([800.0, 905.0]))
    assert both[1] == pytest.approx(_gamma._upper_fraction(np.array([900.0]), np.array([905.0]))[0], rel=1e-14)


@pytest.mark.parametrize("n", [1, 2, 15, 16, 17, 40])
def test_the_error_of_stirling_to_the_last_digit(n: int) -> None:
    with localcontext(DIGITS):
        log_factorial = sum((Decimal(k).ln() for k in range(2, n + 1)), Decimal(0))
        two_pi = Decimal("6.28318530717958647692528676655900576839433879875021164194988918461563281257241799725607")
        exact = log_factorial - (Decimal(n) + Decimal("0.5")) * Decimal(n).ln() + n - two_pi.ln() / 2
    tolerance = 5e-15 if n >= 16 else 1e-12
    assert float(_gamma.stirling_error(np.array(float(n)))) == pytest.approx(float(exact), rel=tolerance)


@pytest.mark.parametrize("x", [-0.9999, -0.5, -0.401, -0.399, -1e-3, -1e-12, 1e-12, 1e-3, 0.399, 0.401, 3.0, 1e6])
def test_the_logarithm_less_its_argument(x: float) -> None:
    with localcontext(DIGITS):
        exact = float((1 + Decimal(x)).ln() - Decimal(x))
    assert float(_gamma.log_ratio_excess(np.array(1.0 + x), np.array(x))) == pytest.approx(exact, rel=4e-15)


@pytest.mark.parametrize(("shape", "w", "mean"), [(1, 2.0, 5.0), (3, 0.25, 0.5), (50, 9.0, 10.0), (400, 1.0, 4.0)])
def test_the_density_of_a_whole_shape(shape: int, w: float, mean: float) -> None:
    with localcontext(DIGITS):
        rate, v = Decimal(shape) / Decimal(mean), Decimal(w)
        exact = shape * rate.ln() + (shape - 1) * v.ln() - rate * v - sum(Decimal(k).ln() for k in range(1, shape))
    arguments = np.array(w), np.array(float(shape)), np.array(mean)
    assert float(_gamma.log_density(*arguments)) == pytest.approx(float(exact), rel=1e-13)
    assert float(_gamma.log_density(*arguments, np.array(w - mean))) == pytest.approx(float(exact), rel=1e-13)
    # The distance that is known free of rounding is the one that counts.
    near = _gamma.log_density(np.array(1e8), np.array(1e16), np.array(1e8), np.array(3.0))
    assert float(
        near - _gamma.log_density(np.array(1e8), np.array(1e16), np.array(1e8), np.array(0.0))
    ) == pytest.approx(-4.5, rel=1e-6)


def test_the_part_of_a_deviance() -> None:
    for x, mean in ((3.0, 5.0), (1e6, 1e6 + 1), (2.0, 1e-5)):
        with localcontext(DIGITS):
            exact = Decimal(x) * (Decimal(x) / Decimal(mean)).ln() + Decimal(mean) - Decimal(x)
        assert float(_gamma.deviance_part(np.array(x), np.array(mean), np.array(mean - x))) == pytest.approx(
            float(exact), rel=1e-13
        )
