"""Topcoding and Resample."""

import numpy as np
import pandas as pd
import pytest

from synthlab.exceptions import InputError
from synthlab.synthesizers import Resample, Topcoding

SURVEY = pd.DataFrame({"income": np.arange(1.0, 101.0), "age": np.arange(100) % 40 + 20, "region": ["a", "b"] * 50})


@pytest.mark.parametrize(
    ("arguments", "low", "high"),
    [
        ({"top": 90.0}, 1, 90),
        ({"bottom": 5.5}, 5.5, 100),
        ({"top_share": 0.06}, 1, 94),
        ({"bottom_share": 0.1}, 11, 100),
        ({"top_share": 0.06, "bottom_share": 0.1}, 11, 94),
        ({"top": 95.5, "bottom_share": 0.005}, 1, 95.5),
    ],
)
def test_topcoding(arguments, low, high):
    release = Topcoding("income", **arguments).fit(SURVEY).generate(m=2)
    np.testing.assert_array_equal(release[0]["income"], SURVEY["income"].clip(low, high))
    pd.testing.assert_frame_equal(release[0], release[1])
    pd.testing.assert_frame_equal(release[0].drop(columns="income"), SURVEY.drop(columns="income"))


def test_topcoding_by_weight():
    weights = np.where(SURVEY["income"] == 100, 50.0, 1.0)
    assert Topcoding("income", top_share=0.3).fit(SURVEY, weights=weights).high == 100
    assert Topcoding("income", top_share=0.4).fit(SURVEY).high == 60


def test_topcoding_keeps_integers_where_the_cut_is_one():
    assert Topcoding("age", top=50).fit(SURVEY).generate(1)[0]["age"].dtype == np.int64
    assert Topcoding("age", top=50.5).fit(SURVEY).generate(1)[0]["age"].dtype == np.float64


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "give at least one cutoff"),
        ({"top": 1.0, "top_share": 0.1}, "top=1.0 and top_share=0.1: give only one"),
        ({"top": np.nan}, "top=nan"),
        ({"top_share": 1.0}, "top_share=1.0"),
        ({"top": 5.0, "bottom": 5.0}, "bottom cutoff is not below the top cutoff"),
    ],
)
def test_bad_cuts(arguments, message):
    with pytest.raises(InputError, match=message):
        Topcoding("income", **arguments).fit(SURVEY)


def test_bad_columns():
    with pytest.raises(InputError, match="'wage' not in confidential"):
        Topcoding("wage", top=1.0).fit(SURVEY)
    with pytest.raises(InputError, match="'region' is str, not numeric"):
        Topcoding("region", top=1.0).fit(SURVEY)
    with pytest.raises(InputError, match="has no likelihood"):
        Topcoding("income", top=1.0).fit(SURVEY).log_likelihood()


def test_resample_draws_records_together():
    release = Resample(["income", "age"]).fit(SURVEY).generate(m=3, rng=1)
    pairs = set(zip(SURVEY["income"], SURVEY["age"], strict=True))
    for frame in release:
        assert set(zip(frame["income"], frame["age"], strict=True)) <= pairs
        assert (frame["region"] == SURVEY["region"]).all()
        assert frame["age"].dtype == SURVEY["age"].dtype
        assert 40 < frame["income"].nunique() < 90
    assert not release[0].equals(release[1])
    again = Resample(["income", "age"]).fit(SURVEY).generate(m=1, rng=1)
    pd.testing.assert_frame_equal(again[0], release[0])


def test_resample_by_weight():
    weights = np.where(SURVEY["region"] == "a", 3.0, 1.0) * (SURVEY["income"] > 50)
    frames = Resample(["region", "income"]).fit(SURVEY, weights=weights).generate(m=50, rng=1)
    np.testing.assert_allclose(np.mean([(f["region"] == "a").mean() for f in frames]), 0.75, atol=0.03)
    assert min(f["income"].min() for f in frames) > 50


def test_resample_bad_input():
    with pytest.raises(InputError, match="variables=3: must be a list"):
        Resample(3)
    with pytest.raises(InputError, match="'wage' not in confidential"):
        Resample(["wage"]).fit(SURVEY)
    with pytest.raises(InputError, match="m=0"):
        Resample(["income"]).fit(SURVEY).generate(0)
    assert Resample(["income"]).fit(SURVEY).diagnostics().method == "none"
