"""Count distributions of the R package gamlss.dist.

For each family F of GAF, NBI, PIG, DEL, SICHEL and PO, there are ``dF`` (density), ``pF`` (distribution function) and ``qF`` (quantile)
as in R. ``rF`` takes the uniform numbers that ``rF`` of R would draw, so equal uniforms give equal draws here, in R and in
`synthlab.counts`.

Parameters are arrays that broadcast. R is called once per combination of parameters, because dPIG of R is wrong for one
count and a vector of means.
"""

# The functions have the names they have in R.
# ruff: noqa: N802

from __future__ import annotations

from typing import Any

import numpy as np

from synthlab import _checks
from synthlab._typing import FloatArray
from synthlab.exceptions import InputError
from synthlab.r.session import functions_of, require

PACKAGE = "gamlss.dist"


def dGAF(x: object, mu: object, sigma: object, nu: object) -> FloatArray:
    """Return the continuous density of the gamma family (GAF) at x.

    Parameters
    ----------
    x, mu, sigma, nu : array_like of float
        Values and parameters, which broadcast; mu > 0, sigma > 0. The mean is mu, the variance sigma^2 mu^nu.

    Returns
    -------
    numpy.ndarray of float

    Raises
    ------
    InputError
        If a value is not a number, mu or sigma is not above 0, or the shapes do not broadcast.
    RUnavailableError
        If R, rpy2 or gamlss.dist is missing.
    """
    return _call("dGAF", x=x, mu=mu, sigma=sigma, nu=nu)


def pGAF(q: object, mu: object, sigma: object, nu: object) -> FloatArray:
    """Return the distribution function of the gamma family at q; see `dGAF`."""
    return _call("pGAF", q=q, mu=mu, sigma=sigma, nu=nu)


def qGAF(p: object, mu: object, sigma: object, nu: object) -> FloatArray:
    """Return the quantile of the gamma family at p in [0, 1]; see `dGAF`."""
    return _call("qGAF", p=_probability(p, "p"), mu=mu, sigma=sigma, nu=nu)


def rGAF(u: object, mu: object, sigma: object, nu: object) -> FloatArray:
    """Return draws of the gamma family from uniform numbers u: qGAF(u), as in R."""
    return _call("rGAF", u=_probability(u, "u"), mu=mu, sigma=sigma, nu=nu)


def dNBI(x: object, mu: object, sigma: object) -> FloatArray:
    """Return the negative binomial probability of x; variance mu + sigma mu^2."""
    return _call("dNBI", x=x, mu=mu, sigma=sigma)


def pNBI(q: object, mu: object, sigma: object) -> FloatArray:
    """Return the distribution function of the negative binomial at q; see `dNBI`."""
    return _call("pNBI", q=q, mu=mu, sigma=sigma)


def qNBI(p: object, mu: object, sigma: object) -> FloatArray:
    """Return the quantile of the negative binomial at p in [0, 1]; see `dNBI`."""
    return _call("qNBI", p=_probability(p, "p"), mu=mu, sigma=sigma)


def rNBI(u: object, mu: object, sigma: object) -> FloatArray:
    """Return draws of the negative binomial from uniform numbers u: qNBI(u).

    In R, rNBI also converts the draws to integers, so it returns NA above 2^31 - 1; this function returns the count.
    """
    return _call("rNBI", u=_probability(u, "u"), mu=mu, sigma=sigma)


def dPIG(x: object, mu: object, sigma: object) -> FloatArray:
    """Return the Poisson-inverse Gaussian probability of x; variance mu + sigma mu^2."""
    return _call("dPIG", x=x, mu=mu, sigma=sigma)


def pPIG(q: object, mu: object, sigma: object) -> FloatArray:
    """Return the distribution function of the Poisson-inverse Gaussian at q."""
    return _call("pPIG", q=q, mu=mu, sigma=sigma)


def qPIG(p: object, mu: object, sigma: object) -> FloatArray:
    """Return the quantile of the Poisson-inverse Gaussian at p in [0, 1].

    As in R, the quantile is at most 10,000, but infinite for p of at least 1 - 1e-9.
    """
    return _call("qPIG", p=_probability(p, "p"), mu=mu, sigma=sigma)


def rPIG(u: object, mu: object, sigma: object) -> FloatArray:
    """Return Poisson-inverse Gaussian draws from uniform numbers u: qPIG(u), as in R."""
    return _call("rPIG", u=_probability(u, "u"), mu=mu, sigma=sigma)


def dDEL(x: object, mu: object, sigma: object, nu: object) -> FloatArray:
    """Return the Delaporte probability of x; variance mu + sigma (1 - nu)^2 mu^2."""
    return _call("dDEL", x=x, mu=mu, sigma=sigma, nu=nu)


def pDEL(q: object, mu: object, sigma: object, nu: object) -> FloatArray:
    """Return the distribution function of the Delaporte at q."""
    return _call("pDEL", q=q, mu=mu, sigma=sigma, nu=nu)


def qDEL(p: object, mu: object, sigma: object, nu: object) -> FloatArray:
    """Return the quantile of the Delaporte at p in [0, 1], at most 10,000 as in R."""
    return _call("qDEL", p=_probability(p, "p"), mu=mu, sigma=sigma, nu=nu)


def rDEL(u: object, mu: object, sigma: object, nu: object) -> FloatArray:
    """Return Delaporte draws from uniform numbers u: qDEL(u), as in R."""
    return _call("rDEL", u=_probability(u, "u"), mu=mu, sigma=sigma, nu=nu)


def dSICHEL(x: object, mu: object, sigma: object, nu: object) -> FloatArray:
    """Return the Sichel probability of x with mean mu."""
    return _call("dSICHEL", x=x, mu=mu, sigma=sigma, nu=nu)


def pSICHEL(q: object, mu: object, sigma: object, nu: object) -> FloatArray:
    """Return the distribution function of the Sichel at q."""
    return _call("pSICHEL", q=q, mu=mu, sigma=sigma, nu=nu)


def qSICHEL(p: object, mu: object, sigma: object, nu: object) -> FloatArray:
    """Return the quantile of the Sichel at p in [0, 1], at most 10,000 as in R."""
    return _call("qSICHEL", p=_probability(p, "p"), mu=mu, sigma=sigma, nu=nu)


def rSICHEL(u: object, mu: object, sigma: object, nu: object) -> FloatArray:
    """Return Sichel draws from uniform numbers u: qSICHEL(u), as in R."""
    return _call("rSICHEL", u=_probability(u, "u"), mu=mu, sigma=sigma, nu=nu)


def dPO(x: object, mu: object) -> FloatArray:
    """Return the Poisson probability of x with mean mu."""
    return _call("dPO", x=x, mu=mu)


def pPO(q: object, mu: object) -> FloatArray:
    """Return the distribution function of the Poisson at q."""
    return _call("pPO", q=q, mu=mu)


def qPO(p: object, mu: object) -> FloatArray:
    """Return the quantile of the Poisson at p in [0, 1]."""
    return _call("qPO", p=_probability(p, "p"), mu=mu)


def rPO(u: object, mu: object) -> FloatArray:
    """Return Poisson draws from uniform numbers u: qPO(u). R's rPO draws differently."""
    return _call("rPO", u=_probability(u, "u"), mu=mu)


def _call(function: str, **arguments: object) -> FloatArray:
    """Call an R function once per combination of the parameters after the first one."""
    values = {name: _numbers(value, f"{function}: {name}") for name, value in arguments.items()}
    for name, value in values.items():
        if name in ("mu", "sigma") and not (value > 0).all():
            raise InputError(f"{function}: {name} must be above 0; see {_checks.first_of(~(value > 0))}")
    try:
        shape = np.broadcast_shapes(*(a.shape for a in values.values()))
    except ValueError:
        shapes = ", ".join(f"{name} {a.shape}" for name, a in values.items())
        raise InputError(f"{function}: the arguments must broadcast to one shape, not {shapes}") from None
    robjects = require(PACKAGE)
    # Draws are quantiles of the uniform numbers.
    ask: Any = getattr(functions_of(PACKAGE), function.replace("r", "q", 1))
    first, *others = (np.broadcast_to(a, shape).reshape(-1) for a in values.values())
    combinations, group = np.unique(np.column_stack(others), axis=0, return_inverse=True)
    result = np.empty(first.size)
    for number, combination in enumerate(combinations):
        rows = np.flatnonzero(group.reshape(-1) == number)
        parameters = dict(zip(list(values)[1:], map(float, combination), strict=True))
        result[rows] = np.asarray(ask(robjects.FloatVector(first[rows]), **parameters), dtype=np.float64)
    return result.reshape(shape)


def _numbers(value: object, name: str) -> FloatArray:
    try:
        numbers = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{name}: must be numbers, not {_checks.described(value)}") from None
    if np.isnan(numbers).any():
        raise InputError(f"{name}: must not be missing")
    return numbers


def _probability(value: object, name: str) -> FloatArray:
    numbers = _numbers(value, name)
    if not ((numbers >= 0) & (numbers <= 1)).all():
        raise InputError(f"{name}: must lie in [0, 1]")
    return numbers
