"""Compiled sums of the probabilities of the generalized Poisson distribution."""

from __future__ import annotations

import math

import numpy as np

from synthlab._system.compiled import compiled
from synthlab._typing import BoolArray, FloatArray

NEGLIGIBLE = 1e-18  # share of a sum that is omitted


@compiled
def relative_sums(first: FloatArray, theta: FloatArray, sigma: FloatArray, above: BoolArray) -> FloatArray:
    """Return the sums of the probabilities from `first` upwards or downwards, divided by the probability of `first`."""
    out = np.empty(first.size)
    for i in range(first.size):
        y, term, total = first[i], 1.0, 1.0
        while term > NEGLIGIBLE * total and (above[i] or y > 0):
            k = y + 1.0 if above[i] else y
            mean = theta[i] + sigma[i] * k
            # log P(k) - log P(k - 1)
            step = math.log(mean / k) - sigma[i] - (k - 2.0) * math.log1p(-sigma[i] / mean)
            ratio = math.exp(step if above[i] else -step)
            term *= ratio
            total += term
            y = y + 1.0 if above[i] else y - 1.0
        out[i] = total
    return out
