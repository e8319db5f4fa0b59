"""Compiled Gibbs sampler of tables with fixed margins."""

from __future__ import annotations

import numpy as np

from synthlab._system.compiled import compiled
from synthlab._typing import FloatArray, IntArray


@compiled
def move_along_lines(counts: IntArray, logs: FloatArray, start: IntArray, steps: int, rng: np.random.Generator) -> None:
    """Update `counts` of shape (s, a, b, r) along random lines that keep the sums over (b, r) and (a, r).

    A line adds t to two cells and subtracts t from two others, or moves t between two cells that differ only in r. The
    step t is drawn from its conditional distribution, by the largest of the log-probabilities plus Gumbel noise.
    """
    S, A, B, R = counts.shape
    for _ in range(steps):
        s = int(rng.random() * S)
        a, b = int(rng.random() * A), int(rng.random() * B)
        a2, b2, r = a, b, int(rng.random() * R)
        r2 = r
        cross = A > 1 and B > 1 and (R == 1 or rng.random() < 0.5)
        if cross:
            a2 = (a + 1 + int(rng.random() * (A - 1))) % A
            b2 = (b + 1 + int(rng.random() * (B - 1))) % B
            r2 = int(rng.random() * R)
        else:
            r2 = (r + 1 + int(rng.random() * (R - 1))) % R
        r3, r4 = int(rng.random() * R), int(rng.random() * R)
        # In a cross, cells 1 and 2 lose t, and 3 and 4 win t. Otherwise, cell 1 loses and cell 3 wins.
        one = counts[s, a, b, r]
        three = counts[s, a, b2, r3] if cross else counts[s, a, b, r2]
        two = counts[s, a2, b2, r2] if cross else one
        four = counts[s, a2, b, r4] if cross else three
        at1 = start[s, a, b, r]
        at3 = start[s, a, b2, r3] if cross else start[s, a, b, r2]
        at2, at4 = start[s, a2, b2, r2], start[s, a2, b, r4]
        best, step = -np.inf, 0
        for t in range(-min(three, four), min(one, two) + 1):
            value = logs[at1 + one - t] + logs[at3 + three + t]
            if cross:
                value += logs[at2 + two - t] + logs[at4 + four + t]
            value -= np.log(-np.log(rng.random()))
            if value > best:
                best, step = value, t
        counts[s, a, b, r] -= step
        if cross:
            counts[s, a2, b2, r2] -= step
            counts[s, a, b2, r3] += step
            counts[s, a2, b, r4] += step
        else:
            counts[s, a, b, r2] += step
