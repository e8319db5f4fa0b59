"""Homework 5: the master and its editions hold, and typical wrong answers get their sentence."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab.risk import intruder_risk
from tests.lab.homework import mastered

STEM = "hw5_models_and_weights"
CHECKED = ("posterior", "form_gain", "expected_ir", "my_weights", "share_of_population")


class TestMaster(mastered.MasterTests):
    stem = STEM
    checked = CHECKED
    points = 20
    written = ("board", "gives the")
    own_cases = ("posterior", "expected_ir", "share_of_population")
    apart = 2
    other_classes = (2, 3)


@pytest.fixture(scope="module")
def master():
    return mastered.run_master(STEM)


def hint(question, answer, points=0):
    return mastered.hint(f"hw5.{question}", answer, points)


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
    y, w, risk = np.array([1, 0, 0, 1, 0]), np.array([2.0, 5, 1, 9, 3]), np.array([1, 0.5, 1, 0.25, 0.75])
    table = sl.DirichletMultinomial(["y"], pseudocount=2.0).fit(
        pd.DataFrame({"y": y}), weights=risk, design=sl.Design(weights=w), rng=1, draws=40_000
    )
    a, b = master["share_of_population"](y, w, risk)
    assert table.posterior["theta"][:, 0, 1].mean() == pytest.approx(a / (a + b), abs=0.005)
    assert table.posterior["theta"][:, 0, 1].var() == pytest.approx(a * b / (a + b) ** 2 / (a + b + 1), rel=0.05)


def test_the_two_kinds_of_weights_are_not_mixed_up():
    def scaled(w):
        return len(w) * w / w.sum()

    def beta(alpha, y, prior=2):
        return np.array([prior + alpha @ y, prior + alpha @ (1 - y)])

    assert "scale them to n" in hint("share_of_population", lambda y, w, r: beta(r * w, y))
    assert "scale w alone" in hint("share_of_population", lambda y, w, r: beta(scaled(r * w), y))
    assert "a model of the sample" in hint("share_of_population", lambda y, w, r: beta(r, y))
    assert "you take a flat one" in hint("share_of_population", lambda y, w, r: beta(r * scaled(w), y, 1))
