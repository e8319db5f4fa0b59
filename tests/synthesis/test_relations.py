"""Relations between columns: detected in the file, computed in the release, or reported."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab.exceptions import InputError, RelationWarning
from synthlab.synthesis._variable_types import role_of
from synthlab.synthesis.relations import Found, Values, detect, share_of
from synthlab.synthesis.relations.relation import parse
from tests.loops import every

pytestmark = pytest.mark.filterwarnings("ignore::synthlab.exceptions.RareValueWarning")
SIZES = ((1, 80), (2, 400), (3, 1500))  # seed and number of records of the three datasets of each form


def values_of(frame: pd.DataFrame) -> Values:
    return Values.of(frame, {str(c): role_of(frame[c]) for c in frame}, {})


def found_in(frame: pd.DataFrame, seed: int = 0) -> Found:
    return detect(values_of(frame), np.random.default_rng(seed))


def forms(seed: int, n: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield one file per form: the text of its relation, and its columns."""
    draw = np.random.default_rng(seed)
    age, size, part = draw.integers(20, 90, n), draw.integers(150, 200, n), draw.integers(1, 50, n)
    pay, mass = draw.lognormal(7, 0.6, n).round(2), draw.integers(45, 120, n)
    day = pd.Series(pd.Timestamp("2020-01-01") + pd.to_timedelta(draw.integers(0, 900, n), "D"))
    gap = draw.integers(0, 60, n)
    later = day + pd.to_timedelta(gap, "D")
    parts = {f"x{i}": draw.integers(0, 30 * i, n) for i in range(1, 7)}
    code = draw.integers(0, 9, n)
    born, asked = (1930 + 60 * draw.random(n)).round(3), (2010 + 5 * draw.random(n)).round(3)
    lost = np.where(draw.random(n) < 0.1, np.nan, mass)
    yield "x1 <= x2", {"x1": age, "x2": age + draw.poisson(3, n), "x3": pay}
    yield "x1 <= x2", {"x1": pay, "x2": (pay * (1 + draw.random(n))).round(2), "x3": age}
    yield "x1 <= x2", {"x1": day, "x2": later, "x3": age}
    yield "x1 <= x2", {"x1": day.dt.strftime("%Y-%m-%d"), "x2": later.dt.strftime("%Y-%m-%d"), "x3": age}
    yield "x3 = x1 + x2", {"x1": age, "x2": part, "x3": age + part}
    yield "x3 = x1 + x2", {"x1": pay, "x2": pay[::-1], "x3": (pay + pay[::-1]).round(2)}
    yield "x7 = x1 + x2 + x3 + x4 + x5 + x6", {**parts, "x7": sum(parts.values()), "x8": pay}
    yield "x8 = x1 + x2 + x4 + x6", {"x8": sum(parts[f"x{i}"] for i in (1, 2, 4, 6)), **parts}
    yield "x3 = x1 - x2", {"x1": age, "x2": size, "x3": age - size}
    yield "x2 = x1 + x3", {"x1": day, "x3": gap, "x2": later}
    yield "x2 = 2,020 - x1", {"x1": age, "x2": 2020 - age, "x3": pay}
    yield "x2 = 12 * x1", {"x1": pay, "x2": (12 * pay).round(2), "x3": age}
    yield "x3 = x1 * x2", {"x1": age, "x2": pay, "x3": (age * pay).round(2)}
    yield "x3 = x1 / x2", {"x1": pay, "x2": age, "x3": pay / age}
    yield "x3 = x1 / x2 * 100", {"x1": age, "x2": size, "x3": (100 * age / size).round(1)}
    yield "x3 = x2 / x1^2 * 10,000", {"x1": size, "x2": mass, "x3": (mass / (size / 100) ** 2).round(2)}
    yield "x3 = x2 / x1^2 * 10,000", {"x1": size, "x2": lost, "x3": (lost / (size / 100) ** 2).round(2)}
    yield "x3 = floor(x2 - x1)", {"x1": born, "x2": asked, "x3": np.floor(asked - born).astype(int)}
    times = later + pd.to_timedelta(draw.integers(0, 86_400, n), "s")
    yield "x3 = completed days from x1 to x2", {"x1": day, "x2": times, "x3": (times - day).dt.days}
    birth = pd.Series(pd.Timestamp("1930-01-01") + pd.to_timedelta(draw.integers(0, 20_000, n), "D"))
    visit = birth + pd.to_timedelta(draw.integers(7_000, 20_000, n), "D")
    decimal = ((visit - birth).dt.days / 365.25).round(2)
    yield "x3 = years of 365.25 days from x1 to x2", {"x1": birth, "x2": visit, "x3": decimal}
    before = visit.dt.month * 100 + visit.dt.day < birth.dt.month * 100 + birth.dt.day
    age_then = visit.dt.year - birth.dt.year - before
    yield "x3 = completed years from x1 to x2", {"x1": birth, "x2": visit, "x3": age_then}
    yield "x2 = x1^2", {"x1": age, "x2": age**2, "x3": pay}
    yield "x2 = x1^0.5", {"x1": pay, "x2": np.sqrt(pay).round(3), "x3": age}
    yield "x2 = log(x1)", {"x1": pay, "x2": np.log(pay).astype("float32"), "x3": age}
    yield "x2 = log1p(x1)", {"x1": part, "x2": np.log1p(part), "x3": age}
    yield "x2 = log10(x1)", {"x1": pay, "x2": np.log10(pay).round(4), "x3": age}
    yield "x2 <-> x1", {"x1": code * 100 + 11, "x2": np.array(list("abcdefghi"))[code], "x3": age}


@pytest.mark.parametrize(("seed", "n"), SIZES)
def test_each_form_is_detected_and_holds_in_the_release(seed: int, n: int) -> None:
    for text, columns in forms(seed, n):
        frame = pd.DataFrame(columns)
        found = found_in(frame, seed)
        first, *orders = map(str, found.exact)
        assert first == text
        assert orders in ([], ["x1 <= x2"] if " from x1" in text else []), text
        assert found.nearly == ()
        release = sl.synthesize(frame, m=1, rng=seed)
        assert [r.partition(": ")[0] for r in sl.Plan.of(release).relations] == [text, *orders]
        assert not any("not preserved" in r for r in sl.Plan.of(release).relations)
        assert min(share_of(r, values_of(release[0])) for r in found.exact) >= 0.999, text
        pd.testing.assert_series_equal(release[0].dtypes, frame.dtypes)
        assert set(release.synthesized or ()) == set(frame)
        np.testing.assert_allclose(release[0].isna().mean(), frame.isna().mean(), atol=0.1)


@pytest.mark.parametrize(("seed", "n"), SIZES)
def test_margins_of_columns_in_order_are_not_worse(seed: int, n: int) -> None:
    for text, columns in list(forms(seed, n))[:4]:
        frame = pd.DataFrame(columns)
        true = values_of(frame).numbers
        gaps: dict[Any, Any] = {}
        for relations in ("detect", False):
            made = sl.synthesize(frame, m=5, rng=seed, relations=relations)
            drawn = [values_of(one).numbers for one in made]
            gaps[relations] = np.mean([_distance(true["x2"], one["x2"]) for one in drawn])
            spread = np.mean([_distance(true["x2"] - true["x1"], one["x2"] - one["x1"]) for one in drawn])
            gaps[relations, "difference"] = spread
        assert gaps["detect"] <= gaps[False] + 0.4 / np.sqrt(n), text
        assert gaps["detect", "difference"] <= gaps[False, "difference"] + 0.4 / np.sqrt(n), text


@pytest.mark.parametrize("seed", range(3))
def test_an_order_holds_if_differences_vary_more_than_values(seed: int) -> None:
    draw = np.random.default_rng(seed)
    x1 = draw.integers(0, 100, 400)
    frame = pd.DataFrame({"x1": x1, "x2": np.maximum(x1, draw.integers(60, 100, 400))})
    assert (frame["x2"] - frame["x1"]).std() > frame["x2"].std()
    release = sl.synthesize(frame, m=1, rng=seed)
    assert [r.partition(": ")[0] for r in sl.Plan.of(release).relations] == ["x1 <= x2"]
    assert (release[0]["x1"] <= release[0]["x2"]).all()
    assert _distance(frame["x2"].to_numpy(), release[0]["x2"].to_numpy()) < 0.15


def _distance(one: np.ndarray, other: np.ndarray) -> float:
    at = np.concatenate([one, other])
    shares = [np.searchsorted(np.sort(v), at, side="right") / len(v) for v in (one, other)]
    return float(np.abs(shares[0] - shares[1]).max())


@pytest.mark.parametrize("seed", range(4))
def test_a_rounded_result_needs_spread_and_an_exact_one_does_not(seed: int) -> None:
    draw = np.random.default_rng(seed)
    a, b = draw.lognormal(7, 0.6, 600).round(2), draw.lognormal(6.7, 0.5, 600).round(2)
    found = [found_in(pd.DataFrame({"x1": a, "x2": b, "x3": (a / b).round(digits)})).exact for digits in (0, 1)]
    assert [[str(relation) for relation in one] for one in found] == [[], ["x3 = x1 / x2"]]
    few, fewer = draw.integers(0, 2, 600), draw.integers(0, 3, 600)
    found = found_in(pd.DataFrame({"x1": few, "x2": fewer, "x3": few + fewer}))
    assert next((str(relation), count) for relation, count in found.proposed) == ("x3 = x1 + x2", 600)
    assert "x3 = x1 + x2" not in map(str, found.exact)


@pytest.mark.parametrize("decimals", [None, 1])
@pytest.mark.parametrize(("slope", "shift"), [(1.8, 32.0), (1 / 2.54, 0.0), (0.45359237, 0.0), (-2.5, 400.0)])
def test_a_column_in_another_unit_is_computed(slope: float, shift: float, decimals: int | None) -> None:
    draw = np.random.default_rng(1)
    x = draw.gamma(5, 20, 300).round(1)
    y = slope * x + shift if decimals is None else (slope * x + shift).round(decimals)
    frame = pd.DataFrame({"x": x, "y": y, "unrelated": draw.normal(size=300)})
    release = sl.synthesize(frame, m=1, rng=2)
    (line,) = sl.Plan.of(release).relations
    assert line.startswith("y = ")
    assert line.endswith(": computed")
    made = release[0]
    exact = slope * made["x"] + shift
    assert (made["y"] - exact).abs().max() <= (1e-5 * exact.abs().max() if decimals is None else 0.052)


@pytest.mark.parametrize("seed", range(4))
def test_a_product_of_very_different_sizes_is_detected(seed: int) -> None:
    draw = np.random.default_rng(seed)
    a, b = draw.lognormal(7, 3, 300).round(2), draw.lognormal(0, 1, 300).round(2)
    (found,) = found_in(pd.DataFrame({"x1": a, "x2": b, "x3": a * b / 100})).exact
    assert str(found) == "x3 = x1 * x2 / 100"
    a, b = draw.uniform(1, 9, (2, 60)).round(2)
    a[0] = b[0] = 1000.0  # in the same record, so that none of the three columns is found from the others without it
    found = [str(one) for one in found_in(pd.DataFrame({"x1": a, "x2": b, "x3": (a * b).round(4)}), 1).exact]
    assert found == ["x3 = x1 * x2"]


def test_unrelated_columns_have_no_relation() -> None:
    for seed in range(50):
        draw = np.random.default_rng(seed)
        n, p = int(draw.choice([50, 60, 200, 1000])), 9
        correlated = np.full((p, p), draw.choice([0.0, 0.4, 0.7])) + np.eye(p)
        z = draw.multivariate_normal(np.zeros(p), correlated / correlated[0, 0], n)
        likert = np.clip(np.round(z[:, :4] + draw.uniform(2, 4, 4)), 1, 5).astype(int)
        columns = {f"x{i}": likert[:, i] for i in range(4)}
        columns |= {"x4": (z[:, 4] > 0).astype(int), "x5": draw.poisson(np.exp(z[:, 5] / 2))}
        columns |= {"x6": np.exp(z[:, 6]).round(1), "x7": z[:, 7], "x8": np.where(z[:, 8] > 1, likert[:, 0] * 10, 0)}
        frame = pd.DataFrame(columns)
        assert found_in(frame, seed) == Found(), seed


def test_relations_among_a_hundred_columns() -> None:
    draw = np.random.default_rng(1)
    z = draw.normal(size=(2000, 100)) + draw.normal(size=(2000, 1))
    frame = pd.DataFrame({f"x{j}": np.round(100 + 10 * z[:, j], j % 3) for j in range(100)})
    frame["x99"] = frame[[f"x{j}" for j in range(20, 60)]].sum(axis=1).round(2)
    frame["x50"] = (frame["x3"] * frame["x7"]).round(3)
    frame["x99"] = frame[[f"x{j}" for j in range(20, 60)]].sum(axis=1).round(3)
    found = found_in(frame)
    assert {frozenset(r.columns) for r in found.exact} == {
        frozenset({"x50", "x3", "x7"}),
        frozenset({"x99", *(f"x{j}" for j in range(20, 60))}),
    }


@pytest.fixture(scope="module")
def sums() -> pd.DataFrame:
    draw = np.random.default_rng(4)
    frame = pd.DataFrame({"a": draw.integers(1, 50, 1000), "b": draw.integers(0, 90, 1000)})
    return frame.assign(c=frame["a"] + frame["b"], g=draw.choice(list("xyz"), 1000))


def test_chains_are_computed_in_order(sums: pd.DataFrame) -> None:
    frame = sums.assign(d=np.log(sums["c"]), e=(np.log(sums["c"]) * sums["a"]).round(3))
    release = sl.synthesize(frame, m=1, rng=1)
    made = release[0]
    assert {v.variable for v in sl.Plan.of(release).variables if v.model == "computed"} == {"c", "d", "e"}
    np.testing.assert_array_equal(made["c"], made["a"] + made["b"])
    np.testing.assert_allclose(made["d"], np.log(made["c"]))
    np.testing.assert_allclose(made["e"], made["d"] * made["a"], atol=6e-4)


def test_an_almost_exact_relation_is_reported_and_not_enforced(sums: pd.DataFrame) -> None:
    frame = sums.copy()
    frame.loc[17, "c"] = 4321
    with pytest.warns(RelationWarning, match=r"nearly all confidential records satisfy c = a \+ b") as caught:
        release = sl.synthesize(frame, m=1, rng=1)
    assert not any("17" in str(w.message) or "4321" in str(w.message) for w in caught)
    assert not any(text.startswith("c = a + b") for text in sl.Plan.of(release).relations)
    assert (release[0]["c"] == release[0]["a"] + release[0]["b"]).mean() < 0.9
    made = sl.synthesize(frame, m=1, rng=1, relations=["c = a + b"])[0]  # declared, it is enforced
    np.testing.assert_array_equal(made["c"], made["a"] + made["b"])


def test_kept_columns_are_never_changed(sums: pd.DataFrame) -> None:
    for keep in (["c"], ["a"], ["a", "b"], ["a", "b", "c"]):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            release = sl.synthesize(sums, m=1, rng=1, keep=keep)
        made = release[0]
        pd.testing.assert_frame_equal(made[keep], sums[keep])
        assert set(release.synthesized or ()) == {*sums} - {*keep}
        # A column is not computed from unchanged columns only: it would have its confidential values.
        assert (made["c"] == made["a"] + made["b"]).all() == (len(keep) != 2)
        assert any(w.category is RelationWarning for w in caught) == (len(keep) == 2)


def test_a_relation_that_cannot_be_computed_is_reported(sums: pd.DataFrame) -> None:
    frame = sums[["a", "b"]].assign(d=np.floor(sums["b"] / sums["a"]))
    with pytest.warns(
        RelationWarning, match=r"not preserved in the release: d = floor\(b / a\) \(\d+ of 1,000 synthetic rec"
    ):
        release = sl.synthesize(frame, m=1, rng=1, keep=["d"])
    (text,) = [text for text in sl.Plan.of(release).relations if text.startswith("d = floor(b / a): not preserved (")]
    assert parse(text) is None


def test_a_source_that_is_dropped_ends_the_relation(sums: pd.DataFrame) -> None:
    frame = sums.assign(id=np.arange(1, 1001)).assign(double=lambda f: 12 * f["id"] + f["a"])
    release = sl.synthesize(frame, m=1, rng=1, identifiers="drop", models={"double": "tree"})
    assert "id" not in release[0]
    assert "double" in (release.synthesized or ())
    with pytest.raises(InputError, match="relations: 'double = 12 \\* id \\+ a': 'id' is constant, empty, or an id"):
        sl.synthesize(frame, identifiers="drop", models={"double": "tree"}, relations=["double = 12 * id + a"])


def test_missing_values_and_codes_follow_the_file(sums: pd.DataFrame) -> None:
    draw = np.random.default_rng(1)
    gone = draw.random(1000) < 0.2
    coded = sums.assign(a=sums["a"].mask(gone, -9), c=sums["c"].mask(gone, -9))
    made = sl.synthesize(coded, m=1, rng=1, missing_codes={"a": [-9], "c": [-9]})[0]
    np.testing.assert_array_equal(made["c"], np.where(made["a"] == -9, -9, made["a"] + made["b"]))
    assert 0.1 < (made["a"] == -9).mean() < 0.3
    more = sums.assign(c=sums["c"].astype(float).mask(gone))  # the sum has missing values of its own
    made = sl.synthesize(more, m=1, rng=1)[0]
    there = made["c"].notna()
    np.testing.assert_array_equal(made["c"][there], (made["a"] + made["b"])[there])
    assert 0.1 < 1 - there.mean() < 0.3
    assert (
        sl.synthesize(sums.assign(z=np.where(sums["b"] > 0, np.log(sums["b"].clip(1)), 0.5)), m=1, rng=1)[0].notna()
    ).all(axis=None)


@pytest.mark.filterwarnings("ignore::synthlab.exceptions.RelationWarning")
def test_orders_hold_with_missing_bounds_and_chains() -> None:
    draw = np.random.default_rng(3)
    day = pd.Series(pd.Timestamp("2020-01-01") + pd.to_timedelta(draw.integers(0, 900, 800), "D"))
    end = day + pd.to_timedelta(draw.integers(0, 9, 800), "D")
    paid = end + pd.to_timedelta(draw.integers(0, 40, 800), "D")
    frame = pd.DataFrame({"a": day.mask(draw.random(800) < 0.1), "b": end.mask(draw.random(800) < 0.2), "c": paid})
    for keep in ([], ["a"], ["b"], ["c"], ["a", "c"]):
        release = sl.synthesize(frame, m=1, rng=1, keep=keep)
        made = release[0]
        for one, other in (("a", "b"), ("b", "c")):
            there = made[[one, other]].notna().all(axis=1)
            share = (made[one] <= made[other])[there].mean()
            assert share == 1 or f"{one} <= {other}: not preserved" in sl.Plan.of(release).relations, (keep, one)
        assert made.max().le(frame.max()).all()
        np.testing.assert_allclose(made.isna().mean(), frame.isna().mean(), atol=0.05)


def test_constraints_see_computed_columns(sums: pd.DataFrame) -> None:
    frame = sums[sums["c"] <= 120].reset_index(drop=True)
    made = sl.synthesize(frame, m=1, rng=1, constraints=[sl.Bounds("c", 0, 120)])[0]
    assert made["c"].max() <= 120
    np.testing.assert_array_equal(made["c"], made["a"] + made["b"])
    zero = sums.assign(a=sums["a"].where(sums["g"] == "x", 0)).assign(c=lambda f: f["a"] + f["b"])
    made = sl.synthesize(zero, m=1, rng=1, constraints=[sl.ZeroUnless("a", "g", ["x"])])[0]
    assert (made["a"][made["g"] != "x"] == 0).all()
    np.testing.assert_array_equal(made["c"], made["a"] + made["b"])


def test_the_plan_is_edited_and_given_again(sums: pd.DataFrame) -> None:
    frame = sums.rename(columns={"a": "my `a`: 1", "b": "log", "c": "größe"}).assign(d=np.log(sums["c"]))
    plan = sl.Plan.from_dict(sl.Plan.of(sl.synthesize(frame, m=1, rng=1)).to_dict())
    assert len(plan.relations) == 2
    again = sl.synthesize(frame, m=1, rng=1, relations=plan.relations)
    assert sl.Plan.of(again).relations == plan.relations
    fewer = sl.synthesize(frame, m=1, rng=1, relations=[r for r in plan.relations if "log(" not in r])
    assert len(sl.Plan.of(fewer).relations) == 1
    off = sl.synthesize(frame, m=1, rng=1, relations=False)
    assert sl.Plan.of(off).relations == ()
    assert (off[0]["größe"] == off[0]["my `a`: 1"] + off[0]["log"]).mean() < 0.9


@every(
    ("relations", "message"),
    [
        ("all", "relations='all': must be 'detect' or a list"),
        (True, "relations=True"),
        ([5], "relations: a relation must be a text"),
        (["Jane Doe"], "relations: cannot read a text without"),
        (["c = a +"], "relations: cannot read 'c = a \\+'"),
        (["c = a + z"], "relations: 'c = a \\+ z': 'z' not in confidential"),
        (["c = a + g"], "relations: 'c = a \\+ g': 'g' has no numbers or dates"),
        (["g <= a"], "'g' has no numbers or dates"),
        (["c = a - b"], "holds in fewer than 99.5% of the confidential records"),
        (["a <= b"], "holds in fewer than 99.5%"),
        (["c = a + b", "c = b + a"], "compute the same column"),
        (["c = a + b", "a = c - b"], "contradicts or repeats 'c = a \\+ b'"),
        (["a <= same", "same <= a"], "contradicts or repeats"),
        (["c = a + c"], "names a column twice"),
        (["one = a"], "'one' is constant, empty, or an identifier"),
        (["empty = a"], "'empty' is constant, empty, or an identifier"),
    ],
)
def test_bad_relations_are_named(sums: pd.DataFrame, relations: Any, message: str) -> None:
    frame = sums.assign(same=sums["a"], one=1, empty=None)
    with pytest.raises(InputError, match=message):
        sl.synthesize(frame, relations=relations)


def test_a_computed_column_cannot_be_kept_or_have_a_model(sums: pd.DataFrame) -> None:
    for options in ({"keep": ["c"]}, {"models": {"c": "normal"}}):
        with pytest.raises(InputError, match="'c' cannot be computed, because it is kept, has a model"):
            sl.synthesize(sums, relations=["c = a + b"], **options)


def test_texts_are_read_as_they_are_written() -> None:
    for text in (
        "c = a + b + 3.5 - 12 * d", "c = 2,000 - a", "c = a / 100", "c = a / b^2 * 10,000", "c = 1 / a", "c = a^0.5",
        "c = floor(a / b)", "c = log1p(a)", "`a b` <= c", "a <-> b", "c = -a - b", "c = a * b / 12", "c = 0.3 * a",
    ):  # fmt: skip
        assert str(parse(text)) == text
        assert parse(f"{text}: computed") == parse(text)
    assert parse("c = a + b: not preserved") is None
    for bad in ("", "c", "c =", "c = a +", "c = a / 0", "c = __import__(a)", "c = a; b", "c = a * b + d", "c = 0 * a",
                "c == a", "a < b", "c = exp(a)", "1 = a", "c = a ** 2", "c = (a + b)"):  # fmt: skip
        with pytest.raises(InputError, match="relations"):
            parse(bad)


def test_two_columns_that_are_never_observed_together_have_no_relation_and_no_warning() -> None:
    value = np.random.default_rng(1).normal(size=300).round(2)
    first = np.arange(300) % 2 == 0
    frame = pd.DataFrame({"a": np.where(first, value, np.nan), "b": np.where(first, np.nan, value), "c": value[::-1]})
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        release = sl.synthesize(frame, m=1, rng=1)
    assert not sl.Plan.of(release).relations
