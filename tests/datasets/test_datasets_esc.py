"""The simulated school census: the published numbers exactly, the rest plausible."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from synthlab.counts import Table
from synthlab.datasets import load
from synthlab.datasets.esc import CELLS_ABOVE, CELLS_BY_SIZE, ESC_LEVELS, make_esc_counts, make_esc_frame


@pytest.fixture(scope="module")
def counts() -> np.ndarray:
    return make_esc_counts()


def margin(counts: np.ndarray, *names: str) -> np.ndarray:
    axes = tuple(i for i, name in enumerate(ESC_LEVELS) if name not in names)
    return counts.sum(axis=axes)


def test_the_published_numbers_are_met(counts):
    # Tables 1 and 2 of the paper.
    assert {name: len(levels) for name, levels in ESC_LEVELS.items()} == {
        "GEOGRAPHY": 326,
        "ETHNICITY": 20,
        "SEX": 4,
        "AGE": 19,
        "LANGUAGE": 7,
    }
    assert counts.shape == (326, 20, 4, 19, 7)
    assert counts.size == 3_468_640
    published = [3_134_980, 119_917, 51_412, 25_952, 19_450, 13_076, 10_345, 7_947, 7_077, 5_809, 5_163, 67_512]
    assert np.bincount(np.minimum(counts.ravel(), 11)).tolist() == published
    assert [*CELLS_BY_SIZE, CELLS_ABOVE] == published


def test_the_rest_is_plausible(counts):
    total = counts.sum()
    assert 7.5e6 < total < 8.5e6
    assert 1500 < counts.max() < 3500
    share = {name: margin(counts, name) / total for name in ESC_LEVELS}
    assert share["SEX"][:2] == pytest.approx([0.5, 0.5], abs=0.02)
    assert 0.5 < share["ETHNICITY"][0] < 0.75
    assert 0.7 < share["LANGUAGE"][0] < 0.85
    assert share["AGE"][5:15].min() > 5 * share["AGE"][0]
    assert share["GEOGRAPHY"].max() / share["GEOGRAPHY"].min() > 10
    # The sizes above 10 go on where the published ones end.
    just_above = np.bincount(counts[counts > 10], minlength=14)[11:14]
    assert 5163 > just_above[0] > just_above[1] > just_above[2] > 2500


def test_the_three_variables_of_the_papers_model_leave_no_margin_empty(counts):
    for pair in (("ETHNICITY", "AGE"), ("ETHNICITY", "LANGUAGE"), ("AGE", "LANGUAGE")):
        assert margin(counts, *pair).min() > 0


def test_language_goes_with_ethnicity(counts):
    english = margin(counts, "ETHNICITY", "LANGUAGE")
    share = english[:, 0] / english.sum(axis=1)
    assert share[0] > 0.9
    assert share[10] < 0.4


def test_the_seed_moves_the_cells_not_the_sizes(counts):
    np.testing.assert_array_equal(make_esc_counts(), counts)
    other = make_esc_counts(1)
    assert (other != counts).mean() > 0.05
    np.testing.assert_array_equal(np.bincount(other.ravel()), np.bincount(counts.ravel()))


def test_the_frame_holds_the_table(counts):
    frame = make_esc_frame()
    assert list(frame) == [*ESC_LEVELS, "count"]
    assert frame.shape == (333_660, 6)
    assert frame["count"].dtype == np.int64
    assert all(isinstance(frame[name].dtype, pd.CategoricalDtype) for name in ESC_LEVELS)
    codes = tuple(frame[name].cat.codes.to_numpy() for name in ESC_LEVELS)
    np.testing.assert_array_equal(frame["count"], counts[codes])
    assert [len(frame[name].cat.categories) for name in ESC_LEVELS] == [326, 20, 4, 19, 7]


def test_load_gives_the_table(counts):
    survey = load("esc")
    assert (survey.kind, survey.version, survey.n) == ("simulated", "simulated", 333_660)
    assert "Size:      333,660 occupied cells x 6" in str(survey)
    assert survey.frame.equals(make_esc_frame())
    table = Table.from_frame(survey.frame, count="count")
    assert (table.n_cells, table.total) == (3_468_640, counts.sum())
    np.testing.assert_array_equal(table.dense(), counts)


def test_names_have_no_smallest_level():
    table = load("esc").summary()
    assert table.loc["AGE", ["minimum", "maximum", "distinct"]].tolist() == [0.0, 18.0, 19]
    assert table.loc["SEX", ["minimum", "median", "maximum"]].isna().all()
    assert table.loc["count", ["role", "type", "minimum"]].tolist() == ["sensitive", "int64", 1.0]
