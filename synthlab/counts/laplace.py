"""Laplace noise on counts, rounded and cut at zero: the mechanism of differential privacy, as a count distribution."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from synthlab._typing import FloatArray
from synthlab.counts._broadcast import check_parameters
from synthlab.counts._family import CountFamily


@dataclass(frozen=True, slots=True, eq=False)
class LaplaceCount(CountFamily):
    """A count with Laplace noise, rounded to the nearest integer >= 0.

    Parameters
    ----------
    mu : float or array_like, default 1
        The true counts, >= 0: zeros need no pseudocount. Left out where a table sets the means.
    epsilon : float or array_like
        Privacy loss of one dataset, > 0.
    sensitivity : float or array_like, default 1
        By how much one person can change the table in total: 1 when neighbouring datasets differ by one person more
        or less, 2 when one person's record is replaced.

    Raises
    ------
    InputError
        If mu < 0, or epsilon or sensitivity is not > 0.

    Notes
    -----
    The noise has scale sensitivity / epsilon and the same variance, 2 (sensitivity / epsilon)^2, in every cell, zeros
    included. Rounding and cutting are post-processing and cost nothing. m datasets cost m times epsilon. Pseudo-random
    floating-point noise illustrates the mechanism; it is not a release mechanism. With a short seed even the noise can be
    found by trial and subtracted, which gives the true counts: pass no `rng` to `synthesize_table` or `rvs` for counts that
    are published.

    Examples
    --------
    >>> import synthlab.counts as slc
    >>> family = slc.LaplaceCount(mu=[0, 1, 10], epsilon=1.0)
    >>> family.pmf([0, 1, 10]).round(4)
    array([0.6967, 0.3935, 0.3935])
    """

    takes_zero: ClassVar[bool] = True

    mu: Any = 1.0
    epsilon: Any = None
    sensitivity: Any = 1.0

    def __post_init__(self) -> None:
        check_parameters(self, mu={"low": 0.0})

    @property
    def mean(self) -> Any:
        """Exact mean of the rounded and cut count."""
        return self._moments()[0][()]

    @property
    def var(self) -> Any:
        """Exact variance of the rounded and cut count."""
        return self._moments()[1][()]

    @property
    def nominal_var(self) -> Any:
        """Variance of the noise before rounding and cutting, 2 (sensitivity / epsilon)^2."""
        return np.broadcast_to(2.0 * self._noise_scale() ** 2, self.shape)[()]

    def _noise_scale(self) -> FloatArray:
        return np.asarray(self.sensitivity / self.epsilon)

    def _moments(self) -> tuple[FloatArray, FloatArray]:
        # About the cell of the true count, both tails are geometric sequences; the lower one ends at zero.
        scale = self._noise_scale()
        centre, decay, gap = np.floor(self.mu + 0.5), np.exp(-1.0 / scale), -np.expm1(-1.0 / scale)
        upper = 0.5 * np.exp(-(centre + 0.5 - self.mu) / scale)
        above1, above2 = upper / gap, upper * (1.0 + decay) / gap**2
        lower = 0.5 * np.exp((centre - 0.5 - self.mu) / scale)
        cut = decay**centre
        plain = (1.0 - cut) / gap
        linear = (decay * plain - centre * cut) / gap
        below1, below2 = lower * plain, lower * (plain + 2.0 * linear)
        shift = above1 - below1
        return centre + shift, above2 + below2 - shift**2

    def _logpmf(self, y: FloatArray) -> FloatArray:
        count = (y >= 0) & (y == np.floor(y)) & np.isfinite(y)
        z = (np.where(count, y, 0.0) - self.mu) / self._noise_scale()
        half = 0.5 / self._noise_scale()
        # Outside the cell that holds the true count both ends lie on one side: sinh; inside it: what is left.
        outer = -np.abs(z) + np.log(np.sinh(np.minimum(half, 300.0))) + np.maximum(half - 300.0, 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            inner = np.log1p(-np.exp(-half) * np.cosh(np.where(np.abs(z) < half, z, 0.0)))
            zero = self._log_below_half()
        return np.where(count, np.where(y == 0, zero, np.where(np.abs(z) < half, inner, outer)), -np.inf)

    def _log_below_half(self) -> FloatArray:
        t = (0.5 - self.mu) / self._noise_scale()
        above, below = np.log1p(-0.5 * np.exp(-np.maximum(t, 0.0))), np.log(0.5) + np.minimum(t, 0.0)
        return np.asarray(np.where(t > 0, above, below))

    def _cdf(self, y: FloatArray) -> FloatArray:
        t = (y + 0.5 - self.mu) / self._noise_scale()
        return np.asarray(np.where(t > 0, 1.0 - 0.5 * np.exp(-np.maximum(t, 0.0)), 0.5 * np.exp(np.minimum(t, 0.0))))

    def _sf(self, y: FloatArray) -> FloatArray:
        t = (y + 0.5 - self.mu) / self._noise_scale()
        return np.asarray(np.where(t > 0, 0.5 * np.exp(-np.maximum(t, 0.0)), 1.0 - 0.5 * np.exp(np.minimum(t, 0.0))))

    def _guess(self, p: FloatArray, upper: bool) -> FloatArray:
        q = 1.0 - p if upper else p
        with np.errstate(divide="ignore"):
            noise = np.where(q < 0.5, np.log(2.0 * q), -np.log(2.0 * (p if upper else 1.0 - p)))
        return np.asarray(np.ceil(self.mu + self._noise_scale() * noise - 0.5))

    def _draw(self, size: tuple[int, ...], rng: np.random.Generator) -> FloatArray:
        return np.asarray(np.maximum(np.rint(self.mu + rng.laplace(0.0, self._noise_scale(), size)), 0.0))
