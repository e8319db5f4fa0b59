"""Near copies: scores against a double loop, levels of leaks and of independent samples, baselines."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st
from joblib import parallel_config

import synthlab as sl
from synthlab.exceptions import DtypeMismatchError, InputError
from synthlab.risk.copies._surprise import best_scores, places


def people(n: int, seed: int, holes: float = 0.0) -> pd.DataFrame:
    draw = np.random.default_rng(seed)
    age = draw.integers(18, 90, n)
    income = np.exp(draw.normal(7 + age / 90, 0.5)).round()
    frame = pd.DataFrame(
        {
            "region": draw.choice(list("abcdefg"), n),
            "age": age,
            "income": income,
            "rent": (income * draw.beta(3, 8, n)).round(),
            "hours": draw.normal(38, 8, n).round(1),
            "job": draw.choice(list("klmnopqrst"), n),
        }
    )
    return frame.mask(draw.random(frame.shape) < holes) if holes else frame


def with_copies(own: pd.DataFrame, other: pd.DataFrame, number: int) -> pd.DataFrame:
    mixed = pd.concat([own[:number], other[number:]], ignore_index=True)
    return mixed.sample(frac=1, random_state=1).reset_index(drop=True)


def scores(own: pd.DataFrame, other: pd.DataFrame) -> np.ndarray:
    """Return the scores of all people and released records by the definition, shape (n, n_syn)."""
    total = np.zeros((len(own), len(other)))
    for name in own:
        x, y = own[name].to_numpy(), other[name].to_numpy()
        lost = [pd.isna(z) for z in (x, y)]
        missing = (lost[0].mean() + lost[1].mean()) / 2
        number = x.dtype == float and len({*x[~lost[0]]}) > 6

        def middle(v: float, x: np.ndarray = x, y: np.ndarray = y) -> float:
            return float(np.mean([((z < v).sum() + (z == v).sum() / 2) / (z == z).sum() for z in (x, y)]))

        middles = [[middle(v) for v in z] if number else [] for z in (x, y)]
        often = [np.mean([(z == v).sum() / (z == z).sum() for z in (x, y)]) if number else 0 for v in x]
        for i, r in np.ndindex(total.shape):
            if lost[0][i] or lost[1][r]:
                total[i, r] -= np.log(missing) if lost[0][i] and lost[1][r] else 0
            elif number:
                p = max(5 / min(total.shape), 2 * abs(middles[0][i] - middles[1][r]) + often[i])
                total[i, r] -= np.log(min(1, p) * (1 - missing))
            elif x[i] == y[r]:
                total[i, r] -= np.log(np.mean([(z == x[i]).mean() for z in (x, y)]))
    return total


@pytest.mark.parametrize("examples", [4, pytest.param(15, marks=pytest.mark.full)])
def test_the_two_best_scores_agree_with_a_double_loop(examples: int) -> None:
    @settings(max_examples=examples, deadline=None)
    @given(st.integers(0, 10**6), st.integers(12, 20), st.integers(9, 20), st.sampled_from([0.0, 0.1]))
    def compare(seed: int, n: int, size: int, holes: float) -> None:
        own, other = people(n, seed, holes), people(size, seed + 1, holes)
        own, other = (f.astype({"age": float}) for f in (own, other))  # pandas changes the type of numbers with holes
        rows = [np.arange(n), np.arange(size)]
        columns, (asked, cohort) = places([own, other], rows, [0, 1], list(own), [])["values"]
        found, best = best_scores(columns, asked, cohort, (np.array([0, 3]), np.array([size, 9])))
        for i, every in enumerate(scores(own, other)):
            np.testing.assert_allclose(found[i, 0], np.sort(every)[:-3:-1], atol=2e-3)
            np.testing.assert_allclose(found[i, 1], np.sort(every[3:9])[:-3:-1], atol=2e-3)
            assert every[best[i, 0]] == pytest.approx(every.max(), abs=2e-3)

    # Columns whose distributions differ are compared by ranks, which `score` does not do.
    import synthlab.risk.copies._surprise as module

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "SHIFTED", 2.0)
        compare()


def test_two_wide_records_do_not_underflow() -> None:
    draw = np.random.default_rng(1)
    wide = pd.DataFrame(draw.normal(size=(400, 500))).rename(columns=str)
    columns, (asked, _) = places([wide, wide], [np.arange(400)] * 2, [0, 1], list(wide), [])["values"]
    found, _ = best_scores(columns, asked, asked, (np.array([0]), np.array([400])))
    assert found[:, 0, 0] == pytest.approx(500 * np.log(400 / 5), rel=1e-4)


def noisy(frame: pd.DataFrame, share: float) -> pd.DataFrame:
    draw = np.random.default_rng(9)
    numbers = ["income", "rent", "hours"]
    return frame.assign(**{c: frame[c] * draw.normal(1, share, len(frame)) for c in numbers})


OWN, OTHER = people(600, 1), people(600, 2)


def test_levels_of_leaks_and_of_an_independent_sample() -> None:
    honest = sl.near_copies(OWN, OTHER)
    assert honest.level is None
    assert abs(honest.closer_people) < 0.06
    assert honest.closer_share < 0.05
    copied = sl.near_copies(OWN, with_copies(OWN, OTHER, 40))
    assert copied.level == "STOP"
    assert copied.worst["people"] == pytest.approx(40, abs=8)
    assert {"income", "rent"} & {*copied.worst["columns"]}
    everyone = sl.near_copies(OWN, noisy(OWN, 0.03).sample(frac=1, random_state=1))
    assert everyone.level == "STOP"
    assert everyone.closer_people == pytest.approx(0.5, abs=0.02)
    curves = everyone.curves()
    assert (curves["released"] >= curves["people"] - 0.01).all()


def test_ranks_see_through_other_units_and_renamed_categories() -> None:
    disguised = OWN.assign(
        income=np.log(OWN["income"]), rent=OWN["rent"] * 7.3, hours=OWN["hours"] + 100, age=OWN["age"] * 12,
        region=OWN["region"].map(dict(zip("abcdefg", "tuvwxyz", strict=True))),
    )  # fmt: skip
    result = sl.near_copies(OWN, disguised)
    assert result.level == "STOP"
    assert result.table.loc[(1, "ranks"), "people"] > 500


def test_a_release_made_from_a_few_people_is_stopped() -> None:
    draw = np.random.default_rng(4)
    few = noisy(OWN.iloc[draw.integers(100, size=600)].reset_index(drop=True), 0.02)
    result = sl.near_copies(OWN, few)
    assert (result.from_few_people, result.level) == (True, "STOP")


def test_datasets_are_judged_alone_and_together() -> None:
    each = [with_copies(OWN.iloc[20 * i :].reset_index(drop=True), people(600, 20 + i), 12) for i in range(4)]
    result = sl.near_copies(OWN, each)
    assert [*result.table.xs("values", level="scale").index] == [1, 2, 3, 4, 0]
    assert result.levels.loc[[1, 2, 3, 4]].isna().all()
    assert result.level == "STOP"
    assert result.dataset == 0


def test_a_partial_release_gets_at_most_check_and_uses_the_next_dataset() -> None:
    names = ["age", "income", "rent", "hours"]
    copied = with_copies(OWN, OTHER, 60)
    alone = sl.near_copies(OWN, copied, variables=names, partial=True)
    assert alone.level == "CHECK"
    # If every dataset contains the same copies, the next dataset explains them.
    assert sl.near_copies(OWN, [copied, copied], variables=names, partial=True).level is None
    other = with_copies(OWN, people(600, 5), 0)
    assert sl.near_copies(OWN, [copied, other], variables=names, partial=True).level == "CHECK"
    with pytest.raises(InputError, match="at least 4 synthesized"):
        sl.near_copies(OWN, OTHER, variables=names[:3], partial=True)


def test_people_of_the_holdout_sample_are_a_baseline_and_are_searched() -> None:
    control = people(300, 3)
    honest = sl.near_copies(OWN, OTHER, control=control)
    assert honest.level is None
    assert honest.table["baseline"].unique().tolist() == ["people", "holdout", "holdout people"]
    leaked = sl.near_copies(OWN, with_copies(control, OTHER, 150), control=control)
    assert leaked.level == "STOP"
    assert leaked.worst["baseline"] == "holdout people"
    # Each person is compared with half of the 600 released records at a time: 300 people give 300 candidates.
    assert leaked.worst["people"] == pytest.approx(75, abs=10)
    own = sl.near_copies(OWN, with_copies(OWN, OTHER, 40), control=control)
    assert own.levels[own.table["baseline"] == "holdout"].notna().any()


def test_records_of_one_person_are_not_twins_of_each_other() -> None:
    twice = pd.concat([OWN, OWN], ignore_index=True)
    released = with_copies(OWN, OTHER, 60)
    assert sl.near_copies(twice, released).level is None
    result = sl.near_copies(twice, released, entity=[*range(600)] * 2)
    assert (result.n, result.level) == (600, "STOP")


def test_the_result_depends_on_the_seed_and_not_on_the_number_of_threads() -> None:
    large, released = people(2500, 6), [people(2000, seed) for seed in (7, 8, 9)]
    with parallel_config(n_jobs=1):
        first = sl.near_copies(large, released, sample=300)
    with parallel_config(n_jobs=3):
        pd.testing.assert_frame_equal(first.table, sl.near_copies(large, released, sample=300).table)
    assert first.compared == 300
    assert not first.table.equals(sl.near_copies(large, released, sample=300, rng=2).table)


# Numbers of the reference implementation in Python (brute force, all people): people beyond chance and z, by values.
# By ranks it orders equally frequent categories differently, so that z differs by a few tenths.
RECORDED = {"copies": (50, 7.071, 2.085), "noise": (49, 6.607, 2.253)}


@pytest.mark.parametrize("kind", RECORDED)
def test_numbers_agree_with_the_reference_implementation(kind: str) -> None:
    own = OWN if kind == "copies" else noisy(OWN, 0.03)
    table = sl.near_copies(OWN, with_copies(own, OTHER, 50)).table
    people_beyond, z, z_of_ranks = RECORDED[kind]
    assert table.loc[(1, "values"), "people"] == pytest.approx(people_beyond, abs=0.5)
    assert table.loc[(1, "values"), "z"] == pytest.approx(z, abs=0.005)
    assert table.loc[(1, "ranks"), "z"] == pytest.approx(z_of_ranks, abs=0.4)


@pytest.mark.parametrize(
    ("own", "other"),
    [
        (OWN[:20], OTHER[:20]),
        (OWN[["income"]], OTHER[["income"]]),
        (OWN.assign(income=1.0), OTHER.assign(income=1.0)),
        (OWN.assign(hours=np.nan), OTHER.assign(hours=np.nan)),
        (OWN.assign(hours=np.nan), OTHER),
        (OWN, people(1200, 3)),
        (OWN, OTHER[:60]),
    ],
    ids=["20 people", "1 column", "constant", "missing column", "missing in one file", "twice as many", "a tenth"],
)
def test_unusual_files_give_numbers(own: pd.DataFrame, other: pd.DataFrame) -> None:
    result = sl.near_copies(own, other)
    assert result.level is None
    assert np.isfinite(result.table[["people", "z"]].to_numpy(dtype=float)).all()
    # Nobody is above an infinite threshold, so that z is 0.
    assert (np.isfinite(result.table["threshold"]) == (result.table["z"] > 0)).all()
    planted = sl.planted_copies(own, other)
    assert (planted.found_from("whole") <= 30) == (own.shape[1] > 1)


def test_numbers_in_objects_are_numbers() -> None:
    own, other = OWN[:100], with_copies(noisy(OWN, 0.03), OTHER, 50)[:100]
    for function in (sl.near_copies, sl.planted_copies):
        expected = function(own, other, rng=1).to_frame()
        pd.testing.assert_frame_equal(function(own.astype(object), other, rng=1).to_frame(), expected)


def test_bad_input_is_named() -> None:
    few = pd.DataFrame({"a": [1.0, 2, 3], "b": list("xyz")})
    with pytest.raises(InputError, match="release: has no column in common"):
        sl.near_copies(few, pd.DataFrame({"z": [1]}))
    with pytest.raises(InputError, match="categorical: 'c' not in confidential"):
        sl.near_copies(few, few, categorical=["c"])
    with pytest.raises(InputError, match="confidential: near copies require at least 20 records"):
        sl.near_copies(few[:2], few)
    with pytest.raises(InputError, match="control"):
        sl.near_copies(few, few, control=few[["a"]])
    with pytest.raises(InputError, match="entity"):
        sl.near_copies(OWN, OTHER, entity=[1, 2])
    with pytest.raises(InputError, match="partial"):
        sl.near_copies(OWN, OTHER, partial=0.5)  # type: ignore[arg-type]
    with pytest.raises(DtypeMismatchError, match="'b'"):
        sl.near_copies(few, few.assign(b=[1, 2, 3]))
