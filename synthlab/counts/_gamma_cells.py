"""Probabilities P(y - 1/2 < W <= y + 1/2) and exact moments of a rounded gamma variable."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy import special

from synthlab._typing import FloatArray, IntArray
from synthlab.counts import _gamma

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(20)
_LONG_SCALE = 10.0
_SERIES_START = 128
_CHUNK = 2**16


def log_cell(y: FloatArray, shape: FloatArray, mean: FloatArray) -> FloatArray:
    """Return log P(Y = y) of the rounded gamma; -inf if y is not a count.

    The relative accuracy is high in both tails. If the density is almost constant over the cell, it is integrated with
    20 Gauss-Legendre nodes, because the difference of two distribution functions would cancel. If the density changes
    steeply, the difference of the tails away from the mean is used, which does not cancel.
    """
    y, shape, mean = np.broadcast_arrays(*(np.asarray(v, dtype=np.float64) for v in (y, shape, mean)))
    out = np.full(y.shape, -np.inf)
    zero = y == 0
    if zero.any():
        out[zero] = _gamma.log_lower(np.full(int(zero.sum()), 0.5), shape[zero], mean[zero])
    positive = (y > 0) & (y == np.floor(y)) & np.isfinite(y)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        slopes = [np.abs((shape - 1.0) / edge - shape / mean) for edge in (y - 0.5, y + 0.5)]
    smooth = positive & (np.maximum(*slopes) < 4.0)
    steep = positive & ~smooth
    flat = out.reshape(-1)
    for part in np.array_split(np.flatnonzero(smooth), 1 + int(smooth.sum()) // _CHUNK):
        flat[part] = _integrate(*(v.reshape(-1)[part] for v in (y, shape, mean)))
    if steep.any():
        out[steep] = _difference(y[steep], shape[steep], mean[steep])
    return out


def _integrate(y: FloatArray, shape: FloatArray, mean: FloatArray) -> FloatArray:
    steps = 0.5 * _NODES
    away = (y - mean)[:, None] + steps
    logs = _gamma.log_density(y[:, None] + steps, shape[:, None], mean[:, None], away)
    top = logs.max(axis=1)
    return np.asarray(top + np.log(np.exp(logs - top[:, None]) @ (0.5 * _WEIGHTS)))


def _difference(y: FloatArray, shape: FloatArray, mean: FloatArray) -> FloatArray:
    left, right = y - 0.5, y + 0.5
    out = np.empty_like(y)
    above, below = left >= mean, right <= mean
    for mask, tail, near, far in ((above, _gamma.log_upper, left, right), (below, _gamma.log_lower, right, left)):
        if mask.any():
            big = tail(near[mask], shape[mask], mean[mask])
            small = tail(far[mask], shape[mask], mean[mask])
            with np.errstate(invalid="ignore", divide="ignore"):
                out[mask] = np.where(np.isneginf(big), -np.inf, big + np.log(-np.expm1(small - big)))
    across = ~(above | below)
    if across.any():
        outside = np.exp(_gamma.log_lower(left[across], shape[across], mean[across])) + np.exp(
            _gamma.log_upper(right[across], shape[across], mean[across])
        )
        out[across] = np.log1p(-outside)
    return out


def rounded_moments(shape: FloatArray, mean: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the mean and the variance of the rounded gamma, computed once per distinct pair of parameters.

    By Poisson's summation formula, rounding adds 1/12 to the variance and nothing to the mean, up to terms of the size
    of the characteristic function at 2 pi, (1 + 4 pi^2 scale^2)^(-shape / 2). If these terms are not negligible, the
    moments are summed over the cells, and long tails are summed by the Euler-Maclaurin formula.
    """
    shape, mean = np.broadcast_arrays(np.asarray(shape, dtype=np.float64), np.asarray(mean, dtype=np.float64))
    pairs, inverse = np.unique(np.column_stack([shape.ravel(), mean.ravel()]), axis=0, return_inverse=True)
    a, mu = pairs[:, 0], pairs[:, 1]
    scale = mu / a
    variance = mu * scale
    moments = np.column_stack([mu, variance + 1.0 / 12.0])
    with np.errstate(over="ignore"):
        negligible = 0.5 * a * np.log1p((2.0 * np.pi * scale) ** 2) > 40.0 + np.log1p(a)
    # The remaining variables with a large scale have a shape below eleven, so they are smooth from _SERIES_START on.
    long = ~negligible & (scale >= _LONG_SCALE)
    first, last = _window(a, mu, np.sqrt(variance))
    width = np.where(long, float(_SERIES_START), last - first + 1.0)
    first = np.where(long, 0.0, first)
    for index in _of_like_width(np.flatnonzero(~negligible), width):
        m1, m2 = _summed_moments(first[index], int(width[index].max()), a[index], mu[index])
        tail = long[index]
        if tail.any():
            beyond = _moments_beyond(a[index][tail], mu[index][tail])
            m1[tail], m2[tail] = m1[tail] + beyond[0], m2[tail] + beyond[1]
        moments[index] = np.column_stack([np.rint(mu[index]) + m1, m2 - m1 * m1])
    moments = moments[inverse.ravel()]
    return moments[:, 0].reshape(shape.shape), moments[:, 1].reshape(shape.shape)


def _window(shape: FloatArray, mean: FloatArray, sd: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the first and the last count that contribute to the moments."""
    first = np.maximum(0.0, np.floor(mean - 13.0 * sd - 2.0))
    usual = np.minimum(shape, _gamma.LARGE_SHAPE)
    last = special.gammainccinv(usual, 1e-28 * np.minimum(1.0, usual)) * (mean / usual)
    return first, np.ceil(np.where(shape > _gamma.LARGE_SHAPE, mean + 13.0 * sd, last) + 2.0)


def _of_like_width(index: IntArray, width: FloatArray) -> Iterator[IntArray]:
    """Yield groups of elements with windows of similar width, small enough for memory."""
    group = np.ceil(np.log2(width[index]))
    for power in np.unique(group):
        members = index[group == power]
        yield from np.array_split(members, 1 + int(members.size * 2.0**power) // 2**20)


def _summed_moments(
    first: FloatArray, width: int, shape: FloatArray, mean: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the sums of (y - c) P(y) and (y - c)^2 P(y) over windows, where c is the rounded mean."""
    y = first[:, None] + np.arange(width)
    probability = np.exp(log_cell(y, shape[:, None], mean[:, None]))
    away = y - np.rint(mean)[:, None]
    return (away * probability).sum(axis=1), (away * away * probability).sum(axis=1)


def _moments_beyond(shape: FloatArray, mean: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the sums of `_summed_moments` over all counts from `_SERIES_START`.

    Both are sums of the upper tail at half integers, computed by the Euler-Maclaurin formula.
    """
    start, centre, scale = float(_SERIES_START), np.rint(mean), mean / shape
    q0, q1, q2 = (special.gammaincc(shape + k, start / scale) for k in range(3))
    reach = np.exp(_gamma.log_upper(np.full_like(mean, start - 0.5), shape, mean))
    f = np.exp(_gamma.log_density(np.full_like(mean, start), shape, mean))
    h = (shape - 1.0) / start - 1.0 / scale
    h1, h2, h3 = (sign * (shape - 1.0) / start**k for sign, k in ((-1.0, 2), (2.0, 3), (-6.0, 4)))
    f1, f2, f3 = f * h, f * (h * h + h1), f * (h**3 + 3 * h * h1 + h2)
    f4 = f * (h**4 + 6 * h * h * h1 + 3 * h1 * h1 + 4 * h * h2 + h3)
    tail_integral = mean * q1 - start * q0
    tail_sum = tail_integral - f / 24.0 + 7.0 * f2 / 5760.0 - 31.0 * f4 / 967680.0
    away = start - centre
    moment_integral = mean * (mean + scale) * q2 - start * start * q0 - 2.0 * centre * tail_integral
    moment_sum = (
        moment_integral
        + (2.0 * q0 - 2.0 * away * f) / 24.0
        - 7.0 * (-6.0 * f1 - 2.0 * away * f2) / 5760.0
        + 31.0 * (-10.0 * f3 - 2.0 * away * f4) / 967680.0
    )
    return away * reach + tail_sum, away * away * reach + moment_sum
