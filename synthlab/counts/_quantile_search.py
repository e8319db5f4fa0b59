"""The search for a quantile among the integers."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from synthlab._typing import BoolArray, FloatArray, IntArray


def smallest_count(reaches: Callable[[FloatArray, IntArray], BoolArray], guess: FloatArray) -> FloatArray:
    """Return, element by element, the smallest count y >= 0 for which ``reaches(y, index)`` holds.

    Infinite where no float does. Starts from a guess, strides away from it in doubling steps until the answer is enclosed, and halves.
    """
    high: FloatArray = np.maximum(np.nan_to_num(np.floor(guess), nan=0.0, posinf=2.0**62, neginf=0.0), 0.0)
    every = np.arange(high.size)
    ok = reaches(high, every)
    low = high.copy()
    active, step = np.flatnonzero(~ok), 1.0
    while active.size:
        low[active] = high[active]
        high[active] += step * np.maximum(1.0, high[active] * 2.0**-50)
        active = active[np.isfinite(high[active]) & ~reaches(high[active], active)]
        step *= 2.0
    active, step = np.flatnonzero(ok), 1.0
    while active.size:
        low[active] = high[active] - step
        stays = (low[active] >= 0) & reaches(np.maximum(low[active], 0.0), active)
        active = active[stays]
        high[active] = low[active]
        step *= 2.0
    low = np.maximum(low, -1.0)
    while True:
        middle = np.floor(0.5 * (low + high))
        active = np.flatnonzero((middle > low) & (middle < high))
        if not active.size:
            return high
        good = reaches(middle[active], active)
        high[active[good]] = middle[active[good]]
        low[active[~good]] = middle[active[~good]]
