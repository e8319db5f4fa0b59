"""NestedDPMPM beside NestedCategBayesImpute, iteration for iteration."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

from synthlab.crosscheck import nested_households
from tests.benchmarks.rows import Row
from tests.benchmarks.timing import best_of, quietly, r_seconds

ITERATIONS = 200

R_SCRIPT = """
args <- commandArgs(TRUE)
suppressMessages(library(NestedCategBayesImpute))
file <- read.csv(args[1]); n <- as.integer(args[2])
data <- list(household = file, individual_variable_index = 3:7, household_variable_index = 8:9, hasMissingData = FALSE)
orig <- initData(data)
hyper <- list(FF = 4, SS = 3, aa = .25, ab = .25, ba = .25, bb = .25, dHH = c(max(file$ownership), 2), blocksize = 1000)
run <- function(n) {
  mc <- list(nrun = n, burn = 0, thin = 10, eff.sam = n / 10)
  quiet <- file(nullfile(), "w"); sink(quiet); on.exit({ sink(); close(quiet) })
  RunModel(orig, mc, hyper, initParameters(orig, hyper, FALSE), initOutput(orig, hyper, mc), NULL, 3:7, 8:9, FALSE, FALSE,
           c(1, 1), data, Parallel = FALSE)
}
t <- min(replicate(3, system.time(run(n))[["elapsed"]]))
cat("seconds", t)
"""


def run() -> Iterator[Row]:
    """One chain on each side; the best of three; compilation is not counted."""
    file = nested_households.households()
    model = nested_households.model("by size")

    def fit(iterations: int) -> object:
        return model.fit(file, rng=1, tune=iterations - 8 * model.thin, draws=8, chains=1)

    quietly(lambda: fit(100))()
    seconds = best_of(quietly(lambda: fit(ITERATIONS)), repeats=3)[0]
    table = file.assign(
        Hhindex=file["hhid"].rank(method="dense").astype(int), pernum=file.groupby("hhid").cumcount() + 1,
        sex=1 + (file["sex"] == "male"), race=file["educ"].astype(int) + 1, hisp=1 + file["works"],
        relate=file["relation"].map({"head": 1, "partner": 2, "child": 3}),
        ownership=file["tenure"].astype(str).map({"owner": 1, "tenant": 2, "free": 3}),
        householdsize=file.groupby("hhid")["hhid"].transform("size"),
    )  # fmt: skip
    columns = ["Hhindex", "pernum", "sex", "race", "hisp", "age", "relate", "ownership", "householdsize"]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "households.csv"
        table[columns].to_csv(path, index=False)
        r, reason = r_seconds(R_SCRIPT, str(path), str(ITERATIONS), package="NestedCategBayesImpute")
    what = f"NestedDPMPM, {ITERATIONS} iterations, 4 household and 3 person classes"
    yield Row(what, file["hhid"].nunique(), seconds, "NestedCategBayesImpute (R, C++)", r, reason)
