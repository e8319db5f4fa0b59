"""Discretised distributions: against brute force, against the GAF, and in a synthesis; the sum of synthetic tables."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import integrate, special, stats

import synthlab.counts as slc
from synthlab.counts.discretized import CONTINUOUS
from synthlab.exceptions import InputError, UndefinedStatisticWarning
from tests.loops import every

MEANS = np.array([0.01, 0.4, 1.0, 2.5, 10.0, 300.0])
SHAPES = [(0.5, 0.0), (2.0, -0.5), (1.0, 1.0)]


def gamma(mean, sd):
    return stats.gamma((mean / sd) ** 2, scale=sd**2 / mean)


@every("W", CONTINUOUS)
@every(("sigma", "nu"), SHAPES)
def test_the_continuous_one_has_the_mean_and_the_variance(W, sigma, nu):
    family = slc.Discretized(MEANS, sigma=sigma, nu=nu, W=W)
    np.testing.assert_allclose(family.continuous.mean(), MEANS, rtol=1e-6)
    np.testing.assert_allclose(family.continuous.var(), sigma**2 * MEANS**nu, rtol=1e-6)
    np.testing.assert_allclose(family.nominal_var, sigma**2 * MEANS**nu)


DENSITIES = {
    "lognormal": lambda w, m, s: stats.norm.pdf((np.log(w / m) + np.log1p(s**2 / m**2) / 2) / np.sqrt(np.log1p(s**2 / m**2)))
    / (w * np.sqrt(np.log1p(s**2 / m**2))),
    "inverse gaussian": lambda w, m, s: np.sqrt(m**3 / s**2 / (2 * np.pi * w**3)) * np.exp(-m / s**2 * (w - m) ** 2 / (2 * w)),
}  # fmt: skip


@pytest.mark.parametrize("W", DENSITIES)
@pytest.mark.parametrize(("mean", "sigma", "nu"), [(1.0, 2.0, -0.5), (2.5, 0.5, 0.0), (10.0, 1.0, 1.0)])
def test_cells_are_integrals_of_the_density(W, mean, sigma, nu):
    family, sd = slc.Discretized(mean, sigma=sigma, nu=nu, W=W), sigma * mean ** (nu / 2)
    for y in (0, 1, 2, 5, 13):
        cell = integrate.quad(DENSITIES[W], max(y - 0.5, 1e-300), y + 0.5, args=(mean, sd), epsabs=1e-13)[0]
        assert family.pmf(y) == pytest.approx(cell, rel=1e-8, abs=1e-12)


@pytest.mark.parametrize("shape", [0.6, 1.0, 3.0, 40.0])
def test_the_weibull_is_found_from_its_moments(shape):
    law = stats.weibull_min(shape, scale=7.0)
    family = slc.Discretized(law.mean(), sigma=law.std(), nu=0, W="weibull")
    y = np.arange(30)
    cells = np.exp(-((np.maximum(y - 0.5, 0) / 7) ** shape)) - np.exp(-(((y + 0.5) / 7) ** shape))
    np.testing.assert_allclose(family.pmf(y), cells, rtol=1e-7, atol=1e-14)


def test_a_narrow_weibull_has_the_moments_of_a_gumbel():
    family = slc.Discretized(1e5, sigma=1.0, nu=0, W="weibull")
    assert family.continuous.args[0] == pytest.approx(np.pi / np.sqrt(6) * 1e5, rel=1e-3)
    assert family.continuous.mean() == pytest.approx(1e5, rel=1e-9)
    assert special.gamma(1 + 1 / family.continuous.args[0]) < 1


@pytest.mark.parametrize(("sigma", "nu"), SHAPES)
def test_the_gamma_is_the_gaf(sigma, nu):
    ours, gaf = slc.Discretized(MEANS, sigma=sigma, nu=nu, W=gamma), slc.GAF(MEANS, sigma, nu)
    y = np.arange(40)[:, None]
    np.testing.assert_allclose(ours.pmf(y), gaf.pmf(y), rtol=1e-9, atol=1e-300)
    np.testing.assert_allclose(ours.mean, gaf.mean, rtol=1e-9)
    np.testing.assert_allclose(ours.var, gaf.var, rtol=1e-8)
    u = np.random.default_rng(1).random((50, MEANS.size))
    np.testing.assert_array_equal(ours.from_uniform(u), gaf.from_uniform(u))


@pytest.mark.parametrize("W", CONTINUOUS)
def test_sums_moments_quantiles_and_draws_belong_together(W):
    family = slc.Discretized([0.4, 2.5, 10.0], sigma=1.0, nu=0.5, W=W)
    y = np.arange(3000)[:, None]
    pmf = family.pmf(y)
    np.testing.assert_allclose(pmf.sum(axis=0), 1.0, atol=1e-9)
    np.testing.assert_allclose(family.mean, (y * pmf).sum(axis=0), rtol=1e-7)
    np.testing.assert_allclose(family.var, (y**2 * pmf).sum(axis=0) - (y * pmf).sum(axis=0) ** 2, rtol=1e-5)
    np.testing.assert_allclose(family.cdf(y[:50]), np.cumsum(pmf, axis=0)[:50], atol=1e-12)
    for p in (0.01, 0.5, 0.99):
        q = family.ppf(p)
        assert (family.cdf(q) >= p).all()
        assert ((family.cdf(q - 1) < p) | (q == 0)).all()
        assert (family.isf(1 - p) <= q).all()
    drawn = family.rvs((100_000, 3), rng=1)
    np.testing.assert_allclose((drawn == 0).mean(axis=0), family.pmf(0), atol=5 * 0.5 / np.sqrt(1e5))
    np.testing.assert_allclose(drawn.mean(axis=0), family.mean, atol=5 * np.sqrt(family.var.max() / 1e5))
    assert (family.isf(1e-17) < np.inf).all()


def test_long_tails_beyond_the_summed_counts_have_the_moments_of_the_law():
    """Rounding moves a number by at most a half, so the root of E Y^2 moves by at most a half, or by the factor two of small ones."""
    family = slc.Discretized(0.001, sigma=0.5, nu=0.5, W="lognormal")
    assert 0 < family.var <= 4 * family.nominal_var
    wide = slc.Discretized(1_000.0, sigma=20_000.0, nu=0.0, W="lognormal")
    assert wide.mean == pytest.approx(1_000.0, rel=1e-3)
    assert wide.var == pytest.approx(4e8, rel=1e-3)


def test_wide_ones_have_the_moments_of_sheppard():
    family = slc.Discretized(1e7, sigma=1e6, nu=0, W="lognormal")
    assert family.mean == pytest.approx(1e7)
    assert family.var == pytest.approx(1e12 + 1 / 12)


@pytest.mark.parametrize("W", [*CONTINUOUS, gamma])
def test_a_table_is_synthesized_and_its_tau_is_known_before(W):
    rng = np.random.default_rng(3)
    table = slc.Table.from_counts(rng.poisson(1.0, 4_000), {"cell": list(range(4_000))})
    family = slc.Discretized(sigma=1.0, nu=-0.25, W=W)
    synthetic = slc.synthesize_table(table, family, m=5, rng=2)
    expected = slc.expected_tau(table, family, k=[1, 2])
    measured = slc.tau(table, synthetic, k=[1, 2]).summary()
    errors = expected.standard_errors(5)
    for name in ("tau3", "tau4"):
        assert (np.abs(measured[name] - getattr(expected, name)) < 5 * errors[name]).all()
    assert family.label == f"Discretized({W if isinstance(W, str) else 'gamma'}, sigma = 1, nu = -0.25)"


@pytest.mark.parametrize(
    ("W", "message"),
    [
        ("gamma", "W='gamma': must be"),
        (None, "W=None: must be"),
        (lambda mean, sd: mean, "W: must return a frozen distribution of scipy.stats; it has no cdf"),
        (
            lambda mean, sd: stats.gamma(mean),
            "W: must return a distribution with the given means and standard deviations",
        ),
        (stats.norm, r"W: must return a distribution on \(0, inf\)"),
    ],
)
def test_what_is_no_distribution_is_refused(W, message):
    with pytest.raises(InputError, match=message):
        slc.Discretized([1.0, 3.0], sigma=0.5, nu=0, W=W)


@pytest.mark.parametrize(("sigma", "nu"), [(1e308, 0.5), (0.5, 1e8)])
def test_moments_beyond_the_largest_float_are_undefined_with_a_warning(sigma, nu):
    family = slc.Discretized(3.0, sigma=sigma, nu=nu)
    with pytest.warns(UndefinedStatisticWarning, match="means and variances cannot be computed"):
        assert np.isnan(family.var)


def test_the_sum_of_the_tables_is_that_of_every_cell():
    table = slc.Table.from_counts([[0, 4, 30], [1, 0, 2]], {"sex": [1, 2], "age": [5, 6, 7]})
    synthetic = slc.synthesize_table(table, slc.Poisson(), m=20, pseudocount=0.5, rng=1)
    added = synthetic.added()
    np.testing.assert_array_equal(added.dense(), sum(one.dense() for one in synthetic))
    assert (added.variables, added.shape) == (table.variables, table.shape)


def test_the_coefficients_of_the_average_are_those_of_the_sum():
    table = slc.Table.from_counts([[9, 4, 30], [12, 7, 20]], {"sex": [1, 2], "age": [5, 6, 7]})
    synthetic = slc.synthesize_table(table, slc.Poisson(), m=4, rng=1)
    fit = slc.fit_log_linear(synthetic.added(), "sex + age").coefficients()
    mean = synthetic.added().dense() / 4
    odds = np.log(mean[1].sum() / mean[0].sum())
    row = fit[fit["coefficient"].str.contains("sex")]
    assert float(row["estimate"].iloc[0]) == pytest.approx(odds, rel=1e-6)
