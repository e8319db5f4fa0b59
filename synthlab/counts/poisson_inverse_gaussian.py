"""Poisson-inverse Gaussian distribution."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import special

from synthlab._typing import BoolArray, FloatArray
from synthlab.counts import _gamma
from synthlab.counts._bessel import DEBYE_FROM, debye_series
from synthlab.counts._mixed_poisson import MixedPoisson

_NODES = 192
_DROP = 44.0
_CHUNK = 4096


@dataclass(frozen=True, slots=True, eq=False)
class PIG(MixedPoisson):
    """Poisson-inverse Gaussian distribution of gamlss: variance mu + sigma mu^2.

    It is a Poisson distribution whose mean is multiplied by an inverse Gaussian variable of mean 1 and variance sigma.
    Its tail is longer than the tail of the NBI.

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
    P(y) involves the Bessel function K of order y - 1/2 (Dean, Lawless and Willmot 1989). It is computed by recurrence
    for small counts, and by Debye's uniform expansion for other counts, with exponentials combined to prevent overflow.
    The tails are integrals over the mixing distribution, computed by the trapezoidal rule on the log scale (about 0.1
    ms each). R's ``qPIG`` stops at 10,000, and ``dPIG`` recycles a vector of means incorrectly.

    Examples
    --------
    >>> import synthlab.counts as slc
    >>> family = slc.PIG(mu=10, sigma=0.5)
    >>> float(family.var), round(float(family.pmf(10)), 5), round(float(family.cdf(10)), 5)
    (60.0, 0.05258, 0.64247)
    """

    @staticmethod
    def _log_mass(y: FloatArray, mu: FloatArray, *mixing: FloatArray) -> FloatArray:
        (sigma,) = mixing
        out = np.full(y.shape, -np.inf)
        count = (y >= 0) & (y == np.floor(y))
        zero = count & (y == 0)
        out[zero] = _log_zero(mu[zero], sigma[zero])
        order = np.hypot(np.where(count, y, 0.0) - 0.5, _alpha(mu, sigma))
        small = count & ~zero & (order < DEBYE_FROM)
        large = count & ~zero & ~small
        out[small] = _log_by_recurrence(y[small], mu[small], sigma[small])
        out[large] = _log_by_debye(y[large], mu[large], sigma[large], order[large])
        return out

    @staticmethod
    def _mixed_tail(y: FloatArray, mu: FloatArray, *mixing: FloatArray, upper: bool) -> FloatArray:
        flat = [np.ascontiguousarray(v.ravel()) for v in (y, mu, *mixing)]
        out = np.empty(flat[0].size)
        for start in range(0, out.size, _CHUNK):
            part = [v[start : start + _CHUNK] for v in flat]
            out[start : start + _CHUNK] = _tail_integral(part[0], part[1], part[2], upper)
        return out.reshape(y.shape)

    def _guess(self, p: FloatArray, upper: bool) -> FloatArray:
        # Invert only the first of the two terms of the inverse Gaussian distribution function.
        z = -special.ndtri(p) if upper else special.ndtri(p)
        return np.asarray(self.mu * np.exp(2.0 * np.arcsinh(0.5 * z * np.sqrt(self.sigma + 1.0 / self.mu))) - 0.5)

    @staticmethod
    def _multiplier(shape: tuple[int, ...], rng: np.random.Generator, *mixing: FloatArray) -> FloatArray:
        (sigma,) = mixing
        return rng.wald(1.0, 1.0 / sigma, shape)


def _alpha(mu: FloatArray, sigma: FloatArray) -> FloatArray:
    """Return the argument of the Bessel function."""
    return np.sqrt(1.0 + 2.0 * sigma * mu) / sigma


def _log_zero(mu: FloatArray, sigma: FloatArray) -> FloatArray:
    return -2.0 * mu / (1.0 + np.sqrt(1.0 + 2.0 * sigma * mu))


def _log_by_recurrence(y: FloatArray, mu: FloatArray, sigma: FloatArray) -> FloatArray:
    """Return log P(y) from the ratios P(k) / P(k - 1), all positive, k = 1 .. y."""
    growth = 1.0 + 2.0 * sigma * mu
    ratio = mu / np.sqrt(growth)
    out = _log_zero(mu, sigma) + np.log(ratio)
    for k in range(2, int(y.max(initial=1.0)) + 1):
        ratio = 2.0 * mu * sigma / growth * (1.0 - 1.5 / k) + mu * mu / (growth * k * (k - 1.0) * ratio)
        out = np.where(y >= k, out + np.log(ratio), out)
    return out


def _log_by_debye(y: FloatArray, mu: FloatArray, sigma: FloatArray, order: FloatArray) -> FloatArray:
    """Return log P(y) by Debye's expansion of K (DLMF 10.41.4), with large terms canceled analytically.

    `order` is sqrt((y - 1/2)^2 + alpha^2) with alpha^2 = 1 / sigma^2 + 2 mu / sigma. The ratio in the logarithm is a
    product of positive numbers. `shift`, the ratio minus 1, is computed without cancellation for ratios near 1.
    """
    odds = sigma * mu
    excess = (0.25 - y + 2.0 * (mu - y) / sigma) / (order + y + 1.0 / sigma)  # order - (y + 1 / sigma)
    shift = ((mu - y) / odds - 0.5 + excess) / (y * (2.0 + 1.0 / odds))
    main = (mu - y - excess * (1.0 + odds) - 0.5 * odds) / (1.0 + 2.0 * odds)
    ratio = odds * (y - 0.5 + order) / (y * (1.0 + 2.0 * odds))
    main = main + y * _gamma.log_ratio_excess(ratio, shift)
    rest = (
        np.log(_alpha(mu, sigma)) - 0.5 * np.log((y - 0.5 + order) * order * 2.0 * np.pi * y) - _gamma.stirling_error(y)
    )
    square = ((y - 0.5) / order) ** 2
    return main + rest + np.log(debye_series(square, order))


def _tail_integral(y: FloatArray, mu: FloatArray, sigma: FloatArray, upper: bool) -> FloatArray:
    """Return P(Y > y) or P(Y <= y).

    Y <= y if and only if the (y + 1)-th event of a unit Poisson process, a gamma variable G of shape y + 1, occurs
    after mu g. The tail is therefore the mean of a tail of G over the density of g, or the mean of a tail of g over the
    density of G / mu. The narrower distribution is used as the density and the wider one as the tail, so that the
    integrand is smooth. As a function of x = log g, the integrand is log-concave and therefore has one mode.
    """
    mixing = sigma < 1.0 / (y + 1.0)

    def integrand(t: FloatArray) -> FloatArray:
        out = np.empty(np.broadcast_shapes(t.shape, y[:, None].shape))
        for mask, logs in ((mixing, _over_mixing), (~mixing, _over_events)):
            if mask.any():
                out[mask] = logs(t[mask], y[mask, None], mu[mask, None], sigma[mask, None], upper)
        return out

    # t is log g, or log g minus the log of the mean of G / mu. It is small, so its grid is exact.
    width = np.minimum(np.sqrt(sigma), 1.0 / np.sqrt(y + 1.0))
    left, right = _support(integrand, np.zeros_like(y), width)
    logs = integrand(np.linspace(left, right, _NODES, axis=1))
    top = logs.max(axis=1)
    return np.asarray(np.exp(top) * np.exp(logs - top[:, None]).sum(axis=1) * (right - left) / (_NODES - 1))


def _over_mixing(t: FloatArray, y: FloatArray, mu: FloatArray, sigma: FloatArray, upper: bool) -> FloatArray:
    tail = _gamma.log_lower if upper else _gamma.log_upper
    density = -0.5 * np.log(2.0 * np.pi * sigma) - 0.5 * t - 2.0 * np.sinh(0.5 * t) ** 2 / sigma
    return density + tail(mu * np.exp(t), y + 1.0, y + 1.0)


def _over_events(t: FloatArray, y: FloatArray, mu: FloatArray, sigma: FloatArray, upper: bool) -> FloatArray:
    shape = y + 1.0
    events = shape * np.exp(t)
    density = _gamma.log_density(events, shape, shape, shape * np.expm1(t)) + np.log(events)
    return density + _log_mixing_tail(t + np.log(shape / mu), sigma, upper)


def _log_mixing_tail(x: FloatArray, sigma: FloatArray, upper: bool) -> FloatArray:
    """Return log P(g > e^x) or log P(g <= e^x) for the inverse Gaussian of mean 1 and variance sigma."""
    a = np.sqrt(2.0 / sigma) * np.sinh(0.5 * x)
    b = np.sqrt(2.0 / sigma) * np.cosh(0.5 * x)
    sign = 1.0 if upper else -1.0
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        outside = (
            _erfcx_drop(a, np.sqrt(2.0 / sigma) * np.exp(-0.5 * x)) if upper else special.erfcx(-a) + special.erfcx(b)
        )
        outer = np.log(0.5 * outside) - a * a
        other = 0.5 * (special.erfcx(-sign * a) + sign * special.erfcx(b)) * np.exp(-a * a)
    return np.where(sign * a > -1.0, outer, np.log1p(-np.where(sign * a > -1.0, 0.0, other)))


def _erfcx_drop(a: FloatArray, d: FloatArray) -> FloatArray:
    """Return erfcx(a) - erfcx(a + d) for a > -1 and d >= 0, without cancellation for small d."""
    middle = a + 0.5 * d
    large = np.maximum(middle, 30.0)
    # -erfcx' = 2 / sqrt(pi) - 2 z erfcx(z), for large z by its asymptotic series. The relative error of the difference
    # is (d / z)^2 / 4.
    series = (
        1.0 - (1.5 - (3.75 - (13.125 - (59.0625 - 324.84375 / large**2) / large**2) / large**2) / large**2) / large**2
    )
    slope = np.where(
        middle > 30.0,
        series / (np.sqrt(np.pi) * large**2),
        2.0 / np.sqrt(np.pi) - 2.0 * middle * special.erfcx(np.minimum(middle, 30.0)),
    )
    return np.asarray(np.where(d < 1e-6 * np.maximum(1.0, middle), d * slope, special.erfcx(a) - special.erfcx(a + d)))


def _support(
    integrand: Callable[[FloatArray], FloatArray], centre: FloatArray, width: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the points on both sides of the mode at which each log-concave row has dropped by `_DROP`."""
    mode = _mode(integrand, centre, width)
    floor = integrand(mode[:, None])[:, 0] - _DROP
    ends = []
    for direction in (-1.0, 1.0):
        reach = np.zeros_like(mode)
        stride = width.copy()
        for _ in range(60):
            above = _at(integrand, mode + direction * (reach + stride)) > floor
            if not above.any():
                break
            reach = np.where(above, reach + stride, reach)
            stride = np.where(above, 2.0 * stride, stride)
        for _ in range(8):
            stride = 0.5 * stride
            above = _at(integrand, mode + direction * (reach + stride)) > floor
            reach = np.where(above, reach + stride, reach)
        ends.append(mode + direction * (reach + stride))
    return ends[0], ends[1]


def _mode(integrand: Callable[[FloatArray], FloatArray], centre: FloatArray, width: FloatArray) -> FloatArray:
    step = width.copy()
    mode, best = centre.copy(), _at(integrand, centre)
    for _ in range(80):
        # A row that has converged does not change, so that its result does not depend on the other rows.
        searching = step >= 0.05 * width
        if not searching.any():
            break
        moved: BoolArray = np.zeros(mode.shape, dtype=bool)
        for direction in (-1.0, 1.0):
            value = _at(integrand, mode + direction * step)
            better = searching & (value > best)
            mode, best = np.where(better, mode + direction * step, mode), np.where(better, value, best)
            moved |= better
        step = np.where(searching, np.where(moved, 2.0 * step, 0.5 * step), step)
    return mode


def _at(integrand: Callable[[FloatArray], FloatArray], x: FloatArray) -> FloatArray:
    return integrand(x[:, None])[:, 0]
