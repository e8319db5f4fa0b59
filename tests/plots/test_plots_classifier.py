"""The classifier figures show what they are given."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from synthlab.exceptions import InputError
from synthlab.plots.classifier import plot_clusters, plot_propensity_null, plot_propensity_scores
from synthlab.utility import cluster_utility, pmse


@pytest.fixture(scope="module")
def frames():
    draw = np.random.default_rng(1)
    return [pd.DataFrame({"income": draw.normal(50 + shift, 10, 200)}) for shift in (0, 0, 8)]


def test_scores_are_shares_of_each_kind():
    ax = plot_propensity_scores([0.1, 0.1, 0.65, 0.9], [0, 0, 0, 1], bins=10, title="a classifier", data="simulated")
    confidential, synthetic = (patch.get_data().values for patch in ax.patches)
    assert confidential[[1, 6]] == pytest.approx([200 / 3, 100 / 3])
    assert synthetic[9] == 100
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["confidential records", "synthetic records"]
    assert ax.lines[0].get_xdata()[0] == 0.25


@pytest.mark.parametrize(
    ("probability", "label", "message"),
    [
        ([0.5], [0, 1], "one number in"),
        ([0.5, 1.5], [0, 1], "one number in"),
        ([0.5, 0.5], [1, 1], "must contain both 0"),
        ([0.5, 0.5], [1, 2], "must contain both 0"),
    ],
)
def test_scores_must_be_probabilities_of_two_kinds(probability, label, message):
    with pytest.raises(InputError, match=message):
        plot_propensity_scores(probability, label)


def test_null_draws_releases_and_names_one_that_is_off_the_axis(frames):
    near, far = pmse(frames[0], frames[1]), pmse(frames[0], frames[2])
    ax = plot_propensity_null(np.linspace(0, 0.003, 50), {"near": near, "far": far})
    words = [text.get_text() for text in ax.texts]
    assert f"near: ratio {near.ratio[0]:.1f}" in words
    assert f"far: ratio {far.ratio[0]:.1f}, out here" in words
    assert any(line.get_xdata()[0] == pytest.approx(near.pmse[0]) for line in ax.lines)
    assert sum(ax.patches[0].get_data().values) == pytest.approx(100)


def test_null_must_be_analytic(frames):
    with pytest.raises(InputError, match="analytic null"):
        plot_propensity_null([0.1], {})
    with pytest.raises(InputError, match="analytic null"):
        plot_propensity_null([0.1], {"tree": pmse(frames[0], frames[1], model="cart", permutations=2, rng=1)})


def test_clusters_are_drawn_at_their_size_and_share(frames):
    result = cluster_utility(frames[0], frames[1:], clusters=5, starts=1, rng=1)
    ax = plot_clusters(result, dataset=2, title="clusters")
    points = next(line for line in ax.lines if line.get_marker() == "o")
    assert points.get_xdata().tolist() == result.cluster_size[1].tolist()
    assert points.get_ydata() == pytest.approx(100 * result.confidential_size[1] / result.cluster_size[1])
    with pytest.raises(InputError, match="dataset=3"):
        plot_clusters(result, dataset=3)
