"""Dates within a radius: the same matches as a double loop over the records, in every function with a radius."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st

import synthlab as sl
from synthlab import _checks
from synthlab.exceptions import InputError
from synthlab.risk import attack_score, attribute_risk, intruder_risk, linkage_risk

pytestmark = pytest.mark.filterwarnings("ignore::synthlab.exceptions.SynthlabWarning")
RADII: dict[str, float] = {"0d": 0.0, "1d": 1.0, "2m": 60.875, "1y": 365.25, "0.5d": 0.5}
FORMS: dict[str, Callable[[pd.Series], pd.Series]] = {
    "datetime": lambda s: s,
    "seconds": lambda s: s.astype("datetime64[s]"),
    "nanoseconds": lambda s: s.astype("datetime64[ns]"),
    "text": lambda s: s.dt.strftime("%Y-%m-%dT%H:%M:%S").astype(object).where(s.notna(), None),
    "text with a time zone": lambda s: (
        (s + pd.Timedelta(hours=2)).dt.strftime("%Y-%m-%d %H:%M:%S+02:00").astype(object).where(s.notna(), None)
    ),
    "time zone": lambda s: s.dt.tz_localize("UTC").dt.tz_convert("America/New_York"),
    "periods": lambda s: s.dt.to_period("s"),
    "durations": lambda s: s - pd.Timestamp("1970-01-01"),
    "objects": lambda s: pd.Series([None if pd.isna(v) else v.to_pydatetime() for v in s], dtype=object),
}
# The release in another time zone: instants are compared.
ELSEWHERE = {"time zone": lambda s: s.dt.tz_convert("Asia/Tokyo")}


@st.composite
def dates(draw: st.DrawFn) -> tuple[pd.Series, pd.Series]:
    """Draw confidential and released dates near each other, with a time of day or without, and with missing values."""
    n = draw(st.integers(2, 25))
    clock = draw(st.booleans())
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    start = np.datetime64(
        draw(st.sampled_from(["1899-12-30", "1969-12-31", "1992-06-01", "2014-11-01", "2059-09-01"])), "us"
    )
    step = np.timedelta64(1, "D")
    own = start + rng.integers(0, 90, n) * step
    own = own + (rng.integers(0, 86_400, n) if clock else np.zeros(n, dtype=int)) * np.timedelta64(1, "s")
    other = rng.permutation(own) + rng.integers(-2, 3, n) * step  # many gaps equal a radius exactly
    own[rng.random(n) < 0.1] = other[rng.random(n) < 0.1] = np.datetime64("NaT")
    return pd.Series(own), pd.Series(other)


@settings(max_examples=150, deadline=None)
@given(
    dates(),
    st.sampled_from(sorted(RADII)),
    st.sampled_from(["closed", "open"]),
    st.sampled_from(["category", "never"]),
    st.sampled_from(sorted(FORMS)),
)
def test_matches_are_those_of_a_double_loop(
    drawn: tuple[pd.Series, pd.Series], radius: str, boundary: Any, missing: Any, form: str
) -> None:
    own, other = drawn
    if own.isna().all() or other.isna().all():
        return
    rng = np.random.default_rng(len(own))
    sex, pay = rng.integers(0, 2, len(own)), rng.integers(1, 5, len(own)) * 10.0
    frame = pd.DataFrame({"sex": sex, "born": FORMS[form](own), "pay": pay})
    there = ELSEWHERE.get(form, lambda s: s)(FORMS[form](other))
    release = pd.DataFrame({"sex": sex, "born": there, "pay": rng.permutation(pay)})
    someone = sl.Intruder(
        known=["sex"],
        synthesized=["born", "pay"],
        radius={"born": radius, "pay": 0.5},
        boundary=boundary,
        missing=missing,
    )
    found = sl.identification_risk(frame, release, someone)
    width = datetime.timedelta(days=RADII[radius])

    def near(i: int, h: int) -> bool:
        a, b = own[i], other[h]
        if pd.isna(a) or pd.isna(b):
            return missing == "category" and pd.isna(a) and pd.isna(b)
        gap = abs(b.to_pydatetime() - a.to_pydatetime())
        return gap <= width if boundary == "closed" else gap < width

    def pays(i: int, h: int) -> bool:
        gap, half = abs(release["pay"][h] - pay[i]), 0.5 * pay[i]
        return bool(gap <= half if boundary == "closed" else gap < half)

    n = len(own)
    matches = np.array([[sex[i] == sex[h] and near(i, h) and pays(i, h) for h in range(n)] for i in range(n)])
    np.testing.assert_array_equal(found.match_count[:, 0], matches.sum(axis=1))
    np.testing.assert_array_equal(found.contains_true[:, 0], matches.diagonal())


def people(n: int = 300, shift: int = 1) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return people with a date of birth, and a release with all dates shifted by some days."""
    rng = np.random.default_rng(1)
    born = pd.Timestamp("1950-01-01") + pd.to_timedelta(rng.integers(0, 20_000, n), unit="D")
    frame = pd.DataFrame({"sex": rng.choice(list("fm"), n), "born": born, "pay": rng.normal(1000, 200, n).round(1)})
    return frame, frame.assign(born=frame["born"] + pd.Timedelta(days=shift))


def test_dates_shifted_by_one_day_are_found_with_a_radius_of_one_day() -> None:
    frame, release = people()
    for radius in (1, "1d", {"born": 1}, {"born": "1d"}):
        someone = sl.Intruder(known=["sex"], synthesized=["born"], radius=radius)
        found = sl.identification_risk(frame, release, someone)
        assert found.intruder.radii == {"born": 1.0}
        assert int(found.n_unique[0]) == 292  # of 300
        assert float(found.true_match_rate[0]) == pytest.approx(292 / 300)
    blind = sl.Intruder(known=["sex"], synthesized=["born"], radius={"born": 0})
    with pytest.warns(sl.exceptions.SynthlabWarning):
        assert float(sl.identification_risk(frame, release, blind).expected_match_risk[0]) == 0


@pytest.mark.parametrize("year", [1969, 1992, 2014])
def test_the_ends_of_an_interval_are_exact_at_every_time_of_day(year: int) -> None:
    """In days as plain floats, the sum of a time of day and a radius is rounded, so that some ends would be missed."""
    rng = np.random.default_rng(2)
    own = pd.Timestamp(f"{year}-10-01") + pd.to_timedelta(rng.integers(0, 200 * 86_400, 2000), unit="s")
    frame = pd.DataFrame({"born": own})
    for radius, days in RADII.items():
        release = pd.DataFrame({"born": own + pd.Timedelta(seconds=days * 86_400)})
        for boundary in ("closed", "open"):
            asked = sl.Intruder(known=[], synthesized=["born"], radius={"born": radius}, boundary=boundary)
            assert (sl.identification_risk(frame, release, asked).contains_true == (boundary == "closed")).all()


AS_NUMBERS = {"born": lambda s: (s - pd.Timestamp("1970-01-01")) / pd.Timedelta(days=1)}
FUNCTIONS: dict[str, Callable[[pd.DataFrame, pd.DataFrame, sl.Intruder], Any]] = {
    "identification_risk": lambda f, r, i: sl.identification_risk(f, r, i).match_count,
    "identification_probability": lambda f, r, i: sl.identification_probability(f, r, i).per_dataset,
    "cap": lambda f, r, i: sl.cap(f, r, i, target="born").scores.attack,
    "chosen_variables_risk": lambda f, r, i: sl.chosen_variables_risk(f, r, i).expected_match_risk,
    "risk_weights": lambda f, r, i: np.asarray(sl.risk_weights(f, i).weights),
    "intruder_risk": lambda f, r, i: [
        intruder_risk(f, r, i, strategy=s, rng=1).match_count for s in ("probability", "mode")
    ],
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_function_takes_dates_as_it_takes_days(name: str) -> None:
    frame, release = people()
    measure = FUNCTIONS[name]
    expected = None
    for form in ("number", *FORMS):
        if form == "number":
            files = [one.assign(born=AS_NUMBERS["born"](one["born"])) for one in (frame, release)]
        else:
            files = [one.assign(born=FORMS[form](one["born"])) for one in (frame, release)]
        kind = "absolute" if form == "number" else "relative"  # the radius of a date is absolute in either case
        radius = {"born": 30.4375 if form == "number" else "1m"}
        found = measure(*files, sl.Intruder(known=["sex"], synthesized=["born"], radius=radius, radius_kind=kind))
        expected = found if expected is None else expected
        np.testing.assert_array_equal(np.asarray(found), np.asarray(expected))


def test_a_guess_of_a_date_is_right_within_its_radius() -> None:
    frame, release = people()
    guesses = pd.DataFrame({"record": range(300), "born": release["born"]})
    score = attack_score(frame, guesses, target="born", radius="1d")
    assert score.attack == 1.0
    assert isinstance(score.best_guess, pd.Timestamp)
    assert "within 1 day" in score.near
    with pytest.warns(sl.exceptions.SynthlabWarning):
        assert attack_score(frame, guesses, target="born", radius={"born": 0.5}).attack == 0.0


def test_linkage_has_levels_of_agreement_of_dates() -> None:
    pytest.importorskip("splink")
    frame, release = people(80)
    days = [one.assign(born=AS_NUMBERS["born"](one["born"])) for one in (frame, release)]
    with_dates = sl.Intruder(known=["sex"], synthesized=["born"], radius={"born": ["1d", "1m"]})
    with_days = sl.Intruder(known=["sex"], synthesized=["born"], radius={"born": [1, 30.4375]}, radius_kind="absolute")
    found, expected = linkage_risk(frame, release, with_dates, rng=1), linkage_risk(*days, with_days, rng=1)
    np.testing.assert_array_equal(found.linked, expected.linked)
    assert found.intruder.describe().endswith("within 1 day or 30.44 days (closed intervals).")


def test_files_larger_than_memory(tmp_path: Path) -> None:
    pytest.importorskip("dask.dataframe")
    import synthlab.scale

    frame, release = people()
    files = [tmp_path / "people.parquet", tmp_path / "release.parquet"]
    for file, one in zip(files, (frame, release), strict=True):
        one.assign(id=range(300)).to_parquet(file)
    someone = sl.Intruder(known=["sex"], synthesized=["born"], radius=1)
    found = synthlab.scale.identification_risk(*files, someone, id="id", output=tmp_path / "risk")
    assert float(found.expected_match_risk[0]) == float(
        sl.identification_risk(frame, release, someone).expected_match_risk[0]
    )
    assert synthlab.scale.cap(*files, someone, target="born").attack == pytest.approx(
        sl.cap(frame, release, someone, target="born").attack
    )
    with pytest.raises(InputError, match="'born' looks continuous and has no radius"):
        synthlab.scale.identification_risk(
            *files, sl.Intruder(known=["sex"], synthesized=["born"]), id="id", output=tmp_path / "none"
        )


@pytest.mark.parametrize("form", FORMS)
def test_many_dates_without_a_radius_are_refused_like_numbers(form: str) -> None:
    frame, release = ((one.assign(born=FORMS[form](one["born"]))) for one in people())
    with pytest.raises(InputError, match=r"'born' has \d+ distinct dates and no radius"):
        sl.identification_risk(frame, release, sl.Intruder(known=["sex"], synthesized=["born"]))
    few = frame.assign(
        born=FORMS[form](pd.Series(np.resize(np.array(["2020-01-01", "2020-02-01"], "datetime64[us]"), 300)))
    )
    sl.identification_risk(few, few, sl.Intruder(known=["sex"], synthesized=["born"]))


def test_a_number_without_a_name_is_for_numbers_and_days_without_a_name_are_for_dates() -> None:
    frame, release = people()
    both = {"known": ["sex"], "synthesized": ["born", "pay"]}
    with pytest.raises(InputError, match="'born' has"):
        sl.identification_risk(frame, release, sl.Intruder(**both, radius=0.1))
    with pytest.raises(InputError, match="'pay' has"):
        sl.identification_risk(frame, release, sl.Intruder(**both, radius="1d"))
    named = sl.identification_risk(frame, release, sl.Intruder(**both, radius={"born": 1, "pay": 0.1})).intruder
    assert named.describe().endswith("born within 1 day; pay within 0.1 x |pay| (closed intervals).")


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "days of a number": ({"synthesized": ["pay"], "radius": {"pay": "1d"}}, "'pay' does not hold dates"),
    "weeks": ({"synthesized": ["born"], "radius": {"born": "1w"}}, r"radius\['born'\]='1w'"),
    "code": ({"synthesized": ["born"], "radius": "__import__('os')"}, "must be a number"),
    "fewer than no days": ({"synthesized": ["born"], "radius": {"born": -1}}, r"radius\['born'\]=-1"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_a_radius_cannot_be_is_refused_by_name(case: str) -> None:
    def measured() -> None:
        sl.identification_risk(*people(), sl.Intruder(known=["sex"], **fields))

    fields, message = REFUSED[case]
    with pytest.raises(InputError, match=message):
        measured()


def test_where_dates_have_no_meaning_they_are_refused() -> None:
    frame, release = people(120)
    someone = sl.Intruder(known=["sex"], synthesized=["born"], radius=1, radius_kind="absolute", norm="mahalanobis")
    with pytest.raises(InputError, match="'born', a date with a radius in days"):
        intruder_risk(frame, release, someone)

    class Fit:
        synthesized = ("born",)
        confidential = frame
        weights = np.ones(120)

        def log_density(self, frame: pd.DataFrame, as_drawn: bool = False) -> Any:
            return np.zeros((10, len(frame)))

    with pytest.raises(InputError, match="'born' holds dates"):
        attribute_risk(frame, release, fitted=Fit(), radius=1)


def test_an_intruder_keeps_a_radius_in_days_in_files(tmp_path: Path) -> None:
    file = tmp_path / "someone.toml"
    file.write_text('known = ["sex"]\nsynthesized = ["born", "pay"]\nradius = {born = "1m", pay = 0.1}\n')
    someone = sl.Intruder.from_toml(file)
    assert someone.radii == {"born": 30.4375, "pay": 0.1}
    again = sl.Intruder.from_table(someone.to_dict())
    assert isinstance(again.radii["born"], _checks.Days)
    assert again.to_dict() == someone.to_dict()


def test_texts_are_dates_only_if_all_of_them_are() -> None:
    for texts in (
        ["2020-01-01", "2020-02-30"],
        ["2020-01-01", "x"],
        ["2020-01-01", "2020-01-01T10:00Z"],
        ["01-02-2020"],
        ["2020"],
    ):
        assert not _checks.is_date(pd.Series(texts))
    assert _checks.as_days(pd.Series(["0001-01-01", "9999-12-31"])).tolist() == [-719_162.0, 2_932_896.0]
    assert _checks.as_days(pd.Series([datetime.date(1970, 1, 2), None])).tolist()[0] == 1.0


def test_texts_that_are_dates_in_one_file_only_are_refused_by_name() -> None:
    frame, release = (one.assign(born=FORMS["text"](one["born"])) for one in people())
    release.loc[0, "born"] = "secret"
    someone = sl.Intruder(known=["sex"], synthesized=["born"], radius=1)
    for measure in (
        lambda f, r: sl.identification_risk(f, r, someone),
        lambda f, r: sl.cap(f, r, someone, target="born"),
    ):
        with pytest.raises(InputError, match="column 'born'") as caught:
            measure(frame, release)
        assert "secret" not in str(caught.value)


@pytest.mark.parametrize("form", ["datetime", "text", "time zone", "periods", "durations", "objects"])
def test_distances_and_utility_of_dates_equal_those_of_days(form: str) -> None:
    draw = np.random.default_rng(5)
    days = pd.Series(draw.integers(0, 700, 200))
    moved = days + draw.integers(-2, 3, 200)
    number, dated = ([], [])
    for one in (days, moved, pd.Series(draw.integers(0, 700, 200))):
        rest = {"sex": draw.choice(list("mf"), 200), "age": draw.integers(20, 60, 200)}
        number.append(pd.DataFrame({**rest, "born": one}))
        date = pd.Timestamp("2020-01-01") + pd.to_timedelta(one, unit="D")
        dated.append(pd.DataFrame({**rest, "born": FORMS[form](date)}))
    for measure in (
        lambda own, other, unseen: sl.near_copies(own, other).table["z"],
        lambda own, other, unseen: sl.closest_record(own, other, unseen).share,
        lambda own, other, unseen: sl.ecdf_utility(own, other).ecdf_max,
        lambda own, other, unseen: sl.pmse(own, other, rng=1).pmse,
    ):
        np.testing.assert_allclose(measure(*dated), measure(*number), rtol=1e-6)


@pytest.mark.parametrize("text", [False, True])
def test_a_constant_shift_beyond_the_radius_is_found_and_an_honest_release_has_none(text: bool) -> None:
    draw = np.random.default_rng(8)
    born = pd.Timestamp("1950-01-01") + pd.to_timedelta(pd.Series(draw.integers(0, 20_000, 300)), unit="D")
    people = pd.DataFrame({"town": draw.integers(0, 18, 300), "born": born, "job": draw.choice(list("abcd"), 300)})
    half = (born + pd.Timedelta(days=40)).where(draw.random(300) < 0.5, draw.permutation(born))
    released = {
        "all": people.assign(born=born + pd.Timedelta(days=40), job=draw.permutation(people["job"])),
        "any order": people.assign(born=born + pd.Timedelta(days=40)).sample(frac=1, random_state=1),
        "half": people.assign(born=half),
        "honest": people.assign(born=draw.permutation(born)),
    }
    found = {}
    for name, release in released.items():
        pair = [people, release.reset_index(drop=True)]
        if text:
            pair = [one.assign(born=one["born"].dt.strftime("%Y-%m-%d")) for one in pair]
        intruder = sl.Intruder(known=["town"], synthesized=["born", "job"], radius={"born": 1})
        findings = sl.evaluate(*pair, intruder).findings
        found[name] = max(
            (one.people for one in findings if one.measure == "columns" and one.columns == ("born",)), default=0
        )
    assert found["all"] == found["any order"] == 300
    assert 120 < found["half"] < 180
    assert found["honest"] == 0
