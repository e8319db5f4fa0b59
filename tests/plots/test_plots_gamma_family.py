"""Figures of the gamma family replication: what is drawn is what the tables hold."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from replications.gamma_family import maps, paper_figures as plots
from synthlab.exceptions import InputError

SETTINGS = pd.DataFrame(
    {
        "setting": ["GAF(sigma = 2, nu = 0)", "NBI(sigma = 2)", "GAF(sigma = 2, nu = -0.5), two-way means", "other"],
        "group": ["GAF", "NBI", "two-way means", "no pseudocount"],
        "tau4_1": [0.5, 0.3, 0.2, 0.9],
        "utility_occupied": [0.49, 0.0, 0.0, 0.5],
        "mse": [0.04, 300.0, 500.0, 0.01],
        "overlap_q05": [0.1, 0.0, 0.0, np.nan],
        "overlap_q25": [0.2, 0.1, 0.0, np.nan],
        "overlap_q50": [0.5, 0.2, 0.1, np.nan],
        "overlap_q75": [0.7, 0.3, 0.2, np.nan],
        "overlap_q95": [0.9, 0.4, 0.3, np.nan],
    }
)


def words(ax) -> list[str]:
    return [t.get_text() for t in ax.texts]


def test_the_map_has_a_point_a_setting_of_the_groups_shown():
    ax = maps.plot_map(SETTINGS, y="mse", groups=["GAF", "NBI"])
    points = [(line.get_label(), float(line.get_xdata()[0]), float(line.get_ydata()[0])) for line in ax.lines]
    assert points == [("GAF: sigma, nu", 0.5, 0.04), ("NBI: sigma", 0.3, 300.0)]
    assert ax.get_yscale() == "log"
    assert ax.yaxis_inverted()
    assert {"2, 0", "2", "simulated data"} <= set(words(ax))
    everything = maps.plot_map(SETTINGS)
    assert "GAF 2, -0.5" in words(everything)
    assert everything.get_ylim()[1] == 1.0
    with pytest.raises(InputError, match="y='tau4'"):
        maps.plot_map(SETTINGS, y="tau4")


def test_a_box_a_setting_with_an_overlap():
    ax = maps.plot_overlap(SETTINGS)
    names = [t.get_text() for t in ax.get_yticklabels()]
    assert names == ["GAF(sigma 2, nu -0.5), two-way means", "NBI(sigma 2)", "GAF(sigma 2, nu 0)"]
    medians = {float(x[0]) for line in ax.lines if len(set(x := line.get_xdata())) == 1}
    assert {0.1, 0.2, 0.5} <= medians


def test_bars_are_shares_and_dashes_are_expected():
    bars = pd.DataFrame(
        {
            "setting": ["a", "a", "b", "b", "a"],
            "given": ["confidential"] * 4 + ["synthetic"],
            "k": 1,
            "other": [0, 1, 0, 1, 0],
            "share": [0.6, 0.4, 0.7, 0.3, 1.0],
            "expected": [0.61, 0.39, 0.69, 0.31, 1.0],
        }
    )
    ax = plots.plot_bars(bars, given="confidential", k=1)
    assert [p.get_height() for p in ax.patches] == [0.6, 0.4, 0.7, 0.3]
    dashes = np.concatenate([line.get_ydata() for line in ax.lines])
    np.testing.assert_array_equal(dashes, [0.61, 0.39, 0.69, 0.31])
    with pytest.raises(InputError, match="given='real'"):
        plots.plot_bars(bars, given="real", k=1)


def test_agreement_counts_what_lies_inside():
    tau = pd.DataFrame({"setting": list("abcd"), "k": [1, 1, 2, 2], "tau3_z": [0.1, -1.9, 2.5, np.nan]})
    ax = plots.plot_tau_agreement(tau, metric="tau3")
    assert ax.get_title(loc="left") == "67% of 3 inside the 95% band"
    np.testing.assert_array_equal(np.concatenate([line.get_ydata() for line in ax.lines]), [0.1, -1.9, 2.5])
    with pytest.raises(InputError, match="metric='tau2'"):
        plots.plot_tau_agreement(tau, metric="tau2")


def test_lines_of_ten_counts_and_of_their_originals():
    frame = pd.DataFrame({"setting": "a", "original": [1, 1, 5, 5], "dataset": [1, 2, 1, 2], "synthetic": [0, 2, 5, 7]})
    ax = plots.plot_ten_counts(frame, setting="a")
    drawn = [list(line.get_ydata()) for line in ax.lines]
    assert drawn == [[1, 1], [0, 2], [5, 5], [5, 7]]


def test_variance_and_rounding_show_both():
    curve = pd.DataFrame({"nu": 0.0, "mu": [1.0, 2.0], "variance": [1.0, 1.0], "variance_rounded": [1.16, 1.07]})
    ax = plots.plot_variance(curve)
    drawn = [list(line.get_ydata()) for line in ax.lines]
    assert [1.0, 1.0] in drawn
    assert [1.16, 1.07] in drawn
    density = pd.DataFrame(
        {"nu": 0.0, "kind": ["density", "density", "cell"], "x": [9.5, 10.5, 10.0], "value": [0.4, 0.4, 0.38]}
    )
    ax = plots.plot_rounding(density)
    assert [p.get_height() for p in ax.patches] == [0.38]
    assert list(ax.lines[0].get_ydata()) == [0.4, 0.4]
