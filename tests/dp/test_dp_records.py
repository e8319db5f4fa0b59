"""What a value is to a query: its place, whatever it is, and what is refused before any is looked at."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from synthlab import dp
from synthlab.exceptions import InputError

MARK = "Jane Doe 987654"


def test_a_masked_value_is_a_missing_one():
    given = np.ma.masked_array([5.0, 987654.0], mask=[False, True])
    assert dp.private_count(np.ma.masked_array([1, 1], mask=[False, True]), epsilon=1e6, rng=1).value == pytest.approx(
        1
    )
    assert dp.private_mean(given, low=0, high=10, epsilon=1e6, rng=1).value == pytest.approx(5, abs=1e-3)
    assert dp.LaplaceMechanism(1e6).add_noise(given, rng=1) == pytest.approx([5, 0], abs=1e-3)


def test_undeclared_and_missing_values_have_the_place_that_was_declared():
    odd = ["a", "a", "b", MARK, None, [1]]
    exact = {"epsilon": 1e6, "rng": 1}
    left_out = dp.private_histogram(odd, categories=["a", "b"], **exact).rounded()
    named = dp.private_histogram(odd, categories=["a", "b"], other="else", **exact).rounded()
    assert left_out.to_frame()["estimate"].to_dict() == {"a": 2, "b": 1}
    assert named.to_frame()["estimate"].to_dict() == {"a": 2, "b": 1, "else": 3}
    assert dp.private_mode(odd, categories=["a", "b"], **exact).value == "a"
    assert dp.private_mode(odd, categories=["a", "b"], other="else", **exact).value == "else"
    numbers = [1, np.inf, None, "x", 10**400]
    assert dp.private_histogram(numbers, edges=[0, 5, 9], **exact).rounded().estimate.tolist() == [1, 2]
    assert dp.private_histogram(numbers, edges=[0, 5, 9], other="?", **exact).rounded().estimate.tolist() == [1, 2, 2]
    assert dp.private_count([True, 1, 1.0, np.True_, False, 0, 2, None, "yes"], **exact).rounded().value == 4
    people = pd.DataFrame({"x": ["a", "a", MARK, None], "y": [1, 2, 1, 1]})
    levels = {"x": ["a"], "y": [1]}
    some = {"n_synthetic": 1000, "epsilon": 600, "rng": 1}
    assert dp.private_table(people, levels=levels, **some).counts.ravel().tolist() == [1000]
    wide = dp.private_table(people, levels=levels, other={"x": "else"}, **some)
    assert wide.levels == {"x": ("a", "else"), "y": (1,)}
    assert wide.summary()["mean"].tolist() == pytest.approx([333, 667], abs=500)


def test_a_mean_of_missing_values():
    numbers = [4.0] * 50 + [None] * 50
    bounds = {"low": 0, "high": 10, "epsilon": 1e7, "rng": 1}
    for adjacency, missing, expected in (
        ("add-remove", None, 4.0),
        ("add-remove", 10, 7.0),
        ("replace", None, 4.5),
        ("replace", 0, 2.0),
        ("replace", 99, 7.0),
    ):
        answer = dp.private_mean(numbers, adjacency=adjacency, missing=missing, **bounds)
        assert answer.value == pytest.approx(expected, abs=1e-3)
    median = {"low": 0, "high": 10, "step": 1, "epsilon": 1e3, "rng": 1}
    assert dp.private_quantile(numbers, 0.25, **median).value == 4
    assert dp.private_quantile(numbers, 0.25, missing=0, **median).value == 0
    with pytest.raises(InputError, match="must contain at least one record under replace"):
        dp.private_mean([], low=0, high=1, epsilon=1.0, adjacency="replace")


def test_a_value_is_a_category_where_it_equals_it_and_a_dtype_decides_nothing():
    exact = {"epsilon": 1e6, "rng": 1}
    whole, floats, objects = (pd.Series([1, 2, 2]), pd.Series([1, 2, 2, None]), pd.Series([1, 2, 2, "x"]))
    for column in (whole, floats, objects, whole.astype("category"), whole.astype("Int64"), list(floats)):
        assert dp.private_histogram(column, categories=[1, 2], **exact).rounded().estimate.tolist() == [1, 2]
    # 2**53 + 1 is no float: a missing value beside it must not change it
    large = [2**53 + 1, None]
    assert dp.private_histogram(large, categories=[2**53, 2**53 + 1], **exact).rounded().estimate.tolist() == [0, 1]
    assert dp.private_histogram([True, 1, "1"], categories=[1, "1"], **exact).rounded().estimate.tolist() == [1, 1]
    days = np.array(["2026-01-01", "2026-01-02"], dtype="datetime64[D]")
    for column in (days, list(days), pd.Series(days), pd.Series([*days, MARK], dtype=object)):
        assert dp.private_histogram(column, categories=days, **exact).rounded().estimate.tolist() == [1, 1]


def test_a_tiny_prior_and_nobody_counted_is_drawn_as_any_table():
    empty = pd.DataFrame({"x": pd.Series([], dtype=object)})
    result = dp.private_table(empty, levels={"x": ["a", "b", "c"]}, n_synthetic=7, epsilon=700, m=400, rng=1)
    assert (result.counts.max(axis=0) == 7).all()
    assert (result.counts == 7).mean(axis=1) == pytest.approx([1 / 3] * 3, abs=0.12)


def test_arguments_beyond_every_float_are_refused_by_name():
    assert dp.private_mode(["a", "b"], categories=["a", "b"], epsilon=1e308, rng=1).value in ("a", "b")
    assert dp.private_mode(["b"], categories=["a", "b"], epsilon=1e308, rng=1).value == "b"
    with pytest.raises(InputError, match="epsilon, sensitivity"):
        dp.LaplaceMechanism(1e-320, 1.0)
    with pytest.raises(InputError, match="epsilon, sensitivity"):
        dp.ExponentialMechanism(1e308, 1e-10)
    with pytest.raises(InputError, match="categories: must not contain a missing value"):
        dp.private_mode(["a"], categories=[np.nan] * 3, epsilon=1.0)
    for other in (np.array([1, 2]), [1], np.nan, None, pd.NA):
        if other is not None:
            with pytest.raises(InputError, match="other: must be one hashable value"):
                dp.private_histogram(["a"], categories=["a"], other=other, epsilon=1.0)
    with pytest.raises(InputError, match="at most 2,000,000"):
        dp.private_mode(["a"], categories=range(10**12), epsilon=1.0)
    with pytest.raises(InputError, match="runs=1000000000000000000000000000000: must be an int >= 100 and <= "):
        dp.audit_epsilon(lambda d, rng: 1.0, [1], [], epsilon=1.0, runs=10**30)
    with pytest.raises(InputError, match="low=-1e\\+200"):
        dp.private_mean([1.0], low=-1e200, high=1, epsilon=1.0)
    for options in (
        {"m": 10**8},
        {"n_synthetic": 10**30},
        {"other": {"z": 1}},
        {"other": "else"},
        {"other": {"x": "a"}},
    ):
        with pytest.raises(InputError, match=next(iter(options))):
            dp.private_table(
                pd.DataFrame({"x": ["a"]}), **{"levels": {"x": ["a"]}, "n_synthetic": 3, "epsilon": 1.0} | options
            )


def test_no_result_holds_its_seed():
    seed = 918273645
    table = dp.private_table(pd.DataFrame({"x": ["a"]}), levels={"x": ["a"]}, n_synthetic=3, epsilon=1.0, rng=seed)
    answers = [
        dp.private_count([True], epsilon=1.0, rng=seed),
        dp.private_quantile([1], low=0, high=3, epsilon=1.0, rng=seed),
        table,
    ]
    shown = [part for a in answers for part in (str(a), a._repr_html_(), a.to_frame().to_string())]
    assert not [s for s in [*shown, str(dict(table.release().provenance))] if str(seed) in s]
