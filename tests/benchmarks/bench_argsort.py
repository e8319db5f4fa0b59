"""Risk of one million people as multiples of one stable argsort of the same values."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pandas as pd

import synthlab as sl
from synthlab.risk import identification_probability
from tests.benchmarks.bench_matching import KNOWN, match_risk, survey
from tests.benchmarks.rows import Row
from tests.benchmarks.timing import best_of, quietly

N = 1_000_000
INTRUDER = sl.Intruder(known=KNOWN, synthesized=["y"], radius={"y": 0.1})


def works(pair: tuple[pd.DataFrame, pd.DataFrame]) -> dict[str, Callable[[], object]]:
    return {
        "identification_risk with baselines": lambda: match_risk(*pair),
        "identification_probability": quietly(lambda: identification_probability(*pair, INTRUDER)),
        "risk_weights, order 1": quietly(lambda: sl.risk_weights(pair[0], INTRUDER)),
        "risk_weights, order 2": quietly(lambda: sl.risk_weights(pair[0], INTRUDER, order=2)),
    }


def run() -> Iterator[Row]:
    for work in works(survey(1_000, 1)).values():  # compile
        work()
    pair = survey(N, 2)
    values = pair[0]["y"].to_numpy()
    for what, work in works(pair).items():
        # In turn, so that both see the same load of the machine.
        times = [(best_of(work, 1)[0], best_of(lambda: np.argsort(values, kind="stable"), 1)[0]) for _ in range(5)]
        ours, sort = (min(column) for column in zip(*times, strict=True))
        yield Row(what, N, ours, "one stable argsort", sort, f"{ours / sort:.1f} times the argsort; best of 5")
