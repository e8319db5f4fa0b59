"""Identifiers are recognized by name, form, uniqueness and repetition; places, times and measurements are not identifiers."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab.exceptions import InputError, RareValueWarning, RepeatedIdentifierWarning
from synthlab.synthesis._identifiers import find_identifiers
from synthlab.synthesis._variable_types import CONSTANT, role_of

N, WAVES = 240, 4
PERSONS = N // WAVES
rng = np.random.default_rng(1)
person = np.repeat(np.arange(PERSONS), WAVES)
AGE = rng.integers(18, 80, PERSONS)[person]
Y = rng.normal(size=N).round(1)
LONG = rng.choice(10**8, N, replace=False) + 10**9
quiet = pytest.mark.filterwarnings("ignore::synthlab.exceptions.RareValueWarning")


def texts(write: Callable[[int], str], numbers: np.ndarray) -> list[str]:
    return [write(int(number)) for number in numbers]


def roles_of(frame: pd.DataFrame) -> dict[str, str]:
    return {column: role_of(frame[column]) for column in frame}


UNIQUE = np.random.default_rng(2).permutation(np.arange(5 * N))[:N]
IDENTIFIERS: dict[str, object] = {
    # all different
    "respondent_id": UNIQUE,
    "caseid": UNIQUE,
    "personID": UNIQUE,
    "serial": UNIQUE,
    "policy number": UNIQUE,
    "state_employee_id": UNIQUE,
    "subject": UNIQUE,
    "x1": np.arange(1, N + 1),
    "x2": np.arange(N) + 5_000,
    "x3": np.sort(UNIQUE),
    "x4": LONG,
    "x5": pd.array(np.where(np.arange(N) == 3, None, LONG), dtype="Int64"),
    "who": texts("person {}".format, np.arange(N)),
    "remark": pd.Categorical(texts("remark {} of many".format, UNIQUE)),
    "city": texts("City {}".format, UNIQUE),
    "zip": texts("{:05}".format, UNIQUE),
    "contact": texts("a{}@example.org".format, person),
    "tel": texts("+41 79 123 45 {:02}".format, UNIQUE % 50),
    "phone": UNIQUE + 5_550_000,
    "key2": texts("{:032x}".format, person),
    # several records per person
    "person_id": 100_000 + 7 * person,
    "hhid": np.random.default_rng(3).permutation(np.arange(PERSONS))[person],
    "patient": np.tile(np.arange(PERSONS), WAVES),
    "ID": texts("P{:03}".format, person),
    "subject_nr": person.astype(float),
    "surname": texts("name {}".format, person),
    "unit": person,
    "v9": np.repeat(LONG[:PERSONS], WAVES),
}
OTHERS: dict[str, object] = {
    "state": texts("State {}".format, np.arange(N) // 2),
    "County Name": texts("county {}".format, UNIQUE // 20),
    "county_id": UNIQUE,
    "fips": np.arange(N) + 1_001,
    "zip": texts("{:05}".format, UNIQUE // 20),
    "Model": texts("car {}".format, UNIQUE // 20),
    "quarter": texts(lambda k: f"{1800 + k // 4}Q{k % 4 + 1}", np.arange(N)),
    "time": np.arange(N),
    "year": np.arange(N) + 1_700,
    "z1": np.arange(N) + 1_700,  # years
    "z2": [int(day.strftime("%Y%m%d")) for day in pd.date_range("2020-01-01", periods=N)],
    "timestamp": np.arange(N) * 3_600 + 1_600_000_000,
    "when": pd.date_range("2020-01-01", periods=N),
    "text_date": texts(lambda k: str(pd.Timestamp("2020-01-01") + pd.Timedelta(k, "D"))[:10], np.arange(N)),
    "income": np.random.default_rng(4).choice(60_000, N, replace=False),
    "gdp": np.random.default_rng(5).lognormal(22, 3, N).round(),
    "id of fractions": np.arange(N) + 0.5,
    "household_income": (np.random.default_rng(6).integers(0, 90, PERSONS) * 500)[person],
    "number_of_visits": np.random.default_rng(7).integers(0, 40, N),
    "region_id": np.random.default_rng(8).integers(0, 30, N),
    "group_id": np.arange(N) % 6,
    "occupation code": np.random.default_rng(9).integers(100, 180, N),
    "age": AGE,
    "mobile_minutes": np.random.default_rng(10).integers(0, 500, N),
    "sex": np.arange(N) % 2,
}


def test_identifiers_are_recognized_and_other_columns_are_not() -> None:
    wrong = []
    for expected, columns in ((True, IDENTIFIERS), (False, OTHERS)):
        for name, values in columns.items():
            frame = pd.DataFrame({name: values})
            frame["level"], frame["y"] = np.asarray(frame.index // 40 % 3), Y
            frame["cohort"] = person % 7 if name != "patient" else frame[name] % 7
            if (name in find_identifiers(frame, roles_of(frame))) != expected:
                wrong.append((name, expected))
    assert wrong == []


def test_a_column_with_fewer_than_ten_values_is_no_identifier() -> None:
    for values in (np.arange(9), np.repeat(np.arange(9), 3)):
        frame = pd.DataFrame({"id": values, "a": values % 2})
        assert find_identifiers(frame, roles_of(frame)) == {}
    assert role_of(pd.Series([1.0, 1.0])) == CONSTANT


def panel() -> pd.DataFrame:
    identifiers = np.random.default_rng(1).permutation(np.arange(100_001, 100_001 + PERSONS))[person]
    return pd.DataFrame({"person_id": identifiers, "wave": np.tile(np.arange(WAVES), PERSONS), "age": AGE, "y": Y})


@quiet
def test_a_repeated_identifier_never_reaches_a_release() -> None:
    frame = panel()
    with pytest.raises(InputError, match="looks like an identifier .'person_id'") as caught:
        sl.synthesize(frame, m=1, rng=1)
    assert "1000" not in str(caught.value)
    for treatment in ("drop", "new"):
        with pytest.warns(RepeatedIdentifierWarning, match="Within-person structure is not synthesized"):
            release = sl.synthesize(frame, m=2, rng=1, identifiers=treatment)
        assert any("within-person structure is not synthesized" in note for note in sl.Plan.of(release).notes)
        assert release.rows == "unknown"
        for made in release:
            assert ("person_id" in made) == (treatment == "new")
            if treatment == "new":  # a record that is drawn independently belongs to no other record
                assert made["person_id"].tolist() == list(range(1, N + 1))
                assert made["person_id"].dtype == frame["person_id"].dtype


@quiet
def test_records_of_a_person_stay_together_where_rows_correspond_to_records() -> None:
    frame = panel()
    frame["name"] = [f"n{number}" for number in frame["person_id"]]
    frame.loc[[5, 9], "name"] = None
    with pytest.warns(RepeatedIdentifierWarning):
        release = sl.synthesize(frame, m=2, rng=1, identifiers="new", keep=["wave"])
    assert release.rows == "aligned"
    for made in release:
        assert (made.groupby("person_id").size() == WAVES).all()
        assert made["person_id"].nunique() == PERSONS
        assert (made["person_id"].groupby(frame["person_id"]).nunique() == 1).all()
        assert not made["person_id"].isin(frame["person_id"]).any()
        assert not made["person_id"].is_monotonic_increasing  # the numbers do not show the order of the file
        assert (made["name"].groupby(frame["name"]).nunique() == 1).all()
        assert made["name"].nunique() == PERSONS + 2
    with pytest.warns(RepeatedIdentifierWarning):
        again = sl.synthesize(frame, m=1, rng=1, identifiers="new", keep=["wave"])[0]
    pd.testing.assert_frame_equal(again, release[0])


def test_a_model_makes_a_column_a_variable() -> None:
    frame = panel()
    with pytest.warns(RareValueWarning):
        release = sl.synthesize(frame, m=1, rng=1, models={"person_id": "tree"}, smooth=False)
    assert release[0]["person_id"].isin(frame["person_id"]).all()


@quiet
def test_places_with_many_levels_are_drawn_without_a_tree() -> None:
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"city": [f"c{k // 2}" for k in rng.permutation(2_400)], "age": rng.integers(18, 80, 2_400)})
    release = sl.synthesize(frame, m=1, rng=1)
    assert release[0]["city"].isin(frame["city"]).all()
    assert sl.Plan.of(release).summary()["model"].to_dict() == {"city": "sample", "age": "tree"}


NAMES = [
    "dwelling",
    "mom",
    "V1",
    "lfdnr",
    "casa",
    "hushall",
    "idhh",
    "nomem",
    "psu",
    "x17",
    "foyer",
    "menage",
    "huis",
    "domo",
    "enr",
    "number_of_rooms",
]


def households(seed: int, k: int = 500) -> tuple[pd.DataFrame, np.ndarray, np.random.Generator]:
    """Return people in households of 1 to 5 members, the household of each, and a generator."""
    draw = np.random.default_rng(seed)
    sizes = draw.choice([1, 2, 3, 4, 5], k, p=[0.35, 0.3, 0.15, 0.15, 0.05])
    house = np.repeat(np.arange(k), sizes)
    n = len(house)
    frame = pd.DataFrame(
        {
            "region": draw.integers(0, 8, k)[house],
            "rooms": draw.poisson(4, k)[house],
            "household_income": draw.gamma(2, 900, k).round()[house],
            "salary": np.clip(draw.lognormal(10.3, 0.6, k), 10_000, 99_999).round()[house],
            "v2": draw.choice(np.arange(10_000, 99_999), n // 60)[draw.integers(0, n // 60, k)][house],  # postal codes
            "v3": draw.integers(0, 90, n),  # ages
            "v4": draw.integers(18_000, 99_999, n),
            "wage": draw.lognormal(10, 0.5, n).round(),
        }
    )
    frame["v5"], frame["v6"], frame["v7"] = 2_024 - frame["v3"], frame["v3"] // 10, np.log(frame["wage"])
    frame["v8"] = pd.to_datetime("2024-01-01") + pd.to_timedelta(draw.integers(0, 300, k)[house], "D")
    frame["v9"] = frame["v8"].dt.strftime("%Y%m%d").astype(int)
    return frame, house, draw


def hashed(number: int) -> str:
    return hashlib.sha256(str(number).encode()).hexdigest()


CODES: dict[str, Callable[[np.ndarray, np.random.Generator], object]] = {
    "five digits": lambda house, draw: draw.choice(np.arange(10_001, 99_999), house.max() + 1, replace=False)[house],
    "counted": lambda house, draw: house + 1,
    "counted in another order": lambda house, draw: draw.permutation(house.max() + 1)[house] + 1,
    "ascending": lambda house, draw: np.cumsum(draw.integers(1, 9, house.max() + 1))[house],
    "int64": lambda house, draw: draw.integers(-(2**63), 2**63 - 1, house.max() + 1)[house],
    "uint64": lambda house, draw: draw.integers(0, 2**64 - 1, house.max() + 1, dtype=np.uint64)[house],
    "hexadecimal": lambda house, draw: texts(lambda k: hashed(k)[:16], house),
    "short hexadecimal": lambda house, draw: texts(lambda k: hashed(k)[:10], house),
    "text": lambda house, draw: texts("H{:04}".format, house),
    "areas": lambda house, draw: house // 6 + 1,
    "areas of five digits": lambda house, draw: draw.choice(np.arange(1, 99_999), house.max() + 1)[house // 6],
    "one per person": lambda house, draw: draw.choice(np.arange(800_000, 899_999), len(house), replace=False),
}


@pytest.mark.parametrize("in_order", [True, False])
@pytest.mark.parametrize("kind", CODES)
def test_identifiers_are_recognized_by_structure_under_any_name(kind: str, in_order: bool) -> None:
    """No other column of the file is taken for an identifier, with and without the identifier."""
    for seed in range(4):
        frame, house, draw = households(seed)
        if kind.startswith("areas"):
            frame["region"] = draw.integers(0, 8, house.max() + 1)[house // 6]
        name = NAMES[(4 * list(CODES).index(kind) + seed) % len(NAMES)]
        whole = frame.assign(**{name: CODES[kind](house, draw)})
        for one, expected in ((whole, [name]), (frame, [])):
            mixed = one if in_order else one.sample(frac=1, random_state=seed).reset_index(drop=True)
            assert list(find_identifiers(mixed, roles_of(mixed))) == expected, (name, seed)


def test_a_number_from_which_another_column_follows_is_no_identifier() -> None:
    """Even and odd numbers of one column, and the remainder by three of another, are functions of it."""
    for divisor in (2, 3):
        for kind in ("counted", "counted in another order"):
            frame, house, draw = households(divisor)
            number = np.asarray(CODES[kind](house, draw))
            plain = pd.DataFrame({"x": number, "g": number % divisor, "y": frame["wage"]})
            own = plain.assign(g=draw.integers(0, divisor, house.max() + 1)[house])
            for one, expected in ((plain, []), (own, ["x"])):
                mixed = one.sample(frac=1, random_state=1).reset_index(drop=True)
                assert list(find_identifiers(mixed, roles_of(mixed))) == expected


def test_the_identifiers_of_persons_households_and_areas_are_recognized_together() -> None:
    frame, house, draw = households(1)
    frame["region"] = draw.integers(0, 8, house.max() + 1)[house // 6]
    keys = {kind: CODES[kind](house, draw) for kind in ("areas of five digits", "five digits", "one per person")}
    frame = frame.assign(a=keys["areas of five digits"], b=keys["five digits"], c=keys["one per person"])
    assert list(find_identifiers(frame, roles_of(frame))) == ["a", "b", "c"]


@quiet
@pytest.mark.parametrize("kind", ["five digits", "int64", "hexadecimal"])
def test_both_remedies_release_no_number_of_a_household(kind: str) -> None:
    frame, house, draw = households(2, 150)
    frame = frame[["region", "rooms", "v3"]].assign(dwelling=CODES[kind](house, draw))
    with pytest.raises(InputError, match="'dwelling'") as caught:
        sl.synthesize(frame, m=1, rng=1)
    assert 'identifiers="drop"' in str(caught.value)
    assert 'identifiers="new"' in str(caught.value)
    for keep in ([], ["region"]):
        for treatment in ("drop", "new"):
            with pytest.warns(RepeatedIdentifierWarning):
                [made] = sl.synthesize(frame, m=1, rng=1, identifiers=treatment, keep=keep)
            assert ("dwelling" in made) == (treatment == "new")
            if treatment == "new":
                assert not made["dwelling"].astype(str).isin(frame["dwelling"].astype(str)).any()
                assert made["dwelling"].nunique() == (house.max() + 1 if keep else len(frame))
                assert not keep or (made["dwelling"].groupby(house).nunique() == 1).all()


@pytest.mark.parametrize("n", [100_000, pytest.param(1_000_000, marks=pytest.mark.full)])
@pytest.mark.parametrize("records", [1, 2])
def test_an_identifier_among_many_texts(n: int, records: int) -> None:
    draw = np.random.default_rng(1)
    key = draw.permutation(np.repeat(np.arange(n // records), records))
    frame = pd.DataFrame({"k": texts("p{:x}".format, key), "y": draw.integers(0, 500, n), "z": key % 7})
    assert list(find_identifiers(frame, roles_of(frame))) == ["k"]
