"""The rules of the lectures' form: prompts with nothing under them, code for people, one turn of the reader's own."""

from __future__ import annotations

import copy
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from synthlab.teaching import cell_tags
from tests.course.second_edition import broken, measure
from tests.loops import every

COURSE = Path(__file__).resolve().parents[2] / "course"
# Lectures that have not been rewritten yet.
FIRST_EDITION: set[str] = set()


def lectures():
    found = sorted(p for p in COURSE.glob("*.ipynb"))
    return [p for p in found if p.name.partition("_")[0] not in FIRST_EDITION]


def output(text="1\n"):
    return [new_output("stream", name="stdout", text=text)]


@pytest.fixture
def lecture():
    """A small lecture that breaks no rule."""
    cells = [
        new_markdown_cell("## What you will be able to do\n\n[glossary](GLOSSARY.md)"),
        new_markdown_cell("## Time plan\n\nIf you have 75: more.\n\nReading question: why?"),
        new_code_cell('release_diagram.show(file="a")'),
        new_markdown_cell("## Your turn\n\n**Predict.** How many?"),
        new_code_cell("# your turn\ndef one():\n    ..."),
        new_code_cell('check("00.one", one)', outputs=output()),
        new_code_cell("def one():\n    return 1", metadata={"tags": ["solution"]}),
        new_markdown_cell("## Next\n\nIt is 1."),
    ]
    return cell_tags.mark(new_notebook(cells=cells))


@every("path", lectures)
def test_a_lecture_keeps_the_rules(path):
    notebook = nbformat.read(path, as_version=4)
    assert broken(notebook, path.name.partition("_")[0]) == []


def test_the_small_lecture_keeps_the_rules(lecture):
    assert broken(lecture, "00") == []
    assert measure(lecture).prompts == 1


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        (lambda nb: nb.cells.append(new_markdown_cell("word " * 2_500)), "words, at most"),
        (lambda nb: nb.cells.extend(new_code_cell("x = 1") for _ in range(55)), "visible cells"),
        (lambda nb: nb.cells.append(new_code_cell("x = '" + "a" * 90 + "'")), "characters, at most"),
        (lambda nb: nb.cells.append(new_code_cell("x = 1\n" * 12)), "lines a cell"),
        (lambda nb: nb.cells.append(new_code_cell("x = 1\n" * 13)), "a cell of 13 lines"),
        (lambda nb: nb.cells.append(new_code_cell('print("a long text about 1 number")')), "prints or describes"),
        (lambda nb: nb.cells[5].metadata.pop("jupyter"), "1 of 1 prompts with an open answer"),
        (lambda nb: nb.cells.insert(5, new_markdown_cell("It is 1.")), "1 of 1 prompts with an open answer"),
        (lambda nb: nb.cells[3].update(source="## Your turn"), "no prompt"),
        (lambda nb: nb.cells.pop(4), "no cell `# your turn`"),
        (lambda nb: nb.cells.pop(6), "no solution of a turn"),
        (lambda nb: nb.cells.pop(5), "no check("),
        (lambda nb: nb.cells.pop(2), "no schematic"),
        (lambda nb: nb.cells[0].update(source="# Lecture 0"), "no link to the glossary"),
        (lambda nb: nb.cells[7].update(source="## Next\n\nIt is 1.\n\n### More"), "1 headings inside a cell"),
        (lambda nb: nb.cells[1].update(source="Reading question"), "no time for 75 minutes"),
        (lambda nb: nb.cells[1].update(source="If you have 75"), "no reading question"),
    ],
)
def test_every_broken_rule_is_seen(lecture, change, rule):
    change(lecture)
    assert any(rule in one for one in broken(lecture, "00"))


def test_a_lecture_of_two_languages_needs_a_cell_with_r(lecture):
    lecture.cells[5].source = 'check("08.one", one)'
    assert broken(lecture, "08") == ["no cell with R"]
    lecture.cells.append(new_code_cell("%%R\n1 + 1"))
    assert broken(lecture, "08") == []


def test_a_figure_needs_a_title(lecture):
    figure = new_output("execute_result", {"text/html": '<figure data-title="Who has what" style="margin:0">'})
    lecture.cells[2].outputs = [figure]
    assert broken(lecture, "00") == []
    figure.data["text/html"] = '<figure data-title="" style="margin:0">'
    assert broken(lecture, "00") == ["1 figures without a title"]


def test_an_answer_in_details_is_not_open(lecture):
    lecture.cells.insert(5, new_markdown_cell("<details><summary>Compare</summary>\n\nIt is 1.\n\n</details>"))
    assert broken(lecture, "00") == []


def test_hidden_cells_do_not_count(lecture):
    before = measure(lecture)
    lecture.cells.append(new_code_cell('words = "' + "a" * 70 + '"', metadata={"tags": ["hide-input"]}))
    after = measure(lecture)
    assert (after.cells, after.printing, after.longest_cell) == (before.cells, before.printing, before.longest_cell)


def test_marks_follow_from_text_and_tags_alone(lecture):
    again = copy.deepcopy(lecture)
    for cell in again.cells:
        cell.metadata.pop("jupyter", None)
        cell.metadata.pop("slideshow", None)
    assert cell_tags.mark(again) == lecture
    hidden = [c.metadata.get("jupyter", {}) for c in lecture.cells]
    assert hidden[5] == {"outputs_hidden": True}
    assert hidden[6] == {"source_hidden": True}
    kinds = [c.metadata["slideshow"]["slide_type"] for c in lecture.cells]
    assert kinds == ["slide", "notes", "-", "slide", "fragment", "fragment", "fragment", "slide"]
