"""A saved release that was damaged, edited, or made to do harm: an error that names the file, never a wrong release."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from synthlab.exceptions import InputError
from synthlab.release import Release, manifest as release_manifest


@pytest.fixture
def frames() -> list[pd.DataFrame]:
    first = pd.DataFrame(
        {
            "name, with comma": ["a", "ü", "c"],
            "grade": pd.Categorical(["lo", "hi", "lo"], categories=["lo", "hi"], ordered=True),
            "code": pd.Categorical([1, 2, 1], categories=[1, 2]),
            "flag": [True, False, True],
            "income": [0.1 + 0.2, 1e-17, 3.0],
        }
    )
    return [first, first.assign(income=[1.0, 2.0, 3.0])]


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
    assert (dict(loaded.provenance), dict(loaded.private)) == ({}, {"seed": 1})
    for one in loaded:
        pd.testing.assert_frame_equal(one, frame.assign(words=pd.Series(["01", "x", np.nan], dtype=object)))


@pytest.mark.parametrize(
    ("values", "dtype", "message"),
    [
        ([1.5, 2.0], "int64", "column 'a': not every value is 'int64'"),
        (
            ["a", "c"],
            {"categories": ["a", "b"], "ordered": False, "of": "str"},
            "record 2 is not one of its categories",
        ),
        (["01", "02"], "object", "format 1 does not state whether numbers and bools are text"),
    ],
)
def test_an_old_folder_that_does_not_say_enough_says_what_to_do(values, dtype, message, tmp_path):
    folder = old_folder(tmp_path, [pd.DataFrame({"a": values})], {"a": dtype})
    with pytest.raises(
        InputError, match=rf"{message}.*save the release again, or read its files with Release.from_files"
    ):
        Release.load(folder)


def test_an_old_folder_with_a_line_end_in_its_text_has_too_many_records(tmp_path):
    folder = old_folder(tmp_path, [pd.DataFrame({"a": ["z", "z"]})], {"a": "str"})
    (folder / "synthetic_001.csv").write_bytes(b"a\nx\ry\nz\n")
    with pytest.raises(InputError, match="has 3 records .* states 2 records"):
        Release.load(folder)


@pytest.fixture
def folder(frames, tmp_path) -> Path:
    release = Release(frames, ["income"], {"synthesizer": "by hand"}, rows="aligned")
    return release.save(tmp_path / "out", keep_order=True)


def change(folder: Path, forge: bool = False, **parts: Any) -> None:
    """Change parts of the manifest; a forger writes a new digest, too."""
    file = folder / "release.json"
    manifest = json.loads(file.read_text(encoding="utf-8")) | parts
    if forge:
        manifest["digest"] = release_manifest.digest(manifest)
    file.write_text(json.dumps(manifest), encoding="utf-8")


def in_file(old: str, new: str) -> Callable[[Path], None]:
    def act(folder: Path) -> None:
        file = folder / "synthetic_002.csv"
        text = file.read_text(encoding="utf-8")
        assert old in text
        file.write_text(text.replace(old, new), encoding="utf-8")

    return act


def reorder(folder: Path) -> None:
    file = folder / "synthetic_001.csv"
    first, *rest = file.read_text(encoding="utf-8").splitlines()
    file.write_text("\n".join([first, *reversed(rest)]) + "\n", encoding="utf-8")


EDITS: dict[str, tuple[Callable[[Path], object], str]] = {
    "a cell": (in_file("False,2", "False,3"), "synthetic_002.csv"),
    "a truth value": (in_file("False", "True"), "synthetic_002.csv"),
    "line ends": (in_file("\n", "\r\n"), "synthetic_002.csv"),
    "the order of the rows": (reorder, "synthetic_001.csv"),
    "one file twice": (lambda f: shutil.copy(f / "synthetic_001.csv", f / "synthetic_002.csv"), "synthetic_002.csv"),
    "an empty file": (lambda f: (f / "synthetic_001.csv").write_text(""), "synthetic_001.csv"),
    "a file that is gone": (lambda f: (f / "synthetic_001.csv").unlink(), "synthetic_001.csv"),
    "a file dropped": (lambda f: change(f, files=["synthetic_001.csv"]), "release.json"),
    "a file named twice": (lambda f: change(f, files=["synthetic_001.csv"] * 2), "release.json"),
    "a dtype": (lambda f: change(f, columns={"income": {"dtype": "float16"}}), "release.json"),
    "synthesized": (lambda f: change(f, synthesized=[]), "release.json"),
    "rows": (lambda f: change(f, rows="shuffled"), "release.json"),
    "provenance": (lambda f: change(f, provenance={"synthesizer": "by somebody else"}), "release.json"),
    "words": (lambda f: change(f, contents=[]), "release.json"),
    "no digest": (lambda f: change(f, digest=None), "release.json"),
}


@pytest.mark.parametrize("edit", EDITS)
def test_an_edit_is_refused_by_the_name_of_the_file(edit, folder):
    act, name = EDITS[edit]
    act(folder)
    with pytest.raises(InputError, match=rf"out/{name}: ") as caught:
        Release.load(folder)
    assert "save the release again" in str(caught.value)


def test_a_manifest_that_was_only_set_otherwise_is_still_its_own(folder, frames):
    change(folder)  # no line ends, other escapes
    pd.testing.assert_frame_equal(Release.load(folder)[0], frames[0])


def test_a_forger_can_write_new_digests(folder):
    """What the documentation says: digests show damage, and prove no origin."""
    change(folder, forge=True, synthesized=[])
    assert Release.load(folder).synthesized == ()


def nested(levels: int) -> dict[str, Any]:
    description: dict[str, Any] = {"dtype": "object"}
    for _ in range(levels):
        description = {"dtype": "category", "categories": ["x"], "ordered": False, "of": description}
    return description


def column(description: Any) -> dict[str, Any]:
    return {"column": description}


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"format": 4}, "unknown format; this version reads formats 1 to 3; save the release again"),
        ({"format": True}, "unknown format; this version reads formats 1 to 3"),
        ({"format": 3.0}, "unknown format; this version reads formats 1 to 3"),
        ({"files": None}, "files: must be a list of file names, got NoneType; save the release again"),
        ({"files": []}, "files: must be a non-empty list of names such as synthetic_001.csv"),
        ({"files": [3]}, "files: must be a non-empty list of names"),
        ({"files": [["a"], {}]}, "files: must be a non-empty list of names"),
        ({"files": ["../x.csv", "synthetic_001.csv"]}, "files: must be a non-empty list of names"),
        ({"files": ["/etc/passwd", "synthetic_001.csv"]}, "files: must be a non-empty list of names"),
        ({"files": ["..", "synthetic_001.csv"]}, "files: must be a non-empty list of names"),
        ({"files": ["synthetic_001.csv\0", "synthetic_002.csv"]}, "files: must be a non-empty list of names"),
        ({"files": ["\ud800", "synthetic_002.csv"]}, "files: must be a non-empty list of names"),
        ({"files": ["synthetic_001.csv"] * 2}, "files: contains a name twice"),
        ({"files": ["synthetic_001.csv"]}, "m, files and sha256 do not name the same files"),
        ({"m": 3}, "m, files and sha256 do not name the same files"),
        ({"m": 10**4000}, "m, files and sha256 do not name the same files"),
        ({"m": True}, "m: must be a number of datasets, got bool"),
        ({"sha256": {}}, "m, files and sha256 do not name the same files"),
        ({"sha256": {"synthetic_001.csv": 3, "synthetic_002.csv": []}}, "synthetic_001.csv: it was changed after"),
        ({"sha256": 3}, "sha256: must be a mapping"),
        ({"columns": 3}, "columns: must be a mapping"),
        ({"columns": {"x": {"dtype": "int64"}}}, r"has 3 records and the columns .*states 3 records and 'x'; save"),
        ({"differing": None}, "differing: must be a mapping"),
        ({"differing": {"synthetic_002.csv": 3}}, "differing: must contain a mapping"),
        ({"n": 4}, "has 3 records and .* states 4 records"),
        ({"n": 10**4000}, "has 3 records and .* states 10000"),
        ({"n": 1e400}, "n: must be a number of records, got float"),
        ({"rows": None}, "rows: must be aligned, shuffled or unknown"),
        ({"rows": "sorted"}, "rows='sorted': must be one of"),
        ({"provenance": None}, "provenance: must be a mapping"),
        ({"provenance": {"a": nested(900)}}, "more than 60 nested lists and mappings"),
        ({"synthesized": ["wage"]}, "synthesized: 'wage' not in"),
        ({"synthesized": "income"}, "synthesized: must be a list of column names"),
        ({"synthesized": [["income"]]}, "synthesized: must be a list of column names"),
        (column({"dtype": "bogus"}), "column 'flag': not every value is 'bogus'; save the release again"),
        (column({"dtype": "int64"}), "column 'flag': not every value is 'int64'; save the release again"),
        (column({"dtype": "category"}), "column 'flag': not every value is 'category'"),
        (column({"dtype": "<U999999999"}), "column 'flag': not every value is '<U999999999'"),
        (column({"dtype": "datetime64[ns, ../../etc/passwd]"}), "column 'flag': not every value is 'datetime64"),
        (column({"dtype": "int64[pyarrow]"}), "column 'flag': not every value is 'int64"),
        (column({"dtype": "Sparse[int]"}), "column 'flag': not every value is 'Sparse"),
        (column({"dtype": ["int64"]}), "column 'flag': not every value is of a dtype that is named"),
        (column({"dtype": 3}), "column 'flag': not every value is of a dtype that is named"),
        (column({"dtype": "bool", "missing": {}}), "column 'flag': "),
        (column({}), "column 'flag': not every value is of a dtype that is named"),
        (column(3), "column 'flag': not every value is of a dtype that is named"),
        (column(nested(900)), "more than 60 nested lists and mappings"),
        (column(nested(10)), "column 'flag': .*save the release again"),
        (
            column({"dtype": "category", "categories": ["True", "True"], "ordered": False, "of": {"dtype": "object"}}),
            "column 'flag': a category occurs twice in its description; save",
        ),
        (column({"dtype": "object", "as": "json"}), "column 'flag': "),
    ],
)
def test_a_forged_manifest_ends_in_an_error_that_names_it(folder, parts, message):
    if "column" in parts:
        manifest = json.loads((folder / "release.json").read_text(encoding="utf-8"))
        parts = {"columns": {**manifest["columns"], "flag": parts["column"]}}
    change(folder, forge=True, **parts)
    with pytest.raises(InputError, match=message):
        Release.load(folder)


@pytest.mark.parametrize(
    "data",
    [b"{", b"", b"\xff\xfe\x00", b"\0" * 10, b"[" * 100_000, b'{"n": ' + b"9" * 5000 + b"}", b'"\xff"', '{"a": 1}'.encode("utf-16")],
    ids=["cut", "empty", "binary", "zeros", "deep", "long number", "latin-1", "utf-16"],
)  # fmt: skip
def test_a_manifest_that_is_no_json_in_utf_8_is_said_to_be_that(folder, data):
    (folder / "release.json").write_bytes(data)
    with pytest.raises(InputError, match="release.json: cannot be read as JSON: .*; save the release again"):
        Release.load(folder)


@pytest.mark.parametrize(
    "data", [b"[1]", b"null", b"3", b'"x"', b"{}", b"1e999", b'{"format": null}', b'{"format": {}}']
)
def test_json_that_is_no_manifest_is_said_to_be_that(folder, data):
    (folder / "release.json").write_bytes(data)
    with pytest.raises(InputError, match="release.json: unknown format; this version reads formats 1 to 3"):
        Release.load(folder)


@pytest.mark.parametrize("name", ["synthetic_001.csv", "release.json"])
@pytest.mark.parametrize("kind", ["pipe", "folder", "device", "link to nothing"])
def test_what_is_no_file_is_not_waited_for(folder, name, kind):
    file = folder / name
    file.unlink()
    if kind == "pipe":
        os.mkfifo(file)
    elif kind == "folder":
        file.mkdir()
    else:
        file.symlink_to("/dev/zero" if kind == "device" else folder / "nothing")
    with pytest.raises(InputError, match=rf"{name}"):
        Release.load(folder)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a\n1\n", "has 1 records and the columns 'a', but release.json states 2 records"),
        ("a\nyes\nTrue\n", "column 'a': record 1 is not True or False; save the release again"),
        ('a\nTrue\n""\n', "column 'a': record 2 is not True or False"),
        ("a\nTrue\n\n", "record 2 has 0 values for 1 columns; save"),
        ("", "has 0 records and the columns , but release.json"),
        ("a\n1,2\n3,4\n", "record 1 has 2 values for 1 columns"),
        ("a,a\n1,2\n3,4\n", "a column name occurs twice in the first line"),
        ('a\nTrue\n"False', "cannot be read as CSV: unexpected end of data; save the release again"),
        ("a\nTrue\n\0\n", "column 'a': record 2 is not True or False"),
    ],
)
def test_a_forged_file_ends_in_an_error_that_names_it_and_shows_no_value(text, message, tmp_path):
    folder = Release(pd.DataFrame({"a": [True, False]})).save(tmp_path / "out", keep_order=True)
    file = folder / "synthetic_001.csv"
    file.write_text(text)
    with pytest.raises(InputError, match=r"synthetic_001.csv: it was changed after it was saved"):
        Release.load(folder)
    change(folder, forge=True, sha256={file.name: hashlib.sha256(file.read_bytes()).hexdigest()})
    with pytest.raises(InputError, match=rf"synthetic_001.csv.*{message}") as caught:
        Release.load(folder)
    assert "yes" not in str(caught.value)


def test_an_old_folder_has_no_digests_and_no_use_for_parts_of_later_formats(tmp_path):
    frame = pd.DataFrame({"a": [1, 2]})
    folder = old_folder(tmp_path, [frame], {"a": "int64"})
    manifest = json.loads((folder / "release.json").read_text())
    extra = {"differing": 3, "sha256": 3, "m": 7, "private": 3, "rows": "shuffled"}
    (folder / "release.json").write_text(json.dumps({**manifest, **extra}))
    loaded = Release.load(folder)
    assert loaded[0].equals(frame)
    assert (loaded.rows, dict(loaded.private)) == ("unknown", {"seed": 1})
