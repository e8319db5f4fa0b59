"""Answers to the exercises of lecture 14."""

from __future__ import annotations

import numpy as np
from scipy import special, stats

from synthlab.teaching.exercises import lecture_14
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


@wrong("14.gaf_pmf", slip=lecture_14._scale_as_location)
def scale_as_location(y, mu, sigma, nu):
    s1 = sigma * mu ** (nu / 2 - 1)
    w = stats.gamma(s1**-2, mu * s1**2)
    return w.cdf(y + 0.5) - w.cdf(y - 0.5)


@wrong("14.gaf_pmf", slip=lecture_14._rate_for_scale)
def rate_for_scale(y, mu, sigma, nu):
    s1 = sigma * mu ** (nu / 2 - 1)
    w = stats.gamma(a=s1**-2, scale=1 / (mu * s1**2))
    return w.cdf(y + 0.5) - w.cdf(y - 0.5)


@wrong("14.gaf_pmf")
def nothing_at_zero(y, mu, sigma, nu):
    return np.where(y > 0, difference_of_cdf(y, mu, sigma, nu), 0)


@wrong("14.gaf_pmf")
def variance_as_squared_sigma_1(y, mu, sigma, nu):
    w = stats.gamma(a=1 / (sigma**2 * mu**nu), scale=mu * sigma**2 * mu**nu)
    return w.cdf(y + 0.5) - w.cdf(y - 0.5)


@wrong("14.gaf_pmf", slip=lecture_14._cumulative)
def distribution_function(y, mu, sigma, nu):
    return gamma_of(mu, sigma, nu).cdf(y + 0.5)


@wrong("14.gaf_pmf", slip=lecture_14._upwards)
def rounded_down(y, mu, sigma, nu):
    w = gamma_of(mu, sigma, nu)
    return w.cdf(y + 1) - w.cdf(y)


@wrong("14.gaf_pmf")
def first_count_only(y, mu, sigma, nu):
    return difference_of_cdf(y, mu, sigma, nu)[0]


def four(k, sizes, cells, pmf):
    share, full = cells / cells.sum(), sizes > 0
    tau1, tau2, tau3 = (share[full] * pmf(k, sizes[full])).sum(), share[sizes == k].sum(), pmf(k, k)
    return tau1, tau2, tau3, tau2 * tau3 / tau1


@right("14.tau")
def sums(k, sizes, cells, pmf):
    return four(k, sizes, cells, pmf)


@right("14.tau")
def array_of_four(k, sizes, cells, pmf):
    return np.array(four(k, sizes, cells, pmf))


@right("14.tau")
def loop_over_sizes(k, sizes, cells, pmf):
    total = sum(cells)
    tau1 = sum(c * pmf(k, j) for j, c in zip(sizes, cells, strict=True) if j > 0) / total
    tau2 = sum(c for j, c in zip(sizes, cells, strict=True) if j == k) / total
    return [tau1, tau2, pmf(k, k), tau2 * pmf(k, k) / tau1]


@wrong("14.tau")
def empty_cells_in_tau1(k, sizes, cells, pmf):
    _, tau2, tau3, _ = four(k, sizes, cells, pmf)
    tau1 = (cells / cells.sum() * pmf(k, np.maximum(sizes, 0.5))).sum()
    return tau1, tau2, tau3, tau2 * tau3 / tau1


@wrong("14.tau", slip=lecture_14._number_of_cells)
def numbers_instead_of_shares(k, sizes, cells, pmf):
    _, tau2, tau3, _ = four(k, sizes, cells, pmf)
    tau1 = (cells[sizes > 0] * pmf(k, sizes[sizes > 0])).sum()
    return tau1, tau2, tau3, tau2 * tau3 / tau1


@wrong("14.tau")
def tau2_as_an_array(k, sizes, cells, pmf):
    tau1, _, tau3, _ = four(k, sizes, cells, pmf)
    tau2 = (cells / cells.sum())[sizes == k]
    return tau1, tau2, tau3, tau2 * tau3 / tau1


@wrong("14.tau", slip=lecture_14._kept_twice)
def tau4_equal_to_tau3(k, sizes, cells, pmf):
    tau1, tau2, tau3, _ = four(k, sizes, cells, pmf)
    return tau1, tau2, tau3, tau3


@wrong("14.tau")
def tau2_of_the_occupied_cells(k, sizes, cells, pmf):
    tau1, _, tau3, _ = four(k, sizes, cells, pmf)
    tau2 = cells[sizes == k].sum() / cells[sizes > 0].sum()
    return tau1, tau2, tau3, tau2 * tau3 / tau1


@wrong("14.tau")
def three_values(k, sizes, cells, pmf):
    return four(k, sizes, cells, pmf)[:3]
