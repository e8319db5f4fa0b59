"""Base class of Poisson mixtures."""

from __future__ import annotations

import abc
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from scipy import special

from synthlab._typing import FloatArray, IntArray
from synthlab.counts._broadcast import parameters
from synthlab.counts._family import SMALLEST_DRAWN, CountFamily, draw_poisson
from synthlab.counts.poisson import Poisson

# If the variance of the multiplier times max(count, mean)^2 is smaller, the mixture equals a Poisson distribution up to rounding.
_NO_OVERDISPERSION = 1e-16


@dataclass(frozen=True, slots=True, eq=False)
class MixedPoisson(CountFamily):
    """Poisson distribution whose mean is multiplied by a variable of mean 1.

    A subclass defines its masses, its tails, and the draws and the variance of the multiplier. The parameters of the
    multiplier are sigma and the parameters that a subclass adds.
    """

    mu: Any = 1.0
    sigma: Any = None

    @property
    def mean(self) -> Any:
        """Mean, mu."""
        return np.broadcast_to(self.mu, self.shape)[()]

    @property
    def var(self) -> Any:
        """Variance, mu + v mu^2, where v is the variance of the multiplier; infinite on overflow."""
        with np.errstate(over="ignore", under="ignore"):
            return (self.mu + self._multiplier_var(*self._mixing()) * self.mu**2)[()]

    @property
    def nominal_var(self) -> Any:
        """Variance function, which equals `var`."""
        return self.var

    @staticmethod
    @abc.abstractmethod
    def _log_mass(y: FloatArray, mu: FloatArray, *mixing: FloatArray) -> FloatArray: ...

    @staticmethod
    @abc.abstractmethod
    def _mixed_tail(y: FloatArray, mu: FloatArray, *mixing: FloatArray, upper: bool) -> FloatArray: ...

    @staticmethod
    @abc.abstractmethod
    def _multiplier(shape: tuple[int, ...], rng: np.random.Generator, *mixing: FloatArray) -> FloatArray: ...

    @staticmethod
    def _multiplier_var(*mixing: FloatArray) -> FloatArray:
        """Return the variance of the multiplier."""
        return mixing[0]

    def _mixing(self) -> list[FloatArray]:
        """Return the parameters of the multiplier."""
        return [getattr(self, f.name) for f in parameters(self)[1:]]

    def _guess(self, p: FloatArray, upper: bool) -> FloatArray:
        # Use the gamma of the same mean and variance: SciPy's search does not terminate for large means or small p.
        spread = 1.0 + self._multiplier_var(*self._mixing()) * self.mu
        return np.asarray((special.gammainccinv if upper else special.gammaincinv)(self.mu / spread, p) * spread)

    def _logpmf(self, y: FloatArray) -> FloatArray:
        return self._with_poisson_limit(self._log_mass, Poisson._logpmf, y)

    def _cdf(self, y: FloatArray) -> FloatArray:
        return self._with_poisson_limit(partial(self._mixed_tail, upper=False), Poisson._cdf, y)

    def _sf(self, y: FloatArray) -> FloatArray:
        return self._with_poisson_limit(partial(self._mixed_tail, upper=True), Poisson._sf, y)

    def _draw(self, size: tuple[int, ...], rng: np.random.Generator) -> IntArray:
        shape = np.broadcast_shapes(size, self.shape)
        sigma, *others = self._mixing()
        multiplier = self._multiplier(shape, rng, np.maximum(sigma, SMALLEST_DRAWN), *others)
        return draw_poisson(self.mu * multiplier, shape, self.label, rng)

    def _with_poisson_limit(
        self,
        overdispersed: Callable[..., FloatArray],
        poisson: Callable[[Poisson, FloatArray], FloatArray],
        y: FloatArray,
    ) -> FloatArray:
        """Evaluate a function of the mixture; use the Poisson function if the variance of the multiplier is negligible.

        A multiplier of variance v changes log P(y) by ``v ((y - mu)^2 - y) / 2`` and terms of higher order. For tiny v,
        formulas in 1 / sigma lose all digits or overflow.
        """
        mixing = self._mixing()
        y, mu, var, *mixing = np.broadcast_arrays(y, self.mu, self._multiplier_var(*mixing), *mixing)
        with np.errstate(over="ignore"):
            seen = ~(var * np.square(np.maximum(np.abs(y), mu) + 1.0) < _NO_OVERDISPERSION)
        seen &= np.isfinite(y)
        if seen.all():
            return overdispersed(y, mu, *mixing)
        out = np.empty(y.shape)
        out[~seen] = poisson(Poisson(mu[~seen]), y[~seen])
        if seen.any():
            out[seen] = overdispersed(y[seen], mu[seen], *(parameter[seen] for parameter in mixing))
        return out
