"""A class of thirty is graded as a lecturer does: twice, stopped in the middle, and into tables that are opened."""

from __future__ import annotations

import csv
import os
import re
import shutil
import signal
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from synthlab.lab.homework import Limits
from synthlab.lab.homework.checking import sealed_homework
from synthlab.lab.homework.gradebook import shown as one_line
from synthlab.lab.homework.grading import _Class
from synthlab.lab.homework.sandbox import Sandbox
from tests.lab.homework.grading_runs import Lecturer, Watch, formulas, pages, prints, rows, shown
from tests.lab.homework.submissions import (
    HOMEWORK,
    QUESTIONS,
    Case,
    odd_files,
    odd_names,
    right,
    write_class,
    wrong,
)

pytestmark = pytest.mark.classes
FEW = ("o_broken", "o_zero", "o_empty", "o_in_r", "o_half_emoji", "o_loud", "otto__1", "otto__2")
CLASS = [*right(), *wrong(), *odd_names(), *(case for case in odd_files() if case.name in FEW)]
FILES = ("grades.csv", "written.csv", "class.html", "feedback/*")
PATIENCE = 300.0


@pytest.fixture(scope="module")
def lecturer() -> Iterator[Lecturer]:
    """Return the folders, not below the folder for temporary files, which a sandbox hides in any case."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell in the background takes it away
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        made = Lecturer(Path(folder))
        made.seal()
        write_class(made.submissions, CLASS)
        yield made
    signal.signal(signal.SIGINT, before)


@pytest.fixture(scope="module")
def out(lecturer: Lecturer) -> Path:
    """Return what the grader makes of the class, and hold that it leaves nothing else behind."""
    before = prints(lecturer.submissions)
    assert len(before) == len(CLASS) == 30
    code, _, complaint = lecturer.grade(lecturer.folder / "out")
    assert code == 0, complaint
    assert prints(lecturer.submissions) == before
    return lecturer.folder / "out"


@pytest.fixture(scope="module")
def table(out: Path) -> dict[str, dict[str, str]]:
    """Return the rows of the class by submission."""
    return {named(row["submission"]): row for row in rows(out / "grades.csv")}


def named(text: str) -> str:
    """Return the name of a submission without what keeps a table or a line from being broken by it."""
    return " ".join(one_line(text).removeprefix("'").split())


def page_of(out: Path, case: Case) -> str:
    """Return the text of the feedback page of a submission."""
    (found,) = [page for page in map(shown, pages(out)) if f" {named(case.file)}. How" in page]
    return found


def test_everybody_has_a_row_and_a_page(out: Path, table: dict[str, dict[str, str]]) -> None:
    columns = ["student", "submission", "mean", "tax", "made", "why", "total", "state"]
    assert list(next(iter(table.values()))) == columns
    assert sorted(table) == sorted(named(case.file) for case in CLASS)
    assert len(pages(out)) == 30
    assert table["gus__late_12.ipynb"]["student"] == "gus"
    assert table["otto__1.ipynb"]["student"] == table["otto__2.ipynb"]["student"] == "otto"


@pytest.mark.parametrize("case", CLASS, ids=lambda case: case.name)
def test_points_state_and_message(out: Path, table: dict[str, dict[str, str]], case: Case) -> None:
    row = table[named(case.file)]
    assert tuple(float(row[name]) for name in QUESTIONS) == case.points, row
    assert float(row["total"]) == sum(case.points)
    assert re.fullmatch(case.state, row["state"])
    page = page_of(out, case)
    assert [text for text in case.says if text not in page] == []


def test_nothing_of_a_student_is_on_the_page_of_another(out: Path) -> None:
    """Names, and a text that was written by one alone."""
    written = pages(out)
    students = {"anna", "carla", "gus", "hana", "kim", "onerror", "quo&#39;ted", "o_in_r"}
    for student in students:
        assert sum(student in page for page in written) <= 1, student


def test_no_cell_of_a_table_is_a_formula_and_no_page_has_a_tag_of_a_student(out: Path) -> None:
    assert formulas(out / "grades.csv") == []
    assert formulas(out / "written.csv") == []
    for page in [*pages(out), (out / "class.html").read_text(encoding="utf-8")]:
        assert "<img src=x" not in page
        assert "<b>no</b>" not in page


def test_graded_again_it_is_the_same_also_when_it_was_stopped(lecturer: Lecturer, out: Path) -> None:
    """What was finished is kept as it is, no process stays, and the end is that of a run that was not stopped."""
    target = lecturer.folder / "stopped"
    running = lecturer.start(*lecturer.arguments(target))
    watch = Watch(running.pid)
    waited = time.monotonic()
    while len(list((target / "results").glob("*.json"))) < 8 and time.monotonic() - waited < PATIENCE:
        assert running.poll() is None
        time.sleep(0.05)
    os.killpg(running.pid, signal.SIGINT)
    _, complaint = running.communicate()
    assert running.returncode == 130
    assert complaint.count("error: stopped") == 1
    assert "Traceback" not in complaint
    assert watch.left() == []
    assert list(lecturer.scratch.iterdir()) == []
    done = {path: path.stat().st_mtime_ns for path in (target / "results").glob("*.json")}
    assert 8 <= len(done) < 30
    code, _, complaint = lecturer.grade(target)
    assert code == 0, complaint
    assert {path: path.stat().st_mtime_ns for path in done} == done
    assert prints(target, *FILES) == prints(out, *FILES)


def test_a_notebook_that_changed_is_run_again(lecturer: Lecturer, out: Path) -> None:
    target = lecturer.folder / "changed"
    shutil.copytree(out, target)
    changed = lecturer.folder / "handed in again"
    shutil.copytree(lecturer.submissions, changed)
    (case,) = [case for case in wrong() if case.name == "hana"]
    replace(case, content=right()[0].content).write(changed)
    (changed / "ivan.ipynb").unlink()
    before = {path: path.stat().st_mtime_ns for path in (target / "results").glob("*.json")}
    code, _, complaint = lecturer.grade(target, submissions=changed)
    assert code == 0, complaint
    points = {row["submission"]: row["total"] for row in rows(target / "grades.csv")}
    assert (float(points["hana.ipynb"]), float(points["anna.ipynb"])) == (8, 8)
    assert "ivan.ipynb" not in points
    written = [path.stem for path, time in before.items() if path.stat().st_mtime_ns != time]
    assert [name.rpartition("-")[0] for name in written] == ["hana"]


def test_points_of_a_person_come_back_through_the_template(lecturer: Lecturer, out: Path) -> None:
    """The template is filled in as it is, names that were made harmless included."""
    template = rows(out / "written.csv")
    assert list(template[0]) == ["submission", "question", "criterion", "possible", "points", "comment"]
    assert len(template) == 2 * 30
    filled = lecturer.folder / "filled.csv"
    with filled.open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, list(template[0]))
        table.writeheader()
        table.writerows(row | {"points": "1", "comment": f"read {number}"} for number, row in enumerate(template))
    target = lecturer.folder / "read"
    shutil.copytree(out, target)
    code, _, complaint = lecturer.grade(target, "--written", filled)
    assert code == 0, complaint
    before = {row["submission"]: float(row["total"]) for row in rows(out / "grades.csv")}
    after = rows(target / "grades.csv")
    assert {float(row["why"]) for row in after} == {2}
    assert {row["submission"]: float(row["total"]) - 2 for row in after} == before
    assert sum("read 0" in page for page in map(shown, pages(target))) >= 1


def test_what_is_no_file_and_what_went_away_has_a_row(lecturer: Lecturer, tmp_path: Path) -> None:
    """A pipe would be waited for, a link leads to a file of somebody else."""
    write_class(tmp_path / "class", [replace(right()[0], file="zero.ipynb", content=b"")])
    os.mkfifo(tmp_path / "class" / "pipe.ipynb")
    (tmp_path / "class" / "link.ipynb").symlink_to(lecturer.submissions / "anna.ipynb")
    code, _, complaint = lecturer.grade(tmp_path / "out", submissions=tmp_path / "class")
    assert code == 0, complaint
    states = {row["submission"]: row["state"] for row in rows(tmp_path / "out" / "grades.csv")}
    assert states == {
        "link.ipynb": "no notebook",
        "pipe.ipynb": "no notebook",
        "zero.ipynb": "not read: is no notebook",
    }
    homework = sealed_homework(HOMEWORK, lecturer.answers)
    grader = _Class(homework, tmp_path / "results", Sandbox("none"), Limits())
    (gone,) = grader.grade([(tmp_path / "gone.ipynb", "gone", "gone.ipynb")], 1, False)
    assert gone.state == "not read: No such file or directory"


def test_without_its_checks_no_class_is_graded(lecturer: Lecturer, tmp_path: Path) -> None:
    """Or everybody would be wrong."""
    shutil.copy(lecturer.answers / "small.json", tmp_path)
    ended, _, complaint = lecturer.grade(tmp_path / "out", "--answers", tmp_path)
    assert ended == 2
    assert "'two_datasets': must be a function of" in complaint
    assert "small_checks.py" in complaint
