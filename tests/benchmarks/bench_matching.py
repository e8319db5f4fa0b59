"""The matching kernel beside the loop of the lecture and beside IdentificationRiskCalculation."""

from __future__ import annotations

import tempfile
import warnings
from pathlib import Path

import numpy as np
import pandas as pd

import synthlab as sl
from synthlab.exceptions import SynthlabWarning
from tests.benchmarks.rows import Row
from tests.benchmarks.timing import best_of, r_seconds

KNOWN = ["a", "b", "c"]

R_SCRIPT = """
args <- commandArgs(TRUE)
conf <- read.csv(args[1]); syn <- read.csv(args[2])
for (v in c("a", "b", "c")) { conf[[v]] <- factor(conf[[v]]); syn[[v]] <- factor(syn[[v]]) }
t <- system.time(r <- IdentificationRiskCalculation::IdentificationRisk(conf, list(syn), c("a", "b", "c"), "y", r = 0.1))
cat("risk", format(r$exp.risk_vector, digits = 15), "seconds", t[["elapsed"]])
"""


def survey(n: int, seed: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "a": rng.integers(1, 6, n),
            "b": rng.integers(1, 3, n),
            "c": rng.integers(1, 5, n),
            "y": rng.lognormal(10, 1, n),
        }
    )
    return frame, frame.assign(y=frame["y"] * rng.lognormal(0, 0.3, n))


def lecture_loop(confidential: pd.DataFrame, synthetic: pd.DataFrame, r: float) -> float:
    """The lecture's way: compare every target with every record, column by column."""
    known = [(confidential[c].to_numpy(), synthetic[c].to_numpy()) for c in KNOWN]
    y, z = confidential["y"].to_numpy(), synthetic["y"].to_numpy()
    total = 0.0
    for i in range(len(y)):
        match = (z <= y[i] + r * abs(y[i])) & (z >= y[i] - r * abs(y[i]))
        for here, there in known:
            match &= there == here[i]
        if match[i]:
            total += 1 / match.sum()
    return total


def match_risk(confidential: pd.DataFrame, synthetic: pd.DataFrame, **options: object) -> float:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SynthlabWarning)
        risk = sl.identification_risk(
            confidential, synthetic, sl.Intruder(known=KNOWN, synthesized=["y"], radius={"y": 0.1}, **options)
        )
    return float(risk.expected_match_risk[0])


def run() -> list[Row]:
    rows = []
    match_risk(*survey(100, 0))  # compile
    for n in (5_000, 20_000):
        pair = survey(n, n)
        seconds, answer = best_of(lambda pair=pair: match_risk(*pair))
        loop, check = best_of(lambda pair=pair: lecture_loop(*pair, 0.1), repeats=1)
        same = "same answer" if np.isclose(answer, check, rtol=1e-12) else f"DIFFERS: {answer} {check}"
        rows.append(Row("identification_risk", n, seconds, "lecture loop (NumPy)", loop, same))
    pair = survey(20_000, 1)
    seconds, _ = best_of(lambda: match_risk(*pair, convention="irc"))
    with tempfile.TemporaryDirectory() as folder:
        paths = [str(Path(folder) / name) for name in ("confidential.csv", "synthetic.csv")]
        for frame, path in zip(pair, paths, strict=True):
            frame.to_csv(path, index=False)
        r, reason = r_seconds(R_SCRIPT, *paths, package="IdentificationRiskCalculation")
    peer = "IdentificationRiskCalculation (R, C++)"
    rows.append(Row("identification_risk, irc", 20_000, seconds, peer, r, reason))
    return rows
