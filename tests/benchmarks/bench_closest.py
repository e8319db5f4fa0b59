"""CPU time of the closest records of 8,000 released records, beside the brute force of scikit-learn in the same run."""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np
import pandas as pd
from sklearn.neighbors import NearestNeighbors

import synthlab as sl
from tests.benchmarks.rows import Row
from tests.benchmarks.timing import best_of, quietly

N, COLUMNS = 8_000, 10


def run() -> Iterator[Row]:
    rng = np.random.default_rng(1)
    own, unseen, released = (pd.DataFrame(rng.normal(size=(N, COLUMNS))).rename(columns=str) for _ in range(3))
    few = own.head(50)
    quietly(lambda: sl.closest_record(few, released.head(50), unseen.head(50)))()  # compile

    def brute() -> None:
        for one in (own, unseen):
            NearestNeighbors(n_neighbors=1, algorithm="brute", metric="manhattan").fit(one).kneighbors(released)

    ours, _ = best_of(quietly(lambda: sl.closest_record(own, released, unseen)), 1, time.process_time)
    theirs, _ = best_of(brute, 1, time.process_time)
    yield Row(f"closest_record, {COLUMNS} variables", N, ours, "scikit-learn, brute force, twice", theirs, "CPU time")
