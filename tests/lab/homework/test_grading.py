"""Grading a folder: who is in it, what is kept, and what each page says. Hostile submissions have tests of their own."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from nbformat import write
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from synthlab.exceptions import InputError
from synthlab.lab.homework import (
    FunctionAnswer,
    GradeBook,
    Limits,
    NumberAnswer,
    PropertyAnswer,
    WrittenAnswer,
    grade_folder,
    seal_answers,
    sealed_homework,
)
from synthlab.lab.homework.grading import find_submissions
from synthlab.lab.homework.judging import judge
from synthlab.lab.homework.portable import write_answer, write_calls
from synthlab.lab.homework.sealing import to_json
from synthlab.lab.homework.submission import Submission, written_texts

CHECKS = """
def three_rows(answer, settings):
    return None if len(answer) == settings["rows"] else (0.5, "half of it.")


def twice_as_much(answer, settings):
    return 2.0, "more than there is."


def not_a_number(answer, settings):
    return float("nan"), "?"


def breaks(answer, settings):
    raise ValueError("the lecturer made a mistake")
"""
ANSWERS = {
    "seven": NumberAnswer(7, 0, 2, "the number seven", wrong={"that is six.": 6}),
    "double": FunctionAnswer(lambda x: 2 * x, [(1.0,), (3.0,)], 3, "twice x", wrong={"that is the square.": np.square}),
    "table": PropertyAnswer("three_rows", 4, "a table of three rows", {"rows": 3}),
    "why": WrittenAnswer({"says why": 2, "=says how": 1}, "why", fewest=2),
}


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("answers")
    (folder / "hw9.json").write_text(to_json(seal_answers("hw9", ANSWERS, "salt")), encoding="utf-8")
    (folder / "hw9_checks.py").write_text(CHECKS, encoding="utf-8")
    return folder


def book(answers: Path, written: Any = None, **points: float) -> GradeBook:
    homework = sealed_homework("hw9", answers)
    submissions = []
    for name, text in {"=anna": "because <b>it is</b>", "ben": "Ben's own words"}.items():
        results = {q: homework.result(q, (points.get(q, 0.5), f"said to {name}.")) for q in homework.questions}
        submissions.append(Submission(name, f"{name}.ipynb", results, {"why": text}, "ran through"))
    return GradeBook(homework, tuple(submissions), written or {})


def test_points_are_between_none_and_all(answers: Path) -> None:
    homework = sealed_homework("hw9", answers)
    for judgement, points in (((2.0, "x"), 4), ((-1.0, "x"), 0), ((float("nan"), "x"), 0), (7, 0), (None, 4)):
        assert homework.result("table", judgement).points == points  # type: ignore[arg-type]
    kept = {"student": "a", "name": "a", "state": "", "texts": {}}
    forged = kept | {"points": {key: [9999, "all of it"] for key in homework.questions}}
    assert {q: r.points for q, r in Submission.from_dict(homework, forged).results.items()} == {
        "seven": 2, "double": 3, "table": 4, "why": 3
    }  # fmt: skip


def test_the_clean_process_judges_what_was_written_down(answers: Path, tmp_path: Path) -> None:
    homework = sealed_homework("hw9", answers)
    write_answer(6, tmp_path / "seven")
    calls = [case["arguments"] for case in homework.questions["double"]["cases"]]
    write_calls(lambda x: x**2, calls, tmp_path / "double")
    write_answer(pd.DataFrame({"a": [1, 2]}), tmp_path / "table")
    results = judge(homework, tmp_path, Limits())
    assert [(r.points, r.message) for r in results.values()] == [
        (0, "That is six."), (0, "That is the square."), (2, "Half of it.")
    ]  # fmt: skip
    write_answer(object(), tmp_path / "seven")
    (tmp_path / "double" / "answer.json").write_text("{")
    (tmp_path / "table" / "0.parquet").write_bytes(b"no table")
    results = judge(homework, tmp_path, Limits())
    assert [r.message for r in results.values()] == [
        "It is of type object, and no number, text, list, array, table or release.",
        "What was written down of it cannot be read.",
        "Its tables cannot be read.",
    ]
    assert [r.message for r in judge(homework, tmp_path / "empty", Limits()).values()] == ["No answer was found."] * 3


@pytest.mark.parametrize(
    ("name", "points", "message"),
    [
        ("twice_as_much", 4, "More than there is."),
        ("not_a_number", 0, "Its check returned neither None nor a sentence; tell the lecturer."),
        ("breaks", 0, "It could not be checked: ValueError: the lecturer made a mistake"),
        ("none", 0, "It could not be checked: InputError: property='none': must be a function of "),
    ],
)
def test_a_check_of_a_lecturer_that_is_wrong(answers: Path, name: str, points: float, message: str) -> None:
    homework = sealed_homework("hw9", answers)
    homework.questions["table"]["name"] = name
    result = homework.judge("table", 1)
    assert result.points == points
    assert result.message.startswith(message)


def test_who_handed_in(tmp_path: Path) -> None:
    empty = json.dumps(new_notebook())
    for name in ("ben.ipynb", "anna__late.ipynb", "carla/one.ipynb", "carla/deep/two.ipynb", ".hidden/x.ipynb"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(empty)
    (tmp_path / "dora").mkdir()
    (tmp_path / "roster.csv").write_text("")
    (tmp_path / "link.ipynb").symlink_to(tmp_path / "ben.ipynb")  # has a row, and is not followed
    assert [(student, name) for _, student, name in find_submissions(tmp_path)] == [
        ("anna", "anna__late.ipynb"),
        ("ben", "ben.ipynb"),
        ("carla", "carla/deep/two.ipynb"),
        ("carla", "carla/one.ipynb"),
        ("dora", "dora"),
        ("link", "link.ipynb"),
    ]
    with pytest.raises(InputError, match="holds no notebook"):
        find_submissions(tmp_path / "dora")


def test_the_points_of_a_class_as_a_table(answers: Path) -> None:
    grades = book(answers, seven=1)
    table = grades.to_frame().set_index("student")
    assert table.loc["ben", ["seven", "double", "table", "total"]].tolist() == [2, 1.5, 2, 5.5]
    assert pd.isna(table.loc["ben", "why"])
    assert grades.page()["why"].tolist() == ["to read", "to read"]
    assert grades.summary()["right"].tolist() == [2, 0, 0]
    rows = list(csv.reader(grades.to_csv().splitlines()))
    assert rows[1][:2] == ["'=anna", "'=anna.ipynb"]


def test_a_student_sees_no_other_student(answers: Path, tmp_path: Path) -> None:
    grades = book(answers, {("ben.ipynb", "why", "says why"): (1.5, "good <i>point</i>")})
    grades.write(tmp_path)
    pages = {p.stem: p.read_text(encoding="utf-8") for p in (tmp_path / "feedback").iterdir()}
    ben = next(page for name, page in pages.items() if name.startswith("ben-"))
    anna = next(page for name, page in pages.items() if name.startswith("anna-"))
    assert "anna" not in ben
    assert "Ben" not in anna
    assert "because &lt;b&gt;it is&lt;/b&gt;" in anna
    assert "Ben&#39;s own words" in ben
    assert "1.5 of 2" in ben
    assert "good &lt;i&gt;point&lt;/i&gt;" in ben
    assert "to be read (1)" in ben
    whole = (tmp_path / "class.html").read_text(encoding="utf-8")
    assert all(f"feedback/{name}.html" in whole for name in pages)


def test_points_for_written_answers_are_filled_in_and_read_again(answers: Path, tmp_path: Path) -> None:
    from synthlab.lab.homework.gradebook import read_written

    grades = book(answers)
    path = tmp_path / "written.csv"
    frame = grades.written_frame()
    assert frame.loc[0, ["submission", "criterion"]].tolist() == ["'=anna.ipynb", "says why"]
    frame.loc[0, ["points", "comment"]] = ["1.5", "=look"]
    frame.loc[1, "points"] = "1"
    frame.to_csv(path, index=False)
    names = [one.name for one in grades.submissions]
    given = read_written(path, grades.homework, names)
    assert given["=anna.ipynb", "why", "says why"] == (1.5, "=look")
    again = book(answers, given)
    assert again.points(again.submissions[0], "why") == 2.5
    assert again.points(again.submissions[1], "why") is None
    for change, message in {
        ("points", "3"): r"line 2 of .*: points=3.0: must be a finite number in \[0, 2\]",
        ("points", "much"): "line 2 of .*: points are no number",
        ("submission", "zoe"): "line 2 of .*: no such submission",
        ("question", "seven"): "line 2 of .*: 'seven' is not a written question",
        ("criterion", "style"): "line 2 of .*: no such criterion of 'why'",
    }.items():
        column, value = change
        frame.assign(**{column: [value, *frame[column][1:]]}).to_csv(path, index=False)
        with pytest.raises(InputError, match=message):
            read_written(path, grades.homework, names)
    pd.concat([frame, frame]).to_csv(path, index=False)
    with pytest.raises(InputError, match="is there twice"):
        read_written(path, grades.homework, names)
    path.write_text("submission,question\nben.ipynb,why\n")
    with pytest.raises(InputError, match="has no 'criterion'"):
        read_written(path, grades.homework, names)
    path.write_bytes(b"submission\n\xff")
    with pytest.raises(InputError, match="cannot read .* as CSV"):
        read_written(path, grades.homework, names)


def test_a_written_answer_is_found_without_its_mark() -> None:
    marked = new_markdown_cell("<!-- WRITTEN why -->\nbecause")
    named = new_markdown_cell("so it is", metadata={"synthlab": {"written": "how"}})
    assert written_texts(new_notebook(cells=[marked, named]), ["why", "how", "who"]) == {
        "why": "because", "how": "so it is", "who": ""
    }  # fmt: skip


def test_a_written_answer_without_an_end_is_cut_and_says_so():
    cell = new_markdown_cell("<!-- WRITTEN why -->\n" + "w" * 60_000)
    text = written_texts(new_notebook(cells=[cell]), ["why"])["why"]
    assert text.startswith("w" * 50_000 + " ... (cut here: 10,000 more characters")
    assert len(text) < 50_100


def test_a_class_is_graded_and_what_did_not_change_is_not_run_again(
    answers: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, out = tmp_path / "class", tmp_path / "out"
    folder.mkdir()
    head = "import pandas as pd\nfrom synthlab.lab.homework import check"
    good = [
        "seven = 7\ncheck('hw9.seven', seven)",
        "def double(x):\n    return x + x\ncheck('hw9.double', double)",
        "table = pd.DataFrame({'a': [1, 2, 3]})\ncheck('hw9.table', table)",
        "1 / 0",
    ]
    cells = [*map(new_code_cell, [head, *good]), new_markdown_cell("<!-- WRITTEN why -->\nbecause it is")]
    write(new_notebook(cells=cells), folder / "anna.ipynb")
    (folder / "ben").mkdir()
    call = {"out": out, "answers": answers, "unsafe": True}
    table = grade_folder(folder, "hw9", **call).to_frame().set_index("student")
    assert table.loc["anna", ["seven", "double", "table", "total", "state"]].tolist() == [2, 3, 4, 9, "1 cell failed"]
    assert table.loc["ben", "state"] == "no notebook"
    assert table.loc["ben", "total"] == 0
    first = {p.relative_to(out): p.read_bytes() for p in out.rglob("*") if p.is_file()}
    monkeypatch.setattr("synthlab.lab.homework.grading._Class._run", None)  # to run would fail
    frame = pd.read_csv(out / "written.csv", dtype=str, keep_default_na=False)
    grade_folder(folder, "hw9", **call)
    assert {p.relative_to(out): p.read_bytes() for p in out.rglob("*") if p.is_file()} == first
    frame.loc[frame["submission"] == "anna.ipynb", "points"] = ["2", "1"]
    frame.to_csv(out / "written.csv", index=False)
    assert grade_folder(folder, "hw9", **call).to_frame()["total"].tolist() == [12, 0]
    (folder / "anna.ipynb").write_text("{")
    with pytest.raises(TypeError, match="not callable"):  # another notebook is run
        grade_folder(folder, "hw9", **call)


def test_what_cannot_be_graded_is_said_before_anything_runs(answers: Path, tmp_path: Path) -> None:
    folder = tmp_path / "class"
    folder.mkdir()
    (folder / "a.ipynb").write_text("{}")
    for change, message in (
        ({"homework": "hw8"}, "homework='hw8': must be one of hw9"),
        ({"folder": tmp_path / "none"}, "is no folder"),
        ({"jobs": 0}, "jobs=0"),
        ({"out": folder / "out"}, "lies in the folder of submissions"),
        ({"written": tmp_path / "none.csv"}, "cannot read"),
        ({"image": "--privileged"}, "must be the name of a Docker image"),
    ):
        call: dict[str, Any] = {"folder": folder, "homework": "hw9", "out": tmp_path / "out", "answers": answers}
        with pytest.raises(InputError, match=message):
            grade_folder(**(call | change))
    assert not (tmp_path / "out").exists()
