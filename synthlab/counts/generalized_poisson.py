"""Generalized Poisson distribution, whose counts are quasi-multinomial given their sum."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from synthlab._typing import FloatArray, IntArray
from synthlab.counts._broadcast import check_parameters
from synthlab.counts._family import CountFamily, draw_poisson
from synthlab.counts._generalized_poisson_sums import relative_sums
from synthlab.counts.negative_binomial import NBI
from synthlab.counts.poisson import Poisson

LARGEST_MEAN = 1e10  # the tails of larger means are sums of too many probabilities
MOST_SPREAD = 0.99


@dataclass(frozen=True, slots=True, eq=False)
class GeneralizedPoisson(CountFamily):
    r"""Generalized Poisson distribution: variance mu / (1 - sigma)^2.

    .. math:: P(Y = y) = \frac{\theta (\theta + \sigma y)^{y - 1} e^{-\theta - \sigma y}}{y!}, \qquad \theta = \mu (1 - \sigma).

    With the same sigma in all cells, sums of independent counts have the same distribution, and the counts given their
    sum n are quasi-multinomial: with ``pi_i = mu_i / sum mu`` and ``beta = sigma / ((1 - sigma) sum mu)``,

    .. math:: P(y_1, \dots, y_k \mid n) = \frac{n!}{\prod y_i!} \frac{\prod \pi_i (\pi_i + \beta y_i)^{y_i - 1}}
              {(1 + \beta n)^{n - 1}}.

    The mean of a cell is then n pi_i. The quasi-multinomial synthesizer (Hu and Hoshino 2018) uses beta to balance utility
    and risk: beta = 0 is the multinomial distribution, and a larger beta gives counts further from their means. For a
    quasi-multinomial table, use ``synthesize_table(..., fixed_margins=[[]])``, which fixes the total, or fix a margin.

    Parameters
    ----------
    mu : float or array_like, default 1
        Means, in (0, 1e10). Omit mu if a table sets the means.
    sigma : float or array_like
        Dispersion, in [0, 0.99). The variance is mu at 0, as for the Poisson distribution, and nearly 10,000 mu at 0.99.

    Raises
    ------
    InputError
        A parameter is not finite, mu is not in (0, 1e10), or sigma is not in [0, 0.99).

    Notes
    -----
    The formula is that of GPO in R's gamlss.dist, with ``sigma_R = sigma / ((1 - sigma) mu)``. ``dGPO`` of version 6.1.9
    returns the Poisson probability for every sigma_R above 1e-6, because a condition in its code is reversed. The
    tails are sums of probabilities, which take time proportional to the standard deviation of the counts and to
    1 / (1 - sigma).

    Hu and Hoshino draw from the probabilities of a DPMPM; here, the table or a log-linear model gives the means. Only
    the abstract of their paper was available. The formulas are derived from Consul and Jain (1973).

    References
    ----------
    Consul, P. C. and Jain, G. C. (1973). A generalization of the Poisson distribution. Technometrics 15(4), 791-799.
    Hu, J. and Hoshino, N. (2018). The quasi-multinomial synthesizer for categorical data. In Privacy in Statistical
    Databases, 75-91. Springer.

    Examples
    --------
    >>> import synthlab.counts as slc
    >>> family = slc.GeneralizedPoisson(mu=10, sigma=0.5)
    >>> float(family.var), round(float(family.pmf(10)), 5), round(float(family.cdf(10)), 5)
    (40.0, 0.06256, 0.612)
    >>> table = slc.Table.from_counts([30, 4, 0], {"age": [5, 6, 7]})
    >>> synthetic = slc.synthesize_table(table, slc.GeneralizedPoisson(sigma=0.3), fixed_margins=[[]], rng=1)
    >>> synthetic[0].total
    34
    """

    mu: Any = 1.0
    sigma: Any = None

    def __post_init__(self) -> None:
        check_parameters(
            self, mu={"low": 0.0, "high": LARGEST_MEAN, "open_low": True}, sigma={"low": 0.0, "high": MOST_SPREAD}
        )

    @property
    def mean(self) -> Any:
        """Mean, mu."""
        return np.broadcast_to(self.mu, self.shape)[()]

    @property
    def var(self) -> Any:
        """Variance, mu / (1 - sigma)^2."""
        with np.errstate(over="ignore"):
            return (self.mu / (1.0 - self.sigma) ** 2)[()]

    @property
    def nominal_var(self) -> Any:
        """Variance function, which equals `var`."""
        return self.var

    def _logpmf(self, y: FloatArray) -> FloatArray:
        # theta / m times the Poisson probability of mean m = theta + sigma y.
        theta = self.mu * (1.0 - self.sigma)
        mean = theta + self.sigma * np.where(np.isfinite(y) & (y > 0), y, 0.0)
        return np.asarray(np.log(theta / mean) + Poisson(mean)._logpmf(y))

    def _cdf(self, y: FloatArray) -> FloatArray:
        return self._sum(y, upper=False)

    def _sf(self, y: FloatArray) -> FloatArray:
        return self._sum(y, upper=True)

    def _sum(self, y: FloatArray, *, upper: bool) -> FloatArray:
        """Return a tail: the sum of the probabilities on the side of y that is away from the mean, or its complement."""
        y, mu, sigma = np.broadcast_arrays(y, self.mu, self.sigma)
        above = y + 1.0 > mu
        first = np.where(above, y + 1.0, y)
        start = np.exp(GeneralizedPoisson(mu, sigma)._logpmf(first))
        theta = mu * (1.0 - sigma)
        sums = relative_sums(first.ravel(), theta.ravel(), np.ascontiguousarray(sigma).ravel(), above.ravel())
        side = np.where(start > 0, start * sums.reshape(y.shape), 0.0)
        return np.where(above == upper, side, 1.0 - side)

    def _guess(self, p: FloatArray, upper: bool) -> FloatArray:
        # The negative binomial distribution with the same mean and variance.
        excess = np.maximum((1.0 / (1.0 - self.sigma) ** 2 - 1.0) / self.mu, 1e-12)
        return NBI(self.mu, excess)._guess(p, upper)

    def _draw(self, size: tuple[int, ...], rng: np.random.Generator) -> IntArray:
        # Y is the number of all descendants of Poisson(theta) founders, each with Poisson(sigma) children.
        born = np.asarray(draw_poisson(self.mu * (1.0 - self.sigma), size, self.label, rng))
        total = born.copy()
        while born.any():
            born = np.asarray(rng.poisson(self.sigma * born))
            total = total + born
        return total


__all__ = ["GeneralizedPoisson"]
