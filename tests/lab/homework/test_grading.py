"""Grading a folder: one run of four submissions, into a table and a page."""

from __future__ import annotations

import json

import pandas as pd
import pytest
from nbformat import write
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from synthlab import cli
from synthlab.exceptions import InputError
from synthlab.lab.homework import grade_folder, make_version
from synthlab.lab.homework.grading import GradeBook

FORGED = "import synthlab.lab.homework as h\nh.check = lambda *a: 'hw1.uniques: right (2 of 2 points)'\nuniques = 17"
WROTE = "<!-- WRITTEN exposed -->\nThe women <b>most</b> exposed are those that " + "word " * 60


@pytest.fixture(scope="module")
def folder(tmp_path_factory, master_path):
    path = tmp_path_factory.mktemp("submissions")
    write(make_version(master_path, "solution"), path / "anna.ipynb")
    write(make_version(master_path, "student"), path / "ben.ipynb")
    carla = [new_code_cell("uniques = 1085"), new_code_cell("1 / 0"), new_code_cell("standard_error = 0.02979")]
    write(new_notebook(cells=[*carla, new_markdown_cell(WROTE)]), path / "carla.ipynb")
    (path / "emil.ipynb").write_text("{}")
    return path


@pytest.fixture(scope="module")
def grades(folder) -> GradeBook:
    given = pd.DataFrame({"submission": ["anna"], "question": ["exposed"], "points": [4.5]})
    return grade_folder(folder, "hw1", written=given, progress=False)


def test_points(grades):
    table = grades.to_frame().set_index("submission")
    assert table.loc["anna"].tolist() == [2, 3, 2, 3, 3, 4.5, 17.5, "ran through"]
    assert table.loc["ben", "total"] == 0
    assert pd.isna(table.loc["ben", "exposed"])
    assert table.loc["carla", "state"] == "1 cell failed"
    # the cells after one that failed still count
    assert table.loc["carla", ["uniques", "standard_error", "total"]].tolist() == [0, 3, 3]
    assert table.loc["emil", "state"].startswith("not read: ")
    assert table.loc["emil", "total"] == 0
    assert grades.summary()["right"].tolist() == [1, 1, 1, 2, 1]


def test_messages_and_written_answers(grades):
    by_name = {one.name: one for one in grades.submissions}
    assert "different patterns" in by_name["carla"].results["uniques"].message
    assert "ot answered yet" in by_name["ben"].results["my_release"].message
    assert by_name["ben"].texts == {"exposed": ""}
    assert by_name["anna"].texts["exposed"].startswith("Four women")


def test_the_page(grades):
    page = grades.to_html()
    assert "The women &lt;b&gt;most&lt;/b&gt; exposed" in page
    assert page.count("<h2>") == 4
    assert "says what was given up" in page
    assert "13 points; 5 more are for written answers" in page
    assert "to read" in page
    assert "2 of 4" in page
    assert "<table" in grades._repr_html_()
    assert "anna" in repr(grades)


def test_points_for_written_answers_must_fit(folder):
    def graded(**row):
        columns = {"submission": "anna", "question": "exposed", "points": 1} | row
        return grade_folder(folder, "hw1", written=pd.DataFrame([columns]))

    with pytest.raises(InputError, match="'zoe' is not in the folder"):
        graded(submission="zoe")
    with pytest.raises(InputError, match="'uniques' is not a written question"):
        graded(question="uniques")
    with pytest.raises(InputError, match=r"points of 'anna'=6.*\[0, 5\]"):
        graded(points=6)
    twice = pd.DataFrame({"submission": ["anna"] * 2, "question": ["exposed"] * 2, "points": [1, 2]})
    with pytest.raises(InputError, match="points for 'exposed' twice"):
        grade_folder(folder, "hw1", written=twice)
    with pytest.raises(InputError, match="'points' not in written"):
        grade_folder(folder, "hw1", written=twice.drop(columns="points"))


def test_points_in_a_file(tmp_path, capsys):
    write(new_notebook(cells=[new_markdown_cell(WROTE)]), tmp_path / "0123.ipynb")
    write(new_notebook(cells=[new_markdown_cell(WROTE)]), tmp_path / "NA.ipynb")
    points = tmp_path / "points.csv"
    points.write_text("\ufeffsubmission,question,points\n0123,exposed,3\nNA,exposed,2.5\n", encoding="utf-8")
    arguments = ["--written", points, "--csv", tmp_path / "g.csv", "--html", tmp_path / "g.html"]
    with pytest.raises(SystemExit) as stopped:
        cli.main(["homework", "grade", "hw1", *map(str, [tmp_path, *arguments])])
    assert stopped.value.code == 0, capsys.readouterr().err
    rows = (tmp_path / "g.csv").read_text(encoding="utf-8").splitlines()[1:]
    assert rows == ["0123,0.0,0.0,0.0,0.0,0.0,3.0,3.0,ran through", "NA,0.0,0.0,0.0,0.0,0.0,2.5,2.5,ran through"]
    points.write_bytes(b"submission,question,points\n\xff,exposed,3\n")
    for path, message in ((points, "can't decode"), (tmp_path / "none.csv", "No such file")):
        with pytest.raises(InputError, match=f"written: cannot read .*{path.name}' as CSV: .*{message}"):
            grade_folder(tmp_path, "hw1", written=path)


def test_a_notebook_that_does_not_end(tmp_path):
    write(new_notebook(cells=[new_code_cell("while True:\n    pass")]), tmp_path / "dora.ipynb")
    table = grade_folder(tmp_path, "hw1", timeout=2, progress=False).to_frame()
    assert table["state"][0].startswith("stopped: ")
    assert table["total"].tolist() == [0]


BROKEN = "\ud83d"  # what is left of an emoji that was cut in two
LIES = """
import json
import synthlab.lab.homework.submission as s
def collect(homework, checked, variables, target):
    with open(target, "w") as file:
        file.write({text!r})
s.collect = collect
"""
RICH = {"passed": True, "points": 9999, "possible": 9999, "message": "all of it"}
POOR = {"passed": False, "points": 9999, "message": "none of it"}


def test_one_submission_does_not_end_the_others(tmp_path, capsys):
    """Whatever a notebook holds or leaves behind is the state of its own row."""
    submissions = {
        "a_emoji_in_text": [new_markdown_cell(WROTE + BROKEN)],
        "b_emoji_in_code": [new_code_cell(f"x = '{BROKEN}'")],
        "c_no_json": [new_code_cell(LIES.format(text='{"uniques": '))],
        "d_other_parts": [new_code_cell(LIES.format(text='{"uniques": {"a": 1}}'))],
        "e_a_list": [new_code_cell(LIES.format(text="[1]"))],
        "f_too_much": [new_code_cell(LIES.format(text=json.dumps({"uniques": RICH, "my_release": POOR})))],
        "h_right": [new_code_cell("standard_error = 0.02979")],
    }
    for name, cells in submissions.items():
        (tmp_path / f"{name}.ipynb").write_text(json.dumps(new_notebook(cells=cells)))
    (tmp_path / "g_odd_cells.ipynb").write_text('{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [5]}')
    files = {ending: tmp_path / f"grades.{ending}" for ending in ("csv", "html")}
    with pytest.raises(SystemExit) as stopped:
        cli.main(["homework", "grade", "hw1", str(tmp_path), *(f"--{k}={v}" for k, v in files.items())])
    assert stopped.value.code == 0, capsys.readouterr().err
    table = pd.read_csv(files["csv"], index_col="submission")
    state = table["state"].to_dict()
    assert list(state) == sorted([*submissions, "g_odd_cells"])
    assert state["a_emoji_in_text"] == state["f_too_much"] == state["h_right"] == "ran through"
    assert state["b_emoji_in_code"].startswith("stopped: UnicodeEncodeError: ")
    assert state["c_no_json"].startswith("its results cannot be read: Expecting value")
    assert state["d_other_parts"] == "its results cannot be read: uniques is neither passed nor not"
    assert state["e_a_list"] == "its results cannot be read: they are no mapping"
    assert state["g_odd_cells"].startswith("not read: ")
    # a passed question is worth its points, whatever the results say
    assert table["uniques"].to_dict() == dict.fromkeys(state, 0.0) | {"f_too_much": 2.0}
    assert table["total"].to_dict() == dict.fromkeys(state, 0.0) | {"f_too_much": 2.0, "h_right": 3.0}
    page = files["html"].read_text(encoding="utf-8")
    assert page.rstrip().endswith("</html>")
    assert r"word \ud83d" in page


def test_the_commands_and_a_check_that_was_replaced(tmp_path, master_path, capsys):
    def call(*arguments):
        with pytest.raises(SystemExit) as stopped:
            cli.main(["homework", *map(str, arguments)])
        return stopped.value.code, *capsys.readouterr()

    code, out, _ = call("make", master_path, "--out", tmp_path / "made")
    assert code == 0
    assert out.splitlines()[0].endswith("_student.ipynb")
    write(new_notebook(cells=[new_code_cell(FORGED)]), tmp_path / "fritz.ipynb")
    code, out, _ = call("grade", "hw1", tmp_path, "--csv", tmp_path / "g.csv", "--html", tmp_path / "g.html")
    assert code == 0
    assert "fritz" in out
    assert pd.read_csv(tmp_path / "g.csv")["total"].tolist() == [0]
    assert "fritz" in (tmp_path / "g.html").read_text(encoding="utf-8")
    code, _, complaint = call("grade", "hw9", tmp_path)
    assert code == 2
    assert "homework='hw9'" in complaint
    assert call("grade", "hw1", tmp_path, "--csv", "x.txt")[0] == 2
