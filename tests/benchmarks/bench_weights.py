"""Risk weights of order k: the closed form beside the loop over all groups, as the authors' code has it."""

from __future__ import annotations

from collections.abc import Iterator

import numba
import numpy as np
import pandas as pd

import synthlab as sl
from tests.benchmarks.rows import Row
from tests.benchmarks.timing import best_of

QUESTION = sl.Intruder(known=[], synthesized=["y"], radius={"y": 0.2})
# order, sizes for the loop, what its cost is in theory
LOOPS = ((2, (100, 200, 400), "n^3"), (3, (50, 100, 200), "n^4"))
LARGE = (50_000, 150_000, 400_000, 1_000_000)


def survey(n: int) -> pd.DataFrame:
    return pd.DataFrame({"y": np.random.default_rng(n).lognormal(10, 1, n)})


@numba.njit
def loop_over_pairs(y, r):
    """For every pair of records, look at every record: the triple loop behind the pairwise weights."""
    n = y.size
    alpha = np.empty(n)
    for i in range(n):
        total = 0.0
        for j in range(n):
            if j != i:
                outside = 0
                for h in range(n):
                    if abs(y[h] - y[i]) > r * abs(y[i]) and abs(y[h] - y[j]) > r * abs(y[j]):
                        outside += 1
                total += outside / n
        alpha[i] = 1 - total / (n - 1)
    return alpha


@numba.njit
def loop_over_triples(y, r):
    """For every triple of records, look at every record: the same for order 3, one loop more."""
    n = y.size
    alpha = np.empty(n)
    for i in range(n):
        total = 0.0
        for j in range(n):
            for k in range(j):
                if i not in (j, k):
                    outside = 0
                    for h in range(n):
                        if (
                            abs(y[h] - y[i]) > r * abs(y[i])
                            and abs(y[h] - y[j]) > r * abs(y[j])
                            and abs(y[h] - y[k]) > r * abs(y[k])
                        ):
                            outside += 1
                    total += outside / n
        alpha[i] = 1 - total / ((n - 1) * (n - 2) / 2)
    return alpha


def weights(frame: pd.DataFrame, order: int) -> np.ndarray:
    return sl.risk_weights(frame, QUESTION, order=order).weights


def run() -> Iterator[Row]:
    weights(survey(50), 2)  # compile
    for order, sizes, power in LOOPS:
        loop = {2: loop_over_pairs, 3: loop_over_triples}[order]
        loop(np.ones(4), 0.2)  # compile
        peer = f"loop over all groups (compiled; {power})"
        for n in sizes:
            frame = survey(n)
            seconds, found = best_of(lambda frame=frame, order=order: weights(frame, order), repeats=10)
            y = frame["y"].to_numpy(copy=True)  # writable, the type the loop was compiled for
            other, check = best_of(lambda y=y, loop=loop: loop(y, 0.2))
            same = "same answer" if np.allclose(found, check, atol=1e-12) else "DIFFERS"
            yield Row(f"risk_weights, order {order}, small", n, seconds, peer, other, same)
    for n in LARGE:
        frame = survey(n)
        for order in (1, 2, 3, 4, 100):
            seconds, _ = best_of(lambda frame=frame, order=order: weights(frame, order), repeats=3)
            yield Row(f"risk_weights, order {order}", n, seconds, grows="n")
