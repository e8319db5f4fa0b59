"""Editions: a student sees no answer, a teacher everything, and what was changed in a copy stays."""

from __future__ import annotations

import ast
import json
import re
import shutil
import subprocess
from pathlib import Path

import nbformat
import numpy as np
import pandas as pd
import pytest
from nbclient import NotebookClient
from typer.testing import CliRunner

from synthlab.cli import app
from synthlab.exceptions import InputError
from synthlab.teaching import cell_tags, check, data_file
from synthlab.teaching.editions import filled_version, student_version, write_edition, write_solutions
from synthlab.teaching.slides import divided, write_slides
from tests.course.test_notebooks_meta import is_turn, lectures

COURSE = Path(__file__).resolve().parents[2] / "course"


@pytest.fixture(scope="module")
def student(tmp_path_factory):
    return write_edition("student", tmp_path_factory.mktemp("course") / "student", source=COURSE)


@pytest.fixture(scope="module")
def teacher(tmp_path_factory):
    return write_edition("teacher", tmp_path_factory.mktemp("course") / "teacher", source=COURSE)


def notebooks(edition):
    return [nbformat.read(path, as_version=4) for path in edition.written if path.suffix == ".ipynb"]


def names(edition):
    return {path.relative_to(edition.folder).as_posix() for path in edition.written}


def test_a_student_sees_no_output_and_no_solution(student):
    assert len(notebooks(student)) >= 15
    for notebook in notebooks(student):
        assert not any(cell.get("outputs") or cell.get("execution_count") for cell in notebook.cells)
        assert not any("solution" in cell_tags.tags(cell) for cell in notebook.cells)
        assert not any("SOLUTION" in cell.source for cell in notebook.cells)
        assert not any(
            "nbval" in str(cell_tags.tags(cell)) or cell.source.startswith("## Time plan") for cell in notebook.cells
        )
    assert not any("solution" in name or "instructor" in name for name in names(student))


def code_of(path: Path, is_answer) -> set[str]:
    cells = nbformat.read(path, as_version=4).cells
    return {cell.source.strip() for cell in cells if cell.cell_type == "code" and is_answer(cell)}


def test_no_answer_of_a_lecture_or_a_master_is_in_the_student_edition(student):
    answers = set()
    for path in lectures():
        own = code_of(path, lambda cell: "solution" not in cell_tags.tags(cell))
        answers |= code_of(path, lambda cell: "solution" in cell_tags.tags(cell)) - own
    for path in (COURSE / "instructor").glob("hw*.ipynb"):
        answers |= code_of(path, lambda cell: "BEGIN SOLUTION" in cell.source)
    long = [answer for answer in answers if len(answer) > 60]
    assert len(long) > 50
    texts = "\n".join(cell.source for notebook in notebooks(student) for cell in notebook.cells)
    assert [answer for answer in long if answer in texts] == []


def test_the_student_edition_names_no_file_for_lecturers(student):
    mention = re.compile(
        r"course/(instructor|solutions)|solutions/\w+|_solutions|instructor/|pages/(write_a|publ|teach)"
    )
    read = [path for path in student.written if path.suffix in (".md", ".ipynb")]
    found = {str(path): mention.findall(path.read_text(encoding="utf-8")) for path in read}
    assert {name: what for name, what in found.items() if what} == {}
    assert all(
        cell.source for notebook in notebooks(student) for cell in notebook.cells if cell.cell_type == "markdown"
    )


def test_solutions_are_released_lecture_by_lecture(tmp_path):
    edition = write_solutions(["8", "09b"], tmp_path, source=COURSE)
    assert sorted(names(edition)) == [
        "08_identification_risk_matching_completed.ipynb",
        "09b_record_linkage_completed.ipynb",
        "solutions/08_identification_risk_matching_solutions.ipynb",
        "solutions/09b_record_linkage_solutions.ipynb",
    ]
    solved = code_of(tmp_path / "08_identification_risk_matching_completed.ipynb", lambda _: True)
    assert any(source.startswith("# your turn\ndef matches(truth") for source in solved)
    write_edition("student", tmp_path, source=COURSE)
    for path in edition.written:
        text = path.read_text(encoding="utf-8")
        assert "NBVAL" not in text
        for goal in re.findall(r"\]\(([^)#:\s]+)(?:#[^)\s]*)?\)", text):
            assert (path.parent / goal).exists(), f"{path.name}: {goal}"
    with pytest.raises(InputError, match="no solutions of '17'; there are 1, 2,"):
        write_solutions(["8", "17"], tmp_path, source=COURSE)


def test_a_file_that_is_no_notebook_is_named(tmp_path):
    (tmp_path / "course").mkdir()
    (tmp_path / "course" / "01_one.ipynb").write_text("{}", encoding="utf-8")
    with pytest.raises(InputError, match=r"'01_one.ipynb': the notebook cannot be read"):
        write_edition("student", tmp_path / "out", source=tmp_path / "course")
    assert not (tmp_path / "out").exists()


def test_a_student_gets_all_of_the_homework_and_no_master(student):
    own = {p.relative_to(COURSE).as_posix() for p in (COURSE / "homework").iterdir() if p.is_file()}
    assert own
    assert {name for name in names(student) if name.startswith("homework/")} == own
    assert not (student.folder / "instructor").exists()
    for name in own:
        assert "CLASS = 1" in (student.folder / name).read_text(encoding="utf-8") or not name.endswith(".ipynb")


def test_a_teacher_sees_the_course_as_it_is(teacher):
    own = {p.relative_to(COURSE).as_posix() for p in COURSE.rglob("*.ipynb") if ".ipynb_checkpoints" not in p.parts}
    assert {name for name in names(teacher) if name.endswith(".ipynb")} == own
    path = teacher.folder / "08_identification_risk_matching.ipynb"
    assert any(cell.get("outputs") for cell in nbformat.read(path, as_version=4).cells)


@pytest.mark.parametrize("kind", ["student", "teacher"])
def test_every_link_of_an_edition_leads_somewhere(kind, request):
    edition = request.getfixturevalue(kind)
    for path in (p for p in edition.written if p.suffix in (".md", ".ipynb")):
        for goal in re.findall(r"\]\(([^)#:\s]+)(?:#[^)\s]*)?\)", path.read_text(encoding="utf-8")):
            assert (path.parent / goal).exists(), f"{path.name}: {goal}"


def test_what_was_changed_is_kept_and_the_rest_is_written_again(tmp_path):
    first = write_edition("student", tmp_path / "mine", source=COURSE)
    changed, gone = first.written[:2]
    changed.write_text("my own notes", encoding="utf-8")
    gone.unlink()
    again = write_edition("student", tmp_path / "mine", source=COURSE)
    assert changed.read_text(encoding="utf-8") == "my own notes"
    assert again.kept == (changed,)
    assert gone in again.written


def test_a_file_that_was_there_before_is_not_written_over(tmp_path):
    (tmp_path / "README.md").write_text("mine", encoding="utf-8")
    assert write_edition("student", tmp_path, source=COURSE).kept == (tmp_path / "README.md",)


def test_the_course_itself_is_not_written_over(tmp_path):
    with pytest.raises(InputError, match="is inside the course"):
        write_edition("teacher", COURSE / "build", source=COURSE)
    with pytest.raises(InputError, match="contains no notebook"):
        write_edition("teacher", tmp_path / "a", source=tmp_path)
    with pytest.raises(InputError, match="kind="):
        write_edition("pupil", tmp_path / "a", source=COURSE)


def test_the_command_says_what_was_written_and_kept(tmp_path):
    said = CliRunner().invoke(app, ["course", "student", str(tmp_path / "a"), "--source", str(COURSE)]).output
    assert re.search(r"\d+ files of the student edition written to", said)
    (tmp_path / "a" / "README.md").write_text("mine", encoding="utf-8")
    said = CliRunner().invoke(app, ["course", "student", str(tmp_path / "a"), "--source", str(COURSE)]).output
    assert "kept because it was changed: README.md" in said


def test_running_and_saving_a_copy_leaves_the_checkout_clean(tmp_path):
    """`make course` opens a copy: a notebook of it is run and saved, and git sees nothing new."""
    root = tmp_path / "checkout"
    (root / "course").mkdir(parents=True)
    for path in (*COURSE.glob("08_*.ipynb"), COURSE / "README.md"):
        (root / "course" / path.name).write_bytes(path.read_bytes())
    (root / ".gitignore").write_bytes((COURSE.parent / ".gitignore").read_bytes())
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b", "-C", str(root)]
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "course"]):
        subprocess.run([*git, *command], check=True, capture_output=True)
    edition = write_edition("student", root / "build" / "course" / "student", source=root / "course")
    path = edition.folder / "08_identification_risk_matching.ipynb"
    notebook = nbformat.read(path, as_version=4)
    notebook.cells = [nbformat.v4.new_code_cell("1 + 1")]
    NotebookClient(notebook, kernel_name="python3").execute()
    nbformat.write(notebook, path)
    assert notebook.cells[0].outputs
    assert subprocess.run([*git, "status", "--porcelain"], check=True, capture_output=True, text=True).stdout == ""


def names_of(cells, kind):
    """Return the names that cells set (ast.Store) or use (ast.Load); a function that is defined is set."""
    found = set()
    for cell in cells:
        tree = ast.parse("\n".join(line for line in cell.source.splitlines() if not line.startswith("%")))
        found |= {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, kind)}
        if kind is ast.Store:
            found |= {n.name for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)}
            found |= {n.arg for n in ast.walk(tree) if isinstance(n, ast.arg)}
    return found


CHOICE = re.compile(r'own_or_solution\(\s*"[\w.]+", \w+\s*\)')  # runs with an empty function, too


def needs_a_turn(notebook) -> set[str]:
    """Return the names that cells of every edition use and that only a turn or its solution sets."""
    code = [c for c in notebook.cells if c.cell_type == "code" and not c.source.startswith("%%R")]
    own = [c for c in code if is_turn(c) or "solution" in cell_tags.tags(c)]
    rest = [c for c in code if c not in own]
    chosen = [
        {**c, "source": CHOICE.sub("None", c.source)}
        for c in rest
        if not c.source.startswith(("check(", "display(check("))
    ]
    uses = names_of([nbformat.from_dict(c) for c in chosen], ast.Load)
    return (names_of(own, ast.Store) & uses) - names_of(rest, ast.Store)


@pytest.mark.parametrize("path", lectures(), ids=lambda p: p.stem)
def test_no_cell_of_a_lecture_needs_what_the_student_writes(path):
    """So the run of the lecture itself, in `make test`, is that of the student edition, empty or filled in."""
    assert needs_a_turn(nbformat.read(path, as_version=4)) == set()


def test_a_cell_that_needs_what_the_student_writes_is_seen():
    cells = [
        ("# your turn\ndef f(x):\n    ...", []),
        ("def f(x):\n    y = x\n    return y", ["solution"]),
        ("f(1)", []),
    ]
    made = [nbformat.v4.new_code_cell(source, metadata={"tags": tags}) for source, tags in cells]
    assert needs_a_turn(nbformat.v4.new_notebook(cells=made)) == {"f"}
    for source in ('check("00.f", f)', 'used = own_or_solution("00.f", f)\nused(1)'):
        made[2].source = source
        assert needs_a_turn(nbformat.v4.new_notebook(cells=made)) == set()


@pytest.mark.parametrize("path", lectures(), ids=lambda p: p.stem)
def test_the_solution_of_a_turn_passes_its_check(path):
    """As `filled_version` puts it in the student's place."""
    notebook = nbformat.read(path, as_version=4)
    filled = [c.source for c in filled_version(notebook).cells if c.source.startswith("# your turn")]
    asked = re.findall(r'check\("([\w.]+)", (\w+)[,)]', "\n".join(c.source for c in notebook.cells))
    names = {"np": np, "pd": pd, "rng": np.random.default_rng(0)}
    imports = [
        line for c in notebook.cells for line in c.source.splitlines() if re.match(r"(import|from) [\w.]+", line)
    ]
    exec("\n".join([line for line in imports if is_code(line)] + functions(notebook) + filled), names)  # noqa: S102 - the lecture's own code
    assert asked
    for exercise, function in asked:
        assert check(exercise, names[function]).passed, exercise


def functions(notebook) -> list[str]:
    """Return the functions that the lecture itself defines."""
    code = [c for c in notebook.cells if c.cell_type == "code" and not c.source.startswith("%%") and not is_turn(c)]
    shown = ["\n".join(line for line in c.source.splitlines() if not line.startswith("%")) for c in code]
    return [ast.unparse(n) for source in shown for n in ast.parse(source).body if isinstance(n, ast.FunctionDef)]


def is_code(line) -> bool:
    try:
        ast.parse(line)
    except SyntaxError:
        return False
    return True


QUICK = ("02", "12")


def runs():
    return [pytest.param(p, id=p.stem, marks=() if p.stem[:2] in QUICK else pytest.mark.editions) for p in lectures()]


@pytest.mark.parametrize("fill", [student_version, filled_version], ids=["empty", "filled"])
@pytest.mark.parametrize("path", runs())
def test_a_student_can_run_a_lecture_from_top_to_bottom(path, fill):
    """Two lectures in `make test`, all of them in `make editions`."""
    notebook = fill(nbformat.read(path, as_version=4))
    NotebookClient(
        notebook, kernel_name="python3", timeout=300, resources={"metadata": {"path": str(COURSE)}}
    ).execute()
    said = [str(o.get("data", {}).get("text/plain", "")) for c in notebook.cells for o in c.get("outputs", ())]
    checks = [found for text in said for found in re.findall(r"\d\db?\.\w+: (right|not yet)", text)]
    assert len(checks) >= sum(map(is_turn, notebook.cells))
    assert set(checks) == {"right" if fill is filled_version else "not yet"}, said


def test_slides_have_the_sections_and_not_the_hidden_code(tmp_path):
    (tmp_path / "course").mkdir()
    shutil.copy(COURSE / "08_identification_risk_matching.ipynb", tmp_path / "course")
    (path,) = write_slides(tmp_path / "course", tmp_path)
    page = path.read_text(encoding="utf-8")
    assert page.count("<section") > 10
    assert "Reveal.initialize" in page
    loaded = re.findall(r"""<(?:script|link)[^>]*(?:src|href)="([^"]*)""", page)
    assert len(loaded) >= 5
    assert all((tmp_path / name).is_file() for name in loaded)  # nothing comes from the web
    with pytest.raises(InputError, match="contains no lecture"):
        write_slides(tmp_path, tmp_path / "none")


def test_a_slide_is_divided_where_it_would_be_higher_than_the_screen():
    text = [nbformat.v4.new_markdown_cell("word " * 300, metadata={"slideshow": {"slide_type": "-"}}) for _ in range(4)]
    notebook = divided(nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell("# Title"), *text]))
    assert [c.metadata["slideshow"]["slide_type"] for c in notebook.cells[1:]] == [
        "-",
        "subslide",
        "subslide",
        "subslide",
    ]
    short = [nbformat.v4.new_code_cell("1", metadata={"slideshow": {"slide_type": "-"}}) for _ in range(4)]
    assert {c.metadata["slideshow"]["slide_type"] for c in divided(nbformat.v4.new_notebook(cells=short)).cells} == {
        "-"
    }


@pytest.mark.editions
def test_there_are_slides_of_every_lecture(tmp_path):
    written = [path.name.removesuffix(".slides.html") for path in write_slides(COURSE, tmp_path)]
    assert written == [path.stem for path in lectures()]


def test_files_of_the_data_folder_are_found_by_name_alone():
    assert (data_file("foreign") / "README.md").is_file()
    for name in ("../pyproject.toml", "nothing_of_this_name"):
        with pytest.raises(InputError, match="does not exist in the data folder"):
            data_file(name)


def test_the_record_of_what_was_written_can_be_damaged(tmp_path):
    edition = write_edition("student", tmp_path, source=COURSE)
    (tmp_path / ".synthlab-edition.json").write_text(json.dumps([1]), encoding="utf-8")
    assert write_edition("student", tmp_path, source=COURSE).kept == ()
    assert edition.folder == tmp_path.resolve()


def test_the_marks_do_not_change_when_they_are_set_again():
    notebook = nbformat.read(COURSE / "08_identification_risk_matching.ipynb", as_version=4)
    once = json.dumps(cell_tags.mark(notebook))
    assert json.dumps(cell_tags.mark(notebook)) == once
