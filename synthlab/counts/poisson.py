"""The Poisson distribution, with tails that hold at means of 1e8."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special

from synthlab import _checks
from synthlab._typing import FloatArray, IntArray
from synthlab.counts import _gamma
from synthlab.counts._family import CountFamily, draw_poisson

# Where sigma times the square of the larger of count and mean is below this, the mixture is a Poisson to rounding.
_NO_OVERDISPERSION = 1e-16


@dataclass(frozen=True, slots=True, eq=False)
class Poisson(CountFamily):
    """The Poisson distribution: the variance equals the mean.

    Parameters
    ----------
    mu : float or array_like, default 1
        Means, > 0. Left out where a table sets the means.

    Raises
    ------
    InputError
        If mu is not > 0 and finite.

    Examples
    --------
    >>> import synthlab.counts as slc
    >>> slc.Poisson(mu=[0.01, 1, 1e8]).pmf([1, 1, 10**8])
    array([9.90049834e-03, 3.67879441e-01, 3.98942280e-05])
    """

    mu: Any = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "mu", _checks.check_parameter(self.mu, "mu", low=0.0, open_low=True))

    @property
    def mean(self) -> Any:
        """Mean, mu."""
        return self.mu[()]

    @property
    def var(self) -> Any:
        """Variance, mu."""
        return self.mu[()]

    @property
    def nominal_var(self) -> Any:
        """Variance function, mu."""
        return self.mu[()]

    def _logpmf(self, y: FloatArray) -> FloatArray:
        count = (y >= 0) & (y == np.floor(y)) & np.isfinite(y)
        x = np.where(count & (y > 0), y, 1.0)
        deviance = _gamma.deviance_part(x, self.mu, self.mu - x)
        positive = -_gamma.stirling_error(x) - deviance - 0.5 * np.log(2.0 * np.pi * x)
        return np.where(count, np.where(y == 0, -self.mu, positive), -np.inf)

    def _cdf(self, y: FloatArray) -> FloatArray:
        # Y <= y exactly when the (y + 1)-th event of a unit Poisson process falls after mu.
        return np.exp(_gamma.log_upper(self.mu, y + 1.0, y + 1.0))

    def _sf(self, y: FloatArray) -> FloatArray:
        return np.exp(_gamma.log_lower(self.mu, y + 1.0, y + 1.0))

    def _guess(self, p: FloatArray, upper: bool) -> FloatArray:
        z = -special.ndtri(p) if upper else special.ndtri(p)
        return np.asarray(self.mu + np.sqrt(self.mu) * z + (z * z - 1.0) / 6.0 - 0.5)

    def _draw(self, size: tuple[int, ...], rng: np.random.Generator) -> IntArray:
        return draw_poisson(self.mu, size, self.label, rng)


def with_poisson_limit(
    overdispersed: Callable[[FloatArray, FloatArray, FloatArray], FloatArray],
    poisson: Callable[[Poisson, FloatArray], FloatArray],
    y: FloatArray,
    mu: FloatArray,
    sigma: FloatArray,
) -> FloatArray:
    """Return a function of a mixed Poisson of overdispersion sigma, the Poisson's where sigma is too small to be seen.

    A mixing variable of mean 1 and variance sigma changes log P(y) by ``sigma ((y - mu)^2 - y) / 2`` and terms of higher
    order, while formulas in 1 / sigma lose every digit, and overflow.
    """
    y, mu, sigma = np.broadcast_arrays(y, mu, sigma)
    with np.errstate(over="ignore"):
        seen = sigma * np.square(np.maximum(np.abs(y), mu) + 1.0) >= _NO_OVERDISPERSION
    seen &= np.isfinite(y)
    if seen.all():
        return overdispersed(y, mu, sigma)
    out = np.empty(y.shape)
    out[~seen] = poisson(Poisson(mu[~seen]), y[~seen])
    if seen.any():
        out[seen] = overdispersed(y[seen], mu[seen], sigma[seen])
    return out
