"""Versions of a master: what students get, what the solution shows, and marks that are wrong."""

from __future__ import annotations

import importlib
import json
import re
import subprocess
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from synthlab.exceptions import InputError, SameAnswersWarning
from synthlab.lab.homework import beside, make_version, seal_master, write_versions
from synthlab.lab.homework.versions import (
    class_number,
    is_answers,
    notebook_text,
    read_notebook,
    solutions_of,
    telling_lines,
)
from tests.lab.homework.mastered import MasterTests

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
MASTERS = sorted((ROOT / "course" / "instructor").glob("hw*.ipynb"))
HOMEWORK = ROOT / "course" / "homework"
SEALED = ROOT / "synthlab" / "lab" / "homework" / "answers"
IN_A_KERNEL = "hw1_the_secret_ballot"

FUNCTION = """def area(r):
    # SOLUTION BEGIN
    # STUDENT: return ...
    return 3 * r**2
    # SOLUTION END


area(1)"""
ANSWERS = """# ANSWERS
from synthlab.lab.homework import NumberAnswer
homework, salt = "hw7", "s"
answers = {"area": NumberAnswer(area(1), 0.1, 1, "an area")}"""


def master(tmp_path, *cells):
    made = [
        new_markdown_cell(c[3:], id=f"c{i}") if c.startswith("md:") else new_code_cell(c, id=f"c{i}")
        for i, c in enumerate(cells)
    ]
    path = tmp_path / "hw7_area.ipynb"
    nbformat.write(new_notebook(cells=made), path)
    return path


def sources(notebook):
    return [c.source for c in notebook.cells]


def test_code_and_text_are_blanked_and_revealed(tmp_path):
    text = (
        "md:## Why?\n<!-- WRITTEN why -->\n<!-- SOLUTION BEGIN -->\nBecause.\n\nOf this.\n<!-- SOLUTION END -->\nEnd."
    )
    path = master(tmp_path, FUNCTION, text, "# SOLUTION BEGIN\nx = 1\n# SOLUTION END\nprint(2)", ANSWERS)
    assert sources(make_version(path, "student")) == [
        "def area(r):\n    return ...\n\n\narea(1)",
        "## Why?\n<!-- WRITTEN why -->\n*Your answer here.*\nEnd.",
        "# your code\nprint(2)",
    ]
    assert sources(make_version(path, "solution")) == [
        "def area(r):\n    return 3 * r**2\n\n\narea(1)",
        "## Why?\n<!-- WRITTEN why -->\nBecause.\n\nOf this.\nEnd.",
        "x = 1\nprint(2)",
    ]


def test_the_number_of_a_class_takes_the_place_of_the_masters_own(tmp_path):
    path = master(tmp_path, "x = 0\nCLASS = 1\ny = CLASS", FUNCTION, ANSWERS)
    assert sources(make_version(path, "student"))[0] == "x = 0\nCLASS = 1\ny = CLASS"
    for kind in ("student", "solution"):
        made = make_version(path, kind, seed="Statistics 310, fall 2026")
        assert sources(made)[0] == "x = 0\nCLASS = 230517\ny = CLASS"
    numbers = {class_number(f"class {i}") for i in range(1000)}
    assert len(numbers) > 990
    assert min(numbers) >= 1
    assert max(numbers) <= 999_999
    for seed in ("", " "):
        with pytest.raises(InputError, match="seed: must be a text that names the class"):
            make_version(path, "student", seed=seed)


@pytest.mark.parametrize(
    ("cells", "count"),
    [
        ((FUNCTION,), 0),
        (("CLASS = 1  # mine", FUNCTION), 0),
        (("md:CLASS = 1", FUNCTION), 0),
        (("CLASS = 1", FUNCTION, "CLASS = 2"), 2),
        (("# SOLUTION BEGIN\nCLASS = 1\n# SOLUTION END", FUNCTION), 1),
    ],
)
def test_a_seed_wants_one_line_with_the_class(tmp_path, cells, count):
    path = master(tmp_path, *cells)
    make_version(path, "student")
    with pytest.raises(InputError, match=f"has {count} lines `CLASS = 1`; for a seed it must have one"):
        make_version(path, "student", seed="fall")


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        ("#SOLUTION BEGIN\nx = 1\n#SOLUTION END", "without its partner"),
        ("# Solution begin\nx = 1\n# Solution end", "would show students '# Solution begin'; is a mark misspelt"),
        ("md:<!--SOLUTION-->\nBecause.", "would show students '<!--SOLUTION'"),
        ("# STUDENT: x = ...\nx = 1", "would show students '# STUDENT:'"),
        ("#ANSWERS\nanswers = {'area': NumberAnswer(3, 1, 1, 'x')}", "would show students 'NumberAnswer'"),
        ("md:<!-- WRITTEN why -->\nBecause.", "has the mark WRITTEN, and no solution in it to blank"),
        ("surface = lambda r: 1\nreturn_value = 3 * r**2 + 0", None),
        ("# circle = 3.14159 * radius**2", "would show students a line of a solution"),
        ("md:To check:\n\n    circle = 3.14159 * radius**2", "would show students a line of a solution"),
    ],
)
def test_no_solution_is_left_for_students(tmp_path, cell, message):
    solved = "# SOLUTION BEGIN\nimport numpy as np\ncircle = 3.14159 * radius**2\n# SOLUTION END"
    path = master(tmp_path, "import numpy as np\nradius = 1", solved, cell, ANSWERS)
    if message is None:
        assert sources(make_version(path, "student"))[-1] == cell
        return
    with pytest.raises(InputError, match=f"cell 'c2' .*{re.escape(message)}"):
        make_version(path, "student")


def test_a_written_answer_is_known_by_the_metadata_of_its_cell(tmp_path):
    text = "md:<!-- WRITTEN why -->\n<!-- SOLUTION BEGIN -->\nBecause.\n<!-- SOLUTION END -->"
    for kind in ("student", "solution"):
        made = make_version(master(tmp_path, FUNCTION, text, ANSWERS), kind)
        assert [cell.metadata for cell in made.cells] == [{}, {"synthlab": {"written": "why"}}]
    nbformat.validate(made)


# Of the course: what students get is what `make` writes, and holds nothing of the solution.


def test_every_homework_has_its_student_edition_and_its_sealed_answers():
    editions = sorted(path.name for path in HOMEWORK.glob("*.ipynb"))
    assert editions == [path.name for path in MASTERS]
    assert editions
    tracked = subprocess.run(["git", "ls-files", HOMEWORK], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    assert all(name.endswith((".ipynb", ".md", ".csv")) for name in tracked.split())
    assert {path.name.partition("_")[0] for path in MASTERS} == {path.stem for path in SEALED.glob("*.json")}


@pytest.mark.parametrize("path", MASTERS, ids=lambda path: path.stem)
def test_the_student_edition_is_that_of_its_master(path):
    made = make_version(path, "student")
    assert (HOMEWORK / path.name).read_text(encoding="utf-8") == notebook_text(made), (
        f"python -m synthlab.cli homework make {path.relative_to(ROOT)} --out build/homework, and copy it from there"
    )
    nbformat.validate(made)
    assert all(not c.outputs and c.execution_count is None for c in made.cells if c.cell_type == "code")
    assert sum(line == "CLASS = 1" for cell in made.cells for line in cell.source.splitlines()) == 1


@pytest.mark.parametrize("path", sorted(p for p in HOMEWORK.rglob("*") if p.is_file()), ids=lambda path: path.name)
def test_no_file_for_students_holds_a_line_of_a_solution(path):
    masters = [read_notebook(one) for one in MASTERS if path.suffix != ".ipynb" or path.name == one.name]
    bodies = [body for one in masters for body in solutions_of(one)]
    sealed = [cell.source for one in masters for cell in one.cells if is_answers(cell)]
    secret = {line for body in bodies for line in telling_lines(body)}
    secret |= {line for source in sealed for line in telling_lines(source) if "Answer" in line}
    assert len(secret) > 5
    text = path.read_text(encoding="utf-8")
    shown = "\n".join(c.source for c in read_notebook(path).cells) if path.suffix == ".ipynb" else text
    assert secret & {line.strip() for line in shown.splitlines()} == set()
    assert not re.search(r"SOLUTION (BEGIN|END)|# ANSWERS|(Number|Function|Property|Written)Answer", shown)


def in_a_kernel():
    """One master in `make test`, where `mastered.MasterTests` holds the answers of each; all of them in `make class`."""
    return [pytest.param(p, id=p.stem, marks=() if p.stem == IN_A_KERNEL else pytest.mark.classes) for p in MASTERS]


@pytest.mark.slow
@pytest.mark.parametrize("path", in_a_kernel())
def test_the_sealed_answers_are_those_of_the_master(path):
    name, text = seal_master(path)
    assert path.name.startswith(f"{name}_")
    for file, content in beside(path, name, text).items():
        assert (SEALED / file).read_bytes() == content


def test_each_master_has_tests_that_hold_its_sealed_answers_and_what_is_beside_it_is_sealed():
    modules = [importlib.import_module(f"tests.lab.homework.{path.stem}") for path in HERE.glob("test_hw*.py")]
    assert sorted(one.TestMaster.stem for one in modules) == [path.stem for path in MASTERS]
    assert all(issubclass(one.TestMaster, MasterTests) for one in modules)
    assert IN_A_KERNEL in {path.stem for path in MASTERS}
    for path in MASTERS:
        name = path.stem.partition("_")[0]
        sealed = (SEALED / f"{name}.json").read_text(encoding="utf-8")
        for file, content in beside(path, name, sealed).items():
            assert (SEALED / file).read_bytes() == content


def test_marks_without_partner_and_notebooks_that_are_none(tmp_path):
    with pytest.raises(InputError, match="cell 'c0' has a SOLUTION mark without its partner"):
        make_version(master(tmp_path, "# SOLUTION BEGIN\nx = 1"), "student")
    with pytest.raises(InputError, match="has no SOLUTION marks"):
        make_version(master(tmp_path, "x = 1"), "student")
    with pytest.raises(InputError, match="kind='teacher'"):
        make_version(master(tmp_path, "x = 1"), "teacher")
    broken = tmp_path / "broken.ipynb"
    broken.write_text("no json")
    for path in (broken, tmp_path / "absent.ipynb"):
        with pytest.raises(InputError, match="is no notebook that can be read"):
            make_version(path, "student")


def test_sealing_runs_the_master(tmp_path):
    checked = 'from synthlab.lab.homework import check\ncheck("hw7.area", area(1))'  # not sealed yet
    name, text = seal_master(master(tmp_path, FUNCTION, checked, ANSWERS))
    kept = json.loads(text)
    assert (name, kept["salt"], list(kept["questions"])) == ("hw7", "s", ["area"])
    assert text.endswith("}\n")
    with pytest.raises(InputError, match="has 0 cells marked # ANSWERS"):
        seal_master(master(tmp_path, FUNCTION))


CLASSED = """# ANSWERS
from synthlab.lab.homework import FunctionAnswer, NumberAnswer, PropertyAnswer, WrittenAnswer
homework, salt = "hw7", "s"
answers = {
    "size": NumberAnswer(10 * CLASS, 0.1, 1, "a size"),
    "area": FunctionAnswer(area, [(1,), (2,)], 1, "an area"),
    "shape": PropertyAnswer("round_shape", 1, "a shape"),
    "why": WrittenAnswer({"says why": 1}, "why", fewest=1),
}"""
SIZE = "# SOLUTION BEGIN\n# STUDENT: size = ...\nsize = 10 * CLASS + MORE\n# SOLUTION END\ncheck('hw7.size', size)"
WHY = "md:<!-- WRITTEN why -->\n<!-- SOLUTION BEGIN -->\nBecause.\n<!-- SOLUTION END -->"
SHAPE = "def round_shape(answer, settings):\n    return None if answer == 'circle' else 'it has corners.'\n"


def own(tmp_path, more="0", shape="# SOLUTION BEGIN\n# STUDENT: shape = ...\nshape = 'circle'\n# SOLUTION END"):
    (tmp_path / "masters").mkdir(exist_ok=True)
    (tmp_path / "masters" / "hw7_checks.py").write_text(SHAPE)
    (tmp_path / "masters" / "hw7_data").mkdir(exist_ok=True)
    (tmp_path / "masters" / "hw7_data" / "more.bin").write_bytes(b"\xff" + more.encode())
    read = "int(open('hw7_data/more.bin', 'rb').read()[1:])"
    first = f"from synthlab.lab.homework import check\nCLASS = 1\nMORE = {read}"
    return master(tmp_path / "masters", first, SIZE, FUNCTION, shape, WHY, CLASSED)


@pytest.mark.slow
def test_what_is_made_for_a_class(tmp_path):
    """Both versions with all they need beside them, run as they are handed out; other numbers than the master's."""
    path = own(tmp_path)
    with pytest.warns(SameAnswersWarning, match="^area: the same for this class as in the master"):
        written = write_versions(path, tmp_path / "fall", seed="fall")
    files = ("hw7_area.ipynb", "hw7.json", "hw7_checks.py", "hw7_data/more.bin")
    assert [p.relative_to(tmp_path / "fall").as_posix() for p in written] == [
        f"{kind}/{file}" for kind in ("student", "solution") for file in files
    ]
    assert (tmp_path / "fall" / "student" / "hw7_area.ipynb").read_text() == notebook_text(
        make_version(path, "student", seed="fall")
    )
    kept = json.loads((tmp_path / "fall" / "student" / "hw7.json").read_text())
    assert kept["salt"] == f"s-{class_number('fall')}"
    solution = read_notebook(tmp_path / "fall" / "solution" / "hw7_area.ipynb")
    assert f"CLASS = {class_number('fall')}" in solution.cells[0].source
    assert "hw7.size: right (1 of 1 points)" in solution.cells[1].outputs[0].data["text/plain"]
    name, text = seal_master(path)
    assert json.loads(text)["questions"]["size"]["right"] != kept["questions"]["size"]["right"]
    assert beside(path, name, text) == {
        "hw7.json": text.encode(), "hw7_checks.py": SHAPE.encode(), "hw7_data/more.bin": b"\xff0"
    }  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"more": "1"}, "the solution does not pass the check of size"),
        ({"shape": "shape = 'circle'"}, "what students get passes the check of shape, with nothing filled in"),
    ],
)
def test_versions_that_are_not_what_they_should_be_are_not_written(tmp_path, change, message):
    with pytest.raises(InputError, match=message):
        write_versions(own(tmp_path, **change), tmp_path / "fall")
    assert not (tmp_path / "fall").exists()


def test_nothing_for_students_is_written_beside_masters_and_nothing_runs_before(tmp_path, monkeypatch):
    monkeypatch.setattr("synthlab.lab.course_outputs.execute", None)
    path = own(tmp_path)
    for out in (path.parent, path.parent / "fall", path.parent / ".." / "masters"):
        with pytest.raises(InputError, match="out=.*: lies in the folder of the masters"):
            write_versions(path, out)
    with pytest.raises(InputError, match="without its partner"):
        write_versions(master(path.parent, "# SOLUTION BEGIN\nx = 1"), tmp_path / "fall")


def test_a_property_must_be_somewhere(tmp_path):
    path = own(tmp_path)
    (path.parent / "hw7_checks.py").unlink()
    with pytest.raises(
        InputError, match="'shape' asks for the property 'round_shape', which is neither in the package"
    ):
        seal_master(path)
