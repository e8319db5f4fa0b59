"""The coverage of intervals for a population, from surveys with an informative design and synthetic data made of them.

Surveys are drawn again and again from one population, and synthesized: without their weights, by pseudo-likelihood, with
draws adjusted for the design, and by way of pseudo-populations.
"""

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
from replications.claims import judge
from replications.paper_tables import read_claims
from replications.published import compare
from replications.study import Result, Study, Tables
from replications.survey_design.claims import CLAIMS, reasons
from replications.survey_design.methods import LEVEL, METHODS, NESTED, POPULATIONS, M, intervals
from replications.survey_design.sampling import DESIGNS, PEOPLE, SAMPLE, populations
from replications.widths import widths_of
from synthlab import _rng

PAPER = "Savitsky & Toth; Williams & Savitsky; Mathur, Si & Reiter"
SEED = 20240502
PIECE = 25  # repetitions


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class SurveyDesignResult(Result):
    """Coverage of the intervals, by design, method and estimand.

    Attributes
    ----------
    coverage : pandas.DataFrame
        One row per combination: ``design``, ``method``, ``estimand``, ``coverage`` in [0, 1], ``mc_error`` (its Monte-Carlo standard
        error), ``bias`` of the estimate in standard deviations of the design-based one, ``median_width``, ``width_90`` and
        ``width_99`` (quantiles of the width of the intervals), ``unbounded`` (share of intervals with fewer than 1 degree of
        freedom, which have no bounds), ``repetitions``.
    """

    coverage: pd.DataFrame

    def to_frame(self) -> pd.DataFrame:
        """Return the table, one row per design, method and estimand."""
        return self.coverage.copy()

    def summary(self) -> pd.DataFrame:
        """Return coverage in per cent, one row per method, one column per design and estimand."""
        table = self.coverage.assign(coverage=100 * self.coverage["coverage"])
        wide = table.pivot(index="method", columns=["design", "estimand"], values="coverage")
        return wide.loc[list(METHODS)]

    def describe(self) -> str:
        """Return a summary in a few sentences."""
        repetitions = int(self.coverage["repetitions"].iloc[0])
        error = 100 * np.sqrt(LEVEL * (1 - LEVEL) / repetitions)
        return (
            f"Coverage in percent of {LEVEL:.0%} intervals in {repetitions:,} surveys of about {SAMPLE} of {PEOPLE:,} people. People with a large y "
            f"are more likely to be drawn, especially if x is large. There are m = {M} synthetic datasets, or {POPULATIONS} pseudo-populations with "
            f"one or {NESTED} datasets each. The Monte Carlo standard error of a correct interval is {error:.1f} points."
        )

    def details(self) -> str:
        """Return the coverage and the claims as text."""
        return f"{self.summary().to_string(float_format='{:.1f}'.format)}\n\n{claims.lines(self.claims)}"


class SurveyDesign(Study[SurveyDesignResult]):
    """Coverage under an informative design."""

    name, paper = "survey_design", PAPER
    result, seed = SurveyDesignResult, SEED
    full = MappingProxyType({"repetitions": 1000})
    quick = MappingProxyType({"repetitions": 25})
    takes = ("about four minutes of one core", "ten seconds")
    raw = MappingProxyType({"coverage": 4})

    def jobs(self, seed: int, size: Mapping[str, Any], data: Any) -> list[Job]:
        """Return the work of every piece: some repetitions of one design."""
        every = size["repetitions"]
        return [
            Job(f"{DESIGNS[number]}, {first}", f"{number}_{first:05d}", partial(_piece, seed, number, every, first))
            for number in range(len(DESIGNS))
            for first in range(0, every, PIECE)
        ]

    def collect(self, pieces: checkpoints.Pieces, data: Any) -> Tables:
        """Return the table of coverage."""
        rows: list[dict[str, Any]] = []
        for prefix in sorted({name.split("_")[0] for name in pieces.names("")}):
            parts = [pieces.read(name) for name in pieces.names(f"{prefix}_")]
            ends = np.concatenate([arrays["ends"] for _, arrays in parts])
            truth = parts[0][0]
            rows += _count(str(truth["design"].iloc[0]), truth.set_index("estimand")["truth"], ends)
        return {"coverage": pd.DataFrame(rows)}

    def derive(self, raw: Tables) -> dict[str, Any]:
        """Return the claims; no numbers of others are compared."""
        table = raw["coverage"]
        found = [
            judge(PAPER, str(design), read_claims("survey_design"), CLAIMS, [rows], reasons=reasons(rows))
            for design, rows in table.groupby("design", sort=False)
        ]
        return {"claims": pd.concat(found, ignore_index=True), "published": compare(PAPER, {}, {})}


def _piece(seed: int, number: int, every: int, first: int) -> checkpoints.Piece:
    """Return the intervals of the repetitions of one design from `first` on, shape (repetitions, methods, 2, 3)."""
    population, ends = populations(seed)[number], []
    for stream in _rng.spawn(seed + 1 + number, every)[first : first + PIECE]:
        one, other = _rng.spawn(stream, 2)
        ends.append(intervals(population.draw(one), population.design, other))
    truth = pd.DataFrame({"estimand": list(population.truth), "truth": list(population.truth.values())})
    return truth.assign(design=population.name), {"ends": np.stack(ends)}


def _count(design: str, truth: pd.Series, ends: Any) -> list[dict[str, Any]]:
    rows = []
    for place, (estimand, value) in enumerate(truth.items()):
        scale = ends[:, METHODS.index("survey, design-based"), place, 0].std(ddof=1)
        for number, method in enumerate(METHODS):
            estimate, lower, upper = ends[:, number, place].T
            share = float(((lower <= value) & (value <= upper)).mean())
            rows.append(
                {
                    "design": design,
                    "method": method,
                    "estimand": estimand,
                    "coverage": share,
                    "mc_error": float(np.sqrt(share * (1 - share) / len(ends))),
                    "bias": float((estimate.mean() - value) / scale),
                    **widths_of(np.column_stack([lower, upper])),
                    "repetitions": len(ends),
                }
            )
    return rows


STUDY = SurveyDesign()
run, recorded, summary = STUDY.run, STUDY.recorded, STUDY.summary
