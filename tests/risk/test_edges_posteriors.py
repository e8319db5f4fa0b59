"""Guesses, their posteriors and one-to-one links at their edges, by plain sums and by trying everything."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab.exceptions import InputError, UndefinedStatisticWarning
from synthlab.risk import _attribute_posterior, _guesses, _linkage_input, guess_posterior
from synthlab.risk._assignment import _places, assign
from synthlab.risk._attack import scores_of
from synthlab.risk._importance import together
from synthlab.risk._splink import Pairs, _comparison, _levels, pairs_within_blocks
from synthlab.risk.linkage import LinkageResult, _agreement, _random_link


@pytest.mark.parametrize("prior", [None, [0.0, 1.0, -2.0], [-np.inf, 0.5, 0.0]])
def test_a_posterior_over_guesses_by_its_formula(prior: Any) -> None:
    rng = np.random.default_rng(2)
    own, guesses, release = rng.normal(size=5), rng.normal(size=(5, 3)), 3 * rng.normal(size=(5, 2))
    guesses[:, 0] = own
    posterior, before, ess = guess_posterior(own, guesses, release, None if prior is None else np.array(prior))
    w = np.exp(guesses - own[:, None])
    start = w.mean(axis=0) if prior is None else np.exp(prior)
    assert before.tolist() == pytest.approx((start / start.sum()).tolist())
    for j in range(2):
        q = w * np.exp(release[:, [j]])
        after = start * q.sum(axis=0) / w.sum(axis=0)
        assert posterior[:, j].tolist() == pytest.approx((after / after.sum()).tolist())
        used = start > 0
        assert ess[j] == pytest.approx((q.sum(axis=0) ** 2 / (q**2).sum(axis=0))[used].min())
    joint = np.prod([posterior[:, j] / np.where(before > 0, before, 1) for j in range(2)], axis=0) * before
    assert together(posterior, before).tolist() == pytest.approx((joint / joint.sum()).tolist())


def test_a_guess_no_draw_speaks_for_leaves_no_draws() -> None:
    guesses = np.array([[0.0, 0.0], [0.0, -np.inf]])
    posterior, before, ess = guess_posterior(np.zeros(2), guesses, np.array([[-np.inf], [0.0]]))
    assert before.tolist() == pytest.approx([2 / 3, 1 / 3])
    assert posterior[:, 0].tolist() == [1.0, 0.0]
    assert ess.tolist() == [0.0]


@pytest.mark.parametrize("place", ["own", "guesses", "release"])
def test_the_largest_log_density(place: str) -> None:
    arrays = {"own": np.zeros(2), "guesses": np.zeros((2, 2)), "release": np.zeros((2, 1))}
    arrays[place].flat[0] = -1e300
    assert np.isfinite(guess_posterior(**arrays)[0]).all()
    for bad in (-1.1e300, 1.1e300, np.nan, np.inf):
        arrays[place].flat[0] = bad
        with pytest.raises(InputError, match=place):
            guess_posterior(**arrays)
    arrays[place] = arrays[place][:1]
    arrays[place].flat[0] = 0.0
    with pytest.raises(InputError, match="shapes"):
        guess_posterior(**arrays)
    for prior in ([0.0], [np.nan, 0.0], [-np.inf, -np.inf], [np.inf, 0.0]):
        with pytest.raises(InputError, match="prior"):
            guess_posterior(np.zeros(2), np.zeros((2, 2)), np.zeros((2, 1)), np.array(prior))


def test_the_guesses_of_a_record() -> None:
    frame = pd.DataFrame(
        {
            "a": [4, -6, 0],
            "b": [1.5, 2.0, -8.0],
            "c": pd.Categorical(["y", "x", "y"], categories=["z", "y", "x"]),
            "d": list("qpq"),
        }
    )
    levels = _guesses.levels_of(frame, ["a", "b", "c", "d"])
    assert {k: v.tolist() for k, v in levels.items()} == {
        "a": [-6, 0, 4],
        "b": [-8.0, 1.5, 2.0],
        "c": ["y", "x"],
        "d": ["p", "q"],
    }
    for row, relative in itertools.product((0, 1), (True, False)):
        own = frame.iloc[row]
        radii = {"a": 0.5, "b": 0.25} if relative else {"a": 2.0, "b": 0.5}
        half_a, half_b = (radii["a"] * abs(own["a"]), radii["b"] * abs(own["b"])) if relative else (2.0, 0.5)
        whole = sorted({float(np.round(own["a"] + s * half_a)) for s in np.linspace(-1, 1, 5)})
        points = [own["b"] + s * half_b for s in np.linspace(-1, 1, 5)]
        table, truth = _guesses.guesses_for(frame, row, levels, radii, relative, 5)
        plain = list(itertools.product(whole, points, ["y", "x"], ["p", "q"]))
        assert [tuple(r) for r in table[["a", "b", "c", "d"]].itertuples(index=False)] == [
            tuple(pytest.approx(v) if isinstance(v, float) else v for v in r) for r in plain
        ]
        assert table.iloc[truth].tolist() == own.tolist()
        assert table.dtypes.tolist() == frame.dtypes.tolist()
    table, truth = _guesses.guesses_for(frame[["d", "c"]], 1, {"d": levels["d"]}, {}, True, 5)
    assert (table["d"].tolist(), table["c"].tolist(), truth) == (["p", "q"], ["x", "x"], 0)


def test_too_many_guesses_and_a_grid_that_is_a_point(monkeypatch: pytest.MonkeyPatch) -> None:
    frame = pd.DataFrame({"a": [4, 1, 0], "b": [1.5, 2.0, 0.0]})
    levels = _guesses.levels_of(frame, ["a", "b"])
    monkeypatch.setattr(_guesses, "MAX_GUESSES", 15)
    assert len(_guesses.guesses_for(frame, 0, levels, {"b": 0.5}, True, 5)[0]) == 15
    monkeypatch.setattr(_guesses, "MAX_GUESSES", 14)
    with pytest.raises(InputError, match="grid=5: makes 15 guesses"):
        _guesses.guesses_for(frame, 0, levels, {"b": 0.5}, True, 5)
    _guesses.check_grid(frame, np.array([0, 1]), {"b": 0.1}, "relative")
    _guesses.check_grid(frame, np.array([0, 1, 2]), {"b": 0.1}, "absolute")
    _guesses.check_grid(frame, np.array([0]), {"a": 0.2}, "relative")  # 3.2 to 4.8 has two ends
    for rows, radii, kind, first in (
        ([0, 2], {"b": 0.1}, "relative", 2),
        ([0, 1], {"a": 0.1}, "relative", 0),
        ([2, 1], {"a": 0.4}, "absolute", 2),
        ([0, 1], {"b": 0.1, "a": 0.2}, "relative", 1),
    ):
        with pytest.raises(InputError, match=f"the first in row {first};"):
            _guesses.check_grid(frame, np.array(rows), radii, kind)


class _Fitted:
    """A normal distribution with a draw of the mean in each draw."""

    n_draws = 4
    synthesized = ("y",)
    weights: Any = None
    means = np.array([0.0, 0.5, 1.0, 2.0])

    def __init__(self, frame: pd.DataFrame) -> None:
        self.confidential = frame
        self.asked: list[int] = []

    def log_density(self, frame: pd.DataFrame, as_drawn: bool = False) -> np.ndarray:
        self.asked.append(len(frame))
        return -0.5 * (frame["y"].to_numpy()[None, :] - self.means[:, None]) ** 2


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("at_once", [1, 12, 13, 24, 40, 10**7])
@pytest.mark.parametrize("weights", [None, [1.0, 0.5, 0.0, 2.0]])
def test_posteriors_do_not_depend_on_the_batches(at_once: int, weights: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    frame = pd.DataFrame({"y": [0.4, 1.0, 2.0, -1.0]})
    released = [frame + 0.1, frame * 0.9]
    fitted = _Fitted(frame)
    fitted.weights = None if weights is None else np.array(weights)
    monkeypatch.setattr(_attribute_posterior, "AT_ONCE", at_once)
    risk = sl.risk.attribute_risk(frame, released, fitted=fitted, radius={"y": 0.5}, grid=3, datasets="apart")
    for i, y in enumerate(frame["y"]):
        guesses = np.array([y - 0.5 * abs(y), y, y + 0.5 * abs(y)])
        power = 1.0 if weights is None else weights[i]
        w = np.exp(power * 0.5 * ((y - fitted.means[:, None]) ** 2 - (guesses - fitted.means[:, None]) ** 2))
        for j, other in enumerate(released):
            likelihood = np.exp([-0.5 * ((other["y"] - m) ** 2).sum() for m in fitted.means])
            after = (w * likelihood[:, None]).sum(axis=0) / w.sum(axis=0)
            assert risk.scores.attack[i, j] == pytest.approx(after[1] / after.sum())
        assert risk.guesses[i]["y"].tolist() == pytest.approx(guesses.tolist())
        assert risk.guesses[i]["true"].tolist() == [False, True, False]
        assert risk.guesses[i]["prior"].tolist() == pytest.approx([1 / 3] * 3)
    assert risk.scores.baseline[:, 0].tolist() == pytest.approx([1 / 3] * 4)
    records = risk.records_to_frame()
    assert records["guesses"].tolist() == [3] * 4
    assert records["before"].tolist() == pytest.approx([1 / 3] * 4)
    assert records["after"].tolist() == pytest.approx(risk.scores.attack.mean(axis=1).tolist())
    assert records["rank"].tolist() == pytest.approx(risk.rank.mean(axis=1).tolist())
    assert records["ess"].tolist() == pytest.approx(risk.ess.min(axis=1).tolist())
    first = (risk.rank == 1).mean(axis=0)
    row = risk.summary().loc["truth ranks first"]
    assert row[["mean", "min", "max"]].tolist() == pytest.approx([first.mean(), first.min(), first.max()])
    assert row[["low", "high"]].isna().all()
    assert (risk.draws, risk.m, risk.datasets, risk.prior) == (4, 2, "apart", "uniform")
    for other in (frame.iloc[:3], frame.rename(columns={"y": "z"})):
        with pytest.raises(InputError, match="synthetic dataset 2: must have 4 rows and y"):
            _attribute_posterior.check_fitted(frame, [frame, other], fitted)  # type: ignore[arg-type]


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
        made = _comparison("v0", radii, relative).get_comparison("duckdb").as_dict()["comparison_levels"]
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
    for bad in ([-0.1], [1.1], "0.5"):
        with pytest.raises(InputError, match="thresholds"):
            result.by_threshold(bad)


def test_what_is_compared_in_a_linkage(monkeypatch: pytest.MonkeyPatch) -> None:
    people = pd.DataFrame({"k": list("aabb"), "age": [10.0, 20.0, np.nan, 40.0], "v": ["x", "y", None, "x"]})
    other = people.assign(v=["y", "y", "x", "z"], age=[11.0, np.nan, 30.0, 40.0])
    someone = sl.Intruder(known=["k", "age"], synthesized=["v"], radius={"age": [0.1, 0.3]})
    told, blocking, compared, radii = _linkage_input.check_linkage(people, [other], someone)
    assert (blocking, compared, radii) == (["k"], ["age", "v"], {"age": (0.1, 0.3)})
    assert told.radius == {"age": (0.1, 0.3)}
    one = _linkage_input.check_linkage(
        people, [other], sl.Intruder(known=["k", "age"], synthesized=["v"], radius={"age": 0.1})
    )
    assert one[0].radius == {"age": 0.1}
    block, there = np.array([0, 0, 1, 1]), np.array([0, 0, 1, 1])
    left, right = _linkage_input.tables_of(people, other, compared, radii, block, there)
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
    with pytest.raises(InputError, match="leave 8 pairs within blocks; more than 7"):
        _linkage_input.check_linkage(people, [other], someone)
    monkeypatch.setattr(_linkage_input, "MAX_PAIRS", 8)
    with pytest.raises(InputError, match="no pair of records shares the values"):
        _linkage_input.check_linkage(people, [other.assign(k=list("zzzz"))], someone)
