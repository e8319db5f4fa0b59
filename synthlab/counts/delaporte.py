"""Delaporte distribution: a shifted gamma mixture of Poisson distributions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from synthlab._typing import FloatArray
from synthlab.counts._broadcast import check_parameters
from synthlab.counts._mixed_poisson import MixedPoisson
from synthlab.counts._mixture_integrals import Mixture, gamma_mixture


@dataclass(frozen=True, slots=True, eq=False)
class Delaporte(MixedPoisson):
    """Delaporte distribution of gamlss: variance mu + sigma (1 - nu)^2 mu^2.

    It is the sum of a Poisson variable of mean nu mu and an independent NBI variable of mean (1 - nu) mu and
    overdispersion sigma.

    Parameters
    ----------
    mu : float or array_like, default 1
        Means, > 0. Omit mu if a table sets the means.
    sigma : float or array_like
        Overdispersion of the NBI variable, > 0.
    nu : float or array_like
        Share of the mean that the Poisson variable has, in (0, 1). The distribution is close to the NBI for nu near 0
        and to the Poisson for nu near 1.

    Raises
    ------
    InputError
        A parameter is not finite, mu or sigma is not > 0, or nu is not in (0, 1).

    Notes
    -----
    The parameters are those of DEL in R's gamlss.dist (Rigby, Stasinopoulos and Akantziliotou 2008). The probabilities
    are integrals over the gamma distribution (about 0.05 ms each for `pmf`, 0.2 ms for the tails). R's ``dDEL`` returns
    the Poisson probability if sigma is at most 0.0001, and ``qDEL`` stops at 10,000.

    References
    ----------
    Rigby, R. A., Stasinopoulos, D. M. and Akantziliotou, C. (2008). A framework for modelling overdispersed count data,
    including the Poisson-shifted generalized inverse Gaussian distribution. Computational Statistics and Data Analysis,
    53, 381-393.

    Examples
    --------
    >>> import synthlab.counts as slc
    >>> family = slc.Delaporte(mu=10, sigma=2, nu=0.5)
    >>> float(family.var), round(float(family.pmf(10)), 5), round(float(family.cdf(10)), 5)
    (60.0, 0.0548, 0.67984)
    """

    nu: Any = None

    def __post_init__(self) -> None:
        check_parameters(self, nu={"low": 0.0, "high": 1.0, "open_low": True})

    @staticmethod
    def _log_mass(y: FloatArray, mu: FloatArray, *mixing: FloatArray) -> FloatArray:
        return _mixture(mu, *mixing).log_mass(y)

    @staticmethod
    def _mixed_tail(y: FloatArray, mu: FloatArray, *mixing: FloatArray, upper: bool) -> FloatArray:
        return np.exp(_mixture(mu, *mixing).log_tail(y, upper=upper))

    @staticmethod
    def _multiplier(shape: tuple[int, ...], rng: np.random.Generator, *mixing: FloatArray) -> FloatArray:
        sigma, nu = mixing
        return nu + (1.0 - nu) * (rng.standard_gamma(1.0 / sigma, shape) * sigma)

    @staticmethod
    def _multiplier_var(*mixing: FloatArray) -> FloatArray:
        sigma, nu = mixing
        return np.asarray(sigma * (1.0 - nu) ** 2)


def _mixture(mu: FloatArray, sigma: FloatArray, nu: FloatArray) -> Mixture:
    return gamma_mixture(nu * mu, (1.0 - nu) * mu, 1.0 / sigma)
