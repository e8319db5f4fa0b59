"""The intruder's matches, averages and declarations by double loops and by trying every outcome."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab.exceptions import InputError
from synthlab.risk import Interval, OneOf
from synthlab.risk.posterior import _average
from synthlab.risk.posterior._average import (
    Average,
    Population,
    _Sum,
    average,
    census_counts,
    declare,
    given_counts,
    limit,
    share_of_match,
)
from synthlab.risk.posterior._ball import _whiten
from synthlab.risk.posterior._targets import Ball, Matcher, Pairs, _expand, make_matcher, positions

TRUE = pd.DataFrame(
    {
        "k": list("aaabbbaa"),
        "s": list("xyzxyzxx"),
        "u": [1.0, 2.0, 3.0, 4.0, 2.0, 6.0, 1.0, 9.0],
        "v": [0.0, 2.0, 1.0, 0.0, 5.0, 2.0, 0.0, 1.0],
    }
)
GUESS = pd.DataFrame(
    {
        "k": list("aabbbaab"),
        "s": list("xxyzxyzq"),
        "u": [1.0, 2.5, 4.0, 6.0, 2.0, 3.0, 0.0, 4.0],
        "v": [0.0, 1.0, 0.0, 2.0, 4.0, 1.0, 2.0, 0.0],
    }
)
SETS = {"x": {"x", "y"}, "y": {"x", "y"}, "z": {"z"}}
LOW, HIGH = TRUE["u"] - [0, 1, 1, 0, 2, 0, 0, 1], TRUE["u"] + [1, 1, 0, 2, 0, 3, 1, 0]


def _ball(width: float, box: bool, whiten: np.ndarray | None = None) -> Ball:
    half = np.full((8, 2), width)
    half[3] = 0.0
    return Ball({"u": width, "v": width}, half, np.eye(2) if whiten is None else whiten, box)


MATCHERS: dict[str, tuple[list[str], dict[str, Any], Ball | None]] = {
    "by value": (["k", "s"], {}, None),
    "nothing": ([], {}, None),
    "an interval": (["k", "u"], {"u": Interval(LOW.to_numpy(), HIGH.to_numpy())}, None),
    "a set": (["k", "s"], {"s": OneOf(SETS)}, None),
    "both": (["k", "s", "u"], {"s": OneOf(SETS), "u": Interval(LOW.to_numpy(), HIGH.to_numpy())}, None),
    "a box": (["k", "u", "v"], {}, _ball(1.5, True)),
    "a ball": (["k", "u", "v"], {}, _ball(1.5, False)),
    "all": (["s", "u", "v"], {"s": OneOf(SETS)}, _ball(2.0, False)),
}


def _agrees(i: int, h: int, name: str, frame: pd.DataFrame) -> bool:
    columns, knowledge, ball = MATCHERS[name]
    near = [] if ball is None else ["u", "v"]
    for c in columns:
        if c in knowledge:
            if c == "u" and not LOW[i] <= frame["u"][h] <= HIGH[i]:
                return False
            if c == "s" and frame["s"][h] not in SETS[TRUE["s"][i]]:
                return False
        elif c not in near and TRUE[c][i] != frame[c][h]:
            return False
    if ball is None:
        return True
    gaps = [abs(frame[c][h] - TRUE[c][i]) for c in near]
    width = ball.half_width[i]
    if any(g > 0 for g, w in zip(gaps, width, strict=True) if w == 0):
        return False
    shares = [(g / w) ** 2 for g, w in zip(gaps, width, strict=True) if w > 0]
    return (max(shares, default=0.0) if ball.box else sum(shares)) <= 1


def _matcher(name: str) -> Matcher:
    columns, knowledge, ball = MATCHERS[name]
    return make_matcher(TRUE, columns, knowledge, ball)


@pytest.mark.parametrize("name", MATCHERS)
@pytest.mark.parametrize("frame", [GUESS, TRUE])
def test_matches_of_every_profile(name: str, frame: pd.DataFrame) -> None:
    matcher = _matcher(name)
    pairs = matcher.match(frame)
    found = {(int(g), int(h)) for g, h in zip(pairs.profile, pairs.record, strict=True)}
    for i in range(8):
        g = matcher.profile[i]
        assert {h for p, h in found if p == g} == {h for h in range(8) if _agrees(i, h, name, frame)}
    assert pairs.count.tolist() == [sum(p == g for p, _ in found) for g in range(matcher.size)]
    assert len(found) == pairs.record.size
    assert pairs.profile.tolist() == sorted(pairs.profile.tolist())
    assert matcher.profile[matcher.first].tolist() == list(range(matcher.size))


def test_runs_become_records() -> None:
    pairs = _expand(np.array([0, 2, 2, 1]), np.array([2, 2, 5, 2]), np.array([9, 8, 7, 6, 5]))
    assert (pairs.profile.tolist(), pairs.record.tolist()) == ([0, 0, 2, 2, 2, 3], [9, 8, 7, 6, 5, 8])
    assert positions(pd.Series(list("bza")), ["a", "b"], 7).tolist() == [1, 7, 0]


@pytest.mark.parametrize("batch", [0, 2, 10**6])
def test_a_sparse_sum_does_not_depend_on_its_batches(batch: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_average, "BATCH", batch)
    added, plain = _Sum((3, 4)), np.zeros((3, 4))
    assert added.total().toarray().tolist() == plain.tolist()
    rng = np.random.default_rng(1)
    for _ in range(5):
        row, column, value = rng.integers(0, 3, 4), rng.integers(0, 4, 4), rng.random(4)
        added.add(row, column, value)
        np.add.at(plain, (row, column), value)
    np.testing.assert_allclose(added.total().toarray(), plain)
    np.testing.assert_allclose(added.total().toarray(), plain)


@pytest.mark.parametrize("fallback", [True, False])
@pytest.mark.parametrize("population", [None, "weights", "counts"])
def test_averages_over_guesses(fallback: bool, population: Any) -> None:
    matcher = _matcher("by value")
    weights = np.arange(1.0, 9.0) / 2
    counts = np.array([0.0, 3.5, 1.0, 9.0, 2.0, 1.5])[: matcher.size]
    given = None
    if population:
        given = Population(weights, None) if population == "weights" else Population(None, counts)
    known = np.array([5, 0, 5, 3, 3, 3])[: matcher.size]
    guesses = [GUESS, TRUE, GUESS.assign(s="q")]
    found = average(guesses, matcher, 8, known, fallback=fallback, population=given)
    for g in range(matcher.size):
        i = int(matcher.first[g])
        share, spread, outside = np.zeros(8), 0.0, 0.0
        for guess in guesses:
            hits = [h for h in range(8) if _agrees(i, h, "by value", guess)]
            if given is None:
                size = float(len(hits))
            else:
                size = max(weights[hits].sum() if population == "weights" else counts[g], len(hits))
            share[hits] += 1 / size if hits else 0
            if given is not None:
                outside += (size - len(hits)) / size if hits else 1.0
            elif not hits and fallback and known[g]:
                spread += 1 / known[g]
            elif not hits:
                outside += 1
        np.testing.assert_allclose(found.matched[[g]].toarray()[0], share / 3)
        assert (found.spread[g], found.outside[g]) == pytest.approx((spread / 3, outside / 3))


def test_a_share_of_a_match_by_trying_every_outcome() -> None:
    for p in ([0.3], [1.0, 0.5], [0.2, 0.0, 0.9, 0.4], [1.0, 1.0, 1.0], [1e-12, 0.5], [0.99] * 5 + [0.01] * 5):
        exact = np.zeros(len(p))
        for hit in itertools.product((0, 1), repeat=len(p)):
            chance = np.prod([q if h else 1 - q for q, h in zip(p, hit, strict=True)])
            if sum(hit):
                exact += chance * np.array(hit) / sum(hit)
        assert share_of_match(np.array(p)).tolist() == pytest.approx(exact.tolist(), rel=1e-9, abs=1e-15)
    assert share_of_match(np.empty(0)).size == 0
    for n, q in ((2000, 0.9), (4000, 0.02), (100, 0.4), (101, 0.4)):  # of n alike each has (1 - (1 - q)^n) / n
        assert share_of_match(np.full(n, q)).tolist() == pytest.approx([(1 - (1 - q) ** n) / n] * n, rel=1e-9)


@pytest.mark.parametrize("fallback", [True, False])
def test_the_limit_of_infinitely_many_guesses(fallback: bool) -> None:
    matcher = _matcher("by value")
    on_known = make_matcher(TRUE, ["k"], {}, None)
    known = on_known.match(GUESS)
    known_profile = on_known.profile[matcher.first]
    p = np.random.default_rng(1).random((8, matcher.size))
    p[2, 1] = p[0, 0] = 0.0
    p[:, -1] = 0.0
    found = limit(p, matcher, known, known_profile, 8, fallback)
    for g in range(matcher.size):
        rows = [h for h in range(8) if GUESS["k"][h] == TRUE["k"][int(matcher.first[g])]]
        used = [h for h in rows if p[h, g] > 0]
        exact = np.zeros(8)
        exact[used] = share_of_match(p[used, g])
        np.testing.assert_allclose(found.matched[[g]].toarray()[0], exact)
        nobody = float(np.prod([1 - p[h, g] for h in rows]))
        assert (found.spread[g], found.outside[g]) == pytest.approx(
            (nobody / len(rows), 0.0) if fallback else (0.0, nobody)
        )


@pytest.mark.parametrize("may_decline", [True, False])
def test_what_is_declared_by_looking_at_every_record(may_decline: bool) -> None:
    from scipy.sparse import csr_array

    dense = np.array(
        [
            [0.5, 0.0, 0.5, 0.0],
            [0.1, 0.2, 0.0, 0.0],
            [0.0] * 4,
            [0.0] * 4,
            [0.3, 0.3 * (1 - 1e-10), 0.3 * (1 - 1e-7), 0.0],
        ]
    )
    spread, outside = np.array([0.0, 0.1, 0.2, 0.0, 0.05]), np.array([0.0, 0.3, 0.2, 1.0, 0.35 * (1 + 1e-10)])
    known = np.array([4, 4, 3, 2, 4])
    profile, targets = np.array([0, 1, 2, 3, 4, 4, 4, 0, 1]), np.array([0, 1, 2, 3, 0, 1, 2, 3, 0])
    own_known = np.array([True, True, True, True, True, True, False, True, False])
    found = declare(Average(csr_array(dense), spread, outside), profile, targets, own_known, known, may_decline)
    for t, (g, i) in enumerate(zip(profile, targets, strict=True)):
        values = np.where(dense[g] > 0, dense[g] + spread[g], 0.0)
        top = max(values.max(), spread[g])
        count = int((values >= top * (1 - 1e-9)).sum()) if (dense[g] > 0).any() else (known[g] if top > 0 else 0)
        own_value = dense[g, i] + (spread[g] if own_known[t] else 0.0)
        own = own_value > 0 and own_value >= top * (1 - 1e-9)
        if may_decline and outside[g] > top * (1 + 1e-9):
            count, own = 0, False
        assert (found.largest[t], found.count[t], found.own[t]) == (pytest.approx(top), count, own), t
        assert (found.own_probability[t], found.outside[t]) == pytest.approx((own_value, outside[g]))


def test_the_number_of_people_like_a_target() -> None:
    matcher = _matcher("a set")
    cells = pd.MultiIndex.from_product([list("ab"), list("xyz")], names=["k", "s"])
    counts = pd.Series([4.0, 1.0, 2.0, 1.0, 3.0, 1.0], index=cells)
    found = census_counts(counts, TRUE, ["k", "s"], matcher)
    for g in range(matcher.size):
        i = int(matcher.first[g])
        assert found[g] == sum(v for (k, s), v in counts.items() if k == TRUE["k"][i] and s in SETS[TRUE["s"][i]])
    exactly = counts.copy()
    exactly[("a", "z")] = 1.0  # as many as the file has
    assert census_counts(exactly, TRUE, ["k", "s"], matcher).min() == 1.0
    for change, match in ((0.9, "counts fewer people than the file for 1 of 4"), (-1.0, ">= 0"), (np.inf, ">= 0")):
        exactly[("a", "z")] = change
        with pytest.raises(InputError, match=match):
            census_counts(exactly, TRUE, ["k", "s"], matcher)
    with pytest.raises(InputError, match="its index has the levels"):
        census_counts(counts.rename_axis(index=["k", "q"]), TRUE, ["k", "s"], matcher)
    same = np.array([2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 2.0, 2.0])
    by_value = _matcher("by value")
    assert given_counts(same, by_value.first, by_value.profile, 8).tolist() == same[by_value.first].tolist()
    same[7] = 2.5
    with pytest.raises(InputError, match="N_t must be equal for records"):
        given_counts(same, by_value.first, by_value.profile, 8)
    size = Population(None, np.array([5.0, 0.5])).size(
        Pairs(np.array([0, 1, 1]), np.array([3, 1, 2]), np.array([1, 2]))
    )
    assert size.tolist() == [5.0, 2.0]


def test_a_covariance_is_whitened_unless_it_is_singular() -> None:
    covariance = np.array([[2.0, 0.6], [0.6, 1.0]])
    whiten = _whiten(covariance, ("u", "v"))
    np.testing.assert_allclose(whiten.T @ covariance @ whiten, np.eye(2), atol=1e-12)
    _whiten(np.diag([1.0, 1e-11]), ("u", "v"))
    for bad in (np.diag([1.0, 1e-13]), np.zeros((2, 2)), np.ones((2, 2))):
        with pytest.raises(InputError, match="singular"):
            _whiten(bad, ("u", "v"))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("targets", [None, [7, 1, 3]])
@pytest.mark.parametrize("options", [{}, {"fallback": False}, {"may_decline": True, "fallback": False}])
def test_every_number_of_an_intruders_result(targets: Any, options: dict[str, Any]) -> None:
    someone = sl.Intruder(known=["k"], synthesized=["s"], targets=targets)
    released = [GUESS.assign(k=TRUE["k"], s=list("xqzxqqyx")), TRUE.assign(s=list("qyxzqxxx"))]
    risk = sl.intruder_risk(TRUE, released, someone, threshold=0.3, **options)
    rows = list(range(8)) if targets is None else risk.targets.tolist()
    fallback = options.get("fallback", True)
    table = np.zeros((len(rows), 9))
    for t, i in enumerate(rows):
        for frame in released:
            mates = [h for h in range(8) if frame["k"][h] == TRUE["k"][i]]
            hits = [h for h in mates if frame["s"][h] == TRUE["s"][i]]
            for h in hits or (mates if fallback else [8]):
                table[t, h] += 0.5 / len(hits or (mates if fallback else [8]))
    np.testing.assert_allclose(risk.match_probabilities().toarray(), table)
    for t, i in enumerate(rows):
        assert risk.probabilities(i).tolist() == pytest.approx(table[t].tolist())
    top = table[:, :8].max(axis=1)
    count = (table[:, :8] >= top[:, None] * (1 - 1e-9)).sum(axis=1) * (top > 0)
    own_p = table[np.arange(len(rows)), rows]
    own = (own_p > 0) & (own_p >= top * (1 - 1e-9))
    if options.get("may_decline"):
        declined = table[:, 8] > top * (1 + 1e-9)
        count, own = np.where(declined, 0, count), own & ~declined
    unique = np.array([((TRUE[["k", "s"]] == TRUE.loc[i, ["k", "s"]]).all(axis=1)).sum() == 1 for i in rows])
    share = own / np.maximum(count, 1)
    columns = {
        "largest": top,
        "match_count": count,
        "contains_true": own,
        "unique_true": own & (count == 1),
        "record_match_risk": share,
        "true_probability": own_p,
        "outside_probability": table[:, 8],
        "unique": unique,
    }
    frame = risk.to_frame()
    assert frame.index.tolist() == rows
    assert frame.columns.tolist() == list(columns)
    for name, values in columns.items():
        assert frame[name].tolist() == pytest.approx(values.tolist()), name
    same = [[h for h in range(8) if TRUE["k"][h] == TRUE["k"][i] and TRUE["s"][h] == TRUE["s"][i]] for i in rows]
    alone = sum(1 / (TRUE["k"] == TRUE["k"][i]).sum() for i in rows)
    summary = risk.summary()
    true = own & (count == 1)
    assert summary.iloc[0].tolist()[:2] == [(top > 0.3 * (1 + 1e-9)).sum(), sum(1 / len(s) > 0.3 for s in same)]
    assert summary.loc["expected match risk"].tolist() == pytest.approx(
        [share.sum(), sum(1 / len(s) for s in same), alone, len(rows) / 8]
    )
    assert summary.loc["true match risk"].tolist()[:2] == [true.sum(), sum(len(s) == 1 for s in same)]
    assert summary.loc["matched uniques"].tolist()[:2] == [(true & unique).sum(), unique.sum()]
    assert summary.iloc[[0, 2, 3], 2:].isna().all(axis=None)
    assert (risk.n_unique, risk.true_match_risk, risk.matched_uniques) == (
        unique.sum(),
        true.sum(),
        (true & unique).sum(),
    )
    for limit_ in (0.0, 0.25, 0.5, 0.99):
        assert risk.perceived_match_risk(limit_) == (top > limit_ * (1 + 1e-9)).sum()
    if targets is not None:
        with pytest.raises(InputError, match="target=0"):
            risk.probabilities(0)
    with pytest.raises(InputError, match="target"):
        risk.probabilities(8)
