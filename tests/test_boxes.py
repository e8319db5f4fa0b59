"""Records in boxes, halved and scanned, against a double loop and against each other; and which of the two is chosen."""

from __future__ import annotations

import math
import threading
from typing import Any

import joblib
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st

import synthlab as sl
from synthlab.matching import match_inputs, range_counting
from synthlab.matching.kernel import Intervals, match_counts
from synthlab.weights import _ball_counts

HALVED, SCANNED = -1.0, np.inf  # costs of a step that leave no choice
NUMBERS = st.sampled_from([-np.inf, -2.0, -1.0, 0.0, 1.0, 1.5, 2.0, 3.0, np.inf, np.nan])


def lies_inside(value: float, lower: float, upper: float, closed: bool) -> bool:
    return bool(lower <= value <= upper) if closed else bool(lower < value < upper)


def forced(patch: pytest.MonkeyPatch, step: float, leaf: int = 1) -> None:
    patch.setattr(range_counting, "STEP", step)
    patch.setattr(range_counting, "LEAF", leaf)


@st.composite
def questions(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray, bool]:
    """Codes and values of records, the block, lower and upper ends of a box around each, and whether boxes are closed."""
    k, n = draw(st.integers(1, 4)), draw(st.integers(1, 14))
    blocks = draw(st.sampled_from([1, 2, 9]))
    codes, key = (np.array(draw(st.lists(st.integers(0, blocks - 1), min_size=n, max_size=n))) for _ in range(2))
    cells = st.lists(NUMBERS, min_size=n * k, max_size=n * k)
    values, lower, upper = (np.array(draw(cells)).reshape(n, k) for _ in range(3))
    if draw(st.booleans()):
        lower, upper = np.fmin(lower, upper), np.fmax(lower, upper)
    return codes, values, key, lower, upper, draw(st.booleans())


@pytest.mark.parametrize("step", [HALVED, SCANNED, range_counting.STEP])
@given(question=questions(), chunk=st.sampled_from([1, 3, 10**6]))
def test_counts_are_those_of_a_double_loop(step: float, question: Any, chunk: int) -> None:
    codes, values, key, lower, upper, closed = question
    n, k = values.shape
    hits = np.array(
        [
            [codes[h] == key[i] and all(lies_inside(values[h, j], lower[i, j], upper[i, j], closed) for j in range(k)) for h in range(n)]
            for i in range(n)
        ]
    )  # fmt: skip
    targets = np.array([n - 1, 0, *range(n)])
    boxes = Intervals(lower[targets], upper[targets], lower[targets], upper[targets], closed)
    with pytest.MonkeyPatch.context() as patch:
        forced(patch, step)
        patch.setattr(range_counting, "CHUNK", chunk)
        count, own = match_counts(key, targets, codes, values, boxes)
    assert count.tolist() == hits[targets].sum(axis=1).tolist()
    assert own.tolist() == [bool(hits[t, t]) for t in targets]


@pytest.mark.parametrize("step", [HALVED, SCANNED])
@given(question=questions(), chunk=st.sampled_from([2, 10**6]))
def test_balls_round_each_record_and_sums_over_balls_are_those_of_a_double_loop(
    step: float, question: Any, chunk: int
) -> None:
    cell, values, _, lower, upper, closed = question
    values = np.nan_to_num(values, nan=0.5)
    n, k = values.shape
    hits = np.array(
        [
            [cell[h] == cell[i] and all(lies_inside(values[h, j], lower[i, j], upper[i, j], closed) for j in range(k)) for h in range(n)]
            for i in range(n)
        ]
    )  # fmt: skip
    share = np.arange(1, n + 1) / 16  # sums without rounding
    balls = Intervals(lower, upper, values, np.ones_like(values), closed)
    with pytest.MonkeyPatch.context() as patch:
        forced(patch, step)
        patch.setattr(range_counting, "CHUNK", chunk)
        covering = _ball_counts.balls_round_each(cell, values, balls, False)
        total = _ball_counts.sum_in_each_ball(cell, values, balls, share, False)
    assert covering.tolist() == hits.sum(axis=0).tolist()
    assert total.tolist() == (hits @ share).tolist()


def survey(n: int, k: int, blocks: int, width: float = 0.3) -> tuple[np.ndarray, np.ndarray, Intervals]:
    rng = np.random.default_rng(n + k)
    codes = np.where(rng.random(n) < 0.5, 0, rng.integers(0, blocks, n))
    values = rng.normal(size=(n, k)).round(2)
    values[rng.random((n, k)) < 0.02] = np.nan
    half = width * (1 + np.abs(values))
    return codes, values, Intervals(values - half, values + half, values, half, True)


@pytest.mark.parametrize("k", [2, 3, 4])
@pytest.mark.parametrize("blocks", [1, 300])
def test_halving_finds_what_scanning_finds(k: int, blocks: int, monkeypatch: pytest.MonkeyPatch) -> None:
    n = 3_000
    codes, values, boxes = survey(n, k, blocks)
    share, targets = np.random.default_rng(1).random(n), np.random.default_rng(2).permutation(n)[:2_000]
    found = []
    for step in (SCANNED, HALVED):
        forced(monkeypatch, step, leaf=range_counting.LEAF)
        count, _ = match_counts(codes, targets, codes, values, boxes.take(targets))
        covering = _ball_counts.balls_round_each(codes, values, boxes, False)
        total = _ball_counts.sum_in_each_ball(codes, values, boxes, share, False)
        ones = _ball_counts.sum_in_each_ball(codes, values, boxes, np.ones(n), False)
        found.append((count.tolist(), covering.tolist(), ones.tolist(), total))
    assert sum(found[0][0]) > n
    assert found[0][:3] == found[1][:3]
    assert found[1][3] == pytest.approx(found[0][3], rel=1e-13, abs=1e-13)


def test_sums_of_shares_lose_nothing_whatever_their_size(monkeypatch: pytest.MonkeyPatch) -> None:
    n = 2_000
    codes, values, boxes = survey(n, 2, 1)
    share = 10.0 ** -np.random.default_rng(3).uniform(0, 12, n)
    forced(monkeypatch, HALVED)
    total = _ball_counts.sum_in_each_ball(codes, values, boxes, share, False)
    for i in range(0, n, 50):
        inside = ((values >= boxes.lower[i]) & (values <= boxes.upper[i])).all(axis=1) & (codes == codes[i])
        exact = math.fsum(share[inside])
        assert abs(total[i] - exact) <= 2.0**-60 * share.sum() * (1 + inside.sum()) + 2.0**-52 * exact
    assert not _ball_counts.sum_in_each_ball(codes, values, boxes, np.zeros(n), False).any()


def test_a_block_is_halved_where_that_is_cheaper(monkeypatch: pytest.MonkeyPatch) -> None:
    """Candidates beyond STEP (records + boxes) levels^(k - 1) / (k - 1)!, with levels = log2(records / LEAF), at least 1."""
    monkeypatch.setattr(range_counting, "STEP", 12)
    monkeypatch.setattr(range_counting, "LEAF", 10)
    records = np.array([160] * 3 + [10])
    for k in (2, 3, 4):
        cost = range_counting.STEP * (records + 5) * np.array([4, 4, 4, 1]) ** (k - 1) // math.factorial(k - 1)
        candidates = cost + [0, 1, -1, 1]
        assert range_counting.halving_pays(records, np.full(4, 5), candidates, k).tolist() == [False, True, False, True]


@pytest.mark.parametrize(("width", "targets", "halved"), [(0.5, 4_000, 4_000), (0.001, 4_000, 0), (0.5, 10, 0)])
def test_the_rule_chooses_by_block(width: float, targets: int, halved: int, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    real = range_counting.count_inside

    def count_inside(orders: Any, runs: Any) -> Any:
        asked.append(runs.start.size)
        return real(orders, runs)

    monkeypatch.setattr(range_counting, "count_inside", count_inside)
    _, values, boxes = survey(4_000, 2, 1, width)
    rows, one = np.arange(targets), np.zeros(4_000, dtype=np.int64)
    match_counts(one, rows, one, values, boxes.take(rows))
    assert sum(asked) == halved
    asked.clear()
    some = np.repeat(np.arange(400), 10)
    match_counts(some, rows, some, values, boxes.take(rows))  # ten records a block
    assert asked == []


@pytest.mark.parametrize("k", [2, 3, 4])
def test_halving_takes_few_steps(k: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Boxes are followed, or swept over, at most (4 levels)^(k - 2) times, each in steps of a tree of sums."""
    steps = 0

    def counted(real: Any) -> Any:
        def follow(rows: Any, *others: Any) -> Any:
            nonlocal steps
            steps += len(rows)
            return real(rows, *others)

        return follow

    for name in ("followed", "swept"):
        monkeypatch.setattr(range_counting, name, counted(getattr(range_counting, name)))
    monkeypatch.setattr(range_counting, "STEP", HALVED)
    for n in (1_000, 4_000, 16_000):
        _, values, boxes = survey(n, k, 1, 0.5)
        steps, one, rows = 0, np.zeros(n, dtype=np.int64), np.arange(n)
        match_counts(one, rows, one, values, boxes)
        levels = np.ceil(np.log2(n / range_counting.LEAF)) + 1
        assert n / 2 < steps <= n * (4 * levels) ** (k - 2)


def test_a_ball_is_scanned(monkeypatch: pytest.MonkeyPatch) -> None:
    forced(monkeypatch, HALVED)
    monkeypatch.setattr(range_counting, "count_inside", lambda *_: pytest.fail("a ball is no box"))
    one = np.zeros(3, dtype=np.int64)
    centre = np.array([[0.0, 0.0], [0.9, 0.9], [0.0, 0.5]])
    balls = Intervals(centre - 1, centre + 1, centre, np.ones((3, 2)), True, scaled=True)
    assert match_counts(one, np.arange(3), one, centre, balls)[0].tolist() == [2, 2, 3]


@pytest.mark.parametrize("workers", [2, 4])
@pytest.mark.parametrize("k", [2, 3])
def test_counts_do_not_depend_on_the_number_of_threads(k: int, workers: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(range_counting, "CHUNK", 150)
    monkeypatch.setattr(range_counting, "STEP", HALVED)
    n = 1_500
    codes, values, boxes = survey(n, k, 3)
    share = np.random.default_rng(1).random(n)
    found = []
    for count in (1, workers):
        with joblib.parallel_config(n_jobs=count):
            inside, _ = match_counts(codes, np.arange(n), codes, values, boxes)
            covering = _ball_counts.balls_round_each(codes, values, boxes, False)
            total = _ball_counts.sum_in_each_ball(codes, values, boxes, share, False)
        found.append((inside.tolist(), covering.tolist(), total.tolist()))
    assert found[0] == found[1]


@pytest.mark.filterwarnings("ignore::synthlab.exceptions.SynthlabWarning")
@pytest.mark.parametrize("workers", [2, 4])
def test_datasets_are_matched_at_once_with_the_same_answer(workers: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    people = pd.DataFrame({"a": rng.integers(0, 3, 400), "x": rng.normal(size=400), "y": rng.normal(size=400)})
    release = [people.assign(x=people["x"] + rng.normal(0, 0.1, 400)) for _ in range(5)]
    someone = sl.Intruder(known=["a"], synthesized=["x", "y"], radius={"x": 0.3, "y": 0.3})
    alone = sl.identification_risk(people, release, someone)
    names: set[str] = set()
    real = match_inputs.match_counts

    def match_counts(*arguments: Any) -> Any:
        names.add(threading.current_thread().name)
        return real(*arguments)

    monkeypatch.setattr(match_inputs, "match_counts", match_counts)
    monkeypatch.setattr(match_inputs, "FEW_VALUES", 0)
    with joblib.parallel_config(n_jobs=workers):
        together = sl.identification_risk(people, release, someone)
        ir = sl.identification_probability(people, release, someone)
    assert names - {threading.current_thread().name}
    assert together.match_count.tolist() == alone.match_count.tolist()
    assert together.contains_true.tolist() == alone.contains_true.tolist()
    assert together.baseline is not None
    assert alone.baseline is not None
    assert together.baseline.match_count.tolist() == alone.baseline.match_count.tolist()
    assert (ir.contains_true == alone.contains_true).all()
