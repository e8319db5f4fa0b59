"""The attack that learns the map: fixed maps are found, independent draws are not, and the twin never cancels a STOP."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st
from threadpoolctl import threadpool_limits

import synthlab as sl
from synthlab._checks import Days
from synthlab.exceptions import DtypeMismatchError, InputError, RowAlignmentError, UndefinedStatisticWarning
from synthlab.risk.attribute.learned_attack import Advantage, _advantage, _level


def people(n: int = 200, seed: int = 0) -> pd.DataFrame:
    draw = np.random.default_rng(seed)
    age, job = draw.integers(18, 80, n), draw.choice(list("abcd"), n)
    income = np.exp(7 + 0.01 * age + draw.normal(0, 0.6, n)).round()
    return pd.DataFrame({"age": age, "job": job, "income": income})


def attack(own: pd.DataFrame, *frames: pd.DataFrame, **options: object) -> sl.risk.LearnedAttackResult:
    return sl.learned_attack(own, list(frames), synthesized=["job", "income"], **options)  # type: ignore[arg-type]


MAPS: dict[str, Callable[[pd.Series], pd.Series]] = {
    "currency": lambda y: 1.3 * y,
    "logarithm": np.log,
    "ranks": lambda y: y.rank(),
    "reversed": lambda y: 1e5 - y,
    "shifted": lambda y: y + 250_000,
    "cubed": lambda y: y**3,
}


def is_undone(own: pd.DataFrame, labels: list[str], name: str, m: int) -> None:
    """Assert that the attack undoes a map of the labels and a monotone map of the amounts."""
    mapped = own.assign(job=own["job"].map(dict(zip("abcd", labels, strict=True))), income=MAPS[name](own["income"]))
    result = attack(own, *[mapped] * m)
    assert set(result.table["level"]) == {"STOP"}
    assert result.table["right"].min() > 0.8
    # The datasets are equal, so that the truth is not easier to predict than the last one.
    assert result.table["twin_points"].isna().all() if m == 1 else (result.table["twin_points"] <= 0).all()


def test_numbers_in_objects_are_numbers() -> None:
    own = people(100)
    release = own.assign(income=1.3 * own["income"])
    expected = attack(own, release, rng=1).table
    pd.testing.assert_frame_equal(attack(own.astype(object), release.astype(object), rng=1).table, expected)
    with pytest.raises(InputError, match="column='pay'"):
        attack(own, release).sentence("pay")
    with pytest.raises(InputError, match="column='pay'"):
        attack(own, release).within("pay")


def test_a_fixed_map_gives_stop() -> None:
    is_undone(people(150), list("badc"), "reversed", 2)


@pytest.mark.full
@settings(max_examples=8, deadline=None)
@given(st.permutations(list("abcd")), st.sampled_from(sorted(MAPS)), st.sampled_from([1, 3]), st.integers(0, 10**6))
def test_fixed_maps_of_labels_and_monotone_maps_of_amounts_give_stop(
    labels: list[str], name: str, m: int, seed: int
) -> None:
    is_undone(people(400, seed), labels, name, m)


@pytest.mark.parametrize(
    ("m", "seeds"), [(1, 1), (3, 1), *(pytest.param(m, 8, marks=pytest.mark.full) for m in (1, 3))]
)
def test_independent_redraws_give_nothing(m: int, seeds: int) -> None:
    for seed in range(seeds):
        own = people(200, seed)
        drawn = [people(200, 1000 * (seed + 1) + k).assign(age=own["age"]) for k in range(m)]
        result = attack(own, *drawn)
        assert result.level is None
        assert result.too_fine == ()


def test_a_fine_model_is_a_check_that_the_twin_explains() -> None:
    """Each dataset repeats the labels that the model memorized, so the last dataset is as easy as the truth."""
    draw = np.random.default_rng(3)
    own = people(600)
    memory = own["job"].where(draw.random(600) < 0.4, draw.permutation(own["job"]))
    frames = [own.assign(job=memory.where(draw.random(600) < 0.9, draw.permutation(own["job"]))) for _ in range(3)]
    result = sl.learned_attack(own, frames, synthesized=["job"])
    row = result.table.loc["job"]
    assert (row["level"], result.too_fine) == ("CHECK", ("job",))
    assert row["points"] > 10
    assert row["twin_points"] < 5


def test_one_unchanged_dataset_of_several_gives_stop() -> None:
    own = people(120)
    drawn = [people(120, k).assign(age=own["age"]) for k in (1, 2)]
    result = attack(own, drawn[0], own, drawn[1])
    assert result.table.loc["income", ["right", "level"]].tolist() == [1.0, "STOP"]
    assert result.table.loc["income", "twin_points"] > 50


@given(st.floats(-100, 100), st.floats(-20, 20), st.floats(0, 1), st.floats(0, 1), st.floats(5, 40))
def test_the_twin_never_cancels_a_stop(points: float, z: float, right: float, baseline: float, sure: float) -> None:
    twin, over = Advantage(points, z), Advantage(100 * (right - baseline), sure)
    alone = _level(right, baseline, over, Advantage(np.nan, np.nan), 2000)
    together = _level(right, baseline, over, twin, 2000)
    order = (None, "CHECK", "STOP")
    assert order.index(together) >= order.index(alone)


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=40))
def test_the_advantage_is_the_test_of_mcnemar(pairs: list[tuple[bool, bool]]) -> None:
    one, other = np.array(pairs).T
    b, c = int((one & ~other).sum()), int((other & ~one).sum())
    found = _advantage(one, other)
    assert found.points == pytest.approx(100 * (b - c) / len(pairs))
    assert found.z == pytest.approx((b - c) / np.sqrt(b + c) if b + c else 0.0)


def test_a_radius_of_days_applies_to_dates_and_zero_to_equality() -> None:
    draw = np.random.default_rng(1)
    born = pd.Timestamp("1950-01-01") + pd.to_timedelta(draw.integers(0, 20_000, 200), unit="D")
    own = pd.DataFrame({"born": born, "income": np.arange(200.0) ** 2})
    moved = own.assign(
        born=born + pd.to_timedelta(draw.integers(-9, 10, 200), unit="D"), income=own["income"] + draw.normal(0, 5, 200)
    )
    result = sl.learned_attack(own, moved, synthesized=["born", "income"], radius={"born": "1m", "income": 0})
    assert result.radius == {"born": Days(30.4375)}
    assert result.table.loc["born", "right"] > 0.95
    assert result.table.loc["income", "right"] < 0.1
    assert "within 30.44 days" in result.sentence("born")
    by_value = sl.learned_attack(own, moved, synthesized=["born"])
    assert by_value.radius == {}
    assert by_value.level is None


def test_the_result_depends_on_the_seed_alone() -> None:
    own = people(120)
    noise = own.assign(income=own["income"] * np.random.default_rng(2).normal(1, 0.1, 120))
    one = partial(sl.learned_attack, own, noise, synthesized=["income"])
    first = one().table
    with threadpool_limits(4):
        assert first.equals(one(rng=1).table)
    assert not first.equals(one(rng=2).table)


def test_at_most_2000_people_are_attacked() -> None:
    own = people(2100)
    result = sl.learned_attack(own[["income"]], own[["income"]] * 2, synthesized=["income"])
    assert (result.people, result.n, result.m, result.known) == (2000, 2100, 1, ())
    assert result.table.loc["income", "right"] == 1


def odd(name: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    own = people(80)
    if name == "constant":
        return own.assign(income=3.0), own.assign(income=3.0)
    if name == "only missing":
        return own.assign(income=np.nan), own.assign(income=np.nan)
    if name == "missing in the release":
        return own, own.assign(income=np.nan)
    if name == "missing in the file":
        return own.assign(income=np.nan), own
    if name == "all texts differ":
        texts = [f"person {i}" for i in range(80)]
        return own.assign(job=texts), own.assign(job=texts)
    if name == "huge":
        return own.assign(income=own["income"] * 1e300), own.assign(income=own["income"] * 1e300)
    return own.assign(job=None), own.assign(job="a")


@pytest.mark.parametrize(
    ("name", "levels"),
    [
        ("constant", [None, None]),
        ("only missing", [None, None]),
        ("missing in the release", [None, None]),
        ("missing in the file", [None, None]),
        ("all texts differ", ["STOP", None]),
        ("huge", [None, None]),
        ("empty texts", [None, "STOP"]),
    ],
)
def test_odd_columns_have_a_defined_result(name: str, levels: list[str | None]) -> None:
    own, other = odd(name)
    draw = np.random.default_rng(1)
    untouched = {"income"} if name == "all texts differ" else {"job"}
    for column in untouched & set(own):
        other = other.assign(**{column: draw.permutation(own[column])})
    result = attack(own, other)
    assert result.table["level"].tolist() == levels
    assert result.table[["right", "baseline", "points", "z"]].notna().all(axis=None)


def test_many_datasets_and_many_columns() -> None:
    own = people(100)
    result = sl.learned_attack(
        own, [people(100, k).assign(age=own["age"]) for k in range(1, 101)], synthesized=["income"]
    )
    assert result.m == 100
    assert result.level is None
    wide = pd.DataFrame(np.random.default_rng(1).integers(0, 5, (80, 500))).rename(columns="v{}".format)
    result = sl.learned_attack(wide, wide.assign(v0=(wide["v0"] + 1) % 5), synthesized=["v0"])
    assert (result.level, len(result.known)) == ("STOP", 499)


def test_too_few_records_give_nan_with_a_warning() -> None:
    for n in (5, 59):
        with pytest.warns(UndefinedStatisticWarning, match="at least 60"):
            result = attack(people(n), people(n))
        assert result.table.drop(columns="level").isna().all(axis=None)
        assert (result.level, result.too_fine) == (None, ())
        assert "undefined" in result.title


@pytest.mark.parametrize(
    ("options", "error", "names"),
    [
        ({"synthesized": []}, InputError, "synthesized"),
        ({"synthesized": ["pay"]}, InputError, "synthesized"),
        ({"synthesized": ["job"], "known": ["job"]}, InputError, "known"),
        ({"synthesized": ["job"], "radius": 0.1, "known": ["pay"]}, InputError, "known"),
        ({"synthesized": ["job"], "radius": {"income": 1}}, InputError, "radius"),
        ({"synthesized": ["job"], "radius": {"job": 1}}, InputError, "radius"),
        ({"synthesized": ["income"], "radius": {"income": "1m"}}, InputError, "radius"),
    ],
)
def test_bad_arguments_are_named(options: dict[str, object], error: type[Exception], names: str) -> None:
    with pytest.raises(error, match=names):
        sl.learned_attack(people(80), people(80), **options)  # type: ignore[arg-type]


def test_files_that_do_not_correspond_are_refused() -> None:
    own = people(80)
    for other in (own[:70], pd.concat([own, own])):
        with pytest.raises(RowAlignmentError):
            attack(own, other.reset_index(drop=True))
    with pytest.raises(DtypeMismatchError):
        attack(own, own.assign(income=own["income"].astype(str)))
