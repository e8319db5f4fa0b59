"""Files that are written: what comes back, what is refused, and what is lost with a warning."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab.exceptions import FormatLimitWarning, InputError
from synthlab.io.column_labels import LABELS
from synthlab.release.manifest import digest
from tests.loops import every

pyreadstat = pytest.importorskip("pyreadstat")
TYPED = ("sav", "dta", "parquet")
ONES = {
    "sex": {"label": "Sex of the person", "values": [[5, "f"], [7, "m"]]},
    "rooms": {"label": "Rooms", "values": [[-9, "refused"], [98, "many"]]},
    "income": {"label": "Income (US$ per year)"},
}


def survey() -> pd.DataFrame:
    moments = pd.to_datetime(
        ["2020-01-01T10:11:12.123", None, "1960-02-03T00:00:01", "2021-06-01T00:00"] * 10, format="ISO8601"
    )
    frame = pd.DataFrame(
        {
            "sex": pd.Categorical(["m", "f", None, "m"] * 10),
            "grade": pd.Categorical([2, 1, None, 3] * 10, categories=[3, 2, 1], ordered=True),
            "rooms": [1, -9, 3, 4] * 10,
            "adults": pd.array([1, None, 2**40, -3] * 10, dtype="Int64"),
            "income": [0.1 + 0.2, 1e-17, np.nan, -1e300] * 10,
            "share": np.array([0.1, 0.2, np.nan, 3], dtype="float32").repeat(10),
            "owner": [True, False] * 20,
            "moved": pd.array([True, None] * 20, dtype="boolean"),
            "county": ["01", "NA", "ü", None] * 10,
            "notes": ["x" * 3000, "y", "z", None] * 10,
            "born": moments.normalize(),
            "seen": moments,
            "called": moments.tz_localize("UTC").tz_convert("Europe/Berlin"),
            "spent": pd.to_timedelta([1.5, None, 2, 0.25] * 10, unit="h"),
            "period": pd.PeriodIndex(["2020-01", None, "2021-05", "2020-02"] * 10, freq="M"),
            "nothing": [np.nan] * 40,
        }
    )
    frame.attrs[LABELS] = ONES
    return frame


@every("kind", ["csv", *TYPED])
@pytest.mark.filterwarnings("ignore::synthlab.exceptions.FormatLimitWarning")
def test_a_release_is_loaded_from_every_format_with_its_types_and_labels(kind: str, tmp_path: Path) -> None:
    frames = [survey(), survey().assign(rooms=range(40), sex=survey()["sex"].cat.add_categories("other"))]
    for frame in frames:
        frame.attrs[LABELS] = ONES
    sl.Release(frames).save(tmp_path / kind, format=kind, keep_order=True)
    back = sl.Release.load(tmp_path / kind)
    for one, other in zip(back, frames, strict=True):
        pd.testing.assert_frame_equal(one.drop(columns="sex"), other.drop(columns="sex"))
        assert one["sex"].astype(object).equals(other["sex"].astype(object))
        assert one.attrs[LABELS]["sex"] == ONES["sex"]
        assert one.attrs[LABELS]["income"] == ONES["income"]
        assert one.attrs[LABELS]["rooms"]["values"] == [[-9, "refused"]]  # no record of the release has 98
    file = tmp_path / kind / f"synthetic_001.{kind}"
    sl.Release(frames[:1]).save(tmp_path / f"{kind}_again", format=kind, keep_order=True)
    assert file.read_bytes() == (tmp_path / f"{kind}_again" / file.name).read_bytes()  # without the time of creation
    if kind in ("sav", "dta"):
        table, about = getattr(pyreadstat, f"read_{kind}")(file)
        assert set(table["sex"].dropna()) == {5, 7}
        assert about.variable_value_labels["sex"] == {5: "f", 7: "m"}
        assert about.column_names_to_labels["income"] == ONES["income"]["label"]
    if kind == "sav":
        assert about.original_variable_types["rooms"] == "F8.0"


@every("kind", TYPED)
@pytest.mark.filterwarnings("ignore::synthlab.exceptions.FormatLimitWarning")
@pytest.mark.filterwarnings("ignore::synthlab.exceptions.UndeclaredCodeWarning")
def test_a_written_file_is_read_with_the_same_types(kind: str, tmp_path: Path) -> None:
    frame = survey()
    back = sl.read(sl.write(frame, tmp_path / f"survey.{kind}"))
    for column in ("sex", "rooms", "owner", "moved", "county", "born", "seen"):
        one, other = back[column], frame[column]
        assert pd.api.types.is_dtype_equal(one.dtype, other.dtype) or one.dtype.kind == other.dtype.kind == "M", column
        assert one.astype(object).dropna().tolist() == other.astype(object).dropna().tolist(), column
    assert {c: back.attrs[LABELS][c] for c in ONES} == ONES
    if kind == "parquet":
        assert back["called"].equals(frame["called"])
        assert back["spent"].equals(frame["spent"])


@every("kind", ["csv", *TYPED])
def test_dates_in_the_format_of_a_csv_file_are_kept_in_every_format(kind: str, tmp_path: Path) -> None:
    days = pd.date_range("2019-01-01", periods=60)
    pd.DataFrame({"seen": days.strftime("%d/%m/%Y"), "sex": ["f", "m"] * 30}).to_csv(tmp_path / "own.csv", index=False)
    own = sl.read(tmp_path / "own.csv")
    sl.Release([own]).save(tmp_path / kind, format=kind, keep_order=True)
    assert sl.Release.load(tmp_path / kind)[0]["seen"].tolist() == days.tolist()


def test_declared_missing_codes_and_labels_survive_synthesis(tmp_path: Path) -> None:
    draw = np.random.default_rng(1)
    table = pd.DataFrame(
        {
            "sex": draw.choice([1.0, 2.0], 200),
            "rooms": draw.choice([1.0, 2, 3, 4, -9], 200),
            "born": draw.integers(1950, 1990, 200),
        }
    )
    pyreadstat.write_sav(
        table,
        tmp_path / "survey.sav",
        column_labels={"sex": "Sex", "born": "Year of birth"},
        variable_value_labels={"sex": {1: "male", 2: "female"}, "rooms": {4: "4 or more", -9: "refused"}},
        missing_ranges={"rooms": [-9]},
    )
    frame = sl.read(tmp_path / "survey.sav")
    assert frame["rooms"].isna().any()
    release = sl.synthesize(frame, m=2)
    folder = release.save(tmp_path / "release", format="sav", keep_order=True)
    made, about = pyreadstat.read_sav(folder / "synthetic_002.sav", user_missing=True)
    assert set(made["sex"]) == {1, 2}
    assert about.column_names_to_labels == {"sex": "Sex", "rooms": None, "born": "Year of birth"}
    assert set(made["rooms"]) == {1, 2, 3, 4, -9}
    assert about.variable_value_labels == {"sex": {1: "male", 2: "female"}, "rooms": {4: "4 or more", -9: "refused"}}
    assert about.missing_ranges == {"rooms": [{"lo": -9, "hi": -9}]}
    report = sl.evaluate(frame, folder, sl.Intruder(known=["sex"], synthesized=["rooms", "born"], missing="category"))
    assert report.verdict in ("CHECK", "NOTHING FOUND", "STOP")


@every(
    ("kind", "frame"),
    [
        ("dta", {"a b": [1, 2]}),
        ("dta", {"n" * 33: [1, 2]}),
        ("dta", {"if": [1, 2]}),
        ("sav", {"1st": [1, 2]}),
        ("sav", {"WITH": [1, 2]}),
        ("sav", {"a": [1, 2], "A": [1, 2]}),
        ("sav", {"x": [1.0, np.inf]}),
        ("dta", {"x": [1.0, 8.95e307]}),
        ("sav", {"x": [1, 2**53 + 2]}),
        ("sav", {"x": pd.to_datetime(["1500-01-01", "2000-01-01"])}),
        ("sav", {"x": ["a", "b" * 40_000]}),
        ("dta", {"x": ["a", "b\0c"]}),
        ("parquet", {"x": pd.Series([1, "a"], dtype=object)}),
    ],
)
def test_what_a_format_cannot_hold_is_refused_with_the_name_of_the_column(
    kind: str, frame: dict, tmp_path: Path
) -> None:
    table = pd.DataFrame(frame)
    with pytest.raises(InputError) as refused:
        sl.write(table, tmp_path / f"data.{kind}")
    assert repr(list(table)[-1]) in str(refused.value)
    assert not list(tmp_path.iterdir())


@every(
    ("kind", "series"),
    [
        ("sav", pd.Series(pd.to_datetime(["2020-01-01", "2020-01-02"]).tz_localize("UTC"))),
        ("dta", pd.Series(pd.to_datetime(["2020-01-01 10:00:00.123456", "2020-01-02"], format="ISO8601"))),
        ("dta", pd.Series(pd.to_timedelta([1, 2], unit="h"))),
        ("sav", pd.Series(["a ", "b"])),
        ("dta", pd.Series(["", "b"])),
        ("csv", pd.Series(["", "b"])),
        ("sav", pd.Series(["a" * 130, "b"], dtype="category")),
    ],
)
def test_what_a_format_loses_gives_a_warning_that_names_the_column(
    kind: str, series: pd.Series, tmp_path: Path
) -> None:
    with pytest.warns(FormatLimitWarning, match="'odd'"):
        sl.write(pd.DataFrame({"odd": series, "fine": [1, 2]}), tmp_path / f"data.{kind}")


@every("kind", TYPED)
def test_a_changed_or_damaged_file_of_a_release_is_refused(kind: str, tmp_path: Path) -> None:
    release = sl.Release(pd.DataFrame({"sex": pd.Categorical(["m", "f"]), "x": [1, 2]}))
    folder = release.save(tmp_path / kind, format=kind, keep_order=True)
    file, manifest = folder / f"synthetic_001.{kind}", folder / "release.json"
    data, text = file.read_bytes(), manifest.read_text()
    file.write_bytes(data[:-20])
    with pytest.raises(InputError, match="changed after it was saved"):
        sl.Release.load(folder)
    file.write_bytes(data)
    stated = json.loads(text)
    del stated["columns"]["sex"]["dtype"]
    stated["digest"] = digest(stated)
    manifest.write_text(json.dumps(stated))
    with pytest.raises(InputError, match="sex"):
        sl.Release.load(folder)
    with pytest.raises(InputError, match="already contains"):
        release.save(folder, format="csv", keep_order=True)


def test_text_that_a_format_changes_is_not_saved_as_a_release(tmp_path: Path) -> None:
    release = sl.Release(pd.DataFrame({"note": ["", "b", None]}))
    with pytest.raises(InputError, match="'note'"):
        release.save(tmp_path / "release", format="sav", keep_order=True)
    assert not (tmp_path / "release").exists()
    assert sl.Release.load(release.save(tmp_path / "release", keep_order=True))[0].equals(release[0])
