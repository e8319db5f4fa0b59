"""Negative binomial distribution (type I): a gamma mixture of Poisson distributions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import special

from synthlab._typing import FloatArray
from synthlab.counts import _gamma
from synthlab.counts._mixed_poisson import MixedPoisson


@dataclass(frozen=True, slots=True, eq=False)
class NBI(MixedPoisson):
    """Negative binomial distribution type I of gamlss: variance mu + sigma mu^2.

    It is a Poisson distribution whose mean is multiplied by a gamma variable of mean 1 and variance sigma.

    Parameters
    ----------
    mu : float or array_like, default 1
        Means, > 0. Omit mu if a table sets the means.
    sigma : float or array_like
        Overdispersion, > 0.

    Raises
    ------
    InputError
        A parameter is not > 0 and finite.

    Notes
    -----
    The distribution is ``scipy.stats.nbinom(n=1 / sigma, p=1 / (1 + sigma * mu))``. SciPy computes 1 - p from p, so its
    upper tail is inaccurate if sigma mu is small; here, the smaller of p and 1 - p is used. R's ``rNBI`` gives NA above
    2**31 - 1.

    Examples
    --------
    >>> import synthlab.counts as slc
    >>> family = slc.NBI(mu=10, sigma=0.5)
    >>> float(family.var), round(float(family.pmf(10)), 5)
    (60.0, 0.04935)
    """

    @staticmethod
    def _log_mass(y: FloatArray, mu: FloatArray, *mixing: FloatArray) -> FloatArray:
        (sigma,) = mixing
        count = (y >= 0) & (y == np.floor(y))
        x = np.where(count & (y > 0), y, 1.0)
        odds = sigma * mu
        size = 1.0 / sigma
        trials = x + size
        # Loader's binomial saddle-point expansion; trials * p - size = (x - mu) / (1 + odds) without cancellation.
        gap = (x - mu) / (1.0 + odds)
        p, q = 1.0 / (1.0 + odds), odds / (1.0 + odds)
        deviance = _gamma.deviance_part(size, trials * p, gap) + _gamma.deviance_part(x, trials * q, -gap)
        errors = _gamma.stirling_error(trials) - _gamma.stirling_error(size) - _gamma.stirling_error(x)
        binomial = errors - deviance + 0.5 * np.log(trials / (2.0 * np.pi * size * x))
        positive = np.log(size / trials) + binomial
        return np.where(count, np.where(y == 0, -size * np.log1p(odds), positive), -np.inf)

    @staticmethod
    def _mixed_tail(y: FloatArray, mu: FloatArray, *mixing: FloatArray, upper: bool) -> FloatArray:
        (sigma,) = mixing
        size, odds = 1.0 / sigma, sigma * mu
        p, q = 1.0 / (1.0 + odds), odds / (1.0 + odds)
        by_p, by_q = (special.betaincc, special.betainc) if upper else (special.betainc, special.betaincc)
        out = np.empty(y.shape)
        rare = p < q
        out[rare] = by_p(size[rare], y[rare] + 1.0, p[rare])
        out[~rare] = by_q(y[~rare] + 1.0, size[~rare], q[~rare])
        reach = np.maximum(np.log1p(1.0 / odds), (size + 10.0 * np.sqrt(size) + 40.0) / (y + 1.0))
        long = (y >= 1000.0) & (size < 50.0) & ((size + 1.0) * reach**2 < 0.1)
        if long.any():
            out[long] = _long_tail(y[long], size[long], odds[long], upper)
        return out

    @staticmethod
    def _multiplier(shape: tuple[int, ...], rng: np.random.Generator, *mixing: FloatArray) -> FloatArray:
        (sigma,) = mixing
        return rng.standard_gamma(1.0 / sigma, shape) * sigma


def _long_tail(y: FloatArray, size: FloatArray, odds: FloatArray, upper: bool) -> FloatArray:
    """Return a tail of a long-tailed distribution as a weighted mean of gamma tails (BGRAT).

    The method is that of DiDonato and Morris (1992). P(Y > y) = P(X <= q), where X is beta(y + 1, size). The density of
    s = -log X is proportional to ``exp(-T s) s^(size - 1) (sinh(s / 2) / (s / 2))^(size - 1)``, where T is
    ``y + 1 + (size - 1) / 2``. The last factor is a short series in s^2. SciPy (1.17) uses q, whose rounding causes an
    error of 1e-9 at y = 1e8; here, -log q is used.
    """
    rate = y + 1.0 + 0.5 * (size - 1.0)
    limit = rate * np.log1p(1.0 / odds)
    tail = special.gammaincc if upper else special.gammainc
    # Expand log(sinh(s / 2) / (s / 2)) in powers of s^2, multiply by size - 1, and exponentiate the series.
    logs = [(size - 1.0) * c for c in (1 / 24, -1 / 2880, 1 / 181440, -1 / 9676800, 1 / 479001600)]
    series = [np.ones_like(y)]
    for k in range(1, len(logs) + 1):
        series.append(sum((j * logs[j - 1] * series[k - j] for j in range(1, k + 1)), np.zeros_like(y)) / k)
    numerator, denominator, moment = np.zeros_like(y), np.zeros_like(y), np.ones_like(y)
    for k, c in enumerate(series):
        numerator = numerator + c * moment * tail(size + 2 * k, limit)
        denominator = denominator + c * moment
        moment = moment * (size + 2 * k) * (size + 2 * k + 1.0) / rate**2
    return numerator / denominator
