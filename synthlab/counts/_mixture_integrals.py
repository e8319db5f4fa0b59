"""Poisson probabilities averaged over a gamma or a generalized inverse Gaussian distribution.

The Poisson mean is ``base + slope * exp(u)``. The density of u is proportional to ``exp(right h(u) + left h(-u))``, where
``h(u) = u + 1 - exp(u)`` is at most 0, so the mode is 0. If `left` is 0, exp(u) is a gamma variable of mean 1 and shape
`right`. Otherwise, exp(u) is a generalized inverse Gaussian variable, and `base` must be 0.

Each integrand has one mode, as a function of u. It varies on a scale of 1, except near the modes of its factors and near
the point at which the Poisson mean equals the count. The integral is a sum over panels with Gauss-Legendre nodes. At
these points, the panels are as wide as the peak. Their width doubles with the distance, up to 1.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from synthlab._typing import FloatArray, IntArray
from synthlab.counts import _gamma
from synthlab.counts._bessel import log_integral
from synthlab.counts.poisson import Poisson

_LEGENDRE = np.polynomial.legendre.leggauss(16)
_NODES, _WEIGHTS = 0.5 * (_LEGENDRE[0] + 1.0), 0.5 * _LEGENDRE[1]
_DROP = 46.0  # panels in which the integrand is below exp(-_DROP) times its maximum are omitted
_MARGIN = 6.0  # distance in u beyond the last scale of a density at which the density is negligible
_WIDEST = 2.0  # widest panel
_FLAT = 1e-14  # negligible relative change of a Poisson probability
_RANGE = (1e-150, 1e150)
_CHUNK = 2048

Integrand: TypeAlias = Callable[[FloatArray, IntArray], FloatArray]  # log values at points of shape (n, k) of n rows
Tail: TypeAlias = Callable[[FloatArray, FloatArray, FloatArray], FloatArray]
Peak: TypeAlias = tuple[FloatArray, FloatArray]  # location and width


@dataclass(frozen=True, slots=True, eq=False)
class Mixture:
    """Mixtures of Poisson distributions, one per element of arrays of the same shape.

    Parameters
    ----------
    base, slope : array of float
        Poisson mean without exp(u), and factor of exp(u).
    right, left : array of float
        Exponents of the density of u.
    log_total : array of float
        Log of the integral of ``exp(right h(u) + left h(-u))``.
    """

    base: FloatArray
    slope: FloatArray
    right: FloatArray
    left: FloatArray
    log_total: FloatArray

    def log_mass(self, y: FloatArray) -> FloatArray:
        """Return log P(Y = y); -inf if y is not a count."""
        count = (y >= 0) & (y == np.floor(y))
        out = np.full(y.shape, -np.inf)
        out[count] = self._take(count)._by_chunks(y[count], _log_gamma_mass if self.is_gamma else _log_mass)
        return out

    def log_tail(self, y: FloatArray, *, upper: bool) -> FloatArray:
        """Return log P(Y > y) or log P(Y <= y) for counts y."""
        found = self._take(...)._by_chunks(y.ravel(), _log_upper if upper else _log_lower)
        return found.reshape(y.shape)

    @property
    def is_gamma(self) -> bool:
        """Whether the mixing distribution is a gamma distribution."""
        return not self.left.any()

    def log_density(self, u: FloatArray, row: IntArray) -> FloatArray:
        """Return the log density at u, shape (n, k), minus its value at the mode."""
        out = self.right[row, None] * _below_mode(u)
        return out if self.is_gamma else out + self.left[row, None] * _below_mode(-u)

    def ends(self, mode: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return points beyond which the density times a function with this mode is negligible, for left > 0."""
        low = np.minimum(np.minimum(mode, 0.0), np.log(self.left)) - _MARGIN
        return low, np.maximum(np.maximum(mode, 0.0), -np.log(self.right)) + _MARGIN

    def _take(self, index: Any) -> Mixture:
        return Mixture(*(values[index].ravel() for values in self._fields()))

    def _broadcast(self, shape: tuple[int, ...]) -> Mixture:
        return Mixture(*(np.broadcast_to(values, shape).ravel() for values in self._fields()))

    def _fields(self) -> tuple[FloatArray, ...]:
        return self.base, self.slope, self.right, self.left, self.log_total

    def _by_chunks(self, y: FloatArray, function: Callable[[Mixture, FloatArray], FloatArray]) -> FloatArray:
        out = np.empty(y.size)
        for start in range(0, y.size, _CHUNK):
            part = slice(start, start + _CHUNK)
            out[part] = function(self._take(part), y[part])
        return out


def gamma_mixture(base: FloatArray, slope: FloatArray, shape: FloatArray) -> Mixture:
    """Return mixtures over gamma variables of mean 1."""
    log_total = _gamma.stirling_error(shape) + 0.5 * np.log(2.0 * np.pi / shape)
    return Mixture(np.maximum(base, _RANGE[0]), slope, shape, np.zeros_like(shape), log_total)


def inverse_gaussian_mixture(mean: FloatArray, sigma: FloatArray, nu: FloatArray) -> Mixture:
    """Return mixtures of these means over generalized inverse Gaussian variables; see `multiplier_var`."""
    law, log_mean, _ = _multiplier(sigma, nu)
    return Mixture(np.zeros_like(mean), mean * np.exp(-log_mean), law.right, law.left, law.log_total)


def multiplier_var(sigma: FloatArray, nu: FloatArray) -> FloatArray:
    """Return the variance of generalized inverse Gaussian variables divided by their squared mean.

    The density of the variable w is proportional to ``w^(nu - 1) exp(-(w + 1 / w) / (2 sigma))``.
    """
    return _multiplier(sigma, nu)[2]


def draw_multiplier(sigma: FloatArray, nu: FloatArray, size: tuple[int, ...], rng: np.random.Generator) -> FloatArray:
    """Draw generalized inverse Gaussian variables divided by their mean.

    The density of u is log-concave. With its value f at the mode 0, it is at most ``f min(1, exp(1 - f |u|))``, from
    which a proposal is accepted with probability 1/4 (Devroye 1986, section VII.2).
    """
    law, log_mean, _ = _multiplier(sigma, nu)
    law, log_mean = law._broadcast(size), np.broadcast_to(log_mean, size).ravel()
    out, missing = np.empty(log_mean.size), np.arange(log_mean.size)
    while missing.size:
        # f |u| is uniform on (0, 1), or 1 plus an exponential variable.
        uniform, exponential = rng.random(missing.size), rng.standard_exponential(missing.size)
        far = rng.random(missing.size) < 0.5
        scaled = np.where(far, 1.0 + exponential, uniform)
        u = np.where(rng.random(missing.size) < 0.5, scaled, -scaled) * np.exp(law.log_total[missing])
        bound = np.where(far, -exponential, 0.0)
        accepted = np.log(rng.random(missing.size)) + bound < law.log_density(u[:, None], missing)[:, 0]
        out[missing[accepted]] = np.exp(u[accepted] - log_mean[missing[accepted]])
        missing = missing[~accepted]
    return out.reshape(size)


def _multiplier(sigma: FloatArray, nu: FloatArray) -> tuple[Mixture, FloatArray, FloatArray]:
    """Return the density of u, the log of the mean of exp(u), and the variance of exp(u) divided by its mean."""
    shape = np.broadcast_shapes(sigma.shape, nu.shape)
    pairs = np.stack([np.broadcast_to(v, shape).ravel() for v in (sigma, nu)], axis=1)
    distinct, place = np.unique(pairs, axis=0, return_inverse=True)
    s, power = np.clip(distinct[:, 0], *_RANGE), np.abs(distinct[:, 1])
    large = 0.5 * (power + np.hypot(1.0 / s, power))
    small = 0.5 / s * (0.5 / s / large)
    rising, zero = distinct[:, 1] >= 0.0, np.zeros_like(s)
    law = Mixture(zero, zero, np.where(rising, large, small), np.where(rising, small, large), zero)

    def second_moment(u: FloatArray, row: IntArray) -> FloatArray:
        return law.log_density(u, row) + 2.0 * u

    breaks = _breaks([(zero, 1.0 / np.sqrt(large + small))], *law.ends(zero))
    row, u, weight = _panels([law.log_density, second_moment], breaks)
    logs = law.log_density(u, row) + np.log(weight)
    log_total = np.log(_sum_rows(np.exp(logs), row, s.size))
    logs -= log_total[row, None]
    log_mean = np.log1p(_sum_rows(np.sign(u) * np.exp(logs + _log_excess(u)), row, s.size))
    var = _sum_rows(np.exp(logs + 2.0 * _log_excess(u - log_mean[row, None])), row, s.size)
    place = place.ravel()
    everywhere = [v[place].reshape(shape) for v in (zero, zero, law.right, law.left, log_total, log_mean, var)]
    return Mixture(*everywhere[:5]), everywhere[5], everywhere[6]


class _Mode:
    """Mode of the Poisson probability of y times the density: location, Poisson mean and factor of exp(u) there."""

    def __init__(self, mixture: Mixture, y: FloatArray) -> None:
        base, slope, right, left = mixture.base, mixture.slope, mixture.right, mixture.left
        # At the mode, g = exp(u) is the positive root of p g^2 - q g - r.
        p, ratio = slope + right, base / slope
        q, r = y + right - left - p * ratio, left + right * ratio
        root = np.hypot(q, 2.0 * np.sqrt(p * r))
        g = np.where(q > 0.0, (q + root) / (2.0 * p), 2.0 * r / (root - q))
        self.location, self.moving, self.mean = np.log(g), slope * g, base + slope * g
        self.right, self.left = right * g, left / g
        bend = self.moving - y * (base / self.mean) * (self.moving / self.mean) + self.right + self.left
        self.width = 1.0 / np.sqrt(np.maximum(bend, 1.0))

    def log_product(self, mixture: Mixture, y: FloatArray) -> FloatArray:
        """Return the log of the product at the mode."""
        count = np.maximum(y, 1.0)
        deviance = _gamma.deviance_part(count, self.mean, self.mean - count)
        positive = -deviance - _gamma.stirling_error(count) - 0.5 * np.log(2.0 * np.pi * count)
        poisson = np.where(y > 0.0, positive, -self.mean)
        row = np.arange(y.size)
        return poisson + mixture.log_density(self.location[:, None], row)[:, 0] - mixture.log_total


def _log_mass(mixture: Mixture, y: FloatArray) -> FloatArray:
    """Return log P(Y = y): the product of the Poisson probability and the density is again of the form of a density."""
    mode = _Mode(mixture, y)
    return mode.log_product(mixture, y) + _log_total(mode.moving + mode.right, mode.left)


def _log_total(right: FloatArray, left: FloatArray) -> FloatArray:
    """Return the log of the integral of exp(right h(u) + left h(-u)), left > 0."""
    out = log_integral(right, left)
    lost = np.flatnonzero(~np.isfinite(out) & (right > 0.0) & (left > 0.0))
    if lost.size:
        zero = np.zeros(lost.size)
        law = Mixture(zero, zero, right[lost], left[lost], zero)
        out[lost] = _integrate(law.log_density, [(zero, 1.0 / np.sqrt(law.right + law.left))], *law.ends(zero))
    return out


def _log_gamma_mass(mixture: Mixture, y: FloatArray) -> FloatArray:
    mode = _Mode(mixture, y)
    fraction = mode.moving / mode.mean

    def product(offset: FloatArray, row: IntArray) -> FloatArray:
        # The linear terms of both factors cancel at the mode.
        poisson = y[row, None] * _below_one(fraction[row, None] * np.expm1(offset))
        return poisson + mixture.right[row, None] * _below_mode(offset)

    low, high = _gamma_ends(mixture, y, mode.location, [mode.location])
    peaks = [(np.zeros_like(y), mode.width)]
    found = mode.log_product(mixture, y) + _integrate(product, peaks, low - mode.location, high - mode.location)
    at_low = Poisson._logpmf(Poisson(mixture.base + mixture.slope * np.exp(low)), y)
    return np.logaddexp(found, at_low + _gamma.log_lower(np.exp(low), mixture.right, np.ones_like(low)))


def _log_lower(mixture: Mixture, y: FloatArray) -> FloatArray:
    return _log_tail(mixture, y, _gamma.log_upper)


def _log_upper(mixture: Mixture, y: FloatArray) -> FloatArray:
    return _log_tail(mixture, y, _gamma.log_lower)


def _log_tail(mixture: Mixture, y: FloatArray, tail: Tail) -> FloatArray:
    # Y <= y if and only if the (y + 1)-th event of a unit Poisson process occurs after the mean.
    events = y + 1.0
    above = np.maximum(events - mixture.base, np.sqrt(events))
    step, mode = np.log(above / mixture.slope), _Mode(mixture, y)

    def product(offset: FloatArray, row: IntArray) -> FloatArray:
        mean = mixture.base[row, None] + mode.moving[row, None] * np.exp(offset)
        log_density = mixture.log_density(mode.location[row, None] + offset, row)
        return log_density + tail(mean, events[row, None], events[row, None])

    if mixture.is_gamma:
        low, high = _gamma_ends(mixture, y, mode.location, [mode.location, step])
    else:
        low, high = mixture.ends(mode.location)
    peaks = [
        (np.zeros_like(y), mode.width),
        (step - mode.location, np.sqrt(events) / above),
        (-mode.location, 1.0 / np.sqrt(mixture.right + mixture.left)),
    ]
    found = _integrate(product, peaks, low - mode.location, high - mode.location) - mixture.log_total
    if not mixture.is_gamma:
        return found
    below = tail(mixture.base, events, events) + _gamma.log_lower(np.exp(low), mixture.right, np.ones_like(low))
    return np.logaddexp(found, below)


def _gamma_ends(
    mixture: Mixture, y: FloatArray, mode: FloatArray, locations: Sequence[FloatArray]
) -> tuple[FloatArray, FloatArray]:
    """Return ends of the integral; below the lower end, the Poisson probability of y is constant."""
    high = np.maximum(np.maximum(mode, 0.0), -np.log(mixture.right)) + _MARGIN
    constant = np.log(_FLAT / mixture.slope) - np.log(np.maximum(1.0, (y + 1.0) / mixture.base))
    lowest = np.minimum.reduce([np.zeros_like(mode), *locations])
    negligible = lowest - np.sqrt(200.0 / mixture.right) - 150.0 / mixture.right
    return np.minimum(np.maximum(constant, negligible), high), high


def _integrate(integrand: Integrand, peaks: Sequence[Peak], low: FloatArray, high: FloatArray) -> FloatArray:
    """Return the logs of the integrals of exp(integrand) from low to high."""
    row, points, weight = _panels([integrand], _breaks(peaks, low, high))
    logs = integrand(points, row) + np.log(weight)
    top = np.full(low.size, -np.inf)
    np.maximum.at(top, row, logs.max(axis=1))
    return top + np.log(_sum_rows(np.exp(logs - top[row, None]), row, low.size))


def _below_mode(u: FloatArray) -> FloatArray:
    """Return h(u) = u + 1 - exp(u), without cancellation near 0."""
    near = np.abs(u) < 0.01
    x = np.where(near, u, 0.0)
    series = np.zeros_like(x)
    for k in range(7, 1, -1):
        series = (series + 1.0) * x / k
    return np.where(near, -series * x, u - np.expm1(u))


def _below_one(x: FloatArray) -> FloatArray:
    """Return log(1 + x) - x, without cancellation near 0."""
    near = np.abs(x) < 0.01
    z = np.where(near, x, 0.0)
    series = np.zeros_like(z)
    for k in range(7, 1, -1):
        series = 1.0 / k - z * series
    return np.where(near, -z * z * series, np.log1p(x) - x)


def _log_excess(u: FloatArray) -> FloatArray:
    """Return log |exp(u) - 1| without overflow."""
    return np.where(u > 40.0, u, np.log(np.abs(np.expm1(np.minimum(u, 40.0)))))


def _breaks(peaks: Sequence[Peak], low: FloatArray, high: FloatArray) -> FloatArray:
    """Return sorted ends of panels, one row per integrand; a row does not depend on the other rows."""
    columns = [low[:, None] + np.arange(0.0, np.max(high - low, initial=_WIDEST), _WIDEST), high[:, None]]
    for location, width in peaks:
        doublings = max(1, int(np.ceil(np.log2(_WIDEST / np.min(width, initial=1.0)))))
        steps = width[:, None] * np.concatenate([[0.0], 2.0 ** np.arange(1, doublings + 1)])
        steps = np.where(steps <= _WIDEST, steps, 0.0)
        columns += [location[:, None] - steps, location[:, None] + steps]
    return np.sort(np.clip(np.concatenate(columns, axis=1), low[:, None], high[:, None]), axis=1)


def _panels(integrands: Sequence[Integrand], breaks: FloatArray) -> tuple[IntArray, FloatArray, FloatArray]:
    """Return row, nodes and weights of each panel in which one of the integrands is not negligible."""
    kept = np.zeros((len(breaks), breaks.shape[1] - 1), dtype=bool)
    for integrand in integrands:
        at = integrand(breaks, np.arange(len(breaks)))
        kept |= np.maximum(at[:, :-1], at[:, 1:]) >= np.max(at, axis=1, keepdims=True) - _DROP
    row, panel = np.nonzero(kept & (breaks[:, 1:] > breaks[:, :-1]))
    left = breaks[row, panel][:, None]
    length = breaks[row, panel + 1][:, None] - left
    return row, left + length * _NODES, length * _WEIGHTS


def _sum_rows(values: FloatArray, row: IntArray, rows: int) -> FloatArray:
    return np.asarray(np.bincount(row, weights=values.sum(axis=1), minlength=rows), dtype=np.float64)
