"""Distributions in decimal arithmetic of 120 digits: the answers that floats are held against."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Context, Decimal, localcontext
from math import factorial
from typing import Any

DIGITS = Context(prec=120, Emin=-999999, Emax=999999)


def gamma_tails(shape: int, w: Any, mean: Any) -> tuple[float, float]:
    """Return log P(W <= w) and log P(W > w) of a gamma whose shape is a whole number: a Poisson sum."""
    with localcontext(DIGITS):
        x = Decimal(shape) * Decimal(w) / Decimal(mean)
        upper = poisson_sum(x, shape)
        lower = 1 - upper if upper < Decimal("0.9") else _rest(x, shape)
        return float(_log(lower, upper)), float(_log(upper, lower))


def _log(share: Decimal, rest: Decimal) -> Decimal:
    return -rest - rest * rest / 2 if rest < Decimal("1e-40") else share.ln()


def poisson_sum(x: Decimal, terms: int) -> Decimal:
    """Return P(Poisson(x) < terms)."""
    term = total = (-x).exp()
    for k in range(1, terms):
        term = term * x / k
        total += term
    return total


def _rest(x: Decimal, terms: int) -> Decimal:
    """Return P(Poisson(x) >= terms) where that is small."""
    log = -x + terms * x.ln() - Decimal(factorial(terms)).ln()
    term = total = log.exp()
    k = terms
    while term > total * Decimal("1e-40"):
        k += 1
        term = term * x / k
        total += term
    return total


def poisson_masses(mu: Any) -> Iterator[Decimal]:
    """Yield P(0), P(1), ... of a Poisson."""
    mu = Decimal(mu)
    mass = (-mu).exp()
    k = 0
    while True:
        yield mass
        k += 1
        mass = mass * mu / k


def nbi_masses(mu: Any, sigma: Any) -> Iterator[Decimal]:
    """Yield P(0), P(1), ... of a Poisson whose mean is multiplied by a gamma."""
    mu, sigma = Decimal(mu), Decimal(sigma)
    mass = (-(1 + sigma * mu).ln() / sigma).exp()
    k = 0
    while True:
        yield mass
        k += 1
        mass = mass * (k - 1 + 1 / sigma) / k * sigma * mu / (1 + sigma * mu)


def pig_masses(mu: Any, sigma: Any) -> Iterator[Decimal]:
    """Yield P(0), P(1), ... of a Poisson whose mean is multiplied by an inverse Gaussian (Willmot 1987)."""
    mu, sigma = Decimal(mu), Decimal(sigma)
    growth = 1 + 2 * sigma * mu
    before = ((1 - growth.sqrt()) / sigma).exp()
    yield before
    mass = before * mu / growth.sqrt()
    k = 1
    while True:
        yield mass
        k += 1
        before, mass = (
            mass,
            2 * sigma * mu / growth * (1 - Decimal(3) / (2 * k)) * mass + mu * mu / (growth * k * (k - 1)) * before,
        )


def first(masses: Iterator[Decimal], number: int) -> tuple[list[float], list[float], list[float]]:
    """Return the logs of the first masses, of the sums up to each, and of what is beyond each."""
    with localcontext(DIGITS):
        total, out = Decimal(0), []
        for _, mass in zip(range(number), masses, strict=False):
            total += mass
            out.append((float(mass.ln()), float(total), float(1 - total)))
    logs, below, above = zip(*out, strict=True)
    return list(logs), list(below), list(above)
