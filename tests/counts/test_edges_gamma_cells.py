"""Cells of the rounded gamma and its moments, held against sums in decimal arithmetic."""

from __future__ import annotations

from decimal import Decimal, localcontext

import numpy as np
import pytest

from synthlab.counts import GAF, GammaFamily, _gamma_cells
from tests.counts.exact import DIGITS, poisson_sum


def _upper(shape: int, mean: float, w: float) -> Decimal:
    """Return P(W > w) of a gamma whose shape is a whole number."""
    return poisson_sum(Decimal(shape) * Decimal(w) / Decimal(mean), shape) if w > 0 else Decimal(1)


def _log_cell(shape: int, mean: float, y: int) -> float:
    with localcontext(DIGITS):
        return float((_upper(shape, mean, y - 0.5) - _upper(shape, mean, y + 0.5)).ln())


CELLS = [
    *((1, 2.0, y) for y in (0, 1, 2, 3, 50, 400)),
    *((3, 0.05, y) for y in (0, 1, 2, 5)),  # steep, above the mean
    *((60, 40.0, y) for y in (0, 1, 5, 20, 39, 40, 41, 80, 200)),
    *((400, 2.5, y) for y in (1, 2, 3, 4)),  # a narrow density about a border of two cells
    *((900, 3.0, y) for y in (1, 2, 3, 4, 9)),  # and one across a cell
    *((2000, 500.0, y) for y in (420, 480, 500, 530)),
]


@pytest.mark.parametrize(("shape", "mean", "y"), CELLS)
def test_cells_of_a_whole_shape(shape: int, mean: float, y: int) -> None:
    found = _gamma_cells.log_cell(np.array(float(y)), np.array(float(shape)), np.array(mean))
    assert float(found) == pytest.approx(_log_cell(shape, mean, y), rel=3e-13, abs=1e-14)


def test_each_cell_of_an_array_is_its_own_and_no_count_has_no_cell(monkeypatch: pytest.MonkeyPatch) -> None:
    shape, mean, y = (np.array(column, dtype=float) for column in zip(*CELLS, strict=True))
    one_by_one = [float(_gamma_cells.log_cell(*map(np.array, row))) for row in zip(y, shape, mean, strict=True)]
    monkeypatch.setattr(_gamma_cells, "_CHUNK", 3)
    np.testing.assert_allclose(_gamma_cells.log_cell(y, shape, mean), one_by_one, rtol=1e-14)
    square = _gamma_cells.log_cell(y[:20].reshape(4, 5), shape[:20].reshape(4, 5), mean[:20].reshape(4, 5))
    np.testing.assert_allclose(square.ravel(), one_by_one[:20], rtol=1e-14)
    odd = np.array([-1.0, -0.5, 0.5, 2.5, np.inf, -np.inf])
    assert np.isneginf(_gamma_cells.log_cell(odd, np.array(2.0), np.array(3.0))).all()


def _moments(shape: int, mean: float) -> tuple[float, float]:
    """Return mean and variance of the rounded gamma: sums of P(Y >= y) and of (2 y - 1) P(Y >= y)."""
    with localcontext(DIGITS) as context:
        context.prec = 50
        first = second = Decimal(0)
        y = 1
        while True:
            beyond = _upper(shape, mean, y - 0.5)
            first, second = first + beyond, second + (2 * y - 1) * beyond
            if beyond * y * y < Decimal("1e-24") and y > mean:
                return float(first), float(second - first * first)
            y += 1


MOMENTS = [
    (1, 0.3),
    (1, 2.0),
    (1, 15.0),
    (2, 21.0),
    (3, 30.5),
    (10, 100.0),
    (10, 101.0),
    (40, 6.0),
    (300, 2.5),
    (300, 3.0),
]


@pytest.mark.parametrize(("shape", "mean"), MOMENTS)
def test_moments_of_a_whole_shape(shape: int, mean: float) -> None:
    found = _gamma_cells.rounded_moments(np.array(float(shape)), np.array(mean))
    exact = _moments(shape, mean)
    assert float(found[0]) == pytest.approx(exact[0], rel=2e-12)
    assert float(found[1]) == pytest.approx(exact[1], rel=1e-10)


def test_moments_of_an_array_are_those_of_its_elements_whatever_their_order() -> None:
    shape = np.array([[s for s, _ in MOMENTS], [2e4 + s for s, _ in MOMENTS]], dtype=float)
    mean = np.array([[m for _, m in MOMENTS]] * 2)[:, ::1]
    together = _gamma_cells.rounded_moments(shape, mean)
    for place in np.ndindex(shape.shape):
        alone = _gamma_cells.rounded_moments(shape[place], mean[place])
        assert [float(m[place]) for m in together] == pytest.approx([float(m) for m in alone], rel=1e-12)
    assert together[0].shape == shape.shape


@pytest.mark.parametrize(
    ("shape", "mean", "start", "rtol"),
    [
        *((shape, mean, 128, 3e-13) for shape, mean in ((1, 10.0), (2, 25.0), (3, 30.0), (6, 60.0), (10, 100.0))),
        *((shape, mean, 24, 1e-9) for shape, mean in ((2, 10.0), (3, 30.0), (6, 70.0), (4, 20.0))),  # every term counts
    ],
)
def test_what_lies_beyond_the_sum(
    shape: int, mean: float, start: int, rtol: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The sums of (y - c) P(y) and of its square from some count on, c the mean as a whole number."""
    centre = round(mean)
    monkeypatch.setattr(_gamma_cells, "_SERIES_START", start)
    with localcontext(DIGITS) as context:
        context.prec = 50
        first = second = Decimal(0)
        for y in range(start, 2500):
            beyond = _upper(shape, mean, y - 0.5)
            away = y - centre
            first += beyond if y > start else away * beyond
            second += (2 * away - 1) * beyond if y > start else away * away * beyond
            if beyond < Decimal("1e-40"):
                break
    found = _gamma_cells._moments_beyond(np.array([float(shape)]), np.array([mean]))
    assert found[0].item() == pytest.approx(float(first), rel=rtol)
    assert found[1].item() == pytest.approx(float(second), rel=rtol)


def test_windows_of_one_width_are_worked_together_and_none_is_too_large() -> None:
    width = np.array([1.0, 2.0, 3.0, 4.0, 1000.0, 1024.0, 1025.0, 2.0**19])
    index = np.array([0, 1, 2, 3, 4, 5, 6, 7, 7, 7, 7])
    groups = [g.tolist() for g in _gamma_cells._of_like_width(index, width)]
    assert groups[:5] == [[0], [1], [2, 3], [4, 5], [6]]
    assert sorted(i for group in groups for i in group) == index.tolist()
    assert all(len(g) * 2.0 ** np.ceil(np.log2(width[g].max())) <= 2.0**20 for g in groups)


def test_the_window_holds_all_that_matters() -> None:
    shape, mean = np.array([1.0, 50.0, 3e4]), np.array([4.0, 300.0, 1e4])
    sd = mean / np.sqrt(shape)
    first, last = _gamma_cells._window(shape, mean, sd)
    for a, mu, low, high in zip(shape, mean, first, last, strict=True):
        family = GammaFamily(mu, mu / np.sqrt(a), 0.0)
        assert low == max(0.0, np.floor(mu - 13 * mu / np.sqrt(a) - 2))
        assert float(family.sf(high)) < 1e-27
        assert high < 2 + max(float(family.isf(1e-29)), mu + 13.5 * mu / np.sqrt(a))


def test_a_family_with_lists_of_everything() -> None:
    family = GAF([2.0, 5.0, 9.0], [[0.5], [2.0]], 0.5)
    assert family.shape == (2, 3)
    single = [[GAF(m, s, 0.5) for m in (2.0, 5.0, 9.0)] for s in (0.5, 2.0)]
    np.testing.assert_allclose(family.mean, [[f.mean for f in row] for row in single], rtol=1e-12)
    np.testing.assert_allclose(family.var, [[f.var for f in row] for row in single], rtol=1e-12)
    np.testing.assert_allclose(family.std, [[f.std for f in row] for row in single], rtol=1e-12)
    np.testing.assert_allclose(family.nominal_var, [[s * s * m**0.5 for m in (2, 5, 9)] for s in (0.5, 2.0)])
    np.testing.assert_allclose(family.pmf(3), [[f.pmf(3) for f in row] for row in single], rtol=1e-13)
    np.testing.assert_allclose(family.ppf(0.3), [[f.ppf(0.3) for f in row] for row in single])
    assert family.label == "GAF(sigma: 2 values, nu = 0.5)"


def test_the_continuous_family_is_scipys_gamma() -> None:
    from scipy import stats

    mu, sigma, nu = 7.0, 1.5, 0.4
    variance = sigma**2 * mu**nu
    plain = stats.gamma(mu**2 / variance, scale=variance / mu)
    family = GammaFamily(mu, sigma, nu)
    w = np.array([0.1, 3.0, 7.0, 20.0])
    np.testing.assert_allclose(family.pdf(w), plain.pdf(w), rtol=1e-12)
    np.testing.assert_allclose(family.logpdf(w), plain.logpdf(w), rtol=1e-12)
    np.testing.assert_allclose(family.cdf(w), plain.cdf(w), rtol=1e-12)
    np.testing.assert_allclose(family.sf(w), plain.sf(w), rtol=1e-12)
    p = np.array([0.0, 0.01, 0.5, 0.99])
    np.testing.assert_allclose(family.ppf(p), plain.ppf(p), rtol=1e-12)
    np.testing.assert_allclose(family.isf(1 - p), plain.isf(1 - p), rtol=1e-12)
    np.testing.assert_allclose(family.from_uniform(p), plain.ppf(p), rtol=1e-12)
    assert (float(family.mean), float(family.var)) == pytest.approx((plain.mean(), plain.var()))
    assert family.pdf([0.0, -1.0]).tolist() == [0.0, 0.0]
    assert np.isneginf(family.logpdf([0.0, -1.0])).all()
    draws = family.rvs((40, 50), rng=1)
    assert draws.shape == (40, 50)
    assert stats.kstest(draws.ravel(), plain.cdf).pvalue > 0.01
    assert GammaFamily([1.0, 2.0], 1.0, 0.0).rvs(rng=1).shape == (2,)
