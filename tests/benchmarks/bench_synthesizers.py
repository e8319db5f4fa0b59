"""The synthesizers: DPMPM beside NPBayesImputeCat, merged against single records, first fit against refit."""

from __future__ import annotations

import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from unittest import mock

import numpy as np
import pandas as pd

import synthlab as sl
from synthlab.exceptions import SynthlabWarning
from synthlab.synthesizers import negative_binomial
from tests.benchmarks.timing import best_of, r_seconds

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


def counts(n: int, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 3, n)
    mean = np.exp(0.5 + 0.4 * x)
    return pd.DataFrame({"y": rng.negative_binomial(2, 2 / (2 + mean)), "x": x})


def quietly(action: Callable[[], object]) -> Callable[[], object]:
    """Return the action without warnings: the chains are short here, and timed only."""

    def run_it() -> object:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SynthlabWarning)
            return action()

    return run_it


def dpmpm() -> dict:
    """One chain a side, so that neither uses a second core; the best of three; our compilation is not counted."""
    frame = categories(10_000, 1)
    model = sl.DPMPM(list(frame.columns), classes=CLASSES, thin=1)

    def fit(iterations: int) -> object:
        return model.fit(frame, rng=1, tune=iterations - 8, draws=8, chains=1)

    quietly(lambda: fit(20))()
    seconds, _ = best_of(quietly(lambda: fit(ITERATIONS)), repeats=3)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "survey.csv"
        frame.to_csv(path, index=False)
        r, reason = r_seconds(R_SCRIPT, str(path), str(CLASSES), str(ITERATIONS), package="NPBayesImputeCat")
    rates = f"ours {ITERATIONS / seconds:,.0f} iterations/s"
    rates += f", R {ITERATIONS / r:,.0f}" if r else f"; {reason}"
    return {
        "what": f"DPMPM, {ITERATIONS} iterations, {CLASSES} classes, 1 chain",
        "n": len(frame),
        "ours_s": seconds,
        "other": "NPBayesImputeCat (R, C++)",
        "other_s": r,
        "note": rates,
    }


def aggregation() -> dict:
    """The same model, with and without merging the equal records before sampling."""
    frame = counts(5_000, 2)
    model = sl.NegativeBinomial("y ~ x")

    def fit() -> object:
        return model.fit(frame, rng=1, tune=200, draws=200)

    def apart(rows: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return rows, weights

    quietly(fit)()  # compile
    merged, one = best_of(quietly(fit), repeats=1)
    with mock.patch.object(negative_binomial, "aggregate", apart):
        quietly(fit)()  # compile, should the shapes matter
        single, other = best_of(quietly(fit), repeats=1)
    means = [f"{fitted.posterior['phi'].mean():.2f}" for fitted in (one, other)]
    return {
        "what": "NegativeBinomial, equal records merged",
        "n": len(frame),
        "ours_s": merged,
        "other": "every record by itself",
        "other_s": single,
        "note": f"{len(frame.drop_duplicates())} distinct records; posterior mean of phi {means[0]} and {means[1]}",
    }


def refit() -> dict:
    rng = np.random.default_rng(3)
    x = rng.normal(size=1_000)
    frame = pd.DataFrame({"y": 1 + x + rng.normal(size=1_000), "x": x})
    again = frame.assign(y=frame["y"] + rng.normal(size=1_000))
    model = sl.NormalRegression("y ~ x")
    start = time.perf_counter()
    quietly(lambda: model.fit(frame, rng=1))()
    first = time.perf_counter() - start
    seconds, _ = best_of(quietly(lambda: model.fit(again, rng=1)))
    return {
        "what": "NormalRegression, refit on other data",
        "n": len(frame),
        "ours_s": seconds,
        "other": "import, compile and first fit",
        "other_s": first,
        "note": "same process",
    }


def run() -> list[dict]:
    return [refit(), dpmpm(), aggregation()]  # refit first: its compilation must not have happened yet
