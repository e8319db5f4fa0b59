"""Identifiers are recognized by name, form, uniqueness and repetition; places, times and measurements are not identifiers."""

from __future__ import annotations

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
    "state": texts("State {}".format, np.arange(N)),
    "County Name": texts("county {}".format, UNIQUE),
    "county_id": UNIQUE,
    "fips": np.arange(N) + 1_001,
    "zip": texts("{:05}".format, UNIQUE),
    "Model": texts("car {}".format, UNIQUE),
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
    frame = pd.DataFrame({"city": [f"c{k}" for k in rng.permutation(1_200)], "age": rng.integers(18, 80, 1_200)})
    release = sl.synthesize(frame, m=1, rng=1)
    assert release[0]["city"].isin(frame["city"]).all()
    assert sl.Plan.of(release).summary()["model"].to_dict() == {"city": "sample", "age": "tree"}
