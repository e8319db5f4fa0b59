"""Integrals of exp(right h(u) + left h(-u)), which are scaled Bessel functions K of order right - left.

``h(u) = u + 1 - exp(u)`` is at most 0. The argument of the Bessel function is 2 sqrt(right left).
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

import numpy as np
from scipy import special

from synthlab._typing import FloatArray

DEBYE_FROM = 60.0


def log_integral(right: FloatArray, left: FloatArray) -> FloatArray:
    """Return the logs of the integrals; not finite if SciPy's Bessel function overflows or underflows."""
    with np.errstate(all="ignore"):
        roots = np.sqrt(right), np.sqrt(left)
        bessel = np.log(2.0 * special.kve(np.abs(right - left), 2.0 * roots[0] * roots[1]))
        direct = bessel + (roots[0] - roots[1]) ** 2 - 0.5 * (right - left) * np.log(right / left)
    order = np.maximum(right + left, DEBYE_FROM)
    debye = 0.5 * np.log(2.0 * np.pi / order) + np.log(debye_series(((right - left) / order) ** 2, order))
    return np.where(right + left < DEBYE_FROM, direct, debye)


def debye_series(square: FloatArray, order: FloatArray) -> FloatArray:
    """Return the series of Debye's uniform expansion of K (DLMF 10.41.4).

    `order` is sqrt(v^2 + z^2) for the order v and the argument z of K, and `square` is (v / order)^2.
    """
    series = np.ones_like(order)
    for k, coefficients in enumerate(_debye_polynomials(), start=1):
        series = series + np.polynomial.polynomial.polyval(square, coefficients) * (-1.0 / order) ** k
    return series


@lru_cache(maxsize=1)
def _debye_polynomials(terms: int = 8) -> tuple[tuple[float, ...], ...]:
    """Return U_k(p) / p^k, k = 1 .. terms, as polynomials in p^2 (DLMF 10.41.9, computed in fractions)."""
    u, out = {0: Fraction(1)}, []
    for k in range(1, terms + 1):
        following: dict[int, Fraction] = {}
        for power, c in u.items():
            for step, factor in (
                (1, Fraction(power, 2) + Fraction(1, 8 * (power + 1))),
                (3, -Fraction(power, 2) - Fraction(5, 8 * (power + 3))),
            ):
                following[power + step] = following.get(power + step, Fraction(0)) + c * factor
        u = following
        out.append(tuple(float(u[k + 2 * i]) for i in range(k + 1)))
    return tuple(out)
