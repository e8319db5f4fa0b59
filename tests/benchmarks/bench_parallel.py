"""Pieces of work on two workers, beside the same one by one in the same run."""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from unittest import mock

import joblib
import numpy as np
import pandas as pd

import synthlab as sl
from replications import registry
from replications.checkpoints import Pieces
from synthlab._system import parallel
from tests.benchmarks.rows import Row
from tests.benchmarks.timing import best_of, quietly

JOBS = 2


def people(n: int) -> pd.DataFrame:
    rng = np.random.default_rng(3)
    x = rng.normal(size=n)
    levels = {f"q{j}": rng.integers(0, 4, n) + (x > 0) for j in range(6)}
    return pd.DataFrame({"x": x, "y": 1 + x + rng.normal(size=n), "z": x + rng.normal(size=n), **levels})


def against_one(what: str, n: int, action: Callable[[], object], note: str = "") -> Row:
    """Time an action with one job and with two; the workers have been started, and have loaded what they need."""
    seconds = {}
    for jobs in (1, JOBS):
        with joblib.parallel_config(n_jobs=jobs):
            quietly(action)()
            seconds[jobs], _ = best_of(quietly(action), repeats=1)
    return Row(what, n, seconds[JOBS], f"{JOBS} jobs against 1", seconds[1], note)


def replication() -> tuple[int, Callable[[], object]]:
    """Return the number of records of the intruder study, and the work of a piece a job."""
    study = registry.find("intruder")
    size = {**study.quick, "repetitions": JOBS}
    data = study.load(size)
    jobs = [job for job in study.jobs(1, size, data) if job.words.startswith("ridge")]

    def finish() -> None:
        with tempfile.TemporaryDirectory() as folder:
            Pieces(Path(folder), {}).finish(jobs)

    return len(data.frame), finish


def quick(name: str) -> Row:
    """Time the quick run of a replication, a process of its own, on two jobs and on one; the note has its CPU seconds."""
    seconds, cpu = {}, {}
    for jobs in (1, JOBS):
        command = [sys.executable, "-m", "synthlab.cli", "replicate", name, "--quick", "--jobs", str(jobs)]
        with tempfile.TemporaryDirectory() as folder:
            before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
            subprocess.run(command, cwd=folder, check=True, capture_output=True)
            after, seconds[jobs] = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter() - start
        cpu[jobs] = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    note = f"CPU {cpu[JOBS]:.1f} s, with one job {cpu[1]:.1f} s"
    return Row(f"replicate {name} --quick", 1, seconds[JOBS], f"{JOBS} jobs against 1", seconds[1], note)


def run() -> Iterator[Row]:
    frame = people(20_000)
    trees = sl.CART(["y", "z", "q0", "q1"], predictors=["x", "q4"]).fit(frame, rng=1)
    with mock.patch.object(parallel, "_pays", return_value=True):  # as if it were not asked
        yield against_one("generate, CART, m = 10", len(frame), partial(trees.generate, m=10, rng=2))
    gibbs = sl.FiniteMixture("y ~ x + q0", classes=5, weighting="component")
    few = frame.head(2_000)
    yield against_one(
        "chains of FiniteMixture, 4 chains", len(few), partial(gibbs.fit, few, rng=1, chains=4, tune=100, draws=50)
    )
    categories = frame.filter(like="q").astype("category").head(10_000)
    dpmpm = sl.DPMPM(list(categories), classes=20)
    yield against_one(
        "chains of DPMPM, 4 chains",
        len(categories),
        partial(dpmpm.fit, categories, rng=1, chains=4, tune=200, draws=100),
    )
    yield against_one("intruder replication, a piece a job", *replication())
    yield quick("gamma-family")
    yield quick("intruder")
