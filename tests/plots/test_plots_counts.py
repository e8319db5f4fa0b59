"""Figures of count synthesis: what is drawn is what the results hold."""

from __future__ import annotations

import numpy as np
import pytest

import synthlab.counts as slc
from synthlab.exceptions import InputError
from synthlab.plots import style
from synthlab.plots.counts import plot_cell_sizes, plot_frontier, plot_tau, plot_tuning

COUNTS = np.repeat([0, 1, 2, 3, 5, 20], [500, 300, 100, 60, 30, 20])


@pytest.fixture(scope="module")
def table() -> slc.Table:
    return slc.Table.from_counts(COUNTS, {"cell": range(COUNTS.size)})


def words(ax) -> list[str]:
    return [t.get_text() for t in ax.texts]


def test_tuning_shows_curve_target_and_solution(table):
    result = slc.tune(table, slc.NBI(sigma=1), target=("tau3", 1, 0.2))
    ax = result.plot(data="simulated")
    np.testing.assert_array_equal(ax.lines[0].get_xdata(), result.grid)
    np.testing.assert_array_equal(ax.lines[0].get_ydata(), result.curve)
    assert ax.lines[1].get_ydata()[0] == 0.2
    assert ax.lines[2].get_xdata() == pytest.approx([result.value])
    assert ax.get_xscale() == "log"
    assert {f"sigma = {result.value:.3g}", "simulated data"} <= set(words(ax))
    loss = slc.tune(table, slc.GAF(sigma=2, nu=0), target=("loss", 1500.0), over="nu")
    ax = plot_tuning(loss)
    assert (ax.get_xscale(), ax.get_yscale()) == ("linear", "log")


def test_frontier_shows_every_setting_and_joins_the_efficient(table):
    families = [slc.NBI(sigma=s) for s in (0.5, 1)] + [slc.LaplaceCount(epsilon=1)]
    result = slc.frontier(table, families, m=3)
    ax = plot_frontier(result)
    drawn = [line for line in ax.lines if line.get_linestyle() == "None"]
    assert sum(len(line.get_xdata()) for line in drawn) == 3
    joined = next(line for line in ax.lines if line.get_label() == "efficient")
    assert len(joined.get_xdata()) == result.efficient.sum()
    assert "m = 3" in ax.get_ylabel()
    assert words(ax) == []


def test_frontier_is_the_same_way_up_as_the_map_of_utility(table):
    ax = plot_frontier(slc.frontier(table, [slc.NBI(sigma=s) for s in (0.5, 1)]))
    assert ax.yaxis_inverted()
    assert "lower values are higher up" in ax.get_ylabel()


def test_frontier_names_the_settings_if_asked(table):
    families = [slc.GAF(sigma=2, nu=-0.5), slc.NBI(sigma=0.5), slc.Poisson()]
    ax = slc.frontier(table, families, pseudocount=0).plot(labels=True)
    assert set(words(ax)) == {"2, -0.5", "0.5"}
    legend = [text.get_text() for text in ax.get_legend().get_texts()]
    assert legend[:3] == ["GAF: sigma, nu", "NBI: sigma", "Poisson"]


def test_tau_beside_what_was_measured(table):
    expected = slc.expected_tau(table, slc.NBI(sigma=1), k=[1, 2, 3])
    measured = slc.tau(table, slc.synthesize_table(table, slc.NBI(sigma=1), m=4, rng=1), k=[1, 2, 3])
    ax = expected.plot(measured=measured, metric="tau4")
    np.testing.assert_array_equal(ax.lines[0].get_ydata(), expected.tau4)
    bars = ax.containers[0]
    np.testing.assert_allclose(bars.lines[0].get_ydata(), measured.tau4.mean(axis=1))
    half = [(s[1, 1] - s[0, 1]) / 2 for s in bars.lines[2][0].get_segments()]
    np.testing.assert_allclose(half, 1.96 * expected.standard_errors(4)["tau4"])
    with pytest.raises(InputError, match="measured: has other cell sizes"):
        plot_tau(expected, slc.tau(table, table, k=1))
    with pytest.raises(InputError, match="metric='tau9'"):
        plot_tau(expected, metric="tau9")


def test_cell_sizes(table):
    ax = table.plot(largest=3)
    assert ax.lines[0].get_ydata().tolist() == [500, 300, 100, 60, 50]
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["0", "1", "2", "3", "> 3"]
    assert words(ax)[0] == "50%"


def test_cell_sizes_on_a_logarithmic_axis_are_no_bars(table):
    ax = table.plot(largest=5)
    assert ax.get_yscale() == "log"
    assert not ax.patches
    assert ax.lines[0].get_xdata().tolist() == [0, 1, 2, 3, 5, 6], "no cell holds four"
    with style.context():
        own = style.off_screen()
    assert plot_cell_sizes(table, own) is own


def test_privacy_shows_every_finite_pair_in_order_and_what_delta_never_falls_below():
    found = slc.count_delta(slc.Poisson(), [2.0, 0.5, 1.0], pseudocount=0)
    ax = found.plot(records=500)
    assert ax.lines[0].get_xdata().tolist() == [0.5, 1.0, 2.0]
    np.testing.assert_array_equal(ax.lines[0].get_ydata(), found.delta[[1, 2, 0]])
    np.testing.assert_array_equal(ax.lines[1].get_ydata(), found.probabilistic[[1, 2, 0]])
    assert [line.get_ydata()[0] for line in ax.lines[2:]] == [found.floor, 1 / 500]
    assert ax.get_yscale() == "log"
    assert "one record more or less" in ax.get_title("left")


def test_privacy_without_a_finite_epsilon_is_no_figure():
    none = slc.count_epsilon(slc.NBI(sigma=2), 0.01, pseudocount=0)
    with pytest.raises(InputError, match="no epsilon is finite"):
        none.plot()
    some = slc.count_delta(slc.Poisson(), 200.0, pseudocount=3, smoothing="every", adjacency="replace")
    ax = some.plot()
    assert 0 < ax.lines[0].get_ydata()[0] < 1e-15
    assert len(ax.lines) == 2
    with pytest.raises(InputError, match="records"):
        some.plot(records=0)
