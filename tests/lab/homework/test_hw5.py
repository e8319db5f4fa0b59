"""Homework 5: the master passes, the student edition says what is missing, typical wrong answers get their sentence."""

from __future__ import annotations

import contextlib
import io
import warnings
from pathlib import Path
from typing import Any

import nbformat
import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab.lab.homework import check, make_version, seal_answers
from synthlab.lab.homework.checking import sealed_homework
from synthlab.lab.homework.properties import PROPERTIES
from synthlab.lab.homework.sealing import to_json
from synthlab.lab.homework.versions import read_notebook
from synthlab.risk import intruder_risk

COURSE = Path(__file__).resolve().parents[3] / "course"
NAME = "hw5_models_and_weights.ipynb"
CHECKED = ("posterior", "form_gain", "expected_ir", "my_weights")


def run(notebook: Any, number: int = 1) -> dict[str, Any]:
    variables: dict[str, Any] = {}
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        for cell in notebook.cells:
            if cell.cell_type == "code":
                source = cell.source.replace("\nCLASS = 1", f"\nCLASS = {number}")
                exec(compile(source, cell.id, "exec"), variables)  # noqa: S102 - our own notebook
    return variables


@pytest.fixture(scope="module")
def master() -> dict[str, Any]:
    return run(read_notebook(COURSE / "instructor" / NAME))


def hint(question, answer, points=0):
    result = check(f"hw5.{question}", answer)
    assert not result.passed
    assert result.points == points
    return result.message


@pytest.mark.parametrize("question", CHECKED)
def test_the_master_passes_every_check(master, question):
    result = check(f"hw5.{question}", master[question])
    assert result.passed, result
    assert result.points == result.possible


def test_the_student_edition_is_that_of_the_master_and_runs_empty():
    made = make_version(COURSE / "instructor" / NAME, "student")
    committed = (COURSE / "homework" / NAME).read_text(encoding="utf-8")
    assert nbformat.writes(made, version=4).rstrip("\n") + "\n" == committed
    student = run(made)
    for question in CHECKED:
        assert "ot answered yet" in hint(question, student[question])
    assert hint("board", "*Your answer here.*").startswith("3 words; write at least 80. What is looked for: gives the")


def test_the_committed_seals_are_those_of_the_master(master):
    kept = sealed_homework("hw5")
    path = kept.folder / "hw5.json"
    assert to_json(seal_answers(master["homework"], master["answers"], master["salt"])) == path.read_text(
        encoding="utf-8"
    )
    assert f"{master['form_gain']:.4g}" not in path.read_text(encoding="utf-8")


@pytest.mark.parametrize("question", ["posterior", "form_gain", "expected_ir"])
def test_typical_wrong_answers_get_their_own_sentence(master, question):
    wrong = master["answers"][question].wrong
    assert len(wrong) >= 5
    for sentence, slip in wrong.items():
        assert hint(question, slip) == sentence[0].upper() + sentence[1:]


def test_a_function_that_calls_the_package_is_not_ones_own(master):
    def borrowed(y, mean, sd, pattern, r):
        people = pd.DataFrame({"y": y, "pattern": pattern})
        someone = sl.Intruder(known=["pattern"], synthesized=["y"], radius=r, radius_kind="absolute")
        return sl.risk_weights(people, someone).weights

    assert "asks you to write it" in hint("expected_ir", borrowed)


def test_wrong_weights(master):
    people, isolated, mine = master["people"], master["isolated"], master["my_weights"]
    n = len(people)
    pairwise = sl.risk_weights(people, master["who"], order=2).weights
    assert f"asked for are {n} weights" in hint("my_weights", np.ones(n - 1)).lower()
    assert "a number from 0 to 1" in hint("my_weights", 2 * mine)
    assert "and this is str" in hint("my_weights", "marginal")
    assert "is isolated should inform the model less" in hint("my_weights", np.ones(n))
    assert "all may be multiplied by one number" in hint("my_weights", master["marginal"])
    assert "whom did the wide one hide?" in hint("my_weights", pairwise / pairwise.max())
    assert "whom did the wide one hide?" in hint("my_weights", np.where(isolated, 0.5, 1.0))
    # right in the mean, at the cost of some: half of the points
    low = ((people["Tenure"] == 2) & (people["log_income"] < master["fit"].mean)).to_numpy()
    assert "the worst record is not" in hint("my_weights", np.where(low, 0.3, 1.0) * mine, points=2)
    silent = np.where(isolated | (people["Tenure"] == 1), 0.0, 1.0)
    assert "the mean weight is" in hint("my_weights", np.where(isolated, 0.0, 0.4)).lower()
    assert "no model can be fitted with them" in hint("my_weights", silent).lower()


def test_the_functions_of_the_master_equal_the_package(master):
    four = pd.DataFrame({"sex": list("ffmf"), "town": [1, 1, 2, 3]})
    files = [four.assign(town=town) for town in ([1, 2, 2, 3], [1, 1, 3, 2], [2, 2, 1, 3])]
    newcomer = sl.Intruder(known=["sex"], synthesized=["town"], in_file=False, population=[4.0, 4.0, 2.0, 3.0])
    theirs = intruder_risk(four, files, newcomer).match_probabilities().toarray()[0]
    guesses = np.array([one["town"] for one in files])
    mine = master["posterior"](guesses, (four["sex"] == "f").to_numpy(), [1], 4)
    assert np.allclose(mine, theirs)
    assert theirs[-1] > 0.5
    people, fit = master["people"], master["fit"]
    arrays = [people["log_income"].to_numpy(), fit.mean, fit.sd, people["Marital"].astype(int).to_numpy()]
    assert np.allclose(master["expected_ir"](*arrays, 0.2), master["before"])


@pytest.mark.slow
@pytest.mark.parametrize("number", [2, 3])
def test_another_class_has_other_numbers_and_the_master_still_passes(master, number):
    other = run(read_notebook(COURSE / "instructor" / NAME), number)
    assert abs(other["form_gain"] - master["form_gain"]) > 1
    asked = other["answers"]["my_weights"]
    assert asked.settings["class"] == number
    assert PROPERTIES[asked.name](other["my_weights"], asked.settings) is None
    kept = seal_answers("hw5", other["answers"], other["salt"])
    assert kept["questions"]["posterior"] != sealed_homework("hw5").questions["posterior"]
