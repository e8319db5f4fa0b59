"""CPU time of files larger than memory: DuckDB and Dask, compared with the function in memory on the same files.

SYNTHLAB_SCALE_N sets the number of records; ``python -m tests.benchmarks.scale`` measures 100 million.
"""

from __future__ import annotations

import argparse
import os
import warnings
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd

import synthlab as sl
from tests.benchmarks.rows import Row
from tests.benchmarks.scale import KNOWN, RADIUS, Peak, make, workers

N = int(float(os.environ.get("SYNTHLAB_SCALE_N", "1e6")))


def run() -> Iterator[Row]:
    warnings.simplefilter("ignore", sl.exceptions.SynthlabWarning)
    intruder = sl.Intruder(known=KNOWN, synthesized=["y"], radius={"y": RADIUS})
    with TemporaryDirectory() as name:
        folder = Path(name)
        make(folder, N)
        files = [folder / "confidential", folder / "synthetic"]
        sl.identification_risk(*small(), intruder)
        found, peaks = {}, {}
        # The function in memory is last, because the process keeps some of the memory that it used.
        for engine in ("dask", "duckdb"):
            chosen = argparse.Namespace(engine=engine, workers=2, memory="2GiB", kill=None)
            with Peak(folder) as peaks[engine], workers(chosen):
                found[engine] = sl.scale.identification_risk(*files, intruder, id="id", output=folder / engine)
        with Peak(folder) as memory:
            frames = [pd.read_parquet(path).sort_values("id", ignore_index=True) for path in files]
            wanted = sl.identification_risk(*frames, intruder)
        gib = 2**30
        for engine, peak in peaks.items():
            assert (found[engine].n_unique == wanted.n_unique).all()
            note = f"CPU time; peak {peak.rss / gib:.2f} GiB, in memory {memory.rss / gib:.2f}"
            yield Row(f"match risk of files by {engine}", N, peak.used, "in memory", memory.used, note)


def small() -> list[pd.DataFrame]:
    """Return two small files, for which the functions are compiled before the clock starts."""
    frame = pd.DataFrame({**{name: [1, 2] * 10 for name in KNOWN}, "y": range(20)})
    return [frame, frame.assign(y=frame["y"] + 0.1)]
