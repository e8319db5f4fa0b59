"""One-to-one links, levels of agreement and thresholds, by trying every assignment."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab.exceptions import InputError, UndefinedStatisticWarning
from synthlab.risk._attack_result import scores_of
from synthlab.risk.linkage import _linkage_input
from synthlab.risk.linkage._assignment import _places, assign
from synthlab.risk.linkage._splink import Pairs, _comparison, _levels, pairs_within_blocks
from synthlab.risk.linkage.linkage_risk import LinkageResult, _agreement, _random_link


def test_links_have_the_largest_sum_of_weights() -> None:
    rng = np.random.default_rng(6)
    left, right = np.array([3, 0, 3, 0, 3, 7]), np.array([0, 3, 3, 0, 0, 3, 9])
    pairs = [(i, j) for i in range(6) for j in range(7) if left[i] == right[j]]
    order = rng.permutation(len(pairs))
    weight = rng.normal(size=len(pairs))
    at = {pairs[k]: weight[k] for k in range(len(pairs))}
    arrays = np.array([pairs[k] for k in order]).T
    linked, probability = assign(
        left, right, Pairs(arrays[0], arrays[1], weight[order], np.exp(weight[order]) / 99), rng
    )
    for block in (0, 3):
        rows, columns = np.flatnonzero(left == block), np.flatnonzero(right == block)
        if len(rows) <= len(columns):
            best = max(
                sum(at[i, j] for i, j in zip(rows, p, strict=True)) for p in itertools.permutations(columns, len(rows))
            )
        else:
            best = max(
                sum(at[i, j] for i, j in zip(p, columns, strict=True))
                for p in itertools.permutations(rows, len(columns))
            )
        found = [(i, linked[i]) for i in rows if linked[i] >= 0]
        assert sum(at[i, j] for i, j in found) == pytest.approx(best)
        assert [probability[i] for i, _ in found] == pytest.approx([np.exp(at[i, j]) / 99 for i, j in found])
    assert linked[5] == -1
    assert np.isnan(probability[5])
    assert _places(np.array([4, 1, 3]))[[4, 1, 3]].tolist() == [0, 1, 2]


def test_links_at_random_by_trying_all() -> None:
    blocks, other = np.array([0, 0, 1, 1, 1, 2]), np.array([0, 1, 1, 1, 0, 0])
    chance = _random_link(blocks, other)
    # the larger of the two files has so many places in the block; the own record must be there
    plain = [1 / max((blocks == b).sum(), (other == b).sum()) if other[i] == b else 0.0 for i, b in enumerate(blocks)]
    assert chance.tolist() == pytest.approx(plain)
    assert pairs_within_blocks(pd.Series(blocks), pd.Series(other)) == sum(a == b for a in blocks for b in other)
    assert pairs_within_blocks(pd.Series([1, 1]), pd.Series([2])) == 0


def test_levels_of_agreement_and_their_weights() -> None:
    model = {
        "comparisons": [
            {
                "output_column_name": "v1",
                "comparison_levels": [
                    {"is_null_level": True, "label_for_charts": "null"},
                    {"label_for_charts": "equal", "m_probability": 0.8, "u_probability": 0.1},
                    {"label_for_charts": "disagree", "m_probability": 0.2, "u_probability": 0.0},
                    {"label_for_charts": "odd", "m_probability": 0.0, "u_probability": 0.5},
                    {"label_for_charts": "never"},
                ],
            }
        ]
    }
    rows = _levels(model)
    assert [r["level"] for r in rows] == ["equal", "disagree", "odd", "never"]
    assert [(r["column"], r["m"], r["u"]) for r in rows] == [
        ("v1", 0.8, 0.1),
        ("v1", 0.2, 0.0),
        ("v1", 0.0, 0.5),
        ("v1", None, None),
    ]
    table = _agreement([{"dataset": 1, **r} for r in rows], ["job", "income"])
    assert table.columns.tolist() == ["dataset", "variable", "level", "m", "u", "weight"]
    assert table["variable"].tolist() == ["income"] * 4
    assert table["weight"].tolist() == pytest.approx([3.0, np.nan, np.nan, np.nan], nan_ok=True)
    pytest.importorskip("splink")
    for radii, relative, told in (
        (None, False, ["equal"]),
        ((1.0, 2.5), False, ["within 1", "within 2.5"]),
        ((0.5,), True, ["within 0.5"]),
    ):
        made = _comparison("v0", radii, relative, "never").get_comparison("duckdb").as_dict()["comparison_levels"]
        assert [level["label_for_charts"] for level in made][1:] == [*told, "disagree"]
        if radii:
            assert f"<= {radii[0]!r}" + (" * abs(v0_l)" if relative else "") in made[1]["sql_condition"]


def _links() -> LinkageResult:
    linked = np.array([[0, 0], [1, 3], [0, 2], [-1, 1]])
    probability = np.array([[0.9, 0.5], [0.5, 0.1], [0.2, 0.99], [np.nan, 0.4]])
    baseline = np.array([[0.5, 0.5], [0.5, 0.25], [0.5, 0.5], [0.25, 0.0]])
    someone = sl.Intruder(known=["k", "age"], synthesized=["v"], radius={"age": 1.0})
    scores = scores_of(linked == np.arange(4)[:, None], baseline, 0.9)
    return LinkageResult(scores, linked, probability, pd.DataFrame(), someone, (0.0, 0.5), None)


def test_links_claimed_at_thresholds() -> None:
    result = _links()
    assert result.correct.tolist() == [[True, True], [True, False], [False, True], [False, False]]
    assert (result.blocking, result.compared) == (("k",), ("age", "v"))
    assert "blocked on k, compared on age, v; success is the share linked to their own record; m = 2" in result.title
    assert result.by_threshold().index.tolist() == [0.0, 0.5]
    table = result.by_threshold([0.0, 0.1, 0.5, 0.9])
    for limit, row in table.iterrows():
        claimed = np.nan_to_num(result.probability, nan=-1.0) >= limit
        true = claimed & result.correct
        assert row["links"] == claimed.sum() / 2
        assert row["true_links"] == true.sum() / 2
        shares = [true[:, j].sum() / claimed[:, j].sum() for j in (0, 1)]
        assert row["share_true"] == pytest.approx(np.mean(shares))
        expected = [result.scores.baseline[claimed[:, j], j].mean() for j in (0, 1)]
        assert row["expected"] == pytest.approx(np.mean(expected))
        assert row["found"] == true.sum() / 8
        part = scores_of(result.scores.attack, result.scores.baseline, 0.9, claimed)
        assert (row["low"], row["high"]) == pytest.approx(part.interval(part.attack), nan_ok=True)
    with pytest.warns(UndefinedStatisticWarning, match="no link reaches 1 of 2"):
        assert result.by_threshold([0.5, 1.0])["share_true"].isna().tolist() == [False, True]
    assert result.by_threshold([]).dtypes.equals(table.dtypes)
    for bad in ([-0.1], [1.1], "0.5"):
        with pytest.raises(InputError, match="thresholds"):
            result.by_threshold(bad)


def test_what_is_compared_in_a_linkage(monkeypatch: pytest.MonkeyPatch) -> None:
    people = pd.DataFrame({"k": list("aabb"), "age": [10.0, 20.0, np.nan, 40.0], "v": ["x", "y", None, "x"]})
    other = people.assign(v=["y", "y", "x", "z"], age=[11.0, np.nan, 30.0, 40.0])
    someone = sl.Intruder(known=["k", "age"], synthesized=["v"], radius={"age": [0.1, 0.3]}, missing="never")
    told, blocking, compared, radii = _linkage_input.check_linkage(people, [other], someone)
    assert (blocking, compared, radii) == (["k"], ["age", "v"], {"age": (0.1, 0.3)})
    assert told.radius == {"age": (0.1, 0.3)}
    one = _linkage_input.check_linkage(
        people, [other], sl.Intruder(known=["k", "age"], synthesized=["v"], radius={"age": 0.1}, missing="never")
    )
    assert one[0].radius == {"age": 0.1}
    block, there = np.array([0, 0, 1, 1]), np.array([0, 0, 1, 1])
    left, right = _linkage_input.tables_of(people, other, compared, radii, block, there, "never")
    assert left.columns.tolist() == ["unique_id", "block", "person", "v0", "v1"]
    assert left["unique_id"].tolist() == left["person"].tolist() == [0, 1, 2, 3]
    assert (left["block"].tolist(), right["block"].tolist()) == ([0, 0, 1, 1], [0, 0, 1, 1])
    np.testing.assert_array_equal(left["v0"], people["age"])
    np.testing.assert_array_equal(right["v0"], other["age"])
    codes = [*left["v1"], *right["v1"]]
    values = [*people["v"], *other["v"]]
    assert [np.isnan(c) for c in codes] == [v is None or pd.isna(v) for v in values]
    assert {codes[i] == codes[j] for i in range(8) for j in range(8) if values[i] == values[j] and values[i]} == {True}
    assert len({c for c in codes if c == c}) == 3
    monkeypatch.setattr(_linkage_input, "MAX_PAIRS", 8)
    _linkage_input.check_linkage(people, [other], someone)
    monkeypatch.setattr(_linkage_input, "MAX_PAIRS", 7)
    with pytest.raises(InputError, match="leave 8 pairs within blocks, more than 7"):
        _linkage_input.check_linkage(people, [other], someone)
    monkeypatch.setattr(_linkage_input, "MAX_PAIRS", 8)
    with pytest.raises(InputError, match="no confidential record has the same values"):
        _linkage_input.check_linkage(people, [other.assign(k=list("zzzz"))], someone)
