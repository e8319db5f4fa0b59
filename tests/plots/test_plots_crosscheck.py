"""Figures of two programs side by side: the marks are where the numbers are."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from synthlab.exceptions import InputError
from synthlab.plots.crosscheck import plot_digits
from synthlab.teaching.figures.lecture_15 import EPSILON, plot_relative_error


@pytest.fixture
def checks() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "group": ["weights", "weights", "counts", "counts"],
            "digits": [15.2, 16.0, 9.5, 0.0],
            "verdict": ["agrees", "agrees", "differs as stated", "FAILS"],
        }
    )


def test_one_mark_a_check_on_the_line_of_its_group(checks):
    ax = plot_digits(checks)
    assert [t.get_text() for t in ax.get_yticklabels()] == ["weights", "counts"]
    agrees, stated, fails = ax.lines
    assert agrees.get_xdata().tolist() == [15.2, 16.0]
    assert np.rint(agrees.get_ydata()).tolist() == [0, 0]
    assert np.rint(stated.get_ydata()).tolist() == np.rint(fails.get_ydata()).tolist() == [1]
    assert len({line.get_marker() for line in ax.lines}) == len({line.get_color() for line in ax.lines}) == 3
    assert "digits" in ax.get_xlabel()


def test_only_what_occurs_is_in_the_legend(checks):
    ax = plot_digits(checks[checks["verdict"] == "agrees"])
    assert [t.get_text() for t in ax.get_legend().get_texts()] == ["agrees"]


def test_errors_are_drawn_where_they_are_and_zeros_at_the_edge():
    ax = plot_relative_error([1, 10, 1e6, 0], [0, 1e-14, 1e-10, 1], xlabel="shape", expected="rounding")
    points, line = ax.lines
    assert points.get_xdata().tolist() == [1, 10, 1e6]
    np.testing.assert_allclose(points.get_ydata(), [EPSILON / 4, 1e-14, 1e-10])
    np.testing.assert_allclose(line.get_ydata(), np.asarray(line.get_xdata()) * EPSILON)
    flat = plot_relative_error([1e-6, 1e-3, 1e2], [1e-16] * 3, xlabel="shape", expected="rounding").lines[1]
    assert min(flat.get_ydata()) == EPSILON
    assert [t.get_text() for t in ax.get_legend().get_texts()] == ["rounding"]
    assert plot_relative_error([1], [1e-9], xlabel="shape").get_legend() is None
    assert ax.get_title(loc="left") == "Rounding errors grow with the subtracted numbers"


def test_what_cannot_be_drawn():
    with pytest.raises(InputError, match="checks"):
        plot_digits(pd.DataFrame({"group": ["a"]}))
