"""The statements about designs and synthetic data, judged by the coverage under each design."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from synthlab.lab.replication.claims import Claim
from synthlab.lab.replication.survey_design.methods import LEVEL

TOLERANCE = 0.02


def _of(rows: pd.DataFrame, *methods: str) -> pd.DataFrame:
    return rows[rows["method"].isin(methods)]


def _said(*methods: str) -> object:
    def numbers(runs: Sequence[pd.DataFrame]) -> str:
        return "; ".join(f"{r.method}, {r.estimand}: {r.coverage:.1%}" for r in _of(runs[0], *methods).itertuples())

    return numbers


def _covers(rows: pd.DataFrame) -> bool:
    return bool(rows["coverage"].between(LEVEL - TOLERANCE, LEVEL + TOLERANCE).all())


def _claim(statement: str, methods: tuple[str, ...], test: object) -> Claim[pd.DataFrame]:
    return Claim("summary", statement, lambda rows: test(_of(rows, *methods)), _said(*methods))  # type: ignore[operator,arg-type]


UNAWARE = ("survey, as a simple random sample", "posterior, unweighted", "synthetic, unweighted")
CENTRED = ("posterior, weighted", "synthetic, weighted")
RULES = ("pseudo-populations, one dataset each", "pseudo-populations, several datasets each")

CLAIMS: tuple[Claim[pd.DataFrame], ...] = (
    _claim(
        "a synthesis that ignores the weights is as biased as the sample: its intervals miss the mean of the population "
        "(coverage below 50 %)",
        UNAWARE,
        lambda rows: (rows.loc[rows["estimand"] == "mean of y", "coverage"] < 0.5).all(),
    ),
    _claim(
        "the pseudo-likelihood takes the bias away (below a quarter of a standard error of the survey)",
        CENTRED,
        lambda rows: (rows["bias"].abs() < 0.25).all(),
    ),
    _claim(
        "its intervals are too short all the same: they cover less often than they claim (below 93 %)",
        CENTRED,
        lambda rows: (rows["coverage"] < LEVEL - TOLERANCE).all(),
    ),
    _claim(
        "adjusted draws of the parameters cover as they claim (to two points)",
        ("posterior, weighted and adjusted",),
        _covers,
    ),
    _claim("pseudo-populations and their rules cover as they claim (to two points)", RULES, _covers),
    _claim(
        "design-based intervals of the survey cover as they claim (to two points)", ("survey, design-based",), _covers
    ),
)
