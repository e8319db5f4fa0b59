"""Homework 3: the master passes, the student edition runs empty, typical wrong answers get their hint."""

from __future__ import annotations

import numpy as np
import pytest

import synthlab as sl
from synthlab.lab.homework import NumberAnswer, check
from synthlab.lab.homework.versions import read_notebook
from tests.lab.homework import mastered

STEM = "hw3_which_file_goes_out"
CHECKED = ("pmse_ratio", "ratio_deck", "worst_amount", "missing", "combine_full", "overlap_deck")


@pytest.fixture(scope="module")
def master():
    return mastered.run_master(STEM)


@pytest.fixture(scope="module")
def student():
    return mastered.run_student(STEM)


@pytest.mark.parametrize("question", CHECKED)
def test_the_master_passes_every_check(master, question):
    result = check(f"hw3.{question}", master[question])
    assert result.passed, result
    assert result.points == result.possible


def test_points_are_those_the_text_promises(master):
    points = {name: answer.points for name, answer in master["answers"].items()}
    assert sum(points.values()) == 20
    assert points["recommendation"] == 5


def test_every_typical_wrong_answer_is_told_its_slip(master):
    assert mastered.told_otherwise(master) == []
    assert mastered.too_few_hints(master) == []


@pytest.mark.parametrize("question", CHECKED)
def test_the_student_edition_runs_empty_and_is_told_that_it_is_not_answered(student, question):
    assert "ot answered yet" in mastered.hint(f"hw3.{question}", student[question])


def test_the_student_edition_and_the_seals_are_made_of_the_master(master):
    assert mastered.edition_is_that_of(STEM)
    assert mastered.seals_are_those_of(master)


def test_the_model_answer_goes_to_a_person_and_an_empty_one_does_not():
    cells = read_notebook(mastered.path_of(STEM)).cells
    text = next(c.source for c in cells if "WRITTEN recommendation" in c.source)
    assert check("hw3.recommendation", text).passed
    said = mastered.hint("hw3.recommendation", "*Your answer here.*")
    assert said.startswith("3 words; write at least 80. What is looked for: recommends a release for each user")


def test_the_numbers_are_those_of_the_package(master):
    """What students write by hand is what the package says of the same release."""
    seen = [f[["College", "Income"]].assign(both=f["College"] * f["Income"]) for f in master["deck"]]
    own = master["households"][["College", "Income"]]
    ratio = sl.pmse(own.assign(both=own.prod(axis=1)), seen).ratio.mean()
    assert master["ratio_deck"] == pytest.approx(ratio)
    gap = sl.ecdf_utility(master["households"], master["regression"], variables=["Income"]).ecdf_max.mean()
    assert master["worst_amount"] == pytest.approx(2_500 * gap)


def test_a_function_that_calls_the_package_is_not_ones_own():
    def called(q, v, size_ratio):
        combined = sl.combine_full(q, v, size_ratio=size_ratio)
        return np.mean(q), combined.total_variance[0]

    assert "asks you to write it" in mastered.hint("hw3.combine_full", called)


def test_a_function_that_fails_is_told_where():
    assert mastered.hint("hw3.pmse_ratio", lambda p, label, slopes: 1 / 0).startswith("On example 1 of 5 it stopped")
    assert "end it with `return`" in mastered.hint("hw3.pmse_ratio", lambda p, label, slopes: None)
    assert "Work that example out with a pencil" in mastered.hint("hw3.pmse_ratio", lambda p, label, slopes: 17.0)


def test_another_class_has_other_numbers(master):
    other = mastered.run_master(STEM, number=2)
    for name, answer in master["answers"].items():
        if isinstance(answer, NumberAnswer):
            assert abs(answer.value - other["answers"][name].value) > 4 * answer.tolerance
    assert mastered.too_few_hints(other) == []
    cases = [one["answers"]["combine_full"].cases[0][0] for one in (master, other)]
    assert not np.array_equal(*cases)
