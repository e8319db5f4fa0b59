"""Homework 1: the master passes, the student edition runs empty, typical wrong answers get their hint."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy import stats

from synthlab.lab.homework import check
from synthlab.lab.homework.checking import sealed_homework
from synthlab.lab.homework.versions import read_notebook
from tests.lab.homework.masters import Master

HW = Master("hw1_the_secret_ballot")
CHECKED = ("told", "exposed", "majority_right", "my_release")
M = 41


@pytest.mark.parametrize("question", CHECKED)
def test_the_master_passes_every_check(question):
    result = check(f"hw1.{question}", HW.left[question])
    assert result.passed, result
    assert result.points == result.possible


def test_the_model_answer_is_long_enough_and_goes_to_a_person():
    result = check("hw1.letter", HW.text("letter"))
    assert result.passed
    assert (result.points, result.possible) == (0, 5)
    assert sum(kept["points"] for kept in sealed_homework("hw1").questions.values()) == 18


@pytest.mark.parametrize("question", CHECKED)
def test_the_student_edition_runs_empty_and_passes_nothing(question):
    assert "ot answered yet" in HW.hint(question, HW.empty[question])


def test_the_student_edition_is_made_from_the_master():
    made, edition = HW.student_edition(), read_notebook(HW.edition)
    assert [c.source for c in edition.cells] == [c.source for c in made.cells]
    assert all(not c.outputs and c.execution_count is None for c in edition.cells if c.cell_type == "code")
    text = HW.edition.read_text(encoding="utf-8")
    for secret in ("SOLUTION", "# STUDENT", "ANSWERS", "nunique", "stats.binom.sf", "rng.beta", "Numbers of class 1"):
        assert secret not in text


def test_the_committed_seals_are_those_of_the_master():
    assert HW.seal() == HW.sealed.read_text(encoding="utf-8")


def test_another_class_has_other_numbers_and_a_solution_that_passes():
    own, other = (json.loads(text)["questions"] for text in (HW.seal(), HW.seal(2)))
    assert own["exposed"]["right"] != other["exposed"]["right"]
    for question in ("told", "majority_right"):
        assert own[question]["cases"] != other[question]["cases"]
    assert HW.passes("my_release", 2) is None


@pytest.mark.parametrize("question", ["told", "exposed", "majority_right"])
def test_every_typical_wrong_answer_is_told_its_slip(question):
    wrong = HW.left["answers"][question].wrong
    assert len(set(wrong)) >= 4
    for sentence, answer in wrong.items():
        assert HW.hint(question, answer) == sentence[0].upper() + sentence[1:]


def test_the_toys_of_the_text():
    frame = HW.left["pd"].DataFrame({"age": [30, 30, 40, 40, 50], "secret": [1, 1, 0, 1, 0]})
    assert HW.left["told"](frame, ["age"], "secret") == 3
    assert HW.left["majority_right"](1, 1, 1, 1, 1) == pytest.approx(2 / 3)
    assert HW.left["majority_right"](1, 1, 1, 1, 3) == pytest.approx(20 / 27)


def test_the_formula_is_what_a_simulation_finds():
    rng, (y, n, a, b, m) = np.random.default_rng(1), (3, 7, 2, 5, 7)
    votes = rng.random((100_000, m)) < rng.beta(a + y, b + n - y, (100_000, m))
    right = (votes.sum(axis=1) > m / 2).mean()
    assert HW.left["majority_right"](y, n, a, b, m) == pytest.approx(right, abs=0.005)


def test_other_functions():
    assert "the function calls" in HW.hint("told", calls_the_package)
    assert "should be a function, and is float" in HW.hint("majority_right", 0.5)
    assert "it stopped: ZeroDivisionError" in HW.hint("majority_right", lambda *a: 1 / 0)
    assert "Work that example out with a pencil" in HW.hint("majority_right", lambda y, n, a, b, m: 0.123)
    assert check(
        "hw1.majority_right", lambda y, n, a, b, m: 1 - stats.binom.cdf(m / 2, m, (a + y) / (a + b + n))
    ).passed


def calls_the_package(frame, known, secret):
    import synthlab as sl

    sl.Intruder(known=known, synthesized=[secret])
    return HW.left["told"](frame, known, secret)


def drawn(groups, prior=(1, 1)):
    """Return a release with votes drawn within groups; without a prior the shares are plugged in."""
    rng, voters = np.random.default_rng(5), HW.left["voters"]
    votes = voters.groupby(groups)["vote"]
    made = []
    for _ in range(M):
        theta = (
            votes.transform("mean")
            if prior is None
            else votes.transform(lambda v: rng.beta(prior[0] + v.sum(), prior[1] + v.size - v.sum()))
        )
        made.append(voters.assign(vote=(rng.random(len(voters)) < theta).astype(int)))
    return made


def test_releases_that_give_voters_away():
    voters = HW.left["voters"]
    # the worst record: groups of one, plugged in, and strong partisans
    assert "own 'vote' of 107 in every dataset" in HW.hint("my_release", drawn([voters["age"], voters["educ"]], None))
    assert "in every dataset" in HW.hint("my_release", drawn(voters["PID"]))
    # on average: groups of one with a flat prior, and an answer that is turned one time in ten
    flat = HW.hint("my_release", drawn([voters["age"], voters["educ"]]))
    assert "right about 'vote' of 98% of the people" in flat
    assert "one guess for all reaches 58%" in flat
    rng = np.random.default_rng(3)
    turned = [voters.assign(vote=voters["vote"] ^ (rng.random(len(voters)) < 0.2)) for _ in range(M)]
    assert "right about 'vote' of 100% of the people" in HW.hint("my_release", turned)


def test_releases_of_no_use_have_half_of_the_points():
    voters, rng = HW.left["voters"], np.random.default_rng(2)
    shuffled = [voters.assign(vote=rng.permutation(voters["vote"])) for _ in range(M)]
    for release in (shuffled, drawn(np.zeros(len(voters)))):
        assert "The mean of 'income' by 'vote' is off by 1." in HW.hint("my_release", release, 2)


def test_releases_that_are_none():
    voters, mine = HW.left["voters"], HW.left["my_release"]
    assert "It has 40 datasets, asked for are 41" in HW.hint("my_release", mine[:40])
    assert "It has 1 dataset, asked for are 41" in HW.hint("my_release", mine[0])
    assert "Dataset 1 releases 'vote' as it is" in HW.hint("my_release", [voters] * M)
    assert "Dataset 1 changes 'age'" in HW.hint("my_release", [one.assign(age=one["age"] + 1) for one in mine])
    labels = [one.assign(vote=one["vote"].map({0: "Clinton", 1: "Dole"})) for one in mine]
    assert "Dataset 1 holds values of 'vote' that are missing or no numbers" in HW.hint("my_release", labels)
    assert "must have the 800 rows" in HW.hint("my_release", [one.head(10) for one in mine])
    assert "It is not a release" in HW.hint("my_release", 3)
    assert check("hw1.my_release", [one.astype({"vote": "category"}) for one in mine]).passed
