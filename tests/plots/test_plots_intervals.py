"""Interval and resampling figures show the numbers of the result, and say which is which without colour."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from synthlab.exceptions import InputError
from synthlab.plots.intervals import plot_analysis, plot_interval_overlap
from synthlab.plots.sampling import plot_bootstrap, plot_repeated_intervals
from synthlab.utility import analysis_utility, bootstrap_statistic, interval_overlap


@pytest.fixture(scope="module")
def analysis():
    rng = np.random.default_rng(2)
    frames = [pd.DataFrame({"x": rng.normal(size=80), "y": rng.normal(size=80)}) for _ in range(4)]
    return analysis_utility(frames[0], frames[1:], formula="y ~ x")


def drawn_lines(ax):
    return [np.round(line.get_xdata(), 9).tolist() for line in ax.lines]


def test_analysis_draws_every_interval_of_the_result(analysis):
    lines = drawn_lines(plot_analysis(analysis))
    for j in range(2):
        for ends in (analysis.confidential_interval[j], analysis.combined.interval[j], *analysis.intervals[:, j]):
            assert np.round(ends, 9).tolist() in lines


def test_analysis_can_leave_out_datasets_and_coefficients_and_rename_them(analysis):
    ax = plot_analysis(analysis, names=["x"], labels={"x": "cost in $ and $"}, datasets=False, data="simulated")
    lines = drawn_lines(ax)
    assert np.round(analysis.combined.interval[1], 9).tolist() in lines
    assert np.round(analysis.intervals[0, 1], 9).tolist() not in lines
    assert np.round(analysis.confidential_interval[0], 9).tolist() not in lines
    assert [tick.get_text() for tick in ax.get_yticklabels()] == [r"cost in \$ and \$"]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["confidential", "synthetic, combined (m = 3)"]
    assert "simulated data" in [text.get_text() for text in ax.texts]


def test_confidential_and_synthetic_differ_in_line_and_marker(analysis):
    handles = plot_analysis(analysis).get_legend().legend_handles
    assert len({line.get_linestyle() for line in handles}) == 2
    assert len({line.get_marker() for line in handles}) == 2


@pytest.mark.parametrize("names", [["z"], []])
def test_analysis_names_must_be_coefficients(analysis, names):
    with pytest.raises(InputError, match="names"):
        plot_analysis(analysis, names=names)


def test_overlap_shades_what_both_intervals_hold():
    ax = plot_interval_overlap(interval_overlap([[0, 2], [0, 2]], [[1, 5], [3, 5]]), labels=["a", "b"])
    shaded = ax.collections
    assert len(shaded) == 1
    assert shaded[0].get_paths()[0].vertices[:, 0].min() == 1
    assert shaded[0].get_paths()[0].vertices[:, 0].max() == 2
    assert [text.get_text() for text in ax.texts] == ["J = 0.375", "J = -0.500 (clipped: 0)"]


def test_overlap_needs_a_label_a_pair():
    with pytest.raises(InputError, match="1 labels for 2 pairs"):
        plot_interval_overlap(interval_overlap([[0, 2], [0, 2]], [[1, 5], [3, 5]]), labels=["a"])


def test_repeated_intervals_that_miss_have_a_marker_and_are_counted():
    ax = plot_repeated_intervals([[0, 2], [1.5, 3], [0.5, 4], [-3, 0]], truth=1.0, title="both")
    assert ax.get_title(loc="left") == "both\n2 of 4 contain the truth"
    markers = next(line for line in ax.lines if line.get_marker() == "X")
    assert markers.get_ydata().tolist() == [1, 3]
    assert [line.get_linewidth() for line in ax.lines[:4]] == [1.2, 3.0, 1.2, 3.0]


@pytest.mark.parametrize("ends", [[], [1, 2], [[1, 2, 3]]])
def test_repeated_intervals_must_be_pairs(ends):
    with pytest.raises(InputError, match=r"shape \(repetitions, 2\)"):
        plot_repeated_intervals(ends, truth=0.0)


def test_bootstrap_draws_both_pools_and_both_intervals():
    rng = np.random.default_rng(1)
    people = pd.DataFrame({"income": rng.normal(50, 10, 100)})
    result = bootstrap_statistic(people, [people + 1, people + 2], variable="income", resamples=200, rng=2)
    ax = plot_bootstrap(result, data="simulated")
    lines = drawn_lines(ax)
    for ends in (result.interval, result.confidential_interval):
        assert np.round(ends, 9).tolist() in lines
    for patch in ax.patches:
        assert patch.get_data().values.sum() == pytest.approx(100)
    assert min(ax.get_yticks()) == 0
