"""The crowd a person hides in: the figure says the numbers it was given."""

from __future__ import annotations

from synthlab import datasets
from synthlab.plots import style
from synthlab.plots.color import CONFIDENTIAL
from synthlab.teaching.figures.lecture_01 import plot_crowd, plot_group_sizes


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
