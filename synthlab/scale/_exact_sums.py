"""Sums and order statistics that do not depend on order or partitioning."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from synthlab._typing import FloatArray, IntArray


def exact_sum(values: FloatArray) -> Fraction:
    """Return the exact sum of finite floats; as a float, it equals `math.fsum`."""
    mantissa, exponent = np.frexp(values)
    whole = (mantissa * 2.0**53).astype(np.int64)
    total = Fraction(0)
    for power in np.unique(exponent):
        some = whole[exponent == power]
        # Split into two halves, so that sums of fewer than 2**36 values fit into an int64.
        part = (int((some >> 26).sum()) << 26) + int((some & (2**26 - 1)).sum())
        total += Fraction(part) * Fraction(2) ** (int(power) - 53)
    return total


BITS = 16


def digits(values: FloatArray, prefixes: Sequence[int], level: int) -> list[IntArray]:
    """Count the next 16 bits of the values that start with each prefix.

    The values are non-negative. A prefix consists of their leading ``16 * level`` bits.
    """
    bits = (values + 0.0).view(np.uint64)
    digit = ((bits >> np.uint64(64 - BITS * (level + 1))) & np.uint64(2**BITS - 1)).astype(np.int64)
    if level == 0:
        return [np.bincount(digit, minlength=2**BITS) for _ in prefixes]
    lead = bits >> np.uint64(64 - BITS * level)
    return [np.bincount(digit[lead == np.uint64(prefix)], minlength=2**BITS) for prefix in prefixes]


class Ranks:
    """Order statistics of non-negative floats, found 16 bits at a time."""

    def __init__(self, ranks: Sequence[int]) -> None:
        self.prefixes = [0] * len(ranks)
        self.left = list(ranks)
        self.level = 0

    def narrow(self, counts: Sequence[IntArray]) -> None:
        """Use the counts of `digits`, one array per rank, summed over all values."""
        for j, count in enumerate(counts):
            before = np.cumsum(count)
            digit = int(np.searchsorted(before, self.left[j], side="right"))
            self.left[j] -= int(before[digit - 1]) if digit else 0
            self.prefixes[j] = (self.prefixes[j] << BITS) | digit
        self.level += 1

    def values(self) -> FloatArray:
        """Return the order statistics, after four steps."""
        return np.array(self.prefixes, dtype=np.uint64).view(np.float64)
