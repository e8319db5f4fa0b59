"""The gradebook of a class: automatic and written points, and submissions that cannot be graded."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import nbformat
import numpy as np
import pandas as pd
import pytest

from synthlab import cli
from synthlab.exceptions import InputError
from synthlab.teaching.homework import start_homework
from synthlab.teaching.homework.gradebook import WRITTEN, write_gradebook
from tests.snippets import code, in_shell

STUDENTS = [f"student{number:02}" for number in range(30)]
BROKEN = STUDENTS[7]


@pytest.fixture
def school(tmp_path: Path) -> Path:
    """The folder of a class of 30 with one homework of 8 automatic and 3 written points; one submission is not a notebook."""
    home = tmp_path / "class" / "hw20"
    master, _ = start_homework("hw20", home)
    (home / "submissions").mkdir()
    for number, student in enumerate(STUDENTS):
        shutil.copy(master, home / "submissions" / f"{student}.ipynb")
        if student != BROKEN:
            grade(home, student, number % 9)
    (home / "submissions" / f"{BROKEN}.ipynb").write_bytes(b"\x89PNG\r\n")
    return home.parent


def grade(home: Path, student: str, points: float) -> None:
    """Write a result as `otter run` does."""
    tests = [{"name": "Public Tests", "output": ""}, {"name": "uniques", "score": points, "max_score": 8.0}]
    path = home / "grades" / student / "results.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"tests": tests}))


def add_points(school: Path, points: object, sep: str = ",") -> None:
    rows = pd.read_csv(school / WRITTEN, dtype=str)
    rows.assign(points=points).to_csv(school / WRITTEN, index=False, sep=sep)


def test_the_total_is_empty_until_the_written_points_are_there(school: Path) -> None:
    book = write_gradebook(school)
    assert [path.name for path in book.files] == ["gradebook.csv", WRITTEN]
    assert book.table["student"].tolist() == STUDENTS
    assert book.table[["written", "total"]].isna().all(axis=None)
    automatic = [0.0 if s == BROKEN else float(n % 9) for n, s in enumerate(STUDENTS)]
    assert book.table["automatic"].tolist() == automatic
    assert book.table.loc[book.table["remark"] != "", "student"].tolist() == [BROKEN]
    add_points(school, ["1.5"] * 29 + [""])
    book = write_gradebook(school)
    assert [path.name for path in book.files] == ["gradebook.csv"]
    written = pd.read_csv(book.files[0]).set_index("student")
    assert written["total"].to_numpy()[:-1].tolist() == [points + 1.5 for points in automatic[:-1]]
    assert np.isnan(written["total"].iloc[-1])
    assert set(written["maximum"]) == {11}


def test_the_command_names_who_lacks_written_points_and_who_sent_no_notebook(
    school: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for points in (None, ["2"] * 28 + ["", "0"]):
        if points:
            add_points(school, points)
        with pytest.raises(SystemExit) as end:
            cli.main(["homework", "gradebook", str(school)])
        assert not end.value.code
        (lacking,) = [line for line in capsys.readouterr().out.splitlines() if "no written points" in line]
        assert [s for s in STUDENTS if s in lacking] == ([STUDENTS[28]] if points else STUDENTS)


def test_a_late_submission_gets_a_row_and_other_points_stay(school: Path) -> None:
    write_gradebook(school)
    add_points(school, "2,5", sep=";")  # as a spreadsheet with decimal commas saves it
    late = school / "hw20" / "submissions" / "007.ipynb"
    shutil.copy(late.with_name("student00.ipynb"), late)
    table = write_gradebook(school).table.set_index("student")
    assert table.loc["student00", "total"] == 2.5
    assert table.loc["007", ["automatic", "written", "total"]].isna().all()
    assert "not graded" in table.loc["007", "remark"]
    assert pd.read_csv(school / WRITTEN, dtype=str)["student"].tolist() == [*STUDENTS, "007"]


def test_results_of_otter_grade_count_and_a_failure_gives_no_points(school: Path) -> None:
    rows = [("points-per-question", 8, 8, 1, "--"), ("student00.ipynb", 5, 5, 0.6, "Completed")]
    rows += [("student01.ipynb", 0, 0, 0, "timed out in\n600 seconds"), ("student03.ipynb", 9, 9, 1.1, "Completed")]
    names = ["file", "uniques", "total_points_earned", "percent_correct", "grading_status"]
    pd.DataFrame(rows, columns=names).to_csv(school / "hw20" / "final_grades.csv", index=False)
    for student in ("student00", "student01", "student03"):
        shutil.rmtree(school / "hw20" / "grades" / student)
    (school / "hw20" / "grades" / "student04" / "results.json").write_text("[]")
    table = write_gradebook(school).table.set_index("student")
    assert table["automatic"].iloc[:5].tolist() == [5, 0, 2, 9, 0]
    assert "timed out in 600 seconds" in table.loc["student01", "remark"]
    assert (table["remark"] != "").tolist()[:5] == [False, True, False, True, True]


@pytest.mark.parametrize("content", [b"", b"{}", b"[]", b'{"cells": 1}', b'{"nbformat": 4, "cells": [1]}', None])
def test_what_is_no_notebook_has_no_points_and_a_remark(school: Path, content: bytes | None) -> None:
    path = school / "hw20" / "submissions" / f"{BROKEN}.ipynb"
    path.unlink()
    if content is None:
        (path.with_suffix("") / "inside").mkdir(parents=True)
    else:
        path.write_bytes(content)
    row = write_gradebook(school).table.set_index("student").loc[BROKEN]
    assert row["automatic"] == 0
    assert row["remark"].startswith("not a notebook")


@pytest.mark.parametrize(
    ("column", "value"), [("points", "4"), ("points", "-1"), ("points", "two"), ("student", "nobody"), ("student", "student01")]
)  # fmt: skip
def test_a_wrong_line_of_the_written_points_is_named(school: Path, column: str, value: str) -> None:
    write_gradebook(school)
    rows = pd.read_csv(school / WRITTEN, dtype=str)
    rows.loc[4, column] = value
    rows.to_csv(school / WRITTEN, index=False)
    with pytest.raises(InputError, match="line 6 "):
        write_gradebook(school)


def test_a_homework_without_written_questions_has_totals_at_once(school: Path) -> None:
    (path,) = (school / "hw20").glob("*.ipynb")
    master = nbformat.read(path, as_version=4)
    for cell in master.cells:
        cell.source = cell.source.replace("manual: true", "")
    nbformat.write(master, path)
    book = write_gradebook(school)
    assert len(book.files) == 1
    assert book.table["total"].equals(book.table["automatic"])


def test_a_folder_without_a_homework_or_a_master_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="hw1/submissions"):
        write_gradebook(tmp_path)
    (tmp_path / "hw1" / "submissions").mkdir(parents=True)
    with pytest.raises(InputError, match="master"):
        write_gradebook(tmp_path)


def test_the_commands_of_teach_30_students_run(school: Path, tmp_path: Path) -> None:
    """The last command of the page, teach_30_students.md, prints the totals of the simulated class."""
    *first, last = [one.text for one in code("course/pages/teach_30_students.md")]
    assert len(first) == 2
    (tmp_path / "empty").mkdir()
    in_shell("".join(first), tmp_path / "empty")
    assert len(list((tmp_path / "empty").rglob("*_solutions.ipynb"))) == 2
    assert "hw20: 30 submissions, 0 with a total" in in_shell(last, school.parent)
