"""Versions of a master: what students get, what the solution shows, and marks that are wrong."""

from __future__ import annotations

import json

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from synthlab.exceptions import InputError
from synthlab.lab.homework import make_version, seal_master, write_versions
from synthlab.lab.homework.versions import read_notebook

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


def test_the_student_version_of_homework_1_holds_nothing_of_the_solution(master_path):
    original = read_notebook(master_path)
    student = make_version(master_path, "student")
    text = "\n".join(sources(student))
    for secret in ("SOLUTION", "STUDENT", "ANSWERS", "NumberAnswer", "combine_partial", "Four women", "sizes =="):
        assert secret not in text
    assert all(not c.outputs and c.execution_count is None for c in student.cells if c.cell_type == "code")
    assert any(c.get("outputs") for c in original.cells)
    nbformat.validate(student)


def test_both_versions_are_written_and_written_again(tmp_path, master_path):
    first = write_versions(master_path, tmp_path / "out")
    assert [p.name for p in first] == [f"hw1_a_release_of_your_own_{kind}.ipynb" for kind in ("student", "solution")]
    before = [p.read_bytes() for p in first]
    assert [p.read_bytes() for p in write_versions(master_path, tmp_path / "out")] == before


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
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot write"):
        write_versions(master(tmp_path, FUNCTION), tmp_path / "file")


def test_sealing_runs_the_master(tmp_path):
    checked = 'from synthlab.lab.homework import check\ncheck("hw7.area", area(1))'  # not sealed yet
    name, text = seal_master(master(tmp_path, FUNCTION, checked, ANSWERS))
    kept = json.loads(text)
    assert (name, kept["salt"], list(kept["questions"])) == ("hw7", "s", ["area"])
    assert text.endswith("}\n")
    with pytest.raises(InputError, match="has 0 cells marked # ANSWERS"):
        seal_master(master(tmp_path, FUNCTION))
