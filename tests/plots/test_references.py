"""The reference values of the pMSE ratio, and the gap of distribution functions: what is drawn, and what is said."""

from __future__ import annotations

import numpy as np
from scipy import stats

from synthlab.teaching.figures.lecture_06 import show_references
from synthlab.teaching.figures.lecture_06b import show_gaps

FIXED, DRAWN = [0.5, 1.0, 1.5], [1.0, 2.0, 6.0]


def test_both_kinds_their_curves_and_both_marks_are_drawn():
    ax = show_references(FIXED, DRAWN, {"near": 0.7, "far": 300.0}, slopes=3, data="simulated").figure.axes[0]
    assert [patch.get_label() for patch in ax.patches] == [
        "fixed parameters, 3 datasets",
        "drawn parameters, 3 datasets",
    ]
    curves = [line for line in ax.lines if len(line.get_xdata()) > 2]
    for curve, mark in zip(curves, (1, 2), strict=True):
        x, y = curve.get_data()
        width = x[-1] / 24
        of_mark = stats.chi2(3, scale=mark / 3)  # its mean is the mark
        np.testing.assert_allclose(y, 100 * width * of_mark.pdf(x))
    marks = [line.get_xdata()[0] for line in ax.lines if line.get_linestyle() == "--"]
    assert marks == [1, 2]
    words = {text.get_text().strip() for text in ax.texts}
    assert {"1", "2", "near: 0.7", "far: 300", "simulated data"} <= words


def test_what_is_said_of_a_release_depends_on_whether_it_is_on_the_axis():
    said = show_references(FIXED, DRAWN, {"near": 0.7, "far": 3_000.0}, slopes=3).description
    assert "near stands at 0.7." in said
    assert "far has 3,000, far to the right" in said
    assert "(mean 1.00)" in said
    assert "(mean 3.00)" in said


def test_the_gap_is_drawn_in_points_with_its_sign_and_its_largest_value_marked():
    shown = show_gaps([0, 0, 10, 20], {"low": [0, 0, 0, 0], "same": [20, 0, 10, 0]}, xlabel="income")
    ax = shown.figure.axes[0]
    low = next(line for line in ax.lines if line.get_label() == "low")
    np.testing.assert_allclose(low.get_ydata(), [50.0, 25.0, 0.0])
    dots = [line.get_xydata().tolist() for line in ax.lines if line.get_marker() == "o"]
    assert dots == [[[0.0, 50.0]], [[0.0, 0.0]]]
    assert "The largest gap of low is 50.0 points." in shown.description
