"""A saved release: what comes back, what is refused, and that nothing is left behind."""

from __future__ import annotations

import csv
import datetime
import json
import warnings
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st

from synthlab.exceptions import InputError
from synthlab.intruder import Intruder
from synthlab.release import Release, as_release, manifest as release_manifest
from synthlab.risk import identification_risk


@pytest.fixture
def frames() -> list[pd.DataFrame]:
    first = pd.DataFrame(
        {
            "name, with comma": ["a", "ü", "c"],
            "grade": pd.Categorical(["lo", "hi", "lo"], categories=["lo", "hi"], ordered=True),
            "code": pd.Categorical([1, 2, 1], categories=[2, 1]),
            "flag": [True, False, True],
            "income": [0.1 + 0.2, 1e-17, 3.0],
        }
    )
    return [first, first.assign(income=[1.0, 2.0, 3.0])]


def test_saved_and_loaded_frames_are_equal(frames, tmp_path):
    release = Release(frames, synthesized=["income"], provenance={"m": 2, "of": {"kind": "simulated"}})
    folder = release.save(tmp_path / "out", keep_order=True)
    again = Release.load(folder)
    assert again.synthesized == ("income",)
    assert dict(again.provenance) == dict(release.provenance)
    for one, other in zip(release, again, strict=True):
        pd.testing.assert_frame_equal(one, other)
    assert as_release(folder).m == 2
    with pytest.raises(InputError, match="already contains a release"):
        release.save(folder, keep_order=True)
    with pytest.raises(InputError, match="contains no release.json"):
        Release.load(tmp_path)


def again(frames: object, folder: Path) -> Release:
    return Release.load(Release(frames).save(folder, keep_order=True))


CELLS = {
    "codes": pd.Series(["01", "02", "10"]),
    "missing by name": pd.Series(["NA", "N/A", "None", "x", "null", "nan", "NaN", "<NA>"]),
    "nothing": pd.Series(["", "x", "y"]),
    "nothing and missing": pd.Series(["", None, "NA", "NA 2"], dtype=object),
    "numbers in words": pd.Series(["1e5", "2.50", "3"]),
    "truth in words": pd.Series(["True", "False", "TRUE"]),
    "categories 01": pd.Categorical(["01", "02", "01"], categories=["02", "01"]),
    "categories NA": pd.Categorical(["NA", "02", "10", "", None], ordered=True),
    "line ends": pd.Series(["x\ry", "z", "a\nb", "\r\n", '"', ",", "\x00", " "]),
    "categories of text as objects": pd.Categorical(pd.Series(["01", "NA", None], dtype=object)),
    "categories of numbers": pd.Categorical([1, None, 3]),
    "categories of fractions": pd.Categorical([1.5, 2, None]),
    "categories of truths": pd.Categorical([True, False, True]),
    "categories of dates": pd.Categorical(pd.to_datetime(["2020-02-01", "2020-01-01", None])),
    "categories of both": pd.Categorical([1, "1", None]),
    "long": pd.Series(["a" * 140_000, "b"]),
    "long objects": pd.Series(["a" * 140_000, 1], dtype=object),
    "categories that are long": pd.Categorical(["a" * 140_000, "b"]),
    "byte-order marks": pd.Series(["\ufeff", "\ufeffa", "a\ufeff"]),
    "mixture": pd.Series([1, "1", True, None, 2.5, np.nan], dtype=object),
    "objects": pd.Series(["x", "", "01"], dtype=object),
    "None": pd.Series(["x", None], dtype=object),
    "NaN": pd.Series(["x", np.nan], dtype=object),
    "truths with a gap": pd.Series([True, None, False], dtype=object),
    "string": pd.Series(["01", None, ""], dtype="string"),
    "boolean": pd.Series([True, None, False], dtype="boolean"),
    "Int64": pd.Series([1, None, 2**62 + 1], dtype="Int64"),
    "uint64": pd.Series([2**63 + 1, 3], dtype="uint64"),
    "int8": pd.Series([-128, 3], dtype="int8"),
    "floats": pd.Series([0.1 + 0.2, np.nan, np.inf, -np.inf, -0.0, 5e-324, 1e200]),
    "float32": pd.Series([0.1, np.nan, 16777217.0], dtype="float32"),
    "dates": pd.to_datetime(pd.Series(["2020-01-01", None])),
    "times": pd.Series(pd.to_datetime(["2020-01-01 00:00:00.000000001", "2021-02-03"], format="ISO8601")),
    "time zone": pd.Series(pd.to_datetime(["2020-01-01", "2020-07-01"])).dt.tz_localize("Europe/Vienna"),
    "lengths": pd.Series(pd.to_timedelta(["1 days 00:00:00.5", None])),
    "months": pd.Series(pd.period_range("2020-01", periods=2, freq="M")),
}


@pytest.mark.parametrize("name", CELLS)
def test_whatever_a_column_holds_comes_back(name, tmp_path):
    frame = pd.DataFrame({"a": CELLS[name]})
    pd.testing.assert_frame_equal(again(frame, tmp_path / "out")[0], frame, check_exact=True)


# Every character that UTF-8 can write.
TEXT = st.text(st.characters(codec="utf-8"), max_size=6) | st.sampled_from(
    ["NA", "", "01", "1e5", '"', "\r", "\n", ","]
)


@settings(max_examples=60, deadline=None)
@given(
    values=st.lists(st.tuples(TEXT, st.none() | TEXT, st.floats(), TEXT), min_size=1, max_size=5),
    names=st.lists(TEXT, min_size=4, max_size=4, unique=True),
)
def test_any_text_and_any_number_come_back(values, names):
    frame = pd.DataFrame(dict(enumerate(zip(*values, strict=True))))
    frame[1], frame[3] = frame[1].astype(object), frame[3].astype("category")
    frame = frame.set_axis(names, axis=1)
    with TemporaryDirectory() as folder:
        pd.testing.assert_frame_equal(again(frame, Path(folder) / "out")[0], frame, check_exact=True)


def test_the_risk_is_the_same_in_memory_and_after_saving(tmp_path):
    rng = np.random.default_rng(1)
    people = pd.DataFrame({"county": rng.choice(["01", "02", "06"], 40), "income": rng.normal(100, 20, 40)})
    release = Release(people.assign(income=people["income"] + rng.normal(0, 5, 40)), ["income"])
    arguments = Intruder(known=["county"], synthesized=["income"], radius={"income": 0.05})
    loaded = Release.load(release.save(tmp_path / "out", keep_order=True))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        before, after = (identification_risk(people, r, arguments).expected_match_risk for r in (release, loaded))
    assert before.tolist() == after.tolist()
    assert before[0] > 1


def test_every_dataset_has_dtypes_of_its_own(tmp_path):
    first = pd.DataFrame({"x": [1, 2, 3], "g": pd.Categorical(["a", "b", "a"]), "t": ["", "x", "y"]})
    second = pd.DataFrame(
        {
            "x": [1.5, 2.7, 3.0],
            "g": pd.Categorical(["a", "c", "a"]),
            "t": pd.Series(["NA", None, "y"], dtype=first["t"].dtype),
        }
    )
    folder = Release([first, second, first]).save(tmp_path / "out", keep_order=True)
    for one, other in zip(Release.load(folder), (first, second, first), strict=True):
        pd.testing.assert_frame_equal(one, other)
    manifest = json.loads((folder / "release.json").read_text())
    assert set(manifest["differing"]) == {"synthetic_002.csv"}
    assert set(manifest["differing"]["synthetic_002.csv"]) == {"x", "g", "t"}


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (
            pd.cut(pd.Series([1.0, 2.0]), 2),
            r"column 'a': categories that are interval\[float64, right\] values cannot be",
        ),
        (
            pd.Series([datetime.date(2020, 1, 1)], dtype=object),
            "column 'a': values of the types date cannot be written",
        ),
        (
            pd.Series(["\ud800"], dtype=object),
            "column 'a' holds half a surrogate pair",
        ),
        (
            pd.Categorical(pd.Series(["\ud800"], dtype=object)),
            "column 'a' holds half a surrogate pair",
        ),
        (pd.Series(["\ud800", 1], dtype=object), "column 'a' holds half a surrogate pair"),
        # 0.1 in 32 bits is another number than 0.1: it would come back equal to nothing it was equal to.
        (pd.Series(["x", np.float32(0.1)], dtype=object), "values of the types float32, str cannot be written"),
        (pd.Series(["x", np.longdouble(0.1)], dtype=object), "values of the types longdouble, str cannot be written"),
        (pd.Series(["x", pd.NA], dtype=object), "values of the types NAType, str cannot be written"),
        (pd.Series(["x", 10**5000], dtype=object), "values of the types int, str cannot be written"),
    ],
)
def test_what_text_cannot_give_back_is_not_saved(values, message, tmp_path):
    frame = pd.DataFrame({"a": values})
    with pytest.raises(InputError, match=message):
        Release([frame, frame]).save(tmp_path / "out", keep_order=True)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("value", [np.arange(3), {"a": {1, 2}}, {("a", "b"): 1}, np.int64(3)])
def test_a_provenance_that_json_does_not_know_is_named_before_anything_is_written(frames, value, tmp_path):
    with pytest.raises(InputError, match=r"provenance\['y'\]: cannot be written as JSON: .*; use text, numbers"):
        Release(frames, provenance={"x": 1.5, "y": value}).save(tmp_path / "out", keep_order=True)
    assert not (tmp_path / "out").exists()


def test_a_place_that_cannot_be_written_is_named(frames, tmp_path):
    (tmp_path / "file").write_text("in the way")
    release = Release(frames)
    for bad, why in (
        (tmp_path / "file", "File exists"),
        (tmp_path / "file" / "x", "Not a directory"),
        ("/proc/no", "No such"),
    ):
        with pytest.raises(InputError, match=f"folder='{bad}': cannot write '{bad}': {why}"):
            release.save(bad, keep_order=True)
    with pytest.raises(InputError, match="folder=3: must be the path of a folder"):
        release.save(3, keep_order=True)
    with pytest.raises(InputError, match="folder=3: must be the path of a folder"):
        Release.load(3)
    # Files of somebody else are not written over, and ours go again.
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "synthetic_002.csv").write_text("theirs")
    with pytest.raises(InputError, match="contains 'synthetic_002.csv' but no release.json: .* delete these files"):
        release.save(tmp_path / "out", keep_order=True)
    assert [(p.name, p.read_text()) for p in (tmp_path / "out").iterdir()] == [("synthetic_002.csv", "theirs")]


def test_numbers_of_numpy_within_objects_come_back_as_the_python_numbers_they_equal(tmp_path):
    values = [np.int64(3), np.uint64(2**64 - 1), np.float64(0.1), np.bool_(True), np.str_("a"), 3]
    back = again(pd.DataFrame({"a": pd.Series(values, dtype=object)}), tmp_path / "out")[0]["a"].tolist()
    assert back == values
    assert [type(value) for value in back] == [int, int, float, bool, str, int]


@pytest.mark.parametrize("name", ["\ufeffa", "\ufeff", '"', "a\rb", "", " ", "=1+1"])
def test_any_name_of_a_column_comes_back(name, tmp_path):
    for number, names in enumerate([[name], [name, "b"], ["b", name]]):
        frame = pd.DataFrame([["x"] * len(names)], columns=names)
        pd.testing.assert_frame_equal(again(frame, tmp_path / str(number))[0], frame)


def test_the_limit_of_the_csv_module_is_what_it_was(tmp_path):
    before = csv.field_size_limit(1000)
    try:
        long = pd.DataFrame({"a": ["x" * 2000]})
        assert again(long, tmp_path / "out")[0].equals(long)
        assert csv.field_size_limit() == 1000
        with pytest.raises(InputError):
            again(pd.DataFrame({"a": pd.Series(["\ud800"], dtype=object)}), tmp_path / "no")
        assert csv.field_size_limit() == 1000
    finally:
        csv.field_size_limit(before)


def test_a_file_that_reads_otherwise_than_it_was_written_is_not_left(frames, tmp_path, monkeypatch):
    whole = release_manifest.csv_text.table_to_bytes
    monkeypatch.setattr(release_manifest.csv_text, "table_to_bytes", lambda table: whole(table).replace(b"0.3", b"0.4"))
    with pytest.raises(
        InputError, match="synthetic dataset 1: its text cannot be written as CSV and read back unchanged"
    ):
        Release(frames).save(tmp_path / "out", keep_order=True)
    assert list(tmp_path.iterdir()) == []


def test_what_is_left_of_a_save_that_was_broken_off_is_said_to_be_that(frames, tmp_path):
    folder = Release(frames).save(tmp_path / "out", keep_order=True)
    (folder / "release.json").unlink()
    (folder / "synthetic_001.csv").unlink()
    with pytest.raises(
        InputError, match=r"contains 'synthetic_002.csv' but no release.json: .* a save was interrupted; delete"
    ):
        Release(frames[0]).save(folder, keep_order=True)
    assert [file.name for file in folder.iterdir()] == ["synthetic_002.csv"]


@pytest.mark.parametrize("name", ["release.json", "synthetic_001.csv"])
def test_no_link_is_written_through(frames, name, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / name).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(InputError, match=r"folder='.*out': (already )?contains"):
        Release(frames).save(tmp_path / "out", keep_order=True)
    assert not (tmp_path / "elsewhere").exists()
    assert [file.name for file in (tmp_path / "out").iterdir()] == [name]


@pytest.mark.parametrize("bad", ["a\0b", "\ud800"])
def test_a_name_that_no_folder_has_is_refused(frames, bad, tmp_path):
    for call in (Release(frames).save, Release.load):
        with pytest.raises(InputError, match="folder="):
            call(f"{tmp_path}/{bad}")


def test_the_manifest_says_in_words_what_the_folder_holds(frames, tmp_path):
    release = Release(frames, ["income"], rows="aligned")
    said = {
        "aligned": (release, ["each with 3 records and 5 variables", "Synthetic: income. Not synthetic: name, with"]),
        "shuffled": (release.shuffled(), ["its own random order"]),
        "unknown": (Release(frames), ["Which variables are synthetic is not stated", "not stated whether row i"]),
        "all": (Release(frames, list(frames[0])), ["There are no other variables"]),
    }
    for name, (one, parts) in said.items():
        text = " ".join(
            json.loads((one.save(tmp_path / name, keep_order=True) / "release.json").read_text(encoding="utf-8"))[
                "contents"
            ]
        )
        assert all(part in text for part in [*parts, "begins with = + - or @", "do not prove"])
    assert "in the order of the confidential file" in (tmp_path / "aligned" / "release.json").read_text(
        encoding="utf-8"
    )
