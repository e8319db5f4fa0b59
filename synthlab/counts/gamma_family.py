"""Gamma family and its discretized version, the GAF."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special

from synthlab import _checks, _rng
from synthlab._typing import FloatArray, RngLike
from synthlab.counts import _gamma, _gamma_cells
from synthlab.counts._broadcast import check_parameters, common_shape, wanted_shape
from synthlab.counts._family import CountFamily, check_probabilities

_LIMITS = (1e-200, 1e300)


def _shape(mu: FloatArray, sigma: FloatArray, nu: FloatArray) -> FloatArray:
    """Return the shape of the gamma, 1 / s1^2 with s1 = sigma mu^(nu / 2 - 1)."""
    with np.errstate(over="ignore", under="ignore", divide="ignore"):
        shape = mu ** (2.0 - nu) / (sigma * sigma)
    return np.clip(shape, *_LIMITS)


@dataclass(frozen=True, slots=True, eq=False)
class GammaFamily:
    """Continuous gamma family of Rigby et al. (2019): mean mu, variance sigma^2 mu^nu.

    Parameters
    ----------
    mu : float or array_like
        Means, > 0.
    sigma : float or array_like
        Scale, > 0: the standard deviation at mu = 1.
    nu : float or array_like
        Exponent of the mean in the variance. The variance is constant at nu = 0 and decreases with the mean below 0.

    Raises
    ------
    InputError
        A parameter is not finite, or `mu` or `sigma` is not > 0.

    Notes
    -----
    This is a gamma distribution with shape ``s1**-2`` and scale ``mu s1**2``, where ``s1 = sigma mu**(nu / 2 - 1)``.
    The paper by Jackson, Mitra, Francis and Dove prints ``s1**2`` as the first argument of the incomplete gamma
    function in F_W. The density in the same paper and R's ``pGAF`` use ``s1**-2``.

    Examples
    --------
    >>> import synthlab.counts as slc
    >>> family = slc.GammaFamily(mu=10, sigma=1, nu=0)
    >>> round(float(family.cdf(10)), 4), float(family.mean), float(family.var)
    (0.5133, 10.0, 1.0)
    """

    mu: Any
    sigma: Any
    nu: Any

    def __post_init__(self) -> None:
        check_parameters(self, nu={})

    @property
    def mean(self) -> Any:
        """Mean, mu."""
        return np.broadcast_to(self.mu, self._shape().shape)[()]

    @property
    def var(self) -> Any:
        """Variance, sigma^2 mu^nu."""
        with np.errstate(over="ignore", under="ignore"):
            return (self.sigma**2 * self.mu**self.nu)[()]

    def pdf(self, w: object) -> Any:
        """Return the density at w; 0 if w <= 0."""
        return np.exp(self.logpdf(w))

    def logpdf(self, w: object) -> Any:
        """Return the log density at w; -inf if w <= 0."""
        value = self._values(w, "w")
        inside = value > 0
        logs = _gamma.log_density(np.where(inside, value, 1.0), self._shape(), self.mu)
        return np.where(inside, logs, -np.inf)[()]

    def cdf(self, w: object) -> Any:
        """Return P(W <= w)."""
        return np.exp(_gamma.log_lower(self._values(w, "w"), self._shape(), self.mu))[()]

    def sf(self, w: object) -> Any:
        """Return P(W > w)."""
        return np.exp(_gamma.log_upper(self._values(w, "w"), self._shape(), self.mu))[()]

    def ppf(self, p: object) -> Any:
        """Return the quantile, as R's ``qGAF`` does."""
        return self._quantile(p, "p", special.gammaincinv)

    def isf(self, q: object) -> Any:
        """Return the upper quantile."""
        return self._quantile(q, "q", special.gammainccinv)

    def from_uniform(self, u: object) -> Any:
        """Transform uniform numbers by inversion, as R's ``rGAF`` does."""
        return self._quantile(u, "u", special.gammaincinv)

    def rvs(self, size: int | tuple[int, ...] | None = None, rng: RngLike = None) -> Any:
        """Draw values with NumPy's gamma generator."""
        shape = self._shape()
        size = shape.shape if size is None else wanted_shape(size, shape.shape)
        return _rng.as_generator(rng).standard_gamma(shape, size) * self._scale()

    def _quantile(self, probability: object, name: str, inverse: Callable[[FloatArray, FloatArray], FloatArray]) -> Any:
        array = check_probabilities(probability, name)
        common_shape(self, array, name)
        return (inverse(self._shape(), array) * self._scale())[()]

    def _values(self, values: object, name: str) -> FloatArray:
        _checks.check_not_truth(values, name)
        array = _checks.check_array(values, name)
        common_shape(self, array, name)
        return array

    def _shape(self) -> FloatArray:
        return _shape(self.mu, self.sigma, self.nu)

    def _scale(self) -> FloatArray:
        return np.asarray(self.mu / self._shape())


@dataclass(frozen=True, slots=True, eq=False)
class GAF(CountFamily):
    """Discretized gamma family: a gamma family variable rounded to the nearest integer.

    Equations: Jackson, Mitra, Francis & Dove (2), (3)

    Parameters
    ----------
    mu : float or array_like, default 1
        Means of the gamma distribution, > 0. Omit mu if a table sets the means.
    sigma : float or array_like
        Scale, > 0: sigma^2 is approximately the variance of the synthetic count of a cell of size 1.
    nu : float or array_like
        Exponent of the mean in the variance, which is approximately sigma^2 mu^nu.

    Raises
    ------
    InputError
        mu or sigma is not > 0, or a parameter is not finite.

    Notes
    -----
    See Jackson, Mitra, Francis and Dove, section 3, equation (2): P(0) = F(1/2) and P(y) = F(y + 1/2) - F(y - 1/2),
    where F is the distribution function of `GammaFamily`. mu, sigma and nu are the parameters of the paper.

    The variable is underdispersed if mu > sigma^2 mu^nu. For mu > 1, this is ``nu < 1 - 2 log(sigma) / log(mu)`` (the
    paper omits the 1).

    `mean` and `var` are the moments of the rounded variable and differ from mu and sigma^2 mu^nu: for mu = 1 and
    sigma = 2, the mean is 0.961, not 1.

    R's ``dGAF`` and ``rGAF`` are the continuous distribution; round the draws of ``rGAF`` to compare them.

    Examples
    --------
    >>> import synthlab.counts as slc
    >>> family = slc.GAF(mu=[1, 10, 100], sigma=2, nu=-0.5)
    >>> family.pmf([1, 10, 100]).round(4)
    array([0.1646, 0.3433, 0.5708])
    >>> family.from_uniform(0.5)
    array([  0,  10, 100])
    """

    mu: Any = 1.0
    sigma: Any = None
    nu: Any = None

    def __post_init__(self) -> None:
        check_parameters(self, nu={})

    @property
    def continuous(self) -> GammaFamily:
        """Gamma family before rounding."""
        return GammaFamily(self.mu, self.sigma, self.nu)

    @property
    def mean(self) -> Any:
        """Exact mean of the rounded variable."""
        return self._moments()[0]

    @property
    def var(self) -> Any:
        """Exact variance of the rounded variable."""
        return self._moments()[1]

    @property
    def nominal_var(self) -> Any:
        """Variance before rounding, sigma^2 mu^nu."""
        return self.continuous.var

    def _moments(self) -> tuple[Any, Any]:
        mean, var = _gamma_cells.rounded_moments(self._gamma_shape(), self.mu)
        return mean[()], var[()]

    def _gamma_shape(self) -> FloatArray:
        return _shape(self.mu, self.sigma, self.nu)

    def _logpmf(self, y: FloatArray) -> FloatArray:
        return _gamma_cells.log_cell(y, self._gamma_shape(), self.mu)

    def _cdf(self, y: FloatArray) -> FloatArray:
        return np.exp(_gamma.log_lower(y + 0.5, self._gamma_shape(), self.mu))

    def _sf(self, y: FloatArray) -> FloatArray:
        return np.exp(_gamma.log_upper(y + 0.5, self._gamma_shape(), self.mu))

    def _guess(self, p: FloatArray, upper: bool) -> FloatArray:
        family = self.continuous
        return np.asarray(np.ceil((family.isf(p) if upper else family.ppf(p)) - 0.5))

    def _draw(self, size: tuple[int, ...], rng: np.random.Generator) -> FloatArray:
        return np.asarray(np.rint(self.continuous.rvs(size, rng)))
