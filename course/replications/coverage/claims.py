"""Tests of the statements of lecture 7 about interval coverage under one design."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from replications.claims import Check
from replications.coverage.intervals import NAIVE

LEVEL = 0.95
TOLERANCE = 0.02


def _numbers(rows: Sequence[pd.DataFrame]) -> str:
    parts = [f"{r.method}, m = {r.m}, {r.estimand}: {r.coverage:.1%}" for r in rows[0].itertuples()]
    return "; ".join(parts)


def _naive(method: str) -> Check[pd.DataFrame]:
    """Return the test that the intervals of a naive method cover too rarely."""

    def of(rows: pd.DataFrame) -> pd.DataFrame:
        return rows[rows["method"] == method]

    return Check(lambda rows: (of(rows)["coverage"] < LEVEL - TOLERANCE).all(), lambda runs: _numbers([of(runs[0])]))


def _right(rows: pd.DataFrame) -> pd.DataFrame:
    return rows[~rows["method"].isin(NAIVE)]


CLAIMS: Mapping[str, Check[pd.DataFrame]] = {
    "right_rule": Check(lambda rows: _right(rows)["as_claimed"].all(), lambda runs: _numbers([_right(runs[0])])),
    "no_between": _naive("no_between"),
    "one_as_real": _naive("one_as_real"),
    "stacked_as_real": _naive("stacked_as_real"),
}
