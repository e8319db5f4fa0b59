"""Utility measures of a survey of 5,000 people, compared with synthpop on the same files in the same run."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import synthlab as sl
from tests.benchmarks.rows import Row
from tests.benchmarks.timing import best_of, quietly, r_seconds
from tests.benchmarks.wide import wide_release, wide_survey

N, COLUMNS, M = 5_000, 14, 3
INTRUDER = sl.Intruder(known=["region", "sex", "age"], synthesized=["job"])

R_SCRIPT = """
args <- commandArgs(TRUE)
suppressMessages(library(synthpop))
read <- function(path) read.csv(path, stringsAsFactors = TRUE)
survey <- read(args[2]); made <- lapply(args[-(1:2)], read)
known <- c("region", "sex", "age")
object <- list(syn = made, m = length(made), k = nrow(survey)); class(object) <- "synds"
t <- system.time(switch(args[1],
  logit = utility.gen(made, survey, method = "logit", maxorder = 0, resamp.method = "none", print.flag = FALSE),
  cart = utility.gen(made, survey, method = "cart", resamp.method = "none", print.flag = FALSE),
  twoway = utility.tables(made, survey, tables = "twoway", plot = FALSE, print.tabs = FALSE),
  unique = replicated.uniques(object, survey, keys = known),
  disclosure = disclosure(object, survey, keys = known, target = "job", print.flag = FALSE, plot = FALSE)
))
cat("seconds", sum(t[c("user.self", "sys.self")]))
"""


def run() -> Iterator[Row]:
    survey = wide_survey(N, COLUMNS)
    made = wide_release(survey, M)
    works: dict[str, tuple[str, Callable[[], object]]] = {
        "pMSE, logistic": ("logit", lambda: sl.pmse(survey, made)),
        "pMSE, tree, null from pairs": ("cart", lambda: sl.pmse(survey, made, model="cart", null="pairs", rng=1)),
        "pMSE, tree, null of 50 permutations": ("cart", lambda: sl.pmse(survey, made, model="cart", rng=1)),
        "two-way tables": ("twoway", lambda: sl.table_utility(survey, made)),
        "replicated uniques": ("unique", lambda: sl.replicated_uniques(survey, made, INTRUDER)),
        "DiSCO": ("disclosure", lambda: sl.attribute_disclosure(survey, made, INTRUDER, target="job")),
    }
    with tempfile.TemporaryDirectory() as folder:
        paths = [str(Path(folder) / f"{number}.csv") for number in range(1 + M)]
        for frame, path in zip([survey, *made], paths, strict=True):
            frame.to_csv(path, index=False)
        for what, (name, work) in works.items():
            quietly(work)()  # compile
            seconds, _ = best_of(quietly(work), 1, time.process_time)
            peer, reason = r_seconds(R_SCRIPT, name, *paths, package="synthpop")
            note = reason or ("CPU time; synthpop without a null" if name == "cart" else "CPU time")
            yield Row(f"{what}, {COLUMNS} columns, m = {M}", N, seconds, f"synthpop: {name}", peer, note)
