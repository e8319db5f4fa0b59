"""Count distributions obtained by rounding any distribution on (0, inf)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from scipy import integrate, special, stats

from synthlab import _checks
from synthlab._typing import FloatArray
from synthlab.counts._broadcast import check_parameters
from synthlab.counts._family import CountFamily, defined
from synthlab.exceptions import InputError

# Function of means and standard deviations that returns a frozen distribution of scipy.stats.
Continuous: TypeAlias = Callable[[FloatArray, FloatArray], Any]

NEEDED = ("cdf", "sf", "logcdf", "logsf", "ppf", "isf", "rvs")
REST = 1e-18  # probability of the tails that are left out of the moments
MOST = 20_000  # largest number of terms of a moment; the rest of the sum is replaced by an integral


def lognormal(mean: FloatArray, sd: FloatArray) -> Any:
    """Return lognormal distributions with these means and standard deviations."""
    spread = np.log1p(_variation(mean, sd) ** 2)
    return stats.lognorm(np.sqrt(spread), scale=_positive(mean * np.exp(-spread / 2.0)))


def inverse_gaussian(mean: FloatArray, sd: FloatArray) -> Any:
    """Return inverse Gaussian distributions with these means and standard deviations."""
    ratio = _variation(mean, sd) ** 2
    return stats.invgauss(ratio, scale=_positive(mean / ratio))


def weibull(mean: FloatArray, sd: FloatArray) -> Any:
    """Return Weibull distributions with these means and standard deviations."""
    shape = _weibull_shape(np.log1p(_variation(mean, sd) ** 2))
    return stats.weibull_min(shape, scale=_positive(mean * np.exp(-special.gammaln(1.0 + 1.0 / shape))))


CONTINUOUS: Mapping[str, Continuous] = {
    "lognormal": lognormal,
    "inverse gaussian": inverse_gaussian,
    "weibull": weibull,
}


@dataclass(frozen=True, slots=True, eq=False)
class Discretized(CountFamily):
    """Distribution on (0, inf), rounded to the nearest integer.

    Equations: Jackson, Mitra, Francis & Dove (2)

    Before rounding, the mean is mu and the variance is sigma^2 mu^nu.

    Parameters
    ----------
    mu : float or array_like, default 1
        Means before rounding, > 0. Omit mu if a table sets the means.
    sigma : float or array_like
        Scale, > 0: the standard deviation at mu = 1, as in `GAF`.
    nu : float or array_like
        Exponent of the mean in the variance, as in `GAF`.
    W : {"lognormal", "inverse gaussian", "weibull"} or callable
        Distribution before rounding. A callable takes arrays of means and standard deviations and returns a frozen
        distribution of scipy.stats on (0, inf) with these means and standard deviations.

    Raises
    ------
    InputError
        mu or sigma is not > 0, a parameter is not finite, `W` is unknown, or a callable does not return a distribution
        with the given means and standard deviations.

    Notes
    -----
    See Jackson, Mitra, Francis and Dove, section 3, equation (2): P(0) = F(1/2) and P(y) = F(y + 1/2) - F(y - 1/2), for
    any W on (0, inf). The gamma family gives the GAF. The parameters mu, sigma and nu have the same meaning, so the
    same settings can be compared for different tails: the lognormal and the inverse Gaussian distributions have longer
    upper tails than the gamma distribution.

    `mean` and `var` are the moments of the rounded variable.

    Examples
    --------
    >>> import synthlab.counts as slc
    >>> slc.Discretized([1, 10, 100], sigma=2, nu=-0.5, W="lognormal").pmf([1, 10, 100]).round(4)
    array([0.2949, 0.3443, 0.5708])
    >>> from scipy import stats
    >>> gamma = lambda mean, sd: stats.gamma((mean / sd) ** 2, scale=sd**2 / mean)
    >>> slc.Discretized([1, 10, 100], sigma=2, nu=-0.5, W=gamma).pmf([1, 10, 100]).round(4)
    array([0.1646, 0.3433, 0.5708])
    """

    mu: Any = 1.0
    sigma: Any = None
    nu: Any = None
    W: str | Continuous = field(default="lognormal", metadata={"fixed": True})

    def __post_init__(self) -> None:
        check_parameters(self, nu={})
        if not callable(self.W):
            _checks.check_choice(self.W, "W", list(CONTINUOUS))
        else:
            self._checked()

    @property
    def continuous(self) -> Any:
        """Frozen distribution before rounding."""
        law = self.W if callable(self.W) else CONTINUOUS[self.W]
        with np.errstate(all="ignore"):
            return law(np.broadcast_to(np.asarray(self.mu, dtype=np.float64), self.shape), np.sqrt(self.nominal_var))

    def _checked(self) -> None:
        """Raise `InputError` unless the callable returns a suitable distribution."""
        found, mean, sd = self.continuous, self.mu, np.sqrt(self.nominal_var)
        if absent := [name for name in NEEDED if not callable(getattr(found, name, None))]:
            raise InputError(f"W: must return a frozen distribution of scipy.stats; it has no {', '.join(absent)}")
        if not np.allclose(found.mean(), mean, rtol=1e-6) or not np.allclose(found.std(), sd, rtol=1e-6):
            raise InputError("W: must return a distribution with the given means and standard deviations")
        if np.any(np.asarray(found.cdf(0.0)) > 0):
            raise InputError("W: must return a distribution on (0, inf)")

    @property
    def label(self) -> str:
        """Name of the distribution, sigma and nu."""
        name = self.W if isinstance(self.W, str) else getattr(self.W, "__name__", "W")
        inner = CountFamily.label.fget(self).partition("(")[2]  # type: ignore[attr-defined]
        return f"Discretized({name}, {inner}"

    @property
    def mean(self) -> Any:
        """Mean of the rounded variable."""
        return self._moments()[0]

    @property
    def var(self) -> Any:
        """Variance of the rounded variable."""
        return self._moments()[1]

    @property
    def nominal_var(self) -> Any:
        """Variance before rounding, sigma^2 mu^nu."""
        with np.errstate(over="ignore", under="ignore"):
            return np.broadcast_to(self.sigma**2 * self.mu**self.nu, self.shape)[()]

    def _moments(self) -> tuple[Any, Any]:
        flat = self._flat(self.shape)
        with np.errstate(all="ignore"):
            mean, var = flat._flat_moments()
        defined(np.array([mean, var]), self.label, "means and variances")
        return mean.reshape(self.shape)[()], var.reshape(self.shape)[()]

    def _flat_moments(self) -> tuple[FloatArray, FloatArray]:
        lowest, highest = _reach(self.continuous, self.mu, np.sqrt(self.nominal_var))
        # Sheppard's correction: rounding a wide distribution far from zero adds 1/12 to its variance.
        mean, var = self.mu.astype(np.float64), np.asarray(self.nominal_var) + 1.0 / 12.0
        for place in np.flatnonzero((highest > lowest) & ((highest - lowest < MOST) | (lowest == 0))):
            one, steps = self._take(np.array([place])), np.arange(min(highest[place] - lowest[place], MOST))
            above = one._sf(lowest[place] + steps)
            first, second = above.sum(), ((2.0 * steps + 1.0) * above).sum()
            if highest[place] - lowest[place] > MOST:
                logs = np.linspace(np.log(MOST), np.log(highest[place]), 4_001)
                w = np.exp(logs)
                rest = one.continuous.sf(w)
                first += integrate.simpson(rest * w, x=logs)
                second += integrate.simpson(2.0 * w**2 * rest, x=logs)
            mean[place], var[place] = lowest[place] + first, second - first**2
        return mean, var

    def _logpmf(self, y: FloatArray) -> FloatArray:
        whole = (y >= 0) & (y == np.floor(y)) & np.isfinite(y)
        at = np.where(whole, y, 0.0)
        law = self.continuous
        upper = law.sf(at) < 0.5
        large = np.where(upper, law.logsf(np.where(at > 0, at - 0.5, 0.0)), law.logcdf(at + 0.5))
        small = np.where(upper, law.logsf(at + 0.5), np.where(at > 0, law.logcdf(at - 0.5), -np.inf))
        found = large + np.log(-np.expm1(np.minimum(small - large, 0.0)))
        return np.where(whole, np.where(np.isneginf(large), -np.inf, found), -np.inf)

    def _cdf(self, y: FloatArray) -> FloatArray:
        return np.asarray(self.continuous.cdf(y + 0.5))

    def _sf(self, y: FloatArray) -> FloatArray:
        return np.asarray(self.continuous.sf(y + 0.5))

    def _guess(self, p: FloatArray, upper: bool) -> FloatArray:
        law, inner = self.continuous, np.clip(p, 1e-15, 1.0 - 1e-15)
        return np.asarray(np.ceil((law.isf(inner) if upper else law.ppf(inner)) - 0.5))

    def _draw(self, size: tuple[int, ...], rng: np.random.Generator) -> FloatArray:
        with np.errstate(all="ignore"):
            return np.asarray(np.rint(self.continuous.rvs(size=size, random_state=rng)))


def _variation(mean: FloatArray, sd: FloatArray) -> FloatArray:
    """Return the coefficient of variation, clipped to a range in which floats are accurate."""
    return np.clip(np.asarray(sd) / mean, 1e-12, 1e12)


def _positive(scale: FloatArray) -> FloatArray:
    return np.clip(scale, 1e-300, 1e300)


def _reach(law: Any, mean: FloatArray, sd: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return whole numbers outside of which the probability is negligible.

    Quantiles so far in the tails are not defined for all distributions of scipy.stats.
    """
    lowest, highest = (np.maximum(np.floor(mean - 10.0 * sd), 0.0), np.ceil(mean + 10.0 * sd) + 1.0)
    for _ in range(40):
        lowest = np.where(law.cdf(lowest) > REST, np.maximum(np.floor(lowest - (mean - lowest)), 0.0), lowest)
        highest = np.where(law.sf(highest) > REST, np.ceil(highest + (highest - mean)), highest)
    return lowest, highest


def _weibull_shape(spread: FloatArray) -> FloatArray:
    """Return the shapes k with log(1 + cv^2) = log Gamma(1 + 2 / k) - 2 log Gamma(1 + 1 / k), by bisection."""
    narrow = spread < 1e-8
    low, high = np.full_like(spread, np.log(1e-2)), np.full_like(spread, np.log(1e5))
    for _ in range(70):
        middle = 0.5 * (low + high)
        inverse = np.exp(-middle)
        wide = special.gammaln(1.0 + 2.0 * inverse) - 2.0 * special.gammaln(1.0 + inverse) > spread
        low, high = np.where(wide, middle, low), np.where(wide, high, middle)
    # A narrow Weibull distribution is close to a Gumbel; its coefficient of variation is pi / (k sqrt 6).
    return np.where(narrow, np.pi / np.sqrt(6.0 * np.maximum(spread, 1e-300)), np.exp(low))
