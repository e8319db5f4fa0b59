"""Distribution of a sum of independent counts, computed from characteristic functions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import fft

from synthlab._typing import FloatArray, IntArray
from synthlab.counts._family import CountFamily

LARGEST_GRID = 2**24
LARGEST_WORK = 2**22  # largest number of probabilities computed for all summands together
LARGEST_TABLE = 2**21  # largest table of waves (frequencies by values) shared by the remaining summands
_SPREAD = 32.0  # width of the grid in standard deviations
_TAIL = 1e-14  # mass omitted in each tail of the summands of one kind
_GONE = -32.0  # log modulus below which the contribution of a frequency is negligible


@dataclass(frozen=True, slots=True, eq=False)
class Summand:
    """Independent counts of one distribution: their number, masses from `first` on, mean and variance."""

    number: int
    first: int
    masses: FloatArray
    mean: float
    var: float

    def with_ones(self, share: float) -> Summand:
        """Return the mixture of the constant 1, with weight `share`, and this count."""
        masses = np.zeros(max(self.first + self.masses.size, 2))
        masses[self.first : self.first + self.masses.size] = (1.0 - share) * self.masses
        masses[1] += share
        mean = share + (1.0 - share) * self.mean
        second = share + (1.0 - share) * (self.var + self.mean**2)
        return Summand(self.number, 0, masses, mean, second - mean**2)


def zeros(number: int) -> Summand:
    """Return `number` counts that are always 0."""
    return Summand(number, 0, np.ones(1), 0.0, 0.0)


def summands(family: CountFamily, means: FloatArray, number: IntArray, reach: float) -> list[Summand] | None:
    """Return ``number[j]`` counts of the family at ``means[j]``; None if this takes too much work.

    The tails are truncated, and so are counts more than `reach` above the lower limit.
    """
    if not means.size:
        return []
    at_means = family.at(means)
    tail = _TAIL / number
    first, last = np.broadcast_to(at_means.ppf(tail), means.shape), np.broadcast_to(at_means.isf(tail), means.shape)
    last = np.minimum(last, first + reach)
    length = (last - first + 1.0).astype(np.int64)
    if length.sum() > LARGEST_WORK:
        return None
    begins = np.cumsum(length) - length
    values = np.arange(length.sum()) - np.repeat(begins - first.astype(np.int64), length)
    masses = np.split(family.at(np.repeat(means, length)).pmf(values), begins[1:])
    mean, var = (np.broadcast_to(moment, means.shape) for moment in at_means._moments())
    rows: Any = zip(number, first, masses, mean, var, strict=True)
    return [Summand(int(c), int(f), p, float(m), float(v)) for c, f, p, m, v in rows]


def grid_for(low: float, high: float, mean: float, sd: float) -> int | None:
    """Return the size of the grid for the interval [low, high] of a sum; None if it is too large.

    A count that is half a grid above the others moves the sum out of the interval without wrapping around into it.
    """
    span = max(high, mean) - min(low, mean)
    size = 2.0 ** np.ceil(np.log2(2.0 * span + _SPREAD * sd + 16.0))
    return int(size) if size <= LARGEST_GRID else None


def probability_between(parts: list[Summand], low: float, high: float, grid: int) -> float:
    """Return P(low <= sum <= high) for integers low and high.

    The pmf of the sum modulo the size of the grid is the inverse Fourier transform of the product of the characteristic
    functions. The most variable summands are processed first, because only few frequencies then remain relevant. The
    other summands are evaluated only at these frequencies, with one shared table of waves.
    """
    low = max(low, 0.0)
    if high < low:
        return 0.0
    frequency = np.arange(grid // 2 + 1)
    log_phi = np.zeros(frequency.size, dtype=np.complex128)
    ordered, centre, waves = sorted(parts, key=lambda p: -p.number * p.var), 0, None
    first = np.array([part.first - round(part.mean) for part in ordered])
    end = first + [part.masses.size for part in ordered]
    lowest, highest = np.minimum.accumulate(first[::-1])[::-1], np.maximum.accumulate(end[::-1])[::-1]
    for part, start, stop, low_left, high_left in zip(ordered, first, end, lowest, highest, strict=True):
        centre += round(part.mean) * part.number
        if waves is None and frequency.size * (high_left - low_left) <= LARGEST_TABLE:
            waves, origin = _waves(frequency, np.arange(low_left, high_left), grid), low_left
        if waves is None:
            phi = _characteristic(part.masses, start, frequency, grid)
        else:
            phi = waves[:, start - origin : stop - origin] @ part.masses
        with np.errstate(divide="ignore"):
            log_phi += part.number * np.log(phi)
        alive = log_phi.real > _GONE
        if waves is None or 2 * alive.sum() < alive.size:
            frequency, log_phi = frequency[alive], log_phi[alive]
            waves = None if waves is None else waves[alive]
    width, angle = int(high - low) + 1, 2j * np.pi / grid
    # The sum of exp(2 pi i k y / grid) over the interval is a geometric series.
    series = np.full(frequency.size, float(width), dtype=np.complex128)
    k = frequency[moving := frequency > 0]
    series[moving] = (np.exp(angle * (k * width % grid)) - 1.0) / (np.exp(angle * k) - 1.0)
    terms = np.exp(log_phi + angle * (frequency * ((int(low) - centre) % grid) % grid)) * series
    twice = np.where((frequency == 0) | (frequency == grid // 2), 1.0, 2.0)
    return float(np.clip((twice * terms.real).sum() / grid, 0.0, 1.0))


def _characteristic(masses: FloatArray, first: int, frequency: IntArray, grid: int) -> Any:
    """Return E exp(-2 pi i k Y / grid) at the frequencies k; the masses of Y start at `first`."""
    values = first + np.arange(masses.size)
    if frequency.size * masses.size > 4 * grid:
        return fft.rfft(np.bincount(values % grid, weights=masses, minlength=grid))[frequency]
    return _waves(frequency, values, grid) @ masses


def _waves(frequency: IntArray, values: IntArray, grid: int) -> Any:
    """Return exp(-2 pi i k y / grid) for frequencies k by values y."""
    return np.exp(-2j * np.pi / grid * (np.outer(frequency, values) % grid))
