"""A count with noise: the intruder's belief by hand, never past what epsilon allows, and boxes that show it."""

from __future__ import annotations

from math import exp, log

import pytest
from hypothesis import given, settings, strategies as st

from synthlab.dp import LaplaceMechanism
from synthlab.exceptions import InputError
from synthlab.teaching.widgets import laplace_noise, laplace_noise_figure
from tests.loops import every
from tests.teaching.widgets.drawn import outside


def test_by_hand():
    # right of both counts the ratio is e^epsilon, left of both its inverse, in the middle 1
    assert laplace_noise(count=7, epsilon=log(3), released=9).belief == 0.75
    assert laplace_noise(count=7, epsilon=log(3), released=6).belief == 0.25
    assert laplace_noise(count=7, epsilon=log(3), released=7.5).belief == 0.5
    assert laplace_noise(count=7, epsilon=log(3), released=9).largest_belief == pytest.approx(0.75)
    assert "between 25.0% and 75.0%" in str(laplace_noise(count=7, epsilon=log(3), released=7.5))


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 1000), st.floats(0.01, 10), st.floats(-1e6, 1e6))
def test_the_belief_is_bayes_and_stays_within_its_bounds(count, epsilon, released):
    setting = laplace_noise(count=count, epsilon=epsilon, released=released)
    assert 1 / (1 + exp(epsilon)) - 1e-9 <= setting.belief <= setting.largest_belief + 1e-9
    without, with_you = (float(LaplaceMechanism(epsilon).density(released, a)) for a in setting.answers)
    if min(without, with_you) > 1e-300:  # below, a density has few digits left
        assert setting.belief == pytest.approx(with_you / (with_you + without), abs=1e-6)


def test_wrong_input():
    with pytest.raises(InputError, match="count=-1"):
        laplace_noise(count=-1, epsilon=1.0, released=0)
    with pytest.raises(InputError, match="epsilon=0"):
        laplace_noise(count=1, epsilon=0, released=0)
    with pytest.raises(InputError, match="released=nan"):
        laplace_noise(count=1, epsilon=1.0, released=float("nan"))


def test_the_figure_says_the_numbers():
    figure = laplace_noise_figure(count=7, epsilon=1.0, released=10)
    assert "from 50% to 73.1%" in figure.description
    assert [t.get_text() for t in figure.figure.axes[0].texts] == ["ratio 2.72"]
    assert "the error of the count is less than 3." in figure.description
    far = laplace_noise_figure(count=7, epsilon=1.0, released=1e6)
    assert [t.get_text() for t in far.figure.axes[0].texts] == ["ratio 2.72"]


def test_the_line_of_the_released_number_crosses_the_panel_and_the_curves_reach_it():
    ax = laplace_noise_figure(count=15, epsilon=1.0, released=5).figure.axes[0]
    (marked,) = [line for line in ax.lines if list(line.get_xdata()) == [5.0, 5.0] and line.get_marker() == "None"]
    assert list(marked.get_ydata()) == [0, 1]
    assert min(ax.lines[0].get_xdata()) == 5.0


@every("count", [0, 1_000_000])
@every("epsilon", [0.001, 1.0, 50.0])
def test_everything_stays_inside_at_the_ends_of_the_boxes(count, epsilon):
    for released in (-1e9, count + 0.5, 1e9):
        assert outside(laplace_noise_figure(count=count, epsilon=epsilon, released=released).figure) == []
