"""What every homework of the course must hold: its master, its student edition, its sealed answers, its hints.

`test_hw1.py` and its like subclass `MasterTests` and add what is particular. A master is run once for all tests of it.
"""

from __future__ import annotations

import contextlib
import io
import re
import warnings
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar

import matplotlib.pyplot as plt
import nbformat
import pytest

from synthlab.lab.homework import (
    FunctionAnswer,
    NumberAnswer,
    PropertyAnswer,
    check,
    make_version,
    seal_answers,
)
from synthlab.lab.homework.properties import PROPERTIES
from synthlab.lab.homework.sealing import to_json
from synthlab.lab.homework.versions import read_notebook

ROOT = Path(__file__).resolve().parents[3]
FEWEST_HINTS = 3


def path_of(stem: str, folder: str = "instructor") -> Path:
    return ROOT / "course" / folder / f"{stem}.ipynb"


def run_cells(notebook: Any, number: int = 1) -> dict[str, Any]:
    """Run the code cells as the class with this number would, and return the variables."""
    variables: dict[str, Any] = {}
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        for cell in notebook.cells:
            if cell.cell_type == "code":
                source = re.sub(r"^CLASS = 1$", f"CLASS = {number}", cell.source, flags=re.MULTILINE)
                exec(compile(source, cell.id, "exec"), variables)  # noqa: S102 - our own notebook
    plt.close("all")
    return variables


@lru_cache(maxsize=3)
def run_master(stem: str, number: int = 1) -> dict[str, Any]:
    return run_cells(read_notebook(path_of(stem)), number)


@lru_cache(maxsize=1)
def run_student(stem: str) -> dict[str, Any]:
    return run_cells(read_notebook(path_of(stem, "homework")))


def hint(question: str, answer: Any, points: float = 0) -> str:
    """Return what the check says of an answer that is not right and earns so many points."""
    result = check(question, answer)
    assert not result.passed
    assert result.points == points, result
    return result.message


def told_otherwise(master: dict[str, Any]) -> list[str]:
    """Return the hints of typical wrong answers that are not what the check says of them."""
    wrong = {name: getattr(answer, "wrong", {}) for name, answer in master["answers"].items()}
    return [
        f"{name}: {said} -- {told}"
        for name, slips in wrong.items()
        for said, slip in slips.items()
        if (told := hint(f"{master['homework']}.{name}", slip)) != said[0].upper() + said[1:]
    ]


def too_few_hints(master: dict[str, Any]) -> list[str]:
    kinds = NumberAnswer | FunctionAnswer
    asked = {name: answer for name, answer in master["answers"].items() if isinstance(answer, kinds)}
    return [name for name, answer in asked.items() if len(answer.wrong) < FEWEST_HINTS]


def seals_are_those_of(master: dict[str, Any]) -> bool:
    name = master["homework"]
    kept = to_json(seal_answers(name, master["answers"], master["salt"]))
    return kept == (ROOT / f"synthlab/lab/homework/answers/{name}.json").read_text(encoding="utf-8")


def edition_is_that_of(stem: str) -> bool:
    """Say whether the committed student edition is the one that is made of the master."""
    made = nbformat.writes(make_version(path_of(stem), "student"), version=4).rstrip("\n") + "\n"
    return made == path_of(stem, "homework").read_text(encoding="utf-8")


class MasterTests:
    """The tests that are the same for every homework; attributes of a subclass say what is its own.

    stem: name of the notebook. checked: questions with a check. points: of all questions. written: the question answered
    in words, and what its check says of an answer that is not there. own_cases: functions whose examples are others in
    another class. apart: how far the numbers of two classes lie apart, in tolerances. other_classes: numbers of the classes
    that are looked at.
    """

    stem: ClassVar[str]
    checked: ClassVar[tuple[str, ...]]
    points: ClassVar[int]
    written: ClassVar[tuple[str, str]]
    own_cases: ClassVar[tuple[str, ...]] = ()
    apart: ClassVar[float] = 4
    other_classes: ClassVar[tuple[int, ...]] = (2,)

    @pytest.fixture
    def master(self) -> dict[str, Any]:
        return run_master(self.stem)

    def name(self, question: str) -> str:
        return f"{self.stem.partition('_')[0]}.{question}"

    def test_the_master_passes_every_check_with_all_points(self, master):
        results = {question: check(self.name(question), master[question]) for question in self.checked}
        assert [str(r) for r in results.values() if not r.passed or r.points != r.possible] == []
        assert {*self.checked, self.written[0]} == set(master["answers"])

    def test_points_are_those_the_text_promises(self, master):
        points = {name: answer.points for name, answer in master["answers"].items()}
        assert sum(points.values()) == self.points
        assert points[self.written[0]] == 5

    def test_the_model_answer_goes_to_a_person_and_an_empty_one_does_not(self):
        question, looked_for = self.written
        mark = f"<!-- WRITTEN {question} -->"
        (text,) = [c.source for c in read_notebook(path_of(self.stem)).cells if mark in c.source]
        result = check(self.name(question), text)
        assert result.passed
        assert (result.points, result.possible) == (0, 5)
        said = hint(self.name(question), "*Your answer here.*")
        assert re.match(rf"3 words; write at least (80|100)\. What is looked for: {looked_for}", said)

    def test_the_student_edition_runs_empty_and_is_told_that_it_is_not_answered(self):
        student = run_student(self.stem)
        said = {question: hint(self.name(question), student[question]) for question in self.checked}
        assert {q: text for q, text in said.items() if "ot answered yet" not in text} == {}

    def test_the_student_edition_and_the_seals_are_those_of_the_master(self, master):
        assert edition_is_that_of(self.stem)
        assert seals_are_those_of(master)

    def test_no_number_stands_in_clear(self, master):
        text = (ROOT / f"synthlab/lab/homework/answers/{master['homework']}.json").read_text(encoding="utf-8")
        for name, answer in master["answers"].items():
            if isinstance(answer, NumberAnswer) and answer.value != round(answer.value):
                assert f"{answer.value:.4g}".rstrip("0") not in text, name

    def test_every_typical_wrong_answer_is_told_its_slip(self, master):
        assert told_otherwise(master) == []
        assert too_few_hints(master) == []

    def test_another_class_has_other_numbers_and_a_master_that_passes(self, master, monkeypatch):
        monkeypatch.setattr("synthlab.lab.homework.seal._digest", "{}:{}".format)  # not slow; none is looked at here
        for number in self.other_classes:
            other = run_master(self.stem, number)
            one, two = (seal_answers(m["homework"], m["answers"], master["salt"])["questions"] for m in (master, other))
            assert {name for name in one if one[name].get("cases") != two[name].get("cases")} == {*self.own_cases}
            for name, answer in other["answers"].items():
                if isinstance(answer, NumberAnswer):
                    assert abs(answer.value - master["answers"][name].value) > self.apart * answer.tolerance, name
                elif isinstance(answer, PropertyAnswer):
                    assert PROPERTIES[answer.name](other[name], answer.settings) is None, name
            assert too_few_hints(other) == []
