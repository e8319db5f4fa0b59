"""Poisson distribution with tails that are accurate for means up to 1e8."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special

from synthlab._typing import FloatArray, IntArray
from synthlab.counts import _gamma
from synthlab.counts._family import CountFamily, draw_poisson


@dataclass(frozen=True, slots=True, eq=False)
class Poisson(CountFamily):
    """Poisson distribution: the variance equals the mean.

    Parameters
    ----------
    mu : float or array_like, default 1
        Means, > 0. Omit mu if a table sets the means.

    Raises
    ------
    InputError
        mu is not > 0 and finite.

    Examples
    --------
    >>> import synthlab.counts as slc
    >>> slc.Poisson(mu=[0.01, 1, 1e8]).pmf([1, 1, 10**8])
    array([9.90049834e-03, 3.67879441e-01, 3.98942280e-05])
    """

    mu: Any = 1.0

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
        # Y <= y if and only if the (y + 1)-th event of a unit Poisson process occurs after mu.
        return np.exp(_gamma.log_upper(self.mu, y + 1.0, y + 1.0))

    def _sf(self, y: FloatArray) -> FloatArray:
        return np.exp(_gamma.log_lower(self.mu, y + 1.0, y + 1.0))

    def _guess(self, p: FloatArray, upper: bool) -> FloatArray:
        z = -special.ndtri(p) if upper else special.ndtri(p)
        return np.asarray(self.mu + np.sqrt(self.mu) * z + (z * z - 1.0) / 6.0 - 0.5)

    def _draw(self, size: tuple[int, ...], rng: np.random.Generator) -> IntArray:
        return draw_poisson(self.mu, size, self.label, rng)
