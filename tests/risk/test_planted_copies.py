"""Planted copies: found in a rich file, not found in a poor one, and in agreement with a complete evaluation."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab.exceptions import InputError
from synthlab.risk.copies.planted_copies import _near
from tests.risk.test_near_copies import noisy, people

OWN, OTHER = people(1000, 1), people(1000, 2)


def test_few_copies_are_found_in_a_rich_file_only() -> None:
    rich = sl.planted_copies(OWN, OTHER)
    assert rich.found_from("whole") == 10
    assert rich.found_from("noise") in (10, 50)
    names = ["region", "job"]
    poor = sl.planted_copies(OWN[names], OTHER[names])
    assert math.isinf(poor.found_from("whole"))
    assert [*poor.table.loc["whole"].index] == [10, 50]


def test_a_small_file_cannot_be_searched() -> None:
    with pytest.raises(InputError, match="at least 20 records"):
        sl.planted_copies(OWN[:19], OTHER[:19])


def test_the_update_of_the_scores_agrees_with_a_new_computation() -> None:
    copies = noisy(OWN, 0.03).iloc[np.random.default_rng(8).permutation(1000)[:20]].reset_index(drop=True)
    ((number, z),) = _near(OWN, OTHER, copies, sl.near_copies(OWN, OTHER), [20], [])
    again = sl.near_copies(OWN, pd.concat([OTHER, copies], ignore_index=True)).table.loc[(1, "values")]
    assert number == pytest.approx(again["people"], abs=2)
    assert z == pytest.approx(again["z"], abs=0.4)


def test_the_number_of_released_records_may_differ() -> None:
    many = pd.concat([OTHER, people(1500, 3)], ignore_index=True)
    assert sl.planted_copies(OWN, many).found_from("whole") <= 50
    assert sl.planted_copies(OWN, OTHER[:200]).found_from("whole") <= 50


def test_an_unknown_kind_is_refused() -> None:
    with pytest.raises(sl.exceptions.InputError, match="kind"):
        sl.planted_copies(OWN[:20], OTHER[:20]).found_from("half")
