"""Train on synthetic, test on real."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab.exceptions import InputError


@pytest.fixture(scope="module")
def people() -> pd.DataFrame:
    draw = np.random.default_rng(1)
    x = draw.integers(0, 4, 400)
    return pd.DataFrame({"x": x, "job": pd.Series(list("abcd"))[x].to_numpy(), "y": x * 10.0 + draw.normal(size=400)})


def test_a_release_that_keeps_the_relation_teaches_as_much_as_the_data(people: pd.DataFrame) -> None:
    draw = np.random.default_rng(2)
    x = draw.integers(0, 4, 300)
    honest = pd.DataFrame({"x": x, "job": pd.Series(list("abcd"))[x].to_numpy(), "y": x * 10.0 + draw.normal(size=300)})
    lost = honest.assign(y=draw.permutation(honest["y"]), job=draw.permutation(honest["job"]))
    amount = sl.prediction_utility(people, [honest, lost], target="y", variables=["x"], rng=1)
    assert amount.measured
    assert amount.score[0] == pytest.approx(amount.confidential, abs=0.02)
    assert amount.score[1] < 0.1
    assert amount.constant == 0.0
    job = sl.prediction_utility(people, [honest, lost], target="job", variables=["x"], rng=1)
    assert job.score[0] == job.confidential == 1.0
    assert job.score[1] < 0.6
    assert job.constant == people["job"].value_counts().iloc[0] / 400


def test_a_category_stored_as_numbers_is_predicted_as_one(people: pd.DataFrame) -> None:
    found = sl.prediction_utility(people, people, target="x", variables=["job"], categorical=["x"], rng=1)
    assert not found.measured
    assert found.score.tolist() == [1.0]


def test_one_value_in_a_dataset_is_its_answer_and_unknown_levels_are_wrong(people: pd.DataFrame) -> None:
    same = people.assign(job="a")
    found = sl.prediction_utility(people, same, target="job", variables=["x"], rng=1)
    assert found.score[0] == (people["job"] == "a").mean()
    other = sl.prediction_utility(people, people.assign(job="never seen"), target="job", variables=["x"], rng=1)
    assert other.score.tolist() == [0.0]


def test_records_without_a_target_are_left_out_and_the_seed_decides(people: pd.DataFrame) -> None:
    holes = people.assign(y=people["y"].where(people["x"] > 0))
    one, two = (sl.prediction_utility(holes, people, target="y", variables=["job"], rng=5) for _ in range(2))
    assert one.n == int((people["x"] > 0).sum())
    assert (one.score == two.score).all()
    assert one.confidential == two.confidential


def test_more_levels_than_the_trees_know_are_taken_together() -> None:
    draw = np.random.default_rng(3)
    many = pd.DataFrame({"town": [f"t{i}" for i in draw.integers(0, 600, 900)], "y": draw.normal(size=900)})
    assert sl.prediction_utility(many, many, target="y", rng=1).predictors == ("town",)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"target": "nothing"}, "target"),
        ({"target": "y", "variables": ["y", "x"]}, "variables: must not contain the target"),
        ({"target": "y", "folds": 300}, "folds=300: confidential has 400 records"),
        ({"target": "y", "folds": 1}, "folds"),
    ],
)
def test_what_cannot_be_predicted_is_refused(people: pd.DataFrame, options: dict, message: str) -> None:
    with pytest.raises(InputError, match=message):
        sl.prediction_utility(people, people, **options)


def test_a_dataset_without_a_target_is_refused(people: pd.DataFrame) -> None:
    with pytest.raises(InputError, match="synthetic: dataset 2 has no record with a target"):
        sl.prediction_utility(people, [people, people.assign(y=np.nan)], target="y", rng=1)
