"""Answers to the exercises of lecture 14."""

from __future__ import annotations

import numpy as np
from scipy import special, stats

from tests.course.answers import right, wrong


def gamma_of(mu, sigma, nu):
    s1 = sigma * mu ** (nu / 2 - 1)
    return stats.gamma(a=s1**-2, scale=mu * s1**2)


@right("14.gaf_pmf")
def difference_of_cdf(y, mu, sigma, nu):
    w = gamma_of(mu, sigma, nu)
    return w.cdf(y + 0.5) - w.cdf(y - 0.5)


@right("14.gaf_pmf")
def difference_of_tails(y, mu, sigma, nu):
    w = gamma_of(mu, sigma, nu)
    return w.sf(y - 0.5) - w.sf(y + 0.5)


@right("14.gaf_pmf")
def incomplete_gamma(y, mu, sigma, nu):
    shape, scale = mu**2 / (sigma**2 * mu**nu), sigma**2 * mu**nu / mu
    return special.gammainc(shape, (y + 0.5) / scale) - special.gammainc(shape, np.maximum(y - 0.5, 0) / scale)


@wrong("14.gaf_pmf")
def nothing_at_zero(y, mu, sigma, nu):
    return np.where(y > 0, difference_of_cdf(y, mu, sigma, nu), 0)


@wrong("14.gaf_pmf")
def variance_as_squared_sigma_1(y, mu, sigma, nu):
    w = stats.gamma(a=1 / (sigma**2 * mu**nu), scale=mu * sigma**2 * mu**nu)
    return w.cdf(y + 0.5) - w.cdf(y - 0.5)


@wrong("14.gaf_pmf")
def first_count_only(y, mu, sigma, nu):
    return difference_of_cdf(y, mu, sigma, nu)[0]
