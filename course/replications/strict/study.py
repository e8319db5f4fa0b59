"""Utility of strict and re-weighted mechanisms at equal epsilon."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd

from replications import checkpoints, claims
from replications.checkpoints import Job
from replications.claims import Rows, judge
from replications.paper_tables import read_claims
from replications.published import compare
from replications.strict.claims import CLAIMS
from replications.strict.fits import CASES, repeat
from replications.study import Result, Study, Tables

PAPER = "Hu, Williams & Savitsky; Hu, Savitsky & Williams"
SEED = 20241122
SHOWN = ("epsilon", "mean weight", "share clipped", "strict", "U_m", "mean, error", "90 % quantile, error")


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class StrictResult(Result):
    """The mechanisms at equal epsilon.

    Attributes
    ----------
    mechanisms : pandas.DataFrame
        One row per case, repetition, mechanism and scale c: ``bound``, ``epsilon`` of one dataset for leave-one-out neighbours, ``mean
        weight``, ``share clipped``, ``strict`` (1 or 0), ``U_m``, and of mean and 90 % quantile the relative error and that of one
        dataset.
    """

    mechanisms: pd.DataFrame

    def to_frame(self) -> pd.DataFrame:
        """Return the table, one row per case, repetition, mechanism and scale."""
        return self.mechanisms.copy()

    def means(self) -> pd.DataFrame:
        """Return the means over the repetitions, one row per case, scale and mechanism."""
        keys = ["case", "scale", "mechanism"]
        return self.mechanisms.groupby(keys, sort=False)[list(SHOWN)].mean()

    def describe(self) -> str:
        """Return a summary in a few sentences."""
        repetitions = int(self.mechanisms["repetition"].nunique())
        return (
            f"Means over {repetitions} files of each kind, each fitted under every mechanism; epsilon is for one dataset and leave-one-out "
            "neighbours, the clipped mechanisms have that of the weighted one at the same scale. 20 datasets are released for the measures."
        )

    def details(self) -> str:
        """Return the means and the claims as text."""
        return f"{self.means().to_string(float_format='{:.3g}'.format)}\n\n{claims.lines(self.claims)}"


class Strict(Study[StrictResult]):
    """Clipping and re-weighting beside the weighted mechanism."""

    name, paper = "strict", PAPER
    result, seed = StrictResult, SEED
    full = MappingProxyType({"repetitions": 4, "sampler": {"draws": 250, "thin": 4, "tune": 1000, "chains": 4}})
    quick = MappingProxyType({"repetitions": 1, "sampler": {"draws": 100, "thin": 2, "tune": 600, "chains": 4}})
    takes = ("about a minute of one core", "ten seconds")
    raw = MappingProxyType({"mechanisms": 4})

    def jobs(self, seed: int, size: Mapping[str, Any], data: Any) -> list[Job]:
        """Return the work of every piece: one repetition of one case."""
        return [
            Job(f"{name}, {i + 1}", f"{number}_{i:03d}", partial(_piece, seed, number, i, dict(size["sampler"])))
            for i in range(size["repetitions"])
            for number, name in enumerate(CASES)
        ]

    def collect(self, pieces: checkpoints.Pieces, data: Any) -> Tables:
        """Return the table of all repetitions."""
        return {"mechanisms": pd.concat([pieces.read(name)[0] for name in pieces.names("")], ignore_index=True)}

    def derive(self, raw: Tables) -> dict[str, Any]:
        """Return the claims; the abstracts print no numbers."""
        found = []
        for name, rows in raw["mechanisms"].groupby("case", sort=False):
            runs = [Rows(part, "scale") for _, part in rows.groupby("repetition", sort=False)]
            found.append(judge(PAPER, str(name), read_claims("strict"), CLAIMS, runs))
        return {"claims": pd.concat(found, ignore_index=True), "published": compare(PAPER, {}, {})}


def _piece(seed: int, number: int, repetition: int, sampler: Mapping[str, int]) -> checkpoints.Piece:
    rows = repeat(CASES[number], np.random.SeedSequence([seed, number, repetition]), sampler)
    rows.insert(1, "repetition", repetition)
    return rows, {}


STUDY = Strict()
run, recorded, summary = STUDY.run, STUDY.recorded, STUDY.summary
