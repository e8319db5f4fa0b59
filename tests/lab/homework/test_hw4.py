"""Homework 1: the master passes, the student version fails as it should, typical wrong answers get their hint."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab.exceptions import InputError
from synthlab.lab.homework import check, seal_answers
from synthlab.lab.homework.checking import sealed_homework
from synthlab.lab.homework.sealing import to_json
from synthlab.lab.homework.versions import read_notebook

CHECKED = ("uniques", "expected_match_risk", "colleague_risk", "standard_error", "my_release")


def hint(question, answer):
    result = check(f"hw1.{question}", answer)
    assert not result.passed
    assert result.points == 0
    return result.message


@pytest.mark.parametrize("question", CHECKED)
def test_the_master_passes_every_check(master, question):
    result = check(f"hw1.{question}", master[question])
    assert result.passed, result
    assert result.points == result.possible


def test_the_model_answer_is_long_enough_and_goes_to_a_person(master_path):
    text = next(c.source for c in read_notebook(master_path).cells if "WRITTEN exposed" in c.source)
    result = check("hw1.exposed", text)
    assert result.passed
    assert (result.points, result.possible) == (0, 5)
    assert "read by a person" in result.message


@pytest.mark.parametrize("question", CHECKED)
def test_the_student_version_fails_each_check_with_the_message_that_it_is_not_answered(student, question):
    assert "ot answered yet" in hint(question, student[question])


def test_the_student_version_fails_the_written_question():
    assert hint("exposed", "*Your answer here.*").startswith(
        "3 words; write at least 60. What is looked for: says which women"
    )


def test_the_committed_seals_are_those_of_the_master(master, root):
    kept = seal_answers(master["homework"], master["answers"], master["salt"])
    committed = (root / "synthlab" / "lab" / "homework" / "answers" / "hw1.json").read_text(encoding="utf-8")
    assert to_json(kept) == committed


def test_no_answer_stands_in_clear(master, root):
    text = (root / "synthlab" / "lab" / "homework" / "answers" / "hw1.json").read_text(encoding="utf-8")
    for question in ("uniques", "colleague_risk", "standard_error"):
        assert f"{master[question]:.4g}".rstrip("0") not in text


def test_wrong_numbers_of_women(master):
    women, known = master["women"], master["known"]
    assert "number of different patterns" in hint("uniques", len(master["sizes"]))
    assert "NOT unique" in hint("uniques", len(women) - int(master["uniques"]))
    assert "known variables alone" in hint("uniques", (women.groupby(known).size() == 1).sum())
    assert "Do it by hand for the first ten rows" in hint("uniques", 17)
    assert "a whole number" in hint("uniques", 464.5)


def test_answers_that_are_no_number(master):
    assert "this is Series of 1085 values" in hint("uniques", master["sizes"])
    assert "this is str" in hint("colleague_risk", "69")
    assert "this is nan" in hint("colleague_risk", float("nan"))
    assert "this is bool" in hint("colleague_risk", True)
    assert "this is type" in hint("uniques", list)
    # no float holds the last of these, and no text the one before
    for far in (10**30, -(10**30), 1e308, 10**400, 10**5000):
        for question in ("uniques", "colleague_risk", "standard_error"):
            assert "Do it by hand for the first ten rows" in hint(question, far)
    # one number in an array is a number
    assert check("hw1.standard_error", np.array([master["standard_error"]])).passed


def test_wrong_risks(master):
    measured = master["measured"].expected_match_risk
    assert "first dataset alone" in hint("colleague_risk", measured[0])
    assert "adds the five datasets up" in hint("colleague_risk", measured.sum())
    assert "the baseline" in hint("colleague_risk", master["measured"].baseline.expected_match_risk[0])
    assert "is a sum" in hint("colleague_risk", measured.mean() / 6366)


def test_wrong_standard_errors(master):
    v_bar, b = master["variances"].mean(), master["means"].var(ddof=1)
    assert "is its square root" in hint("standard_error", v_bar + b / 5)
    assert "leaves out b / m" in hint("standard_error", np.sqrt(v_bar))
    assert "adds b and not b / m" in hint("standard_error", np.sqrt(v_bar + b))
    assert "multiple imputation" in hint("standard_error", np.sqrt(v_bar + 1.2 * b))


def loop(share):
    """Return a student's function whose rows contribute ``share(own row agrees, number that agree)``."""

    def function(confidential, synthetic, known, synthesized):
        truth = confidential[known + synthesized].to_numpy()
        made = synthetic[known + synthesized].to_numpy()
        agrees = (made[None] == truth[:, None]).all(axis=2)
        return sum(share(row[i], row.sum()) for i, row in enumerate(agrees)) / getattr(share, "over", lambda n: 1)(
            len(truth)
        )

    return function


def test_wrong_functions():
    def mean(own, count):
        return own / count if count else 0.0

    mean.over = lambda n: n
    assert "the mean over the records" in hint("expected_match_risk", loop(mean))
    assert "counts every record whose own row matches as 1" in hint(
        "expected_match_risk", loop(lambda own, c: float(own))
    )
    assert "where the own row does not match (T = 0)" in hint(
        "expected_match_risk", loop(lambda own, c: 1 / c if c else 0.0)
    )
    assert "work that table out with a pencil" in hint("expected_match_risk", lambda *frames: 17.0)
    assert "It raised ZeroDivisionError: division by zero" in hint(
        "expected_match_risk", loop(lambda own, c: int(own) / int(c))
    )
    assert "should return a finite number, and returned None" in hint("expected_match_risk", lambda *frames: None)
    assert "should return a finite number, and returned (1+2j)" in hint("expected_match_risk", lambda *frames: 1 + 2j)
    assert "should return a finite number, and returned True" in hint("expected_match_risk", lambda *frames: True)
    assert "should return a finite number, and returned 1000" in hint("expected_match_risk", lambda *frames: 10**400)
    assert "it returns 1e+30" in hint("expected_match_risk", lambda *frames: 10**30)
    assert "should be a function, and is float" in hint("expected_match_risk", 69.0)
    assert check("hw1.expected_match_risk", loop(lambda own, c: own / c if c else 0.0)).passed


def test_wrong_releases(master):
    women, known, synthesized = master["women"], master["known"], master["synthesized"]

    def made(given):
        model = sl.DirichletMultinomial(synthesized, given=given, pseudocount=0.1)
        return model.fit(women, rng=3).generate(m=5, rng=4)

    assert "Is 'age' in your model?" in hint("my_release", made([]))
    assert "A smaller model knows fewer of them by name" in hint("my_release", made(known))
    assert "It has 1 dataset, asked for are 5" in hint("my_release", master["my_release"][0])
    assert "releases 'educ' as it is" in hint("my_release", [women] * 5)
    touched = [one.assign(age=one["age"] + 1) for one in master["my_release"]]
    assert "Dataset 1 changes 'age'" in hint("my_release", touched)
    assert "must have the 6,366 rows" in hint("my_release", [one.head(10) for one in master["my_release"]])
    assert "is not a release" in hint("my_release", 3)


def test_releases_of_other_types(master):
    """What a column holds decides, not how it is stored; what cannot be measured is said, and never raised."""

    def changed(**types):
        return [one.astype(types) for one in master["my_release"]]

    assert check("hw1.my_release", changed(educ="Float64", age="Float64")).passed
    assert "Dataset 1 holds 'educ' as category" in hint("my_release", changed(educ="category"))
    assert ".astype({'educ': 'float64'})" in hint("my_release", changed(educ="category"))
    assert "Dataset 1 holds 'age' as category" in hint("my_release", changed(age="category"))
    lost = changed(age="Float64")
    for one in lost:
        one.loc[3, "age"] = pd.NA
    assert "Dataset 1 changes 'age'" in hint("my_release", lost)


def test_an_answer_that_breaks_the_check_is_said():
    class Odd(pd.DataFrame):
        @property
        def columns(self):
            raise OSError("no columns today")

    assert hint("my_release", [Odd()]).startswith("It could not be checked: OSError: no columns today")


def test_questions_that_are_not_there():
    with pytest.raises(InputError, match=r"question='hw1.q9': must be one of hw1.uniques, "):
        check("hw1.q9", 1)
    with pytest.raises(InputError, match="homework='hw9': must be one of hw1"):
        check("hw9.uniques", 1)


def test_a_result_shows_itself():
    result = check("hw1.uniques", 17)
    assert str(result).startswith("hw1.uniques: not yet (0 of 2 points). ")
    assert result._repr_html_().startswith("<p>&#10007; hw1.uniques: not yet")
    assert sum(kept["points"] for kept in sealed_homework("hw1")["questions"].values()) == 18
