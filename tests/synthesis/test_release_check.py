"""Conditions of a plan: tested in every dataset, preserved by construction or by redrawing, or named."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab.exceptions import InputError, RelationWarning
from synthlab.synthesis import redrawing
from synthlab.synthesis._variable_types import role_of
from synthlab.synthesis.relations import RelationCondition, Values, condition_of, conditions_of_column, detect
from synthlab.synthesis.relations.relation import parse
from synthlab.synthesis.release_check import CONDITIONS, check_release

pytestmark = pytest.mark.filterwarnings("ignore::synthlab.exceptions.RareValueWarning")


def values_of(frame: pd.DataFrame) -> Values:
    return Values.of(frame, {str(c): role_of(frame[c]) for c in frame}, {})


def texts(frame: pd.DataFrame, seed: int = 0) -> list[str]:
    return [str(one) for one in detect(values_of(frame), np.random.default_rng(seed)).exact]


def visits(n: int, seed: int = 1) -> pd.DataFrame:
    draw = np.random.default_rng(seed)
    days = np.cumsum([draw.integers(0, 900, n), draw.integers(0, 12, n), draw.integers(0, 12, n)], axis=0)
    frame = pd.DataFrame(pd.Timestamp("2015-01-01") + pd.to_timedelta(days.T.ravel(), "D").to_numpy().reshape(n, 3))
    frame.columns = ["admitted", "operated", "discharged"]
    return frame.assign(operated=frame["operated"].where(draw.random(n) < 0.5))


def jobs(n: int, k: int = 5, seed: int = 1) -> pd.DataFrame:
    draw = np.random.default_rng(seed)
    job = draw.choice(k, n, p=np.arange(1, k + 1) / np.arange(1, k + 1).sum())
    columns = {f"job{j}": (job == j).astype(int) for j in range(k)}
    return pd.DataFrame({"x": (job + draw.normal(size=n)).round(2), **columns})


def test_conditions_are_tested_in_other_files_and_described_without_values() -> None:
    frame = visits(200).assign(k=np.arange(200) % 3, code=lambda f: f["k"].map({0: "a", 1: "b", 2: "c"}))
    frame = frame.assign(text=frame["discharged"].dt.strftime("%d.%m.%Y"), hour=frame["admitted"].dt.floor("h"))
    values = values_of(frame)
    relations = [parse("admitted <= discharged"), parse("k <-> code")]
    conditions = [RelationCondition.of_relation(one, values, {}) for one in relations if one is not None]
    conditions += [one for column in ("admitted", "k", "text") for one in conditions_of_column(column, values)]
    for condition in conditions:
        assert condition.holds(frame).all()
        assert condition_of(json.loads(json.dumps(condition.to_dict())), values, {}) == condition
        assert "2015" not in json.dumps(condition.to_dict())
    other = frame.iloc[[0, 1, 2]].copy()
    # In this part, dates have another largest unit and another origin than in the file.
    other["admitted"] = [other["discharged"].iloc[0] + pd.Timedelta("1s"), pd.Timestamp("2001-01-01"), pd.NaT]
    other["k"] = [0, 7, 2]
    other["text"] = [None, "31.12.1999", other["text"].iloc[2]]
    held = {f"{one.kind} {one.variables[0]}": one.holds(other).tolist() for one in conditions}
    assert held == {
        "relation discharged": [False, True, True],
        "relation code": [True, False, True],
        "range admitted": [True, False, True],
        "values k": [True, False, True],
        "range text": [True, False, True],
    }
    check = check_release(conditions, [frame, other])
    assert check.broken.tolist() == [[0, 1]] * 5
    assert check.complete[0].tolist() == [200, 2]


def test_an_order_is_kept_where_the_column_between_is_missing() -> None:
    frame = visits(300)
    assert {"admitted <= operated", "operated <= discharged", "admitted <= discharged"} == {*texts(frame)}
    complete = frame.dropna()
    assert "admitted <= discharged" not in texts(complete)  # it follows from the two others
    release = sl.synthesize(frame, m=2, rng=1)
    for made in release:
        assert (made["admitted"] <= made["discharged"]).all()
        assert ((made["operated"] <= made["discharged"]) | made["operated"].isna()).all()


def test_an_order_of_two_columns_of_an_equation_is_kept() -> None:
    draw = np.random.default_rng(1)
    students = draw.integers(8, 300, 460)
    did = np.where(draw.random(460) < 0.1, students, np.maximum(1, (students * draw.beta(6, 2, 460)).round()))
    frame = pd.DataFrame({"did": did.astype(int), "students": students, "perc": (100 * did / students).round(5)})
    assert texts(frame) == ["perc = did / students * 100", "did <= students"]
    release = sl.synthesize(frame, m=2, rng=1)
    for made in release:
        assert (made["did"] <= made["students"]).all()
        assert made["perc"].between(frame["perc"].min(), 100).all()
        np.testing.assert_allclose(made["perc"], 100 * made["did"] / made["students"], atol=1e-5)


@pytest.mark.parametrize("kind", ["int64", "bool", "float64"])
def test_one_hot_columns_are_drawn_as_one_category(kind: str) -> None:
    frame = jobs(600)
    names = [f"job{j}" for j in range(5)]
    frame = frame.astype(dict.fromkeys(names, kind))
    if kind == "float64":
        frame.loc[::7, names] = np.nan
    frame = frame[["job3", "x", "job0", "job2", "job4", "job1"]]  # not consecutive
    (relation,) = texts(frame)
    assert relation == "exactly one of job3, job0, job2, job4, job1 is 1"
    assert str(parse(relation)) == relation
    release = sl.synthesize(frame, m=2, rng=1)
    assert sl.Plan.of(release).relations == (f"{relation}: drawn as one category",)
    for made in release:
        pd.testing.assert_series_equal(made.dtypes, frame.dtypes)
        there = made[names].notna()
        assert (there.all(axis=1) | ~there.any(axis=1)).all()
        assert (made[names].astype(float).sum(axis=1)[there.all(axis=1)] == 1).all()
        np.testing.assert_allclose(made[names].astype(float).mean(), frame[names].astype(float).mean(), atol=0.06)
        means = [one.loc[one["job4"] == 1, "x"].mean() for one in (frame, made)]
        assert abs(means[0] - means[1]) < 0.4  # the category is a predictor, and is predicted
    again = sl.synthesize(frame, m=1, rng=1, relations=sl.Plan.of(release).relations)
    assert sl.Plan.of(again).relations == sl.Plan.of(release).relations


def test_a_row_of_zeros_is_reported_and_no_block() -> None:
    frame = jobs(600)
    frame.loc[5, [f"job{j}" for j in range(5)]] = 0
    with pytest.warns(RelationWarning, match="nearly all confidential records satisfy exactly one of job0, job1"):
        release = sl.synthesize(frame, m=1, rng=1)
    assert release[0].drop(columns="x").isin([0, 1]).all(axis=None)
    text = "exactly one of job0, job1, job2, job3, job4 is 1"
    made = sl.synthesize(frame, m=1, rng=1, relations=[text])[0]
    assert (made.drop(columns="x").sum(axis=1) == 1).all()
    frame.loc[5:40, [f"job{j}" for j in range(5)]] = 0
    with pytest.raises(InputError, match=r"'exactly one of .* holds in fewer than 99.5%"):
        sl.synthesize(frame, relations=[text])


@pytest.mark.parametrize("total", [True, False])
def test_parts_of_a_total_are_drawn_as_shares(total: bool) -> None:
    draw = np.random.default_rng(2)
    size = draw.integers(20, 400, 500) if total else np.full(500, 144)
    table = np.array([draw.multinomial(s, [0.5, 0.3, 0.15, 0.05]) for s in size]) * 10
    frame = pd.DataFrame(table, columns=list("abcd")).assign(g=draw.choice(list("xy"), 500))
    frame = frame.assign(t=10 * size) if total else frame
    release = sl.synthesize(frame, m=2, rng=1)
    assert any(text.endswith(": drawn as shares") for text in sl.Plan.of(release).relations)
    for made in release:
        parts = made[list("abcd")]
        np.testing.assert_array_equal(parts.sum(axis=1), made["t"] if total else 1440)
        assert (parts >= 0).all(axis=None)
        assert (parts % 10 == 0).all(axis=None)
        assert (parts.max() <= frame[list("abcd")].max()).all()
        np.testing.assert_allclose(parts.mean(), frame[list("abcd")].mean(), rtol=0.15)
        pd.testing.assert_series_equal(made.dtypes, frame.dtypes)


def test_skip_patterns_need_50_records_and_are_kept() -> None:
    draw = np.random.default_rng(1)
    works = draw.choice(["yes", "no", "retired"], 900, p=[0.6, 0.3, 0.1])
    wage = pd.Series(draw.gamma(2, 900, 900).round()).where(works == "yes")
    frame = pd.DataFrame({"wage": wage, "works": works, "age": draw.integers(20, 90, 900)})
    assert texts(frame) == ["wage is missing for some values of works"]
    assert texts(frame.drop(frame.index[works != "yes"][49:])) == []
    release = sl.synthesize(frame, m=2, rng=1, min_leaf=40)
    for made in release:
        assert made.loc[made["works"] != "yes", "wage"].isna().all()
    assert str(parse(texts(frame)[0])) == texts(frame)[0]


def test_accidental_relations_are_proposed_with_their_records() -> None:
    draw = np.random.default_rng(1)
    frame = pd.DataFrame({"edu": draw.integers(0, 100, 400)})
    frame["income"] = np.maximum(frame["edu"], 55 + draw.exponential(40, 400).round())
    frame = frame.assign(few=draw.integers(0, 2, 400), fewer=draw.integers(0, 3, 400))
    frame = frame.assign(small=frame["few"] + frame["fewer"])
    release = sl.synthesize(frame, m=1, rng=1)
    relations = sl.Plan.of(release).relations
    proposed = [text for text in relations if "proposed" in text]
    assert any(text.startswith("edu <= income: proposed (holds in all 400 records") for text in proposed)
    assert any(text.startswith("small = few + fewer: proposed") for text in proposed)
    assert {parse(text) for text in proposed} == {None}  # a plan that is given again does not enforce them
    made = sl.synthesize(frame, m=1, rng=1, relations=["small = few + fewer"])[0]
    np.testing.assert_array_equal(made["small"], made["few"] + made["fewer"])


def test_records_that_break_a_relation_are_redrawn_from_its_last_variable() -> None:
    draw = np.random.default_rng(3)
    a = draw.integers(0, 60, 800)
    frame = pd.DataFrame({"g": draw.integers(0, 90, 800), "a": a, "b": draw.integers(0, 60, 800)})
    frame["c"] = np.maximum(a * 2, draw.integers(0, 150, 800))
    frame["d"] = frame["c"] - frame["a"] * frame["b"] // 100  # computed columns have ranges, too
    release = sl.synthesize(frame, m=3, rng=1)
    stored = release.provenance[CONDITIONS]
    assert all(sum(one["records_broken"]) == 0 for one in stored)
    assert {one["kind"] for one in stored} == {"relation", "range", "grid"}
    first = sl.synthesize(frame, m=1, rng=1)
    pd.testing.assert_frame_equal(first[0], release[0])


def test_only_the_last_variable_of_a_broken_relation_and_later_ones_are_redrawn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    draw = np.random.default_rng(1)
    works, age = draw.choice(["yes", "no"], 600, p=[0.8, 0.2]), draw.integers(20, 90, 600)
    wage = pd.Series(draw.gamma(2, 900, 600).round()).where((works == "yes") & (draw.random(600) < 0.9))
    frame = pd.DataFrame({"age": age, "works": works, "wage": wage, "last": draw.integers(0, 50, 600)})
    with pytest.warns(RelationWarning, match="increases the distance to the confidential distribution of wage"):
        release = sl.synthesize(frame, m=1, rng=1, min_leaf=150)
    monkeypatch.setattr(redrawing, "TRIES", 0)
    with pytest.warns(RelationWarning, match="not preserved in the release: wage is missing for some"):
        first = sl.synthesize(frame, m=1, rng=1, min_leaf=150)[0]
    broken = ((first["works"] == "no") & first["wage"].notna()).to_numpy()
    made = release[0]
    assert 0.01 < broken.mean() < 0.2
    assert not ((made["works"] == "no") & made["wage"].notna()).any()
    pd.testing.assert_series_equal(made["age"], first["age"])
    assert (made["works"] != first["works"]).mean() < 0.02  # redrawn only after 10 tries
    pd.testing.assert_frame_equal(made[~broken], first[~broken])
    assert any(f"{broken.mean():.1%} of the records broke a relation" in note for note in sl.Plan.of(release).notes)
    text = f"wage is missing for some values of works: redrawn ({broken.mean():.1%} of the records)"
    assert text in sl.Plan.of(release).relations


def test_a_column_that_redrawing_moves_from_the_file_is_named() -> None:
    values = np.arange(1000) % 100
    frame = pd.DataFrame({"a": values, "b": values % 7, "c": np.array(list("xy"))[values % 2]})
    coding: Any = SimpleNamespace(
        confidential=frame, computation=SimpleNamespace(preserved=SimpleNamespace(values=values_of(frame)))
    )
    moved = frame.assign(a=np.where(values < 10, 60, values), b=np.where(np.arange(1000) < 15, 6, frame["b"]))
    with pytest.warns(RelationWarning, match=r"distribution of a \(from 0.000 to 0.100\)\. Use a model"):
        redrawing._warn_of_distances(coding, [frame], [moved])
    with pytest.warns(RelationWarning, match=r"distribution of c \(from 0.000 to 0.250\)\. Use a model"):
        redrawing._warn_of_distances(coding, [frame], [frame.assign(c=frame["c"].mask(values % 4 == 0, "y"))])


def test_a_declared_relation_that_no_draw_satisfies_is_an_error() -> None:
    frame = jobs(400).assign(low=lambda f: f["job1"] * 5, high=lambda f: f["job1"] * 5 + f["job2"])
    models: Any = {"job1": "sample", "job2": "sample", "job3": "sample", "job4": "sample", "job0": "sample"}
    text = "exactly one of job0, job1, job2, job3, job4 is 1"
    with pytest.raises(InputError, match=rf"relations: '{text}': \d+% of the drawn records break"):
        sl.synthesize(frame, m=1, rng=1, models=models, relations=[text])
    with pytest.warns(RelationWarning, match=rf"not preserved in the release: {text} \(\d+ of 400"):
        release = sl.synthesize(frame, m=1, rng=1, models=models)
    (stored,) = [one for one in release.provenance[CONDITIONS] if one["text"] == text]
    broken = int((release[0][[f"job{j}" for j in range(5)]].sum(axis=1) != 1).sum())
    assert stored["records_broken"] == [broken]


def test_a_condition_is_saved_with_a_fit(tmp_path: Path) -> None:
    frame = visits(200)[["admitted", "discharged"]].assign(
        a=np.arange(200) % 20, b=lambda f: f["a"] + np.arange(200) % 7
    )
    (relation,) = [parse("a <= b")]
    assert relation is not None
    condition = RelationCondition.of_relation(relation, values_of(frame), {})
    model = sl.Sequential([sl.Resample(["a"]), sl.Resample(["b"])], constraints=[condition])
    fitted = sl.load_fit(model.fit(frame[["a", "b"]], rng=1).save(tmp_path / "fit.zip"))
    assert fitted.constraints == (condition,)
    made = fitted.generate(m=1, rng=1)
    assert (made[0]["a"] <= made[0]["b"]).all()
    assert "a" in made.provenance["synthesizer"]
    made = fitted.generate(m=1, rng=1, given=pd.DataFrame({"a": [0, 19, 19]}))
    assert (made[0]["a"] <= made[0]["b"]).all()


@pytest.mark.filterwarnings("ignore::synthlab.exceptions.SynthlabWarning")
def test_a_release_without_a_plan_is_tested() -> None:
    frame = visits(300).assign(g=np.arange(300) % 4)
    made = frame.assign(discharged=frame["discharged"].where(frame.index > 9, frame["admitted"] - pd.Timedelta("3D")))
    result = sl.evaluate(
        frame, made, sl.Intruder(known=["g"], synthesized=["admitted"], radius={"admitted": 1}, radius_kind="absolute"),
        variables=["g"], rng=1,
    )  # fmt: skip
    listed = {one["relation"]: one for one in result.to_dict()["preserved_relations"]}
    assert listed["admitted <= discharged"]["records_broken"] == [10]
    assert not listed["admitted <= discharged"]["preserved"]


@pytest.mark.full
def test_a_file_of_300_columns_is_searched() -> None:
    draw = np.random.default_rng(1)
    z = draw.normal(size=(1000, 300)) + draw.normal(size=(1000, 1))
    frame = pd.DataFrame({f"x{j}": np.round(3 + 10 * z[:, j] ** (1 + j % 2), j % 2) for j in range(300)})
    for j in range(200, 300):
        frame[f"x{j}"] = np.clip(np.round(3 + z[:, j]), 1, 5).astype(int)
    frame["x99"] = frame[[f"x{j}" for j in range(20, 45)]].sum(axis=1).round(3)
    job = np.arange(1000) % 6
    frame = frame.assign(**{f"x{250 + j}": (job == j).astype(int) for j in range(6)})
    assert {"exactly one of x250, x251, x252, x253, x254, x255 is 1"} < {*texts(frame)}
    assert any(text.startswith("x99 = x20 + x21") for text in texts(frame))


def test_codes_and_functions_of_dates_are_tested_and_saved_with_a_fit(tmp_path: Path) -> None:
    draw = np.random.default_rng(1)
    district, born = (
        draw.integers(0, 12, 400),
        pd.Timestamp("1960-01-01") + pd.to_timedelta(draw.integers(0, 15_000, 400), "D"),
    )
    frame = pd.DataFrame({"born": born, "district": district, "province": np.array(list("abc"))[district % 3]})
    frame = frame.assign(day=frame["born"].dt.day_name(), month=frame["born"].dt.month)
    values = values_of(frame)
    listed = ["each district has one province", "day = weekday of born", "month = month of born"]
    relations = [parse(text) for text in listed]
    conditions = [RelationCondition.of_relation(one, values, {}) for one in relations if one is not None]
    other = frame.iloc[:3].assign(province=["z", *frame["province"].iloc[1:3]], day="?", month=[None, 13, 13])
    for condition, broken in zip(conditions, ([0], [0, 1, 2], [1, 2]), strict=True):
        assert condition.holds(frame).all()
        assert np.flatnonzero(~condition.holds(other)).tolist() == broken
        assert condition_of(json.loads(json.dumps(condition.to_dict())), values, {}) == condition
    model = sl.Sequential([sl.Resample(["district", "province"])], constraints=conditions[:1])
    fitted = sl.load_fit(model.fit(frame[["district", "province"]], rng=1).save(tmp_path / "fit.zip"))
    assert fitted.constraints == (conditions[0],)


def test_one_hot_columns_of_a_category_are_computed_from_it() -> None:
    frame = jobs(400).assign(job=lambda f: f.filter(like="job").idxmax(axis=1))
    release = sl.synthesize(frame, m=1, rng=1)
    names = [f"job{j}" for j in range(5)]
    assert (release[0][names].idxmax(axis=1) == release[0]["job"]).all()
    assert (release[0][names].sum(axis=1) == 1).all()
    assert f"exactly one of {', '.join(names)} is 1: computed" in sl.Plan.of(release).relations
