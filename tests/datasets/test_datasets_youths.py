"""The youths of the lectures: who is kept, and what the races are called."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab.datasets.youths import classroom_youths
from synthlab.exceptions import InputError


@pytest.fixture
def survey() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "facility": pd.Categorical([7, 7, 7, 3, 3, 9, 7], categories=[3, 7, 9, 11]),
            "race": pd.Categorical([1, 2, 3, 4, 1, 2, None], categories=[1, 2, 3, 4]),
            "age": [15, 16, np.nan, 17, 18, 19, 20],
        }
    )


def test_the_largest_facilities_and_who_answered_everything(survey):
    youths = classroom_youths(survey, facilities=2)
    assert youths["age"].tolist() == [15, 16, 17, 18]
    assert youths.index.tolist() == [0, 1, 2, 3]
    assert youths["race"].tolist() == ["White", "Black", "other", "White"]
    assert youths["facility"].cat.categories.tolist() == [3, 7]
    assert len(survey.columns) == 3
    assert survey["race"].iloc[0] == 1


def test_a_race_that_nobody_has_stays_a_category(survey):
    assert list(classroom_youths(survey.iloc[:1], facilities=1)["race"].cat.categories) == ["Black", "White", "other"]


def test_the_largest_is_counted_before_anybody_is_left_out(survey):
    assert classroom_youths(survey, facilities=1)["facility"].unique().tolist() == [7]


def test_the_youths_of_the_lecture():
    youths = classroom_youths(sl.datasets.load("youths", version="simulated").frame)
    assert youths["race"].value_counts()["other"] == 30
    assert not youths.isna().any(axis=None)


def test_what_is_refused(survey):
    with pytest.raises(InputError, match="race"):
        classroom_youths(survey.drop(columns="race"))
    for facilities in (0, 4):  # three facilities have somebody
        with pytest.raises(InputError, match=f"facilities={facilities}"):
            classroom_youths(survey, facilities=facilities)
