"""Homework 3: the master passes, the student edition runs empty, typical wrong answers get their hint."""

from __future__ import annotations

import numpy as np
import pytest

import synthlab as sl
from tests.lab.homework import mastered

STEM = "hw3_which_file_goes_out"
CHECKED = ("pmse_ratio", "ratio_deck", "worst_amount", "missing", "combine_full", "overlap_deck")


class TestMaster(mastered.MasterTests):
    stem = STEM
    checked = CHECKED
    points = 20
    written = ("recommendation", "recommends a release for each user")
    own_cases = ("pmse_ratio", "combine_full")


@pytest.fixture(scope="module")
def master():
    return mastered.run_master(STEM)


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
