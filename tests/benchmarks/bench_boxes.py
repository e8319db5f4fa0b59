"""Matching within intervals of two and three variables: halving beside scanning, and beside IdentificationRiskCalculation."""

from __future__ import annotations

import tempfile
from pathlib import Path
from unittest import mock

import numpy as np
import pandas as pd

import synthlab as sl
from synthlab import datasets
from synthlab.matching import range_counting
from tests.benchmarks.rows import Row
from tests.benchmarks.timing import best_of, peak_memory_gb, quietly, r_seconds

RADIUS = 0.2
SCANNED = 20_000  # records at which looking at every candidate is bearable
SIZES = (20_000, 50_000, 100_000, 200_000)
LARGE = 1_000_000
DATASETS = 20
KNOWN, MEASURED = ["Educ", "Marital"], ["Expenditure", "Income"]

R_SCRIPT = """
folder <- commandArgs(TRUE)[1]
read <- function(name) {
  data <- read.csv(file.path(folder, name))
  for (v in c("Educ", "Marital", "Urban", "Tenure")) data[[v]] <- factor(data[[v]])
  data
}
conf <- read("confidential.csv"); syn <- lapply(sprintf("synthetic_%d.csv", 1:20), read)
t <- system.time(r <- IdentificationRiskCalculation::IdentificationRisk(
  conf, syn, c("Educ", "Marital"), c("Expenditure", "Income"), r = c(0.2, 0.2)))
cat("risk", format(sum(r$exp.risk_vector), digits = 15), "seconds", t[["elapsed"]])
"""


def survey(n: int, k: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return n records of k measurements in one block, and a release of them."""
    rng = np.random.default_rng(n + k)
    people = pd.DataFrame({f"y{j}": rng.lognormal(10, 1, n).round() for j in range(k)})
    return people, (people * rng.lognormal(0, 0.3, (n, k))).round()


def match(people: pd.DataFrame, release: object, known: list[str], measured: list[str]) -> sl.IdentificationRiskResult:
    someone = sl.Intruder(known=known, synthesized=measured, radius=dict.fromkeys(measured, RADIUS), convention="irc")
    return quietly(lambda: sl.identification_risk(people, release, someone))()


def several(k: int) -> list[Row]:
    what, rows = f"identification_risk with baseline, {k} variables in one block", []
    for n in (*SIZES, LARGE):
        people, release = survey(n, k)
        names = list(people.columns)
        seconds, found = best_of(lambda: match(people, release, [], names), repeats=3 if n < LARGE else 1)  # noqa: B023
        row = Row(what, n, seconds, grows="n")
        if n == SCANNED:
            with mock.patch.object(range_counting, "STEP", np.inf):
                other, scanned = best_of(lambda: match(people, release, [], names), repeats=1)  # noqa: B023
            same = np.array_equal(found.match_count, scanned.match_count)
            row = Row(what, n, seconds, "every candidate looked at", other, "same counts" if same else "DIFFERS", "n")
        if n == LARGE:
            row = Row(what, n, seconds, note=f"peak memory {peak_memory_gb():.2f} GB", grows="n")
        rows.append(row)
    return rows


def expenditure_survey() -> Row:
    people = datasets.load("ce", version="simulated").frame
    rng = np.random.default_rng(1)
    noise = [rng.lognormal(0, 0.3, (len(people), 2)) for _ in range(DATASETS)]
    release = [people.assign(**(people[MEASURED] * one).round()) for one in noise]
    seconds, found = best_of(lambda: match(people, release, KNOWN, MEASURED), repeats=5)
    with tempfile.TemporaryDirectory() as folder:
        for number, frame in enumerate([people, *release]):
            name = f"synthetic_{number}" if number else "confidential"
            frame.to_csv(Path(folder) / f"{name}.csv", index=False)
        r, reason = r_seconds(R_SCRIPT, folder, package="IdentificationRiskCalculation")
    peer = "IdentificationRiskCalculation (R, C++)"
    note = reason or f"m = {DATASETS}, 2 variables; sum of expected match risks {found.expected_match_risk.sum():.6f}"
    return Row("identification_risk, CE", len(people), seconds, peer, r, note)


def run() -> list[Row]:
    match(*survey(2_000, 2), [], ["y0", "y1"])  # compile
    match(*survey(2_000, 3), [], ["y0", "y1", "y2"])
    return [*several(2), *several(3), expenditure_survey()]
