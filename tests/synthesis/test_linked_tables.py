"""Two linked tables are synthesized and split again, and the key links every record."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab.exceptions import InputError
from synthlab.synthesis import LinkedRelease

KEYS = {"persons": "hhid"}


def tables(units: int = 200, seed: int = 1) -> dict[str, pd.DataFrame]:
    rng = np.random.default_rng(seed)
    size = rng.integers(1, 5, units)
    hhid = rng.permutation(units) + 1000
    households = pd.DataFrame(
        {"hhid": hhid, "region": rng.choice(["n", "s", "w"], units), "rent": rng.lognormal(6, 0.4, units).round()}
    )
    member = np.concatenate([np.arange(s) for s in size])
    age = np.where(member < 2, rng.integers(25, 80, size.sum()), rng.integers(0, 18, size.sum()))
    persons = pd.DataFrame({"hhid": np.repeat(hhid, size), "age": age, "sex": rng.choice(["f", "m"], size.sum())})
    return {"households": households, "persons": persons.sample(frac=1, random_state=seed, ignore_index=True)}


@pytest.fixture(scope="module")
def release() -> LinkedRelease:
    return sl.synthesize_tables(tables(), KEYS, m=2, rng=1)


def test_the_key_links_all_records_and_the_columns_are_those_of_the_tables(release: LinkedRelease) -> None:
    given = tables()
    for number in range(2):
        one = release[number]
        assert {name: list(frame.columns) for name, frame in one.items()} == {
            n: list(f.columns) for n, f in given.items()
        }
        assert one["households"]["hhid"].is_unique
        assert set(one["persons"]["hhid"]) == set(one["households"]["hhid"])
        assert len(one["households"]) == 200
        for name, frame in given.items():
            assert (one[name].dtypes == frame.dtypes).all()
    assert set(release.joined.synthesized or ()) >= {"region", "rent", "age", "sex"}


def test_the_composition_of_households_is_similar(release: LinkedRelease) -> None:
    def children(one: dict[str, pd.DataFrame]) -> pd.Series:
        return (one["persons"]["age"] < 18).groupby(one["persons"]["hhid"]).sum()

    own, made = children(tables()), children(release[0])
    assert abs(own.mean() - made.mean()) < 4 * own.std() / np.sqrt(200) * np.sqrt(2)


def test_a_saved_release_can_be_joined_by_the_key(release: LinkedRelease, tmp_path: Path) -> None:
    folder = release.save(tmp_path / "release", allow_short_seed=True)
    households, persons = (sl.Release.load(folder / name) for name in ("households", "persons"))
    for number in range(2):
        joined = persons[number].merge(households[number], on="hhid", validate="many_to_one")
        expected = release.joined[number]
        columns = list(expected.columns)
        both = [f[columns].sort_values(columns, ignore_index=True) for f in (joined, expected)]
        pd.testing.assert_frame_equal(both[0], both[1], check_dtype=False)
    with pytest.raises(InputError, match="exists"):
        release.save(folder)


def test_kept_columns_stay_and_other_numbers_of_units_are_possible() -> None:
    given = tables()
    kept = sl.synthesize_tables(given, KEYS, m=1, rng=1, keep=["sex", "age"])
    assert kept.joined.rows == "aligned"
    assert kept[0]["persons"]["age"].equals(given["persons"]["age"])
    more = sl.synthesize_tables(given, KEYS, m=1, rng=1, n=50)
    assert len(more[0]["households"]) == 50


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda t: {**t, "third": t["persons"]}, "two tables"),
        (lambda t: {**t, "persons": t["persons"].assign(hhid=1)}, "no record"),
        (lambda t: {**t, "households": t["households"].iloc[1:]}, "no record in 'households'"),
        (lambda t: {**t, "persons": t["persons"][t["persons"]["hhid"] > 1010]}, "no record in 'persons'"),
        (lambda t: {**t, "households": pd.concat([t["households"]] * 2)}, "repeat"),
        (lambda t: {**t, "persons": t["persons"].assign(rent=1)}, "rename"),
        (
            lambda t: {**t, "persons": t["persons"].assign(hhid=t["persons"]["hhid"].where(t["persons"].index > 0))},
            "no value",
        ),
    ],
)
def test_wrong_tables_are_refused(change, words: str) -> None:
    with pytest.raises(InputError, match=words):
        sl.synthesize_tables(change(tables()), KEYS, m=1, rng=1)


def test_wrong_keys_and_options_are_refused() -> None:
    for keys in ({"persons": "hhid", "households": "hhid"}, {"cars": "hhid"}, {"persons": "nothing"}):
        with pytest.raises(InputError):
            sl.synthesize_tables(tables(), keys, m=1, rng=1)
    with pytest.raises(InputError, match="unit"):
        sl.synthesize_tables(tables(), KEYS, m=1, rng=1, unit="hhid")
