"""Planted copies: found in a rich file, not found in a poor one, and in agreement with a complete evaluation."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from tests.risk.test_near_copies import people

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
    assert sl.planted_copies(OWN[:9], OTHER[:9]).table.empty


def test_the_update_agrees_with_near_copies_of_a_release_with_copies() -> None:
    table = sl.planted_copies(OWN, OTHER, rng=3).table
    # The same number of other people in the release: whole copies of 5% of the people.
    draw = np.random.default_rng(8)
    mixed = pd.concat([OWN.iloc[draw.permutation(1000)[:50]], OTHER[50:]], ignore_index=True)
    again = sl.near_copies(OWN, mixed)
    assert again.level == "STOP"
    assert table.loc["whole"]["found"].any()


def test_the_number_of_released_records_may_differ() -> None:
    many = pd.concat([OTHER, people(1500, 3)], ignore_index=True)
    assert sl.planted_copies(OWN, many).found_from("whole") <= 50
    assert sl.planted_copies(OWN, OTHER[:200]).found_from("whole") <= 50


def test_an_unknown_kind_is_refused() -> None:
    with pytest.raises(sl.exceptions.InputError, match="kind"):
        sl.planted_copies(OWN[:20], OTHER[:20]).found_from("half")
