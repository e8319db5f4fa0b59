"""Base class of Poisson mixtures."""

from __future__ import annotations

import abc
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from synthlab._typing import FloatArray, IntArray
from synthlab.counts._family import SMALLEST_DRAWN, CountFamily, draw_poisson
from synthlab.counts.poisson import Poisson

# If sigma * max(count, mean)^2 is smaller, the mixture equals a Poisson distribution up to rounding.
_NO_OVERDISPERSION = 1e-16


@dataclass(frozen=True, slots=True, eq=False)
class MixedPoisson(CountFamily):
    """Poisson distribution whose mean is multiplied by a variable of mean 1 and variance sigma.

    A subclass defines its masses, its tails, an approximate quantile, and draws of the multiplier.
    """

    mu: Any = 1.0
    sigma: Any = None

    @property
    def mean(self) -> Any:
        """Mean, mu."""
        return np.broadcast_to(self.mu, self.shape)[()]

    @property
    def var(self) -> Any:
        """Variance, mu + sigma mu^2; infinite on overflow."""
        with np.errstate(over="ignore", under="ignore"):
            return (self.mu + self.sigma * self.mu**2)[()]

    @property
    def nominal_var(self) -> Any:
        """Variance function, mu + sigma mu^2."""
        return self.var

    @staticmethod
    @abc.abstractmethod
    def _log_mass(y: FloatArray, mu: FloatArray, sigma: FloatArray) -> FloatArray: ...

    @staticmethod
    @abc.abstractmethod
    def _mixed_tail(y: FloatArray, mu: FloatArray, sigma: FloatArray, *, upper: bool) -> FloatArray: ...

    @staticmethod
    @abc.abstractmethod
    def _multiplier(sigma: FloatArray, shape: tuple[int, ...], rng: np.random.Generator) -> FloatArray: ...

    def _logpmf(self, y: FloatArray) -> FloatArray:
        return self._with_poisson_limit(self._log_mass, Poisson._logpmf, y)

    def _cdf(self, y: FloatArray) -> FloatArray:
        return self._with_poisson_limit(partial(self._mixed_tail, upper=False), Poisson._cdf, y)

    def _sf(self, y: FloatArray) -> FloatArray:
        return self._with_poisson_limit(partial(self._mixed_tail, upper=True), Poisson._sf, y)

    def _draw(self, size: tuple[int, ...], rng: np.random.Generator) -> IntArray:
        shape = np.broadcast_shapes(size, self.shape)
        multiplier = self._multiplier(np.maximum(self.sigma, SMALLEST_DRAWN), shape, rng)
        return draw_poisson(self.mu * multiplier, shape, self.label, rng)

    def _with_poisson_limit(
        self,
        overdispersed: Callable[[FloatArray, FloatArray, FloatArray], FloatArray],
        poisson: Callable[[Poisson, FloatArray], FloatArray],
        y: FloatArray,
    ) -> FloatArray:
        """Evaluate a function of the mixture; use the Poisson function if sigma is negligible.

        A mixing variable of mean 1 and variance sigma changes log P(y) by ``sigma ((y - mu)^2 - y) / 2`` and terms of
        higher order. For tiny sigma, formulas in 1 / sigma lose all digits or overflow.
        """
        y, mu, sigma = np.broadcast_arrays(y, self.mu, self.sigma)
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
