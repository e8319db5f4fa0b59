"""Unique records and group sizes by hand, and lists that show them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from synthlab.exceptions import InputError
from synthlab.teaching.widgets import unique_records, unique_records_figure
from tests.teaching.widgets.drawn import outside

PEOPLE = pd.DataFrame(
    {
        "age": [30, 30, 40, 40, 50, np.nan, np.nan],
        "town": pd.Categorical(list("aaabbcc"), categories=list("abcd")),
        "sex": list("fmfffmm"),
    }
)


def test_by_hand():
    groups = unique_records(PEOPLE, known=["age", "town"])
    assert groups.sizes.tolist() == [2, 2, 1, 1, 1, 2, 2]
    assert (groups.unique, groups.found) == (3, 5.0)
    assert str(groups).startswith("3 of 7 records are unique (42.9%)")
    assert unique_records(PEOPLE, known=[]).sizes.tolist() == [7] * 7
    assert unique_records(PEOPLE, known=[]).found == pytest.approx(1.0)


def test_found_is_the_number_of_groups_and_grows_with_what_is_known():
    rng = np.random.default_rng(2)
    frame = pd.DataFrame(rng.integers(0, 3, (200, 5)), columns=list("abcde"))
    found = [unique_records(frame, known=list("abcde")[:k]).found for k in range(6)]
    assert found == pytest.approx([len(frame[list("abcde")[:k]].drop_duplicates()) if k else 1 for k in range(6)])
    assert found == sorted(found)


def test_bad_input():
    with pytest.raises(InputError, match="known: 'income' not in frame"):
        unique_records(PEOPLE, known=["income"])
    with pytest.raises(InputError, match="frame"):
        unique_records([1, 2], known=[])


def test_the_figure_says_the_numbers():
    figure = unique_records_figure(PEOPLE, known=["age", "town"], labels={"age": "her age"})
    assert "The intruder knows her age, town of every record. 3 of 7 records are unique" in figure.description
    assert "alone: 3, 2: 4, 3 to 5: 0" in figure.description
    assert "The intruder knows nothing of every record. 0 of 7" in unique_records_figure(PEOPLE, known=[]).description


@pytest.mark.parametrize("known", [[], ["sex"], ["age", "town", "sex"]])
def test_everything_stays_inside(known):
    assert outside(unique_records_figure(PEOPLE, known=known).figure) == []
