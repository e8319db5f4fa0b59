"""Search for quantiles among the integers."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from synthlab._typing import BoolArray, FloatArray, IntArray


def smallest_count(reaches: Callable[[FloatArray, IntArray], BoolArray], guess: FloatArray) -> FloatArray:
    """Return, for each element, the smallest count y >= 0 for which ``reaches(y, index)`` is true.

    The result is infinite if no float satisfies the condition. The search starts from a guess, brackets the solution
    with steps of doubling size, and bisects the bracket.
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
