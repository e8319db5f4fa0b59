"""The crowd a person hides in: the figure says the numbers it was given."""

from __future__ import annotations

import matplotlib as mpl
import numpy as np
import pytest

mpl.use("agg")

from synthlab import datasets
from synthlab.exceptions import InputError
from synthlab.plots import style
from synthlab.plots.color import CONFIDENTIAL
from synthlab.teaching.figures.equivalence_class_sizes import plot_crowd, plot_group_sizes


def texts(ax):
    return [text.get_text() for text in ax.texts]


def test_each_step_has_its_number_and_one_is_marked():
    with style.context():
        ax = plot_crowd({"nothing": 1200, "age": 30, "everything": 1}, style.off_screen())
    assert texts(ax) == ["1,200", "30", "1: no other record"]
    assert [t.get_text() for t in ax.get_yticklabels()] == ["nothing", "age", "everything"]
    assert ax.get_yticks().tolist() == [2, 1, 0]
    assert ax.texts[-1].get_color() == CONFIDENTIAL
    assert ax.get_xscale() == "log"


def test_counts_are_points_on_a_line_and_no_bars_from_the_edge_of_a_logarithmic_axis():
    with style.context():
        ax = plot_crowd({"nothing": 1200, "age": 30, "everything": 1}, style.off_screen())
    assert ax.lines[0].get_xdata().tolist() == [1200, 30, 1]
    assert all(len(line.get_xdata()) == 1 for line in ax.lines[1:])


@pytest.mark.parametrize(
    ("counts", "message"), [({}, "empty"), ({"age": 0}, "counts\\['age'\\]"), ({"age": 1.5}, "an int")]
)
def test_bad_counts_are_named(counts, message):
    with pytest.raises(InputError, match=message):
        plot_crowd(counts)


def test_people_are_counted_by_the_size_of_their_group():
    with style.context():
        ax = plot_group_sizes({"all": [1, 1, 2, 2, 3, 3, 3, 60]}, style.off_screen())
    assert [bar.get_height() for bar in ax.patches] == [2, 2, 3, 0, 0, 1]
    labels = ["alone", "2", "3 to 5", "6 to 10", "11 to 50", "51 or more"]
    assert [t.get_text() for t in ax.get_xticklabels()] == labels
    assert ax.get_legend() is None


def test_two_sets_differ_in_more_than_colour_and_the_kind_of_data_is_said():
    survey = datasets.load("affairs")
    with style.context():
        ax = plot_group_sizes({"before": [1, 2, 2], "after": [3, 3, 3]}, style.off_screen(), data=survey)
    assert {bar.get_hatch() for bar in ax.patches} == {None, "//"}
    assert [t.get_text() for t in ax.get_legend().get_texts()] == ["before", "after"]
    assert "real data" in {t.get_text() for t in ax.texts}


@pytest.mark.parametrize(
    ("sizes", "bins", "message"),
    [
        ({}, (1, 2), "one or two sets"),
        ({"a": [1], "b": [1], "c": [1]}, (1, 2), "got 3"),
        ({"a": [0, 1]}, (1, 2), "sizes\\['a'\\]"),
        ({"a": np.array([], dtype=int)}, (1, 2), "group sizes >= 1"),
        ({"a": [1]}, (2, 3), "start at 1"),
        ({"a": [1]}, (1, 3, 3), "must increase"),
    ],
)
def test_bad_sizes_are_named(sizes, bins, message):
    with pytest.raises(InputError, match=message):
        plot_group_sizes(sizes, bins=bins)
