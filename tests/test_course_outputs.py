"""Executing and normalising notebooks: what stays, what goes, and that a second run changes nothing."""

from __future__ import annotations

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from synthlab.datasets.files import cache_folder, find_on_machine
from synthlab.exceptions import InputError
from synthlab.teaching import course_outputs
from synthlab.teaching.course_outputs import (
    WIDGET,
    WIDGET_TEXT,
    find_notebooks,
    main,
    normalise,
    scrub,
)

SOURCES = (
    "import sys, warnings\nprint('a'); print('b', file=sys.stderr); print('c')",
    "warnings.warn('careful')",
    "object()",
    "import os; print(os.getcwd())",
    "6 * 7",
)


@pytest.fixture
def notebook_path(tmp_path):
    cells = [new_markdown_cell("# Title", id="title")]
    cells += [new_code_cell(s, id=f"cell-{i}") for i, s in enumerate(SOURCES)]
    path = tmp_path / "one.ipynb"
    nbformat.write(new_notebook(cells=cells, metadata={"language_info": {"name": "python", "version": "2.7"}}), path)
    return path


def test_two_runs_write_the_same_bytes_and_keep_the_counts(notebook_path, capsys):
    assert main([str(notebook_path)]) == 0
    first = notebook_path.read_bytes()
    assert main([str(notebook_path.parent)]) == 0
    assert notebook_path.read_bytes() == first
    assert capsys.readouterr().out == f"{notebook_path}\n" * 2
    notebook = nbformat.read(notebook_path, as_version=4)
    code = [c for c in notebook.cells if c.cell_type == "code"]
    assert [c.execution_count for c in code] == [1, 2, 3, 4, 5]
    assert [c.id for c in notebook.cells] == ["title", *(f"cell-{i}" for i in range(5))]
    assert code[4].outputs[0].data["text/plain"] == "42"
    text = first.decode()
    assert "ipykernel_" not in text
    assert "0x7" not in text
    assert "execution_state" not in text
    assert "iopub" not in text
    assert "2.7" not in text
    assert text.endswith("}\n")


def test_streams_are_joined_and_kept_apart(notebook_path):
    main([str(notebook_path)])
    outputs = nbformat.read(notebook_path, as_version=4).cells[1].outputs
    assert {o.name: o.text for o in outputs} == {"stdout": "a\nc\n", "stderr": "b\n"}


@pytest.fixture
def both_places(tmp_path, monkeypatch):
    """A file of real data in SYNTHLAB_DATA_DIR, and one among what was fetched into the user's cache."""
    named, cache = tmp_path / "named", tmp_path / "cache"
    monkeypatch.setenv("SYNTHLAB_DATA_DIR", str(named))
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
    for folder, file in ((named, "named.csv"), (cache_folder(), "fetched.csv"), (cache / "fonts", "list.json")):
        folder.mkdir(parents=True)
        (folder / file).write_text("1\n", encoding="ascii")
    assert find_on_machine("named.csv")
    assert find_on_machine("fetched.csv")
    return cache


def test_a_notebook_is_executed_without_the_real_samples(both_places, tmp_path):
    source = (
        "import os\nfrom synthlab.datasets.files import data_folder, find_on_machine\n"
        "print(data_folder(), find_on_machine('named.csv'), find_on_machine('fetched.csv'))\n"
        "print(open(os.environ['XDG_CACHE_HOME'] + '/fonts/list.json').read())"
    )
    path = tmp_path / "one.ipynb"
    nbformat.write(new_notebook(cells=[new_code_cell(source, id="look")]), path)
    assert main([str(path)]) == 0
    assert nbformat.read(path, as_version=4).cells[0].outputs[0].text == "None None None\n1\n\n"
    assert (both_places / "synthlab" / "data" / "fetched.csv").is_file()


@pytest.mark.parametrize("problem", ["", "R is not on PATH; fix it with: apt-get"])
def test_it_is_said_where_r_cannot_answer(notebook_path, monkeypatch, capsys, problem):
    monkeypatch.setattr(course_outputs, "why_not_live", lambda script: problem)
    monkeypatch.setattr(course_outputs, "rewrite", lambda path: None)
    assert main([str(notebook_path)]) == 0
    said = "answers of R will be shown as recorded, not as live: R is not on PATH; fix it with: apt-get\n"
    assert capsys.readouterr().err == (said if problem else "")


def test_a_failing_cell_is_an_error_and_nothing_is_written(tmp_path, capsys):
    path = tmp_path / "bad.ipynb"
    nbformat.write(new_notebook(cells=[new_code_cell("1 / 0", id="bad")]), path)
    before = path.read_bytes()
    assert main([str(path)]) == 1
    assert path.read_bytes() == before
    assert "bad.ipynb: not written, because a cell failed" in capsys.readouterr().err


def test_a_widget_leaves_a_sentence_and_no_state():
    cell = new_code_cell("control", id="w", execution_count=1)
    cell.outputs = [new_output("display_data", {"text/plain": "VBox(...)", WIDGET: {"model_id": "0f3a"}})]
    notebook = normalise(
        new_notebook(
            cells=[cell], metadata={"widgets": {"state": {}}, "kernelspec": {"name": "x", "display_name": "mine"}}
        )
    )
    assert notebook.cells[0].outputs[0].data == {"text/plain": WIDGET_TEXT}
    assert set(notebook.metadata) == {"kernelspec", "language_info"}
    assert notebook.metadata.kernelspec.name == "python3"
    assert notebook.metadata.language_info == {"name": "python"}
    assert normalise(notebook) == notebook


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("/tmp/ipykernel_9/123.py:2: UserWarning: no", "cell:2: UserWarning: no"),
        ("File /home/me/env/lib/python3.11/site-packages/pandas/x.py:1", "File site-packages/pandas/x.py:1"),
        (f"read {course_outputs.ROOT}/data/ce.csv", "read data/ce.csv"),
        ("<A object at 0x7f12abcdef00>", "<A object at 0x...>"),
        ("0xff is 255", "0xff is 255"),
        ('src="data:image/png;base64,AA/tmp/ipykernel_1/2.py"', 'src="data:image/png;base64,AA/tmp/ipykernel_1/2.py"'),
    ],
)
def test_scrub(text, clean):
    assert scrub(text) == clean


def test_scrub_is_quick_on_an_image():
    image = "base64," + "A/" * 500_000
    assert scrub(image) == image


def test_what_is_no_notebook_is_refused(tmp_path, capsys):
    with pytest.raises(InputError, match="neither a notebook nor a folder"):
        find_notebooks([tmp_path / "none.ipynb"])
    with pytest.raises(InputError, match="no notebook in"):
        find_notebooks([tmp_path])
    assert main([]) == 1
    assert "no notebook in an empty list" in capsys.readouterr().err


def test_checkpoints_and_student_editions_are_left_alone(tmp_path):
    for folder in (tmp_path, tmp_path / ".ipynb_checkpoints", tmp_path / "homework"):
        folder.mkdir(exist_ok=True)
        nbformat.write(new_notebook(), folder / "a.ipynb")
    assert find_notebooks([tmp_path]) == [tmp_path / "a.ipynb"]
