"""Laplace mechanism of differential privacy as a count distribution."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from synthlab._typing import FloatArray
from synthlab.counts._broadcast import check_parameters
from synthlab.counts._family import CountFamily


@dataclass(frozen=True, slots=True, eq=False)
class LaplaceCount(CountFamily):
    """Count with Laplace noise, rounded to the nearest integer >= 0.

    Parameters
    ----------
    mu : float or array_like, default 1
        True counts, >= 0. Zeros do not require a pseudocount. Omit mu if a table sets the means.
    epsilon : float or array_like
        Privacy loss of one dataset, > 0.
    sensitivity : float or array_like, default 1
        Largest total change of the table caused by one person: 1 if neighboring datasets differ by one added or removed
        person, 2 if the record of one person is replaced.

    Raises
    ------
    InputError
        mu is negative, or epsilon or sensitivity is not > 0.

    Notes
    -----
    The noise has scale sensitivity / epsilon and variance 2 (sensitivity / epsilon)^2 in every cell, including empty
    cells. Rounding and truncation at zero are post-processing and have no privacy cost. m datasets have the privacy
    loss m times epsilon. Pseudo-random floating-point noise illustrates the mechanism, but it is not secure enough for
    a release. A short seed can be found by trial and error; the noise can then be subtracted, which reveals the true
    counts. Do not pass `rng` to `synthesize_table` or `rvs` for counts that will be published.

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
        """Exact mean of the rounded and truncated count."""
        return self._moments()[0][()]

    @property
    def var(self) -> Any:
        """Exact variance of the rounded and truncated count."""
        return self._moments()[1][()]

    @property
    def nominal_var(self) -> Any:
        """Variance of the noise before rounding, 2 (sensitivity / epsilon)^2."""
        return np.broadcast_to(2.0 * self._noise_scale() ** 2, self.shape)[()]

    def _noise_scale(self) -> FloatArray:
        return np.asarray(self.sensitivity / self.epsilon)

    def _moments(self) -> tuple[FloatArray, FloatArray]:
        # On both sides of the true count, the tails are geometric sequences; the lower tail ends at zero.
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
        # If the true count is outside the cell, the mass is a sinh term; otherwise, it is 1 minus both tails.
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
