"""Densities and spreads: every curve and row carries its name and its number."""

from __future__ import annotations

import numpy as np
import pytest

from synthlab.plots import style
from synthlab.teaching.figures.lecture_02 import plot_densities, plot_spread


def test_curves_have_their_names_beside_them_and_lines_of_their_own():
    x = np.linspace(0, 1, 101)
    with style.context():
        ax = plot_densities(
            {"prior": (x, np.ones_like(x)), "posterior": (x, 6 * x * (1 - x))},
            style.off_screen(),
            xlabel="share",
            mark=("observed", 0.5),
            data="simulated",
        )
    assert {t.get_text() for t in ax.texts} == {"prior", "posterior", "observed", "simulated data"}
    first, second = ax.lines[:2]
    assert first.get_linestyle() != second.get_linestyle()
    assert ax.lines[2].get_xdata()[0] == 0.5
    assert ax.get_ylim()[0] == 0.0
    flat, hill = (next(t for t in ax.texts if t.get_text() == name) for name in ("prior", "posterior"))
    assert flat.xy == (0.0, 1.0)
    assert (round(hill.xy[0], 2), hill.get_ha()) == (0.19, "right")


def test_a_curve_at_the_right_end_has_its_name_on_its_left():
    x = np.linspace(0, 1, 101)
    with style.context():
        ax = plot_densities(
            {"near one": (x, 9 * x**8), "near zero": (x, 9 * (1 - x) ** 8)}, style.off_screen(), xlabel="x"
        )
    left, right = ax.texts
    assert (left.get_ha(), left.xy[0] > 0.8) == ("right", True)
    assert (right.get_ha(), right.xy[0] < 0.2) == ("left", True)


def test_each_row_says_its_standard_deviation():
    with style.context():
        ax = plot_spread(
            {"narrow": [9.0, 10.0, 11.0], "wide": [6.0, 10.0, 14.0]},
            style.off_screen(),
            xlabel="mean",
            mark=("truth", 10.0),
        )
    assert [t.get_text() for t in ax.texts] == ["sd 1", "sd 4", "truth"]
    assert [t.get_text() for t in ax.get_yticklabels()] == ["narrow", "wide"]
    assert sorted(ax.lines[0].get_xdata()) == [9.0, 10.0, 11.0]
    np.testing.assert_allclose(ax.lines[3].get_xdata(), [6.0, 14.0])


@pytest.mark.parametrize(("heights", "place", "side"), [([5, 4, 4], 3, "right"), ([4, 4, 5], 1, "left")])
def test_a_flat_curve_is_named_where_it_is_low(heights, place, side):
    ax = plot_densities({"drawn": ([1, 2, 3], heights)}, xlabel="datasets")
    (label,) = [text for text in ax.texts if text.get_text() == "drawn"]
    assert (label.xy[0], label.get_ha()) == (place, side)
    ax.figure.canvas.draw()
    assert label.get_window_extent().y1 <= ax.get_window_extent().y1
