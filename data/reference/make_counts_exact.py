"""Write counts_exact.csv: log pmf, log cdf and log sf of the count distributions, in 50-digit arithmetic.

Needs mpmath, which synthlab does not depend on:

    pip install mpmath && python data/reference/make_counts_exact.py

No code is shared with synthlab: the gamma comes from mpmath's incomplete gamma function or, for large shapes, from
integrating its density; the negative binomial from the incomplete beta function or from adding its terms; the
Poisson-inverse Gaussian from the integral over the mixing distribution; the Delaporte and the Sichel from the
recurrences of their probabilities or, for large means, from the integral over the mixing distribution. Takes about
fifteen minutes.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import mpmath as mp

HERE = Path(__file__).resolve().parent
SOURCE = HERE / "gamlss_dist_GAF.csv"
TARGET = HERE / "counts_exact.csv"
mp.mp.dps = 50
HALF = mp.mpf(1) / 2


def integrate_peaked(
    log_f: Callable[[mp.mpf], mp.mpf], mode: mp.mpf, scale: mp.mpf, low: mp.mpf, high: mp.mpf
) -> mp.mpf:
    """Integrate exp(log_f) from low to high: panels of one scale, until 1e-40 of the largest panel."""
    start = min(max(mode, low), high)
    # In a steep tail the panels must follow the slope, not the width of the peak.
    probe = scale / 1000
    inward = probe if start + probe <= high else -probe
    slope = abs(log_f(start + inward) - log_f(start)) / probe
    panel = min(scale, 2 / slope) if slope > 0 else scale
    # Scaled by the value at the start: the quadrature stops at an absolute error.
    top, total = log_f(start), mp.mpf(0)
    for direction in (1, -1):
        left = start
        limit = high if direction == 1 else low
        while left != limit:
            right = min(left + panel, limit) if direction == 1 else max(left - panel, limit)
            part = abs(mp.quad(lambda t: mp.exp(log_f(t) - top), [left, right]))
            total += part
            left = right
            if total > 0 and part < total * mp.mpf(10) ** -40:
                break
    return mp.exp(top) * total


class Gamma:
    """Tails and cells of a gamma with a shape and a mean."""

    def __init__(self, shape: mp.mpf, mean: mp.mpf) -> None:
        self.a, self.mean, self.scale = shape, mean, mean / shape
        self.constant = -mp.loggamma(shape) - shape * mp.log(self.scale)

    def log_density(self, w: mp.mpf) -> mp.mpf:
        """Return the log density at w."""
        return self.constant + (self.a - 1) * mp.log(w) - w / self.scale

    def between(self, low: mp.mpf, high: mp.mpf) -> mp.mpf:
        """Return P(low < W <= high)."""
        if high <= low:
            return mp.mpf(0)
        if self.a <= 500:
            if high == mp.inf:
                return mp.gammainc(self.a, low / self.scale, mp.inf, regularized=True)
            if low == 0:
                x = high / self.scale
                return mp.exp(self.a * mp.log(x) - x - mp.loggamma(self.a + 1)) * mp.hyp1f1(1, self.a + 1, x)
        mode = max(self.mean - self.scale, self.mean / 10**6)
        low = max(low, self.mean / 10**9)
        return integrate_peaked(self.log_density, mode, mp.sqrt(self.a) * self.scale, low, high)


def gaf(y: int, mu: mp.mpf, sigma: mp.mpf, nu: mp.mpf) -> tuple[mp.mpf, mp.mpf, mp.mpf]:
    """Return pmf, cdf and sf of the discretised gamma family."""
    gamma = Gamma(mu ** (2 - nu) / sigma**2, mu)
    lower, upper = gamma.between(mp.mpf(0), y + HALF), gamma.between(y + HALF, mp.inf)
    cell = lower if y == 0 else gamma.between(y - HALF, y + HALF)
    return cell, lower, upper


def poisson(y: int, mu: mp.mpf, *_: mp.mpf) -> tuple[mp.mpf, mp.mpf, mp.mpf]:
    """Return pmf, cdf and sf of the Poisson distribution."""
    gamma = Gamma(mp.mpf(y + 1), mp.mpf(y + 1))
    cell = mp.exp(y * mp.log(mu) - mu - mp.loggamma(y + 1))
    return cell, gamma.between(mu, mp.inf), gamma.between(mp.mpf(0), mu)


def nbi(y: int, mu: mp.mpf, sigma: mp.mpf, *_: mp.mpf) -> tuple[mp.mpf, mp.mpf, mp.mpf]:
    """Return pmf, cdf and sf of the negative binomial."""
    n = 1 / sigma
    odds = sigma * mu
    cell = mp.exp(
        mp.loggamma(y + n) - mp.loggamma(y + 1) - mp.loggamma(n) - y * mp.log1p(1 / odds) - n * mp.log1p(odds)
    )
    if mu * max(odds, 1) < 20000:
        return cell, *add_terms(y, cell, lambda k: (k + n) / (k + 1) * odds / (1 + odds))

    if y == 0:
        return cell, cell, 1 - cell

    def log_beta(t: mp.mpf) -> mp.mpf:  # density of the log of the success probability; P(Y <= y) = I_p(n, y + 1)
        p = mp.exp(t)
        return n * t + y * mp.log1p(-p) - constant

    constant = mp.loggamma(n) + mp.loggamma(y + 1) - mp.loggamma(n + y + 1)
    top = -mp.log1p(odds)
    mode = mp.log(n / (n + y))
    scale = mp.sqrt((n + y) / (n * y))
    scale = min(scale, -mode if mode < 0 else scale)
    lower = integrate_peaked(log_beta, mode, scale, -(mp.mpf(10) ** 6), top)
    upper = integrate_peaked(log_beta, mode, scale, top, -(mp.mpf(10) ** -40))
    return cell, lower, upper


def add_terms(y: int, cell: mp.mpf, ratio: Callable[[int], mp.mpf]) -> tuple[mp.mpf, mp.mpf]:
    """Return P(Y <= y) and P(Y > y) by adding terms, outwards from P(y); ratio(k) = P(k + 1) / P(k)."""
    lower, term = cell, cell
    for k in range(y - 1, -1, -1):
        term /= ratio(k)
        lower += term
        if term < lower * mp.mpf(10) ** -40 and ratio(k) > 1:
            break
    upper, term, k = mp.mpf(0), cell, y
    while upper == 0 or term > upper * mp.mpf(10) ** -40 or ratio(k) > 1:
        term *= ratio(k)
        upper += term
        k += 1
    return lower, upper


def pig(y: int, mu: mp.mpf, sigma: mp.mpf, *_: mp.mpf) -> tuple[mp.mpf, mp.mpf, mp.mpf]:
    """Return pmf, cdf and sf of the Poisson-inverse Gaussian."""
    if sigma * (y + 1) < 1:
        lower = whole(lambda x: log_mixing(x, sigma) + log_gamma_tail(y + 1, mu * mp.exp(x), False), y, mu)
        upper = whole(lambda x: log_mixing(x, sigma) + log_gamma_tail(y + 1, mu * mp.exp(x), True), y, mu)
    else:
        gamma = Gamma(mp.mpf(y + 1), mp.mpf(y + 1))

        def log_events(x: mp.mpf) -> mp.mpf:  # density of log(G / mu), G the (y + 1)-th event of a Poisson process
            return gamma.log_density(mu * mp.exp(x)) + mp.log(mu) + x

        lower = whole(lambda x: log_events(x) + log_mixing_tail(x, sigma, -1), y, mu)
        upper = whole(lambda x: log_events(x) + log_mixing_tail(x, sigma, 1), y, mu)
    constant = y * mp.log(mu) - mp.loggamma(y + 1)
    cell = whole(lambda x: log_mixing(x, sigma) + y * x - mu * mp.exp(x) + constant, y, mu)
    return cell, lower, upper


def log_mixing(x: mp.mpf, sigma: mp.mpf) -> mp.mpf:
    """Return the log density of the log of the inverse Gaussian."""
    return -mp.log(2 * mp.pi * sigma) / 2 - x / 2 - 2 * mp.sinh(x / 2) ** 2 / sigma


def log_mixing_tail(x: mp.mpf, sigma: mp.mpf, sign: int) -> mp.mpf:
    """Return the log of its upper (sign 1) or lower (sign -1) tail."""
    a = mp.sqrt(2 / sigma) * mp.sinh(x / 2)
    b = mp.sqrt(2 / sigma) * mp.cosh(x / 2)
    return mp.log(HALF * (mp.erfc(sign * a) - sign * mp.exp(2 / sigma) * mp.erfc(b)))


def log_gamma_tail(shape: int, x: mp.mpf, lower: bool) -> mp.mpf:
    """Return the log of a tail of the standard gamma."""
    if shape > 2000:
        gamma = Gamma(mp.mpf(shape), mp.mpf(shape))
        return mp.log(gamma.between(mp.mpf(0), x) if lower else gamma.between(x, mp.inf))
    if lower:
        return shape * mp.log(x) - x - mp.loggamma(shape + 1) + mp.log(mp.hyp1f1(1, shape + 1, x))
    return mp.log(mp.gammainc(shape, x, mp.inf, regularized=True))


def whole(f: Callable[[mp.mpf], mp.mpf], y: int, mu: mp.mpf) -> mp.mpf:
    """Integrate exp(f) over the real line."""
    centre, width = find_mode(f, mp.log(mp.mpf(max(y, 1)) / mu))
    return integrate_peaked(f, centre, width, mp.mpf(-10000), mp.mpf(10000))


def find_mode(f: Callable[[mp.mpf], mp.mpf], x: mp.mpf) -> tuple[mp.mpf, mp.mpf]:
    """Return where f is largest, and the width of the peak."""
    step, best = mp.mpf(1), f(x)
    while step > mp.mpf(10) ** -9:
        moved = False
        for candidate in (x - step, x + step):
            value = f(candidate)
            if value > best:
                x, best, moved = candidate, value, True
        step = step * 2 if moved else step / 2
    h = mp.mpf(10) ** -7
    bend = -(f(x + h) - 2 * best + f(x - h)) / h**2
    return x, 1 / mp.sqrt(bend)


def delaporte_terms(mu: mp.mpf, sigma: mp.mpf, nu: mp.mpf) -> Iterator[mp.mpf]:
    """Yield P(0), P(1), ... by the recurrence that follows from the generating function."""
    fixed, mixed = mu * nu, mu * (1 - nu)
    odds = mixed * sigma
    before, now = mp.mpf(0), mp.exp(-fixed - mp.log1p(odds) / sigma)
    k = 0
    while True:
        yield now
        before, now = (
            now,
            ((odds * k + fixed * (1 + odds) + mixed) * now - fixed * odds * before) / ((1 + odds) * (k + 1)),
        )
        k += 1


def sichel_terms(mu: mp.mpf, sigma: mp.mpf, nu: mp.mpf) -> Iterator[mp.mpf]:
    """Yield P(0), P(1), ... by the recurrence of the Bessel function."""
    mean = mu * mp.besselk(nu, 1 / sigma) / mp.besselk(nu + 1, 1 / sigma)
    root = mp.sqrt(1 + 2 * mean * sigma)  # alpha sigma
    first = [
        mp.besselk(nu + k, root / sigma) / (root ** (nu + k) * mp.besselk(nu, 1 / sigma)) * mean**k for k in (0, 1)
    ]
    before, now = first
    k = 1
    yield before
    while True:
        yield now
        step = 2 * (nu + k) * sigma * mean / root**2 * now + (mean / root) ** 2 / k * before
        before, now = now, step / (k + 1)
        k += 1


def by_terms(terms: Iterator[mp.mpf], wanted: list[int]) -> Iterator[tuple[int, tuple[mp.mpf, mp.mpf, mp.mpf | None]]]:
    """Yield pmf, cdf and sf at the wanted counts; no sf below 1e-350, which 400 digits do not give."""
    lower = mp.mpf(0)
    for y, term in zip(range(wanted[-1] + 1), terms, strict=False):
        lower += term
        if y in wanted:
            yield y, (term, lower, 1 - lower if 1 - lower > mp.mpf(10) ** -350 else None)


def delaporte_cell(y: int, mu: mp.mpf, sigma: mp.mpf, nu: mp.mpf) -> mp.mpf:
    """Return P(y) by the integral over the gamma distribution."""
    gamma = Gamma(1 / sigma, mp.mpf(1))

    def log_f(x: mp.mpf) -> mp.mpf:
        mean = mu * (nu + (1 - nu) * mp.exp(x))
        return gamma.log_density(mp.exp(x)) + x + y * mp.log(mean) - mean - mp.loggamma(y + 1)

    return whole(log_f, y, mu)


def sichel_cell(y: int, mu: mp.mpf, sigma: mp.mpf, nu: mp.mpf) -> mp.mpf:
    """Return P(y) by the integral over the generalized inverse Gaussian distribution."""
    log_c = mp.log(mp.besselk(nu + 1, 1 / sigma) / mp.besselk(nu, 1 / sigma))
    constant = -mp.log(2 * mp.besselk(nu, 1 / sigma)) - mp.loggamma(y + 1)

    def log_f(x: mp.mpf) -> mp.mpf:
        density = nu * (x + log_c) - mp.cosh(x + log_c) / sigma
        return density + constant + y * (mp.log(mu) + x) - mu * mp.exp(x)

    return whole(log_f, y, mu)


THREE = {"Delaporte": (delaporte_terms, delaporte_cell), "Sichel": (sichel_terms, sichel_cell)}
DELAPORTE = [(s, n) for s in ("1e-6", "0.5", "20") for n in ("0.1", "0.9")]
DELAPORTE += [("1e6", "0.5"), ("1e-4", "0.5"), ("2", "1e-8"), ("2", "0.99999999")]
SICHEL = [(s, n) for s in ("0.01", "0.5", "20") for n in ("-3", "-0.2", "0", "4")]
SICHEL += [("1e-3", "1"), ("1e6", "-0.5"), ("1e5", "0.5"), ("2", "-50"), ("2", "50")]


def three_parameters() -> Iterator[tuple[tuple[str, int, str, str, str], tuple[mp.mpf | None, ...]]]:
    """Yield the points of the Delaporte and the Sichel, with pmf, cdf and sf; no tails for a mean of 1e8."""
    for family, settings in (("Delaporte", DELAPORTE), ("Sichel", SICHEL)):
        terms, cell = THREE[family]
        for sigma, nu in settings:
            for mu in ("0.001", "1", "10", "300", "1e8"):
                parameters = [mp.mpf(float(v)) for v in (mu, sigma, nu)]  # 1 - nu of the float
                sd = mp.sqrt(parameters[0] + min(parameters[1], 1) * parameters[0] ** 2)
                wanted = around(parameters[0], sd, (-12, -5, -1, 0, 1, 5, 12, 30))
                if mu == "1e8":
                    for y in wanted[-4:]:
                        yield (family, y, mu, sigma, nu), (cell(y, *parameters), None, None)
                    continue
                with mp.workdps(400):
                    found = list(by_terms(terms(*parameters), wanted))
                for y, values in found:
                    yield (family, y, mu, sigma, nu), values


FAMILIES = {"GAF": gaf, "NBI": nbi, "PIG": pig, "Poisson": poisson}


def points() -> Iterator[tuple[str, int, str, str, str]]:
    """Yield family, count, mu, sigma and nu."""
    with SOURCE.open() as handle:
        for row in csv.DictReader(handle):
            yield "GAF", int(row["y"]), row["mu"].strip(), row["sigma"].strip(), row["nu"].strip()
    deviations = (-12, -5, -1, 0, 1, 5, 12, 30)
    for mu in ("0.001", "0.01", "1", "10", "1000", "1e5", "1e8"):
        for sigma in ("0.5", "2"):
            for nu in ("-0.5", "0", "1", "2"):
                sd = mp.mpf(sigma) * mp.mpf(mu) ** (mp.mpf(nu) / 2)
                for y in around(mp.mpf(mu), sd, deviations):
                    yield "GAF", y, mu, sigma, nu
        for y in around(mp.mpf(mu), mp.sqrt(mp.mpf(mu)), deviations):
            yield "Poisson", y, mu, "", ""
        for sigma in ("1e-6", "0.1", "2"):
            sd = mp.sqrt(mp.mpf(mu) + mp.mpf(sigma) * mp.mpf(mu) ** 2)
            for y in around(mp.mpf(mu), sd, deviations):
                yield "NBI", y, mu, sigma, ""
                if sigma != "1e-6" or mp.mpf(mu) <= 10:
                    yield "PIG", y, mu, sigma, ""


def around(mu: mp.mpf, sd: mp.mpf, deviations: tuple[int, ...]) -> list[int]:
    """Return counts at the given deviations from the mean."""
    found = {max(0, int(mp.floor(mu + z * sd))) for z in deviations}
    return sorted(found | {0, 1}) if mu < 100 else sorted(found)


def main() -> None:
    """Write the file."""
    seen = set()
    with TARGET.open("w", newline="") as handle:
        writer = csv.writer(handle, lineterminator="\n")
        writer.writerow(["family", "y", "mu", "sigma", "nu", "logpmf", "logcdf", "logsf"])
        for point in points():
            family, y, *parameters = point
            if point in seen:
                continue
            seen.add(point)
            values = FAMILIES[family](y, *(mp.mpf(p) if p else mp.mpf(0) for p in parameters))
            logs = [mp.nstr(mp.log(v), 17) if v > 0 else "-inf" for v in values]
            writer.writerow([family, y, *parameters, *logs])
            handle.flush()
        for point, values in three_parameters():
            logs = ["" if v is None else mp.nstr(mp.log(v), 17) for v in values]
            writer.writerow([*point, *logs])
            handle.flush()
            seen.add(point)
    print(f"{TARGET}: {len(seen)} points, mpmath {mp.__version__}, Python {sys.version.split()[0]}")


if __name__ == "__main__":
    main()
