"""Scores of attacks, guesses and copies by plain loops, with weights of 0, ties and ends of intervals."""

from __future__ import annotations

import itertools
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import synthlab as sl
from synthlab.exceptions import InputError
from synthlab.risk import attack_score
from synthlab.risk._attack_result import _combined, scores_of
from synthlab.risk.copies.exact_copies import ExactCopiesResult, sentence
from synthlab.risk.linkage.attack_score import _in_most


def _wilson(p: float, n: float, level: float) -> list[float]:
    z = stats.norm.ppf(0.5 + level / 2)
    centre, half = (
        (p + z * z / (2 * n)) / (1 + z * z / n),
        z / (1 + z * z / n) * np.sqrt(p * (1 - p) / n + z * z / (4 * n * n)),
    )
    return [max(centre - half, 0.0), min(centre + half, 1.0)]


ATTACK = np.array([[1.0, 0.0, 1.0], [0.5, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.25, 0.5]])
BASELINE = np.array([[0.5], [0.25], [0.0], [0.75]])
WEIGHTS = [
    None,
    np.array([[1.0, 2, 0], [1, 0, 0], [3, 1, 0], [0, 1, 0]]),
    np.array([[1.0, 1, 2], [0, 1, 1], [2, 1, 1], [1, 1, 0]]),
]


@pytest.mark.parametrize("weight", WEIGHTS)
def test_the_numbers_of_an_attack_with_weights(weight: Any) -> None:
    scores = scores_of(ATTACK, BASELINE, 0.9, weight)
    w = np.ones(ATTACK.shape) if weight is None else weight
    used = [j for j in range(3) if w[:, j].sum()]
    table = scores.summary()
    both = np.broadcast_to(BASELINE, ATTACK.shape)
    for name, values in (("attack", ATTACK), ("baseline", both), ("excess", ATTACK - both)):
        means = [sum(w[i, j] * values[i, j] for i in range(4)) / w[:, j].sum() for j in used]
        assert [v for v in scores.per_dataset(values) if not np.isnan(v)] == pytest.approx(means)
        assert scores.mean(values) == pytest.approx(np.mean(means))
        assert table.loc[name, ["mean", "min", "max"]].tolist() == pytest.approx(
            [np.mean(means), min(means), max(means)]
        )
        linear = np.array(
            [
                [means[k] + w[i, j] * (values[i, j] - means[k]) / w[:, j].mean() for k, j in enumerate(used)]
                for i in range(4)
            ]
        )
        m, grand = len(used), linear.mean()
        rows = m * sum((linear[i].mean() - grand) ** 2 for i in range(4)) / 3
        columns = 4 * sum((linear[:, k].mean() - grand) ** 2 for k in range(m)) / (m - 1)
        rest = sum(
            (linear[i, k] - linear[i].mean() - linear[:, k].mean() + grand) ** 2 for i in range(4) for k in range(m)
        ) / (3 * (m - 1))
        variance = max(rows, rows + columns - rest) / (4 * m)
        assert scores.variance(values) == pytest.approx(variance)
        if name != "excess":
            p = float(np.mean(means))
            assert scores.interval(values) == pytest.approx(_wilson(p, p * (1 - p) / variance, 0.9))
            assert table.loc[name, ["low", "high"]].tolist() == list(scores.interval(values))
    frame = scores.to_frame()
    assert frame.index.tolist() == [1, 2, 3]
    assert frame["attack"].tolist() == pytest.approx(scores.per_dataset(ATTACK).tolist(), nan_ok=True)
    assert frame["baseline"].tolist() == pytest.approx(scores.per_dataset(both).tolist(), nan_ok=True)
    (low, high), (below, above) = scores.interval(scores.attack), scores.interval(scores.baseline)
    a, b = scores.mean(scores.attack), scores.mean(scores.baseline)
    va, vb, vd = (scores.variance(v) for v in (scores.attack, scores.baseline, scores.attack - scores.baseline))
    r = np.clip((va + vb - vd) / (2 * np.sqrt(va * vb)), -1, 1)
    down = np.sqrt((a - low) ** 2 + (above - b) ** 2 - 2 * r * (a - low) * (above - b))
    up = np.sqrt((high - a) ** 2 + (b - below) ** 2 - 2 * r * (high - a) * (b - below))
    assert scores.excess_interval() == pytest.approx((a - b - down, a - b + up))
    assert table.loc["excess", ["low", "high"]].tolist() == pytest.approx([a - b - down, a - b + up])
    assert table.columns.tolist() == ["mean", "low", "high", "min", "max"]


def test_scores_that_say_nothing() -> None:
    nobody = scores_of(ATTACK, BASELINE, 0.9, np.zeros(ATTACK.shape))
    assert np.isnan(nobody.summary().to_numpy()).all()
    one = scores_of([[1.0, 0.0]], [[0.5]], 0.9)
    assert np.isnan(one.variance(one.attack))
    assert np.isnan(one.interval(one.attack)).all()
    assert np.isnan(one.excess_interval()).all()
    sure = scores_of(np.ones((5, 2)), np.full((5, 1), 0.25), 0.9)
    assert sure.interval(sure.baseline) == (0.25, 0.25)
    assert sure.interval(sure.attack) == pytest.approx(_wilson(1.0, 5.0, 0.9))
    never = scores_of(np.zeros((5, 2)), np.zeros((5, 1)), 0.9, np.array([[1.0, 1.0]] * 4 + [[2.0, 2.0]]))
    assert never.interval(never.attack) == pytest.approx(_wilson(0.0, 144 / (4 * 4 + 16), 0.9))
    single = scores_of(ATTACK[:, :1], BASELINE, 0.9)
    assert single.variance(single.attack) == pytest.approx(ATTACK[:, 0].var(ddof=1) / 4)
    assert _combined(3.0, 4.0, 0.0) == 5.0
    assert _combined(3.0, 3.0, 1.0) == 0.0
    assert _combined(3.0, 4.0, -1.0) == 7.0
    assert np.isnan(_combined(np.nan, 1.0, 0.0))


@pytest.mark.parametrize(("attack", "warned"), [(0.5, True), (0.5 + 1e-11, False), (0.4, True), (0.6, False)])
def test_an_attack_as_good_as_its_baseline_is_useless(attack: float, warned: bool) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        scores_of(np.full((3, 1), attack), np.full((3, 1), 0.5), 0.9).warn_if_useless("it")
    assert len(caught) == warned
    if warned:
        assert "it is right with probability" in str(caught[0].message)


@pytest.mark.parametrize("closed", [True, False])
def test_the_value_in_the_most_intervals_by_trying_all(closed: bool) -> None:
    for lower, upper in (
        ([0.0, 1.0, 2.0], [1.0, 2.0, 3.0]),
        ([0.0, 0.0, 5.0], [1.0, 1.0, 6.0]),
        ([0.0, 3.0, 3.0, 9.0], [4.0, 3.5, 9.0, 9.5]),
        ([-1.0, -3.0, -2.0], [0.0, -1.0, 5.0]),
    ):

        def hits(value: float, low: list[float] = lower, high: list[float] = upper) -> int:
            return sum(a <= value <= b if closed else a < value < b for a, b in zip(low, high, strict=True))

        tried = [*lower, *upper, *((a + b) / 2 for a, b in itertools.pairwise(sorted({*lower, *upper})))]
        assert hits(_in_most(np.array(lower), np.array(upper), closed)) == max(map(hits, tried))
    assert _in_most(np.array([2.0, 2.0]), np.array([2.0, 2.0]), closed) == 2.0


@pytest.mark.filterwarnings("ignore::synthlab.exceptions.NoBetterThanBaselineWarning")
@pytest.mark.parametrize("boundary", ["closed", "open"])
@pytest.mark.parametrize("kind", ["relative", "absolute"])
def test_guesses_of_numbers_at_the_ends_of_their_intervals(boundary: Any, kind: Any) -> None:
    people = pd.DataFrame({"income": [10.0, -20.0, 40.0, 0.0, 8.0, np.nan, 64.0]})
    half = [0.25 * abs(v) if kind == "relative" else 4.0 for v in people["income"]]
    guesses = pd.DataFrame({"who": [0, 1, 2, 3, 4, 6], "income": [0.0] * 6})
    for side in (-1.0, 1.0, -0.999, 0.999, 1.001):
        guesses["income"] = [people["income"][i] + side * half[i] for i in guesses["who"]]
        found = attack_score(
            people, guesses, target="income", record="who", fewest=6, boundary=boundary,
            radius=0.25 if kind == "relative" else 4.0, radius_kind=kind,
        )  # fmt: skip
        right = [abs(side) < 1 or (abs(side) == 1 and boundary == "closed")] * 6
        if kind == "relative":
            right[3] = boundary == "closed"  # an interval of width 0
        assert found.right.tolist() == right
    hits = [
        sum(
            abs(v - b) < h or (abs(v - b) == h and boundary == "closed")
            for v, h in zip(people["income"], half, strict=True)
        )
        for b in people["income"]
    ]
    best = [
        abs(people["income"][i] - found.best_guess) < half[i]
        or (boundary == "closed" and abs(people["income"][i] - found.best_guess) == half[i])
        for i in guesses["who"]
    ]
    assert found.baseline == pytest.approx(np.mean(best))
    assert sum(best) >= max(hits[:5])
    assert found.records.tolist() == [0, 1, 2, 3, 4, 6]
    assert f"({boundary} interval)" in found.near
    assert ("x |income|" in found.near) == (kind == "relative")


@pytest.mark.filterwarnings("ignore::synthlab.exceptions.NoBetterThanBaselineWarning")
def test_guesses_of_categories_and_whom_they_are_about() -> None:
    people = pd.DataFrame({"ill": ["b", "a", "a", "c", None, "a"]})
    guesses = pd.DataFrame({"record": [5, 0, 3, 1], "ill": ["a", "b", "b", None]})
    found = attack_score(people, guesses, target="ill", fewest=3)
    assert found.right.tolist() == [True, True, False]
    assert (found.best_guess, found.baseline, found.n, found.near) == (
        "a",
        pytest.approx(1 / 3),
        6,
        "equal to the truth",
    )
    assert found.title.startswith(
        "2 of 3 guesses of ill are right (people in the file: 6); right when equal to the truth"
    )
    assert (found.m, found.attack, found.excess) == (1, pytest.approx(2 / 3), pytest.approx(1 / 3))
    assert found.summary().equals(found.scores.summary())
    assert found.to_frame().equals(found.scores.to_frame())
    assert found.interval == found.scores.interval(found.scores.attack)
    assert found.excess_interval == found.scores.excess_interval()
    with pytest.raises(InputError, match="3 guesses; at least 4"):
        attack_score(people, guesses, target="ill", fewest=4)
    for rows in ([6, 0, 3], [-1, 0, 3], [0.5, 0, 3], [0, 0, 3], ["x", 0, 3]):
        with pytest.raises(InputError, match="guesses: column 'record'"):
            attack_score(people, pd.DataFrame({"record": rows, "ill": list("aaa")}), target="ill", fewest=3)


def _copies(people: pd.DataFrame, released: pd.DataFrame) -> tuple[int, int]:
    rows, others = (list(f.itertuples(index=False, name=None)) for f in (people, released))
    times = [rows.count(r) for r in others]
    return sum(t > 0 for t in times), sum(t == 1 for t in times)


def test_copies_are_counted_in_every_dataset() -> None:
    people = pd.DataFrame({"a": [1, 1, 2, 3, 3, 4], "b": list("xxyzzw")})
    released = [
        pd.DataFrame({"a": [1, 2, 9], "b": list("xyq"), "c": 0}),
        pd.DataFrame({"a": [9, 8, 7], "b": list("qqq"), "c": 0}),
        pd.DataFrame({"a": [4, 2, 3], "b": list("wyz"), "c": 0}),
    ]
    found = sl.exact_copies(people, released)
    plain = [_copies(people, f[["a", "b"]]) for f in released]
    assert list(zip(found.copies.tolist(), found.unique_copies.tolist(), strict=True)) == plain
    assert (found.m, found.n, found.records, found.duplicates, found.variables) == (3, 6, 3, 4, ("a", "b"))
    assert found.share == pytest.approx(np.mean([c for c, _ in plain]) / 3)
    assert found.duplicate_share == pytest.approx(4 / 6)
    assert found.to_frame().to_numpy().tolist() == [list(row) for row in plain]
    assert found.to_frame().index.tolist() == [1, 2, 3]
    assert found.title == (
        "1.7 of 3 released records on average are exact copies of a confidential record in all 2 compared variables, "
        "1 of them of a record that is unique in the confidential data; of the confidential records, 4 of 6 equal another."
    )
    every = sl.exact_copies(people, people.iloc[::-1].reset_index(drop=True), variables=["a"])
    assert every.title.startswith(
        "Every one of the 6 released records is an exact copy of a confidential record in all 1 "
    )
    some = ExactCopiesResult(np.array([2, 3]), np.array([0, 0]), 3, 9, 0, ("a",))
    assert sentence(some, lambda value, *totals: str(value)).startswith("2.5 of 3 released records on average")
    alone = ExactCopiesResult(np.array([250]), np.array([0]), 300, 9, 0, ("a",))
    assert alone.title.startswith("250 of 300 released records are exact copies")
    many = ExactCopiesResult(np.array([1250, 1251]), np.array([99, 100]), 3000, 9, 0, ("a",))
    assert many.title.startswith("1,250 of 3,000 released records on average")
    assert "99.5 of them" in many.title
