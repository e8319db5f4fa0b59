"""Lecture 14: probabilities of the discretized gamma family, and tau metrics."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import stats

from synthlab._typing import FloatArray, IntArray
from synthlab.teaching.checking import Exercise
from synthlab.teaching.exercises.labels import label_values

CASES = ((1.0, 2.0, -0.5), (10.0, 2.0, -0.5), (3.0, 0.5, 1.0))
EIGHT = (np.array([0, 1, 2, 30]), np.array([2, 4, 1, 1]))  # the eight cells of the lecture
LARGER = (np.array([0, 1, 2, 3, 12]), np.array([900, 50, 20, 10, 5]))


def _counts(function: Callable[..., Any]) -> dict[str, Any]:
    names = [f"P(Y = {y})" for y in range(13)]
    return {
        f"mu {mu:g}, sigma {sigma:g}, nu {nu:g}": label_values(function(np.arange(13.0), mu, sigma, nu), names)
        for mu, sigma, nu in CASES
    }


def _cells(function: Callable[..., Any]) -> dict[str, Any]:
    return {
        f"k = {k}, {title}": label_values(
            function(k, sizes.copy(), cells.copy(), _poisson), ("tau1", "tau2", "tau3", "tau4")
        )
        for title, (sizes, cells) in (("the eight cells", EIGHT), ("985 cells", LARGER))
        for k in (1, 2)
    }


def _poisson(k: Any, mu: Any) -> FloatArray:
    return np.asarray(stats.poisson.pmf(k, mu), dtype=np.float64)


def gaf_pmf(y: FloatArray, mu: float, sigma: float, nu: float) -> FloatArray:
    """Return P(Y = y) of a rounded gamma with mean mu and variance sigma^2 mu^nu."""
    return _rounded(_gamma(mu, sigma, nu), y)


def _gamma(mu: float, sigma: float, nu: float) -> Any:
    s1 = sigma * mu ** (nu / 2 - 1)
    return stats.gamma(a=s1**-2, scale=mu * s1**2)


def _rounded(w: Any, y: FloatArray) -> FloatArray:
    return np.asarray(w.cdf(y + 0.5) - w.cdf(y - 0.5))


def _inverted(y: FloatArray, mu: float, sigma: float, nu: float) -> FloatArray:
    s1 = sigma * mu ** (nu / 2 - 1)
    return _rounded(stats.gamma(a=s1**2, scale=mu * s1**2), y)


def _unscaled(y: FloatArray, mu: float, sigma: float, nu: float) -> FloatArray:
    s1 = sigma * mu ** (nu / 2 - 1)
    return _rounded(stats.gamma(a=s1**-2, scale=mu), y)


def _variance_for_sd(y: FloatArray, mu: float, sigma: float, nu: float) -> FloatArray:
    s1 = sigma * mu ** (nu - 1)
    return _rounded(stats.gamma(a=s1**-2, scale=mu * s1**2), y)


def _cumulative(y: FloatArray, mu: float, sigma: float, nu: float) -> FloatArray:
    return np.asarray(_gamma(mu, sigma, nu).cdf(y + 0.5))


def _rate_for_scale(y: FloatArray, mu: float, sigma: float, nu: float) -> FloatArray:
    s1 = sigma * mu ** (nu / 2 - 1)
    return _rounded(stats.gamma(a=s1**-2, scale=1 / (mu * s1**2)), y)


def _scale_as_location(y: FloatArray, mu: float, sigma: float, nu: float) -> FloatArray:
    s1 = sigma * mu ** (nu / 2 - 1)
    return _rounded(stats.gamma(s1**-2, mu * s1**2), y)


def _upwards(y: FloatArray, mu: float, sigma: float, nu: float) -> FloatArray:
    w = _gamma(mu, sigma, nu)
    return np.asarray(w.cdf(y + 1) - w.cdf(y))


def _density(y: FloatArray, mu: float, sigma: float, nu: float) -> FloatArray:
    return np.asarray(_gamma(mu, sigma, nu).pdf(np.maximum(y, 1e-300)))


def tau(k: int, sizes: IntArray, cells: IntArray, pmf: Callable[..., Any]) -> tuple[Any, ...]:
    """Return tau1(k) to tau4(k) from the cell sizes; empty cells stay empty."""
    share = cells / cells.sum()
    full = sizes > 0
    tau1 = (share[full] * pmf(k, sizes[full])).sum()
    tau2 = share[sizes == k].sum()
    tau3 = pmf(k, k)
    return tau1, tau2, tau3, tau2 * tau3 / tau1


def _occupied_only(k: int, sizes: IntArray, cells: IntArray, pmf: Callable[..., Any]) -> tuple[Any, ...]:
    return tau(k, sizes[sizes > 0], cells[sizes > 0], pmf)


def _every_size_alike(k: int, sizes: IntArray, cells: IntArray, pmf: Callable[..., Any]) -> tuple[Any, ...]:
    _, tau2, tau3, _ = tau(k, sizes, cells, pmf)
    tau1 = np.mean(pmf(k, sizes[sizes > 0]))
    return tau1, tau2, tau3, tau2 * tau3 / tau1


def _swapped(k: int, sizes: IntArray, cells: IntArray, pmf: Callable[..., Any]) -> tuple[Any, ...]:
    return tau(k, sizes, cells, lambda y, mu: pmf(mu, y))


def _of_the_agency(k: int, sizes: IntArray, cells: IntArray, pmf: Callable[..., Any]) -> tuple[Any, ...]:
    tau1, tau2, tau3, _ = tau(k, sizes, cells, pmf)
    return tau1, tau2, tau3, tau2 * tau3


def _upside_down(k: int, sizes: IntArray, cells: IntArray, pmf: Callable[..., Any]) -> tuple[Any, ...]:
    tau1, tau2, tau3, _ = tau(k, sizes, cells, pmf)
    return tau1, tau2, tau3, tau1 * tau3 / tau2


def _number_of_cells(k: int, sizes: IntArray, cells: IntArray, pmf: Callable[..., Any]) -> tuple[Any, ...]:
    tau1, tau2, tau3, _ = tau(k, sizes, cells, pmf)
    tau1 = tau1 * cells.sum()
    return tau1, tau2, tau3, tau2 * tau3 / tau1


def _kept_twice(k: int, sizes: IntArray, cells: IntArray, pmf: Callable[..., Any]) -> tuple[Any, ...]:
    tau1, tau2, tau3, _ = tau(k, sizes, cells, pmf)
    return tau1, tau2, tau3, tau3


EXERCISES = (
    Exercise(
        "14.gaf_pmf",
        answers=_counts,
        right=gaf_pmf,
        slips={
            "The shape of the gamma is sigma1 to the power -2; the paper has a misprint (+2).": _inverted,
            "The scale is mu times sigma1 squared, because shape times scale must be mu.": _unscaled,
            "The exponent of mu is nu / 2 - 1: mu to the power nu is a variance, and sigma1 uses its square root.": (
                _variance_for_sd
            ),
            "This rounds down; a count of y contains the values from y - 1/2 to y + 1/2.": _upwards,
            "This is the density of the gamma at y; a probability is a difference of two values of the .cdf.": _density,
            "This is the probability of y or less; subtract the .cdf at y - 1/2.": _cumulative,
            "SciPy's gamma has a scale, not a rate: scale = mu * sigma1**2, not its reciprocal.": _rate_for_scale,
            "The second positional argument of stats.gamma is a location; write scale=...": _scale_as_location,
        },
    ),
    Exercise(
        "14.tau",
        answers=_cells,
        right=tau,
        slips={
            "Compute the shares of all cells, including empty cells.": _occupied_only,
            "Weight each probability by the share of cells of this size.": _every_size_alike,
            "The arguments are swapped: pmf(k, mu) is the probability of k if the mean is mu.": _swapped,
            "tau4 is a share of the synthetic cells of size k; divide by tau1.": _of_the_agency,
            "tau4 = tau2 tau3 / tau1: you divided by tau2 and multiplied by tau1.": _upside_down,
            "tau1 is a share: use the shares of the cells, not their numbers.": _number_of_cells,
            "tau4 is not tau3: it is a share of the synthetic cells of size k.": _kept_twice,
        },
    ),
)
