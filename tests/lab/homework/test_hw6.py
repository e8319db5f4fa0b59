"""Homework 6: the master and its editions hold, and typical wrong answers get their sentence."""

from __future__ import annotations

import numpy as np
import pytest

import synthlab.counts as slc
from synthlab.lab.homework import check
from tests.lab.homework import mastered

STEM = "hw6_two_promises"
CHECKED = ("privacy_loss", "my_weights", "belief", "my_tables")


class TestMaster(mastered.MasterTests):
    stem = STEM
    checked = CHECKED
    points = 19
    written = ("promises", "says")
    own_cases = ("privacy_loss", "belief")
    other_classes = (2, 5)


@pytest.fixture(scope="module")
def master():
    return mastered.run_master(STEM)


def hint(question, answer, points=0):
    return mastered.hint(f"hw6.{question}", answer, points)


def test_a_loss_that_underflows_is_said(master):
    def naive(log, frequency, weights):
        def chances(counts):
            p = np.exp(log @ (weights * counts))
            return p / p.sum()

        with np.errstate(all="ignore"):
            more = [np.log(chances(frequency + one)) for one in np.eye(len(frequency))]
            return np.abs(more - np.log(chances(frequency))).max(axis=1)

    assert hint("privacy_loss", naive) == "On example 7 of 8 it returns no finite number, or too many of them."


def test_wrong_weights(master):
    furthest, frequency = master["furthest"], master["frequency"]
    assert "The count that sets it is 97" in hint("my_weights", np.ones(97))
    assert "The count that sets it is 97" in hint("my_weights", np.where(frequency > 0, 0.2, 1.0))
    assert "of it is spread" in hint("my_weights", np.full(97, 4 / furthest.max()))
    assert "of it is bias" in hint("my_weights", np.minimum(1, 4 / furthest))
    assert "the largest counts say how wide" in hint("my_weights", np.minimum(0.3, 4 / furthest), points=2)
    assert "has the shape (98,)" in hint("my_weights", np.ones(98))
    assert "from 0 to 1" in hint("my_weights", -master["my_weights"])
    assert "and this is dict" in hint("my_weights", {"weights": 1})


def test_wrong_tables(master):
    table, mine = master["table"], master["my_tables"]

    def tables(noise, m=3, ones=0.2, rng=0):
        made = slc.synthesize_table(table, noise, m=m, pseudocount=0, zeros_to_ones=ones, rng=rng)
        return [one.to_frame() for one in made]

    wide = slc.GAF(sigma=2.5, nu=-1)
    assert "fall as the count grows?" in hint("my_tables", tables(slc.NBI(sigma=2)))
    assert "fall as the count grows?" in hint("my_tables", tables(slc.Poisson()))
    assert "how many empty cells become ones?" in hint("my_tables", tables(wide, ones=0))
    assert "Each table adds a measurement" in hint("my_tables", tables(wide, m=10))
    assert "The total of a table is off" in hint("my_tables", tables(wide, ones=0.9))
    assert "the worst cell is not" in hint("my_tables", tables(slc.GAF(sigma=1.5, nu=-1)), points=2)
    assert "is the confidential one" in hint("my_tables", [table.to_frame(), *mine])
    assert "It has 2 tables, and 3 to 10" in hint("my_tables", mine[:2])
    assert "a list of DataFrames" in hint("my_tables", mine[0])
    assert "should have the columns" in hint("my_tables", [one.drop(columns="SEX") for one in mine])
    twice = [one.set_axis([*one.columns[1:], "count"], axis=1) for one in mine]
    assert "should have the columns" in hint("my_tables", twice)
    assert "a value of SEX that the data do not have" in hint("my_tables", [one.assign(SEX=3) for one in mine])
    assert "no whole number" in hint("my_tables", [one.assign(count=one["count"] - 1.5) for one in mine])
    assert "holds a cell twice" in hint("my_tables", [one.assign(SEX=1) for one in mine])
    # what is listed counts, the order of rows and columns does not, nor whether empty cells are listed
    assert check("hw6.my_tables", [one.iloc[::-1, ::-1].astype({"SEX": str}) for one in mine]).passed
    assert check("hw6.my_tables", [one.to_frame(zeros=True) for one in master["made"]]).passed


def test_the_loss_is_within_the_bound_of_the_theorem(master):
    loss = master["privacy_loss"](master["log"], master["frequency"], master["my_weights"])
    largest = (master["my_weights"] * master["furthest"]).max()
    assert 1 < loss.max() <= 2 * largest <= 8


def test_the_belief_after_one_table_is_tau_4(master):
    table, noise = master["table"], master["noise"]
    sizes, cells = table.sizes()
    mine = master["belief"]([1], sizes, cells, noise.sigma, noise.nu, 0.2)[sizes == 1]
    theirs = slc.expected_tau(table, noise, k=1, pseudocount=0, zeros_to_ones=0.2).tau4
    assert mine == pytest.approx(theirs)
