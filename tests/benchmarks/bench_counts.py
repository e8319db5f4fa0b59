"""A whole census table synthesized, beside R's gamlss.dist on the same cells in the same run."""

from __future__ import annotations

import tempfile
import warnings
from pathlib import Path

import numpy as np

import synthlab.counts as slc
from synthlab import datasets
from synthlab.datasets.esc import ESC_LEVELS, make_esc_counts
from synthlab.exceptions import PseudocountWarning
from tests.benchmarks.rows import Row
from tests.benchmarks.timing import best_of, peak_memory_gb, r_seconds

PSEUDOCOUNT = 0.01
M = 10
TWO_WAY = "(GEOGRAPHY + ETHNICITY + SEX + AGE + LANGUAGE)**2"

R_SCRIPT = """
suppressMessages(library(gamlss.dist))
arguments <- commandArgs(trailingOnly = TRUE)
n <- as.integer(arguments[2])
mu <- readBin(arguments[1], "double", n)
set.seed(1)
seconds <- system.time(y <- {call})[["elapsed"]]
stopifnot(length(y) == n)
cat("seconds", seconds)
"""
CALLS = {
    "GAF": "round(rGAF(n, mu = mu, sigma = 2, nu = -0.5))",
    "NBI": "rNBI(n, mu = mu, sigma = 2)",
}
# qDEL and qSICHEL of R accept one mean at a time reliably, and take seconds for large counts: a few small cells.
FEW, LARGEST = 300, 50
THREE = {
    "Delaporte": (slc.Delaporte(sigma=2, nu=0.5), "mapply(function(m) rDEL(1, m, 2, 0.5), mu)"),
    "Sichel": (slc.Sichel(sigma=2, nu=1), "mapply(function(m) rSICHEL(1, m, 2, 1), mu)"),
}


def r_row(what: str, n: int, seconds: float, call: str, means: Path, note: str) -> Row:
    script = R_SCRIPT.replace("{call}", call)
    peer_seconds, reason = r_seconds(script, str(means), str(n), package="gamlss.dist")
    return Row(what, n, seconds, f"gamlss.dist: {call}", peer_seconds, reason or note)


def run() -> list[Row]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PseudocountWarning)
        return measure()


def three_parameters(mu: np.ndarray) -> list[Row]:
    few = mu[(mu >= 1) & (mu <= LARGEST)][:FEW]
    uniform = np.random.default_rng(1).random(few.size)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        means = Path(folder) / "means.bin"
        few.tofile(means)
        for name, (family, call) in THREE.items():
            full = family.at(few)
            for how, draw, note in (
                ("by inversion", lambda full=full: full.from_uniform(uniform), "the same method"),
                ("by NumPy", lambda full=full: full.rvs(rng=1), "the same law"),
            ):
                seconds, _ = best_of(draw, repeats=1)
                rows.append(r_row(f"{name}, {few.size} small cells {how}", few.size, seconds, call, means, note))
    return rows


def measure() -> list[Row]:
    counts = make_esc_counts()
    table = slc.Table.from_counts(counts, ESC_LEVELS)
    mu = np.where(counts.ravel() > 0, counts.ravel(), PSEUDOCOUNT).astype(np.float64)
    families = {"GAF": slc.GAF(sigma=2, nu=-0.5), "NBI": slc.NBI(sigma=2)}
    seconds, _ = best_of(lambda: datasets.load("esc"), repeats=2)
    rows = [plain("datasets.load, occupied cells", table.n_occupied, seconds)]
    with tempfile.TemporaryDirectory() as folder:
        means = Path(folder) / "means.bin"
        mu.tofile(means)
        for name, family in families.items():
            uniform = np.random.default_rng(1).random(mu.size)
            full = family.at(mu)
            seconds, _ = best_of(lambda full=full, uniform=uniform: full.from_uniform(uniform), repeats=1)
            rows.append(
                r_row(f"{name}, every cell by inversion", mu.size, seconds, CALLS[name], means, "the same method")
            )
            seconds, _ = best_of(lambda full=full: full.rvs(rng=1), repeats=1)
            rows.append(r_row(f"{name}, every cell by NumPy", mu.size, seconds, CALLS[name], means, "the same law"))
            seconds, _ = best_of(lambda family=family: slc.synthesize_table(table, family, rng=1), repeats=2)
            note = "the same law, empty cells together"
            rows.append(r_row(f"{name}, synthesize_table, m = 1", mu.size, seconds, CALLS[name], means, note))
    rows += three_parameters(mu)
    for name, family in families.items():
        seconds, _ = best_of(lambda family=family: slc.synthesize_table(table, family, m=M, rng=1), repeats=1)
        rows.append(plain(f"{name}, synthesize_table, m = {M}", mu.size * M, seconds))
    seconds, _ = best_of(lambda: slc.fit_log_linear(table, TWO_WAY), repeats=1)
    rows.append(plain("all two-way log-linear means", mu.size, seconds))
    seconds, _ = best_of(lambda: slc.expected_tau(table, families["GAF"]), repeats=2)
    rows.append(plain("tau, a priori", mu.size, seconds))
    seconds, _ = best_of(lambda: slc.expected_loss(table, families["GAF"]), repeats=2)
    rows.append(plain("expected loss, exact", mu.size, seconds))
    return rows


def plain(what: str, n: int, seconds: float) -> Row:
    return Row(what, n, seconds, note=f"peak memory so far {peak_memory_gb():.2f} GB")
