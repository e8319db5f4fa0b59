"""Homework 2: the master passes, the student edition runs empty, typical wrong answers get their hint."""

from __future__ import annotations

import json

import numpy as np
import pytest

from synthlab.lab.homework import check
from synthlab.lab.homework.checking import sealed_homework
from synthlab.lab.homework.versions import read_notebook
from tests.lab.homework.masters import Master

HW = Master("hw2_a_household_that_never_was")
CHECKED = ("draw_amounts", "draw_levels", "ratio", "my_release")


@pytest.mark.parametrize("question", CHECKED)
def test_the_master_passes_every_check(question):
    result = check(f"hw2.{question}", HW.left[question])
    assert result.passed, result
    assert result.points == result.possible


def test_the_model_answer_is_long_enough_and_goes_to_a_person():
    result = check("hw2.readers", HW.text("readers"))
    assert result.passed
    assert (result.points, result.possible) == (0, 5)
    assert sum(kept["points"] for kept in sealed_homework("hw2").questions.values()) == 18


@pytest.mark.parametrize("question", CHECKED)
def test_the_student_edition_runs_empty_and_passes_nothing(question):
    assert "ot answered yet" in HW.hint(question, HW.empty[question])


def test_the_student_edition_is_made_from_the_master():
    made, edition = HW.student_edition(), read_notebook(HW.edition)
    assert [c.source for c in edition.cells] == [c.source for c in made.cells]
    assert all(not c.outputs and c.execution_count is None for c in edition.cells if c.cell_type == "code")
    text = HW.edition.read_text(encoding="utf-8")
    for secret in ("SOLUTION", "# STUDENT", "ANSWERS", "cumsum", "residuals @", "crosstab", "Numbers of class 1"):
        assert secret not in text


def test_the_committed_seals_are_those_of_the_master():
    assert HW.seal() == HW.sealed.read_text(encoding="utf-8")


def test_another_class_has_other_numbers_and_a_solution_that_passes():
    own, other = (json.loads(text)["questions"] for text in (HW.seal(), HW.seal(2)))
    assert own["ratio"]["right"] != other["ratio"]["right"]
    for question in ("draw_amounts", "draw_levels"):
        assert own[question]["cases"] != other[question]["cases"]
    assert HW.passes("my_release", 2) is None


@pytest.mark.parametrize("question", ["draw_amounts", "draw_levels", "ratio"])
def test_every_typical_wrong_answer_is_told_its_slip(question):
    wrong = HW.left["answers"][question].wrong
    assert len(set(wrong)) >= 5
    for sentence, answer in wrong.items():
        assert HW.hint(question, answer) == sentence[0].upper() + sentence[1:]


def test_the_toys_of_the_text():
    x, new, chance = np.arange(3.0), np.array([3.0, 4.0]), np.array([0.3, -2.0])
    made = HW.left["draw_amounts"](x, np.exp(x), new, 1.7, chance, chance)
    assert made == pytest.approx(np.exp(new))
    p = np.array([[0.2, 0.5, 0.3]] * 3)
    assert HW.left["draw_levels"](p, np.array([0.1, 0.2, 0.9])).tolist() == [0, 1, 2]


def test_the_posterior_is_the_one_of_the_formula():
    """Amounts of one new household have the t distribution of a prediction, in mean and spread."""
    rng, n = np.random.default_rng(4), 12
    x = rng.normal(size=n)
    y = np.exp(2 + x + rng.normal(0, 0.5, n))
    new = np.array([1.5])
    logs = [
        np.log(HW.left["draw_amounts"](x, y, new, rng.chisquare(n - 2), rng.normal(size=2), rng.normal(size=1)))[0]
        for _ in range(20_000)
    ]
    slope, at_zero = np.polyfit(x, np.log(y), 1)
    centred = x - x.mean()
    s2 = ((np.log(y) - at_zero - slope * x) ** 2).sum() / (n - 2)
    spread = s2 * (1 + 1 / n + (new[0] - x.mean()) ** 2 / (centred @ centred)) * (n - 2) / (n - 4)
    assert np.mean(logs) == pytest.approx(at_zero + slope * new[0], abs=0.02)
    assert np.std(logs) == pytest.approx(np.sqrt(spread), rel=0.03)


def test_other_functions_and_numbers():
    assert "should be a function, and is int" in HW.hint("draw_levels", 2)
    assert "it stopped: IndexError" in HW.hint("draw_amounts", lambda x, y, new_x, chi2, z, e: z[2])
    assert "Work that example out with a pencil" in HW.hint("draw_levels", lambda p, u: 0 * u + 7)
    assert "Do it by hand for the first ten rows" in HW.hint("ratio", 17.0)
    assert check(
        "hw2.draw_levels", lambda p, u: [np.searchsorted(q.cumsum(), v, "right") for q, v in zip(p, u, strict=True)]
    ).passed


def changed(**columns):
    """Return the release of the master with other columns, each a function of one of its datasets."""
    return [one.assign(**{name: make(one) for name, make in columns.items()}) for one in HW.left["my_release"]]


def test_releases_that_give_households_away():
    spent, rng = HW.left["homes"]["Expenditure"], np.random.default_rng(1)
    noise = {s: changed(Expenditure=lambda one, s=s: spent * np.exp(rng.normal(0, s, len(one)))) for s in (0.01, 0.5)}
    # the worst record: little noise, and a release that is fine but for its largest amount
    assert "own 'Expenditure' of 3,000 in every dataset" in HW.hint("my_release", noise[0.01])
    top = changed(Expenditure=lambda one: one["Expenditure"].where(spent < spent.max(), spent))
    assert "own 'Expenditure' of 1 in every dataset" in HW.hint("my_release", top)
    # on average: much noise
    assert "at most 12% is allowed, and one guess for all reaches" in HW.hint("my_release", noise[0.5])


def test_releases_that_lose_one_use_have_half_of_the_points():
    left, rng = HW.left, np.random.default_rng(2)
    homes = left["homes"]

    def of_the_same_tenure(one):
        drawn = [rng.choice(homes.loc[homes["Tenure"] == kind, "Expenditure"]) for kind in one["Tenure"]]
        return np.array(drawn)

    without_income = HW.hint("my_release", changed(Expenditure=of_the_same_tenure), 2)
    assert "rank correlation of 'Expenditure' with 'Income' is off" in without_income
    other_tenure = changed(Tenure=lambda one: rng.permutation(one["Tenure"]))
    assert "median of 'Expenditure' by 'Tenure' is off" in HW.hint("my_release", other_tenure, 2)
    # the colleague has lost both
    assert "median of 'Expenditure' by 'Tenure' is off" in HW.hint("my_release", left["datasets"])


def test_releases_that_are_none():
    homes, mine = HW.left["homes"], HW.left["my_release"]
    assert "It has 4 datasets, asked for are 5" in HW.hint("my_release", mine[:4])
    assert "Dataset 1 releases 'Tenure' as it is" in HW.hint("my_release", changed(Tenure=lambda one: homes["Tenure"]))
    assert "Dataset 1 changes 'Income'" in HW.hint("my_release", changed(Income=lambda one: one["Income"] + 1))
    missing = changed(Expenditure=lambda one: one["Expenditure"].where(one.index > 0))
    assert "Dataset 1 holds values of 'Expenditure' that are missing" in HW.hint("my_release", missing)
    words = changed(Expenditure=lambda one: one["Expenditure"].map("{:.0f} dollars".format))
    assert "missing or no numbers" in HW.hint("my_release", words)
