"""The CPU seconds of a quick run of every replication, from nothing, in one process."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from functools import partial

import joblib

from replications.registry import REPLICATIONS, find, replicate
from synthlab.exceptions import DatasetUnavailableError
from tests.benchmarks.rows import Row
from tests.benchmarks.timing import quietly


def cpu_seconds() -> float:
    """Return the CPU time of this process and of its finished children."""
    return sum(os.times()[:4])


def run() -> Iterator[Row]:
    for name in REPLICATIONS:
        quick = bool(find(name).quick)
        start = cpu_seconds()
        # One process: the CPU time of a worker that still waits for work is not known.
        with tempfile.TemporaryDirectory() as folder, joblib.parallel_config(n_jobs=1):
            try:
                quietly(partial(replicate, name, quick=quick, folder=folder, progress=False))()
            except DatasetUnavailableError as error:
                seconds, note = float("nan"), str(error)
            else:
                seconds, note = cpu_seconds() - start, "CPU seconds, one process, with compilation"
        yield Row(f"replicate {name}{' --quick' if quick else ''}", 1, seconds, note=note)
