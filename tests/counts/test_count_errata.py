"""Slips in the paper of Jackson, Mitra, Francis and Dove, each with the number that shows it."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import integrate, special, stats

import synthlab.counts as slc


@pytest.mark.parametrize(("mu", "sigma", "nu"), [(1.0, 2.0, 0.0), (3.0, 1.0, -0.5), (5.0, 1.5, 1.0)])
def test_1_the_shape_in_the_distribution_function_is_the_inverse_square(mu, sigma, nu):
    """F_W prints gamma(s1^2, .) / Gamma(s1^-2); the density on the line above integrates to gamma(s1^-2, .)."""
    s1 = sigma * mu ** (nu / 2 - 1)

    def density(w):
        return w ** (s1**-2 - 1) * np.exp(-w / (s1**2 * mu)) / ((s1**2 * mu) ** (s1**-2) * special.gamma(s1**-2))

    at = 1.3 * mu
    by_density = integrate.quad(density, 0, at, points=[mu / 100], limit=200)[0]
    right = special.gammainc(s1**-2, at / mu * s1**-2)
    printed = special.gammainc(s1**2, at / mu * s1**-2) * special.gamma(s1**2) / special.gamma(s1**-2)
    assert by_density == pytest.approx(right, rel=1e-6)
    assert float(slc.GammaFamily(mu, sigma, nu).cdf(at)) == pytest.approx(right, rel=1e-13)
    assert abs(printed - by_density) > 0.05


@pytest.mark.parametrize(("mu", "sigma"), [(10.0, 2.0), (5.0, 0.5), (100.0, 3.0)])
def test_2_underdispersion_begins_one_later(mu, sigma):
    """mu > sigma^2 mu^nu is nu < 1 - 2 log(sigma) / log(mu) for mu > 1; the paper leaves out the 1."""
    right = 1 - 2 * np.log(sigma) / np.log(mu)
    printed = -2 * np.log(sigma) / np.log(mu)
    for nu in (right - 1e-6, right + 1e-6):
        underdispersed = bool(slc.GammaFamily(mu, sigma, nu).var < mu)
        assert underdispersed == (nu < right)
    # Between the two limits the printed rule says overdispersed of a distribution whose variance is below its mean.
    between = 0.5 * (right + printed)
    assert slc.GammaFamily(mu, sigma, between).var < mu
    assert not between < printed


def test_3_a_probability_above_one():
    """P(|n_syn - n| < d) is printed as 2 Phi(.), which is at least 1; the formula lacks - 1."""
    rng = np.random.default_rng(1)
    counts = rng.integers(1, 30, 2000)
    table = slc.Table.from_counts(counts, {"cell": range(2000)})
    sigma, nu, d = 1.0, -0.25, 40
    root = sigma * np.sqrt((counts.astype(float) ** nu).sum())
    printed = 2 * stats.norm.cdf(d / root)
    assert printed > 1
    ours = slc.total_within(table, slc.GAF(sigma=sigma, nu=nu), d)
    assert ours.approximation == pytest.approx(printed - 1, rel=1e-12)
    totals = np.array([t.total for t in slc.synthesize_table(table, slc.GAF(sigma=sigma, nu=nu), m=3000, rng=2)])
    share = (np.abs(totals - table.total) < d).mean()
    assert ours.probability == pytest.approx(share, abs=4 * np.sqrt(share * (1 - share) / 3000))


def test_4_the_saturated_mean_is_the_count():
    """The saturated model prints log(mu_i) = f_i; the synthetic counts are around f_i, not around exp(f_i)."""
    counts = [1, 2, 5, 9]
    table = slc.Table.from_counts(counts, {"cell": range(4)})
    tables = slc.synthesize_table(table, slc.NBI(sigma=0.5), m=4000, rng=1)
    mean = np.mean([t.dense() for t in tables], axis=0)
    error = np.sqrt(slc.NBI(counts, 0.5).var / 4000)
    assert (np.abs(mean - counts) < 4.5 * error).all()
    assert (np.abs(mean - np.exp(counts)) > 10 * error).all()


def test_4_the_two_sigmas_of_figure_4_differ_where_it_matters():
    """The text of Figure 4 says NBI sigma = 0.5, its caption 2: "the risk is roughly similar" fits the caption."""
    gaf = float(slc.GAF(1, 2, -0.5).pmf(1))
    by_text, by_caption = (float(slc.NBI(1, sigma).pmf(1)) for sigma in (0.5, 2.0))
    assert gaf == pytest.approx(0.1646, abs=1e-4)
    assert (by_text, by_caption) == (pytest.approx(0.2963, abs=1e-4), pytest.approx(0.1925, abs=1e-4))
    assert abs(by_caption - gaf) < 0.03 < abs(by_text - gaf)


def test_not_all_marginal_counts_are_unbiased():
    """The paper calls the effect of rounding largely negligible; uniques lose 4% of their mean at sigma = 2."""
    assert float(slc.GAF(1, 2, -0.5).mean) == pytest.approx(0.96134241813, rel=1e-10)
    assert float(slc.GAF(1, 0.5, -0.5).mean) == pytest.approx(1.01915578893, rel=1e-10)


def test_the_utility_of_figure_7_cannot_pass_one_half():
    """1 - inverse-logit(MSE) with MSE >= 0 lies in (0, 1/2], not on the unit interval."""
    assert float(slc.mse_utility(0)) == 0.5
