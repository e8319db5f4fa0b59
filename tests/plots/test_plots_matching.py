"""The figures that explain matching show the numbers they were given."""

from __future__ import annotations

import warnings

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex

import synthlab as sl
from synthlab.exceptions import SynthlabWarning
from synthlab.plots.color import CONFIDENTIAL, PAPER, SYNTHETIC, contrast_ratio
from synthlab.teaching.figures.lecture_08 import OUTSIDE, plot_baselines, plot_candidates, plot_match_risk_by_radius


def words(ax) -> list[str]:
    return [t.get_text() for t in ax.texts]


def test_candidates_are_split_at_the_ends_of_the_interval():
    ax = plot_candidates([8.0, 7.999, 12.0, 12.001, 10.0, 30.0], own=5, center=10.0, half_width=2.0, data="simulated")
    far, near = (np.sort(line.get_xdata()) for line in ax.lines[1:3])
    assert far.tolist() == [7.999, 12.001]
    assert near.tolist() == [8.0, 10.0, 12.0]
    assert ax.lines[3].get_xdata().tolist() == [30.0]
    assert words(ax) == ["3 of 6 match", "the true value", "own record", "simulated data"]


def test_an_own_record_inside_is_counted_and_stands_apart():
    ax = plot_candidates([9.0, 11.0], own=1, center=10.0, half_width=2.0)
    assert words(ax)[0] == "2 of 2 match"
    assert ax.lines[3].get_ydata()[0] < 0.2 < ax.lines[2].get_ydata().min()


def test_the_true_value_is_named_over_its_line():
    ax = plot_candidates([8.0, 13.0, 30.0], own=2, center=10.0, half_width=2.0)
    name = ax.texts[1]
    assert (name.get_position()[0], name.get_ha()) == (10.0, "center")
    assert name.get_position()[1] > 0.77 * ax.get_ylim()[1] > ax.lines[2].get_ydata().max()


@pytest.mark.parametrize(("own", "side"), [(10.5, "left"), (9.5, "right"), (19.0, "right"), (1.0, "left")])
def test_the_name_of_the_own_record_is_not_on_the_line_of_the_true_value(own, side):
    ax = plot_candidates([own, 0.0, 20.0], own=0, center=10.0, half_width=2.0)
    assert ax.texts[2].get_ha() == side


def two_results():
    frame = pd.DataFrame({"a": list("NNNSSS"), "x": list("uvwuuv"), "y": list("ppqqpp")})
    released = frame.assign(x=list("uvwuvv"), y=list("pqqqpp"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SynthlabWarning)
        one = sl.identification_risk(frame, released, sl.Intruder(known=["a"], synthesized=["x"]))
        both = sl.identification_risk(frame, released, sl.Intruder(known=["a"], synthesized=["x", "y"]))
    return one, both


def test_baselines_stand_beside_the_attacks():
    one, both = two_results()
    ax = plot_baselines({"x alone": one, "x and y": both})
    labels = [t.get_text() for t in ax.get_yticklabels()]
    assert labels == [
        "random guess",
        "known variables alone",
        "x alone",
        "x and y",
        "confidential, as is\n(x)",
        "confidential, as is\n(x, y)",
    ]
    values = [float(line.get_xdata()[0]) for line in ax.lines if len(line.get_xdata()) == 1]
    expected = [1.0, 2.0, one.expected_match_risk[0], both.expected_match_risk[0]]
    expected += [one.baseline.expected_match_risk[0], both.baseline.expected_match_risk[0]]
    np.testing.assert_allclose(values, expected)


def test_one_baseline_is_drawn_once():
    one, _ = two_results()
    ax = plot_baselines({"first": one, "second": one})
    assert [t.get_text() for t in ax.get_yticklabels()][-1] == "confidential, as is"


def table() -> pd.DataFrame:
    columns = {"confidential": [90.0, 40.0], "synthetic": [5.0, 8.0], "synthetic_min": [4.0, 7.0]}
    return pd.DataFrame(columns | {"synthetic_max": [6.0, 9.0], "known_only": [10.0, 10.0]}, index=[0.1, 0.2])


def test_three_lines_and_a_mark_at_the_radius():
    ax = plot_match_risk_by_radius(table(), radius=0.2, title="who")
    drawn = [line.get_ydata().tolist() for line in ax.lines[:3]]
    assert drawn == [[90.0, 40.0], [5.0, 8.0], [10.0, 10.0]]
    assert [to_hex(line.get_color()) for line in ax.lines[:2]] == [CONFIDENTIAL, SYNTHETIC]
    assert len({str(line._unscaled_dash_pattern) for line in ax.lines[:3]}) == 3
    assert list(ax.lines[3].get_xdata()) == [0.2, 0.2]
    assert words(ax)[:3] == ["confidential, as is", "synthetic", "known variables alone"]
    assert len(plot_match_risk_by_radius(table()).lines) == 3


def test_the_grey_of_what_does_not_match_can_be_seen():
    assert contrast_ratio(OUTSIDE, PAPER) > 4.5


def test_the_callers_axes_are_used():
    _, ax = plt.subplots()
    assert plot_candidates([1.0, 2.0], own=0, center=1.0, half_width=0.5, ax=ax) is ax
    _, ax = plt.subplots()
    assert plot_baselines(two_results()[0], ax=ax) is ax
    _, ax = plt.subplots()
    assert plot_match_risk_by_radius(table(), ax=ax) is ax
