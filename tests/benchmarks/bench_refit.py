"""The first fit of a model, which compiles it, beside the next."""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np
import pandas as pd

import synthlab as sl
from tests.benchmarks.rows import Row
from tests.benchmarks.timing import best_of, quietly


def run() -> Iterator[Row]:
    rng = np.random.default_rng(3)
    x = rng.normal(size=1_000)
    frame = pd.DataFrame({"y": 1 + x + rng.normal(size=1_000), "x": x})
    again = frame.assign(y=frame["y"] + rng.normal(size=1_000))
    model = sl.NormalRegression("y ~ x")
    start = time.perf_counter()
    quietly(lambda: model.fit(frame, rng=1, sampler="nutpie"))()
    first = time.perf_counter() - start
    seconds, _ = best_of(quietly(lambda: model.fit(again, rng=1, sampler="nutpie")))
    yield Row(
        "NormalRegression by NUTS, refit on other data",
        1_000,
        seconds,
        "import, compile and first fit",
        first,
        "same process",
    )
