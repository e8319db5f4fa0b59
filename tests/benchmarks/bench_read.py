"""CPU time of reading a CSV file of 200,000 records and 20 columns, compared with `pandas.read_csv`."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd

import synthlab as sl
from tests.benchmarks.rows import Row
from tests.benchmarks.timing import best_of

N = 200_000


def mixed(n: int) -> pd.DataFrame:
    """Return numbers, whole numbers, missing values, labels, codes with leading zeros, bools and names."""
    rng = np.random.default_rng(1)
    columns = {f"amount{j}": np.round(rng.lognormal(8, 1, n), 2) for j in range(5)}
    columns |= {f"score{j}": rng.normal(size=n) for j in range(2)}
    columns |= {f"count{j}": rng.integers(0, 100_000 if j < 2 else 100, n) for j in range(5)}
    columns |= {f"some{j}": np.where(rng.random(n) < 0.1, np.nan, rng.integers(0, 1_000, n)) for j in range(2)}
    columns |= {f"region{j}": rng.choice(["north", "south", "east", "west coast, inner"], n) for j in range(3)}
    columns["county"] = np.char.zfill(rng.integers(1, 400, n).astype(str), 3)
    columns["works"] = rng.random(n) < 0.5
    columns["name"] = np.array([f"person {place}" for place in rng.permutation(n)])
    return pd.DataFrame(columns)


def run() -> Iterator[Row]:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "survey.csv"
        mixed(N).to_csv(path, index=False)
        # In turn, so that both see the same load of the machine.
        times = [
            (
                best_of(lambda: sl.read(path), 1, time.process_time)[0],
                best_of(lambda: pd.read_csv(path), 1, time.process_time)[0],
            )
            for _ in range(9)
        ]
        ours, theirs = (min(column) for column in zip(*times, strict=True))
        yield Row("reading a CSV file of 20 columns", N, ours, "pandas.read_csv", theirs, "CPU time, best of 9")
