"""The lecture's claims about the intervals, judged by the rows of the summary of one design."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from synthlab.replication.claims import Claim
from synthlab.replication.coverage.intervals import NAIVE

LEVEL = 0.95
TOLERANCE = 0.02


def _numbers(rows: Sequence[pd.DataFrame]) -> str:
    parts = [f"{r.method}, m = {r.m}, {r.estimand}: {r.coverage:.1%}" for r in rows[0].itertuples()]
    return "; ".join(parts)


def _naive(method: str, words: str) -> Claim[pd.DataFrame]:
    def of(rows: pd.DataFrame) -> pd.DataFrame:
        return rows[rows["method"] == method]

    return Claim(
        "summary",
        f"{words} covers less often than it claims (below {LEVEL - TOLERANCE:.0%})",
        lambda rows: (of(rows)["coverage"] < LEVEL - TOLERANCE).all(),
        lambda runs: _numbers([of(runs[0])]),
    )


def _right(rows: pd.DataFrame) -> pd.DataFrame:
    return rows[~rows["method"].isin(NAIVE)]


CLAIMS: tuple[Claim[pd.DataFrame], ...] = (
    Claim(
        "summary",
        "the combining rule made for the design covers as often as it claims (to two points)",
        lambda rows: _right(rows)["as_claimed"].all(),
        lambda runs: _numbers([_right(runs[0])]),
    ),
    _naive("no_between", "leaving out the spread between the datasets"),
    _naive("one_as_real", "one synthetic dataset taken for a survey"),
    _naive("stacked_as_real", "all synthetic datasets taken for one survey"),
)
