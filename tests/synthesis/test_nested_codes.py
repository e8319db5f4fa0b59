"""Codes that are nested in other codes are categories, and stay nested."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab.synthesis._variable_types import CATEGORY, NUMBER
from synthlab.synthesis.relations.nesting import agrees, nominal_sources
from synthlab.synthesis.relations.values import Values

pytestmark = pytest.mark.filterwarnings("ignore::synthlab.exceptions.RareValueWarning")

FORMS = {"number": lambda codes: codes, "text": lambda codes: np.char.add("d", codes.astype(str))}


def districts(seed: int, n: int = 1_500, levels: int = 200, groups: int = 20) -> pd.DataFrame:
    draw = np.random.default_rng(seed)
    shares = 1 / np.arange(1, levels + 1) ** 1.1
    district = draw.choice(levels, n, p=shares / shares.sum())
    province = draw.integers(0, groups, levels)[district]
    age = 20 + 3 * (province % 10) + draw.poisson(20, n)
    return pd.DataFrame({"province": province + 1, "district": district + 1, "age": age})


def broken(frame: pd.DataFrame, release: sl.Release, code: str = "district", group: str = "province") -> int:
    known = frame.dropna().drop_duplicates(code).set_index(code)[group]
    made = release[0].dropna(subset=[code, group])
    return int((made[code].map(known) != made[group]).sum())


@pytest.mark.parametrize("code", FORMS)
@pytest.mark.parametrize("group", FORMS)
@pytest.mark.parametrize("levels", [30, 200])
def test_nested_codes_of_any_type_stay_nested(code: str, group: str, levels: int) -> None:
    frame = districts(1, levels=levels)
    frame["district"], frame["province"] = (
        FORMS[code](frame["district"].to_numpy()),
        FORMS[group](frame["province"].to_numpy()),
    )
    release = sl.synthesize(frame, m=1, rng=1)
    assert broken(frame, release) == 0
    assert release[0]["district"].isin(frame["district"]).all()
    plan = sl.Plan.of(release)
    assert plan.summary().loc["district", "role"] == CATEGORY
    assert any(text.startswith("each district has one province: ") for text in plan.relations)
    assert not any(str(level) in text for level in (17, 23) for text in plan.relations)
    pd.testing.assert_series_equal(release[0].dtypes, frame.dtypes)
    means = [one.groupby("province")["age"].mean() for one in (frame, release[0])]
    large = frame["province"].value_counts().loc[lambda counts: counts >= 60].index
    assert np.corrcoef(*(one.reindex(large).to_numpy() for one in means))[0, 1] > 0.8


@pytest.mark.full
def test_thousands_of_districts_in_fifty_provinces() -> None:
    frame = districts(2, n=20_000, levels=5_000, groups=50)
    for one in (frame, frame.assign(district="d" + frame["district"].astype(str))):
        release = sl.synthesize(one, m=1, rng=1)
        assert broken(one, release) == 0
        shares = [f["province"].value_counts(normalize=True) for f in (one, release[0])]
        assert (shares[0] - shares[1]).abs().max() < 0.02


def test_groups_that_are_kept_and_orders_that_are_given() -> None:
    frame = districts(3)
    for arguments in ({"keep": ["province"]}, {"order": ["age", "province", "district"]}):
        assert broken(frame, sl.synthesize(frame, m=1, rng=1, **arguments)) == 0


def test_chains_of_nested_codes_and_flags_of_a_category() -> None:
    frame = districts(4).assign(region=lambda f: np.array(list("nsew"))[f["province"] % 4])
    frame["coast"] = frame["region"].isin(["n", "w"])
    release = sl.synthesize(frame, m=1, rng=1)
    pairs = [("district", "province"), ("province", "region"), ("region", "coast"), ("district", "region")]
    assert [broken(frame, release, *pair) for pair in pairs] == [0, 0, 0, 0]


def test_missing_codes_are_kept() -> None:
    frame = districts(5)
    draw = np.random.default_rng(5)
    lost = frame.assign(district=frame["district"].astype("Int64").mask(draw.random(len(frame)) < 0.15))
    release = sl.synthesize(lost, m=1, rng=1)
    assert broken(lost, release) == 0
    assert 0.1 < release[0]["district"].isna().mean() < 0.2
    coded = frame.assign(district=frame["district"].where(draw.random(len(frame)) > 0.15, -9))
    made = sl.synthesize(coded, m=1, rng=1, missing_codes={"district": [-9]})[0]
    assert 0.1 < (made["district"] == -9).mean() < 0.2
    there = made["district"] != -9
    assert broken(frame, sl.Release([made[there]])) == 0


@pytest.mark.parametrize("seed", range(3))
def test_numbers_that_are_divided_into_intervals_are_measurements(seed: int) -> None:
    draw = np.random.default_rng(seed)
    age, income = draw.integers(0, 95, 1_500), (draw.lognormal(7, 0.5, 1_500) / 50).round() * 50
    frame = pd.DataFrame({"age": age, "income": income})
    frame["group"] = pd.cut(age, [-1, 17, 39, 64, 99], labels=["child", "young", "old", "retired"]).astype(str)
    frame["working"], frame["bracket"] = (age >= 18) & (age < 65), (income // 1_000).astype(int)
    frame["decade"] = age // 10
    values = Values.of(
        frame,
        {"age": NUMBER, "income": NUMBER, **dict.fromkeys(("group", "bracket", "decade", "working"), CATEGORY)},
        {},
    )
    pairs = [("age", c) for c in ("group", "working", "decade")] + [("income", "bracket")]
    assert nominal_sources(pairs, values) == frozenset()
    release = sl.synthesize(frame, m=1, rng=1)
    made = release[0]
    assert sl.Plan.of(release).summary().loc[["age", "income"], "role"].tolist() == [NUMBER, NUMBER]
    assert (made["working"] == ((made["age"] >= 18) & (made["age"] < 65))).all()
    assert (made["decade"] == made["age"] // 10).all()


def test_codes_whose_first_digits_are_the_group() -> None:
    draw = np.random.default_rng(1)
    isco = draw.choice([1112, 1120, 2211, 2310, 2330, 3112, 4110, 5120, 5131, 5223, 9112, 9333], 900)
    block = 100 * draw.integers(1, 51, 900) + draw.integers(0, 40, 900)
    frame = pd.DataFrame({"isco": isco, "major": isco // 1_000, "block": block, "area": block // 100})
    values = Values.of(frame, dict.fromkeys(frame, NUMBER), {})
    assert nominal_sources([("isco", "major"), ("block", "area")], values) == {"isco", "block"}


def test_levels_of_a_key_agree() -> None:
    keys, levels = np.array([0, 0, 0, 1, 1, -1]), np.array([3, 3, 1, 0, -1, 3])
    both, holds = agrees(keys, levels)
    assert both.tolist() == [True, True, True, True, False, False]
    assert holds.tolist() == [True, True, False, True, False, False]


def test_unrelated_codes_are_not_nested() -> None:
    for seed in range(10):
        draw = np.random.default_rng(seed)
        frame = pd.DataFrame(
            {"a": draw.integers(0, 400, 600), "b": draw.integers(0, 3, 600), "c": draw.choice(list("xy"), 600)}
        )
        assert sl.Plan.of(sl.synthesize(frame, m=1, rng=1, models={"a": "tree"})).relations == ()
