"""Trees one after the other on a mixed survey, beside synthpop's syn on the same file in the same run."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import synthlab as sl
from tests.benchmarks.rows import Row
from tests.benchmarks.timing import best_of, quietly, r_seconds
from tests.benchmarks.wide import wide_survey

N, COLUMNS, M = 4_185, 10, 3
LOST = 0.1  # share of the cells that are missing, where some are

R_SCRIPT = """
args <- commandArgs(TRUE)
suppressMessages(library(synthpop))
survey <- read.csv(args[1], stringsAsFactors = TRUE, na.strings = "")
t <- min(replicate(2, system.time(syn(survey, m = as.integer(args[2]), method = "cart", smoothing = args[3],
  seed = 1, print.flag = FALSE))[["elapsed"]]))
cat("seconds", t)
"""


def run() -> Iterator[Row]:
    complete = wide_survey(N, COLUMNS)
    holed = complete.mask(np.random.default_rng(1).random(complete.shape) < LOST)
    for survey, smoothing, kernel, note in (
        (complete, None, "", ""),
        (complete, "normal", "density", ", smoothed"),
        (holed, None, "", f", {LOST:.0%} missing"),
    ):
        model = sl.CART(list(survey.columns), min_leaf=5, smoothing=smoothing)
        action = quietly(lambda model=model, survey=survey: model.fit(survey, rng=1).generate(m=M, rng=1))
        first, _ = best_of(action, repeats=1)
        seconds, _ = best_of(action)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "survey.csv"
            survey.to_csv(path, index=False)
            peer, reason = r_seconds(R_SCRIPT, str(path), str(M), kernel, package="synthpop")
        what = f"CART, {COLUMNS} mixed variables, m = {M}{note}"
        yield Row(what, N, seconds, "synthpop: syn", peer, reason or f"{first:.2f} s the first time")
