"""Balls, risk weights, frontiers and moles at their edges: by double loops and by all groups of records."""

from __future__ import annotations

import itertools
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab.exceptions import InputError, SingletonPatternWarning, SmallPatternWarning, UndefinedStatisticWarning
from synthlab.matching.kernel import Intervals
from synthlab.weights import _ball_counts


def _intervals(values: np.ndarray, width: np.ndarray, closed: bool, scaled: bool) -> Intervals:
    return Intervals(values - width, values + width, values, width, closed, scaled)


@pytest.mark.parametrize("k", [1, 2, 3])
@pytest.mark.parametrize("closed", [True, False])
@pytest.mark.parametrize("scaled", [True, False])
@pytest.mark.parametrize("chunk", [1, 7, 10**7])
def test_who_is_in_whose_ball(k: int, closed: bool, scaled: bool, chunk: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_ball_counts, "CHUNK", chunk)
    rng = np.random.default_rng(k)
    values, width = rng.integers(0, 5, (25, k)).astype(float), rng.integers(0, 3, (25, k)).astype(float)
    cell, share = rng.integers(0, 3, 25), rng.integers(1, 9, 25) / 8
    scaled = scaled and k > 1
    balls = _intervals(values, width, closed, scaled)

    def holds(i: int, h: int) -> bool:
        gap = np.abs(values[h] - values[i])
        if cell[i] != cell[h]:
            return False
        if not scaled:
            return bool((gap <= width[i]).all() if closed else (gap < width[i]).all())
        flat = width[i] == 0
        if (gap[flat] > 0).any() or (flat.any() and not closed):
            return False
        total = float(((gap[~flat] / width[i][~flat]) ** 2).sum())
        return total <= 1 if closed else total < 1

    plain = np.array([[holds(i, h) for h in range(25)] for i in range(25)])
    assert _ball_counts.balls_round_each(cell, values, balls, False).tolist() == plain.sum(axis=0).tolist()
    assert _ball_counts.sum_in_each_ball(cell, values, balls, share, False).tolist() == pytest.approx(
        (plain @ share).tolist()
    )
    alike = cell[:, None] == cell[None, :]
    assert _ball_counts.balls_round_each(cell, values, None, False).tolist() == alike.sum(axis=0).tolist()
    assert _ball_counts.sum_in_each_ball(cell, values, None, share, False).tolist() == pytest.approx(
        (alike @ share).tolist()
    )


def test_a_record_alone_is_in_its_ball_if_every_variable_says_so() -> None:
    nowhere, values = np.zeros(1, dtype=int), np.array([[3.0, 4.0]])
    for width, closed, inside in (([1.0, 0.0], False, 0), ([1.0, 0.0], True, 1), ([1.0, 1.0], False, 1)):
        balls = _intervals(values, np.array([width]), closed, False)
        assert _ball_counts.balls_round_each(nowhere, values, balls, False).tolist() == [inside]
        assert _ball_counts.sum_in_each_ball(nowhere, values, balls, np.array([0.5]), False).tolist() == [0.5 * inside]


def test_shares_of_groups_are_ratios_of_binomials() -> None:
    from math import comb

    for order in (1, 2, 3, 5):
        size = np.array([1, 2, 2, 3, 6, 6, 6])
        outside = np.array([1, 1, 2, 3, 2, 4, 6])
        found = _ball_counts.group_share(outside, size, order)
        k = [min(order, int(n)) for n in size]
        plain = [comb(g - 1, j - 1) / comb(n - 1, j - 1) for g, n, j in zip(outside, size, k, strict=True)]
        assert found.tolist() == pytest.approx(plain), order


PEOPLE = pd.DataFrame({"k": list("aaaaabbc"), "x": [1.0, 1.5, 2.0, 4.0, 9.0, 2.0, 3.0, 5.0]})


@pytest.mark.filterwarnings("ignore::synthlab.exceptions.SynthlabWarning")
@pytest.mark.parametrize("order", [1, 2, 3, 4, 7])
@pytest.mark.parametrize("boundary", ["closed", "open"])
@pytest.mark.parametrize("singletons", ["formula", "certain"])
def test_risk_weights_by_all_groups(order: int, boundary: Any, singletons: Any) -> None:
    someone = sl.Intruder(known=["k"], synthesized=["x"], radius={"x": 0.5}, boundary=boundary)
    found = sl.risk_weights(PEOPLE, someone, order=order, singletons=singletons, scale=0.5, shift=0.125)

    def holds(j: int, h: int) -> bool:
        gap, width = abs(PEOPLE["x"][h] - PEOPLE["x"][j]), 0.5 * abs(PEOPLE["x"][j])
        return gap <= width if boundary == "closed" else gap < width

    for i in range(8):
        mates = [h for h in range(8) if PEOPLE["k"][h] == PEOPLE["k"][i]]
        k = min(order, len(mates))
        groups = [(i, *rest) for rest in itertools.combinations([h for h in mates if h != i], k - 1)]
        risk = np.mean([sum(not any(holds(j, h) for j in group) for h in mates) / len(mates) for group in groups])
        if singletons == "certain" and len(mates) == 1:
            risk = 1.0
        assert found.weights[i] == pytest.approx(min(0.5 * (1 - risk) + 0.125, 1.0))
    assert found.pattern_size.tolist() == [5] * 5 + [2, 2, 1]
    rows = found.summary()["value"]
    assert rows["records alone in their pattern"] == 1.0
    assert rows["mean weight"] == pytest.approx(found.weights.mean())
    assert rows["smallest weight"] == found.weights.min()
    assert found.to_frame().columns.tolist() == ["pattern_size", "weight"]
    kind = {1: "marginal", 2: "pairwise"}.get(order, f"order {order}")
    assert found.title.startswith(f"Risk weights ({kind}) of 8 records\n")


@pytest.mark.parametrize(("order", "small"), [(1, 0), (2, 2), (4, 2), (5, 7)])
def test_small_patterns_are_warned_of(order: int, small: int) -> None:
    someone = sl.Intruder(known=["k"], synthesized=["x"], radius={"x": 0.5})
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        sl.risk_weights(PEOPLE, someone, order=order)
    told = {w.category: str(w.message) for w in caught}
    assert told[SingletonPatternWarning].startswith("1 of 8 records are alone in their pattern of k")
    assert (SmallPatternWarning in told) == bool(small)
    if small:
        assert told[SmallPatternWarning].startswith(f"order={order}: {small} of 8 records are in a pattern of k")


def test_a_frontier_by_comparing_all_settings() -> None:
    points = {
        (1, "u"): (0.5, 2.0),
        (1, "v"): (0.5, 1.0),
        (2, "u"): (0.7, 0.5),
        (2, "v"): (0.2, 3.0),
        (3, "u"): (0.2, 3.0),
        (3, "v"): (0.51, 0.75),
    }
    found = sl.policy_frontier(lambda a, b: points[a, b], {"a": [1, 2, 3], "b": ["u", "v"]}, limit=0.5)
    frame = found.to_frame()
    values = list(points.values())
    assert frame[["risk", "loss"]].to_numpy().tolist() == [list(v) for v in values]
    assert frame["allowed"].tolist() == [r <= 0.5 for r, _ in values]
    best = [not any(r <= x and s <= y and (r, s) != (x, y) for r, s in values) for x, y in values]
    assert frame["on_frontier"].tolist() == best
    assert (found.best, found.chosen) == (1, {"a": 1, "b": "v"})
    shown = found.summary()
    assert shown["risk"].tolist() == sorted(shown["risk"])
    assert len(shown) == sum(best)
    assert (
        found.title
        == "6 settings, 4 with maximum IR <= 0.5; least loss among them at a = 1, b = v: ECDF distance U_m 1, maximum IR 0.5."
    )
    none = sl.policy_frontier(lambda a: (a, 1.0), {"a": [0.5, 0.75]}, limit=0.25)
    assert (none.best, none.chosen) == (None, None)
    assert (
        none.title
        == "2 settings, 0 with maximum IR <= 0.25: the least risk reached is 0.5; no setting meets the policy."
    )
    tied = sl.policy_frontier(lambda a: (1 - a, 1.0), {"a": [0.25, 0.75]}, limit=1.0)
    assert tied.best == 1
    for bad in ((1.0,), (1.0, np.nan), (np.inf, 1.0), "ab", 3):
        with pytest.raises(InputError, match="evaluate"):
            sl.policy_frontier(lambda a, bad=bad: bad, {"a": [1]}, limit=1.0)
    for settings in ({}, {"a": []}, {"risk": [1]}, {3: [1]}, [1]):
        with pytest.raises(InputError, match="settings"):
            sl.policy_frontier(lambda a: (1.0, 1.0), settings, limit=1.0)


@pytest.mark.parametrize("null", [None, [0.0, 0.75, 0.5, 0.0, 0.5]])
@pytest.mark.parametrize("expected", [None, ([0.0, 0.5, 0.25, 0.0, 0.5], [0.5, 0.75, 0.25, 0.25, 0.0])])
def test_every_row_of_moles(null: Any, expected: Any) -> None:
    before, after = np.array([0.0, 0.25, 0.5, 0.75, 1.0]), np.array([0.5, 0.5, 0.25, 1.0, 0.5])
    first, second = (None, None) if expected is None else expected
    found = sl.whack_a_mole(before, after, 0.25, limit=0.5, null=null, expected_before=first, expected_after=second)
    assert found.rise.tolist() == (after - before).tolist()
    assert found.risen.tolist() == [True, False, False, False, False]  # a rise of the threshold is none
    noise = None if null is None else (np.array(null) - before > 0.25)
    rows = found.summary()["value"].tolist()
    by_noise = np.nan if noise is None else float(noise.sum())
    beyond = np.nan if noise is None else max(0.0, 1 - by_noise)
    z = np.nan if noise is None else 0.0  # one rises in each of the two alone
    gone = np.nan if expected is None else float((np.array(second) - first > 0.25).sum())
    largest = np.nan if expected is None else 0.5
    plain = [5.0, 1.0, 0.2, 0.5, 0.5, by_noise, beyond, z, gone, largest, 1.0, 1.0, 0.4, 0.2]
    assert rows == pytest.approx(plain, nan_ok=True)
    frame = found.to_frame()
    names = (
        ["before", "after", "rise", "risen"]
        + (["null"] if null else [])
        + (["expected_before", "expected_after", "expected_rise"] if expected else [])
    )
    assert frame.columns.tolist() == names
    for name in names:
        assert frame[name].tolist() == list(getattr(found, name))
    assert found.title.startswith(
        "IR rises by more than 0.25 for 1 of 5 records (maximum IR 1.000 before, 1.000 after)."
    )


def test_moles_in_one_of_two_comparisons() -> None:
    before, after, null = np.zeros(9), np.array([0.5] * 6 + [0.0] * 3), np.array([0.5, 0.5] + [0.0] * 5 + [0.5, 0.0])
    found = sl.whack_a_mole(before, after, 0.25, null=null)
    assert (found.n_risen, found.n_risen_by_noise, found.n_beyond_noise) == (6, 3.0, 3.0)
    assert found.excess_z == pytest.approx((4 - 1) / np.sqrt(5))
    same = sl.whack_a_mole(before, after, 0.25, null=after)
    assert np.isnan(same.excess_z)
    with pytest.warns(UndefinedStatisticWarning, match="z is 0/0"):
        same.summary()
    with pytest.warns(UndefinedStatisticWarning, match="the mean rise is 0/0"):
        assert np.isnan(sl.whack_a_mole(after, before).summary()["value"]["their mean rise"])
    mean = sl.whack_a_mole(np.array([[0.0, 0.5], [0.25, 0.25]]), np.array([[1.0, 0.5], [0.0, 0.5]]))
    assert (mean.before.tolist(), mean.after.tolist()) == ([0.25, 0.25], [0.75, 0.25])
    sl.whack_a_mole([1.0], [1.0 + 1e-13])
    for arguments in (
        {"after": [1.1]},
        {"after": [-0.1]},
        {"after": [0.5, 0.5]},
        {"expected_after": [0.5]},
        {"threshold": 1.1},
        {"limit": -0.1},
        {"null": [[0.5, 0.5]], "after": [[0.5]]},
    ):
        with pytest.raises(InputError):
            sl.whack_a_mole(**{"before": [0.5], "after": [0.5], **arguments})
