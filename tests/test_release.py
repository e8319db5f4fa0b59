"""Release: m frames, what is synthesized, saving and loading."""

from __future__ import annotations

import datetime
import inspect
import json
import warnings
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from synthlab.exceptions import DtypeMismatchError, InputError, RowAlignmentError
from synthlab.release import Release, as_release, read_csv
from synthlab.risk import identification_risk
from synthlab.utility import ecdf_utility


@pytest.fixture
def frames() -> list[pd.DataFrame]:
    first = pd.DataFrame(
        {
            "name, with comma": ["a", "ü", "c"],
            "grade": pd.Categorical(["lo", "hi", "lo"], categories=["lo", "hi"], ordered=True),
            "code": pd.Categorical([1, 2, 1], categories=[1, 2, 3]),
            "flag": [True, False, True],
            "income": [0.1 + 0.2, 1e-17, 3.0],
        }
    )
    return [first, first.assign(income=[1.0, 2.0, 3.0])]


def test_what_is_accepted(frames, tmp_path):
    assert as_release(frames[0]).m == 1
    release = Release(frames, synthesized=["income"], provenance={"synthesizer": "by hand"})
    assert as_release(release) is release
    assert as_release(tuple(frames)).m == len(release) == 2
    assert "synthesized: income; made by by hand" in str(release)
    assert release.stacked()["dataset"].tolist() == [1, 1, 1, 2, 2, 2]
    paths = []
    for i, frame in enumerate(frames):
        frame.to_csv(tmp_path / f"{i}.csv", index=False)
        paths.append(str(tmp_path / f"{i}.csv"))
    assert as_release(paths).n == as_release(paths[0]).n == 3


def test_saved_and_loaded_frames_are_equal(frames, tmp_path):
    release = Release(frames, synthesized=["income"], provenance={"seed": 1, "of": {"kind": "simulated"}})
    folder = release.save(tmp_path / "out")
    again = Release.load(folder)
    assert again.synthesized == ("income",)
    assert dict(again.provenance) == dict(release.provenance)
    for one, other in zip(release, again, strict=True):
        pd.testing.assert_frame_equal(one, other)
    assert as_release(folder).m == 2
    with pytest.raises(InputError, match="holds a release already"):
        release.save(folder)
    with pytest.raises(InputError, match="holds no release.json"):
        Release.load(tmp_path)


def test_bad_frames(frames):
    with pytest.raises(InputError, match="m = 0"):
        Release([])
    with pytest.raises(InputError, match="dataset 2 has 2 rows, dataset 1 has 3"):
        Release([frames[0], frames[1].iloc[:2]])
    with pytest.raises(InputError, match="differ in columns: 'flag'"):
        Release([frames[0], frames[1].drop(columns="flag")])
    with pytest.raises(
        DtypeMismatchError,
        match=r"'income' holds number .* in synthetic dataset 1 and text .* in synthetic dataset 2: nothing could match; align them$",
    ):
        Release([frames[0], frames[1].assign(income="x")])
    with pytest.raises(InputError, match="synthesized: 'wage' not in"):
        Release(frames, synthesized=["wage"])
    with pytest.raises(InputError, match="column names must be unique"):
        Release([pd.DataFrame([[1, 2]], columns=["a", "a"])])


def test_csv_with_a_byte_order_mark_and_unreadable_files(tmp_path):
    (tmp_path / "bom.csv").write_bytes("﻿age,income\n1,2\n".encode())
    assert list(read_csv(tmp_path / "bom.csv", "confidential").columns) == ["age", "income"]
    (tmp_path / "binary.csv").write_bytes(b"\xff\xfe\x00\x01" * 50)
    (tmp_path / "ragged.csv").write_text("a,b\n1,2\n1,2,3,4\n")
    (tmp_path / "empty.csv").write_text("")
    for name, message in [
        ("binary.csv", "cannot read"),
        ("ragged.csv", "cannot read"),
        ("empty.csv", "cannot read"),
        ("none.csv", "no file"),
    ]:
        with pytest.raises(InputError, match=f"confidential: {message}"):
            read_csv(tmp_path / name, "confidential")


def test_shuffled_keeps_the_records_and_hides_their_order(frames, tmp_path):
    release = Release(frames, synthesized=["income"], provenance={"seed": 1})
    many = Release([pd.concat([f] * 50, ignore_index=True) for f in frames], ["income"], {"seed": 1})
    published = many.shuffled(rng=3)
    assert published.synthesized == ("income",)
    assert dict(published.provenance) == {"seed": 1}
    assert (release.rows, published.rows) == ("unknown", "shuffled")
    names = list(frames[0].columns)
    for before, after in zip(many, published, strict=True):
        assert after.index.equals(pd.RangeIndex(150))
        assert not after["flag"].equals(before["flag"])
        assert after.dtypes.equals(before.dtypes)
        left, right = (f.sort_values(names, ignore_index=True) for f in (before, after))
        pd.testing.assert_frame_equal(left, right)
    # Every dataset has an order of its own, from a stream of its own.
    assert not published[0]["flag"].equals(published[1]["flag"])
    pd.testing.assert_frame_equal(Release([many[0]]).shuffled(rng=3)[0], published[0])
    assert Release.load(published.save(tmp_path / "out")).rows == "shuffled"


def test_a_shuffled_release_is_not_measured_row_by_row(tmp_path):
    frame = pd.DataFrame({"region": list("NNSS"), "income": [10.0, 20.0, 30.0, 40.0]})
    folder = Release(frame, ["income"]).shuffled(rng=1).save(tmp_path / "out")
    for release in (Release.load(folder), folder, str(folder)):
        with pytest.raises(RowAlignmentError, match="before `shuffled`"):
            identification_risk(frame, release, known=["region"], synthesized=["income"], radius={"income": 0.1})
    # Measures of the whole file do not mind.
    assert ecdf_utility(frame, Release.load(folder), variables=["income"]).ecdf_max.max() == 0.0


def again(frames: object, folder: Path) -> Release:
    return Release.load(Release(frames).save(folder))


CELLS = {
    "codes": pd.Series(["01", "02", "10"]),
    "missing by name": pd.Series(["NA", "N/A", "None", "x", "null", "nan", "NaN", "<NA>"]),
    "nothing": pd.Series(["", "x", "y"]),
    "nothing and missing": pd.Series(["", None, "NA", "NA 2"], dtype=object),
    "numbers in words": pd.Series(["1e5", "2.50", "3"]),
    "truth in words": pd.Series(["True", "False", "TRUE"]),
    "categories 01": pd.Categorical(["01", "02", "01"], categories=["02", "01", "10"]),
    "categories NA": pd.Categorical(["NA", "02", "10", "", None], ordered=True),
    "line ends": pd.Series(["x\ry", "z", "a\nb", "\r\n", '"', ",", "\x00", " "]),
    "categories of numbers": pd.Categorical([1, None, 3]),
    "categories of fractions": pd.Categorical([1.5, 2, None]),
    "categories of truths": pd.Categorical([True, False, True]),
    "categories of dates": pd.Categorical(pd.to_datetime(["2020-02-01", "2020-01-01", None])),
    "categories of both": pd.Categorical([1, "1", None]),
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
    names=st.lists(TEXT, min_size=4, max_size=4, unique=True).filter(lambda names: not names[0].startswith("\ufeff")),
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
    arguments = {"known": ["county"], "synthesized": ["income"], "radius": {"income": 0.05}}
    loaded = Release.load(release.save(tmp_path / "out"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        before, after = (identification_risk(people, r, **arguments).expected_match_risk for r in (release, loaded))
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
    folder = Release([first, second, first]).save(tmp_path / "out")
    for one, other in zip(Release.load(folder), (first, second, first), strict=True):
        pd.testing.assert_frame_equal(one, other)
    manifest = json.loads((folder / "release.json").read_text())
    assert set(manifest["differing"]) == {"synthetic_002.csv"}
    assert set(manifest["differing"]["synthetic_002.csv"]) == {"x", "g", "t"}


def test_columns_in_another_order_are_brought_to_that_of_the_first(tmp_path):
    first = pd.DataFrame({"x": [1, 2], "y": [3, 4]})
    release = Release([first, first[["y", "x"]], first])
    assert [list(frame) for frame in release] == [["x", "y"]] * 3
    assert release[1].to_numpy().tolist() == [[1, 3], [2, 4]]
    assert release[2] is first


@pytest.mark.parametrize("provenance", [3, "abc", [1], {1: "x"}])
def test_a_provenance_is_a_mapping(frames, provenance):
    with pytest.raises(InputError, match=r"provenance=.*: must be a mapping with keys that are text"):
        Release(frames, provenance=provenance)


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
            "cannot write .*surrogates not allowed",
        ),
    ],
)
def test_what_text_cannot_give_back_is_not_saved(values, message, tmp_path):
    frame = pd.DataFrame({"a": values})
    with pytest.raises(InputError, match=message):
        Release([frame, frame]).save(tmp_path / "out")
    assert list(tmp_path.glob("out/*")) == []


@pytest.mark.parametrize("value", [np.arange(3), {"a": {1, 2}}, {("a", "b"): 1}, np.int64(3)])
def test_a_provenance_that_json_does_not_know_is_named_before_anything_is_written(frames, value, tmp_path):
    with pytest.raises(InputError, match=r"provenance\['y'\]: cannot be written as JSON: .*; use text, numbers"):
        Release(frames, provenance={"x": 1.5, "y": value}).save(tmp_path / "out")
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
            release.save(bad)
    with pytest.raises(InputError, match="folder=3: must be the path of a folder"):
        release.save(3)
    with pytest.raises(InputError, match="folder=3: must be the path of a folder"):
        Release.load(3)
    # Files of somebody else are not written over, and ours go again.
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "synthetic_002.csv").write_text("theirs")
    with pytest.raises(InputError, match=r"cannot write '.*synthetic_002.csv': File exists"):
        release.save(tmp_path / "out")
    assert [(p.name, p.read_text()) for p in (tmp_path / "out").iterdir()] == [("synthetic_002.csv", "theirs")]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("{", "release.json: cannot be read as JSON: .*; save the release again"),
        (b"\xff\xfe\x00", "release.json: cannot be read as JSON"),
        ("[1]", "format None is none of 1 to 3"),
        ({"format": 4}, "format 4 is none of 1 to 3, the ones this version reads; save the release again"),
        ({"files": None}, "files=None: must be a list of file names; save the release again"),
        ({"files": []}, r"files=\[\]: must be names of files in this folder"),
        ({"files": ["../x.csv"]}, r"files=\['../x.csv'\]: must be names of files in this folder"),
        (
            {"files": ["synthetic_003.csv"]},
            "synthetic_003.csv': cannot be read as CSV: No such file or directory; save",
        ),
        ({"columns": 3}, "columns=3: must be a mapping"),
        ({"columns": {"x": {"dtype": "int64"}}}, r"has 3 records and the columns .*says 3 records and 'x': save"),
        ({"differing": None}, "differing=None: must be a mapping"),
        ({"differing": {"synthetic_002.csv": 3}}, "differing: must hold a mapping"),
        ({"n": 4}, "has 3 records and .* says 4 records"),
        ({"rows": None}, "rows=None: must be aligned, shuffled or unknown"),
        ({"rows": "sorted"}, "rows='sorted': must be one of"),
        ({"provenance": None}, "provenance=None: must be a mapping"),
        ({"synthesized": ["wage"]}, "synthesized: 'wage' not in"),
        ({"column": {"dtype": "bogus"}}, "column 'flag': not every value is 'bogus': .*; save the release again"),
        ({"column": {"dtype": "int64"}}, "column 'flag': not every value is 'int64': .*; save the release again"),
        ({"column": {"dtype": "category"}}, "column 'flag': not every value is 'category'"),
        ({"column": {}}, "column 'flag': not every value is None"),
        ({"column": 3}, "column 'flag': not every value is 3"),
    ],
)
def test_a_damaged_folder_is_said_to_be_damaged(frames, change, message, tmp_path):
    folder = Release(frames).save(tmp_path / "out")
    file = folder / "release.json"
    if isinstance(change, dict):
        manifest = json.loads(file.read_text(encoding="utf-8"))
        if "column" in change:
            change = {"columns": {**manifest["columns"], "flag": change["column"]}}
        file.write_text(json.dumps({**manifest, **change}), encoding="utf-8")
    else:
        file.write_bytes(change if isinstance(change, bytes) else change.encode())
    with pytest.raises(InputError, match=message):
        Release.load(folder)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a\n1\n", "has 1 records and the columns 'a'; release.json says 2 records"),
        ("a\nyes\nTrue\n", "column 'a': 'yes' is not True or False; save the release again"),
        ('a\nTrue\n""\n', "column 'a': '' is not True or False"),
        ("a\nTrue\n\n", "record 2 has 0 values for 1 columns"),
        ("", "has 0 records and the columns ; release.json"),
        ("a\n1,2\n3,4\n", "record 1 has 2 values for 1 columns"),
        ('a\nTrue\n"False', "cannot be read as CSV: unexpected end of data; save the release again"),
    ],
)
def test_a_damaged_file_is_said_to_be_damaged(text, message, tmp_path):
    folder = Release(pd.DataFrame({"a": [True, False]})).save(tmp_path / "out")
    (folder / "synthetic_001.csv").write_text(text)
    with pytest.raises(InputError, match=rf"synthetic_001.csv.*{message}"):
        Release.load(folder)


def old_folder(path: Path, frames: list[pd.DataFrame], columns: dict) -> Path:
    """Write a folder as format 1 was."""
    names = [f"synthetic_{number:03d}.csv" for number in range(1, len(frames) + 1)]
    for name, frame in zip(names, frames, strict=True):
        frame.to_csv(path / name, index=False, encoding="utf-8", lineterminator="\n")
    parts = {"files": names, "n": len(frames[0]), "columns": columns, "synthesized": None, "provenance": {"seed": 1}}
    (path / "release.json").write_text(json.dumps({"format": 1, **parts}))
    return path


def test_a_folder_of_the_old_format_is_read_by_its_dtypes(tmp_path):
    text = pd.Series(["x"]).dtype
    frame = pd.DataFrame(
        {
            "county": pd.Series(["01", "NA", "x"], dtype=text),
            "words": pd.Series(["01", "x", None], dtype=object),
            "code": pd.Categorical([1, None, 3]),
            "grade": pd.Categorical(["01", "NA", "01"], categories=["NA", "01"], ordered=True),
            "flag": [True, False, True],
            "income": [0.1 + 0.2, np.nan, 1e-17],
            "day": pd.to_datetime(["2020-01-01", "2021-02-03", None]),
        }
    )
    columns = {name: str(dtype) for name, dtype in frame.dtypes.items()}
    columns["code"] = {"categories": [1, 3], "ordered": False, "of": "int64"}
    columns["grade"] = {"categories": ["NA", "01"], "ordered": True, "of": str(text)}
    loaded = Release.load(old_folder(tmp_path, [frame, frame], columns))
    assert loaded.provenance["seed"] == 1
    for one in loaded:
        pd.testing.assert_frame_equal(one, frame.assign(words=pd.Series(["01", "x", np.nan], dtype=object)))


@pytest.mark.parametrize(
    ("values", "dtype", "message"),
    [
        ([1.5, 2.0], "int64", "column 'a': not every value is 'int64'"),
        (["a", "c"], {"categories": ["a", "b"], "ordered": False, "of": "str"}, "'c' is not one of its categories"),
        (["01", "02"], "object", "format 1 does not say whether '01' is text"),
    ],
)
def test_an_old_folder_that_does_not_say_enough_says_what_to_do(values, dtype, message, tmp_path):
    folder = old_folder(tmp_path, [pd.DataFrame({"a": values})], {"a": dtype})
    with pytest.raises(
        InputError, match=rf"{message}.*save the release again, or read its files with Release.from_csv"
    ):
        Release.load(folder)


def test_an_old_folder_with_a_line_end_in_its_text_has_too_many_records(tmp_path):
    folder = old_folder(tmp_path, [pd.DataFrame({"a": ["z", "z"]})], {"a": "str"})
    (folder / "synthetic_001.csv").write_bytes(b"a\nx\ry\nz\n")
    with pytest.raises(InputError, match="has 3 records .* says 2 records"):
        Release.load(folder)


@pytest.mark.parametrize("paths", ["x.csv", Path("x.csv"), 3, None])
def test_csv_files_come_as_a_list(paths):
    with pytest.raises(InputError, match=r"paths=.*: must be a list of CSV files, one a dataset"):
        Release.from_csv(paths)


def test_saving_and_loading_say_what_they_take_give_and_raise():
    for method in (Release.save, Release.load, Release.from_csv):
        text = inspect.getdoc(method) or ""
        assert [text.count(f"{part}\n---") for part in ("Parameters", "Returns", "Raises")] == [1, 1, 1]
