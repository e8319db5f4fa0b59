"""Homework 1: the master passes, the student edition runs empty, typical wrong answers get their hint."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import synthlab as sl
from synthlab.lab.homework import check
from tests.lab.homework import mastered

STEM = "hw1_the_secret_ballot"
CHECKED = ("told", "exposed", "majority_right", "my_release")
M = 41


class TestMaster(mastered.MasterTests):
    stem = STEM
    checked = CHECKED
    points = 18
    written = ("letter", "says what the file as it was told")
    own_cases = ("told", "majority_right")


@pytest.fixture(scope="module")
def master():
    return mastered.run_master(STEM)


def hint(question, answer):
    return mastered.hint(f"hw1.{question}", answer)


def half(question, answer):
    """Return what the check says of an answer that earns half of the points."""
    result = check(f"hw1.{question}", answer)
    assert (result.passed, 2 * result.points) == (False, result.possible)
    return result.message


def test_the_toys_of_the_text(master):
    frame = master["pd"].DataFrame({"age": [30, 30, 40, 40, 50], "secret": [1, 1, 0, 1, 0]})
    assert master["told"](frame, ["age"], "secret") == 3
    assert master["majority_right"](1, 1, 1, 1, 1) == pytest.approx(2 / 3)
    assert master["majority_right"](1, 1, 1, 1, 3) == pytest.approx(20 / 27)


def test_the_formula_is_what_a_simulation_finds(master):
    rng, (y, n, a, b, m) = np.random.default_rng(1), (3, 7, 2, 5, 7)
    votes = rng.random((100_000, m)) < rng.beta(a + y, b + n - y, (100_000, m))
    right = (votes.sum(axis=1) > m / 2).mean()
    assert master["majority_right"](y, n, a, b, m) == pytest.approx(right, abs=0.005)


def test_other_functions(master):
    def calls_the_package(frame, known, secret):
        sl.Intruder(known=known, synthesized=[secret])
        return master["told"](frame, known, secret)

    assert "the function calls" in hint("told", calls_the_package)
    assert "should be a function, and is float" in hint("majority_right", 0.5)
    assert "it stopped: ZeroDivisionError" in hint("majority_right", lambda *a: 1 / 0)
    assert "Work that example out with a pencil" in hint("majority_right", lambda y, n, a, b, m: 0.123)
    assert check(
        "hw1.majority_right", lambda y, n, a, b, m: 1 - stats.binom.cdf(m / 2, m, (a + y) / (a + b + n))
    ).passed


def drawn(voters, groups, prior=(1, 1)):
    """Return a release with votes drawn within groups; without a prior the shares are plugged in."""
    rng = np.random.default_rng(5)
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


def test_releases_that_give_voters_away(master):
    voters = master["voters"]
    # the worst record: groups of one, plugged in, and strong partisans
    assert "own 'vote' of 107 in every dataset" in hint(
        "my_release", drawn(voters, [voters["age"], voters["educ"]], None)
    )
    assert "in every dataset" in hint("my_release", drawn(voters, voters["PID"]))
    # on average: groups of one with a flat prior, and an answer that is turned one time in five
    flat = hint("my_release", drawn(voters, [voters["age"], voters["educ"]]))
    assert "right about 'vote' of 98% of the people" in flat
    assert "one guess for all reaches 58%" in flat
    rng = np.random.default_rng(3)
    turned = [voters.assign(vote=voters["vote"] ^ (rng.random(len(voters)) < 0.2)) for _ in range(M)]
    assert "right about 'vote' of 100% of the people" in hint("my_release", turned)


def test_releases_of_no_use_have_half_of_the_points(master):
    voters, rng = master["voters"], np.random.default_rng(2)
    shuffled = [voters.assign(vote=rng.permutation(voters["vote"])) for _ in range(M)]
    for release in (shuffled, drawn(voters, np.zeros(len(voters)))):
        assert "The mean of 'income' by 'vote' is off by 1." in half("my_release", release)


def test_releases_that_are_none(master):
    voters, mine = master["voters"], master["my_release"]
    assert "It has 40 datasets, asked for are 41" in hint("my_release", mine[:40])
    assert "It has 1 dataset, asked for are 41" in hint("my_release", mine[0])
    assert "Dataset 1 releases 'vote' as it is" in hint("my_release", [voters] * M)
    assert "Dataset 1 changes 'age'" in hint("my_release", [one.assign(age=one["age"] + 1) for one in mine])
    labels = [one.assign(vote=one["vote"].map({0: "Clinton", 1: "Dole"})) for one in mine]
    assert "Dataset 1 holds values of 'vote' that are missing or no numbers" in hint("my_release", labels)
    assert "must have the 800 rows" in hint("my_release", [one.head(10) for one in mine])
    assert "It is not a release" in hint("my_release", 3)
    assert check("hw1.my_release", [one.astype({"vote": "category"}) for one in mine]).passed
