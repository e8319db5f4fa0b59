"""The count distributions: against R, against 50-digit arithmetic, and against themselves."""

from __future__ import annotations

import re
from functools import partial

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st
from scipy import special
from statsmodels.distributions.discrete import genpoisson_p

import synthlab.counts as slc
from synthlab.exceptions import InputError, UndefinedStatisticWarning
from tests.loops import every

FAMILIES = [
    slc.GAF(sigma=0.5, nu=0),
    slc.GAF(sigma=2, nu=-0.5),
    slc.GAF(sigma=1, nu=2),
    slc.NBI(sigma=0.5),
    slc.NBI(sigma=1e-6),
    slc.PIG(sigma=2),
    slc.PIG(sigma=1e-6),
    slc.Delaporte(sigma=2, nu=0.3),
    slc.Sichel(sigma=2, nu=1),
    slc.Sichel(sigma=0.5, nu=-3),
    slc.GeneralizedPoisson(sigma=0.4),
    slc.Poisson(),
    slc.LaplaceCount(epsilon=0.5),
]
MEANS = np.array([0.001, 0.01, 0.5, 1.0, 7.3, 40.0, 300.0])


def label(family: slc.CountFamily) -> str:
    return family.label


def read(reference, name: str) -> pd.DataFrame:
    return pd.read_csv(reference / name, skipinitialspace=True)


def relative(ours, theirs):
    ours, theirs = np.asarray(ours), np.asarray(theirs)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(ours == theirs, 0.0, np.abs(ours / theirs - 1))


# ---- R's gamlss.dist ---------------------------------------------------------------------------------------------


def test_gaf_cells_equal_r(reference):
    r = read(reference, "gamlss_dist_GAF.csv")
    ours = slc.GAF(r["mu"], r["sigma"], r["nu"]).pmf(r["y"])
    theirs = r["pmf_discretised"]
    # R's number is a difference of two distribution functions: near 1 it carries two roundings of 1.1e-16.
    equal = relative(ours, theirs) < 1e-10
    assert len(r) == 2295
    assert (equal | (np.abs(ours - theirs) <= 2.5e-16)).all()
    assert equal.sum() > 1800


def test_gamma_family_equals_r(reference):
    r = read(reference, "gamlss_dist_GAF.csv")
    family = slc.GammaFamily(r["mu"], r["sigma"], r["nu"])
    assert relative(family.cdf(r["y"]), r["pGAF"]).max() < 1e-10
    # R's density subtracts numbers of the size of the shape, which is 4e6 in the two worst rows.
    shape = r["mu"] ** (2 - r["nu"]) / r["sigma"] ** 2
    density = relative(family.pdf(r["y"]), r["dGAF"])
    assert density[shape < 1e5].max() < 1e-10
    assert density.max() < 1e-9
    q = read(reference, "gamlss_dist_qGAF.csv")
    assert relative(slc.GammaFamily(q["mu"], q["sigma"], q["nu"]).ppf(q["p"]), q["qGAF"]).max() < 1e-10


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("dNBI", lambda r: slc.NBI(r["mu"], r["sigma"]).pmf(r["y"])),
        ("pNBI", lambda r: slc.NBI(r["mu"], r["sigma"]).cdf(r["y"])),
        ("dPIG", lambda r: slc.PIG(r["mu"], r["sigma"]).pmf(r["y"])),
        ("dPO", lambda r: slc.Poisson(r["mu"]).pmf(r["y"])),
    ],
)
def test_nbi_pig_and_poisson_equal_r(reference, column, value):
    r = read(reference, "gamlss_dist_NBI_PIG_PO.csv")
    assert len(r) == 765
    assert relative(value(r), r[column]).max() < 1e-10


def test_draws_equal_r_on_the_same_uniforms(reference):
    r = read(reference, "gamlss_dist_draws.csv")
    for column, nu in (("rGAF_nu_0", 0.0), ("rGAF_nu_minus_half", -0.5)):
        family = slc.GAF(r["mu"], r["sigma"], nu)
        assert relative(family.continuous.from_uniform(r["u"]), r[column])[r[column] > 1e-290].max() < 1e-10
        np.testing.assert_array_equal(family.from_uniform(r["u"]), np.rint(r[column]))
    np.testing.assert_array_equal(slc.NBI(r["mu"], r["sigma"]).from_uniform(r["u"]), r["rNBI"])
    # R's qPIG gives Inf within 1e-9 of one and was not asked beyond a mean of 100.
    some = r[np.isfinite(r["rPIG"])]
    assert len(some) > 300
    np.testing.assert_array_equal(slc.PIG(some["mu"], some["sigma"]).from_uniform(some["u"]), some["rPIG"])


# ---- 50-digit arithmetic -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["GAF", "NBI", "PIG", "Poisson", "Delaporte", "Sichel"])
def test_cells_and_both_tails_are_exact(reference, name):
    exact = read(reference, "counts_exact.csv")
    exact = exact[exact["family"] == name]
    mu, sigma, nu, y = (exact[c].to_numpy(float) for c in ("mu", "sigma", "nu", "y"))
    parameters = {"NBI": (mu, sigma), "PIG": (mu, sigma), "Poisson": (mu,)}.get(name, (mu, sigma, nu))
    family = getattr(slc, name)(*parameters)
    assert len(exact) > 40
    assert mu.max() == 1e8

    def gap(logs, column):
        return np.abs(logs - exact[column]) / np.maximum(1.0, 1e-3 * np.abs(exact[column]))

    assert gap(family.logpmf(y), "logpmf").max() < (3e-11 if name == "Delaporte" else 1e-11)
    for column, tail in (("logcdf", family.cdf), ("logsf", family.sf)):
        inside = (exact[column] > -700).to_numpy()  # exp(-708) is the smallest number
        with np.errstate(divide="ignore"):
            assert gap(np.log(tail(y)), column)[inside].max() < 1e-11
    assert (exact["logcdf"] < -20).any()
    assert (exact["logsf"] < -150).any()


# ---- against themselves ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("cells", [100, pytest.param(300_000, marks=pytest.mark.full)])
@every("family", FAMILIES)
@every("mu", MEANS)
def test_cells_add_up_to_one_and_to_the_moments(family, mu, cells):
    family = family.at(mu)
    last = float(family.isf(1e-18))
    y = np.arange(0.0, min(last, cells) + 2.0)
    p = family.pmf(y)
    beyond = float(family.sf(y[-1]))
    assert p.sum() + beyond == pytest.approx(1.0, abs=1e-12)
    np.testing.assert_allclose(np.cumsum(p), family.cdf(y), rtol=1e-11, atol=1e-14)
    if beyond < 1e-17:
        assert family.mean == pytest.approx(p @ y, rel=1e-10)
        assert family.var == pytest.approx(p @ (y - p @ y) ** 2, rel=1e-9)
        assert family.std == pytest.approx(np.sqrt(family.var))


@pytest.mark.parametrize(
    ("means", "n"), [(MEANS[2:5:2], 4), pytest.param(MEANS, 50, marks=pytest.mark.full)], ids=["some", "all"]
)
@every("family", FAMILIES)
def test_quantiles_invert_the_distribution_function(family, means, n):
    family = family.at(means[:, None])
    p = np.concatenate([[1e-12, 1e-5], np.linspace(0.02, 0.98, 3 if n == 4 else 13), [1 - 1e-9]])
    y = family.ppf(p)
    assert (family.cdf(y) >= p).all()
    assert (family.cdf(y - 1) < p).all()
    told_apart = (family.cdf(y) < 1) & (family.cdf(y - 1) < family.cdf(y))
    np.testing.assert_array_equal(family.ppf(np.where(told_apart, family.cdf(y), 0.5))[told_apart], y[told_apart])
    assert told_apart.mean() > 0.5
    q = np.array([1e-30, 1e-15, 0.1, 0.9])
    z = family.isf(q)
    assert (family.sf(z) <= q).all()
    assert (family.sf(z - 1) > q).all()
    u = np.random.default_rng(3).random((means.size, n))
    np.testing.assert_array_equal(family.from_uniform(u), family.ppf(u))
    assert family.from_uniform(u).dtype == np.int64


@every("family", FAMILIES)
def test_ends_of_the_range(family):
    family = family.at(2.0)
    assert (family.ppf(0.0), family.ppf(1.0), family.isf(1.0), family.isf(0.0)) == (0.0, np.inf, 0.0, np.inf)
    assert family.pmf([-1, 0.5, np.inf]).tolist() == [0.0, 0.0, 0.0]
    assert family.logpmf([-1, -0.5, 0.5, -2.5, np.inf, -np.inf]).tolist() == [-np.inf] * 6
    assert family.cdf([-1, -np.inf, np.inf]).tolist() == [0.0, 0.0, 1.0]
    assert family.sf([-1, -np.inf, np.inf]).tolist() == [1.0, 1.0, 0.0]
    assert family.cdf(3.7) == family.cdf(3)
    assert isinstance(family.pmf(1), float)
    assert isinstance(family.mean, float)


@every("nu", [-50.0, -3.0, -0.5, 0.0, 1.0, 2.0, 5.0])
@every("sigma", [1e-3, 0.5, 2.0, 1e3])
def test_gaf_is_never_nan(nu, sigma):
    mu = 10.0 ** np.arange(-3, 9)
    family = slc.GAF(mu, sigma, nu)
    for y in (0, 1, mu.round(), mu.round() + 1, 10**9):
        for value in (family.pmf(y), family.cdf(y), family.sf(y)):
            assert np.isfinite(value).all()
            assert (value >= 0).all()
            assert (value <= 1).all()
    assert not np.isnan(family.logpmf(mu.round())).any()
    assert np.isfinite(family.ppf([[0.01], [0.5]])).all()


KINDS = [slc.NBI, slc.PIG, partial(slc.Delaporte, nu=0.4), partial(slc.Sichel, nu=1.0)]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("sigma", [1e-8, 0.5, 1e3])
def test_mixtures_are_never_nan(kind, sigma):
    mu = 10.0 ** np.arange(-3, 9)
    family = kind(mu, sigma)
    for y in (0, 1, mu.round(), 3 * mu.round() + 1):
        for value in (family.pmf(y), family.cdf(y), family.sf(y)):
            assert np.isfinite(value).all()
            assert (value >= 0).all()
            assert (value <= 1).all()
    assert np.isfinite(family.ppf([[0.01], [0.5]])).all()


def test_gaf_at_a_hundred_million():
    # Variance sigma^2 mu^nu = 4e-4: the count is kept, almost surely; and shape 2.5e19 does not trouble anyone.
    family = slc.GAF(1e8, 2, -0.5)
    assert family.pmf(10**8) == pytest.approx(1.0)
    assert family.logpmf(10**8 + 1) == pytest.approx(
        -0.5 * 0.25 / 4e-4 + np.log(0.02 / 0.5 / np.sqrt(2 * np.pi)), rel=3e-5
    )
    assert family.from_uniform([1e-9, 0.5, 1 - 1e-9]).tolist() == [10**8] * 3
    wide = slc.GAF(1e8, 1, 2)
    assert wide.var == pytest.approx(1e16, rel=1e-12)
    assert wide.ppf(0.5) == pytest.approx(1e8 * np.log(2), rel=1e-6)


@every("family", [*FAMILIES, slc.GAF(sigma=2, nu=-0.5).continuous])
def test_draws_follow_the_distribution(family):
    n = 40_000
    mu = 7.3
    family = slc.GammaFamily(mu, 2, -0.5) if isinstance(family, slc.GammaFamily) else family.at(mu)
    draws = family.rvs(n, rng=11)
    assert draws.shape == (n,)
    np.testing.assert_array_equal(draws, family.rvs(n, rng=11))
    assert draws.mean() == pytest.approx(family.mean, abs=5 * np.sqrt(family.var / n))
    for p in (0.1, 0.5, 0.9):
        at = family.ppf(p)
        share = float(family.cdf(at))
        assert (draws <= at).mean() == pytest.approx(share, abs=5 * np.sqrt(share * (1 - share) / n) + 1e-9)


def test_draws_take_the_shape_of_the_means():
    family = slc.NBI([1.0, 10.0, 100.0], 0.5)
    assert family.shape == (3,)
    assert family.rvs(rng=1).shape == (3,)
    assert family.rvs((4, 3), rng=1).shape == (4, 3)
    assert isinstance(slc.Poisson(3.0).rvs(rng=1), np.int64)
    with pytest.raises(InputError, match=re.escape("size=2: the parameters have shape (3,)")):
        family.rvs(2, rng=1)


@given(
    mu=st.floats(1e-3, 1e6),
    sigma=st.floats(0.05, 20.0),
    nu=st.floats(-2.0, 2.0),
    y=st.integers(0, 2_000_000),
)
@settings(max_examples=200, deadline=None)
def test_gaf_tails_and_cells_agree(mu, sigma, nu, y):
    family = slc.GAF(mu, sigma, nu)
    assert family.cdf(y) + family.sf(y) == pytest.approx(1.0, abs=1e-13)
    cell = family.cdf(y) - family.cdf(y - 1) if family.cdf(y) < 0.5 else family.sf(y - 1) - family.sf(y)
    larger = min(max(family.cdf(y), 1e-300), max(family.sf(y - 1), 1e-300))
    assert family.pmf(y) == pytest.approx(cell, rel=1e-9, abs=4e-12 * larger + 1e-300)


@pytest.mark.parametrize("examples", [10, pytest.param(60, marks=pytest.mark.full)])
def test_nbi_and_pig_quantiles(examples):
    @settings(max_examples=examples)
    @given(mu=st.floats(1e-3, 1e4), sigma=st.floats(0.01, 20.0), p=st.floats(1e-9, 1 - 1e-9))
    def compare(mu, sigma, p):
        for family in (slc.NBI(mu, sigma), slc.PIG(mu, sigma)):
            y = family.ppf(p)
            assert family.cdf(y) >= p
            assert y == 0 or family.cdf(y - 1) < p

    compare()


def test_the_poisson_is_the_limit_of_nbi_and_pig():
    mu = np.array([0.01, 3.0, 500.0])
    y = mu.round() + 2
    for family in (slc.NBI(mu, 1e-12), slc.PIG(mu, 1e-12)):
        np.testing.assert_allclose(family.pmf(y), slc.Poisson(mu).pmf(y), rtol=1e-6)


def test_laplace_counts_zeros_need_no_pseudocount():
    family = slc.LaplaceCount([0, 0, 1, 10, 1e8], epsilon=0.7, sensitivity=2)
    assert family.pmf(0)[0] == pytest.approx(1 - 0.5 * np.exp(-0.5 * 0.35))
    assert family.var[-1] == pytest.approx(2 * (2 / 0.7) ** 2 + 1 / 12, rel=0.02)
    assert family.mean[-1] == pytest.approx(1e8)
    assert family.nominal_var.tolist() == pytest.approx([2 * (2 / 0.7) ** 2] * 5)


@every(
    ("make", "message"),
    [
        (lambda: slc.GAF(nu=0), "sigma: must be given"),
        (lambda: slc.GAF(sigma=1), "nu: must be given"),
        (lambda: slc.GAF(0.0, 1, 0), r"mu=0: must be finite and in \(0, inf\)"),
        (
            lambda: slc.GAF([1, -2], 1, 0),
            r"mu: 1 of 2 entries, the first at position 1; must be finite and in \(0, inf\)",
        ),
        (lambda: slc.GAF(1, 0, 0), r"sigma=0: must be finite"),
        (lambda: slc.GAF(1, 1, np.nan), r"nu=nan: must be finite"),
        (lambda: slc.NBI(1), "sigma: must be given"),
        (lambda: slc.NBI("many", 1), "mu='many': must be a number"),
        (lambda: slc.PIG(np.inf, 1), "mu=inf: must be finite"),
        (lambda: slc.Delaporte(1, 1), "nu: must be given"),
        (lambda: slc.Delaporte(1, 1, [0.5, 1]), r"nu: 1 of 2 entries, the first at position 1; .* in \(0, 1\)"),
        (lambda: slc.Delaporte(1, 1, 0), r"nu=0: must be finite and in \(0, 1\)"),
        (lambda: slc.Sichel(1, 0, 1), r"sigma=0: must be finite and in \(0, inf\)"),
        (lambda: slc.Sichel(1, 1, np.inf), "nu=inf: must be finite"),
        (lambda: slc.Poisson(-1), r"mu=-1: must be finite and in \(0, inf\)"),
        (lambda: slc.LaplaceCount(1), "epsilon: must be given"),
        (lambda: slc.Poisson(1).ppf(1.5), r"p: probabilities must be in \[0, 1\]; 1 of 1 entries"),
        (lambda: slc.Poisson(1).from_uniform(1.0), "1 would give an infinite count"),
        (lambda: slc.Poisson(1).pmf(np.nan), "y: must be numbers, but contains NaN"),
        (lambda: slc.Poisson(1).pmf("a"), "y='a': must be a number or an array of numbers"),
        (lambda: slc.NBI(1, 1).cdf([1, "a"]), "y: must be a number or an array of numbers"),
        (lambda: slc.PIG(1, 1).ppf(None), "p=None: must be a number or an array of numbers"),
        (lambda: slc.Poisson(1).rvs("a"), "size='a': must be a whole number >= 0, or a tuple of them"),
        (lambda: slc.Poisson(1).rvs(1.5), "size=1.5: must be an int >= 0"),
        (lambda: slc.Poisson(1).rvs((2, -1)), "size=-1: must be an int >= 0"),
        (lambda: slc.GAF(1, 1, 0).continuous.rvs(1.5), "size=1.5: must be an int >= 0"),
        (lambda: slc.GAF(1, 1, 0).continuous.pdf("a"), "w='a': must be numbers"),
        (lambda: slc.Poisson(np.array([1 + 1j])), "mu: must be a number or an array of numbers"),
        (lambda: slc.LaplaceCount(1, 1e-20).from_uniform(0.999), "above 2\\*\\*62"),
        (lambda: slc.Poisson(1e19).rvs(3, rng=1), r"Poisson: a draw is above 2\*\*62"),
        (lambda: slc.Poisson(4.7e18).rvs(rng=1), r"Poisson: a draw is above 2\*\*62"),
        (lambda: slc.NBI(1e19, 1e-6).rvs(3, rng=1), r"NBI\(sigma = 1e-06\): a draw is above 2\*\*62"),
        (lambda: slc.PIG(1e19, 1e-6).rvs(3, rng=1), r"PIG\(sigma = 1e-06\): a draw is above 2\*\*62"),
    ],
)
def test_bad_parameters_are_named(make, message):
    with pytest.raises(InputError, match=message):
        make()


def test_the_largest_draws():
    mean = 4.6e18  # 2**62 is 4.61e18
    draws = slc.Poisson(mean).rvs(200, rng=1)
    assert np.abs(draws - mean).max() < 6 * np.sqrt(mean)
    assert np.unique(draws).size == 200


def test_parameters_cannot_be_changed():
    family = slc.NBI([1.0, 2.0], 0.5)
    with pytest.raises(ValueError, match="read-only"):
        family.mu[0] = 5.0
    assert family.label == "NBI(sigma = 0.5)"
    assert slc.GAF(1, [1, 2], 0).label == "GAF(sigma: 2 values, nu = 0)"
    assert slc.Poisson(3).label == "Poisson"


# ---- almost no overdispersion ------------------------------------------------------------------------------------

TINY = [1e-6, 1e-10, 1e-20, 1e-100, 1e-160, 1e-300, 5e-324]


@every("kind", [slc.NBI, slc.PIG])
@every("sigma", TINY)
def test_tiny_overdispersion_is_the_poisson_and_a_known_correction(kind, sigma):
    y = np.array([0.0, 1, 2, 5, 17, 60, 300, 5000])
    for mu in (1e-8, 0.5, 3.0, 400.0):
        family, poisson = kind(mu, sigma), slc.Poisson(mu)
        # A mixing variable of variance sigma: to first order in sigma, whatever its distribution.
        first = 0.5 * sigma * ((y - mu) ** 2 - y)
        second = 5.0 * (sigma * np.maximum(y, mu) ** 2) ** 2 + 1e-12 * (1.0 + np.abs(poisson.logpmf(y)))
        near = sigma * np.maximum(y, mu) ** 2 < 0.01
        assert sigma > 1e-10 or near.sum() >= 5
        gap = family.logpmf(y) - poisson.logpmf(y) - first
        assert (np.abs(gap) <= second)[near].all()
        lower = poisson.cdf(y) + 0.5 * sigma * mu * (mu - y) * poisson.pmf(y)
        upper = poisson.sf(y) - 0.5 * sigma * mu * (mu - y) * poisson.pmf(y)
        allowed = 5.0 * (sigma * np.maximum(y, mu) ** 2) ** 2 + 1e-11
        assert (np.abs(family.cdf(y) - lower) <= allowed * lower)[near].all()
        assert (np.abs(family.sf(y) - upper) <= allowed * upper)[near].all()
        p = np.array([1e-9, 0.1, 0.5, 0.9, 1 - 1e-9])
        np.testing.assert_array_equal(
            family.ppf(p)[: 5 if sigma < 1e-6 else 0], poisson.ppf(p)[: 5 if sigma < 1e-6 else 0]
        )
        assert family.mean == mu
        assert family.var == pytest.approx(mu + sigma * mu**2, rel=1e-15)
        draws = family.rvs(20_000, rng=5)
        assert draws.mean() == pytest.approx(mu, abs=5 * np.sqrt(mu / 20_000) + 1e-3)


@pytest.mark.parametrize("mu", [1e-8, 3.0, 400.0, pytest.param(1e8, marks=pytest.mark.full)])
@every("kind", [slc.NBI, slc.PIG])
@every("sigma", TINY)
def test_tiny_overdispersion_gives_a_number_at_any_count(kind, sigma, mu):
    y = np.concatenate([np.arange(60.0), 10.0 ** np.arange(2, 19), [2.0**62]])
    family = kind(mu, sigma)
    assert np.isfinite(family.logpmf(y)).all()
    lower, upper = family.cdf(y), family.sf(y)
    assert (np.diff(lower) >= -1e-13).all()
    assert (np.diff(upper) <= 1e-13).all()
    np.testing.assert_allclose(lower + upper, 1.0, rtol=1e-10)


@pytest.mark.parametrize("sigma", TINY)
def test_a_gaf_without_scale_is_the_nearest_whole_number(sigma):
    mu = np.array([0.2, 1.0, 2.7, 400.0, 1e6])
    family = slc.GAF(mu, sigma, 0.0)
    np.testing.assert_array_equal(family.pmf(mu.round()), 1.0)
    np.testing.assert_array_equal(family.pmf(mu.round() + 1), 0.0)
    np.testing.assert_array_equal(family.ppf([[1e-6], [0.5], [0.999]]), np.tile(mu.round(), (3, 1)))
    np.testing.assert_array_equal(family.mean, mu.round())
    np.testing.assert_allclose(family.var, 0.0, atol=1e-12)
    np.testing.assert_array_equal(family.rvs(rng=1), mu.round())


def test_pig_cells_far_beyond_the_mean():
    # log P from the Bessel function with 200 digits.
    far = [
        (1e-8, 1e-3, 300, -6896.608105506373),
        (1e-8, 1e-10, 2000, -50047.88563852854),
        (400.0, 1e-3, 2000, -841.3878367727409),
    ]
    for mu, sigma, y, exact in far:
        assert slc.PIG(mu, sigma).logpmf(y) == pytest.approx(exact, rel=1e-13)


def test_pig_upper_tails_far_beyond_the_mean():
    # There the tail is its first cell and a little: the next cell is smaller by mu / y.
    for sigma in (1e-3, 1e-6):
        family = slc.PIG(1e-8, sigma)
        for y in (3, 10, 20):
            following = family.pmf(y + 1) * (1 + np.exp(family.logpmf(y + 2) - family.logpmf(y + 1)))
            assert family.sf(y) == pytest.approx(following, rel=1e-10)


@every(
    ("make", "message"),
    [
        (lambda: slc.GAF([1.0, 2.0], 0.5, 0.5).pmf(np.arange(5)), r"y: has shape \(5,\).*GAF, mu of shape \(2,\)"),
        (lambda: slc.NBI([1.0, 2.0], 0.5).cdf(np.arange(5)), r"y: has shape \(5,\).*NBI, mu of shape \(2,\)"),
        (lambda: slc.PIG([1.0, 2.0], 0.5).sf(np.arange(5)), r"y: has shape \(5,\)"),
        (lambda: slc.Poisson([1.0, 2.0]).ppf([0.1, 0.2, 0.3]), r"p: has shape \(3,\)"),
        (lambda: slc.Poisson([1.0, 2.0]).isf([0.1, 0.2, 0.3]), r"q: has shape \(3,\)"),
        (lambda: slc.Poisson([1.0, 2.0]).from_uniform([0.1, 0.2, 0.3]), r"u: has shape \(3,\)"),
        (lambda: slc.GammaFamily([1.0, 2.0], 1, 1).cdf([1, 2, 3]), r"w: has shape \(3,\)"),
        (lambda: slc.GammaFamily([1.0, 2.0], 1, 1).rvs(3), r"size=3: the parameters have shape \(2,\)"),
        (lambda: slc.GAF([1, 2], [1, 2, 3], 0), r"sigma of shape \(3,\).*the parameters of GAF do not broadcast"),
        (lambda: slc.NBI([1, 2], [1, 2, 3]), "the parameters of NBI do not broadcast"),
        (lambda: slc.PIG([1, 2], [1, 2, 3]), "the parameters of PIG do not broadcast"),
        (lambda: slc.LaplaceCount([1, 2], [1, 2, 3]), "the parameters of LaplaceCount do not broadcast"),
    ],
)
def test_shapes_that_do_not_fit_are_named(make, message):
    with pytest.raises(InputError, match=message):
        make()


@every(
    ("make", "name"),
    [
        (lambda value: slc.GAF(value, 1, 0), "mu"),
        (lambda value: slc.GAF(1, 1, value), "nu"),
        (lambda value: slc.NBI(1, value), "sigma"),
        (lambda value: slc.PIG(1, value), "sigma"),
        (lambda value: slc.Poisson(value), "mu"),
        (lambda value: slc.LaplaceCount(1, value), "epsilon"),
        (lambda value: slc.Poisson(1).ppf(value), "p"),
        (lambda value: slc.Poisson(1).pmf(value), "y"),
    ],
)
@every("value", [True, np.True_, [True, 1.0], np.array([True])])
def test_a_truth_value_is_no_number(make, name, value):
    with pytest.raises(InputError, match=f"{name}: must be a number or an array of numbers, not a bool"):
        make(value)


def test_masked_values_are_refused():
    masked = np.ma.masked_array([1.0, 2.0, 3.0], mask=[False, True, True])
    for make in (lambda: slc.Poisson(masked), lambda: slc.Poisson(1).pmf(masked), lambda: slc.GAF(1, masked, 0)):
        with pytest.raises(InputError, match=r"(mu|y|sigma): 2 values are masked"):
            make()
    unmasked = np.ma.masked_array([1.0, 2.0], mask=False)
    assert slc.Poisson(1).pmf(unmasked).tolist() == slc.Poisson(1).pmf([1.0, 2.0]).tolist()


@pytest.mark.parametrize("mu", [1e120, 1e200, 1e308])
def test_quantiles_of_means_near_the_largest_float_are_found(mu):
    family = slc.NBI(mu=mu, sigma=0.5)  # next to a gamma of shape 2
    median = family.ppf(0.5)
    assert median / mu == pytest.approx(1.678346990016661 / 2, rel=1e-12)
    assert family.isf(0.5) == median


@pytest.mark.parametrize("kind", [slc.NBI, slc.PIG, partial(slc.Delaporte, nu=0.5)])
def test_a_variance_beyond_the_largest_float_is_infinite(kind):
    assert kind(mu=3.0, sigma=1e308).var == np.inf
    assert kind(mu=3.0, sigma=1e308).nominal_var == np.inf


def test_quantiles_of_next_to_no_noise_come_without_a_warning_of_a_library():
    family = slc.LaplaceCount(mu=3.0, epsilon=1e308)
    assert family.ppf([0.1, 0.9]).tolist() == family.isf([0.1, 0.9]).tolist() == [3.0, 3.0]
    assert family.from_uniform(0.5) == 3


def test_a_quantile_beyond_the_largest_float_is_undefined_by_name():
    with pytest.warns(UndefinedStatisticWarning, match="1 of 2 quantiles cannot be computed with floats and are NaN"):
        found = slc.NBI(mu=1e308, sigma=0.5).ppf([0.5, 1 - 1e-16])
    assert np.isnan(found).tolist() == [False, True]


# ---- Delaporte and Sichel ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "kind"), [("DEL", slc.Delaporte), ("SICHEL", slc.Sichel)])
def test_delaporte_and_sichel_equal_r(reference, name, kind):
    r = read(reference, "gamlss_dist_DEL_SICHEL.csv")
    r = r[r["family"] == name]
    family = kind(r["mu"], r["sigma"], r["nu"])
    assert len(r) > 300
    assert relative(family.pmf(r["y"]), r["d"]).max() < 1e-9
    assert relative(family.cdf(r["y"]), r["p"]).max() < 1e-9
    q = read(reference, "gamlss_dist_qDEL_qSICHEL.csv")
    q = q[q["family"] == name]
    family = kind(q["mu"], q["sigma"], q["nu"])
    np.testing.assert_array_equal(family.ppf(q["p"]), q["q"])
    np.testing.assert_array_equal(family.from_uniform(q["u"]), q["r"])


@pytest.mark.parametrize("examples", [10, pytest.param(40, marks=pytest.mark.full)])
def test_the_delaporte_is_the_sum_of_a_poisson_and_an_nbi(examples):
    y = np.arange(200)

    @settings(max_examples=examples)
    @given(
        mu=st.floats(1e-3, 300.0),
        sigma=st.floats(-6, 4).map(lambda power: 10.0**power),
        nu=st.floats(1e-9, 1 - 1e-9),
    )
    def compare(mu, sigma, nu):
        parts = slc.Poisson(nu * mu).pmf(y), slc.NBI((1 - nu) * mu, sigma).pmf(y)
        masses = np.convolve(*parts)[:200]
        seen = masses > 1e-250
        family = slc.Delaporte(mu, sigma, nu)
        np.testing.assert_allclose(family.pmf(y)[seen], masses[seen], rtol=2e-11)
        np.testing.assert_allclose(family.cdf(y), np.cumsum(masses), rtol=2e-11)
        np.testing.assert_allclose(family.cdf(y) + family.sf(y), 1.0, rtol=1e-12)

    compare()


@given(
    mu=st.floats(1e-3, 300.0),
    sigma=st.floats(-6, 6).map(lambda power: 10.0**power),
    nu=st.floats(-60.0, 60.0),
)
@settings(max_examples=40, deadline=None)
def test_the_sichel_satisfies_the_recurrence_of_the_bessel_function(mu, sigma, nu):
    family = slc.Sichel(mu, sigma, nu)
    y = np.arange(1, 150)
    c = mu * np.exp(family.logpmf(0)) / np.exp(family.logpmf(1))  # times K(nu + 1) / K(nu) of the argument alpha
    assert np.isfinite(c)
    p = np.exp(family.logpmf(np.arange(151)) - family.logpmf(np.arange(151)).max())
    np.testing.assert_allclose(np.cumsum(family.pmf(np.arange(150))), family.cdf(np.arange(150)), rtol=2e-11)
    # (1 + 2 m s) (y + 1) p(y + 1) = 2 (nu + y) s m p(y) + m^2 / y p(y - 1), where m = mu / c.
    m = _mean_before_scaling(mu, sigma, nu)
    if m is not None:
        left = (1 + 2 * m * sigma) * (y + 1) * p[y + 1]
        terms = 2 * (nu + y) * sigma * m * p[y], m**2 / y * p[y - 1]
        size = left + np.abs(terms[0]) + terms[1]
        assert (np.abs(left - terms[0] - terms[1]) <= 1e-10 * size + 1e-290).all()


def _mean_before_scaling(mu, sigma, nu):
    with np.errstate(all="ignore"):
        m = mu * special.kve(nu, 1 / sigma) / special.kve(nu + 1, 1 / sigma)
    return m if np.isfinite(m) and m > 0 else None


def test_the_sichel_contains_the_pig_and_tends_to_the_nbi():
    y = np.arange(80)
    np.testing.assert_allclose(slc.Sichel(7.0, 0.8, -0.5).pmf(y), slc.PIG(7.0, 0.8).pmf(y), rtol=1e-12)
    np.testing.assert_allclose(slc.Sichel(7.0, 0.8, -0.5).sf(y), slc.PIG(7.0, 0.8).sf(y), rtol=1e-11)
    np.testing.assert_allclose(slc.Sichel(7.0, 1e12, 2.0).pmf(y), slc.NBI(7.0, 0.5).pmf(y), rtol=1e-9)
    assert slc.Sichel(7.0, [0.8, 1e12], [-0.5, 2.0]).var == pytest.approx([7 + 0.8 * 49, 7 + 0.5 * 49], rel=1e-10)


@every("kind", [partial(slc.Delaporte, nu=0.4), partial(slc.Sichel, nu=1.0), partial(slc.Sichel, nu=-4.0)])
def test_three_parameters_synthesize_a_table(kind):
    counts = np.random.default_rng(2).poisson(4.0, (30, 20))
    table = slc.Table.from_counts(counts, {"area": range(30), "age": range(20)})
    made = slc.synthesize_table(table, kind(sigma=0.3), m=20, pseudocount=0, rng=3)
    ours = slc.expected_tau(table, kind(sigma=0.3), k=[2, 4], pseudocount=0)
    seen = slc.tau(table, made, k=[2, 4])
    assert np.abs(seen.tau3.mean(axis=1) - ours.tau3).max() < 5 * ours.standard_errors(20)["tau3"].max()
    assert slc.count_delta(kind(sigma=0.3), 1.0, largest=5, pseudocount=1).delta[0] < 1
    tuned = slc.tune(table, kind(sigma=1), target=("tau3", 4, 0.15))
    assert slc.expected_tau(table, tuned.family, k=4).tau3[0] == pytest.approx(0.15, rel=1e-9)


def test_a_result_does_not_depend_on_the_other_elements():
    mu, sigma, nu = np.array([1e-3, 7.0, 1e4]), np.array([1e-4, 2.0, 50.0]), np.array([0.01, 0.5, 0.99])
    y = np.array([0.0, 5.0, 9_000.0])
    for kind in (slc.Delaporte, slc.Sichel):
        for name in ("logpmf", "cdf", "sf", "ppf"):
            at = [0.1, 0.5, 0.9] if name == "ppf" else y
            together = getattr(kind(mu, sigma, nu), name)(at)
            alone = [getattr(kind(*one[:3]), name)(one[3]) for one in zip(mu, sigma, nu, at, strict=True)]
            assert together.tolist() == alone


@pytest.mark.parametrize("mu", [0.3, 7.3, 300.0])
@pytest.mark.parametrize("sigma", [0.0, 0.4, 0.9])
def test_the_generalized_poisson_equals_that_of_statsmodels(mu, sigma):
    y = np.arange(40)
    theirs = genpoisson_p.pmf(y, mu, sigma / (1 - sigma), 1)  # its variance is mu (1 + alpha)^2
    np.testing.assert_allclose(slc.GeneralizedPoisson(mu, sigma).pmf(y), theirs, rtol=1e-9)


def test_generalized_poisson_tails_are_sums_and_the_limit_is_the_poisson():
    family = slc.GeneralizedPoisson([[2.0], [30.0]], [0.2, 0.95])
    cells = family.at(np.broadcast_to(family.mu, (2, 2))[..., None])
    p = slc.GeneralizedPoisson(cells.mu, np.array([0.2, 0.95])[:, None]).pmf(np.arange(60_000))
    for y in (0, 1, 2, 29, 30, 31, 500):
        np.testing.assert_allclose(family.cdf(y), p[..., : y + 1].sum(axis=-1), rtol=1e-11)
        np.testing.assert_allclose(family.sf(y), p[..., y + 1 :].sum(axis=-1), rtol=1e-9, atol=1e-300)
    y, limit = np.array([0, 5, 50]), slc.Poisson(4.0)
    for ours, theirs in ((slc.GeneralizedPoisson(4.0, 0.0), limit), (slc.GeneralizedPoisson(4.0, 1e-12), limit)):
        np.testing.assert_allclose(ours.cdf(y), theirs.cdf(y), rtol=1e-9)
        np.testing.assert_allclose(ours.sf(y), theirs.sf(y), rtol=1e-9)
    with pytest.raises(InputError, match=re.escape("in [0, 0.99)")):
        slc.GeneralizedPoisson(sigma=0.99)
    with pytest.raises(InputError, match=re.escape("in (0, 1e+10)")):
        slc.GeneralizedPoisson(mu=1e10, sigma=0.5)
