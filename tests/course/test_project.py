"""The term project: every command of the page runs as written, in its order, on a made-up file; the points add up."""

from __future__ import annotations

import csv
import re
import runpy
import shlex
import warnings
from collections.abc import Callable
from contextlib import chdir, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from functools import partial
from io import StringIO
from pathlib import Path

import pytest

from synthlab.cli import main
from synthlab.teaching.editions import write_edition

ROOT = Path(__file__).resolve().parents[2]
HOMEWORK = ROOT / "course" / "homework"
PAGE = (HOMEWORK / "project.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", PAGE, flags=re.MULTILINE | re.DOTALL)
STUDENTS = ("project.md", "memo_template.md", "project_rubric.csv")
LIMIT_BROKEN = 3


@dataclass(frozen=True)
class Said:
    code: int
    out: str
    err: str


def file_of(text: str) -> str:
    """Return the file that a block says it is, in its first line."""
    return re.match(r"# ([\w/]+\.(?:py|toml))\b", text)[1]


def run(what: Callable[[], object]) -> Said:
    """Do something as a process of its own would: its warnings stop nothing, and it may exit."""
    out, err, code = StringIO(), StringIO(), 0
    with redirect_stdout(out), redirect_stderr(err), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            what()
        except SystemExit as end:
            code = end.code or 0
    return Said(code, out.getvalue(), err.getvalue())


@pytest.fixture(scope="module")
def done(tmp_path_factory) -> tuple[Path, dict[str, Said]]:
    """The folder in which all blocks were run, in the order of the page, and what each said."""
    folder, said = tmp_path_factory.mktemp("project"), {}
    with chdir(folder):
        for kind, text in BLOCKS:
            if kind == "sh":
                for line in text.splitlines():
                    command, *arguments = shlex.split(line)
                    assert command == "synthlab"
                    said[line] = run(partial(main, arguments))
                continue
            file = Path(file_of(text))
            file.parent.mkdir(exist_ok=True)
            file.write_text(text, encoding="utf-8")
            if kind == "python":
                said[file.name] = run(partial(runpy.run_path, str(file), run_name="__main__"))
    return folder, said


def test_the_blocks_are_commands_scripts_and_settings():
    assert {kind for kind, _ in BLOCKS} == {"sh", "python", "toml"}
    assert len({file_of(text) for kind, text in BLOCKS if kind != "sh"}) == len([k for k, _ in BLOCKS if k != "sh"])
    assert max(len(line) for kind, text in BLOCKS if kind != "sh" for line in text.splitlines()) <= 88


def test_every_command_runs_as_written(done):
    _, said = done
    assert len(said) == 12
    for name, one in said.items():
        allowed = (0, LIMIT_BROKEN) if "--config" in name else (0,)
        assert one.code in allowed, f"{name}\n{one.err}"


def test_what_they_write_is_there_and_is_read(done):
    folder, said = done
    for name in (
        "leaf_5.html",
        "leaf_40.json",
        "board.html",
        "public.html",
        "public.json",
        "myteam/release/release.json",
    ):
        assert (folder / name).stat().st_size > 100, name
    assert "limits, compared with the worst intruder" in next(o.out for n, o in said.items() if "leaf_5.html" in n)
    assert "excess" in next(o.out for n, o in said.items() if n.startswith("synthlab attack-score"))
    assert re.findall(r"^(\d+) mean [\d.]+ worst [\d.]+$", said["worst.py"].out, re.MULTILINE) == ["5", "40"]
    assert "Teaching, and planning analyses" in (folder / "board.html").read_text(encoding="utf-8")


def test_no_seed_and_no_key_is_handed_out(done):
    folder, _ = done
    released = "".join(p.read_text(encoding="utf-8") for p in (folder / "myteam").rglob("*.*"))
    assert "shuffle_keys" in (folder / "myteam_private.json").read_text(encoding="utf-8")
    assert "shuffle_keys" not in released
    assert '"seed' not in released


def test_the_points_add_up_and_the_page_shows_the_rubric():
    with (HOMEWORK / "project_rubric.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == ["criterion", "points", "full_points"]
    total = sum(int(row["points"]) for row in rows)
    assert f"gives {total} points." in PAGE
    assert f"| **all** | **{total}** |" in PAGE
    shown = re.findall(r"^\| ([^|*]+) \| (\d+) \| ([^|]+) \|$", PAGE, flags=re.MULTILINE)
    assert [(r["criterion"], r["points"], r["full_points"]) for r in rows] == [r for r in shown if r[0] != "3, 4"][
        -len(rows) :
    ]
    assert len(shown) >= len(rows)


@pytest.mark.parametrize("name", STUDENTS)
def test_links_lead_somewhere_and_no_page_names_answers(name):
    text = (HOMEWORK / name).read_text(encoding="utf-8")
    for target in re.findall(r"\]\(((?!http)[^)#]+)", text):
        assert (HOMEWORK / target).resolve().is_file(), target
    assert not re.search(r"solution|instructor|tournament\.ipynb", text, re.IGNORECASE)


def test_the_weeks_are_those_the_page_promises():
    weeks = re.findall(r"^\| ([\d, ]+) \|", PAGE.partition("## Timetable")[2].partition("## 1.")[0], re.MULTILINE)
    assert [int(week) for entry in weeks for week in entry.split(",")] == list(range(1, 9))
    assert "eight weeks" in PAGE


def test_students_get_the_project_and_not_the_notebook_of_the_lecturer(tmp_path):
    edition = write_edition("student", tmp_path / "student", source=ROOT / "course")
    names = {path.relative_to(edition.folder).as_posix() for path in edition.written}
    assert {f"homework/{name}" for name in STUDENTS} <= names
    assert not any(name.startswith("instructor") for name in names)
