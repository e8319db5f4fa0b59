"""The homework with otter-grader: masters assign, and right, wrong and broken notebooks get their points and hints."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import nbformat
import pytest

from synthlab.cli import main
from synthlab.exceptions import InputError
from synthlab.teaching.homework import start_homework

ROOT = Path(__file__).resolve().parents[3]
COURSE = ROOT / "course"
MASTERS = sorted((COURSE / "instructor").glob("hw*.ipynb"))
PAGE = (COURSE / "pages" / "write_a_homework.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(bash|python)\n(.*?)^```$", PAGE, flags=re.MULTILINE | re.DOTALL)
README = (COURSE / "homework" / "README.md").read_text(encoding="utf-8")
PRINTED = dict(re.findall(r"\| `otter (assign|run) ([^`]+)` writes", README))  # arguments by command
SECONDS = 300  # the slowest run took 107 on a busy machine
# Neither a network nor Docker.
OFFLINE = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"), "http://127.0.0.1:9")
OFFLINE |= {"DOCKER_HOST": "tcp://127.0.0.1:9", "PYTHONPATH": str(ROOT)}


def python(*arguments: object, folder: Path) -> str:
    run = partial(
        subprocess.run,
        [sys.executable, *map(str, arguments)],
        cwd=folder,
        env={**os.environ, **OFFLINE},
        capture_output=True,
        text=True,
        check=False,
        timeout=SECONDS,
    )
    try:
        done = run()
    except subprocess.TimeoutExpired:  # perhaps its kernel did not answer; a second time is a failure
        done = run()
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def otter(*arguments: object, folder: Path) -> str:
    return python("-m", "otter", *arguments, folder=folder)


def typed(line: str, folder: Path) -> list[str]:
    """Return the arguments of a command line, with file patterns expanded as in a shell."""
    words = shlex.split(line)
    return [file for word in words for file in (sorted(map(str, folder.glob(word))) if "*" in word else [word])]


def grade(notebook: Path, autograder: Path, folder: Path) -> tuple[dict[str, float], str]:
    """Return the points of every question, and the hints for the student."""
    otter("run", notebook, "-a", autograder, "-o", folder, "--no-logo", folder=folder)
    return points_of(folder), "\n".join(one["output"] for one in results(folder))


def results(folder: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((folder / "results.json").read_text(encoding="utf-8"))["tests"]
    return found


def points_of(folder: Path) -> dict[str, float]:
    return {one["name"]: one["score"] for one in results(folder) if "score" in one}


def changed(source: Path, target: Path, cells: Mapping[str, str]) -> Path:
    """Write a notebook in which the cells that begin with a key have another source."""
    notebook = nbformat.read(source, as_version=4)
    for begin, text in cells.items():
        (cell,) = [one for one in notebook.cells if one.cell_type == "code" and one.source.startswith(begin)]
        cell.source = text
    nbformat.write(notebook, target)
    return target


@pytest.fixture(scope="module")
def assigned(tmp_path_factory) -> dict[str, Path]:
    """Homework 1, assigned as the page says: the notebooks without and with the solution, and the autograder."""
    folder = tmp_path_factory.mktemp("hw1")
    shutil.copytree(COURSE / "instructor", folder / "course" / "instructor")
    otter("assign", *typed(PRINTED["assign"], folder), "--no-run-tests", folder=folder)
    (autograder,) = (folder / "fall" / "autograder").glob("*.zip")
    student, right = (folder / "fall" / kind / MASTERS[0].name for kind in ("student", "autograder"))
    return {"folder": folder, "student": student, "right": right, "autograder": autograder}


def test_a_right_notebook_gets_all_points(assigned):
    folder = assigned["folder"]
    (folder / "submission.ipynb").write_bytes(assigned["right"].read_bytes())
    otter("run", *typed(PRINTED["run"], folder), folder=folder)
    assert points_of(folder) == {"certain_secrets": 3, "exposed": 2, "majority_right": 4, "my_release": 4}


def test_a_wrong_notebook_is_shown_the_hint_of_its_mistake(assigned):
    wrong = {
        "def certain_secrets": "def certain_secrets(frame, known, secret):\n    return (~frame.duplicated(known, keep=False)).sum()",
        "exposed": "exposed = 107",
        "my_release": "rng = np.random.default_rng(1)\n"
        "my_release = [voters.assign(vote=rng.permutation(voters['vote'])) for _ in range(41)]",
    }
    notebook = changed(assigned["student"], assigned["folder"] / "wrong.ipynb", wrong)
    points, hints = grade(notebook, assigned["autograder"], assigned["folder"])
    assert points == {"certain_secrets": 0, "exposed": 0, "majority_right": 0, "my_release": 2}
    for hint in (
        "This counts the people who are alone",
        "These are the voters who are alone",
        "The function returns nothing yet",
        "The mean of 'income' by 'vote' is off",
    ):
        assert hint in hints


def test_a_cell_that_fails_costs_its_own_points_only(assigned):
    notebook = changed(assigned["right"], assigned["folder"] / "broken.ipynb", {"exposed": "exposed = 1 / 0"})
    points, hints = grade(notebook, assigned["autograder"], assigned["folder"])
    assert points == {"certain_secrets": 3, "exposed": 0, "majority_right": 4, "my_release": 4}
    assert "Not answered yet" in hints


def test_the_student_versions_are_those_of_the_masters(tmp_path):
    python(COURSE / "instructor" / "student_versions.py", tmp_path, "--no-run-tests", folder=tmp_path)
    written = sorted(tmp_path.iterdir())
    assert len(written) == 2 * len(MASTERS) == 12
    old = [p.name for p in written if (COURSE / "homework" / p.name).read_text("utf-8") != p.read_text("utf-8")]
    assert old == [], "run `make homework`"
    for path in tmp_path.glob("*.ipynb"):
        notebook = nbformat.read(path, as_version=4)
        assert not any("SOLUTION" in cell.source or cell.get("outputs") for cell in notebook.cells)


def fill_in(master: Path, block: str) -> None:
    """Put a block of the page into the cell or the function of the same name."""
    name = re.match(r"(?:def )?(\w+)", block)[1]
    if block.startswith("def "):
        path = next(master.parent.glob("*_checks.py"))
        text, count = re.subn(
            rf"^def {name}\(.*?(?=^\S)", lambda _: block + "\n\n", path.read_text(), flags=re.M | re.S
        )
        assert count == 1
        path.write_text(text)
    else:
        changed(master, master, {f"{name} = ": block.rstrip()})


def test_a_homework_of_ones_own_as_the_page_says(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    said: list[str] = []
    for kind, block in BLOCKS:
        if kind == "python":
            fill_in(tmp_path / "masters" / "hw20_title.ipynb", block)
            continue
        for line in block.splitlines():
            program, *arguments = shlex.split(line)
            if program == "otter" and arguments[0] != "grade":  # needs Docker
                said.append(otter(*typed(line, tmp_path)[1:], folder=tmp_path))
            elif program == "synthlab":
                with pytest.raises(SystemExit) as end:
                    main(arguments)
                assert not end.value.code
            else:
                assert program in ("otter", "mkdir", "cp")
                if program != "otter":
                    subprocess.run(["sh", "-c", line], cwd=tmp_path, check=True)
    assert "8.000 / 8.000" in said[-1]
    assert len(said) == 2


def test_a_new_homework_does_not_replace_another(tmp_path):
    written = start_homework("hw20", tmp_path)
    assert [path.name for path in written] == ["hw20_title.ipynb", "hw20_checks.py"]
    before: dict[str, Any] = {path.name: path.read_bytes() for path in written}
    for name, said in (("hw20", "contains 'hw20_title.ipynb', 'hw20_checks.py' already"), ("20", "letter")):
        with pytest.raises(InputError, match=said):
            start_homework(name, tmp_path)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
