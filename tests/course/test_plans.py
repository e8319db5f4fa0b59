"""The 45-minute plan of each lecture runs without the sections and exercises that it leaves out."""

from __future__ import annotations

import ast
import builtins
import copy
import re

import nbformat
import pytest

from synthlab.teaching.course_outputs import execute
from synthlab.teaching.edition_files import FOR_LECTURERS
from tests.course.test_notebooks_meta import lectures
from tests.loops import every

SMALL = "13_the_pseudo_posterior_mechanism"
SECTION = re.compile(r"^## (?:(\d+)\. )?(.*)", re.MULTILINE)
EXERCISE = re.compile(r"^### Exercise (\d+)", re.MULTILINE)


def numbers_after(word: str, text: str) -> set[int]:
    """Return the numbers that follow a word, as in "sections 4 and 5" or "exercises 1 to 3"."""
    found: set[int] = set()
    for part in re.findall(rf"\b{word}s? (\d+(?:(?:, | and | to |, and )\d+)*)", text):
        listed = [int(number) for number in re.findall(r"\d+", part)]
        found |= set(range(listed[0], listed[-1] + 1)) if " to " in part else set(listed)
    return found


def left_out(notebook) -> tuple[set[int], set[int]]:
    """Return the numbers of the sections and exercises that the plan of 45 minutes leaves out.

    A section is left out if the table of the plan does not name it. Exercises in sections of their own, the discussion and the
    last sections come after the class. An exercise inside a section is left out if only the plan of 75 minutes names it.
    """
    text = next(cell.source for cell in notebook.cells if cell.source.startswith(FOR_LECTURERS))
    table, _, longer = text.partition("If you have 75")
    named = {
        int(n) for row in re.findall(r"^\| [\d to]+ \| ([^|]*)\|", table, re.MULTILINE) for n in re.findall(r"\d+", row)
    }
    titles = [SECTION.match(cell.source) for cell in notebook.cells if cell.cell_type == "markdown"]
    sections = {int(match[1]): match[2] for match in titles if match and match[1]}
    after = {
        number for number, title in sections.items() if re.match(r"Exercise|Bug hunt|Attack|Discussion|.* lines", title)
    }
    return set(sections) - named - after, numbers_after("exercise", longer) - numbers_after("exercise", table)


def planned(notebook):
    """Return a copy of the notebook with the cells of the plan, and the cells that the plan leaves out."""
    sections, exercises = left_out(notebook)
    kept, skipped = copy.deepcopy(notebook), []
    kept.cells, without_section, without_exercise = [], False, False
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            section, exercise = SECTION.match(cell.source), EXERCISE.match(cell.source)
            if section:
                without_section = bool(section[1]) and int(section[1]) in sections
            if section or cell.source.startswith("### "):
                without_exercise = bool(exercise) and int(exercise[1]) in exercises
        (skipped if without_section or without_exercise else kept.cells).append(copy.deepcopy(cell))
    return kept, skipped


def statements(cells) -> list[list[ast.stmt]]:
    """Return the statements of each code cell without magics."""
    sources = [cell.source for cell in cells if cell.cell_type == "code" and not cell.source.startswith("%%")]
    return [ast.parse(re.sub(r"^%.*$", "", source, flags=re.MULTILINE)).body for source in sources]


def defined(body: list[ast.stmt]) -> set[str]:
    """Return the names that statements assign, define or import."""
    nodes = [node for statement in body for node in ast.walk(statement)]
    names = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    names |= {node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    names |= {
        (alias.asname or alias.name).partition(".")[0]
        for n in nodes
        if isinstance(n, ast.Import | ast.ImportFrom)
        for alias in n.names
    }
    return names | {node.arg for node in nodes if isinstance(node, ast.arg)}


def missing(notebook) -> set[str]:
    """Return the names that the plan uses and that only a left-out cell defines before."""
    kept, skipped = planned(notebook)
    elsewhere = set().union(*map(defined, statements(skipped))) if skipped else set()
    known, found = set(dir(builtins)), set()
    for body in statements(kept.cells):
        known |= defined(body)
        used = {
            node.id
            for one in body
            for node in ast.walk(one)
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
        }
        found |= (used - known) & elsewhere
    return found


def read(path):
    return nbformat.read(path, as_version=4)


def run(path):
    notebook, _ = planned(read(path))
    execute(notebook, path)


def test_the_plan_of_lecture_1_leaves_out_one_section():
    path = next(path for path in lectures() if path.name.startswith("01_"))
    assert left_out(read(path)) == ({3, 7}, {1, 2})


@every("path", lectures)
def test_a_plan_defines_every_name_that_it_uses(path):
    assert missing(read(path)) == set()


def test_the_plan_of_a_small_lecture_runs():
    run(next(path for path in lectures() if path.stem == SMALL))


@pytest.mark.editions
@every("path", lectures)
def test_every_plan_runs(path):
    run(path)
