"""An evaluation of a wide survey: CPU against records, and beside synthpop on the same files."""

from __future__ import annotations

import tempfile
import time
import warnings
from collections.abc import Iterator
from pathlib import Path

import pandas as pd

import synthlab as sl
from synthlab.exceptions import SynthlabWarning
from tests.benchmarks.rows import Row
from tests.benchmarks.timing import peak_memory_gb, r_seconds
from tests.benchmarks.wide import CHANGED, KNOWN, wide_release, wide_survey

WHO = sl.Intruder(known=KNOWN, synthesized=CHANGED, radius={"income": 0.2, "spending": 0.2})
COLUMNS, M = 58, 2
SIZES = (6_250, 15_000, 40_000, 100_000)
SMALL = 5_000

R_SCRIPT = """
args <- commandArgs(TRUE)
suppressMessages(library(synthpop))
read <- function(path) read.csv(path, stringsAsFactors = TRUE)
survey <- read(args[1]); made <- lapply(args[-1], read)
t <- system.time({
  utility.gen(made, survey, method = "logit", maxorder = 0, resamp.method = "none", print.flag = FALSE)
  utility.tables(made, survey, tables = "twoway", plot = FALSE, print.tabs = FALSE)
})
cat("seconds", t[["elapsed"]])
"""


def seconds_of(frame: pd.DataFrame, made: list[pd.DataFrame]) -> tuple[float, float]:
    """Return the CPU and the elapsed seconds of one evaluation that compares all variables."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SynthlabWarning)
        cpu, wall = time.process_time(), time.perf_counter()
        sl.evaluate(frame, made, WHO, variables=list(frame.columns))
    return time.process_time() - cpu, time.perf_counter() - wall


def run() -> Iterator[Row]:
    seconds_of(wide_survey(500), wide_release(wide_survey(500), 1))  # compile
    survey = wide_survey(SIZES[-1])
    for n in SIZES:
        frame = survey.head(n)
        cpu, wall = seconds_of(frame, wide_release(frame, M))
        note = f"CPU; {wall:.1f} s elapsed, peak memory {peak_memory_gb():.2f} GB"
        yield Row(f"evaluate, {COLUMNS} columns, m = {M}", n, cpu, note=note, grows="n")
    frame = wide_survey(SMALL, 20)
    made = wide_release(frame, M)
    cpu, wall = seconds_of(frame, made)
    with tempfile.TemporaryDirectory() as folder:
        paths = [str(Path(folder) / f"{number}.csv") for number in range(1 + M)]
        for one, path in zip([frame, *made], paths, strict=True):
            one.to_csv(path, index=False)
        peer, reason = r_seconds(R_SCRIPT, *paths, package="synthpop")
    note = reason or f"elapsed; of synthpop pMSE of main effects and two-way tables alone; CPU here {cpu:.1f} s"
    yield Row(
        f"evaluate, 20 columns, m = {M}, all measures", SMALL, wall, "synthpop: utility.gen, utility.tables", peer, note
    )
