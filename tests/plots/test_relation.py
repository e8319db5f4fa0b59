"""Two amounts against each other: every record is in its panel."""

from __future__ import annotations

import numpy as np
import pandas as pd

from synthlab.teaching.figures.lecture_03 import plot_relation

PEOPLE = pd.DataFrame({"a b": [1.0, 10.0, 100.0], "y": [2.0, 20.0, -5.0], "word": list("xyz")})
OTHER = PEOPLE.assign(y=[3.0, 30.0, 50.0])


def test_every_record_is_drawn_in_its_panel():
    first, second = plot_relation({"one": PEOPLE, "two": OTHER}, "a b", "y")
    np.testing.assert_array_equal(first.lines[0].get_xydata(), PEOPLE[["a b", "y"]])
    np.testing.assert_array_equal(second.lines[0].get_xydata(), OTHER[["a b", "y"]])
    assert (first.get_xlim(), first.get_ylim()) == (second.get_xlim(), second.get_ylim())
    assert first.lines[0].get_color() != second.lines[0].get_color()
    assert first.lines[0].get_marker() != second.lines[0].get_marker()


def test_values_that_have_no_logarithm_are_counted():
    first, second = plot_relation({"one": PEOPLE, "two": OTHER}, "a b", "y", log=True)
    assert first.lines[0].get_xydata().shape == (2, 2)
    assert [t.get_text() for t in first.texts] == ["1 at 0 or below"]
    assert [t.get_text() for t in second.texts] == []
    assert (second.get_xscale(), second.get_yscale()) == ("log", "log")


def test_the_marked_record_is_marked_in_every_panel():
    panels = plot_relation({"one": PEOPLE, "two": OTHER}, "a b", "y", mark=1)
    assert [panel.lines[1].get_xydata().tolist() for panel in panels] == [[[10.0, 20.0]], [[10.0, 30.0]]]


def test_four_panels_and_the_kind_of_data_and_labels():
    panels = plot_relation(dict.fromkeys("abcd", PEOPLE), "a b", "y", ylabel="y ($)", data="simulated")
    assert [panel.get_title(loc="left") for panel in panels] == list("abcd")
    assert panels[0].get_ylabel() == r"y (\$)"
    assert panels[2].get_xlabel() == "a b"
    assert any("simulated" in t.get_text().lower() for t in panels[1].texts)


def test_a_title_stands_above_all_panels():
    panels = plot_relation({"one": PEOPLE, "two": OTHER}, "a b", "y", title="Three ways")
    assert panels[0].figure.get_suptitle() == "Three ways"
