"""Files: whole or not at all, by one writer, whatever is saved and whatever goes wrong."""

from __future__ import annotations

import ast
import errno
import os
import resource
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from replications import checkpoints, registry
from synthlab import cli
from synthlab._system import atomic_write
from synthlab.cli import synthesis_commands
from synthlab.exceptions import InputError
from synthlab.report import demo

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "synthlab"
OLD = b"the earlier file"

# Who writes files in a way of its own, and why that is right.
ALLOWED = {
    ("synthlab/_system/atomic_write.py", "target.write_bytes"): "a pipe or a device is no file to be replaced",
    ("synthlab/_system/atomic_write.py", "part.open"): "the writer itself",
    ("synthlab/_system/atomic_write.py", "os.replace"): "the writer itself",
    ("synthlab/scale/_engine.py", "unfinished.touch"): "made with the mode of a file for its owner alone, then written",
    ("synthlab/scale/_engine.py", "os.replace"): "a task that may run twice puts its file in place",
    ("synthlab/scale/_engine.py", "(folder / 'records').rename"): "a folder of files that is whole is put in place",
    ("synthlab/scale/_engine.py", "unfinished.rename"): "a folder of files that is whole is put in place",
    ("synthlab/scale/_engine.py", "unfinished.write_text"): "in the folder of unfinished work, then put in place",
    ("synthlab/scale/_engine.py", "note.write_text"): "in the new folder of unfinished work",
    ("synthlab/plots/style.py", "canvas.print_svg"): "into a buffer in memory",
    ("synthlab/report/export.py", "table.to_excel"): "into a buffer in memory",
    ("synthlab/r/reference_results.py", "load(name).frame.to_csv"): "into a temporary folder, for R",
    ("course/replications/checkpoints.py", "np.savez_compressed"): "into a buffer in memory",
    ("course/replications/checkpoints.py", "rounded(table, digits).to_csv"): "into a buffer in memory",
    ("synthlab/synthesizers/_fit_file.py", "np.save"): "into a buffer in memory",
    ("synthlab/synthesizers/_fit_file.py", "zipfile.ZipFile"): "into a buffer in memory, and for reading",
    ("synthlab/io/csv_text.py", "os.open"): "opens for reading",
    ("synthlab/io/format_detection.py", "zipfile.ZipFile"): "opens for reading, in memory",
    ("synthlab/io/tables.py", "zipfile.ZipFile"): "opens for reading, in memory",
    ("synthlab/io/format_detection.py", "os.open"): "opens for reading",
    ("synthlab/io/format_detection.py", "gzip.GzipFile"): "opens for reading, in memory",
    ("synthlab/cli/diagnostic_commands.py", "registry.to_csv"): "gives a text",
    ("synthlab/teaching/course_outputs.py", "(Path(folder) / entry.name).symlink_to"): "links in a temporary folder",
}
FREE = {
    "synthlab/release/_release_io.py": "a saved release is a folder that replaces nothing; it removes what it has begun"
}
# Methods and functions that write the file they are given, by the position of the path among their arguments.
WRITERS = {"dump": 1} | dict.fromkeys(
    ["to_csv", "to_json", "to_html", "to_excel", "to_parquet", "to_pickle", "to_feather", "to_latex", "to_markdown"]
    + [
        "savefig",
        "print_png",
        "print_svg",
        "imsave",
        "save_figure",
        "savez",
        "savez_compressed",
        "savetxt",
        "tofile",
        "to_netcdf",
    ],
    0,
)
ALWAYS = ["write_text", "write_bytes", "touch", "mkstemp", "NamedTemporaryFile", "GzipFile", "ZipFile", "symlink_to"]
ALWAYS += ["copyfile", "copytree", "copy2", "os.open", "os.replace", "os.rename", "shutil.copy", "shutil.move"]
ALWAYS += ["np.save", "nbformat.write", "gzip.open", "bz2.open", "lzma.open"]
TARGETS = ("path_or_buf", "path", "fname", "buf", "excel_writer", "file")


def own_writers(source: str) -> list[str]:
    """Return the calls in a source that may write a file and are not those of `synthlab._system.atomic_write`."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call):
            continue
        called = ast.unparse(node.func)
        name = called.rpartition(".")[2]
        if called.startswith("atomic_write.") or called in ("write_text", "write_bytes"):
            continue  # by that name alone, they are imported from there
        given = {k.arg: k.value for k in node.keywords if k.arg}
        writes = name in ALWAYS or called in ALWAYS
        if name in WRITERS:
            writes = len(node.args) > WRITERS[name] or any(target in given for target in TARGETS)
        if name == "open" and not writes:
            place = 0 if "." in called else 1
            mode = given.get("mode") or (node.args[place] if len(node.args) > place else ast.Constant("r"))
            writes = not isinstance(mode, ast.Constant) or bool(set(str(mode.value)) & set("wax+"))
        if called.endswith((".replace", ".rename")) and called not in ALWAYS:
            # of a path, which takes one argument that is no mapping; texts take two, tables take mappings by keyword
            writes = len(node.args) == 1 and not given and not isinstance(node.args[0], ast.Dict)
            writes = writes and not isinstance(node.args[0], ast.Constant)
        if writes:
            found.append(called)
    return found


def test_every_file_of_the_package_is_written_by_the_one_writer() -> None:
    sources = [
        p
        for p in [
            *PACKAGE.rglob("*.py"),
            *(ROOT / "course/replications").rglob("*.py"),
            ROOT / "data/reference/record.py",
        ]
        if "_data" not in p.parts
    ]
    seen = {
        (name, called)
        for name, source in ((p.relative_to(ROOT).as_posix(), p.read_text(encoding="utf-8")) for p in sources)
        if name not in FREE
        for called in own_writers(source)
    }
    assert seen - set(ALLOWED) == set()
    assert set(ALLOWED) - seen == set(), "allowed, and nobody does it"


TABLE = pd.DataFrame({"name": ["a", "b"] * 20, "value": [1.5, np.nan] * 20})
Patch = pytest.MonkeyPatch


def save_table(folder: Path, name: str) -> None:
    checkpoints.write_table(TABLE, folder / name, 4)


def save_by_command(folder: Path, *arguments: str) -> None:
    with Patch.context() as patch:
        patch.setattr(registry, "replicate", lambda name, **options: SimpleNamespace(to_frame=lambda: TABLE))
        patch.chdir(folder)
        cli.app(args=list(arguments), standalone_mode=False)


def contents(folder: Path) -> dict[str, bytes]:
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


class FullTerminal(StringIO):
    """Where nothing can be printed, as into a file on a full disk."""

    def write(self, text: str) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.parametrize(
    ("call", "files"),
    [
        (["replicate", "lecture-8", "--out", "r.csv"], ["r.csv"]),
        (["demo", "--out", "."], ["report.html", "report.json"]),
    ],
)
def test_files_are_written_before_anything_is_printed(
    tmp_path: Path, monkeypatch: Patch, call: list[str], files: list[str]
) -> None:
    result = SimpleNamespace(save=lambda path, **options: save_table(path.parent, path.name))
    monkeypatch.setattr(demo, "demonstrate", lambda *arguments, **options: result)
    monkeypatch.setattr(synthesis_commands, "print_evaluation", print)
    with redirect_stdout(FullTerminal()), pytest.raises(OSError, match="No space left"):
        save_by_command(tmp_path, *call)
    assert sorted(contents(tmp_path)) == files


def test_a_full_disk_leaves_the_earlier_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(OLD)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, hard))  # the system itself cuts what is longer
    try:
        with pytest.raises(InputError, match="path='.*file': cannot write: File too large"):
            atomic_write.write_bytes(tmp_path / "file", b"x" * 200)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert contents(tmp_path) == {"file": OLD}


@pytest.mark.parametrize("step", ["fsync", "replace"])
@pytest.mark.parametrize("failure", [KeyboardInterrupt(), MemoryError(), OSError(errno.EIO, "the disk is broken")])
def test_whatever_ends_it_the_earlier_file_stays(
    tmp_path: Path, monkeypatch: Patch, failure: BaseException, step: str
) -> None:
    (tmp_path / "file").write_bytes(OLD)

    def fail(*arguments: object) -> None:
        raise failure

    monkeypatch.setattr(os, step, fail)
    expected = InputError if isinstance(failure, OSError) else type(failure)
    with atomic_write.noted() as written, pytest.raises(expected):
        atomic_write.write_text(tmp_path / "file", "new")
    assert written == []
    assert contents(tmp_path) == {"file": OLD}


def test_a_file_keeps_its_mode_and_a_new_one_has_the_usual_one(tmp_path: Path) -> None:
    (tmp_path / "private").touch(0o600)
    (tmp_path / "private").chmod(0o640)
    earlier = os.umask(0o027)
    try:
        for name in ("private", "deep/new"):
            atomic_write.write_text(tmp_path / name, "new")
    finally:
        os.umask(earlier)
    modes = {name: (tmp_path / name).stat().st_mode & 0o777 for name in ("private", "deep/new")}
    assert modes == {"private": 0o640, "deep/new": 0o640}


def test_a_link_stays_and_its_file_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "file").write_bytes(OLD)
    (tmp_path / "link").symlink_to("there/file")
    (tmp_path / "dangling").symlink_to("there/none")
    (tmp_path / "loop").symlink_to("loop")
    for name in ("link", "dangling"):
        atomic_write.check_writable(tmp_path / name)
        assert atomic_write.write_text(tmp_path / name, "new") == tmp_path / name
        assert (tmp_path / name).is_symlink()
    assert contents(tmp_path / "there") == {"file": b"new", "none": b"new"}
    for call in (atomic_write.check_writable, lambda path: atomic_write.write_text(path, "new")):
        with pytest.raises(InputError, match=r"path='.*loop': cannot write: Too many levels of symbolic links"):
            call(tmp_path / "loop")


def test_what_is_no_file_is_written_into(tmp_path: Path) -> None:
    read, write = os.pipe()
    with os.fdopen(read, "rb") as pipe, os.fdopen(write, "wb"):
        atomic_write.check_writable(f"/dev/fd/{write}")
        atomic_write.write_text(f"/dev/fd/{write}", "new")
        assert pipe.read(3) == b"new"
    with pytest.raises(InputError, match="path='/dev/full': cannot write: No space left on device"):
        atomic_write.write_text("/dev/full", "new")
    assert Path("/dev/full").is_char_device()


@pytest.mark.parametrize(
    ("name", "why"),
    [("", "Is a directory"), ("file/x", "Not a directory"), ("x" * 300, "File name too long"), ("a\0b", "null byte")],
)
def test_what_cannot_be_written_is_named(tmp_path: Path, name: str, why: str) -> None:
    (tmp_path / "file").write_bytes(OLD)
    for call in (atomic_write.check_writable, lambda path: atomic_write.write_text(path, "new")):
        with pytest.raises(InputError, match=f"cannot write: .*{why}") as raised:
            call(f"{tmp_path}/{name}".rstrip("/"))
        assert str(raised.value).startswith("path=")
    assert contents(tmp_path) == {"file": OLD}


def test_a_file_that_may_not_be_written_is_not_replaced(tmp_path: Path, monkeypatch: Patch) -> None:
    (tmp_path / "file").write_bytes(OLD)
    (tmp_path / "file").chmod(0o444)
    if os.geteuid() == 0:  # who may write everything; the system is asked all the same
        monkeypatch.setattr(os, "access", lambda path, mode: bool(os.stat(path).st_mode & 0o222))
    for call in (atomic_write.check_writable, lambda path: atomic_write.write_text(path, "new")):
        with pytest.raises(InputError, match=r"path='.*file': cannot write: Permission denied"):
            call(tmp_path / "file")
    assert contents(tmp_path) == {"file": OLD}


def test_half_a_character_is_written_as_its_code(tmp_path: Path) -> None:
    atomic_write.write_text(tmp_path / "file", "a \ud83d ä\n")
    assert (tmp_path / "file").read_bytes() == "a \\ud83d ä\n".encode()


def test_what_was_written_is_noted(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with atomic_write.noted() as written:
        atomic_write.write_text(tmp_path / "file", "new")
        atomic_write.write_bytes(tmp_path / "deep" / "other", b"new")
    atomic_write.write_text(tmp_path / "later", "new")
    assert written == [tmp_path / "file", tmp_path / "deep" / "other"]
