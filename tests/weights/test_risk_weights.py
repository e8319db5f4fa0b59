"""risk_weights: the closed form against all groups written out, with ties, zeros and negatives."""

from __future__ import annotations

import warnings
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, pairwise
from math import comb

import numpy as np
import pandas as pd
import pytest
import tqdm
from hypothesis import given, settings, strategies as st

import synthlab as sl
from synthlab.exceptions import InputError, MissingValueError, SingletonPatternWarning, SmallPatternWarning
from synthlab.weights._ball_counts import _runs
from tests.loops import every

QUESTION = sl.Intruder(known=["g"], synthesized=["y"], radius={"y": 0.2})
quiet = pytest.mark.filterwarnings(
    "ignore::synthlab.exceptions.SingletonPatternWarning", "ignore::synthlab.exceptions.SmallPatternWarning"
)


def all_groups(pattern, inside, order):
    """Average, over all groups of `order` records that hold i, the share of the pattern in no ball of the group.

    inside[i][h]: whether record h lies in the ball of record i. Exact, in rationals.
    """
    pattern, outside = np.asarray(pattern), ~np.array(inside, dtype=bool)
    weights = []
    for i in range(len(pattern)):
        members = np.flatnonzero(pattern == pattern[i])
        others = members[members != i]
        groups = list(combinations(others, min(order, members.size) - 1))
        rows = np.array(groups, dtype=int).reshape(len(groups), -1)
        total = int((outside[i] & outside[rows].all(axis=1))[:, members].sum())
        weights.append(1 - Fraction(total, members.size * len(groups)))
    return np.array([float(w) for w in weights])


def in_ball(values, r, closed=True, absolute=False):
    def one(i, h):
        half = r if absolute else r * abs(values[i])
        low, high = values[i] - half, values[i] + half
        return low <= values[h] <= high if closed else low < values[h] < high

    return [[one(i, h) for h in range(len(values))] for i in range(len(values))]


def survey(n, seed, kind):
    rng = np.random.default_rng(seed)
    y = {
        "skewed": rng.lognormal(3, 1, n),
        "ties": rng.integers(0, 6, n).astype(float),
        "signs": np.round(rng.normal(0, 30, n)),
        "zeros": np.where(rng.random(n) < 0.4, 0.0, rng.normal(0, 5, n)),
    }[kind]
    return pd.DataFrame({"g": rng.integers(0, 3, n), "y": y})


@quiet
@every("order", [1, 2, 3, 4])
@every("kind", ["skewed", "ties", "signs", "zeros"])
@every("closed", [True, False])
def test_equals_all_groups(order, kind, closed):
    frame = survey(30 if order == 4 else 60, order, kind)
    expected = all_groups(frame["g"], in_ball(frame["y"].to_numpy(), 0.2, closed), order)
    weights = sl.risk_weights(frame, replace(QUESTION, boundary="closed" if closed else "open"), order=order).weights
    np.testing.assert_allclose(weights, expected, atol=1e-13)


def test_equals_all_groups_of_four_among_sixty():
    frame = survey(60, 9, "skewed").assign(g=0)
    expected = all_groups(frame["g"], in_ball(frame["y"].to_numpy(), 0.2), 4)
    assert expected.min() < 0.7
    np.testing.assert_allclose(sl.risk_weights(frame, QUESTION, order=4).weights, expected, atol=1e-13)


@quiet
@settings(max_examples=150, deadline=None)
@given(
    rows=st.lists(st.tuples(st.integers(0, 1), st.integers(-6, 6), st.integers(0, 1)), min_size=1, max_size=14),
    order=st.integers(1, 6),
    r=st.sampled_from([0.0, 0.25, 0.5, 1.0, 1.5]),
    kind=st.sampled_from(["relative", "absolute"]),
    boundary=st.sampled_from(["closed", "open"]),
)
@pytest.mark.filterwarnings("ignore::synthlab.exceptions.WideRadiusWarning")
def test_any_order_with_a_synthesized_category(rows, order, r, kind, boundary):
    g, y, c = map(list, zip(*rows, strict=True))
    near = in_ball(y, r, boundary == "closed", kind == "absolute")
    inside = [[near[i][h] and c[i] == c[h] for h in range(len(y))] for i in range(len(y))]
    weights = sl.risk_weights(
        pd.DataFrame({"g": g, "y": y, "c": c}),
        sl.Intruder(known=["g"], synthesized=["y", "c"], radius={"y": r}, radius_kind=kind, boundary=boundary),
        order=order,
    ).weights
    np.testing.assert_allclose(weights, all_groups(g, inside, order), atol=1e-13)


@quiet
@every("order", [1, 2, 3])
@every("norm", ["box", "euclidean"])
@every("boundary", ["closed", "open"])
def test_several_variables(order, norm, boundary):
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"g": rng.integers(0, 2, 40), "y": rng.integers(-4, 5, 40), "x": rng.integers(0, 9, 40)})
    y, x = frame["y"].to_numpy(), frame["x"].to_numpy()

    def one(i, h):
        gaps = (abs(y[h] - y[i]), abs(x[h] - x[i]))
        halves = (0.5 * abs(y[i]), 0.4 * abs(x[i]))
        if norm == "box":
            return all(a <= b if boundary == "closed" else a < b for a, b in zip(gaps, halves, strict=True))
        if any(b == 0 and (a > 0 or boundary == "open") for a, b in zip(gaps, halves, strict=True)):
            return False
        distance = sum((a / b) ** 2 for a, b in zip(gaps, halves, strict=True) if b)
        return distance <= 1 if boundary == "closed" else distance < 1

    inside = [[one(i, h) for h in range(40)] for i in range(40)]
    weights = sl.risk_weights(
        frame,
        sl.Intruder(known=["g"], synthesized=["y", "x"], radius={"y": 0.5, "x": 0.4}, boundary=boundary, norm=norm),
        order=order,
    ).weights
    np.testing.assert_allclose(weights, all_groups(frame["g"], inside, order), atol=1e-13)


def test_order_one_is_one_minus_the_identification_probability():
    frame = survey(500, 4, "signs").assign(g=0)
    ir = sl.identification_probability(frame, frame, QUESTION)
    np.testing.assert_allclose(sl.risk_weights(frame, QUESTION).weights, 1 - ir.confidential, atol=1e-15)


def test_weights_rise_with_the_order_and_stay_exact_in_a_large_pattern():
    frame = survey(3000, 5, "skewed").assign(g=0)
    rows = [sl.risk_weights(frame, QUESTION, order=k).weights for k in (1, 2, 3, 4, 50, 1500)]
    assert all((b >= a - 1e-12).all() for a, b in pairwise(rows))
    # the formula with whole numbers of any size, for a few records
    y = frame["y"].to_numpy()
    outside = np.abs(y[None, :] - y[:, None]) > 0.2 * np.abs(y[:, None])  # [ball, record]
    g = outside.sum(axis=0)
    for i in (0, 7, int(np.argmax(y))):
        share = sum(Fraction(comb(int(c) - 1, 49), comb(2999, 49)) for c in g[outside[i]])
        assert rows[4][i] == pytest.approx(float(1 - share / 3000), abs=1e-12)


def test_several_variables_show_progress_only_when_asked(capsys, monkeypatch):
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"g": 0, "y": rng.normal(size=200), "x": rng.normal(size=200)})
    question = sl.Intruder(known=["g"], synthesized=["y", "x"], radius=0.2)

    class AtOnce(tqdm.tqdm):
        def __init__(self, *arguments, delay, **options):
            assert delay == 1.0
            super().__init__(*arguments, **options)

    monkeypatch.setattr(tqdm, "tqdm", AtOnce)
    sl.risk_weights(frame, question, progress=False)
    assert capsys.readouterr().err == ""
    sl.risk_weights(frame, question, order=2, progress=True)
    shown = capsys.readouterr().err
    assert "balls around each record: 100%" in shown
    assert "sums over each ball: 100%" in shown


def test_scale_and_shift():
    frame = survey(200, 6, "skewed").assign(g=0)
    plain = sl.risk_weights(frame, QUESTION).weights
    moved = sl.risk_weights(frame, QUESTION, scale=7.0, shift=-0.2).weights
    np.testing.assert_array_equal(moved, np.clip(7 * plain - 0.2, 0, 1))
    assert moved.min() == 0.0
    assert moved.max() == 1.0
    for name, value in (("scale", -1.0), ("scale", np.inf), ("shift", np.nan)):
        with pytest.raises(InputError, match=f"{name}="):
            sl.risk_weights(frame, QUESTION, **{name: value})
    with pytest.raises(InputError, match="weights: must be a vector"):
        sl.scale_and_shift([[1.0]])
    with pytest.raises(InputError, match=r"weights: must be a vector of finite numbers, got a list of 1"):
        sl.scale_and_shift(["a"])
    with pytest.raises(InputError, match=r"got shape \(2,\), 1 of them not finite"):
        sl.scale_and_shift([0.5, np.nan])


def test_the_shift_may_come_first():
    """c (x + g) is c x + c g; without a shift, or at scale 1, the two are the same."""
    x = np.linspace(0.0, 1.0, 11)
    moved = sl.scale_and_shift(x, scale=0.6, shift=-0.1, first="shift")
    np.testing.assert_allclose(moved, np.clip(0.6 * (x - 0.1), 0.0, 1.0), atol=1e-15)
    assert moved.max() == pytest.approx(0.54)
    for options in ({"scale": 0.6}, {"shift": -0.1}):
        one, other = (sl.scale_and_shift(x, **options, first=first) for first in ("scale", "shift"))
        np.testing.assert_array_equal(one, other)
    with pytest.raises(InputError, match="first='order'"):
        sl.scale_and_shift(x, first="order")


def test_singletons_agree_with_the_identification_probability():
    frame = pd.DataFrame({"g": list("NNNS"), "y": [1.0, 5.0, 5.0, 1.0]})
    with pytest.warns(SingletonPatternWarning, match="1 of 4 records are alone"):
        formula = sl.risk_weights(frame, QUESTION).weights
    certain = sl.risk_weights(frame, QUESTION, singletons="certain").weights
    ir = sl.identification_probability(frame, frame, QUESTION, singletons="certain")
    np.testing.assert_allclose(formula, [1 / 3, 2 / 3, 2 / 3, 1.0])
    np.testing.assert_allclose(certain, 1 - ir.confidential)
    assert sl.risk_weights(frame, QUESTION, singletons="certain", shift=0.1).weights[3] == 0.1


def test_the_edge_of_a_ball_is_the_ball_s_not_that_of_its_extent():
    # 12.1 - 11 is below 0.1 * 11, though 11 + 0.1 * 11 is not above 12.1.
    frame = pd.DataFrame({"y": [-9.0, -9.0], "x": [11.0, 12.1]})
    weights = sl.risk_weights(
        frame,
        sl.Intruder(known=[], synthesized=["y", "x"], radius={"y": 0.1, "x": 0.1}, boundary="open", norm="euclidean"),
        order=1,
    ).weights
    assert weights.tolist() == [1.0, 1.0]


def test_a_singleton_outside_its_own_open_ball_is_protected_without_a_warning():
    frame = pd.DataFrame({"g": list("NNS"), "y": [1.0, 1.0, 0.0]})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert sl.risk_weights(frame, replace(QUESTION, boundary="open")).weights.tolist() == [1.0, 1.0, 0.0]


def test_order_above_the_size_of_a_pattern():
    frame = pd.DataFrame({"g": list("NNSSS"), "y": [1.0, 5.0, 1.0, 2.0, 3.0]})
    with pytest.warns(SmallPatternWarning, match="order=4: 5 of 5 records"):
        assert sl.risk_weights(frame, QUESTION, order=4).weights.tolist() == [1.0] * 5
    with pytest.warns(SmallPatternWarning, match="order=2: 2 of 5 records"):
        pairwise = sl.risk_weights(frame, QUESTION, order=2).weights
    assert pairwise[:2].tolist() == [1.0, 1.0]
    np.testing.assert_allclose(pairwise[2:], 2 / 3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sl.risk_weights(frame, QUESTION, order=1)


def test_names_are_never_evaluated():
    odd = "__import__('os').system('exit 1') `a b\""
    frame = survey(50, 7, "skewed").rename(columns={"y": odd})
    expected = sl.risk_weights(survey(50, 7, "skewed"), QUESTION).weights
    np.testing.assert_array_equal(
        sl.risk_weights(frame, sl.Intruder(known=["g"], synthesized=[odd], radius={odd: 0.2})).weights, expected
    )


def test_bad_input():
    frame = survey(50, 8, "skewed")
    for order in (0, 1.5, True, -1):
        with pytest.raises(InputError, match="order="):
            sl.risk_weights(frame, QUESTION, order=order)
    with pytest.raises(InputError, match="singletons='maybe'"):
        sl.risk_weights(frame, QUESTION, singletons="maybe")
    with pytest.raises(InputError, match="radius: 'g' is a known variable"):
        sl.risk_weights(frame, sl.Intruder(known=["g"], synthesized=["y"], radius={"y": 0.2, "g": 1}))
    with pytest.raises(MissingValueError, match="'y' has 1 missing"):
        sl.risk_weights(frame.assign(y=frame["y"].where(frame.index > 0)), QUESTION)


def test_a_shift_that_silences_everybody_is_refused():
    people = pd.DataFrame({"region": list("NNNN"), "income": [100.0, 105.0, 110.0, 400.0]})
    question = sl.Intruder(known=["region"], synthesized=["income"], radius=0.1)
    for knobs in ({"shift": -1.0}, {"scale": 0.0}, {"scale": 0.5, "shift": -0.375}):
        with pytest.raises(InputError, match="every weight is 0, so no record would inform the model"):
            sl.risk_weights(people, question, **knobs)
    assert sl.risk_weights(people, question, shift=-0.5).weights.any()
    assert sl.scale_and_shift([0.0, 0.0]).tolist() == [0.0, 0.0]


@pytest.mark.parametrize("first", [-3, 0, 2**16 - 4, 2**40])
def test_records_are_ordered_by_cell_and_value(first: int) -> None:
    rng = np.random.default_rng(1)
    cell, column = first + rng.integers(0, 9, 200), rng.integers(0, 20, 200).astype(float)
    order, starts = _runs(cell, column)
    np.testing.assert_array_equal(order, np.lexsort((column, cell)))
    np.testing.assert_array_equal(np.diff(starts), np.unique(cell, return_counts=True)[1])
    assert starts[0] == 0
