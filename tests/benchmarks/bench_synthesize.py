"""A whole file in one call, with missing values and smoothing, beside synthpop's syn with default arguments."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

import synthlab as sl
from tests.benchmarks.rows import Row
from tests.benchmarks.timing import best_of, quietly, r_seconds

N, M = 4_185, 3

R_SCRIPT = """
args <- commandArgs(TRUE)
suppressMessages(library(synthpop))
survey <- read.csv(args[1], na.strings = "", stringsAsFactors = TRUE)
t <- min(replicate(2, system.time(syn(survey, m = as.integer(args[2]), seed = 1, print.flag = FALSE))[["elapsed"]]))
cat("seconds", t)
"""


def mixed(n: int, seed: int) -> pd.DataFrame:
    """Return ten variables of several kinds, of which some depend on others and six have missing values."""
    rng = np.random.default_rng(seed)
    age = rng.integers(18, 90, n)
    works = rng.random(n) < np.where(age < 66, 0.75, 0.05)
    income = np.where(works, rng.lognormal(7.5, 0.6, n).round(-1), 0.0)
    frame = pd.DataFrame(
        {
            "sex": rng.choice(["m", "f"], n),
            "age": age,
            "region": rng.choice([f"r{k}" for k in range(16)], n),
            "educ": rng.choice(list("abcde"), n),
            "works": np.where(works, "yes", "no"),
            "income": income,
            "hours": np.where(works, rng.normal(36, 9, n).round(), 0.0),
            "height": (165 + 12 * (rng.random(n) < 0.5) + rng.normal(0, 6, n)).round(1),
            "weight": rng.normal(75, 12, n).round(1),
            "health": rng.choice(list("vwxyz"), n),
        }
    )
    for column in ("educ", "income", "hours", "height", "weight", "health"):
        frame.loc[rng.random(n) < 0.08, column] = np.nan
    return frame


def run() -> Iterator[Row]:
    """The best of two a side; what is imported once is no part of it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "survey.csv"
        mixed(N, 1).to_csv(path, index=False)
        frame = sl.read(path)
        quietly(lambda: sl.synthesize(frame.head(100), m=1, rng=1))()
        seconds, _ = best_of(quietly(lambda: sl.synthesize(frame, m=M, rng=1)), repeats=2)
        r, reason = r_seconds(R_SCRIPT, str(path), str(M), package="synthpop")
    note = reason or "10 variables, 8% missing in 6 of them"
    yield Row(f"synthesize, m = {M}, missing values, smoothing", N, seconds, "synthpop::syn (R)", r, note)
