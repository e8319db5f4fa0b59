"""The bound against the number of records (Theorem 3): databases drawn anew from the population of the counts."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from replications.checkpoints import Job, Piece
from replications.dp.data import count_study
from replications.dp.fits import fit_mechanism, fit_plain
from replications.dp.settings import MAIN
from synthlab import _rng, datasets

MECHANISMS = ("Unweighted", "DP")


def size_jobs(seed: int, size: Mapping[str, Any]) -> list[Job]:
    """Return a job a database."""
    return [
        Job(f"bound at n = {n:,}, database {i + 1}", f"size_{n:06d}_{i:03d}", partial(_one, seed, size, n, i))
        for n in size["sizes"]
        for i in range(size["databases"])
    ]


def _one(seed: int, size: Mapping[str, Any], n: int, number: int) -> Piece:
    drawn, first, *seeds = np.random.SeedSequence([seed, 7, n, number]).spawn(2 + len(MECHANISMS))
    frame = datasets.load("nb_mixture", version="simulated", n=n, rng=_rng.as_generator(drawn)).frame
    study = count_study(frame, size)
    plain = fit_plain(study, first)
    row: dict[str, float] = {"n": n, "run": number, "largest": float(frame["outcome"].max())}
    for mechanism, stream in zip(MECHANISMS, seeds, strict=True):
        fit = fit_mechanism(study, mechanism, MAIN, lambda: plain, np.nan, None, stream)
        row[mechanism] = fit.accounting.lipschitz_bound
    return pd.DataFrame([row]), {}


def spread(table: pd.DataFrame) -> pd.DataFrame:
    """Return mean and standard deviation of the bound by number of records."""
    groups = table.groupby("n")
    columns = {
        f"{mechanism}, {what}": getattr(groups[mechanism], what)()
        for mechanism in MECHANISMS
        for what in ("mean", "std")
    }
    return pd.DataFrame({**columns, "databases": groups.size()}).reset_index()
