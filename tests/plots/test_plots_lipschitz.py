"""Figures of the pseudo posterior mechanism show what they are given."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from synthlab.exceptions import InputError
from synthlab.plots.lipschitz import plot_lipschitz_weights, plot_price, plot_sensitivities, plot_statistics
from synthlab.teaching.figures.lecture_13 import plot_log_ratio
from synthlab.weights import achieved_epsilon, lipschitz_weights


@pytest.fixture
def log():
    return np.random.default_rng(1).normal(-3.0, 1.0, size=(40, 100))


def test_weights_against_sensitivities(log):
    found = lipschitz_weights(log, n=100, quantile=0.9, scale=0.5, shift=-0.1)
    ax = plot_lipschitz_weights(found, data="simulated")
    points = ax.get_lines()[0]
    np.testing.assert_array_equal(points.get_xdata(), found.sensitivity)
    np.testing.assert_array_equal(points.get_ydata(), found.weights)
    assert ax.get_title(loc="left") == "scale 0.5, shift -0.1"
    words = [t.get_text() for t in ax.texts]
    assert any(f"{(found.weights == 0).sum()} of 100 records have weight 0" in w for w in words)
    assert "simulated data" in words


def test_violins_of_sensitivities_show_the_bound(log):
    spent = achieved_epsilon(log, n=100, quantile=0.9)
    ax = plot_sensitivities({"one": spent, "all the same": np.full(5, 2.0)})
    assert [t.get_text() for t in ax.get_yticklabels()] == ["one", "all the same"]
    diamonds = [line.get_xdata()[0] for line in ax.get_lines() if line.get_marker() == "D"]
    assert diamonds == [spent.lipschitz_bound, 2.0]
    assert len(ax.collections) == 1 + 2  # a violin, and two median lines
    assert ax.get_ylim()[0] > ax.get_ylim()[1]  # the first on top
    with pytest.raises(InputError, match="empty mapping"):
        plot_sensitivities({})


def test_the_first_row_is_a_band_and_halves_lie_above_and_below():
    rng = np.random.default_rng(2)
    rows = {
        "Data": rng.normal(10, 1, 200),
        "(1, 0)": {"DP": rng.normal(9, 1, 200), "EM": rng.normal(11, 1, 200)},
        "(0.5, 0)": {"DP": rng.normal(8, 1, 200), "EM": rng.normal(12, 1, 200)},
    }
    ax = plot_statistics(rows, label="mean of y")
    legend = [t.get_text() for t in ax.get_legend().get_texts()]
    assert legend == ["DP, above the line", "EM, below the line"]
    shapes = [c.get_paths()[0].vertices for c in ax.collections]
    assert shapes[1][:, 1].max() <= 1.0 + 1e-9 < shapes[2][:, 1].max()  # the axis points down
    for bad in ({}, {"a": {"x": [1.0]}}):
        with pytest.raises(InputError, match="must contain at least one row"):
            plot_statistics(bad, label="y")


def test_price_has_a_line_a_mechanism_and_its_spread():
    table = pd.DataFrame(
        {"mechanism": ["DP", "DP", "EM"], "lipschitz_bound": [6.0, 4.0, 5.0], "value": [3.0, 2.0, 1.0]}
    )
    ax = plot_price(table, label="y", truth=2.5)
    assert ax.get_lines()[1].get_xdata().tolist() == [4.0, 6.0]
    assert [t.get_text() for t in ax.get_legend().get_texts()] == ["DP", "EM"]
    spread = plot_price(table.assign(low=table["value"] - 1, high=table["value"] + 1), label="y")
    assert len(spread.collections) == 2


def test_log_ratio():
    theta = np.linspace(0.01, 0.5, 20)
    ax = plot_log_ratio(theta, {"a": np.log(theta), "b": 0.3 * np.log(theta)}, kept=(0.05, 0.4))
    np.testing.assert_array_equal(ax.get_lines()[1].get_ydata(), np.log(theta))
    assert "gray: dropped" in ax.get_title(loc="left")
    assert "gray" not in plot_log_ratio(theta, {"a": theta}).get_title(loc="left")
