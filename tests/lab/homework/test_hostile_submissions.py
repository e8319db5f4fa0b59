"""Notebooks that deceive, harm or spy: each costs nobody else anything, and gets what it earned before."""

from __future__ import annotations

import json
import re
import shutil
import socket
import tempfile
import threading
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import psutil
import pytest

from tests.lab.homework.attacks import LEFT_BEHIND, LIMITS, NOWHERE, Where, attacks
from tests.lab.homework.grading_runs import Lecturer, formulas, pages, prints, rows, shown
from tests.lab.homework.submissions import HOMEWORK, QUESTIONS, Case, odd_files, right, write_class

pytestmark = [
    pytest.mark.classes,
    pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not here, and these are run in it alone"),
]
ALONE = {case.name for case in odd_files()} - {"otto__1", "otto__2"}
CASES = [*attacks(NOWHERE), *(case for case in odd_files() if case.name in ALONE), right()[0]]
GRADE = """
import json, sys
from synthlab.lab.homework import Limits, grade_folder
folder, homework, out, answers, limits = sys.argv[1:]
grade_folder(folder, homework, out=out, answers=answers, jobs=2, limits=Limits(**json.loads(limits)))
"""
HARMLESS = ("anna", "d_modules", "e_exits")


class Listener:
    """Somebody who listens on this machine, by port and by name, and counts who calls."""

    def __init__(self) -> None:
        self.calls: list[object] = []
        self.doors = [socket.create_server(("127.0.0.1", 0)), socket.socket(socket.AF_UNIX)]
        self.port = self.doors[0].getsockname()[1]
        self.doors[1].bind(f"\0listening-{self.port}")
        self.doors[1].listen()
        for door in self.doors:
            threading.Thread(target=self._listen, args=[door], daemon=True).start()

    def _listen(self, door: socket.socket) -> None:
        while True:
            try:
                self.calls.append(door.accept())
            except OSError:
                return

    def close(self) -> None:
        for door in self.doors:
            door.shutdown(socket.SHUT_RDWR)
            door.close()


@pytest.fixture(scope="module")
def listener() -> Iterator[Listener]:
    made = Listener()
    yield made
    made.close()


@pytest.fixture(scope="module")
def lecturer() -> Iterator[Lecturer]:
    """Return the folders, not below the folder for temporary files, which a sandbox hides in any case."""
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        made = Lecturer(Path(folder))
        made.seal()
        yield made


@pytest.fixture(scope="module")
def graded(lecturer: Lecturer, listener: Listener) -> dict[str, dict[str, str]]:
    """Return the row of each, graded once, and hold what must be true of the machine afterwards."""
    out = lecturer.folder / "out"
    where = Where(lecturer.folder, lecturer.submissions, lecturer.answers, out, listener.port)
    write_class(
        lecturer.submissions, [case for case in (*attacks(where), *odd_files(), right()[0]) if case.name in NAMES]
    )
    folders = ("submissions/*", "answers/*", "*.*")
    before, answers = prints(lecturer.folder, *folders), str(lecturer.answers)
    limits = json.dumps(asdict(LIMITS))
    code, _, complaint = lecturer.call(lecturer.submissions, HOMEWORK, out, answers, limits, code=GRADE)
    assert code == 0, complaint
    assert prints(lecturer.folder, *folders) == before
    return {row["submission"]: row for row in rows(out / "grades.csv")}


NAMES = {case.name for case in CASES}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_points_and_state(graded: dict[str, dict[str, str]], lecturer: Lecturer, case: Case) -> None:
    row = graded[case.file]
    assert re.fullmatch(case.state, row["state"]), row
    assert tuple(float(row[name]) for name in QUESTIONS) == case.points, row
    page = next(page for page in map(shown, pages(lecturer.folder / "out")) if f"File: {case.file}. How" in page)
    assert [text for text in case.says if text not in page] == []


@pytest.mark.usefixtures("graded")
def test_nothing_stays_and_nobody_was_called(lecturer: Lecturer, listener: Listener) -> None:
    assert [one.pid for one in psutil.process_iter(["cmdline"]) if LEFT_BEHIND in (one.info["cmdline"] or ())] == []
    assert listener.calls == []
    assert list(lecturer.folder.rglob("written-by-*")) == []


@pytest.mark.usefixtures("graded")
def test_pages_and_tables_hold_no_code(lecturer: Lecturer) -> None:
    out = lecturer.folder / "out"
    assert formulas(out / "grades.csv") == []
    for page in [*pages(out), (out / "class.html").read_text(encoding="utf-8")]:
        assert "<img src=x" not in page
        assert "<script>alert" not in page
        assert len(page) < 1_000_000
        assert not re.search(r"[\x00-\x08\x0b-\x1f]", page)


def test_without_a_sandbox_it_refuses(lecturer: Lecturer, tmp_path: Path) -> None:
    """And runs with --unsafe; what harms does nothing then."""
    few = tmp_path / "few"
    write_class(few, [case for case in CASES if case.name in HARMLESS])
    code = f"import os, runpy\nos.environ['PATH'] = {str(tmp_path)!r}\nrunpy.run_module('synthlab.cli', run_name='__main__')"
    arguments = lecturer.arguments(tmp_path / "out", few)
    ended, _, complaint = lecturer.call(*arguments, code=code)
    assert ended == 2
    assert "--unsafe" in complaint
    assert not (tmp_path / "out" / "grades.csv").exists()
    ended, _, complaint = lecturer.call(*arguments, "--unsafe", code=code)
    assert ended == 0, complaint
    table = {row["submission"]: row for row in rows(tmp_path / "out" / "grades.csv")}
    for case in CASES:
        if case.name in HARMLESS:
            assert re.fullmatch(case.state, table[case.file]["state"])
            assert tuple(float(table[case.file][name]) for name in QUESTIONS) == case.points
