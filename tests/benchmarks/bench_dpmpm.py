"""DPMPM beside NPBayesImputeCat, iteration for iteration."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

import synthlab as sl
from tests.benchmarks.rows import Row
from tests.benchmarks.timing import best_of, quietly, r_seconds

CLASSES, ITERATIONS = 40, 400

R_SCRIPT = """
args <- commandArgs(TRUE)
suppressMessages(library(NPBayesImputeCat))
survey <- read.csv(args[1]); for (v in names(survey)) survey[[v]] <- factor(survey[[v]])
model <- CreateModel(survey, NULL, as.integer(args[2]), 0, 0.25, 0.25, seed = 1)
model$Run(0, 10, 1, TRUE)
t <- min(replicate(3, system.time(model$Run(0, as.integer(args[3]), 1, TRUE))[["elapsed"]]))
cat("seconds", t)
"""


def categories(n: int, seed: int) -> pd.DataFrame:
    """Return nine dependent categorical variables, with the numbers of levels of the ACS sample."""
    rng = np.random.default_rng(seed)
    group = rng.integers(0, 6, n)
    frame = {}
    for j, size in enumerate((2, 9, 5, 2, 8, 2, 2, 3, 3)):
        probability = rng.dirichlet(np.full(size, 0.5), size=6)
        cumulative = probability.cumsum(axis=1)[group, :-1]
        frame[f"v{j}"] = 1 + (rng.random((n, 1)) > cumulative).sum(axis=1)
    return pd.DataFrame(frame)


def run() -> Iterator[Row]:
    """One chain a side, then two here on two cores beside R's one; the best of three; compilation is not counted."""
    frame = categories(10_000, 1)
    names = list(frame.columns)
    plain = sl.DPMPM(names, classes=CLASSES, thin=1)
    zeros = sl.DPMPM(names, classes=CLASSES, thin=1, constraints=[sl.AllowedCombinations(names[:6])])

    def timed(model: sl.DPMPM, chains: int) -> float:
        def fit(iterations: int) -> object:
            return model.fit(frame, rng=1, tune=iterations - 8, draws=8, chains=chains)

        quietly(lambda: fit(20))()
        return best_of(quietly(lambda: fit(ITERATIONS)), repeats=3)[0]

    seconds = timed(plain, 1)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "survey.csv"
        frame.to_csv(path, index=False)
        r, reason = r_seconds(R_SCRIPT, str(path), str(CLASSES), str(ITERATIONS), package="NPBayesImputeCat")
    rates = f"{ITERATIONS / seconds:,.0f} iterations/s"
    rates += f", R {ITERATIONS / r:,.0f}" if r else f"; {reason}"
    what = f"DPMPM, {ITERATIONS} iterations, {CLASSES} classes, 1 chain"
    yield Row(what, len(frame), seconds, "NPBayesImputeCat (R, C++)", r, rates)
    twice = None if r is None else 2 * r
    note = "R one after the other"
    yield Row(what.replace("1 chain", "2 chains"), len(frame), timed(plain, 2), "NPBayesImputeCat", twice, note)
    note = "the combinations of 6 variables that occur, 328 impossible boxes"
    yield Row("DPMPM with structural zeros", len(frame), timed(zeros, 1), "without them", seconds, note)
