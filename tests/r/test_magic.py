"""``%%R`` in a notebook: R's own answer where R is, its recorded answer elsewhere, and it says which of the two."""

from __future__ import annotations

import json
import re
from pathlib import Path

import nbformat
import numpy as np
import pandas as pd
import pytest
from IPython.core.interactiveshell import InteractiveShell

from synthlab.exceptions import InputError, RUnavailableError
from synthlab.r import magic, session
from synthlab.r.session import RStatus

COURSE = Path(__file__).resolve().parents[2] / "course"
RECORDED = COURSE.parent / "data" / magic.CELLS
live = pytest.mark.skipif(not session.probe().usable, reason="R or rpy2 is not here")
NO_R = RStatus(None, None, problem="R is not on PATH", remedy="install it")


@pytest.fixture
def shell():
    InteractiveShell.clear_instance()
    made = InteractiveShell.instance()
    made.run_line_magic("load_ext", "synthlab.r")
    yield made
    InteractiveShell.clear_instance()


@pytest.fixture
def without_r(monkeypatch):
    monkeypatch.setattr(magic, "probe", lambda: NO_R)


@pytest.fixture
def records(monkeypatch, tmp_path):
    """A folder of recorded answers of its own."""
    monkeypatch.setattr(magic, "packaged_file", lambda name: tmp_path / Path(name).name)
    monkeypatch.setenv(magic.RECORD, str(tmp_path))
    return tmp_path


def cells_with_r():
    found = []
    for path in sorted(COURSE.rglob("*.ipynb")):
        notebook = nbformat.read(path, as_version=4)
        found += [(path.stem, c) for c in notebook.cells if c.cell_type == "code" and c.source.startswith("%%R")]
    return found


@live
def test_r_answers_and_its_answer_is_recorded(shell, records, capsys):
    shell.user_ns["x"] = pd.DataFrame({"a": [1.0, 2.0, 6.0]})
    shell.run_cell_magic("R", "-i x", "cat(mean(x$a), '\\n')\n")
    printed = capsys.readouterr().out
    assert printed.splitlines()[0].strip() == "3"
    assert printed.splitlines()[-1].startswith("Live: R ")
    (file,) = records.iterdir()
    assert json.loads(file.read_text())["output"].strip() == "3"


@live
def test_an_answer_is_recorded_only_on_request(shell, records, capsys, monkeypatch):
    shell.run_cell_magic("R", "-o y", "y <- 3\n")
    assert shell.user_ns["y"] == 3
    monkeypatch.delenv(magic.RECORD)
    shell.run_cell_magic("R", "", "cat(4)\n")
    assert "4\nLive: R " in capsys.readouterr().out
    assert list(records.iterdir()) == []


@live
def test_the_recorded_answer_is_the_live_one(shell, records, capsys, monkeypatch):
    code = "print(round(x / 3, 3))\n"
    shell.user_ns["x"] = 1.0
    shell.run_cell_magic("R", "-i x", code)
    first = capsys.readouterr().out.splitlines()
    assert shell.user_ns.pop("r_output").strip() == "[1] 0.333"
    monkeypatch.setattr(magic, "probe", lambda: NO_R)
    shell.run_cell_magic("R", "-i x", code + "  \n")
    second = capsys.readouterr().out.splitlines()
    assert shell.user_ns["r_output"].strip() == "[1] 0.333"
    assert first[:-1] == second[:-1] == ["[1] 0.333"]
    assert re.fullmatch(r"Recorded: R \d[\d.]+ \(R is not on PATH\)", second[-1])


def test_without_r_and_for_other_inputs_there_is_no_answer(shell, without_r, records, capsys):
    shell.user_ns["x"] = np.array([1.5, 2.5])
    answer = magic.CellAnswer("[1] 4\n", "R 4.2.2")
    (records / magic.file_name("sum(x)", {"x": np.array([1.5, 2.5])})).write_text(answer.to_json())
    shell.run_cell_magic("R", "-i x", "sum(x)")
    assert capsys.readouterr().out == "[1] 4\nRecorded: R 4.2.2 (R is not on PATH)\n"
    shell.user_ns["x"] = np.array([1.5, 2.6])
    shell.run_cell_magic("R", "-i x", "sum(x)")
    assert capsys.readouterr().out == "sum(x)\n(No answer of R is recorded for these inputs, and R is not on PATH.)\n"


def test_inputs_that_differ_beyond_ten_digits_are_the_same():
    near = np.array([0.1 + 0.2, 1.0])
    assert magic.file_name("f(x)", {"x": near}) == magic.file_name("f(x)", {"x": np.array([0.3, 1.0])})
    assert magic.file_name("f(x)", {"x": near}) != magic.file_name("f(x)", {"x": near + 1e-6})
    assert magic.file_name("f(x)", {"x": near}) != magic.file_name("f(y)", {"x": near})


def test_a_package_that_is_missing_is_named(shell, records, capsys, monkeypatch):
    monkeypatch.setattr(magic, "probe", lambda: RStatus("R version 4.2.2", "3.6.5"))
    monkeypatch.setattr(magic, "package_state", lambda name: "missing")
    shell.run_cell_magic("R", "", "library(gamlss.dist)\ndGAF(1, 2, 1, 0)")
    assert "and the R package gamlss.dist is missing" in capsys.readouterr().out


@pytest.mark.parametrize("line", ["-w x", "-i", "x", "-w 400 -i x"])
def test_other_options_are_refused(line):
    with pytest.raises(InputError, match="only -i NAME"):
        magic.input_names(line)


def test_nothing_comes_back_without_r(shell, without_r):
    with pytest.raises(RUnavailableError, match="%%R -o x: R cannot return objects, because R is not on PATH"):
        magic.run_cell(shell, "-o x", "x <- 1")


def test_inputs_are_named():
    assert magic.input_names("-i a,b -i c") == ["a", "b", "c"]


def test_an_input_that_is_not_there_is_refused(shell):
    with pytest.raises(InputError, match="no variable has this name"):
        magic.run_cell(shell, "-i nothing", "1")


def test_packages_are_found_however_they_are_named():
    assert magic.packages("library('a.b')\nrequire(c); d::e(1); f$g") == ["a.b", "c", "d"]


@pytest.mark.parametrize(("stem", "cell"), cells_with_r(), ids=lambda x: x if isinstance(x, str) else "")
def test_every_cell_of_the_course_has_its_answer_recorded(stem, cell):
    code = cell.source.partition("\n")[2]
    assert list(RECORDED.glob(f"{magic.cell_digest(code)}-*.json")), cell.source


def test_nothing_is_recorded_that_no_cell_asks():
    asked = {magic.cell_digest(cell.source.partition("\n")[2]) for _, cell in cells_with_r()}
    there = {file.name.partition("-")[0] for file in RECORDED.glob("*.json")}
    assert there == asked
