"""Masses and both tails of every family at its edges, held against sums in decimal arithmetic; quantiles at ties."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal, localcontext
from math import comb

import numpy as np
import pytest
from scipy import stats

import synthlab.counts as slc
from synthlab.counts import NBI, PIG, LaplaceCount, Poisson, negative_binomial, poisson_inverse_gaussian
from synthlab.counts._family import CountFamily
from synthlab.exceptions import InputError
from tests.counts.exact import DIGITS, first, nbi_masses, pig_masses, poisson_masses

SMALL = [
    (0.01, 0.5),
    (1.0, 1e-6),
    (1.0, 0.03),
    (3.0, 0.5),
    (3.0, 40.0),
    (20.0, 2.0),
    (60.0, 0.02),
    (40.0, 1.0),
    (2.0, 1e-3),
]


def _compare(family: CountFamily, exact: tuple[list[float], list[float], list[float]], rtol: float) -> None:
    logs, below, above = map(np.array, exact)
    y = np.arange(logs.size)
    np.testing.assert_allclose(family.logpmf(y), logs, rtol=rtol, atol=rtol)
    np.testing.assert_allclose(family.cdf(y), below, rtol=rtol)
    seen = above > 1e-90  # as far as the digits go
    np.testing.assert_allclose(family.sf(y[seen]), above[seen], rtol=10 * rtol)


@pytest.mark.parametrize(("mu", "sigma"), SMALL)
def test_the_negative_binomial_and_both_tails(mu: float, sigma: float) -> None:
    _compare(NBI(mu, sigma), first(nbi_masses(mu, sigma), 160), 3e-12)


@pytest.mark.parametrize(("mu", "sigma"), SMALL)
def test_the_poisson_inverse_gaussian_and_both_tails(mu: float, sigma: float) -> None:
    _compare(PIG(mu, sigma), first(pig_masses(mu, sigma), 160), 3e-11)


@pytest.mark.parametrize("mu", [1e-6, 0.4, 7.0, 90.0])
def test_the_poisson_and_both_tails(mu: float) -> None:
    _compare(Poisson(mu), first(poisson_masses(mu), 160), 1e-12)


@pytest.mark.parametrize(
    "family",
    [
        Poisson(2.5),
        NBI(2.5, 0.4),
        PIG(2.5, 0.4),
        slc.Delaporte(2.5, 0.4, 0.3),
        slc.Sichel(2.5, 0.4, 1.0),
        slc.GeneralizedPoisson(2.5, 0.4),
        slc.GAF(2.5, 1.0, 0.0),
        LaplaceCount(2.5, 1.0),
    ],
)
def test_what_is_no_count(family: CountFamily) -> None:
    odd = np.array([-3.0, -1.0, -0.5, 0.5, 2.5, np.inf, -np.inf])
    assert family.pmf(odd).tolist() == [0.0] * 7
    assert family.cdf([-1.0, -1e-9, -np.inf, np.inf]).tolist() == [0.0, 0.0, 0.0, 1.0]
    assert family.sf([-1.0, -1e-9, -np.inf, np.inf]).tolist() == [1.0, 1.0, 1.0, 0.0]
    for y in (0.0, 1.0, 4.0):  # between two counts nothing happens
        assert family.cdf(y + 0.999) == family.cdf(y)
        assert family.sf(y + 0.999) == family.sf(y)
    assert isinstance(family.cdf(1), float)
    assert isinstance(family.pmf(1), float)
    assert family.ppf(0.0) == family.isf(1.0) == 0.0
    assert family.ppf(1.0) == family.isf(0.0) == np.inf


@pytest.mark.parametrize(
    "family",
    [
        Poisson(6.0),
        NBI(6.0, 0.7),
        PIG(6.0, 0.7),
        slc.Delaporte(6.0, 0.7, 0.3),
        slc.Sichel(6.0, 0.7, 1.0),
        slc.GeneralizedPoisson(6.0, 0.7),
        slc.GAF(6.0, 2.0, 0.3),
        LaplaceCount(6.0, 0.5),
        LaplaceCount(0.0, 0.5),
    ],
)
def test_a_quantile_is_the_smallest_count_that_reaches_it_also_exactly(family: CountFamily) -> None:
    y = np.arange(12.0)
    p, q = family.cdf(y), family.sf(y)
    assert family.ppf(p).tolist() == y.tolist()
    assert family.ppf(np.nextafter(p, 2.0)).tolist() == (y + 1).tolist()
    assert family.isf(q).tolist() == y.tolist()
    assert family.isf(np.nextafter(q, -1.0)).tolist() == (y + 1).tolist()
    assert family.ppf(p[0] / 2) == 0
    assert family.from_uniform(p[3]) == 3
    assert type(family.from_uniform(0.5)) is np.int64


def _sf_of_whole_size(y: int, size: int, mu: float) -> float:
    """Return P(Y > y) of a negative binomial: fewer than `size` failures in y + size trials."""
    with localcontext(DIGITS):
        fail = Decimal(size) / (Decimal(size) + Decimal(mu))
        log = y * (1 - fail).ln()
        return float(sum(comb(y + size, j) * fail**j * (log + (size - j) * (1 - fail).ln()).exp() for j in range(size)))


@pytest.mark.parametrize("size", [1, 2, 5, 20, 49])
@pytest.mark.parametrize("times", [0.2, 1.0, 3.0])
def test_long_negative_binomials(size: int, times: float) -> None:
    mu = 1e6
    y = int(times * mu)
    family = NBI(mu, 1.0 / size)
    exact = _sf_of_whole_size(y, size, mu)
    assert family.sf(y) == pytest.approx(exact, rel=1e-11)
    if exact < 0.9999:
        assert family.cdf(y) == pytest.approx(1 - exact, rel=1e-10)


@pytest.mark.parametrize("size", [1, 3, 12])
def test_the_series_for_long_ones_has_all_its_terms(size: int) -> None:
    # At y = 60 with a short reach every one of the five logarithms counts.
    y, mu = 60, 40.0 if size == 1 else 75.0
    exact = _sf_of_whole_size(y, size, mu)
    arguments = np.array([float(y)]), np.array([float(size)]), np.array([mu / size])
    assert negative_binomial._long_tail(*arguments, True).item() == pytest.approx(exact, rel=1e-8)
    assert negative_binomial._long_tail(*arguments, False).item() == pytest.approx(1 - exact, rel=1e-8)


def test_tails_of_long_and_short_ones_in_one_array() -> None:
    mu, sigma = np.array([1e6, 3.0, 1e6, 50.0]), np.array([0.5, 0.5, 1.0, 1e-20])
    y = np.array([2e6, 4.0, 1e5, 55.0])
    family = NBI(mu, sigma)
    alone = [NBI(m, s) for m, s in zip(mu, sigma, strict=True)]
    for name in ("pmf", "cdf", "sf"):
        np.testing.assert_allclose(
            getattr(family, name)(y), [getattr(f, name)(v) for f, v in zip(alone, y, strict=True)]
        )


def test_the_poisson_stands_in_where_the_larger_of_count_and_mean_hides_the_rest() -> None:
    def told(y: object, mu: object, sigma: object) -> np.ndarray:
        return np.full(np.shape(y), -7.0)

    def plain(family: Poisson, y: np.ndarray) -> np.ndarray:
        return np.full(np.shape(y), 5.0)

    # sigma (max(|y|, mu) + 1)^2 >= 1e-16 is seen; the count alone and the mean alone are enough.
    for y, mu, sigma, seen in (
        (9.0, 1.0, 1e-18, True),
        (1.0, 9.0, 1e-18, True),
        (8.9, 1.0, 1e-18, False),
        (1.0, 8.9, 1e-18, False),
        (-9.0, 1.0, 1e-18, True),
        (np.inf, 1.0, 1.0, False),
        (np.inf, 1.0, 1e-30, False),
    ):
        found = NBI(np.array([mu]), np.array([sigma]))._with_poisson_limit(told, plain, np.array([y]))
        assert found.tolist() == [-7.0 if seen else 5.0], (y, mu, sigma)
    both = NBI(np.array([1.0, 1.0]), np.array([1.0, 1e-30]))._with_poisson_limit(told, plain, np.array([1.0, 1.0]))
    assert both.tolist() == [-7.0, 5.0]


@pytest.mark.parametrize(
    ("mu", "epsilon", "sensitivity"), [(0.0, 1.0, 1.0), (0.3, 0.5, 2.0), (5.0, 2.0, 1.0), (2.5, 0.01, 3.0)]
)
def test_noise_on_a_count_is_a_difference_of_laplace_tails(mu: float, epsilon: float, sensitivity: float) -> None:
    noise = stats.laplace(mu, sensitivity / epsilon)
    y = np.arange(60.0)
    family = LaplaceCount(mu, epsilon, sensitivity)
    plain = np.where(
        y == 0,
        noise.cdf(0.5),
        np.where(y > mu, noise.sf(y - 0.5) - noise.sf(y + 0.5), noise.cdf(y + 0.5) - noise.cdf(y - 0.5)),
    )
    np.testing.assert_allclose(family.pmf(y), plain, rtol=1e-9, atol=1e-15)
    np.testing.assert_allclose(family.cdf(y), noise.cdf(y + 0.5), rtol=1e-12)
    np.testing.assert_allclose(family.sf(y), noise.sf(y + 0.5), rtol=1e-12)
    long = np.arange(float(noise.isf(1e-18)) + 2)
    mass = family.pmf(long)
    assert family.mean == pytest.approx(mass @ long, rel=1e-9)
    assert family.var == pytest.approx(mass @ long**2 - (mass @ long) ** 2, rel=1e-7)
    assert family.nominal_var == pytest.approx(noise.var())


def test_noise_that_is_next_to_nothing() -> None:
    family = LaplaceCount(3.0, 5000.0)
    assert family.logpmf([3, 4, 5]).tolist() == pytest.approx([0.0, -2500.0 - np.log(2.0), -7500.0 - np.log(2.0)])
    assert LaplaceCount(3.0, 500.0).logpmf([2, 4]).tolist() == pytest.approx([-250.0 - np.log(2.0)] * 2)
    assert (family.mean, family.var) == pytest.approx((3.0, 0.0))


def _erfc(x: Decimal) -> Decimal:
    term, total, n = x, x, 0
    while abs(term) > Decimal("1e-115"):
        n += 1
        term = -term * x * x / n
        total += term / (2 * n + 1)
    pi = Decimal(
        "3.14159265358979323846264338327950288419716939937510582097494459230781640628620899862803482534211706798"
    )
    return 1 - 2 * total / pi.sqrt()


@pytest.mark.parametrize("sigma", [0.1, 0.5, 3.0, 80.0])
@pytest.mark.parametrize("x", [-2.0, -1.0, -0.1, 0.0, 0.2, 1.0, 1.8])
def test_both_tails_of_the_mixing_distribution(sigma: float, x: float) -> None:
    """P(g <= w) = Phi(sqrt(l / w) (w - 1)) + exp(2 l) Phi(-sqrt(l / w) (w + 1)), l = 1 / sigma."""
    with localcontext(DIGITS):
        w, shape = Decimal(x).exp(), 1 / Decimal(sigma)
        a = (shape / w / 2).sqrt() * (w - 1)
        b = (shape / w / 2).sqrt() * (w + 1)
        lower = _erfc(-a) / 2 + (2 * shape).exp() * _erfc(b) / 2
        exact = float(lower.ln()), float((1 - lower).ln())
    arguments = np.array([x]), np.array([sigma])
    assert poisson_inverse_gaussian._log_mixing_tail(*arguments, False).item() == pytest.approx(exact[0], rel=1e-10)
    assert poisson_inverse_gaussian._log_mixing_tail(*arguments, True).item() == pytest.approx(exact[1], rel=1e-10)


def test_tails_in_several_chunks_and_cells_by_both_ways(monkeypatch: pytest.MonkeyPatch) -> None:
    family = PIG([0.5, 3.0, 40.0, 200.0, 5.0], [2.0, 0.01, 1.0, 0.1, 1e-25])
    y = np.array([[0.0, 4.0, 90.0, 150.0, 5.0], [2.0, 1.0, 3.0, 600.0, 9.0]])
    whole = {name: getattr(family, name)(y) for name in ("pmf", "cdf", "sf")}
    monkeypatch.setattr(poisson_inverse_gaussian, "_CHUNK", 3)
    for name, values in whole.items():
        np.testing.assert_allclose(getattr(family, name)(y), values, rtol=1e-12)
    monkeypatch.setattr(poisson_inverse_gaussian, "DEBYE_FROM", 1e9)
    np.testing.assert_allclose(family.pmf(y), whole["pmf"], rtol=1e-11)


@pytest.mark.parametrize("make", [lambda m: NBI(m, 0.5), lambda m: PIG(m, 0.5), Poisson])
def test_mean_variance_and_label(make: Callable[[object], CountFamily]) -> None:
    family = make([2.0, 10.0])
    added = 0.0 if isinstance(family, Poisson) else 0.5
    assert family.mean.tolist() == [2.0, 10.0]
    assert family.var.tolist() == family.nominal_var.tolist() == [2 + added * 4, 10 + added * 100]
    assert family.std.tolist() == pytest.approx(np.sqrt(family.var).tolist())
    assert family.at(3.0).mean == 3.0
    assert family.label == ("Poisson" if not added else f"{type(family).__name__}(sigma = 0.5)")
    draws = family.rvs((20_000, 2), rng=3)
    assert draws.dtype == np.int64
    assert draws.mean(axis=0).tolist() == pytest.approx([2.0, 10.0], rel=0.05)
    assert draws.var(axis=0).tolist() == pytest.approx(family.var.tolist(), rel=0.15)


def test_uniform_numbers_and_probabilities_have_their_ends() -> None:
    assert Poisson(2.0).from_uniform([0.0, 0.999999]).tolist() == [0, int(stats.poisson.ppf(0.999999, 2))]
    for bad in (1.0, -1e-9, 1.0 + 1e-9):
        with pytest.raises(InputError, match="u: "):
            Poisson(2.0).from_uniform([0.5, bad])
    for bad in (-1e-9, 1.0 + 1e-9):
        with pytest.raises(InputError, match="p: probabilities"):
            Poisson(2.0).ppf(bad)
    with pytest.raises(InputError, match="y: must be numbers, but contains NaN"):
        Poisson(2.0).pmf(np.nan)
    assert Poisson(2.0).rvs(0, rng=1).shape == (0,)
    assert Poisson(2.0).rvs((), rng=1) >= 0
    with pytest.raises(InputError, match="size"):
        Poisson([1.0, 2.0]).rvs(3, rng=1)
    with pytest.raises(InputError, match="above 2"):
        Poisson(2.0**62 * 1.01).rvs(rng=1)
