"""A homework of one's own: what the page tells lecturers to do is done, block by block, in an empty folder."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import warnings
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import nbformat
import pandas as pd
import pytest

from synthlab.cli import main
from synthlab.exceptions import InputError
from synthlab.lab.homework import start_homework
from synthlab.lab.homework.sandbox import find_sandbox
from synthlab.lab.homework.versions import make_version, read_notebook

ROOT = Path(__file__).resolve().parents[3]
PAGE = (ROOT / "course" / "pages" / "write_a_homework.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(bash|python)\n(.*?)^```$", PAGE, flags=re.MULTILINE | re.DOTALL)
MASTER, CHECKS = Path("masters/hw20_title.ipynb"), Path("masters/hw20_checks.py")


def replaced(text: str, pattern: str, new: str) -> str:
    made, count = re.subn(pattern, lambda _: new, text, flags=re.MULTILINE | re.DOTALL)
    assert count == 1, pattern
    return made


def fill_in(folder: Path, block: str) -> None:
    """Put a block of Python where the page says: in a cell, in the cell of answers, or below the checks."""
    notebook = read_notebook(folder / MASTER)
    answers = notebook.cells[-1]
    if block.startswith("# SOLUTION BEGIN"):
        call = block.strip().splitlines()[-1]
        (cell,) = [one for one in notebook.cells if one.cell_type == "code" and one.source.endswith(call)]
        cell.source = block.strip()
    elif block.startswith("def "):
        (folder / CHECKS).write_text(f"{(folder / CHECKS).read_text()}\n\n{block}")
        (old, new) = re.search(r"write `(\"\w+\")` in place of `(\"\w+\")`", PAGE).groups()[::-1]
        answers.source = replaced(answers.source, old, new)
    else:
        entry = re.match(r' *"\w+": \w+\(\n', block)[0]
        answers.source = replaced(answers.source, rf"^{re.escape(entry)}.*?^    \),\n", block)
    nbformat.write(notebook, folder / MASTER)


def sandboxed(folder: Path) -> bool:
    """Say whether there is a sandbox, and in it, without variables of the environment, this package."""
    try:
        find_sandbox()
    except InputError:
        return False
    command = [sys.executable, "-c", "import synthlab; print(synthlab.__file__)"]
    said = subprocess.run(command, cwd=folder, env={}, capture_output=True, text=True, check=True).stdout
    return Path(said.strip()).is_relative_to(ROOT)


def run(line: str) -> str:
    """Run a line of a shell, a command of synthlab in this process, and return what it prints; it warns of nothing."""
    command, *arguments = shlex.split(line)
    if command != "synthlab":
        return subprocess.run(["sh", "-c", line], capture_output=True, text=True, check=True).stdout
    out, complaints = StringIO(), StringIO()
    with redirect_stdout(out), redirect_stderr(complaints), warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(SystemExit) as end:
            main(arguments)
    assert end.value.code == 0, f"{line}\n{out.getvalue()}\n{complaints.getvalue()}"
    assert "Warning" not in complaints.getvalue(), f"{line}\n{complaints.getvalue()}"
    return out.getvalue()


@pytest.fixture(scope="module")
def followed(tmp_path_factory) -> tuple[Path, dict[str, str]]:
    """The folder in which the page was followed, and what each command printed."""
    folder = tmp_path_factory.mktemp("lecturer")
    without = "" if sandboxed(folder) else " --unsafe"  # as the page says
    said = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(ROOT))  # of kernels and graders
        patch.chdir(folder)
        for language, block in BLOCKS:
            if language == "python":
                fill_in(folder, block)
                continue
            for line in block.splitlines():
                said[line] = run(line + without * line.startswith("synthlab homework grade"))
    return folder, said


def cells(path: Path) -> list[Any]:
    return read_notebook(path).cells


@pytest.mark.slow
def test_a_homework_is_begun_made_and_graded_as_the_page_says(followed):
    folder, said = followed
    assert [line.split()[2] for line in said if line.startswith("synthlab")] == [
        "new",
        "make",
        "seal",
        "grade",
        "export",
    ]
    for kind in ("student", "solution"):
        assert {path.name for path in (folder / "fall" / kind).iterdir()} == {
            "hw20_title.ipynb",
            "hw20.json",
            "hw20_checks.py",
        }
    assert {path.name for path in (folder / "answers").iterdir()} == {"hw20.json", "hw20_checks.py"}
    sources = "\n".join(cell.source for cell in cells(folder / "fall" / "student" / "hw20_title.ipynb"))
    assert re.search(r"^CLASS = 230517$", sources, flags=re.MULTILINE)
    assert "occupation" not in sources.partition("uniques = ...")[2]
    assert list((folder / "assignments").rglob("*.ipynb"))


@pytest.mark.slow
def test_the_solution_has_all_points_and_the_empty_notebook_has_none(followed):
    folder, _ = followed
    grades = pd.read_csv(folder / "grades" / "grades.csv", index_col="student")
    questions = ["uniques", "expected_match_risk", "my_release"]
    assert grades.loc["ada", questions].tolist() == [2, 3, 3]
    assert grades.loc["ben", questions].tolist() == [0, 0, 0]
    assert grades["state"].tolist() == ["ran through", "ran through"]
    page = (folder / "grades" / "written.csv").read_text(encoding="utf-8")
    assert page.count("board") == 4  # two criteria of two submissions


@pytest.mark.slow
def test_typical_wrong_answers_are_told_what_is_wrong(followed, monkeypatch):
    """With the checks and the sealed answers that a student has beside the notebook."""
    import synthlab as sl
    from synthlab.lab.homework import check, class_sample

    folder, _ = followed
    monkeypatch.chdir(folder / "fall" / "student")
    women = class_sample("affairs", 1500, 230517)
    known = ["age", "yrs_married", "children"]
    without = int((women.groupby([*known, "educ"], observed=True).size() == 1).sum())
    assert "Occupation is missing" in check("hw20.uniques", without).message
    counted = check("hw20.expected_match_risk", lambda c, t: t[c > 0].sum())
    assert "counts a match as 1" in counted.message
    too_much = sl.DirichletMultinomial(["educ"], given=known, pseudocount=0.1).fit(women, rng=1).generate(m=3, rng=2)
    assert "found with certainty" in check("hw20.my_release", too_much).message
    assert "a release of 3 datasets" in check("hw20.my_release", [women]).message
    changed = [women.assign(age=0.0)] * 3
    assert "nothing changed but 'educ'" in check("hw20.my_release", changed).message
    alike = [women.assign(educ=women["educ"].mean())] * 3
    result = check("hw20.my_release", alike)
    assert (result.points, result.passed) == (1.5, False)
    assert "differ much more, or much less" in result.message
    assert (check("hw20.my_release", [women.assign(educ=5.0)] * 3)).points == 1.5


def test_the_page_shows_every_command_and_every_kind():
    for name in ("new", "make", "seal", "grade", "export"):
        assert f"synthlab homework {name} " in PAGE
    for kind in ("Number", "Function", "Property", "Written"):
        assert f"`{kind}Answer`" in PAGE
    assert len([block for language, block in BLOCKS if language == "python"]) == 3


def test_what_is_begun_is_a_master_with_a_question_of_each_kind(tmp_path):
    first, second = start_homework("quiz_1", tmp_path / "masters")
    assert (first.name, second.name) == ("quiz_1_title.ipynb", "quiz_1_checks.py")
    source = read_notebook(first).cells[-1].source
    assert 'homework, salt = "quiz_1"' in source
    assert all(f"{kind}Answer(" in source for kind in ("Number", "Function", "Property", "Written"))
    assert all(
        len(line) <= 88
        for cell in read_notebook(first).cells[:-1]
        if cell.cell_type == "code"
        for line in cell.source.splitlines()
    )
    student = make_version(first, "student", seed="fall")
    nbformat.validate(student)
    assert sum("check(" in cell.source for cell in student.cells) == 3
    compile(second.read_text(encoding="utf-8"), second.name, "exec")


def test_nothing_is_written_over_and_a_name_is_a_word(tmp_path):
    written = start_homework("hw20", tmp_path)
    written[0].rename(tmp_path / "hw20_income.ipynb")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises(InputError, match="folder=.*: holds 'hw20_income.ipynb', 'hw20_checks.py' already; nothing"):
        start_homework("hw20", tmp_path)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
    for name in ("hw 20", "20", "../hw", ""):
        with pytest.raises(InputError, match="name=.*: must begin with a letter"):
            start_homework(name, tmp_path)
