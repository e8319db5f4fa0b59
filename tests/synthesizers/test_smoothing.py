"""Rare numbers are moved, on the grid of the file; shared ones and few ones are not. Totals are computed."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

from synthlab.exceptions import InputError
from synthlab.synthesizers import CART, Resample, Sequential, SumOf
from synthlab.synthesizers._smoothing import Mover, bandwidth, bandwidths, decimals_of


def test_bandwidths_of_groups_are_those_of_each_group():
    rng = np.random.default_rng(1)
    sizes = rng.integers(0, 9, 50)
    values, start = rng.normal(size=sizes.sum()).round(1), np.append(0, np.cumsum(sizes))
    expected = [bandwidth(values[a:b]) for a, b in pairwise(start)]
    np.testing.assert_allclose(bandwidths(values, start), expected, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize(
    ("values", "decimals", "step"),
    [
        (np.arange(30) * 50 + 7, 0, 50),
        (np.arange(30) / 100, 2, 1),
        (np.arange(30) * 0.25, 2, 25),
        (np.sqrt(np.arange(30)), None, 1),
        ((np.arange(30) / 10).astype("float32"), 1, 1),
    ],
)
def test_numbers_stay_on_their_grid(values, decimals, step):
    mover = Mover.of(pd.Series(values), None)
    assert (mover.rounding.scale, mover.rounding.step) == (None if decimals is None else 10.0**decimals, step)
    assert decimals_of(pd.Series(values)) == decimals
    everyone = np.arange(30)
    noise = np.random.default_rng(1).normal(size=30)
    moved = mover.move(everyone, np.zeros(30, dtype=int), np.array([0, 30]), everyone, noise)
    assert moved.min() > values.min()
    assert moved.max() < values.max()
    if decimals is not None:
        assert pd.Series(moved.astype(values.dtype)).isin(values).all()


def test_shared_numbers_few_numbers_and_bools_are_not_moved():
    rng = np.random.default_rng(1)
    y = pd.Series(np.where(rng.random(500) < 0.4, 0.0, rng.lognormal(5, 1, 500)))
    mover = Mover.of(y, None)
    np.testing.assert_array_equal(mover.rare, y > 0)
    made = CART(["y"], smoothing="rare").fit(y.to_frame("y"), rng=1).generate(1, rng=1)[0]["y"]
    np.testing.assert_allclose((made == 0).mean(), (y == 0).mean(), atol=0.08)
    assert not made[made > 0].isin(y).any()
    assert Mover.of(pd.Series(np.arange(500) % 20), None) is None
    assert Mover.of(pd.Series(np.repeat(np.arange(50), 10)), None) is None
    assert Mover.of(y > 0, None) is None


def test_predictors_by_variable():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"a": rng.integers(0, 2, 300), "b": rng.integers(0, 2, 300)})
    frame["c"], frame["d"] = frame["b"], frame["a"]
    model = CART(["b", "c"], predictors_of={"b": ["a"], "c": ["a", "b"]})
    assert model.predictors == ("a",)
    made = model.fit(frame, rng=1).generate(1, rng=1)[0]
    np.testing.assert_array_equal(made["c"], made["b"])
    np.testing.assert_array_equal(made["d"], frame["d"])
    for wrong, message in [
        ({"b": ["a"]}, "predictors_of: must have one entry for each variable"),
        ({"b": ["c"], "c": []}, "predictors_of: 'c' must come before 'b'"),
        (["a"], "predictors_of=.*: must be a mapping"),
    ]:
        with pytest.raises(InputError, match=message):
            CART(["b", "c"], predictors_of=wrong)


def test_a_total_follows_from_its_parts():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"a": rng.integers(0, 9, 200) / 10, "b": rng.integers(0, 9, 200) / 10, "z": 1.0})
    frame["total"] = (frame["a"] + frame["b"]).round(1)
    rule = SumOf("total", ["a", "b"])
    models = [Resample(["a"]), Resample(["b"]), CART(["z"], ["total"])]
    release = Sequential(models, [rule]).fit(frame, rng=1).generate(2, rng=1)
    assert release.synthesized == ("a", "b", "total", "z")
    for made in release:
        np.testing.assert_array_equal(made["total"], (made["a"] + made["b"]).round(1))
    with pytest.raises(InputError, match="models: 'total' is computed by SumOf"):
        Sequential([Resample(["a", "b", "total"])], [rule]).fit(frame)
    with pytest.raises(InputError, match="constraints: 1 confidential records break SumOf"):
        Sequential(models, [rule]).fit(frame.assign(total=frame["total"].where(frame.index > 0, 99.0)))


def test_a_total_of_missing_parts_is_missing():
    frame = pd.DataFrame({"a": [1.0, np.nan, 3.0, 4.0] * 20, "b": [1.0, 2.0, 3.0, -8.0] * 20})
    frame["total"] = (frame["a"] + frame["b"]).where(frame["b"] > 0)
    rule = SumOf("total", ["a", "b"])
    made = Sequential([Resample(["a", "b"])], [rule]).fit(frame, rng=1, missing_codes={"b": [-8]}).generate(1, rng=1)[0]
    lost = made["a"].isna() | (made["b"] == -8)
    assert lost.any()
    np.testing.assert_array_equal(made["total"].isna(), lost)
    with pytest.raises(InputError, match="40 confidential records have a total but a missing part"):
        Sequential([Resample(["a", "b"])], [rule]).fit(
            frame.assign(total=frame["total"].fillna(0)), missing_codes={"b": [-8]}
        )
    whole = frame.assign(total=frame["total"].fillna(0).astype(int)).loc[lambda f: f["a"].notna() & (f["b"] > 0)]
    assert (
        Sequential([Resample(["a", "b"])], [rule]).fit(whole).generate(1, rng=1)[0]["total"].dtype
        == whole["total"].dtype
    )
