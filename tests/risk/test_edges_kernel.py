"""The kernel of matching, codes of equal values, and the expected probability, by double loops."""

from __future__ import annotations

import itertools
import sys
from typing import Any

import numpy as np
import pandas as pd
import pytest

from synthlab.matching.kernel import Intervals, _blocks, block_codes, match_counts
from synthlab.risk.identification.expected_identification_probability import _average


@pytest.mark.parametrize("k", [1, 2, 3])
@pytest.mark.parametrize("closed", [True, False])
@pytest.mark.parametrize("scaled", [True, False])
def test_the_kernel_counts_in_blocks_with_values_that_are_none(k: int, closed: bool, scaled: bool) -> None:
    rng = np.random.default_rng(k)
    values = rng.integers(0, 5, (30, k)).astype(float)
    values[rng.random((30, k)) < 0.15] = np.nan
    codes, own_codes = rng.integers(0, 4, 30), rng.integers(0, 5, 30)
    targets = np.array([0, 3, 4, 9, 17, 29])
    centre = rng.integers(0, 5, (6, k)).astype(float)
    width = rng.integers(0, 3, (6, k)).astype(float)
    centre[2, 0] = np.nan
    intervals = Intervals(centre - width, centre + width, centre, width, closed, scaled and k > 1)
    count, own = match_counts(own_codes, targets, codes, values, intervals)

    def inside(g: int, h: int) -> bool:
        gap = np.abs(values[h] - centre[g])
        if not (gap >= 0).all():
            return False
        if not intervals.scaled:
            return bool((gap <= width[g]).all() if closed else (gap < width[g]).all())
        flat = width[g] == 0
        if (gap[flat] > 0).any() or (flat.any() and not closed):
            return False
        total = float(((gap[~flat] / width[g][~flat]) ** 2).sum())
        return total <= 1 if closed else total < 1

    hits = [[codes[h] == own_codes[t] and inside(g, h) for h in range(30)] for g, t in enumerate(targets)]
    assert count.tolist() == [sum(row) for row in hits]
    assert own.tolist() == [row[t] for row, t in zip(hits, targets, strict=True)]
    count, own = match_counts(own_codes, targets, codes, np.empty((30, 0)), None)
    assert count.tolist() == [int((codes == own_codes[t]).sum()) for t in targets]
    assert own.tolist() == [bool(codes[t] == own_codes[t]) for t in targets]
    upside_down = Intervals(
        np.array([[2.0, 0.0]]), np.array([[1.0, 9.0]]), np.array([[1.5, 4.0]]), np.array([[-0.5, 5.0]]), True
    )
    assert match_counts(np.zeros(3, int), np.array([0]), np.zeros(3, int), np.full((3, 2), 1.5), upside_down)[
        0
    ].tolist() == [0]


def test_runs_of_sorted_codes() -> None:
    starts, stops = _blocks(np.array([2, 2, 5, 7, 7, 7]), np.array([2, 5, 7, 1, 6, 9]))
    assert list(zip(starts.tolist(), stops.tolist(), strict=True)) == [(0, 2), (2, 3), (3, 6), (0, 0), (0, 0), (0, 0)]


def test_codes_of_equal_values_are_equal_on_all_columns() -> None:
    first = pd.DataFrame({"a": [1, 2, 2, 1], "b": ["x", "x", None, "y"], "c": pd.Categorical(["p", None, "q", "p"])})
    other = pd.DataFrame(
        {"a": [2.0, 1.0, 2.0], "b": ["x", "x", None], "c": pd.Categorical(["p", "p", "q"], categories=["q", "p"])}
    )
    for columns in (["a"], ["b"], ["c"], ["a", "b"], ["a", "b", "c"], []):
        rows = [
            tuple(None if pd.isna(v) else v for v in row)
            for f in (first, other)
            for row in f[columns].astype(object).itertuples(index=False, name=None)
        ]
        for missing in ("category", "never"):
            codes = np.concatenate(block_codes([first, other], columns, missing)).tolist()
            for i, j in itertools.combinations(range(7), 2):
                same = rows[i] == rows[j] and not (missing == "never" and None in rows[i])
                assert (codes[i] == codes[j]) == same, (columns, missing, i, j)


class _Fitted:
    """Gives each record and interval a probability that can be looked up."""

    n_draws = 7

    def __init__(self) -> None:
        self.asked: list[int] = []

    def predictive_probability(self, draw: int, lower: Any, upper: Any, rows: Any) -> Any:
        self.asked.append(draw)
        return 1.0 / (2.0 + rows[:, None] + lower[None, :] + draw) + 0.0 * upper


@pytest.mark.parametrize("chunk", [1, 4, 9, 10**6])
def test_the_expected_probability_draw_by_draw_and_pattern_by_pattern(
    chunk: int, monkeypatch: pytest.MonkeyPatch
) -> None:

    module = sys.modules[_average.__module__]

    monkeypatch.setattr(module, "CHUNK", chunk)
    pattern, lower = np.array([0, 1, 0, 0, 1, 2]), np.arange(6.0)
    for draws, chosen in ((1, [0]), (2, [0, 6]), (3, [0, 3, 6]), (7, range(7)), (50, range(7))):
        fitted = _Fitted()
        found = _average(fitted, pattern, lower, lower + 1, draws, False)
        assert sorted(set(fitted.asked)) == list(chosen)
        for i in range(6):
            mates = np.flatnonzero(pattern == pattern[i])
            total = 0.0
            for d in chosen:
                p = {h: 1.0 / (2.0 + h + lower[i] + d) for h in mates}
                total += p[i] * sum(1 - p[h] for h in mates if h != i) / mates.size
            assert found[i] == pytest.approx(total / len(list(chosen)))
