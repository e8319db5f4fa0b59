"""What every control does: ranges, one computation a setting, words while it computes and where it cannot."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from matplotlib.figure import Figure

from synthlab._warnings import warn
from synthlab.exceptions import InputError, UndefinedStatisticWarning
from synthlab.plots.style import figure_with_description
from synthlab.teaching.widgets._base import COMPUTING, KEPT, Choice, Control, Number, listed
from tests.teaching.widgets.drawn import outside


class Made:
    """A control of a number and a list, and what was asked of its figure."""

    def __init__(self, **more):
        self.asked, self.lines = [], []
        boxes = {"share": Number("Share", 20.0, 0.5, 100.0, 5.0), "kind": Choice("Kind", {"one": 1, "two": 2}, 1)}
        self.control = Control(boxes, self.draw, **more)
        self.share, self.kind, self.line, self.shown = self.control.view.children
        self.line.observe(lambda change: self.lines.append(text(change["new"])), names="value")

    def draw(self, share, kind):
        self.asked.append((share, kind))
        if share == 66:
            raise InputError("share=66: must be no 66")
        if share == 77:
            raise ZeroDivisionError
        if share == 55:
            warn("the share is undefined", UndefinedStatisticWarning, stacklevel=1)
        return figure_with_description(Figure().add_subplot(), f"share {share:g} of kind {kind}")


def text(html):
    return html.removeprefix('<span role="status">').removesuffix("</span>")


def test_a_setting_is_computed_once():
    made = Made()
    assert made.asked == [(20.0, 1)]
    made.share.value = 25.0
    made.kind.value = 2
    made.share.value = 20.0
    made.share.value = 25.0
    assert made.asked == [(20.0, 1), (25.0, 1), (25.0, 2), (20.0, 2)]
    assert "share 25 of kind 2" in made.shown.value
    made.share.value = 25.0000000001
    assert (made.share.value, len(made.asked)) == (25.0, 4)


def test_the_line_says_computing_and_then_nothing():
    made = Made()
    made.share.value = 25.0
    assert made.lines == [COMPUTING, ""]
    made.share.value = 20.0
    assert made.lines == [COMPUTING, ""]


@pytest.mark.parametrize(("typed", "taken"), [(0.0, 0.5), (-7.0, 0.5), (1e300, 100.0), (np.inf, 100.0)])
def test_a_value_outside_is_taken_for_the_nearest_and_that_is_said(typed, taken):
    made = Made()
    assert made.share.description == "Share (0.5 to 100)"
    made.share.value = typed
    assert made.share.value == taken
    assert made.asked[-1] == (taken, 1)
    assert text(made.line.value) == f"Share (0.5 to 100): {taken:g} is taken."
    made.share.value = 30.0
    assert text(made.line.value) == ""


def test_an_error_is_a_sentence_and_the_last_figure_stays():
    made = Made()
    made.share.value = 66.0
    assert text(made.line.value) == f"share=66: must be no 66 {KEPT}"
    assert "share 20 of kind 1" in made.shown.value
    with pytest.raises(ZeroDivisionError):
        made.share.value = 77.0
    assert text(made.line.value) == KEPT
    made.share.value = 30.0
    assert (text(made.line.value), "share 30" in made.shown.value) == ("", True)


def test_a_warning_is_said_each_time():
    made = Made()
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        made.share.value = 55.0
        assert text(made.line.value) == "the share is undefined"
        made.share.value = 20.0
        made.share.value = 55.0
        assert text(made.line.value) == "the share is undefined"


def test_a_box_that_follows_another_is_set_before_one_drawing():
    made = Made(follow={"kind": lambda kind: {"share": 10.0 * kind}})
    made.kind.value = 2
    assert made.share.value == 20.0
    assert made.asked == [(20.0, 1), (20.0, 2)]


def test_lists_are_drawn_ahead():
    made = Made(ahead=["kind"])
    assert made.asked == [(20.0, 1), (20.0, 2)]
    made.kind.value = 2
    assert made.lines == []
    assert len(made.asked) == 2


def test_a_first_value_widens_the_range_and_whole_numbers_stay_whole():
    assert Number("x", 250.0, 0.0, 100.0).words == "x (0 to 250)"
    control = Control(
        {"m": Number("m", 3, 1, 1_000_000)}, lambda m: figure_with_description(Figure().add_subplot(), str(m))
    )
    box = control.view.children[0]
    assert (box.description, type(box).__name__) == ("m (1 to 1,000,000)", "IntText")
    box.value = 1234567
    assert box.value == 1_000_000


def test_the_browser_is_told_no_range_so_that_its_steps_are_round():
    box = Made().share
    assert box.step == 5.0
    assert not {"min", "max"} & set(box.trait_names())


def test_words_are_no_markup():
    made = Made()
    made.control._say("<b>&")
    assert text(made.line.value) == "&lt;b&gt;&amp;"
    assert listed("l", ["a", "b"]).value == "a"


def test_outside_is_seen():
    figure = Figure()
    ax = figure.add_subplot()
    ax.plot([0, 1], [0, 1], "o")
    ax.set(xlim=(0, 1), ylim=(0, 1))
    assert outside(figure) == []
    ax.set_xlim(0, 0.9)
    assert outside(figure) == ["marker o"]
    ax.set_xlim(0, 1)
    ax.text(0.95, 0.5, "words that stick out")
    assert outside(figure) == ["'words that stick out'"]
    ax.texts[0].remove()
    ax.annotate("far away", (2.0, 0.5), xycoords="axes fraction")
    assert outside(figure) == ["'far away'"]
