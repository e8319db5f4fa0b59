"""The thin calls of gamlss.dist: the same numbers as its scripts, one mean at a time, and clear refusals."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from synthlab.exceptions import InputError
from synthlab.r import gamlss_dist as r, probe, reference

needs_r = pytest.mark.skipif(
    not probe().has("gamlss.dist"), reason=probe().problem or "the R package gamlss.dist is not installed"
)


@pytest.mark.r
@needs_r
def test_every_function_by_hand():
    # A gamma with mean 2 and variance 1: shape 4, scale 1/2.
    gamma = stats.gamma(4, scale=0.5)
    assert r.dGAF(1.5, 2, 1, 0) == pytest.approx(gamma.pdf(1.5), rel=1e-12)
    assert r.pGAF(1.5, 2, 1, 0) == pytest.approx(gamma.cdf(1.5), rel=1e-12)
    assert r.qGAF(0.3, 2, 1, 0) == pytest.approx(gamma.ppf(0.3), rel=1e-10)
    # Mean 3 and variance 3 + 0.5 x 9: size 2, probability 1 / 2.5.
    negative = stats.nbinom(2, 0.4)
    assert r.dNBI(4, 3, 0.5) == pytest.approx(negative.pmf(4), rel=1e-12)
    assert r.pNBI(4, 3, 0.5) == pytest.approx(negative.cdf(4), rel=1e-12)
    assert r.qNBI(0.9, 3, 0.5) == negative.ppf(0.9)
    # A zero of the Poisson-inverse Gaussian: exp((1 - sqrt(1 + 2 sigma mu)) / sigma), here exp(1 - sqrt(5)).
    assert r.dPIG(0, 2, 1) == pytest.approx(np.exp(1 - np.sqrt(5)), rel=1e-12)
    assert r.pPIG(0, 2, 1) == pytest.approx(np.exp(1 - np.sqrt(5)), rel=1e-12)
    assert r.qPIG(0.29, 2, 1) == 0
    assert r.dPO(0, 2) == pytest.approx(np.exp(-2), rel=1e-14)
    assert r.pPO(1, 2) == pytest.approx(3 * np.exp(-2), rel=1e-14)
    assert r.qPO(0.4, 2) == 1
    assert r.qPO([0.0, 1.0], 2).tolist() == [0.0, np.inf]


@pytest.mark.r
@needs_r
def test_draws_come_from_the_given_uniforms():
    rows = reference("gamlss_dist_draws", live=False).table.iloc[::60]
    u, mu, sigma = rows["u"], rows["mu"], rows["sigma"]
    np.testing.assert_allclose(r.rGAF(u, mu, sigma, 0.0), rows["rGAF_nu_0"], rtol=1e-13)
    np.testing.assert_array_equal(r.rNBI(u, mu, sigma), rows["rNBI"])
    small = rows[rows["mu"] <= 100]
    np.testing.assert_array_equal(r.rPIG(small["u"], small["mu"], small["sigma"]), small["rPIG"])
    np.testing.assert_array_equal(r.rPO([0.1, 0.5, 0.99], 5.0), stats.poisson(5).ppf([0.1, 0.5, 0.99]))


@pytest.mark.r
@needs_r
@pytest.mark.parametrize(("family", "parameters"), [("DEL", (3, 0.5, 0.4)), ("SICHEL", (3, 0.5, -0.4))])
def test_families_of_three_parameters_agree_with_each_other(family, parameters):
    d, p, q, draw = (getattr(r, f"{letter}{family}") for letter in "dpqr")
    counts = np.arange(8.0)
    np.testing.assert_allclose(np.cumsum(d(counts, *parameters)), p(counts, *parameters), rtol=1e-10)
    u = [0.01, 0.3, 0.7, 0.95]
    found = q(u, *parameters)
    assert (p(found, *parameters) >= u).all()
    np.testing.assert_array_equal(draw(u, *parameters), found)
    assert (np.diff(found) >= 0).all()
    assert found[-1] > found[0]


@pytest.mark.r
@needs_r
def test_a_vector_of_means_is_not_recycled_wrongly():
    np.testing.assert_allclose(r.dPIG(2, [1.0, 5.0, 10.0], 1.0), [float(r.dPIG(2, mu, 1.0)) for mu in (1, 5, 10)])
    assert r.dPIG([[0], [1]], [1.0, 5.0, 10.0], 1.0).shape == (2, 3)


@pytest.mark.r
@needs_r
def test_large_draws_are_counts_and_not_missing():
    assert r.rNBI(0.5, 1e10, 0.1) == 9668714615


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: r.dNBI(1, 0, 1), "dNBI: mu must be above 0"),
        (lambda: r.dGAF(1, 1, -1, 0), "dGAF: sigma must be above 0"),
        (lambda: r.qPO(1.5, 1), r"p: must lie in \[0, 1\]"),
        (lambda: r.rPIG(-0.1, 1, 1), r"u: must lie in \[0, 1\]"),
        (lambda: r.dPO("x", 1), "must be numbers"),
        (lambda: r.pPO(float("nan"), 1), "pPO: q: must not be missing"),
        (lambda: r.rNBI(0.5, 0, 1), "rNBI: mu must be above 0"),
        (
            lambda: r.dPIG(1, [1, 2], [1, 2, 3]),
            r"dPIG: .* broadcast to one shape, not x \(\), mu \(2,\), sigma \(3,\)$",
        ),
        (lambda: r.rGAF([0.1, 0.2], [1, 2, 3], 1, 0), r"rGAF: .*not u \(2,\), mu \(3,\), sigma \(\), nu \(\)$"),
    ],
)
def test_what_r_would_stop_at_is_refused_before(call, message):
    with pytest.raises(InputError, match=message):
        call()
