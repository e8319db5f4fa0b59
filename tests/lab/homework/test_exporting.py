"""A homework as the source of other graders: its cells everywhere, and with the graders themselves where they are."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from zipfile import ZipFile

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from synthlab.exceptions import InputError
from synthlab.lab.homework import NumberAnswer, exporting, seal_answers
from synthlab.lab.homework.exporting import earned, export_homework
from synthlab.lab.homework.versions import make_version

ROOT = Path(__file__).resolve().parents[3]
MASTERS = sorted((ROOT / "course" / "instructor").glob("hw[0-9]*_*.ipynb"))
SETUP = """from synthlab.lab.homework import check, class_sample

CLASS = 1
women = class_sample("affairs", 50, CLASS)"""
OLDEST = """# SOLUTION BEGIN
# STUDENT: oldest = ...
oldest = int(women["age"].max())
# SOLUTION END
check("hw77.oldest", oldest)"""
HALVES = '''def halves(numbers):
    """Return the half of each number."""
    # SOLUTION BEGIN
    # STUDENT: return ...
    return [number / 2 for number in numbers]
    # SOLUTION END'''
PRIMES = """# SOLUTION BEGIN
primes = [2, 3, 5]
# SOLUTION END
check("hw77.primes", primes)"""
WHY = """<!-- WRITTEN why -->
<!-- SOLUTION BEGIN -->
Because nobody is older than the oldest woman.
<!-- SOLUTION END -->"""
ANSWERS = """# ANSWERS
from synthlab.lab.homework import FunctionAnswer, NumberAnswer, PropertyAnswer, WrittenAnswer

homework, salt = "hw77", "pepper"
answers = {
    "oldest": NumberAnswer(oldest, 0, 2, "the age of the oldest"),
    "halves": FunctionAnswer(halves, [([1, 2],), ([7],)], 3, "the halves"),
    "primes": PropertyAnswer("are_primes", 4, "three primes", {"wanted": 3}),
    "why": WrittenAnswer({"says why": 2, "in good English": 1}, "why", fewest=5),
}"""
CHECKS = '''"""Checks of homework 77."""

import sys


def are_primes(answer, settings):
    print("a warning", file=sys.stderr)
    if not isinstance(answer, list):
        return "it should be a list."
    right = sum(number in (2, 3, 5, 7, 11) for number in answer)
    return None if right == settings["wanted"] else (right / settings["wanted"], f"{right} of them are primes.")
'''
SECRETS = (
    'women["age"].max()',
    "number / 2",
    "[2, 3, 5]",
    "Because nobody",
    "SOLUTION",
    "STUDENT",
    "# ANSWERS",
    "Answer(",
)
POINTS = {"oldest": 2, "halves": 3, "primes": 4, "why": 3}
WRONG = {"oldest": "oldest = 0", "halves": "def halves(numbers):\n    return numbers", "primes": "primes = [2, 3, 4]"}
FORGED = json.dumps(seal_answers("hw77", {"oldest": NumberAnswer(0, 0, 2, "my own")}, "pepper"))
WROTE = "<!-- WRITTEN why -->\nBecause I say so, and I am right."


def write_master(folder: Path, *cells: str) -> Path:
    made = [new_markdown_cell(c[3:]) if c.startswith("md:") else new_code_cell(c) for c in cells]
    for number, cell in enumerate(made):
        cell.id = f"c{number}"
    path = folder / "hw77_the_oldest.ipynb"
    nbformat.write(new_notebook(cells=made), path)
    (folder / "hw77_checks.py").write_text(CHECKS, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def small(tmp_path_factory) -> Path:
    texts = ("md:# A homework", SETUP, "md:## 1. Who is oldest?", OLDEST, HALVES, 'check("hw77.halves", halves)')
    return write_master(tmp_path_factory.mktemp("master"), *texts, PRIMES, "md:## 4. Why?", f"md:{WHY}", ANSWERS)


@pytest.fixture(scope="module")
def exported(small, tmp_path_factory) -> dict[str, Path]:
    """The folders with the sources of each grader; the homework is sealed once."""
    sealed = exporting.seal_notebook(nbformat.read(small, as_version=4), small)
    folders = {to: tmp_path_factory.mktemp(to) for to in ("nbgrader", "otter")}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(exporting, "seal_notebook", lambda *master: sealed)
        for to, folder in folders.items():
            export_homework(small, to, folder)
    return folders


def cells_of(path: Path) -> list:
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    return notebook.cells


def secrets_in(text: str) -> list[str]:
    return [secret for secret in SECRETS if secret in text]


def run_beside(path: Path, cells: list[str]) -> dict:
    """Run cells in the folder of a notebook, as a kernel does."""
    variables: dict = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(path.parent)
        for source in cells:
            exec(compile(source, path.name, "exec"), variables)  # noqa: S102 - our own notebook
    return variables


# What is written, without the graders.


def test_the_files_stand_where_the_graders_look(exported):
    for to, place in (("nbgrader", "source/hw77"), ("otter", "hw77")):
        files = {p.name for p in (exported[to] / place).iterdir()}
        assert files == {"hw77.ipynb", "hw77.json", "hw77_checks.py"}
    assert (exported["nbgrader"] / "nbgrader_config.py").is_file()
    assert not list(exported["otter"].glob("*.py"))


def test_nbgrader_cells_are_locked_solved_or_graded(exported):
    cells = cells_of(exported["nbgrader"] / "source" / "hw77" / "hw77.ipynb")
    kinds = {"given": (False, False, True), "answer": (False, True, False), "test": (True, False, True)}
    named = {kind: [] for kind in (*kinds, "words")}
    for cell in cells:
        meta = cell.metadata["nbgrader"]
        found = (meta["grade"], meta["solution"], meta["locked"])
        kind = next((kind for kind, flags in kinds.items() if flags == found), "words")
        named[kind].append(meta["grade_id"])
        assert meta["schema_version"] == 3
        assert meta["cell_type"] == cell.cell_type
        assert ("points" in meta) == meta["grade"]
        assert not cell.get("outputs")
    assert named["given"] == ["given-c0", "given-c1", "given-c2", "given-c5", "given-c7", "rubric-why"]
    assert named["answer"] == ["answer-c3", "answer-c4", "answer-c6"]
    assert (named["test"], named["words"]) == (["oldest", "halves", "primes"], ["why"])
    graded = {c.metadata["nbgrader"]["grade_id"]: c.metadata["nbgrader"].get("points") for c in cells}
    assert {name: graded[name] for name in POINTS} == POINTS
    without = "\n".join(re.sub("### BEGIN SOLUTION.*?### END SOLUTION", "", c.source, flags=re.S) for c in cells)
    assert not secrets_in(without)


def test_nbgrader_stubs_do_not_touch_the_solution(exported):
    path = exported["nbgrader"] / "source" / "hw77" / "hw77.ipynb"
    cells = {c.metadata["nbgrader"]["grade_id"]: c.source for c in cells_of(path)}
    assert cells["answer-c3"].startswith("oldest = ...\n### BEGIN SOLUTION\noldest = int(")
    assert cells["answer-c4"].endswith("    ### END SOLUTION\n    return ...")
    assert cells["answer-c6"].startswith("### BEGIN SOLUTION\nprimes")
    assert cells["why"].startswith("<!-- WRITTEN why -->\n### BEGIN SOLUTION\nBecause")
    variables = run_beside(path, [c.source for c in cells_of(path) if c.cell_type == "code"])
    assert variables["halves"]([4]) == [2]
    assert variables["oldest"] == variables["women"]["age"].max()


def test_otter_blocks_are_closed_and_hold_what_students_do_not_get(exported):
    cells = cells_of(exported["otter"] / "hw77" / "hw77.ipynb")
    marks = [c.source.splitlines()[0] for c in cells if c.cell_type == "raw"]
    question = [
        "# BEGIN QUESTION",
        "# BEGIN SOLUTION",
        "# END SOLUTION",
        "# BEGIN TESTS",
        "# END TESTS",
        "# END QUESTION",
    ]
    helped = [*question[:3], "# END QUESTION", "# BEGIN QUESTION", *question[3:]]
    words = ["# BEGIN QUESTION", "# BEGIN PROMPT", "# END PROMPT", *question[1:3], "# END QUESTION"]
    assert marks == ["# ASSIGNMENT CONFIG", *question, *helped, *question, *words]
    raw = [c.source for c in cells if c.cell_type == "raw" and "\n" in c.source]
    assert raw[0].splitlines()[1:3] == ['name: "hw77"', 'files: ["hw77.json", "hw77_checks.py"]']
    assert [tuple(json.loads(line.partition(": ")[2]) for line in one.splitlines()[1:]) for one in raw[1:]] == [
        ("oldest", False, 2),
        ("answer-c4", False, 0),
        ("halves", False, 3),
        ("primes", False, 4),
        ("why", True, 3),
    ]
    tests = [c.source for c in cells if c.source.startswith("def test_")]
    assert [re.findall(r"\w+", one.splitlines()[0])[1] for one in tests] == [
        "test_oldest_2",
        "test_halves_3",
        *(f"test_primes_{level}" for level in (1, 2, 3, 4)),
    ]
    text = re.sub("# BEGIN SOLUTION NO PROMPT.*?# END SOLUTION", "", "\n".join(c.source for c in cells), flags=re.S)
    text = re.sub("# BEGIN SOLUTION.*?# END SOLUTION|# (BEGIN|END) SOLUTION", "", text, flags=re.S)
    assert not secrets_in(text)
    oldest = next(c.source for c in cells if "oldest = int" in c.source)
    assert oldest.endswith('"""; # END PROMPT\ncheck("hw77.oldest", oldest)')


def test_an_answer_earns_its_points_or_raises_what_the_check_says(exported, monkeypatch, capsys):
    monkeypatch.chdir(exported["otter"] / "hw77")
    assert earned("hw77.primes", [2, 3, 5]) == 4
    assert repr(earned("hw77.primes", [2, 3, 4])) == "2.67"
    assert earned("hw77.primes", [2, 3, 4], 2) == 2.67
    for arguments, message in (
        (("hw77.primes", [2, 3, 4], 3), "2 of them are primes"),
        (("hw77.primes", [4]), "0 of them are primes"),
        (("hw77.primes", None), "should be a list"),
        (("hw77.oldest", ...), "Not answered yet"),
        (("hw77.halves", lambda numbers: numbers), "is not right"),
    ):
        with pytest.raises(AssertionError, match=message):
            earned(*arguments)
    assert capsys.readouterr().err == ""  # nbgrader takes that for a failure


def test_an_export_is_written_again_and_the_configuration_of_a_course_is_kept(small, exported, tmp_path, monkeypatch):
    sealed = ("hw77", (exported["otter"] / "hw77" / "hw77.json").read_text(encoding="utf-8"))
    monkeypatch.setattr(exporting, "seal_notebook", lambda *master: sealed)
    config = tmp_path / "nbgrader_config.py"
    config.write_text("mine", encoding="utf-8")
    first = export_homework(small, "nbgrader", tmp_path)
    before = [p.read_bytes() for p in first]
    assert [p.read_bytes() for p in export_homework(small, "nbgrader", tmp_path)] == before
    assert config.read_text(encoding="utf-8") == "mine"
    assert config not in first


def test_a_master_whose_questions_cannot_be_graded(tmp_path, exported, monkeypatch):
    sealed = ("hw77", (exported["otter"] / "hw77" / "hw77.json").read_text(encoding="utf-8"))
    monkeypatch.setattr(exporting, "seal_notebook", lambda *master: sealed)
    halves, why = 'check("hw77.halves", halves)', f"md:{WHY}"
    for cells, message in (
        ([OLDEST, PRIMES, why], r'has 0 cells with check\("hw77.halves", halves\)'),
        ([OLDEST, halves, halves, PRIMES, why], r'has 2 cells with check\("hw77.halves", halves\)'),
        ([OLDEST, halves, PRIMES], "has 0 cells with <!-- WRITTEN why -->"),
        ([OLDEST, f"{halves}\n{PRIMES}", why], "cell 'c1' has 2 questions"),
        ([OLDEST, f"md:{WHY[21:]}"], "cell 'c1' has a SOLUTION mark in text without a WRITTEN mark"),
        ([OLDEST, halves, PRIMES, why, 'check("hw77.more", more)'], "more.* has no answer in the cell # ANSWERS"),
    ):
        with pytest.raises(InputError, match=message):
            export_homework(write_master(tmp_path, *cells, ANSWERS), "otter", tmp_path / "out")
    assert not (tmp_path / "out").exists()


# With the graders themselves.


def bin_folder(tool: str) -> Path:
    """Return the folder with a grader that can use this package, or skip and say how to have it."""
    folder = os.environ.get("SYNTHLAB_GRADERS")
    how = (
        "`pip install nbgrader otter-grader` and this package into an environment of its own, and name its bin folder in "
        "SYNTHLAB_GRADERS"
    )
    found = shutil.which(tool, path=folder)
    if found is None:
        pytest.skip(f"{tool} is not here: {how}")
    place = Path(found).parent
    probe = subprocess.run(
        [place / "python", "-c", "import synthlab.lab.homework, ipykernel"], env=environment(place), capture_output=True
    )
    if probe.returncode:
        pytest.skip(f"the environment of {tool} has not what synthlab needs: {how}")
    return place


def environment(place: Path) -> dict[str, str]:
    path = os.pathsep.join([str(place), os.environ.get("PATH", "")])
    return {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT)}


def call(tool: str, *arguments: object, cwd: Path) -> str:
    place = bin_folder(tool)
    command = [str(place / tool), *map(str, arguments)]
    done = subprocess.run(command, cwd=cwd, env=environment(place), capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


READ_GRADEBOOK = """
import json
from nbgrader.api import Gradebook
with Gradebook("sqlite:///gradebook.db") as book:
    print(json.dumps({
        one.student.id: {
            grade.cell.name: [grade.auto_score, grade.max_score, bool(grade.needs_manual_grade)]
            for notebook in one.notebooks for grade in notebook.grades
        }
        for one in book.assignment_submissions("HOMEWORK")
    }))
"""


def gradebook(course: Path, homework: str) -> dict[str, dict[str, list]]:
    place = bin_folder("nbgrader")
    code = READ_GRADEBOOK.replace("HOMEWORK", homework)
    found = subprocess.run(
        [place / "python", "-c", code], cwd=course, env=environment(place), capture_output=True, text=True, check=True
    )
    return json.loads(found.stdout)


def submit(course: Path, student: str, homework: str, sources: dict[str, str]) -> Path:
    """Put a released notebook with some of its cells replaced where nbgrader collects submissions."""
    path = course / "release" / homework / f"{homework}.ipynb"
    notebook = nbformat.read(path, as_version=4)
    for cell in notebook.cells:
        cell.source = sources.get(cell.metadata["nbgrader"]["grade_id"], cell.source)
    target = course / "submitted" / student / homework / path.name
    target.parent.mkdir(parents=True)
    nbformat.write(notebook, target)
    return target


def solved(course: Path, homework: str) -> dict[str, str]:
    """Return the cells with the solutions of a source of nbgrader."""
    cells = cells_of(course / "source" / homework / f"{homework}.ipynb")
    return {c.metadata["nbgrader"]["grade_id"]: c.source for c in cells if c.metadata["nbgrader"]["solution"]}


@pytest.mark.slow
def test_nbgrader_grades_right_wrong_and_forged_submissions(exported):
    bin_folder("nbgrader")
    course = exported["nbgrader"]
    call("nbgrader", "generate_assignment", "hw77", cwd=course)
    release = course / "release" / "hw77"
    assert {p.name for p in release.iterdir()} == {"hw77.ipynb", "hw77.json", "hw77_checks.py"}
    assert not secrets_in("\n".join(p.read_text(encoding="utf-8").replace('\\"', '"') for p in release.iterdir()))
    cells = {c.metadata["nbgrader"]["grade_id"]: c.source for c in cells_of(release / "hw77.ipynb")}
    assert cells["answer-c3"] == 'oldest = ...\n# your code\ncheck("hw77.oldest", oldest)'
    assert cells["answer-c4"].endswith("    # your code\n    return ...")
    assert cells["why"] == "<!-- WRITTEN why -->\n*Your answer here.*"

    submit(course, "right", "hw77", solved(course, "hw77") | {"why": WROTE})
    submit(
        course,
        "wrong",
        "hw77",
        {"answer-c3": WRONG["oldest"], "answer-c4": WRONG["halves"], "answer-c6": WRONG["primes"]},
    )
    forged = submit(course, "forged", "hw77", {"answer-c3": "oldest = 0", "oldest": "2.0", "given-c1": "check = print"})
    forged.with_name("hw77.json").write_text(FORGED, encoding="utf-8")
    call("nbgrader", "autograde", "hw77", "--create", cwd=course)
    found = gradebook(course, "hw77")
    assert {name: most for name, (_, most, _) in found["right"].items()} == POINTS
    assert found["right"]["why"][2]  # a person is to read it
    points = {
        student: [grades[name][0] for name in ("oldest", "halves", "primes")] for student, grades in found.items()
    }
    assert points == {"right": [2, 3, 4], "wrong": [0, 0, 2.67], "forged": [0, 0, 0]}


@pytest.mark.slow
def test_otter_grades_right_and_forged_submissions(exported, tmp_path):
    bin_folder("otter")
    folder = exported["otter"] / "hw77"
    said = call("otter", "assign", "hw77.ipynb", "dist", "-v", cwd=folder)
    assert "All autograder tests passed" in said
    student = folder / "dist" / "student"
    assert {p.name for p in student.iterdir()} == {"hw77.ipynb", "hw77.json", "hw77_checks.py"}
    assert not secrets_in("\n".join(p.read_text(encoding="utf-8").replace('\\"', '"') for p in student.iterdir()))
    texts = [c.source for c in cells_of(student / "hw77.ipynb")]
    assert 'oldest = ...\ncheck("hw77.oldest", oldest)' in texts
    assert "<!-- WRITTEN why -->\n*Your answer here.*" in texts

    right = folder / "dist" / "autograder" / "hw77.ipynb"
    notebook = nbformat.read(student / "hw77.ipynb", as_version=4)
    for cell in notebook.cells:
        for name, source in WRONG.items():
            cell.source = source if cell.source.startswith((f"{name} = ...", f"def {name}(")) else cell.source
        cell.source = WRONG["primes"] if cell.source.startswith("# your code\ncheck(") else cell.source
    wrong = tmp_path / "wrong.zip"  # as students submit it, here with sealed answers of their own
    with ZipFile(wrong, "w") as archive:
        archive.writestr("hw77.ipynb", nbformat.writes(notebook))
        archive.writestr("hw77.json", FORGED)
    assert otter_points(right, folder, tmp_path / "right") == {"oldest": 2, "halves": 3, "primes": 4}
    assert otter_points(wrong, folder, tmp_path / "wrong") == {"oldest": 0, "halves": 0, "primes": 2}


def otter_points(notebook: Path, folder: Path, out: Path) -> dict[str, float]:
    """Return the points ``otter run`` gives."""
    (archive,) = (folder / "dist" / "autograder").glob("*.zip")
    out.mkdir()
    call("otter", "run", notebook, "-a", archive, "-o", out, cwd=out)
    tests = json.loads((out / "results.json").read_text(encoding="utf-8"))["tests"]
    return {one["name"]: one["score"] for one in tests if one["name"] != "Public Tests"}


@pytest.mark.slow
@pytest.mark.skipif(not MASTERS, reason="course/instructor, with the masters, is not here")
def test_a_homework_of_the_course_in_both_graders(tmp_path):
    """Its solution has all points, and students get none of it."""
    master_path = MASTERS[0]
    bin_folder("nbgrader")
    path, *_ = export_homework(master_path, "nbgrader", tmp_path)
    homework = path.stem
    questions = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))["questions"]
    original = "\n".join(c.source for c in nbformat.read(master_path, as_version=4).cells)
    solutions = re.findall("SOLUTION BEGIN.*?\n(.*?)^ *(?:#|<!--) SOLUTION END", original, flags=re.S | re.M)
    student = "\n".join(c.source for c in make_version(master_path, "student").cells)
    secret = {line.strip() for text in solutions for line in text.splitlines() if "STUDENT" not in line}
    secret = {line for line in secret if len(line) > 14 and line not in student}
    assert len(secret) > 5

    call("nbgrader", "generate_assignment", homework, cwd=tmp_path)
    released = "\n".join(c.source for c in cells_of(tmp_path / "release" / homework / f"{homework}.ipynb"))
    assert not [line for line in secret if line in released]
    submit(tmp_path, "right", homework, solved(tmp_path, homework))
    call("nbgrader", "autograde", homework, "--create", cwd=tmp_path)
    found = gradebook(tmp_path, homework)["right"]
    assert {name: score for name, (score, _, by_hand) in found.items() if not by_hand} == {
        name: kept["points"] for name, kept in questions.items() if kept["kind"] != "written"
    }

    bin_folder("otter")
    path, *_ = export_homework(master_path, "otter", tmp_path)
    assert "All autograder tests passed" in call("otter", "assign", path.name, "dist", "-v", cwd=path.parent)
    given = "\n".join(c.source for c in cells_of(path.parent / "dist" / "student" / path.name))
    assert not [line for line in secret if line in given]
