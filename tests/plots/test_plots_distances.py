"""Figures of distances and combined estimates: what is drawn is what the results hold."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab.exceptions import InputError
from synthlab.plots.distances import plot_barycenter, plot_combined


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(1)
    columns = {f"v{j:02d}": rng.integers(0, 3, 200) for j in range(7)}
    return pd.DataFrame(columns | {"income": rng.gamma(2, 20, 200).round(1)})


@pytest.fixture(scope="module")
def release(people):
    return sl.Resample(list(people.columns)).fit(people, rng=1).generate(m=3, rng=1)


def labels(ax):
    return [t.get_text() for t in ax.get_yticklabels()]


def test_ecdf_distances_are_drawn_dot_by_dot(people, release):
    result = sl.ecdf_utility(people, release, variables=["income", "v00"])
    ax = result.plot(data="simulated")
    assert labels(ax) == ["income", "v00"]
    dots = np.array([line.get_xdata() for line in ax.lines[:2]])
    np.testing.assert_array_equal(dots, result.ecdf_max)
    np.testing.assert_array_equal(ax.lines[2].get_xdata(), result.ecdf_max.mean(axis=1))
    assert "simulated data" in [t.get_text() for t in ax.texts]


def test_tables_are_beside_chance_and_the_worst_of_many_are_chosen(people, release):
    result = sl.table_utility(people, release)
    assert len(result.names) == 8 + 28
    ax = result.plot()
    assert len(labels(ax)) == 20
    assert "the worst 20 of 36 tables" in ax.get_xlabel()
    drawn = [result.names.index(name.replace("\\", "")) for name in labels(ax)]
    left_out = np.setdiff1d(np.arange(36), drawn)
    means = result.total_variation.mean(axis=1)
    assert means[drawn].min() >= means[left_out].max()
    assert ax.get_legend_handles_labels()[1] == ["mean of m = 3", "by chance alone"]
    np.testing.assert_array_equal(ax.lines[-1].get_xdata(), result.expected_total_variation[drawn])


def test_combined_intervals(people):
    result = sl.combine_partial(np.array([[1.0, 5.0], [3.0, 7.0]]), np.ones((2, 2)), names=["mean of x", "mean $y$"])
    ax = result.plot(xlabel="dollars")
    np.testing.assert_allclose(ax.lines[0].get_xdata(), result.interval[0])
    assert (ax.lines[1].get_xdata()[0], ax.lines[3].get_xdata()[0]) == (2.0, 6.0)
    assert ax.get_title(loc="left") or ax.get_title()
    assert len(plot_combined(result, names=["mean $y$"]).lines) == 2
    with pytest.raises(InputError, match="names='z': not among the estimates"):
        plot_combined(result, names=["z"])


def test_barycenter_is_drawn_up_to_the_shown_probability(people, release):
    result = sl.barycenter(people, release, variable="income")
    ax = result.plot(shown=0.9)
    assert len(ax.lines) == 3 + 2
    assert ax.lines[-1].get_xdata().max() == pytest.approx(0.9)
    np.testing.assert_array_equal(ax.lines[-1].get_ydata(), result.barycenter[result.probabilities <= 0.9])
    with pytest.raises(InputError, match="shown=0"):
        plot_barycenter(result, shown=0)
