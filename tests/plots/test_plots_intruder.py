"""Pictures of the intruder's posterior: what they draw is what the results say."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from synthlab.exceptions import InputError
from synthlab.intruder import Intruder
from synthlab.plots.intruder import plot_baselines, plot_match_probabilities, plot_perceived
from synthlab.risk import intruder_risk
from synthlab.teaching.figures.lecture_10b import plot_posterior
from synthlab.teaching.figures.repetition_intervals import plot_ranges


@pytest.fixture
def risk():
    true = pd.DataFrame({"town": list("aabc")})
    true.attrs["synthlab"] = {"kind": "simulated"}
    release = [true.assign(town=list("abbc")), true.assign(town=list("aacb"))]
    return intruder_risk(true, release, Intruder(known=[], synthesized=["town"]), threshold=0.5)


def test_the_curve_counts_the_targets_above_each_threshold(risk):
    ax = plot_perceived(risk)
    line = next(one for one in ax.lines if one.get_label() == "release")
    x, y = (np.asarray(v, dtype=float) for v in line.get_data())
    for level in (0.1, 0.6, 0.8):
        assert y[np.searchsorted(x, level, side="right") - 1] == risk.perceived_match_risk(level)
    assert "above 0.5: 2 of 4" in [text.get_text() for text in ax.texts]
    assert "simulated data" in [text.get_text() for text in ax.texts]
    assert risk.plot(ax=ax) is ax


def test_ranges_stand_in_order_beside_the_published_numbers():
    ax = plot_ranges(["a $1", "b"], [1.0, 5.0], [0.0, 4.0], [2.0, 6.0], published=[3.0, np.nan], xlabel="matches")
    assert [t.get_text() for t in ax.get_yticklabels()] == [r"a \$1", "b"]
    assert ax.yaxis_inverted()
    published = next(one for one in ax.lines if "published" in one.get_label())
    assert published.get_xdata()[0] == 3.0
    assert ax.get_xlabel() == "matches"


@pytest.mark.parametrize("labels", [[], ["a"]])
def test_ranges_need_rows_of_one_size(labels):
    with pytest.raises(InputError, match="must have the same size"):
        plot_ranges(labels, [1.0, 2.0], [1.0, 2.0], [1.0, 2.0])


def test_the_table_of_match_probabilities(risk):
    ax = plot_match_probabilities(risk, names=["Ann", "Ben", "Cleo", "Dan"])
    assert [t.get_text() for t in ax.texts][:4] == ["0.75", "0.25", "0", "0"]
    assert [t.get_text() for t in ax.get_xticklabels()] == ["Ann", "Ben", "Cleo", "Dan"]
    corners = [patch.get_xy() for patch in ax.patches]
    np.testing.assert_allclose(corners, [(i - 0.46, i - 0.46) for i in range(4)])
    with pytest.raises(InputError, match="names: has 1 names for 4 records"):
        plot_match_probabilities(risk, names=["Ann"])


def test_a_target_who_need_not_be_in_the_file_has_a_column_of_its_own():
    true = pd.DataFrame({"town": ["a", "b"]})
    risk = intruder_risk(
        true, true, Intruder(known=[], synthesized=["town"], targets=[1], in_file=False, weights=[4.0, 2.0])
    )
    ax = plot_match_probabilities(risk)
    assert [t.get_text() for t in ax.texts] == ["0", "0.5", "0.5"]
    assert ax.get_xticklabels()[-1].get_text() == "not in\nthe file"
    big = pd.DataFrame({"town": list("abcdefghijklm")})
    with pytest.raises(InputError, match="at most 12"):
        plot_match_probabilities(intruder_risk(big, big, Intruder(known=[], synthesized=["town"])))


def test_bars_stand_between_a_guess_and_the_data_as_they_are(risk):
    ax = plot_baselines(risk)
    assert [t.get_text() for t in ax.get_yticklabels()][2] == "this release"
    assert [patch.get_width() for patch in ax.patches] == [1.0, 1.0, 1.5, 3.0]
    assert ax.get_xlabel() == "expected matches among 4 targets"


def test_a_posterior_stands_over_the_answers_of_the_records():
    posteriors = {"alone": [0.5, 0.5, 0.0], "with the model": [0.6, 0.3, 0.1]}
    ax = plot_posterior([14, 17, 17], posteriors, label="age", title="One target", data="simulated")
    for line, probabilities in zip(ax.lines, posteriors.values(), strict=True):
        np.testing.assert_allclose(line.get_ydata(), probabilities)
        np.testing.assert_allclose(np.round(line.get_xdata()), [14, 17, 17])
    assert ax.get_title(loc="left") == "One target"
    assert ax.get_ylim()[1] > 0.6
