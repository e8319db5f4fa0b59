"""Homework 2: the master passes, the student edition runs empty, typical wrong answers get their hint."""

from __future__ import annotations

import numpy as np
import pytest

from synthlab.lab.homework import check
from tests.lab.homework import mastered

STEM = "hw2_a_household_that_never_was"
CHECKED = ("draw_amounts", "draw_levels", "ratio", "my_release")


class TestMaster(mastered.MasterTests):
    stem = STEM
    checked = CHECKED
    points = 18
    written = ("readers", "names the line")
    own_cases = ("draw_amounts", "draw_levels")


@pytest.fixture(scope="module")
def master():
    return mastered.run_master(STEM)


def hint(question, answer):
    return mastered.hint(f"hw2.{question}", answer)


def half(question, answer):
    """Return what the check says of an answer that earns half of the points."""
    result = check(f"hw2.{question}", answer)
    assert (result.passed, 2 * result.points) == (False, result.possible)
    return result.message


def test_the_toys_of_the_text(master):
    x, new, chance = np.arange(3.0), np.array([3.0, 4.0]), np.array([0.3, -2.0])
    made = master["draw_amounts"](x, np.exp(x), new, 1.7, chance, chance)
    assert made == pytest.approx(np.exp(new))
    p = np.array([[0.2, 0.5, 0.3]] * 3)
    assert master["draw_levels"](p, np.array([0.1, 0.2, 0.9])).tolist() == [0, 1, 2]


def test_the_posterior_is_the_one_of_the_formula(master):
    """Amounts of one new household have the t distribution of a prediction, in mean and spread."""
    rng, n = np.random.default_rng(4), 12
    x = rng.normal(size=n)
    y = np.exp(2 + x + rng.normal(0, 0.5, n))
    new = np.array([1.5])
    logs = [
        np.log(master["draw_amounts"](x, y, new, rng.chisquare(n - 2), rng.normal(size=2), rng.normal(size=1)))[0]
        for _ in range(20_000)
    ]
    slope, at_zero = np.polyfit(x, np.log(y), 1)
    centred = x - x.mean()
    s2 = ((np.log(y) - at_zero - slope * x) ** 2).sum() / (n - 2)
    spread = s2 * (1 + 1 / n + (new[0] - x.mean()) ** 2 / (centred @ centred)) * (n - 2) / (n - 4)
    assert np.mean(logs) == pytest.approx(at_zero + slope * new[0], abs=0.02)
    assert np.std(logs) == pytest.approx(np.sqrt(spread), rel=0.03)


def test_other_functions_and_numbers():
    assert "should be a function, and is int" in hint("draw_levels", 2)
    assert "it stopped: IndexError" in hint("draw_amounts", lambda x, y, new_x, chi2, z, e: z[2])
    assert "Work that example out with a pencil" in hint("draw_levels", lambda p, u: 0 * u + 7)
    assert "Do it by hand for the first ten rows" in hint("ratio", 17.0)
    assert check(
        "hw2.draw_levels", lambda p, u: [np.searchsorted(q.cumsum(), v, "right") for q, v in zip(p, u, strict=True)]
    ).passed


def changed(master, **columns):
    """Return the release of the master with other columns, each a function of one of its datasets."""
    return [one.assign(**{name: make(one) for name, make in columns.items()}) for one in master["my_release"]]


def test_releases_that_give_households_away(master):
    spent, rng = master["homes"]["Expenditure"], np.random.default_rng(1)
    noise = {
        s: changed(master, Expenditure=lambda one, s=s: spent * np.exp(rng.normal(0, s, len(one)))) for s in (0.01, 0.5)
    }
    # the worst record: little noise, and a release that is fine but for its largest amount
    assert "own 'Expenditure' of 3,000 in every dataset" in hint("my_release", noise[0.01])
    top = changed(master, Expenditure=lambda one: one["Expenditure"].where(spent < spent.max(), spent))
    assert "own 'Expenditure' of 1 in every dataset" in hint("my_release", top)
    # on average: much noise
    assert "at most 12% is allowed, and one guess for all reaches" in hint("my_release", noise[0.5])


def test_releases_that_lose_one_use_have_half_of_the_points(master):
    homes, rng = master["homes"], np.random.default_rng(2)

    def of_the_same_tenure(one):
        drawn = [rng.choice(homes.loc[homes["Tenure"] == kind, "Expenditure"]) for kind in one["Tenure"]]
        return np.array(drawn)

    without_income = half("my_release", changed(master, Expenditure=of_the_same_tenure))
    assert "rank correlation of 'Expenditure' with 'Income' is off" in without_income
    other_tenure = changed(master, Tenure=lambda one: rng.permutation(one["Tenure"]))
    assert "median of 'Expenditure' by 'Tenure' is off" in half("my_release", other_tenure)
    # the colleague has lost both
    assert "median of 'Expenditure' by 'Tenure' is off" in hint("my_release", master["datasets"])


def test_releases_that_are_none(master):
    homes, mine = master["homes"], master["my_release"]
    assert "It has 4 datasets, asked for are 5" in hint("my_release", mine[:4])
    assert "Dataset 1 releases 'Tenure' as it is" in hint(
        "my_release", changed(master, Tenure=lambda one: homes["Tenure"])
    )
    assert "Dataset 1 changes 'Income'" in hint("my_release", changed(master, Income=lambda one: one["Income"] + 1))
    missing = changed(master, Expenditure=lambda one: one["Expenditure"].where(one.index > 0))
    assert "Dataset 1 holds values of 'Expenditure' that are missing" in hint("my_release", missing)
    words = changed(master, Expenditure=lambda one: one["Expenditure"].map("{:.0f} dollars".format))
    assert "missing or no numbers" in hint("my_release", words)
