"""Inputs of unusual forms: frames of other libraries, levels that are tuples, functions, paths and very large numbers."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
import synthlab.counts as slc
from synthlab.exceptions import FewDegreesOfFreedomWarning, InputError, UndefinedStatisticWarning
from synthlab.risk import OneOf
from synthlab.synthesizers._counts import as_count
from tests.hostile.values import Foreign

PEOPLE = pd.DataFrame({"sex": list("fmfmfm"), "income": [1.0, 2, 4, 3, 5, 6]})
OTHERS = [PEOPLE.assign(income=PEOPLE["income"] + 0.5), PEOPLE]
TABLE = slc.Table.from_counts([[1, 2], [3, 0]], {"sex": ["F", "M"], "age": [5, 6]})


def test_a_frame_of_another_library_is_told_the_way_to_pandas():
    message = (
        r"must be a data frame of pandas, polars or PyArrow, got Foreign of polars; convert it with .to_pandas\(\)"
    )
    with pytest.raises(InputError, match="confidential: " + message):
        sl.ecdf_utility(Foreign(), PEOPLE)
    with pytest.raises(InputError, match="frame: " + message):
        slc.Table.from_frame(Foreign())
    with pytest.raises(InputError, match="must be a data frame of pandas, polars or PyArrow, got dict"):
        sl.ecdf_utility({"a": [1]}, PEOPLE)


def test_levels_that_are_tuples_are_levels():
    pairs = pd.DataFrame({"who": [("f", 1), ("m", 2), ("f", 1)]})
    assert slc.Table.from_frame(pairs).counts.tolist() == [2, 1]
    table = slc.Table.from_counts([1, 2], {"who": [("f", 1), ("m", 2)]})
    assert table.select({"who": [("m", 2)]}).tolist() == [False, True]


def test_an_empty_margin_is_the_whole_table():
    whole = slc.total_within(TABLE, slc.Poisson(), 2.0)
    assert slc.total_within(TABLE, slc.Poisson(), 2.0, where={}).probability == whole.probability


def test_a_set_of_values_holds_no_lists():
    with pytest.raises(InputError, match="town: a set of OneOf contains lists"):
        OneOf({"a": np.ones((2, 2)).tolist()}).of(["a"], "town")
    with pytest.raises(InputError, match=r"\btruth\b"):
        OneOf({"a": {"a"}}).of(1.5)


@pytest.mark.parametrize("synthetic", ["", "x" * 100_000, "a\ud83d", "a\0"])
def test_a_release_is_read_from_a_path(synthetic):
    with pytest.raises(InputError, match=r"synthetic: must be a path"):
        sl.ecdf_utility(PEOPLE, synthetic)
    with pytest.raises(InputError, match=r"\bpaths\b"):
        sl.Release.from_files([synthetic])


def test_whole_numbers_of_thousands_of_digits_are_described():
    for value in (10**5000, [10**5000, 1]):
        with pytest.raises(InputError, match="m=.*must be an int"):
            slc.synthesize_table(TABLE, slc.Poisson(), m=value)


def test_what_is_undefined_warns_by_name():
    def constant(frame):
        return {"mean": (float(frame["income"].mean()), 0.0)}

    with (
        pytest.warns(UndefinedStatisticWarning, match="standard error is 0 or NaN"),
        pytest.warns(FewDegreesOfFreedomWarning, match="'mean'"),
    ):
        sl.analysis_utility(PEOPLE, OTHERS, analysis=constant)
    with pytest.warns(UndefinedStatisticWarning, match="largest float"):
        sl.combine_full([1.7e308, 1.7e308], [1.0, 1.0])
    with pytest.warns(UndefinedStatisticWarning, match="PIG"):
        slc.PIG(mu=3.0, sigma=0.5).sf(1e308)


def test_counts_in_arrow_dtypes_keep_them():
    column = pd.Series([1, 2, 3], dtype="int64[pyarrow]")
    assert as_count(np.array([4, 5]), column, pd.RangeIndex(2)).dtype == column.dtype
    assert as_count(np.array([400]), column.astype("int8[pyarrow]"), pd.RangeIndex(1)).dtype == np.int64
